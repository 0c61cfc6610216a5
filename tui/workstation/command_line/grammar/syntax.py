"""Parsed commands: what a line says, with whole symbols, and nothing computed yet."""

from __future__ import annotations

from decimal import Decimal
from enum import StrEnum

import msgspec

BUYS = frozenset(["buy", "long", "xshort"])
"""Verbs of an order that buys."""


class Node(msgspec.Struct, frozen=True, kw_only=True):
    """Base class of all parts of a parsed command line."""


# Figures


class Unit(StrEnum):
    """Unit of a quantity, or what it is a share of."""

    CONTRACTS = "ct"
    COIN = "coin"
    QUOTE = "q"
    POSITION = "% pos"
    AVAILABLE = "% avail"
    EQUITY = "% eq"
    ALL = "all"
    HALF = "half"
    PRESET = "preset"
    NAMED = "named"
    RISK_PERCENT = "risk %"
    """The loss at the stop, in percent of the equity."""
    RISK_QUOTE = "risk $"
    """The loss at the stop, in quote units."""


class Quantity(Node, frozen=True, kw_only=True):
    """Quantity as typed."""

    unit: Unit
    number: Decimal | None = None
    name: str = ""
    """Base coin of a quantity in coins, or the name of a preset or constant."""


class Offset(Node, frozen=True, kw_only=True):
    """Signed distance from a price."""

    number: Decimal
    """Below 0 for a minus."""
    unit: str = ""
    """`t` ticks, `%`, `bp` or `r`; empty: price units."""


class Level(Node, frozen=True, kw_only=True):
    """Price as a number, or as a reference price such as `bid` with an offset."""

    number: Decimal | None = None
    reference: str = ""
    """bid, ask, mid, last, mark, index, entry or liq; or the name of a constant with its `$` or `@`."""
    offset: Offset | None = None


class PriceWord(StrEnum):
    """Form in which an order's price is given: `at` a level, `join`, `improve`, `mid`, `take` or `mkt`."""

    AT = "at"
    JOIN = "join"
    IMPROVE = "improve"
    MID = "mid"
    TAKE = "take"
    MARKET = "mkt"


class Price(Node, frozen=True, kw_only=True):
    """Price clause of an order."""

    word: PriceWord
    level: Level | None = None
    """Level behind `at`."""
    offset: Offset | None = None
    """Offset behind `join`."""
    ticks: int = 0
    """Ticks behind `improve` or `take`."""


class Trigger(Node, frozen=True, kw_only=True):
    """Trigger of a stop or a target as typed: its price level, price source and limit price."""

    level: Level
    source: str = ""
    """last or mark; empty: mark for stops, last for targets."""
    limit: Decimal | None = None
    """Limit price of the order that it sends; None: at market."""


class Flags(Node, frozen=True, kw_only=True):
    """Options of a new order: time in force, reduce-only, target, stop, client order id, and largest value."""

    tif: str = ""
    """po, ioc, fok or gtc."""
    reduce_only: bool = False
    target: Trigger | None = None
    stop: Trigger | None = None
    client_id: str = ""
    most: Decimal | None = None
    """Largest value in quote units; more is refused and never reduced."""


# Commands that place or change orders


class Order(Node, frozen=True, kw_only=True, tag="order"):
    """New order."""

    verb: str
    """buy, sell, long, short, xlong or xshort."""
    quantity: Quantity
    sym: str
    price: Price
    flags: Flags = Flags()


class Cost(Node, frozen=True, kw_only=True, tag="cost"):
    """Command `cost`: preview of an order that is not sent."""

    order: Order


class Scale(Node, frozen=True, kw_only=True, tag="scale"):
    """Several orders between two prices."""

    verb: str
    quantity: Quantity
    sym: str
    rungs: int
    first: Level
    last: Level
    weights: str = "even"
    """even, lin or geo; the heaviest rung is the last."""
    ratio: Decimal | None = None
    """Ratio of `geo`."""
    spacing: str = "even"
    flags: Flags = Flags()


class OneOrder(Node, frozen=True, kw_only=True):
    """Reference to one order: the one under the cursor, the last one sent, or one whose id has a given part."""

    word: str = ""
    """here or last; empty where `part` is given."""
    part: str = ""


WHOLE_SCOPES = ("sym", "coin", "venue", "pf", "everything")
"""Words of scopes whose cancel ends stops and targets too."""


class Scope(Node, frozen=True, kw_only=True):
    """Selection of orders to cancel: marked ones, bids, asks, those of a symbol, a coin, a venue or a portfolio, or all."""

    word: str
    """marks, bids, asks, or one of `WHOLE_SCOPES`."""
    name: str = ""


class Cancel(Node, frozen=True, kw_only=True, tag="cancel"):
    """Cancel of one order or of a scope."""

    order: OneOrder | None = None
    scope: Scope | None = None


class Change(Node, frozen=True, kw_only=True, tag="replace"):
    """Replace of an order: its new price, or its new total or remaining size."""

    order: OneOrder
    level: Level | None = None
    quantity: Quantity | None = None
    total: bool = True
    """Whether the quantity is the total; else what is to remain."""


class Nudge(Node, frozen=True, kw_only=True, tag="nudge"):
    """Move of an order's price."""

    order: OneOrder
    offset: Offset


# Positions


