"""Footer: newest events, and hints for the keys that work where the focus is."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import islice
from typing import NamedTuple

from textual.strip import Strip

from tui.engine.event_line import EventLine, Level
from tui.interface.text import clean
from tui.workstation.model.display_context import DisplayContext
from tui.workstation.model.event_levels import PAST_ROLES, ROLES, SIGNS, Stay, find_warnings_to_clear
from tui.workstation.render.line_widget import LineWidget
from tui.workstation.render.palette import NEWS, Palette
from tui.workstation.render.pieces import Piece, pieces_width
from tui.workstation.render.strips import line
from tui.workstation.render.text import cut_at_word


class Hint(NamedTuple):
    """Hint for a key that works where the focus is."""

    action: str
    key: str
    """Display name of the key."""
    title: str

    @property
    def cells(self) -> int:
        """Width of the hint in the line of keys, in cells with the blanks after it."""
        return len(self.key) + len(self.title) + 3


Hints = Callable[[], list[Hint]]
"""Return the keys available now, most important first."""

NAMED_FROM = 60
"""Least width at which the name of the focused box stands before the keys."""

QUIT = "quit.ask"
CLEAR = "away.seen"
"""Action that takes warnings off."""
KILL_OPENERS = ("kill.open", "kill.open_text")
"""Actions that open the kill prompt; where one works, its key is always shown."""
KILL = "kill."
"""Begin of the names of what stays beside an answer: the key that opens the kill prompt, or those that answer it."""

ASKING = (
    *("prompt.yes", "prompt.no", "form.", "field.", "choice.next"),
    *("ticket.send", "ticket.confirm", "ticket.unask", "ticket.drop"),
)
"""Begins of the names of what answers an open ticket, form or question, or drops it."""
TAKING = (".take", ".close", ".leave")
"""Ends of the names of what carries out or closes an open line or list."""
COMPLETE = "line.complete"
"""Key that stays beside them while a line is typed."""
MOST_ASKING = 2
"""Most of those keys that stay beside an answer."""
MOST_EVENTS = 3
"""Most events in the line."""
KEYS_FROM = 100
"""Least width at which the line of keys keeps its keys while a warning waits for an outcome to be read."""
LOOKED_AT = 2 * MOST_EVENTS
"""Newest events among which those that matter are shown first."""

_KEPT_END = re.compile(r"(?:\. \S+ continues)?(?: \(×\d+\))?$")
"""Key by which typing goes on, and how often a key was refused, at the end of its event."""

_CLOSED = re.compile(
    r"question (?:closed: (?P<why>.+?)|expired:)(?:;|(?<=:)) nothing was done(?: \('.*'\))?"
    rf"(?P<end>{_KEPT_END.pattern})"
)
"""Question that closed by itself: why, its name, and what is kept at the end."""
_FILLING = re.compile(r" perp(?= )| now(?=, it was )|(?<=,) it(?= was )")
"""Words without which the reason says the same."""
_ENDED = re.compile(r"\S question (?:closed|expired): ")
"""Begin of what is said of a question that is gone, behind the sign of its level."""
_ORDER = re.compile(r"(?:BUY|SELL) ")
"""Begin of the words for an order in an event."""
BEFORE_FEES, GROSS = "before fees", "gross"
"""What a realised result is, and the same where there is little room."""
_LAST_FILL = re.compile(r"(FILL .+?), (?:with the fills before: )?(result .+)")
"""Fill that says the result of its order."""
_COST = re.compile(r"(?: (?:fee|rebate) [\d.]+(?: \w+)?)+(?=,.* result )")
"""What an order has cost or earned, before its result."""
_PERPETUAL = re.compile(r"(?<= )([A-Z]{3})[A-Z]*(?= \S+ perp\b)|(?<=\S) perp\b")
"""Letters of the venue of a perpetual, and the word for its kind, where the name has no room."""

_LONG_COIN = re.compile(r"(?<=[A-Z]{3} )(\S{4})\S{2,}(\S{3})(?= (?:LONG|SHORT)\b)")
"""Name of a coin that has no room, before its leg."""
_HOW_FAR = re.compile(r" \([\d.,]+ % (?:above|below)\)")
"""Words of an alert that tell how far a figure is beyond its bound."""

STAYS = " orders stay live if this program ends "
STAYS_AFTER_CRASH = " orders stay live if this program crashes "
"""What stands there with `cancel_all_on_quit` at `always`."""


def event_pieces(event: EventLine, view: DisplayContext, role: str = "") -> list[Piece]:
    """Build the line of an event: time, sign of its level, text.

    Args:
        event: Event line.
        view: Time format.
        role: Colour role; empty: that of its level.
    """
    role = role or ROLES[event.level]
    return [(f" {view.moment(event.wall_ms)} ", "dim"), (f"{SIGNS[event.level]} ", role), (event.text, role)]


def shorten_closed(text: str, cells: int) -> str:
    """Return why a question has closed by itself so short that the reason has room; at last that it closed is left out."""
    closed = _CLOSED.fullmatch(text)
    if closed is None:
        return text
    why, end = closed["why"], closed["end"]
    if why is None:
        forms = [text, f"question expired: nothing was done{end}", f"question expired{end}"]
    else:
        brief = _PERPETUAL.sub(r"\1", why)
        named, brief, briefest = (
            _FILLING.sub("", said.removeprefix("the position "))
            for said in (why, brief, _LONG_COIN.sub(r"\1…\2", brief))
        )
        # Without its first word the position, and not the question, would be what closed.
        begins = (f"question closed: {said}" for said in (f"{why}; nothing was done", why, named, brief))
        forms = [text, *(f"{said}{end}" for said in (*begins, brief, briefest, brief.partition(", ")[0]))]
    return next((form for form in forms if pieces_width([(form, "")]) <= cells), forms[-1])


def _fit_event(event: EventLine, pieces: list[Piece], cells: int) -> list[Piece]:
    """Shorten the line of an event that is too long; that of a question which closed leaves out its time at last."""
    *head, (_, role) = pieces
    starts = [head, [(" ", "dim"), *head[1:]]] if _CLOSED.fullmatch(event.text) else [head]
    for start in starts:
        room = cells - pieces_width(start)
        text = shorten_closed(put_order_last(event, room), room)
        if pieces_width([(text, role)]) <= room:
            break
    return _keep_end([*start, (text, role)], cells)


def put_order_last(event: EventLine, cells: int) -> str:
    """Return an order event's text with the result first and the order after it, shortened as needed for narrow lines.

    Where that has none either, the venue is shortened, then what it cost is left out beside its result, and what happens
    next: the price is not cut.
    """
    if fill := _LAST_FILL.fullmatch(event.text):
        brief = _PERPETUAL.sub(r"\1", fill[1])
        return f"{fill[2].replace(BEFORE_FEES, GROSS)} · {brief}"
    parts = event.text.split(": ")
    at = next((at for at, part in enumerate(parts) if event.key and _ORDER.match(part)), len(parts))
    # What is settled names its order first: the rest is what was said before.
    if at >= len(parts) - 1 or event.text.startswith("settled"):
        return event.text
    became, order = ": ".join((*parts[:at], *parts[at + 1 :])), parts[at]
    brief, kept = _PERPETUAL.sub(r"\1", order), _KEPT_END.search(became)
    next_left_out = became.partition("; ")[0] + (kept[0] if kept is not None else "")
    gross = _COST.sub("", became).replace(BEFORE_FEES, GROSS)
    forms = [f"{became} · {order}", f"{became} · {brief}", f"{next_left_out} · {brief}"]
    if gross != became:
        forms.insert(2, f"{gross} · {brief.removesuffix(' market')}")
    return next((form for form in forms if pieces_width([(form, "")]) <= cells), forms[0])


def fit_warning(event: EventLine, cells: int) -> str:
    """Return a warning's text, its pair shortened if the part before `;` does not fit; figures and keys stay whole."""
    text = put_order_last(event, cells)
    brief = _PERPETUAL.sub(r"\1", text)
    plainest = _HOW_FAR.sub("", brief) if event.by_alert else brief
    for form in (text, brief, plainest, _LONG_COIN.sub(r"\1…\2", plainest)):
        said, behind, _ = form.partition("; ")
        # Behind what is cut stands `…`.
        if pieces_width([(said, "")]) + 2 * bool(behind) <= cells:
            return form
    return plainest


