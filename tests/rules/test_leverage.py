"""Leverage of a row: its bound, what another one makes of margin and liquidation price, and when the margin is missing."""

from __future__ import annotations

from decimal import Decimal

import pytest

from tui.rules import account
from tui.rules.account import Account, AccountCoin, PerpTerms, PositionLeg
from tui.rules.margin import MarginTier, highest_leverage
from tui.rules.preview import has_margin, set_leverage, set_margin_leverage

TIERS = (
    MarginTier(Decimal(0), Decimal(50_000), Decimal("0.01"), 50),
    MarginTier(Decimal(50_000), Decimal(10**9), Decimal("0.02"), 20),
)
SYM = "BINANCE_PERP_BTC_USDT"


def row(leverage: int = 20, balance: str = "10000") -> Account:
    """A long of 1 at 60,000, another pair beside it, and a debt of 2 at 100."""
    pair = PerpTerms(SYM, "BTC", Decimal(60_000), Decimal(leverage), TIERS)
    other = PerpTerms("BINANCE_PERP_ETH_USDT", "ETH", Decimal(3000), Decimal(10), TIERS)
    return Account(
        legs=(
            PositionLeg(pair, "NONE", Decimal(1), Decimal(60_000)),
            PositionLeg(other, "NONE", Decimal(1), Decimal(3000)),
        ),
        coins=(
            AccountCoin("USDT", Decimal(balance), Decimal(1), Decimal(1)),
            AccountCoin("SOL", Decimal(0), Decimal(100), Decimal(1), debt=Decimal(2), debt_leverage=Decimal(4)),
        ),
    )


@pytest.mark.parametrize(("value", "most"), [("0", 50), ("50000", 50), ("50000.01", 20), ("10000000000", 20)])
def test_max_leverage_is_that_of_the_risk_tier(value: str, most: int) -> None:
    assert highest_leverage(TIERS, Decimal(value)) == most


def test_leverage_changes_margin_and_not_liquidation_price() -> None:
    before = account.compute_figures(row())
    changed = set_leverage(row(), SYM, Decimal(10))
    after = account.compute_figures(changed)
    assert (before.perp_margin, after.perp_margin) == (Decimal(3300), Decimal(6300))
    assert after.available == before.available - 3000
    assert (after.maintenance, after.valid, after.uni_mmr) == (before.maintenance, before.valid, before.uni_mmr)
    assert account.liq_price(changed, after, SYM) == account.liq_price(row(), before, SYM)
    assert [leg.terms.leverage for leg in changed.legs] == [Decimal(10), Decimal(10)]


def test_margin_leverage_of_a_coin_changes_its_debt_margin() -> None:
    before, after = (
        account.compute_figures(row()),
        account.compute_figures(set_margin_leverage(row(), "SOL", Decimal(2))),
    )
    assert (before.debt_margin, after.debt_margin, after.perp_margin) == (Decimal(50), Decimal(100), before.perp_margin)


def test_an_account_short_of_margin_may_only_raise_leverage() -> None:
    poor = row(balance="4000")
    now = account.compute_figures(poor)
    assert not has_margin(now, account.compute_figures(set_leverage(poor, SYM, Decimal(10))))
    assert has_margin(now, account.compute_figures(set_leverage(poor, SYM, Decimal(40))))
    short = row(balance="1000")
    assert account.compute_figures(short).available < 0
    assert has_margin(account.compute_figures(short), account.compute_figures(set_leverage(short, SYM, Decimal(21))))
