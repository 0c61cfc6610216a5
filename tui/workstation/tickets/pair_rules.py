"""Trading rules of a pair as one line, shown while no ticket is open, and descriptions of rule changes."""

from __future__ import annotations

from itertools import chain
from typing import TYPE_CHECKING

from tui.interface import decimals
from tui.workstation.model import number_format
from tui.workstation.model.instruments import full_name
from tui.workstation.render.pieces import DOT, Piece, pieces_width

if TYPE_CHECKING:
    from tui.interface.families.market import SymbolInfo
    from tui.workstation.model.display_context import DisplayContext


def pair_rules(info: SymbolInfo, cells: int) -> list[Piece]:
    """Build a line with a pair's contract size and smallest order; what does not fit is left out from the end."""
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


_RULES = {
    "tick_size": "tick",
    "lot_size": "lot",
    "min_size": "smallest size",
    "min_notional": "smallest value",
    "max_limit_size": "largest limit order",
    "max_market_size": "largest market order",
    "contract_size": "contract",
    "state": "state",
}


def describe_rule_changes(before: SymbolInfo | None, now: SymbolInfo | None) -> str:
    """Describe changed order rules of a pair, such as `tick 0.1 → 0.5`; empty if none changed."""
    if before is now or before is None or now is None:
        return ""
    changes = ((word, getattr(before, name), getattr(now, name)) for name, word in _RULES.items())
    texts = (
        f"{word} {was or '–'} → {is_now or '–'}"
        for word, was, is_now in changes
        if not decimals.is_same_figure(was, is_now)
    )
    return ", ".join(texts)


def idle_pieces(view: DisplayContext, sym: str, width: int) -> list[Piece]:
    """Build what the panel shows without a ticket: requests and mandates of programs, else the pair's rules."""
    if view.mirror.proposals or view.mirror.mandates:
        from tui.workstation.tickets.program_requests import program_pieces

        if programs := program_pieces(view):
            return programs
    info = view.info(sym)
    if not sym:
        ways = [(view.key_of(f"stage.{verb}"), f" {verb}s") for verb in ("buy", "sell")]
        named = [
            [(", " if at else ": ", "dim"), (key, "key"), (verb, "dim")] for at, (key, verb) in enumerate(ways) if key
        ]
        return [(" pick a quote", "dim"), *chain(*named)]
    return [(f" {sym}: tick, lot and limits not received yet", "dim")] if info is None else pair_rules(info, width)
