"""Auto-deleveraging (ADL): scores, ranking, and the 1-to-5 lights of the queue position."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from decimal import ROUND_CEILING, Decimal
from typing import NamedTuple

from tui.interface.decimals import ZERO


class LeverageScore(NamedTuple):
    """ADL score with the P&L share and effective leverage it is computed from."""

    pnl_share: Decimal
    leverage: Decimal
    score: Decimal


class AdlCandidate(NamedTuple):
    """Position on one side of a pair; `quantity` is above 0, in the same unit for all candidates."""

    id: str
    quantity: Decimal
    score: Decimal


class AdlPlace(NamedTuple):
    """Position with its place in the ADL queue."""

    id: str
    quantity: Decimal
    share: Decimal
    """Cumulative share of quantity, percent."""
    lights: int
    """5 is closed first, 1 last."""


def leverage_score(sign: int, entry: Decimal, mark: Decimal, bankrupt: Decimal | None) -> LeverageScore:
    """Compute the paper venue's ADL score: P&L share times effective leverage, or divided by it for a loss."""
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
    """Sort candidates by score, highest first, then larger quantity, then smaller id; lights are fifths of the quantity."""
    ordered = sorted(candidates, key=lambda candidate: (-candidate.score, -candidate.quantity, candidate.id))
    total = sum((candidate.quantity for candidate in ordered), ZERO)
    ranked, running = [], ZERO
    for candidate in ordered:
        running += candidate.quantity
        share = running * 100 / total
        lights = 6 - int((share / 20).to_integral_value(ROUND_CEILING))
        ranked.append(AdlPlace(candidate.id, candidate.quantity, share, lights))
    return ranked


def allocate(ranked: Sequence[AdlPlace], quantity: Decimal) -> list[tuple[str, Decimal]]:
    """List the quantity to close per candidate, in rank order, until the given quantity is covered."""
    closed = []
    for place in ranked:
        if not quantity:
            break
        take = min(place.quantity, quantity)
        closed.append((place.id, take))
        quantity -= take
    return closed
