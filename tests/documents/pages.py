"""The pages that people read, their links and their anchors."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from tests.lint.rooms import TOP

DOCS = TOP / "docs"
FRONT = tuple(TOP / name for name in ("README.md", "CONTRIBUTING.md", "CHANGELOG.md", "SECURITY.md"))

_FENCE = re.compile(r"^( *)(`{3,}|~{3,})(.*?)\n(.*?)^\1\2 *$", re.MULTILINE | re.DOTALL)
_CODE_SPAN = re.compile(r"(?<!`)(`+)(?!`)(.+?)(?<!`)\1(?!`)")
_LINK = re.compile(r"!?\[[^\]]*\]\(([^)\s]+)\)")
_HEADING = re.compile(r"^#{1,6} +(.+?) *$", re.MULTILINE)


def pages() -> list[Path]:
    """Return the front pages and every page below docs/."""
    return [*FRONT, *sorted(DOCS.rglob("*.md"))]


def links(page: Path) -> list[str]:
    """Return the targets of the links of a page that lead to other files or to a heading, code left out."""
    text = _CODE_SPAN.sub("", _FENCE.sub("", page.read_text()))
    return [target for target in _LINK.findall(text) if "://" not in target and not target.startswith("mailto:")]


def anchors(page: Path) -> set[str]:
    """Return the anchors of the headings of a page, as hosting sites and MyST make them."""
    seen: dict[str, int] = {}
    found = set()
    for heading in _HEADING.findall(_FENCE.sub("", page.read_text())):
        slug = re.sub(r"[^\w\- ]", "", heading.replace("`", "").lower()).replace(" ", "-")
        count = seen.get(slug, 0)
        seen[slug] = count + 1
        found.add(f"{slug}-{count}" if count else slug)
    return found


def contents() -> set[str]:
    """Return the pages that the tables of contents of docs/index.md name."""
    found: set[str] = set()
    for _, _, kind, body in _FENCE.findall((DOCS / "index.md").read_text()):
        if kind == "{toctree}":
            found.update(line for line in body.split("\n") if line and not line.startswith(":"))
    return found


def shell_lines(page: Path) -> Iterator[str]:
    """Yield the lines of code blocks without a language, and of indented blocks, of a page."""
    text = page.read_text()
    for _, _, language, body in _FENCE.findall(text):
        if language.strip() in ("", "sh", "bash"):
            yield from (line.strip() for line in body.splitlines())
    yield from re.findall(r"^    (\S.*)$", _FENCE.sub("", text), re.MULTILINE)


def code(page: Path) -> Iterator[str]:
    """Yield the lines of code blocks without a language and of indented blocks, and the code spans, of a page."""
    yield from shell_lines(page)
    yield from (span for _, span in _CODE_SPAN.findall(_FENCE.sub("", page.read_text())))
