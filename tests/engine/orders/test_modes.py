"""Risk modes and the limits over several orders: what enters a mode, what it still lets through, what leaves it."""

from __future__ import annotations

from datetime import UTC, datetime
from decimal import Decimal
from typing import Any

import msgspec
import pytest

from tests.engine.conftest import DECISION, SYM, buy
from tests.engine.orders.gated import SPOT, Gated, denied
from tui.engine.intents import Place, Replace
from tui.engine.limits import Limits, SymLimits, TraderLimits
from tui.engine.modes import RiskMode, TradingState
from tui.engine.orders.pre_trade_checks import Refusal
from tui.engine.orders.risk_mode import RiskModes, find_breach
from tui.engine.rows import Fact, LocalOrderState, PendingAction, Source, Stamp
from tui.engine.state.engine_state import SenderState
from tui.interface.families.assets import AssetRecord
from tui.interface.families.history import TradeRecord
from tui.interface.families.orders import PLACE_ORDER, REPLACE_ORDER, OrderType, PositionSide, Side
from tui.interface.families.positions import AccountRecord, PositionRecord
from tui.interface.symbols import pair_name

TODAY = 1_763_700_000_000


def _fill(rpnl: str, fee: str = "0", at: int = TODAY, sym: str = SYM, fee_coin: str = "USDT") -> TradeRecord:
    return TradeRecord(
        transaction_id=f"{rpnl} {fee} {at}",
        order_id="1",
        sym=sym,
        side="BUY",
        price="60000",
        quantity="1",
        rpnl=rpnl,
        fee=fee,
        fee_coin=fee_coin,
        create_at=str(at),
    )


@pytest.mark.parametrize("mode", [RiskMode.REDUCING, RiskMode.HALT])
def test_a_strict_risk_mode_denies_opening_and_allows_closing(gated: Gated, mode: RiskMode) -> None:
    gated.state.trading.risk_mode, gated.state.trading.risk_mode_reason = mode, "asked by the trader"
    refusal = gated.gate.check_place(buy())
    assert refusal is not None and refusal.guard == "MODE" and not refusal.ask
    assert refusal.text == f"risk mode is {mode.value} (asked by the trader); only reduce-only orders are taken"
    gated.hold("1")
    assert (refusal := gated.gate.check_place(buy(side=Side.SELL, price="60000.1"))) is not None
    assert refusal.text.endswith("only reduce-only orders are taken"), "a sell against a long does not close by itself"
    assert gated.gate.check_place(buy(side=Side.SELL, price="60000.1", reduce_only=True)) is None


@pytest.mark.parametrize(
    ("mode", "price", "qty", "passes"),
    [
        (RiskMode.REDUCING, "60000", "0.005", True),
        (RiskMode.REDUCING, "59990", "0.005", True),
        (RiskMode.REDUCING, "59990", "0.01", False),
        (RiskMode.REDUCING, "60000", "0.02", False),
        (RiskMode.HALT, "60000", "0.005", True),
        (RiskMode.HALT, "59990", "0.005", False),
    ],
)
def test_strict_risk_mode_allows_only_reducing_replaces(
    gated: Gated, mode: RiskMode, price: str, qty: str, passes: bool
) -> None:
    gated.row()
    gated.state.trading.risk_mode = mode
    refusal = gated.gate.check_replace(Replace(decision=DECISION, key="k", price=price, qty=qty))
    assert (refusal is None) == passes, refusal


def test_risk_mode_is_relaxed_only_by_the_trader(gated: Gated) -> None:
    modes = RiskModes(gated.state)
    modes.enter(RiskMode.HALT, "asked")
    modes.enter(RiskMode.REDUCING, "a limit")
    assert (gated.state.trading.risk_mode, gated.state.trading.risk_mode_reason) == (RiskMode.HALT, "asked")
    modes.resume()
    assert gated.state.trading.risk_mode is RiskMode.NORMAL


