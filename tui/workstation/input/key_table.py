"""Key tables of the documentation, made from the action table."""

from __future__ import annotations

from tui.workstation.input.action import Action
from tui.workstation.input.actions import ACTIONS, format_key
from tui.workstation.input.scopes import DESK, EVERYWHERE, LETTERS_FREE, LISTS, ROWS, TICKET, Scope

NO_KEY = "none: `Ctrl+P`"
"""Entry of an action without a key of its own, which the palette runs."""
_SCREENS = {"algos": "algo orders", "read on demand": "lists read on demand"}
"""Names of screens and kinds of lists whose own word says too little."""


def list_scopes(action: Action) -> str:
    """Describe in words where an action works."""
    for scopes, name in (
        (EVERYWHERE, "everywhere"),
        (LETTERS_FREE, "all but text fields"),
        (DESK, "desk"),
    ):
        if action.scopes >= scopes - {Scope.KILL} and len(action.scopes) >= len(scopes) - 3:
            return name
    left, names = set(action.scopes) - {Scope.NOWHERE}, []
    for scopes, name in ((ROWS, "lists"), (LISTS, "main screen lists"), (TICKET, "ticket")):
        if left >= scopes:
            left -= scopes
            names.append(name)
    return ", ".join([*names, *sorted(_name_scope(scope, action) for scope in left)])


def _name_scope(scope: Scope, action: Action) -> str:
    """Return the name of a scope; for an action limited to one full screen, the name of that screen."""
    if scope is Scope.SCREEN and action.only_on:
        return _SCREENS.get(action.only_on, action.only_on)
    return scope.value


def key_table_markdown(group: str = "") -> str:
    """Return the key table of the documentation, as Markdown; of one group of actions, or of all."""
    lines = ["| Keys | Where | Does | Why |", "|---|---|---|---|"]
    for action in ACTIONS:
        if group not in ("", action.group):
            continue
        texts = " ".join("`" + format_key(key).replace("|", "\\|") + "`" for key in action.keys)
        lines.append(f"| {texts or NO_KEY} | {list_scopes(action)} | {action.title} | {action.why} |")
    return "\n".join(lines) + "\n"
