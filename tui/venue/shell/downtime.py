"""Maintenance windows: set by a switch, shown by the system status, with the actions they pause."""

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
"""Actions, and the maintenance that pauses them while it is in progress; cancels never are."""
_CALLED = {
    ServiceType.TRADE: "trading is",
    ServiceType.TRANSFER: "transfers are",
    ServiceType.WITHDRAW: "withdrawals are",
    ServiceType.LOCK: "locks and unlocks of custody are",
    ServiceType.DEPOSIT: "settings of deposits are",
}


class DowntimeWindow(NamedTuple):
    """One window; times in ms, the end does not belong to it."""

    service: ServiceType
    start: int
    end: int
    text: str


def parse_windows(text: str) -> list[DowntimeWindow]:
    """The windows of a switch value that `are_windows` accepts: `SERVICE START END WORDS`, separated by commas."""
    found = []
    for part in [] if text == NONE else text.split(","):
        match = _FORM.fullmatch(part.strip())
        assert match is not None
        found.append(
            DowntimeWindow(ServiceType(match[1]), int(match[2]), int(match[3]), match[4] or "Scheduled maintenance")
        )
    return found


def are_windows(text: str) -> bool:
    """Whether a text is a list of windows, each with an end after its start."""
    matches = [_FORM.fullmatch(part.strip()) for part in text.split(",")]
    return all(match and match[1] in tuple(ServiceType) and int(match[2]) < int(match[3]) for match in matches)


def status_rows(text: str, now_ms: int) -> list[StatusRow]:
    """Windows in progress and to come, the next one last."""
    rows = [
        StatusRow(
            status=1 if one.start <= now_ms else 0,
            start_time=one.start,
            end_time=one.end,
            desc=one.text,
            service_type=one.service,
        )
        for one in parse_windows(text)
        if now_ms < one.end
    ]
    return sorted(rows, key=lambda row: -row.start_time)


def pause(text: str, action: str, now_ms: int) -> str:
    """Why an action is paused at this moment; empty where it is not."""
    service = PAUSED.get(action)
    if service is None or not any(
        one.service == service and one.start <= now_ms < one.end for one in parse_windows(text)
    ):
        return ""
    return f"{_CALLED[service]} paused by maintenance; see the system status"
