"""A paper venue whose market holds still and that limits no rate."""

from __future__ import annotations

from tests.venue.shell.conftest import start, venue

__all__ = ["start", "venue"]
