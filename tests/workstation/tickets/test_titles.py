"""Title of a staged ticket: side and pair stand in it at every size."""

from __future__ import annotations

import msgspec
import pytest

from tests.workstation.driver import Desk, desk
from tests.workstation.tickets.ticket_desk import BTC
from tui.engine.rows import Table


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


async def test_the_example_of_a_size_is_a_multiple_of_the_lot() -> None:
    async with desk(120, 36) as at:
        info = at.app.mirror.symbols[BTC]
        at.port.put(Table.SYMBOLS, BTC, msgspec.structs.replace(info, lot_size="0.003"))
        await at.press("1", "b", "tab")
        assert " 0.498 BTC · $16000" in read_title(at)
