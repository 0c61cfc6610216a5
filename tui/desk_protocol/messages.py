"""Messages of the desk protocol: JSON, one object a line.

A peer sends calls, each with an id of its own; the engine's side answers each call, and sends rows and event lines on its
own. Unknown fields are ignored, unknown methods refused. Times are in seconds, `mono` that of the engine's monotonic clock.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from contextlib import suppress
from enum import StrEnum
from typing import Annotated, Any, Literal

import msgspec

from tui.crossdesk_error import CrossdeskError
from tui.desk_protocol.invalid_values import describe_invalid
from tui.engine.doer_names import FIRST_DESK
from tui.engine.event_line import EventLine
from tui.engine.intents import Outcome
from tui.engine.limits import OF
from tui.engine.modes import Environment
from tui.engine.rows import Table
from tui.engine.status_rows import MandateRow, Proposed
from tui.interface.streams import Detail
from tui.interface.text import clean, show_given

VERSIONS = (1,)
"""Versions that this program speaks, the newest last."""
MOST_CALL_BYTES = 256 * 1024
"""Longest line that a peer may send."""
MOST_LINE_BYTES = 16 * 1024 * 1024
"""Longest line that the engine's side sends."""
COMMAND_S = 2.0
"""Time after which a command that was not taken is refused, s."""
LONGEST_COMMAND_S = 30.0
"""Longest time that a command may ask for, s."""
MOST_EVENTS = 1000
"""Most event lines in one answer to `read_events`."""
MOST_FORESEEN = 100
"""Most intents in one `foresee`."""
UNSURE_CLOCK_S = 0.5
"""Uncertainty between the clocks of both sides from which on nothing may be traded, s."""

MOST_EXPLAINED, MOST_SAID = 4096, 200
"""Longest line of which a wrong value is explained, bytes, and longest text of the library's own words, characters."""
MOST_NAME = 40
"""Longest name of a peer, characters."""
DESK = FIRST_DESK
"""Name of the workstation of a process, and beginning of the names of attached ones."""
_WINDOW_NAME = re.compile(rf"{DESK}[\s\d]*", re.IGNORECASE)

MOST_ID = 2**53
"""Largest number of a call; every JSON library keeps it exactly."""

MOST_MARK, MARK_PATTERN = 64, r"^[A-Za-z0-9_.-]*\Z"
Mark = Annotated[str, msgspec.Meta(max_length=MOST_MARK, pattern=MARK_PATTERN)]
"""Id that a peer made, such as that of a command."""

CommandId = Annotated[Mark, msgspec.Meta(min_length=1)]
"""Id of a command."""


class ProtocolError(CrossdeskError):
    """Message that cannot be understood, or a call that is refused; the text says what would be accepted."""

    title = "Refused by the desk"


class Role(StrEnum):
    """Rights of a peer; each role includes those before it."""

    WATCH = "watch"
    """Read tables, events and lists."""
    PROPOSE = "propose"
    """Also propose orders to the trader."""
    TRADE = "trade"
    """Also send within a mandate that the trader granted."""
    DESK = "desk"
    """A workstation: everything, from a trading state of its own."""

    @property
    def rank(self) -> int:
        """Index of the role among all roles, 0 for the one with the fewest rights."""
        return list(Role).index(self)


class Call(msgspec.Struct, frozen=True, omit_defaults=True):
    """Call of a method that a peer sends, with its time of expiry."""

    id: Annotated[int, msgspec.Meta(ge=0, le=MOST_ID)]
    method: str
    params: msgspec.Raw = msgspec.Raw(b"{}")
    expires: float = 0.0
    """Time of the engine's monotonic clock from which on it is refused; 0: it is never too late."""


class Hello(msgspec.Struct, frozen=True, kw_only=True):
    """Parameters of `hello`, the first call of a peer."""

    versions: tuple[int, ...]
    name: str
    """Name to be known by; a number is added where another peer has it."""
    role: Role = Role.PROPOSE
    session: Mark = ""
    """Secret that the peer made when it started; who names it again is the same peer, and its former connection ends."""
    run: str = ""
    """Run of the engine that the peer knew before."""
    seq: int = 0
    """Number of the last event line that the peer got in that run."""
    warnings: bool = False
    """Whether it wants the warnings in force, told before it attached, of what a kill, cancel or flatten missed."""


class Welcome(msgspec.Struct, frozen=True, kw_only=True):
    """Answer to `hello`."""

    version: int
    name: str
    role: Role
    run: str
    """Id of this run of the engine; event lines are numbered within it."""
    mono: float
    """Monotonic time of the engine at the answer."""
    environment: Environment
    portfolio: str
    portfolio_name: str


class Answer(msgspec.Struct, frozen=True, tag="answer"):
    """Answer to a call."""

    id: int
    result: msgspec.Raw = msgspec.Raw(b"null")


class Refused(msgspec.Struct, frozen=True, tag="refused"):
    """Refusal of a call; nothing was done, unless `unsure`."""

    id: int
    text: str
    unsure: bool = False
    """Whether it failed at a step after which something may have been done."""


