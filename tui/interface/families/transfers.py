"""Transfers, withdrawals and deposits: enums, records and endpoint rows."""

from __future__ import annotations

from tui.interface.endpoint import EVERY_LEVEL, MAIN_AND_SUB, Family, Permission, RateLimit

_TRANSFERS = Family("transfers", permission=Permission.READ, scopes=EVERY_LEVEL, success=200, limit=RateLimit(20, 10))
_WITHDRAWALS = Family(
    "withdrawals", permission=Permission.READ, scopes=EVERY_LEVEL, success=200, limit=RateLimit(10, 10)
)
_DEPOSITS = Family("deposits", permission=Permission.READ, scopes=EVERY_LEVEL, success=200, limit=RateLimit(20, 10))

# fmt: off
TRANSFER = _TRANSFERS.row("transfer", "POST /api/v1/transfer/apply", "transfer", permission=Permission.TRANSFER,
    asynchronous=True)
TRANSFER_DETAIL = _TRANSFERS.row("transfer_detail", "GET /api/v1/transfer/get", "one transfer", limit=RateLimit(20, 1))
TRANSFERS = _TRANSFERS.row("transfers", "GET /api/v1/transfer/list", "transfer list", limit=RateLimit(20, 1),
    paged=True)
RAPID_POOL = _TRANSFERS.row("rapid_pool", "GET /api/v1/transfer/rapidPoolAvailable",
    "rapid pool quota, 80 percent cap applied")
RAPID_POOL_POST = _TRANSFERS.row("rapid_pool_post", "POST /api/v1/transfer/rapidPoolAvailable",
    "rapid pool quota (spelling of one earlier entry)", replacement="GET /api/v1/transfer/rapidPoolAvailable")
TRANSFER_INTERNAL_OLD = _TRANSFERS.row("transfer_internal_old", "POST /api/v1/transfer/internalExchange/apply",
    "transfer between trade accounts", permission=Permission.TRANSFER, asynchronous=True, removed="before 2026-11-15",
    replacement="POST /api/v1/transfer/apply")
TRANSFER_INFO_OLD = _TRANSFERS.row("transfer_info_old", "GET /api/v1/transfer/info", "older transfer query",
    limit=RateLimit(20, 1), removed="before 2026-11-15", replacement="GET /api/v1/transfer/get")
WITHDRAW = _WITHDRAWALS.row("withdraw", "POST /api/v1/userWithdrawRecord/apply", "withdraw",
    permission=Permission.WITHDRAW, asynchronous=True)
WITHDRAWALS = _WITHDRAWALS.row("withdrawals", "GET /api/v1/userWithdrawRecord/list", "withdraw records",
    limit=RateLimit(20, 1), paged=True)
WITHDRAW_ADDRESSES = _WITHDRAWALS.row("withdraw_addresses", "GET /api/v1/userWithdrawAddress/list",
    "withdraw address book", limit=RateLimit(20, 10), paged=True)
DEPOSIT_ADDRESS = _DEPOSITS.row("deposit_address", "GET /api/v1/deposit/address", "deposit address")
DEPOSITS = _DEPOSITS.row("deposits", "GET /api/v1/deposit/list", "deposit records", limit=RateLimit(20, 1), paged=True)
DEPOSIT_VENUE = _DEPOSITS.row("deposit_venue", "GET /api/v1/deposit/exchange",
    "destination venue of deposits; path our choice", scopes=MAIN_AND_SUB)
SET_DEPOSIT_VENUE = _DEPOSITS.row("set_deposit_venue", "POST /api/v1/deposit/exchange",
    "set destination venue of deposits; path our choice", permission=Permission.TRANSFER, scopes=MAIN_AND_SUB)
# fmt: on

ROWS = (
    TRANSFER,
    TRANSFER_DETAIL,
    TRANSFERS,
    RAPID_POOL,
    RAPID_POOL_POST,
    TRANSFER_INTERNAL_OLD,
    TRANSFER_INFO_OLD,
    WITHDRAW,
    WITHDRAWALS,
    WITHDRAW_ADDRESSES,
    DEPOSIT_ADDRESS,
    DEPOSITS,
    DEPOSIT_VENUE,
    SET_DEPOSIT_VENUE,
)
