"""The one editor of typed text: insert, erase, move, and what happens to a text of the program."""

from __future__ import annotations

import pytest

from tui.workstation.input.line_editor import LineEditor


def typed(text: str, *keys: str, selects: bool = False) -> str:
    """A line with `_` for the cursor after keys; a key of one character is typed."""
    editor = LineEditor(text, most=20, selects=selects)
    for key in keys:
        if len(key) == 1:
            editor.type(key)
        else:
            editor.press(key)
    return editor.visible_text(30)


@pytest.mark.parametrize(
    ("text", "keys", "shown"),
    [
        ("12", ("5",), "5_"),
        ("12", (" ", "5"), "12 5_"),
        ("12", ("end", "5"), "125_"),
        ("12", ("left", "5"), "15_2"),
        ("12", ("home", "delete", "right", "right", "backspace"), "_"),
        ("one two", ("ctrl+left", "x"), "one x_two"),
        ("one two", ("ctrl+w",), "one _"),
        ("one two", ("home", "ctrl+right"), "one_ two"),
        ("one two", ("ctrl+left", "ctrl+k", "home", "ctrl+k"), "_"),
        ("one two", ("ctrl+left", "ctrl+u"), "_two"),
    ],
)
def test_text_field_keys_edit_at_the_cursor(text: str, keys: tuple[str, ...], shown: str) -> None:
    assert typed(text, *keys) == shown


def test_backspace_on_selected_text_deletes_all_of_it() -> None:
    assert typed("12", "backspace", selects=True) == "_"
    assert typed("12", "left", "backspace", selects=True) == "_2"
    assert typed("12", "backspace") == "1_"


def test_typed_text_over_the_length_limit_is_not_inserted() -> None:
    editor = LineEditor(most=5)
    assert editor.type("1234") and not editor.type("56") and editor.text == "1234"
    assert editor.type("\x1b") and editor.text == "1234", "control characters are no text"


def test_a_narrow_text_field_shows_the_part_around_its_cursor() -> None:
    editor = LineEditor("0123456789")
    assert editor.visible_text(5) == "6789_"
    editor.press("home")
    assert editor.visible_text(5) == "_0123"
