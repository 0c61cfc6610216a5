"""An engine state in step, armed, behind a gate, and what a gate may say."""

from __future__ import annotations

from typing import Any

import msgspec

from tests.client.fakes import SYMBOL
from tests.engine.conftest import SYM, StateRig
from tui.client.connection_status import ConnectionStatus, Phase
from tui.client.rate_limiter import RateLimiter
from tui.client.settings import Timings
from tui.engine.modes import RiskMode, TradingState
from tui.engine.orders.gate import Gate
from tui.engine.orders.pre_trade_checks import Refusal
from tui.engine.peers.mandates import Mandates
from tui.engine.peers.requests import count_requests
from tui.engine.rows import OrderRow, QuoteRow, Source
from tui.engine.settings import EngineSettings
from tui.interface.families.market import SymbolInfo

SPOT = "BINANCE_SPOT_BTC_USDT"


class Gated(StateRig):
    """An engine state in step, armed, with one pair and a fresh quote."""

    def __init__(self) -> None:
        super().__init__()
        state = self.state
        state.trading.own.state = TradingState.ARMED
        state.logged_in = state.synced = True
        self.proven = True
        state.links.is_proven = lambda: self.proven
        self.status = ConnectionStatus(phase=Phase.READY)
        state.links.public_status = lambda: self.status
        info = msgspec.convert(SYMBOL, SymbolInfo)
        state.symbols = {SYM: info, SPOT: msgspec.structs.replace(info, sym=SPOT)}
        self.quote()
        self.quote(sym=SPOT)
        self.disarmed: list[str] = []
        self.hot_ends: list[str] = []
        self.steps: list[tuple[RiskMode, str]] = []
        self.rate_limiter = RateLimiter(Timings(), self.clock)
        self.gate = Gate(
            state,
            self.rate_limiter,
            lambda why, peer: self.disarmed.append(f"{peer}: {why}" if peer else why),
            lambda why, peer: self.hot_ends.append(f"{peer}: {why}" if peer else why),
            lambda mode, why: self.steps.append((mode, why)),
            Mandates(state, count_requests(state)),
        )

    def quote(self, bid: str = "60000", ask: str = "60000.1", mark: str = "60000", sym: str = SYM) -> None:
        self.state.quotes.rows[sym] = QuoteRow(sym=sym, bid=bid, ask=ask, mark=mark, received=self.clock.mono() + 0.001)
        self.status.last_frame = self.state.quotes.newest = self.clock.mono()

    def limit(self, **changes: object) -> Gated:
        """Change limits and return it."""
        limits = msgspec.structs.replace(self.state.settings.limits, **changes)
        self.state.settings = EngineSettings(limits=limits)
        return self

    def order(self, key: str, **changes: object) -> OrderRow:
        """Put an order whose ids are all its key."""
        return self.row(key=key, client_order_id=key, order_id=key, **changes)

    def row(self, **changes: Any) -> OrderRow:
        values: dict[str, Any] = {
            "key": "k",
            "client_order_id": "k",
            "order_id": "2000000000000001",
            "sym": SYM,
            "side": "BUY",
            "order_type": "LIMIT",
            "price": "60000",
            "qty": "0.01",
            "state": "OPEN",
            "stamp": self.state.stamp(Source.PUSH, 5),
            **changes,
        }
        row = OrderRow(**values)
        self.state.orders.add(row)
        return row


def denied(refusal: Refusal | None, guard: str, *words: str) -> None:
    assert refusal is not None
    assert (refusal.guard, refusal.ask) == (guard, False)
    assert all(word in refusal.text for word in words), refusal.text


def asks(refusal: Refusal | None, guard: str, *words: str) -> None:
    assert refusal is not None
    assert (refusal.guard, refusal.ask) == (guard, True)
    assert all(word in refusal.text for word in words), refusal.text