def _keep_end(pieces: list[Piece], cells: int) -> list[Piece]:
    """Cut an event's text that is too long before its end, where the key to continue and the repeat count stand."""
    *head, (text, role) = pieces
    end, room = _KEPT_END.search(text), cells - pieces_width(head)
    if end is None or not end[0] or pieces_width([(text, role)]) <= room:
        return pieces
    return [*head, (cut_at_word(text[: end.start()], room - len(end[0])), role), (end[0], role)]


class _Seen(NamedTuple):
    """Event that is a candidate for the line of newest events, with the facts that decide its place."""

    event: EventLine
    news: bool
    """Whether it is recent."""
    wins: bool
    """Whether it goes before a waiting warning."""
    waits: bool
    """Whether it stays until the next key, so that the line of keys has it where this line has no room."""
    is_unread_alert: bool
    """Whether it is a recent alert of the screen itself, behind which no key was accepted."""

    @property
    def matters(self) -> bool:
        """Whether the event goes before newer notes: it is recent, and a warning, an answer or an outcome."""
        return self.news and (self.wins or self.event.level in (Level.WARN, Level.ALERT))

    @property
    def is_plain_outcome(self) -> bool:
        """Whether the event is a normal outcome of an order and does not answer a key."""
        return bool(self.event.key) and self.event.level in (Level.INFO, Level.GOOD) and not self.waits


