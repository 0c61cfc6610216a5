"""A service connected from the screen: each step against a real paper venue, and the profile that is written."""

from __future__ import annotations

import os
import stat
import threading
from collections.abc import Callable
from pathlib import Path

import pytest
from msgspec.structs import replace

from tests.venue.shell.conftest import STILL, Venue
from tui import paths
from tui.cli.connecting.connector import ServiceConnector
from tui.cli.connecting.profile_file import ProfileNotWritten, list_profiles, save_profile
from tui.cli.service_target import profile_target
from tui.settings import read
from tui.workstation.commands.connection import CheckLine, ConnectionDraft, KeyPlace

STEPS = ["connection", "clock", "key", "level", "permissions", "private", "algo", "public", "limits"]
NOWHERE = "127.0.0.1:9"

pytestmark = pytest.mark.usefixtures("own_home")


@pytest.fixture
def venue(start: Callable[..., Venue]) -> Venue:
    return start(*STILL)


def draft_of(venue: Venue) -> ConnectionDraft:
    key, secret = venue.key()
    ready = venue.ready
    return ConnectionDraft(
        name="desk",
        rest_url=ready["rest_url"],
        private_ws_url=ready["private_ws_url"],
        public_ws_url=ready["public_ws_url"],
        algo_ws_url=ready["algo_ws_url"],
        key=key,
        secret=secret,
    )


def run_test(draft: ConnectionDraft) -> tuple[list[CheckLine], ConnectionDraft | None]:
    """Run a test to its end; return its lines, and the draft that can be saved."""
    lines: list[CheckLine] = []
    ends: list[ConnectionDraft | None] = []
    ended = threading.Event()

    def end(whole: ConnectionDraft | None) -> None:
        ends.append(whole)
        ended.set()

    ServiceConnector(lambda *_: None).test(draft, lines.append, end)
    assert ended.wait(60)
    return lines, ends[0]


def test_connection_test_of_a_right_profile_names_the_portfolio(venue: Venue) -> None:
    lines, whole = run_test(draft_of(venue))
    assert [line.name for line in lines] == STEPS and all(line.ok for line in lines), lines
    assert whole is not None and whole.portfolio == next(
        key["portfolioId"] for key in venue.ready["keys"] if key["name"] == "main"
    )


WRONG = (
    ("rest_url", f"http://{NOWHERE}", "connection"),
    ("portfolio", "1111111111111111", "key"),
    ("key", "nobody", "key"),
    ("secret", "wrong", "key"),
    ("private_ws_url", f"ws://{NOWHERE}/v1/private", "private"),
    ("algo_ws_url", f"ws://{NOWHERE}/v1/private", "algo"),
    ("public_ws_url", f"ws://{NOWHERE}/public", "public"),
)
"""Field, wrong value, step that finds it."""


@pytest.mark.parametrize(("field", "text", "step"), WRONG, ids=[row[0] for row in WRONG])
def test_connection_test_ends_at_and_names_the_wrong_field(venue: Venue, field: str, text: str, step: str) -> None:
    lines, whole = run_test(replace(draft_of(venue), **{field: text}))
    assert whole is None
    assert [line.name for line in lines] == STEPS[: STEPS.index(step) + 1]
    assert all(line.ok for line in lines[:-1])
    assert (lines[-1].ok, lines[-1].field) == (False, field), lines[-1]
    secret = venue.key()[1]
    assert secret not in repr(lines)


@pytest.mark.parametrize("field", ["private_ws_url", "algo_ws_url", "public_ws_url"])
def test_a_connection_test_fails_at_a_stream_url_of_wrong_path(venue: Venue, field: str) -> None:
    address = getattr(draft_of(venue), field)
    lines, whole = run_test(replace(draft_of(venue), **{field: address.rsplit("/", 1)[0] + "/nothing"}))
    assert whole is None and lines[-1].field == field


def test_a_connection_test_refuses_a_remote_url_without_tls(venue: Venue) -> None:
    lines, whole = run_test(replace(draft_of(venue), rest_url="http://rest.example"))
    assert whole is None and lines[-1].field == "rest_url" and "https" in lines[-1].text


