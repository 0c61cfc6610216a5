"""Hedge mode at the gate: the mode of the account row as it is now, and what a leg can give."""

from __future__ import annotations

import pytest

from tests.client.fakes import PORTFOLIO, until
from tests.engine.conftest import SYM, Rig, buy
from tests.engine.orders.gated import SPOT, Gated, denied
from tui.engine.intents import Verdict
from tui.engine.rows import Fact, Source
from tui.engine.state.closing_orders import LATE_S
from tui.interface.families.orders import PositionSide, Side
from tui.interface.families.positions import AccountRecord, PositionRecord

LONG, SHORT = PositionSide.LONG, PositionSide.SHORT


class Hedged(Gated):
    """A gate whose venue row says a mode, and legs."""

    def mode(self, word: str, **legs: str) -> Hedged:
        state = self.state
        record = AccountRecord(exchange_type="BINANCE", position_mode=word)
        state.facts.accounts.rows["BINANCE"] = Fact(record, state.stamp(Source.PUSH, 1))
        for side, qty in legs.items():
            leg = PositionRecord(sym=SYM, position_side=side, position_qty=qty)
            state.facts.positions.rows[f"{SYM}/{side}"] = Fact(leg, state.stamp(Source.PUSH, 1))
        return self


@pytest.mark.parametrize(
    ("side", "readings"),
    [
        (Side.BUY, ("open long (BUY+LONG)", "close short (BUY+SHORT)")),
        (Side.SELL, ("open short (SELL+SHORT)", "close long (SELL+LONG)")),
    ],
)
def test_an_order_without_position_side_is_denied_in_hedge_mode(side: Side, readings: tuple[str, str]) -> None:
    gate = Hedged().mode("BOTH", LONG="1", SHORT="1").gate
    denied(gate.check_place(buy(side=side)), "TWO_READINGS", "BINANCE is in hedge mode", *readings)


def test_position_mode_checks_apply_only_to_perpetuals() -> None:
    gated = Hedged().mode("BOTH")
    assert gated.gate.check_place(buy(sym=SPOT)) is None
    gated.mode("NEITHER")
    assert gated.gate.check_place(buy()) is None
    assert gated.gate.check_place(buy(position_side=LONG)) is None


@pytest.mark.parametrize(("side", "leg"), [(Side.BUY, LONG), (Side.SELL, LONG), (Side.SELL, SHORT), (Side.BUY, SHORT)])
def test_an_order_with_position_side_is_denied_in_one_way_mode(side: Side, leg: PositionSide) -> None:
    gate = Hedged().mode("NET", NONE="1").gate
    denied(gate.check_place(buy(side=side, position_side=leg)), "MODE", "one-way mode", f"{side}+{leg}")


@pytest.mark.parametrize(("side", "leg", "other"), [(Side.SELL, LONG, "SHORT"), (Side.BUY, SHORT, "LONG")])
def test_closing_an_empty_hedge_leg_is_denied(side: Side, leg: PositionSide, other: str) -> None:
    gated = Hedged().mode("BOTH", **{other: "1"})
    denied(gated.gate.check_place(buy(side=side, position_side=leg)), "LEG_EMPTY", f"{leg} position is already flat")
    gated.mode("BOTH", **{leg.value: "0"})
    denied(gated.gate.check_place(buy(side=side, position_side=leg)), "LEG_EMPTY")
    gated.mode("BOTH", **{leg.value: "0.5"})
    assert gated.gate.check_place(buy(side=side, position_side=leg)) is None


@pytest.mark.parametrize(("side", "against", "name"), [(Side.SELL, "1", "long"), (Side.BUY, "-1", "short")])
def test_reduce_only_with_nothing_to_reduce_is_denied(side: Side, against: str, name: str) -> None:
    gated, intent = Hedged(), buy(side=side, reduce_only=True)
    for held in ("0", str(-int(against))):
        gate = gated.mode("NET", NONE=held).gate
        denied(gate.check_place(intent), "LEG_EMPTY", f"reduce-only {side}: ", f"has no {name} position to reduce")
        assert gate.check_place(buy(side=side)) is None
    assert gated.mode("NET", NONE=against).gate.check_place(intent) is None


