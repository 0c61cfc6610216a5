"""Keeps what a run measured beside the other figures, for the command that publishes them."""

from __future__ import annotations

import json
from pathlib import Path

LAST = Path(__file__).parent.parent / "figures" / ".last" / "journal.json"


def keep(size: str, **figures: float) -> None:
    """Add figures of one size (`commit` or `nightly`) to the file of the last run."""
    LAST.parent.mkdir(parents=True, exist_ok=True)
    known = json.loads(LAST.read_text()) if LAST.exists() else {}
    known.setdefault(size, {}).update(figures)
    LAST.write_text(json.dumps(known, indent=2, sort_keys=True) + "\n")
