"""Rules of the judge about windows and programs: what they were told, how old their commands were, and their limits."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from decimal import Decimal

from tests.simulation.codes import proves_refusal
from tests.simulation.history import Line
from tests.simulation.violation import Violation
from tui.interface.families.orders import is_final

COMMAND_S, CLOCKS_S = 2.0, 0.5
"""Time after which a command is too late, and how far the clocks of both sides may be unknown, s."""
BETTER = Decimal("0.99")
"""Share of a limit price at which an order is filled at the best."""
ENDS = frozenset(["end order", "end position", "end asset", "end fill"])


class DeskRules:
    """The lines about windows and programs, and one method for each promise."""

    def __init__(
        self, lines: Sequence[Line], places: Mapping[str, list[Line]], journal: Mapping[str, list[Line]]
    ) -> None:
        self._lines = lines
        self._places = places
        """cid -> place frames."""
        self._asked: dict[str, Line] = {}
        """Trader's number, or id of the command -> the line in which a window or program asked for it."""
        for line in lines:
            if line.who == "trader" and line.source and line.intent:
                self._asked.setdefault(line.intent, line)
            elif line.who == "window" and line.kind == "asks":
                self._asked.setdefault(line.req, line)
        self._intents = {
            cid: entry.intent for cid, entries in journal.items() for entry in entries if entry.kind == "intent"
        }
        """cid -> trader's number, as journaled."""
        self._cids = {intent: cid for cid, intent in self._intents.items() if intent}

    def rules(self) -> Iterator[Iterator[Violation]]:
        """All of them."""
        yield self._told_the_truth()
        yield self._taken_once_and_not_late()
        yield self._within_limits()
        yield self._within_mandates()
        yield self._windows_end_as_the_desk()
        yield self._every_event_comes_once()
        yield self._nobody_hears_of_others()

    def _told_the_truth(self) -> Iterator[Violation]:
        """What was denied never left, what was accepted did."""
        for line in self._lines:
            if line.who != "trader" or line.kind != "outcome" or not line.source or not line.intent:
                continue
            cid = self._cids.get(line.intent, "")
            if line.text == "denied" and self._places.get(cid):
                yield Violation("told", line.n, f"{line.intent} is called denied to {line.source}, and {cid} was sent")
            elif line.text == "accepted" and self._asked[line.intent].kind == "place" and not self._places.get(cid):
                yield Violation("told", line.n, f"{line.intent} is called accepted to {line.source} and never left")

    def _taken_once_and_not_late(self) -> Iterator[Violation]:
        taken: set[str] = set()
        for line in self._lines:
            if line.who != "desk":
                continue
            names = {line.intent, line.req or line.intent}
            if names & taken:
                yield Violation("once", line.n, f"{line.intent} of {line.source} was taken twice")
            taken |= names
            asked = self._asked.get(line.intent) or self._asked.get(line.req)
            if asked is not None and (age := line.t - asked.t) > COMMAND_S + CLOCKS_S:
                yield Violation("late", line.n, f"{line.intent} of {line.source} was taken {age:.3f} s old")

    def _within_limits(self) -> Iterator[Violation]:
        limits = {one.source: Decimal(one.qty) for one in self._lines if one.who == "limit" and one.kind == "order"}
        for cid, frames in self._places.items():
            asked = self._asked.get(self._intents.get(cid, ""))
            if asked is None or asked.source not in limits:
                continue
            value, reduces = _value_of(frames[0])
            if value > limits[asked.source] and not reduces:
                yield Violation("limit", frames[0].n, f"{cid} of {asked.source} is worth {value}")

    def _within_mandates(self) -> Iterator[Violation]:
        """All orders of a program together stay within each mandate, and without one nothing leaves."""
        totals = {one.source: Decimal(one.qty) for one in self._lines if one.who == "limit" and one.kind == "orders"}
        charged: dict[str, Decimal] = {}
        frames = {(frame.life, frame.req): cid for cid, sent in self._places.items() for frame in sent}
        granted = False
        for line in self._lines:
            if line.who == "trader" and line.kind == "grant":
                granted, charged = True, {}
            elif (line.who == "trader" and line.kind == "revoke") or (line.who == "host" and line.kind == "crash"):
                granted = False
            elif line.who == "venue" and line.kind == "order" and line.cid in charged and is_final(line.state):
                price = Decimal(json.loads(self._places[line.cid][0].text)["limitPrice"])
                charged[line.cid] = min(charged[line.cid], Decimal(line.executed or "0") * price * BETTER)
            elif line.who == "wire" and line.kind == "reply" and proves_refusal(line.code):
                charged.pop(frames.get((line.life, line.req), ""), None)
            elif line.who == "wire" and line.kind == "place_order":
                asked = self._asked.get(self._intents.get(line.cid, ""))
                if asked is None or asked.source not in totals:
                    continue
                charged[line.cid] = _value_of(line)[0]
                if not granted:
                    yield Violation("mandate", line.n, f"{line.cid} of {asked.source} left without a mandate")
                elif sum(charged.values()) > totals[asked.source]:
                    yield Violation("mandate", line.n, f"orders of {asked.source} are worth {sum(charged.values())}")

    def _windows_end_as_the_desk(self) -> Iterator[Violation]:
        """Every window shows in the end what the desk shows, no more and no less."""
        ends: dict[str, dict[tuple[str, str], Line]] = defaultdict(dict)
        for line in self._lines:
            if line.who == "window" and line.kind == "end":
                ends[line.source] = {}
            elif line.kind in ENDS and line.who in ("client", "window"):
                ends[line.source][line.kind, line.cid or line.oid] = line
        mine = ends.pop("", {})
        for source, theirs in ends.items():
            for key in sorted(mine.keys() | theirs.keys()):
                shown, true = theirs.get(key), mine.get(key)
                if _figures(shown) != _figures(true):
                    n = (shown or true or self._lines[-1]).n
                    text = f"{' '.join(key)}: {_figures(shown)} in {source}, {_figures(true)} at the desk"
                    yield Violation("window", n, text)

    def _every_event_comes_once(self) -> Iterator[Violation]:
        """Event lines come to a window in order and once, over all its links, and anew from each run of the desk."""
        newest: dict[str, int] = {}
        restarted: set[str] = set()
        for line in self._lines:
            if line.who == "host" and line.kind == "start":
                restarted |= newest.keys()
            elif line.who == "window" and line.kind == "begins":
                newest.pop(line.source, None)
            elif line.who == "window" and line.kind == "events":
                first, last = map(int, line.text.split("-"))
                before = newest.get(line.source)
                if first == 1 and line.source in restarted:
                    restarted.discard(line.source)
                elif before is not None and first != before + 1:
                    yield Violation("events", line.n, f"event {first} comes to {line.source} after {before}")
                newest[line.source] = last

    def _nobody_hears_of_others(self) -> Iterator[Violation]:
        for line in self._lines:
            if line.who == "window" and line.kind == "told of others":
                yield Violation("others", line.n, f"{line.source} was told of {line.text}")


def _value_of(frame: Line) -> tuple[Decimal, bool]:
    """Value of a limit order at its price, 0 for others, and whether it only reduces a position."""
    args = json.loads(frame.text)
    value = Decimal(args["orderQty"]) * Decimal(args["limitPrice"]) if "limitPrice" in args else Decimal(0)
    return value, args.get("reduceOnly") == "true"


def _figures(line: Line | None) -> tuple[str, str, str] | None:
    return None if line is None else (line.oid, line.state, line.executed)
