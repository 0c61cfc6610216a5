"""The site is built without a warning, asks no other host for anything, and can be read and searched in a browser."""

from __future__ import annotations

import importlib.util
import re
import subprocess
import sys
from pathlib import Path

import msgspec
import pytest

from tests.documents import site_browser
from tests.documents.pages import DOCS
from tests.documents.site_words import WORDS
from tests.page.browser import PROGRAM

PACKAGES = ("sphinx", "myst_parser", "furo")
LOADED = re.compile(r"<(?:script|link|img|iframe)\b[^>]*(?:src|href)=\"(?:https?:)?//[^\"]*\"|url\((?:https?:)?//")


@pytest.mark.nightly
@pytest.mark.skipif(not all(map(importlib.util.find_spec, PACKAGES)), reason="pip install -r requirements-docs.lock")
def test_document_site_builds_cleanly_and_loads_no_other_host(tmp_path: Path) -> None:
    result = subprocess.run(
        [sys.executable, "-m", "sphinx", "-W", "--keep-going", "-q", "-b", "html", str(DOCS), str(tmp_path)],
        capture_output=True,
        text=True,
        check=False,
    )
    assert result.returncode == 0, result.stderr
    texts = [path.read_text() for suffix in ("html", "css") for path in tmp_path.rglob(f"*.{suffix}")]
    assert len(texts) > 25
    assert [found for text in texts for found in LOADED.findall(text)] == []


@pytest.mark.real
@pytest.mark.skipif(PROGRAM is None, reason="no chromium here")
@pytest.mark.skipif(not all(map(importlib.util.find_spec, PACKAGES)), reason="pip install -r requirements-docs.lock")
async def test_the_document_site_has_no_fault_in_a_real_browser(tmp_path: Path) -> None:
    site_browser.build_site(tmp_path)
    record = await site_browser.survey(tmp_path)
    assert record.faults() == [] and set(record.words) == set(WORDS)


@pytest.mark.real
@pytest.mark.skipif(PROGRAM is None, reason="no chromium here")
async def test_the_site_check_finds_overflow_broken_links_and_images(tmp_path: Path) -> None:
    head = "<meta name=viewport content='width=device-width'>"
    table = "<div style='overflow-x: auto; width: 300px'><table><td><p style='width: 400px'>cut</table></div>"
    page = f"<article><div style='width: 600px'>wide</div>{table}<img src='none.png'><a href='#none'>x</a></article>"
    (tmp_path / "index.html").write_text(f"{head}<script src='http://localhost:1/x.js'></script>{page}")
    (tmp_path / "search.html").write_text(f"{head}<p class='search-summary'>Search finished, found nothing</p>")
    record = await site_browser.survey(tmp_path)
    cut = [fault for fault in record.overflow if "the table 'cut' is wider" in fault]
    assert len(cut) == 2 and len(record.overflow) == 3 and len(record.words_not_found) == len(WORDS)
    assert record.broken_links == ["index.html: index.html#none"]
    assert len(record.broken_images) == 2 and record.other_hosts == ["http://localhost:1/x.js"]


def test_the_stored_site_check_result_has_no_fault() -> None:
    record = msgspec.json.decode(site_browser.RECORD.read_bytes(), type=site_browser.Record)
    assert record.faults() == [] and set(record.words) == set(WORDS)
    assert record.pages > 60 and record.links > 4000
    assert re.fullmatch("[0-9a-f]{40}", record.commit), "python -m tests.documents.site_browser --publish"
