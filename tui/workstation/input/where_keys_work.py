"""Hints for keys without effect: where their action works, and which key leads there."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from tui.workstation.input.action import Action
from tui.workstation.input.actions import BY_ID, format_key, list_scopes
from tui.workstation.input.scopes import PAIR_VIEWS, PANES, SCREENS, TICKET, Scope

Keys = Callable[[str], Sequence[str]]
"""Function from action id to its keys, after a user's own keymap."""

_NAMES = {Scope.ADL: "ADL", Scope.PNL: "P&L"}
_PLACES = (*PANES, *PAIR_VIEWS)
_NUMBERED = {pane: f"pane.{at}" for at, pane in enumerate(PANES, 1)} | dict.fromkeys(PAIR_VIEWS, "pair.open")
"""Ids of actions that show a pane; some do not exist."""


def explain_key(key: str, action: Action, keys: Keys, *, here: Scope) -> str:
    """Return one sentence, such as `f (flatten) works in Positions: press 3 first`.

    Args:
        key: Key as people write it.
        action: Action of the key elsewhere.
        keys: Keys by action id.
        here: Present scope; inside a ticket no key leads to a pane.
    """
    name = action.hint or action.title.split(" (")[0]
    places, ways = _panes(action, keys)
    if not places:
        places, ways = _others(action, keys)
    if here in PAIR_VIEWS and _is_of_views(action):
        ways = [_first("view.next", keys)]
    way = f": press {' or '.join(ways)} first" if ways and here not in TICKET else ""
    return f"{key} ({name}) works in {_join_names(places)}{way}"


def choose_action(actions: Sequence[Action], *, here: Scope) -> Action:
    """Choose which of a key's actions to explain: one of a pane before one of a screen or dialog.

    In a view of a pair that of another such view comes first.
    """
    return min(
        actions,
        key=lambda action: (
            here not in PAIR_VIEWS or not _is_of_views(action),
            not action.scopes & set(PANES),
            not action.scopes & set(PAIR_VIEWS),
            not action.scopes & SCREENS,
        ),
    )


def _is_of_views(action: Action) -> bool:
    """Return whether an action works in views of a pair and in no pane of the desk."""
    return bool(action.scopes & set(PAIR_VIEWS)) and not action.scopes & set(PANES)


def _panes(action: Action, keys: Keys) -> tuple[list[str], list[str]]:
    """Return the names of the panes where an action works, and the keys that show them."""
    panes = [pane for pane in _PLACES if pane in action.scopes]
    shown = [_first(_NUMBERED[pane], keys) for pane in panes]
    return [_NAMES.get(pane, pane.value.capitalize()) for pane in panes], [key for key in shown if key]


def _others(action: Action, keys: Keys) -> tuple[list[str], list[str]]:
    """Return the full screen, ticket or other scopes where an action works, and the keys that lead there."""
    screen = f"screen.{action.only_on}"
    if screen in BY_ID:
        return [BY_ID[screen].title.split(":")[0].capitalize()], [_first(screen, keys)]
    if action.scopes & SCREENS:
        return ["lists loaded on demand, such as History"], [_first("screen.history", keys)]
    if action.scopes & (TICKET | {Scope.ASK}):
        return ["a ticket"], [f"{_first('stage.buy', keys)} or {_first('stage.sell', keys)} on a quote"]
    return [list_scopes(action)], []


def _first(action_id: str, keys: Keys) -> str:
    own = keys(action_id) if action_id in BY_ID else ()
    return format_key(own[0]) if own else ""


def _join_names(names: Sequence[str]) -> str:
    """Join names for a sentence: a, b or c."""
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} or {names[-1]}"
