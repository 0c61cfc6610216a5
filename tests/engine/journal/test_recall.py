"""What a journal tells that could be read only later: its orders come back, and that is said."""

from __future__ import annotations

import asyncio

from tests.client.fakes import serving, until
from tests.engine.conftest import Rig, buy
from tui.engine.intents import Verdict
from tui.engine.journal.memory_journal import MemoryJournal
from tui.engine.modes import TradingState
from tui.engine.rows import LocalOrderState
from tui.host import HostClock
from tui.protocols import JournalUnwritable


class Closed(MemoryJournal):
    """A journal that cannot be opened for a while."""

    async def entries(self) -> list[object]:  # type: ignore[override]
        if self.failure:
            raise JournalUnwritable(self.failure)
        return list(self.lines)


async def test_orders_are_restored_when_the_journal_opens_later() -> None:
    async with serving() as (fake, service):
        first = Rig(fake, service)
        await first.ready()
        fake.on_action = lambda frame: None
        lost = await first.engine.submit(buy())
        assert lost.verdict is Verdict.UNKNOWN
        await first.stop()
        journal = Closed(HostClock(), kept=first.journal.lines)
        journal.failure = "journal.db cannot be opened: No space left on device"
        second = Rig(fake, service, journal)
        await second.start()
        await until(lambda: second.engine.state.synced and second.engine.state.symbols)
        assert second.screen.said("placing is refused, cancels work")
        assert [line.sticky for line in second.screen.events if "placing is refused" in line.text] == [True]
        assert lost.key not in second.engine.state.orders.rows
        second.engine.set_trading_state(TradingState.ARMED)
        journal.failure = ""
        await until(lambda: lost.key in second.engine.state.orders.rows)
        assert second.engine.state.orders.rows[lost.key].state == LocalOrderState.UNKNOWN
        assert second.screen.said("no answer in an earlier session; being queried")
        assert second.screen.said("the journal can be written again")
        told = [(line.cause, line.sticky) for line in second.screen.events if line.cause == "journal"]
        assert told == [("journal", True), ("journal", False)], "the second line takes the warning off the screen"
        await asyncio.sleep(0)
        await second.stop()
        assert second.engine.tasks.failures == 0
