"""What hands do by accident: each kind draws attempts, with what the person means and the keys that are pressed."""

from __future__ import annotations

from collections.abc import Callable
from random import Random

import msgspec

from tests.accidents.attempt import Attempt, Confirm, Happen, Meaning, MeantOrder, Paste, Press, Step

BTC, EDX, ETH = "BINANCE_PERP_BTC_USDT", "EDX_PERP_BTC_USDT", "BINANCE_PERP_ETH_USDT"
NOTHING = Meaning()
LIST_KEYS = (
    "enter", "b", "s", "B", "S", "y", "f", "o", "%", ".", "e", "+", "p",
    "a", "l", "t", "5", "0", "$", "z", "F",
)  # fmt: skip
PANES = "12345"
SIZES = ("0.01", ".02", "0.5", "1", "$900", "$1500", "25%")
REFUSED_SIZES = (
    "5x", "0..5", "5,", "05", "5.", "1e3", "25ct", "0.5btcc", "5 %%", "x5", "q5", "00", ".5.", "1_0", "0.0001", "16z",
    "..5", "5€", "1 000", "$", "%", "0", "5ß", "2h",
)  # fmt: skip


def typed(text: str, rng: Random) -> list[Step]:
    """Press the characters of a text at the pace of a hand."""
    return [Press(" " if char == " " else char, rng.uniform(0.07, 0.2)) for char in text]


def held(key: str, rng: Random, seconds: float = 0.0) -> list[Step]:
    """Hold a key down: one press, the pause before the keyboard repeats, then repeats."""
    first, every = rng.uniform(0.25, 0.66), rng.choice([0.011, 0.025, 0.033, 0.05, 0.09])
    count = int((seconds or rng.uniform(0.4, 2.5)) / every)
    return [Press(key, first), *(Press(key, every) for _ in range(min(count, 90)))]


def stage(rng: Random, *, key: str = "", size: str = "") -> tuple[list[Step], MeantOrder]:
    """Stage a line for the first pair; the person has looked at it."""
    key = key or rng.choice("bs")
    steps: list[Step] = [Press(key, rng.uniform(0.3, 0.6))]
    steps += typed(size, rng)
    return steps, MeantOrder(sym=BTC, side="BUY" if key in "bB" else "SELL", qty=size if _is_base(size) else "")


def _is_base(size: str) -> bool:
    return bool(size) and all(char in "0123456789." for char in size)


# -- held keys -----------------------------------------------------------------------------------------------------


def hold_on_a_list(rng: Random) -> Attempt:
    key, pane = rng.choice(LIST_KEYS), rng.choice(PANES)
    scene = rng.choice(["flat", "held", "working"])
    steps = [Press(pane, 0.4), *held(key, rng)]
    return Attempt(
        kind="hold on a list", scene=scene, meaning=NOTHING, steps=tuple(steps), story=f"something lies on {key}"
    )


def hold_enter_on_a_staged_line(rng: Random) -> Attempt:
    steps, meant = stage(rng, size=rng.choice(["", "0.02"]))
    return Attempt(
        kind="hold Enter on a staged line",
        scene=rng.choice(["flat", "held"]),
        meaning=Meaning(orders=(meant,)),
        steps=(*steps, *held("enter", rng)),
        story="Enter is meant once and stays down",
    )


def hold_in_a_form(rng: Random) -> Attempt:
    key = rng.choice(["enter", "y", "tab", "b", "s"])
    steps = [Press("enter", rng.uniform(0.2, 0.8)), *held(key, rng)]
    return Attempt(
        kind="hold in a form", scene="flat", meaning=NOTHING, steps=tuple(steps), story=f"{key} stays down in a form"
    )


def mash_enter(rng: Random) -> Attempt:
    wait = rng.uniform(0.1, 1.2)
    steps = [Press(rng.choice(PANES), 0.4), *(Press("enter", wait) for _ in range(rng.randint(2, 8)))]
    return Attempt(
        kind="mash Enter", scene=rng.choice(["flat", "held", "working"]), meaning=NOTHING, steps=tuple(steps),
        story="Enter again and again",
    )  # fmt: skip


def hold_at_a_question(rng: Random) -> Attempt:
    steps, meant = stage(rng, size="0.6")
    key = rng.choice(["y", "enter"])
    meaning = Meaning(orders=(meant,)) if key == "y" else NOTHING
    return Attempt(
        kind="hold at a question",
        scene="flat",
        meaning=meaning,
        steps=(*steps, Press("enter", 0.8), *held(key, rng)),
        story=f"a question is open and {key} stays down",
    )


