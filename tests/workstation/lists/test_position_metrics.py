"""What rows say of themselves: what is left to close of a leg, and the price of an order of the venue."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import msgspec
import pytest

from tests.engine.conftest import SYM
from tests.workstation.scripted import ScriptedClock, info
from tui.engine.conflating_queue import ConflatingQueue
from tui.engine.orders.exposure import compute_signed_base
from tui.engine.rows import Fact, OrderRow, QuoteRow, Source, Stamp, Table, TickerRow
from tui.engine.state.closing_orders import protects, reduces_leg
from tui.engine.state.facts import position_key
from tui.interface.families.algo import AlgoRecord
from tui.interface.families.assets import AssetRecord
from tui.interface.families.positions import AdlRank, LeverageRow, PositionRecord
from tui.interface.figures import leg_of, net_size_of, size_of
from tui.programs.records import read_position
from tui.workstation.command_line.grammar import syntax
from tui.workstation.features.adl import cells as adl_cells
from tui.workstation.features.adl.cells import AdlLine
from tui.workstation.features.alerts.figures import read_figure
from tui.workstation.features.leverage.forecast import leverage_of
from tui.workstation.features.liquidation.course import net_of
from tui.workstation.features.orders import cells as order_cells
from tui.workstation.features.positions import cells as position_cells
from tui.workstation.features.positions.pane import MANY, SUM_S, PositionsPane
from tui.workstation.model import account_snapshot, position_metrics
from tui.workstation.model.algo_figures import reference_price
from tui.workstation.model.display_context import DisplayContext, Valuation
from tui.workstation.model.mirror import Mirror
from tui.workstation.model.position_metrics import closable, mark_of
from tui.workstation.settings import WorkstationSettings
from tui.workstation.tickets.order import ticket_factory
from tui.workstation.tickets.order.algo_subject import subject_of_leg
from tui.workstation.tickets.order.position import explain_nothing_to_close, find_position_size

STAMP = Stamp("7001", 1, 0, Source.PUSH, 0.0)


@pytest.mark.parametrize(
    ("leg", "qty", "order", "left"),
    [
        ("NONE", "0.5", {"side": "SELL", "reduce_only": True}, "0.2"),
        ("NONE", "-0.5", {"side": "BUY", "reduce_only": True}, "0.2"),
        ("NET", "-0.5", {"side": "BUY", "reduce_only": True}, "0.2"),
        ("", "0.5", {"side": "SELL", "reduce_only": True, "position_side": ""}, "0.2"),
        ("NET", "0.5", {"side": "SELL", "reduce_only": True, "position_side": "LONG"}, "0.5"),
        ("NONE", "0.5", {"side": "SELL"}, "0.5"),
        ("NONE", "0.5", {"side": "BUY", "reduce_only": True}, "0.5"),
        ("LONG", "0.5", {"side": "SELL", "position_side": "LONG"}, "0.2"),
        ("LONG", "0.5", {"side": "BUY", "position_side": "SHORT"}, "0.5"),
        ("SHORT", "0.3", {"side": "BUY", "position_side": "SHORT"}, "0"),
        ("NONE", "0.5", {"side": "SELL", "reduce_only": True, "final": True, "state": "CANCELLED"}, "0.5"),
    ],
)
def test_pending_close_orders_reduce_the_closable_size(leg: str, qty: str, order: dict[str, Any], left: str) -> None:
    updates, clock = ConflatingQueue(), ScriptedClock()
    mirror = Mirror(clock)
    row = {"qty": "0.4", "executed": "0.1", "position_side": "NONE", "state": "OPEN", **order}
    updates.put(Table.ORDERS, "c", OrderRow(key="c", client_order_id="c", sym=SYM, stamp=STAMP, **row))
    mirror.apply(updates.take())
    record = PositionRecord(portfolio_id="7001", sym=SYM, position_side=leg, position_qty=qty)
    assert closable(record, mirror) == Decimal(left)


@pytest.mark.parametrize("side", ["NONE", "NET", ""])
def test_a_one_way_adl_rank_shows_the_side_of_its_position(side: str) -> None:
    rank = Fact(AdlRank(sym=SYM, position_side=side, adl_rank="3"), STAMP)
    line = AdlLine(rank, PositionRecord(sym=SYM, position_side="NONE", position_qty="-0.5"))
    assert adl_cells.leg(line)[0] == "BINANCE BTC S"


def test_a_price_of_zero_counts_as_missing_in_computed_prices() -> None:
    """An empty side is sent as 0: half the other side was the price from which a stop in per cent was measured."""
    updates, clock = ConflatingQueue(), ScriptedClock()
    mirror = Mirror(clock)
    updates.put(Table.QUOTES, SYM, QuoteRow(sym=SYM, bid="0", ask="64000", mark="0"))
    updates.put(Table.TICKERS, SYM, TickerRow(sym=SYM, last="0"))
    mirror.apply(updates.take())
    assert [reference_price(mirror, SYM, source) for source in ("LAST_PRICE", "MARK_PRICE")] == [None, None]
    assert account_snapshot.mark_of(mirror, SYM) is None
    view = DisplayContext(mirror, clock, WorkstationSettings())
    assert mark_of(PositionRecord(sym=SYM, position_qty="1", mark_price="63999"), view) == "63999"
    order = OrderRow(key="c", client_order_id="c", sym=SYM, side="BUY", price="63000", state="OPEN", stamp=STAMP)
    assert order_cells.by_distance(order, view) is None


@pytest.mark.parametrize(
    ("origin", "average", "shown"),
    [("SYSTEM_LIQ", "58770.5", "58770.5"), ("SYSTEM_LIQ", "0", "57000"), ("DMA", "58770.5", "57000")],
)
def test_liquidation_order_shows_its_fill_price(origin: str, average: str, shown: str) -> None:
    clock = ScriptedClock()
    view = DisplayContext(Mirror(clock), clock, WorkstationSettings())
    row = OrderRow(
        key="c", client_order_id="", sym=SYM, side="SELL", state="FILLED", price="57000", average=average,
        origin=origin, order_type="LIMIT", stamp=STAMP,
    )  # fmt: skip
    assert order_cells.price(row, view)[0].replace(",", "") == shown


def test_sums_of_many_positions_are_recomputed_at_intervals() -> None:
    updates, clock = ConflatingQueue(), ScriptedClock()
    mirror = Mirror(clock)
    view = DisplayContext(mirror, clock, WorkstationSettings())
    view.result = Valuation.LAST
    pane = PositionsPane(view)

    def hold(number: int, mark: str) -> None:
        sym = f"BINANCE_PERP_C{number:03d}_USDT"
        record = PositionRecord(sym=sym, position_qty="1", avg_price="10", mark_price=mark)
        updates.put(Table.SYMBOLS, sym, info(sym, "0.1", "1"))
        updates.put(Table.POSITIONS, sym, Fact(record, STAMP))
        updates.put(Table.TICKERS, sym, TickerRow(sym=sym, last=mark))

    for number in range(MANY):
        hold(number, "10")
    mirror.apply(updates.take())
    before = pane.counts()
    updates.put(Table.TICKERS, "BINANCE_PERP_C000_USDT", TickerRow(sym="BINANCE_PERP_C000_USDT", last="20"))
    mirror.apply(updates.take())
    assert pane.counts() == before, "each price would add up all positions"
    clock.pass_by(SUM_S)
    assert pane.counts() != before
    hold(MANY, "10")
    mirror.apply(updates.take())
    assert pane.counts()[0][0] == str(MANY + 1), "a position counts at once"


@pytest.mark.parametrize(
    ("coins", "shown"),
    [
        ({"balance": "2", "equity": "2"}, "net BTC +2.5 (coins +2)"),
        ({"balance": "0", "equity": "0"}, "net BTC +0.5"),
        ({"balance": "2", "equity": "2", "loan": "0.5"}, "net BTC +2 (coins +1.5)"),
        ({"balance": "2", "equity": "2", "loan": "0.5", "net_equity": "1.4"}, "net BTC +1.9 (coins +1.4)"),
        ({"balance": "2", "equity": "0", "debt": "2"}, "net BTC +0.5"),
    ],
    ids=["coins", "none", "loan", "net of the service", "all of it borrowed on margin"],
)
def test_the_net_position_of_a_coin_names_the_coins_counted_in(coins: dict[str, str], shown: str) -> None:
    """It read as the size of the positions, and counted borrowed coins."""
    updates, clock = ConflatingQueue(), ScriptedClock()
    mirror = Mirror(clock)
    record = PositionRecord(sym=SYM, position_qty="0.5", position_side="NONE", avg_price="60000")
    updates.put(Table.SYMBOLS, SYM, info(SYM, "0.1", "0.001"))
    updates.put(Table.POSITIONS, f"{SYM}/NONE", Fact(record, STAMP))
    asset = AssetRecord(coin="BTC", exchange_type="BINANCE", **coins)
    updates.put(Table.ASSETS, "BINANCE/BTC", Fact(asset, STAMP))
    mirror.apply(updates.take())
    pane = PositionsPane(DisplayContext(mirror, clock, WorkstationSettings()))
    assert "".join(text for text, _ in pane.counts()).endswith(f" · {shown}")


def test_open_result_and_its_alert_follow_the_position_push() -> None:
    """A public mark may be of any age; the result, the alert on it and the rate are of the same push."""
    updates, clock = ConflatingQueue(), ScriptedClock()
    mirror = Mirror(clock)
    view = DisplayContext(mirror, clock, WorkstationSettings())
    updates.put(Table.QUOTES, SYM, QuoteRow(sym=SYM, bid="60299", ask="60301", mark="60300", received=clock.mono()))
    shown = []
    for result, rate in (("150", "0.025"), ("-2500", "-0.41")):
        record = PositionRecord(
            sym=SYM, position_qty="0.5", position_side="NONE", avg_price="60000", mark_price="60300",
            unrealized_pnl=result, unrealized_pnl_rate=rate,
        )  # fmt: skip
        updates.put(Table.POSITIONS, f"{SYM}/NONE", Fact(record, STAMP))
        mirror.apply(updates.take())
        row = PositionsPane(view).row(f"{SYM}/NONE")
        assert row is not None
        alert = read_figure(syntax.Test(sym=SYM, field="upnl"), view)
        shown.append((position_cells.result(row, view)[0], alert, position_cells.rate(row)[0]))
        clock.pass_by(600.0)
    assert shown == [("+150.00", Decimal(150), "+2.5%"), ("-2,500.00", Decimal(-2500), "-41.0%")]


def test_mark_value_and_result_of_a_position_come_from_one_push() -> None:
    """Between two pushes of a position the streamed mark had moved on: 2 of 60 pictures did not add up."""
    updates, clock = ConflatingQueue(), ScriptedClock()
    mirror = Mirror(clock)
    view = DisplayContext(mirror, clock, WorkstationSettings())
    record = PositionRecord(
        sym=SYM, position_qty="0.5", position_side="NONE", avg_price="60000", mark_price="60300", unrealized_pnl="150"
    )
    updates.put(Table.SYMBOLS, SYM, info(SYM, "0.1", "0.001"))
    updates.put(Table.POSITIONS, f"{SYM}/NONE", Fact(record, STAMP))
    updates.put(Table.QUOTES, SYM, QuoteRow(sym=SYM, bid="60399", ask="60401", mark="60400", received=clock.mono()))
    mirror.apply(updates.take())
    row = PositionsPane(view).row(f"{SYM}/NONE")
    assert row is not None
    mark, worth = position_cells.by_mark(row, view), position_cells.by_notional(row, view)
    assert (mark, worth, position_cells.by_result(row, view)) == (Decimal(60300), Decimal(30150), Decimal(150))
    assert position_cells.mark(row, view)[0] == "60,300.0"
    unmarked = Fact(msgspec.structs.replace(record, mark_price="0"), STAMP)
    assert position_cells.by_mark(unmarked, view) == Decimal(60400), "the streamed mark where the record has none"


@pytest.mark.parametrize(("of_position", "known"), [("", "20"), ("0", "20"), ("7", "7")])
def test_a_position_without_leverage_shows_that_set_for_its_pair(of_position: str, known: str) -> None:
    updates, mirror = ConflatingQueue(), Mirror(ScriptedClock())
    record = PositionRecord(sym=SYM, position_qty="0.5", position_side="NONE", leverage=of_position)
    updates.put(Table.POSITIONS, f"{SYM}/NONE", Fact(record, STAMP))
    updates.put(Table.LEVERAGES, SYM, LeverageRow(sym=SYM, leverage="20"))
    mirror.apply(updates.take())
    assert leverage_of(mirror, SYM) == known


@pytest.mark.parametrize(
    ("side", "qty", "leg", "signed"),
    [
        ("SHORT", "0.5", "SHORT", "-0.5"),
        ("SHORT", "-0.5", "SHORT", "-0.5"),
        ("LONG", "0.5", "LONG", "0.5"),
        ("NONE", "-0.5", "SHORT", "-0.5"),
        ("NET", "-0.5", "SHORT", "-0.5"),
        ("", "0.5", "LONG", "0.5"),
    ],
)
def test_all_code_reads_leg_and_sign_of_a_position_alike(side: str, qty: str, leg: str, signed: str) -> None:
    """Some services sign the size of a SHORT leg, and call one-way mode NET or nothing, of positions and of orders."""
    updates, mirror = ConflatingQueue(), Mirror(ScriptedClock())
    record = PositionRecord(sym=SYM, position_side=side, position_qty=qty, avg_price="60000", mark_price="60000")
    fact, key = Fact(record, STAMP), position_key(record)
    updates.put(Table.SYMBOLS, SYM, info(SYM, "0.1", "0.001"))
    updates.put(Table.POSITIONS, key, fact)
    mirror.apply(updates.take())
    view = DisplayContext(mirror, ScriptedClock(), WorkstationSettings())
    size, closes = Decimal(signed), "BUY" if leg == "SHORT" else "SELL"
    assert (leg_of(record), size_of(record), net_size_of(record)) == (leg, abs(size), size)
    assert position_metrics.base_delta(record, view) == compute_signed_base(record, Decimal(1)) == size
    assert net_of(mirror, "BTC") == size
    position = read_position(fact)
    assert (position.side, position.size) == (leg, size)
    hedged = side in ("LONG", "SHORT")
    for named in (side,) if hedged else ("NONE", "NET", ""):
        order = OrderRow(
            key="c", client_order_id="c", sym=SYM, side=closes, position_side=named, reduce_only=not hedged,
            state="OPEN", qty="0.5", stamp=STAMP,
        )  # fmt: skip
        assert reduces_leg(order, {key: fact})
        algo = AlgoRecord(
            algo_order_id="1", sym=SYM, side=closes, position_side=named, order_state="NEW", order_qty="0.5",
            condition_type="CONDITIONAL", reduce_only="true",
        )  # fmt: skip
        assert protects(algo, record)
    ticket = ticket_factory.flatten(record, view)
    assert not isinstance(ticket, str) and (ticket.side.value, ticket.qty, ticket.hedge) == (closes, "0.5", hedged)
    assert explain_nothing_to_close(ticket, view) == ""
    held = find_position_size(ticket, view)[0]
    assert held == (abs(size) if hedged else size)
    assert subject_of_leg(record, mirror, hedged=hedged).held == size