def test_resume_in_normal_mode_says_nothing(gated: Gated) -> None:
    RiskModes(gated.state).resume()
    assert gated.state.trading.risk_mode is RiskMode.NORMAL and gated.screen.look().events == []


def at_server(gated: Gated) -> str:
    return f"{datetime.fromtimestamp(gated.state.server_ms() // 1000, UTC):%H:%M:%S} UTC"


def test_a_margin_call_sets_reducing_and_blocks_resume(gated: Gated) -> None:
    modes = RiskModes(gated.state)
    stamp = Stamp("7001", 1, 1, Source.PUSH, 0.0)
    calm = AccountRecord(exchange_type="BINANCE", account_status="MARGIN_CALL")
    gated.state.facts.accounts.rows["BINANCE"] = Fact(calm, stamp)
    modes.check_limits()
    assert gated.state.trading.risk_mode is RiskMode.REDUCING
    reason = f"account BINANCE was MARGIN_CALL ({at_server(gated)})"
    assert gated.state.trading.risk_mode_reason == reason, "it stays when the call is over"
    assert gated.screen.look().events[-1].text == "REDUCING: account BINANCE is MARGIN_CALL"
    modes.resume()
    assert gated.screen.look().events[-1].text.startswith("still REDUCING: account BINANCE is MARGIN_CALL")
    assert gated.state.trading.risk_mode is RiskMode.REDUCING
    modes.enter(RiskMode.HALT, "asked")
    gated.clock.advance(1.0)
    modes.resume()
    assert gated.state.trading.risk_mode_reason == f"account BINANCE was MARGIN_CALL ({at_server(gated)})"
    gated.state.facts.accounts.rows["BINANCE"] = Fact(msgspec.structs.replace(calm, account_status="NORMAL"), stamp)
    modes.resume()
    assert gated.state.trading.risk_mode_reason == ""


def test_a_daily_loss_over_its_limit_sets_reducing(gated: Gated) -> None:
    modes = RiskModes(gated.limit(max_loss="100").state)
    gated.state.fills.day.add(_fill("-90", "9.99"))
    modes.check_limits()
    assert gated.state.trading.risk_mode_reason == ""
    gated.state.fills.day.add(_fill("-0.02"))
    modes.check_limits()
    reason = "day result -100.01 was beyond the daily loss limit 100, which counts until 00:00 UTC"
    assert gated.state.trading.risk_mode_reason == f"{reason} ({at_server(gated)})"


@pytest.mark.parametrize(
    ("cause", "end"),
    [
        ("loss", "after 00:00 UTC, or with a higher max_loss"),
        ("account", "once account BINANCE is NORMAL"),
        ("budget", "with a higher budget, or in the next session"),
        ("", ""),
    ],
)
def test_a_limit_breach_tells_when_its_risk_mode_can_be_left(gated: Gated, cause: str, end: str) -> None:
    state = gated.limit(max_loss="100", budget="1000").state
    state.links.skew_ms = lambda: 0.0
    if cause == "loss":
        state.fold_fill(_fill("-101", at=state.server_ms()), Source.PUSH, 0.0)
    elif cause == "account":
        record = AccountRecord(exchange_type="BINANCE", account_status="MARGIN_CALL")
        state.facts.accounts.rows["BINANCE"] = Fact(record, state.stamp(Source.PUSH))
    elif cause == "budget":
        state.trading.opened_notional = Decimal(1001)
    breach = find_breach(state)
    assert (breach.end if breach is not None else "") == end
    gated.clock.advance(86_400)
    assert (find_breach(state) is None) is (cause in ("loss", "")), "no fill has begun the new day"


