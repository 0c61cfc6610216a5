"""Transfers, withdrawals and deposits: enums, records and endpoint rows."""

from __future__ import annotations

from tui.interface.endpoint import Endpoint, Permission, RateLimit, Scope

TRANSFER = Endpoint(
    name="transfer",
    method="POST",
    path="/api/v1/transfer/apply",
    family="transfers",
    permission=Permission.TRANSFER,
    scopes=(
        Scope.MAIN,
        Scope.SUB,
        Scope.USER,
    ),
    success=200,
    limit=RateLimit(20, 10),
    asynchronous=True,
    purpose="transfer",
)

TRANSFER_DETAIL = Endpoint(
    name="transfer_detail",
    method="GET",
    path="/api/v1/transfer/get",
    family="transfers",
    permission=Permission.READ,
    scopes=(
        Scope.MAIN,
        Scope.SUB,
        Scope.USER,
    ),
    success=200,
    limit=RateLimit(20, 1),
    purpose="one transfer",
)

TRANSFERS = Endpoint(
    name="transfers",
    method="GET",
    path="/api/v1/transfer/list",
    family="transfers",
    permission=Permission.READ,
    scopes=(
        Scope.MAIN,
        Scope.SUB,
        Scope.USER,
    ),
    success=200,
    limit=RateLimit(20, 1),
    paged=True,
    purpose="transfer list",
)

RAPID_POOL = Endpoint(
    name="rapid_pool",
    method="GET",
    path="/api/v1/transfer/rapidPoolAvailable",
    family="transfers",
    permission=Permission.READ,
    scopes=(
        Scope.MAIN,
        Scope.SUB,
        Scope.USER,
    ),
    success=200,
    limit=RateLimit(20, 10),
    purpose="rapid pool quota, 80 percent cap applied",
)

RAPID_POOL_POST = Endpoint(
    name="rapid_pool_post",
    method="POST",
    path="/api/v1/transfer/rapidPoolAvailable",
    family="transfers",
    permission=Permission.READ,
    scopes=(
        Scope.MAIN,
        Scope.SUB,
        Scope.USER,
    ),
    success=200,
    limit=RateLimit(20, 10),
    replacement="GET /api/v1/transfer/rapidPoolAvailable",
    purpose="rapid pool quota (spelling of one earlier entry)",
)

TRANSFER_INTERNAL_OLD = Endpoint(
    name="transfer_internal_old",
    method="POST",
    path="/api/v1/transfer/internalExchange/apply",
    family="transfers",
    permission=Permission.TRANSFER,
    scopes=(
        Scope.MAIN,
        Scope.SUB,
        Scope.USER,
    ),
    success=200,
    limit=RateLimit(20, 10),
    asynchronous=True,
    removed="before 2026-11-15",
    replacement="POST /api/v1/transfer/apply",
    purpose="transfer between trade accounts",
)

TRANSFER_INFO_OLD = Endpoint(
    name="transfer_info_old",
    method="GET",
    path="/api/v1/transfer/info",
    family="transfers",
    permission=Permission.READ,
    scopes=(
        Scope.MAIN,
        Scope.SUB,
        Scope.USER,
    ),
    success=200,
    limit=RateLimit(20, 1),
    removed="before 2026-11-15",
    replacement="GET /api/v1/transfer/get",
    purpose="older transfer query",
)

WITHDRAW = Endpoint(
    name="withdraw",
    method="POST",
    path="/api/v1/userWithdrawRecord/apply",
    family="withdrawals",
    permission=Permission.WITHDRAW,
    scopes=(
        Scope.MAIN,
        Scope.SUB,
        Scope.USER,
    ),
    success=200,
    limit=RateLimit(10, 10),
    asynchronous=True,
    purpose="withdraw",
)

WITHDRAWALS = Endpoint(
    name="withdrawals",
    method="GET",
    path="/api/v1/userWithdrawRecord/list",
    family="withdrawals",
    permission=Permission.READ,
    scopes=(
        Scope.MAIN,
        Scope.SUB,
        Scope.USER,
    ),
    success=200,
    limit=RateLimit(20, 1),
    paged=True,
    purpose="withdraw records",
)

WITHDRAW_ADDRESSES = Endpoint(
    name="withdraw_addresses",
    method="GET",
    path="/api/v1/userWithdrawAddress/list",
    family="withdrawals",
    permission=Permission.READ,
    scopes=(
        Scope.MAIN,
        Scope.SUB,
        Scope.USER,
    ),
    success=200,
    limit=RateLimit(20, 10),
    paged=True,
    purpose="withdraw address book",
)

DEPOSIT_ADDRESS = Endpoint(
    name="deposit_address",
    method="GET",
    path="/api/v1/deposit/address",
    family="deposits",
    permission=Permission.READ,
    scopes=(
        Scope.MAIN,
        Scope.SUB,
        Scope.USER,
    ),
    success=200,
    limit=RateLimit(20, 10),
    purpose="deposit address",
)

DEPOSITS = Endpoint(
    name="deposits",
    method="GET",
    path="/api/v1/deposit/list",
    family="deposits",
    permission=Permission.READ,
    scopes=(
        Scope.MAIN,
        Scope.SUB,
        Scope.USER,
    ),
    success=200,
    limit=RateLimit(20, 1),
    paged=True,
    purpose="deposit records",
)

DEPOSIT_VENUE = Endpoint(
    name="deposit_venue",
    method="GET",
    path="/api/v1/deposit/exchange",
    family="deposits",
    permission=Permission.READ,
    scopes=(
        Scope.MAIN,
        Scope.SUB,
    ),
    success=200,
    limit=RateLimit(20, 10),
    purpose="destination venue of deposits; path our choice",
)

SET_DEPOSIT_VENUE = Endpoint(
    name="set_deposit_venue",
    method="POST",
    path="/api/v1/deposit/exchange",
    family="deposits",
    permission=Permission.TRANSFER,
    scopes=(
        Scope.MAIN,
        Scope.SUB,
    ),
    success=200,
    limit=RateLimit(20, 10),
    purpose="set destination venue of deposits; path our choice",
)

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