class Rows(msgspec.Struct, frozen=True, tag="rows"):
    """Newest rows of a table by key; null: the row is gone."""

    table: Table
    rows: msgspec.Raw


class Whole(msgspec.Struct, frozen=True, tag="whole"):
    """Notice that every current row has been sent since `hello`; rows known from before and not sent again are gone."""


class Events(msgspec.Struct, frozen=True, tag="events"):
    """Event lines, oldest first."""

    lines: tuple[EventLine, ...]
    missed: int = 0
    """Number of lines before them that are no longer kept; the journal has them."""


class SlowReader(msgspec.Struct, frozen=True, tag="behind"):
    """Notice to a peer that reads slowly: rows in between were skipped, only their newest versions were sent."""

    seconds: float


class CommandSent(msgspec.Struct, frozen=True, tag="written"):
    """Notice, to a peer that asked for it, that its command was passed to the service; its outcome follows."""


FromEngine = Answer | Refused | Rows | Whole | Events | SlowReader | CommandSent


class Foresee(msgspec.Struct, frozen=True, kw_only=True):
    """Parameters of `foresee`: intents for which the risk gate's answer is wanted, without sending them."""

    intents: tuple[tuple[str, msgspec.Raw], ...]
    """Name and body of each."""


class Look(msgspec.Struct, frozen=True, kw_only=True):
    """Parameters of `look_at`: the pair whose book, trades and bars are wanted, and pairs of which only the book is."""

    detail: Detail | None = None
    books: tuple[str, ...] = ()


class ReadEvents(msgspec.Struct, frozen=True, kw_only=True):
    """Parameters of `read_events`: event lines of the journal, also of earlier runs, oldest first."""

    after: Annotated[int, msgspec.Meta(ge=0, le=MOST_ID)] = 0
    """Number of the journal's entry before the first one."""
    since_ms: Annotated[int, msgspec.Meta(ge=0, le=MOST_ID)] = 0
    """Wall time of the first one, ms."""
    most: Annotated[int, msgspec.Meta(ge=1, le=MOST_EVENTS)] = MOST_EVENTS


class PastEvent(msgspec.Struct, frozen=True, kw_only=True):
    """Event line of the journal."""

    entry: int
    """Number of the entry."""
    wall_ms: int
    text: str
    key: str
    """Row key of the order concerned, or empty."""


class OrderTerms(msgspec.Struct, frozen=True, kw_only=True):
    """Terms of an order; figures as texts."""

    sym: str
    """Pair, such as BINANCE_PERP_BTC_USDT."""
    side: Literal["BUY", "SELL"]
    """What it does."""
    qty: str
    """In contracts on OKX perpetuals, in coins elsewhere."""
    price: str = ""
    """Limit price; empty: at market."""
    time_in_force: Literal["GTC", "GTX", "IOC", "FOK"] = "GTC"
    """GTX is post-only."""
    position_side: Literal["NONE", "LONG", "SHORT"] = "NONE"
    """Leg, where the account holds a long and a short position in a pair."""
    reduce_only: bool = False
    """Whether it may only reduce a position."""


def check_market_terms(terms: OrderTerms) -> None:
    """Check that an order without a price is not post-only (GTX), as a market order always takes.

    Raises:
        ProtocolError: It has no price, and `time_in_force` GTX.
    """
    if not terms.price and terms.time_in_force == "GTX":
        raise ProtocolError(
            "time_in_force 'GTX' (post-only) needs a price: an order at market takes; accepted are GTC, IOC, FOK"
        )


Reason = Annotated[str, msgspec.Meta(min_length=1, max_length=200)]
Wait = Annotated[float, msgspec.Meta(ge=1, le=600)]


class Propose(OrderTerms, frozen=True, kw_only=True):
    """Parameters of `propose`: an order that the trader is asked to send."""

    reason: Reason
    """Why, for the trader."""
    seconds: Wait = 60.0
    """Time for which it waits, s."""


class ProposeCancel(msgspec.Struct, frozen=True, kw_only=True):
    """Parameters of `propose_cancel`: an order that the trader is asked to cancel."""

    order: str
    """Key of a working order of the account."""
    reason: Reason
    """Why, for the trader."""
    seconds: Wait = 60.0
    """Time for which it waits, s."""


class ProposeReplace(ProposeCancel, frozen=True, kw_only=True):
    """Parameters of `propose_replace`: new terms of an order, which the trader is asked to send; figures as texts."""

    qty: str
    """New total size, what is filled included."""
    price: str
    """New limit price."""


class ProposeClose(msgspec.Struct, frozen=True, kw_only=True):
    """Parameters of `propose_close`: a position that the trader is asked to close at market."""

    sym: str
    """Pair, such as BINANCE_PERP_BTC_USDT."""
    position_side: Literal["NONE", "LONG", "SHORT"] = "NONE"
    """Leg, where the account holds a long and a short position in a pair."""
    reason: Reason
    """Why, for the trader."""
    seconds: Wait = 60.0
    """Time for which it waits, s."""


AnyProposal = Propose | ProposeReplace | ProposeCancel | ProposeClose
PROPOSED: Mapping[type[AnyProposal], Proposed] = {
    Propose: Proposed.PLACE,
    ProposeReplace: Proposed.REPLACE,
    ProposeCancel: Proposed.CANCEL,
    ProposeClose: Proposed.CLOSE,
}


