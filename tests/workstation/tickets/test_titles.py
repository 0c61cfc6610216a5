"""Title of a staged ticket: side and pair stand in it at every size."""

from __future__ import annotations

import pytest

from tests.workstation.driver import Desk, desk


def read_title(at: Desk) -> str:
    return at.text().split("\n")[at.app.main_screen.panel.region.y]


@pytest.mark.parametrize("keys", ["", "tab", "0"])
@pytest.mark.parametrize("size", [(60, 15), (40, 10), (80, 24)])
async def test_the_title_names_side_and_pair(size: tuple[int, int], keys: str) -> None:
    async with desk(*size) as at:
        await at.press("1", "b", *([keys] if keys else []))
        assert "BUY+LONG open long BINANCE BTC perp" in read_title(at)


@pytest.mark.parametrize(("size", "end"), [((60, 15), "━━┥"), ((72, 24), " PAPER main ━━┥"), ((100, 30), "· 50% ━━┥")])
async def test_size_examples_stand_where_they_have_room(size: tuple[int, int], end: str) -> None:
    async with desk(*size) as at:
        await at.press("1", "b", "tab")
        assert at.app.main_screen.panel.size_field.has_focus
        assert "BINANCE BTC perp" in read_title(at) and end in read_title(at)
