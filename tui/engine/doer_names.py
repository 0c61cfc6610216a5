"""Names of the windows and programs that did something, in texts of the engine: who reads it is told a name or `you`."""

from __future__ import annotations

import re

from tui.engine.modes import BY_YOU, OWN_SCREEN

FIRST_DESK = "desk"
"""Name of the window that holds the account, for all others."""
BY = "{by}"
"""Place in the text of an event line for the name of who did it."""
_WINDOW = re.compile(rf"\b(?<!former )({FIRST_DESK}(?: \d+)?)(?![\w-]| of )")


def by_whom(peer: str) -> str:
    """Return the words that name a sender for the window that holds the account: `by you` or `by desk 2`."""
    return BY_YOU if peer == OWN_SCREEN else f"by {peer}"


def name_doer(text: str, peer: str | None) -> tuple[str, str]:
    """Put the name of who did it into a text; return it for the window that holds the account, and for other readers.

    Args:
        text: Text with `BY`.
        peer: Sender; None: it is not known who did it.
    """
    if peer is None:
        return (text.replace(BY, "", 1),) * 2
    named = text.replace(BY, f" {by_whom(peer)}", 1)
    return text.replace(BY, "", 1) if peer == OWN_SCREEN else named, named


def name_former(text: str) -> str:
    """Return a text of an earlier session in which names of windows are of then: its `desk 2` may be another one now."""
    return _WINDOW.sub(r"the former \1", re.sub(rf"(?<!not ){BY_YOU}\b", f"by {FIRST_DESK}", text))
