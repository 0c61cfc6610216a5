"""ADL: how soon a leg would be deleveraged, what would be lost, and what delta would be left."""

from __future__ import annotations

from collections.abc import Iterable
from decimal import Decimal
from typing import ClassVar

import msgspec

from tui.engine.intents import Environment
from tui.engine.rows import Fact, Table
from tui.interface.decimals import half_up
from tui.interface.families.positions import AdlRank, PositionRecord
from tui.interface.symbols import try_parse
from tui.rules.adl import leverage_score
from tui.workstation.model import adl_indicator, number_format
from tui.workstation.model.adl_lookup import NOT_READ_YET, awaited, position_of
from tui.workstation.model.display_context import DisplayContext
from tui.workstation.model.instruments import short_name, venue_of
from tui.workstation.model.position_metrics import (
    base_delta,
    coins_held,
    leg_of,
    mark_of,
    notional_of,
    own_liquidation,
    sign_of,
    size_of,
)
from tui.workstation.render.palette import Piece
from tui.workstation.table.columns import Cell, Field, Fields, Layout, SortKey, layout, of_row
from tui.workstation.table.pane import Pane
from tui.workstation.table.row_filter import Facts

OLD_AFTER_S = 60.0
SHORT_DELTAS = 13
"""Cells of two deltas beside which there is room for a word."""
KEPT_STEPS = 4
"""Values of a rank that the trend shows."""

_UNTOLD: Cell = ("  " + number_format.MISSING, "faint")


class AdlLine(msgspec.Struct, frozen=True):
    """A rank, the leg it is about, and the values it had before."""

    rank: Fact[AdlRank]
    position: PositionRecord | None
    steps: tuple[str, ...] = ()


def _found(line: AdlLine, view: DisplayContext) -> tuple[int, bool] | None:
    engine_status, parts = view.mirror.engine_status, try_parse(line.rank.record.sym)
    environment = engine_status.environment if engine_status is not None else Environment.PAPER
    return adl_indicator.lights(line.rank.record.adl_rank, parts.exchange if parts else "", environment)


def _leg(line: AdlLine) -> Cell:
    record = line.rank.record
    side = record.position_side if record.position_side != "NONE" else (leg_of(line.position) if line.position else "")
    return f"{short_name(record.sym)} {side[:1]}", "text"


def _portfolio(line: AdlLine) -> Cell:
    """The answer has none; it is the key's own."""
    return line.rank.stamp.portfolio or number_format.MISSING, "dim"


def _lights(line: AdlLine, view: DisplayContext) -> Cell:
    found = _found(line, view)
    if found is None:
        return number_format.MISSING, "faint"
    count, known = found
    return f"{adl_indicator.drawn(count)} {count}{'' if known else '?'}{_rise(line)}", adl_indicator.role(count)


def _lights_short(line: AdlLine, view: DisplayContext) -> str:
    found = _found(line, view)
    if found is None:
        return number_format.MISSING
    return f"{adl_indicator.drawn(found[0])}{found[0] if found[1] else '?'}{_rise(line)}"


def _by_lights(line: AdlLine, view: DisplayContext) -> SortKey:
    found = _found(line, view)
    return None if found is None else Decimal(found[0])


def _rise(line: AdlLine) -> str:
    if len(line.steps) < 2:
        return ""
    before, now = number_format.value(line.steps[-2]), number_format.value(line.steps[-1])
    return "↑" if before is not None and now is not None and now > before else ""


def _raw(line: AdlLine) -> Cell:
    return line.rank.record.adl_rank or number_format.MISSING, "dim"


def _by_raw(line: AdlLine) -> SortKey:
    return number_format.value(line.rank.record.adl_rank)


def _age(line: AdlLine, view: DisplayContext) -> Cell:
    seconds = view.now - line.rank.stamp.received
    return number_format.whole_age(seconds), "warn" if seconds > OLD_AFTER_S else "dim"


def _by_age(line: AdlLine, view: DisplayContext) -> SortKey:
    return view.now - line.rank.stamp.received


def _lose(line: AdlLine, view: DisplayContext) -> Cell:
    if line.position is None:
        return _UNTOLD
    parts = try_parse(line.position.sym)
    delta = base_delta(line.position, view)
    gain = number_format.value(line.position.unrealized_pnl)
    size = number_format.decimal_figure(None if delta is None else abs(delta), None, view.settings.separators)
    body = f"  {size} {parts.base if parts else ''} {number_format.signed_decimal(gain, 0, view.settings.separators)}"
    return body, number_format.change_role(gain)


