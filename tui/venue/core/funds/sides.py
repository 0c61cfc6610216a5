"""Source and target of a money movement: account, venue, access of the API key, and the amount that can leave."""

from __future__ import annotations

from decimal import Decimal

from tui.interface.decimals import ZERO
from tui.venue.core.accounts import account_figures
from tui.venue.core.check_failed import CheckFailed
from tui.venue.core.funds.accounts import is_main
from tui.venue.core.market.symbols import VENUES
from tui.venue.core.state.exchange_state import State
from tui.venue.core.state.funds.fund_accounts import Side

SPOT_WALLET = "SPOT"
"""Account type of an account at an exchange; the default for it."""


def check_known(state: State, field: str, owner: str) -> None:
    """Check that a transfer's source or target is an account or portfolio of the user.

    Raises:
        CheckFailed: 404903.
    """
    if owner not in state.portfolios and owner not in state.fund_accounts:
        raise CheckFailed(404903, f"{field} {owner[:40]!r} is not an account or portfolio of this user")


def check_reach(state: State, portfolio: str, *owners: str) -> None:
    """Check that an API key can access both owners of a movement: a main key any, a sub key its own portfolio only.

    A sub-user has no portfolio; it reaches the DMA sub-accounts.

    Raises:
        CheckFailed: 404902.
    """
    if is_main(state, portfolio):
        return
    for owner in owners:
        account = state.fund_accounts.get(owner)
        is_own = owner == portfolio if portfolio else account is not None and account.is_dma
        if not is_own:
            raise CheckFailed(404902, f"this key has no access to account {owner}")


def side_of(state: State, field: str, owner: str, word: str) -> Side:
    """Return the source or target that an account id and account type stand for.

    Raises:
        CheckFailed: 404909 for a type that is missing or not one of this account.
    """
    account = state.fund_accounts.get(owner)
    if account is None:
        if word not in VENUES:
            raise CheckFailed(
                404909, f"{field} {word[:40]!r} is not accepted for a portfolio; it takes {', '.join(VENUES)}"
            )
        return Side(owner, word)
    accepted = SPOT_WALLET if account.is_dma else account.venue
    if word not in ("", accepted):
        raise CheckFailed(404909, f"{field} {word[:40]!r} is not accepted; leave it empty or send {accepted}")
    return account.side


def compute_spendable(state: State, side: Side, coin: str, held: Decimal = ZERO) -> Decimal:
    """Compute the coins that can leave an account now; `held` are frozen coins that count as free."""
    if side.owner in state.portfolios:
        return account_figures.compute_transferable(state, side.owner, side.venue, coin, held)
    return state.available(side.owner, side.venue, coin) + held
