"""Maintenance windows: set by a switch, listed in the system status, with the actions they reject."""

from __future__ import annotations

import re
from typing import NamedTuple

from tui.interface.families.system import ServiceType, StatusRow

NONE = "none"
_FORM = re.compile(r"([A-Z]+) ([0-9]{13}) ([0-9]{13})(?: ([^,]{1,100}))?")

PAUSED = {
    "place_order": ServiceType.TRADE,
    "replace_order": ServiceType.TRADE,
    "close_position": ServiceType.TRADE,
    "close_positions": ServiceType.TRADE,
    "place_algo_order": ServiceType.TRADE,
    "replace_algo_order": ServiceType.TRADE,
    "transfer": ServiceType.TRANSFER,
    "withdraw": ServiceType.WITHDRAW,
    "custody_lock": ServiceType.LOCK,
    "custody_unlock": ServiceType.LOCK,
    "set_deposit_venue": ServiceType.DEPOSIT,
}
"""Actions with the maintenance service that pauses them; cancels are never paused."""
_CALLED = {
    ServiceType.TRADE: "trading is",
    ServiceType.TRANSFER: "transfers are",
    ServiceType.WITHDRAW: "withdrawals are",
    ServiceType.LOCK: "locks and unlocks of custody are",
    ServiceType.DEPOSIT: "settings of deposits are",
}


class DowntimeWindow(NamedTuple):
    """Maintenance window; times in ms, the end is not included."""

    service: ServiceType
    start: int
    end: int
    text: str


def parse_windows(text: str) -> list[DowntimeWindow]:
    """Parse windows from a switch value checked by `are_windows`: `SERVICE START END TEXT`, separated by commas."""
    windows = []
    for part in [] if text == NONE else text.split(","):
        match = _FORM.fullmatch(part.strip())
        assert match is not None
        windows.append(
            DowntimeWindow(ServiceType(match[1]), int(match[2]), int(match[3]), match[4] or "Scheduled maintenance")
        )
    return windows


def are_windows(text: str) -> bool:
    """Report whether a text is a list of maintenance windows, each with an end after its start."""
    matches = [_FORM.fullmatch(part.strip()) for part in text.split(",")]
    return all(match and match[1] in tuple(ServiceType) and int(match[2]) < int(match[3]) for match in matches)


def status_rows(text: str, now_ms: int) -> list[StatusRow]:
    """List current and future maintenance windows, the latest start first."""
    rows = [
        StatusRow(
            status=1 if window.start <= now_ms else 0,
            start_time=window.start,
            end_time=window.end,
            desc=window.text,
            service_type=window.service,
        )
        for window in parse_windows(text)
        if now_ms < window.end
    ]
    return sorted(rows, key=lambda row: -row.start_time)


def describe_pause(text: str, action: str, now_ms: int) -> str:
    """Describe the maintenance that rejects an action now; empty when the action is accepted."""
    service = PAUSED.get(action)
    if service is None or not any(
        window.service == service and window.start <= now_ms < window.end for window in parse_windows(text)
    ):
        return ""
    return f"{_CALLED[service]} paused by maintenance; see the system status"
