"""System status: enums, records and the endpoint definition."""

from __future__ import annotations

from enum import StrEnum

import msgspec

from tui.interface.endpoint import EVERY_LEVEL, Family, Permission, RateLimit, Shape


class ServiceType(StrEnum):
    """Service that a maintenance window interrupts."""

    DEPOSIT = "DEPOSIT"
    TRANSFER = "TRANSFER"
    WITHDRAW = "WITHDRAW"
    LOCK = "LOCK"
    TRADE = "TRADE"


class StatusRow(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """Maintenance window, current or scheduled; times in ms."""

    status: int
    """1 in progress, 0 scheduled."""
    start_time: int
    end_time: int
    desc: str = ""
    service_type: str = ""
    maintain_type: str = "1"
    """Scheduled."""
    env: str = "1"
    """Production."""


_SYSTEM = Family("system", permission=Permission.NONE, scopes=EVERY_LEVEL, success=200, limit=RateLimit(20, 1))

# fmt: off
SYSTEM_STATUS = _SYSTEM.row("system_status", "GET /api/v1/system/status", "system upgrade event status",
    record=StatusRow, shape=Shape.ARRAY)
# fmt: on

ROWS = (SYSTEM_STATUS,)
