"""Account risk, booked results and fills: every sum equals its parts, and what is not known is not called zero."""

from __future__ import annotations

import re
from decimal import Decimal

import msgspec
import pytest

from tests.workstation.driver import Desk, desk
from tui.engine.rows import DayRow, Fact, Table, TickerRow
from tui.engine.status_rows import ENGINE
from tui.interface.families.assets import AssetRecord
from tui.interface.families.history import StatementRecord, TradeRecord
from tui.rules.day_result import DAY_MS, DayResult
from tui.workstation.features.assets import cells as asset_cells
from tui.workstation.features.positions import cells as position_cells
from tui.workstation.features.quotes import cells as quote_cells
from tui.workstation.features.risk import cells as risk_cells
from tui.workstation.features.risk.cells import adds_up, compute_stress
from tui.workstation.model import number_format
from tui.workstation.model.account_risk import mmr_warning
from tui.workstation.table.live_table import HEAD

BTC, OKX, SPOT = "BINANCE_PERP_BTC_USDT", "OKX_PERP_BTC_USDT", "BINANCE_SPOT_BTC_USDT"


def fill(at: Desk, name: str, sym: str = BTC, order: str = "700", **more: object) -> None:
    record = TradeRecord(
        transaction_id=name, order_id=order, sym=sym, side="BUY", quantity="0.5", price="64000", fee="1.5", fee_coin="USDT",
        exec_type="TAKER", rpnl="10", create_at=str(int(at.clock.wall() * 1000)),
    )  # fmt: skip
    record = msgspec.structs.replace(record, **more)
    at.port.put(Table.FILLS, name, Fact(record, at.port.stamp()))
    sums, day = at.day.add(record), at.day.day
    assert sums is not None
    at.port.put(Table.DAYS, f"{day}/{record.sym}", DayRow(sym=record.sym, day_ms=day * DAY_MS, sums=sums))


def statement(at: Desk, name: str, kind: str, amount: str, sym: str = BTC, **more: object) -> None:
    record = StatementRecord(
        portfolio_id="7001", statement_id=name, sym=sym, coin="USDT", statement_type=kind, delta_amount=amount,
        exchange_type="BINANCE", create_at=int(at.clock.wall() * 1000),
    )  # fmt: skip
    at.port.put(Table.STATEMENTS, name, Fact(msgspec.structs.replace(record, **more), at.port.stamp()))


# Account risk


async def test_risk_pane_lists_the_account_nearest_liquidation_first() -> None:
    async with desk(160, 45) as at:
        fact = at.app.mirror.accounts["OKX"]
        record = msgspec.structs.replace(
            fact.record, uni_mmr="1.43", account_status="CANCEL_OPEN", valid_margin="915.21"
        )
        at.port.put(Table.ACCOUNTS, "OKX", Fact(record, at.port.stamp()))
        at.app.main_screen.show_pane("risk")
        await at.settle()
        table = at.app.main_screen.tables["risk"]
        assert table._keys == ["OKX", "BINANCE", "EDX"]
        line = at.line_of("risk", "OKX ", "1.43")
        assert "CANCEL_OPEN" in line and "!!1.43" in line and "69.9%" in line
        assert "none" in at.line_of("risk", "EDX ", "0%"), "no risk is no huge number"
        await at.press("2")
        assert "CANCEL_OPEN OKX" in at.line_of("orders", "2 Orders"), "every pane tells of an account near liquidation"


async def test_equity_is_shown_gross_and_net_of_loans() -> None:
    """A borrowed thousand is in the equity of the service and in no net figure: assets, risk, and the card of a venue."""
    async with desk(240, 60) as at:
        fact = at.app.mirror.assets["BINANCE/USDT"]
        lent = msgspec.structs.replace(fact.record, loan="1000", loan_value="1000")
        at.port.put(Table.ASSETS, "BINANCE/USDT", Fact(lent, at.port.stamp()))
        await at.settle()
        main = at.app.main_screen
        counted = "".join(text for text, _ in main.tables["assets"].pane.counts())
        assert "62,129.50 all venues gross, 61,129.50 net of loans" in counted
        main.show_pane("risk")
        await at.settle()
        assert "net eq." in at.text() and "30,711.50" in at.line_of("risk", "BINANCE ")
        await at.press("enter")
        assert "31711.50" in next(text for text in at.text().splitlines() if "equity  " in text and "net" not in text)
        assert "30,711.50" in next(text for text in at.text().splitlines() if "net equity (less loans)" in text)


