"""The first day of a desk in virtual time; run as a program it prints the trace's hash."""

from __future__ import annotations

import json
import sys
from typing import Any

from tests.simulation.harness.network import Wire
from tests.simulation.harness.stack import Stack
from tui.engine.intents import Verdict
from tui.engine.modes import TradingState
from tui.engine.rows import LocalOrderState, PendingAction
from tui.interface.families.orders import Side

SYM = "BINANCE_PERP_BTC_USDT"
STILL = (("latency", "test"), ("agents", "still"))


def first_day(seed: int) -> dict[str, Any]:
    """Place, partial fill, a cut with an order in flight (UNKNOWN, then resolved), cancel. What happened is the answer."""
    stack = Stack(seed, *STILL)
    seen: dict[str, Any] = {}

    async def scenario() -> None:
        stack.engine.watch((SYM,))
        await stack.until(lambda: stack.mirror.engine_status is not None and stack.mirror.engine_status.synced)
        quote = await stack.quote(SYM)
        stack.engine.set_trading_state(TradingState.ARMED)
        seen["armed"] = stack.engine.state.trading.own.state

        touch = stack.exchange.queries.quote(SYM)
        assert touch is not None
        partly = await stack.place(SYM, Side.BUY, _more(touch.ask_qty), quote.ask)
        seen["partly"] = partly
        row = await stack.shows(partly.key, "PARTIALLY_FILLED")
        seen["executed"], seen["touch"] = row.executed, touch.ask_qty
        seen["position"] = [fact.record.position_qty for fact in stack.mirror.positions.values()]

        await _cut_with_an_order_in_flight(stack, seen, quote.bid)

        cancelled = await stack.cancel(partly.key)
        seen["cancel"] = cancelled
        end = await stack.shows(partly.key, "CANCELLED")
        seen["kept"] = end.executed
        await stack.cancel(seen["lost"].key)
        await stack.shows(seen["lost"].key, "CANCELLED")
        seen["working"] = [order.key for order in stack.mirror.working()]
        seen["at_venue"] = len(stack.exchange.queries.open_orders(stack.portfolio))

    stack.run(scenario)
    seen["digest"] = stack.trace.digest
    seen["lines"] = len(stack.trace.lines)
    seen["journal"] = [entry.kind for entry in stack.journal.lines if entry.kind in ("intent", "sent")]
    return seen


async def _cut_with_an_order_in_flight(stack: Stack, seen: dict[str, Any], bid: str) -> None:
    """The venue takes the order; its reply dies with the connection."""

    def cut(wire: Wire, direction: str, data: bytes) -> None:
        if direction == "in" and b'"event":"place_order"' in data:
            wire.reset()
            stack.network.taps.remove(cut)

    stack.network.taps.append(cut)
    price = str(round(float(bid) - 100, 1))
    lost = await stack.place(SYM, Side.BUY, "0.010", price)
    seen["lost"] = lost
    row = await stack.shows(lost.key, LocalOrderState.UNKNOWN)
    seen["unknown"] = (row.state, row.final)
    found = await stack.shows(lost.key, "OPEN")
    seen["found"] = (found.state, found.order_id != "", found.overlay is PendingAction.NOTHING)
    orders = [
        order for order in stack.exchange.queries.open_orders(stack.portfolio) if order.client_order_id == lost.key
    ]
    seen["copies_at_venue"] = len(orders)


def _more(quantity: str) -> str:
    """A little more than what is displayed."""
    from decimal import Decimal

    return str(Decimal(quantity) + Decimal("0.005"))


def checked(seen: dict[str, Any]) -> None:
    """What must be true of a first day."""
    assert seen["partly"].verdict is Verdict.ACCEPTED, seen["partly"]
    assert seen["executed"] == seen["touch"]
    assert seen["position"] == [seen["touch"]]
    assert seen["lost"].verdict is Verdict.UNKNOWN, seen["lost"]
    assert seen["unknown"] == (LocalOrderState.UNKNOWN, False)
    assert seen["found"] == ("OPEN", True, True)
    assert seen["copies_at_venue"] == 1
    assert seen["cancel"].verdict is Verdict.ACCEPTED
    assert seen["kept"] == seen["touch"]
    assert seen["working"] == []
    assert seen["at_venue"] == 0
    assert seen["lines"] > 100


if __name__ == "__main__":
    result = first_day(int(sys.argv[1]))
    print(json.dumps({"digest": result["digest"], "lines": result["lines"]}))