def hold_on_a_ghost(rng: Random) -> Attempt:
    steps: list[Step] = [Press("2", 0.6), *(Press(rng.choice("+-"), 0.2) for _ in range(3)), *held("enter", rng)]
    return Attempt(
        kind="hold on a replace",
        scene="working",
        meaning=Meaning(replaces=("C",)),
        steps=tuple(steps),
        story="Enter is meant once for a replace of the newest order and stays down",
    )


# -- double and late -----------------------------------------------------------------------------------------------


def press_twice(rng: Random) -> Attempt:
    steps, meant = stage(rng, size=rng.choice(["", "0.02"]))
    gap = rng.uniform(0.03, 0.69)
    return Attempt(
        kind="press twice",
        scene=rng.choice(["flat", "held"]),
        meaning=Meaning(orders=(meant,)),
        steps=(*steps, Press("enter", gap), Press("enter", 0.3)),
        story="a finger bounces on Enter",
    )


def press_late(rng: Random) -> Attempt:
    steps, meant = stage(rng, size=rng.choice(["", "0.02"]))
    late: list[Step] = [
        Press(rng.choice(["enter", "enter", "y"]), rng.uniform(0.7, 2.0)) for _ in range(rng.randint(1, 4))
    ]
    return Attempt(
        kind="press late",
        scene=rng.choice(["flat", "held"]),
        meaning=Meaning(orders=(meant,)),
        steps=(*steps, Press("enter", rng.uniform(0.7, 1.5)), *late),
        story="the person did not see that it left and presses again",
    )


def close_twice(rng: Random) -> Attempt:
    gap = rng.uniform(0.05, 1.5)
    keys = rng.choice([("f",), ("%", "2"), ("o",)])
    to_first = (Press("3", 0.4), Press("g", 0.2), Press("g", 0.4))
    steps: list[Step] = [*to_first, *(Press(key, 0.6) for key in keys), Press("enter", gap), Press("enter", gap)]
    return Attempt(
        kind="close twice",
        scene="held",
        meaning=Meaning(orders=(MeantOrder(sym=BTC, side="SELL"),)),
        steps=tuple(steps),
        story="Enter twice on a closing line",
    )


def cancel_twice(rng: Random) -> Attempt:
    gap = rng.uniform(0.04, 0.28)
    return Attempt(
        kind="cancel twice",
        scene="working",
        meaning=Meaning(cancels=("C",)),
        steps=(Press("2", 0.6), Press("c", gap), Press("c", 0.4)),
        story="c bounces: the newest order is meant, and no other",
    )


def cancel_again(rng: Random) -> Attempt:
    """Pressed a second time because the first press was not seen to work."""
    return Attempt(
        kind="cancel again",
        scene="working",
        meaning=Meaning(cancels=("C",)),
        steps=(Press("2", 0.7), Press("c", rng.uniform(0.4, 2.5)), Press("c", 0.6)),
        story="c is pressed again: the newest order is meant, and no other",
    )


def figure_behind_a_dot(rng: Random) -> Attempt:
    """A figure below 1 that is typed slowly where no field is open; the dot stages the last ticket again."""
    figure = [Press(digit, rng.uniform(0.1, 0.4)) for digit in rng.choice(["5", "99", "02", "25"])]
    sent = MeantOrder(sym=BTC, side="BUY", qty="0.02")
    return Attempt(
        kind="figure behind a dot",
        scene="flat",
        meaning=Meaning(orders=(sent,)),
        steps=(
            Press("b", 0.4), *typed(".02", rng), Press("enter", 1.5), Press(".", rng.uniform(0.3, 2.5)), *figure,
            Press("enter", 0.6), Press("y", 0.5),
        ),
        story="one order is sent; then an amount is typed though no field is open",
    )  # fmt: skip


AWAY = (
    ("escape",), ("escape", "2"), ("escape", "3"), ("escape", "j"), ("tab", "tab", "tab"), ("escape", "1", "j"), ("H",),
    ("W",),
)  # fmt: skip
AFTERWARDS = (("enter",), ("y",), ("enter", "enter"), ("enter", "y"))


# -- wrong place ---------------------------------------------------------------------------------------------------


