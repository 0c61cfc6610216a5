"""The judge of a run: reads its history and nothing else, and says which promise was broken first.

It knows the interface's words and the rules of the order path, and nothing of the program that it judges.
"""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Iterator, Sequence
from decimal import Decimal

from tests.simulation.codes import proves_refusal
from tests.simulation.desks.rules import DeskRules
from tests.simulation.history import Line
from tests.simulation.violation import Violation
from tui.interface.families.orders import is_final

REPLY_TIMEOUT = 3.0
VISIBLE_WITHIN = 1.0
"""From the loss of an answer to UNKNOWN on the screen, and from a proven link to the first question, s."""
ANSWER_WITHIN = 13.0
"""How long a question may be on its way: to connect and to be answered, s."""
PAINT = 0.1
"""How long a change may need to the screen, s."""
QUESTIONS = 5
"""The limit of order detail per second; who has used it up may be later."""
KILLED_WITHIN = 10.0
"""From the acceptance of a kill to the end of every order that was there before it, s."""
REFUSED_FOR = 120.0
"""How long after a rate refusal nobody can expect a question, s."""

ACCEPTED = 200000
MOVES = ("transfer", "withdrawal", "custody", "portfolio")
"""Account commands that end as the venue says; loans are judged apart."""
NOT_SENT, UNKNOWN = "NOT SENT", "UNKNOWN"
LOCAL = frozenset(["SENDING", "SENT", UNKNOWN, NOT_SENT])
CHANGES = frozenset(["place_order", "replace_order"])
ENDS = frozenset(["end order", "end position", "end asset", "end fill"])
"""Lines of the two full states, side by side."""
OUTCOMES = frozenset(["reply", "push", "query", "snapshot", "fill", "not_sent", "dismiss", "note"])


def check(lines: Sequence[Line]) -> list[Violation]:
    """Everything that is wrong with a history, by line."""
    judge = _Judge(lines)
    found = [violation for rule in judge.rules() for violation in rule]
    return sorted(found, key=lambda one: one.n)


def same_end(left: str, right: str) -> bool:
    """Whether two final words mean one end; some are spelled in two ways."""
    spelled = {"CANCELED": "CANCELLED", "REJECTED": "REJECT"}
    return spelled.get(left, left) == spelled.get(right, right)


