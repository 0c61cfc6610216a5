"""The history: lists over one question, read when they are looked at; pages, look-up, file, and words for what is wrong."""

from __future__ import annotations

from typing import cast

import msgspec
import pytest

from tests.workstation.driver import desk
from tests.workstation.screens.history_desk import (
    Past,
    answer,
    asked,
    last_line,
    newest,
    params,
    queries,
    screen,
)
from tui.engine.loan_fields import loan_costs
from tui.engine.rows import Fact, Source, Stamp, Table
from tui.engine.service_query import ListRead, MoreRows, ReadState, ServiceQuery, StopQuery
from tui.interface.decimals import ZERO
from tui.interface.families.history import PortfolioStats, PortfolioStatsDetail, StatementRecord, UserStats
from tui.interface.families.portfolio_loans import LoanStatementRecord
from tui.interface.families.positions import PositionHistoryRecord
from tui.rules.bookings import compute_booking_amount, compute_closed_net
from tui.workstation.features.history.booked_tabs import USER_VOLUME
from tui.workstation.features.history.pane import HistoryPane
from tui.workstation.features.history.trade_tabs import FILLS
from tui.workstation.input.scopes import Scope
from tui.workstation.model.display_context import DisplayContext
from tui.workstation.model.number_format import format_signed_decimal
from tui.workstation.model.screen_preferences import ColumnChoice, ScreenPreferences
from tui.workstation.settings import WorkstationSettings
from tui.workstation.table.column_kinds import charge_in_coin, number
from tui.workstation.widgets.lists.tab import fit_sums

VOLUME = PortfolioStats(
    begin="20260101", end="20260102",
    details=[PortfolioStatsDetail(exchange="OKX", business_type="PERP", symbol="OKX_PERP_BTC_USDT")],
)  # fmt: skip
SIZES = ((80, 24), (120, 36), (160, 45), (200, 60), (60, 20))


async def test_a_history_list_is_read_once_when_shown() -> None:
    async with desk(120, 36) as at:
        assert at.port.read_requests == []
        await at.press("H")
        assert asked(at) == ["orders"]
        assert "requested; no reply yet" in at.text()
        await answer(at, "orders", state=ReadState.READING)
        keys = last_line(at)
        assert "s stop" in keys and "x executed" in keys and "n more" not in keys, "keys that do something now"
        await answer(at, "orders")
        assert "no orders: 7 days" in at.text()
        assert "s stop" not in last_line(at) and "n more" not in last_line(at)
        await at.press(")")
        assert "x executed" not in last_line(at)
        await answer(at, "fills")
        await at.press("(", ")")
        assert asked(at) == ["orders", "fills"]
        await at.press("w")
        assert asked(at)[2:] == ["fills"]
        await at.press("(")
        assert asked(at)[3:] == ["orders"]
        await answer(at, "orders")
        await at.press("escape", "H")
        assert asked(at)[4:] == ["orders"], "what was booked meanwhile is not in it"
        assert at.port.intents == []


async def test_history_pages_load_by_key_and_loading_can_be_stopped(past: Past) -> None:
    rows = past.lists["orders"]
    async with desk(120, 36) as at:
        await at.press("H")
        await answer(at, "orders", rows[:20], ReadState.PART, total=90)
        assert "orders 20 of 90+" in at.text()
        await at.press("n")
        assert newest(at) == MoreRows(key="history/orders")
        await answer(at, "orders", rows[:20], ReadState.ARCHIVE, total=90)
        assert "reading the archive, which takes a while… (s stops)" in at.text()
        await at.press("n")
        assert newest(at) == MoreRows(key="history/orders")
        assert "a page of the list is loading; s stops it" in at.text()
        await at.press("s")
        assert newest(at) == StopQuery(key="history/orders")
        await answer(at, "orders", rows[:20], ReadState.STOPPED)
        assert "stopped (n continues)" in at.text()
        await answer(at, "orders", rows[:40])
        asked = len(at.port.read_requests)
        await at.press("n", "s")
        assert len(at.port.read_requests) == asked
        assert "all rows of the list are loaded" in at.text() or "nothing is loading" in at.text()