def type_into_nothing(rng: Random) -> Attempt:
    text = rng.choice(["1000", "0.5", "$500", "50", "250", "12.5", "61500", ".05", "10%"])
    tail = [Press("enter", rng.uniform(0.15, 0.7)), Press("enter", rng.uniform(0.15, 0.7)), Press("y", 0.3)]
    return Attempt(
        kind="type into nothing",
        scene=rng.choice(["flat", "held", "working"]),
        meaning=NOTHING,
        steps=(Press(rng.choice(PANES), 0.4), *typed(text, rng), *tail),
        story="an amount is typed though no field is open",
    )


def leave_a_staged_line(rng: Random) -> Attempt:
    steps, staged = stage(rng, size=rng.choice(["", "0.02"]))
    away = rng.choice(AWAY)
    tail = [Press(key, rng.uniform(0.2, 0.8)) for key in rng.choice(AFTERWARDS)]
    # Tab goes round and may lead back to the line: what stands on it is then meant.
    meaning = Meaning(orders=(staged,)) if away[0] == "tab" else NOTHING
    return Attempt(
        kind="leave a staged line",
        scene="held",
        meaning=meaning,
        steps=(*steps, *(Press(key, 0.45) for key in away), *tail),
        story="the person goes elsewhere and presses Enter there",
    )


def stage_elsewhere(rng: Random) -> Attempt:
    steps, first = stage(rng, size="0.02")
    return Attempt(
        kind="stage elsewhere",
        scene="flat",
        meaning=Meaning(orders=(MeantOrder(sym=EDX, side="SELL"),)),
        steps=(*steps, Press("escape", 0.5), Press("1", 0.3), Press("j", 0.3), Press("s", 0.6), Press("enter", 0.4)),
        story=f"a {first.side} is left behind and a sell of the next pair is staged: only that one may leave",
    )


def letter_before_the_size(rng: Random) -> Attempt:
    letter = rng.choice("kdnwhmj")
    tail = [
        Press(rng.choice(["enter", "enter", "T", "plus"]), rng.uniform(0.45, 0.9)) for _ in range(rng.randint(1, 3))
    ]
    return Attempt(
        kind="letter before the size",
        scene=rng.choice(["flat", "held"]),
        meaning=NOTHING,
        steps=(Press(rng.choice("bs"), 0.5), Press(letter, 0.3), *typed(rng.choice(["5", "0.02", ""]), rng), *tail),
        story=f"{letter} is refused by the staged line, and nothing behind it is meant for that line",
    )


# -- before it can be read -----------------------------------------------------------------------------------------


def answer_unread(rng: Random) -> Attempt:
    steps, _ = stage(rng, size="0.6")
    rolled = [Press("enter", rng.uniform(0.04, 0.13)), Press("y", rng.uniform(0.2, 0.6))]
    return Attempt(
        kind="answer unread",
        scene=rng.choice(["flat", "held"]),
        meaning=NOTHING,
        steps=(*steps, *rolled),
        story="a finger rolls from Enter on to y before the question can be read",
    )


def step_onto_a_paused_line(rng: Random) -> Attempt:
    steps, _ = stage(rng, size=rng.choice(["", "0.02"]))
    away = [Press(rng.choice("23"), rng.uniform(0.5, 0.9)), Press("tab", rng.uniform(0.16, 0.38))]
    return Attempt(
        kind="step onto a paused line",
        scene="held",
        meaning=NOTHING,
        steps=(*steps, *away, Press("enter", 0.6)),
        story="Tab and Enter are meant for a pane, and Tab leads back to the line that was left",
    )


def side_behind_an_amount(rng: Random) -> Attempt:
    text = rng.choice(["1000", "500", "2.5", "$900", "61500"])
    tail = [Press(rng.choice("bsBS"), rng.uniform(0.15, 0.5)), *(Press("enter", 0.5) for _ in range(2))]
    return Attempt(
        kind="side behind an amount",
        scene=rng.choice(["flat", "held"]),
        meaning=NOTHING,
        steps=(Press(rng.choice(PANES), 0.4), *typed(text, rng), *tail),
        story=f"{text} is meant as the size, and no field was open for it",
    )


# -- paste ---------------------------------------------------------------------------------------------------------

PASTES = (
    "b\n5\n\ny",
    "buy 5 btc\n\n\ny",
    "b0.5\r\r\ry",
    "y\n",
    "\n\n\n\n",
    "B\n\n\n",
    "s1\n\n",
    "16000\n\ny\n",
    "f\n\n",
    "bby\n",
)


