"""Table of all action handlers, merged from the controllers' tables and checked at startup."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

from tui.crossdesk_error import CrossdeskError

Handler = Callable[[], None]
Handlers = Mapping[str, Handler]
"""Handlers by action id."""


class HandlerError(CrossdeskError, ValueError):
    """Action without exactly one handler, or handler without an action; the message names the action."""

    title = "Actions and handlers do not match"


def merge_handlers(action_ids: Iterable[str], tables: Iterable[Handlers]) -> dict[str, Handler]:
    """Merge the tables into one handler per action.

    Raises:
        HandlerError: An action has no handler or two, or a handler has no action.
    """
    known = set(action_ids)
    merged: dict[str, Handler] = {}
    for table in tables:
        for action_id, handler in table.items():
            if action_id not in known:
                raise HandlerError(f"there is a handler for {action_id!r}, but no action of that name")
            if action_id in merged:
                raise HandlerError(f"the action {action_id!r} has two handlers")
            merged[action_id] = handler
    missing = sorted(known - merged.keys())
    if missing:
        raise HandlerError(f"no handler for the action {missing[0]!r}")
    return merged
