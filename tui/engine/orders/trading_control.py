"""Control of the trading state (armed or VIEW), the risk mode and the kill switch."""

from __future__ import annotations

from collections.abc import Callable

from tui.engine.modes import RiskMode, TradingState
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

    def set_trading_state(self, wanted: TradingState, why: str) -> None:
        """Arm or disarm trading; arming is refused while nothing can be sent."""
        state = self._state
        if wanted is TradingState.ARMED and state.trading.read_only:
            state.notify(Level.WARN, f"cannot arm: {state.trading.read_only}")
            return
        if wanted is not state.trading.state:
            state.trading.state = wanted
            state.write_journal("state", {"state": wanted.value, "why": why})
            state.notify(Level.INFO, f"{_STATES[wanted]} ({why})")
        self._changed()

    def set_risk_mode(self, mode: RiskMode, why: str) -> None:
        """Enter a stricter risk mode, or return to NORMAL unless a limit is still breached."""
        if mode is RiskMode.NORMAL:
            self._modes.resume()
        else:
            self._modes.enter(mode, why)
        self._changed()

    def disarm(self, why: str) -> None:
        """Disarm trading: set the state VIEW, in which nothing is sent."""
        self.set_trading_state(TradingState.VIEW, why)

    def kill(self) -> None:
        """Trigger the kill switch: set the trading state VIEW and the risk mode HALT."""
        self.disarm("kill switch")
        self.set_risk_mode(RiskMode.HALT, "kill switch")
