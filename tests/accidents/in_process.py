"""Runs sessions in virtual time."""

from __future__ import annotations

from typing import TextIO

from tests.accidents.runner import Session, Tally, live, sessions
from tests.accidents.virtual_desk import VirtualDesk


def run(
    seed: int, first: int, count: int, *, without: frozenset[str] = frozenset(), out: TextIO | None = None,
    stop: bool = False,
) -> Tally:  # fmt: skip
    """Run attempts in virtual time.

    Args:
        seed: Of the attempts and of the venue.
        first: Number of the first attempt.
        count: How many.
        without: Rules of the fresh press that are left out.
        out: Where meaning and finding of each attempt are written.
        stop: End behind the first session with a bad attempt.
    """
    tally = Tally()
    for session in sessions(seed, first, count):
        run_session(session, tally, without=without, out=out)
        if stop and tally.bad:
            break
    return tally


def run_session(
    session: Session, tally: Tally, *, without: frozenset[str] = frozenset(), out: TextIO | None = None
) -> None:
    """Run one session on a desk of its own."""
    desk = VirtualDesk(
        session.seed * 100_003 + session.numbers[0], session.size, market=session.market, without=without
    )
    desk.play(lambda: live(desk, session, tally, out))
