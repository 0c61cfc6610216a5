"""The built site in a real browser: it fits a phone and a monitor, its links lead somewhere, its search finds words.

Make the record: `python -m tests.documents.site_browser --publish`.
"""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
import tempfile
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from pathlib import Path
from urllib.parse import quote, unquote, urldefrag, urljoin, urlsplit

import click
import msgspec
from aiohttp import web

from tests.documents.pages import DOCS
from tests.documents.site_words import WORDS
from tests.figures.artifact import git
from tests.lint.rooms import TOP
from tests.page.browser import PROGRAM, Tab, open_tab

RECORD = TOP / "tests" / "data" / "site.json"
WIDTHS = (390, 1280)
FIRST = 5
"""So many results of a search stand on the first screenful."""

_LOOK = """(width => ({
  overflow: Math.max(...[...document.querySelectorAll('html, .content')].map(box => box.scrollWidth)) - width,
  wide: [...document.querySelectorAll('article *')].filter(part => {
    for (let box = part.parentElement; box.tagName !== 'ARTICLE'; box = box.parentElement)
      if (['auto', 'scroll'].includes(getComputedStyle(box).overflowX)) return false;
    return part.getBoundingClientRect().right > width + 1;
  }).slice(0, 3).map(part => part.tagName + ' ' + part.textContent.trim().slice(0, 40)),
  cut: [...document.querySelectorAll('article table')].filter(table =>
    table.scrollWidth > table.parentElement.clientWidth + 1).map(table => table.textContent.trim().slice(0, 40)),
  images: [...document.images].map(image => [image.currentSrc || image.src, image.naturalWidth]),
  asked: performance.getEntriesByType('resource').map(entry => entry.name),
  links: [...document.links].map(link => link.href),
  anchors: [...document.querySelectorAll('[id]')].map(part => part.id),
}))"""
_LOADED = "document.readyState === 'complete' && [...document.images].every(image => image.complete)"
_RESULTS = "[...document.querySelectorAll('#search-results ul.search > li > a')].map(link => link.href)"
_SEARCHED = (
    "/^Search (finished|found)|matching/.test((document.querySelector('.search-summary') || {}).textContent || '')"
)


class Look(msgspec.Struct):
    """What a browser saw of a page."""

    overflow: int
    wide: list[str]
    cut: list[str]
    images: list[tuple[str, int]]
    asked: list[str]
    links: list[str]
    anchors: list[str]


class Record(msgspec.Struct):
    """What was looked at, and what was wrong."""

    commit: str = ""
    """Commit that was built; empty where nothing is published."""
    date: str = ""
    pages: int = 0
    widths: tuple[int, ...] = WIDTHS
    links: int = 0
    images: int = 0
    requests: int = 0
    words: dict[str, str] = {}
    overflow: list[str] = []
    broken_links: list[str] = []
    broken_images: list[str] = []
    other_hosts: list[str] = []
    words_not_found: list[str] = []

    def faults(self) -> list[str]:
        """List what was wrong."""
        lists = (self.overflow, self.broken_links, self.broken_images, self.other_hosts, self.words_not_found)
        return [fault for faults in lists for fault in faults]


def build_site(folder: Path) -> None:
    """Build the site into a folder."""
    command = [sys.executable, "-m", "sphinx", "-W", "-q", "-b", "html", str(DOCS), str(folder)]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)


async def survey(site: Path) -> Record:
    """Open every page of a built site at every width, follow its links, and search for the words."""
    record = Record()
    names = sorted(str(path.relative_to(site)) for path in site.rglob("*.html") if "_static" not in path.parts)
    with tempfile.TemporaryDirectory() as profile:
        async with _serve(site) as base, open_tab(Path(profile)) as tab:
            looks: dict[str, Look] = {}
            for width in WIDTHS:
                await tab.call(
                    "Emulation.setDeviceMetricsOverride",
                    width=width,
                    height=844,
                    deviceScaleFactor=1,
                    mobile=width < 500,
                )
                for name in names:
                    looks[name] = await _look(tab, base + name, width)
                    _judge(record, f"{name} at {width}", looks[name])
            _follow(record, looks, base, site)
            await _search(record, tab, base)
            asked = [event["request"]["url"] for event in tab.named("Network.requestWillBeSent")]
            record.requests = len(asked)
            record.other_hosts += sorted({url for url in asked if _is_elsewhere(url, base)})
    record.pages = len(names)
    return record


