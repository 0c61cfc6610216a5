"""Rules of the pairs: what changed under an open desk when they were read again, and their age."""

from __future__ import annotations

from collections.abc import Mapping

from tui.engine.rows import Level, Table
from tui.engine.state.engine_state import EngineState
from tui.interface import decimals
from tui.interface.families.market import SymbolInfo
from tui.interface.symbols import pair_name

CHANGED_RULES = "CHANGED_RULES"
"""Name of the guard that refuses orders on a pair whose rules changed."""
RULES_WORD = "rules"
"""What the trader types to trade by the new rules."""
YOUNG_S = 5.0
"""Rules read so shortly before a login count as read at it, s."""


def take_rules(state: EngineState, rules: Mapping[str, SymbolInfo]) -> None:
    """Take over the rules of all pairs; a changed contract size or tick is said, and stops orders on its pair."""
    for sym, info in state.symbols.items():
        changed = _describe_changed(info, rules.get(sym))
        if changed:
            what = state.trading.changed_rules[sym] = f"{pair_name(sym)}: {changed}"
            text = f"{what}; sizes and limits were reckoned with the old rules, look at its orders"
            state.notify(Level.ALERT, text, sticky=True, cause=_cause(sym))
        if sym not in rules:
            state.updates.put(Table.SYMBOLS, sym, None)
    for sym, info in rules.items():
        if state.symbols.get(sym) != info:
            state.updates.put(Table.SYMBOLS, sym, info)
    state.symbols = dict(rules)
    state.rules_read_at = state.clock.mono()


def acknowledge_rules(state: EngineState, changes: Mapping[str, str]) -> None:
    """Take orders on pairs again whose new rules the trader has acknowledged.

    Args:
        state: Of the engine.
        changes: Pair -> what had changed when the trader was asked; what has changed once more is asked about again.
    """
    for sym, change in changes.items():
        if state.trading.changed_rules.get(sym) == change:
            del state.trading.changed_rules[sym]
            state.notify(Level.INFO, f"you trade by the new rules: {change}", cause=_cause(sym))


def _cause(sym: str) -> str:
    return f"rules of {sym}"


def are_rules_fresh(state: EngineState) -> bool:
    """Return whether the rules were read since the last login."""
    return state.rules_read_at >= state.logged_in_at - YOUNG_S


def _describe_changed(before: SymbolInfo, after: SymbolInfo | None) -> str:
    if after is None:
        return "the service lists it no more"
    pairs = (("contract size", before.contract_size, after.contract_size), ("tick", before.tick_size, after.tick_size))
    texts = [
        f"{name} was {old[:20]}, is {new[:20]} now" for name, old, new in pairs if not decimals.is_same_figure(old, new)
    ]
    return " and ".join(texts)
