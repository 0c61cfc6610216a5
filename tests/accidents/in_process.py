"""Runs sessions in virtual time."""

from __future__ import annotations

from typing import TextIO

from tests.accidents.attempt import Attempt
from tests.accidents.runner import Session, Tally, draw_all, live, sessions
from tests.accidents.virtual_desk import VirtualDesk


def run(
    seed: int, first: int, count: int, *, without: frozenset[str] = frozenset(), kinds: frozenset[str] = frozenset(),
    out: TextIO | None = None, stop: bool = False,
) -> Tally:  # fmt: skip
    """Run attempts in virtual time.

    Args:
        seed: Of the attempts and of the venue.
        first: Number of the first attempt.
        count: How many.
        without: Rules of the fresh press that are left out.
        kinds: Only the attempts of these kinds; none: all.
        out: Where meaning and finding of each attempt are written.
        stop: End behind the first session with a bad attempt.
    """
    tally = Tally()
    for session in sessions(seed, first, count):
        if attempts := draw_all(session, kinds):
            run_attempts(session, attempts, tally, without=without, out=out)
        if stop and tally.bad:
            break
    return tally


def run_attempts(
    session: Session, attempts: list[tuple[int, Attempt]], tally: Tally, *, without: frozenset[str] = frozenset(),
    out: TextIO | None = None,
) -> None:  # fmt: skip
    """Run attempts on a desk of their own."""
    desk = VirtualDesk(
        session.seed * 100_003 + session.numbers[0], session.size, market=session.market, without=without
    )
    desk.play(lambda: live(desk, attempts, tally, out))