class Leg(Node, frozen=True, kw_only=True):
    """Reference to positions: the one under the cursor, those of a symbol, of a side, or all."""

    word: str = ""
    """here, longs, shorts or all; empty where `sym` is given."""
    sym: str = ""
    side: str = ""
    """long or short; empty: the only leg of the symbol."""


class Close(Node, frozen=True, kw_only=True, tag="close"):
    """Close of a part of a position."""

    leg: Leg
    percent: Decimal = Decimal(100)
    price: Price | None = None
    """None: at market."""


class Reverse(Node, frozen=True, kw_only=True, tag="reverse"):
    """Command that closes a position and opens the same size on the other side."""

    leg: Leg


class BreakEven(Node, frozen=True, kw_only=True, tag="break even"):
    """Command that moves a position's stop to the price at which it closes without a loss, fees included."""

    leg: Leg


class MoveTrigger(Node, frozen=True, kw_only=True, tag="move trigger"):
    """Command that moves the trigger of a position's stop or target."""

    which: str
    """sl or tp."""
    leg: Leg
    level: Level | None = None
    offset: Offset | None = None
    """Offset from the present trigger."""
    distance: Offset | None = None
    """Distance from the entry, without a sign: the leg says to which side."""


class Protect(Node, frozen=True, kw_only=True, tag="protect"):
    """Command that places a stop for each chosen position that has none."""

    leg: Leg
    distance: Offset | None = None


class Orphans(Node, frozen=True, kw_only=True, tag="orphans"):
    """Command that lists protective orders without a position."""


# Words that are known and not carried out


class Working(Node, frozen=True, kw_only=True, tag="working"):
    """Command that is known and always refused, such as `twap`: an order that works over time."""

    verb: str
    """chase, twap, ice, algo, wait, trail or set."""
    text: str = ""
    """What stands behind the verb, as typed."""


# States, limits, views


class SetState(Node, frozen=True, kw_only=True, tag="state"):
    """Command that changes the trading state or the risk mode."""

    word: str
    """arm, hot, view, halt, reduce or resume."""
    seconds: Decimal | None = None


class SetLimit(Node, frozen=True, kw_only=True, tag="limit"):
    """Command that changes a limit of this desk."""

    name: str
    value: str
    """As typed, with its unit, or `off`."""
    sym: str = ""


class Keep(Node, frozen=True, kw_only=True, tag="keep"):
    """Command that excludes a symbol from `flat all`, or includes it again."""

    sym: str
    kept: bool = True


class Show(Node, frozen=True, kw_only=True, tag="show"):
    """Command that shows a pane or a screen."""

    view: str
    argument: str = ""


class Why(Node, frozen=True, kw_only=True, tag="why"):
    """Command that opens the timeline of an order."""

    order: OneOrder


class AnswerWord(StrEnum):
    ACCEPT = "accept"
    GRANT = "grant"
    DECLINE = "decline"
    REVOKE = "revoke"


class Answer(Node, frozen=True, kw_only=True, tag="answer"):
    """Command that answers a program's proposal or request for a mandate, or revokes mandates.

    `accept` shows the order of a proposal in the ticket, `grant` grants a mandate, `decline` says no to either, and
    `revoke` ends a mandate that was granted.
    """

    word: AnswerWord
    key: str
    """Number of the request; empty: all mandates that were granted."""


class Test(Node, frozen=True, kw_only=True):
    """Single condition of an alert, such as a price above a number."""

    field: str
    sym: str = ""
    sign: str = ""
    number: Decimal | None = None
    unit: str = ""


class Alert(Node, frozen=True, kw_only=True, tag="alert"):
    """New alert: tests with `and` or `or` between them, from left to right."""

    tests: tuple[Test, ...]
    joints: tuple[str, ...] = ()


class AlertChange(Node, frozen=True, kw_only=True, tag="alert change"):
    """List, deletion or pause of alerts."""

    word: str
    """list, del or snooze."""
    number: int = 0
    seconds: Decimal | None = None


class SetAlias(Node, frozen=True, kw_only=True, tag="alias"):
    """Command that defines an alias for a command line."""

    name: str
    line: str


class Export(Node, frozen=True, kw_only=True, tag="export"):
    """Command that writes a list to a file."""

    what: str = ""
    """Empty: the list in view."""
    seconds: Decimal | None = None
    form: str = "csv"


class Use(Node, frozen=True, kw_only=True, tag="use"):
    """Command that selects another portfolio."""

    portfolio: str


class Quit(Node, frozen=True, kw_only=True, tag="quit"):
    """Command that ends the program."""


Command = (
    Order | Cost | Scale | Cancel | Change | Nudge | Close | Reverse | BreakEven | MoveTrigger | Protect
    | Orphans | Working | SetState | SetLimit | Keep | Show | Why | Answer | Alert | AlertChange | SetAlias
    | Export | Use | Quit
)  # fmt: skip


class Step(Node, frozen=True, kw_only=True):
    """Single command of a line, and whether it is only previewed and whether it waits for the command before it."""

    command: Command
    dry: bool = False
    """Whether it only shows its preview."""
    beside: bool = False
    """Whether it begins without waiting for the step before (`&`)."""


class Line(Node, frozen=True, kw_only=True):
    """Whole parsed command line: its portfolio and its commands."""

    steps: tuple[Step, ...]
    portfolio: str = ""
    """Portfolio the line is for; `all`: each of them; empty: the one in view."""
