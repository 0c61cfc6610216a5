"""The oracle: the venue's own record of orders before and after an attempt, compared with what was meant."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from decimal import Decimal

import msgspec

from tests.accidents.attempt import Finding, Meaning, MeantOrder

ELSEWHERE = "elsewhere"
"""How client order ids of orders begin that another client placed during an attempt."""
OPEN_STATES = frozenset(["NEW", "OPEN", "PARTIALLY_FILLED", "PENDING_NEW", "PENDING_CANCEL", "PENDING_REPLACE"])


class VenueOrder(msgspec.Struct, frozen=True, kw_only=True):
    """An order as the venue lists it."""

    order_id: str
    sym: str
    side: str
    order_type: str
    qty: str
    price: str
    state: str
    cancel_type: str = ""
    client_id: str = ""

    def __str__(self) -> str:
        return f"{self.side} {self.qty} {self.sym} {self.order_type} {self.price} {self.state}"


class VenueRecord(msgspec.Struct, frozen=True, kw_only=True):
    """Everything at the venue that a press may change."""

    orders: Mapping[str, VenueOrder]
    algos: Mapping[str, str]
    """Open algo orders with their triggers, as one text each."""
    money: tuple[str, ...] = ()
    """Transfers, loans and settings so far, one text each."""


def judge(before: VenueRecord, after: VenueRecord, meaning: Meaning, names: Mapping[str, str], keys: int) -> Finding:
    """Compare two records.

    Args:
        before: As it was.
        after: As it is.
        meaning: What may and must have changed.
        names: Ids of the resting orders of the scene, by name.
        keys: Keys of a calm way that were pressed.
    """
    unmeant: list[str] = []
    new = [
        order
        for key, order in after.orders.items()
        if key not in before.orders and not order.client_id.startswith(ELSEWHERE)
    ]
    left = list(meaning.orders)
    for order in new:
        match = next((meant for meant in left if _is_meant(order, meant)), None)
        if match is None:
            unmeant.append(f"new order {order}")
        else:
            left.remove(match)
    cancels = _ids(meaning.cancels, names, before)
    replaces = _ids(meaning.replaces, names, before)
    for key, was in before.orders.items():
        now = after.orders.get(key)
        if now is None or was.state not in OPEN_STATES:
            continue
        if now.state == "CANCELLED" and now.cancel_type in ("", "USER") and key not in cancels:
            unmeant.append(f"cancelled {was}")
        if (now.qty, now.price) != (was.qty, was.price) and key not in replaces:
            unmeant.append(f"replaced {was} by {now}")
    changed = [key for key, text in after.algos.items() if before.algos.get(key) != text]
    if len(changed) > meaning.algos:
        unmeant.append(f"{len(changed)} algo orders placed or changed")
    unmeant += [f"money or setting: {text}" for text in after.money[len(before.money) :]]
    lost: list[str] = []
    if meaning.must:
        lost = _lost(before, after, meaning, left, len(changed), keys, cancels)
    return Finding(unmeant=tuple(unmeant), lost=tuple(lost), keys=keys, sent=len(new))


def _is_meant(order: VenueOrder, meant: MeantOrder) -> bool:
    return (
        (order.sym, order.side) == (meant.sym, meant.side)
        and (not meant.qty or Decimal(order.qty) == Decimal(meant.qty))
        and meant.order_type in ("", order.order_type)
        and (not meant.prices or meant.away != any(Decimal(order.price) == Decimal(price) for price in meant.prices))
    )


def _ids(wanted: Sequence[str], names: Mapping[str, str], before: VenueRecord) -> set[str]:
    return set(before.orders) if "*" in wanted else {names[name] for name in wanted}


def _lost(
    before: VenueRecord,
    after: VenueRecord,
    meaning: Meaning,
    left: Sequence[MeantOrder],
    algos: int,
    keys: int,
    cancels: set[str],
) -> list[str]:
    lost = [f"not placed: {meant}" for meant in left]
    lost += [
        f"not cancelled: {order}"
        for key, order in after.orders.items()
        if key in cancels and key in before.orders and order.state in OPEN_STATES
    ]
    if algos < meaning.algos:
        lost.append("the algo order was not placed")
    if meaning.most_keys and keys > meaning.most_keys:
        lost.append(f"took {keys} keys, at most {meaning.most_keys} are needed")
    return lost
