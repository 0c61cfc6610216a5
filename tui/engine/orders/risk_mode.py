"""Risk modes: which orders are still accepted after the trader or a limit has restricted trading."""

from __future__ import annotations

from datetime import UTC, datetime
from decimal import Decimal

from tui.engine.limits import Limits
from tui.engine.modes import RISK_MODE, RiskEntry, RiskMode
from tui.engine.rows import Level
from tui.engine.state.engine_state import EngineState
from tui.interface import decimals
from tui.interface.decimals import plain
from tui.interface.families.positions import AccountStatus

_CALLED = frozenset(status.value for status in AccountStatus if status is not AccountStatus.NORMAL)


class RiskModes:
    """Switch of the risk mode; limits can make it stricter, only the trader can relax it."""

    def __init__(self, state: EngineState) -> None:
        self._state = state

    @property
    def _limits(self) -> Limits:
        return self._state.settings.limits

    def enter(self, mode: RiskMode, why: str, *, lasts: bool = False) -> None:
        """Enter a stricter mode; no effect if the current one is at least as strict.

        Args:
            mode: Mode.
            why: Reason, as it is shown.
            lasts: Whether the mode lasts over a restart.
        """
        self._enter(RiskEntry(mode, why, lasts), why)

    def _enter(self, entry: RiskEntry, now: str) -> None:
        """Enter a stricter mode; `now` is its reason while it is news."""
        if entry.mode.is_stricter_than(self._state.trading.risk_mode):
            self._change(entry)
            self._state.notify(Level.ALERT, f"{entry.mode.value}: {now}", answers=True)

    def restore(self, entry: RiskEntry) -> None:
        """Enter the mode of the session before, from which the trader has not resumed."""
        trading = self._state.trading
        if entry.mode.is_stricter_than(trading.risk_mode):
            trading.risk_mode, trading.risk_mode_reason = entry.mode, entry.why
            self._state.notify(Level.ALERT, f"still {entry.mode.value} from the session before: {entry.why}")

    def _change(self, entry: RiskEntry) -> None:
        trading = self._state.trading
        trading.risk_mode = entry.mode
        trading.risk_mode_reason = "" if entry.mode is RiskMode.NORMAL else entry.why
        self._state.write_journal(RISK_MODE, entry)

    def resume(self, why: str = "by you") -> None:
        """Return to NORMAL; while any limit is breached, HALT becomes REDUCING and REDUCING stays."""
        state, cause = self._state, self.find_breach()
        before = state.trading.risk_mode
        if before is RiskMode.NORMAL:
            return
        if not cause:
            self._change(RiskEntry(RiskMode.NORMAL, f"resumed {why}"))
            state.notify(Level.INFO, f"{RiskMode.NORMAL.value}: resumed {why}; it was {before.value}", answers=True)
            return
        state.notify(Level.WARN, f"still {before.value}: {cause}; raise the limit or wait", answers=True)
        if before is RiskMode.HALT:
            self._change(RiskEntry(RiskMode.NORMAL, f"resumed {why}"))
            self._change(self._record_breach())

    def check_limits(self) -> None:
        """Enter REDUCING if a limit is breached."""
        why = self.find_breach()
        if why:
            self._enter(self._record_breach(), why)

    def _record_breach(self) -> RiskEntry:
        """Record the breached limit in the past tense: the mode stays when the breach is over."""
        at = datetime.fromtimestamp(self._state.server_ms() // 1000, UTC)
        return RiskEntry(RiskMode.REDUCING, f"{self.find_breach('was')} ({at:%H:%M:%S} UTC)")

    def find_breach(self, verb: str = "is") -> str:
        """Describe the breached limit; empty if none is."""
        state, limits = self._state, self._limits
        for exchange, fact in state.facts.accounts.rows.items():
            if fact.record.account_status in _CALLED:
                return f"account {exchange} {verb} {fact.record.account_status}"
        most = decimals.optional(limits.max_loss)
        if most is not None and -state.fills.day.net > most:
            net = _money(state.fills.day.net)
            return f"day result {net} {verb} beyond the daily loss limit {plain(most)}, which counts until 00:00 UTC"
        budget = decimals.optional(limits.budget)
        opened = state.trading.opened_notional
        if budget is not None and opened > budget:
            return f"new exposure of this session {_money(opened)} {verb} beyond the budget {plain(budget)}"
        return ""


def _money(value: Decimal) -> str:
    return plain(decimals.half_up(value, 2))
