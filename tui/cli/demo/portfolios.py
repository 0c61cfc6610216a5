"""The portfolios and keys of the pictures."""

from __future__ import annotations

from collections.abc import Mapping

from tui.interface.families.portfolios import ApiKeyRecord, BelongingTo, KeyStatus, PortfolioRecord

_DAY_MS = 86_400_000
MAIN, NIGHT, BASIS = 2_171_869_303_220_000, 2_171_869_303_220_001, 2_171_869_303_220_002
FUNDING, DMA = 2_471_869_303_229_000, 2_471_869_303_229_001


def portfolios(params: Mapping[str, str], now_ms: int) -> tuple[PortfolioRecord, ...]:
    """The main one and two others."""
    del params
    rows = ((MAIN, "MainPortfolio", 64, 64), (NIGHT, "NightDesk", 40, 12), (BASIS, "BasisTrades", 9, 9))
    return tuple(
        PortfolioRecord(
            portfolio_id=number, name=name, belonging_to=BelongingTo.MAIN if number == MAIN else BelongingTo.OTHER,
            create_at=now_ms - created * _DAY_MS, update_at=now_ms - changed * _DAY_MS,
        )
        for number, name, created, changed in rows
    )  # fmt: skip


def api_keys(params: Mapping[str, str], now_ms: int) -> tuple[ApiKeyRecord, ...]:
    """A key that trades, one that may do all, and a frozen one."""
    del params
    rows = (
        (NIGHT, "maker", "9f2c61d0", KeyStatus.NORMAL, "203.0.113.7,203.0.113.8", "READ,TRADE", 38),
        (BASIS, "treasury", "41b7aa03", KeyStatus.NORMAL, "198.51.100.20", "READ,TRANSFER,WITHDRAW", 9),
        (NIGHT, "old laptop", "c0ffee12", KeyStatus.FROZEN, "", "READ", 40),
    )
    return tuple(
        ApiKeyRecord(
            portfolio_id=owner, api_name=name, access_key=mark * 6, status=status, ip=ip, permission=permission,
            created_at=now_ms - days * _DAY_MS, updated_at=now_ms - days * _DAY_MS,
        )
        for owner, name, mark, status, ip, permission, days in rows
    )  # fmt: skip
