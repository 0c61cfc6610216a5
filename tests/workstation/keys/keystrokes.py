"""Tasks with their keys and their line: `python -m tests.workstation.keys.keystrokes --write` makes the page of them."""

from __future__ import annotations

import sys
from typing import NamedTuple

from tests.lint.block import Block
from tests.lint.rooms import TOP

PAGE = Block(
    TOP / "docs" / "reference" / "keystrokes.md",
    "<!-- keystrokes: made from the tests -->",
    "<!-- end of keystrokes -->",
)


class Task(NamedTuple):
    """Task of a trader; the cursor stands on the row that it is about."""

    name: str
    pane: str
    """Pane of the row: quotes, orders, positions or ladder."""
    keys: str
    """Keys with blanks between them; empty: there is no way by key alone."""
    line: str
    """Line behind `:`; empty: there is none."""
    insilico: str = ""
    """Command of Insilico Terminal for it, as its help writes it; empty: its help quotes none."""


TASKS = (
    Task("buy the smallest size at the best bid, post-only", "quotes", "b Enter", "long v1 join"),
    Task("buy 0.25 BTC at the best bid, post-only", "quotes", "b . 2 5 Enter", "long .25BTC join"),
    Task("sell 0.25 BTC at the best ask, post-only", "quotes", "s . 2 5 Enter", "short .25BTC join"),
    Task("buy 0.25 BTC at once, at most at the best ask", "quotes", "B . 2 5 Enter", "long .25BTC take"),
    Task("buy 1 BTC at market", "quotes", "", "long 1BTC mkt", "buy 1"),
    Task("buy 0.25 BTC at 63,500", "quotes", "", "long .25BTC at 63500", "buy .25 at 63500"),
    Task("buy for 900 USDT at the best bid", "quotes", "b $ 9 0 0 Enter", "long $900 join"),
    Task("buy 0.3 BTC in five orders from 62,000 to 63,000", "quotes", "",
         "scale long .3BTC 5 from 62000 to 63000", "scale buy .3 into 5 from 62000 to 63000"),
    Task("buy with a stop 1 % under the entry", "quotes", "", "long .25BTC join sl entry-1%"),
    Task("risk 200 USDT on a buy at 63,500 with a stop at 63,000", "quotes", "",
         "long risk $200 at 63500 sl 63000"),
    Task("buy at the ladder's price", "ladder", "b Enter", ""),
    Task("move an order two ticks up", "orders", "+ + Enter", "nudge here +2t"),
    Task("replace the price of an order", "orders", "", "re here px 63900"),
    Task("cancel an order", "orders", "c", "c here"),
    Task("cancel the last order", "quotes", "u", "c last"),
    Task("cancel all orders of the pair", "quotes", "", "c all sym", "nuke orders (all pairs)"),
    Task("close a position at market", "positions", "f Enter", "flat here"),
    Task("close half of a position", "positions", "% 2 Enter", "close 50%"),
    Task("leave a position at the best price, post-only", "positions", "o Enter", "close 100% join"),
    Task("turn a position round", "positions", "r y", "rev here"),
    Task("stop to net break-even", "positions", "n y", "be here"),
    Task("a stop for every position without one", "positions", "N y", "protect all"),
    Task("close every position", "positions", "F f l a t Enter", "flat all", "nuke positions"),
    Task("chase, TWAP and swarm orders that work on by themselves", "quotes", "", "",
         "chase, twap, swarm (not in this desk)"),
)  # fmt: skip


def count_keys(keys: str) -> int:
    return len(keys.split())


def count_line(line: str) -> int:
    """Count the keys of a line: `:`, its characters, Enter; a line that asks also takes `y`."""
    asks = line.startswith(("scale", "rev", "be", "protect", "c all"))
    return len(line) + 2 + asks if line else 0


def page() -> str:
    """Return the table as Markdown."""
    rows = ["| Task | Keys | | Line | | Insilico | |", "|---|---|---|---|---|---|---|"]
    for task in TASKS:
        keys = " ".join(f"`{key}`" for key in task.keys.split())
        line = f"`:{task.line}`" if task.line else ""
        other = f"`{task.insilico}`" if task.insilico and "(" not in task.insilico else task.insilico
        counts = (count_keys(task.keys), count_line(task.line), len(task.insilico) + 1 if other.startswith("`") else 0)
        shown = [str(count) if count else "" for count in counts]
        rows.append(f"| {task.name} | {keys} | {shown[0]} | {line} | {shown[1]} | {other} | {shown[2]} |")
    return "\n".join(rows)


if __name__ == "__main__" and "--write" in sys.argv:
    PAGE.write(page())
