"""The ten steps of the README, pressed as they are written and seen to have worked."""

from __future__ import annotations

import re
from collections.abc import Callable
from decimal import Decimal
from typing import NamedTuple

from tests.terminal.terminal import TOP, Terminal

DOGE_TICK = Decimal("0.00001")


class Step(NamedTuple):
    """One step of the README: the keys that it names, in its order, and how they are pressed and seen to have worked."""

    number: int
    keys: tuple[str, ...]
    play: Callable[[Terminal], None]


def written_keys() -> dict[int, tuple[str, ...]]:
    """Return the keys of each step as the README writes them."""
    text = (TOP / "README.md").read_text("utf-8")
    steps = text[text.index("<!-- tour -->") : text.index("<!-- end of tour -->")].splitlines()[1:]
    found = {}
    for line in steps:
        number, _, sentence = line.partition(". ")
        found[int(number)] = tuple(word for word in re.findall(r"`([^`]+)`", sentence) if word != "UNKNOWN")
    return found


def go_to_a_pair(desk: Terminal) -> None:
    desk.see("Welcome to crossdesk")
    desk.see("In sync with the venue")
    desk.press("enter")
    desk.gone("Welcome to crossdesk")
    desk.press("a")
    desk.see("ARMED")
    desk.press("/")
    desk.see("filter")
    desk.press(*"doge", "enter")
    desk.see("BINANCE DOGE perp · min")


def answer_and_send(desk: Terminal) -> None:
    """Send the staged order; what is unusual is asked about."""
    desk.press("enter")
    if (
        desk.until(
            lambda lines: _line_with(lines, "│ ? ") or _line_with(lines, "OPEN ", "DOGE"), "question or order"
        ).find("│ ? ")
        >= 0
    ):
        desk.press("y")
    desk.see("OPEN ", "DOGE")


def _line_with(lines: list[str], *words: str) -> str | None:
    return next((line for line in lines if all(word in line for word in words)), None)


def _place_an_order(desk: Terminal) -> None:
    desk.press("b")
    desk.see("Enter sends")
    desk.press(*"500")
    desk.see("500")
    step_far_down(desk, DOGE_TICK)
    answer_and_send(desk)


def step_far_down(desk: Terminal, tick: Decimal) -> None:
    """Lower the price of a ticket by thirty ticks, in three presses; the market may move meanwhile."""
    desk.press("pagedown")
    first = desk.until(stepped_price, "a price that does not follow the bid")
    desk.press("pagedown", "pagedown")
    desk.see("│ ", f" {first - 20 * tick:,} post-only")


def stepped_price(lines: list[str]) -> Decimal | None:
    """The price in the ticket; None while it follows the best one."""
    found = next(
        (found for line in lines if (found := re.search(r"│ .*?([\d,]+\.\d+) +(?:post-only|takes)", line))), None
    )
    return Decimal(found[1].replace(",", "")) if found else None


def _change_and_cancel(desk: Terminal) -> None:
    desk.press("2")
    row = desk.see("OPEN ", "DOGE")
    desk.press("+")
    desk.see("Enter sends")
    desk.press("enter")
    desk.until(
        lambda lines: (now := _line_with(lines, "OPEN ", "DOGE")) and _price(now) > _price(row), "a higher price"
    )
    desk.press("c")
    desk.gone("OPEN ", "DOGE")


def _price(row: str) -> float:
    return float(re.findall(r"\d\.\d+", row)[0])


def buy_at_the_ask(desk: Terminal) -> None:
    desk.press("1")
    desk.see("BINANCE DOGE perp · min")
    desk.press("B")
    desk.see("Enter sends")
    desk.press(*"500")
    desk.see("500")
    missed = ""
    desk.press("enter")
    while missed := _find_miss(desk, missed):
        _await_next_second(desk)
        desk.press(".")
        desk.see("Enter sends")
        desk.press("enter")
    desk.press("3")
    # Each order whose price was gone may have bought a part before.
    desk.see("▸", "DOGE", "LONG")


