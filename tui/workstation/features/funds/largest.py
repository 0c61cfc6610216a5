"""Largest amount of a coin that can leave an account now, and why not more."""

from __future__ import annotations

from decimal import Decimal

import msgspec

from tui.interface.decimals import ZERO, optional
from tui.interface.families.accounts import AccountBalances
from tui.interface.families.positions import AccountStatus
from tui.workstation.model import number_format
from tui.workstation.model.mirror import Mirror
from tui.workstation.widgets.lists.fund_accounts import FundAccountRef

BALANCES = "funds/balances"
"""Key under which the Funds screen reads the balances of the accounts."""
_CLOSED = (AccountStatus.LIQUIDATING, AccountStatus.TAKEOVER)


class LargestAmount(msgspec.Struct, frozen=True):
    """Largest amount that can leave an account, and the reason why not more."""

    amount: Decimal | None
    """None: not known."""
    reason: str


def largest_of(mirror: Mirror, account_ref: FundAccountRef, coin: str) -> LargestAmount:
    """Return the amount that can leave an account: for the traded portfolio as reported, else the available balance."""
    if not account_ref.own:
        return _of_account(mirror, account_ref, coin)
    fact = mirror.assets.get(f"{account_ref.venue}/{coin}")
    account = mirror.accounts.get(account_ref.venue)
    if fact is None:
        return LargestAmount(None, f"no {coin} on {account_ref.venue}")
    record = fact.record
    most, available, balance = (optional(text) for text in (record.max_transferable, record.available, record.balance))
    if most is None:
        return LargestAmount(None, "the service does not report how much can be transferred")
    if account is not None and account.record.account_status in _CLOSED:
        return LargestAmount(most, f"the account is in {account.record.account_status}")
    held = ZERO if available is None or balance is None else balance - available
    parts = []
    if held > 0:
        parts.append(f"{number_format.decimal_figure(held)} frozen")
    if available is not None and available > most:
        parts.append(f"margin holds {number_format.decimal_figure(available - most, 2)}")
    return LargestAmount(most, ", ".join(parts) if parts else "the whole balance")


def _of_account(mirror: Mirror, account_ref: FundAccountRef, coin: str) -> LargestAmount:
    answer = mirror.answers.get(BALANCES)
    rows = answer.rows if answer is not None else ()
    balances = (row for row in rows if isinstance(row, AccountBalances) and str(row.account_id) == account_ref.owner)
    coin_balance = next((asset for row in balances for asset in row.asset_info if asset.currency == coin), None)
    if coin_balance is None:
        return LargestAmount(None, f"no {coin} in {account_ref.name}")
    most, total = optional(coin_balance.withdraw_available), optional(coin_balance.total_balance)
    if most is None or total is None or most == total:
        return LargestAmount(most, "the whole balance")
    return LargestAmount(most, f"{number_format.decimal_figure(total - most)} frozen")
