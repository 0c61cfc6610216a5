"""The figures of a venue row and its liquidation price, worked by hand and against their own definition."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st

from tui.interface.families.orders import Side
from tui.rules import account, liquidation, margin
from tui.rules.account import Account, AccountCoin, OrderNeeds, PerpTerms, PositionLeg, WorkingOrders
from tui.rules.borrowing.lending import LoanTier
from tui.rules.margin import MarginTier
from tui.rules.preview import add_coins

D = Decimal
FLAT = (MarginTier(D(0), D(10**12), D("0.01")),)
STEPS = margin.add_cum(
    [
        MarginTier(D(0), D(1000), D("0.01")),
        MarginTier(D(1000), D(5000), D("0.02")),
        MarginTier(D(5000), D(9000), D("0.05")),
    ]
)
BTC = PerpTerms("BTC_PERP", "BTC", mark=D(100), leverage=D(4), tiers=FLAT, contract_size=D("0.1"))
ETH = PerpTerms("ETH_PERP", "ETH", mark=D(20), leverage=D(2), tiers=STEPS)
LOANS = (LoanTier(D(0), D(50), D("0.05"), D(5)),)


def row(**changes: Any) -> Account:
    """A row in which every figure is another number: two legs of one pair, one of another, three coins, two debts."""
    whole = Account(
        legs=(
            PositionLeg(BTC, "LONG", D(30), D(90)),  # 3 BTC
            PositionLeg(BTC, "SHORT", D(-10), D(110)),  # 1 BTC
            PositionLeg(ETH, "NONE", D(-60), D(25)),
        ),
        coins=(
            AccountCoin("USDT", D(1000), D(1), D(1)),
            AccountCoin("BTC", D(2), D(100), D("0.9"), debt=D("0.5"), debt_leverage=D(5), loan_tiers=LOANS),
            AccountCoin("SOL", D(7), D(3), D("0.5"), debt=D(2), debt_leverage=D(4), loan_tiers=LOANS),
        ),
        needs=OrderNeeds(D(13), D(17)),
    )
    return whole._replace(**changes)


def test_account_margin_figures_match_a_hand_calculation() -> None:
    found = account.compute_figures(row())
    assert [one.value for one in found.legs] == [D(300), D(100), D(1200)]
    assert [one.margin for one in found.legs] == [D(75), D(25), D(600)]
    assert [one.maintenance for one in found.legs] == [D(3), D(1), D(24)]
    assert [one.unrealised for one in found.legs] == [D(30), D(10), D(300)]
    assert found.upnl == 340
    assert found.position_value == 1600
    assert found.equities == {"USDT": D(1340), "BTC": D("1.5"), "SOL": D(5)}
    assert found.equity == 1340 + 150 + 15
    assert found.margin_value == 1340 + 135 + D("7.5")
    assert found.open_loss == 17
    assert found.valid == D("1465.5")
    assert found.perp_margin == 700 + 13
    assert found.debt_margins == {"BTC": D(10), "SOL": D("1.5")}
    assert found.debt_margin == D("11.5")
    assert found.maintenance == 28 + D("0.5") * 100 * D("0.05") + 2 * 3 * D("0.05")
    assert found.frozen == D("724.5")
    assert found.available == D(741)
    assert found.uni_mmr == D("1465.5") / D("30.8")


def test_maintenance_by_cumulative_tiers_deducts_their_amount() -> None:
    found = account.compute_figures(row(cumulative=True))
    assert [one.maintenance for one in found.legs] == [D(3), D(1), D(24) - 10]


def test_a_loan_without_tiers_needs_no_maintenance_margin() -> None:
    plain = row(legs=(), coins=(AccountCoin("SOL", D(7), D(3), D("0.5"), debt=D(2), debt_leverage=D(4)),))
    found = account.compute_figures(plain)
    assert found.maintenance == 0
    assert found.uni_mmr is None
    assert isinstance(found.maintenance, D)


def test_figures_of_an_empty_account_are_zero_as_decimals() -> None:
    found = account.compute_figures(Account(legs=(), coins=()))
    for figure in (found.equity, found.margin_value, found.perp_margin, found.maintenance, found.upnl, found.frozen):
        assert figure == 0
        assert isinstance(figure, D)
    assert found.equities == {}


def test_unrealised_pnl_counts_as_equity_of_the_settlement_coin() -> None:
    found = account.compute_figures(row(coins=(AccountCoin("BTC", D(2), D(100), D("0.9")),)))
    assert found.equities == {"BTC": D(2), "USDT": D(340)}
    assert account.compute_figures(row(settlement="BTC")).equities["BTC"] == D("341.5")
    assert row().coin("SOL") is row().coins[2] or row().coin("SOL") == row().coins[2]
    assert row().coin("XRP") is None


# -- the price at which the row would be liquidated ------------------------------------------------------------------


def moved(whole: Account, mark: D) -> Account:
    """The same row with BTC at another price, as pair and as coin."""
    legs = tuple(
        one._replace(terms=one.terms._replace(mark=mark)) if one.terms.base == "BTC" else one for one in whole.legs
    )
    coins = tuple(one._replace(index_price=mark) if one.coin == "BTC" else one for one in whole.coins)
    return whole._replace(legs=legs, coins=coins)


def excess(whole: Account, mark: D) -> D:
    """Valid margin above maintenance with BTC at a price; the debt's own needs held as they are."""
    now, then = account.compute_figures(whole), account.compute_figures(moved(whole, mark))
    debts = sum((one.maintenance for one in now.legs), D(0)) - now.maintenance
    return then.valid - sum((one.maintenance for one in then.legs), D(0)) + debts