def _find_miss(desk: Terminal, before: str) -> str:
    """Answer a question, then wait for the fill; return the event that says that the price was gone, or an empty text.

    Args:
        desk: Terminal of the desk.
        before: Event that said it of the order before.
    """

    def outcome(lines: list[str]) -> str | None:
        event = _line_with(lines, "(Unfilled")
        missed = event if event != before else None
        return _line_with(lines, "│ ? ") or _line_with(lines, "FILLED") or missed

    answered = desk.until(outcome, "question, fill or the end of the order")
    if "│ ? " in answered:
        desk.press("y")
        desk.gone("│ ? ")
        answered = desk.until(outcome, "fill or the end of the order")
    return "" if "FILLED" in answered else answered


def _await_next_second(desk: Terminal) -> None:
    """Wait until the clock in the header goes on: an event is told from the one before by its time."""
    now = _clock(desk.display)
    desk.until(lambda lines: _clock(lines) != now, "the next second")


def _clock(lines: list[str]) -> str:
    """Return the time of day in the header."""
    return next((shown[0] for line in lines if (shown := re.search(r"\d\d:\d\d:\d\dZ", line))), "")


def _place_a_stop(desk: Terminal) -> None:
    desk.press("p")
    desk.see("stop")
    desk.press(*"1%", "enter", "enter", "y")
    desk.see("PLACED: stop SELL all")


def _flatten(desk: Terminal) -> None:
    desk.press("f")
    desk.see("Enter sends")
    send(desk, "flat (checked")


def send(desk: Terminal, *wanted: str) -> None:
    """Send what is staged, answer the question about an old quote if there is one, and wait for a line of what it did."""
    desk.press("enter")
    wait_for = f"question, or {' '.join(wanted)}"
    if "│ ? " in desk.until(lambda lines: _line_with(lines, "│ ? ") or _line_with(lines, *wanted), wait_for):
        desk.press("y")
    desk.see(*wanted)


def _practise_a_cut(desk: Terminal) -> None:
    desk.press("f6")
    desk.see("Practice")
    desk.press("space")
    desk.see("priv○")
    desk.press("r", "escape")
    desk.see("priv●")


def _look_at_the_kill_prompt(desk: Terminal) -> None:
    desk.press("X")
    desk.see("Kill")
    desk.press("escape")
    desk.gone("Kill")


def _find_and_list(desk: Terminal) -> None:
    desk.press("ctrl+p")
    desk.see("Find")
    desk.press(*"history")
    desk.see("history")
    desk.press("escape", "?")
    desk.see("Keys")
    desk.press("escape")


def quit_desk(desk: Terminal) -> None:
    """Quit, and answer the question about what is open; the process ends without an error."""
    desk.press("ctrl+q")
    if desk.until(
        lambda lines: _line_with(lines, "Quit") or desk.process.poll() is not None, "the question or the end"
    ):
        desk.press("y")
    assert desk.wait() == 0


STEPS = (
    Step(1, ("Enter", "a", "/", "doge", "Enter"), go_to_a_pair),
    Step(2, ("b", "500", "PgDn", "Enter", "y"), _place_an_order),
    Step(3, ("2", "+", "Enter", "c"), _change_and_cancel),
    Step(4, ("1", "B", "500", "Enter", ".", "3"), buy_at_the_ask),
    Step(5, ("p", "1%", "Enter", "Enter", "y"), _place_a_stop),
    Step(6, ("f", "Enter", "y"), _flatten),
    Step(7, ("F6", "Space", "r", "Esc"), _practise_a_cut),
    Step(8, ("X", "Enter", "Esc"), _look_at_the_kill_prompt),
    Step(9, ("Ctrl+P", "?"), _find_and_list),
    Step(10, ("Ctrl+Q", "y"), quit_desk),
)


def play(desk: Terminal) -> list[int]:
    """Press all steps; return their numbers. A step that did not work raises AssertionError with the screen."""
    for step in STEPS:
        step.play(desk)
    return [step.number for step in STEPS]