def paste_somewhere(rng: Random) -> Attempt:
    state = rng.choice(["list", "staged", "form", "question"])
    steps: list[Step] = []
    meant: tuple[MeantOrder, ...] = ()
    if state == "staged":
        steps, _ = stage(rng, size="0.02")
    elif state == "form":
        steps = [Press("enter", 0.5)]
    elif state == "question":
        steps, _ = stage(rng, size="0.6")
        steps.append(Press("enter", 0.8))
    else:
        steps = [Press(rng.choice(PANES), 0.4)]
    paste = Paste(rng.choice(PASTES), bracketed=rng.random() < 0.5)
    return Attempt(
        kind="paste", scene=rng.choice(["flat", "held"]), meaning=Meaning(orders=meant), steps=(*steps, paste),
        story=f"text from another window lands on a {state}",
    )  # fmt: skip


# -- refused -------------------------------------------------------------------------------------------------------


def refused_then_enter(rng: Random) -> Attempt:
    size = rng.choice(REFUSED_SIZES)
    tail = [Press("enter", rng.uniform(0.2, 0.9)) for _ in range(rng.randint(1, 3))] + [Press("y", 0.3)]
    return Attempt(
        kind="refused, then Enter",
        scene=rng.choice(["flat", "held"]),
        meaning=NOTHING,
        steps=(Press(rng.choice("bs"), 0.5), *typed(size, rng), *tail),
        story=f"{size!r} is refused and Enter follows",
    )


def other_key_behind_a_taker(rng: Random) -> Attempt:
    """A refused or questioned taker is believed to be gone behind Esc, and a resting order is staged over it."""
    opener, other = rng.choice([("B", "b"), ("S", "s")])
    tail = [Press("enter", rng.uniform(0.4, 0.9)), Press("y", 0.5)]
    return Attempt(
        kind="other key behind a taker",
        scene=rng.choice(["flat", "held"]),
        meaning=NOTHING,
        steps=(
            Press(opener, 0.5), *typed(rng.choice(["0.6", "0.8", "5"]), rng), Press("enter", 0.9), Press("escape", 0.6),
            Press(other, 0.5), *typed("0.02", rng), *tail,
        ),
        story=f"{opener} is asked about or refused; Esc, {other} and a size are meant for an order that rests",
    )  # fmt: skip


def take_back_then_enter(rng: Random) -> Attempt:
    in_form: list[Step] = [Press("e", 0.5), Press("backspace", 0.2)] if rng.random() < 0.5 else []
    figure = "0.02" if not in_form else rng.choice(["1", "61000"])
    tail = [Press("enter", rng.uniform(0.2, 0.9)) for _ in range(rng.randint(1, 2))]
    return Attempt(
        kind="take back, then Enter",
        scene=rng.choice(["flat", "held"]),
        meaning=NOTHING,
        steps=(
            Press(rng.choice("bs"), 0.5),
            *in_form,
            *typed(figure, rng),
            Press("escape", rng.uniform(0.2, 0.9)),
            *tail,
        ),
        story=f"Esc takes {figure} back and Enter follows",
    )


def odd_size_as_it_reads(rng: Random) -> Attempt:
    size, qty = rng.choice([(".5", "0.5"), (".05", "0.05"), (".001", "0.001"), ("0.50", "0.5"), ("1k", "")])
    key = rng.choice("bs")
    meant = MeantOrder(sym=BTC, side="BUY" if key == "b" else "SELL", qty=qty)
    return Attempt(
        kind="odd size",
        scene="flat",
        meaning=Meaning(orders=(meant,) if qty else ()),
        steps=(Press(key, 0.5), *typed(size, rng), Press("enter", 0.9), Press("y", 0.4)),
        story=f"{size} means {qty or 'nothing here'}",
    )


# -- the wrong field -----------------------------------------------------------------------------------------------


def price_behind_the_size(rng: Random) -> Attempt:
    """A line of one field taken for a form of several."""
    key, size = rng.choice("bs"), rng.choice(["0.02", "1", ".5"])
    price = rng.choice(["61500", "62000.5", "120", "3", "0.5"])
    away = rng.choice([("tab",), ("tab",), ("tab", "tab"), ("shift+tab",), ("tab", "backspace"), ("tab", "e")])
    tail = [Press(rng.choice(["enter", "enter", "y", "tab"]), rng.uniform(0.3, 1.0)) for _ in range(rng.randint(1, 4))]
    # Backspace behind Tab goes back to the size, and what is typed then changes it in sight.
    qty = "" if "backspace" in away else size
    return Attempt(
        kind="price behind the size",
        scene="flat",
        meaning=Meaning(orders=(MeantOrder(sym=BTC, side="BUY" if key == "b" else "SELL", qty=qty),)),
        steps=(Press(key, 0.5), *typed(size, rng), *(Press(way, 0.4) for way in away), *typed(price, rng), *tail),
        story=f"{size} at {price} is meant, and never another size",
    )