def test_an_api_key_can_come_from_a_command_or_from_variables(
    venue: Venue, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    draft = draft_of(venue)
    printed = tmp_path / "two words"
    printed.write_text(f"{draft.key}\n{draft.secret}\n")
    bare = replace(draft, key="", secret="")
    by_command = replace(bare, place=KeyPlace.COMMAND, secret_cmd=f"cat '{printed}'")
    assert run_test(by_command)[1] is not None
    lines, _ = run_test(replace(by_command, secret_cmd="cat /nowhere"))
    assert lines[-1].field == "secret_cmd"
    by_variables = replace(bare, place=KeyPlace.VARIABLES, key_env="A_KEY", secret_env="A_SECRET")
    lines, _ = run_test(by_variables)
    assert lines[-1].field == "key_env" and "A_KEY and A_SECRET must be set" in lines[-1].text
    monkeypatch.setenv("A_KEY", draft.key)
    monkeypatch.setenv("A_SECRET", draft.secret)
    assert run_test(by_variables)[1] is not None
    save_profile(replace(by_command, portfolio="2171869303228000"))
    assert read(paths.config_file()).profile["desk"].secret_cmd == ["cat", str(printed)]


def test_an_api_key_from_variables_can_be_tested_twice(venue: Venue, monkeypatch: pytest.MonkeyPatch) -> None:
    draft = draft_of(venue)
    monkeypatch.setenv("A_KEY", draft.key)
    monkeypatch.setenv("A_SECRET", draft.secret)
    connector = ServiceConnector(lambda *_: None)
    again = replace(draft, key="", secret="", place=KeyPlace.VARIABLES, key_env="A_KEY", secret_env="A_SECRET")
    for _ in range(2):
        assert connector._read_key(again) == (draft.key, draft.secret)
    assert "A_SECRET" not in os.environ, "a process that is started later does not inherit it"


def test_a_saved_profile_starts_and_holds_no_secret(venue: Venue) -> None:
    file = paths.config_file()
    paths.make_private(file.parent)
    addresses = (
        "rest_url = 'https://a.example'\nprivate_ws_url = 'wss://a.example'\npublic_ws_url = 'wss://a.example'\n"
    )
    file.write_text(
        f"# mine\n[workstation]\nfps = 30 # slow\n\n[profile.old]\n{addresses}portfolio = '1'\nportfolio_name = 'a'\n"
    )
    before = file.read_text()
    _, whole = run_test(draft_of(venue))
    assert whole is not None
    assert save_profile(whole) == str(file)
    after = file.read_text()
    assert after.startswith(before) and list_profiles() == {"old", "desk"}
    key, secret = venue.key()
    assert key not in after and secret not in after
    key_file = file.with_name("desk.key")
    assert stat.S_IMODE(key_file.stat().st_mode) == 0o600 and key_file.read_text() == f"{key}\n{secret}\n"
    target = profile_target("desk", read(file))
    assert (target.key, target.secret, target.portfolio) == (key, secret, whole.portfolio)
    assert target.service.algo_ws_url == venue.ready["algo_ws_url"] and target.portfolio_name == "desk"


def test_saving_a_profile_overwrites_no_existing_key_file(venue: Venue) -> None:
    whole = replace(draft_of(venue), portfolio="2171869303228000")
    key_file = paths.config_dir() / "desk.key"
    paths.make_private(key_file.parent)
    key_file.write_text("another key")
    with pytest.raises(ProfileNotWritten, match="exists already"):
        save_profile(whole)
    assert key_file.read_text() == "another key" and not paths.config_file().exists()


def test_saving_a_profile_leaves_an_invalid_config_file_alone(venue: Venue) -> None:
    file = paths.config_file()
    paths.make_private(file.parent)
    file.write_text("fps = ")
    with pytest.raises(ProfileNotWritten, match="would not be usable"):
        save_profile(replace(draft_of(venue), portfolio="2171869303228000"))
    assert file.read_text() == "fps = " and not file.with_name("desk.key").exists()


def test_saving_a_profile_keeps_a_config_file_that_is_a_link(venue: Venue, tmp_path: Path) -> None:
    real = tmp_path / "kept.toml"
    real.write_text("")
    paths.make_private(paths.config_dir())
    paths.config_file().symlink_to(real)
    save_profile(replace(draft_of(venue), portfolio="2171869303228000"))
    assert paths.config_file().is_symlink() and "[profile.desk]" in real.read_text()
