"""Each sender has a trading state of its own: the screen of the process, and every peer by its name."""

from __future__ import annotations

import msgspec

from tests.engine.conftest import DECISION, buy
from tests.engine.orders.gated import Gated, denied
from tests.engine.orders.test_hot import Controlled, desk
from tui.engine.intents import Place
from tui.engine.limits import Limits
from tui.engine.modes import RiskMode, TradingState
from tui.engine.state.engine_state import SenderState
from tui.interface.families.orders import PLACE_ORDER, Side

__all__ = ["desk"]

OF_PEER = msgspec.structs.replace(DECISION, peer="desk 2")


def test_an_attached_window_sends_by_its_own_trading_state() -> None:
    gated = Gated()
    order = buy(decision=OF_PEER)
    denied(gated.gate.check_place(order), "STATE", "desk 2 has left")
    gated.state.trading.senders["desk 2"] = SenderState()
    denied(gated.gate.check_place(order), "STATE", "VIEW")
    gated.state.trading.senders["desk 2"] = SenderState(state=TradingState.ARMED)
    gated.state.trading.own.state = TradingState.VIEW
    assert gated.gate.check_place(order) is None
    denied(gated.gate.check_place(buy()), "STATE", "VIEW")


def test_too_many_orders_disarm_only_the_window_that_sent_them() -> None:
    gated = Gated()
    gated.state.trading.senders["desk 2"] = SenderState(state=TradingState.ARMED)
    gated.state.settings = msgspec.structs.replace(
        gated.state.settings, limits=msgspec.structs.replace(gated.state.settings.limits, runaway_count=0)
    )
    denied(gated.gate.check_place(buy(decision=OF_PEER)), "RUNAWAY")
    assert [text.split(":")[0] for text in gated.disarmed] == ["desk 2"]


def test_too_many_orders_of_a_window_do_not_stop_the_desk() -> None:
    gated = Gated()
    gated.state.trading.senders["desk 2"] = SenderState(state=TradingState.ARMED)
    for number in range(10):
        gated.gate.record_sent(buy(price=f"{59990 + number}", decision=OF_PEER), PLACE_ORDER, "k")
    assert gated.gate.check_place(buy(price="59980")) is None
    denied(gated.gate.check_place(buy(price="59980", decision=OF_PEER)), "RUNAWAY", "VIEW")


def test_the_kill_switch_disarms_every_window_and_program(desk: Controlled) -> None:
    control, senders = desk.control, desk.state.trading.senders
    for peer in ("desk 2", "maker"):
        control.attach_peer(peer, "desk")
        assert senders[peer].state is TradingState.VIEW
        control.set_trading_state(TradingState.ARMED, "by you", peer)
    control.kill()
    assert {sender.state for sender in senders.values()} == {TradingState.VIEW}
    assert desk.state.trading.risk_mode is RiskMode.HALT


def test_limits_change_only_while_no_attached_window_is_armed(desk: Controlled) -> None:
    control, before = desk.control, desk.state.settings.limits
    control.set_trading_state(TradingState.VIEW, "by you")
    control.attach_peer("desk 2", "desk")
    control.set_trading_state(TradingState.ARMED, "by you", "desk 2")
    control.set_limits(Limits(runaway_count=3), "fewer")
    assert desk.state.settings.limits is before
    control.detach_peer("desk 2")
    control.set_limits(Limits(runaway_count=3), "fewer")
    assert desk.state.settings.limits.runaway_count == 3


def test_hot_mode_of_each_window_ends_after_its_own_time(desk: Controlled) -> None:
    control = desk.control
    for peer, seconds in (("", 60.0), ("desk 2", 5.0)):
        if peer:
            control.attach_peer(peer, "desk")
        control.set_trading_state(TradingState.ARMED, "by you", peer)
        control.enter_hot(seconds, peer)
    desk.clock.advance(6)
    control.check_hot()
    assert desk.state.trading.own.state is TradingState.HOT
    assert desk.state.trading.of("desk 2").state is TradingState.ARMED


def test_too_many_orders_of_a_program_do_not_stop_the_desk() -> None:
    gated = Gated()
    gated.state.trading.senders["bot"] = SenderState(state=TradingState.ARMED)
    for number in range(10):
        order = buy(price=f"{59990 + number}")
        gated.gate.record_sent(from_peer(order, "bot"), PLACE_ORDER, "k")
    denied(gated.gate.check_place(from_peer(buy(price="59980"), "bot")), "RUNAWAY", "VIEW")
    assert gated.gate.check_place(buy(price="59980")) is None


def from_peer(order: Place, peer: str) -> Place:
    """An order as another window sends it."""
    decision = msgspec.structs.replace(order.decision, peer=peer)
    return msgspec.structs.replace(order, decision=decision)


def test_orders_of_one_command_line_count_as_one_send() -> None:
    """A scale of twelve orders disarmed the desk at the eleventh, on a venue that answers at once."""

    gated = Gated()

    def rung(number: int, line: str = "1.5") -> Place:
        return buy(price=f"{60000 - number}", line=line)

    for number in range(20):
        assert gated.gate.check_place(rung(number)) is None, number
        gated.gate.record_sent(rung(number), PLACE_ORDER, f"k{number}")
    for number in range(20, 29):
        assert gated.gate.check_place(rung(number, "")) is None, number
        gated.gate.record_sent(rung(number, ""), PLACE_ORDER, f"k{number}")
    denied(gated.gate.check_place(rung(30, "")), "RUNAWAY", "more than 10 sends in 2 s")
    assert gated.gate.check_place(rung(31)) is None, "the line goes on"
    denied(gated.gate.check_place(rung(32, "1.6")), "RUNAWAY")


def test_a_close_passes_while_too_many_orders_are_unanswered() -> None:
    """A list of more positions than orders may be unanswered left the last ones open."""
    gated = Gated()
    gated.hold("1")
    gated.gate.unanswered = gated.state.settings.limits.max_in_flight_places
    denied(gated.gate.check_place(buy()), "IN_FLIGHT")
    assert gated.gate.check_place(buy(side=Side.SELL, price="60000.1", reduce_only=True)) is None
