"""The site is built without a warning, and asks no other host for anything."""

from __future__ import annotations

import importlib.util
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.documents.pages import DOCS

PACKAGES = ("sphinx", "myst_parser", "furo")
LOADED = re.compile(r"<(?:script|link|img|iframe)\b[^>]*(?:src|href)=\"(?:https?:)?//[^\"]*\"|url\((?:https?:)?//")


@pytest.mark.nightly
@pytest.mark.skipif(not all(map(importlib.util.find_spec, PACKAGES)), reason="pip install -r docs/requirements.txt")
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
