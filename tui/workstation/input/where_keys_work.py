"""Hints for keys without effect: where their action works, which key leads there, or that they have acted already."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from tui.workstation.input.action import Action
from tui.workstation.input.actions import BY_ID, format_key
from tui.workstation.input.key_table import list_scopes
from tui.workstation.input.scopes import PAIR_VIEWS, PANES, SCREENS, TICKET, Scope

Keys = Callable[[str], Sequence[str]]
"""Function from action id to its keys, after a user's own keymap."""

_NAMES = {Scope.ADL: "ADL", Scope.PNL: "P&L"}
_PLACES = (*PANES, *PAIR_VIEWS)
_NUMBERED = {pane: f"pane.{at}" for at, pane in enumerate(PANES, 1)} | dict.fromkeys(PAIR_VIEWS, "pair.open")
"""Ids of actions that show a pane; some do not exist."""

_MOST_NAMED = 4
"""Most places that are named; of more, the first one stands for them."""

_HABITS = {"x": "order.cancel"}
"""Keys that do nothing here but are usual in other programs, with the id of the action meant there."""


def explain_key(
    key: str, actions: Sequence[Action], keys: Keys, *, here: Scope, beside: str, views_open: bool = False
) -> str:
    """Return a sentence on where a key works that has no effect here: `f (flatten) works in Positions: press 3 first`.

    Args:
        key: Key as people write it.
        actions: Actions of the key elsewhere.
        keys: Keys by action id.
        here: Present scope; inside a ticket, which is in the way, only one action is named.
        beside: Id of the action that leads from a view of a pair to the view where the key works.
        views_open: Whether the views of a pair are shown: the key that opens them would close them.
    """
    if (meant := _HABITS.get(key, "")) and here in BY_ID[meant].scopes:
        return f"{key} has no function here: {_first(meant, keys)} cancels the order"
    action, *others = _sort_actions(actions, here)
    places, ways = _panes(action, keys, views_open=views_open)
    if not places:
        places, ways = _others(action, keys)
    if here in PAIR_VIEWS and _is_of_views(action):
        ways = [_first(beside, keys)]
    way = f": press {' or '.join(ways)} first" if ways else ""
    if here in TICKET:
        way = "" if action.scopes & TICKET else ", not in a ticket: Esc drops it"
    elsewhere = [
        f"; {key} ({_name(other)}) in {_join_names(names)}"
        for other in others
        if here not in TICKET and (names := _panes(other, keys)[0])
    ]
    return f"{key} ({_name(action)}) works in {_join_names(places)}{way}{''.join(elsewhere)}"


def explain_opener(noun: str, sends: str, keys: Keys) -> str:
    """Return the answer to another press of the key that opened the ticket: `the close is open here already: …`.

    Args:
        noun: What would be sent.
        sends: Id of the action that would send it now; empty: none would.
        keys: Keys by action id.
    """
    way = f"{_first(sends, keys)} sends it, " if sends else ""
    return f"the {noun} is open here already: {way}{_first('ticket.drop', keys)} closes it"


def find_view(actions: Sequence[Action], here: Scope) -> Scope | None:
    """Return another pair view in which a key works, to be named in the present one; None if it works in none."""
    action = _sort_actions(actions, here)[0]
    return next((view for view in PAIR_VIEWS if view in action.scopes), None) if _is_of_views(action) else None


def _name(action: Action) -> str:
    return action.hint or action.title.split(" (")[0]


def _sort_actions(actions: Sequence[Action], here: Scope) -> list[Action]:
    """Sort a key's actions by what is explained first: those of a pane before those of a screen or dialog.

    In a view of a pair those of another such view come first.
    """
    return sorted(
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


def _panes(action: Action, keys: Keys, *, views_open: bool = False) -> tuple[list[str], list[str]]:
    """Return the names of the panes where an action works, and the keys that show them from here."""
    panes = [pane for pane in _PLACES if pane in action.scopes]
    names = [_NAMES.get(pane, pane.value.capitalize()) for pane in panes]
    if len(panes) > _MOST_NAMED:
        panes, names = panes[:1], [f"lists such as {names[0]}"]
    shown = [_first(_NUMBERED[pane], keys) for pane in panes if not (views_open and pane in PAIR_VIEWS)]
    return names, [key for key in dict.fromkeys(shown) if key]


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
