"""Read access to fund accounts, networks, transfers and pools, limited to what the API key can access."""

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
    """Queries of the funds of one exchange; `portfolio` is that of the API key, empty for a sub-user without a portfolio."""

    def __init__(self, state: State) -> None:
        self._state = state

    def accounts(self, portfolio: str) -> list[AccountRecord]:
        """List the fund accounts that the API key can access; portfolios are not among them."""
        return [accounts.account_record(account) for account in accounts.list_reachable(self._state, portfolio)]

    def balances(self, portfolio: str, account_ids: list[str], currency: str) -> list[AccountBalances]:
        """List the balances of the given fund accounts, or of all that the API key can access.

        Raises:
            CheckFailed: 404903 for an unknown account, or one that the key does not reach.
        """
        reachable = {account.id: account for account in accounts.list_reachable(self._state, portfolio)}
        for name in account_ids:
            if name not in reachable:
                raise CheckFailed(404903, f"accountId {name[:40]!r} is not an account of this key")
        return [accounts.balances(self._state, reachable[name], currency) for name in account_ids or reachable]

    def currencies(self, name: str) -> list[CurrencyRecord]:
        """List all currencies, or one; an unknown currency gives an empty list."""
        return [currency.record() for currency in CURRENCIES.values() if name in ("", currency.name)]

    def transfers(self, portfolio: str) -> list[Transfer]:
        """List the transfers from or to accounts the API key can access, newest first."""
        return [transfer for transfer in self._list_transfers(TransferKind.TRANSFER) if self._sees(portfolio, transfer)]

    def custody_actions(self) -> list[Transfer]:
        """List locks and unlocks of custody coins, newest first."""
        return self._list_transfers(TransferKind.LOCK, TransferKind.UNLOCK)

    def _list_transfers(self, *kinds: TransferKind) -> list[Transfer]:
        return [transfer for transfer in reversed(self._state.transfers.by_id.values()) if transfer.kind in kinds]

    def transfer(self, portfolio: str, *, transfer_id: str = "", client_order_id: str = "") -> Transfer:
        """Return a transfer by transfer id or client order id; the transfer id is used when both are given.

        Raises:
            CheckFailed: 400009 when neither is given, 404910 when not found.
        """
        if not transfer_id and not client_order_id:
            raise CheckFailed(400009, f"{TransferName.TRANSFER_ID} or {TransferName.CLIENT_ORDER_ID} is required")
        table = self._state.transfers
        transfer = table.by_id.get(transfer_id) if transfer_id else table.by_client.get(client_order_id)
        if transfer is None or transfer.kind is not TransferKind.TRANSFER or not self._sees(portfolio, transfer):
            field, given = (
                (TransferName.TRANSFER_ID, transfer_id)
                if transfer_id
                else (TransferName.CLIENT_ORDER_ID, client_order_id)
            )
            raise CheckFailed(404910, f"transfer not found: {field} {given[:64]!r}")
        return transfer

    def pool(self, name: str) -> PoolQuota:
        """Return the amount that one rapid transfer can take from a pool."""
        pool = Pool(name)
        return PoolQuota(pool=pool, currency=RAPID_CURRENCY, available=plain(rapid_pools.quota(self._state, pool)))

    def withdrawals(self, portfolio: str) -> list[Withdrawal]:
        """List the withdrawals from accounts the API key can access, newest first."""
        rows = reversed(self._state.withdrawals.by_id.values())
        return [row for row in rows if self._has(portfolio, row.source)]

    def deposits(self, portfolio: str) -> list[Deposit]:
        """List the deposits of the API key's portfolio, newest first; a main key also gets those of the Funding Account."""
        rows = reversed(self._state.deposits.by_id.values())
        return [row for row in rows if self._has(portfolio, row.target)]

    def _has(self, portfolio: str, side: Side) -> bool:
        """Report whether a source or target belongs to the API key's portfolio or to an account the key can access."""
        reachable = {account.id for account in accounts.list_reachable(self._state, portfolio)}
        return side.owner in reachable or (bool(portfolio) and side.owner == portfolio)

    def withdrawals_of_subs(self) -> list[Withdrawal]:
        """List the withdrawals of sub portfolios, newest first."""
        return [row for row in reversed(self._state.withdrawals.by_id.values()) if self._is_sub(row.source)]

    def deposits_of_subs(self) -> list[Deposit]:
        """List the deposits of sub portfolios, newest first."""
        return [row for row in reversed(self._state.deposits.by_id.values()) if self._is_sub(row.target)]

    def _is_sub(self, side: Side) -> bool:
        owner = self._state.portfolios.get(side.owner)
        return owner is not None and not owner.is_main

    def bills(self, portfolio: str) -> list[Bill]:
        """List the bills of a portfolio, newest first."""
        return [bill for bill in reversed(self._state.bills.values()) if bill.portfolio == portfolio]

    def addresses(self) -> list[AddressRecord]:
        """List the address book of withdrawals."""
        return address_book(accounts.opening_ms(self._state))

    def deposit_address(self, portfolio: str, currency: str, network: str, account_type: str) -> DepositAddress:
        """Return the deposit address of a currency on a network.

        Raises:
            CheckFailed: No such network or account type, or not reached by the key.
        """
        return deposits.build_address(self._state, portfolio, currency, network, account_type)

    def deposit_venue(self, portfolio: str, currency: str, network: str) -> DepositVenue:
        """Return the venue on which a portfolio's deposits are credited.

        Raises:
            CheckFailed: No such currency or network.
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