def _by_lose(line: AdlLine) -> SortKey:
    return number_format.value(line.position.unrealized_pnl) if line.position is not None else None


def _notional(line: AdlLine, view: DisplayContext) -> Cell:
    return view.amount(notional_of(line.position, view) if line.position is not None else None), "dim"


def _by_notional(line: AdlLine, view: DisplayContext) -> SortKey:
    return notional_of(line.position, view) if line.position is not None else None


def score_of(line: AdlLine, view: DisplayContext) -> tuple[Decimal, Decimal] | None:
    """Our estimate of what drives the rank: result share, and effective leverage against the liquidation price."""
    record = line.position
    if record is None:
        return None
    entry, mark = number_format.value(record.avg_price), number_format.value(mark_of(record, view))
    sign = sign_of(record)
    away = number_format.value(record.liq_price) or own_liquidation(record, view)
    if not entry or not mark or not sign:
        return None
    score = leverage_score(sign, entry, mark, away)
    return score.pnl_share * 100, score.leverage


def _score(line: AdlLine, view: DisplayContext) -> Cell:
    found = score_of(line, view)
    if found is None:
        return _UNTOLD
    share, leverage = found
    lever = f" x {half_up(leverage, 1)}" if leverage else ""
    return f"  ~{number_format.signed_decimal(share, 2)}%{lever}", number_format.change_role(share)


def _by_score(line: AdlLine, view: DisplayContext) -> SortKey:
    found = score_of(line, view)
    return None if found is None else found[0] * (found[1] or 1)


def partners(line: AdlLine, view: DisplayContext) -> tuple[str, Decimal, Decimal] | None:
    """The other legs and coins that hedge this leg, and the base delta of all of them before and after it has gone."""
    if line.position is None:
        return None
    own, parts = base_delta(line.position, view), try_parse(line.position.sym)
    if own is None or parts is None:
        return None
    before = coins_held(view).get(parts.base, Decimal(0))
    names = ["coins"] if before * own < 0 else []
    for fact in view.mirror.positions.values():
        other = try_parse(fact.record.sym)
        if other is None or other.base != parts.base or not size_of(fact.record):
            continue
        delta = base_delta(fact.record, view)
        if delta is None:
            return None
        before += delta
        if delta * own < 0:
            names.append(f"{other.exchange[:3]} {leg_of(fact.record)[:1]}")
    return ", ".join(names) or "none", before, before - own


def _partner(line: AdlLine, view: DisplayContext) -> Cell:
    found = partners(line, view)
    if found is None:
        return _UNTOLD
    names, before, after = found
    return f"  {names}: {number_format.signed_decimal(before)} → {number_format.signed_decimal(after)}", "text"


def _partner_short(line: AdlLine, view: DisplayContext) -> str:
    """How many hedge it instead of which; the deltas alone where they are long."""
    found = partners(line, view)
    if found is None:
        return _UNTOLD[0]
    names, before, after = found
    deltas = f"{number_format.signed_decimal(before)} → {number_format.signed_decimal(after)}"
    return f"  {names.count(',') + 1} hedge {deltas}" if len(deltas) <= SHORT_DELTAS else f"  {deltas}"


def _trend(line: AdlLine) -> Cell:
    return "  " + "→".join(line.steps[-KEPT_STEPS:]), "dim"


_FIELDS: Fields[AdlLine] = {
    "leg": Field(17, of_row(_leg), left=True, prose=True),
    "portfolio": Field(12, of_row(_portfolio), left=True, hide=3, prose=True),
    "lights": Field(9, _lights, _by_lights, left=True, short=_lights_short),
    "raw": Field(5, of_row(_raw), of_row(_by_raw)),
    "age": Field(6, _age, _by_age),
    "lose": Field(22, _lose, of_row(_by_lose), left=True, title="  would lose"),
    "notional": Field(13, _notional, _by_notional, hide=4),
    "partner": Field(30, _partner, left=True, short=_partner_short, title="  partner, delta after"),
    "score": Field(18, _score, _by_score, left=True, hide=4, title="  score why"),
    "trend": Field(12, of_row(_trend), left=True, hide=3, title="  trend"),
}

