"""Risk modes: which orders are still accepted after the trader or a limit has restricted trading."""

from __future__ import annotations

from collections import Counter
from datetime import UTC, datetime
from decimal import Decimal
from typing import NamedTuple

from tui.engine.doer_names import name_former
from tui.engine.event_line import Level
from tui.engine.modes import BY_YOU, RISK_MODE, RiskEntry, RiskMode
from tui.engine.orders.exposure import find_excess_position
from tui.engine.orders.pre_trade_checks import plain_grouped
from tui.engine.state.closing_orders import LATE_S
from tui.engine.state.engine_state import EngineState
from tui.interface import decimals
from tui.interface.decimals import plain
from tui.interface.families.positions import AccountStatus
from tui.interface.symbols import pair_name
from tui.interface.times import name_time

_CALLED = frozenset(status.value for status in AccountStatus if status is not AccountStatus.NORMAL)


class RiskModes:
    """Switch of the risk mode; limits can make it stricter, only the trader can relax it."""

    def __init__(self, state: EngineState) -> None:
        self._state = state
        self._beyond_since: float | None = None
        """Monotonic time since when a breach is seen that the next pushes may end, s."""

    def enter(self, mode: RiskMode, why: str, *, lasts: bool = False) -> None:
        """Enter a stricter mode; no effect if the current one is at least as strict.

        Args:
            mode: Mode.
            why: Reason, as it is shown.
            lasts: Whether the mode lasts over a restart.
        """
        self._enter(RiskEntry(mode, why, lasts), why)

    def _enter(self, entry: RiskEntry, now: str) -> None:
        """Enter a mode if it is stricter than the present one; `now` is the reason for the event line."""
        if entry.mode.is_stricter_than(self._state.trading.risk_mode):
            self._change(entry)
            self._state.notify(Level.ALERT, f"{entry.mode.value}: {now}", answers=True)

    def restore(self, entry: RiskEntry) -> None:
        """Enter the mode of the session before, from which the trader has not resumed."""
        trading = self._state.trading
        if entry.mode.is_stricter_than(trading.risk_mode):
            why = name_former(entry.why) + (
                f", {name_time(entry.at_ms, self._state.server_ms())} UTC" if entry.at_ms else ""
            )
            trading.risk_mode, trading.risk_mode_reason = entry.mode, why
            self._state.notify(Level.ALERT, f"still {entry.mode.value} from the session before: {why}")

    def _change(self, entry: RiskEntry) -> None:
        trading = self._state.trading
        trading.risk_mode = entry.mode
        trading.risk_mode_reason = "" if entry.mode is RiskMode.NORMAL else entry.why
        self._state.write_journal(RISK_MODE, entry)

    def resume(self, why: str = BY_YOU) -> None:
        """Return to NORMAL; while any limit is breached, HALT becomes REDUCING and REDUCING stays."""
        state, breach = self._state, find_breach(self._state)
        before = state.trading.risk_mode
        if before is RiskMode.NORMAL:
            return
        if breach is None:
            self._change(RiskEntry(RiskMode.NORMAL, f"resumed {why}"))
            state.notify(Level.INFO, f"{RiskMode.NORMAL.value}: resumed {why}; it was {before.value}", answers=True)
            return
        state.notify(Level.WARN, f"still {before.value}: {breach.text}; you can resume {breach.end}", answers=True)
        if before is RiskMode.HALT:
            self._change(RiskEntry(RiskMode.NORMAL, f"resumed {why}"))
            self._change(self._record(breach))

    def check_limits(self) -> None:
        """Enter REDUCING if a limit is breached; a position that fills may still correct must be beyond for `LATE_S`."""
        breach = find_breach(self._state)
        if breach is None or not breach.settles:
            self._beyond_since = None
        elif self._beyond_since is None:
            self._beyond_since = self._state.clock.mono()
        since = self._beyond_since
        if breach is not None and (since is None or self._state.clock.mono() - since >= LATE_S):
            self._enter(self._record(breach), breach.text)

    def _record(self, breach: Breach) -> RiskEntry:
        """Build the risk entry of a breach, worded in the past tense, because REDUCING outlasts the breach."""
        at = datetime.fromtimestamp(self._state.server_ms() // 1000, UTC)
        return RiskEntry(RiskMode.REDUCING, f"{breach.subject} was {breach.state} ({at:%H:%M:%S} UTC)")


class Breach(NamedTuple):
    """Reason for which REDUCING applies and cannot be left now: a breached limit, or the status of an account."""

    subject: str
    state: str
    end: str
    """From when on it can be: `after` or `once` something."""
    settles: bool = False
    """Whether it may be one of a moment: a position told ahead of the order that filled counts the fill twice."""

    @property
    def text(self) -> str:
        """Description of the breach in the present tense."""
        return f"{self.subject} is {self.state}"


def find_breach(state: EngineState) -> Breach | None:
    """Return the account status or limit breach for which REDUCING applies now, or None."""
    limits = state.settings.limits
    for exchange, fact in state.facts.accounts.rows.items():
        if fact.record.account_status in _CALLED:
            account = f"account {exchange}"
            return Breach(account, fact.record.account_status, f"once {account} is {AccountStatus.NORMAL}")
    most = decimals.optional(limits.max_loss)
    if most is not None:
        state.roll_day()
        net = state.fills.day.net
        if -net > most:
            over = f"beyond the daily loss limit {plain(most)}, which counts until 00:00 UTC"
            return Breach(f"day result {_money(net)}", over, "after 00:00 UTC, or with a higher max_loss")
    budget = decimals.optional(limits.budget)
    opened = state.trading.opened_notional
    if budget is not None and opened > budget:
        subject = f"new exposure of this session {_money(opened)}"
        return Breach(subject, f"beyond the budget {plain(budget)}", "with a higher budget, or in the next session")
    return _find_order_breach(state) or _find_position_breach(state)


def _find_order_breach(state: EngineState) -> Breach | None:
    """Return a breach if there are more working orders, in all or on a pair, than the limits allow; else None."""
    limits, working = state.settings.limits, state.orders.working()
    if len(working) > limits.max_open:
        return _breach_of_orders("working orders", len(working), limits.max_open)
    for sym, count in Counter(row.sym for row in working).items():
        if count > (most := limits.of(sym).max_open_sym):
            return _breach_of_orders(f"working orders on {pair_name(sym)}", count, most)
    return None


def _breach_of_orders(subject: str, count: int, most: int) -> Breach:
    end = f"once {most} or fewer work, or with a higher limit"
    return Breach(f"{subject}: {count}", f"beyond the limit {most}", end)


def _find_position_breach(state: EngineState) -> Breach | None:
    """Return a breach if a position with the working orders of one side exceeds its limit; else None."""
    excess = find_excess_position(state)
    if excess is None:
        return None
    value, most = plain_grouped(decimals.half_up(excess.value, 2)), plain_grouped(excess.limit)
    subject = f"{excess.name} ({value} with its orders)"
    end = f"once {excess.name} is worth {most} or less, or with a higher max_position"
    return Breach(subject, f"beyond the position limit {most}", end, settles=True)


def _money(value: Decimal) -> str:
    return plain(decimals.half_up(value, 2))