@pytest.mark.parametrize(("leg", "held"), [("NET", "1"), ("", "1"), ("LONG", "1"), ("NONE", "?")])
def test_reduce_only_passes_if_side_or_size_held_is_unreadable(leg: str, held: str) -> None:
    """A service that writes the leg otherwise, or a size that cannot be read, must not keep a position from its close."""
    gate = Hedged().mode("NET", **{leg: held}).gate
    assert gate.check_place(buy(side=Side.SELL, reduce_only=True)) is None


@pytest.mark.parametrize("mode", ["NET", "BOTH"])
def test_a_close_right_after_a_fill_waits_for_no_position_push(mode: str) -> None:
    """The fill came, the position comes later: a close in that moment was denied."""
    gated, leg = Hedged().mode(mode), LONG if mode == "BOTH" else PositionSide.NONE
    intent = buy(side=Side.SELL, reduce_only=True, position_side=leg)
    gated.row(key="other", client_order_id="other", order_id="7", side="SELL", executed="0.01", position_side=leg)
    gated.row(state="FILLED", final=True, qty="0.01", executed="0", position_side=leg)
    denied(gated.gate.check_place(intent), "LEG_EMPTY")
    gated.state.orders.change("k", executed="0.01")
    assert gated.gate.check_place(intent) is None
    assert gated.gate.recheck(intent, gated.gate.note_passed(intent)) is None
    gated.clock.advance(LATE_S)
    gated.quote()
    denied(gated.gate.check_place(intent), "LEG_EMPTY")


def test_reduce_only_is_denied_if_its_position_ends_meanwhile() -> None:
    """The position ends while the journal writes the order."""
    gated = Hedged().mode("NET", NONE="-1")
    intent = buy(reduce_only=True)
    passed = gated.gate.note_passed(intent)
    gated.mode("NET", NONE="0")
    denied(gated.gate.recheck(intent, passed), "LEG_EMPTY", "no short position")


def test_an_opening_hedge_order_cannot_be_reduce_only() -> None:
    gate = Hedged().mode("BOTH", LONG="1").gate
    denied(gate.check_place(buy(position_side=LONG, reduce_only=True)), "REDUCE_ONLY", "BUY+LONG opens a leg")
    assert gate.check_place(buy(side=Side.SELL, position_side=LONG, reduce_only=True)) is None


def test_a_hedge_mode_change_while_journaling_denies_the_order() -> None:
    gated = Hedged().mode("NET")
    intent = buy()
    assert gated.gate.check_place(intent) is None
    gated.mode("BOTH")
    denied(gated.gate.recheck(intent, gated.gate.note_passed(intent)), "TWO_READINGS")


async def test_a_position_mode_changed_by_push_applies_to_next_order(rig: Rig) -> None:
    await rig.ready()
    engine, fake = rig.engine, rig.fake
    row = {"portfolioId": PORTFOLIO, "exchangeType": "BINANCE", "accountStatus": "NORMAL"}
    await fake.push("Accounts", [{**row, "positionMode": "NET", "updateAt": "1"}])
    await fake.push("Accounts", [{**row, "positionMode": "BOTH", "updateAt": "2"}])
    await until(lambda: rig.screen.said("account BINANCE: hedge mode now, it was one-way mode"))
    outcome = await engine.submit(buy())
    assert (outcome.verdict, outcome.guard, fake.placed) == (Verdict.DENIED, "TWO_READINGS", [])
    assert any(event.stays and "DENIED (TWO_READINGS)" in event.text for event in rig.screen.look().events)
    leg = {"portfolioId": PORTFOLIO, "sym": SYM, "positionSide": "LONG", "positionQty": "1", "updateAt": "3"}
    await fake.push("Positions", [leg])
    await until(lambda: f"{SYM}/LONG" in engine.state.facts.positions.rows)
    outcome = await engine.submit(buy(side=Side.SELL, position_side=LONG, reduce_only=True, price="60001"))
    assert outcome.verdict is Verdict.ACCEPTED, outcome
    sent = fake.placed[0]["args"]
    assert (sent["side"], sent["positionSide"]) == ("SELL", "LONG")
    assert "reduceOnly" not in sent
