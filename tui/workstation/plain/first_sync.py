"""First read of the account: until it is there, lists are not known, and lines wait for it."""

from __future__ import annotations

from tui.workstation.model.mirror import Mirror

NOT_KNOWN = "not known yet: the desk is not in sync with the venue"
LONGEST_WAIT_S = 20.0
"""Longest time from the start for which lines of a pipe wait, s."""
_WITHOUT = frozenset(
    ["help", "say", "view", "halt", "reduce", "kill", "quit", "exit", "events", "clear", "practice", "alias"]
)
"""Words that are carried out before: those that need no account, and those that only make the desk stricter."""


def is_known(mirror: Mirror) -> bool:
    """Return whether the account and the list of pairs have been read at least once."""
    return mirror.synced_once and bool(mirror.symbols)


def explain_unknown(mirror: Mirror) -> str:
    """Return that the account is not known yet and why; empty if it is known."""
    if is_known(mirror):
        return ""
    return f"{NOT_KNOWN} ({mirror.unreadable})" if mirror.unreadable else NOT_KNOWN


def needs_account(text: str) -> bool:
    """Return whether a typed line makes sense only once the account is known."""
    words = text.split(maxsplit=1)
    return bool(words) and words[0] not in _WITHOUT


def explain_early(mirror: Mirror) -> str:
    """Return why a command cannot be carried out before the account is known, or an empty text."""
    if is_known(mirror):
        return ""
    what = "positions and orders are" if mirror.symbols else "pairs, positions and orders are"
    return f"{what} {explain_unknown(mirror)}. Nothing is sent before that; kill, halt and view work"