def price_behind_a_refused_tab(rng: Random) -> Attempt:
    """The form stays in the size, and the price is typed."""
    key, size = rng.choice("bs"), rng.choice(["$3", "$1", "0.0001", "0", "3,5"])
    price = rng.choice(["61500", "140", "2", "0"])
    tail = [Press("enter", rng.uniform(0.3, 1.0)) for _ in range(rng.randint(1, 3))] + [Press("y", 0.6)]
    way = [Press("enter", 0.5), Press(key, 0.4), *(Press("tab", 0.3) for _ in range(3))]
    return Attempt(
        kind="price behind a refused Tab",
        scene="flat",
        meaning=NOTHING,
        steps=(*way, *typed(size, rng), Press(rng.choice(["tab", "enter"]), 0.4), *typed(price, rng), *tail),
        story=f"{size} is refused and stays where it is; {price} behind it makes no other size",
    )


def price_keys_in_the_size(rng: Random) -> Attempt:
    """The price is moved away from the touch while the size has the keyboard."""
    key, size = rng.choice("bs"), rng.choice(["$900", "0.02", ""])
    down = "pagedown" if key == "b" else "pageup"
    quiet = [Press(down, 0.35) for _ in range(rng.randint(1, 4))]
    return Attempt(
        kind="price keys in the size",
        scene="flat",
        meaning=Meaning(orders=(MeantOrder(sym=BTC, side="BUY" if key == "b" else "SELL", away=True),)),
        steps=(Press(key, 0.5), *typed(size, rng), Happen("note", BTC), *quiet, Press("enter", 0.9)),
        story="the line is meant away from the touch, and never at it",
    )


# -- panic ---------------------------------------------------------------------------------------------------------


def panic(rng: Random) -> Attempt:
    state = rng.choice(["list", "staged", "size", "form", "question", "price"])
    states: dict[str, list[Step]] = {
        "list": [Press(rng.choice(PANES), 0.3)],
        "staged": [Press("b", 0.5)],
        "size": [Press("b", 0.4), *typed("0.0", rng)],
        "form": [Press("enter", 0.5)],
        "question": [Press("b", 0.4), *typed("0.6", rng), Press("enter", 0.8)],
        "price": [Press("b", 0.4), Press("e", 0.4), Press("tab", 0.2)],
    }
    steps = states[state]
    key = rng.choice(["X", "X", "ctrl+g"])
    hits = [
        Press(key, rng.uniform(0.3, 0.6)),
        *(Press("enter", rng.uniform(0.2, 0.6)) for _ in range(rng.randint(1, 4))),
    ]
    scene = rng.choice(["working", "held"])
    return Attempt(
        kind="panic",
        scene=scene,
        meaning=Meaning(cancels=("*",), must=scene == "working"),
        steps=(*steps, *hits),
        story=f"{key} and Enter in the midst of a {state}: all orders end, and nothing new may leave",
    )


# -- the ground moves ----------------------------------------------------------------------------------------------


def row_moves_under_cancel(rng: Random) -> Attempt:
    what = rng.choice(["arrive", "end"])
    return Attempt(
        kind="row moves under c",
        scene="working",
        meaning=Meaning(cancels=("C", "A") if what == "end" else ("C",)),
        steps=(
            Press("2", rng.uniform(0.4, 0.8)),
            Happen(what, "A" if what == "end" else "", rng.uniform(0.0, 0.35)),
            Press("c", 0.5),
        ),
        story="an order comes or ends just before c: the one that was looked at is meant, or none",
    )


def cancel_on_arrival(rng: Random) -> Attempt:
    left_at = [Press("2", 0.6), Press("j", 0.3), Press("j", 0.4), Press("1", rng.uniform(0.4, 0.9))]
    return Attempt(
        kind="cancel on arrival",
        scene="working",
        meaning=Meaning(cancels=("A",)),
        steps=(*left_at, Press("2", rng.uniform(0.06, 0.25)), Press("c", 0.5)),
        story="c follows 2 at once: the order on which the cursor was left is meant, or none",
    )


