"""Maintenance windows that the service announces; each is notified once."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime

from tui.engine.event_line import Level
from tui.engine.state.engine_state import EngineState
from tui.interface.families.system import StatusRow

IN_PROGRESS = 1


class DowntimeWindows:
    """Current maintenance windows; a failed read does not change them."""

    def __init__(self, state: EngineState) -> None:
        self._state = state
        self.windows: tuple[StatusRow, ...] = ()

    def update(self, rows: Sequence[StatusRow]) -> None:
        """Replace the windows; notify new and ended ones."""
        now = tuple(sorted(rows, key=lambda window: (window.start_time, window.service_type)))
        for window in now:
            if window not in self.windows:
                self._state.notify(Level.ALERT if window.status == IN_PROGRESS else Level.WARN, window_text(window))
        left = {(window.service_type, window.start_time) for window in now}
        for window in self.windows:
            if (window.service_type, window.start_time) not in left:
                self._state.notify(Level.INFO, f"maintenance of {window.service_type} is over or called off")
        self.windows = now


def window_text(window: StatusRow) -> str:
    """Describe a maintenance window, in UTC."""
    begin, end = (
        datetime.fromtimestamp(ms / 1000, UTC).strftime("%m-%d %H:%M") for ms in (window.start_time, window.end_time)
    )
    state = f"in progress until {end}Z" if window.status == IN_PROGRESS else f"{begin}Z to {end}Z"
    return f"maintenance of {window.service_type or 'the service'}: {state}{f', {window.desc}' if window.desc else ''}"
