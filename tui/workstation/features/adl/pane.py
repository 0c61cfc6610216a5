"""ADL pane: auto-deleveraging rank of each position, the result it would realise, and the remaining delta."""

from __future__ import annotations

from collections.abc import Iterable
from decimal import Decimal
from typing import ClassVar

from tui.engine.modes import Environment
from tui.engine.rows import Table
from tui.interface.figures import leg_of, size_of
from tui.workstation.features.adl import cells
from tui.workstation.features.adl.cells import AdlLine
from tui.workstation.model import adl_ranks, number_format
from tui.workstation.model.adl_ranks import NOT_READ_YET, is_awaited, position_of
from tui.workstation.model.display_context import DisplayContext
from tui.workstation.model.instruments import venue_of
from tui.workstation.render.pieces import Piece
from tui.workstation.table.columns import Field, Fields, of_row
from tui.workstation.table.pane import ChangedRows, Pane
from tui.workstation.table.row_filter import FilterFacts

_FIELDS: Fields[AdlLine] = {
    "leg": Field(17, of_row(cells.leg), left=True, prose=True, least=14),
    "portfolio": Field(17, of_row(cells.portfolio), left=True, hide=13, prose=True),
    "lights": Field(10, cells.lights, cells.by_lights, left=True, title="●5 first", short=cells.lights_short, least=9),
    "raw": Field(5, of_row(cells.raw_rank), of_row(cells.by_raw), least=4),
    "age": Field(6, cells.age, cells.by_age, least=5),
    "lose": Field(21, cells.lose, of_row(cells.by_lose), left=True, title="  would lose", least=19, hide=1),
    "notional": Field(13, cells.notional, cells.by_notional, hide=14),
    "partner": Field(
        30, cells.partner, left=True, short=cells.partner_short, title="  partner, delta after", least=24, hide=2
    ),
    "score": Field(18, cells.score, cells.by_score, left=True, hide=5, title="  score why"),
    "trend": Field(12, of_row(cells.trend), left=True, hide=5, title="  trend"),
}


class AdlPane(Pane[AdlLine]):
    """Pane with the auto-deleveraging rank of each position."""

    id: ClassVar[str] = "adl"
    title: ClassVar[str] = "ADL"
    number: ClassVar[int] = 5
    feeds: ClassVar[frozenset[Table]] = frozenset([Table.ADL, Table.POSITIONS, Table.SYMBOLS, Table.ASSETS])

    def __init__(self, view: DisplayContext) -> None:
        super().__init__(view)
        self._steps: dict[str, tuple[str, ...]] = {}
        self._open: list[tuple[str, AdlLine]] = []
        self._open_of: tuple[int, int, bool] | None = None
        """What `_open` was made of: changes of ranks and positions, and whether the account was read."""

    fields = _FIELDS

    def keys(self) -> list[str]:
        view = self.view
        rows = []
        for key, line in self._list_open():
            result = cells.rank_of(line, view)
            gain = number_format.value(line.position.unrealized_pnl) if line.position else None
            rows.append((-(result.lit if result else -1), -(gain or Decimal(0)), key))
        return [key for _, _, key in sorted(rows)]

    def _list_open(self) -> list[tuple[str, AdlLine]]:
        """List the open positions' ADL ranks; cached, because titles ask for them on every frame and they seldom change."""
        mirror = self.view.mirror
        made_of = (mirror.version(Table.ADL), mirror.version(Table.POSITIONS), mirror.synced_once)
        if made_of != self._open_of:
            matched = adl_ranks.match_positions(mirror)
            self._open = [(key, AdlLine(mirror.adl[key], position)) for key, position in matched]
            self._open_of = made_of
        return self._open

    def row(self, key: str) -> AdlLine | None:
        fact = self.view.mirror.adl.get(key)
        if fact is None:
            return None
        return AdlLine(fact, position_of(fact.record, self.view.mirror), self._steps.get(key, ()))

    def find_changed_rows(self, table: Table, keys: Iterable[str]) -> ChangedRows:
        mirror = self.view.mirror
        if table is Table.ADL:
            for key in keys:
                self._record_rank(key)
        return ChangedRows(list(mirror.adl), may_move=True)

    def _record_rank(self, key: str) -> None:
        """Append the present ADL rank to the position's history if it changed; clear the history if the rank is gone."""
        fact = self.view.mirror.adl.get(key)
        if fact is None:
            self._steps.pop(key, None)
            return
        steps = self._steps.get(key, ())
        if not steps or steps[-1] != fact.record.adl_rank:
            self._steps[key] = (*steps, fact.record.adl_rank)[-cells.KEPT_STEPS :]

    def counts(self) -> list[Piece]:
        engine_status = self.view.mirror.engine_status
        pieces: list[Piece] = [(self.short(), "dim")]
        if self._list_open():
            pieces += [(" · ", "frame"), (f"{adl_ranks.format_lights(5)} is closed first", "dim")]
        if engine_status is not None and engine_status.environment is Environment.PAPER:
            pieces += [(" · ", "frame"), ("paper scale 1..5", "dim")]
        return pieces

    def short(self) -> str:
        return str(len(self._list_open()))

    def empty(self) -> str:
        legs = [fact.record for fact in self.view.mirror.positions.values() if size_of(fact.record)]
        if any(is_awaited(leg, self.view) for leg in legs):
            return NOT_READ_YET
        return "rank not available" if legs else f"no positions{self.way_to_ticket()}"

    def sym(self, key: str) -> str:
        fact = self.view.mirror.adl.get(key)
        return fact.record.sym if fact else ""

    def facts(self, key: str) -> FilterFacts | None:
        line = self.row(key)
        if line is None:
            return None
        side = line.rank.record.position_side if line.position is None else leg_of(line.position)
        return FilterFacts(
            text=" ".join(self.texts(line)),
            sym=line.rank.record.sym,
            side=side,
            venue=venue_of(line.rank.record.sym),
            age=Decimal(str(self.view.now - line.rank.stamp.received)),
            qty=size_of(line.position) if line.position is not None else None,
        )

    def carries_risk(self, key: str) -> bool:
        return self.row(key) is not None

    def copy_text(self, key: str) -> str:
        line = self.row(key)
        return (line.rank.record.position_id or key) if line is not None else key
