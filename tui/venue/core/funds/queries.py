"""Read access to accounts, networks, transfers and pools; a key sees what it reaches."""

from __future__ import annotations

from tui.interface.decimals import plain
from tui.interface.families.accounts import AccountBalances, AccountRecord, CurrencyRecord
from tui.interface.families.deposits import AddressRecord, DepositAddress, DepositVenue
from tui.interface.families.transfers import RAPID_CURRENCY, Pool, PoolQuota, TransferName
from tui.venue.core.check_failed import CheckFailed
from tui.venue.core.funds import accounts, deposits, rapid_pools
from tui.venue.core.funds.addresses import address_book
from tui.venue.core.funds.networks import CURRENCIES
from tui.venue.core.state.exchange_state import State
from tui.venue.core.state.funds.deposits import Deposit, Withdrawal
from tui.venue.core.state.funds.fund_accounts import Side
from tui.venue.core.state.funds.transfers import Bill, Transfer, TransferKind


class FundQueries:
    """Answers questions about the money of one exchange; `portfolio` is that of the key, empty for a sub-user."""

    def __init__(self, state: State) -> None:
        self._state = state

    def accounts(self, portfolio: str) -> list[AccountRecord]:
        """The accounts that are no portfolios."""
        return [accounts.account_record(one) for one in accounts.reached(self._state, portfolio)]

    def balances(self, portfolio: str, account_ids: list[str], currency: str) -> list[AccountBalances]:
        """Balances of the named accounts, or of all.

        Raises:
            CheckFailed: 404903 for an account that is none or is not within reach.
        """
        reached = {one.id: one for one in accounts.reached(self._state, portfolio)}
        for name in account_ids:
            if name not in reached:
                raise CheckFailed(404903, f"accountId {name[:40]!r} is no account of this key")
        return [accounts.balances(self._state, reached[name], currency) for name in account_ids or reached]

    def currencies(self, name: str) -> list[CurrencyRecord]:
        """All currencies, or one; an unknown one is none."""
        return [one.record() for one in CURRENCIES.values() if name in ("", one.name)]

    def transfers(self, portfolio: str) -> list[Transfer]:
        """Transfers from or to what the key reaches, newest first."""
        return [one for one in self._list_transfers(TransferKind.TRANSFER) if self._sees(portfolio, one)]

    def custody_actions(self) -> list[Transfer]:
        """Locks and unlocks, newest first."""
        return self._list_transfers(TransferKind.LOCK, TransferKind.UNLOCK)

    def _list_transfers(self, *kinds: TransferKind) -> list[Transfer]:
        return [one for one in reversed(self._state.transfers.by_id.values()) if one.kind in kinds]

    def transfer(self, portfolio: str, *, transfer_id: str = "", client_order_id: str = "") -> Transfer:
        """One transfer by either id; the transfer id decides when both are given.

        Raises:
            CheckFailed: 400009 neither given, 404910 not found.
        """
        if not transfer_id and not client_order_id:
            raise CheckFailed(400009, f"{TransferName.TRANSFER_ID} or {TransferName.CLIENT_ORDER_ID} is required")
        table = self._state.transfers
        found = table.by_id.get(transfer_id) if transfer_id else table.by_client.get(client_order_id)
        if found is None or found.kind is not TransferKind.TRANSFER or not self._sees(portfolio, found):
            field, given = (
                (TransferName.TRANSFER_ID, transfer_id)
                if transfer_id
                else (TransferName.CLIENT_ORDER_ID, client_order_id)
            )
            raise CheckFailed(404910, f"transfer not found: {field} {given[:64]!r}")
        return found

    def pool(self, name: str) -> PoolQuota:
        """What one rapid transfer may draw on a pool."""
        pool = Pool(name)
        return PoolQuota(pool=pool, currency=RAPID_CURRENCY, available=plain(rapid_pools.quota(self._state, pool)))

    def withdrawals(self, portfolio: str) -> list[Withdrawal]:
        """Withdrawals out of what the key reaches, newest first."""
        found = reversed(self._state.withdrawals.by_id.values())
        return [one for one in found if self._has(portfolio, one.source)]

    def deposits(self, portfolio: str) -> list[Deposit]:
        """Deposits of the portfolio of the key; those of the Funding Account with the main one. Newest first."""
        found = reversed(self._state.deposits.by_id.values())
        return [one for one in found if self._has(portfolio, one.target)]

    def _has(self, portfolio: str, side: Side) -> bool:
        """Whether a side is of the portfolio, or of an account that the key reaches."""
        accounts_reached = {one.id for one in accounts.reached(self._state, portfolio)}
        return side.owner in accounts_reached or (bool(portfolio) and side.owner == portfolio)

    def withdrawals_of_subs(self) -> list[Withdrawal]:
        """Withdrawals out of sub portfolios, newest first."""
        return [one for one in reversed(self._state.withdrawals.by_id.values()) if self._is_sub(one.source)]

    def deposits_of_subs(self) -> list[Deposit]:
        """Deposits of sub portfolios, newest first."""
        return [one for one in reversed(self._state.deposits.by_id.values()) if self._is_sub(one.target)]

    def _is_sub(self, side: Side) -> bool:
        found = self._state.portfolios.get(side.owner)
        return found is not None and found.level != "main"

    def bills(self, portfolio: str) -> list[Bill]:
        """Bills of a portfolio, newest first."""
        return [one for one in reversed(self._state.bills.values()) if one.portfolio == portfolio]

    def addresses(self) -> list[AddressRecord]:
        """The address book."""
        return address_book(accounts.opening_ms(self._state))

    def deposit_address(self, portfolio: str, currency: str, network: str, account_type: str) -> DepositAddress:
        """Where a currency comes in.

        Raises:
            CheckFailed: no such network or account type, or not within the reach of the key.
        """
        return deposits.address(self._state, portfolio, currency, network, account_type)

    def deposit_venue(self, portfolio: str, currency: str, network: str) -> DepositVenue:
        """Where deposits of a portfolio go to.

        Raises:
            CheckFailed: no such currency or network.
        """
        deposits.network_of(currency, network)
        venue = deposits.venue_of(self._state, portfolio, currency, network)
        return DepositVenue(currency=currency, network=network, exchange_type=venue)

    def _sees(self, portfolio: str, transfer: Transfer) -> bool:
        if accounts.is_main(self._state, portfolio):
            return True
        return any(self._reaches(portfolio, side) for side in (transfer.source, transfer.target))

    def _reaches(self, portfolio: str, side: Side) -> bool:
        if portfolio:
            return side.owner == portfolio
        account = self._state.fund_accounts.get(side.owner)
        return account is not None and account.is_dma
