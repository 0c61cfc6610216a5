"""Action of the desk: what it does, its keys, where it works, and how far it reaches."""

from __future__ import annotations

from enum import IntEnum

import msgspec

from tui.workstation.input.scopes import Scope


class Risk(IntEnum):
    """Risk of an action; higher risks get more safety checks."""

    LOOK = 0
    """Changes only the view."""
    STAGE = 1
    """Prepares a command that a later key sends."""
    SEND = 2
    """Can send a request."""
    KILL = 3
    """Works in every state and in every dialog."""


class Reach(IntEnum):
    """Damage when an action is started by mistake; the palette sorts equal matches by it, smallest first."""

    NONE = 0
    """Changes the view, or stages an order that rests in the book."""
    ACTS = 1
    """Acts at once, or stages an order that executes at once."""
    WIDE = 2
    """Cancels more than one order."""
    ALL = 3
    """Closes every position."""


class Action(msgspec.Struct, frozen=True, kw_only=True):
    """Action of the workstation, with its default keys."""

    id: str
    title: str
    """Short text for help and tables."""
    keys: tuple[str, ...]
    scopes: frozenset[Scope]
    risk: Risk = Risk.LOOK
    group: str = "desk"
    hint: str = ""
    """Word in the footer; empty: not shown there."""
    armed: bool = False
    """Whether the state must be ARMED or HOT."""
    hot: bool = False
    """Whether its key sends at once in HOT."""
    why: str = ""
    """Reason for the key, shown in the key table."""
    fixed: bool = False
    """Whether the default keys cannot be removed."""
    priority: int = 50
    """Order in the footer, small first."""
    paneless: bool = False
    """Whether it works without a focused list."""
    by_key: bool = False
    """Whether only its key runs it; the palette moves the focus to where the key works instead."""
    only_on: str = ""
    """Screen beside the desk, or kind of lists, on which it works; the line of keys and the help of others omit it."""
    reach: Reach = Reach.NONE

    @property
    def opens_form(self) -> bool:
        """Whether the action opens a form, as the ending `(form)` of its title says."""
        return self.title.endswith("(form)")

    @property
    def opens_ticket(self) -> bool:
        """Whether the action stages an order in a ticket, where a size can be typed at once."""
        return self.group == "trade" and self.risk is Risk.STAGE

    @property
    def anywhere(self) -> bool:
        """Whether the action has the same effect wherever the focus is."""
        return self.paneless or Scope.NOWHERE in self.scopes


_REACH_OF_RISK = {Risk.LOOK: Reach.NONE, Risk.STAGE: Reach.NONE, Risk.SEND: Reach.ACTS, Risk.KILL: Reach.WIDE}
"""Default reach of an action by its risk."""


def make_action(
    name: str,
    title: str,
    keys: str,
    scopes: frozenset[Scope],
    *,
    risk: Risk = Risk.LOOK,
    group: str = "desk",
    hint: str = "",
    armed: bool = False,
    hot: bool = False,
    why: str = "",
    fixed: bool = False,
    at: int = 50,
    paneless: bool = False,
    by_key: bool = False,
    only_on: str = "",
    reach: Reach | None = None,
) -> Action:
    """Build an action; `keys` are separated by blanks, `at` is the place in the footer, `reach` that of its risk if None."""
    reach = _REACH_OF_RISK[risk] if reach is None else reach
    return Action(
        id=name, title=title, keys=tuple(keys.split()), scopes=scopes, risk=risk, group=group, hint=hint, armed=armed,
        hot=hot, why=why, fixed=fixed, priority=at, paneless=paneless, by_key=by_key, only_on=only_on, reach=reach,
    )  # fmt: skip


def make_moves(
    name: str, line: str, scopes: frozenset[Scope], *, group: str = "look", at: int = 2, shown: bool = False
) -> tuple[Action, Action]:
    """Build the actions that go to the next and to the previous line of a list.

    Args:
        name: List, as the ids of its actions begin.
        line: Noun for a line, for the titles.
        scopes: Where the keys work.
        group: Heading in the help.
        at: Place in the footer.
        shown: Whether the desk shows what the line under the cursor stands for.
    """
    then = ", shown at once" if shown else ""
    return (
        make_action(f"{name}.down", f"next {line}{then}", "j down", scopes, group=group, hint="down", at=at),
        make_action(f"{name}.up", f"previous {line}{then}", "k up", scopes, group=group),
    )
