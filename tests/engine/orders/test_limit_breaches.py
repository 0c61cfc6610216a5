"""Limits that are breached without an order: the risk mode is REDUCING, and cannot be left before that is over."""

from __future__ import annotations

import pytest

from tests.engine.conftest import SYM
from tests.engine.orders.gated import SPOT, Gated
from tui.engine.limits import SymLimits
from tui.engine.modes import RiskMode
from tui.engine.orders.risk_mode import RiskModes, find_breach
from tui.engine.rows import Fact, Source
from tui.engine.state.closing_orders import LATE_S
from tui.interface.families.assets import AssetRecord
from tui.interface.families.positions import PositionRecord
from tui.interface.symbols import pair_name


def _mode(gated: Gated) -> RiskMode:
    return gated.state.trading.risk_mode


def _hold(gated: Gated, qty: str, leg: str = "NONE") -> None:
    record = PositionRecord(sym=SYM, position_side=leg, position_qty=qty)
    gated.state.facts.positions.rows[f"{SYM}/{leg}"] = Fact(record, gated.state.stamp(Source.PUSH, 1))


@pytest.mark.parametrize("leg", ["NONE", "LONG"])
def test_a_position_that_stays_over_its_limit_sets_reducing(gated: Gated, leg: str) -> None:
    """Once it has stood: a position told ahead of its order counts the fill twice for a moment."""
    modes = RiskModes(gated.limit(max_position="1500").state)
    _hold(gated, "0.02", leg)
    gated.order("waits", position_side=leg)
    modes.check_limits()
    gated.clock.advance(LATE_S - 1)
    modes.check_limits()
    assert _mode(gated) is RiskMode.NORMAL
    gated.clock.advance(1)
    modes.check_limits()
    name = pair_name(SYM) if leg == "NONE" else f"{pair_name(SYM)} LONG"
    text = f"REDUCING: {name} (1,800 with its orders) is beyond the position limit 1,500"
    assert gated.screen.look().events[-1].text == text
    modes.resume()
    end = f"you can resume once {name} is worth 1,500 or less, or with a higher max_position"
    assert gated.screen.look().events[-1].text.endswith(end)
    assert _mode(gated) is RiskMode.REDUCING
    gated.limit(max_position="1500", sym={SYM: SymLimits(max_position="1800")})
    modes.resume()
    assert _mode(gated) is RiskMode.NORMAL


def test_a_position_over_its_limit_briefly_keeps_the_risk_mode(gated: Gated) -> None:
    modes = RiskModes(gated.limit(max_position="1500").state)
    for qty in ("0.03", "0.02", "0.03"):
        _hold(gated, qty)
        modes.check_limits()
        gated.clock.advance(LATE_S - 1)
    modes.check_limits()
    assert gated.state.trading.risk_mode is RiskMode.NORMAL


def test_spot_coins_over_the_position_limit_keep_the_risk_mode(gated: Gated) -> None:
    """REDUCING takes no sale of coins, so it would hold up what ends it."""
    state = gated.limit(max_position="1500").state
    record = AssetRecord(coin="BTC", exchange_type="BINANCE", balance="1", available="1")
    state.facts.assets.rows["BINANCE/BTC"] = Fact(record, state.stamp(Source.PUSH))
    gated.order("waits", sym=SPOT, qty="1")
    assert find_breach(state) is None


@pytest.mark.parametrize("name", ["max_open", "max_open_sym"])
def test_more_working_orders_than_allowed_set_risk_mode_reducing(gated: Gated, name: str) -> None:
    modes = RiskModes(gated.limit(**{name: 2}).state)
    for n in range(2):
        gated.order(f"k{n}")
    modes.check_limits()
    assert gated.state.trading.risk_mode is RiskMode.NORMAL
    gated.order("k2")
    modes.check_limits()
    on_pair = "" if name == "max_open" else f" on {pair_name(SYM)}"
    text = f"REDUCING: working orders{on_pair}: 3 is beyond the limit 2"
    assert gated.screen.look().events[-1].text == text