@asynccontextmanager
async def _serve(site: Path) -> AsyncIterator[str]:
    app = web.Application()
    app.router.add_static("/", site)
    runner = web.AppRunner(app)
    await runner.setup()
    place = web.TCPSite(runner, "127.0.0.1", 0)
    await place.start()
    try:
        yield f"http://127.0.0.1:{runner.addresses[0][1]}/"
    finally:
        await runner.cleanup()


async def _look(tab: Tab, url: str, width: int) -> Look:
    await tab.call("Page.navigate", url=url)
    await tab.until(f"location.href === {json.dumps(url)} && {_LOADED}")
    return msgspec.convert(await tab.value(f"({_LOOK})({width})"), Look)


def _judge(record: Record, where: str, look: Look) -> None:
    if look.overflow > 0 or look.wide:
        record.overflow.append(f"{where}: {look.overflow} px, {look.wide}")
    # A table that scrolls within its box hides columns, and nothing on the page hints at it.
    record.overflow += [f"{where}: the table {text!r} is wider than its place" for text in look.cut]
    record.images += len(look.images)
    record.broken_images += [f"{where}: {source}" for source, width in look.images if not width]


def _is_elsewhere(url: str, base: str) -> bool:
    return not url.startswith(("data:", "about:", "blob:")) and urlsplit(url).netloc != urlsplit(base).netloc


def _follow(record: Record, looks: Mapping[str, Look], base: str, site: Path) -> None:
    for name, look in looks.items():
        for link in sorted(set(look.links)):
            target, anchor = urldefrag(urljoin(base + name, link))
            if not target.startswith(base):
                continue
            record.links += 1
            path = unquote(urlsplit(target).path.lstrip("/")) or "index.html"
            there = (site / path).is_file()
            if not there or (anchor and path in looks and unquote(anchor) not in looks[path].anchors):
                record.broken_links.append(f"{name}: {link.removeprefix(base)}")


async def _search(record: Record, tab: Tab, base: str) -> None:
    for word, pages in WORDS.items():
        await tab.call("Page.navigate", url=f"{base}search.html?q={quote(word)}")
        await tab.until(f"location.search === '?q={quote(word)}' && {_SEARCHED}")
        results = [link.removeprefix(base) for link in await tab.value(_RESULTS)]
        first = [urldefrag(link)[0].removesuffix(".html").split("?")[0] for link in results[:FIRST]]
        right = next((f"{first.index(page) + 1}: {page}" for page in pages if page in first), None)
        if right is None:
            record.words_not_found.append(f"{word}: {first}")
        else:
            record.words[word] = right


@click.command()
@click.option("--publish", is_flag=True, help=f"Write what was seen to {RECORD.relative_to(TOP)}.")
def main(publish: bool) -> None:
    """Build the site, look at it in a real browser, and say what is wrong with it."""
    if PROGRAM is None:
        raise click.ClickException("no chromium here")
    if publish and (changed := git("status", "--porcelain", "--untracked-files=no")):
        raise click.ClickException(f"a working tree with changes is of no commit: {changed[:200]}")
    with tempfile.TemporaryDirectory() as folder:
        build_site(Path(folder))
        record = asyncio.run(survey(Path(folder)))
    if publish:
        record.commit, record.date = git("rev-parse", "HEAD"), f"{datetime.now(UTC):%Y-%m-%d}"
        RECORD.write_bytes(msgspec.json.format(msgspec.json.encode(record), indent=1) + b"\n")
    click.echo(f"{record.pages} pages, {record.links} links, {record.images} images, {len(record.words)} words found")
    for fault in record.faults():
        click.echo(fault)
    raise SystemExit(bool(record.faults()))


if __name__ == "__main__":
    main()
