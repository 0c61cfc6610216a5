"""Reload of pair rules: detects rule changes while the desk runs, and knows how old the rules are."""

from __future__ import annotations

from collections.abc import Mapping

from tui.engine.event_line import Level
from tui.engine.rows import Table
from tui.engine.state.engine_state import EngineState
from tui.interface import decimals
from tui.interface.families.market import SymbolInfo
from tui.interface.symbols import pair_name

CHANGED_RULES = "CHANGED_RULES"
"""Name of the guard that refuses orders on a pair whose rules changed."""
RULES_WORD = "rules"
"""Word the trader types to accept the new rules."""
YOUNG_S = 5.0
"""Rules read within this time before a login count as read after it, s."""


def take_rules(state: EngineState, rules: Mapping[str, SymbolInfo]) -> None:
    """Apply the rules of all pairs; a changed contract size or tick, or a delisting, is notified and blocks orders."""
    for sym, info in state.symbols.items():
        changed = _describe_changed(info, rules.get(sym))
        if changed:
            what = state.trading.changed_rules[sym] = f"{pair_name(sym)}: {changed}"
            text = f"{what}; sizes and limits were computed with the old rules, check its orders"
            state.notify(Level.ALERT, text, sticky=True, cause=_cause(sym))
    changed_rows: dict[str, SymbolInfo | None] = {sym: None for sym in state.symbols if sym not in rules}
    changed_rows |= {sym: info for sym, info in rules.items() if state.symbols.get(sym) != info}
    # At once: a screen that saw half of the pairs would take one of those for the first.
    state.updates.put_rows(Table.SYMBOLS, changed_rows)
    state.symbols = dict(rules)
    state.rules_read_at = state.clock.mono()


def acknowledge_rules(state: EngineState, changes: Mapping[str, str]) -> None:
    """Allow orders again on pairs whose changed rules the trader has acknowledged.

    Args:
        state: State of the engine.
        changes: By pair, the change shown with the question; a pair that has changed again stays blocked.
    """
    for sym, change in changes.items():
        if state.trading.changed_rules.get(sym) == change:
            del state.trading.changed_rules[sym]
            state.notify(Level.INFO, f"you accept the new rules and trade by them: {change}", cause=_cause(sym))


def _cause(sym: str) -> str:
    return f"rules of {sym}"


def are_rules_fresh(state: EngineState) -> bool:
    """Return whether the rules were read since the newest login."""
    return state.rules_read_at >= state.logged_in_at - YOUNG_S


def _describe_changed(before: SymbolInfo, after: SymbolInfo | None) -> str:
    if after is None:
        return "the service no longer lists it"
    pairs = (("contract size", before.contract_size, after.contract_size), ("tick", before.tick_size, after.tick_size))
    texts = [
        f"{name} was {old[:20]}, is {new[:20]} now" for name, old, new in pairs if not decimals.is_same_figure(old, new)
    ]
    return " and ".join(texts)
