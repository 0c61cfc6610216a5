"""Attempts in sessions: one desk is started and lives through several, each written down before it is begun."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path
from random import Random
from typing import TextIO

import msgspec

from tests.accidents.attempt import Attempt, Finding
from tests.accidents.hands import DeskUnderTest, carry_out
from tests.accidents.hot_kinds import HOT_ACCIDENTS
from tests.accidents.kinds import ACCIDENTS, ways
from tests.accidents.ladder_kinds import LADDER_ACCIDENTS
from tests.accidents.line_kinds import LINE_ACCIDENTS

PER_SESSION = 20
"""Attempts of one desk before another one is started."""
CALM_SHARE = 0.2
"""How many of the attempts are calm ways, which must succeed."""
SIZES = ((80, 24), (120, 36), (160, 45), (200, 60))
MARKETS: dict[str, tuple[tuple[str, str], ...]] = {
    "still": (("agents", "still"),),
    "slow": (("speed", "0.25"),),
    "lively": (),
}
"""Switches of the venue; in a still market the age of a quote raises no question."""
MARKET_SHARES = (14, 5, 1)
"""How often each is drawn: an attempt in a lively market takes five times as long as in a still one."""
ALL_ACCIDENTS = (*ACCIDENTS, *LINE_ACCIDENTS, *LADDER_ACCIDENTS, *HOT_ACCIDENTS)
WAYS_FILE = Path(__file__).parent / "ways.json"


class Session(msgspec.Struct, frozen=True, kw_only=True):
    """One desk: its size, its market, and the numbers of its attempts."""

    seed: int
    numbers: range
    size: tuple[int, int]
    market: str
    """A key of `MARKETS`."""


class BadAttempt(msgspec.Struct, frozen=True, kw_only=True):
    """An attempt that sent what nobody meant, or lost what was meant."""

    number: int
    kind: str
    story: str
    unmeant: tuple[str, ...]
    lost: tuple[str, ...]


class Tally(msgspec.Struct, kw_only=True):
    """Figures of a run."""

    attempts: int = 0
    by_kind: dict[str, int] = {}
    orders: int = 0
    """New orders at the venue, all of them meant where `bad` is empty."""
    keys: int = 0
    bad: list[BadAttempt] = []

    def add(self, number: int, attempt: Attempt, finding: Finding) -> None:
        """Count one attempt."""
        self.attempts += 1
        self.by_kind[attempt.kind] = self.by_kind.get(attempt.kind, 0) + 1
        self.orders += finding.sent
        self.keys += len(attempt.steps)
        if finding.bad:
            self.bad.append(BadAttempt(
                number=number, kind=attempt.kind, story=attempt.story, unmeant=finding.unmeant, lost=finding.lost
            ))  # fmt: skip


def sessions(seed: int, first: int, count: int) -> Iterator[Session]:
    """The sessions that hold attempts `first` to `first + count`; each attempt is the same whatever range it is run in."""
    at = first
    while at < first + count:
        number = at // PER_SESSION
        end = min((number + 1) * PER_SESSION, first + count)
        rng = Random(f"session {seed} {number}")
        yield Session(seed=seed, numbers=range(at, end), size=rng.choice(SIZES), market=_draw_market(rng))
        at = end


def _draw_market(rng: Random) -> str:
    return rng.choices(list(MARKETS), MARKET_SHARES)[0]


def draw(seed: int, number: int) -> Attempt:
    """The attempt of a number."""
    rng = Random(f"attempt {seed} {number}")
    if rng.random() < CALM_SHARE:
        return rng.choice(ways(json.loads(WAYS_FILE.read_text())))(rng)
    return rng.choice(ALL_ACCIDENTS)(rng)


def draw_all(session: Session, kinds: frozenset[str] = frozenset()) -> list[tuple[int, Attempt]]:
    """The attempts of a session with their numbers; only those of some kinds if any are given."""
    drawn = [(number, draw(session.seed, number)) for number in session.numbers]
    return [(number, attempt) for number, attempt in drawn if not kinds or attempt.kind in kinds]


def kinds_called(beginning: str) -> frozenset[str]:
    """Names of the kinds of accidents that begin so."""
    names = {draw_one(Random(0)).kind for draw_one in ALL_ACCIDENTS}
    return frozenset(name for name in names if name.startswith(beginning))


async def live(
    desk: DeskUnderTest, attempts: Iterable[tuple[int, Attempt]], tally: Tally, out: TextIO | None = None
) -> None:
    """Carry out attempts; what is meant is written before anything is pressed."""
    for number, attempt in attempts:
        if attempt.kind in desk.unfit:
            continue
        await desk.prepare(attempt.scene)
        _write(out, {"number": number, "meant": msgspec.to_builtins(attempt)})
        finding = await carry_out(desk, attempt)
        _write(out, {"number": number, "found": msgspec.to_builtins(finding)})
        tally.add(number, attempt, finding)


def _write(out: TextIO | None, row: dict[str, object]) -> None:
    if out is not None:
        out.write(json.dumps(row) + "\n")
        out.flush()


def join(tallies: Iterable[Tally]) -> Tally:
    """Add figures up."""
    whole = Tally()
    for tally in tallies:
        whole.attempts += tally.attempts
        whole.by_kind = dict(Counter(whole.by_kind) + Counter(tally.by_kind))
        whole.orders += tally.orders
        whole.keys += tally.keys
        whole.bad += tally.bad
    return whole