quantities = st.integers(-40, 40).map(D)


@given(
    long=st.integers(0, 60).map(D),
    short=st.integers(-60, 0).map(D),
    other=quantities,
    usdt=st.integers(0, 900).map(D),
    btc=st.integers(0, 5).map(D),
    share=st.sampled_from([D(0), D("0.5"), D("0.95"), D(1)]),
    cumulative=st.booleans(),
)
@example(long=D(30), short=D(-10), other=D(-60), usdt=D(1000), btc=D(0), share=D(0), cumulative=False)
@example(long=D(0), short=D(-50), other=D(10), usdt=D(40), btc=D(0), share=D(1), cumulative=True)
@example(long=D(50), short=D(0), other=D(10), usdt=D(40), btc=D(2), share=D("0.5"), cumulative=True)
def test_at_liquidation_price_margin_equals_maintenance(
    long: D, short: D, other: D, usdt: D, btc: D, share: D, cumulative: bool
) -> None:
    whole = Account(
        legs=tuple(
            one
            for one in (
                PositionLeg(BTC, "LONG", long, D(90)),
                PositionLeg(BTC, "SHORT", short, D(110)),
                PositionLeg(ETH, "NONE", other, D(19)),
            )
            if one.quantity
        ),
        coins=(AccountCoin("USDT", usdt, D(1), D(1)), AccountCoin("BTC", btc, D(100), share)),
        needs=OrderNeeds(D(0), D(5)),
        cumulative=cumulative,
    )
    found = account.liq_price(whole, account.compute_figures(whole), "BTC_PERP")
    if found is not None:
        assert found > 0
        assert abs(excess(whole, found)) < D("1e-20")
    elif long or short:
        # No price: what is left over never changes its sign on the way up.
        signs = {excess(whole, price) > 0 for price in (D("0.0001"), D(1), D(50), D(100), D(1000), D(10**7))}
        assume(D(0) not in signs)
        assert len(signs) == 1


def test_a_pair_without_a_position_has_no_liquidation_price() -> None:
    assert account.liq_price(row(), account.compute_figures(row()), "SOL_PERP") is None


def test_collateral_in_the_base_coin_moves_with_the_price() -> None:
    """1 BTC short against 1 BTC held in full: only the maintenance of 1 % grows with the price."""
    short = Account(
        legs=(PositionLeg(BTC, "NONE", D(-10), D(100)),),
        coins=(AccountCoin("USDT", D(50), D(1), D(1)), AccountCoin("BTC", D(1), D(100), D(1))),
    )
    assert account.liq_price(short, account.compute_figures(short), "BTC_PERP") == D(50 + 100) / D("0.01")
    without = short._replace(coins=short.coins[:1])
    assert account.liq_price(without, account.compute_figures(without), "BTC_PERP") == D(150) / D("1.01")


# -- what open orders ask --------------------------------------------------------------------------------------------


def working(**changes: Any) -> WorkingOrders:
    group = WorkingOrders(
        is_perp=True,
        side=Side.BUY,
        tick=D("0.5"),
        lot_base=D("0.01"),
        mark=D(100),  # 200 ticks
        leverage=D(4),
        taker=D("0.001"),
        discount=D("0.9"),
        orders=(),
    )
    return group._replace(**changes)


def test_margin_of_perpetual_orders_matches_a_hand_calculation() -> None:
    group = working(orders=((190, 10, False), (204, 30, True), (206, 20, False)), room=12, extra=D(3))
    # Value in ticks and lots: 1900 + 6120 + 4120 = 12140; one unit is 0.5 * 0.01 quote.
    worth = D(12140) * D("0.005") + 3
    # The position lets 12 lots reduce: all 10 of the first and 2 of the third; the second only reduces anyway.
    initial = D(206 * 18) * D("0.005") / 4
    # Two are priced through mark, by 4 and by 6 ticks.
    loss = worth * D("0.001") + D(4 * 30 + 6 * 20) * D("0.005")
    assert account.compute_needs([group]) == OrderNeeds(initial, loss)