async def test_history_query_form_shows_errors_below_the_field() -> None:
    async with desk(120, 36) as at:
        await at.press("H", "o")
        assert at.scope() is Scope.FORM
        await at.press(*"sym:btc")
        assert "fits" in at.text()
        await at.press("enter")
        assert at.scope() is Scope.FORM
        assert len(queries(at)) == 1
        await at.press("ctrl+u", *"90d venue:OKX kind:PERP only", "enter")
        assert at.scope() is Scope.SCREEN
        assert params(at).items() >= {"exchange": "OKX", "businessType": "PERP", "filterExecuted": "true"}.items()
        assert "90 days · OKX · PERP · only executed" in at.text()
        await at.press("x")
        assert "filterExecuted" not in params(at)
        await at.press("o", *"today", "escape")
        assert "90 days · OKX" in at.text()


async def test_narrow_history_title_keeps_the_query_text(past: Past) -> None:
    async with desk(80, 24) as at:
        await at.press("H", "o", "ctrl+u", *"90d only", "enter")
        await answer(at, "orders", past.lists["orders"][:200], ReadState.PART, total=298)
        title = next(line for line in at.text().splitlines() if "History" in line)
        assert "orders 200 of 298+ · 90 days · only executed · …" in title
        assert "1–" in title and "Esc: desk" not in title


async def test_letters_in_the_history_form_are_text_and_ctrl_g_kills() -> None:
    async with desk(120, 36) as at:
        await at.press("H", "o", *"wXqna")
        assert "▸ query wXqna_" in at.text()
        await at.press("backspace")
        assert "▸ query wXqn_" in at.text()
        await at.press("ctrl+g")
        assert at.scope() is Scope.KILL


async def test_history_finds_an_order_by_id_and_its_fills_by_key(past: Past) -> None:
    order = next(row for row in past.lists["orders"] if row.executed_qty != "0")
    fills = [row for row in past.lists["fills"] if row.order_id == order.order_id]
    async with desk(120, 36) as at:
        await at.press("H", "o", "ctrl+u", *order.client_order_id, "enter")
        assert params(at) == {"clientOrderId": order.client_order_id}
        await answer(at, "orders", [order])
        assert f"order {order.client_order_id}" in at.text()
        await at.press("l")
        lookup = queries(at)[-1].lookup
        assert asked(at)[-1] == "fills" and lookup is not None and ("orderId", order.order_id) in lookup.source.params
        await answer(at, "fills", fills)
        assert f"fills {len(fills)}" in at.text()
        await at.press("l")
        assert asked(at)[-1] == "orders" and params(at) == {"orderId": order.order_id}


async def test_history_order_card_shows_all_44_fields(past: Past) -> None:
    order = past.lists["orders"][0]
    async with desk(160, 60) as at:
        await at.press("H")
        await answer(at, "orders", [order])
        await at.press("enter")
        shown = at.text()
        for name in order.__struct_fields__:
            assert name.replace("_", " ") in shown, name
        assert order.client_order_id in shown
        assert len(order.__struct_fields__) == 44


async def test_a_history_list_shows_its_error_or_its_row_limit(past: Past) -> None:
    async with desk(120, 36) as at:
        await at.press("H")
        await answer(at, "orders", (), ReadState.FAILED, text="no order has the id nothing")
        assert "not read: no order has the id nothing (n tries again)" in at.text()
        rows = past.lists["orders"][:30]
        await answer(at, "orders", rows, ReadState.FULL, text="30 rows are held; narrower", total=99)
        assert "30 rows are held; narrower" in at.text()
        await at.press("n")
        assert "a shorter time window or a filter shows the other rows" in at.text()


@pytest.mark.parametrize(("columns", "lines"), SIZES)
async def test_every_history_list_fits_every_screen_size(past: Past, columns: int, lines: int) -> None:
    async with desk(columns, lines) as at:
        await at.press("H")
        for kind in HistoryPane.views:
            rows = past.lists.get(kind, ())
            await answer(at, kind, rows[:100], data=None if rows else VOLUME)
            count = len(rows[:100]) or len(VOLUME.details)
            drawn = at.text()
            assert f"{kind} {count}" in drawn
            assert all(len(line) == columns for line in drawn.splitlines())
            await at.press("G", ")")


