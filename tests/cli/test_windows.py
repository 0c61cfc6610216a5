"""Which key of a ready line a window uses, and what a window that owns the venue publishes for others."""

from __future__ import annotations

from math import inf
from pathlib import Path
from types import SimpleNamespace

import msgspec
import pytest

from tui.cli import windows
from tui.cli.windows import (
    NoAddress,
    PaperWindow,
    _publish_address,
    make_paper_target,
    pin_portfolio,
    select_portfolio,
)
from tui.host import FileLock
from tui.interface.ready import ReadyKey, ReadyLine

EVERYTHING = ["READ", "TRADE", "TRANSFER", "WITHDRAW"]
USUAL = (("main", "7001", "MainPortfolio", EVERYTHING), ("readonly", "7001", "MainPortfolio", ["READ"]))
CHOSEN = (("desk", "7009", "NightDesk", EVERYTHING), ("desk-readonly", "7009", "NightDesk", ["READ"]))


def line(*keys: tuple[str, str, str, list[str]]) -> ReadyLine:
    return ReadyLine(
        pid=1, rest_url="http://127.0.0.1:1", private_ws_url="", algo_ws_url="", public_ws_url="", symbols=[],
        keys=[
            ReadyKey(name=name, level="main", portfolio=portfolio, permissions=rights, api_key=f"k-{name}",
                     api_secret=f"s-{name}", portfolio_name=called)
            for name, portfolio, called, rights in keys
        ],
    )  # fmt: skip


@pytest.mark.parametrize(
    ("keys", "trades", "key", "portfolio", "name"),
    [
        (USUAL, True, "k-main", "7001", "main"),
        (USUAL, False, "k-readonly", "7001", "main"),
        ((*USUAL, *CHOSEN), True, "k-desk", "7009", "NightDesk"),
        ((*USUAL, *CHOSEN), False, "k-desk-readonly", "7009", "NightDesk"),
    ],
)
def test_a_window_uses_the_key_of_the_chosen_portfolio(
    keys: tuple[tuple[str, str, str, list[str]], ...], trades: bool, key: str, portfolio: str, name: str
) -> None:
    target = make_paper_target(line(*keys), trades=trades)
    assert (target.key, target.portfolio, target.portfolio_name) == (key, portfolio, name)


def test_only_read_only_keys_are_published_to_other_windows(tmp_path: Path) -> None:
    _publish_address(tmp_path / "paper.json", line(*USUAL, *CHOSEN))
    shown = msgspec.json.decode((tmp_path / "paper.json").read_bytes(), type=ReadyLine)
    assert [key.name for key in shown.keys] == ["readonly", "desk-readonly"]
    assert b"s-main" not in (tmp_path / "paper.json").read_bytes()


def test_a_chosen_portfolio_is_passed_to_a_restarted_venue_by_id() -> None:
    arguments = select_portfolio(["--state", "x"], "NightDesk")
    assert arguments == ["--state", "x", "--portfolio", "NightDesk"]
    pinned = pin_portfolio(arguments, line(*USUAL, *CHOSEN))
    assert pinned == ["--state", "x", "--portfolio", "7009"]
    assert select_portfolio(pinned, "MainPortfolio") == ["--state", "x", "--portfolio", "MainPortfolio"]
    assert select_portfolio(pinned, "main") == ["--state", "x"], "its keys always exist"
    assert pin_portfolio(["--state", "x"], line(*USUAL)) == ["--state", "x"]


def open_window(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, *, patience_s: float = inf) -> PaperWindow:
    """A window on a venue that is ready at once."""
    venue = SimpleNamespace(
        wait_until_ready=lambda: line(*USUAL), exit_reason=lambda: "", stop=lambda: None, set_switch=lambda *_: None
    )
    monkeypatch.setattr(windows, "PaperVenue", lambda *_: venue)
    lock = FileLock(tmp_path / "desk.lock")
    return PaperWindow(
        [], tmp_path / "log", tmp_path / "paper.json", tmp_path / "paper.sock", lock, looks_only=False,
        patience_s=patience_s,
    )  # fmt: skip


def test_a_missing_venue_address_file_is_named_in_the_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    owner, other = open_window(tmp_path, monkeypatch), open_window(tmp_path, monkeypatch, patience_s=0.1)
    with pytest.raises(NoAddress, match=r"paper\.json.* is missing or cannot be read; wait until"):
        other.next_assignment()
    owner.close()
    assert other.next_assignment().owns, "it takes the account once it is free"
    other.close()


def test_the_paper_venue_owner_restores_a_removed_address_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    owner, address = open_window(tmp_path, monkeypatch), tmp_path / "paper.json"
    owner.next_assignment()
    written = address.read_bytes()
    address.unlink()
    owner._must_renew()
    assert address.read_bytes() == written
    owner.close()
    assert not address.exists()
    owner._must_renew()
    assert not address.exists(), "a window that has ended publishes nothing"


def test_a_venue_address_file_of_another_process_is_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    owner, address = open_window(tmp_path, monkeypatch), tmp_path / "paper.json"
    owner.next_assignment()
    address.write_bytes(b"of another")
    owner._must_renew()
    owner.close()
    assert address.read_bytes() == b"of another"
