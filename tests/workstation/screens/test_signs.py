"""Every sign of the lists is explained, on the page of keys and in the documents, in the same words."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.workstation.driver import desk
from tui.workstation.widgets.signs import SIGNS

DOCUMENT = Path(__file__).parents[3] / "docs" / "reference" / "signs.md"


def test_the_document_of_signs_has_every_sign_of_the_legend() -> None:
    rows = [f"| `{sign.sign}` | {sign.where} | {sign.means} |" for sign in SIGNS]
    text = DOCUMENT.read_text()
    assert [row for row in rows if row not in text] == []


@pytest.mark.parametrize(("width", "height"), [(80, 24), (160, 45)])
async def test_the_help_page_explains_the_list_signs(width: int, height: int) -> None:
    async with desk(width, height) as at:
        await at.press("?")
        text = ""
        for key in ("G", "pageup"):
            await at.press(key)
            await at.settle()
            text = " ".join(f"{at.text()} {text}".replace("│", " ").split())
        for sign in ("≠", "~", "BIN+1/EDX+1", "→"):
            assert next(one for one in SIGNS if one.sign == sign).means in text, sign
