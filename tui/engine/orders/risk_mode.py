"""Risk modes: what the desk may still do after the trader, or a limit, took a step back."""

from __future__ import annotations

from decimal import Decimal

from tui.engine.intents import RiskMode
from tui.engine.rows import Level
from tui.engine.state.engine_state import EngineState
from tui.interface import decimals
from tui.interface.decimals import plain
from tui.interface.families.positions import AccountStatus

_ORDER = (RiskMode.NORMAL, RiskMode.REDUCING, RiskMode.HALT)
_CALLED = frozenset(status.value for status in AccountStatus if status is not AccountStatus.NORMAL)


class RiskModes:
    """Enters and leaves modes. A stricter mode is entered at once; a milder one only by the trader's word."""

    def __init__(self, desk: EngineState) -> None:
        self._desk = desk
        self._limits = desk.settings.limits

    def enter(self, mode: RiskMode, why: str) -> None:
        """Go to a stricter mode; nothing when the desk is at least as strict."""
        desk = self._desk
        if _ORDER.index(mode) <= _ORDER.index(desk.mode):
            return
        desk.mode, desk.mode_why = mode, why
        desk.keep("mode", {"mode": mode.value, "why": why})
        desk.say(Level.ALERT, f"{mode.value}: {why}")

    def resume(self) -> None:
        """Back to NORMAL, unless the limit that caused it is still beyond its threshold."""
        desk, cause = self._desk, self.breach()
        if desk.mode is RiskMode.NORMAL:
            return
        if cause:
            desk.say(Level.WARN, f"still {desk.mode.value}: {cause}; raise the limit or wait")
            if desk.mode is RiskMode.HALT:
                desk.mode, desk.mode_why = RiskMode.REDUCING, cause
            return
        desk.keep("mode", {"mode": RiskMode.NORMAL.value, "why": "resumed by the trader"})
        desk.say(Level.INFO, f"{RiskMode.NORMAL.value}: resumed by the trader; it was {desk.mode.value}")
        desk.mode, desk.mode_why = RiskMode.NORMAL, ""

    def watch(self) -> None:
        """Look whether a limit asks for a step back."""
        why = self.breach()
        if why:
            self.enter(RiskMode.REDUCING, why)

    def breach(self) -> str:
        """The limit that is beyond its threshold now, in words, or empty."""
        desk, limits = self._desk, self._limits
        for exchange, fact in desk.accounts.rows.items():
            if fact.record.account_status in _CALLED:
                return f"account {exchange} is {fact.record.account_status}"
        most = decimals.optional(limits.max_loss)
        if most is not None and -desk.fills.day.net > most:
            return f"day result {_money(desk.fills.day.net)} is beyond the daily loss limit {plain(most)}"
        budget = decimals.optional(limits.budget)
        if budget is not None and desk.spent > budget:
            return f"new exposure of this session {_money(desk.spent)} is beyond the budget {plain(budget)}"
        return ""


def _money(value: Decimal) -> str:
    return plain(decimals.half_up(value, 2))
