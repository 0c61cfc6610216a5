"""State of the desk that is more urgent than an alert of the trader: an order of unknown outcome, or a risk mode."""

from __future__ import annotations

from tui.engine.event_line import EventLine, Level
from tui.engine.modes import RiskMode
from tui.interface.text import clean
from tui.workstation.model.display_context import HOW_TO_LEAVE_MODE, DisplayContext


def find_urgent(alert: EventLine, view: DisplayContext) -> EventLine | None:
    """Return the state to show in place of a waiting alert of the trader, as an event; None if there is none."""
    log, status = view.mirror.event_log, view.mirror.engine_status
    if (unsure := log.newest_unknown) is not None:
        return unsure
    if status is None or status.risk_mode is RiskMode.NORMAL:
        return None
    parts = (status.risk_mode.value, clean(status.risk_mode_reason), view.name_keys(HOW_TO_LEAVE_MODE))
    told = (event.wall_ms for _, event in reversed(log.events) if event.text.startswith(status.risk_mode.value))
    return EventLine(wall_ms=next(told, alert.wall_ms), level=Level.ALERT, text=": ".join(filter(None, parts)))
