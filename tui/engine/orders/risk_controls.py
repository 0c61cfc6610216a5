"""Risk controls that decide whether an intent may be sent: trading state, risk mode and gate."""

from __future__ import annotations

from collections.abc import Callable

from tui.client.rate_limiter import RateLimiter
from tui.engine.orders.gate import Gate
from tui.engine.orders.risk_mode import RiskModes
from tui.engine.orders.trading_control import TradingControl
from tui.engine.state.engine_state import EngineState


class RiskControls:
    """Risk controls of one engine; they outlive single trading sessions."""

    def __init__(self, state: EngineState, rate_limiter: RateLimiter, changed: Callable[[], None]) -> None:
        """Build the controls; `changed` is called whenever trading state or risk mode changes."""
        self.modes = RiskModes(state)
        self.control = TradingControl(state, self.modes, changed)
        control = self.control
        self.gate = Gate(state, rate_limiter, control.disarm, control.end_hot, self.modes.enter)
