"""Portfolio loans of a venue row: what is owed, the net figures without borrowed coins, LTV with its rungs, the maximum.

Borrowed coins are part of the balance, so the figures of `rules/account.py` count them as own; the net figures here do
not. Amounts of coins are in coins, everything else in quote units.
"""

from __future__ import annotations

from decimal import ROUND_DOWN, Decimal
from typing import NamedTuple

from tui.interface.decimals import ZERO, half_up
from tui.rules.account import Account, AccountCoin, AccountFigures
from tui.rules.borrowing import lending

WARNING_LTV = Decimal("0.70")
"""From here the account is in MARGIN_CALL at least."""
NO_BORROWING_LTV = Decimal("0.80")
"""From here nothing more can be borrowed."""
LIQUIDATION_LTV = Decimal("0.90")
"""From here collateral is sold to repay."""
LIQUIDATION_FEE = Decimal("0.005")
"""Share of the sold value that is charged."""
HIGHEST_LTV = Decimal("999.999")
"""LTV of a loan without collateral."""
AMOUNT_PLACES = 2
"""Decimals of an amount that is borrowed or repaid."""
HOURS_OF_A_YEAR = 8760
_LTV_PLACES = 3


class NetCoin(NamedTuple):
    """One coin without what is borrowed of it."""

    loan_value: Decimal
    net_equity: Decimal
    """In coins."""
    net_equity_value: Decimal
    net_margin_value: Decimal
    """What is owed on balance counts in full, what is owned less its haircut."""


class LoanFigures(NamedTuple):
    """Figures of all loans of a row."""

    value: Decimal
    margin: Decimal
    """Initial margin that the loans ask for."""
    maintenance: Decimal
    net_equity: Decimal
    net_margin_value: Decimal
    net_valid: Decimal
    net_available: Decimal
    ltv: Decimal
    """Value of the loans on the margin value of the row, not rounded; 0 without a loan."""

    @property
    def ltv_shown(self) -> Decimal:
        """As it is printed."""
        return half_up(self.ltv, _LTV_PLACES)


def net_coin(coin: AccountCoin, equity: Decimal) -> NetCoin:
    """The net figures of a coin with an equity, in coins."""
    net = equity - coin.loan
    collateral = max(net, ZERO) * coin.index_price * coin.discount
    return NetCoin(
        coin.loan * coin.index_price, net, net * coin.index_price, collateral + min(net, ZERO) * coin.index_price
    )


def figures(account: Account, found: AccountFigures) -> LoanFigures:
    """The loan figures of a row from its inputs and its figures."""
    net = [net_coin(one, found.equities[one.coin]) for one in account.coins]
    value = sum((one.loan_value for one in net), ZERO)
    net_margin = sum((one.net_margin_value for one in net), ZERO)
    valid = net_margin - found.open_loss
    return LoanFigures(
        value=value,
        margin=sum((one.loan * one.index_price / one.loan_leverage for one in account.coins if one.loan), ZERO),
        maintenance=sum((one.loan_maintenance for one in account.coins), ZERO),
        net_equity=sum((one.net_equity_value for one in net), ZERO),
        net_margin_value=net_margin,
        net_valid=valid,
        net_available=valid - found.frozen,
        ltv=ltv(value, found.margin_value),
    )


def ltv(value: Decimal, margin_value: Decimal) -> Decimal:
    """Value of loans on the margin value of their row."""
    if not value:
        return ZERO
    return min(value / margin_value, HIGHEST_LTV) if margin_value > 0 else HIGHEST_LTV


def collateral_beyond_warning(value: Decimal, margin_value: Decimal) -> Decimal:
    """Margin value that may leave a row without its loans reaching the warning, quote units."""
    return max(margin_value - value / WARNING_LTV, ZERO)


def most_to_borrow(
    *, pool: Decimal, quota_left: Decimal, net_available: Decimal, leverage: Decimal, index_price: Decimal
) -> Decimal:
    """Coins that can be borrowed: the least of pool, user's quota (quote units) and margin; cut to two decimals."""
    most = min(pool, quota_left / index_price, net_available * leverage / index_price)
    return max(most, ZERO).quantize(Decimal(1).scaleb(-AMOUNT_PLACES), ROUND_DOWN)


def hourly_rate(annual: Decimal) -> Decimal:
    """Interest rate of one full hour, a fraction."""
    return annual / HOURS_OF_A_YEAR


def interest(loan: Decimal, annual: Decimal) -> Decimal:
    """Interest of one full hour, in coins."""
    return lending.interest(loan, hourly_rate(annual))


def with_loan(account: Account, coin: str, change: Decimal) -> Account:
    """The row after borrowing (`change` above 0) or repaying (below 0) a coin that it has.

    What is borrowed repays the margin debt of the coin first, as everything that comes in does.
    """
    return account._replace(
        coins=tuple(_change_coin(one, change) if one.coin == coin else one for one in account.coins)
    )


def _change_coin(one: AccountCoin, change: Decimal) -> AccountCoin:
    balance = one.balance + change
    back = max(min(one.debt, change, balance), ZERO)
    return one._replace(balance=balance - back, debt=one.debt - back, loan=one.loan + change)
