"""Every test here runs on both editions of the venue: the letter of the documents, and what strangers expect."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.edition import EDITIONS, choice


def success(edition: str) -> tuple[int, str]:
    """Code and message with which the account families say yes."""
    return (200, "success") if edition == "lenient" else (200000, "Success")


def unknown_login(edition: str) -> int:
    """Code of a stream login with a key that does not exist."""
    return 60009 if edition == "lenient" else 405001


@pytest.fixture(scope="module", autouse=True, params=EDITIONS)
def edition(request: pytest.FixtureRequest) -> Iterator[str]:
    """The edition of every venue that the module starts."""
    with choice(request.param) as chosen:
        yield chosen