class _EventLine(NamedTuple):
    """Line of newest events as arranged: pieces, shown events, and the text left to the line of keys."""

    pieces: list[Piece]
    left_out: list[Piece]
    """What belongs into the line of keys as long as both do not fit."""
    shown: list[_Seen]


def _rank(item: _Seen) -> int:
    """Return the rank of an event when not all fit: 0 what matters now, 1 what stays until the next key, 2 the rest."""
    return 0 if item.matters else 1 if item.waits else 2


def _put_alerts_first(seen: Sequence[_Seen]) -> list[_Seen]:
    """Move unread alerts before the normal outcomes of orders that came right after them."""
    arranged: list[_Seen] = []
    for item in seen:
        place = len(arranged)
        if item.is_unread_alert:
            while place and arranged[place - 1].is_plain_outcome:
                place -= 1
        arranged.insert(place, item)
    return arranged


class EventBar(LineWidget):
    """Line with the newest events, as many as fit; a text that is too long is cut at a word."""

    DEFAULT_CSS = "EventBar { width: 1fr; height: 1fr; }"

    def __init__(self, view: DisplayContext, palette: Palette) -> None:
        super().__init__(id="event")
        self.view = view
        self.palette = palette
        self.question = ""
        """Question of a prefix key, shown before the events."""
        self.has_news = False
        """Whether one of its events is highlighted as news."""
        self.on_answer: Callable[[], None] = lambda: None
        """Called when the answer to the last key may have appeared, changed or gone."""

    def find_newest_answer(self, since: float = 0.0) -> list[Piece]:
        """Return the newest event if it is recent and an alert or an answer to a key, to show elsewhere; else empty.

        Args:
            since: Monotonic time from which on an answer is read here, s; one from before was for another place.
        """
        mirror = self.view.mirror
        newest = next(zip(reversed(mirror.event_log.events), reversed(mirror.event_log.heard), strict=False), None)
        if newest is None:
            return []
        (number, event), heard = newest
        wins = event.level is Level.ALERT or (heard >= since and mirror.event_log.is_answer(number, event))
        shown = self.view.is_news(heard) and wins and mirror.event_log.is_shown(number, is_news=True)
        return event_pieces(event, self.view)[1:] if shown else []

    @property
    def answers_key(self) -> bool:
        """Whether the newest event answers the last key, so that it is shown before the names of other keys."""
        log = self.view.mirror.event_log
        newest = next(iter(reversed(log.events)), None)
        # An alert that the trader has set is no answer to a key.
        return newest is not None and log.stay_of(newest[0]) is not Stay.PUSHED_OUT and not newest[1].by_alert

    def redraw_all(self) -> None:
        super().redraw_all()
        self.on_answer()

    def render_line(self, y: int) -> Strip:
        del y
        arranged = self._arrange()
        self.has_news = any(item.news for item in arranged.shown)
        return line(arranged.pieces, self.outer_size.width, self.palette)

    @property
    def left_out(self) -> list[Piece]:
        """Waiting warning replaced by a newer event, else an event kept until the next key that does not fit; else empty."""
        return self._arrange().left_out

    def _arrange(self) -> _EventLine:
        """Arrange the newest events, those that matter first where not all have room."""
        log = self.view.mirror.event_log
        newest = zip(reversed(log.events), reversed(log.heard), strict=False)
        seen = list(islice(self._visible_events(newest, self._held), LOOKED_AT))
        staying = self._visible_events(log.list_staying(), self._held)
        seen += [item for item in staying if all(item.event is not other.event for other in seen)]
        waits = [item for item in seen if item.waits]
        # The line of keys has room for one of them.
        first = waits[0] if len(waits) > 1 else None
        arranged = self._fill(seen)
        if any((item.matters or item.waits) and item not in arranged.shown for item in seen):
            ranked = sorted(seen, key=lambda item: (_rank(item), item is not first))
            arranged = self._fill(_put_alerts_first(ranked))
        waiting = next((item for item in seen if item.waits and item.news and item not in arranged.shown), None)
        if waiting is None:
            return arranged
        # It goes with the next key; a warning stays and comes back.
        return arranged._replace(left_out=event_pieces(waiting.event, self.view)[1:])

    def _fill(self, seen: Sequence[_Seen]) -> _EventLine:
        """Fill the line with events in their order until the width is used up."""
        pieces: list[Piece] = [(f" ? {self.question}", "warn")] if self.question else self._sticky()
        mirror = self.view.mirror
        held, left_out, shown = self._held, list[Piece](), list[_Seen]()
        skipped = False
        for item in seen[:MOST_EVENTS]:
            # A warning that came after an answer is read first, but not an alert that the trader has set.
            is_behind = bool(held) and item.event.wall_ms < held[0].wall_ms and not held[0].by_alert
            wins = item.wins and not is_behind
            if skipped and not wins:
                continue
            role = (ROLES if item.news else PAST_ROLES)[item.event.level]
            more = event_pieces(item.event, self.view, NEWS.get(role, role) if item.news else role)
            if pieces and pieces_width(pieces) + pieces_width(more) + 3 > self.outer_size.width:
                if shown or not held or self.question or item.event in mirror.event_log.sticky:
                    break
                if not wins:
                    waits = event_pieces(item.event, self.view)[1:] if item.waits else []
                    left_out, skipped = left_out or waits, True
                    continue
                # What has just happened is read first; the warning keeps a mark, and comes back after it.
                pieces = self._mark_held()
                # A key that keeps what it names has to name it.
                is_named = (self.outer_size.width < KEYS_FROM or self._keeps) and not held[0].by_alert
                left_out = self._describe_held(held[0]) if is_named else []
            room = self.outer_size.width - (pieces_width(pieces) + 3 if pieces else 0)
            if pieces_width(more) > room:
                more = _fit_event(item.event, more, room)
            pieces += [("   ", "faint"), *more] if pieces else more
            shown.append(item)
        return _EventLine(pieces, left_out, shown)

    def _visible_events(
        self, newest: Iterable[tuple[tuple[int, EventLine], float]], held: Sequence[EventLine]
    ) -> Iterator[_Seen]:
        """Yield the newest events to show.

        Left out are `held` ones, those cleared, and those that a later one with the same cause has settled.
        """
        log, settled = self.view.mirror.event_log, set[str]()
        for (number, event), heard in newest:
            news, is_over = self.view.is_news(heard), event.cause in settled or event in log.cleared
            if event.cause:
                settled.add(event.cause)
            if event not in held and not is_over and log.is_shown(number, is_news=news):
                wins = event.level is Level.ALERT or log.is_answer(number, event)
                # One that the trader has set goes before nothing.
                is_alert = event.level is Level.ALERT and not (event.by_alert or event.sticky)
                is_unread = news and is_alert and log.is_unread(number)
                yield _Seen(event, news, news and wins, log.stay_of(number) is Stay.ANSWERED, is_unread)

    def _describe_held(self, warning: EventLine) -> list[Piece]:
        """Build the text of a waiting warning for the line of keys, with the key that clears it."""
        key: list[Piece] = [(f" {self._name_clear_key()[0]}  ", "key")] if self.view.works_here(CLEAR) else []
        return [*event_pieces(warning, self.view)[1:], *key]

    def _mark_held(self) -> list[Piece]:
        """Build the mark `[!]` with the number of waiting warnings, shown when their text has no room."""
        return [(" [!]", "key"), (f"{len(self.view.mirror.event_log.sticky)}", "alert")]

    @property
    def _keeps(self) -> bool:
        """Whether the key that clears warnings now keeps what the first warning names, instead of only clearing it."""
        mirror = self.view.mirror
        return find_warnings_to_clear(mirror.event_log.sticky, mirror.engine_status).kept

    def _name_clear_key(self) -> tuple[str, int]:
        """Return the hint of the key that clears warnings, with their number, and how many then still wait."""
        mirror = self.view.mirror
        waiting = mirror.event_log.sticky
        to_clear = find_warnings_to_clear(waiting, mirror.engine_status)
        taken = len(to_clear.lines)
        return f"[!] {to_clear.choose_word('clear', 'keep')}{f' {taken}' if taken > 1 else ''}", len(waiting) - taken

    @property
    def _held(self) -> list[EventLine]:
        """First waiting warning, and the state that is shown in its place; empty if none waits."""
        urgent = self._find_urgent()
        return self.view.mirror.event_log.sticky[:1] + ([] if urgent is None else [urgent])

    def _find_urgent(self) -> EventLine | None:
        """Return the state that stands in place of a waiting alert of the trader; None if no alert waits first."""
        waiting = self.view.mirror.event_log.sticky
        if not waiting or not waiting[0].by_alert:
            return None
        from tui.workstation.model.urgent_state import find_urgent

        return find_urgent(waiting[0], self.view)

    def _sticky(self) -> list[Piece]:
        """Build the text of the first waiting warning, with the key that clears it and the number of further ones.

        A state that is more urgent stands in its place, behind the mark of what waits.
        """
        waiting = self.view.mirror.event_log.sticky
        if not waiting:
            return []
        if (urgent := self._find_urgent()) is not None:
            mark = self._mark_held()
            room = self.outer_size.width - pieces_width(mark)
            return [*mark, *_fit_event(urgent, event_pieces(urgent, self.view), room)]
        clear_key, others = self._name_clear_key()
        if not self.view.works_here(CLEAR):
            clear_key, others = f"[!]{len(waiting)}", 0
        first = event_pieces(waiting[0], self.view)
        text, role = clean(first[2][0]), first[2][1]
        # The count gives way before the end of the text, which is often the figure it is about.
        for more in (f" and {others} more", f" +{others}") if others else ("",):
            key: list[Piece] = [(f" {clear_key}", "key"), (more, "warn")]
            room = max(1, self.outer_size.width - pieces_width(first[:2]) - pieces_width(key))
            if pieces_width([(text, role)]) <= room:
                break
        else:
            text = clean(fit_warning(waiting[0], room))
        return [*first[:2], (cut_at_word(text, room), role), *key]