@pytest.mark.parametrize("size", [(80, 24), (100, 30), (120, 36), (160, 45), (200, 60)])
async def test_a_single_equity_figure_is_always_net_of_loans(size: tuple[int, int]) -> None:
    """In the status bar, the risk and the assets; gross equity says that it is gross."""
    async with desk(*size) as at:
        fact = at.app.mirror.assets["BINANCE/USDT"]
        worth = number_format.value(fact.record.equity_value)
        assert worth is not None
        lent = msgspec.structs.replace(fact.record, loan="1000", loan_value="1000")
        at.port.put(Table.ASSETS, "BINANCE/USDT", Fact(lent, at.port.stamp()))
        await at.settle()
        top = "\n".join(at.text().splitlines()[:2])
        assert "62,129.50" not in top
        assert re.search(r"\beq ", top) is None or "net eq 61,129.50" in top
        assert "net eq" in top or size[0] < 100
        await at.press("4")
        await at.settle()
        row = at.line_of("assets", "USDT", "BINANCE")
        assert f"{worth - 1000:,.2f}" in row
        at.app.main_screen.show_pane("risk")
        await at.settle()
        assert "30,711.50" in at.line_of("risk", "BINANCE ")


async def test_the_stress_figure_moves_mark_prices_and_margin_coins() -> None:
    async with desk(160, 45) as at:
        record, view = at.app.mirror.accounts["BINANCE"].record, at.app.view
        shock = Decimal("-0.10")
        delta = (Decimal("2.5") * Decimal("64001.0") + Decimal(40) * Decimal("3412.10")) * shock
        maintain = Decimal("2164.85") + (Decimal("800.0125") + Decimal("1364.84")) * shock
        expected = (Decimal("31711.50") + delta) / maintain
        assert min(compute_stress(record, view)) == (expected, shock) and expected < Decimal("1.1")
        assert max(compute_stress(record, view))[0] > Decimal("14")
        assert not compute_stress(at.app.mirror.accounts["EDX"].record, view), "nothing to move"

        # 0.5 BTC as margin falls too: 95 % of its value counts.
        coin = msgspec.structs.replace(
            at.app.mirror.assets["BINANCE/USDT"].record, coin="BTC", balance="0.5", index_price="64000"
        )
        at.port.put(Table.ASSETS, "BINANCE/BTC", Fact(coin, at.port.stamp()))
        await at.settle()
        fallen = delta + Decimal("0.5") * 64000 * Decimal("0.95") * shock
        assert min(compute_stress(record, view)) == ((Decimal("31711.50") + fallen) / maintain, shock)
        at.port.put(Table.ASSETS, "BINANCE/BTC", None)
        await at.settle()
        await at.pilot.resize_terminal(120, 36)
        at.app.main_screen.show_pane("risk")
        await at.settle()
        line = at.line_of("risk", "BINANCE ", "14.65")
        assert f"~{expected:.2f} -10%" in line, "the shock that hurts most"


@pytest.mark.parametrize(("value", "sign"), [("3", ""), ("2.99", "!"), ("1.99", "!!"), ("1.49", "!!"), ("1.09", "!!!")])
def test_low_margin_ratios_are_flagged_by_severity(value: str, sign: str) -> None:
    assert mmr_warning(Decimal(value))[0] == sign


async def test_a_risk_row_whose_valid_margin_does_not_add_up_is_marked() -> None:
    async with desk(120, 36) as at:
        record = at.app.mirror.accounts["BINANCE"].record
        assert adds_up(record) and not adds_up(msgspec.structs.replace(record, valid_margin="20000"))
        at.port.put(
            Table.ACCOUNTS, "BINANCE", Fact(msgspec.structs.replace(record, valid_margin="20000"), at.port.stamp())
        )
        at.app.main_screen.show_pane("risk")
        await at.settle()
        assert "≠20,000.00" in at.line_of("risk", "BINANCE ", "14.65")


async def test_an_account_without_risk_shows_no_unimmr() -> None:
    async with desk(120, 36) as at:
        at.app.main_screen.show_pane("risk")
        await at.settle()
        row = at.app.panes.risk.row("EDX")
        assert row is not None and risk_cells.mmr(row, at.app.view) == ("none", "dim")
        assert "999" not in at.line_of("risk", "EDX ", "10,000.00")


