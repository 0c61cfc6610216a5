"""The page in a real browser: it fits a phone and a monitor, follows light and dark, runs no text, and says what is old."""

from __future__ import annotations

from pathlib import Path
from urllib.parse import urlsplit

import msgspec
import pytest

from tests.page.browser import PROGRAM, Tab, open_tab
from tests.page.serving import HOSTILE, Page, serve_page
from tui.page.snapshot import mark_gone

pytestmark = pytest.mark.skipif(PROGRAM is None, reason="no chromium here")
WIDTHS = (390, 1280)


async def show(tab: Tab, page: Page, width: int = 1280, scheme: str = "light") -> None:
    """Open the page at a width, as a browser that prefers light or dark."""
    await tab.call(
        "Emulation.setDeviceMetricsOverride", width=width, height=844, deviceScaleFactor=1, mobile=width < 500
    )
    await tab.call("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])
    await tab.call("Page.navigate", url=page.access.url)
    await tab.until(
        "document.querySelectorAll('td').length > 5 && document.getElementById('word').textContent === 'in sync'"
    )


async def test_the_web_page_fits_and_aligns_at_both_widths(tmp_path: Path) -> None:
    async with serve_page() as page, open_tab(tmp_path) as tab:
        for width in WIDTHS:
            await show(tab, page, width)
            assert await tab.value("document.scrollingElement.scrollWidth <= innerWidth")
            aligned = "[...document.querySelectorAll('td')].filter(cell => /^[-+0-9,.]+$/.test(cell.textContent))"
            assert await tab.value(f"{aligned}.every(cell => getComputedStyle(cell).textAlign === 'right')")
            assert await tab.value("parseFloat(getComputedStyle(document.body).fontSize) >= 13")
            result = "[...document.querySelectorAll('td')].find(cell => cell.textContent === '-12.30')"
            assert await tab.value(f"{result}.getBoundingClientRect().right <= innerWidth"), f"cut off at {width}"


async def test_on_a_phone_the_web_page_shows_each_row_as_a_card(tmp_path: Path) -> None:
    async with serve_page() as page, open_tab(tmp_path) as tab:
        await show(tab, page, 390)
        cells = "[...document.querySelectorAll('td')]"
        assert await tab.value(f"{cells}.every(cell => cell.scrollWidth <= cell.clientWidth)")
        assert await tab.value(
            "[...document.querySelectorAll('.scroll')].every(box => box.scrollWidth <= box.clientWidth)"
        )
        stop = f"{cells}.find(cell => cell.textContent === 'none!')"
        assert await tab.value(f"getComputedStyle({stop}, '::before').content") == '"stop"'
        assert await tab.value(f"{stop}.classList.contains('warn')")


async def test_the_web_page_follows_the_light_or_dark_scheme(tmp_path: Path) -> None:
    async with serve_page() as page, open_tab(tmp_path) as tab:
        grounds = []
        for scheme in ("light", "dark"):
            await show(tab, page, scheme=scheme)
            grounds.append(await tab.value("getComputedStyle(document.body).backgroundColor"))
        assert grounds == ["rgb(255, 255, 255)", "rgb(16, 20, 24)"]


async def test_s12_hostile_text_stays_text_on_the_web_page(tmp_path: Path) -> None:
    async with serve_page() as page, open_tab(tmp_path) as tab:
        await show(tab, page)
        cells = await tab.value("[...document.querySelectorAll('td')].map(cell => cell.textContent)")
        assert HOSTILE in cells
        assert await tab.value("document.title") == "crossdesk"
        assert await tab.value("document.querySelectorAll('img, main script, iframe').length") == 0


async def test_the_web_page_asks_no_other_host_and_shows_no_token(tmp_path: Path) -> None:
    async with serve_page() as page, open_tab(tmp_path) as tab:
        await show(tab, page)
        asked = [event["request"]["url"] for event in tab.named("Network.requestWillBeSent")]
        assert {urlsplit(url).netloc for url in asked if not url.startswith("data:")} == {urlsplit(page.base).netloc}
        assert await tab.value("location.pathname") == "/" and await tab.value("document.cookie") == ""
        assert tab.named("Runtime.exceptionThrown") == []
        assert [entry for entry in tab.named("Log.entryAdded") if entry["entry"]["level"] == "error"] == []
        await tab.call("Page.reload")
        await tab.until("document.querySelectorAll('td').length > 5")


async def test_the_web_page_says_when_desk_or_page_program_is_gone(tmp_path: Path) -> None:
    async with serve_page() as page, open_tab(tmp_path) as tab:
        await show(tab, page)
        page.shown.snapshot = mark_gone(page.shown.snapshot, "the desk has ended", 7.0)
        await tab.until("document.getElementById('word').textContent === 'desk gone'")
        assert await tab.value("document.body.className") == "stale"
        assert "OLD" in await tab.value("document.getElementById('age').textContent")
        await page.runner.cleanup()
        await tab.until("document.getElementById('word').textContent === 'page program gone'")


async def test_the_web_page_hides_link_states_if_its_program_is_gone(tmp_path: Path) -> None:
    async with serve_page() as page, open_tab(tmp_path) as tab:
        await show(tab, page)
        facts = "document.getElementById('facts').textContent"
        await tab.until(f"{facts}.includes('private up')")
        await page.runner.cleanup()
        await tab.until("document.getElementById('word').textContent === 'page program gone'")
        assert await tab.value(facts) == page.shown.snapshot.status.account


async def test_the_web_page_says_that_its_program_was_restarted(tmp_path: Path) -> None:
    async with open_tab(tmp_path) as tab:
        async with serve_page() as page:
            await show(tab, page)
        async with serve_page(int(page.base.rpartition(":")[2])) as another:
            word = "document.getElementById('word').textContent"
            await tab.until(f"{word} === 'started anew: open the address that crossdesk page has printed'")
            assert await tab.value("document.body.className") == "stale"
            await show(tab, another)


async def test_old_data_is_marked_on_the_web_page(tmp_path: Path) -> None:
    async with serve_page() as page, open_tab(tmp_path) as tab:
        await show(tab, page)
        page.shown.snapshot = msgspec.structs.replace(page.shown.snapshot, age_s=12.0)
        await tab.until("document.body.className === 'stale'")
        assert "OLD: the figures below are 12 s old" in await tab.value("document.getElementById('age').textContent")
