"""The tables of keys, made from the action table: `python -m tests.lint.keys --write` writes all and the most used."""

from __future__ import annotations

import sys

from tests.lint.block import Block
from tests.lint.rooms import TOP
from tui.cli.named_files import read_folder
from tui.workstation.commands.keymap_switch import list_differences
from tui.workstation.input.actions import BY_ID, GROUPS, format_key
from tui.workstation.input.key_table import key_table_markdown, list_scopes
from tui.workstation.input.keymap_files import parse_keymap

BEGIN, END = "<!-- keys: made from the action table -->", "<!-- end of keys -->"
ALL = Block(TOP / "docs" / "reference" / "keys.md", BEGIN, END)
MOST_USED = Block(TOP / "README.md", BEGIN, END)
KEYMAPS = Block(
    TOP / "docs" / "reference" / "keymaps.md", "<!-- keymaps: made from the files -->", "<!-- end of keymaps -->"
)

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
    """Return the short table; a key that stands there twice says where it does what."""
    actions = [BY_ID[name] for name in MOST_USED_ACTIONS]
    keys = [action.keys for action in actions]
    lines = ["| Key | Does |", "|---|---|"]
    for action in actions:
        where = f" ({list_scopes(action)})" if keys.count(action.keys) > 1 else ""
        lines.append(f"| {_code(action.keys)} | {action.title}{where} |")
    return "\n".join(lines)


def all_keymaps() -> str:
    """Return the tables of what each shipped keymap changes."""
    files, _ = read_folder(TOP / "keymaps", parse_keymap)
    lines = []
    for file in files:
        lines += [f"### {file.name}", "", f"{file.about[0].upper()}{file.about[1:]}.", ""]
        lines += ["| Keys | Instead of | Does | Action |", "|---|---|---|---|"]
        lines += [
            f"| {_code(keys) or 'none'} | {_code(action.keys)} | {action.title} | `{action.id}` |"
            for action, keys in list_differences(file)
        ]
        lines.append("")
    return "\n".join(lines).strip()


def _code(keys: tuple[str, ...]) -> str:
    return " ".join(f"`{format_key(key)}`" for key in keys)


def main() -> None:
    """Write all tables, or print them."""
    for block, text in ((ALL, all_keys()), (MOST_USED, most_used()), (KEYMAPS, all_keymaps())):
        if "--write" in sys.argv:
            block.write(text)
        else:
            print(text)


if __name__ == "__main__":
    main()
