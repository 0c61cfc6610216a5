"""Whether a press may send: one decision for all that places, replaces, closes or moves money.

Pure: every key comes with its time, so it runs on virtual time. A key press that sends is a fresh one. Held keys, bursts,
the key that opened or walked a ticket, and a line that nobody can have read yet send nothing.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Hashable
from enum import Enum, StrEnum
from typing import NamedTuple

from tui.workstation.settings import LEAST_REARM_MS

STOOD_S = 0.15
"""How long a line must have stood before a press sends it."""
MOVED_S = 0.4
"""The same behind a key that moved the focus or was refused."""
STRAY_S = 1.0
"""Digits on a list within this time are typing; so long without a key ends it."""
WALKED_S = 0.4
"""Keys of panes at least so far apart, which all went to their pane, are no figure: a typing hand is faster."""
BURST_KEYS = 8
BURST_S = 0.03
OPENED, WALKED = "this key opened the ticket or form", "this key moved between the fields"
TAKEN_BACK = "Esc took back what was typed"
"""What a key did that does not send the same ticket, form or question."""
MOST_SUBJECTS = 8
"""Tickets, forms and questions of which it is known what opened them."""
QUICK_S = 0.12
"""A key that comes again within this is repeated by the keyboard; no hand needs an answer to it."""


class Rule(StrEnum):
    """What refuses a press. Each can be left out alone, so that a test shows which accident it keeps away."""

    REPEAT = "repeat"
    """The same key must not have been seen for `key_rearm`, unless another key was pressed between."""
    OPENER = "opener"
    """The key that opened or walked this ticket, or was refused in it, does not send it."""
    STOOD = "stood"
    """What would be sent has stood on the screen."""
    MOVED = "moved"
    """It has stood longer behind a key that moved the focus or was refused."""
    BLOCKED = "blocked"
    """Behind a refused key a ticket takes no key until its field is touched on purpose."""
    STRAY = "stray"
    """Digits typed on a list are meant for a field: Enter and staging keys are refused behind them."""
    BURST = "burst"
    """More keys at once than a hand types."""
    JOINED = "joined"
    """A key that came in one read with another one, be it the first or a later one."""
    FROZEN = "frozen"
    """Nothing is sent from a frozen screen."""
    PASSED = "passed"
    """A request leaves only behind a press that was let pass."""
    SIDE = "side"
    """The form of a quote has no side until one is chosen."""
    PAUSE = "pause"
    """A ticket that is left stands still and sends nothing."""
    PRICE = "price"
    """A question holds the price it asks about."""
    PANIC = "panic"
    """X opens the kill prompt in the number fields of a ticket."""
    NAMED = "named"
    """A key about a row to which the program moved the cursor first says what it would hit."""


EVERY_RULE = frozenset(Rule)


class Verdict(Enum):
    """What becomes of a press that would send."""

    SEND = "send"
    WAIT = "wait"
    """It counts once the line has stood, unless another key comes."""
    REFUSE = "refuse"


class Decision(NamedTuple):
    """The answer to one press."""

    verdict: Verdict
    why: str = ""
    """For the trader; empty where a held key needs no answer."""
    wait_s: float = 0.0
    """How long it waits."""


class _Digit(NamedTuple):
    """A digit, a dot or `$` that was pressed on a list."""

    at: float
    jumped: bool
    """Whether it was refused, or went elsewhere."""
    refused: bool
    walks: bool
    """Whether it went to a pane, long enough behind the one before to be meant."""


class WrittenLine:
    """What a press would send, and since when that stands on the screen."""

    def __init__(self, subject: Callable[[], Hashable], content: Callable[[], Hashable]) -> None:
        """
        Args:
            subject: The ticket, form or question it belongs to.
            content: What would be sent now, without the price that follows the market.
        """
        self._subject, self._content = subject, content
        self._drawn: Hashable = None
        self._since = float("inf")

    @property
    def subject(self) -> Hashable:
        return self._subject()

    def drawn(self, at: float) -> None:
        """Take note that it was drawn; the same content keeps its time."""
        now = (self._subject(), self._content())
        if now != self._drawn:
            self._drawn, self._since = now, at

    @property
    def since(self) -> float:
        """Since when what would be sent now stands there; infinity while it was not drawn."""
        return self._since if (self._subject(), self._content()) == self._drawn else float("inf")


class FreshPress:
    """Sees every key with its time before anything acts on it, and decides what it may send."""

    def __init__(self, rearm_s: float, rules: frozenset[Rule] | None = None) -> None:
        """
        Args:
            rearm_s: Pause of the same key, s; outside HOT at least `LEAST_REARM_MS`.
            rules: Those that hold; None: every one.
        """
        self.rules = EVERY_RULE if rules is None else rules
        self.hot = False
        """Whether one key sends: then each key has its pause alone, and it may be shorter."""
        self._rearm_s = rearm_s
        self._printable: deque[float] = deque(maxlen=BURST_KEYS)
        self._seen_at: dict[str, float] = {}
        self._key, self._at = "", float("-inf")
        self._before = ""
        """The key before the present one."""
        self._gap = float("inf")
        """Time since the present key was seen last, s."""
        self._sent = ""
        """A key that has sent something and was not let go since."""
        self._burst_until = float("-inf")
        self._joined = False
        self._spent: dict[Hashable, dict[str, str]] = {}
        """Keys that opened or walked a ticket, form or question, and what they did there."""
        self._refused: dict[Hashable, set[str]] = {}
        """Keys that were refused in it, until it is touched on purpose."""
        self._moved_at, self._moved_number = float("-inf"), -1
        """When a key moved the focus or was refused, and which one that was."""
        self._digits: list[_Digit] = []
        self._stray = False
        self._stray_told = False
        self._digit_number = 0
        self._passed = False
        self._number = 0
        self._previous_at = float("-inf")

    # What happens

    def seen(self, key: str, printable: bool, at: float, waiting: int = 0, next_at: float | None = None) -> None:
        """A key arrived.

        Args:
            key: Its name.
            printable: Whether it would type a character.
            at: When it was read from the terminal.
            waiting: Messages that wait behind it; many of them are a burst that has only begun.
            next_at: When a key behind it was read, if one was; right behind it makes it the first of a paste.
        """
        previous = self._previous_at = self._at
        self._number += 1
        self._passed = False
        self._gap = at - self._seen_at.get(key, float("-inf"))
        self._seen_at[key] = at
        self._before, self._key, self._at = self._key, key, at
        self._joined = abs(at - previous) < BURST_S or (next_at is not None and next_at - at < BURST_S)
        if self._sent and (key != self._sent or self._gap >= self.rearm_s):
            self._sent = ""
        if at - previous >= STRAY_S:
            self._digits, self._stray, self._stray_told = [], False, False
        if printable:
            if len(self._printable) == BURST_KEYS and at - self._printable[0] < BURST_S:
                self._burst_until = at + BURST_S
            self._printable.append(at)
            if waiting >= BURST_KEYS:
                self._burst_until = at + BURST_S

    def opened(self, subject: Hashable) -> None:
        """The present key opened a ticket, a form or a question: it does not send it."""
        self._spent[subject] = {self._key: OPENED}
        while len(self._spent) > MOST_SUBJECTS:
            del self._spent[next(iter(self._spent))]

    def walked(self, subject: Hashable) -> None:
        """The present key went from one field of the ticket to the next."""
        self._spent.setdefault(subject, {}).setdefault(self._key, WALKED)
        self.moved()

    def take_back(self, subject: Hashable) -> None:
        """Take note that the present key took back what was typed: Enter does not send what stood there before."""
        self._spent.setdefault(subject, {})["enter"] = TAKEN_BACK

    def moved(self) -> None:
        """The present key moved the focus."""
        self._moved_at, self._moved_number = self._at, self._number

    def refuse(self, subject: Hashable) -> None:
        """The present key was refused in the ticket."""
        if subject not in self._refused:
            self._refused = {subject: set()}
        self._refused[subject].add(self._key)
        self.moved()

    def touched(self, subject: Hashable) -> None:
        """A field was changed on purpose: what was refused before is forgotten."""
        self._refused.pop(subject, None)

    def sent(self) -> None:
        """The present key has sent something."""
        self._sent = self._key

    def digit_on_list(self, *, jumped: bool, refused: bool = False, repeats: bool = False) -> bool:
        """A digit, a dot or `$` was pressed on a list; True when that has just become typing into nothing.

        Args:
            jumped: Whether it was refused, or went elsewhere.
            refused: Whether it was refused.
            repeats: Whether it is a key of its own behind one jump that worked, as the dot is.
        """
        if self._number - self._digit_number > 1:
            self._digits = []  # another key lies between: no figure
        self._digit_number = self._number
        before = self._digits = [one for one in self._digits if self._at - one.at < STRAY_S]
        is_own = repeats and len(before) == 1 and not before[0].refused and not self._joined
        slow = not before or self._at - before[-1].at >= WALKED_S
        self._digits = [*before, _Digit(self._at, jumped, refused, jumped and slow and not (refused or repeats))]
        if Rule.STRAY in self.rules and len(self._digits) > 1 and any(one.jumped for one in self._digits):
            self._stray = self._stray or not (is_own or all(one.walks for one in self._digits))
        told, self._stray_told = self._stray_told, self._stray
        return self._stray and not told

    # What is asked

    @property
    def rearm_s(self) -> float:
        """Pause of the same key, s."""
        return self._rearm_s if self.hot else max(self._rearm_s, LEAST_REARM_MS / 1000)

    @property
    def number(self) -> int:
        """Keys seen so far: the same number later says that no key came meanwhile."""
        return self._number

    @property
    def held(self) -> bool:
        """Whether the present key has sent something and was not let go since."""
        return bool(self._sent) and self._key == self._sent and Rule.REPEAT in self.rules

    @property
    def is_repeated(self) -> bool:
        """Whether the present key was seen a moment ago and no other one since, as while it is held."""
        return self._before == self._key and self._gap < self.rearm_s

    @property
    def burst(self) -> bool:
        """Whether the present key belongs to a burst no hand types."""
        return Rule.BURST in self.rules and self._at <= self._burst_until

    @property
    def is_joined(self) -> bool:
        """Whether the present key came right behind or before another one, as in a paste without brackets."""
        return Rule.JOINED in self.rules and self._joined

    @property
    def stray(self) -> bool:
        """Whether the keys before were typed into nothing."""
        return self._stray

    def follows_soon(self, key: str) -> bool:
        """Whether the present key came soon behind another one, as a digit behind the dot of the same figure."""
        return Rule.STRAY in self.rules and self._before == key and self._at - self._previous_at < STRAY_S

    @property
    def passed(self) -> bool:
        """Whether the present key was let pass, so that a request may leave."""
        return self._passed or Rule.PASSED not in self.rules

    def is_held_opener(self, subject: Hashable) -> bool:
        """Whether the present key opened a ticket or form and is still held."""
        return self._spent.get(subject, {}).get(self._key) == OPENED and self._gap < self.rearm_s

    def is_spent(self, subject: Hashable, key: str) -> bool:
        """Whether a key opened or walked a ticket, so that another one sends it."""
        return Rule.OPENER in self.rules and key in self._spent.get(subject, ())

    # The decision

    def decide(self, subject: Hashable, since: float, *, typed: bool = False) -> Decision:
        """Whether the present key may send what stands on the screen.

        Args:
            subject: The ticket, form or question.
            since: Since when it stands there; infinity: not yet.
            typed: The key before typed a part of it, so that an early press waits instead of being refused.
        """
        repeat, opener = self._check_repeat(), self._check_opener(subject)
        # Of two reasons that are both told, the one that a pause alone does not end.
        refusal = opener if repeat is None or (repeat.why and opener) else repeat
        refusal = refusal or self._check_burst()
        if refusal is not None:
            return refusal
        wait = self._wait_s(since)
        if wait <= 0:
            self._passed = True
            return Decision(Verdict.SEND)
        if typed and wait <= STOOD_S:
            return Decision(Verdict.WAIT, wait_s=wait)
        return Decision(Verdict.REFUSE, "it came before the line could be read: press it again")

    def let_pass(self) -> None:
        """Let the present key send what needs no look: a remembered press, a typed word."""
        self._passed = True

    def _check_repeat(self) -> Decision | None:
        """Rule 1."""
        between = self._before != self._key and not self.hot
        if Rule.REPEAT not in self.rules or between or self._gap >= self.rearm_s:
            return None
        pause = f"{self.rearm_s:.1f}".rstrip("0").rstrip(".")
        why = "" if self._gap < QUICK_S else f"pressed again within {pause} s; release it, then press once"
        return Decision(Verdict.REFUSE, why)

    def _check_opener(self, subject: Hashable) -> Decision | None:
        """Rule 2."""
        if Rule.OPENER not in self.rules:
            return None
        if self._key in self._refused.get(subject, ()):
            return Decision(Verdict.REFUSE, "it was refused here; correct the field first")
        did = self._spent.get(subject, {}).get(self._key)
        return None if did is None else Decision(Verdict.REFUSE, f"{did}: press y to send")

    def _check_burst(self) -> Decision | None:
        """Keys that no hand pressed one by one."""
        return Decision(Verdict.REFUSE, "came in one burst with other keys") if self.burst or self.is_joined else None

    def _wait_s(self, since: float) -> float:
        """Rule 3: how long what would be sent has still to stand."""
        stood = since + STOOD_S - self._at if Rule.STOOD in self.rules else 0.0
        behind = Rule.MOVED in self.rules and self._number - self._moved_number <= 1
        moved = self._moved_at + MOVED_S - self._at if behind else 0.0
        if since == float("inf") and Rule.STOOD in self.rules:
            return STOOD_S if moved <= STOOD_S else moved
        return max(stood, moved)