async def test_a_change_that_rounds_to_zero_has_no_sign_and_no_colour() -> None:
    async with desk(160, 45) as at:
        for change in ("0.004", "-0.004"):
            at.port.put(Table.TICKERS, BTC, TickerRow(sym=BTC, last="64000", change=change))
            await at.settle()
            line = at.app.panes.quotes.row(BTC)
            assert line is not None and quote_cells.day_change(line, at.app.view) == ("0.00%", "dim"), change


async def test_roe_is_shown_in_per_cent() -> None:
    async with desk(160, 45) as at:
        fact = at.app.mirror.positions[f"{BTC}/LONG"]
        for share, shown in (("0.0123", ("+1.2%", "gain")), ("-0.5", ("-50.0%", "loss")), ("0.0004", ("0.0%", "dim"))):
            record = msgspec.structs.replace(fact.record, unrealized_pnl_rate=share)
            assert position_cells.rate(msgspec.structs.replace(fact, record=record)) == shown


# P&L


async def test_net_pnl_sums_its_parts_and_totals_sum_all_rows() -> None:
    async with desk(160, 45, filled=False) as at:
        at.port.set_desk(synced=True)
        fill(at, "a", rpnl="100", fee="3")
        fill(at, "b", OKX, rpnl="-40", fee="0", rebate="1.25", rebate_coin="USDT")
        statement(at, "s1", "FUNDING_FEE", "-7.5")
        statement(at, "s2", "LIQUIDATION_FEE", "-2", OKX)
        statement(at, "s3", "DEDUCT_INTEREST", "0", "", before_overdraw="3", after_overdraw="3.5")
        statement(at, "s4", "DEPOSIT", "1000", "")
        at.app.main_screen.show_pane("pnl")
        await at.settle()
        table = at.app.main_screen.tables["pnl"]
        nets = {key: found.booking.net for key in table._keys if (found := at.app.panes.pnl.row(key)) is not None}
        assert nets == {BTC: Decimal("89.5"), OKX: Decimal("-40.75"), "USDT": Decimal("-0.5")}
        assert table._keys == [BTC, OKX, "USDT"], "the largest result first"
        line = at.line_of("pnl", "total")
        assert "+48.25" in line and "+60.00" in line and "-3.00" in line and "+1.25" in line
        assert "-7.50" in at.line_of("pnl", "BINANCE BTC ")
        assert "P&L +48.25" in at.text()
        await at.press("w")
        assert set(table._keys) == {"BINANCE", "OKX"}
        await at.press("w")
        assert table._keys == ["2023-11-14"]
        await at.press("/", *"nothing", "enter")
        assert "+48.25" in at.line_of("pnl", "total"), "totals cover all rows, also filtered ones"


async def test_the_pnl_pane_starts_a_new_day_at_midnight_utc() -> None:
    async with desk(160, 45, filled=False) as at:
        at.port.set_desk(synced=True)
        fill(at, "a", rpnl="100", fee="3")
        statement(at, "s1", "TRADE", "97", request_id="a")
        at.app.main_screen.show_pane("pnl")
        await at.press("0")
        assert "net +97.00" in at.text() and "matches the statement (1 fill)" in at.text()
        at.clock.pass_by(DAY_MS / 1000)
        at.day = DayResult()
        at.port.set_desk(ordered_today=())
        at.port.put(Table.ENGINE_STATUS, ENGINE, msgspec.structs.replace(at.port.desk, in_flight=1))
        await at.settle()
        assert at.app.panes.pnl.short() == "0" and "+97.00" not in at.text()
        fill(at, "b", rpnl="-10", fee="1")
        statement(at, "s2", "TRADE", "-11", request_id="b")
        await at.settle()
        assert "-11.00" in at.line_of("pnl", "total") and "+97.00" not in at.text()
        assert at.app.panes.pnl.short() == "-11.00" and "matches the statement (1 fill)" in at.text()
        await at.press("w", "w")
        assert "+86.00" in at.line_of("pnl", "total"), "the rows by day are of all days that are known"
        assert "today -11.00" in at.text() and at.app.panes.pnl.short() == "-11.00"


async def test_coin_interest_is_valued_at_index_price_or_left_out() -> None:
    async with desk(120, 36, filled=False) as at:
        at.port.set_desk(synced=True)
        eth = AssetRecord(coin="ETH", exchange_type="BINANCE", balance="1", index_price="3000")
        at.port.put(Table.ASSETS, "BINANCE/ETH", Fact(eth, at.port.stamp()))
        more = {"before_available": "1", "after_available": "0.999"}
        statement(at, "s1", "DEDUCT_INTEREST", "-0.001", "", coin="ETH", **more)
        statement(at, "s2", "DEDUCT_INTEREST", "-0.001", "", coin="XYZ", **more)
        statement(at, "s3", "LIQ_COMPENSATION", "4")
        await at.settle()
        bookings = {name: line.booking for name in ("ETH", "XYZ", BTC) if (line := at.app.panes.pnl.row(name))}
        assert bookings["ETH"].interest == 3 and bookings["ETH"].net == -3
        assert bookings["XYZ"].interest == 0 and bookings["XYZ"].incomplete == 1
        assert bookings[BTC].net == 4


