"""A venue that keeps its keys: programs that were given a key go on after a restart."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.venue.shell.conftest import STILL, Venue
from tui.cli.credentials import CredentialsError
from tui.cli.venue_keys import load_or_create_keys, load_or_create_master
from tui.venue.shell.keys import Key

POSITIONS = "/api/v1/trading/position"


def keys(mark: str) -> list[Key]:
    """Two keys whose secrets hold a mark."""
    return [Key(name, "main", "1", ("READ",), f"{mark}k{name}", f"{mark}s{name}") for name in ("main", "readonly")]


def test_a_stored_venue_api_key_is_accepted_after_a_restart(start: Callable[..., Venue], tmp_path: Path) -> None:
    words = (*STILL, "--state", str(tmp_path / "paper.db"), "--keys", str(tmp_path / "keys"))
    first = start(*words)
    given = first.ready["keys"]
    first.stop()
    second = start(*words)
    assert second.ready["keys"] == given
    assert second.data("GET", POSITIONS) == []
    assert (tmp_path / "keys").stat().st_mode & 0o777 == 0o600


def test_without_the_keys_option_every_start_makes_new_api_keys(start: Callable[..., Venue]) -> None:
    assert start(*STILL).ready["keys"][0]["api_key"] != start(*STILL).ready["keys"][0]["api_key"]


def test_stored_venue_api_keys_are_used_instead_of_new_ones(tmp_path: Path) -> None:
    path = tmp_path / "keys"
    assert load_or_create_keys(path, keys("a")) == keys("a")
    assert load_or_create_keys(path, keys("b")) == keys("a")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("main onlyone\n", "line 1: expected a name, a key and a secret"),
        ("main k s t\n", "line 1: expected a name, a key and a secret"),
    ],
)
def test_an_incomplete_api_keys_file_is_refused(tmp_path: Path, text: str, said: str) -> None:
    path = tmp_path / "keys"
    path.write_text(text)
    path.chmod(0o600)
    with pytest.raises(CredentialsError, match=said):
        load_or_create_keys(path, keys("a"))


def test_a_missing_api_key_is_added_to_the_keys_file(tmp_path: Path) -> None:
    path = tmp_path / "keys"
    load_or_create_keys(path, keys("a")[:1])
    assert [key.api_key for key in load_or_create_keys(path, keys("b"))] == ["akmain", "bkreadonly"]
    assert load_or_create_keys(path, keys("c")) == [keys("a")[0], keys("b")[1]]
    assert path.stat().st_mode & 0o777 == 0o600


def test_the_master_secret_file_is_created_once_and_private(tmp_path: Path) -> None:
    state, drawn = tmp_path / "paper.db", iter(("m" * 48, "n" * 48))
    assert load_or_create_master(state, lambda: next(drawn)) == "m" * 48
    assert load_or_create_master(state, lambda: next(drawn)) == "m" * 48
    path = tmp_path / "paper.db-master"
    assert path.stat().st_mode & 0o777 == 0o600
    path.chmod(0o644)
    with pytest.raises(CredentialsError, match="nobody else can read"):
        load_or_create_master(state, lambda: "o" * 48)
    path.chmod(0o600)
    path.write_text("short\n")
    with pytest.raises(CredentialsError, match="expected one secret"):
        load_or_create_master(state, lambda: "o" * 48)


def test_an_api_keys_file_that_others_can_read_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "keys"
    load_or_create_keys(path, keys("a"))
    path.chmod(0o644)
    with pytest.raises(CredentialsError, match="nobody else can read"):
        load_or_create_keys(path, keys("a"))
