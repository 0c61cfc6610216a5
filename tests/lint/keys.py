"""The key table of the README, made from the action table: `python -m tests.lint.keys --write`."""

from __future__ import annotations

import sys

from tests.lint.rooms import TOP
from tui.workstation.input.actions import key_table_markdown

README = TOP / "README.md"
BEGIN, END = "<!-- keys: made from the action table -->", "<!-- end of keys -->"


def main() -> None:
    head, rest = README.read_text().split(BEGIN)
    _, tail = rest.split(END)
    fresh = f"{head}{BEGIN}\n{key_table_markdown().strip()}\n{END}{tail}"
    if "--write" in sys.argv:
        README.write_text(fresh)
    else:
        print(key_table_markdown())


if __name__ == "__main__":
    main()
