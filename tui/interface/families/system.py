"""System status: enums, records and endpoint rows."""

from __future__ import annotations

from tui.interface.endpoint import Endpoint, Permission, RateLimit, Scope

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
)

ROWS = (SYSTEM_STATUS,)
