"""The risk ladder from the first threshold to takeover and deleveraging: figures, orders, nodes, and where money goes."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal

from tests.venue.core.drive import OKX, PERP, SPOT, Desk, code
from tui.interface.families.algo import PlaceAlgo
from tui.interface.families.assets import AssetRecord
from tui.interface.families.liquidation import CARRIES, LiquidationEventPush, LiquidationPositionRecord, NodeType
from tui.interface.families.orders import CancelOrder, OrderRecord
from tui.interface.families.positions import (
    AccountRecord,
    CloseOutcome,
    ClosePosition,
    ClosePositions,
    SetLeverage,
    SetPositionMode,
)
from tui.rules import adl
from tui.venue.core.accounts import adl_ranks
from tui.venue.core.events import (
    AccountsChanged,
    LiquidationReached,
    MarginCalled,
    OrderChanged,
    PositionLiquidated,
    PositionsChanged,
    SubPositionLiquidated,
)
from tui.venue.core.state.ledger import FEE_ACCOUNT, HOUSE_ACCOUNT, INSURANCE_ACCOUNT

D = Decimal
MARGIN = "BINANCE_MARGIN_BTC_USDT"
DOWN_TO_CANCEL_ALL = ["TRIGGERED", "MARGIN_CALL", "CANCEL_OPEN", "CANCEL_ALL"]
SNAPSHOTS = ("accounts", "assets", "positions", "open_orders")


def long_at_risk(insurance_fund: str = "pays") -> Desk:
    """The sub portfolio holds 15 BTC at 60,000 in the second tier, against the main one; 19,550 USDT are behind it."""
    desk = Desk(insurance_fund=insurance_fund)
    desk.steer("BTC", "60000")
    desk.do(SetLeverage(portfolio=desk.sub, sym=PERP, leverage="50"))
    desk.place("SELL", "15", "60000")
    desk.sub_place("BUY", "15", "60000")
    return desk


def account(desk: Desk, portfolio: str = "") -> AccountRecord:
    rows = desk.exchange.queries.accounts(portfolio or desk.sub)
    return next(row for row in rows if row.exchange_type == "BINANCE")


def nodes(desk: Desk) -> list[LiquidationEventPush]:
    """The nodes that were pushed since the start."""
    return [event.record for event in desk.log if isinstance(event, LiquidationReached)]


def words(pushed: Sequence[LiquidationEventPush]) -> list[str]:
    return [str(one.node_type) for one in pushed]


def reduced(desk: Desk) -> list[LiquidationPositionRecord]:
    return [event.record for event in desk.log if isinstance(event, PositionLiquidated)]


def venue_orders(desk: Desk, portfolio: str = "") -> list[OrderRecord]:
    """Orders that the venue made, oldest first."""
    rows = desk.exchange.queries.orders(portfolio or desk.sub)
    return [row for row in reversed(rows) if row.origin in ("SYSTEM_REDUCE", "SYSTEM_LIQ")]


def held(desk: Desk, portfolio: str = "") -> str:
    rows = desk.exchange.queries.positions(portfolio or desk.sub)
    return next((row.position_qty for row in rows if row.sym == PERP), "0")


def coin(desk: Desk, name: str) -> AssetRecord:
    """A coin of the main portfolio."""
    rows = desk.exchange.queries.assets(desk.main)
    return next(row for row in rows if (row.exchange_type, row.coin) == ("BINANCE", name))


def usdt(desk: Desk, owner: str) -> Decimal:
    return desk.exchange.queries.balance(owner, "BINANCE", "USDT")


def everybody(desk: Desk) -> Decimal:
    """USDT of all owners on the venue but the issue; nothing but fills and bookings between them may move it."""
    return sum((usdt(desk, who) for who in (desk.main, desk.sub, HOUSE_ACCOUNT, FEE_ACCOUNT, INSURANCE_ACCOUNT)), D(0))


# -- the whole way -----------------------------------------------------------------------------------------------------


def test_falling_margin_ratio_passes_every_risk_status() -> None:
    desk = long_at_risk()
    before = everybody(desk)
    adds = desk.sub_place("BUY", "0.01", "55000")
    keeps = desk.sub_place("SELL", "0.01", "65000", reduce_only=True)
    desk.steer("BTC", "59700")
    assert account(desk).account_status == "MARGIN_CALL"
    desk.steer("BTC", "59500")
    assert account(desk).account_status == "CANCEL_OPEN"
    desk.steer("BTC", "59400")
    assert account(desk).account_status == "CANCEL_ALL"
    assert [desk.order(one, desk.sub).cancel_type for one in (adds, keeps)] == ["LIQUIDATING"] * 2
    desk.place("BUY", "10", "59280")
    position = desk.exchange.queries.positions(desk.sub)[0]
    assert position.liq_price is not None
    tick = D("0.1")
    above = D(position.liq_price).quantize(tick, "ROUND_UP")
    desk.steer("BTC", str(above))
    assert account(desk).account_status == "CANCEL_ALL", "a tick before the printed price nothing is liquidated"
    assert venue_orders(desk) == []
    desk.steer("BTC", str(above - tick))
    (order,) = venue_orders(desk)
    assert (order.origin, order.order_state, order.time_in_force) == ("SYSTEM_REDUCE", "FILLED", "IOC")
    assert (order.side, order.reduce_only, order.executed_qty, order.executed_avg_price) == (
        "SELL",
        True,
        "6.567",
        "59280",
    )
    left = D(15) - D("6.567")
    assert left * (above - tick) <= 500_000 < (left + D("0.001")) * (above - tick), "just the tier below"
    bankrupt = (above - tick) - (15 * (above - tick - 60000) + 19550) / 15
    assert D(order.limit_price) - tick < bankrupt <= D(order.limit_price)
    assert account(desk).account_status == "NORMAL"
    assert D(account(desk).uni_mmr) > D("1.2")
    assert words(nodes(desk)) == [*DOWN_TO_CANCEL_ALL, "REDUCE_START", "REDUCE_END"]
    assert everybody(desk) == before


def test_a_forced_reduction_charges_a_fee_shown_on_its_rows() -> None:
    desk = long_at_risk()
    desk.place("BUY", "10", "59280")
    fund, money = usdt(desk, INSURANCE_ACCOUNT), usdt(desk, desk.sub)
    position_id = desk.exchange.queries.positions(desk.sub)[0].position_id
    desk.steer("BTC", "59289.5")
    (order,) = venue_orders(desk)
    notional = D("6.567") * 59280
    pnl, fee, liquidation_fee = D("6.567") * -720, notional * D("0.0005"), notional * D("0.005")
    assert usdt(desk, desk.sub) == money + pnl - fee - liquidation_fee
    assert usdt(desk, INSURANCE_ACCOUNT) == fund + liquidation_fee
    (told,) = reduced(desk)
    event_id = nodes(desk)[0].liquidation_event_id
    assert (told.order_id, told.liquidation_event_id, told.position_id) == (order.order_id, event_id, position_id)
    assert (told.sym, told.position_side, told.reduce_qty) == (PERP, "NONE", "6.567")
    assert (D(told.closed_pnl), D(told.liq_fee), D(told.total_trading_fee or "-1")) == (pnl, liquidation_fee, fee)
    assert [event.record for event in desk.log if isinstance(event, SubPositionLiquidated)] == [told]
    assert {event.portfolio for event in desk.log if isinstance(event, SubPositionLiquidated)} == {desk.main}
    rows = [row for row in desk.exchange.queries.statements(desk.sub) if row.statement_type == "LIQUIDATION_FEE"]
    assert [(row.request_id, D(row.delta_amount), row.sym) for row in rows] == [
        (order.order_id, -liquidation_fee, PERP)
    ]
    (past,) = desk.exchange.queries.list_closed_positions(desk.sub)
    assert (past.position_id, past.closed_type, past.closed_qty) == (position_id, "PARTIAL_CLOSED", "6.567")
    assert (D(past.liq_fee), D(past.closed_pnl)) == (liquidation_fee, pnl)


def test_liquidation_closes_a_first_tier_position_completely() -> None:
    desk = long_at_risk()
    desk.place("BUY", "15", "59280")
    desk.steer("BTC", "59289.5")
    before, fund = everybody(desk), usdt(desk, INSURANCE_ACCOUNT)
    desk.cancel_all()
    desk.wait()
    desk.place("BUY", "9", "58600")
    money = usdt(desk, desk.sub)
    desk.steer("BTC", "58700")
    order = venue_orders(desk)[-1]
    assert (order.origin, order.order_state, order.executed_qty) == ("SYSTEM_LIQ", "FILLED", "8.433")
    assert held(desk) == "0"
    notional = D("8.433") * 58600
    missing = money + D("8.433") * (58600 - 60000) - notional * D("0.0055")
    assert missing < 0, "the scene is meant to end below zero"
    assert usdt(desk, desk.sub) == 0
    assert usdt(desk, INSURANCE_ACCOUNT) == fund + notional * D("0.005") + missing
    (row,) = [one for one in desk.exchange.queries.statements(desk.sub) if one.statement_type == "LIQ_COMPENSATION"]
    assert (D(row.before_overdraw), row.after_overdraw, row.request_id) == (-missing, "0", row.statement_id)
    past = desk.exchange.queries.list_closed_positions(desk.sub)[0]
    assert (past.closed_type, past.closed_qty) == ("LIQUIDATION", "15")
    assert D(past.liq_fee) == notional * D("0.005") + D("6.567") * 59280 * D("0.005")
    assert account(desk).account_status == "NORMAL"
    second = [one for one in nodes(desk) if one.liquidation_event_id != nodes(desk)[0].liquidation_event_id]
    assert words(second) == [*DOWN_TO_CANCEL_ALL, "LIQUIDATE_START", "LIQUIDATE_END"]
    assert {str(one.event_type) for one in second[4:]} == {"LIQUIDATE"}
    assert everybody(desk) == before


def test_insurance_fund_takes_over_an_account_below_zero() -> None:
    desk = long_at_risk()
    before, fund, house = everybody(desk), usdt(desk, INSURANCE_ACCOUNT), usdt(desk, HOUSE_ACCOUNT)
    desk.steer("BTC", "58600")
    (order,) = venue_orders(desk)
    assert (order.origin, order.executed_avg_price, order.fee) == ("SYSTEM_LIQ", "58696.7", "0")
    assert (held(desk), usdt(desk, desk.sub)) == ("0", D("0.5")), "what rounding to a tick leaves, below 15 x 0.1"
    loss = 15 * (D("58696.7") - 58600)
    assert usdt(desk, INSURANCE_ACCOUNT) == fund - loss
    assert usdt(desk, HOUSE_ACCOUNT) == house + loss + 15 * (60000 - D("58696.7"))
    (told,) = reduced(desk)
    assert (told.reduce_qty, told.liq_fee, told.total_trading_fee) == ("15", "0", None)
    assert words(nodes(desk)) == [*DOWN_TO_CANCEL_ALL, "TAKEOVER"]
    assert nodes(desk)[-1].positions[0].position_qty == "15"
    assert account(desk).account_status == "NORMAL"
    assert held(desk, desk.main) == "-15", "nobody else is touched while the fund can pay"
    assert everybody(desk) == before


# -- deleveraging ------------------------------------------------------------------------------------------------------


def test_without_insurance_fund_adl_closes_opposite_positions() -> None:
    spared = long_at_risk()
    spared.steer("BTC", "58600")
    ranks = adl_ranks.queue_of_side(spared.state, spared.state.pairs[PERP], -1)
    expected = {holder: int(lots) for holder, lots in adl.allocate(ranks, D(15_000))}
    assert len(expected) > 1
    desk = long_at_risk(insurance_fund="empty")
    before, fund = everybody(desk), usdt(desk, INSURANCE_ACCOUNT)
    lots = {bot.id: bot.lots for bot in desk.state.bots[PERP]}
    wallets = {bot.id: (bot.wallet, bot.entry) for bot in desk.state.bots[PERP]}
    desk.steer("BTC", "58600")
    after = {bot.id: bot for bot in desk.state.bots[PERP]}
    left = {one: after[one].lots if one in after else 0 for one in lots}
    assert {one: left[one] - lots[one] for one in lots if left[one] != lots[one]} == expected
    partly = [one for one in expected if one in after]
    assert len(partly) == 1, "only the last one that was reached keeps something"
    wallet, entry = wallets[partly[0]]
    assert after[partly[0]].wallet == wallet + D(expected[partly[0]]) / 1000 * (entry - D("58696.7"))
    (order,) = venue_orders(desk)
    assert {price for _, price in desk.fills(order.order_id)} == {"58696.7"}
    assert sorted(D(qty) * 1000 for qty, _ in desk.fills(order.order_id)) == sorted(expected.values())
    assert (usdt(desk, INSURANCE_ACCOUNT), held(desk)) == (fund, "0")
    assert everybody(desk) == before


def only_holder_is_main(desk: Desk) -> None:
    """No synthetic holder is on the short side; the house holds what they held."""
    gone = [bot for bot in desk.state.bots[PERP] if bot.lots < 0]
    desk.state.bots[PERP] = [bot for bot in desk.state.bots[PERP] if bot.lots > 0]
    desk.state.house[PERP] += sum(bot.lots for bot in gone)


def test_adl_makes_no_order_and_cancels_open_orders_of_the_pair() -> None:
    desk = long_at_risk(insurance_fund="empty")
    only_holder_is_main(desk)
    loses = desk.place("BUY", "0.1", "40000")
    keeps = desk.place("BUY", "0.1", "40000", SPOT)
    position = desk.exchange.queries.positions(desk.main)[0]
    money, orders, fills = (
        usdt(desk, desk.main),
        len(desk.exchange.queries.orders(desk.main)),
        len(desk.state.fills[desk.main]),
    )
    before = everybody(desk)
    desk.steer("BTC", "58600")
    assert (held(desk), held(desk, desk.main)) == ("0", "0")
    assert (desk.order(loses).cancel_type, desk.order(keeps).order_state) == ("LIQUIDATING", "OPEN")
    assert usdt(desk, desk.main) == money + 15 * (60000 - D("58696.7")), "at the bankrupt price, without a fee"
    assert (len(desk.exchange.queries.orders(desk.main)), len(desk.state.fills[desk.main])) == (orders, fills)
    (past,) = desk.exchange.queries.list_closed_positions(desk.main)
    assert (past.closed_type, past.closed_avg_price, past.position_id) == (
        "SYSTEM_COMPLETE_CLOSED", "58696.7", position.position_id,
    )  # fmt: skip
    row = next(one for one in desk.exchange.queries.statements(desk.main) if one.statement_type == "TRADE")
    assert (row.request_id, D(row.delta_amount)) == (position.position_id, 15 * (60000 - D("58696.7")))
    gone = [r for e in desk.events if isinstance(e, PositionsChanged) for r in e.records if r.portfolio_id == desk.main]
    assert (gone[-1].position_qty, gone[-1].liq_price) == ("0", None)
    assert {event.portfolio for event in desk.log if isinstance(event, LiquidationReached)} == {desk.sub}
    assert everybody(desk) == before


def test_adl_of_part_of_a_position_makes_no_history_row() -> None:
    desk = long_at_risk(insurance_fund="empty")
    only_holder_is_main(desk)
    desk.sub_place("SELL", "5", "60000")
    desk.place("BUY", "1", "60000")
    desk.cancel_all()
    desk.wait()
    assert held(desk) == "14"
    desk.state.house[PERP] += 2000
    desk.state.positions[(desk.main, PERP, "NONE")].lots -= 2000
    desk.steer("BTC", "58500")
    assert (held(desk), held(desk, desk.main)) == ("0", "-2")
    assert desk.exchange.queries.list_closed_positions(desk.main) == []


def test_adl_rest_that_no_account_can_take_goes_to_the_exchange() -> None:
    desk = long_at_risk(insurance_fund="empty")
    only_holder_is_main(desk)
    desk.place("BUY", "4", "60000")
    desk.state.house[PERP] += 0
    lots = desk.state.house[PERP]
    desk.sub_place("SELL", "0.001", "60000")
    desk.cancel_all()
    desk.wait()
    taken = desk.state.positions.pop((desk.main, PERP, "NONE"))
    desk.state.house[PERP] += taken.lots
    desk.steer("BTC", "58600")
    assert held(desk) == "0"
    assert desk.state.house[PERP] == lots + taken.lots + 14_999


def test_adl_allocation_matches_the_published_example() -> None:
    """TV-26: an opposite order of 20 closes the second account whole and 10 of the fifth."""
    scores = [(10, 3), (10, 6), (20, 1), (30, 4), (20, 5), (10, 2)]
    ranked = adl.rank(adl.AdlCandidate(str(n), D(qty), D(score)) for n, (qty, score) in enumerate(scores, start=1))
    assert adl.allocate(ranked, D(20)) == [("2", D(10)), ("5", D(10))]


# -- rungs, nodes and refusals -----------------------------------------------------------------------------------------


def test_a_fast_price_fall_passes_every_risk_status_in_order() -> None:
    desk = long_at_risk()
    adds = desk.sub_place("BUY", "0.01", "55000")
    keeps = desk.sub_place("SELL", "0.01", "65000", reduce_only=True)
    desk.steer("BTC", "59289")
    pushed = nodes(desk)
    assert words(pushed) == DOWN_TO_CANCEL_ALL
    assert [[row.order_id for row in one.open_orders] for one in pushed] == [[], [], [adds], [keeps]]
    assert {row.cancel_type for one in pushed for row in one.open_orders} == {"LIQUIDATING"}
    assert account(desk).account_status == "LIQUIDATING", "nobody buys, so it waits"


def test_liquidation_events_carry_account_and_position_snapshots() -> None:
    desk = long_at_risk()
    desk.place("BUY", "15", "59280")
    desk.steer("BTC", "59289.5")
    desk.steer("BTC", "58600")
    pushed = nodes(desk)
    assert set(words(pushed)) >= {"REDUCE_START", "REDUCE_END"}
    for one in pushed:
        filled = {name for name in SNAPSHOTS if getattr(one, name)}
        carried = CARRIES[NodeType(one.node_type)]
        assert filled <= carried
        assert carried - filled <= {"open_orders", "positions"}, one.node_type
        assert [(row.portfolio_id, row.exchange_type) for row in one.accounts] == [(desk.sub, "BINANCE")]
    start, end = (next(one for one in pushed if one.node_type == word) for word in ("REDUCE_START", "REDUCE_END"))
    assert [row.position_qty for row in (*start.positions, *end.positions)] == ["15", "8.433"]
    assert (start.accounts[0].account_status, end.accounts[0].account_status) == ("LIQUIDATING", "NORMAL")


def test_liquidation_pushes_come_in_the_documented_order() -> None:
    desk = long_at_risk()
    desk.place("BUY", "10", "59280")
    desk.steer("BTC", "59289.5")
    mine = [event for event in desk.events if getattr(event, "portfolio", "") == desk.sub]
    kinds = [type(event) for event in mine]
    assert kinds.index(AccountsChanged) < kinds.index(MarginCalled) < kinds.index(LiquidationReached)
    order = next(n for n, e in enumerate(mine) if isinstance(e, OrderChanged))
    start = next(
        n for n, e in enumerate(mine) if isinstance(e, LiquidationReached) and e.record.node_type == "REDUCE_START"
    )
    archived = kinds.index(PositionLiquidated)
    end = next(
        n for n, e in enumerate(mine) if isinstance(e, LiquidationReached) and e.record.node_type == "REDUCE_END"
    )
    assert start < order < archived < end
    times = [int(nodes(desk)[-2].create_at), reduced(desk)[0].update_at, int(nodes(desk)[-1].create_at)]
    assert times == sorted(times)


def test_an_account_in_liquidation_accepts_only_cancels() -> None:
    desk = long_at_risk()
    desk.steer("BTC", "59289")
    assert account(desk).account_status == "LIQUIDATING"
    for more in ({"side": "BUY"}, {"side": "SELL", "reduce_only": True}):
        reply = desk.try_place(**{"qty": "0.01", "price": "60000", "portfolio": desk.sub, **more})  # type: ignore[arg-type]
        assert code(reply) == 401910
    assert code(desk.do(ClosePosition(portfolio=desk.sub, sym=PERP))) == 401910
    reply = desk.do(ClosePositions(portfolio=desk.sub, close_all_pos="true"))
    assert isinstance(reply, tuple)
    closed = [one for one in reply if isinstance(one, CloseOutcome)]
    assert [(one.success, one.error_msg[:6]) for one in closed] == [("false", "401910")]
    assert code(desk.do(SetLeverage(portfolio=desk.sub, sym=PERP, leverage="5"))) == 401910
    stop = PlaceAlgo(
        portfolio=desk.sub, algo_order_type="TPSL", sym=PERP, side="SELL", condition_type="ENTIRE_CLOSE_POSITION",
        sl_trigger_price="58000",
    )  # fmt: skip
    assert code(desk.do(stop)) == 401910
    elsewhere = desk.place("BUY", "1", "60000", OKX, portfolio=desk.sub)
    assert code(desk.do(CancelOrder(portfolio=desk.sub, order_id=elsewhere))) == 0
    desk.steer("BTC", "60000")
    assert account(desk).account_status == "NORMAL"
    assert venue_orders(desk) == []


def test_liquidation_continues_as_the_book_refills_then_stops() -> None:
    desk = long_at_risk()
    desk.steer("BTC", "59200")
    assert account(desk).account_status == "LIQUIDATING"
    desk.place("BUY", "0.5", "59200")
    desk.wait(1000)
    assert [row.executed_qty for row in venue_orders(desk)] == ["0.5"]
    assert account(desk).account_status == "LIQUIDATING"
    assert words(nodes(desk)) == [*DOWN_TO_CANCEL_ALL, "REDUCE_START"]
    desk.place("BUY", "10", "59200")
    desk.wait(1000)
    assert len(venue_orders(desk)) == 2
    assert D(account(desk).uni_mmr) > D("1.2")
    assert words(nodes(desk))[-1] == "REDUCE_END"


def test_a_liquidation_event_lists_each_step_once() -> None:
    desk = long_at_risk()
    for price in ("59700", "59500", "59600", "59500", "59700", "59950"):
        desk.steer("BTC", price)
    assert words(nodes(desk)) == ["TRIGGERED", "MARGIN_CALL", "CANCEL_OPEN"]
    first = desk.exchange.queries.liquidation_event(desk.sub)
    assert first is not None and first.event_type == "REDUCE"
    desk.steer("BTC", "59700")
    second = desk.exchange.queries.liquidation_event(desk.sub)
    assert second is not None and int(second.liquidation_event_id) == int(first.liquidation_event_id) + 1
    assert desk.exchange.queries.liquidation_event(desk.sub, first.liquidation_event_id) == first
    assert len(first.liquidation_event_id) == 16
    assert desk.exchange.queries.liquidation_event(desk.main, first.liquidation_event_id) is None
    assert desk.exchange.queries.liquidation_event(desk.main) is None
    days = 91 * 86_400_000
    desk.wait(days)
    assert desk.exchange.queries.liquidation_event(desk.sub, first.liquidation_event_id) is None


def test_liquidation_nets_opposite_hedge_legs_first() -> None:
    desk = Desk()
    desk.steer("BTC", "60000")
    desk.do(SetPositionMode(portfolio=desk.sub, exchange_type="BINANCE", position_mode="BOTH"))
    desk.do(SetLeverage(portfolio=desk.sub, sym=PERP, leverage="50"))
    for side, leg, other, qty in (("BUY", "LONG", "SELL", "10"), ("SELL", "SHORT", "BUY", "4")):
        desk.place(other, qty, "60000")
        desk.sub_place(side, qty, "60000", position_side=leg)
    before, money = everybody(desk), usdt(desk, desk.sub)
    price = desk.exchange.queries.positions(desk.sub)[0].liq_price
    assert price is not None
    mark = D(price).quantize(D("0.1"), "ROUND_DOWN")
    desk.steer("BTC", str(mark))
    rows = {row.position_side: row.position_qty for row in desk.exchange.queries.positions(desk.sub)}
    assert rows == {"LONG": "6"}
    assert venue_orders(desk) == [] and reduced(desk) == []
    assert usdt(desk, desk.sub) == money, "both sides of the same 4 BTC at the same price"
    assert [row.closed_type for row in desk.exchange.queries.list_closed_positions(desk.sub)] == [
        "LIQUIDATION",
        "PARTIAL_CLOSED",
    ]
    assert everybody(desk) == before


def test_liquidation_buys_back_a_short_below_bankruptcy_price() -> None:
    desk = Desk()
    desk.steer("BTC", "60000")
    desk.do(SetLeverage(portfolio=desk.sub, sym=PERP, leverage="50"))
    desk.place("BUY", "15", "60000")
    desk.sub_place("SELL", "15", "60000")
    price = desk.exchange.queries.positions(desk.sub)[0].liq_price
    assert price is not None
    mark = D(price).quantize(D("0.1"), "ROUND_UP")
    desk.place("SELL", "15", str(mark + 10))
    before = everybody(desk)
    desk.steer("BTC", str(mark))
    (order,) = venue_orders(desk)
    assert (order.side, order.origin, order.order_state) == ("BUY", "SYSTEM_REDUCE", "FILLED")
    bankrupt = mark + (19550 - 15 * (mark - 60000)) / 15
    assert D(order.limit_price) <= bankrupt < D(order.limit_price) + D("0.1")
    assert account(desk).account_status in ("NORMAL", "MARGIN_CALL")
    assert everybody(desk) == before


def test_liquidation_cancels_algo_orders_before_they_trigger() -> None:
    desk = long_at_risk()
    desk.do(
        PlaceAlgo(
            portfolio=desk.sub, algo_order_type="TPSL", sym=PERP, side="SELL", condition_type="ENTIRE_CLOSE_POSITION",
            sl_trigger_price="59290", sl_trigger_type="MARK_PRICE",
        )
    )  # fmt: skip
    desk.wait(10)
    desk.steer("BTC", "59400")
    assert account(desk).account_status == "CANCEL_ALL"
    (algo,) = desk.exchange.queries.algos(desk.sub)
    assert (algo.order_state, algo.reason) == ("CANCELLED", "Account risk")
    desk.steer("BTC", "59289")
    assert venue_orders(desk) == []


# -- collateral --------------------------------------------------------------------------------------------------------


def test_coins_are_sold_before_the_insurance_fund_pays_a_debt() -> None:
    """The price at which nothing is left falls for coins and position alike, so the takeover leaves a debt behind."""
    desk = Desk(agents="still")
    desk.do(SetLeverage(portfolio=desk.main, sym=PERP, leverage="50"))
    desk.place("BUY", "55")
    fund, before = usdt(desk, INSURANCE_ACCOUNT), everybody(desk)
    desk.steer("BTC", "57000")
    sold = [(row.sym, row.origin, row.side, row.executed_qty) for row in venue_orders(desk, desk.main)[1:]]
    assert sold == [(SPOT, "SYSTEM_LIQ", "SELL", "1"), (SPOT.replace("BTC", "ETH"), "SYSTEM_LIQ", "SELL", "10")]
    assert [row.liq_fee for row in reduced(desk)] == ["0"], "spot sales reduce no position"
    assert words(nodes(desk)) == [*DOWN_TO_CANCEL_ALL, "TAKEOVER"]
    assert 0 <= usdt(desk, desk.main) < D("0.00000001")
    assert 0 <= D(account(desk, desk.main).equity) < D("0.00000001")
    assert usdt(desk, INSURANCE_ACCOUNT) < fund
    assert everybody(desk) == before
    assert account(desk, desk.main).account_status == "NORMAL"


def test_liquidation_sells_coins_until_the_debt_is_covered() -> None:
    """2 BTC of which 40,000 USDT are borrowed: as they fall, some are sold and the debt is paid."""
    desk = Desk(agents="still")
    for qty in ("1", "1"):
        desk.place("BUY", qty, "", MARGIN)
    debt = D(coin(desk, "USDT").debt)
    assert debt > 20_000
    desk.steer("ETH", "1")
    desk.steer("BTC", "8500")
    assert account(desk, desk.main).account_status != "LIQUIDATING"
    order = venue_orders(desk, desk.main)[0]
    assert (order.sym, order.origin, order.side) == (SPOT, "SYSTEM_LIQ", "SELL")
    assert D(coin(desk, "USDT").debt) == 0
    assert words(nodes(desk))[-2:] == ["LIQUIDATE_START", "LIQUIDATE_END"]
    assert reduced(desk) == []


def test_liquidation_buys_back_borrowed_coins() -> None:
    desk = Desk(agents="still")
    desk.place("SELL", "2.5", "", MARGIN)
    owed = D(coin(desk, "BTC").debt)
    assert owed == D("1.5")
    desk.steer("ETH", "1")
    desk.steer("BTC", "170000")
    made = [(row.sym, row.side, row.origin) for row in venue_orders(desk, desk.main)]
    assert list(dict.fromkeys(made)) == [
        (SPOT.replace("BTC", "ETH"), "SELL", "SYSTEM_LIQ"),
        (SPOT, "BUY", "SYSTEM_LIQ"),
    ], "other coins go first, because the money alone does not reach"
    assert coin(desk, "BTC").debt == "0"
    assert D(account(desk, desk.main).equity) >= 0
    assert account(desk, desk.main).account_status == "NORMAL"


def test_no_position_is_liquidated_if_ending_orders_frees_margin() -> None:
    """Their reserve counts until they are cancelled; what is left then is above the last threshold."""
    desk = long_at_risk()
    rests = desk.sub_place("BUY", "1", "59950")
    desk.place("BUY", "10", "59290")
    desk.steer("BTC", "59320")
    pushed = [row for event in desk.events if isinstance(event, MarginCalled) for row in event.records]
    assert D(pushed[0].uni_mmr) < 1, "the scene is meant to begin below"
    assert desk.order(rests, desk.sub).cancel_type == "LIQUIDATING"
    assert D(account(desk).uni_mmr) > 1
    assert venue_orders(desk) == []
    desk.steer("BTC", "59289.5")
    assert [row.origin for row in venue_orders(desk)] == ["SYSTEM_REDUCE"]
