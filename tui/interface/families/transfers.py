"""Transfers between a user's accounts: enums, records, requests and endpoint definitions."""

from __future__ import annotations

from decimal import Decimal
from enum import IntEnum, StrEnum
from typing import Annotated

import msgspec

from tui.interface.endpoint import EVERY_LEVEL, Family, Permission, RateLimit, Shape
from tui.interface.families.accounts import list_enum_values
from tui.interface.figures import NumberRecord
from tui.interface.request import Amount, CommandRequest, Flag, Kind, PeriodRequest, Request, Rule, Whole

MAX_CLIENT_ID = 64
"""Characters of the clientOrderId of a transfer."""


class TransferStatus(IntEnum):
    """Status of a transfer."""

    RUNNING = 0
    DONE = 1
    FAILED = 2


class TransferName(StrEnum):
    """Parameter names of a transfer, as error messages contain them."""

    FROM_ACCOUNT = "fromTradeAccountId"
    TO_ACCOUNT = "toTradeAccountId"
    FROM_TYPE = "fromAccountType"
    TO_TYPE = "toAccountType"
    CURRENCY = "currency"
    NETWORK = "network"
    AMOUNT = "amount"
    CLIENT_ORDER_ID = "clientOrderId"
    LOAN = "loanTrans"
    TRANSFER_ID = "transferId"
    MIN_TRANSFER = "minTransfer"


class Pool(StrEnum):
    """Liquidity pools of rapid transfers, by destination; a service may have others."""

    BINANCE = "BINANCE"
    OKX = "OKX"
    BYBIT = "BYBIT"
    GATE = "GATE"
    COINBASE = "COINBASE"
    PORTFOLIO_BINANCE = "PORTFOLIO_BINANCE"
    PORTFOLIO_OKX = "PORTFOLIO_OKX"
    DERIBIT = "DERIBIT"
    KRAKEN = "KRAKEN"


RAPID_CURRENCY = "USDT"
"""The only currency of rapid transfers."""


class TransferRecord(NumberRecord, frozen=True, kw_only=True, rename="camel"):
    """Transfer record; fields known only at its end are 0 or empty until then."""

    transfer_id: int | str
    currency: str
    amount: Decimal
    network: str = ""
    tx_id: str = ""
    amount_received: Decimal | None = None
    network_fee: Decimal | None = None
    from_trade_account_id: int | str
    to_trade_account_id: int | str
    from_account_type: str = ""
    to_account_type: str = ""
    status: int | str
    reason: str = ""
    created_at: int | str
    client_order_id: str = ""
    rapid_transfer: bool = False
    """Whether the pool was used."""

    @property
    def is_done(self) -> bool:
        return str(self.status) == str(TransferStatus.DONE.value)

    @property
    def has_failed(self) -> bool:
        return str(self.status) == str(TransferStatus.FAILED.value)


class TransferAccepted(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """Reply to an accepted transfer; its outcome follows later."""

    transfer_id: int | str


class PoolQuota(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """Largest amount that one rapid transfer can take from a pool now."""

    pool: str = ""
    currency: str = RAPID_CURRENCY
    available: str


class ApplyTransfer(CommandRequest, frozen=True, kw_only=True, rename="camel", tag="transfer"):
    """Request to transfer money between accounts of the user."""

    checks_kinds = True

    from_trade_account_id: Whole
    to_trade_account_id: Whole
    from_account_type: str = ""
    to_account_type: str = ""
    currency: str
    network: str = ""
    amount: Amount
    rapid_transfer: Flag = ""
    loan_trans: Flag = ""
    client_order_id: str = ""


class TransferQuery(Request, frozen=True, kw_only=True, rename="camel"):
    """Query for one transfer."""

    transfer_id: Whole = ""
    client_order_id: str = ""


class TransfersQuery(PeriodRequest, frozen=True, kw_only=True, rename="camel"):
    """Query for transfers."""

    currency: str = ""
    status: Annotated[str, Rule(Kind.WORD, list_enum_values(TransferStatus))] = ""


class RapidPoolQuery(Request, frozen=True, kw_only=True, rename="camel"):
    """Query for the largest amount of a rapid transfer."""

    pool: Annotated[str, Rule(Kind.WORD, tuple(Pool), aliases=("exchange",))]


_TRANSFERS = Family("transfers", permission=Permission.READ, scopes=EVERY_LEVEL, success=200, limit=RateLimit(20, 10))

# fmt: off
TRANSFER = _TRANSFERS.row("transfer", "POST /api/v1/transfer/apply", "transfer", permission=Permission.TRANSFER,
    asynchronous=True, request=ApplyTransfer, record=TransferAccepted, shape=Shape.OBJECT)
TRANSFER_DETAIL = _TRANSFERS.row("transfer_detail", "GET /api/v1/transfer/get", "one transfer", limit=RateLimit(20, 1),
    request=TransferQuery, record=TransferRecord, shape=Shape.OBJECT)
TRANSFERS = _TRANSFERS.row("transfers", "GET /api/v1/transfer/list", "transfer list", limit=RateLimit(20, 1),
    paged=True, request=TransfersQuery, record=TransferRecord, shape=Shape.PAGE)
RAPID_POOL = _TRANSFERS.row("rapid_pool", "GET /api/v1/transfer/rapidPoolAvailable",
    "rapid pool quota, 80 percent cap applied", request=RapidPoolQuery, record=PoolQuota, shape=Shape.OBJECT)
RAPID_POOL_POST = _TRANSFERS.row("rapid_pool_post", "POST /api/v1/transfer/rapidPoolAvailable",
    "rapid pool quota (spelling of one earlier entry)", replacement="GET /api/v1/transfer/rapidPoolAvailable",
    request=RapidPoolQuery, record=PoolQuota, shape=Shape.OBJECT)
TRANSFER_INTERNAL_OLD = _TRANSFERS.row("transfer_internal_old", "POST /api/v1/transfer/internalExchange/apply",
    "transfer between trade accounts", permission=Permission.TRANSFER, asynchronous=True, removed="before 2026-11-15",
    replacement="POST /api/v1/transfer/apply", request=ApplyTransfer, record=TransferAccepted, shape=Shape.OBJECT)
TRANSFER_INFO_OLD = _TRANSFERS.row("transfer_info_old", "GET /api/v1/transfer/info", "older transfer query",
    limit=RateLimit(20, 1), removed="before 2026-11-15", replacement="GET /api/v1/transfer/get",
    request=TransferQuery, record=TransferRecord, shape=Shape.OBJECT)
# fmt: on

ROWS = (
    TRANSFER,
    TRANSFER_DETAIL,
    TRANSFERS,
    RAPID_POOL,
    RAPID_POOL_POST,
    TRANSFER_INTERNAL_OLD,
    TRANSFER_INFO_OLD,
)
