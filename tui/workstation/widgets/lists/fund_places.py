"""Where money of the user can be: venue sides of portfolios, and the accounts beside them, as far as they were read."""

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
"""The accounts beside the portfolios, which names and forms need."""
PORTFOLIOS = query_endpoint("funds/portfolios", "user_assets")
"""The portfolios of the user, by what they hold."""
NAMES = query_endpoint("portfolios/portfolios", "portfolios", to_end=True)
"""What the portfolios are called, as the screen of the portfolios has it read; a main key may ask."""


class PlaceKind(StrEnum):
    """What a place is."""

    PORTFOLIO = "portfolio"
    DMA = "DMA"
    FUNDING = "Funding"
    CUSTODY = "custody"


class Place(msgspec.Struct, frozen=True, kw_only=True):
    """One side of a movement of money."""

    owner: str
    """Id of the portfolio or account."""
    venue: str
    """Where it is: an exchange, FUNDING or CUSTODY."""
    kind: PlaceKind
    name: str
    """As a trader calls it."""
    own: bool = False
    """Whether it is of the portfolio that is traded here."""

    @property
    def key(self) -> str:
        return f"{self.owner}/{self.venue}"

    @property
    def account_type(self) -> str:
        """How a request names the side of a portfolio; accounts have one side."""
        return self.venue if self.kind is PlaceKind.PORTFOLIO else ""

    @property
    def trades(self) -> bool:
        """Whether a rapid transfer can reach it."""
        return self.kind in (PlaceKind.PORTFOLIO, PlaceKind.DMA)

    @property
    def pool(self) -> str:
        """The pool that a rapid transfer to it draws on, or empty."""
        if self.kind is PlaceKind.DMA:
            return self.venue
        served = self.kind is PlaceKind.PORTFOLIO and self.venue != Exchange.EDX
        return f"PORTFOLIO_{self.venue}" if served else ""


def own_place(mirror: Mirror, venue: str) -> Place:
    """A venue side of the portfolio that is traded here."""
    return Place(owner=_portfolio(mirror), venue=venue, kind=PlaceKind.PORTFOLIO, name=venue, own=True)


def places(mirror: Mirror) -> list[Place]:
    """Every place that is known: the own sides first, then accounts, then other portfolios."""
    own = [own_place(mirror, venue) for venue in Exchange]
    return [*own, *account_places(mirror), *_other_portfolios(mirror)]


def account_places(mirror: Mirror) -> list[Place]:
    """The accounts that are no portfolios, once they were read."""
    return [_account_place(row) for row in _rows(mirror, ACCOUNTS) if isinstance(row, AccountRecord)]


def _account_place(row: AccountRecord | AccountBalances) -> Place:
    kind = {AccountVenue.FUNDING.value: PlaceKind.FUNDING, AccountVenue.CUSTODY.value: PlaceKind.CUSTODY}.get(
        row.venues, PlaceKind.DMA
    )
    name = {PlaceKind.FUNDING: "Funding Account", PlaceKind.CUSTODY: "custody account"}.get(kind, f"DMA {row.venues}")
    note = f" ({row.account_note})" if row.account_note else ""
    return Place(owner=str(row.account_id), venue=row.venues, kind=kind, name=f"{name}{note}")


def place_of_balances(row: AccountBalances) -> Place:
    """The account that a row of balances is of."""
    return _account_place(row)


def _other_portfolios(mirror: Mirror) -> Iterator[Place]:
    answer, here = mirror.answers.get(PORTFOLIOS.key), _portfolio(mirror)
    data = answer.data if answer is not None else None
    # Those that hold nothing may be left out of the assets of all portfolios.
    owners = {*(data if isinstance(data, dict) else ()), *_names(mirror)}
    for owner in sorted(owners - {here}):
        for venue in Exchange:
            name = f"portfolio {portfolio_name(mirror, owner)} {venue}"
            yield Place(owner=owner, venue=venue, kind=PlaceKind.PORTFOLIO, name=name)


def place_name(mirror: Mirror, owner: str, account_type: str) -> str:
    """A side of a transfer as a trader calls it; an account that was not read by the end of its id."""
    if owner in ("", "0"):
        return "outside"
    if owner == _portfolio(mirror):
        return account_type or "this portfolio"
    known = next((place for place in account_places(mirror) if place.owner == owner), None)
    if known is not None:
        return known.name.partition(" (")[0]
    return f"{portfolio_name(mirror, owner)} {account_type}".rstrip()


def portfolio_name(mirror: Mirror, owner: str) -> str:
    """What a portfolio is called; one whose name was not read by the end of its id."""
    return _names(mirror).get(owner, tail(owner))


def _names(mirror: Mirror) -> dict[str, str]:
    """Id of a portfolio -> its name, as far as they were read."""
    return {str(row.portfolio_id): row.name for row in _rows(mirror, NAMES) if isinstance(row, PortfolioRecord)}


def tail(owner: str) -> str:
    """The end of an id, by which two are told apart."""
    return f"…{owner[-5:]}" if len(owner) > 6 else owner


def currency_query(coin: str) -> ServiceQuery:
    """What networks a coin moves on."""
    return query_endpoint(f"funds/currency/{coin}", "currencies", (("currency", coin),))


def currency(mirror: Mirror, coin: str) -> CurrencyRecord | None:
    """The networks of a coin, once they were read."""
    rows = _rows(mirror, currency_query(coin))
    return next((row for row in rows if isinstance(row, CurrencyRecord) and row.currency == coin), None)


def book_query(coin: str) -> ServiceQuery:
    """The addresses that a coin may be withdrawn to."""
    return query_endpoint(f"funds/book/{coin}", "withdraw_addresses", (("currency", coin),), to_end=True)


def address_book(mirror: Mirror, coin: str) -> list[AddressRecord]:
    """The address book of a coin, once it was read."""
    rows = _rows(mirror, book_query(coin))
    return [row for row in rows if isinstance(row, AddressRecord) and row.currency == coin]


def pool_query(pool: str) -> ServiceQuery:
    """What a rapid transfer may draw on a pool."""
    return query_endpoint(f"funds/pool/{pool}", "rapid_pool", (("pool", pool),))


def describe_missing_answer(mirror: Mirror, query: ServiceQuery) -> str:
    """Why there is no answer to a query, in words; empty where there is one."""
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
