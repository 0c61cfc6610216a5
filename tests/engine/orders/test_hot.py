"""The state HOT in the engine: how it begins, what one key may send, and each way it ends."""

from __future__ import annotations

import msgspec
import pytest

from tests.engine.conftest import Screen, StateRig, buy
from tests.engine.orders.gated import Gated, asks, denied
from tui.engine.limits import Limits
from tui.engine.modes import RiskMode, TradingState
from tui.engine.orders.risk_mode import RiskModes
from tui.engine.orders.trading_control import MOST_VISITS, VISITS_S, TradingControl
from tui.engine.peers.mandates import Mandates
from tui.engine.peers.requests import count_requests


class Controlled(StateRig):
    """A desk that is armed and connected."""

    def __init__(self) -> None:
        super().__init__()
        self.changes = 0
        self.proven = True
        self.state.logged_in = self.state.synced = True
        self.state.links.is_proven = lambda: self.proven
        self.modes = RiskModes(self.state)
        self.control = TradingControl(
            self.state, self.modes, Mandates(self.state, count_requests(self.state)), self._count
        )
        self.control.set_trading_state(TradingState.ARMED, "by you")

    def _count(self) -> None:
        self.changes += 1

    def shows(self, state: TradingState) -> bool:
        return self.state.trading.own.state is state


@pytest.fixture
def desk() -> Controlled:
    return Controlled()


def test_hot_mode_begins_from_armed_and_ends_after_its_time(desk: Controlled) -> None:
    desk.control.enter_hot(60)
    assert desk.shows(TradingState.HOT)
    desk.clock.advance(59.9)
    desk.control.check_hot()
    assert desk.shows(TradingState.HOT)
    desk.clock.advance(0.2)
    desk.control.check_hot()
    assert desk.shows(TradingState.ARMED)
    assert desk.state.trading.own.hot_until == 0


def test_a_mode_change_is_told_before_programs_that_came_or_left(desk: Controlled) -> None:
    """An answer goes before notes in the line of events."""
    Screen(desk.state.updates).look()
    desk.control.attach_peer("do", "trade")
    desk.control.detach_peer("do")
    notes = Screen(desk.state.updates).look().events
    assert notes and not any(event.answers for event in notes)
    desk.control.enter_hot(60)
    desk.control.end_hot("by you")
    desk.control.set_risk_mode(RiskMode.HALT, "by you")
    desk.control.set_risk_mode(RiskMode.NORMAL, "by you")
    desk.control.set_trading_state(TradingState.VIEW, "by you")
    told = Screen(desk.state.updates).look().events
    assert len(told) == 5 and all(event.answers for event in told)


