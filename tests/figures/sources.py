"""Which sources figures are of: a hash over client, engine and venue."""

from __future__ import annotations

import hashlib
from pathlib import Path

TOP = Path(__file__).parent.parent.parent
SOURCES = ("interface", "client", "engine", "venue", "rules")


def tree() -> str:
    """A hash over the sources of client, engine and venue."""
    total = hashlib.sha256()
    for room in SOURCES:
        for path in sorted((TOP / "tui" / room).rglob("*.py")):
            total.update(path.relative_to(TOP).as_posix().encode() + b"\0" + path.read_bytes())
    return total.hexdigest()[:16]
