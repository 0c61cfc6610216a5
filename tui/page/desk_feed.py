"""Feed of the page: attached to the desk to read, attached again when it was gone, and the newest snapshot."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from contextlib import suppress

from tui.desk_protocol.messages import ProtocolError
from tui.interface.text import clean
from tui.page.snapshot import Snapshot, choose_pairs, mark_gone, take_snapshot
from tui.programs.watched_desk import WatchedDesk
from tui.protocols import Clock

EVERY_S = 0.25
"""Seconds between two snapshots: viewers get at most four a second."""
RETRY_S = 1.0
"""Pause between two attempts to reach the desk, s."""
MOST_PAIRS = 24
"""Most pairs whose quotes are shown."""
MOST_NAME = 40
"""Most characters of a pair that is not known."""
PAIR_FORM = "a pair is written EXCHANGE_TYPE_BASE_QUOTE, such as BINANCE_PERP_BTC_USDT"


class DeskFeed:
    """Source of the page's snapshots: attaches to a desk, reads it regularly, and reconnects when it is gone."""

    def __init__(
        self, connect: Callable[[], WatchedDesk], clock: Clock, wanted: Sequence[str], say: Callable[[str], None]
    ) -> None:
        """Initialize the feed.

        Args:
            connect: Builds a connection to the desk, to read only.
            clock: Clock.
            wanted: Pairs whose quotes are wanted besides those that are traded.
            say: Tells who started the page that no desk is there, and which of these it does not know.
        """
        self._connect = connect
        self._clock = clock
        self._wanted = wanted
        self._say = say
        self._told = not wanted
        """Whether the wanted pairs were compared with those of the desk."""
        self._told_gone = False
        """Whether it was told that no desk is there."""
        self._last: Snapshot | None = None
        """Newest snapshot of an attached desk."""
        self._taken_at = clock.mono()
        self.snapshot: Snapshot = mark_gone(None, "no desk was reached yet", 0.0)
        self._pairs: list[str] = []

    async def run(self) -> None:
        """Attach to the desk, and again whenever it is gone, until cancelled."""
        while True:
            try:
                async with self._connect() as desk:
                    self._told_gone = False
                    await self._follow(desk)
                why = "the desk has ended"
            except ProtocolError as error:
                why = str(error)
            except OSError as error:
                why = error.strerror or "it cannot be reached"
            if not self._told_gone:
                self._told_gone = True
                self._say(f"{why}: start `crossdesk` or `crossdesk gateway`; it is tried again each second")
            await self._wait_gone(why)

    async def _follow(self, desk: WatchedDesk) -> None:
        """Take a snapshot at each interval until the desk's link ends; a silent desk stays attached, its snapshot ages."""
        self._pairs = []
        proving = asyncio.ensure_future(_prove_alive(desk))
        try:
            while desk.is_open:
                self._take(desk)
                await asyncio.sleep(EVERY_S)
        finally:
            proving.cancel()
            await asyncio.gather(proving, return_exceptions=True)

    def _tell_unknown(self, desk: WatchedDesk) -> None:
        """Report once which requested pairs the desk does not know; wait until it knows any pairs at all."""
        if self._told or not desk.symbols:
            return
        self._told = True
        unknown = sorted(set(self._wanted).difference(desk.symbols))
        if unknown:
            self._say(f"not known to this desk: {', '.join(clean(sym, MOST_NAME) for sym in unknown)}; {PAIR_FORM}")

    def _take(self, desk: WatchedDesk) -> None:
        self._tell_unknown(desk)
        pairs = choose_pairs(desk, self._wanted, MOST_PAIRS)
        if pairs != self._pairs:
            self._pairs = pairs
            desk.watch(*pairs)
        self._last = self.snapshot = take_snapshot(desk, pairs, desk.silent_s)
        self._taken_at = self._clock.mono()

    async def _wait_gone(self, why: str) -> None:
        """Until the next attempt to attach, show the last snapshot marked as of a gone desk, with its age."""
        until = self._clock.mono() + RETRY_S
        while self._clock.mono() < until:
            self.snapshot = mark_gone(self._last, why, self._clock.mono() - self._taken_at)
            await asyncio.sleep(EVERY_S)


async def _prove_alive(desk: WatchedDesk) -> None:
    """Call the desk at intervals until the link ends, so that its silence can be measured."""
    while desk.is_open:
        with suppress(ProtocolError):
            await desk.prove_alive()
        await asyncio.sleep(RETRY_S)
