"""Risk controls that decide whether an intent may be sent: trading state, risk mode, mandates and gate."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from tui.client.rate_limiter import RateLimiter
from tui.engine.modes import RiskEntry
from tui.engine.orders.gate import Gate
from tui.engine.orders.risk_mode import RiskModes
from tui.engine.orders.trading_control import TradingControl
from tui.engine.peers.mandates import Mandates
from tui.engine.peers.proposals import Proposals
from tui.engine.peers.requests import count_requests
from tui.engine.state.engine_state import EngineState


class RiskControls:
    """Risk controls of one engine; they outlive single trading sessions."""

    def __init__(self, state: EngineState, rate_limiter: RateLimiter, changed: Callable[[], None]) -> None:
        """Build the controls; `changed` is called whenever trading state or risk mode changes."""
        self.modes = RiskModes(state)
        numbers = count_requests(state)
        self.proposals, self.mandates = Proposals(state, numbers), Mandates(state, numbers)
        self.control = control = TradingControl(state, self.modes, self.mandates, changed)
        self.gate = Gate(state, rate_limiter, control.disarm, control.end_hot, self.modes.enter, self.mandates)

    def restore(self, traded: Mapping[str, int], left: Sequence[str], risk: RiskEntry) -> None:
        """Restore from earlier sessions: traded days, orders of ended mandates, and the risk mode.

        Args:
            traded: Wall time of the last order by pair, ms.
            left: Open orders of mandates that have ended.
            risk: Risk mode that was in force.
        """
        for sym, wall_ms in traded.items():
            self.gate.record_traded_day(sym, wall_ms)
        self.mandates.restore(left)
        self.modes.restore(risk)