class _Judge:
    """The lines with their indexes, and one method for each promise."""

    def __init__(self, lines: Sequence[Line]) -> None:
        self.lines = lines
        self.places: dict[str, list[Line]] = defaultdict(list)
        """cid -> place frames."""
        self.facts: dict[str, list[Line]] = defaultdict(list)
        """cid or oid -> records of the order that reached the client."""
        self.replies: dict[tuple[int, str], list[Line]] = defaultdict(list)
        """(life, request) -> replies that reached the client."""
        self.shown: dict[tuple[int, str], list[Line]] = defaultdict(list)
        """(life, cid or oid) -> painted rows, `gone` among them."""
        self.in_windows: dict[tuple[int, str, str], list[Line]] = defaultdict(list)
        """(life, window, cid or oid) -> rows painted in an attached window."""
        self.journal: dict[str, list[Line]] = defaultdict(list)
        self.starts: dict[int, Line] = {}
        self.crashes: dict[int, Line] = {}
        self.downs: dict[tuple[int, int], float] = {}
        self.connects: list[Line] = []
        self.dismissed: dict[str, list[Line]] = defaultdict(list)
        self.names: dict[str, str] = {}
        """oid -> cid, as the venue says."""
        self.faulty_journal = False
        for line in lines:
            self._sort_in(line)

    def _sort_in(self, line: Line) -> None:
        if line.who == "wire":
            self._sort_in_wire(line)
        elif line.who == "display" and line.kind in ("shown", "gone"):
            self.shown[line.life, line.cid or line.oid].append(line)
        elif line.who == "window" and line.kind == "shown":
            self.in_windows[line.life, line.source, line.cid or line.oid].append(line)
        elif line.who == "journal":
            self.journal[line.cid or line.intent].append(line)
        elif line.who == "host":
            (self.starts if line.kind == "start" else self.crashes)[line.life] = line
        elif line.who == "trader" and line.kind == "dismiss":
            self.dismissed[line.cid].append(line)
        elif line.who == "venue" and line.oid and line.cid:
            self.names[line.oid] = line.cid
        elif line.who == "fault" and line.kind == "journal":
            self.faulty_journal = True

    def _sort_in_wire(self, line: Line) -> None:
        if line.kind == "connect":
            self.connects.append(line)
        elif line.kind == "down":
            self.downs[line.life, line.wire] = line.t
        elif line.dir == "out" and line.kind == "place_order":
            self.places[line.cid].append(line)
        elif line.dir == "in" and line.kind == "order":
            for name in dict.fromkeys([line.cid, line.oid]):
                if name:
                    self.facts[name].append(line)
        elif line.dir == "in" and line.kind == "reply":
            self.replies[line.life, line.req].append(line)

    def rules(self) -> Iterator[Iterator[Violation]]:
        """All of them."""
        yield self._sent_once()
        yield self._intent_before_wire()
        yield self._no_invented_end()
        yield self._doubt_is_visible()
        yield self._asked_soon()
        yield self._converged()
        yield self._executed_only_grows()
        yield self._fills_count_once()
        yield self._final_is_final()
        yield self._fence()
        yield self._blotter()
        yield self._remembered()
        yield self._journal_has_each_fill_once()
        yield self._day_is_of_the_venue()
        yield self._kill_reaches_every_order()
        yield self._money_is_where_the_screen_says()
        yield self._loans_are_what_the_screen_says()
        yield from DeskRules(self.lines, self.places, self.journal).rules()

    # -- I1, I2 ----------------------------------------------------------------------------------------------------

    def _sent_once(self) -> Iterator[Violation]:
        meant: dict[str, str] = {}
        confirmed = {one.intent for one in self.lines if one.who == "trader" and one.kind == "place"}
        for cid, frames in self.places.items():
            for again in frames[1:]:
                yield Violation("I1", again.n, f"{cid} is on the wire {len(frames)} times")
            intents = [one.intent for one in self.journal[cid] if one.kind == "intent"]
            intent = intents[0] if intents else ""
            if intent not in confirmed:
                yield Violation("I1", frames[0].n, f"{cid} was sent and no trader asked for it")
            elif intent in meant:
                yield Violation("I1", frames[0].n, f"{intent} was sent as {meant[intent]} and as {cid}")
            meant[intent] = cid

    def _intent_before_wire(self) -> Iterator[Violation]:
        left: dict[str, int] = defaultdict(int)
        for line in self.lines:
            if line.who == "journal" and line.kind == "intent":
                left[line.text] += 1
            elif line.who == "wire" and line.dir == "out" and line.kind in CHANGES:
                left[line.text] -= 1
                if left[line.text] < 0:
                    yield Violation("I2", line.n, f"{line.kind} {line.text} left before its record was durable")
            elif line.who == "venue" and line.kind in ("setting", "algo", *MOVES, "loan"):
                left[line.text] -= 1
                if left[line.text] < 0:
                    yield Violation("I1", line.n, f"{line.kind} {line.text} arrived more often than it was journaled")

    # -- I3 --------------------------------------------------------------------------------------------------------

    def _no_invented_end(self) -> Iterator[Violation]:
        for line in self._painted():
            if line.state == NOT_SENT:
                if self.places.get(line.cid):
                    yield Violation("I3", line.n, f"{line.cid} is called not sent, and its frame was written")
            elif is_final(line.state) and not self._said(line):
                yield Violation("I3", line.n, f"{line.cid or line.oid} is shown {line.state} and nobody said so")

    def _said(self, line: Line) -> bool:
        for fact in [*self.facts.get(line.oid, ()), *self.facts.get(line.cid, ())]:
            if fact.n < line.n and same_end(fact.state, line.state):
                return True
        for frame in self.places.get(line.cid, ()):
            for reply in self.replies.get((frame.life, frame.req), ()):
                if reply.n > line.n:
                    continue
                if reply.code == ACCEPTED and same_end(reply.state, line.state):
                    return True
                if same_end(line.state, "REJECT") and proves_refusal(reply.code):
                    return True
        return False

    # -- I4 --------------------------------------------------------------------------------------------------------

    def _doubt_is_visible(self) -> Iterator[Violation]:
        for cid, frames in self.places.items():
            for frame in frames:
                yield from self._doubt(cid, frame)

    def _doubt(self, cid: str, frame: Line) -> Iterator[Violation]:
        lost = min(frame.t + REPLY_TIMEOUT, self.downs.get((frame.life, frame.wire), float("inf")))
        replies = [one for one in self.replies.get((frame.life, frame.req), ()) if one.t <= lost + PAINT]
        if any((one.code == ACCEPTED and one.oid) or proves_refusal(one.code) for one in replies):
            return
        lost = min([lost, *(one.t for one in replies)])
        latest = lost + VISIBLE_WITHIN + PAINT
        if any(frame.n < one.n and one.t <= latest for one in self.facts.get(cid, ())):
            return
        life = frame.life
        crash = self.crashes.get(life)
        if crash is not None and crash.t <= latest:
            life += 1
            if life not in self.starts:
                return
            latest = self.starts[life].t + VISIBLE_WITHIN + PAINT
            if (again := self.crashes.get(life)) is not None and again.t <= latest:
                return
        elif self.lines[-1].t < latest:
            return
        painted = [one for one in self.shown.get((life, cid), ()) if frame.n < one.n and one.t <= latest]
        if not any(one.state not in ("SENDING", "SENT") for one in painted):
            yield Violation("I4", frame.n, f"{cid} has no answer and is not shown UNKNOWN by {latest:.3f}")

    def _asked_soon(self) -> Iterator[Violation]:
        """The first question about each UNKNOWN row within a second of a proven link."""
        waits = _Waits()
        for line in self.lines:
            if line.who == "host":
                waits = _Waits()
            elif line.who in ("wire", "fault"):
                waits.passed(line, self.names.get(line.oid, line.cid) if line.oid else line.cid)
            elif line.who == "journal" and line.kind == "query_failed":
                waits.failed(line)
            elif line.who == "journal" and line.kind == "query":
                waits.answered(line)
            elif line.who == "display" and line.kind in ("shown", "gone"):
                waits.shown(line)
            for cid, since in waits.overdue(line.t):
                yield Violation("I4", line.n, f"{cid} is UNKNOWN since {since:.3f} and nobody asks")

    # -- I5 --------------------------------------------------------------------------------------------------------

    def _converged(self) -> Iterator[Violation]:
        ends = [one for one in self.lines if one.kind in ENDS]
        client = {(one.kind, one.cid or one.oid): one for one in ends if one.who == "client"}
        venue = {(one.kind, one.cid or one.oid): one for one in ends if one.who == "venue"}
        for key, mine in client.items():
            theirs = venue.get(key)
            rule = "I6" if key[0] == "end fill" else "I5"
            if key[0] == "end order" and mine.state == UNKNOWN:
                if theirs is not None:
                    yield Violation("unresolved", mine.n, f"{key[1]} is UNKNOWN, the venue has it {theirs.state}")
            elif theirs is None:
                yield Violation(rule, mine.n, f"{key[0]} {key[1]}: {mine.state}, the venue has none")
            elif _figures(mine) != _figures(theirs):
                yield Violation(rule, mine.n, f"{key[0]} {key[1]}: {_figures(mine)}, at the venue {_figures(theirs)}")
        for key, theirs in venue.items():
            if key not in client and not is_final(theirs.state):
                rule = "I6" if key[0] == "end fill" else "I5"
                yield Violation(rule, theirs.n, f"{key[0]} {key[1]} is at the venue and not on the screen")

    # -- the books, the kill ---------------------------------------------------------------------------------------

    def _journal_has_each_fill_once(self) -> Iterator[Violation]:
        end = next((one.n for one in self.lines if one.who == "client" and one.kind == "end day"), 0)
        if not end:
            return
        kept: dict[str, int] = defaultdict(int)
        for line in self.lines:
            if line.kind == "end journal fill":
                kept[line.tx] += 1
                if kept[line.tx] > 1:
                    yield Violation("journal fills", line.n, f"fill {line.tx} is in the journal {kept[line.tx]} times")
        real = {one.tx for one in self.lines if one.who == "venue" and one.kind == "fill" and one.n < end}
        unwritable = {one.tx for one in self.lines if one.who == "fault" and one.kind == "journal"}
        for tx in sorted(real - set(kept) - unwritable):
            yield Violation("journal fills", end, f"fill {tx} of the venue is not in the journal")
        for tx in sorted(set(kept) - real):
            yield Violation("journal fills", end, f"fill {tx} is in the journal and the venue has none")

    def _day_is_of_the_venue(self) -> Iterator[Violation]:
        ends = {one.who: one for one in self.lines if one.kind == "end day"}
        if len(ends) < 2:
            return
        mine, theirs = ends["client"], ends["venue"]
        if mine.state != theirs.state:
            yield Violation("day result", mine.n, f"the day is {mine.state}")
        if mine.text != theirs.text:
            yield Violation("day result", mine.n, f"the day is {mine.text}, at the venue {theirs.text}")

    def _money_is_where_the_screen_says(self) -> Iterator[Violation]:
        """Every account command of the screen stands as at the venue; only one that never arrived may be UNKNOWN."""
        for kind in MOVES:
            yield from self._moves_are_as_shown(kind)

    def _moves_are_as_shown(self, kind: str) -> Iterator[Violation]:
        wanted = f"end {kind}"
        ends = [one for one in self.lines if one.kind == wanted]
        client = {one.cid: one for one in ends if one.who == "client"}
        venue = {one.cid: one for one in ends if one.who == "venue"}
        for cid, mine in client.items():
            theirs = venue.get(cid)
            if theirs is None:
                if mine.state in ("RUNNING", "DONE", "FAILED"):
                    yield Violation(kind, mine.n, f"{cid} is {mine.state} and the venue knows nothing of it")
            elif mine.state != theirs.state:
                yield Violation(kind, mine.n, f"{cid} is {mine.state}, at the venue {theirs.state}")
        for cid, theirs in venue.items():
            if theirs.state == "RUNNING" and cid not in client:
                yield Violation(kind, theirs.n, f"{cid} runs at the venue and is not on the screen")

    def _loans_are_what_the_screen_says(self) -> Iterator[Violation]:
        """Nothing was borrowed or repaid twice, and every such command of the screen stands as at the venue."""
        ends = [one for one in self.lines if one.kind == "end loan"]
        client = {one.cid: one for one in ends if one.who == "client"}
        venue: dict[str, Line] = {}
        for theirs in (one for one in ends if one.who == "venue"):
            if theirs.cid in venue:
                yield Violation("loan", theirs.n, f"{theirs.cid} was carried out twice")
            venue[theirs.cid] = theirs
        for cid, mine in client.items():
            if cid in venue and mine.state != "DONE":
                yield Violation("loan", mine.n, f"{cid} is {mine.state}, and the venue carried it out")
            elif cid not in venue and mine.state == "DONE":
                yield Violation("loan", mine.n, f"{cid} is DONE, and the venue knows nothing of it")

    def _kill_reaches_every_order(self) -> Iterator[Violation]:
        """What worked on any venue before an accepted kill has ended soon after it."""
        lies = [one.n for one in self.lines if one.who == "fault" and one.kind == "lie"]
        ends: dict[str, float] = {}
        before: dict[str, list[Line]] = defaultdict(list)
        for line in self.lines:
            if line.who == "venue" and line.kind == "order" and is_final(line.state):
                ends.setdefault(line.oid, line.t)
            elif line.who == "venue" and line.kind == "before kill":
                before[line.intent].append(line)
        for line in [one for one in self.lines if one.who == "trader" and one.kind == "killed"]:
            there = before[line.intent]
            if any(there[0].n < lie < line.n for lie in lies if there):
                # The service said yes and had done nothing.
                continue
            latest = line.t + KILLED_WITHIN
            for one in there:
                if ends.get(one.oid, float("inf")) > latest <= self.lines[-1].t:
                    yield Violation("kill", line.n, f"{one.oid} was there before {line.intent} and works on after it")

    # -- I6, I7 ----------------------------------------------------------------------------------------------------

    def _executed_only_grows(self) -> Iterator[Violation]:
        changed = {one.cid for one in self.lines if one.who == "wire" and one.kind == "replace_order"}
        changed |= {self.names.get(one.oid, "") for one in self.lines if one.kind == "replace_order"}
        for rows in (*self.shown.values(), *self.in_windows.values()):
            most: dict[str, Decimal] = {}
            for line in rows:
                if line.kind == "gone":
                    continue
                executed = Decimal(line.executed or "0")
                if executed < most.get(line.oid, Decimal(0)) and not line.conflict:
                    yield Violation("I6", line.n, f"{line.cid}: executed went down to {line.executed}")
                most[line.oid] = max(executed, most.get(line.oid, Decimal(0)))
                total = Decimal(line.qty or "0")
                if total and executed > total and not line.conflict and line.cid not in changed:
                    yield Violation("I6", line.n, f"{line.cid}: executed {line.executed} of {line.qty}")

    def _fills_count_once(self) -> Iterator[Violation]:
        seen: dict[tuple[int, str], int] = {}
        real: dict[str, set[str]] = defaultdict(set)
        told: dict[tuple[int, str], int] = defaultdict(int)
        for line in self.lines:
            if line.kind == "fill" and line.who == "venue":
                real[line.cid].add(line.tx)
                real[line.oid].add(line.tx)
            elif line.kind == "fill" and line.who == "display":
                if (line.life, line.tx) in seen:
                    yield Violation("I6", line.n, f"fill {line.tx} counts again")
                seen[line.life, line.tx] = line.n
            elif line.kind == "told" and line.who == "display":
                told[line.life, line.cid] += 1
                if told[line.life, line.cid] > len(real[line.cid]):
                    yield Violation("I6", line.n, f"{line.cid} is told more fills than it has")

    def _final_is_final(self) -> Iterator[Violation]:
        for rows in (*self.shown.values(), *self.in_windows.values()):
            ended = oid = ""
            for line in rows:
                if line.kind == "gone":
                    continue
                if line.oid != oid:
                    # A deployment that amends by a new order: the row goes on under the new id.
                    ended, oid = "", line.oid
                if ended and not same_end(line.state, ended) and not line.conflict:
                    yield Violation("I7", line.n, f"{line.cid} was {ended} and is shown {line.state}")
                if is_final(line.state):
                    ended = line.state

    # -- I20, I22 --------------------------------------------------------------------------------------------------

    def _fence(self) -> Iterator[Violation]:
        for (life, _), rows in self.shown.items():
            newest: dict[str, int] = {}
            for line in rows:
                if line.kind == "gone":
                    continue
                if line.update < newest.get(line.oid, 0):
                    yield Violation("I20", line.n, f"{line.cid or line.oid}: an older record overwrote a newer one")
                fresh = line.update > newest.get(line.oid, 0)
                newest[line.oid] = max(line.update, newest.get(line.oid, 0))
                if fresh and line.source == "push" and not self._is_of_now(line, life):
                    yield Violation("I20", line.n, f"{line.cid or line.oid}: a push of an old connection counts")

    def _is_of_now(self, line: Line, life: int) -> bool:
        for fact in self.facts.get(line.oid, ()):
            if fact.n < line.n and fact.life == life and fact.source == "push" and fact.update == line.update:
                after = [one.t for one in self.connects if one.life == life and one.wire > fact.wire]
                if not after or after[0] >= line.t - PAINT:
                    return True
        return False

    def _blotter(self) -> Iterator[Violation]:
        last = self.lines[-1] if self.lines else None
        by_key: dict[str, list[Line]] = defaultdict(list)
        for (_, key), rows in self.shown.items():
            by_key[key] += rows
        for cid, frames in self.places.items():
            if last is not None and last.t > frames[-1].t + REPLY_TIMEOUT + VISIBLE_WITHIN:
                painted = by_key.get(cid)
                if not painted:
                    yield Violation("I22", frames[0].n, f"{cid} was sent and never shown")
                elif not self._told_of(cid) and painted[-1].state != UNKNOWN:
                    yield Violation("I22", frames[0].n, f"{cid}: the journal does not say what became of it")
        for rows in self.shown.values():
            before = ""
            for line in rows:
                known = is_final(before) or before == NOT_SENT
                known = known or any(one.n < line.n for one in self.dismissed.get(line.cid, ()))
                if line.kind == "gone" and not known:
                    yield Violation("I22", line.n, f"{line.cid or line.oid} left the screen while {before}")
                before = line.state or before

    def _remembered(self) -> Iterator[Violation]:
        """A restart shows every order that was sent and whose end nobody had seen."""
        for life, start in self.starts.items():
            over = self.crashes.get(life)
            latest = start.t + VISIBLE_WITHIN + PAINT
            if life == 1 or (over is not None and over.t < latest) or self.lines[-1].t < latest:
                continue
            for cid, frames in self.places.items():
                if frames[0].n > start.n or any(one.n < start.n for one in self.dismissed.get(cid, ())):
                    continue
                before = [one for age in range(life) for one in self.shown.get((age, cid), ()) if one.state]
                if before and (is_final(before[-1].state) or before[-1].state == NOT_SENT):
                    continue
                if not any(one.t <= latest for one in self.shown.get((life, cid), ())):
                    yield Violation("I22", start.n, f"{cid} was sent before the restart and is not shown after it")

    def _told_of(self, cid: str) -> bool:
        return self.faulty_journal or any(one.kind in OUTCOMES for one in self.journal[cid])

    def _painted(self) -> Iterator[Line]:
        for rows in self.shown.values():
            for line in rows:
                if line.kind == "shown":
                    yield line


