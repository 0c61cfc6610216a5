"""Portfolio loans of a venue account: amounts owed, figures net of borrowed coins, LTV and its limits, largest loan.

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
"""LTV from which the account is at least in MARGIN_CALL."""
NO_BORROWING_LTV = Decimal("0.80")
"""LTV from which nothing more can be borrowed."""
LIQUIDATION_LTV = Decimal("0.90")
"""LTV from which collateral is sold to repay."""
LIQUIDATION_FEE = Decimal("0.005")
"""Share of the sold value that is charged."""
HIGHEST_LTV = Decimal("999.999")
"""LTV of a loan without collateral."""
AMOUNT_PLACES = 2
"""Decimals of an amount that is borrowed or repaid."""
HOURS_OF_A_YEAR = 8760
_LTV_PLACES = 3


class NetCoin(NamedTuple):
    """Figures of a coin after its borrowed amount is subtracted."""

    loan_value: Decimal
    net_equity: Decimal
    """In coins."""
    net_equity_value: Decimal
    net_margin_value: Decimal
    """Negative net equity in full, positive net equity less its haircut."""


class LoanFigures(NamedTuple):
    """Loan figures of a venue account, over all its portfolio loans."""

    value: Decimal
    margin: Decimal
    """Initial margin that the loans require."""
    maintenance: Decimal
    net_equity: Decimal
    net_margin_value: Decimal
    net_valid: Decimal
    net_available: Decimal
    ltv: Decimal
    """Value of the loans over the margin value of the row, not rounded; 0 without a loan."""

    @property
    def ltv_shown(self) -> Decimal:
        """LTV rounded for display."""
        return half_up(self.ltv, _LTV_PLACES)


def net_coin(coin: AccountCoin, equity: Decimal) -> NetCoin:
    """Compute the net figures of a coin from its equity in coins."""
    net = equity - coin.loan
    collateral = max(net, ZERO) * coin.index_price * coin.discount
    return NetCoin(
        coin.loan * coin.index_price, net, net * coin.index_price, collateral + min(net, ZERO) * coin.index_price
    )


def compute_figures(account: Account, row_figures: AccountFigures) -> LoanFigures:
    """Compute the loan figures of a venue account from its inputs and margin figures."""
    net = [net_coin(coin, row_figures.equities[coin.coin]) for coin in account.coins]
    value = sum((entry.loan_value for entry in net), ZERO)
    net_margin = sum((entry.net_margin_value for entry in net), ZERO)
    valid = net_margin - row_figures.open_loss
    return LoanFigures(
        value=value,
        margin=sum((coin.loan * coin.index_price / coin.loan_leverage for coin in account.coins if coin.loan), ZERO),
        maintenance=sum((coin.loan_maintenance for coin in account.coins), ZERO),
        net_equity=sum((entry.net_equity_value for entry in net), ZERO),
        net_margin_value=net_margin,
        net_valid=valid,
        net_available=valid - row_figures.frozen,
        ltv=ltv(value, row_figures.margin_value),
    )


def ltv(value: Decimal, margin_value: Decimal) -> Decimal:
    """Compute the LTV: loan value divided by the account's margin value; 0 without loans, at most `HIGHEST_LTV`."""
    if not value:
        return ZERO
    return min(value / margin_value, HIGHEST_LTV) if margin_value > 0 else HIGHEST_LTV


def collateral_beyond_warning(value: Decimal, margin_value: Decimal) -> Decimal:
    """Compute the margin value (quote) that can leave an account before its loans reach the warning LTV."""
    return max(margin_value - value / WARNING_LTV, ZERO)


def most_to_borrow(
    *, pool: Decimal, quota_left: Decimal, net_available: Decimal, leverage: Decimal, index_price: Decimal
) -> Decimal:
    """Compute the largest loan in coins: the least of pool, user's quota (quote) and margin, cut to two decimals."""
    most = min(pool, quota_left / index_price, net_available * leverage / index_price)
    return max(most, ZERO).quantize(Decimal(1).scaleb(-AMOUNT_PLACES), ROUND_DOWN)


def hourly_rate(annual: Decimal) -> Decimal:
    """Convert an annual interest rate to the rate of one hour, a fraction."""
    return annual / HOURS_OF_A_YEAR


def interest(loan: Decimal, annual: Decimal) -> Decimal:
    """Compute the interest on a loan for one full hour, in coins, rounded down."""
    return lending.interest(loan, hourly_rate(annual))


def change_loan(account: Account, coin: str, change: Decimal) -> Account:
    """Return the account after borrowing (`change` positive) or repaying (negative) a coin it contains.

    A borrowed amount repays the margin debt of the coin first, as every incoming amount does.
    """
    return account._replace(
        coins=tuple(_change_coin(entry, change) if entry.coin == coin else entry for entry in account.coins)
    )


def _change_coin(entry: AccountCoin, change: Decimal) -> AccountCoin:
    balance = entry.balance + change
    back = max(min(entry.debt, change, balance), ZERO)
    return entry._replace(balance=balance - back, debt=entry.debt - back, loan=entry.loan + change)
