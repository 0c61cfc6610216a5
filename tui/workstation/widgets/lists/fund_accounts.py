"""Accounts that can hold the user's money: venue accounts of portfolios and standalone accounts, as far as known."""

from __future__ import annotations

from collections.abc import Iterator
from enum import StrEnum
from typing import Any

import msgspec

from tui.engine.service_query import ServiceQuery, query_endpoint
from tui.interface.families.accounts import AccountBalances, AccountRecord, AccountVenue, CurrencyRecord
from tui.interface.families.deposits import AddressRecord
from tui.interface.families.portfolios import PortfolioRecord
from tui.interface.symbols import Exchange
from tui.workstation.model.mirror import Mirror

ACCOUNTS = query_endpoint("funds/directory", "accounts")
"""Query of the standalone accounts, for names and forms."""
PORTFOLIOS = query_endpoint("funds/portfolios", "user_assets")
"""Query of the portfolios of the user that hold assets."""
NAMES = query_endpoint("portfolios/portfolios", "portfolios", to_end=True)
"""Query of the portfolio names, shared with the portfolios screen; needs a main key."""


class FundAccountKind(StrEnum):
    """Kind of a fund account."""

    PORTFOLIO = "portfolio"
    DMA = "DMA"
    FUNDING = "Funding"
    CUSTODY = "custody"


class FundAccountRef(msgspec.Struct, frozen=True, kw_only=True):
    """Source or destination account of a transfer, deposit or withdrawal."""

    owner: str
    """Id of the portfolio or account."""
    venue: str
    """Exchange, FUNDING or CUSTODY."""
    kind: FundAccountKind
    name: str
    """Name shown to the trader."""
    own: bool = False
    """Whether it belongs to the traded portfolio."""

    @property
    def key(self) -> str:
        return f"{self.owner}/{self.venue}"

    @property
    def account_type(self) -> str:
        """Account type in a transfer request if this is a portfolio's account; empty for other kinds."""
        return self.venue if self.kind is FundAccountKind.PORTFOLIO else ""

    @property
    def trades(self) -> bool:
        """Whether the account is for trading (portfolio or DMA), so that a rapid transfer can go to it."""
        return self.kind in (FundAccountKind.PORTFOLIO, FundAccountKind.DMA)

    @property
    def pool(self) -> str:
        """Name of the liquidity pool that pays a rapid transfer to this account; empty if there is none."""
        if self.kind is FundAccountKind.DMA:
            return self.venue
        served = self.kind is FundAccountKind.PORTFOLIO and self.venue != Exchange.EDX
        return f"PORTFOLIO_{self.venue}" if served else ""


def own_account(mirror: Mirror, venue: str) -> FundAccountRef:
    """Return a reference to the account of the traded portfolio on a venue."""
    return FundAccountRef(owner=_portfolio(mirror), venue=venue, kind=FundAccountKind.PORTFOLIO, name=venue, own=True)


def list_accounts(mirror: Mirror) -> list[FundAccountRef]:
    """List all known accounts: of the traded portfolio, then standalone ones, then those of other portfolios."""
    own = [own_account(mirror, venue) for venue in Exchange]
    return [*own, *standalone_accounts(mirror), *_other_portfolios(mirror)]


def standalone_accounts(mirror: Mirror) -> list[FundAccountRef]:
    """List the known accounts that belong to no portfolio."""
    return [account_of(row) for row in _rows(mirror, ACCOUNTS) if isinstance(row, AccountRecord)]


def account_of(row: AccountRecord | AccountBalances) -> FundAccountRef:
    """Return a reference to the standalone account (funding, custody or DMA) of a record."""
    kind = {
        AccountVenue.FUNDING.value: FundAccountKind.FUNDING,
        AccountVenue.CUSTODY.value: FundAccountKind.CUSTODY,
    }.get(row.venues, FundAccountKind.DMA)
    name = {FundAccountKind.FUNDING: "Funding Account", FundAccountKind.CUSTODY: "custody account"}.get(
        kind, f"DMA {row.venues}"
    )
    note = f" ({row.account_note})" if row.account_note else ""
    return FundAccountRef(owner=str(row.account_id), venue=row.venues, kind=kind, name=f"{name}{note}")


