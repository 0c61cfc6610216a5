"""Names in texts about what a trader did: `by you` is true at one desk only, so that others are told a name."""

from __future__ import annotations

import re

import msgspec

from tui.engine.doer_names import FIRST_DESK
from tui.engine.event_line import EventLine
from tui.engine.modes import BY_ITS_TRADER, BY_YOU

_BY_YOU = re.compile(rf"(?<!not ){BY_YOU}\b")


def name_trader(text: str, name: str) -> str:
    """Return a text in which a desk says what its trader did, with its name, as other desks are to read it."""
    return _BY_YOU.sub(lambda _: f"by {name}", text)


def name_holding_desk(text: str) -> str:
    """Return a text of the desk that holds the account as other desks and programs are to read it."""
    return name_trader(text, FIRST_DESK)


def name_for(text: str, window: str) -> str:
    """Return a text of the desk that holds the account as an attached window is to read it: what it did is `by you`.

    Args:
        text: Text.
        window: Name of the window; empty: another reader, to whom nothing is `by you`.
    """
    text = name_holding_desk(text)
    if not window:
        return text
    own = rf"(?<!not )\bby {re.escape(window)}(?![\w-]| \d| of )"
    text, is_of_own = re.sub(own, BY_YOU, text), text.startswith(f"{window}: ")
    return text.removeprefix(f"{window}: ").replace(BY_ITS_TRADER, BY_YOU, 1) if is_of_own else text


def name_in_event(line: EventLine, window: str) -> EventLine:
    """Return an event line of the desk that holds the account as an attached window is to read it, as `name_for`."""
    return msgspec.structs.replace(line, text=name_for(line.elsewhere or line.text, window), elsewhere="")
