"""One chaos run: trade, faults and kills in rounds, and a comparison after each round."""

from __future__ import annotations

import random
import shutil
import tempfile
import time
from pathlib import Path
from typing import NamedTuple

from tests.chaos import comparison
from tests.chaos.comparison import Difference
from tests.chaos.hands import Hands
from tests.chaos.proxy import CALM, ROUGH
from tests.chaos.stage import START_S, Stage

ROUND_S = 120.0
"""Seconds of trading between two comparisons."""
SETTLE_S = 45.0
"""How long journal and screen may take to agree with the venue once everything is sound, s."""
KILL_EVERY_S = 85.0
"""Mean seconds between two kills of one side."""
CUT_EVERY_S = 30.0
JUMP_EVERY_S = 60.0
WEATHER_EVERY_S = 8.0
MOST_JUMP_S = 25.0


class Rates(NamedTuple):
    """Mean seconds between two events of a kind; 0 is never."""

    desk_kill: float = KILL_EVERY_S
    venue_kill: float = KILL_EVERY_S
    cut: float = CUT_EVERY_S
    jump: float = JUMP_EVERY_S
    weather: float = WEATHER_EVERY_S


class Outcome(NamedTuple):
    """What a run came to."""

    seed: int
    seconds: float
    """Of trading, without the settling."""
    commands: int
    actions: dict[str, int]
    faults: dict[str, int]
    desk_kills: int
    venue_kills: int
    clock_jumps: int
    sent_twice: list[str]
    fills: int
    orders: int
    settle_s: list[float]
    """Per comparison: how long until all agreed, s."""
    start_s: list[float]
    """Per start of the workstation: how long until it was armed, s."""
    differences: list[Difference]
    exits: list[str]


class Chaos:
    """Runs one seed."""

    def __init__(self, folder: Path, seed: int, rates: Rates | None = None) -> None:
        self._rates = rates or Rates()
        self._random = random.Random(f"chaos {seed}")
        self._seed = seed
        self._began = time.time()
        self.stage = Stage(folder, seed)
        self.hands = Hands(random.Random(f"hands {seed}"))
        self._starts: list[float] = []
        self._settles: list[float] = []
        self._differences: list[Difference] = []
        self._last = comparison.VenueTruth({}, {}, {}, {}, {})
        self._due: dict[str, float] = {}

    def run(self, seconds: float, round_s: float = ROUND_S) -> Outcome:
        """Trade for so many seconds, in rounds."""
        self._start_desk()
        left = seconds
        try:
            while left > 0 and not self._differences:
                self._trade(min(round_s, left))
                left -= round_s
                self._settle()
        except AssertionError as error:
            self._differences.append(Difference("stuck", str(error)))
        finally:
            self.stage.close()
        return self._outcome(seconds - max(0.0, left))

    def _outcome(self, seconds: float) -> Outcome:
        proxy = self.stage.proxy
        return Outcome(
            seed=self._seed,
            seconds=round(seconds, 1),
            commands=sum(proxy.actions.values()),
            actions=dict(sorted(proxy.actions.items())),
            faults=dict(sorted(proxy.faults.items())),
            desk_kills=self.stage.desk_kills,
            venue_kills=self.stage.venue_kills,
            clock_jumps=self.stage.clock_jumps,
            sent_twice=sorted(client for client, count in proxy.placed.items() if count > 1),
            fills=len(self._last.fills),
            orders=sum(map(len, self._last.orders.values())),
            settle_s=self._settles,
            start_s=self._starts,
            differences=self._differences,
            exits=self.stage.exits,
        )

    def _start_desk(self) -> None:
        began = time.monotonic()
        self.hands.take(self.stage.start_desk())
        self.hands.arm(START_S)
        self._starts.append(round(time.monotonic() - began, 2))

    # -- trade and faults --------------------------------------------------------------------------------------------

    def _trade(self, seconds: float) -> None:
        end = time.monotonic() + seconds
        self._due = {name: self._next(getattr(self._rates, name)) for name in Rates._fields}
        while time.monotonic() < end:
            for name, due in self._due.items():
                if due <= time.monotonic():
                    getattr(self, "_do_" + name)()
                    self._due[name] = self._next(getattr(self._rates, name))
            desk = self.stage.desk
            if desk is not None and desk.process.poll() is not None:
                self._do_desk_kill()
            self.hands.act()

    def _next(self, mean: float) -> float:
        return time.monotonic() + self._random.expovariate(1 / mean) if mean else float("inf")

    def _do_weather(self) -> None:
        proxy = self.stage.proxy
        proxy.weather = CALM if proxy.weather is ROUGH else ROUGH

    def _do_cut(self) -> None:
        self.stage.proxy.cut(after_s=self._random.choice((0.0, 0.2, 0.6)))

    def _do_jump(self) -> None:
        self.stage.jump(self._random.uniform(-MOST_JUMP_S, MOST_JUMP_S))

    def _do_desk_kill(self) -> None:
        if self._random.random() < 0.5:
            self.hands.press_enter_only()
            time.sleep(self._random.random() * 0.02)
        self.stage.kill_desk()
        time.sleep(self._random.choice((0.0, 0.0, 1.0, 4.0)))
        self._start_desk()

    def _do_venue_kill(self) -> None:
        if self._random.random() < 0.5:
            self.hands.press_enter_only()
            time.sleep(self._random.random() * 0.02)
        self.stage.kill_venue()
        time.sleep(self._random.choice((0.0, 0.5, 2.0)))
        self.stage.start_venue()
        self.hands.arm(START_S)

    # -- afterwards --------------------------------------------------------------------------------------------------

    def _settle(self) -> None:
        """Heal everything and wait until journal, screen and venue agree; what still differs at the end counts."""
        self.stage.heal()
        self.hands.go_back()
        began = time.monotonic()
        while True:
            found, stood_still = self._compare()
            took = time.monotonic() - began
            if not found or (took > SETTLE_S and stood_still) or took > 4 * SETTLE_S:
                break
            time.sleep(0.5)
        self._settles.append(round(took, 1))
        self._differences += found
        if found and self.stage.desk is not None:
            (self.stage.folder / "screen.txt").write_text(self.stage.desk.text())

    def _compare(self) -> tuple[list[Difference], bool]:
        """What differs now, and whether the venue was the same after the comparison as before it."""
        desk = self.stage.desk
        assert desk is not None
        venue = comparison.read_venue(self.stage.venue)
        journal = comparison.read_journal(self.stage.journal())
        self._last = venue
        prefix = next(iter(journal.intents), "cd------")[:8]
        found = [
            *comparison.compare_fills(journal, venue),
            *comparison.compare_orders(journal, venue, prefix),
            *comparison.compare_screen(desk, venue),
        ]
        # An order that fills between two looks makes two truths, neither of which is wrong.
        after = comparison.read_venue(self.stage.venue) if found else venue
        return found, after.fills.keys() == venue.fills.keys() and after.working.keys() == venue.working.keys()


def lived(seed: int, seconds: float) -> Outcome:
    """One seed from start to end in a folder of its own, which stays when something differs."""
    folder = Path(tempfile.mkdtemp(prefix=f"chaos-{seed}-"))
    outcome = Chaos(folder, seed).run(seconds)
    if not outcome.differences and not outcome.exits:
        shutil.rmtree(folder)
    return outcome
