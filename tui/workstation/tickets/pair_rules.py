"""The rules of a pair in words: what stands where no ticket is open."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tui.workstation.model import number_format
from tui.workstation.model.instruments import full_name
from tui.workstation.render.palette import Piece
from tui.workstation.render.strips import pieces_width
from tui.workstation.tickets.fields import DOT

if TYPE_CHECKING:
    from tui.interface.families.market import SymbolInfo


def pair_rules(info: SymbolInfo, lines: int, cells: int) -> list[list[Piece]]:
    """Tick, lot and least order of a pair, in as many lines of so many cells as there are."""
    pieces: list[Piece] = [(f" {full_name(info.sym)}", "text")]
    if info.contract_size not in ("", "1"):
        pieces += [DOT, (f"1 ct = {info.contract_size}", "dim")]
    for name, value in (("tick", info.tick_size), ("lot", info.lot_size), ("min", info.min_size)):
        pieces += [DOT, (f"{name} ", "faint"), (value or number_format.MISSING, "dim")]
    if number_format.value(info.min_notional):
        pieces += [DOT, ("min notional ", "faint"), (info.min_notional, "dim")]
    if info.state not in ("", "live"):
        pieces += [DOT, (info.state, "warn")]
    if lines == 1:
        return [pieces]
    rows: list[list[Piece]] = [[]]
    for start in [0, *(at for at, piece in enumerate(pieces) if piece is DOT)]:
        end = next((at for at in range(start + 1, len(pieces)) if pieces[at] is DOT), len(pieces))
        part = pieces[start:end]
        if pieces_width(rows[-1]) + pieces_width(part) > cells and len(rows) < lines:
            rows.append([(" ", "text"), *part[1:]])
        else:
            rows[-1] = rows[-1] + part
    return rows