def test_daily_pnl_counts_coin_fees_and_drops_yesterday(gated: Gated) -> None:
    day = gated.state.fills.day
    day.add(_fill("0", "0.001", sym=SPOT, fee_coin="BTC"))
    assert day.net == -60
    day.add(_fill("0", "1", at=TODAY - 86_400_000))
    assert day.net == -60
    day.add(_fill("5", at=TODAY + 86_400_000))
    assert day.net == -55, "a fill begins no day"
    day.begin((TODAY + 86_400_000) // 86_400_000)
    assert day.net == 5


def test_the_day_begins_by_the_clock_of_the_service(gated: Gated) -> None:
    state, day = gated.state, gated.state.fills.day
    state.links.skew_ms = lambda: 3_600_000.0
    today = state.server_ms() // 86_400_000
    for name, rpnl, at in (("1", "-5", state.server_ms()), ("2", "-3", (today + 1) * 86_400_000)):
        state.fold_fill(msgspec.structs.replace(_fill(rpnl, at=at), transaction_id=name), Source.PUSH, 0.0)
    assert (day.day, day.net) == (today, Decimal(-8))
    left_s = ((today + 1) * 86_400_000 - state.server_ms()) / 1000
    gated.clock.advance(left_s - 1)
    state.day_is_whole()
    assert day.day == today
    gated.clock.advance(2)
    fill = msgspec.structs.replace(_fill("-1", at=state.server_ms()), transaction_id="3")
    state.fold_fill(fill, Source.PUSH, 0.0)
    assert (day.day, day.net) == (today + 1, Decimal(-4))


def test_session_budget_counts_sent_opening_orders(gated: Gated) -> None:
    modes = RiskModes(gated.limit(budget="1000").state)
    gated.gate.record_sent(buy(side=Side.SELL, price="60000.1", reduce_only=True), PLACE_ORDER, "k")
    gated.gate.record_sent(buy(), PLACE_ORDER, "k")
    assert gated.state.trading.opened_notional == 600
    modes.check_limits()
    assert gated.state.trading.risk_mode is RiskMode.NORMAL
    gated.gate.record_sent(buy(), PLACE_ORDER, "k")
    modes.check_limits()
    reason = "new exposure of this session 1200 was beyond the budget 1000"
    assert gated.state.trading.risk_mode_reason == f"{reason} ({at_server(gated)})"


def test_too_many_working_orders_deny_new_ones(gated: Gated) -> None:
    gated.limit(max_open_sym=2)
    for n in range(2):
        gated.order(f"k{n}")
    refusal = gated.gate.check_place(buy(price="59999.9"))
    assert refusal is not None and refusal.guard == "LIMIT"
    assert gated.steps == [(RiskMode.REDUCING, f"2 orders work on {pair_name(SYM)}; the limit is 2")]
    gated.hold("1")
    assert gated.gate.check_place(buy(side=Side.SELL, price="60000.1", reduce_only=True)) is None
    gated.limit(max_open_sym=40, max_open=2)
    refusal = gated.gate.check_place(buy(price="30", qty="1", sym=SPOT, order_type=OrderType.LIMIT))
    assert refusal is not None and "orders work; the limit is 2" in refusal.text


def test_position_limit_counts_working_and_dismissed_orders(gated: Gated) -> None:
    gated.limit(max_position="1500")
    assert gated.gate.check_place(buy()) is None
    gated.order("waits")
    assert gated.gate.check_place(buy(price="59999.9")) is None
    gated.order("lost", state="UNKNOWN", price="59000")
    gated.state.orders.dismiss("lost", gated.clock.mono())
    refusal = gated.gate.check_place(buy(price="59999.9"))
    assert refusal is not None and refusal.guard == "LIMIT"
    assert f"{pair_name(SYM)} could come to 1,800; the position limit is 1,500" in refusal.text


def test_the_position_limit_of_a_trader_is_for_that_trader_alone(gated: Gated) -> None:
    """It denies orders of the trader's windows and programs; the desk goes on, in NORMAL."""
    gated.limit(max_position="1500", trader={"anna": TraderLimits(max_position="900")})
    for peer in ("anna", "anna 2", "bert"):
        gated.state.trading.senders[peer] = SenderState(state=TradingState.ARMED, role="desk")
    gated.order("waits")

    def order_of(peer: str, qty: str = "0.01") -> Place:
        return buy(price="59999.9", qty=qty, decision=msgspec.structs.replace(DECISION, peer=peer))

    for peer in ("anna", "anna 2"):
        denied(
            gated.gate.check_place(order_of(peer)), "LIMIT", "could come to 1,200; the position limit of anna is 900"
        )
    larger = Replace(decision=order_of("anna").decision, key="waits", price="60000", qty="0.016")
    denied(gated.gate.check_replace(larger), "LIMIT", "the position limit of anna is 900")
    assert gated.steps == []
    for peer in ("", "bert"):
        assert gated.gate.check_place(order_of(peer)) is None
    denied(
        gated.gate.check_place(order_of("bert", "0.02")), "LIMIT", "could come to 1,800; the position limit is 1,500"
    )
    assert gated.steps == [(RiskMode.REDUCING, f"{pair_name(SYM)} could come to 1,800; the position limit is 1,500")]


def test_position_limit_lets_a_position_beyond_it_shrink(gated: Gated) -> None:
    """Others hold more than the trader may: a plain sell that makes it less was denied."""
    gated.limit(trader={"anna": TraderLimits(max_position="900")})
    gated.state.trading.senders["anna"] = SenderState(state=TradingState.ARMED, role="desk")
    gated.hold("0.05")

    def check(qty: str, side: Side = Side.SELL) -> Refusal | None:
        decision = msgspec.structs.replace(DECISION, peer="anna")
        return gated.gate.check_place(buy(side=side, price="60000", qty=qty, decision=decision))

    assert check("0.01") is None
    denied(check("0.01", Side.BUY), "LIMIT", "could come to 3,600; the position limit of anna is 900")
    assert check("0.065") is None, "beyond zero, within the limit"
    denied(check("0.07"), "LIMIT", "could come to 1,200")
    gated.order("sells", side="SELL", price="60100", qty="0.05")
    denied(check("0.02"), "LIMIT", "could come to 1,200")


def test_position_limit_counts_a_larger_total_of_a_replace(gated: Gated) -> None:
    gated = gated.limit(max_position="1500")
    gated.row()
    larger = Replace(decision=DECISION, key="k", price="60000", qty="0.1")
    denied(gated.gate.check_replace(larger), "LIMIT", "could come to 6,000; the position limit is 1,500")
    assert gated.steps == [(RiskMode.REDUCING, f"{pair_name(SYM)} could come to 6,000; the position limit is 1,500")]
    assert gated.gate.check_replace(msgspec.structs.replace(larger, qty="0.02")) is None
    assert gated.gate.check_replace(msgspec.structs.replace(larger, qty="0.005")) is None


def test_session_budget_counts_what_a_replace_adds(gated: Gated) -> None:
    gated.row()
    for qty, opened in (("0.005", 0), ("0.01", 0), ("0.03", 1200)):
        gated.gate.record_sent(Replace(decision=DECISION, key="k", price="60000", qty=qty), REPLACE_ORDER, "k")
        assert gated.state.trading.opened_notional == opened


def test_a_replace_on_a_blocked_pair_may_not_enlarge_the_order(gated: Gated) -> None:
    gated.row()
    gated = gated.limit(block=(SYM,))
    denied(gated.gate.check_replace(Replace(decision=DECISION, key="k", price="60000", qty="0.02")), "SYMBOL")
    assert gated.gate.check_replace(Replace(decision=DECISION, key="k", price="59990", qty="0.01")) is None


@pytest.mark.parametrize("mode", [RiskMode.REDUCING, RiskMode.HALT])
def test_a_risk_mode_set_while_journaling_denies_opening_orders(gated: Gated, mode: RiskMode) -> None:
    gated.row()
    gated.hold("1")
    closing = buy(side=Side.SELL, price="60000.1", reduce_only=True)
    moving = Replace(decision=DECISION, key="k", price="59990", qty="0.01")
    smaller = Replace(decision=DECISION, key="k", price="60000", qty="0.005")
    passed = [(intent, gated.gate.note_passed(intent)) for intent in (buy(), moving, closing, smaller)]
    gated.state.trading.risk_mode = mode
    refused = [refusal.guard if (refusal := gated.gate.recheck(*each)) else "" for each in passed]
    assert refused == ["MODE", "MODE", "", ""]


@pytest.mark.parametrize(
    ("held", "leg", "word"),
    [
        ("0.02", "LONG", "could come to 1,800"),
        ("0.02", "NONE", "could come to 1,800"),
        ("0.02", "SHORT", ""),
        ("-0.02", "NONE", ""),
        ("much", "NONE", "cannot be read; the position limit holds"),
    ],
)
def test_position_limit_counts_open_positions(gated: Gated, held: str, leg: str, word: str) -> None:
    gated.limit(max_position="1500")
    record = PositionRecord(sym=SYM, position_qty=held, position_side=leg)
    gated.state.facts.positions.rows[f"{SYM}/{leg}"] = Fact(record, gated.state.stamp(Source.PUSH))
    gated.order("other side", side="SELL", price="61000", qty="5")
    gated.order("closes", reduce_only=True, price="59000", qty="5")
    refusal = gated.gate.check_place(buy(price="59999.9"))
    assert (refusal is not None) == bool(word) and word in ("" if refusal is None else refusal.text)
    assert len(gated.steps) == ("could come to" in word), "what is not readable is no breach"


@pytest.mark.parametrize(
    ("side", "leg", "word"),
    [
        (Side.BUY, PositionSide.LONG, f"{pair_name(SYM)} LONG could come to 2,400"),
        (Side.SELL, PositionSide.SHORT, f"{pair_name(SYM)} SHORT could come to 1,800"),
    ],
)
def test_position_limit_of_a_leg_ignores_the_other_leg(gated: Gated, side: Side, leg: PositionSide, word: str) -> None:
    """Two equal legs were nothing to the limit: both grew without end, and closing one left all of the other."""
    gated.limit(max_position="1500")
    for name in (PositionSide.LONG, PositionSide.SHORT):
        record = PositionRecord(sym=SYM, position_qty="0.02", position_side=name)
        gated.state.facts.positions.rows[f"{SYM}/{name}"] = Fact(record, gated.state.stamp(Source.PUSH))
    gated.order("opens long", position_side="LONG", price="59990")
    gated.order("closes short", position_side="SHORT", price="59990")
    price = "59999.9" if side is Side.BUY else "60000.2"
    refusal = gated.gate.check_place(buy(side=side, position_side=leg, price=price))
    assert refusal is not None and word in refusal.text
    assert gated.steps == [(RiskMode.REDUCING, f"{word}; the position limit is 1,500")]


LATE = "could come to 1,800 with fills that the positions do not show yet; the position limit is 1,500"


@pytest.mark.parametrize(
    ("age_ms", "shown", "order", "word"),
    [
        (0, None, {"state": "FILLED", "final": True, "executed": "0.02"}, LATE),
        (0, ("0", -1), {"state": "FILLED", "final": True, "executed": "0.02"}, LATE),
        (0, ("0.005", 0), {"state": "FILLED", "final": True, "executed": "0.02"}, ""),  # shown, and partly sold again
        (10_000, None, {"state": "FILLED", "final": True, "executed": "0.02"}, ""),
        (0, None, {"side": "SELL", "state": "FILLED", "final": True, "executed": "0.02"}, ""),
        (0, None, {"state": "OPEN"}, "could come to 1,800; the position limit is 1,500"),  # counts as waiting still
    ],
)
def test_position_limit_counts_fills_not_yet_in_the_positions(
    gated: Gated, age_ms: int, shown: tuple[str, int] | None, order: dict[str, Any], word: str
) -> None:
    """Between a fill and the push of its position the filled order was in neither: the next one passed the limit."""
    gated.limit(max_position="1500")
    at, side = gated.state.server_ms() - age_ms, order.get("side", "BUY")
    fill = TradeRecord(
        transaction_id="1", order_id="k", sym=SYM, side=side, price="60000", quantity="0.02", create_at=str(at)
    )
    gated.state.fold_fill(fill, Source.PUSH, gated.clock.mono())
    gated.order("k", **{"qty": "0.02", "known_fills": "0.02", **order})
    if shown is not None:
        record = PositionRecord(sym=SYM, position_side="NONE", position_qty=shown[0])
        fact = Fact(record, gated.state.stamp(Source.PUSH, at + shown[1]))
        gated.state.facts.positions.rows[f"{SYM}/NONE"] = fact
    refusal = gated.gate.check_place(buy(price="59999.9"))
    assert (refusal is not None) == bool(word) and word in ("" if refusal is None else refusal.text)
    assert bool(gated.steps) == (bool(word) and word != LATE), "it may be gone in a moment: no mode changes"


def test_a_denial_by_fills_ahead_of_positions_sets_no_risk_mode(gated: Gated) -> None:
    """Between the fill of a close and the push of its position the next order set the mode to REDUCING."""
    gated.limit(max_position="1500")
    at = gated.state.server_ms()
    record = PositionRecord(sym=SYM, position_side="NONE", position_qty="0.02")
    gated.state.facts.positions.rows[f"{SYM}/NONE"] = Fact(record, gated.state.stamp(Source.PUSH, at - 1))
    gated.order("k", side="SELL", qty="0.02", executed="0.02", state="FILLED", final=True, known_fills="0.02")
    fill = TradeRecord(
        transaction_id="1", order_id="k", sym=SYM, side="SELL", price="60000", quantity="0.02", create_at=str(at)
    )
    gated.state.fold_fill(fill, Source.PUSH, gated.clock.mono())
    refusal = gated.gate.check_place(buy(price="59999.9"))
    denied(
        refusal, "LIMIT", "could come to 1,800 until the positions show the newest fills; the position limit is 1,500"
    )
    assert not gated.steps


def _coins(gated: Gated, balance: str, at_ms: int = 0, **changes: str) -> None:
    record = AssetRecord(coin="BTC", exchange_type="BINANCE", balance=balance, available=balance, **changes)
    gated.state.facts.assets.rows["BINANCE/BTC"] = Fact(record, gated.state.stamp(Source.PUSH, at_ms))
    money = AssetRecord(coin="USDT", exchange_type="BINANCE", balance="1000000", available="1000000")
    gated.state.facts.assets.rows["BINANCE/USDT"] = Fact(money, gated.state.stamp(Source.PUSH))


@pytest.mark.parametrize("sym", [SPOT, "BINANCE_MARGIN_BTC_USDT"])
@pytest.mark.parametrize(
    ("balance", "owed", "side", "qty", "word"),
    [
        ("0", "0", Side.BUY, "0.02", ""),
        ("0.02", "0", Side.BUY, "0.02", "could come to 2,400; the position limit is 1,500"),
        ("0.1", "0", Side.BUY, "0.001", "could come to 6,060; the position limit is 1,500"),
        ("0.1", "0", Side.SELL, "0.02", ""),
        ("0.1", "0", Side.SELL, "0.1", ""),
        ("0.1", "0.09", Side.BUY, "0.01", ""),
        ("0.01", "0.03", Side.SELL, "0.01", "could come to 1,800; the position limit is 1,500"),
        ("0.01", "0.03", Side.BUY, "0.04", ""),
        ("much", "0", Side.BUY, "0.001", "cannot be read; the position limit holds"),
    ],
)
def test_position_limit_counts_the_coins_of_a_spot_pair(
    gated: Gated, sym: str, balance: str, owed: str, side: Side, qty: str, word: str
) -> None:
    """Only working orders counted: of what was filled it knew nothing. It sets no mode that would take no sale."""
    gated.limit(max_position="1500")
    gated.state.symbols[sym] = msgspec.structs.replace(gated.state.symbols[SPOT], sym=sym)
    gated.quote(sym=sym)
    _coins(gated, balance, debt=owed)
    order = buy(side=side, price="60000" if side is Side.BUY else "60000.1", qty=qty, sym=sym)
    refusal = gated.gate.check_place(order)
    assert ("" if refusal is None or refusal.guard != "LIMIT" else refusal.text).endswith(word)
    assert bool(word) or refusal is None or refusal.guard == "BALANCE"
    assert gated.steps == []


def test_spot_position_limit_counts_fills_ahead_of_balances(gated: Gated) -> None:
    gated.limit(max_position="1500")
    at = gated.state.server_ms()
    _coins(gated, "0", at - 1)
    fill = TradeRecord(
        transaction_id="1", order_id="k", sym=SPOT, side="BUY", price="60000", quantity="0.02", create_at=str(at)
    )
    gated.state.fold_fill(fill, Source.PUSH, gated.clock.mono())
    order = buy(price="60000", qty="0.01", sym=SPOT)
    denied(gated.gate.check_place(order), "LIMIT", "1,800 with fills that the balances do not show yet")
    _coins(gated, "0.02", at)
    denied(
        gated.gate.check_place(order), "LIMIT", f"{pair_name(SPOT)} could come to 1,800; the position limit is 1,500"
    )
    _coins(gated, "0.01", at)
    assert gated.gate.check_place(order) is None and not gated.steps


def test_position_limit_of_a_leg_ignores_late_fills_of_the_other(gated: Gated) -> None:
    gated.limit(max_position="1500")
    gated.order("k", position_side="SHORT", side="BUY", qty="0.02", executed="0.02", state="FILLED", final=True)
    fill = TradeRecord(
        transaction_id="1", order_id="k", sym=SYM, side="BUY", price="60000", quantity="0.02",
        create_at=str(gated.state.server_ms()),
    )  # fmt: skip
    gated.state.fold_fill(fill, Source.PUSH, gated.clock.mono())
    assert gated.gate.check_place(buy(price="59999.9", position_side=PositionSide.LONG)) is None
    gated.order("k", position_side="LONG", side="BUY", qty="0.02", executed="0.02", state="FILLED", final=True)
    refusal = gated.gate.check_place(buy(price="59999.9", position_side=PositionSide.LONG))
    denied(refusal, "LIMIT", f"{pair_name(SYM)} LONG {LATE}")


@pytest.mark.parametrize(
    ("changes", "intent", "guard", "asks"),
    [
        ({"max_qty": "0.005"}, {}, "MAX_QTY", False),
        ({"max_qty": "0.005"}, {"side": Side.SELL, "price": "60000.1", "reduce_only": True}, "", False),
        ({"block": (SYM,)}, {}, "SYMBOL", False),
        ({"allow": (SPOT,)}, {}, "SYMBOL", False),
        ({"allow": (SYM,)}, {}, "", False),
        ({"first_of_day": True}, {}, "FIRST_OF_DAY", True),
        ({"sym": {SYM: SymLimits(soft_notional="500")}}, {}, "SOFT_NOTIONAL", True),
        ({"sym": {SPOT: SymLimits(hard_notional="500")}}, {}, "", False),
    ],
)
def test_limits_of_a_single_order_are_checked(
    gated: Gated, changes: dict[str, object], intent: dict[str, Any], guard: str, asks: bool
) -> None:
    gated.hold("1")
    refusal = gated.limit(**changes).gate.check_place(buy(**intent))
    assert ("" if refusal is None else refusal.guard) == guard, refusal
    assert refusal is None or refusal.ask == asks


def test_the_first_order_of_a_day_on_a_pair_needs_confirmation(gated: Gated) -> None:
    gated.limit(first_of_day=True)
    gated.gate.record_sent(buy(), PLACE_ORDER, "k")
    assert gated.gate.check_place(buy(price="59999.9")) is None
    other = buy(sym=SPOT, position_side=PositionSide.NONE, price="59999")
    assert gated.gate.check_place(other).guard == "FIRST_OF_DAY"  # type: ignore[union-attr]
    gated.gate.record_traded_day(SPOT, int(gated.clock.wall() * 1000) - 86_400_000)
    assert gated.gate.check_place(other).guard == "FIRST_OF_DAY"  # type: ignore[union-attr]
    gated.gate.record_traded_day(SPOT, int(gated.clock.wall() * 1000))
    assert gated.gate.check_place(other) is None


def test_a_marketable_order_on_a_wide_spread_is_denied(gated: Gated) -> None:
    gated.quote(bid="59700", ask="60000", mark="59900")
    refusal = gated.gate.check_place(buy(price="60000"))
    assert refusal is not None and refusal.guard == "WIDE"
    assert "50.1 bp" in refusal.text
    assert gated.gate.check_place(buy(price="59700")) is None


def test_an_order_that_crosses_an_own_order_needs_confirmation(gated: Gated) -> None:
    gated.row(side="SELL", price="60000")
    refusal = gated.gate.check_place(buy(price="60000"))
    assert refusal is not None and (refusal.guard, refusal.ask) == ("SELF_CROSS", True)
    assert "your own SELL 0.01 BTC at 60,000.0 is on the other side; cancel it first" in refusal.text
    assert gated.gate.check_place(buy(price="59999.9")) is None


@pytest.mark.parametrize(("known", "asks"), [("0.01", False), ("0.004", True)])
def test_a_fully_filled_unknown_order_is_no_self_cross(gated: Gated, known: str, asks: bool) -> None:
    gated.row(side="SELL", price="60000", state=LocalOrderState.UNKNOWN, known_fills=known)
    refusal = gated.gate.check_place(buy(price="60000", qty="0.02"))
    assert (refusal is not None and refusal.guard == "SELF_CROSS") is asks, refusal


def test_all_own_orders_that_an_order_crosses_are_counted(gated: Gated) -> None:
    for price in ("60000", "59990", "59980", "61000"):
        gated.row(key=price, client_order_id=price, order_id=price, side="SELL", price=price)
    refusal = gated.gate.check_place(buy(price="60000"))
    assert refusal is not None
    assert "BTC at 60,000.0 and 2 more are on the other side; cancel them first, or send anyway" in refusal.text


def test_self_cross_check_counts_both_prices_of_a_moving_order(gated: Gated) -> None:
    """Until the answer it may stand at either."""
    key = gated.row(side="SELL", price="60010").key
    assert gated.gate.check_place(buy(price="60000")) is None
    gated.state.orders.set_pending(key, PendingAction.AMEND, "i1", 0.0, "60000", "0.01")
    asked = [gated.gate.check_place(buy(price=price)) for price in ("59999.9", "60000", "60010")]
    texts = ["" if refusal is None else refusal.text.split(" is ")[0] for refusal in asked]
    assert texts == ["", "your own SELL 0.01 BTC at 60,000.0", "your own SELL 0.01 BTC at 60,010.0"]


@pytest.mark.parametrize(
    ("qty", "theirs", "asks"),
    [
        # The best ask holds 0.8: up to that the order may go 25 bp through 60000.1, beyond it 1 % over mark.
        ("0.01", "60150.1", True),
        ("0.01", "60150.2", False),
        ("0.8", "60150.2", False),
        ("0.81", "60600", True),
        ("0.81", "60600.1", False),
    ],
)
def test_a_market_order_asks_about_an_own_order_it_may_reach(gated: Gated, qty: str, theirs: str, asks: bool) -> None:
    """Every close asked about any own order on the other side, however far."""
    quote = gated.state.quotes.rows[SYM]
    gated.state.quotes.rows[SYM] = msgspec.structs.replace(quote, ask_qty="0.8")
    gated.row(side="SELL", price=theirs)
    gated.limit(soft_notional="90000", hard_notional="90000")
    refusal = gated.gate.check_place(buy(price="", qty=qty, order_type=OrderType.MARKET))
    assert ("" if refusal is None else refusal.guard) == ("SELF_CROSS" if asks else "")


def test_invalid_limit_settings_are_rejected_by_name(gated: Gated) -> None:
    with pytest.raises(ValueError, match="max_loss is 'lots'"):
        Limits(max_loss="lots")
