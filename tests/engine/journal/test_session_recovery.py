"""The journal of earlier sessions at a start: what is said when it cannot be read, and what is taken up when it can."""

from __future__ import annotations

import json
from collections.abc import Sequence
from datetime import UTC, datetime

import msgspec
import pytest

from tests.client.fakes import order
from tests.engine.conftest import StateRig
from tests.engine.journal.test_restore import GONE, ID, entry, meant
from tests.engine.journal.test_restore import journal as story
from tui.engine.event_line import EventLine
from tui.engine.journal.journal_file import CHECKPOINT
from tui.engine.journal.journal_rows import Entry
from tui.engine.journal.session_replay import JournalReplay
from tui.engine.modes import RiskEntry, RiskMode
from tui.engine.orders.risk_mode import RiskModes
from tui.engine.rows import LocalOrderState, Source, Table
from tui.engine.sync.session_recovery import SessionRecovery
from tui.interface.families.orders import OrderRecord
from tui.protocols import JournalEntry, JournalUnwritable

LOST_LINE = (
    "UNKNOWN: BUY 0.01 BINANCE BTC perp @ 60,000: no answer in an earlier session; being queried, do not send it again"
)


class Disk:
    """The disk of a journal that may not answer."""

    def __init__(self, bare: StateRig, monkeypatch: pytest.MonkeyPatch) -> None:
        self.bare = bare
        self.entries: list[Entry] = []
        self.broken = ""
        monkeypatch.setattr(bare.journal, "entries", self._read)
        self.recovery = SessionRecovery(bare.state, lambda told: RiskModes(bare.state).restore(told.risk))

    async def _read(self) -> Sequence[JournalEntry]:
        self.bare.journal.failure = self.broken
        if self.broken:
            raise JournalUnwritable(self.broken)
        return self.entries

    def may_be_read(self) -> bool:
        """Whether it is time to try again."""
        return self.recovery.is_due

    async def told(self) -> list[EventLine]:
        """What a try to read it says."""
        before = len(self.bare.screen.events)
        await self.recovery.run()
        return self.bare.screen.look().events[before:]


@pytest.fixture
def disk(bare: StateRig, monkeypatch: pytest.MonkeyPatch) -> Disk:
    return Disk(bare, monkeypatch)


async def test_an_unreadable_journal_is_reported_once_and_read_later(disk: Disk) -> None:
    disk.entries, disk.broken = story(), "input/output error"
    [line] = await disk.told()
    assert line.text == "journal: input/output error; placing is refused, cancels work" and line.sticky
    assert not disk.may_be_read() and await disk.told() == [], "it stands on the screen already"
    disk.broken = disk.bare.journal.failure = ""
    assert disk.may_be_read()
    assert [one.text for one in await disk.told()] == [
        "the journal can be written again; what it tells of earlier sessions is taken up",
        LOST_LINE,
    ]
    assert [row.state for row in disk.bare.state.orders.visible_rows()] == [LocalOrderState.UNKNOWN]
    assert not disk.may_be_read()


async def test_unreadable_journal_entries_are_counted_and_reported(disk: Disk) -> None:
    disk.entries = [entry(1, "intent", "{", "a"), entry(2, "intent", "no json", "b"), entry(3, "intent", meant(), "c")]
    said = await disk.told()
    assert [(line.text, line.sticky) for line in said] == [
        ("2 journal entries cannot be read; trust the venue's lists for those", True),
        (LOST_LINE, False),
    ]


async def test_orders_without_a_reply_are_listed_at_startup(disk: Disk) -> None:
    disk.entries = [entry(count, "intent", meant(), name) for count, name in enumerate("abcde", 1)]
    said = await disk.told()
    assert [(line.text, line.key, line.unsure, line.others) for line in said] == [
        *((LOST_LINE, name, True, ()) for name in "abc"),
        (
            "UNKNOWN: and 2 more orders with no answer in an earlier session; being queried, do not send them again",
            "d", True, ("e",),
        ),
    ]  # fmt: skip


async def test_a_set_aside_journal_is_reported_at_startup(disk: Disk, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        disk.bare.journal, "set_aside", "the journal is damaged; it is now journal-2.bad", raising=False
    )
    [line] = await disk.told()
    assert line.text.startswith("the journal is damaged") and line.sticky


def told_modes(*modes: tuple[str, bool]) -> list[Entry]:
    """Journal entries of risk modes, and whether each lasts."""
    return [
        entry(number, "mode", json.dumps({"mode": mode, "why": f"reason {number}", "lasts": lasts}))
        for number, (mode, lasts) in enumerate(modes, 1)
    ]


