"""System status: enums, records and endpoint rows."""

from __future__ import annotations

from enum import StrEnum

import msgspec

from tui.interface.endpoint import Endpoint, Permission, RateLimit, Scope, Shape


class ServiceType(StrEnum):
    """What a window of maintenance stops."""

    DEPOSIT = "DEPOSIT"
    TRANSFER = "TRANSFER"
    WITHDRAW = "WITHDRAW"
    LOCK = "LOCK"
    TRADE = "TRADE"


class StatusRow(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """A window of maintenance in progress or to come; times in ms."""

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


SYSTEM_STATUS = Endpoint(
    name="system_status",
    method="GET",
    path="/api/v1/system/status",
    family="system",
    permission=Permission.NONE,
    scopes=(
        Scope.MAIN,
        Scope.SUB,
        Scope.USER,
    ),
    success=200,
    limit=RateLimit(20, 1),
    purpose="system upgrade event status",
    record=StatusRow,
    shape=Shape.ARRAY,
)

ROWS = (SYSTEM_STATUS,)
