"""Control of the trading state (VIEW, ARMED, HOT), the risk mode and the kill switch."""

from __future__ import annotations

from collections.abc import Callable

import msgspec

from tui.engine.limits import Limits
from tui.engine.modes import MOST_HOT_S, RiskMode, TradingState
from tui.engine.orders.risk_mode import RiskModes
from tui.engine.rows import Level
from tui.engine.state.engine_state import EngineState

_STATES = {TradingState.VIEW: "Disarmed", TradingState.ARMED: "Armed"}


class TradingControl:
    """Switch of trading state and risk mode; each change is notified, journaled and published at once."""

    def __init__(self, state: EngineState, modes: RiskModes, changed: Callable[[], None]) -> None:
        self._state = state
        self._modes = modes
        self._changed = changed
        self._hot_epoch = -1
        """Connection on which HOT began."""
        self._hot_mode = RiskMode.NORMAL
        """Risk mode in which HOT began."""

    def set_trading_state(self, wanted: TradingState, why: str) -> None:
        """Arm or disarm trading; arming is refused while nothing can be sent."""
        state = self._state
        if wanted is TradingState.ARMED and state.trading.read_only:
            state.notify(Level.WARN, f"cannot arm: {state.trading.read_only}")
            return
        if wanted is not state.trading.state:
            state.trading.state, state.trading.hot_until = wanted, 0.0
            state.write_journal("state", {"state": wanted.value, "why": why})
            state.notify(Level.INFO, f"{_STATES[wanted]} ({why})")
        self._changed()

    def enter_hot(self, seconds: float) -> None:
        """Enter HOT for a time; refused from any state but ARMED, without a connection, and for too long a time."""
        state = self._state
        why = self._hot_block(seconds)
        if why:
            state.notify(Level.WARN, f"not HOT: {why}")
            return
        self._hot_epoch, self._hot_mode = state.epoch, state.trading.risk_mode
        state.trading.state = TradingState.HOT
        state.trading.hot_until = state.clock.mono() + seconds
        state.write_journal("state", {"state": TradingState.HOT.value, "why": f"by you, for {seconds:g} s"})
        state.notify(Level.WARN, f"HOT for {seconds:g} s: one key sends; Esc twice or a ends it")
        self._changed()

    def _hot_block(self, seconds: float) -> str:
        """Return why HOT cannot begin."""
        trading = self._state.trading
        if trading.state is not TradingState.ARMED:
            return f"the trading state is {trading.state.value}; it begins from ARMED"
        if not 0 < seconds <= MOST_HOT_S:
            return f"{seconds:g} s asked for; accepted are up to {MOST_HOT_S:g} s"
        return "" if self._is_connected() else "not connected"

    def _is_connected(self) -> bool:
        return self._state.logged_in and self._state.links.is_proven()

    def end_hot(self, why: str) -> None:
        """Return from HOT to ARMED; no effect in other states."""
        if self._state.trading.state is TradingState.HOT:
            self.set_trading_state(TradingState.ARMED, f"HOT ended: {why}")

    def check_hot(self) -> None:
        """End HOT when its time is over, the connection was lost, or the risk mode changed."""
        state = self._state
        if state.trading.state is not TradingState.HOT:
            return
        if state.clock.mono() >= state.trading.hot_until:
            self.end_hot("its time is over")
        elif not self._is_connected() or state.epoch != self._hot_epoch:
            self.end_hot("the connection was lost")
        elif state.trading.risk_mode is not self._hot_mode:
            self.end_hot(f"the risk mode changed to {state.trading.risk_mode.value}")

    def set_risk_mode(self, mode: RiskMode, why: str) -> None:
        """Enter a stricter risk mode, or return to NORMAL unless a limit is still breached."""
        if mode is RiskMode.NORMAL:
            self._modes.resume()
        else:
            self._modes.enter(mode, why)
        self._changed()

    def set_limits(self, limits: Limits, what: str) -> None:
        """Replace the limits; refused unless the state is VIEW, so that no order is under way by the former ones."""
        state = self._state
        if state.trading.state is not TradingState.VIEW:
            state.notify(Level.WARN, "limits change in VIEW only: disarm first (a)")
            return
        state.settings = msgspec.structs.replace(state.settings, limits=limits)
        state.write_journal("limits", {"change": what, "limits": msgspec.to_builtins(limits)})
        state.notify(Level.INFO, what)
        self._changed()

    def disarm(self, why: str) -> None:
        """Disarm trading: set the state VIEW, in which only the kill prompt sends."""
        self.set_trading_state(TradingState.VIEW, why)

    def kill(self) -> None:
        """Trigger the kill switch: set the trading state VIEW and the risk mode HALT."""
        self.disarm("kill switch")
        self.set_risk_mode(RiskMode.HALT, "kill switch")
