"""What hands do by accident while one key sends (HOT), and behind its end."""

from __future__ import annotations

from random import Random

from tests.accidents.attempt import Attempt, Meaning, MeantOrder, Paste, Press, Step
from tests.accidents.kinds import BTC, NOTHING, PASTES, held, typed
from tests.accidents.ladder_kinds import OPEN

SIDES = {"B": "BUY", "S": "SELL"}
WORDS = ("UPDATE", "MUST SELL", "KUBUS", "WEB", "TABS", "MOBS", "WOULD BUY BTC", "YES BUY", "QUOTES", "VISIBLE")
"""Words whose first letter sends nothing; with Caps Lock their later ones could."""
AMOUNTS = ("25", ".02", "0.5", "1000", "$900")


def begin_hot(seconds: int = 60) -> list[Step]:
    """Ask for HOT on the command line, and read the header and the row under the cursor."""
    keys: list[Step] = [Press(":", 0.3), *(Press(key, 0.09) for key in f"hot {seconds}s")]
    return [*keys, Press("enter", 1.0)]


def fire(rng: Random) -> tuple[str, MeantOrder]:
    """Choose a key that sends, and the order it means on the first pair."""
    key = rng.choice("BS")
    return key, MeantOrder(sym=BTC, side=SIDES[key])


def scene(rng: Random) -> str:
    return rng.choice(["flat", "held", "working"])


def hold_a_firing_key(rng: Random) -> Attempt:
    key, meant = fire(rng)
    return Attempt(
        kind="hot: hold", scene=scene(rng), meaning=Meaning(orders=(meant,)),
        steps=(*begin_hot(), *held(key, rng)), story=f"{key} is meant once and stays down",
    )  # fmt: skip


def hold_on_a_firing_ladder(rng: Random) -> Attempt:
    key, meant = fire(rng)
    return Attempt(
        kind="hot: hold on the ladder", scene=scene(rng), meaning=Meaning(orders=(meant,)),
        steps=(*begin_hot(), *OPEN, Press("[" if key == "B" else "]", 0.7), *held(key, rng)),
        story=f"{key} is meant once on the ladder and stays down",
    )  # fmt: skip


def fire_unread(rng: Random) -> Attempt:
    moves = rng.choice((("j",), ("k",), ("g",), ("j", "j"), ("G",), ("pagedown",)))
    return Attempt(
        kind="hot: unread pair", scene=scene(rng), meaning=NOTHING,
        steps=(*begin_hot(), *(Press(key, rng.uniform(0.035, 0.12)) for key in moves), Press(rng.choice("BS"), 0.4)),
        story="the pair under the cursor changed just before the key",
    )  # fmt: skip


def fire_on_a_filtered_list(rng: Random) -> Attempt:
    steps: list[Step] = [Press("/", 0.3), *typed("eth", rng), Press("enter", rng.uniform(0.035, 0.3))]
    return Attempt(
        kind="hot: pair changed by a filter", scene=scene(rng), meaning=NOTHING,
        steps=(*begin_hot(), *steps, Press(rng.choice("BS"), 0.5), Press("escape", 0.3), Press("escape", 0.3)),
        story="a filter put another pair under the cursor",
    )  # fmt: skip


def fire_unread_on_the_ladder(rng: Random) -> Attempt:
    move = rng.choice(["j", "k", "[", "]", "'"])
    return Attempt(
        kind="hot: unread price", scene=scene(rng), meaning=NOTHING,
        steps=(*begin_hot(), *OPEN, Press("j", 0.6), Press(move, rng.uniform(0.035, 0.08)), Press(rng.choice("BS"), 0.5)),
        story="the price under the cursor changed just before the key",
    )  # fmt: skip


def fire_when_it_is_over(rng: Random) -> Attempt:
    return Attempt(
        kind="hot: over", scene=scene(rng), meaning=NOTHING,
        steps=(*begin_hot(2), Press("escape", rng.uniform(1.2, 4.0)), *held(rng.choice("BS"), rng)),
        story="the countdown ended before the key",
    )  # fmt: skip


def fire_when_it_was_ended(rng: Random) -> Attempt:
    ends: tuple[Step, ...] = rng.choice((
        (Press("escape", 0.2), Press("escape", rng.uniform(0.03, 0.5))),
        (Press("a", rng.uniform(0.03, 0.5)),),
        (Press("X", 0.4), Press("escape", rng.uniform(0.03, 0.5))),
        (Paste("x", bracketed=True, wait=rng.uniform(0.03, 0.5)),),
    ))  # fmt: skip
    return Attempt(
        kind="hot: ended", scene=scene(rng), meaning=NOTHING,
        steps=(*begin_hot(), *ends, *held(rng.choice("BS"), rng)), story="HOT was ended and the key comes all the same",
    )  # fmt: skip