def _other_portfolios(mirror: Mirror) -> Iterator[FundAccountRef]:
    answer, here = mirror.answers.get(PORTFOLIOS.key), _portfolio(mirror)
    data = answer.data if answer is not None else None
    # The assets of all portfolios may omit empty ones.
    owners = {*(data if isinstance(data, dict) else ()), *_names(mirror)}
    for owner in sorted(owners - {here}):
        for venue in Exchange:
            name = f"portfolio {portfolio_name(mirror, owner)} {venue}"
            yield FundAccountRef(owner=owner, venue=venue, kind=FundAccountKind.PORTFOLIO, name=name)


def account_name(mirror: Mirror, owner: str, account_type: str) -> str:
    """Return the trader's name for the source or target account of a transfer; the end of its id if unknown."""
    if owner in ("", "0"):
        return "outside"
    if owner == _portfolio(mirror):
        return account_type or "this portfolio"
    known = next((account for account in standalone_accounts(mirror) if account.owner == owner), None)
    if known is not None:
        return known.name.partition(" (")[0]
    return f"{portfolio_name(mirror, owner)} {account_type}".rstrip()


def portfolio_name(mirror: Mirror, owner: str) -> str:
    """Return the name of a portfolio, or the end of its id if the name is unknown."""
    return _names(mirror).get(owner, tail(owner))


def _names(mirror: Mirror) -> dict[str, str]:
    """Return the known portfolio names, by id."""
    return {str(row.portfolio_id): row.name for row in _rows(mirror, NAMES) if isinstance(row, PortfolioRecord)}


def tail(owner: str) -> str:
    """Return the last characters of an id, enough to tell ids apart."""
    return f"…{owner[-5:]}" if len(owner) > 6 else owner


def currency_query(coin: str) -> ServiceQuery:
    """Return the query for the networks a coin can be transferred on."""
    return query_endpoint(f"funds/currency/{coin}", "currencies", (("currency", coin),))


def currency(mirror: Mirror, coin: str) -> CurrencyRecord | None:
    """Return a coin's record with its networks, or None if it was not read."""
    rows = _rows(mirror, currency_query(coin))
    return next((row for row in rows if isinstance(row, CurrencyRecord) and row.currency == coin), None)


def book_query(coin: str) -> ServiceQuery:
    """Return the query for the address book: the addresses a coin may be withdrawn to."""
    return query_endpoint(f"funds/book/{coin}", "withdraw_addresses", (("currency", coin),), to_end=True)


def address_book(mirror: Mirror, coin: str) -> list[AddressRecord]:
    """Return the address book of a coin, as far as read."""
    rows = _rows(mirror, book_query(coin))
    return [row for row in rows if isinstance(row, AddressRecord) and row.currency == coin]


def pool_query(pool: str) -> ServiceQuery:
    """Return the query for the amount that rapid transfers may take from a pool."""
    return query_endpoint(f"funds/pool/{pool}", "rapid_pool", (("pool", pool),))


def describe_missing_answer(mirror: Mirror, query: ServiceQuery) -> str:
    """Return that a query is still being read, or why it failed; empty if it has an answer."""
    answer = mirror.answers.get(query.key)
    if answer is None or answer.under_way:
        return "is being read"
    return f"cannot be read: {answer.text}" if answer.text and not (answer.rows or answer.data) else ""


def _rows(mirror: Mirror, query: ServiceQuery) -> tuple[Any, ...]:
    answer = mirror.answers.get(query.key)
    return answer.rows if answer is not None else ()


def _portfolio(mirror: Mirror) -> str:
    status = mirror.engine_status
    return status.portfolio if status is not None else ""
