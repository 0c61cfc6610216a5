"""Event lines that a program missed, read from the journal of the desk."""

from __future__ import annotations

import shutil
from datetime import datetime, timedelta
from pathlib import Path

import pytest

from crossdesk import AsyncDesk, DeskError
from tests.client.fakes import until
from tests.desk_protocol.desks import DeskOf, journaled, new_id
from tui.desk_protocol.messages import Role
from tui.engine.modes import RiskMode
from tui.host import HostClock
from tui.programs import desk_reader


def watch(home: Path) -> AsyncDesk:
    return AsyncDesk(home / "desk.sock", HostClock(), new_id, name="monitor", role=Role.WATCH)


def count_notes(home: Path) -> int:
    return sum(entry["kind"] == "note" for entry in journaled(home))


async def test_event_lines_that_a_program_missed_are_in_the_journal(
    owner: DeskOf, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(desk_reader, "MAX_EVENTS", 5)
    async with watch(tmp_path) as desk:
        newest = desk.recent_events()[-1]
        await until(lambda: count_notes(tmp_path) == newest.number, 10)
        before = (await desk.past_events())[-1]
        assert (before.text, before.order, before.at) == (newest.text, newest.order, newest.at)
        for mode in [RiskMode.REDUCING, RiskMode.NORMAL] * 6:
            owner.thread.set_risk_mode(mode)
        await until(lambda: desk.recent_events()[-1].number == newest.number + 12, 10)
        await until(lambda: count_notes(tmp_path) == newest.number + 12, 10)
        lines, kept = await desk.past_events(after=before.entry), desk.recent_events()
        assert len(lines) == 12 and len(kept) == 5
        assert [(line.text, line.at) for line in lines[-5:]] == [(line.text, line.at) for line in kept]
        page = await desk.past_events(after=before.entry, most=7)
        assert page + await desk.past_events(after=page[-1].entry, most=7) == lines
        late = lines[-1].at + timedelta(milliseconds=1)
        assert await desk.past_events(after=before.entry, since=late) == []
        assert (await desk.past_events(since=lines[-1].at))[-1] == lines[-1]


async def test_wrong_or_too_many_calls_for_past_events_are_refused(owner: DeskOf, tmp_path: Path) -> None:
    async with watch(tmp_path) as desk:
        for most in (0, 1001):
            with pytest.raises(DeskError, match="most"):
                await desk.past_events(most=most)
        for since in (datetime(2026, 1, 1), "today", 5):  # noqa: DTZ001
            with pytest.raises(DeskError, match=r"since .* is not accepted; it is a time with a zone"):
                await desk.past_events(since=since)  # type: ignore[arg-type]
        with pytest.raises(DeskError, match="60 calls within 60 s; free in"):
            for _ in range(61):
                await desk.past_events(most=1)


async def test_a_program_is_told_that_the_journal_is_unreadable(owner: DeskOf, tmp_path: Path) -> None:
    async with watch(tmp_path) as desk:
        shutil.move(tmp_path / "journal.db", tmp_path / "gone.db")
        with pytest.raises(DeskError, match="read_events: the journal cannot be read"):
            await desk.past_events()