def test_of_sell_orders_only_those_below_mark_reserve_a_loss() -> None:
    sells = working(side=Side.SELL, orders=((197, 10, False), (200, 10, False), (205, 10, False)))
    assert account.compute_needs([sells]).open_loss == D(6020) * D("0.005") * D("0.001") + D(3 * 10) * D("0.005")
    assert account.compute_needs([sells]).initial == D(6020) * D("0.005") / 4


def test_an_order_beyond_mark_by_part_of_a_tick_reserves_a_loss() -> None:
    buys = working(mark=D("99.9"), orders=((200, 10, False),), taker=D(0))
    assert account.compute_needs([buys]).open_loss == D("0.1") * 10 * D("0.01")


def test_spot_buy_orders_reserve_the_haircut_and_sells_only_fees() -> None:
    buys = working(is_perp=False, orders=((210, 10, False),), extra=D(2))
    worth = D(2100) * D("0.005") + 2
    assert account.compute_needs([buys]) == OrderNeeds(D(0), worth * D("0.001") + worth * D("0.1"))
    sells = buys._replace(side=Side.SELL)
    assert account.compute_needs([sells]) == OrderNeeds(D(0), worth * D("0.001"))


def test_margin_needs_of_order_groups_add_up() -> None:
    one, two = working(orders=((190, 10, False),)), working(orders=((150, 7, False),), leverage=D(3))
    both, first, second = account.compute_needs([one, two]), account.compute_needs([one]), account.compute_needs([two])
    assert both == OrderNeeds(first.initial + second.initial, first.open_loss + second.open_loss)
    assert account.compute_needs([]) == OrderNeeds(D(0), D(0))


# -- liquidation and tiers alone -------------------------------------------------------------------------------------


def test_liquidation_price_between_two_tiers_is_their_border() -> None:
    """Flat tiers jump at 1000: below, 1 % is not enough to liquidate, above, 2 % is too much."""
    leg = liquidation.LiquidationLeg(-1, D(10), D(99))
    low, high = (D("98.9"), D("100.5"))
    found = liquidation.price_with_tiers(D(25), D(0), [leg], STEPS)
    border = D(1000) / 10
    # Solved at 1 % the price lies above the border, solved at 2 % below it.
    assert liquidation.price(D(25), D(0), [leg], [(D("0.01"), D(0))]) == D(25 + 990) / D("10.1") > border
    assert liquidation.price(D(25), D(0), [leg], [(D("0.02"), D(0))]) == D(25 + 990) / D("10.2") < border
    assert found == border
    assert low < found < high


def test_tier_at_the_mark_decides_between_two_liquidation_prices() -> None:
    leg = liquidation.LiquidationLeg(1, D(10), D(100))
    low, high = D(985) / D("9.9"), D(985) / D("9.8")
    assert low < 100 < high
    assert liquidation.price_with_tiers(D(15), D(0), [leg], STEPS, marks=[D(99)]) == low
    assert liquidation.price_with_tiers(D(15), D(0), [leg], STEPS, marks=[D(300)]) == high


def test_liq_price_deducts_tier_amounts_only_if_cumulative() -> None:
    whole = Account(
        legs=(PositionLeg(ETH, "NONE", D(100), D(20)),),
        coins=(AccountCoin("USDT", D(300), D(1), D(1)),),
        cumulative=True,
    )
    assert account.liq_price(whole, account.compute_figures(whole), "ETH_PERP") == D(2000 - 300 - 10) / D(98)
    flat = whole._replace(cumulative=False)
    assert account.liq_price(flat, account.compute_figures(flat), "ETH_PERP") == D(2000 - 300) / D(98)


def test_liquidation_price_uses_the_tier_at_the_given_mark() -> None:
    """Valued at entry, the tier to begin with is that of the mark."""
    leg = liquidation.LiquidationLeg(1, D(10), D(50))
    found = liquidation.price_with_tiers(D(20), D(0), [leg], STEPS, marks=[D(300)])
    assert found == D(500 - 20) / (10 - D("0.1"))
    with pytest.raises(ValueError, match="zip"):
        liquidation.price_with_tiers(D(20), D(0), [leg], STEPS, marks=[D(300), D(1)])


def test_liquidation_price_needs_a_rate_for_each_leg() -> None:
    with pytest.raises(ValueError, match="zip"):
        liquidation.price(D(1), D(0), [liquidation.LiquidationLeg(1, D(1), D(1))], [])