async def test_history_totals_sum_the_visible_rows(past: Past) -> None:
    closed, booked_rows = past.lists["closed"], past.lists["statement"]
    assert all(isinstance(row, PositionHistoryRecord) for row in closed)
    async with desk(160, 45) as at:
        await at.press("H", ")", ")")
        await answer(at, "closed", closed)
        pane = screen(at).history
        net = sum((compute_closed_net(row) for row in closed), ZERO)
        assert pane.total_cells()["net"][0] == at.app.view.format_signed(net)
        await at.press("/", *"venue:okx", "enter")
        some = sum((compute_closed_net(row) for row in closed if row.sym.startswith("OKX")), ZERO)
        assert pane.total_cells()["net"][0] == at.app.view.format_signed(some) != at.app.view.format_signed(net)
        await at.press("escape", ")")
        await answer(at, "statement", booked_rows)
        usdt = sum((compute_booking_amount(row) for row in booked_rows if row.coin == "USDT"), ZERO)
        assert f"{at.app.view.format_signed(usdt)} USDT" in pane.total_line(100)
        assert f"{len(booked_rows)} rows" in at.text()
        assert "loan costs" not in at.text()


@pytest.mark.parametrize("columns", [80, 100, 120, 200])
async def test_narrow_history_totals_keep_the_money_amounts(past: Past, columns: int) -> None:
    async with desk(columns, 24) as at:
        await at.press("H")
        for kind in ("orders", "fills"):
            rows = past.lists[kind][:300]
            await answer(at, kind, rows)
            net = sum((-number(row.fee) for row in rows if row.fee_coin == "USDT"), ZERO)
            rebates = sum((abs(number(row.rebate)) for row in rows if row.rebate_coin == "USDT"), ZERO)
            line = at.text().splitlines()[-4].strip("│ ")
            assert "…" not in line
            if "net fees" in line:
                assert f"net fees {format_signed_decimal(net + rebates, 2)} USDT" in line
            else:
                assert f"fees {format_signed_decimal(net, 2)} USDT" in line
                assert f"rebates {format_signed_decimal(rebates, 2)} USDT" in line
            assert kind == "orders" or "result " in line
            await at.press(")")
        await at.press(")")
        await answer(at, "statement", past.lists["statement"])
        booked = sum((compute_booking_amount(row) for row in past.lists["statement"] if row.coin == "USDT"), ZERO)
        assert f"{format_signed_decimal(booked, 2)} USDT, " in at.text()


def test_history_totals_are_cut_only_between_amounts() -> None:
    forms = [["12 rows", "net -486.10 USDT, -0.003774 BTC", "a note"], ["net -486.10 USDT, -0.003774 BTC"]]
    assert fit_sums(forms, 60) == "12 rows · net -486.10 USDT, -0.003774 BTC · a note"
    assert fit_sums(forms, 45) == fit_sums(forms, 33) == "net -486.10 USDT, -0.003774 BTC"
    assert fit_sums(forms, 30) == fit_sums(forms, 19) == "net -486.10 USDT, …"
    assert fit_sums([["worth 1,234,567.89 USDT"]], 18) == "worth 1.2346M USDT"
    assert fit_sums([], 10) == ""


async def test_the_statement_total_says_where_loan_costs_are_listed(past: Past) -> None:
    paid = LoanStatementRecord(
        statement_id="7", exchange="BINANCE", type="loan_interest", coin="USDT", delta="-0.5", balance="99.5",
        timestamp=1_700_000_000_000,
    )  # fmt: skip
    (cost,) = loan_costs([paid], "1")
    async with desk(120, 36) as at:
        at.port.put(Table.STATEMENTS, cost.statement_id, Fact(cost, Stamp("1", 1, 0, Source.SNAPSHOT, 1.0)))
        await at.press("H", ")", ")", ")")
        await answer(at, "statement", past.lists["statement"])
        assert "loan costs are in the loans (D), list statement" in at.text()


