"""Scopes: parts of the screen that can receive keys; an action's keys work only in its scopes."""

from __future__ import annotations

from enum import StrEnum


class Scope(StrEnum):
    """Part of the screen that receives the next key: a pane, a field, a dialog."""

    QUOTES = "quotes"
    ORDERS = "orders"
    POSITIONS = "positions"
    PART = "part"
    """`%` was pressed and waits for the share of a position."""
    ASSETS = "assets"
    ADL = "adl"
    FILLS = "fills"
    EVENTS = "events"
    PNL = "pnl"
    RISK = "risk"
    ALERTS = "alerts"
    LADDER = "ladder"
    """Prices of one pair with own orders; the cursor is a price."""
    CHART = "chart"
    """Candles of one pair; the cursor is a bar and a price."""
    TRADES = "trades"
    """Public trades of one pair."""
    FILTER = "filter"
    """Line in which a filter is typed."""
    LINE = "command line"
    """Command line; letters are text."""
    COLUMNS = "columns"
    """List for choosing columns."""
    PRACTICE = "practice"
    """List of paper venue faults."""
    TEXTS = "texts"
    """List of an order's texts."""
    THEMES = "themes"
    """List of themes."""
    JUMP = "jump"
    """Letters over what can have the focus."""
    KEYMAPS = "keymaps"
    """List of keymaps."""
    WELCOME = "welcome"
    """List of what to begin with."""
    LAYOUTS = "layouts"
    """List of layouts."""
    WATCHLISTS = "watchlists"
    """List of the lists of quoted pairs."""
    NAME = "name"
    """Line of a list in which a name is typed."""
    MODES = "modes"
    """Position mode of a venue, with obstacles to a change."""
    FORM = "form"
    """Form of fields; letters are text."""
    FORM_END = "form, last line"
    """Last line of a form, which asks or sends; letters are keys."""
    SECRET = "secret"
    """Box with the secret of a new key."""
    SCREEN = "screen"
    """List of a screen beside the desk."""
    PALETTE = "palette"
    """Palette of everything that can be searched; letters are text."""
    PREVIEW = "preview"
    """Preview line of a ticket; no text field."""
    ASK = "ask"
    """Question in place of the preview line."""
    CHOOSER = "chooser"
    """Form field with a few fixed values."""
    FIELD = "field"
    """Text field: printable keys are text."""
    PROMPT = "prompt"
    WORD = "word"
    """Prompt that requires a typed word."""
    KILL = "kill"
    """The kill prompt."""
    HELP = "help"
    NOWHERE = "nowhere"


PANES = (
    Scope.QUOTES, Scope.ORDERS, Scope.POSITIONS, Scope.ASSETS, Scope.ADL, Scope.FILLS, Scope.EVENTS, Scope.PNL,
    Scope.RISK, Scope.ALERTS,
)  # fmt: skip
"""Panes of the desk in the order of their tabs; the value is the pane's id."""
PAIR_VIEWS = (Scope.LADDER, Scope.CHART, Scope.TRADES)
"""Views of one pair in the order of their tabs; the value is the pane's id."""
LISTS = frozenset([*PANES, Scope.TRADES])
PRICES = frozenset([Scope.LADDER, Scope.CHART])
"""Views whose cursor is a price; they are no lists."""
VIEWS = LISTS | PRICES
"""Whatever of the main screen holds a pane."""
TICKET = frozenset([Scope.PREVIEW, Scope.CHOOSER])
DESK = VIEWS | TICKET | frozenset([Scope.ASK, Scope.PART, Scope.NOWHERE])
"""Main screen without its text fields."""
DIALOGS = frozenset(
    [
        Scope.PROMPT, Scope.KILL, Scope.HELP, Scope.COLUMNS, Scope.PRACTICE, Scope.TEXTS, Scope.THEMES, Scope.KEYMAPS,
        Scope.JUMP, Scope.WELCOME, Scope.LAYOUTS, Scope.WATCHLISTS, Scope.MODES, Scope.SECRET,
    ]
)  # fmt: skip
READ_BOXES = frozenset(
    [
        Scope.HELP, Scope.COLUMNS, Scope.PRACTICE, Scope.TEXTS, Scope.THEMES, Scope.KEYMAPS, Scope.JUMP, Scope.WELCOME,
        Scope.LAYOUTS, Scope.WATCHLISTS, Scope.MODES,
    ]
)  # fmt: skip
"""Boxes that are read or chosen from and ask nothing."""
QUESTIONS = frozenset([Scope.KILL, Scope.PROMPT, Scope.WORD, Scope.ASK])
"""Scopes of an open question."""
SCREENS = frozenset([Scope.SCREEN])
"""Screens beside the desk."""
LETTERS_FREE = DESK | SCREENS | DIALOGS | frozenset([Scope.FORM_END])
"""Scopes in which a letter is not text."""
TYPED = frozenset([Scope.FIELD, Scope.FILTER, Scope.WORD, Scope.PALETTE, Scope.FORM, Scope.LINE, Scope.NAME])
"""Scopes in which a letter is text."""
EVERYWHERE = LETTERS_FREE | TYPED
ROWS = LISTS | SCREENS
CURSORS = ROWS | PRICES
"""Everything with a cursor."""
LISTED = CURSORS | {Scope.NOWHERE}
ALL_LISTS = LISTED | TICKET
"""Everywhere except text fields and dialogs."""
FINDS = DESK | SCREENS | (READ_BOXES - {Scope.MODES, Scope.JUMP, Scope.WELCOME}) | {Scope.FIELD, Scope.FILTER}
"""Everywhere except questions."""