def test_a_liquidation_price_of_zero_or_less_is_none() -> None:
    long = liquidation.LiquidationLeg(1, D(1), D(100))
    assert liquidation.price(D(100), D(0), [long], [(D(0), D(0))]) is None
    assert liquidation.price(D(101), D(0), [long], [(D(0), D(0))]) is None
    assert liquidation.price(D("99.5"), D(0), [long], [(D(0), D(0))]) == D("0.5")
    assert (
        liquidation.price(D(10), D(0), [long, liquidation.LiquidationLeg(-1, D(1), D(100))], [(D(0), D(0))] * 2) is None
    )


def test_collateral_in_the_base_coin_is_valued_at_the_new_price() -> None:
    long = liquidation.LiquidationLeg(1, D(2), D(100))
    held = liquidation.Collateral(D(1), D("0.5"), D(100))
    # margin 150 = 50 of collateral + 100; with the price p: 100 + p/2 + 2 (p - 100) = 0.01 * 2p
    assert liquidation.price(D(150), D(0), [long], [(D("0.01"), D(0))], held) == D(100) / D("2.48")


def test_liquidation_price_counts_margin_of_other_positions() -> None:
    long = liquidation.LiquidationLeg(1, D(2), D(100))
    assert liquidation.price(D(50), D(8), [long], [(D("0.01"), D(3))]) == D(200 - 50 + 8 - 3) / D("1.98")


def test_bankruptcy_price_is_where_equity_is_zero() -> None:
    long, short = liquidation.LiquidationLeg(1, D(2), D(100)), liquidation.LiquidationLeg(-1, D(1), D(90))
    assert liquidation.bankruptcy_price(D(60), [long]) == 70
    assert liquidation.bankruptcy_price(D(60), [long, short]) == D(200 - 90 - 60) / 1
    assert liquidation.bankruptcy_price(D(300), [long]) == 0
    assert liquidation.bankruptcy_price(D(60), []) is None
    assert liquidation.bankruptcy_price(D(60), [long], D(1), D(20)) == D(200 - 60 + 20) / 3


def test_a_risk_tier_includes_its_upper_bound() -> None:
    assert [margin.tier_number(STEPS, D(value)) for value in (0, 1000, D("1000.01"), 5000, 9000, 9001)] == [
        0,
        0,
        1,
        1,
        2,
        2,
    ]
    assert [tier.cum for tier in STEPS] == [0, 10, 160]
    assert margin.maintenance(STEPS, D(2000)) == 40
    assert margin.maintenance(STEPS, D(2000), cumulative=True) == 30


def test_position_figures_match_a_hand_calculation() -> None:
    found = margin.position_figures(D(-30), D(90), D(100), D(4), STEPS, contract_size=D(2))
    assert found == (D(6000), D(1500), D(300), D(-600), D(-600) * 4 / 5400)
    one_to_one = margin.position_figures(D(-30), D(90), D(100), D(4), STEPS)
    assert one_to_one == (D(3000), D(750), D(60), D(-300), D(-300) * 4 / 2700)
    assert margin.position_figures(D(30), D(90), D(100), D(4), STEPS, cumulative=True).maintenance == 50
    assert margin.position_figures(D(30), D(0), D(100), D(4), STEPS).rate == 0


def test_without_a_requirement_uni_mmr_is_none_and_risk_ratio_0() -> None:
    assert margin.uni_mmr(D(5), D(2)) == D("2.5")
    assert margin.uni_mmr(D(5), D(0)) is None
    assert margin.risk_ratio(D(3)) == D("0.3333")
    assert margin.risk_ratio(D("0.75")) == D("1.3333")
    assert margin.risk_ratio(None) == 0
    assert margin.risk_ratio(D(0)) == 0
    assert margin.margin_value([]) == 0
    assert isinstance(margin.margin_value([]), D)


@pytest.mark.parametrize(
    ("amount", "balance", "debt"),
    [("0.3", "0", "0.28"), ("0.58", "0", "0"), ("1", "0.42", "0"), ("-0.1", "-0.1", "0.58")],
)
def test_coins_that_arrive_repay_the_debt_of_their_coin(amount: str, balance: str, debt: str) -> None:
    """As on the venue: what comes in by a transfer or a deposit repays first."""
    owed = AccountCoin("BTC", D(0), D(62_000), D("0.95"), debt=D("0.58"), debt_leverage=D(5), loan_tiers=LOANS)
    before = Account(legs=(), coins=(AccountCoin("USDT", D(1000), D(1), D(1)), owed))
    after = add_coins(before, owed, D(amount)).coin("BTC")
    assert after is not None and (after.balance, after.debt) == (D(balance), D(debt))
