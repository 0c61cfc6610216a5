"""Sphinx: `python -m sphinx -W -b html docs build/docs`, with the packages of docs/requirements.txt."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

_HERE = Path(__file__).parent

project = "crossdesk"
author = "the crossdesk maintainers"
copyright = author  # noqa: A001  # Sphinx wants this name
extensions = ["myst_parser"]
exclude_patterns = ["requirements.txt", "examples"]
highlight_language = "text"

myst_heading_anchors = 3

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


def setup(app: Any) -> None:
    """Connect the fitting of pages."""
    app.connect("source-read", _fit_to_site)
