"""Guard that decides whether a key press may send an order, a replace, a close or a transfer.

Pure: each key carries its time, so that tests run on virtual time. Only a fresh press sends: no held key, no burst of
keys, not the key that opened a ticket or moved between its fields, and no line shown too briefly to be read.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Collection, Hashable
from enum import Enum, StrEnum
from typing import NamedTuple

from tui.engine.modes import LEAST_BEHIND_MOVE_MS, LEAST_REARM_MS, LEAST_SHOWN_MS
from tui.workstation.input.stray_typing import Press, StrayTyping

STOOD_S = LEAST_SHOWN_MS / 1000
"""Seconds that a line must have been shown before a press sends it."""
MOVED_S = LEAST_BEHIND_MOVE_MS / 1000
"""Seconds that it must have been shown after a key that moved the focus or was refused."""
BURST_KEYS = 8
"""Characters within `BURST_S` that make a burst; as many messages behind a character do too."""
BURST_S = 0.03
"""Seconds between two keys below which no hand has pressed both."""
IN_A_BURST = "came in one burst with other keys"
MANY_TIMES = "came many times, like a held key"
"""Why a key is refused that came again and again in one burst, as one held over a slow connection."""
OPENED, WALKED = "this key opened the ticket or form", "this key moved between the fields"
TAKEN_BACK = "Esc undid the typing"
"""With the two above: what was done with a key that then does not send the same ticket, form or question."""
TAKES = "this price takes at once"
"""Why Enter does not send a ticket that was not meant to take, while it would."""
MOST_SUBJECTS = 8
"""Number of tickets, forms and questions whose opening key is remembered."""
SECOND_S = 2.0
"""Time after a press that sent something, or its second half, in which the next one is such a half: it opens nothing, s."""
QUICK_S = 0.12
"""Seconds within which a repeated key comes from the keyboard and needs no answer."""


def describe_ignored(key: str, why: str) -> str:
    """Return the text that a key was ignored, with the reason."""
    return f"{key} {why}: ignored"


def describe_refused_enter(came: str, sends: str = "enter") -> str:
    """Return the text for an Enter ignored because of how it came, and the key that sends now: `enter` again, or `y`."""
    then = "press it again" if sends == "enter" else f"press {sends} to send"
    return f"Enter {came}: not sent; {then}"


def describe_joined(key: str) -> str:
    """Return the text that a key was ignored because it came in one burst with a refused Enter."""
    return f"Enter and {key} came in one burst: ignored"


def add_way_on(why: str, action: str) -> str:
    """Append to the reason of a refusal the action, as `⟦id⟧`, whose key lets typing go on."""
    return f"{why}. ⟦{action}⟧ continues"


def leave_out_way_on(text: str, key: str) -> str:
    """Return the reason of a refusal without the words that name the key to continue, which is shown beside it."""
    why, said, _ = text.partition(f" {key} continues")
    return why if said else text


class Rule(StrEnum):
    """Rule of the guard for key presses; tests switch rules off one by one to show which accident each prevents."""

    REPEAT = "repeat"
    """The same key was pressed within `key_rearm`, with no other key between."""
    OPENER = "opener"
    """The key opened this ticket, moved between its fields, or was refused in it."""
    STOOD = "stood"
    """The line to send has not been shown long enough."""
    MOVED = "moved"
    """The line must be shown longer after a key that moved the focus or was refused."""
    BLOCKED = "blocked"
    """After a refused key, a ticket accepts no key until its field is changed on purpose."""
    STRAY = "stray"
    """Digits typed on a list are meant for a field: Enter and staging keys after them are refused. Letters typed for a
    line that did not open act on nothing."""
    BURST = "burst"
    """More keys at once than a hand types."""
    JOINED = "joined"
    """The key came in one read with another key."""
    FROZEN = "frozen"
    """The screen is frozen."""
    PASSED = "passed"
    """A request needs a press that the guard has passed."""
    SIDE = "side"
    """The form of a quote has no side until one is chosen."""
    PAUSE = "pause"
    """A ticket without the focus is paused and sends nothing."""
    PRICE = "price"
    """A question keeps the price it asks about."""
    PANIC = "panic"
    """X opens the kill prompt even in the number fields of a ticket."""
    NAMED = "named"
    """A key for a row to which the program moved the cursor first names that row."""


EVERY_RULE = frozenset(Rule)


class PressVerdict(Enum):
    """Verdict on a key press that would send something."""

    SEND = "send"
    WAIT = "wait"
    """The press counts once the line has been shown long enough, unless another key comes."""
    REFUSE = "refuse"


class PressDecision(NamedTuple):
    """Decision about one key press, with the reason."""

    verdict: PressVerdict
    why: str = ""
    """Text for the trader; empty where a held key needs no answer."""
    wait_s: float = 0.0
    """Seconds to wait."""


class PressFacts(NamedTuple):
    """Measured facts of a key press that may send, which the gateway checks again; None where a rule is off."""

    key: str
    at: float
    """Time at which it was read from the terminal, s."""
    again_s: float | None = None
    """Time since the same key before, s; None with another key between."""
    stood_s: float | None = None
    """Time for which the line had been shown, s."""
    moved_s: float | None = None
    """Time since the key directly before, which moved the focus or was refused, s; None: it did neither."""


class Content(NamedTuple):
    """Content of a line to send, in two parts: what the trader chose, and what depends on the market."""

    meant: Hashable
    """What the trader chose and was asked."""
    market: Hashable
    """What the market makes of it, such as whether it would take."""


class WrittenLine:
    """Line that a key press would send, and the time from which it has been shown unchanged."""

    def __init__(
        self,
        subject: Callable[[], Hashable],
        content: Callable[[], Hashable],
        find_key: Callable[[], str] = lambda: "",
    ) -> None:
        """Initialize with a line that is not shown yet.

        Args:
            subject: Ticket, form or question of the line.
            content: What would be sent now, without a price that follows the market.
            find_key: Return the key that sends it; empty: the one that is pressed.
        """
        self._subject, self._content, self.find_key = subject, content, find_key
        self._drawn: tuple[Hashable, Hashable] | None = None
        self._since = float("inf")
        self._was_moved = False
        """Whether the drawing before differs only in what the market makes of it."""

    @property
    def subject(self) -> Hashable:
        return self._subject()

    def note_drawing(self, at: float) -> None:
        """Record that the line was drawn; its time restarts only if the content changed."""
        now = (self._subject(), self._content())
        if now != self._drawn:
            self._was_moved = self._differs_by_market(now)
            self._drawn, self._since = now, at

    @property
    def since(self) -> float:
        """Time from which the current line has been shown; infinity if it was not drawn yet."""
        return self._since if (self._subject(), self._content()) == self._drawn else float("inf")

    @property
    def is_moved_by_market(self) -> bool:
        """Whether the newest change of the line came from the market and not from the trader."""
        now = (self._subject(), self._content())
        return self._was_moved if now == self._drawn else self._differs_by_market(now)

    def _differs_by_market(self, now: tuple[Hashable, Hashable]) -> bool:
        """Return whether a line differs from the one drawn only in the part that depends on the market."""
        (subject, content), (drawn_subject, drawn) = now, self._drawn or (None, None)
        if not isinstance(content, Content) or not isinstance(drawn, Content):
            return False
        return (subject, content.meant) == (drawn_subject, drawn.meant)

    def forget(self) -> None:
        """Forget the drawing, because the line is no longer on the screen."""
        self._drawn, self._since = None, float("inf")


class TakingWatch(NamedTuple):
    """Ticket of an order meant to rest in the book, with a check whether it would execute at once."""

    subject: Hashable
    takes: Callable[[], bool]
    """Whether it would take now."""
    took_at_first: bool
    """Whether it would have taken when it was opened."""


class FreshPress:
    """Record of all key presses with their times, from which it decides what a key press may send."""

    _refused_enter: tuple[Hashable, int] | None = None
    """Ticket that refused an Enter in a burst, and the number of that burst."""
    _taking: TakingWatch | None = None
    """Ticket that is not meant to take, whether it would take now, and whether it would have when it was opened."""
    _named: Hashable = None
    """Ticket, form or question for which the trader was told that `y` sends it."""

    def __init__(self, rearm_s: float, rules: frozenset[Rule] | None = None) -> None:
        """Initialize without any key press.

        Args:
            rearm_s: Pause for the same key, s; outside HOT at least `LEAST_REARM_MS`.
            rules: Rules in force; None: all.
        """
        self.typing = StrayTyping()
        """Typing that no field takes."""
        self.use_rules(EVERY_RULE if rules is None else rules)
        self.hot = False
        """Whether one key sends (HOT): the pause then applies to each key alone, and may be shorter."""
        self._rearm_s = rearm_s
        self._printable: deque[float] = deque(maxlen=BURST_KEYS)
        self._seen_at: dict[str, float] = {}
        self._key, self._at = "", float("-inf")
        self.acted_at = float("-inf")
        """Time of the current key press or click, s."""
        self._before = ""
        """Previous key."""
        self._gap = float("inf")
        """Seconds since the same key was last pressed."""
        self._done, self._sent_number, self._sent_at = "", -1, float("-inf")
        """Key that has done what it was pressed for and is still held; number and time of the last press that sent."""
        self._burst_until = float("-inf")
        self._joined = False
        self._same_count = 0
        """How often the current key came in the present burst; 0 with another key among them."""
        self._burst_number = 0
        """Number of the first key of the present burst."""
        self._spent: dict[Hashable, dict[str, str]] = {}
        """By ticket, form or question: keys that opened it or moved in it, with their effect."""
        self._refused: dict[Hashable, set[str]] = {}
        """Keys refused in a ticket until it is changed on purpose."""
        self._moved_at, self._moved_number = float("-inf"), -1
        """Time and number of the last key that moved the focus or was refused."""
        self._accepted: PressFacts | None = None
        """Current key press, if the guard allowed it to send."""
        self._number = 0

    def use_rules(self, rules: frozenset[Rule]) -> None:
        """Set the rules in force."""
        self.rules = rules
        self.typing.enabled = Rule.STRAY in rules

    # Recording

    def record_key(
        self, key: str, at: float, waiting: int = 0, next_at: float | None = None, *, printable: bool
    ) -> None:
        """Record a key press before it takes effect.

        Args:
            key: Name of the key.
            at: Time at which it was read from the terminal, s.
            waiting: Number of messages behind it; many are the start of a burst.
            next_at: Time of the key behind it, if any; a short distance marks the start of a paste.
            printable: Whether it would type a character.
        """
        previous = self._at
        self._number += 1
        self._accepted = None
        self._gap = at - self._seen_at.get(key, float("-inf"))
        self._seen_at[key] = at
        self._before, self._key, self._at = self._key, key, at
        self.acted_at = at
        behind = abs(at - previous) < BURST_S
        self._joined = behind or (next_at is not None and next_at - at < BURST_S)
        if not behind:
            self._burst_number = self._number
        same = self._before == key and self._same_count > 0
        self._same_count = 1 if not behind else self._same_count + 1 if same else 0
        if self._done and (key != self._done or self._gap >= self.rearm_s):
            self._done = ""
        self.typing.follow(
            Press(key, self._before, at, self._number, self._joined), held=self._follows_itself(self._usual_rearm_s)
        )
        if printable:
            if len(self._printable) == BURST_KEYS and at - self._printable[0] < BURST_S:
                self._burst_until = at + BURST_S
            self._printable.append(at)
            if waiting >= BURST_KEYS:
                self._burst_until = at + BURST_S

    def record_opener(self, subject: Hashable) -> None:
        """Record that the current key opened a ticket, form or question, which the same key then cannot send."""
        self._spent[subject] = {self._key: OPENED}
        while len(self._spent) > MOST_SUBJECTS:
            del self._spent[next(iter(self._spent))]

    def record_walk(self, subject: Hashable) -> None:
        """Record that the current key moved between the fields of a ticket, so that this key does not send it."""
        self._spent.setdefault(subject, {}).setdefault(self._key, WALKED)
        self.record_move()

    def take_back(self, subject: Hashable) -> None:
        """Record that the current key undid typing in a ticket, so that Enter does not send the restored values."""
        self._spent.setdefault(subject, {})["enter"] = TAKEN_BACK

    def record_taking(self, subject: Hashable, takes: Callable[[], bool]) -> None:
        """Record that a ticket is meant to rest: while `takes` says it would execute at once, Enter does not send it."""
        self._taking = TakingWatch(subject, takes, took_at_first=takes())

    def record_move(self) -> None:
        """Record that the current key moved the focus or was refused, so that a line must be shown longer before a send."""
        self._moved_at, self._moved_number = self._at, self._number

    def refuse(self, subject: Hashable) -> None:
        """Record that the ticket refused the current key, which then does not send until a field is corrected."""
        if subject not in self._refused:
            self._refused = {subject: set()}
        self._refused[subject].add(self._key)
        self.record_move()

    def record_refused_enter(self, subject: Hashable) -> None:
        """Record that the ticket refused the current Enter because it came in a burst."""
        self._refused_enter = (subject, self._burst_number)

    def name_y(self, subject: Hashable) -> None:
        """Record that the trader was told to send a ticket by `y`; then `y` sends it even if the market changes it."""
        self._named = subject

    def clear_refusals(self, subject: Hashable) -> None:
        """Forget the keys that a ticket refused, because the trader corrected a field."""
        self._refused.pop(subject, None)

    def record_send(self) -> None:
        """Record that the current key sent something, or carried out a line."""
        self.record_done()
        self._sent_number, self._sent_at = self._number, self._at

    def record_second(self) -> None:
        """Record that the current key was ignored as a double press after one that sent; a further one is ignored too."""
        self._sent_number, self._sent_at = self._number, self._at

    def record_done(self) -> None:
        """Record that the current key has had its effect, so that holding it down sends nothing."""
        self._done = self._key

    # Queries

    @property
    def rearm_s(self) -> float:
        """Seconds that must pass between two presses of the same key before the second may send."""
        return self._rearm_s if self.hot else self._usual_rearm_s

    @property
    def _usual_rearm_s(self) -> float:
        """Seconds between two presses of the same key before the second may send, outside HOT."""
        return max(self._rearm_s, LEAST_REARM_MS / 1000)

    @property
    def number(self) -> int:
        """Number of key presses so far; unchanged if no key was pressed in between."""
        return self._number

    @property
    def before(self) -> str:
        """Key pressed before the current one."""
        return self._before

    @property
    def held(self) -> bool:
        """Whether the current key has had its effect and is still held down."""
        return bool(self._done) and self._key == self._done and Rule.REPEAT in self.rules

    @property
    def is_pressed_twice(self) -> bool:
        """Whether the press directly before, of the same key or of `y`, has just sent: this is one press too many."""
        again = self._before in (self._key, "y") and self._number == self._sent_number + 1
        return again and self._at - self._sent_at < SECOND_S and Rule.REPEAT in self.rules

    @property
    def is_repeated(self) -> bool:
        """Whether the previous key was the same and less than `rearm_s` ago, as from a key held down."""
        return self._follows_itself(self.rearm_s)

    @property
    def is_repeating(self) -> bool:
        """Whether the current press may repeat a held key, by the time that holds outside HOT, even in HOT."""
        return self._follows_itself(self._usual_rearm_s) and Rule.REPEAT in self.rules

    def _follows_itself(self, within_s: float) -> bool:
        """Return whether the previous key was the same and came less than `within_s` seconds ago."""
        return self._before == self._key and self._gap < within_s

    @property
    def burst(self) -> bool:
        """Whether the current key press belongs to a burst that is faster than typing."""
        return Rule.BURST in self.rules and self._at <= self._burst_until

    @property
    def is_joined(self) -> bool:
        """Whether the current key press arrived together with another one, as in a paste without bracketed paste mode."""
        return Rule.JOINED in self.rules and self._joined

    @property
    def how_joined(self) -> str:
        """Text that says how the current burst came: one key many times, or several keys at once."""
        return MANY_TIMES if self.repeats_at_once else IN_A_BURST

    @property
    def repeats_at_once(self) -> bool:
        """Whether the current burst consists of one key that came several times."""
        return self._same_count > 1

    def is_behind_refused_enter(self, subject: Hashable) -> bool:
        """Return whether the current key came in the burst in which the ticket refused Enter."""
        return self.is_joined and self._refused_enter == (subject, self._burst_number)

    def follows(self, keys: Collection[str]) -> bool:
        """Return whether one of `keys` was pressed directly before the present key, as the dot before a digit."""
        return Rule.STRAY in self.rules and self._before in keys

    @property
    def passed(self) -> bool:
        """Whether the guard allowed the current key press to send a request."""
        return self._accepted is not None or Rule.PASSED not in self.rules

    @property
    def accepted(self) -> PressFacts | None:
        """Facts of the current key press if the guard allowed it to send, else None."""
        return self._accepted

    def is_opener(self, subject: Hashable) -> bool:
        """Return whether the current key opened the ticket or form."""
        return self._spent.get(subject, {}).get(self._key) == OPENED

    def is_held_opener(self, subject: Hashable) -> bool:
        """Return whether the current key opened the ticket or form and is still held down."""
        return self.is_opener(subject) and self._gap < self.rearm_s

    def is_refused(self, subject: Hashable, key: str = "") -> bool:
        """Return whether the ticket refused a key (empty: the current one), and was not corrected since."""
        return (key or self._key) in self._refused.get(subject, ())

    def is_spent(self, subject: Hashable, key: str) -> bool:
        """Return whether a key cannot send the ticket: it opened it, moved in it, follows an undo, or the order takes."""
        return Rule.OPENER in self.rules and bool(self._why_spent(subject, key))

    def is_y_named(self, subject: Hashable) -> bool:
        """Return whether the trader was told to send a ticket by `y`: it took when opened, or Enter was refused."""
        taking = self._taking
        return self._named == subject or (taking is not None and taking.subject == subject and taking.took_at_first)

    def _why_spent(self, subject: Hashable, key: str) -> str:
        """Return why this key does not send the ticket; an empty text if it does."""
        taking = self._taking
        if key == "enter" and taking is not None and taking.subject == subject and taking.takes():
            return TAKES
        return self._spent.get(subject, {}).get(key, "")

    # Decision

    def decide(
        self, subject: Hashable, since: float, *, typed: bool = False, moved: bool = False, sends: str = ""
    ) -> PressDecision:
        """Decide whether the current key press may send the line on the screen.

        Args:
            subject: Ticket, form or question of the line.
            since: Time since which the line is shown, s; infinity: not yet.
            typed: Whether the previous key typed part of the line; an early press then waits instead of being refused.
            moved: Whether the market or a position made the newest change of the line: then no press waits for it.
            sends: Key that sends the line, which a refusal names; empty: the one that was pressed.
        """
        other = "" if sends == self._key else sends
        if other == "y":
            self.name_y(subject)
        repeat, opener = self._check_repeat(other), self._check_opener(subject)
        # With two reasons to tell, the one that a pause alone does not remove is told.
        refusal = opener if repeat is None or (repeat.why and opener) else repeat
        refusal = refusal or self._check_burst()
        if refusal is not None:
            return refusal
        wait = self._wait_s(since)
        if wait <= 0:
            self.accept_press(since, self._at)
            return PressDecision(PressVerdict.SEND)
        if typed and not moved and wait <= STOOD_S:
            return PressDecision(PressVerdict.WAIT, wait_s=wait)
        return PressDecision(PressVerdict.REFUSE, self._explain_wait(since, other, moved=moved))

    def _explain_wait(self, since: float, other: str, *, moved: bool) -> str:
        """Say why the line must be shown longer, and the key that sends it: the same again, or another one."""
        again = f"press {other} to send" if other else "press it again"
        if moved and since + STOOD_S > self._at:
            return f"it has just changed by itself: read it, then press {other or f'{self._key} again'}"
        if self._number - self._moved_number <= 1 and since + STOOD_S <= self._at:
            return f"pressed too soon after a key that moved the focus or was refused: {again}"
        return f"pressed before the line could be read: {again}"

    def accept_press(self, since: float, now: float) -> None:
        """Allow the current key press to send at `now`, s; `since` is the time from which its line has been shown."""
        again_s = None if self._is_other_between or Rule.REPEAT not in self.rules else self._gap
        stood_s = now - since if Rule.STOOD in self.rules else None
        self._accepted = PressFacts(
            self._key, self._at, again_s, stood_s, now - self._moved_at if self._is_behind_move else None
        )

    @property
    def _is_behind_move(self) -> bool:
        """Whether the key before moved the focus or was refused, or the current one did."""
        return Rule.MOVED in self.rules and self._number - self._moved_number <= 1

    @property
    def _is_other_between(self) -> bool:
        """Whether the previous key was another one, so that the current key needs no pause; False in HOT."""
        return self._before != self._key and not self.hot

    def _check_repeat(self, other: str) -> PressDecision | None:
        """Return a refusal if the same key was pressed within the rearm time (rule `REPEAT`), else None."""
        if Rule.REPEAT not in self.rules or self._is_other_between or self._gap >= self.rearm_s:
            return None
        pause = f"{self.rearm_s:.1f}".rstrip("0").rstrip(".")
        then = f"press {other} to send" if other else "press once"
        why = "" if self._gap < QUICK_S else f"pressed again within {pause} s; release it, then {then}"
        return PressDecision(PressVerdict.REFUSE, why)

    def _check_opener(self, subject: Hashable) -> PressDecision | None:
        """Return a refusal if the key opened the ticket, moved in it or was refused there (rule `OPENER`), else None."""
        if Rule.OPENER not in self.rules:
            return None
        if self.is_refused(subject):
            return PressDecision(PressVerdict.REFUSE, "this key was refused here: correct the field first")
        why = self._why_spent(subject, self._key)
        return PressDecision(PressVerdict.REFUSE, f"{why}: press y to send") if why else None

    def _check_burst(self) -> PressDecision | None:
        """Return a refusal if the key came in a burst (rules `BURST`, `JOINED`), else None."""
        return PressDecision(PressVerdict.REFUSE, IN_A_BURST) if self.burst or self.is_joined else None

    def _wait_s(self, since: float) -> float:
        """Return for how many more seconds the line must be shown; longer right after a key that moved or was refused."""
        stood = since + STOOD_S - self._at if Rule.STOOD in self.rules else 0.0
        moved = self._moved_at + MOVED_S - self._at if self._is_behind_move else 0.0
        if since == float("inf") and Rule.STOOD in self.rules:
            return STOOD_S if moved <= STOOD_S else moved
        return max(stood, moved)