def method_of(kind: Proposed) -> str:
    """Return the name of the method that makes a proposal of this kind."""
    return "propose" if kind is Proposed.PLACE else f"propose_{kind}"


class AskMandate(msgspec.Struct, frozen=True, kw_only=True):
    """Parameters of `ask_mandate`: limits within which a program wants to send orders itself; values as texts, in quote."""

    pairs: Annotated[tuple[str, ...], msgspec.Meta(min_length=1, max_length=20)]
    """Pairs for which it holds, such as BINANCE_PERP_BTC_USDT."""
    side: Literal["BUY", "SELL", "BOTH"] = "BOTH"
    """Side for which it holds."""
    order_value: str
    """Most value of an order at its limit price."""
    position_value: str
    """Most value that it may hold on a pair, long or short: fills, and the working orders of that side."""
    traded_value: str
    """Most value that it may trade in all. Each fill uses it up; what is cancelled unfilled is free again."""
    loss: str
    """Loss that ends it, after costs."""
    orders_per_minute: Annotated[int, msgspec.Meta(ge=1, le=600)]
    """Orders and replaces."""
    seconds: Annotated[float, msgspec.Meta(ge=1, le=86_400)]
    """Time for which it holds once granted, s."""
    reason: Reason
    """Why, for the trader."""
    wait: Wait = 60.0
    """Time for which the request waits, s."""


class MandateAnswer(msgspec.Struct, frozen=True, kw_only=True):
    """Answer to `ask_mandate`."""

    answer: str
    """`granted`, `declined`, `expired` or `withdrawn`."""
    mandate: MandateRow | None = None
    """None unless granted."""


class Command(msgspec.Struct, frozen=True, kw_only=True):
    """Common parameters of commands that are executed once only: id, and time of expiry."""

    command: CommandId
    """Id made by the sender. A second call with the same id is answered with what became of the first."""
    expires: float
    """Time of the engine's monotonic clock from which on it is refused."""


class Submit(Command, frozen=True, kw_only=True):
    """Parameters of `submit`: an encoded intent from a workstation, executed once only."""

    kind: str
    """Name of the intent, such as `place`."""
    intent: msgspec.Raw
    tell_written: bool = False
    """Whether `written` is wanted, too: a window of the same machine leaves the processor to the desk until then."""


class PlaceOrder(Command, frozen=True, kw_only=True):
    """Parameters of `place`: an order within the program's mandate."""

    order: OrderTerms


class ReplaceOrder(Command, frozen=True, kw_only=True):
    """Parameters of `replace`: new price and new total quantity of an order of the program."""

    key: str
    price: str
    qty: str


class CancelOrder(Command, frozen=True, kw_only=True):
    """Parameters of `cancel`: the end of an order of the program."""

    key: str


class CommandStatus(msgspec.Struct, frozen=True, kw_only=True):
    """Answer to `outcome`: whether the desk knows the command, and its outcome if it has ended."""

    known: bool
    """Whether the engine has seen it, in this run or one that its journal tells of; else it was never carried out."""
    outcome: Outcome | None = None
    """None while it is under way."""


def check_name(name: object, *, of_program: bool = True) -> None:
    """Check the name that a peer gives itself; a program may not use names of windows, or ` of ` and a trader's name.

    Args:
        name: The name.
        of_program: Whether it is that of a program, which has one, and another one than windows have.

    Raises:
        ProtocolError: It is not accepted.
    """
    is_shown = isinstance(name, str) and clean(name, MOST_NAME) == name
    is_free = isinstance(name, str) and name.strip() and not _WINDOW_NAME.fullmatch(name.strip()) and OF not in name
    if not is_shown or (of_program and not is_free):
        raise ProtocolError(
            f"name {show_given(name, of_json=True)} is not accepted; it is a text of 1 to {MOST_NAME} characters that can "
            f"be shown, not {DESK} or {DESK} with a number, which are windows, and without {OF!r}, behind which a trader is "
            "named"
        )


def decode(data: bytes | msgspec.Raw, kind: Any, what: str) -> Any:
    """Decode JSON received from the other side as a type; `what` names the message in the error.

    Raises:
        ProtocolError: It is no JSON, nested too deeply, or of another type.
    """
    try:
        return msgspec.json.decode(data, type=kind)
    except msgspec.ValidationError as error:
        raise ProtocolError(f"{what}: {_explain(error, kind, bytes(data))}") from None
    except (msgspec.MsgspecError, ValueError, RecursionError) as error:
        raise ProtocolError(f"{what}: {clean(str(error))}") from None


def _explain(error: msgspec.ValidationError, kind: Any, data: bytes) -> str:
    """Describe which value is not accepted; for long data, which would be slow to decode again, the library's error."""
    if len(data) <= MOST_EXPLAINED:
        with suppress(msgspec.MsgspecError, ValueError, RecursionError):
            return describe_invalid(error, kind, msgspec.json.decode(data), of_json=True)
    return clean(str(error), MOST_SAID)
