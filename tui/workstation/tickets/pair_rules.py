"""The rules of a pair in one line: what stands where no ticket is open."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tui.workstation.model import number_format
from tui.workstation.model.instruments import full_name
from tui.workstation.render.palette import Piece
from tui.workstation.render.strips import pieces_width
from tui.workstation.tickets.fields import DOT

if TYPE_CHECKING:
    from tui.interface.families.market import SymbolInfo


def pair_rules(info: SymbolInfo, cells: int) -> list[Piece]:
    """Contract and least order of a pair in one line; what has no room is left out. Tick, lot and mark stand in the
    lists."""
    parts: list[list[Piece]] = []
    if info.state not in ("", "live"):
        parts.append([(info.state, "warn")])
    if info.contract_size not in ("", "1"):
        parts.append([(f"1 ct = {info.contract_size}", "dim")])
    parts.append([("min ", "faint"), (info.min_size or number_format.MISSING, "dim")])
    if number_format.value(info.min_notional):
        parts.append([("min notional ", "faint"), (info.min_notional, "dim")])
    row: list[Piece] = [(f" {full_name(info.sym)}", "text")]
    for part in parts:
        if pieces_width(row) + pieces_width([DOT, *part]) <= cells:
            row += [DOT, *part]
    return row
