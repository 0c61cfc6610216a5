"""ADL: how soon a leg would be deleveraged, what would be lost, and what delta would be left."""

from __future__ import annotations

from collections.abc import Iterable
from decimal import Decimal
from functools import partial
from typing import ClassVar

import msgspec

from tui.engine.intents import Environment
from tui.engine.rows import Fact, Table
from tui.interface.families.positions import AdlRank, PositionRecord
from tui.workstation import numbers
from tui.workstation.palette import Piece
from tui.workstation.panes import lights
from tui.workstation.panes.legs import base_delta, leg_of, size_of
from tui.workstation.panes.pane import Cell, Layout, Pane, View, columns_of, short_name, symbol
from tui.workstation.panes.ranks import position_of

OLD_AFTER_S = 60.0


class AdlLine(msgspec.Struct, frozen=True):
    """A rank and the leg it is about."""

    rank: Fact[AdlRank]
    position: PositionRecord | None


def _found(line: AdlLine, view: View) -> tuple[int, bool] | None:
    desk, parts = view.mirror.desk, symbol(line.rank.record.sym)
    environment = desk.environment if desk is not None else Environment.PAPER
    return lights.lights(line.rank.record.adl_rank, parts.exchange if parts else "", environment)


def _leg(line: AdlLine, view: View) -> Cell:
    del view
    record = line.rank.record
    side = record.position_side if record.position_side != "NONE" else (leg_of(line.position) if line.position else "")
    return f"{short_name(record.sym)} {side[:1]}", "text"


def _lights(line: AdlLine, view: View) -> Cell:
    found = _found(line, view)
    if found is None:
        return numbers.MISSING, "faint"
    count, known = found
    return f"{lights.drawn(count)} {count}" + ("" if known else "?"), lights.role(count)


def _raw(line: AdlLine, view: View) -> Cell:
    del view
    return line.rank.record.adl_rank or numbers.MISSING, "dim"


def _age(line: AdlLine, view: View) -> Cell:
    seconds = view.now - line.rank.stamp.received
    return numbers.whole_age(seconds), "warn" if seconds > OLD_AFTER_S else "dim"


def _lose(line: AdlLine, view: View) -> Cell:
    if line.position is None:
        return "  " + numbers.MISSING, "faint"
    parts = symbol(line.position.sym)
    delta = base_delta(line.position, view)
    gain = numbers.value(line.position.unrealized_pnl)
    size = numbers.decimal_figure(None if delta is None else abs(delta), None, view.settings.separators)
    body = f"  {size} {parts.base if parts else ''} {numbers.signed_decimal(gain, 0, view.settings.separators)}"
    return body, numbers.change_role(gain)


def partners(line: AdlLine, view: View) -> tuple[str, Decimal, Decimal] | None:
    """The other legs of the base coin, and the base delta before and after this leg has gone."""
    if line.position is None:
        return None
    own, parts = base_delta(line.position, view), symbol(line.position.sym)
    if own is None or parts is None:
        return None
    before = Decimal(0)
    names = []
    for fact in view.mirror.positions.values():
        other = symbol(fact.record.sym)
        if other is None or other.base != parts.base or not size_of(fact.record):
            continue
        delta = base_delta(fact.record, view)
        if delta is None:
            return None
        before += delta
        if delta * own < 0:
            names.append(f"{other.exchange[:3]} {leg_of(fact.record)[:1]}")
    return ",".join(names) or "none", before, before - own


def _partner(line: AdlLine, view: View) -> Cell:
    found = partners(line, view)
    if found is None:
        return "  " + numbers.MISSING, "faint"
    names, before, after = found
    return f"  {names}: {numbers.signed_decimal(before)} → {numbers.signed_decimal(after)}", "text"


_CELLS = {
    "leg": (_leg, True),
    "lights": (_lights, True),
    "raw": (_raw, False),
    "age": (_age, False),
    "  would lose": (_lose, True),
    "  partner, delta after": (_partner, True),
}


_columns = partial(columns_of, _CELLS)


_LAYOUTS = (
    Layout(
        100,
        _columns(("leg", 18), ("lights", 10), ("raw", 5), ("age", 6), ("  would lose", 26), ("  partner, delta after", 35)),
    ),
    Layout(
        76,
        _columns(("leg", 14), ("lights", 9), ("raw", 4), ("age", 5), ("  would lose", 20), ("  partner, delta after", 24)),
    ),
    Layout(51, _columns(("leg", 14), ("lights", 9), ("raw", 4), ("age", 5), ("  would lose", 19))),
    Layout(32, _columns(("leg", 14), ("lights", 9), ("raw", 4), ("age", 5))),
)  # fmt: skip


class AdlPane(Pane[AdlLine]):
    """Deleveraging rank of each leg."""

    id: ClassVar[str] = "adl"
    title: ClassVar[str] = "ADL"
    number: ClassVar[int] = 5
    feeds: ClassVar[frozenset[Table]] = frozenset([Table.ADL, Table.POSITIONS, Table.SYMBOLS])

    @property
    def layouts(self) -> tuple[Layout[AdlLine], ...]:
        return _LAYOUTS

    def keys(self) -> list[str]:
        view = self.view
        rows = []
        for key, fact in view.mirror.adl.items():
            line = AdlLine(fact, position_of(fact.record, view.mirror))
            found = _found(line, view)
            gain = numbers.value(line.position.unrealized_pnl) if line.position else None
            rows.append((-(found[0] if found else -1), -(gain or Decimal(0)), key))
        return [key for _, _, key in sorted(rows)]

    def row(self, key: str) -> AdlLine | None:
        fact = self.view.mirror.adl.get(key)
        return AdlLine(fact, position_of(fact.record, self.view.mirror)) if fact else None

    def changed(self, table: Table, keys: Iterable[str]) -> tuple[Iterable[str], bool]:
        del table, keys
        return list(self.view.mirror.adl), True

    def counts(self) -> list[Piece]:
        desk = self.view.mirror.desk
        pieces: list[Piece] = [(self.short(), "dim")]
        if desk is not None and desk.environment is Environment.PAPER:
            pieces += [(" · ", "frame"), ("paper scale 1..5", "dim")]
        return pieces

    def short(self) -> str:
        return str(len(self.view.mirror.adl))

    def empty(self) -> str:
        return "no positions with a rank"

    def sym(self, key: str) -> str:
        row = self.row(key)
        return row.rank.record.sym if row else ""