def test_programs_that_attach_and_leave_constantly_are_summed_up(desk: Controlled) -> None:
    def come_and_leave(times: int) -> list[str]:
        screen = Screen(desk.state.updates)
        for _ in range(times):
            desk.control.attach_peer("loop", "watch")
            desk.control.detach_peer("loop")
        return [event.text for event in screen.look().events]

    Screen(desk.state.updates).look()
    assert come_and_leave(500) == ["loop attached, to read", "loop left"] * (MOST_VISITS // 2)
    desk.clock.advance(VISITS_S)
    told = come_and_leave(1)
    assert told == ["programs and desks came or left 970 times more", "loop attached, to read", "loop left"]


@pytest.mark.parametrize("seconds", [0, -1, 900.1])
def test_hot_mode_needs_a_time_of_up_to_fifteen_minutes(desk: Controlled, seconds: float) -> None:
    desk.control.enter_hot(seconds)
    assert desk.shows(TradingState.ARMED)


def test_hot_mode_does_not_begin_from_view_mode(desk: Controlled) -> None:
    desk.control.disarm("by you")
    desk.control.enter_hot(60)
    assert desk.shows(TradingState.VIEW)


def test_hot_mode_cannot_be_started_anew_while_it_runs(desk: Controlled) -> None:
    desk.control.enter_hot(60)
    until = desk.state.trading.own.hot_until
    desk.control.enter_hot(600)
    assert desk.state.trading.own.hot_until == until


def test_hot_mode_does_not_begin_without_a_connection(desk: Controlled) -> None:
    desk.proven = False
    desk.control.enter_hot(60)
    assert desk.shows(TradingState.ARMED)


def test_hot_mode_ends_when_the_connection_is_lost(desk: Controlled) -> None:
    desk.control.enter_hot(60)
    desk.state.logged_in = False
    desk.control.check_hot()
    assert desk.shows(TradingState.ARMED)


def test_hot_mode_ends_by_a_reconnect_between_two_checks(desk: Controlled) -> None:
    desk.control.enter_hot(60)
    desk.state.epoch += 1
    desk.control.check_hot()
    assert desk.shows(TradingState.ARMED)


def test_hot_mode_ends_when_a_limit_is_breached(desk: Controlled) -> None:
    desk.control.enter_hot(60)
    desk.modes.enter(RiskMode.REDUCING, "the daily loss limit")
    desk.control.check_hot()
    assert desk.shows(TradingState.ARMED)


def test_the_kill_switch_leads_from_hot_mode_to_view_mode(desk: Controlled) -> None:
    desk.control.enter_hot(60)
    desk.control.kill()
    assert desk.shows(TradingState.VIEW)
    assert desk.state.trading.own.hot_until == 0


def hot(gated: Gated, seconds: float = 60) -> None:
    gated.state.trading.own.state = TradingState.HOT
    gated.state.trading.own.hot_until = gated.clock.mono() + seconds


def test_orders_sent_by_one_key_pass_only_in_hot_mode(gated: Gated) -> None:
    denied(gated.gate.check_place(buy(hot=True)), "STATE", "HOT has ended")
    hot(gated)
    assert gated.gate.check_place(buy(hot=True)) is None


def test_orders_by_one_key_are_denied_once_hot_mode_has_ended(gated: Gated) -> None:
    hot(gated, 1)
    gated.clock.advance(1.0)
    gated.quote()
    denied(gated.gate.check_place(buy(hot=True)), "STATE", "HOT has ended")


def test_a_staged_order_passes_in_hot_mode(gated: Gated) -> None:
    hot(gated)
    assert gated.gate.check_place(buy()) is None


def test_an_old_quote_is_denied_in_hot_and_asked_about_in_armed(gated: Gated) -> None:
    gated.clock.advance(2.5)
    gated.status.last_frame = gated.state.quotes.newest = gated.clock.mono()
    asks(gated.gate.check_place(buy(price="60000.1")), "STALE")
    hot(gated)
    denied(gated.gate.check_place(buy(price="60000.1", hot=True)), "STALE", "in HOT nothing is sent")
    asks(gated.gate.check_place(buy(price="60000.1")), "STALE")
    assert gated.hot_ends == []


def test_hot_mode_ends_when_a_limit_denies_an_order(gated: Gated) -> None:
    hot(gated)
    denied(gated.gate.check_place(buy(price="70000", hot=True)), "BAND")
    assert gated.hot_ends == ["a limit refused an order (BAND)"]


def test_an_order_over_the_soft_limit_asks_and_keeps_hot_mode(gated: Gated) -> None:
    hot(gated)
    asks(gated.gate.check_place(buy(qty="0.5", hot=True)), "SOFT_NOTIONAL")
    assert gated.hot_ends == []


def test_limits_can_be_changed_only_in_view_mode(desk: Controlled) -> None:
    wanted = Limits(hard_notional="50000")
    desk.control.set_limits(wanted, "limit max_notional: 100000 → 50000")
    assert desk.state.settings.limits != wanted
    desk.control.disarm("by you")
    desk.control.set_limits(wanted, "limit max_notional: 100000 → 50000")
    assert desk.state.settings.limits == wanted


def test_the_gate_uses_a_changed_limit_for_the_next_order(gated: Gated) -> None:
    assert gated.gate.check_place(buy(price="60000", qty="0.1")) is None
    limits = Limits(first_of_day=False, soft_notional="100", hard_notional="500")
    gated.state.settings = msgspec.structs.replace(gated.state.settings, limits=limits)
    denied(gated.gate.check_place(buy(price="60000", qty="0.1")), "NOTIONAL", "500")
