"""What hands do by accident with the command line."""

from __future__ import annotations

from random import Random

from tests.accidents.attempt import Attempt, Meaning, MeantOrder, Paste, Press, Step
from tests.accidents.kinds import BTC, NOTHING, PANES, held, typed

LINES = (
    ("buy 0.02 BTC BINANCE_PERP_BTC join", "BUY", "0.02"),
    ("sell 0.02 BTC BINANCE_PERP_BTC join", "SELL", "0.02"),
    ("b $1300 BINANCE_PERP_BTC at bid-5t", "BUY", ""),
    ("s .02btc BINANCE_PERP_BTC at ask+0.1%", "SELL", "0.02"),
)
"""Lines with the side and the quantity of their order."""
UNFINISHED = ("buy 5", "buy 5 btc", "sell 1 BINANCE_PERP_BTC", "buy 5 BINANCE_PERP_BTC jion", "b 0.5btc at", "close 50")


def open_line(rng: Random) -> tuple[list[Step], MeantOrder]:
    """Open the line on a pane and type an order that the person has looked at."""
    line, side, qty = rng.choice(LINES)
    steps: list[Step] = [Press(rng.choice(PANES), 0.4), Press(":", 0.3), *typed(line, rng)]
    return steps, MeantOrder(sym=BTC, side=side, qty=qty)


def hold_enter_on_a_line(rng: Random) -> Attempt:
    steps, meant = open_line(rng)
    return Attempt(
        kind="hold Enter on a line",
        scene=rng.choice(["flat", "held"]),
        meaning=Meaning(orders=(meant,)),
        steps=(*steps, *held("enter", rng)),
        story="Enter is meant once for a line and stays down",
    )


def press_twice_on_a_line(rng: Random) -> Attempt:
    steps, meant = open_line(rng)
    gap = rng.uniform(0.03, 1.5)
    return Attempt(
        kind="press twice on a line",
        scene=rng.choice(["flat", "held", "working"]),
        meaning=Meaning(orders=(meant,)),
        steps=(*steps, Press("enter", gap), Press(rng.choice(["enter", "y"]), 0.3), Press("enter", 0.3)),
        story="Enter again behind a line that was sent",
    )


def unfinished_line(rng: Random) -> Attempt:
    tail = [Press(rng.choice(["enter", "enter", "y"]), rng.uniform(0.2, 0.9)) for _ in range(rng.randint(1, 4))]
    return Attempt(
        kind="unfinished line",
        scene=rng.choice(["flat", "held"]),
        meaning=NOTHING,
        steps=(Press("1", 0.4), Press(":", 0.3), *typed(rng.choice(UNFINISHED), rng), *tail),
        story="a line without its price or unit is entered again and again",
    )


def line_left_behind(rng: Random) -> Attempt:
    steps, _ = open_line(rng)
    tail = [Press(rng.choice(["enter", "y", "enter"]), rng.uniform(0.2, 0.8)) for _ in range(rng.randint(1, 3))]
    return Attempt(
        kind="line left behind",
        scene=rng.choice(["flat", "held"]),
        meaning=NOTHING,
        steps=(*steps, Press("escape", 0.5), *tail),
        story="the line is left with Esc, and Enter is meant for the list",
    )


def line_on_a_list(rng: Random) -> Attempt:
    """The letters of a line are keys on a list; the cancels among them are meant to work with one key."""
    line, _, _ = rng.choice(LINES)
    return Attempt(
        kind="line on a list",
        scene=rng.choice(["flat", "held", "working"]),
        meaning=Meaning(cancels=("*",)),
        steps=(
            Press(rng.choice("1345"), 0.4),
            *typed(line, rng),
            Press("enter", 0.5),
            Press("enter", 0.4),
            Press("y", 0.4),
        ),
        story=f"{line!r} is typed though the line is not open",
    )


def paste_into_a_line(rng: Random) -> Attempt:
    text = rng.choice(
        [
            "buy 5 BTC BINANCE_PERP_BTC mkt\n",
            "buy 1 BTC BINANCE_PERP_BTC join\ny\n",
            "sell 5 BTC BINANCE_PERP_BTC mkt\n\n\ny",
        ]
    )
    opened: list[Step] = [Press("1", 0.4), *([Press(":", 0.4)] if rng.random() < 0.7 else [])]
    return Attempt(
        kind="paste into a line",
        scene=rng.choice(["flat", "held"]),
        meaning=NOTHING,
        steps=(*opened, Paste(text, bracketed=rng.random() < 0.5)),
        story="a line with its line break comes from another window",
    )


LINE_ACCIDENTS = (
    hold_enter_on_a_line, press_twice_on_a_line, unfinished_line, line_left_behind, line_on_a_list, paste_into_a_line,
)  # fmt: skip
