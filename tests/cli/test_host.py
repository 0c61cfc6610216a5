"""The real implementations of the protocols: ids that never repeat, locks, paths, connections that go nowhere else."""

from __future__ import annotations

import os
import stat
import threading
import time
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tui import paths
from tui.host import FileLock, HostConnector, HostNotAllowed, OrderIds, SeededRandomSource, load_order_ids


class SetClock:
    """A wall clock that is told what to say."""

    def __init__(self) -> None:
        self.now = 1_700_000_000.0

    def mono(self) -> float:
        return 0.0

    def boot(self) -> float:
        return 0.0

    def wall(self) -> float:
        return self.now


@given(st.lists(st.floats(min_value=-1e6, max_value=1e6), max_size=60))
def test_client_order_ids_never_repeat_however_the_clock_jumps(jumps: list[float]) -> None:
    clock, bound = SetClock(), [0]
    made: list[str] = []
    ids = OrderIds(clock, "instal", 0, lambda value: bound.__setitem__(0, value))
    for number, jump in enumerate(jumps):
        clock.now = max(0.0, clock.now + jump)
        made += [ids.client_order_id(), ids.client_order_id()]
        if number % 7 == 3:
            ids = OrderIds(clock, "instal", bound[0], lambda value: bound.__setitem__(0, value))
    assert len(set(made)) == len(made)
    assert all((len(one) == 22 and one.isalnum() and one.islower()) or one.isdigit() for one in made)
    assert all(ids.is_ours(one) for one in made)


def test_highest_client_order_id_is_on_disk_before_use(tmp_path: Path) -> None:
    path = tmp_path / "ids"
    clock = SetClock()
    first = load_order_ids(path, clock)
    one = first.client_order_id()
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    clock.now -= 86_400
    second = load_order_ids(path, clock)
    two = second.client_order_id()
    assert one != two
    assert one[:8] == two[:8]
    assert second.is_ours(one)
    assert two[8:18] > one[8:18]


def test_client_order_ids_are_reserved_on_disk_ahead_of_use(tmp_path: Path) -> None:
    clock, stored = SetClock(), list[int]()
    ids = OrderIds(clock, "instal", 0, stored.append)
    for _ in range(3):
        clock.now += 3_600
        ids.reserve_ahead()
        count = len(stored)
        made = ids.client_order_id()
        clock.now += OrderIds.RENEW_S + 1
        assert ids.client_order_id() > made
        assert len(stored) == count, "no id wrote to the disk"
    clock.now -= 86_400
    ids.reserve_ahead()
    assert stored == sorted(set(stored)), "the bound never goes back"


def test_two_windows_never_lower_the_reserved_client_order_id(tmp_path: Path) -> None:
    path = tmp_path / "ids"
    ahead, behind = SetClock(), SetClock()
    ahead.now += 3_600
    load_order_ids(path, behind).reserve_ahead()
    early = load_order_ids(path, behind)
    load_order_ids(path, ahead).reserve_ahead()
    kept = path.read_text()
    behind.now += 120
    early.reserve_ahead()
    assert path.read_text() == kept


def test_reserved_client_order_id_is_stored_in_the_background(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(OrderIds, "RENEW_S", 0.005)
    clock, stored = SetClock(), list[int]()
    ids = OrderIds(clock, "instal", 0, stored.append)
    ids.keep_reserved()
    deadline = time.monotonic() + 30
    while len(stored) < 3 and time.monotonic() < deadline:
        clock.now += 1
        time.sleep(0.005)
    assert len(stored) >= 3
    del ids
    while any(one.name == "order ids" for one in threading.enumerate()):
        assert time.monotonic() < deadline, "the thread outlives its ids"
        time.sleep(0.005)


def test_a_file_lock_has_one_holder_until_released(tmp_path: Path) -> None:
    mine, yours = FileLock(tmp_path / "lock"), FileLock(tmp_path / "lock")
    assert mine.acquire()
    assert mine.acquire()
    assert not yours.acquire()
    mine.release()
    assert yours.acquire()
    yours.release()


@pytest.mark.parametrize("url", ["http://example.test", "https://example.test", "ws://10.0.0.1/x"])
def test_s20_paper_mode_connects_to_localhost_only(url: str) -> None:
    with pytest.raises(HostNotAllowed, match="this machine"):
        HostConnector((url,), loopback_only=True)


def test_s18_s20_remote_hosts_need_tls_and_a_profile() -> None:
    with pytest.raises(HostNotAllowed, match="https"):
        HostConnector(("http://example.test",), loopback_only=False)
    connector = HostConnector(("https://example.test", "wss://example.test/x"), loopback_only=False)
    with pytest.raises(HostNotAllowed, match="not an address of this profile"):
        connector.private_stream("wss://elsewhere.test/x")


def test_random_streams_are_independent_and_reproducible() -> None:
    one, two = SeededRandomSource(5), SeededRandomSource(5)
    one.randrange(10)
    assert [one.stream("a").randrange(10**9) for _ in range(3)] == [two.stream("a").randrange(10**9) for _ in range(3)]
    assert one.stream("a").randrange(10**9) != one.stream("b").randrange(10**9)


def test_all_program_files_are_under_the_home_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CROSSDESK_HOME", str(tmp_path))
    for place in (
        paths.config_file(),
        paths.state_dir(),
        paths.data_dir(),
        paths.runtime_dir(),
        paths.own_dir("themes"),
    ):
        assert tmp_path in place.parents


def test_a_missing_runtime_folder_gives_no_warning(
    monkeypatch: pytest.MonkeyPatch, recwarn: pytest.WarningsRecorder
) -> None:
    for name in ("CROSSDESK_HOME", "XDG_RUNTIME_DIR"):
        monkeypatch.delenv(name, raising=False)
    assert paths.runtime_dir().is_absolute()
    assert not recwarn.list


def test_two_homes_of_a_user_have_sockets_of_their_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Else a command of one home would read and trade the account of the other."""
    for name in ("CROSSDESK_HOME", "XDG_STATE_HOME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path))
    places = set[Path]()
    (tmp_path / "link").symlink_to(tmp_path / "anna")
    for home in ("anna", "bob", "link"):
        monkeypatch.setenv("HOME", str(tmp_path / home))
        places.add(paths.runtime_dir())
    assert len(places) == 2 and {place.parent for place in places} == {tmp_path}, "a link leads to the same home"


def test_a_program_folder_open_to_others_or_linked_is_refused(tmp_path: Path) -> None:
    loose = tmp_path / "loose"
    loose.mkdir()
    loose.chmod(0o777)
    with pytest.raises(paths.UnsafePath, match="chmod 700"):
        paths.make_private(loose)
    linked = tmp_path / "linked"
    linked.symlink_to(tmp_path)
    with pytest.raises(paths.UnsafePath, match="link"):
        paths.make_private(linked)
    made = paths.make_private(tmp_path / "made")
    assert stat.S_IMODE(os.stat(made).st_mode) == 0o700


def test_shipped_themes_are_found_in_a_checkout() -> None:
    assert {path.name for path in paths.find_shipped_dir("themes").glob("*.toml")} >= {"dark.toml", "light.toml"}
    assert paths.checkout_dir() is not None
