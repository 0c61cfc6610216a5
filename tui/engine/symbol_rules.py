"""What becomes of the rules of the pairs when they are read again: what changed under an open desk, and how old they are."""

from __future__ import annotations

from collections.abc import Mapping

from tui.engine.rows import Level, Table
from tui.engine.state.engine_state import EngineState
from tui.interface import decimals
from tui.interface.families.market import SymbolInfo
from tui.interface.symbols import pair_name

YOUNG_S = 5.0
"""Rules read so shortly before a login count as read at it, s."""


def take_rules(state: EngineState, rules: Mapping[str, SymbolInfo]) -> None:
    """Take over the rules of all pairs; a changed contract size or tick is said, and stops orders on its pair."""
    for sym, info in state.symbols.items():
        changed = _changed_text(info, rules.get(sym))
        if changed:
            what = state.trading.changed_rules[sym] = f"{pair_name(sym)}: {changed}"
            text = f"{what}; sizes and limits were reckoned with the old rules, look at its orders"
            state.notify(Level.ALERT, text, sticky=True, cause=f"rules of {sym}")
        if sym not in rules:
            state.updates.put(Table.SYMBOLS, sym, None)
    for sym, info in rules.items():
        if state.symbols.get(sym) != info:
            state.updates.put(Table.SYMBOLS, sym, info)
    state.symbols = dict(rules)
    state.rules_read_at = state.clock.mono()


def are_rules_fresh(state: EngineState) -> bool:
    """Whether the rules were read since the newest login."""
    return state.rules_read_at >= state.logged_in_at - YOUNG_S


def _changed_text(before: SymbolInfo, after: SymbolInfo | None) -> str:
    if after is None:
        return "the service lists it no more"
    pairs = (("contract size", before.contract_size, after.contract_size), ("tick", before.tick_size, after.tick_size))
    texts = [
        f"{name} was {old[:20]}, is {new[:20]} now"
        for name, old, new in pairs
        if old != new and (decimals.optional(old) is None or decimals.optional(old) != decimals.optional(new))
    ]
    return " and ".join(texts)