class _Waits:
    """UNKNOWN rows that nobody has asked about yet, and what excuses that."""

    def __init__(self) -> None:
        self.since: dict[str, float] = {}
        self._states: dict[str, str] = {}
        self._asked: deque[float] = deque(maxlen=QUESTIONS)
        self._last: dict[str, float] = {}
        self._open: dict[str, float] = {}
        """When each question was asked that is not answered."""
        self._ready: float | None = None
        self._excused = 0.0

    def passed(self, line: Line, cid: str) -> None:
        if line.kind == "ready":
            self._ready = line.t
        elif line.kind in ("connect", "down"):
            self._ready = None
        elif line.kind == "clock" or (line.kind == "http" and line.code in (418, 429)):
            self._excused = line.t + REFUSED_FOR
        elif line.dir == "out" and line.kind == "ask":
            self._asked.append(line.t)
            self._last[cid] = self._open[cid] = line.t
            self.since.pop(cid, None)

    def failed(self, line: Line) -> None:
        """Asked, but the question found no way out; it counts for the pace all the same."""
        if line.t - self._last.get(line.cid, -REPLY_TIMEOUT) >= REPLY_TIMEOUT:
            self._asked.append(line.t)
        self.since.pop(line.cid, None)
        self._open.pop(line.cid, None)

    def answered(self, line: Line) -> None:
        self._open.pop(line.cid, None)

    def shown(self, line: Line) -> None:
        if line.state != UNKNOWN:
            self.since.pop(line.cid, None)
        elif self._states.get(line.cid) != UNKNOWN and not self._is_asked(line):
            self.since.setdefault(line.cid, line.t)
        self._states[line.cid] = line.state

    def _is_asked(self, line: Line) -> bool:
        """Whether a question of before is still on its way, or has just been."""
        last, still_open = self._last.get(line.cid), self._open.get(line.cid)
        just = last is not None and line.t - last < REPLY_TIMEOUT
        return just or (still_open is not None and line.t - still_open < ANSWER_WITHIN)

    def overdue(self, now: float) -> list[tuple[str, float]]:
        """Rows that should have been asked about by now; each is named once."""
        if not self.since:
            return []
        busy = len(self._asked) == QUESTIONS and now - self._asked[0] < VISIBLE_WITHIN + PAINT
        if self._ready is None or now < self._excused or busy:
            self.since = dict.fromkeys(self.since, now)
            return []
        late = [(cid, at) for cid, at in self.since.items() if now > max(at, self._ready) + VISIBLE_WITHIN + PAINT]
        for cid, _ in late:
            del self.since[cid]
        return late


def _figures(line: Line) -> tuple[str, str]:
    amount = str(Decimal(line.executed or "0").normalize())
    return ("CANCELLED" if line.state == "CANCELED" else line.state, amount)