def test_an_interest_booking_is_worth_the_debt_that_it_adds() -> None:
    row = StatementRecord(
        portfolio_id=1, statement_type="DEDUCT_INTEREST", coin="ETH", before_borrow="2", after_borrow="2.001"
    )
    assert str(compute_booking_amount(row)) == "-0.001"


async def test_history_tabs_beside_the_open_one_are_uncut_at_80x24() -> None:
    async with desk(80, 24) as at:
        await at.press("H", ")")
        await at.settle()
        assert "orders │ fills │ closed │ statement │ algos ›" in at.text()


async def test_the_volume_list_shows_all_portfolios_or_an_error() -> None:
    stats = PortfolioStats(
        begin="20260101", end="20260102",
        details=[
            PortfolioStatsDetail(
                exchange="OKX", business_type="PERP", symbol="OKX_PERP_BTC_USDT", executed_amount="1200.5",
                total_trading_fee="1.2", total_rpnl="-3",
            )
        ],
    )  # fmt: skip
    async with desk(160, 45) as at:
        await at.press("H", "(")
        user = UserStats(begin="20260101", end="20260102", all_spot="10", all_perp="4200.75")
        [query] = [one for one in at.port.read_requests if isinstance(one, ServiceQuery) and one.key == USER_VOLUME]
        at.port.put(Table.ANSWERS, USER_VOLUME, ListRead(query=query, state=ReadState.WHOLE, data=user))
        await answer(at, "volume", data=stats)
        assert "traded in all portfolios: spot 10.00, perp 4,200.75" in at.text()
        assert "1,200.50" in at.text()
        await at.press("x")
        assert any("only the orders list can show executed orders alone" in said for said in at.events())
        assert "7 days before today" in at.text(), "the fills of 7 days count today too: the sums differ by it"
        refused = ListRead(query=query, state=ReadState.FAILED, text="100003 refused")
        at.port.put(Table.ANSWERS, USER_VOLUME, refused)
        await at.settle()
        assert "all portfolios: 100003 refused" in at.text()


async def test_the_history_lists_two_fills_that_share_an_id(past: Past) -> None:
    first = past.lists["fills"][0]
    again = msgspec.structs.replace(first, order_id="987654321", quantity="7.77")
    assert len({FILLS.id(row) for row in (first, again, first)}) == 2
    async with desk(120, 36) as at:
        await at.press("H", ")")
        await answer(at, "fills", [first, again])
        assert "2 fills of 2 orders" in at.text()


async def test_history_keys_on_other_screens_say_where_they_work() -> None:
    async with desk(120, 36) as at:
        await at.press("E", "w")
        assert "only on the history (H)" in at.text()
        assert at.port.read_requests == []


async def test_history_rows_are_read_again_after_an_engine_restart() -> None:
    """After the engine was built anew its tables are empty: what stands on the screen is asked for again."""
    async with desk(120, 36) as at:
        await at.press("H")
        await answer(at, "orders")
        at.port.put(Table.ANSWERS, "history/orders", None)
        await at.settle()
        assert len(queries(at)) == 2
        await answer(at, "orders", (), ReadState.FAILED, text="the engine is not running")
        await at.press("n")
        assert len(queries(at)) == 3
        await at.press("escape")
        at.port.put(Table.ANSWERS, "history/orders", None)
        await at.settle()
        assert len(queries(at)) == 3
        await at.press("H")
        assert len(queries(at)) == 4


async def test_algo_order_history_shows_trigger_and_outcome(past: Past) -> None:
    async with desk(160, 45) as at:
        await at.press("H", "(", "(")
        assert asked(at)[-1] == "algos"
        await answer(at, "algos", past.lists["algos"])
        shown = at.text()
        for word in ("COMPLETED", "FAILED", "401014 too small", "EXPIRED", "3 algo orders, 1 traded", "sl 54,000"):
            assert word in shown, word
        await at.press("enter")
        assert "sl trigger price" in at.text() and "2000000000000000" in at.text()