@pytest.mark.parametrize(
    ("modes", "mode", "why"),
    [
        ((("REDUCING", True), ("HALT", True)), "HALT", "reason 2"),
        ((("HALT", True), ("REDUCING", True)), "HALT", "reason 1"),  # of a session that could not read the journal
        ((("HALT", True), ("REDUCING", False)), "HALT", "reason 1"),
        ((("HALT", True), ("NORMAL", False), ("REDUCING", False)), "NORMAL", ""),  # resumed while a limit is breached
        ((("HALT", True), ("NORMAL", False), ("REDUCING", True)), "REDUCING", "reason 3"),
        ((("REDUCING", False),), "NORMAL", ""),  # a limit is checked anew
        ((("HALT", False),), "NORMAL", ""),  # of an older version, under which a restart ended it
    ],
)
@pytest.mark.parametrize("archived", [False, True])
async def test_the_strictest_lasting_risk_mode_survives_a_restart(
    disk: Disk, modes: tuple[tuple[str, bool], ...], mode: str, why: str, archived: bool
) -> None:
    disk.entries = told_modes(*modes)
    if archived:
        replay = JournalReplay()
        for one in disk.entries:
            replay.apply(one)
        disk.entries = [entry(9, CHECKPOINT, replay.checkpoint(disk.bare.clock.wall()))]
    await disk.told()
    trading = disk.bare.state.trading
    assert (trading.risk_mode, trading.risk_mode_reason.partition(",")[0]) == (mode, why)


@pytest.mark.parametrize("archived", [False, True])
@pytest.mark.parametrize(
    ("why", "named"),
    [
        ("kill switch by you", "kill switch by the former desk"),
        ("by you", "by the former desk"),
        ("kill switch by desk 2", "kill switch by the former desk 2"),
        ("by anna", "by anna"),
        ("kill switch", "kill switch"),  # of an older version, which did not name the window of the account
    ],
)
async def test_a_halt_of_an_earlier_session_says_who_and_when(disk: Disk, why: str, named: str, archived: bool) -> None:
    """`still HALT from the session before: kill switch`: whose, and of when, was in the journal."""
    told = entry(1, "mode", json.dumps({"mode": "HALT", "why": why, "lasts": True}))
    disk.entries = [msgspec.structs.replace(told, wall_ms=int(disk.bare.clock.wall() * 1000) - 60_000)]
    if archived:
        replay = JournalReplay()
        replay.apply(disk.entries[0])
        disk.entries = [entry(9, CHECKPOINT, replay.checkpoint(disk.bare.clock.wall()))]
    [line] = await disk.told()
    at = datetime.fromtimestamp(disk.bare.clock.wall() - 60, UTC)
    assert line.text == f"still HALT from the session before: {named}, {at:%H:%M:%S} UTC"


async def test_a_halt_in_an_older_checkpoint_is_restored(disk: Disk) -> None:
    replay = JournalReplay()
    replay.risk = RiskEntry(RiskMode.HALT, "kill switch", lasts=True)
    disk.entries = [entry(9, CHECKPOINT, replay.checkpoint(disk.bare.clock.wall()))]
    [line] = await disk.told()
    assert line.text == "still HALT from the session before: kill switch"


async def test_a_listed_order_is_shown_despite_an_earlier_dismissal(disk: Disk) -> None:
    disk.entries, disk.broken = story(GONE), "input/output error"
    await disk.told()
    shown = msgspec.convert(order(orderId=ID, clientOrderId="c"), OrderRecord)
    key = disk.bare.state.fold_order(shown, Source.SNAPSHOT)
    disk.broken = disk.bare.journal.failure = ""
    await disk.told()
    assert [row.state for row in disk.bare.state.orders.visible_rows()] == ["OPEN"]
    assert list(disk.bare.screen.tables[Table.ORDERS]) == [key]


async def test_an_order_dismissed_earlier_stays_hidden(disk: Disk) -> None:
    disk.entries = story(GONE)
    disk.entries = [msgspec.structs.replace(one, wall_ms=int(disk.bare.clock.wall() * 1000)) for one in disk.entries]
    assert await disk.told() == []
    assert list(disk.bare.state.orders.visible_rows()) == [] and not disk.bare.screen.tables.get(Table.ORDERS)
    assert [row.key for row in disk.bare.state.orders.list_dismissed(disk.bare.clock.mono())] == ["c"]