def price_runs_under_question(rng: Random) -> Attempt:
    move = rng.choice(["0.1%", "-0.1%", "0.4%", "-0.4%", "1.5%", "-1.5%"])
    key = rng.choice("bs")
    meant = MeantOrder(sym=BTC, side="BUY" if key == "b" else "SELL", qty="0.6")
    return Attempt(
        kind="price runs under a question",
        scene="flat",
        meaning=Meaning(orders=(meant,)),
        steps=(
            Press(key, 0.4),
            *typed("0.6", rng),
            Press("enter", 0.8),
            Happen("read"),
            Happen("move", move, rng.uniform(1, 10)),
            Press("y", 0.6),
            Press("y", 0.9),
        ),
        story=f"the market moves by {move} while the question is read: the price that was asked about is meant",
    )


def send_from_a_frozen_screen(rng: Random) -> Attempt:
    choices: list[list[Step]] = [
        [Press("b", 0.5), Press("enter", 0.5)],
        [Press("b", 0.4), *typed("0.02", rng), Press("enter", 0.6)],
        [Press("B", 0.5), Press("enter", 0.4)],
        [Press("3", 0.4), Press("f", 0.5), Press("enter", 0.4)],
    ]
    keys = rng.choice(choices)
    return Attempt(
        kind="send from a frozen screen",
        scene="held",
        meaning=NOTHING,
        steps=(Press("z", 0.4), Happen("move", rng.choice(["0.4%", "-0.4%"]), rng.uniform(0.5, 3)), *keys),
        story="the screen is frozen and old: the key thaws, and sends nothing",
    )


ACCIDENTS: tuple[Callable[[Random], Attempt], ...] = (
    hold_on_a_list, hold_on_a_list, hold_enter_on_a_staged_line, hold_in_a_form, mash_enter, hold_at_a_question,
    hold_on_a_ghost, press_twice, press_late, close_twice, cancel_twice, type_into_nothing, leave_a_staged_line,
    price_behind_the_size, price_behind_a_refused_tab, price_keys_in_the_size,
    stage_elsewhere, other_key_behind_a_taker, paste_somewhere, refused_then_enter, refused_then_enter, take_back_then_enter,
    letter_before_the_size, answer_unread, step_onto_a_paused_line, side_behind_an_amount,
    odd_size_as_it_reads, panic, row_moves_under_cancel, cancel_on_arrival, cancel_again, figure_behind_a_dot,
    price_runs_under_question,
    send_from_a_frozen_screen,
)  # fmt: skip


# -- calm ways -----------------------------------------------------------------------------------------------------


def ways(shortest: dict[str, int]) -> tuple[Callable[[Random], Attempt], ...]:
    """The calm ways; each must succeed within its shortest number of keys and one more.

    Args:
        shortest: Keys of the shortest way by name, the confirming ones included.
    """

    def way(name: str, scene: str, meaning: Meaning, *keys: str) -> Callable[[Random], Attempt]:
        wanted = msgspec.structs.replace(meaning, must=True, most_keys=shortest[name] + 1)

        def draw(rng: Random) -> Attempt:
            steps: list[Step] = [Press(key, rng.uniform(0.3, 0.6)) for key in keys]
            return Attempt(kind=f"calm: {name}", scene=scene, meaning=wanted, steps=(*steps, Confirm()), story=name)

        return draw

    return (
        way("buy at best bid", "flat", _one("BUY", "0.02"), "b", "0", ".", "0", "2"),
        way("sell at best ask", "flat", _one("SELL", "0.02"), "s", ".", "0", "2"),
        way("buy at market price", "flat", _one("BUY", "0.02"), "B", ".", "0", "2"),
        way("close a position", "long", _one("SELL", "0.05"), "3", "f"),
        way("close half", "long", _one("SELL", "0.025"), "3", "%", "2"),
        way("cancel the newest order", "working", Meaning(cancels=("C",)), "2", "c"),
        way("cancel last", "working", Meaning(cancels=("C",)), "u"),
        way("move an order one tick", "working", Meaning(replaces=("C",)), "2", "-"),
        way("protect a position", "long", Meaning(algos=1), "3", "p", "1", "%", "enter", "enter"),
    )


def _one(side: str, qty: str) -> Meaning:
    return Meaning(orders=(MeantOrder(sym=BTC, side=side, qty=qty),))
