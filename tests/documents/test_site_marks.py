"""The site marks what its style needs: short words of commands, messages, tables too wide for a phone."""

from __future__ import annotations

import importlib.util
from types import ModuleType
from typing import Any

import pytest

from tests.documents.pages import DOCS


@pytest.fixture(scope="module")
def site() -> ModuleType:
    spec = importlib.util.spec_from_file_location("site_settings", DOCS / "conf.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def mark(site: ModuleType, body: str) -> str:
    """The body of a page as the site writes it."""
    context: dict[str, Any] = {"body": body}
    site._mark_body(None, "", "", context, None)
    marked: str = context["body"]
    return marked


def test_the_site_does_not_break_a_short_word_of_a_command(site: ModuleType) -> None:
    short, long = '<span class="pre">--no-deps</span>', f'<span class="pre">{"a-" * 11}</span>'
    assert mark(site, short) == '<span class="pre" data-short>--no-deps</span>'
    assert mark(site, long) == long
    quoted = f'<span class="pre">{"&quot;" * 20}</span>'
    assert "data-short" in mark(site, quoted), "a character that is written as several counts once"


def test_the_site_wraps_a_message_but_no_picture_of_the_screen(site: ModuleType) -> None:
    begin = '<div class="highlight-text notranslate"><div class="highlight">'
    screen, message = "x" * 140, f"short\n{'x' * 141}\n"
    assert mark(site, f"{begin}<pre>{screen}</pre>") == f"{begin}<pre>{screen}</pre>"
    assert mark(site, f"{begin}<pre>{message}</pre>") == f"{begin}<pre data-wide>{message}</pre>"
    code = begin.replace("text", "python")
    assert mark(site, f"{code}<pre>{message}</pre>") == f"{code}<pre>{message}</pre>"


def test_on_the_site_rows_of_a_wide_table_name_their_columns(site: ModuleType) -> None:
    row = "<tr><td>a</td><td></td><td>c</td></tr>"
    narrow = f"<table><tr><th>One</th><th>Two</th><th>Three</th></tr>{row}</table>"
    marked = mark(site, narrow)
    assert '<td data-label="One">a</td><td data-label="Two" data-empty></td>' in marked and "data-wide" not in marked
    wide = narrow.replace("<td>c</td>", f"<td>{'c' * 45}</td>")
    assert mark(site, wide).startswith("<table data-wide>") and f"data-long>{'c' * 45}" in mark(site, wide)
