"""Why a list has no row to show: it is filtered, still coming, or proven to be empty."""

from __future__ import annotations

from tui.workstation.table.pane import AnyPane


def why_empty(pane: AnyPane) -> str:
    """Why there is no row to show."""
    mirror = pane.view.mirror
    if pane.filter.terms and pane.filtered_out:
        return f"all {pane.filtered_out} rows are filtered out by {pane.filter.text}"
    if pane.follows_tail:
        return pane.empty()
    if not mirror.synced_once and pane.needs_snapshot:
        if mirror.unreadable:
            return f"{mirror.unreadable}: nothing to show here"
        engine_status = mirror.engine_status
        link = mirror.links.get("private")
        error = (engine_status.engine_error if engine_status is not None else "") or (
            link.error if link is not None else ""
        )
        return f"LOADING {error}".rstrip()
    return pane.empty()
