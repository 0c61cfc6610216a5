"""Sphinx: `python -m sphinx -W -b html docs build/docs`, with the packages of requirements-docs.lock."""

from __future__ import annotations

import html
import re
from pathlib import Path
from typing import Any

_HERE = Path(__file__).parent

project = "crossdesk"
author = "the crossdesk maintainers"
copyright = author  # noqa: A001  # Sphinx wants this name
extensions = ["myst_parser"]
exclude_patterns = ["examples"]
highlight_language = "text"

myst_heading_anchors = 3
smartquotes = False  # a quote or two hyphens are what is typed

html_theme = "furo"
html_title = "crossdesk"
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_copy_source = False
html_show_sphinx = False
html_use_index = False
html_search_scorer = str(_HERE / "scorer.js")

_LINK = re.compile(r"\[([^\]]*)\]\(((?:\.\./)+[^)#\s]+\.md)(#[^)]*)?\)")
_DESIGN = "\n```{toctree}\n:caption: Design\n:maxdepth: 1\n:glob:\n\ndesign/*\n```\n"


def _fit_to_site(_app: Any, name: str, source: list[str]) -> None:
    """Add the design notes to the contents, and lead links to pages above this folder into the site or nowhere."""
    folder = (_HERE / name).parent
    source[0] = _LINK.sub(lambda link: _fitting_link(link, folder), source[0])
    if name == "index" and any(_HERE.glob("design/*.md")):
        source[0] += _DESIGN


def _fitting_link(link: re.Match[str], folder: Path) -> str:
    target = (folder / link[2]).resolve()
    if target.is_relative_to(_HERE.resolve()):
        return link[0]
    return f"[{link[1]}](/security.md)" if target.name == "SECURITY.md" else link[1]


_TABLE = re.compile(r"<table\b.*?</table>", re.DOTALL)
_ROW = re.compile(r"<tr\b.*?</tr>", re.DOTALL)
_CELL = re.compile(r"<(t[hd])\b(.*?>)(.*?)</\1>", re.DOTALL)
_CODE_WORD = re.compile(r'<span class="pre">([^<]*)</span>')
_TEXT = re.compile(r'(<div class="highlight-text[^>]*><div class="highlight">)<pre>(.*?)</pre>', re.DOTALL)
_MARKUP = re.compile(r"<[^>]+>")
_LONG = 20
"""Characters of a word that may be broken anywhere."""
_PHONE = 44
"""Characters that a line of a table holds on a phone."""
_PADDING = 2
_SCREEN = 140
"""Characters of the widest screen of the desk that a page shows; a longer line is a message."""


def _mark_body(_app: Any, _name: str, _template: str, context: dict[str, Any], _tree: Any) -> None:
    """Mark for site.css: each cell of a table with the name of its column, long words, tables too wide for a phone,
    short words of commands, and texts with lines too wide for any screen."""
    if "body" in context:
        marked = _TABLE.sub(lambda table: _mark_table(table[0]), context["body"])
        marked = _CODE_WORD.sub(lambda word: _mark_code_word(word[1]), marked)
        context["body"] = _TEXT.sub(lambda text: _mark_text(text[1], text[2]), marked)


def _mark_text(begin: str, text: str) -> str:
    is_wide = any(len(html.unescape(line)) > _SCREEN for line in text.splitlines())
    return f"{begin}<pre{' data-wide' if is_wide else ''}>{text}</pre>"


def _mark_code_word(word: str) -> str:
    short = " data-short" if len(html.unescape(word)) <= _LONG else ""
    return f'<span class="pre"{short}>{word}</span>'


def _mark_table(table: str) -> str:
    rows = [[_text(cell[3]) for cell in _CELL.finditer(row[0])] for row in _ROW.finditer(table)]
    columns = zip(*rows, strict=False)
    longest = [max((len(word) for cell in column for word in cell.split()), default=0) for column in columns]
    marked = _ROW.sub(lambda row: _mark_row(row[0], rows[0]), table)
    is_wide = len(longest) > 2 and sum(length + _PADDING for length in longest) > _PHONE
    return marked.replace("<table", "<table data-wide", 1) if is_wide else marked


def _mark_row(row: str, names: list[str]) -> str:
    labels = iter(names)
    return _CELL.sub(lambda cell: _mark_cell(cell, next(labels, "")), row)


def _mark_cell(cell: re.Match[str], label: str) -> str:
    if cell[1] == "th":
        return cell[0]
    text = _text(cell[3])
    marks = f' data-label="{html.escape(label)}"' if label else ""
    marks += " data-long" if any(len(word) > _LONG for word in text.split()) else ""
    marks += "" if text else " data-empty"
    return f"<td{marks}{cell[2]}{cell[3]}</td>"


def _text(cell: str) -> str:
    return html.unescape(_MARKUP.sub("", cell)).strip()


def setup(app: Any) -> None:
    """Connect the fitting of pages, tables and words."""
    app.connect("source-read", _fit_to_site)
    app.connect("html-page-context", _mark_body)
