"""How much of a coin may leave a place now, and why it is not more."""

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
"""Key under which the balances of the accounts are read: the list of the Funds screen."""
_CLOSED = (AccountStatus.LIQUIDATING, AccountStatus.TAKEOVER)


class Largest(msgspec.Struct, frozen=True):
    """An amount with its reason."""

    amount: Decimal | None
    """None: it is not known."""
    reason: str


def largest_of(mirror: Mirror, place: FundAccountRef, coin: str) -> Largest:
    """What may leave a place: as the service says for a portfolio, what is available of an account."""
    if not place.own:
        return _of_account(mirror, place, coin)
    fact = mirror.assets.get(f"{place.venue}/{coin}")
    account = mirror.accounts.get(place.venue)
    if fact is None:
        return Largest(None, f"no {coin} on {place.venue}")
    record = fact.record
    most, available, balance = (optional(text) for text in (record.max_transferable, record.available, record.balance))
    if most is None:
        return Largest(None, "the service does not say what may be transferred")
    if account is not None and account.record.account_status in _CLOSED:
        return Largest(most, f"the account is in {account.record.account_status}")
    held = ZERO if available is None or balance is None else balance - available
    parts = []
    if held > 0:
        parts.append(f"{number_format.decimal_figure(held)} frozen")
    if available is not None and available > most:
        parts.append(f"margin holds {number_format.decimal_figure(available - most, 2)}")
    return Largest(most, ", ".join(parts) if parts else "all of the balance")


def _of_account(mirror: Mirror, place: FundAccountRef, coin: str) -> Largest:
    answer = mirror.answers.get(BALANCES)
    rows = answer.rows if answer is not None else ()
    mine = (row for row in rows if isinstance(row, AccountBalances) and str(row.account_id) == place.owner)
    found = next((one for row in mine for one in row.asset_info if one.currency == coin), None)
    if found is None:
        return Largest(None, f"no {coin} in {place.name}")
    most, total = optional(found.withdraw_available), optional(found.total_balance)
    if most is None or total is None or most == total:
        return Largest(most, "all of the balance")
    return Largest(most, f"{number_format.decimal_figure(total - most)} frozen")
