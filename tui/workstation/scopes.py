"""Where the keyboard is. Every action names the scopes in which its keys mean it; in all others they mean nothing."""

from __future__ import annotations

from enum import StrEnum


class Scope(StrEnum):
    """What the next key goes to."""

    QUOTES = "quotes"
    ORDERS = "orders"
    POSITIONS = "positions"
    ASSETS = "assets"
    ADL = "adl"
    FILLS = "fills"
    EVENTS = "events"
    PREVIEW = "preview"
    """The preview line of a ticket; no text field."""
    ASK = "ask"
    """A question stands in place of the preview line."""
    CHOOSER = "chooser"
    """A field of the form with a few values."""
    FIELD = "field"
    """A text field: printable keys are text."""
    PROMPT = "prompt"
    KILL = "kill"
    """The kill prompt."""
    HELP = "help"
    NOWHERE = "nowhere"


LISTS = frozenset([Scope.QUOTES, Scope.ORDERS, Scope.POSITIONS, Scope.ASSETS, Scope.ADL, Scope.FILLS, Scope.EVENTS])
TICKET = frozenset([Scope.PREVIEW, Scope.CHOOSER])
DESK = LISTS | TICKET | frozenset([Scope.ASK, Scope.NOWHERE])
"""The main screen without its text fields."""
DIALOGS = frozenset([Scope.PROMPT, Scope.KILL, Scope.HELP])
LETTERS_FREE = DESK | DIALOGS
"""Where a letter is not text."""
EVERYWHERE = LETTERS_FREE | frozenset([Scope.FIELD])
