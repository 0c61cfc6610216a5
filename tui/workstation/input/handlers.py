"""Which function does an action: one table from the tables of the controllers, checked when the program starts."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

from tui.crossdesk_error import CrossdeskError

Handler = Callable[[], None]
Handlers = Mapping[str, Handler]
"""Handlers by action id."""


class HandlerError(CrossdeskError, ValueError):
    """The tables do not fit the actions; the text names the action."""

    title = "Actions and handlers do not match"


def join_handlers(action_ids: Iterable[str], tables: Iterable[Handlers]) -> dict[str, Handler]:
    """One handler per action.

    Raises:
        HandlerError: an action has no handler or two, or a handler has no action.
    """
    known = set(action_ids)
    joined: dict[str, Handler] = {}
    for table in tables:
        for action_id, handler in table.items():
            if action_id not in known:
                raise HandlerError(f"a handler is there for {action_id!r}, and no action of that name")
            if action_id in joined:
                raise HandlerError(f"the action {action_id!r} has two handlers")
            joined[action_id] = handler
    missing = sorted(known - joined.keys())
    if missing:
        raise HandlerError(f"no handler for the action {missing[0]!r}")
    return joined
