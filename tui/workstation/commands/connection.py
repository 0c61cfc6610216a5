"""Language of screen and launcher for connecting a service: the draft of a profile, and the results of its test."""

from __future__ import annotations

from collections.abc import Callable
from enum import StrEnum
from typing import NamedTuple

import msgspec


class KeyPlace(StrEnum):
    """Kind of place where a connection profile keeps API key and secret: file, command or environment variables."""

    FILE = "file"
    """File of this program, which only its owner can read."""
    COMMAND = "command"
    """Output of a command such as a password manager."""
    VARIABLES = "variables"
    """Two environment variables."""


class ConnectionDraft(msgspec.Struct, frozen=True, kw_only=True):
    """Connection profile as typed so far; its fields are named as in the form and in the config file."""

    name: str
    rest_url: str
    private_ws_url: str
    public_ws_url: str
    algo_ws_url: str = ""
    portfolio: str = ""
    """16 digits; empty: taken from the key."""
    portfolio_name: str = ""
    """Word that is typed to go live; empty: the name of the profile."""
    place: KeyPlace = KeyPlace.FILE
    key: str = ""
    secret: str = ""
    secret_cmd: str = ""
    """Command line that prints key and secret."""
    key_env: str = ""
    secret_env: str = ""

    def __repr__(self) -> str:
        """Return a text with the profile's name only, because key and secret must not reach a log."""
        return f"ConnectionDraft({self.name!r})"


class CheckLine(NamedTuple):
    """Result of one step of the test of a connection profile."""

    name: str
    ok: bool
    text: str
    field: str = ""
    """Field of the draft to change; empty: the reason is none of them."""


Report = Callable[[CheckLine], None]
"""Take the result of a step."""


class ConnectionService(NamedTuple):
    """Functions of the launcher for the connection form, such as to test and to save a profile."""

    known: Callable[[], frozenset[str]]
    """List the names of the profiles in the config file."""
    test: Callable[[ConnectionDraft, Report, Callable[[ConnectionDraft | None], None]], None]
    """Test a draft on a thread of its own, which changes nothing.

    Both callbacks are called on that thread: the first with each result, the second once at the end with the draft that
    can be saved, or with None where a step is wrong.
    """
    save: Callable[[ConnectionDraft], str]
    """Write the profile and return the path of the file. Raises CrossdeskError."""