_LAYOUTS = (
    layout(
        _FIELDS, 118,
        ("leg", 17), ("lights", 9), ("raw", 5), ("age", 6), ("lose", 21), ("partner", 30), ("score", 18), ("trend", 12),
    ),
    layout(
        _FIELDS, 98,
        ("leg", 17), ("lights", 10), ("raw", 5), ("age", 6), ("lose", 24), ("partner", 30),
    ),
    layout(_FIELDS, 78, ("leg", 15), ("lights", 9), ("raw", 4), ("age", 5), ("lose", 20), ("partner", 25)),
    layout(_FIELDS, 76, ("leg", 14), ("lights", 9), ("raw", 4), ("age", 5), ("lose", 20), ("partner", 24)),
    layout(_FIELDS, 51, ("leg", 14), ("lights", 9), ("raw", 4), ("age", 5), ("lose", 19)),
    layout(_FIELDS, 32, ("leg", 14), ("lights", 9), ("raw", 4), ("age", 5)),
)  # fmt: skip


class AdlPane(Pane[AdlLine]):
    """Deleveraging rank of each leg."""

    id: ClassVar[str] = "adl"
    title: ClassVar[str] = "ADL"
    number: ClassVar[int] = 5
    feeds: ClassVar[frozenset[Table]] = frozenset([Table.ADL, Table.POSITIONS, Table.SYMBOLS, Table.ASSETS])

    def __init__(self, view: DisplayContext) -> None:
        super().__init__(view)
        self._steps: dict[str, tuple[str, ...]] = {}

    @property
    def layouts(self) -> tuple[Layout[AdlLine], ...]:
        return _LAYOUTS

    @property
    def fields(self) -> Fields[AdlLine]:
        return _FIELDS

    def keys(self) -> list[str]:
        view = self.view
        rows = []
        for key, fact in view.mirror.adl.items():
            line = AdlLine(fact, position_of(fact.record, view.mirror))
            found = _found(line, view)
            gain = number_format.value(line.position.unrealized_pnl) if line.position else None
            rows.append((-(found[0] if found else -1), -(gain or Decimal(0)), key))
        return [key for _, _, key in sorted(rows)]

    def row(self, key: str) -> AdlLine | None:
        fact = self.view.mirror.adl.get(key)
        if fact is None:
            return None
        return AdlLine(fact, position_of(fact.record, self.view.mirror), self._steps.get(key, ()))

    def changed(self, table: Table, keys: Iterable[str]) -> tuple[Iterable[str], bool]:
        mirror = self.view.mirror
        if table is Table.ADL:
            for key in keys:
                self._note(key)
        return list(mirror.adl), True

    def _note(self, key: str) -> None:
        """Keep the values a rank had; a rank that has gone starts anew."""
        fact = self.view.mirror.adl.get(key)
        if fact is None:
            self._steps.pop(key, None)
            return
        steps = self._steps.get(key, ())
        if not steps or steps[-1] != fact.record.adl_rank:
            self._steps[key] = (*steps, fact.record.adl_rank)[-KEPT_STEPS:]

    def counts(self) -> list[Piece]:
        engine_status = self.view.mirror.engine_status
        pieces: list[Piece] = [(self.short(), "dim")]
        if engine_status is not None and engine_status.environment is Environment.PAPER:
            pieces += [(" · ", "frame"), ("paper scale 1..5", "dim")]
        return pieces

    def short(self) -> str:
        return str(len(self.view.mirror.adl))

    def empty(self) -> str:
        legs = [fact.record for fact in self.view.mirror.positions.values() if size_of(fact.record)]
        if any(awaited(leg, self.view) for leg in legs):
            return NOT_READ_YET
        return "rank not available" if legs else "no positions"

    def sym(self, key: str) -> str:
        fact = self.view.mirror.adl.get(key)
        return fact.record.sym if fact else ""

    def facts(self, key: str) -> Facts | None:
        line = self.row(key)
        if line is None:
            return None
        side = line.rank.record.position_side if line.position is None else leg_of(line.position)
        return Facts(
            text=" ".join(self.texts(line)),
            sym=line.rank.record.sym,
            side=side,
            venue=venue_of(line.rank.record.sym),
            age=Decimal(str(self.view.now - line.rank.stamp.received)),
            qty=size_of(line.position) if line.position is not None else None,
        )

    def matters(self, key: str) -> bool:
        return self.row(key) is not None

    def copied(self, key: str) -> str:
        line = self.row(key)
        return (line.rank.record.position_id or key) if line is not None else key
