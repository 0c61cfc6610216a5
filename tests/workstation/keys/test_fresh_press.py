"""The decision about a press, on virtual time: each rule alone, and held keys at random."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tui.workstation.input.fresh_press import EVERY_RULE, Content, FreshPress, PressVerdict, Rule, WrittenLine

NEVER = float("-inf")
LINE = "ticket"


def pressed(*keys: tuple[str, float], rules: frozenset[Rule] = EVERY_RULE) -> FreshPress:
    guard = FreshPress(0.7, rules)
    for key, at in keys:
        guard.record_key(key, at, printable=len(key) == 1)
    return guard


def verdict(guard: FreshPress, since: float = NEVER, *, typed: bool = False) -> PressVerdict:
    return guard.decide(LINE, since, typed=typed).verdict


def passes(guard: FreshPress) -> bool:
    return guard.passed


def is_stray(guard: FreshPress) -> bool:
    return guard.typing.is_figure


def without(rule: Rule) -> frozenset[Rule]:
    return EVERY_RULE - {rule}


def test_the_same_key_sends_again_after_a_pause_or_another_key() -> None:
    assert verdict(pressed(("enter", 10.0))) is PressVerdict.SEND
    assert verdict(pressed(("enter", 10.0), ("enter", 10.69))) is PressVerdict.REFUSE
    assert verdict(pressed(("enter", 10.0), ("enter", 10.71))) is PressVerdict.SEND
    assert verdict(pressed(("enter", 10.0), ("j", 10.2), ("enter", 10.4))) is PressVerdict.SEND
    assert verdict(pressed(("enter", 10.0), ("enter", 10.5), rules=without(Rule.REPEAT))) is PressVerdict.SEND


def test_a_key_press_refused_as_too_early_says_why() -> None:
    guard = pressed(("j", 9.0), ("y", 10.0))
    assert guard.decide(LINE, 9.95).why == "pressed before the line could be read: press it again"
    assert guard.decide(LINE, 9.95, moved=True).why.startswith("it has just changed by itself")
    guard.record_move()
    guard.record_key("enter", 10.2, printable=False)
    assert guard.decide(LINE, 9.0).why.startswith("pressed too soon after a key that moved the focus or was refused")
    guard.record_key("enter", 20.0, printable=False)
    assert guard.decide(LINE, float("inf")).why == "pressed before the line could be read: press it again"


def test_a_line_counts_as_moved_by_the_market_if_its_price_moved() -> None:
    content = [Content("buy 1", True)]
    line = WrittenLine(lambda: LINE, lambda: content[0])
    line.note_drawing(1.0)
    seen = [line.is_moved_by_market]
    content[0] = Content("buy 1", False)
    assert line.since == float("inf")
    seen.append(line.is_moved_by_market)
    line.note_drawing(2.0)
    seen.append(line.is_moved_by_market)
    content[0] = Content("buy 2", False)
    assert [*seen, line.is_moved_by_market] == [False, True, True, False], "from the change on, before it is drawn, too"


def test_only_in_hot_mode_a_shorter_repeat_pause_holds_per_key() -> None:
    guard = FreshPress(0.1)
    assert guard.rearm_s == 0.7
    guard.hot = True
    assert guard.rearm_s == 0.1
    for key, at in (("B", 10.0), ("S", 10.05), ("B", 10.09)):
        guard.record_key(key, at, printable=True)
    assert verdict(guard) is PressVerdict.REFUSE
    for count in range(11):
        guard.record_key(f"key{count}", 11.0 + count * 0.18, printable=False)
        assert verdict(guard) is PressVerdict.SEND, "eleven sends in 2 s by eleven keys"


def test_the_key_that_opened_a_ticket_does_not_also_send_it() -> None:
    guard = pressed(("enter", 10.0))
    guard.record_opener(LINE)
    guard.record_key("enter", 20.0, printable=False)
    assert guard.is_spent(LINE, "enter")
    assert guard.decide(LINE, NEVER).why == "this key opened the ticket or form: press y to send"
    assert guard.decide("another", NEVER).verdict is PressVerdict.SEND
    guard.record_key("y", 21.0, printable=True)
    assert verdict(guard) is PressVerdict.SEND
    guard.record_walk(LINE)
    guard.record_key("y", 30.0, printable=True)
    assert guard.decide(LINE, NEVER).why == "this key moved between the fields: press y to send"


def test_a_refused_key_sends_again_once_its_refusal_is_cleared() -> None:
    guard = pressed(("enter", 10.0))
    guard.refuse(LINE)
    guard.record_key("enter", 20.0, printable=False)
    assert "this key was refused here" in guard.decide(LINE, NEVER).why
    guard.clear_refusals(LINE)
    assert verdict(guard) is PressVerdict.SEND


def test_a_key_sends_only_what_was_on_the_screen_for_150_ms() -> None:
    assert verdict(pressed(("enter", 10.0)), 9.86) is PressVerdict.REFUSE
    assert verdict(pressed(("enter", 10.0)), 9.85) is PressVerdict.SEND
    assert verdict(pressed(("enter", 10.0)), float("inf")) is PressVerdict.REFUSE
    assert verdict(pressed(("enter", 10.0), rules=without(Rule.STOOD)), 9.99) is PressVerdict.SEND


def test_enter_right_after_digits_waits_until_they_stood_150_ms() -> None:
    guard = pressed(("5", 9.9), ("enter", 10.0))
    decision = guard.decide(LINE, 9.91, typed=True)
    assert decision.verdict is PressVerdict.WAIT and round(decision.wait_s, 3) == 0.06


def test_enter_soon_after_a_focus_change_is_refused() -> None:
    guard = pressed(("tab", 9.7))
    guard.record_move()
    guard.record_key("enter", 10.0, printable=False)
    assert verdict(guard) is PressVerdict.REFUSE
    assert verdict(guard, typed=True) is PressVerdict.WAIT
    guard.record_key("enter", 10.8, printable=False)
    assert verdict(guard) is PressVerdict.SEND
    guard.record_move()
    guard.record_key(".", 10.9, printable=True)
    guard.record_key("enter", 11.15, printable=False)
    assert verdict(guard) is PressVerdict.SEND, "another key lies between"


def test_keys_that_arrive_in_one_burst_send_nothing() -> None:
    assert verdict(pressed(("5", 10.0), ("enter", 10.01))) is PressVerdict.REFUSE
    assert verdict(pressed(*((str(one), 10.0) for one in range(9)))) is PressVerdict.REFUSE


def test_a_send_request_passes_only_after_an_accepted_key_press() -> None:
    guard = pressed(("enter", 10.0))
    assert not passes(guard)
    assert verdict(guard) is PressVerdict.SEND and passes(guard)
    guard.record_key(".", 10.9, printable=True)
    assert not passes(guard)
    assert pressed(("j", 1.0), rules=without(Rule.PASSED)).passed


def test_two_digits_typed_on_a_list_are_not_pane_jumps() -> None:
    guard = pressed(("3", 10.0))
    assert not guard.typing.note_digit(jumped=True) and not is_stray(guard), "one jump is meant"
    guard.record_key("enter", 10.2, printable=False)
    guard.record_key("1", 20.0, printable=True)
    assert not guard.typing.note_digit(jumped=True)
    guard.record_key("0", 20.2, printable=True)
    assert guard.typing.note_digit(jumped=False), "said once"
    guard.record_key("0", 20.4, printable=True)
    assert not guard.typing.note_digit(jumped=False) and is_stray(guard)
    guard.record_key("enter", 21.3, printable=False)
    assert is_stray(guard)
    guard.record_key("enter", 22.4, printable=False)
    assert not is_stray(guard)


@pytest.mark.parametrize(
    ("gaps", "refused", "typed"),
    [
        ((0.9,), False, False),
        ((0.4, 0.4), False, False),
        ((0.3,), False, True),
        ((0.9, 0.2), False, True),
        ((0.9,), True, True),
    ],
)
def test_slow_pane_jumps_by_digit_are_not_taken_for_a_number(
    gaps: tuple[float, ...], refused: bool, typed: bool
) -> None:
    guard = pressed(("2", 10.0))
    guard.typing.note_digit(jumped=True)
    at = 10.0
    for key, gap in zip("315", gaps, strict=False):
        at += gap
        guard.record_key(key, at, printable=True)
        guard.typing.note_digit(jumped=True, refused=refused)
    assert is_stray(guard) is typed


@pytest.mark.parametrize(("keys", "gap", "typed"), [("02", 0.9, False), ("23", 0.5, False), ("02", 0.3, True),
                                                    ("22", 0.9, True), ("100", 0.45, True)])  # fmt: skip
def test_quick_digits_that_change_no_pane_count_as_typing(keys: str, gap: float, typed: bool) -> None:
    """Zoom, and the key of the pane that has the keyboard: digits that act without a jump."""
    guard, at = FreshPress(0.7), 10.0
    for key in keys:
        guard.record_key(key, at, printable=True)
        guard.typing.note_digit(jumped=key not in "0" and (keys[0] == "0" or at > 10.0))
        at += gap
    assert is_stray(guard) is typed


@pytest.mark.parametrize(
    ("keys", "gaps", "ends"),
    [
        ("aaaa", (0.8, 0.85, 0.85, 0.85), [True, False, False, False]),
        ("ab", (0.6, 0.5), [True, False]),
        ("buy", (0.9, 0.2, 0.2), [True, True, True]),
        ("aaaa", (0.5, 0.66, 0.03, 0.03), [True, True, True, True]),
    ],
    ids=["calm presses", "two keys", "typing goes on", "a held key"],
)
def test_refused_keys_do_not_extend_the_wait_after_digits(keys: str, gaps: tuple[float, ...], ends: list[bool]) -> None:
    guard, at = FreshPress(0.0), 10.0
    guard.hot = True
    for key in "1234":
        guard.record_key(key, at, printable=True)
        guard.typing.note_digit(jumped=True)
        at += 0.2
    at -= 0.2
    seen = []
    for key, gap in zip(keys, gaps, strict=True):
        at += gap
        guard.record_key(key, at, printable=True)
        seen.append(is_stray(guard))
    assert seen == ends


@pytest.mark.parametrize(("gap", "typed"), [(0.2, True), (0.6, False)])
def test_a_comma_typed_quickly_after_a_digit_is_in_a_number(gap: float, typed: bool) -> None:
    """Figures are shown with commas; typed a moment later it sorts the list to which the digit has jumped."""
    guard = pressed(("1", 10.0))
    assert not guard.typing.note_digit(jumped=True)
    guard.record_key(",", 10.0 + gap, printable=True)
    assert guard.typing.continues_digits() is typed and not is_stray(guard)
    guard.record_key("0", 10.2 + gap, printable=True)
    guard.typing.note_digit(jumped=False)
    assert is_stray(guard) is typed


def test_the_repeat_dot_after_two_pane_jumps_is_stray_typing() -> None:
    guard = pressed(("1", 10.0))
    guard.typing.note_digit(jumped=True)
    guard.record_key("2", 10.45, printable=True)
    guard.typing.note_digit(jumped=True)
    guard.record_key(".", 10.9, printable=True)
    guard.typing.note_digit(jumped=True, repeats=True)
    assert is_stray(guard)


def test_a_dot_after_one_pane_jump_repeats_the_last_ticket() -> None:
    guard = pressed(("1", 10.0))
    assert not guard.typing.note_digit(jumped=True)
    guard.record_key(".", 10.8, printable=True)
    assert not guard.typing.note_digit(jumped=True, repeats=True) and not is_stray(guard)
    guard.record_key("5", 11.2, printable=True)
    assert guard.typing.note_digit(jumped=True), "a dot between digits is a figure"


@pytest.mark.parametrize(
    ("before", "refused", "gap"), [(("1", "2"), False, 0.3), (("7",), True, 0.3), (("1",), False, 0.0)]
)
def test_a_dot_after_typed_digits_is_treated_as_stray_typing(
    before: tuple[str, ...], refused: bool, gap: float
) -> None:
    """Two digits, one that was refused, or digit and dot in one read."""
    guard = FreshPress(0.8)
    at = 10.0
    for key in before:
        guard.record_key(key, at, printable=True)
        guard.typing.note_digit(jumped=True, refused=refused)
        at += gap
    guard.record_key(".", at, printable=True)
    guard.typing.note_digit(jumped=True, repeats=True)
    assert is_stray(guard)


def test_the_age_of_shown_content_counts_from_its_first_drawing() -> None:
    content = ["5"]
    line = WrittenLine(lambda: LINE, lambda: tuple(content))
    assert line.since == float("inf")
    line.note_drawing(10.0)
    line.note_drawing(11.0)
    assert line.since == 10.0
    content.append("0")
    assert line.since == float("inf"), "what was not drawn yet does not stand"
    line.note_drawing(12.0)
    assert line.since == 12.0


HOLD = st.tuples(
    st.sampled_from(["enter", "y", "b", "tab", "5"]),
    st.floats(0.25, 1.0),
    st.floats(0.015, 0.05),
    st.integers(1, 60),
    st.floats(0.0, 2.0),
)
"""A held key: when its repeats begin, how far apart they are, how many there are, and the pause behind it."""


@given(st.lists(HOLD, min_size=1, max_size=8))
def test_no_auto_repeat_of_a_held_key_is_ever_accepted(holds: list[tuple[str, float, float, int, float]]) -> None:
    guard, now, previous = FreshPress(0.7), 100.0, ""
    for key, first, every, repeats, pause in holds:
        for count in range(repeats + 1):
            now += 0.0 if not count else min(first, 0.66) if count == 1 else every
            guard.record_key(key, now, printable=len(key) == 1)
            passed = guard.decide(LINE, NEVER).verdict is PressVerdict.SEND
            assert not (passed and count), "a repeat was let pass"
        previous, now = key, now + 0.05 + pause
    assert previous


def test_quick_digits_count_as_a_number_even_without_a_pane_jump() -> None:
    guard = FreshPress(0.7)
    for at, key in enumerate("1000"):
        guard.record_key(key, 10.0 + at * 0.15, printable=True)
        guard.typing.note_digit(jumped=False)
    assert guard.typing.is_figure
    guard.record_key("b", 12.0, printable=True)
    assert not guard.typing.is_figure


def test_key_0_pressed_twice_counts_as_zoom_and_not_as_typing() -> None:
    guard = FreshPress(0.7)
    for at in (10.0, 10.3):
        guard.record_key("0", at, printable=True)
        guard.typing.note_digit(jumped=False)
    assert not guard.typing.is_figure
