"""Which ADL rank belongs to which leg: by the position's id, else by the pair and the side the leg really has."""

from __future__ import annotations

from tui.engine.rows import Fact
from tui.interface.families.positions import AdlRank, PositionRecord
from tui.interface.times import millis
from tui.workstation.model.display_context import DisplayContext
from tui.workstation.model.mirror import Mirror
from tui.workstation.model.position_metrics import leg_of, size_of


def position_of(rank: AdlRank, mirror: Mirror) -> PositionRecord | None:
    """The leg a rank is about."""
    return next((fact.record for fact in mirror.positions.values() if _same(rank, fact.record)), None)


READ_S = 20.0
"""A leg opened more recently than this has no rank because the ranks were not read since."""
NOT_READ_YET = "rank …, with the next read"


def awaited(position: PositionRecord, view: DisplayContext) -> bool:
    """Whether the rank of a leg is missing only because the leg is new."""
    opened = millis(position.create_at)
    return bool(opened) and view.server_wall - opened / 1000 < READ_S and rank_of(position, view.mirror) is None


def rank_of(position: PositionRecord, mirror: Mirror) -> Fact[AdlRank] | None:
    """The rank of a leg."""
    return next((fact for fact in mirror.adl.values() if _same(fact.record, position)), None)


def _same(rank: AdlRank, position: PositionRecord) -> bool:
    """One-way accounts call a leg NONE while its rank says LONG or SHORT, so the words alone cannot be compared."""
    if rank.sym != position.sym:
        return False
    if rank.position_id and position.position_id:
        return rank.position_id == position.position_id
    if not size_of(position):
        return False
    return rank.position_side not in ("LONG", "SHORT") or rank.position_side == leg_of(position)
