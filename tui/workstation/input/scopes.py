"""Where the keyboard is. Every action names the scopes in which its keys mean it; in all others they mean nothing."""

from __future__ import annotations

from enum import StrEnum


class Scope(StrEnum):
    """What the next key goes to."""

    QUOTES = "quotes"
    ORDERS = "orders"
    POSITIONS = "positions"
    PART = "part"
    """`%` waits for the share of a position."""
    ASSETS = "assets"
    ADL = "adl"
    FILLS = "fills"
    EVENTS = "events"
    PNL = "pnl"
    RISK = "risk"
    FILTER = "filter"
    """The line in which a filter is typed."""
    COLUMNS = "columns"
    """The list of columns to choose from."""
    PRACTICE = "practice"
    """The list of what can go wrong at the paper venue."""
    MODES = "modes"
    """The position mode of a venue, with what stands against a change."""
    FORM = "form"
    """A form of fields; letters are text."""
    FORM_END = "form, last line"
    """The last line of a form, which asks or sends; letters are free."""
    SECRET = "secret"
    """The box that shows the secret of a new key."""
    SCREEN = "screen"
    """The list of a screen beside the desk."""
    PALETTE = "palette"
    """The list of everything that can be found; letters are text."""
    PREVIEW = "preview"
    """The preview line of a ticket; no text field."""
    ASK = "ask"
    """A question stands in place of the preview line."""
    CHOOSER = "chooser"
    """A field of the form with a few values."""
    FIELD = "field"
    """A text field: printable keys are text."""
    PROMPT = "prompt"
    WORD = "word"
    """A prompt that wants a word typed."""
    KILL = "kill"
    """The kill prompt."""
    HELP = "help"
    NOWHERE = "nowhere"


PANES = (
    Scope.QUOTES, Scope.ORDERS, Scope.POSITIONS, Scope.ASSETS, Scope.ADL, Scope.FILLS, Scope.EVENTS, Scope.PNL,
    Scope.RISK,
)  # fmt: skip
"""The panes of the desk in the order of their tabs; the value is the id of the pane."""
LISTS = frozenset(PANES)
TICKET = frozenset([Scope.PREVIEW, Scope.CHOOSER])
DESK = LISTS | TICKET | frozenset([Scope.ASK, Scope.PART, Scope.NOWHERE])
"""The main screen without its text fields."""
DIALOGS = frozenset(
    [
        Scope.PROMPT, Scope.KILL, Scope.HELP, Scope.COLUMNS, Scope.PRACTICE, Scope.MODES, Scope.SECRET,
    ]
)  # fmt: skip
SCREENS = frozenset([Scope.SCREEN])
"""Screens beside the desk."""
LETTERS_FREE = DESK | SCREENS | DIALOGS | frozenset([Scope.FORM_END])
"""Where a letter is not text."""
TYPED = frozenset([Scope.FIELD, Scope.FILTER, Scope.WORD, Scope.PALETTE, Scope.FORM])
"""Where a letter is text."""
EVERYWHERE = LETTERS_FREE | TYPED
