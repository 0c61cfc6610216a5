"""Deposits and withdrawals: enums, records, requests and endpoint definitions."""

from __future__ import annotations

from decimal import Decimal
from enum import IntEnum, StrEnum
from typing import Annotated

import msgspec

from tui.interface.endpoint import EVERY_LEVEL, MAIN_AND_SUB, Family, Permission, RateLimit, Shape
from tui.interface.families.accounts import list_enum_values
from tui.interface.figures import NumberRecord
from tui.interface.request import (
    Amount,
    CommandRequest,
    ExchangeTypeFilter,
    Flag,
    Kind,
    PageRequest,
    PeriodRequest,
    Request,
    Rule,
    Whole,
)


class WithdrawalStatus(IntEnum):
    """Status of a withdrawal."""

    WAITING = 1
    """Not approved yet."""
    APPROVED = 2
    EXECUTED = 3
    FAILED = 4
    REJECTED = 5


class DepositStatus(IntEnum):
    """Status of a deposit."""

    RUNNING = 2
    DONE = 3
    FAILED = 4


class WithdrawalName(StrEnum):
    """Parameter names of a withdrawal, as error messages contain them."""

    ACCOUNT = "accountId"
    FROM_TYPE = "fromAccountType"
    CURRENCY = "currency"
    NETWORK = "network"
    ADDRESS = "address"
    MEMO = "memo"
    AMOUNT = "amount"
    MIN_WITHDRAW = "minWithdraw"
    CLIENT_ORDER_ID = "clientOrderId"


PORTFOLIO_TYPE = "PORTFOLIO"
"""Account type of a portfolio's deposit address; its venue is chosen per currency and network."""


class WithdrawalRecord(NumberRecord, frozen=True, kw_only=True, rename="camel"):
    """Row of the list of withdrawals."""

    id: int | str
    account_id: int | str
    from_account_type: str = ""
    currency: str
    network: str = ""
    memo: str = ""
    address: str = ""
    address_tag: str = msgspec.field(default="", name="AddressTag")
    """User's label of the address, not the memo."""
    amount: Decimal
    status: int | str
    tx_id: str = ""
    """Transaction from the account to the custodian."""
    tx_id2: str = ""
    """Transaction from the custodian to the destination."""
    info: str = ""
    """Reason of the failure."""
    apply_time: str | int = ""
    client_order_id: str = ""
    rapid_transfer: bool = False

    def has_status(self, status: WithdrawalStatus) -> bool:
        """Report whether the withdrawal has this status."""
        return str(self.status) == str(status.value)


class BrokerWithdrawalRecord(WithdrawalRecord, frozen=True, kw_only=True, rename="camel"):
    """Withdrawal of a sub portfolio, as the broker endpoint lists it."""

    portfolio_id: int | str


