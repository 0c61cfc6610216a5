"""The sample for somebody who has not seen the project holds what the screen shows, and no code of how it is drawn."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.lint import reading_sample


def _list_texts(folder: Path, name: str, text: str, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Return what the sampler takes of a file that holds one constant."""
    monkeypatch.setattr(reading_sample, "ROOT", folder)
    (folder / name).write_text(f"TEXT = {text!r}\n", "utf-8")
    return list(reading_sample.list_texts(folder))


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("keys.py", '<rect fill="black" class="edge" shape="crisp"/>'),
        ("keys.py", "text of the line ends here</text>"),
        ("footer.py", "perp(?= )| now(?=, it was )|(?<=,) it(?= was )"),
        ("footer.py", "(FILL .+?), (?:with the fills before: )?(result .+)"),
        ("speech.py", r"\g<word> \g<done> of \g<size> shares"),
        ("speech.py", r"orders? of \d+ lots at the price"),
        ("svg.py", "font-family: Fira Code, Menlo, Consolas"),
        ("synonyms.py", "buy long bid take"),
        ("fields.py", "open_orders_of_all_pairs"),
    ],
)
def test_markup_and_patterns_are_not_in_the_reading_sample(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, text: str
) -> None:
    assert _list_texts(tmp_path, name, text, monkeypatch) == []


@pytest.mark.parametrize(
    "text",
    [
        "no order is working: nothing to cancel",
        "how much? such as 0.02 BTC, 25ct or $900",
        "is it the new total size (tot) or the size still open (rest)?",
        "filter: word sym:btc side:buy state:open venue:okx age<5m qty>1 !not",
        "set an alert when the mark < 60000 or the size > 1",
        "the best price | the last price of the pair",
    ],
)
def test_sentences_of_the_screen_are_in_the_reading_sample(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: str
) -> None:
    assert _list_texts(tmp_path, "keys.py", text, monkeypatch) == [f"keys.py: {text}"]
