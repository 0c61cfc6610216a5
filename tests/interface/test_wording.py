"""How counts are written in a sentence."""

from __future__ import annotations

import pytest

from tui.interface.text import how_many


@pytest.mark.parametrize(
    ("number", "words", "text"),
    [
        (0, ("order",), "0 orders"),
        (1, ("order",), "1 order"),
        (2, ("order",), "2 orders"),
        (1, ("entry", "entries"), "1 entry"),
        (2, ("entry", "entries"), "2 entries"),
    ],
)
def test_counts_in_texts_use_singular_and_plural(number: int, words: tuple[str, ...], text: str) -> None:
    assert how_many(number, *words) == text
