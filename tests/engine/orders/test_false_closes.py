"""Orders that call themselves closing where there is no position: they count as what the service makes of them."""

from __future__ import annotations

import msgspec
import pytest

from tests.engine.conftest import SYM, buy
from tests.engine.orders.gated import SPOT, Gated, denied
from tui.engine.limits import Limits
from tui.engine.modes import RiskMode, TradingState
from tui.engine.orders.pre_trade_checks import intent_closes, works_in_view
from tui.engine.state.closing_orders import order_only_closes
from tui.interface.families.orders import PositionSide, Side

MARGIN = "BINANCE_MARGIN_BTC_USDT"


@pytest.fixture
def gated() -> Gated:
    made = Gated()
    made.state.symbols[MARGIN] = msgspec.structs.replace(made.state.symbols[SYM], sym=MARGIN)
    made.quote(sym=MARGIN)
    return made


@pytest.mark.parametrize("sym", [SPOT, MARGIN, "nonsense"])
def test_a_reduce_only_order_on_a_spot_pair_closes_nothing(sym: str) -> None:
    order = buy(sym=sym, reduce_only=True, kill=True)
    assert not intent_closes(order) and not works_in_view(order)
    assert not order_only_closes(sym, "SELL", "LONG", reduce_only=True)
    assert order_only_closes(SYM, "SELL", "LONG", reduce_only=False) and order_only_closes(
        SYM, "BUY", "NONE", reduce_only=True
    )


@pytest.mark.parametrize("sym", [SPOT, MARGIN])
def test_reduce_only_on_a_pair_without_positions_is_denied(gated: Gated, sym: str) -> None:
    """The service ignores it: a program bought for 30,000 under a mandate of 10, and in VIEW and HALT."""
    denied(gated.gate.check_place(buy(sym=sym, reduce_only=True)), "REDUCE_ONLY", "has no position")
    leg = buy(sym=sym, side=Side.SELL, position_side=PositionSide.LONG)
    denied(gated.gate.check_place(leg), "MODE", "has no legs")


@pytest.mark.parametrize("sym", [SPOT, MARGIN])
def test_a_reduce_only_spot_order_gets_no_rights_of_a_close(gated: Gated, sym: str) -> None:
    order = buy(sym=sym, reduce_only=True, kill=True)
    gated.state.trading.of("").state = TradingState.VIEW
    denied(gated.gate.check_place(order), "STATE", "VIEW")
    gated.state.trading.of("").state = TradingState.ARMED
    gated.state.trading.risk_mode = RiskMode.HALT
    denied(gated.gate.check_place(order), "MODE", "HALT")
    gated.state.trading.risk_mode = RiskMode.NORMAL
    gated.state.settings = msgspec.structs.replace(gated.state.settings, limits=Limits(hard_notional="10"))
    assert gated.gate.check_place(order) is not None
