"""What hands do by accident on the ladder and the chart of a pair."""

from __future__ import annotations

from random import Random

from tests.accidents.attempt import Attempt, Confirm, Happen, Meaning, MeantOrder, Paste, Press, Step
from tests.accidents.kinds import AWAY, BTC, EDX, NOTHING, PASTES, held, typed

OPEN: tuple[Step, ...] = (Press("d", 0.8),)
"""From the first pair to its ladder, whose cursor is on the best bid."""
MOVES = ("j", "k", "[", "]", "g", "G", "'", "<", ">")
LADDER_KEYS = ("b", "s", "enter", "y", "space", "t", "p", "i", "'", "C", "d", "B", "S", "f", "e", "z")
LIST_HABITS = ("f", "o", "%", "e", "+", "B", "S", "5", "$", "0", "F", "l", "T", "J", "=")
"""Without `.`, which means the same on every list: the last ticket again, for Enter to send."""
CHART_HABITS = ("h", "l", ",", ";", "+", "-", "left", "right", "pageup", "pagedown", "G")
VENUES = (BTC, EDX, "OKX_PERP_BTC_USDT")
"""Columns of the ladder with all venues, from left to right."""
AMOUNTS = ("0.02", "61500", "$900", ".5", "25", "250")


def moved(rng: Random, most: int = 3) -> list[Step]:
    """Move the cursor and read the price it stands on."""
    moves: list[Step] = [Press(rng.choice(MOVES), rng.uniform(0.1, 0.3)) for _ in range(rng.randint(0, most))]
    return [*moves, Press("j", rng.uniform(0.35, 0.7))]


def staged(rng: Random) -> tuple[list[Step], MeantOrder]:
    """Stage an order at a price of the ladder, and read the ticket."""
    key = rng.choice("bs")
    steps = [*OPEN, *moved(rng), Press(key, rng.uniform(0.5, 0.8)), Happen("read")]
    return steps, MeantOrder(sym=BTC, side="BUY" if key == "b" else "SELL")


def resting(rng: Random) -> tuple[list[Step], MeantOrder]:
    """Let an order rest at a price of the ladder below the best bid, with the cursor on it."""
    steps = [*OPEN, Press("[", 0.3), Press("j", 0.6), Press("b", 0.7), Happen("read"), Press("enter", 1.5)]
    return steps, MeantOrder(sym=BTC, side="BUY")


def hold_on_the_ladder(rng: Random) -> Attempt:
    key = rng.choice(LADDER_KEYS)
    return Attempt(
        kind="ladder: hold a key", scene=rng.choice(["flat", "held", "working"]), meaning=NOTHING,
        steps=(*OPEN, *moved(rng), *held(key, rng), Press("escape", 0.4)), story=f"something lies on {key}",
    )  # fmt: skip


def hold_enter_on_a_ladder_ticket(rng: Random) -> Attempt:
    steps, meant = staged(rng)
    return Attempt(
        kind="ladder: hold Enter", scene=rng.choice(["flat", "held"]), meaning=Meaning(orders=(meant,)),
        steps=(*steps, *held("enter", rng)), story="Enter is meant once and stays down, also behind the ticket",
    )  # fmt: skip


def mash_on_the_ladder(rng: Random) -> Attempt:
    keys = [Press(rng.choice(["enter", "enter", "y"]), rng.uniform(0.1, 1.2)) for _ in range(rng.randint(2, 7))]
    return Attempt(
        kind="ladder: mash Enter", scene=rng.choice(["flat", "held", "working"]), meaning=NOTHING,
        steps=(*OPEN, *moved(rng), *keys), story="Enter again and again where nothing is staged or picked up",
    )  # fmt: skip


def press_twice_on_a_ladder_ticket(rng: Random) -> Attempt:
    steps, meant = staged(rng)
    again = [Press(rng.choice(["enter", "y"]), rng.uniform(0.3, 1.5)) for _ in range(rng.randint(1, 3))]
    return Attempt(
        kind="ladder: press twice", scene=rng.choice(["flat", "held"]), meaning=Meaning(orders=(meant,)),
        steps=(*steps, Press("enter", rng.uniform(0.03, 1.5)), *again),
        story="Enter again behind an order of the ladder that was sent",
    )  # fmt: skip


