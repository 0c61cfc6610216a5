"""A picture of the screen: what is shown is in the file, and nothing on the screen changes but the line that says where."""

from __future__ import annotations

import re
from html import unescape

import pytest
from rich.segment import Segment
from textual.strip import Strip

from tests.workstation.driver import desk
from tui.crossdesk_error import CrossdeskError
from tui.workstation.commands.launcher_services import LauncherServices
from tui.workstation.features.pictures.blanking import blank_figures


def read_signs(svg: str) -> str:
    """The signs of a picture in the order in which they stand, behind its title; spaces are left out."""
    texts = re.findall(r'<text class="[^>]*>([^<]*)</text>', svg)
    return "".join(unescape("".join(texts)).split()).removeprefix("crossdesk")


class Kept:
    """A place for one picture."""

    def __init__(self) -> None:
        self.svg = ""

    def save(self, svg: str) -> str:
        self.svg = svg
        return "/home/trader/screen.svg"


async def test_the_picture_key_writes_the_screen_to_a_file() -> None:
    kept = Kept()
    async with desk(120, 36, services=LauncherServices(save_picture=kept.save)) as at:
        await at.press("1", "b")
        before = at.text().split("\n")
        await at.press("f12")
        assert read_signs(kept.svg) == "".join("".join(before).split())
        assert at.text().split("\n")[:-13] == before[:-13]
        assert "picture screen.svg written to /home/trader; it shows your balances and orders" in at.text()


async def test_a_screen_picture_includes_the_open_box() -> None:
    kept = Kept()
    async with desk(120, 36, services=LauncherServices(save_picture=kept.save)) as at:
        await at.press("f8")
        before = at.text()
        await at.press("f12")
        assert "Themes" in before and read_signs(kept.svg) == "".join(before.split())


async def test_a_screen_picture_that_cannot_be_written_is_reported() -> None:
    def refuse(svg: str) -> str:
        raise CrossdeskError("the disk is full")

    async with desk(120, 36, services=LauncherServices(save_picture=refuse)) as at:
        await at.press("f12")
        assert "the disk is full" in at.text()


@pytest.mark.parametrize("size", [(80, 24), (160, 45)])
async def test_s40_a_blanked_screen_picture_keeps_only_market_prices(size: tuple[int, int]) -> None:
    kept = Kept()
    async with desk(*size, services=LauncherServices(save_picture=kept.save)) as at:
        await at.press("3", "1")
        rows = [line for line in at.lines_of("quotes") if "64,0" in line]
        await at.press("ctrl+p", *"account are blank", "enter")
        signs = read_signs(kept.svg)
        assert "figures and ids of the" in at.text()
    assert "Quotesbbuy" in signs and "Palette" not in signs
    assert any(figure in signs for row in rows for figure in row.split() if figure.startswith("64,0"))
    for personal in ("62,129.50", "2,129.50", "63,870", "30,000.00", "2.500", "7f3a"):
        assert personal not in signs, personal


async def test_s40_a_blanked_picture_of_the_ladder_has_no_own_price() -> None:
    """Neither a mark nor a word beside a price that stays says that the account has something there."""
    async with desk(160, 45) as at:
        await at.press("1", "d")
        market, account = at.app.main_screen.tables["ladder"].split_regions()
        assert [len(market), len(account)] == [3, 3]
        y = market[0].y
        words = {market[1].x: "63,997.5", account[0].x: "0.150", account[2].x: "entry"}
        row = "".join(words.get(x, " ") for x in range(160) if x in words or not _is_under(x, words))
    strips = [Strip.blank(160)] * y + [Strip([Segment(row)])]
    assert blank_figures(strips, market, account)[y].text.split() == ["63,997.5"]
    assert blank_figures(strips, [], [])[y].text.split() == ["•••", "•••", "entry"]


def _is_under(x: int, words: dict[int, str]) -> bool:
    return any(start <= x < start + len(word) for start, word in words.items())


async def test_a_screen_picture_made_by_the_palette_leaves_it_out() -> None:
    kept = Kept()
    async with desk(160, 45, services=LauncherServices(save_picture=kept.save)) as at:
        await at.press("1", "d")
        await at.press("ctrl+p", *"account are blank", "enter")
    assert "Palette" not in read_signs(kept.svg)


async def test_s40_a_blanked_picture_of_a_list_has_no_figure() -> None:
    kept = Kept()
    async with desk(120, 36, services=LauncherServices(save_picture=kept.save)) as at:
        await at.press("A")
        await at.press("ctrl+p", *"account are blank", "enter")
    assert re.search("[0-9]", read_signs(kept.svg)) is None and "Algo orders".replace(" ", "") in read_signs(kept.svg)
