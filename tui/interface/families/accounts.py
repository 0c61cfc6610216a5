"""Fund accounts of a user (other than portfolios): balances, currency networks, bills and custody."""

from __future__ import annotations

from decimal import Decimal
from enum import IntEnum, StrEnum
from typing import Annotated

import msgspec

from tui.interface.endpoint import EVERY_LEVEL, MAIN_AND_SUB, Family, Permission, RateLimit, Scope, Shape
from tui.interface.figures import NumberRecord
from tui.interface.request import Amount, CommandRequest, Kind, PeriodRequest, Request, Rule, Whole


class AccountVenue(StrEnum):
    """Values of the field `venues` for an account that is not at an exchange."""

    FUNDING = "FUNDING"
    CUSTODY = "CUSTODY"


class AccountLabel(StrEnum):
    """Kind of a fund account."""

    FUNDING = "Funding Account"
    DMA = "DMA"
    CUSTODY = "Custody"


class WalletType(StrEnum):
    """Wallet of an account in a balance query (field `accountType`)."""

    FUNDING = "Funding"
    SPOT = "Spot"
    CUSTODY = "Custody"


class AccountRecord(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """Row of the list of fund accounts."""

    account_id: int | str
    venues: str
    label: str = ""
    exchange_uid: int | str = 0
    account_note: str = ""


class CurrencyBalance(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """Balance of one currency in an account."""

    currency: str
    total_balance: str
    available: str = ""
    withdraw_available: str = ""
    """Amount that may be transferred out or withdrawn."""
    frozen: str = "0"
    value_usdt: str = ""


class AccountBalances(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """Balances of one wallet of an account."""

    account_id: str | int
    account_note: str = ""
    venues: str
    account_type: str = ""
    total_usdt: str = ""
    asset_info: list[CurrencyBalance] = []


class NetworkAccount(StrEnum):
    """Kinds of accounts that can use a network."""

    FUNDING = "FUNDING"
    PORTFOLIO = "PORTFOLIO"
    CUSTODY = "CUSTODY"
    EXCHANGE = "EXCHANGE"


class NetworkRecord(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """Network on which a currency is transferred; amounts in the currency."""

    network: str
    account_types: list[str] = []
    deposit_enable: bool = False
    withdraw_enable: bool = False
    transfer_enable: bool = False
    min_deposit: str = ""
    min_withdraw: str = ""
    min_transfer: str = ""
    precision: str = ""
    """Decimals of an amount."""
    est_network_fee: str = ""
    contract_address: str = ""
    memo_required: bool = False


class CurrencyRecord(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """Currency with the networks it can be transferred on."""

    currency: str
    currency_name: str = ""
    networks: list[NetworkRecord] = []


class BillKind(IntEnum):
    """Kind of a bill: transfer, deposit or withdrawal."""

    DEPOSIT = 0
    TRANSFER = 1
    WITHDRAWAL = 2


class BillStatus(IntEnum):
    """Status of a bill."""

    PENDING = 0
    DONE = 1
    FAILED = 2


class BillRecord(NumberRecord, frozen=True, kw_only=True, rename="camel"):
    """Bill: completed movement of money into or out of a portfolio."""

    id: int | str
    currency: str
    client_order_id: str = ""
    amount: Decimal
    amount_received: Decimal | None = None
    network_fee: Decimal | None = None
    network: str = ""
    tx_id: str = ""
    from_trade_account_id: int | str = 0
    to_trade_account_id: int | str = 0
    from_account_type: str = ""
    to_account_type: str = ""
    status: int | str
    type: int | str
    created_at: int | str = 0


class CustodyKind(IntEnum):
    """Direction of a custody movement: lock or unlock."""

    LOCK = 1
    UNLOCK = 2


class CustodyStatus(IntEnum):
    """Status of a custody movement."""

    PENDING = 0
    DONE = 1
    FAILED = 2


class CustodyAccepted(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """Reply to an accepted lock or unlock; its outcome follows later."""

    action_id: int | str


class CustodyRecord(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """Lock or unlock of coins in custody, as listed."""

    action_id: int | str
    type: int | str
    currency: str
    amount: str
    account_id: int | str
    status: int | str
    reason: str = ""
    created_at: int | str


CUSTODY_PAGE_SIZE = 20
"""Default number of rows of a page of custody actions."""


def list_enum_values(values: type[IntEnum]) -> tuple[str, ...]:
    """List the numbers of an enumeration as accepted values of a parameter."""
    return tuple(str(member.value) for member in values)


class MoveCustody(CommandRequest, frozen=True, kw_only=True, rename="camel"):
    """Request to move coins between the custody account and an exchange sub-account."""

    checks_kinds = True

    account_id: Whole
    currency: str
    amount: Amount


class LockCustody(MoveCustody, frozen=True, kw_only=True, rename="camel", tag="custody_lock"):
    """Request to lock coins: custody account to exchange sub-account."""


class UnlockCustody(MoveCustody, frozen=True, kw_only=True, rename="camel", tag="custody_unlock"):
    """Request to unlock coins: exchange sub-account to custody account."""


class BalancesQuery(Request, frozen=True, kw_only=True, rename="camel"):
    """Query for the balances of fund accounts."""

    account_id: str = ""
    currency: str = ""


class CurrenciesQuery(Request, frozen=True, kw_only=True, rename="camel"):
    """Query for one currency, or all of them."""

    currency: str = ""


class BillsQuery(PeriodRequest, frozen=True, kw_only=True, rename="camel"):
    """Query for bills, the completed movements in and out of a portfolio."""

    currency: str = ""
    type: Annotated[str, Rule(Kind.WORD, list_enum_values(BillKind))] = ""
    status: Annotated[str, Rule(Kind.WORD, list_enum_values(BillStatus))] = ""


class CustodyQuery(PeriodRequest, frozen=True, kw_only=True, rename="camel"):
    """Query for locks and unlocks of custody coins."""

    currency: str = ""
    type: Annotated[str, Rule(Kind.WORD, list_enum_values(CustodyKind))] = ""
    status: Annotated[str, Rule(Kind.WORD, list_enum_values(CustodyStatus))] = ""
    action_id: Whole = ""


_ASSETS = Family("assets", permission=Permission.READ, scopes=MAIN_AND_SUB, success=200, limit=RateLimit(20, 1))
_CUSTODY = Family("custody", permission=Permission.TRANSFER, scopes=(Scope.MAIN,), success=200, limit=RateLimit(10, 10))

# fmt: off
ACCOUNT_BALANCES = _ASSETS.row("account_balances", "GET /api/v1/asset/getAccountCurrencyInfo", "account balances",
    scopes=(Scope.MAIN, Scope.USER), request=BalancesQuery, record=AccountBalances, shape=Shape.ARRAY)
CURRENCIES = _ASSETS.row("currencies", "GET /api/v1/asset/currencies",
    "deposit, withdraw, transfer information per currency and network", scopes=EVERY_LEVEL, limit=RateLimit(3, 10),
    request=CurrenciesQuery, record=CurrencyRecord, shape=Shape.ARRAY)
BILLS = _ASSETS.row("bills", "GET /api/v1/asset/bills", "account bills (portfolio funds in and out)", paged=True,
    request=BillsQuery, record=BillRecord, shape=Shape.PAGE)
ACCOUNTS = _ASSETS.row("accounts", "GET /api/v1/tradeAccount/list", "account list", scopes=(Scope.MAIN, Scope.USER),
    record=AccountRecord, shape=Shape.ARRAY)
CUSTODY_LOCK = _CUSTODY.row("custody_lock", "POST /api/v1/custodytradingaccount/lock",
    "lock assets from custody to an exchange sub-account", asynchronous=True, request=LockCustody,
    record=CustodyAccepted, shape=Shape.OBJECT)
CUSTODY_UNLOCK = _CUSTODY.row("custody_unlock", "POST /api/v1/custodytradingaccount/unlock",
    "unlock assets back to custody", asynchronous=True, request=UnlockCustody, record=CustodyAccepted,
    shape=Shape.OBJECT)
CUSTODY_LIST = _CUSTODY.row("custody_list", "GET /api/v1/custodytradingaccount/list", "lock and unlock history",
    permission=Permission.READ, limit=RateLimit(20, 10), paged=True, request=CustodyQuery,
    record=CustodyRecord, shape=Shape.PAGE)
# fmt: on

ROWS = (
    ACCOUNT_BALANCES,
    CURRENCIES,
    BILLS,
    ACCOUNTS,
    CUSTODY_LOCK,
    CUSTODY_UNLOCK,
    CUSTODY_LIST,
)
