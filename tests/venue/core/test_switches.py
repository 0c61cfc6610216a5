"""Switches: only known names and values, each with its default first."""

from __future__ import annotations

import pytest

from tests.venue.core.drive import Desk, code
from tui.interface.families.positions import SetLeverage
from tui.venue.core.commands import SetSwitch
from tui.venue.core.switches import SPECS, BadSwitch, Switches


def test_venue_switch_defaults_to_its_first_value() -> None:
    switches = Switches()
    assert switches.all() == {spec.name: spec.values[0] for spec in SPECS}


@pytest.mark.parametrize(("name", "value"), [("nothing", "on"), ("agents", "maybe"), ("self_trade", "")])
def test_unknown_venue_switch_or_value_lists_what_is_accepted(name: str, value: str) -> None:
    with pytest.raises(BadSwitch, match=r"known: |it takes "):
        Switches({name: value})


def test_an_invalid_switch_command_is_rejected() -> None:
    desk = Desk()
    assert code(desk.do(SetSwitch(name="agents", value="maybe"))) == 400000
    assert desk.exchange.queries.switches["agents"] == "off"


@pytest.mark.parametrize("value", ["999999", "99999999"])
def test_margin_ratio_of_an_account_without_risk_is_configurable(value: str) -> None:
    desk = Desk(no_risk_mmr=value)
    assert {row.uni_mmr for row in desk.exchange.queries.accounts(desk.main)} == {value}


def test_spot_orders_can_show_a_leverage_by_config() -> None:
    desk = Desk(spot_leverage="1")
    assert desk.order(desk.place("BUY", "0.01", "61000", "BINANCE_SPOT_BTC_USDT")).leverage == 1


def test_cumulative_tiers_need_less_maintenance_than_flat_ones() -> None:
    found = []
    for value in ("flat", "cumulative"):
        desk = Desk(agents="still", tier_margin=value)
        desk.place("BUY", "20")
        found.append(float(desk.exchange.queries.positions(desk.main)[0].position_mm))
    assert found[0] > found[1]


def test_zero_positions_can_be_listed_by_config() -> None:
    for value, rows in (("false", []), ("true", [("BINANCE_PERP_ETH_USDT", "0", "7")])):
        desk = Desk(zero_positions=value)
        desk.do(SetLeverage(portfolio=desk.main, sym="BINANCE_PERP_ETH_USDT", leverage="7"))
        shown = desk.exchange.queries.positions(desk.main)
        assert [(row.sym, row.position_qty, row.leverage) for row in shown] == rows