def _fit_hints(hints: Sequence[Hint], room: int) -> list[Hint]:
    """Return the leading key hints that fit into `room` cells; the kill prompt's hint is always included."""
    kill = next((hint for hint in hints if hint.action in KILL_OPENERS), None)
    fit: list[Hint] = []
    for hint in hints:
        kept = 0 if kill is None or kill in (hint, *fit) else kill.cells
        if sum(shown.cells for shown in fit) + hint.cells + kept > room:
            if hint.action == QUIT:
                continue  # a shorter one behind it may fit
            break
        fit.append(hint)
    return fit if kill is None or kill in fit else [*fit, kill]


def _count_cells(hint: Hint) -> int:
    """Return the width of a hint beside an answer, in cells with a blank; without a title, only the key counts."""
    return hint.cells - 1 if hint.title else len(hint.key) + 1


class KeyBar(LineWidget):
    """Line with hints for the keys that work where the focus is."""

    DEFAULT_CSS = "KeyBar { width: 1fr; height: 1fr; }"

    def __init__(
        self,
        view: DisplayContext,
        palette: Palette,
        hints: Hints,
        press_key: Callable[[str], None],
        place: Callable[[], str],
        answer: Callable[[], list[Piece]],
        answers_key: Callable[[], bool],
    ) -> None:
        """Initialize the line.

        Args:
            view: Settings.
            palette: Colours.
            hints: Return the keys to show.
            press_key: Run an action by id, after a mouse press on its key.
            place: Return the name of the box with the focus; empty if none has it.
            answer: Return the answer to the last key that no line of events shows; it is shown instead of the keys.
            answers_key: Return whether it is what the desk itself says to that key.
        """
        super().__init__(id="keys")
        self._view = view
        self._press_key = press_key
        self.palette = palette
        self._hints = hints
        self._place = place
        self._answer = answer
        self._answers_key = answers_key
        self._answer_drawn: list[Piece] = []
        self._hints_drawn: list[Hint] = []
        self._spans: list[tuple[range, str]] = []
        """Cells of each drawn key, and its action."""

    def render_line(self, y: int) -> Strip:
        del y
        width = self.outer_size.width
        place = self._place() if width >= NAMED_FROM else ""
        pieces: list[Piece] = [(f" {place}  ", "title-focus")] if place else [(" ", "dim")]
        self._answer_drawn = self._answer()
        if self._answer_drawn:
            return self._answer_line(pieces, self._answer_drawn, width)
        used = pieces_width(pieces)
        cancels = self._view.settings.cancel_all_on_quit == "always" and not self._view.why_read_only
        stays = STAYS_AFTER_CRASH if cancels else STAYS
        right: list[Piece] = [(stays, "faint")] if width >= 140 else []
        room = width - pieces_width(right)
        self._spans = []
        self._hints_drawn = self._hints()
        for hint in _fit_hints(self._hints_drawn, room - used):
            self._spans.append((range(used, used + hint.cells - 2), hint.action))
            used += hint.cells
            pieces += [(hint.key, "key"), (f" {hint.title}  ", "dim")]
        return line(pieces, width, self.palette, right)

    def follow_hints(self) -> None:
        """Redraw the line if other keys work than those drawn, such as on another row."""
        if self._hints_drawn != self._hints():
            self.redraw_all()

    def follow_answer(self) -> None:
        """Redraw the line if the answer to the last key changed since it was drawn."""
        if self._answer() != self._answer_drawn:
            self.redraw_all()

    def _answer_line(self, place: list[Piece], told: list[Piece], width: int) -> Strip:
        """Draw an answer to the last key, between the name of the focused box and the hints of the keys that stay.

        They are those that answer, carry out or close what is open, and those of the kill prompt; to what the desk says
        to the last key, those of a line or a list give way.
        """
        hints = self._hints_drawn = self._hints()
        others = [hint for hint in hints if not hint.action.startswith(KILL)]
        stay = () if self._answers_key() else (*TAKING, COMPLETE)
        kept = [hint for hint in others if hint.action.startswith(ASKING) or hint.action.endswith(stay)][:MOST_ASKING]
        kept += [hint for hint in others if hint.action == COMPLETE and stay and hint not in kept]
        if len(kept) > MOST_ASKING and width < KEYS_FROM:
            # Their names would leave nothing of what is told.
            place, kept = [(" ", "dim")], [hint._replace(title="") for hint in kept]
        kept += [hint for hint in hints if hint.action.startswith(KILL)]
        at = begin = width - sum(map(_count_cells, kept))
        right, self._spans = list[Piece](), []
        for hint in kept:
            right += [(hint.key, "key"), (f" {hint.title} " if hint.title else " ", "dim")]
            self._spans.append((range(at, at + _count_cells(hint)), hint.action))
            at += _count_cells(hint)
        ends = [piece for piece in told if piece[1] == "key"]
        room = max(0, begin - pieces_width([*place, *ends]) - 2)
        said = [piece for piece in told if piece not in ends]
        told_whole = clean("".join(text for text, _ in said)).strip()
        if _ENDED.match(told_whole) and pieces_width([(told_whole, "")]) > room:
            # The name of the box leaves its room to why the question is gone.
            place, room = [(" ", "dim")], max(0, begin - 1 - pieces_width(ends) - 1)
            sign, text = told_whole[:2], shorten_closed(told_whole[2:], room - 2)
            said = _keep_end([(sign, said[-1][1]), (text, said[-1][1])], room)
        text = cut_at_word("".join(text for text, _ in said).strip(), room)
        return line([*place, (text, said[-1][1]), *ends], width, self.palette, right)

    def press_mouse(self, x: int, y: int) -> None:
        """Run the action of the key under the mouse."""
        del y
        action = next((action for span, action in self._spans if x in span), "")
        if action:
            self._press_key(action)