async def test_asset_row_shows_the_haircut_of_the_coin() -> None:
    async with desk(160, 45, filled=False) as at:
        at.port.set_desk(synced=True)
        eth = AssetRecord(coin="ETH", exchange_type="BINANCE", balance="2", equity_value="6000", margin_value="5550")
        at.port.put(Table.ASSETS, "BINANCE/ETH", Fact(eth, at.port.stamp()))
        at.app.main_screen.show_pane("assets")
        await at.press("0")
        assert "7.5%" in at.line_of("assets", "ETH")


async def test_a_dividend_counts_in_the_pnl() -> None:
    async with desk(120, 36, filled=False) as at:
        at.port.set_desk(synced=True)
        statement(at, "s1", "DIVIDEND", "12.5")
        await at.settle()
        line = at.app.panes.pnl.row(BTC)
        assert line is not None and (line.booking.gross, line.booking.net) == (Decimal("12.5"), Decimal("12.5"))


@pytest.mark.parametrize(
    ("booked", "said"), [("97", "matches the statement (1 fill)"), ("98.5", "off by +1.5000 (1 row)")]
)
async def test_the_pnl_pane_says_if_fills_match_the_booked_amounts(booked: str, said: str) -> None:
    async with desk(120, 36, filled=False) as at:
        at.port.set_desk(synced=True)
        fill(at, "a", rpnl="100", fee="3")
        statement(at, "s1", "TRADE", booked, request_id="a")
        at.app.main_screen.show_pane("pnl")
        await at.press("0")
        assert said in at.line_of("pnl", "P&L")


async def test_the_pnl_pane_says_how_many_fills_the_statement_lacks() -> None:
    async with desk(120, 36, filled=False) as at:
        at.port.set_desk(synced=True)
        fill(at, "a", rpnl="100", fee="3")
        fill(at, "b", rpnl="10", fee="1")
        statement(at, "s1", "TRADE", "97", request_id="a")
        at.app.main_screen.show_pane("pnl")
        await at.press("0")
        assert "matches the statement (1 fill, 1 newer than it)" in at.line_of("pnl", "P&L")


async def test_pnl_without_statements_is_marked_as_an_estimate() -> None:
    async with desk(120, 36, filled=False) as at:
        at.port.set_desk(synced=True)
        fill(at, "a", rpnl="100", fee="3")
        at.app.main_screen.show_pane("pnl")
        await at.settle()
        line = at.line_of("pnl", "BINANCE BTC")
        assert "~+97.00" in line and "–" in line


@pytest.mark.parametrize("missing", ["day_is_whole", "bookings_read"])
async def test_pnl_says_partial_while_the_day_is_still_loading(missing: str) -> None:
    async with desk(160, 45, filled=False) as at:
        at.port.set_desk(synced=True, **{missing: False})
        fill(at, "a", rpnl="100", fee="3")
        statement(at, "s1", "FUNDING_FEE", "0")
        at.app.main_screen.show_pane("pnl")
        await at.press("0")
        assert "partial: fills or bookings of today are being read" in at.line_of("pnl", "P&L")
        assert "~+97.00" in at.line_of("pnl", "BINANCE BTC")
        at.port.set_desk(synced=True, **{missing: True})
        await at.settle()
        assert "partial" not in at.line_of("pnl", "P&L") and "~" not in at.line_of("pnl", "BINANCE BTC")


@pytest.mark.parametrize("missing", ["day_is_whole", "bookings_read"])
async def test_an_incomplete_day_result_of_positions_has_a_tilde(missing: str) -> None:
    async with desk(160, 45) as at:
        at.port.set_desk(synced=True, **{missing: False})
        fill(at, "a", rpnl="100", fee="3")
        statement(at, "s1", "FUNDING_FEE", "0")
        await at.settle()
        position = next(row for row in at.app.mirror.positions.values() if row.record.sym == BTC)
        assert " · day ~+97.00" in at.lines_of("positions")[0]
        assert position_cells.day_result(position, at.app.view)[0] == "~+97.00"
        at.port.set_desk(synced=True, **{missing: True})
        await at.settle()
        assert " · day +97.00" in at.lines_of("positions")[0]
        assert position_cells.day_result(position, at.app.view)[0] == "+97.00"


