"""Questions before serious actions, as data: options with their effects, and everything that the answer is about."""

from __future__ import annotations

from enum import Enum

import msgspec

from tui.engine.rows import LocalOrderState, OrderRow
from tui.interface.text import how_many
from tui.workstation.render.named_lines import NamedLine


class Beside(Enum):
    """Part of the screen that a dialog opens next to."""

    ROW = "row"
    """Row under the cursor, or the open ticket."""
    STATUS = "status"
    """Status lines at the top: lists of search results."""
    DESK = "desk"
    """No subject: the dialog concerns the whole desk and opens in the middle."""


class Option(msgspec.Struct, frozen=True):
    """Option of a question that can be confirmed."""

    id: str
    text: str
    """Effect of the choice, with names and counts."""
    enabled: bool = True
    word: str = ""
    """Word to type to confirm this choice; empty: as the question is confirmed."""
    brief: str = ""
    """Shorter text, for where the box has no room; empty: there is none."""


class Question(msgspec.Struct, frozen=True, kw_only=True):
    """Question with its options, and how they are confirmed."""

    kind: str
    title: str
    choices: tuple[Option, ...]
    named: tuple[NamedLine, ...] = ()
    """Everything the answer is about, each with its line; none is left out without a mark."""
    notes: tuple[str, ...] = ()
    """Further facts, shown where there is room."""
    brief_notes: tuple[str, ...] = ()
    """Shorter facts in place of those that have no room; none: there are no shorter ones."""
    kill: bool = False
    """Whether it is the kill prompt: Enter does its first row, the others need their word."""
    start: int = 0
    only_cancels: bool = False
    """Whether the answer only cancels orders; then it needs no fresh press."""
    opens: str = ""
    """What each option opens, a form or another question, so that nothing is sent: then Enter takes it, too."""
    yes: str = ""
    """What `y` does, as a verb for the message after Enter; empty: it cancels or confirms."""
    word: str = ""
    """Word to type to confirm; empty: `y` confirms."""
    beside: Beside = Beside.ROW
    """What it opens beside."""
    ended: str = ""
    """Why it closes unanswered: what it is about has ended or turned; empty: it can be answered."""


def order_count_text(orders: list[OrderRow]) -> str:
    """Format the number of orders, and how many of them are UNKNOWN."""
    unknown = sum(1 for order in orders if order.state == LocalOrderState.UNKNOWN)
    text = how_many(len(orders), "order")
    return text + (f" ({unknown} UNKNOWN)" if unknown else "")
