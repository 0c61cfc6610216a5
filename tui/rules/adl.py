"""Auto-deleveraging: scores, ranking and lights."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from decimal import ROUND_CEILING, Decimal
from typing import NamedTuple

from tui.interface.decimals import ZERO


class LeverageScore(NamedTuple):
    """Score by result share and effective leverage."""

    pnl_share: Decimal
    leverage: Decimal
    score: Decimal


class AdlCandidate(NamedTuple):
    """A position on one side of a pair; `quantity` above 0 in one unit for all."""

    id: str
    quantity: Decimal
    score: Decimal


class AdlPlace(NamedTuple):
    """A candidate with its rank."""

    id: str
    quantity: Decimal
    share: Decimal
    """Cumulative share of quantity, percent."""
    lights: int
    """5 is closed first, 1 last."""


def leverage_score(sign: int, entry: Decimal, mark: Decimal, bankrupt: Decimal | None) -> LeverageScore:
    """Score of the paper venue: result share times effective leverage in profit, divided by it in loss."""
    share = sign * (mark - entry) / entry
    room = sign * (mark - bankrupt) if bankrupt is not None else ZERO
    if bankrupt is None or not room:
        return LeverageScore(share, ZERO, ZERO)
    if room < 0:
        return LeverageScore(share, ZERO, min(share, ZERO))
    leverage = mark / room
    if share >= 0:
        return LeverageScore(share, leverage, share * leverage)
    return LeverageScore(share, leverage, share / leverage)


def rank(candidates: Iterable[AdlCandidate]) -> list[AdlPlace]:
    """Highest score first; ties by larger quantity, then smaller id. Lights by cumulative quantity in fifths."""
    ordered = sorted(candidates, key=lambda one: (-one.score, -one.quantity, one.id))
    total = sum((one.quantity for one in ordered), ZERO)
    ranked, running = [], ZERO
    for one in ordered:
        running += one.quantity
        share = running * 100 / total
        lights = 6 - int((share / 20).to_integral_value(ROUND_CEILING))
        ranked.append(AdlPlace(one.id, one.quantity, share, lights))
    return ranked


def allocate(ranked: Sequence[AdlPlace], quantity: Decimal) -> list[tuple[str, Decimal]]:
    """Quantity taken from each candidate, in ranking order, to cover a quantity of the other side."""
    out = []
    for one in ranked:
        if not quantity:
            break
        take = min(one.quantity, quantity)
        out.append((one.id, take))
        quantity -= take
    return out