async def test_fees_in_base_coin_are_valued_and_other_coins_left_out() -> None:
    async with desk(160, 45, filled=False) as at:
        at.port.set_desk(synced=True)
        fill(at, "a", SPOT, fee="0.0005", fee_coin="BTC", rpnl="0")
        fill(at, "b", SPOT, order="701", fee="0.01", fee_coin="BNB", rpnl="0")
        await at.settle()
        booking = at.app.panes.pnl.row(SPOT)
        assert booking is not None and booking.booking.fee == 32 and booking.booking.incomplete == 1
        at.app.main_screen.show_pane("pnl")
        await at.settle()
        row = at.line_of("pnl", "BINANCE BTC spot")
        assert "~-32.00" in row and "no gross" in row, "a coin that is held has no result yet"
        await at.press("0")
        assert "spot and margin: only costs, no result" in at.text()


async def test_positions_pane_shows_a_total_row() -> None:
    async with desk(160, 45) as at:
        total = at.line_of("positions", "total")
        assert "+2,129.50" in total
        await at.press("3", "/", *"sym:eth", "enter")
        assert "+2,129.50" in at.line_of("positions", "total"), "of all legs, also those not shown"


async def test_pnl_pane_without_bookings_says_so() -> None:
    async with desk(120, 36, filled=False) as at:
        at.port.set_desk(synced=True)
        at.app.main_screen.show_pane("pnl")
        await at.settle()
        assert at.line_of("pnl", "nothing booked") and not any("total" in line for line in at.lines_of("pnl"))


# Fills


async def test_fills_are_grouped_under_one_row_per_order() -> None:
    async with desk(120, 36, filled=False) as at:
        at.port.set_desk(synced=True)
        at.port.order("c1", BTC, "BUY", "64000", "1", executed="1.0", position_side="LONG", state="FILLED", final=True)
        fill(at, "a", client_order_id="c1", quantity="0.4", price="64000", fee="2", rpnl="0")
        fill(at, "b", client_order_id="c1", quantity="0.6", price="64010", fee="1", rpnl="5", exec_type="MAKER")
        fill(at, "z", order="701", quantity="0.1")
        at.app.main_screen.show_pane("fills")
        await at.settle()
        table = at.app.main_screen.tables["fills"]
        assert set(table._keys) == {"order 700", "z"}
        line = at.line_of("fills", "▸2")
        assert "open long" in line and "64,006.00" in line and "MIXED" in line
        assert "3.0000" in line and "n+2.00" in line, "fees summed, the result net of them"
        table.select("order 700")
        await at.press("enter")
        assert set(table._keys) == {"order 700", "a", "b", "z"} and table.selected == "order 700"
        assert "▾2" in at.text()
        await at.press("enter")
        assert set(table._keys) == {"order 700", "z"}


@pytest.mark.parametrize("order", ["800", "700", ""])
async def test_a_second_fill_with_the_same_id_has_its_own_row(order: str) -> None:
    """The engine names it by its id and a hash: a row found by the id alone was the earlier fill once more."""
    async with desk(160, 45, filled=False) as at:
        at.port.set_desk(synced=True)
        fill(at, "1", order="700" if order else "", price="64000")
        await at.settle()
        again = msgspec.structs.replace(at.app.mirror.fills["1"].record, order_id=order, price="65000")
        at.port.put(Table.FILLS, "1/ab", Fact(again, at.port.stamp()))
        at.app.main_screen.show_pane("fills")
        await at.settle()
        table = at.app.main_screen.tables["fills"]
        if order == "700":
            table.select("order 700")
            await at.press("enter")
        assert set(table._keys) - {"order 700"} == {"1", "1/ab"}
        assert "64,000" in at.line_of("fills", "64,000") and "65,000" in at.line_of("fills", "65,000")
        assert table.pane.copy_text("1/ab") == "1"


async def test_fills_that_do_not_sum_to_the_executed_size_are_marked() -> None:
    async with desk(120, 36, filled=False) as at:
        at.port.set_desk(synced=True)
        at.port.order("c1", BTC, "BUY", "64000", "1", executed="1.0", position_side="LONG")
        fill(at, "a", client_order_id="c1", quantity="0.4")
        fill(at, "b", client_order_id="c1", quantity="0.5")
        at.app.main_screen.show_pane("fills")
        await at.settle()
        assert "≠0.9" in at.line_of("fills", "▸2")