def fire_for_another_pane(rng: Random) -> Attempt:
    pane = rng.choice("245")
    tail = rng.choice(((), (Press("1", rng.uniform(0.035, 0.3)), Press(rng.choice("BS"), 0.4))))
    return Attempt(
        kind="hot: another pane", scene=scene(rng), meaning=NOTHING,
        steps=(*begin_hot(), Press(pane, rng.uniform(0.1, 0.6)), Press(rng.choice("BS"), rng.uniform(0.2, 0.5)), *tail),
        story=f"the key is typed on pane {pane}, or while the focus goes back",
    )  # fmt: skip


def type_with_caps_lock(rng: Random) -> Attempt:
    word = rng.choice(WORDS)
    return Attempt(
        kind="hot: caps lock", scene=scene(rng), meaning=NOTHING,
        steps=(*begin_hot(), *typed(word, rng), Press("escape", 0.3)), story=f"{word} is typed with Caps Lock on",
    )  # fmt: skip


def type_an_amount(rng: Random) -> Attempt:
    text = rng.choice(AMOUNTS)
    return Attempt(
        kind="hot: an amount", scene=scene(rng), meaning=NOTHING,
        steps=(*begin_hot(), *typed(text, rng), Press(rng.choice("BS"), 0.5), Press("escape", 0.3)),
        story=f"{text} is typed on a list though no field is open, and the key that sends behind it",
    )  # fmt: skip


def paste_in_hot(rng: Random) -> Attempt:
    text = rng.choice((*PASTES, "b25B", "25B", "SB", "BUY"))
    return Attempt(
        kind="hot: paste", scene=scene(rng), meaning=NOTHING,
        steps=(*begin_hot(), Paste(text, bracketed=rng.random() < 0.5)),
        story="text from another window lands on the quotes",
    )  # fmt: skip


def answer_by_the_firing_key(rng: Random) -> Attempt:
    key, meant = fire(rng)
    again = [Press(rng.choice([key, "enter"]), rng.uniform(0.03, 0.6)) for _ in range(rng.randint(1, 4))]
    return Attempt(
        kind="hot: answer", scene=scene(rng), meaning=Meaning(orders=(meant, meant)),
        steps=(*begin_hot(), Press(key, rng.uniform(0.75, 1.2)), Press(key, 0.4), *again),
        story="the same order again within two seconds is asked about; the key that sends and Enter are no answer",
    )  # fmt: skip


def hold_a_close(rng: Random) -> Attempt:
    key = rng.choice("fo")
    meant = MeantOrder(sym=BTC, side="SELL")
    return Attempt(
        kind="hot: hold a close", scene=rng.choice(["long", "held"]), meaning=Meaning(orders=(meant,)),
        steps=(*begin_hot(), Press("3", 0.7), *held(key, rng)), story=f"{key} is meant once on a position and stays down",
    )  # fmt: skip


def leave_a_nudge(rng: Random) -> Attempt:
    away = rng.choice((("escape",), ("escape", "j"), ("escape", "1"), ("z",), ("X", "escape"), ("?", "escape")))
    nudges = [Press(rng.choice("+-]["), rng.uniform(0.05, 0.2)) for _ in range(rng.randint(1, 4))]
    return Attempt(
        kind="hot: leave a nudge", scene="working", meaning=NOTHING,
        steps=(*begin_hot(), Press("2", 0.7), *nudges, *(Press(key, rng.uniform(0.1, 0.6)) for key in away)),
        story="an order is nudged and left before the quarter of a second is over",
    )  # fmt: skip


def hold_a_nudge(rng: Random) -> Attempt:
    return Attempt(
        kind="hot: hold a nudge", scene="working", meaning=Meaning(replaces=("C",)),
        steps=(*begin_hot(), Press("2", 0.7), *held(rng.choice("+-<>"), rng)),
        story="a key that nudges the newest order stays down: only that order may change",
    )  # fmt: skip


def mash_enter_in_hot(rng: Random) -> Attempt:
    keys = [Press(rng.choice(["enter", "enter", "y", "j"]), rng.uniform(0.1, 1.2)) for _ in range(rng.randint(2, 7))]
    return Attempt(
        kind="hot: mash Enter", scene=scene(rng), meaning=NOTHING, steps=(*begin_hot(), *keys),
        story="Enter again and again on the quotes",
    )  # fmt: skip


def calm_in_hot(rng: Random) -> Attempt:
    key, meant = fire(rng)
    return Attempt(
        kind="hot: calm", scene=rng.choice(["flat", "held"]), meaning=Meaning(orders=(meant,), must=True),
        steps=(*begin_hot(), Press(key, 0.8)), story="one key sends at the best price of its side",
    )  # fmt: skip


HOT_ACCIDENTS = (
    hold_a_firing_key, hold_on_a_firing_ladder, fire_unread, fire_on_a_filtered_list, fire_unread_on_the_ladder,
    fire_when_it_is_over, fire_when_it_was_ended, fire_for_another_pane, type_with_caps_lock, type_an_amount,
    paste_in_hot, answer_by_the_firing_key, hold_a_close, leave_a_nudge, hold_a_nudge,
    mash_enter_in_hot, calm_in_hot,
)  # fmt: skip
