"""Names in texts about what a trader did: `by you` is true at one desk only, so that others are told a name."""

from __future__ import annotations

import re

from tui.desk_protocol.messages import DESK
from tui.engine.modes import BY_YOU

_BY_YOU = re.compile(rf"(?<!not ){BY_YOU}\b")


def name_trader(text: str, name: str) -> str:
    """Return a text in which a desk says what its trader did, with its name, as other desks are to read it."""
    return _BY_YOU.sub(lambda _: f"by {name}", text)


def name_holding_desk(text: str) -> str:
    """Return a text of the desk that holds the account as other desks and programs are to read it."""
    return name_trader(text, DESK)