async def test_fill_row_shows_slippage_and_latency_of_its_order() -> None:
    async with desk(120, 36, filled=False) as at:
        at.port.set_desk(synced=True)
        at.port.order("c1", BTC, "BUY", "64000", "1", arrival_mid="63968", reply_ms=8.4, push_ms=11.6)
        fill(at, "a", client_order_id="c1", price="64000")
        at.app.main_screen.show_pane("fills")
        await at.settle()
        line = at.line_of("fills", "64,000")
        assert "+5.0bp" in line and "8/12ms" in line


# Assets


def test_asset_row_says_why_less_can_be_transferred_than_held() -> None:
    row = AssetRecord(coin="USDT", exchange_type="OKX", balance="10", available="10", max_transferable="4")
    assert asset_cells.gap_reason(row) == "margin"
    assert asset_cells.gap_reason(msgspec.structs.replace(row, debt="2")) == "debt"
    assert asset_cells.gap_reason(msgspec.structs.replace(row, frozen="2")) == "orders"
    assert asset_cells.gap_reason(msgspec.structs.replace(row, max_transferable="10")) == ""


async def test_the_assets_pane_counts_a_loan_as_owed_at_80_columns() -> None:
    for width, height in ((80, 24), (120, 36)):
        async with desk(width, height) as at:
            eth = AssetRecord(
                coin="ETH", exchange_type="BINANCE", balance="2", equity_value="6000", debt="0.5", loan="1.25"
            )
            at.port.put(Table.ASSETS, "BINANCE/ETH", Fact(eth, at.port.stamp()))
            await at.settle()
            await at.press("4", "0")
            assert "owed" in at.lines_of("assets")[1]
            assert "1.75" in at.line_of("assets", "ETH")


@pytest.mark.parametrize(
    ("coin", "cost", "shown"),
    [("ETH", "0.00001669992", "~0.0000167"), ("BTC", "0.00000135", "~0.00000135"), ("ETH", "12.3456789", "~12.345679"),
     ("USDT", "0.004", "~0.004"), ("USDT", "1.239", "~1.24")],
)  # fmt: skip
async def test_loan_interest_a_day_is_rounded_to_readable_decimals(
    coin: str, cost: str, shown: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(asset_cells, "interest_of", lambda row, view: Decimal(cost))
    async with desk() as at:
        fact = Fact(AssetRecord(coin=coin, exchange_type="BINANCE", balance="0"), at.port.stamp())
        assert asset_cells.interest(fact, at.app.view) == (shown, "warn")


async def test_assets_pane_hides_dust_but_never_debts() -> None:
    async with desk(160, 45) as at:
        for coin, worth, debt in (("AAA", "0.5", "0"), ("BBB", "0.5", "3"), ("CCC", "", "0")):
            row = AssetRecord(
                coin=coin, exchange_type="OKX", balance="1", equity_value=worth, margin_value="0", debt=debt
            )
            at.port.put(Table.ASSETS, f"OKX/{coin}", Fact(row, at.port.stamp()))
        await at.settle()
        found = at.app.main_screen.tables["assets"]._keys
        assert "OKX/AAA" not in found and {"OKX/BBB", "OKX/CCC"} <= set(found)
        counts = "".join(text for text, _ in at.app.main_screen.tables["assets"].pane.counts())
        assert "1 dust" in counts and "1 unvalued" in counts


async def test_totals_of_positions_are_redrawn_with_each_price(monkeypatch: pytest.MonkeyPatch) -> None:
    """They were drawn every second, the rows with every price: the figures did not add up."""
    async with desk(160, 45) as at:
        table = at.app.main_screen.tables["positions"]
        drawn: list[int] = []
        monkeypatch.setattr(table, "redraw", drawn.extend)
        await at.settle()
        drawn.clear()
        at.port.quote(BTC, "64051.0", "64051.2", mark="64051.0")
        await at.settle()
        assert table.totals and HEAD in drawn and HEAD + table.body_height in drawn


async def test_pnl_tab_and_title_mark_an_incomplete_day_with_a_tilde() -> None:
    async with desk(160, 45) as at:
        await at.settle()
        [day] = re.findall(r"day (\S+)", at.text())
        [tab] = re.findall(r"P&L (\S+)", at.text())
        assert day.startswith("~") and tab == day