def stage_before_the_price_is_read(rng: Random) -> Attempt:
    move = rng.choice(["j", "k", "[", "]", "g"])
    steps = (*OPEN, Press("k", 0.5), Press(move, rng.uniform(0.035, 0.08)), Press(rng.choice("bs"), 0.6))
    return Attempt(
        kind="ladder: stage unread", scene=rng.choice(["flat", "held"]), meaning=NOTHING,
        steps=(*steps, Press("enter", 0.6), Press("y", 0.4)),
        story=f"the side follows {move} before the price under the cursor can be read",
    )  # fmt: skip


def price_runs_under_a_ladder_ticket(rng: Random) -> Attempt:
    steps, meant = staged(rng)
    move = rng.choice(["0.1%", "-0.1%", "0.4%", "-0.4%", "1.5%", "-1.5%"])
    return Attempt(
        kind="ladder: price runs", scene=rng.choice(["flat", "held"]), meaning=Meaning(orders=(meant,)),
        steps=(*steps, Happen("move", move, rng.uniform(0.1, 5)), Press("enter", 0.9), Press("y", 0.9)),
        story=f"the market moves by {move} under the ticket: the price that was chosen is meant",
    )  # fmt: skip


def leave_a_ladder_ticket(rng: Random) -> Attempt:
    steps, meant = staged(rng)
    away = rng.choice(
        (*AWAY, ("escape", "d"), ("escape", "1", "j", "j"), ("escape", "right"), ("escape", "d", "j", "d"))
    )
    tail = [
        Press(key, rng.uniform(0.2, 0.9))
        for key in rng.choice((("enter",), ("y",), ("enter", "enter"), ("enter", "y")))
    ]
    # Tab goes round and may lead back to the ticket: what stands there is then meant.
    return Attempt(
        kind="ladder: leave a ticket", scene=rng.choice(["flat", "held"]),
        meaning=Meaning(orders=(meant,)) if away[0] == "tab" else NOTHING,
        steps=(*steps, *(Press(key, rng.uniform(0.3, 0.7)) for key in away), *tail),
        story="the person goes to another pair or list and presses Enter there",
    )  # fmt: skip


def pair_changes_under_a_ladder_ticket(rng: Random) -> Attempt:
    steps, _ = staged(rng)
    other = [
        Press("escape", 0.5),
        Press("1", 0.3),
        Press("j", rng.uniform(0.05, 0.6)),
        Press("d", rng.uniform(0.1, 0.9)),
    ]
    return Attempt(
        kind="ladder: pair changes", scene=rng.choice(["flat", "held"]), meaning=NOTHING,
        steps=(*steps, *other, Press("enter", 0.6), Press("y", 0.6), Press("enter", 0.6)),
        story="a ticket is left, another pair is opened and Enter is pressed on its ladder",
    )  # fmt: skip


def cancel_twice_on_moving_rows(rng: Random) -> Attempt:
    steps, meant = resting(rng)
    move = Happen("move", rng.choice(["0.1%", "-0.02%", "0.4%", "1.5%"]), rng.uniform(0.0, 1.0))
    return Attempt(
        kind="ladder: c c", scene=rng.choice(["flat", "working"]), meaning=Meaning(orders=(meant,)),
        steps=(*steps, move, Press("c", rng.uniform(0.04, 2.0)), Press("c", 0.3), Press("c", 0.5)),
        story="c again and again while the market moves: the orders of that price are meant, and no other",
    )  # fmt: skip


def put_on_the_wrong_row(rng: Random) -> Attempt:
    steps, meant = resting(rng)
    walk = [Press(rng.choice(MOVES[:7]), rng.uniform(0.1, 0.4)) for _ in range(rng.randint(1, 4))]
    tail = [Press("enter", rng.uniform(0.05, 0.8)), *rng.choice(([], held("enter", rng), [Press("escape", 0.5)]))]
    return Attempt(
        kind="ladder: put on the wrong row", scene=rng.choice(["flat", "working"]), meaning=Meaning(orders=(meant,)),
        steps=(*steps, Press("space", 0.4), *walk, *tail, Press("escape", 0.4)),
        story="an order is picked up and Enter comes on a row that was not meant: its preview is not confirmed",
    )  # fmt: skip


def enter_long_after_a_pick(rng: Random) -> Attempt:
    steps, meant = resting(rng)
    away = [
        Press(key, rng.uniform(0.3, 0.8))
        for key in rng.choice((("1", "j", "d"), ("2", "d"), ("d", "d"), ("3", "1", "d")))
    ]
    return Attempt(
        kind="ladder: Enter after a pick", scene=rng.choice(["flat", "working"]), meaning=Meaning(orders=(meant,)),
        steps=(*steps, Press("space", 0.4), *away, *moved(rng), Press("enter", rng.uniform(0.2, 0.9)), Press("enter", 0.6)),
        story="an order is picked up and forgotten; Enter twice somewhere else on a ladder replaces nothing",
    )  # fmt: skip


