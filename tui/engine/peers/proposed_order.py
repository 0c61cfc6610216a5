"""Content of a proposal: completed by what the desk knows, described, and compared with what the trader sends."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol

import msgspec

from tui.engine.intents import Cancel, Decision, Place, Replace
from tui.engine.orders.pre_trade_checks import touch_of
from tui.engine.state.engine_state import EngineState
from tui.engine.state.order_texts import size_text
from tui.engine.status_rows import ProposalRow, Proposed
from tui.interface import decimals
from tui.interface.families.orders import OrderType, PositionSide, Side, TimeInForce
from tui.interface.figures import name_side
from tui.rules import bands

MOST_SHOWN_S = 30.0
"""Longest time for which a proposal may stand in a ticket before it is sent, s."""
OfProposal = Place | Replace | Cancel
"""Intents that may be made from a proposal."""
_INTENTS: Mapping[Proposed, type[OfProposal]] = {
    Proposed.PLACE: Place, Proposed.CLOSE: Place, Proposed.REPLACE: Replace, Proposed.CANCEL: Cancel,
}  # fmt: skip
_WORDS = {Proposed.PLACE: "", Proposed.REPLACE: "replace to ", Proposed.CANCEL: "cancel ", Proposed.CLOSE: "close by "}
MOST_CLOCK_ERROR_S = 0.5
"""Most by which the clock of a window on another machine may be ahead, s."""
_Facts = tuple[tuple[str, object, object], ...]
"""Name of a field, its value in the intent, and in the proposal."""


class Terms(Protocol):
    """Terms of an order as a program gives them; without a price, a market order."""

    @property
    def sym(self) -> str: ...
    @property
    def side(self) -> str: ...
    @property
    def qty(self) -> str: ...
    @property
    def price(self) -> str: ...
    @property
    def time_in_force(self) -> str: ...
    @property
    def position_side(self) -> str: ...
    @property
    def reduce_only(self) -> bool: ...


def build_place(terms: Terms, decision: Decision, confirmed: frozenset[str] = frozenset()) -> Place:
    """Build a new order from these terms; `confirmed` names the questions of the gate that are already confirmed."""
    return Place(
        decision=decision, sym=terms.sym, side=Side(terms.side), qty=terms.qty, price=terms.price,
        order_type=OrderType.LIMIT if terms.price else OrderType.MARKET, time_in_force=TimeInForce(terms.time_in_force),
        position_side=PositionSide(terms.position_side), reduce_only=terms.reduce_only, confirmed=confirmed,
    )  # fmt: skip


def build_intent(row: ProposalRow, decision: Decision) -> OfProposal:
    """Build the order, replace or cancel that the trader would send by accepting a proposal."""
    if row.kind is Proposed.CANCEL:
        return Cancel(decision=decision, key=row.order)
    if row.kind is Proposed.REPLACE:
        return Replace(decision=decision, key=row.order, price=row.price, qty=row.qty)
    return build_place(row, decision)


def complete(row: ProposalRow, state: EngineState) -> ProposalRow | str:
    """Add to a proposal the figures of its order or position; return a reason if there is no such order or position."""
    if row.kind in (Proposed.REPLACE, Proposed.CANCEL):
        return _complete_change(row, state)
    if row.sym not in state.symbols:
        return f"pair {row.sym} is not known to the desk"
    return _complete_close(row, state) if row.kind is Proposed.CLOSE else row


def _complete_change(row: ProposalRow, state: EngineState) -> ProposalRow | str:
    order = state.orders.rows.get(row.order)
    if order is None or order.final:
        return f"order {row.order} has ended or is not known; accepted are keys of working orders"
    figures = {"qty": order.qty, "price": order.price} if row.kind is Proposed.CANCEL else {}
    return msgspec.structs.replace(
        row, sym=order.sym, side=order.side, position_side=name_side(order.position_side), reduce_only=order.reduce_only,
        **figures,
    )  # fmt: skip


def _complete_close(row: ProposalRow, state: EngineState) -> ProposalRow | str:
    fact = state.facts.positions.rows.get(f"{row.sym}/{row.position_side}")
    size = decimals.optional(fact.record.position_qty) if fact is not None else None
    if fact is None or not size:
        leg = "" if row.position_side == "NONE" else f" {row.position_side}"
        return f"there is no{leg} position in {row.sym}"
    long = size > 0 if row.position_side == "NONE" else row.position_side == "LONG"
    side = Side.SELL if long else Side.BUY
    qty = fact.record.position_qty.lstrip("-")
    return msgspec.structs.replace(row, side=side.value, qty=qty, reduce_only=row.position_side == "NONE")


def compare(row: ProposalRow, intent: OfProposal) -> str:
    """Describe how an intent differs from the proposal that the trader read; empty if it does not."""
    if not isinstance(intent, _INTENTS[row.kind]):
        return f"{type(intent).__name__.lower()} instead of {row.kind}"
    if isinstance(intent, Place):
        facts = _compare_order(row, intent)
    elif isinstance(intent, Replace):
        size, price = (decimals.optional(text) for text in (intent.qty, intent.price))
        facts = (
            ("order", intent.key, row.order), ("size", size, decimals.optional(row.qty)),
            ("price", price, decimals.optional(row.price)),
        )  # fmt: skip
    else:
        facts = (("order", intent.key, row.order),)
    return ", ".join(f"{name} {now} instead of {asked}" for name, now, asked in facts if now != asked)


def why_void(intent: OfProposal, state: EngineState) -> str:
    """Return why an accepted proposal may not be sent: shown for too long, or the price moved; empty if it may.

    The window judges the same by its own quotes; a cancel is sent by the line that accepts it.
    """
    if isinstance(intent, Cancel):
        return ""
    shown = intent.shown
    if shown is None:
        return "the window did not say when and at which price it was shown"
    stood = state.clock.mono() - shown.at
    if not -MOST_CLOCK_ERROR_S <= stood <= MOST_SHOWN_S:
        return f"it stood in the ticket for {stood:.0f} s; accepted are {MOST_SHOWN_S:g} s"
    before, now, sym, tick = decimals.optional(shown.touch), None, "", None
    if before is not None and (of := _pair_and_side(intent, state)) is not None:
        sym, now = of[0], touch_of(state.quotes.current(of[0])).across(of[1])
        tick = state.tick_of(sym)
    if before is None or now is None or tick is None:
        return ""
    limits = state.settings.limits.of(sym, intent.decision.peer)
    if not bands.is_far_move(before, now, tick=tick, far_ticks=limits.far_ticks, far_bp=limits.far_bp):
        return ""
    return f"the price moved from {decimals.plain(before)} to {decimals.plain(now)} while it stood in the ticket"


def _pair_and_side(intent: Place | Replace, state: EngineState) -> tuple[str, str] | None:
    """Return pair and side of a new order, or of the one that is replaced."""
    if isinstance(intent, Place):
        return intent.sym, intent.side
    row = state.orders.rows.get(intent.key)
    return None if row is None else (row.sym, row.side)


def _compare_order(row: ProposalRow, intent: Place) -> _Facts:
    market = intent.order_type is OrderType.MARKET
    return (
        ("pair", intent.sym, row.sym),
        ("side", intent.side.value, row.side),
        ("leg", intent.position_side.value, row.position_side),
        ("size", decimals.optional(intent.qty), decimals.optional(row.qty)),
        ("amount spent", intent.quote_qty, ""),
        ("price", None if market else decimals.optional(intent.price), decimals.optional(row.price)),
        ("time in force", "" if market else intent.time_in_force.value, row.time_in_force if row.price else ""),
        ("reduce-only", intent.reduce_only, row.reduce_only),
        ("protection", intent.take_profit or intent.stop_loss, None),
    )


def describe(row: ProposalRow) -> str:
    """Describe what a proposal asks for."""
    leg = f" {row.position_side}" if row.position_side not in ("", "NONE") else ""
    reduces = " reduce-only" if row.reduce_only and row.kind is not Proposed.CLOSE else ""
    return f"{_WORDS[row.kind]}{row.side}{leg} {size_text(row.sym, row.qty, row.price)}{reduces}"
