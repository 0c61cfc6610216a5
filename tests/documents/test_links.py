"""Links lead to something, and every page can be reached."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.documents.pages import DOCS, anchors, contents, links, pages
from tests.lint.rooms import TOP


@pytest.mark.parametrize("page", pages(), ids=lambda page: str(page.relative_to(TOP)))
def test_every_document_link_leads_to_a_file_and_heading(page: Path) -> None:
    broken = []
    for target in links(page):
        path, _, anchor = target.partition("#")
        file = (page.parent / path).resolve() if path else page
        if not file.exists() or (anchor and anchor not in anchors(file)):
            broken.append(target)
    assert broken == []


def test_every_document_page_is_in_the_contents() -> None:
    there = {str(page.relative_to(DOCS).with_suffix("")) for page in DOCS.rglob("*.md")}
    design = {name for name in there if name.startswith("design/")}
    assert there - design - {"index"} == contents()
