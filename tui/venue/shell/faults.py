"""Fault injection: syntax of the fault switches, how often a fault occurs, and a log of the occurrences."""

from __future__ import annotations

import re
from collections import Counter, deque
from collections.abc import Callable, Collection
from functools import cache
from typing import Any, NamedTuple

import msgspec

from tui.interface import catalogue
from tui.interface.families.market import Channel
from tui.interface.streams import PrivateChannel
from tui.protocols import RandomSource
from tui.venue.core.market.symbols import SHIPPED
from tui.venue.core.switches import Switches, SwitchSpec

OFF = "off"
ANY = "*"
MAX_MS = 3_600_000
MAX_USES = 10_000
"""Number of uses that are recorded."""

_WORD = re.compile(r"[A-Z]{3,}")
"""Text that looks like a value of a closed set."""
_FREQUENCY = re.compile(r"(0(\.[0-9]{1,4})?|1(\.0{1,4})?|[1-9][0-9]{0,5}x)")


class Fault(NamedTuple):
    """Fault as configured in a switch: kind, target, frequency, parameter."""

    kind: str
    target: str = ANY
    how: str = "1"
    """Probability 0 to 1, or a count such as `3x`."""
    figure: str = ""


class FaultUse(NamedTuple):
    """Occurrence of an injected fault: time, switch, kind and target."""

    ms: int
    switch: str
    kind: str
    target: str


class _Form(NamedTuple):
    """Syntax of a fault switch, with its help text."""

    kinds: tuple[str, ...]
    """Empty when there is only one kind, which is not written."""
    targets: Collection[str]
    figure: Callable[[str], bool]
    examples: tuple[str, ...]
    meaning: str


def _is_ms(text: str) -> bool:
    return text.isascii() and text.isdigit() and len(text) <= 7 and int(text) <= MAX_MS


def _is_ms_or_empty(text: str) -> bool:
    return not text or _is_ms(text)


def _is_empty(text: str) -> bool:
    return not text


def _is_moment(text: str) -> bool:
    return text in ("", "before", "after")


PUSH_KINDS = ("drop", "delay", "duplicate", "reorder")
ODD_KINDS = ("enum", "extra", "rename", "number", "shape", "text")
REST_KINDS = ("429", "429bare", "418", "500", "502", "503", "400013", "empty", "html", "contradiction")
KEY_KINDS = ("frozen", "revoked", "readonly", "scope")
PAGE_KINDS = ("moves", "twice", "vanishes")
QUOTE_KINDS = ("silence", "crossed", "old", "future", "burst")
REFUSE = "refuse"
MARKET_KINDS = (*QUOTE_KINDS, REFUSE)
CLOSE_KINDS = ("rst", "1000", "1001", "1006", "1008", "1011", "1012", "1013", "4000", "4001")

ACTIONS = (
    *("place_order", "replace_order", "cancel_order", "cancel_orders"),
    *("place_algo_order", "replace_algo_order", "cancel_algo_order"),
)
POINTS = ("login", "frame", "push", *ACTIONS)
KEYS = ("main", "sub", "subuser", "readonly")

FORMS: dict[str, _Form] = {
    "lose_reply": _Form(
        (),
        ACTIONS,
        _is_empty,
        ("on", "place_order:0.5"),
        "order actions are executed, but their replies are lost",
    ),
    "commit_late": _Form(
        (),
        ACTIONS,
        _is_ms,
        ("place_order:1x:60000",),
        "actions are executed with a delay (ms), even after the client has stopped waiting",
    ),
    "reply_delay": _Form(
        (),
        (*ACTIONS, *catalogue.BY_NAME),
        _is_ms,
        ("*:0.1:2000",),
        "replies to actions and REST requests are delayed (ms)",
    ),
    "push_fault": _Form(
        PUSH_KINDS,
        tuple(PrivateChannel),
        _is_ms_or_empty,
        ("drop:Orders:0.1", "delay:Trades:1:500", "duplicate:*:0.1:2", "reorder:Orders:0.2"),
        "pushes of a channel are lost, delayed (ms), sent several times, or swapped with the next",
    ),
    "wrong_portfolio": _Form(
        (),
        tuple(PrivateChannel),
        _is_empty,
        ("Orders:0.1",),
        "pushes of a channel also go to connections of another portfolio",
    ),
    "odd_data": _Form(
        ODD_KINDS,
        (*PrivateChannel, *Channel),
        _is_empty,
        ("enum:Orders:0.1", "extra:*", "rename:BBO", "number:Assets", "shape:Positions", "text:Trades"),
        "messages of a channel contain an unknown enum value, a new or renamed field, another type, or hostile text",
    ),
    "replace_fault": _Form(
        ("cancelled",),
        ("replace_order",),
        _is_empty,
        ("cancelled:*:1x",),
        "an amend fails and cancels the order; the reply says CANCELLED",
    ),
    "close_fault": _Form(
        CLOSE_KINDS,
        POINTS,
        _is_empty,
        ("1012:place_order:1x", "rst:push:0.01", "1006:login:2x", "1008:frame:1x"),
        "the connection closes with a code, or is reset: after an action, before a push, after a login, at a frame",
    ),
    "rest_fault": _Form(
        REST_KINDS,
        catalogue.BY_NAME,
        _is_moment,
        ("502:place_order:1x:after", "429:*:0.1", "418:*:1x", "html:positions", "contradiction:cancel_order"),
        "REST requests of an endpoint get a wrong response, before or after execution",
    ),
    "key_fault": _Form(
        KEY_KINDS,
        KEYS,
        _is_empty,
        ("frozen:main", "revoked:sub", "readonly:main", "scope:main"),
        "the API key with a name of the ready line is frozen, revoked, read-only or of another level",
    ),
    "page_fault": _Form(
        PAGE_KINDS,
        catalogue.BY_NAME,
        _is_empty,
        ("moves:open_orders", "twice:*:0.5", "vanishes:*:1x"),
        "rows in an endpoint's pages are shifted, repeated or missing",
    ),
    "market_fault": _Form(
        MARKET_KINDS,
        SHIPPED,
        _is_ms_or_empty,
        ("silence:*", "silence:BINANCE_PERP_BTC_USDT", "crossed:*:0.1", "old:*:1:5000", "burst:*:1:50", "refuse:*"),
        "quotes are withheld, crossed, too old or in the future (ms), or repeated; subscriptions are rejected",
    ),
}
"""Syntax of every fault, by the name of its switch."""