async def test_order_history_shows_the_maker_rebate_beside_the_fee(past: Past) -> None:
    maker = next(row for row in past.lists["orders"] if row.fee == "0" and number(row.rebate))
    async with desk(200, 60) as at:
        await at.press("H")
        await answer(at, "orders", [maker])
        assert " rebate " in at.text()
        assert f" {charge_in_coin(number(maker.rebate), maker.rebate_coin)[0]} " in at.text()


@pytest.mark.parametrize(("columns", "lines"), [(80, 24), (160, 45)])
async def test_without_room_for_rebates_the_history_shows_a_net_fee(past: Past, columns: int, lines: int) -> None:
    maker = next(row for row in past.lists["fills"] if row.fee == "0" and number(row.rebate))
    kind = "fills" if columns == 80 else "orders"
    row = maker if columns == 80 else next(one for one in past.lists[kind] if one.order_id == maker.order_id)
    async with desk(columns, lines) as at:
        await at.press("H", *[")"] * (columns == 80))
        await answer(at, kind, [row])
        assert " net fee " in at.text() and "rebate" not in screen(at).live_table.column_ids()
        assert f" {charge_in_coin(number(row.rebate), row.rebate_coin)[0]} " in at.text()


@pytest.mark.parametrize(
    ("fee", "rebate", "shown"),
    [
        (("0.5", "USDT"), ("0", ""), ("-0.5000 USDT", "text")),
        (("0", "USDT"), ("0.2", "USDT"), ("+0.2000 USDT", "gain")),
        (("0.5", "USDT"), ("0.2", "USDT"), ("-0.3000 USDT", "text")),
        (("0.5", "USDT"), ("0.2", "BTC"), ("-0.5000 USDT", "text")),
        (("15.44154", "USDT"), ("0", ""), ("-15.44 USDT", "text")),
        (("0", "USDT"), ("0.2", "BTC"), ("+0.2 BTC", "gain")),
        (("", ""), ("", ""), ("–", "faint")),
    ],
)
def test_net_fee_is_negative_for_a_fee_and_positive_for_a_rebate(
    past: Past, fee: tuple[str, str], rebate: tuple[str, str], shown: tuple[str, str]
) -> None:
    row = msgspec.structs.replace(
        past.lists["fills"][0], fee=fee[0], fee_coin=fee[1], rebate=rebate[0], rebate_coin=rebate[1]
    )
    assert FILLS.fields["net fee"].cell(row, cast(DisplayContext, None)) == shown


async def test_history_columns_are_saved_per_list(past: Past) -> None:
    kept: list[bytes] = []
    async with desk(120, 36, save_preferences=kept.append) as at:
        await at.press("H")
        await answer(at, "orders", past.lists["orders"])
        table = screen(at).live_table
        assert "rebate" not in table.column_ids()
        await at.press("|", *["j"] * list(table.pane.fields).index("rebate"), "space", "escape")
        assert "rebate" in table.column_ids() and " rebate" in at.text()
        await at.press(")")
        assert table.pane.choice == ColumnChoice(), "each list has its own"
        await at.press("(")
        assert "rebate" in table.column_ids()
    settings = WorkstationSettings(bell=False, columns=ScreenPreferences({}, [], kept[-1]).columns)
    assert settings.columns == {"history/orders": ["rebate"]}
    async with desk(120, 36, settings=settings) as at:
        assert not [one for one in at.events() if "columns" in one]
        await at.press("H")
        await answer(at, "orders", past.lists["orders"])
        assert "rebate" in screen(at).live_table.column_ids()


async def test_unknown_history_columns_in_settings_are_reported() -> None:
    columns = {"history/orders": ["rebatte"], "history/order": ["fee"], "funds/bills": []}
    async with desk(120, 36, settings=WorkstationSettings(bell=False, columns=columns)) as at:
        assert not [one for one in at.events() if "columns" in one]
        await at.press("H")
        said = " ".join(at.events())
        assert "history/orders has no column 'rebatte'" in said and "'history/order' is not a pane; panes are " in said
        assert "funds" not in said
