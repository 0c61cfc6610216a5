"""Live orders and positions, grouped by what a kill does to them; for the kill prompt and the quit question."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import msgspec

from tui.engine.rows import AlgoRow, OrderRow
from tui.engine.state.closing_orders import (
    Owner,
    closing_size,
    compute_clipped_size,
    compute_covered_size,
    find_owner,
    find_parent,
    list_algo_triggers,
    list_protecting,
    list_stops,
    order_only_closes,
    reduces_leg,
    sort_triggers,
)
from tui.interface.families.assets import AssetRecord
from tui.interface.families.positions import PositionRecord
from tui.interface.figures import size_of
from tui.interface.text import how_many
from tui.workstation.model.account_risk import sum_debts
from tui.workstation.model.algo_figures import describe_triggers, mark_size, name_protection, why_unknown
from tui.workstation.model.display_context import DisplayContext
from tui.workstation.model.instruments import full_name
from tui.workstation.model.mirror import Mirror
from tui.workstation.model.position_metrics import name_leg
from tui.workstation.widgets.question import order_count_text

MOST_NAMED = 4
"""Most orders or legs that a line lists; further ones are counted."""
FEW_NAMED = 1
"""The same where the whole box has no room."""
STOPS_UNKNOWN = "stops not known now"


class LivePlan(msgspec.Struct, frozen=True, kw_only=True):
    """Live orders split into entries and those that can only close, with open positions and borrowed coins."""

    entries: list[OrderRow]
    """Working orders that can open a position, or whose leg is not open or smaller."""
    closing: list[OrderRow]
    """Working orders that can only reduce an open leg, and are no larger than it."""
    entry_algos: list[AlgoRow]
    closing_algos: list[AlgoRow]
    attached: list[AlgoRow]
    """Algo orders of entries without a fill, which end with them."""
    legs: list[PositionRecord]
    naked: list[PositionRecord]
    """Legs without a stop at the venue."""
    half_naked: list[PositionRecord]
    """Legs whose stops close less than the whole."""
    owed: list[AssetRecord] = []
    """Borrowed coins, by venue."""
    taken_back: list[OrderRow] = []
    """Orders of programs that are cancelled because their mandates end with this desk."""

    @property
    def orders(self) -> list[OrderRow]:
        """All working orders."""
        return [*self.entries, *self.closing]

    @property
    def opening(self) -> list[OrderRow]:
        """Working orders that can open a position."""
        return [
            order
            for order in self.entries
            if not order_only_closes(order.sym, order.side, order.position_side, reduce_only=order.reduce_only)
        ]

    @property
    def algos(self) -> list[AlgoRow]:
        """All open algo orders."""
        return [*self.entry_algos, *self.closing_algos, *self.attached]

    @property
    def live_count(self) -> int:
        """Number of orders and algo orders that stay live at the venue."""
        return len(self.orders) + len(self.algos)

    @property
    def is_empty(self) -> bool:
        """Whether there is no live order, no open position and no borrowed coin."""
        return not (self.live_count or self.legs or self.owed or self.taken_back)


def read_plan(mirror: Mirror, *, quits: bool = False) -> LivePlan:
    """Split the known live orders into entries and closing orders, as the engine does when it cancels.

    Args:
        mirror: Known orders and positions.
        quits: Whether this desk ends, and with it the mandates of programs if it holds the account.
    """
    # One whose last answer is missing may have filled: then nothing of it is left at the venue.
    orders = [order for order in mirror.working() if not (quits and order.is_filled)]
    algos, owned = list(mirror.algos.values()), sort_by_owner(mirror)
    closing = [order for order in orders if reduces_leg(order, mirror.positions)]
    taken_back = [order for order in orders if order not in closing and order.peer in _ending(mirror)] if quits else []
    orders = [order for order in orders if order not in taken_back]
    legs = [fact.record for fact in mirror.positions.values() if size_of(fact.record)]
    places = {row.key: place for place, row in enumerate(row for leg in legs for row in list_protecting(leg, algos))}
    closing_algos = sorted(owned[Owner.POSITION], key=lambda row: places.get(row.key, len(places)))
    return LivePlan(
        entries=[order for order in orders if order not in closing],
        closing=closing,
        entry_algos=owned[Owner.NOBODY],
        closing_algos=closing_algos,
        attached=[row for row in owned[Owner.ENTRY] if find_parent(row, taken_back) is None],
        legs=legs,
        naked=[leg for leg in legs if not list_stops(leg, algos)],
        half_naked=[leg for leg in legs if compute_covered_size(leg, algos) is not None],
        owed=sorted(
            (fact.record for fact in mirror.assets.values() if sum_debts(fact.record)),
            key=lambda record: (record.exchange_type, record.coin),
        ),
        taken_back=taken_back,
    )


def sort_by_owner(mirror: Mirror) -> dict[Owner, list[AlgoRow]]:
    """Group the open algo orders by what ends them: a position, an entry order without a fill, or nothing."""
    working, owned = mirror.working(), {owner: list[AlgoRow]() for owner in Owner}
    for row in mirror.algos.values():
        owned[find_owner(row, mirror.positions, working)].append(row)
    return owned


def _ending(mirror: Mirror) -> set[str]:
    """Return the programs whose mandates end when this desk ends; none if another desk holds the account."""
    status = mirror.engine_status
    if status is not None and status.own_name:  # attached: the desk that holds the account goes on
        return set()
    return {row.peer for row in mirror.mandates.values() if row.granted}


def describe_count(orders: list[OrderRow], algos: list[AlgoRow]) -> str:
    """Count orders and algo orders, such as `2 orders, 1 algo order`; a zero is left out unless both are zero."""
    if not algos:
        return order_count_text(orders)
    conditional = how_many(len(algos), "algo order")
    return f"{order_count_text(orders)}, {conditional}" if orders else conditional


def describe_bare(legs: list[PositionRecord], view: DisplayContext) -> str:
    """Name the positions that a cancel leaves without a stop, as the end of a line; empty if there are none."""
    return f"; without a stop then: {describe_legs(legs, view)}" if legs else ""


def find_unprotected_legs(rows: list[AlgoRow], mirror: Mirror) -> list[PositionRecord]:
    """Return the positions that have a stop now, but would have none once these algo orders are cancelled."""
    cancelled = {row.key for row in rows}
    legs = [fact.record for fact in mirror.positions.values() if size_of(fact.record)]
    return [
        leg
        for leg in legs
        if (stops := list_stops(leg, mirror.algos.values())) and all(stop.key in cancelled for stop in stops)
    ]


def describe_legs(legs: list[PositionRecord], view: DisplayContext, most: int = MOST_NAMED) -> str:
    """Name positions with their sizes: `BINANCE BTC perp LONG 0.070`."""
    return _enumerate((name_leg(leg, view) for leg in legs), most)


def describe_closing(plan: LivePlan, view: DisplayContext) -> str:
    """Name the orders that can only close: `SL 58,000.0, sell 0.004 @ 62,000.0 of BINANCE BTC perp`."""
    algos = ((_name_algo(row, view), row.record.sym) for row in plan.closing_algos)
    return _enumerate_by_pair([*algos, *((_name_order(order, view), order.sym) for order in plan.closing)])


def describe_larger(plan: LivePlan, view: DisplayContext) -> str:
    """Name the entry orders that are close-only but larger than their position."""
    larger = [order for order in plan.entries if compute_clipped_size(order, view.mirror.positions) is not None]
    return name_closing_orders(larger, view)


def describe_entries(plan: LivePlan, view: DisplayContext) -> str:
    """Count the entries that a cancel would cancel, and name the close-only ones that are larger than their position."""
    count, larger = describe_count(plan.entries, plan.entry_algos), describe_larger(plan, view)
    return f"{count}, with what is larger than its position: {larger}" if larger else count


def describe_effect(plan: LivePlan, view: DisplayContext) -> str:
    """Describe which attached stops end and which closing orders are kept when entries are cancelled; empty if none."""
    closing = describe_closing(plan, view)
    return describe_attached(plan.attached, view) + (f"; keep closing orders: {closing}" if closing else "")


def count_cancelled_and_kept(plan: LivePlan) -> str:
    """Count the orders that a cancel of the entries cancels, ends and keeps, for where there is no room for names."""
    texts = [describe_count(plan.entries, plan.entry_algos)]
    texts += [f"their stops and targets end: {len(plan.attached)}"] if plan.attached else []
    texts += [f"keep {count_closing(plan)}"] if plan.closing or plan.closing_algos else []
    return "; ".join(texts)


def count_closing(plan: LivePlan) -> str:
    """Count the orders that can only close: `1 order, 2 algo orders that close`."""
    count = len(plan.closing) + len(plan.closing_algos)
    return f"{describe_count(plan.closing, plan.closing_algos)} that close{'s' if count == 1 else ''}"


def describe_attached(rows: list[AlgoRow], view: DisplayContext) -> str:
    """Name the stops and targets that end with their entries, as the end of a line; empty if there are none."""
    names = _enumerate_by_pair([(_name_algo(row, view), row.record.sym) for row in rows])
    return f"; attached stops and targets end: {names}" if rows else ""


def list_attached(orders: Iterable[OrderRow], mirror: Mirror) -> list[AlgoRow]:
    """List the stops and targets that end with these orders, if they are cancelled before a fill."""
    ended = list(orders)
    return [row for row in sort_by_owner(mirror)[Owner.ENTRY] if find_parent(row, ended) is not None]


def count_spared(sym: str, ending: list[AlgoRow], mirror: Mirror) -> list[str]:
    """Return how many algo orders of a pair stay when all its orders of one side are cancelled, by kind."""
    # The list may still show those that have ended with their orders.
    owned, gone = sort_by_owner(mirror), {row.key for row in ending}
    counts = {
        owner: sum(1 for row in rows if row.record.sym == sym and row.key not in gone) for owner, rows in owned.items()
    }
    exits = counts[Owner.POSITION] + counts[Owner.ENTRY]
    kinds = (("stops and targets", exits), ("algo orders that can open a position", counts[Owner.NOBODY]))
    return [f"{kind} stay: {count}" for kind, count in kinds if count]


def _name_algo(row: AlgoRow, view: DisplayContext) -> str:
    return f"{describe_triggers(row, view) or 'algo order'}{_describe_part(row, view)}"


def name_closing_orders(orders: list[OrderRow], view: DisplayContext) -> str:
    """Name orders that can only close: `sell 0.004 @ 62,000.0 of BINANCE BTC perp`."""
    return _enumerate_by_pair([(_name_order(order, view), order.sym) for order in orders])


def _name_order(order: OrderRow, view: DisplayContext) -> str:
    at = f"{mark_size(order, view)} @ {view.price(order.sym, order.price)}"
    return f"{order.side.lower()} {at}"


def describe_protection(
    legs: list[PositionRecord], mirror: Mirror, view: DisplayContext, most: int = MOST_NAMED
) -> str:
    """Name positions with what protects them at the venue: `BINANCE BTC perp LONG 0.070 (SL 58,000.0 TP 63,000.0)`."""
    return _enumerate((f"{describe_legs([leg], view)} ({_describe_exits(leg, mirror, view)})" for leg in legs), most)


def _describe_exits(leg: PositionRecord, mirror: Mirror, view: DisplayContext) -> str:
    """Name stops and targets of a position; if the list cannot be read now, those last read, or that they are unknown."""
    triggers = list(list_algo_triggers(leg, mirror.algos.values()))
    if not why_unknown(mirror):
        return name_protection(leg, sort_triggers(leg, triggers), view)
    named = f"last read: {name_protection(leg, sort_triggers(leg, triggers), view)}" if triggers else ""
    return named or STOPS_UNKNOWN


def describe_unprotected(legs: list[PositionRecord], view: DisplayContext, most: int) -> str:
    """Name positions without a stop; if the list cannot be read now, as positions whose stops are not known."""
    return f"{STOPS_UNKNOWN if why_unknown(view.mirror) else 'no stop now'}: {describe_legs(legs, view, most)}"


def describe_debts(owed: list[AssetRecord], view: DisplayContext, most: int = MOST_NAMED) -> str:
    """Name borrowed coins, whose interest runs on whatever is cancelled or closed; empty if there are none."""
    return _enumerate((name_debt(record, view) for record in owed), most)


def name_debt(record: AssetRecord, view: DisplayContext) -> str:
    """Name what is owed of a coin: `0.5 BTC on BINANCE`."""
    owed = view.amount(sum_debts(record), None)
    return f"{owed} {record.coin} on {record.exchange_type}"


def _describe_part(row: AlgoRow, view: DisplayContext) -> str:
    """Write the size that an algo order closes, such as ` for 0.5`; empty for a whole position."""
    return "" if closing_size(row) is None else f" for {mark_size(row, view)}"


def _enumerate_by_pair(named: Sequence[tuple[str, str]]) -> str:
    """Join names for a sentence, each with `of` its pair; neighbours of the same pair share it."""
    shown, more = named[:MOST_NAMED], len(named) - MOST_NAMED
    texts = [
        what if any(sym == behind for _, behind in shown[at : at + 1]) else f"{what} of {full_name(sym)}"
        for at, (what, sym) in enumerate(shown, 1)
    ]
    return ", ".join(texts) + (f" and {more} more" if more > 0 else "")


def _enumerate(names: Iterable[str], most: int) -> str:
    """Join names for a sentence; beyond `most`, count the rest."""
    listed = list(names)
    more = len(listed) - most
    return ", ".join(listed[:most]) + (f" and {more} more" if more > 0 else "")