def open_twice(rng: Random) -> Attempt:
    key = rng.choice("bs")
    tail = [Press(key, rng.uniform(0.4, 0.7)), Press("escape", 0.4), Press("enter", 0.5), Press("escape", 0.3)]
    return Attempt(
        kind="ladder: d d", scene=rng.choice(["flat", "held"]), meaning=NOTHING,
        steps=(Press("d", rng.uniform(0.04, 0.6)), Press("d", rng.uniform(0.1, 0.6)), *tail),
        story="d bounces and closes the ladder; what is staged on the list is dropped",
    )  # fmt: skip


def ladder_keys_on_the_quotes(rng: Random) -> Attempt:
    keys = [
        Press(rng.choice(["space", "[", "]", "'", "g", "G", "j", "k", "i"]), rng.uniform(0.1, 0.4)) for _ in range(5)
    ]
    tail = [Press(rng.choice(["enter", "y", "enter"]), rng.uniform(0.2, 0.8)), Press("y", 0.4)]
    return Attempt(
        kind="ladder: keys on the quotes", scene=rng.choice(["flat", "held", "working"]), meaning=NOTHING,
        steps=(*OPEN, Press("1", 0.4), *keys, *tail), story="keys of the ladder are typed while the quotes have the focus",
    )  # fmt: skip


def list_keys_on_the_ladder(rng: Random) -> Attempt:
    keys = [Press(rng.choice(LIST_HABITS), rng.uniform(0.1, 0.4)) for _ in range(rng.randint(2, 6))]
    tail = [Press(rng.choice(["enter", "y", "enter"]), rng.uniform(0.2, 0.8)), Press("enter", 0.5), Press("y", 0.4)]
    return Attempt(
        kind="ladder: keys of a list", scene=rng.choice(["flat", "held", "working"]), meaning=NOTHING,
        steps=(*OPEN, *moved(rng), *keys, *tail), story="keys of quotes and positions are typed on the ladder",
    )  # fmt: skip


def chart_keys_on_the_ladder(rng: Random) -> Attempt:
    keys = [Press(rng.choice(CHART_HABITS), rng.uniform(0.05, 0.4)) for _ in range(rng.randint(2, 8))]
    side = [Press(rng.choice("bs"), 0.6), Press("escape", 0.4)] if rng.random() < 0.5 else []
    return Attempt(
        kind="ladder: keys of the chart", scene=rng.choice(["flat", "held", "working"]), meaning=NOTHING,
        steps=(*OPEN, *keys, *side, Press("enter", 0.5), Press("y", 0.5)), story="the ladder is taken for the chart",
    )  # fmt: skip


def amount_on_the_ladder(rng: Random) -> Attempt:
    text = rng.choice(AMOUNTS)
    tail = [Press(rng.choice(["b", "s", "enter"]), rng.uniform(0.15, 0.5)), *(Press("enter", 0.5) for _ in range(2))]
    return Attempt(
        kind="ladder: an amount", scene=rng.choice(["flat", "held"]), meaning=NOTHING,
        steps=(*OPEN, *typed(text, rng), *tail), story=f"{text} is typed on the ladder though no field is open",
    )  # fmt: skip


def level_unread(rng: Random) -> Attempt:
    key = rng.choice("tp")
    rolled = [Press(rng.choice([key, "y", "enter"]), rng.uniform(0.04, 0.12)) for _ in range(rng.randint(1, 3))]
    return Attempt(
        kind="ladder: level unread", scene=rng.choice(["flat", "long", "held"]), meaning=NOTHING,
        steps=(*OPEN, *moved(rng), Press(key, rng.uniform(0.04, 0.12)), *rolled, Press("escape", 0.4)),
        story=f"a finger rolls from {key} on to y before the question can be read",
    )  # fmt: skip


def paste_on_the_ladder(rng: Random) -> Attempt:
    return Attempt(
        kind="ladder: paste", scene=rng.choice(["flat", "held"]), meaning=NOTHING,
        steps=(*OPEN, *moved(rng), Paste(rng.choice(PASTES), bracketed=rng.random() < 0.5)),
        story="text from another window lands on the ladder",
    )  # fmt: skip


