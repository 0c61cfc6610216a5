"""The edition of every paper venue that tests start: the one that `pytest --edition` names, or the venue's own default."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

EDITIONS = ("documents", "lenient")
_chosen = [""]


def choose(edition: str) -> None:
    """Take it for every venue that is started from now on; empty for the default."""
    _chosen[0] = edition


@contextmanager
def choice(edition: str) -> Iterator[str]:
    """Take it for a while."""
    before = _chosen[0]
    choose(edition)
    yield edition
    choose(before)


def name() -> str:
    """The edition that venues of tests have."""
    return _chosen[0] or EDITIONS[0]


def switches() -> dict[str, str]:
    """The switch that sets it; what a test itself sets behind it wins."""
    return {"edition": _chosen[0]} if _chosen[0] else {}


def arguments() -> tuple[str, ...]:
    """The same as words of the command."""
    return tuple(word for item in switches().items() for word in ("--set", "=".join(item)))
