"""The tables of keys, made from the action table: `python -m tests.lint.keys --write` writes all and the most used."""

from __future__ import annotations

import sys

from tests.lint.block import Block
from tests.lint.rooms import TOP
from tui.workstation.input.actions import BY_ID, GROUPS, format_key
from tui.workstation.input.key_table import key_table_markdown

BEGIN, END = "<!-- keys: made from the action table -->", "<!-- end of keys -->"
ALL = Block(TOP / "docs" / "reference" / "keys.md", BEGIN, END)
MOST_USED = Block(TOP / "README.md", BEGIN, END)

MOST_USED_ACTIONS = (
    "state.arm",
    "stage.buy",
    "stage.sell",
    "stage.take_buy",
    "ticket.open",
    "ticket.send",
    "ticket.confirm",
    "ticket.drop",
    "order.edit",
    "price.up",
    "order.cancel",
    "cancel.scope",
    "position.flatten",
    "algo.new",
    "kill.open",
    "mode.choose",
    "screen.history",
    "filter.open",
    "palette.open",
    "help.open",
)
"""Actions of the first day, in the order in which they are met."""


def all_keys() -> str:
    """Return the page of all keys: one table for each group of actions."""
    return "\n".join(f"## {title}\n\n{key_table_markdown(group=group)}" for group, title in GROUPS.items()).strip()


def most_used() -> str:
    """Return the short table."""
    lines = ["| Key | Does |", "|---|---|"]
    for name in MOST_USED_ACTIONS:
        action = BY_ID[name]
        keys = " ".join(f"`{format_key(key)}`" for key in action.keys)
        lines.append(f"| {keys} | {action.title} |")
    return "\n".join(lines)


def main() -> None:
    """Write both tables, or print them."""
    for block, text in ((ALL, all_keys()), (MOST_USED, most_used())):
        if "--write" in sys.argv:
            block.write(text)
        else:
            print(text)


if __name__ == "__main__":
    main()