def calm_on_the_ladder(rng: Random) -> Attempt:
    key, side = rng.choice((("b", "BUY"), ("s", "SELL")))
    move = "[" if key == "b" else "]"
    meaning = Meaning(orders=(MeantOrder(sym=BTC, side=side),), must=True)
    return Attempt(
        kind="ladder: calm", scene=rng.choice(["flat", "held"]), meaning=meaning,
        steps=(*OPEN, Press(move, 0.5), Press(key, 0.5), Happen("read"), Confirm()),
        story="an order rests at a price of the ladder",
    )  # fmt: skip


def at_venue(rng: Random) -> tuple[list[Step], str]:
    """Show all venues, go to the columns of one, and read where the cursor stands."""
    number = rng.randrange(len(VENUES))
    rights = [Press("right", rng.uniform(0.15, 0.5)) for _ in range(number)]
    return [*OPEN, Press(")", 0.6), *rights, *moved(rng, 1)], VENUES[number]


def arrows_under_a_ticket_of_a_venue(rng: Random) -> Attempt:
    steps, sym = at_venue(rng)
    key = rng.choice("bs")
    arrows = [Press(rng.choice(["left", "right"]), rng.uniform(0.1, 0.5)) for _ in range(rng.randint(1, 4))]
    meaning = Meaning(orders=(MeantOrder(sym=sym, side="BUY" if key == "b" else "SELL"),))
    return Attempt(
        kind="ladder: arrows under a ticket", scene=rng.choice(["flat", "held"]), meaning=meaning,
        steps=(*steps, Press(key, 0.6), Happen("read"), *arrows, Press("enter", 0.7), Press("y", 0.7)),
        story="the arrows that walk over venues are pressed on a ticket: its own venue is meant",
    )  # fmt: skip


def stage_in_an_unread_column(rng: Random) -> Attempt:
    steps, sym = at_venue(rng)
    arrow = "right" if sym == VENUES[0] else "left" if sym == VENUES[-1] else rng.choice(["left", "right"])
    side = Press(rng.choice("bs"), 0.6)
    return Attempt(
        kind="ladder: column unread", scene=rng.choice(["flat", "held"]), meaning=NOTHING,
        steps=(*steps, Press(arrow, rng.uniform(0.035, 0.08)), side, Press("enter", 0.6), Press("y", 0.4)),
        story=f"the side follows {arrow} before the column under the cursor can be read",
    )  # fmt: skip


def leave_a_ticket_for_another_venue(rng: Random) -> Attempt:
    steps, _ = at_venue(rng)
    walk = [Press(rng.choice(["left", "right", ")", "("]), rng.uniform(0.1, 0.5)) for _ in range(rng.randint(1, 4))]
    tail = [Press(rng.choice(["enter", "y"]), rng.uniform(0.2, 0.8)), Press("enter", 0.5), Press("y", 0.5)]
    return Attempt(
        kind="ladder: leave a venue", scene=rng.choice(["flat", "held"]), meaning=NOTHING,
        steps=(*steps, Press(rng.choice("bs"), 0.6), Press("escape", 0.5), *walk, *tail),
        story="a ticket is dropped, the cursor walks over venues and Enter comes there",
    )  # fmt: skip


def calm_at_a_venue(rng: Random) -> Attempt:
    steps, sym = at_venue(rng)
    key, side, move = rng.choice((("b", "BUY", "["), ("s", "SELL", "]")))
    return Attempt(
        kind="ladder: calm at a venue", scene="flat",
        meaning=Meaning(orders=(MeantOrder(sym=sym, side=side),), must=True),
        steps=(*steps, Press(move, 0.5), Press(key, 0.5), Happen("read"), Confirm()),
        story="an order rests at the venue whose column the cursor is in",
    )  # fmt: skip


LADDER_ACCIDENTS = (
    hold_on_the_ladder, hold_enter_on_a_ladder_ticket, mash_on_the_ladder, press_twice_on_a_ladder_ticket,
    stage_before_the_price_is_read, price_runs_under_a_ladder_ticket, leave_a_ladder_ticket,
    pair_changes_under_a_ladder_ticket, cancel_twice_on_moving_rows, put_on_the_wrong_row, enter_long_after_a_pick,
    open_twice, ladder_keys_on_the_quotes, list_keys_on_the_ladder, chart_keys_on_the_ladder, amount_on_the_ladder,
    level_unread, paste_on_the_ladder, calm_on_the_ladder, arrows_under_a_ticket_of_a_venue,
    stage_in_an_unread_column, leave_a_ticket_for_another_venue, calm_at_a_venue,
)  # fmt: skip
