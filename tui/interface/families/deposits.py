"""Deposits and withdrawals: words, records and endpoint rows."""

from __future__ import annotations

from tui.interface.endpoint import EVERY_LEVEL, MAIN_AND_SUB, Family, Permission, RateLimit

_WITHDRAWALS = Family(
    "withdrawals", permission=Permission.READ, scopes=EVERY_LEVEL, success=200, limit=RateLimit(10, 10)
)
_DEPOSITS = Family("deposits", permission=Permission.READ, scopes=EVERY_LEVEL, success=200, limit=RateLimit(20, 10))

# fmt: off
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
    WITHDRAW,
    WITHDRAWALS,
    WITHDRAW_ADDRESSES,
    DEPOSIT_ADDRESS,
    DEPOSITS,
    DEPOSIT_VENUE,
    SET_DEPOSIT_VENUE,
)
