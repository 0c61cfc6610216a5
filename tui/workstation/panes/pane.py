"""What a pane is: columns as data for each width, an order of keys, a row by key, and words for when there is none."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from decimal import Decimal
from typing import Any, ClassVar, Generic, TypeVar

import msgspec

from tui.engine.rows import Table
from tui.interface.families.market import SymbolInfo
from tui.interface.symbols import BadSymbol, Symbol, parse_symbol
from tui.seams import Clock
from tui.workstation import numbers
from tui.workstation.mirror import Mirror
from tui.workstation.palette import Piece
from tui.workstation.settings import WorkstationSettings

R = TypeVar("R")


class View:
    """What cell functions may read besides their row."""

    def __init__(self, mirror: Mirror, clock: Clock, settings: WorkstationSettings) -> None:
        self.mirror = mirror
        self.clock = clock
        self.settings = settings
        self.ghosts: dict[str, tuple[str, str]] = {}
        """Price and quantity of a replace that is being typed, by order row key."""

    @property
    def now(self) -> float:
        return self.clock.mono()

    def info(self, sym: str) -> SymbolInfo | None:
        """Rules of a symbol, where the service told them."""
        return self.mirror.symbols.get(sym)

    def price(self, sym: str, text: str | None, exact: bool = False) -> str:
        """A price with the decimals of the tick."""
        info = self.info(sym)
        return numbers.figure(text, numbers.places(info.tick_size) if info else None, self.settings.separators, exact)

    def quantity(self, sym: str, text: str | None, unit: bool = True) -> str:
        """A quantity with the decimals of the lot; `ct` where it counts contracts."""
        info = self.info(sym)
        places = numbers.places(info.lot_size) if info else None
        figure = numbers.figure(text, places, self.settings.separators, True)
        return figure + "ct" if unit and figure != numbers.MISSING and in_contracts(sym) else figure

    def money(self, text: str | None, places: int = 2) -> str:
        """An amount of the risk currency."""
        return numbers.figure(text, places, self.settings.separators)

    def moment(self, wall_ms: int, millis: bool = False) -> str:
        return numbers.moment(wall_ms, self.settings.time == "utc", millis)


Cell = Piece


class Column(msgspec.Struct, Generic[R], frozen=True, kw_only=True):
    """One column: how wide, how a row fills it, by what it sorts."""

    title: str
    width: int
    cell: Callable[[R, View], Cell]
    left: bool = False
    flash: Callable[[R], str] | None = None
    """Text of the figure whose change flashes."""


def columns_of(
    cells: Mapping[str, tuple[Callable[[R, View], Cell], bool]], *columns: tuple[str, int]
) -> tuple[Column[R], ...]:
    """Columns by title and width out of a pane's cells, each of which says whether it stands to the left."""
    return tuple(
        Column(title=title, width=width, cell=cells[title][0], left=cells[title][1]) for title, width in columns
    )


class Layout(msgspec.Struct, Generic[R], frozen=True):
    """Columns for panes of at least so many cells inside."""

    inside: int
    columns: tuple[Column[R], ...]


class Pane(Generic[R]):
    """Base of the panes."""

    id: ClassVar[str] = ""
    title: ClassVar[str] = ""
    number: ClassVar[int] = 0
    """Key that jumps to it; 0: reached by `(` and `)`."""
    feeds: ClassVar[frozenset[Table]] = frozenset()
    """Tables whose changes can change rows of this pane."""
    ages: ClassVar[bool] = True
    """Whether cells change as time goes on."""
    follows_tail: ClassVar[bool] = False

    def __init__(self, view: View) -> None:
        self.view = view

    @property
    def layouts(self) -> tuple[Layout[R], ...]:
        """Widest first."""
        raise NotImplementedError

    def keys(self) -> list[str]:
        """Row keys in the order shown."""
        raise NotImplementedError

    def row(self, key: str) -> R | None:
        """The row of a key, or None when it has gone."""
        raise NotImplementedError

    def changed(self, table: Table, keys: Iterable[str]) -> tuple[Iterable[str], bool]:
        """Which rows of the pane a change touches, and whether their order may have changed."""
        raise NotImplementedError

    def counts(self) -> list[Piece]:
        """What the title says after the name."""
        return [(str(len(self.keys())), "dim")]

    def short(self) -> str:
        """The count in a row of tabs."""
        return str(len(self.keys()))

    def empty(self) -> str:
        """What stands in a pane without rows once an answer proved that there are none."""
        return "nothing yet"

    def sym(self, key: str) -> str:
        """The symbol a row stands for, or an empty text."""
        del key
        return ""

    def columns(self, inside: int) -> tuple[Column[R], ...]:
        """The widest layout that fits; narrower than the narrowest: as many of its columns as fit."""
        layouts = self.layouts
        for layout in layouts:
            if layout.inside <= inside:
                return layout.columns
        kept: list[Column[R]] = []
        left = inside
        for column in layouts[-1].columns:
            if column.width <= left:
                kept.append(column)
                left -= column.width
        return tuple(kept)


def symbol(sym: str) -> Symbol | None:
    """The parts of a symbol, or None when it has another shape."""
    try:
        return parse_symbol(sym)
    except BadSymbol:
        return None


def in_contracts(sym: str) -> bool:
    """Whether quantities of a symbol count contracts."""
    parts = symbol(sym)
    return parts is not None and parts.is_perp and parts.exchange == "OKX"


def pair_name(parts: Symbol) -> str:
    """The short name of a pair; the common quote coin is left out."""
    return parts.base if parts.quote == "USDT" else f"{parts.base}/{parts.quote}"


def short_name(sym: str) -> str:
    """Venue and pair."""
    parts = symbol(sym)
    return sym if parts is None else f"{parts.exchange} {pair_name(parts)}"


def base_units(sym: str, qty: Decimal, info: SymbolInfo | None) -> Decimal | None:
    """A quantity in base units; None while the size of a contract is not known."""
    if not in_contracts(sym):
        return qty
    size = numbers.value(info.contract_size) if info is not None else None
    return None if size is None else qty * size


def intent_word(sym: str, side: str, position_side: str, reduce_only: bool = False) -> str:
    """What an order does, in the trader's words."""
    buy = side == "BUY"
    if position_side == "LONG":
        return "open long" if buy else "close long"
    if position_side == "SHORT":
        return "close short" if buy else "open short"
    parts = symbol(sym)
    word = {"BUY": "buy", "SELL": "sell"}.get(side, side)
    if parts is not None and not parts.is_perp:
        return f"{word} {parts.business_type.lower()}"
    return f"{word} reduce" if reduce_only else word


def side_role(side: str) -> str:
    """Role of a side."""
    return {"BUY": "buy", "SELL": "sell", "LONG": "buy", "SHORT": "sell"}.get(side, "text")


def sort_number(text: str | None, missing: Decimal = Decimal("-Infinity")) -> Decimal:
    """A figure as sort key; missing ones go last in a descending list."""
    number = numbers.value(text)
    return missing if number is None else number


AnyPane = Pane[Any]