class WithdrawalAccepted(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """Reply to an accepted withdrawal; its outcome follows later."""

    id: int | str


class AddressRecord(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """Withdrawal address in the address book."""

    currency: str
    network: str
    address: str
    address_tag: str = ""
    memo: str = ""
    created_at: int | str = 0


class DepositAddress(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """Deposit address of a currency on a network."""

    id: int | str
    currency: str
    network: str
    address: str
    memo: str = ""
    created_at: int | str = 0
    minimum: str = ""
    account_type: str = ""


class DepositRecord(NumberRecord, frozen=True, kw_only=True, rename="camel"):
    """Row of the list of deposits."""

    id: int | str
    account_id: int | str
    account_type: str = ""
    currency: str
    network: str = ""
    address: str = ""
    amount: Decimal
    status: int | str
    tx_id: str = ""
    info: str = ""
    apply_time: str | int = ""
    rapid_transfer: bool = False

    def has_status(self, status: DepositStatus) -> bool:
        """Report whether the deposit has this status."""
        return str(self.status) == str(status.value)


class BrokerDepositRecord(DepositRecord, frozen=True, kw_only=True, rename="camel"):
    """Deposit of a sub portfolio, as the broker endpoint lists it."""

    portfolio_id: int | str


class DepositVenue(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """Venue on which a portfolio's deposits of a currency and network are credited."""

    currency: str
    network: str
    exchange_type: str


class ApplyWithdrawal(CommandRequest, frozen=True, kw_only=True, rename="camel", tag="withdraw"):
    """Request to withdraw money to an external address."""

    checks_kinds = True

    account_id: Whole
    from_account_type: str = ""
    currency: str
    network: str
    address: str
    memo: str = ""
    amount: Amount
    loan_trans: Flag = ""
    rapid_transfer: Flag = ""
    """Without effect, like `loan_trans`."""
    client_order_id: str = ""


class SetDepositVenue(CommandRequest, frozen=True, kw_only=True, rename="camel", tag="set_deposit_venue"):
    """Request to set the venue on which deposits of a currency and network are credited."""

    checks_kinds = True

    currency: str
    network: str
    exchange_type: ExchangeTypeFilter


class WithdrawalsQuery(PeriodRequest, frozen=True, kw_only=True, rename="camel"):
    """Query for withdrawals."""

    id: Whole = ""
    status: Annotated[str, Rule(Kind.WORD, list_enum_values(WithdrawalStatus))] = ""
    account_id: Whole = ""
    from_account_type: str = ""
    currency: str = ""


class BrokerWithdrawalsQuery(WithdrawalsQuery, frozen=True, kw_only=True, rename="camel"):
    """Query for withdrawals of sub portfolios."""

    portfolio_id: Whole = ""


class DepositsQuery(PeriodRequest, frozen=True, kw_only=True, rename="camel"):
    """Query for deposits."""

    account_id: Whole = ""
    account_type: str = ""
    currency: str = ""
    status: Annotated[str, Rule(Kind.WORD, list_enum_values(DepositStatus))] = ""


class BrokerDepositsQuery(DepositsQuery, frozen=True, kw_only=True, rename="camel"):
    """Query for deposits of sub portfolios."""

    portfolio_id: Whole = ""


class AddressesQuery(PageRequest, frozen=True, kw_only=True, rename="camel"):
    """Query for the withdrawal address book."""

    currency: str = ""
    network: str = ""


class DepositVenueQuery(Request, frozen=True, kw_only=True, rename="camel"):
    """Query for the venue on which deposits of a currency and network are credited."""

    currency: str
    network: str


class DepositAddressQuery(DepositVenueQuery, frozen=True, kw_only=True, rename="camel"):
    """Query for a deposit address."""

    own_last = True

    account_type: str = ""


_WITHDRAWALS = Family(
    "withdrawals", permission=Permission.READ, scopes=EVERY_LEVEL, success=200, limit=RateLimit(10, 10)
)
_DEPOSITS = Family("deposits", permission=Permission.READ, scopes=EVERY_LEVEL, success=200, limit=RateLimit(20, 10))

# fmt: off
WITHDRAW = _WITHDRAWALS.row("withdraw", "POST /api/v1/userWithdrawRecord/apply", "withdraw",
    permission=Permission.WITHDRAW, asynchronous=True, request=ApplyWithdrawal, record=WithdrawalAccepted,
    shape=Shape.OBJECT)
WITHDRAWALS = _WITHDRAWALS.row("withdrawals", "GET /api/v1/userWithdrawRecord/list", "withdraw records",
    limit=RateLimit(20, 1), paged=True, request=WithdrawalsQuery, record=WithdrawalRecord, shape=Shape.PAGE)
WITHDRAW_ADDRESSES = _WITHDRAWALS.row("withdraw_addresses", "GET /api/v1/userWithdrawAddress/list",
    "withdraw address book", limit=RateLimit(20, 10), paged=True, request=AddressesQuery, record=AddressRecord,
    shape=Shape.PAGE)
DEPOSIT_ADDRESS = _DEPOSITS.row("deposit_address", "GET /api/v1/deposit/address", "deposit address",
    request=DepositAddressQuery, record=DepositAddress, shape=Shape.OBJECT)
DEPOSITS = _DEPOSITS.row("deposits", "GET /api/v1/deposit/list", "deposit records", limit=RateLimit(20, 1), paged=True,
    request=DepositsQuery, record=DepositRecord, shape=Shape.PAGE)
DEPOSIT_VENUE = _DEPOSITS.row("deposit_venue", "GET /api/v1/deposit/exchange",
    "destination venue of deposits", scopes=MAIN_AND_SUB, request=DepositVenueQuery,
    record=DepositVenue, shape=Shape.OBJECT)
SET_DEPOSIT_VENUE = _DEPOSITS.row("set_deposit_venue", "POST /api/v1/deposit/exchange",
    "set destination venue of deposits", permission=Permission.TRANSFER, scopes=MAIN_AND_SUB,
    request=SetDepositVenue, record=DepositVenue, shape=Shape.OBJECT)
# fmt: on

ROWS = (
    WITHDRAW,
    WITHDRAWALS,
    WITHDRAW_ADDRESSES,
    DEPOSIT_ADDRESS,
    DEPOSITS,
    DEPOSIT_VENUE,
    SET_DEPOSIT_VENUE,
)