@cache
def parse_faults(name: str, text: str) -> tuple[Fault, ...]:
    """Parse the faults of a switch value; empty for `off`.

    Raises:
        ValueError: The text has not the form of this switch.
    """
    if text == OFF:
        return ()
    if text == "on" and not FORMS[name].kinds and FORMS[name].figure(""):
        return (Fault(""),)
    return tuple(_parse_fault(FORMS[name], part) for part in text.split(","))


def _parse_fault(form: _Form, text: str) -> Fault:
    parts = text.split(":")
    fault = Fault(*parts) if form.kinds else Fault("", *parts)
    known = fault.kind in (form.kinds or ("",)) and (fault.target == ANY or fault.target in form.targets)
    if not (known and _FREQUENCY.fullmatch(fault.how) and form.figure(fault.figure)):
        raise ValueError(text)
    return fault


def _make_acceptor(name: str) -> Callable[[str], bool]:
    def accepts(text: str) -> bool:
        try:
            parse_faults(name, text)
        except (TypeError, ValueError):
            return False
        return True

    return accepts


SPECS: tuple[SwitchSpec, ...] = tuple(
    SwitchSpec(name, (OFF, *form.examples), f"fault: {form.meaning}", _make_acceptor(name))
    for name, form in FORMS.items()
)
"""Switch of each fault: `off`, or faults separated by commas."""


class Faults:
    """Injected faults of a venue: decides by the switches whether one occurs, and logs the occurrences."""

    def __init__(self, switches: Switches, random_source: RandomSource, now_ms: Callable[[], int]) -> None:
        self._switches = switches
        self._random_source = random_source
        self._now_ms = now_ms
        self._left: dict[tuple[str, str, int], int] = {}
        self.uses: deque[FaultUse] = deque(maxlen=MAX_USES)
        self.counts: Counter[str] = Counter()
        """Uses by switch and kind."""

    def strikes(self, name: str, *targets: str, kinds: tuple[str, ...] = ()) -> Fault | None:
        """Return the first fault that matches one of the targets and occurs now; with `kinds`, only one of these kinds."""
        text = self._switches[name]
        if text == OFF:
            return None
        for number, fault in enumerate(parse_faults(name, text)):
            matches = (fault.target == ANY or fault.target in targets) and (not kinds or fault.kind in kinds)
            if matches and self._is_due((name, text, number), fault.how):
                self.uses.append(FaultUse(self._now_ms(), name, fault.kind, targets[0] if targets else ""))
                self.counts[f"{name} {fault.kind}".rstrip()] += 1
                return fault
        return None

    def may_strike(self, names: Collection[str]) -> bool:
        """Return whether a fault of one of these switches could occur now."""
        return any(self._switches[name] != OFF for name in names)

    def restart(self, name: str) -> None:
        """Reset the occurrence counts of a switch that was set again."""
        self._left = {key: left for key, left in self._left.items() if key[0] != name}

    def _is_due(self, key: tuple[str, str, int], how: str) -> bool:
        if how.endswith("x"):
            left = self._left.get(key, int(how[:-1]))
            self._left[key] = left - 1
            return left > 0
        share = float(how)
        return share >= 1 or self._random_source.random() < share


def distort(kind: str, frame: str) -> str:
    """Corrupt a message in the way of a fault kind; unchanged when it has no data."""
    message = msgspec.json.decode(frame)
    data = message.get("data") if isinstance(message, dict) else None
    rows = data if isinstance(data, list) else [data]
    row = rows[0] if rows else None
    if not isinstance(row, dict) or not row:
        return frame
    _distort_row(kind, message, row)
    return msgspec.json.encode(message).decode()


def _distort_row(kind: str, message: dict[str, Any], row: dict[str, Any]) -> None:
    first = next(iter(row))
    word = next((name for name, value in row.items() if isinstance(value, str) and _WORD.fullmatch(value)), first)
    match kind:
        case "enum":
            row[word] = "SOMETHING_NEW"
        case "extra":
            row["unheardOf"] = {"nested": [1, "2", None]}
        case "rename":
            row[f"{first}V2"] = row.pop(first)
        case "number":
            row.update({name: 12.5 for name, value in row.items() if isinstance(value, str) and "." in value})
        case "text":
            row[word] = "\x1b[31m\u202e[bold]\x07"
        case "shape":
            message["data"] = [[message["data"]]]


def distort_page(kind: str, rows: list[Any], page: int) -> list[Any]:
    """Corrupt a page as if rows changed between two page requests: a row is missing or appears twice."""
    match kind:
        case "moves":
            return rows[1:] if page > 1 else rows
        case "twice":
            return [*rows, *rows[:1]]
        case _:
            return rows[:-1]
