"""Key tables of the documentation, made from the action table."""

from __future__ import annotations

from tui.workstation.input.action import Action
from tui.workstation.input.actions import ACTIONS, format_key
from tui.workstation.input.scopes import DESK, EVERYWHERE, LETTERS_FREE, LISTS, ROWS, TICKET, Scope

NO_KEY = "none: `Ctrl+P`"
"""Entry of an action without a key of its own, which the palette runs."""
_SCREENS = {"algos": "algo orders", "read on demand": "full screens with lists of the service"}
"""Names of screens and kinds of lists whose own word says too little."""
_PLACES = {
    Scope.ASK: "question of a ticket",
    Scope.CHOOSER: "choice in a ticket",
    Scope.COLUMNS: "list of columns",
    Scope.FIELD: "field of a ticket",
    Scope.FILTER: "typed filter",
    Scope.FORM_END: "last line of a form",
    Scope.HELP: "page of keys",
    Scope.JUMP: "letters of a jump",
    Scope.KEYMAPS: "list of keymaps",
    Scope.KILL: "kill prompt",
    Scope.LAYOUTS: "list of layouts",
    Scope.MODES: "position mode of a venue",
    Scope.NAME: "typed name",
    Scope.PART: "choice of a part to close",
    Scope.PNL: "P&L",
    Scope.ADL: "ADL",
    Scope.PRACTICE: "list of practice faults",
    Scope.PREVIEW: "preview line of a ticket",
    Scope.PROMPT: "question",
    Scope.SCREEN: "full screens",
    Scope.SECRET: "box that shows a new key's secret",
    Scope.TEXTS: "list of an order's texts",
    Scope.THEMES: "list of themes",
    Scope.WATCHLISTS: "list of watchlists",
    Scope.WORD: "question with a typed word",
}
"""Names of scopes whose own word says too little."""


def list_scopes(action: Action) -> str:
    """Describe in words where an action works."""
    for scopes, name in (
        (EVERYWHERE, "everywhere"),
        (LETTERS_FREE, "all but text fields"),
        (DESK, "main screen and full screens"),
    ):
        if action.scopes >= scopes - {Scope.KILL} and len(action.scopes) >= len(scopes) - 3:
            return name
    left, names = set(action.scopes) - {Scope.NOWHERE}, []
    for scopes, name in ((ROWS, "lists"), (LISTS, "lists of the main screen"), (TICKET, "ticket")):
        if left >= scopes:
            left -= scopes
            names.append(name)
    return ", ".join([*names, *sorted(_name_scope(scope, action) for scope in left)])


def _name_scope(scope: Scope, action: Action) -> str:
    """Return the name of a scope; for an action limited to one full screen, the name of that screen."""
    if scope is Scope.SCREEN and action.only_on:
        return _SCREENS.get(action.only_on, action.only_on)
    return _PLACES.get(scope, scope.value)


def key_table_markdown(group: str = "") -> str:
    """Return the key table of the documentation, as Markdown; of one group of actions, or of all."""
    lines = ["| Keys | Where | Does | Why |", "|---|---|---|---|"]
    for action in ACTIONS:
        if group not in ("", action.group):
            continue
        texts = " ".join("`" + format_key(key).replace("|", "\\|") + "`" for key in action.keys)
        lines.append(f"| {texts or NO_KEY} | {list_scopes(action)} | {action.title} | {action.why} |")
    return "\n".join(lines) + "\n"
