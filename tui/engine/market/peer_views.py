"""Views of peers: each looks at a market of its own, and none opens more connections than a person needs."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from itertools import count
from typing import NamedTuple

from tui.engine.conflating_queue import TableSink
from tui.engine.event_line import EventLine
from tui.engine.life.task_supervisor import TaskSupervisor
from tui.engine.market.market_view import MarketView
from tui.engine.peers.recent_events import RecentEvents
from tui.engine.rows import Row, Table
from tui.interface.streams import Detail
from tui.protocols import Clock

LEFT_KEPT_S = 5.0
"""Time for which a view that a peer left stays connected, s: who goes back gets its rows at once."""
MOST_OPENED, OPENED_WITHIN_S = 3, 0.75
"""Looks of a peer that open connections within a time, s: who walks through a list waits for the last pair this long."""
MOST_LATELY, LATELY_S = 60, 60.0
"""The same over a longer time, s, because services count new connections."""
ALL, MOST_LATELY_IN_ALL = "", 120
"""Name under which those of all peers are counted, which no peer has, and most of them within `LATELY_S`."""


class Look(NamedTuple):
    """Request of a peer to see a pair's market data: receiver of the rows, pair, and further pairs' books."""

    sink: TableSink
    detail: Detail | None
    books: tuple[str, ...]


class ViewSink:
    """Receiver of a view's rows that keeps the newest ones, and passes them on only while the peer displays the view."""

    def __init__(self, sink: TableSink) -> None:
        self._sink = sink
        self._is_shown = True
        self._rows: dict[tuple[Table, str], Row] = {}

    def show(self) -> None:
        """Pass on all kept rows, and from now on every new one."""
        self._is_shown = True
        for (table, key), row in self._rows.items():
            self._sink.put(table, key, row)

    def hide(self) -> None:
        """Delete at the receiver all rows passed on, and pass on no more."""
        for table, key in self._rows:
            self._sink.put(table, key, None)
        self._is_shown = False

    def put(self, table: Table, key: str, row: Row | None, *, quiet: bool = False) -> None:
        if row is None:
            self._rows.pop((table, key), None)
        else:
            self._rows[table, key] = row
        if self._is_shown:
            self._sink.put(table, key, row, quiet=quiet)

    def put_rows(self, table: Table, rows: Mapping[str, Row | None]) -> None:
        for key, row in rows.items():
            self.put(table, key, row)

    def put_event(self, line: EventLine) -> None:
        self._sink.put_event(line)

    def begin_burst(self) -> None:
        self._sink.begin_burst()

    def end_burst(self) -> None:
        self._sink.end_burst()


class OpenView(NamedTuple):
    """Connected market data view of a peer, with the look that it serves and its tasks."""

    look: Look
    view: MarketView
    sink: ViewSink
    tasks: tuple[str, ...]
    """Names of its tasks."""

    def is_of_pair(self, look: Look) -> bool:
        """Return whether a look is at this view's pair for the same receiver, so that trades and book can be kept."""
        detail = self.look.detail
        return (
            self.look.sink is look.sink and detail is not None and look.detail is not None
            and detail.sym == look.detail.sym
        )  # fmt: skip


class PeerViews:
    """Market data views of peers, by peer name; each peer has a receiver of its own for the rows."""

    def __init__(self, tasks: TaskSupervisor, clock: Clock) -> None:
        self._tasks = tasks
        self._clock = clock
        self._open: Callable[[TableSink], MarketView] | None = None
        """None before there are connections."""
        self._looks: dict[str, Look] = {}
        """What each peer wants to look at."""
        self._shown: dict[str, OpenView] = {}
        self._left: dict[str, tuple[OpenView, float]] = {}
        """View that each peer left last, with the time at which it ends."""
        self._waiting: set[str] = set()
        """Peers whose newest look is followed later."""
        self._ending: set[str] = set()
        """Peers whose left view ends later."""
        self._opened, self._lately = RecentEvents(OPENED_WITHIN_S), RecentEvents(LATELY_S)
        self._numbers = count(1)

    def begin(self, open_view: Callable[[TableSink], MarketView]) -> None:
        """Open the views that peers have asked for; `open_view` opens a view on the present connections."""
        self._open = open_view
        for peer in list(self._looks):
            self._turn(peer)

    def look(self, peer: str, sink: TableSink, detail: Detail | None, books: tuple[str, ...]) -> None:
        """Show a peer a pair's market data, all rows again if it is shown already; a detail of None ends the view."""
        look = self._looks[peer] = Look(sink, detail, books)
        if (shown := self._shown.get(peer)) is not None and shown.look == look:
            shown.sink.show()
        else:
            self._turn(peer)

    def _turn(self, peer: str) -> None:
        """Show a peer the pair asked for: at once, from a view left lately, or later if too many views were opened."""
        look, shown = self._looks[peer], self._shown.get(peer)
        if self._open is None or (shown is not None and shown.look == look):
            return
        left, _ = self._left.get(peer, (None, 0.0))
        if look.detail is None:
            del self._looks[peer]
            self._leave(peer)
        elif left is not None and left.look == look:
            del self._left[peer]
            self._leave(peer)
            self._shown[peer] = left
            left.sink.show()
        elif wait_s := self._wait_s(peer):
            if peer not in self._waiting:
                self._waiting.add(peer)
                self._tasks.spawn(f"look {next(self._numbers)} of {peer}", self._turn_later(peer, wait_s))
        else:
            self._note_opened(peer)
            if shown is not None and shown.is_of_pair(look):
                shown.view.follow(look.detail, look.books)
                self._shown[peer] = shown._replace(look=look)
            else:
                self._leave(peer)
                self._shown[peer] = self._connect(peer, look, self._open)

    def _wait_s(self, peer: str) -> float:
        now = self._clock.mono()
        return max(
            self._opened.wait_s(peer, MOST_OPENED, now),
            self._lately.wait_s(peer, MOST_LATELY, now),
            self._lately.wait_s(ALL, MOST_LATELY_IN_ALL, now),
        )

    def _note_opened(self, peer: str) -> None:
        now = self._clock.mono()
        self._opened.note(peer, now)
        for name in (peer, ALL):
            self._lately.note(name, now)

    async def _turn_later(self, peer: str, wait_s: float) -> None:
        await asyncio.sleep(wait_s)
        self._waiting.discard(peer)
        if peer in self._looks:
            self._turn(peer)

    def _connect(self, peer: str, look: Look, open_view: Callable[[TableSink], MarketView]) -> OpenView:
        sink, number = ViewSink(look.sink), next(self._numbers)
        view = open_view(sink)
        jobs = {f"{name} {number} of {peer}": work for name, work in view.jobs().items()}
        for name, work in jobs.items():
            self._tasks.keep_running(name, work)
        view.follow(look.detail, look.books)
        return OpenView(look, view, sink, tuple(jobs))

    def _leave(self, peer: str) -> None:
        """Hide a peer's shown view and keep it connected for `LEFT_KEPT_S`, in case the peer returns to it."""
        shown = self._shown.pop(peer, None)
        if shown is None:
            return
        shown.sink.hide()
        self._end_left(peer)
        self._left[peer] = shown, self._clock.mono() + LEFT_KEPT_S
        self._end_soon(peer, LEFT_KEPT_S)

    async def _end_later(self, peer: str, wait_s: float) -> None:
        await asyncio.sleep(wait_s)
        _, until = self._left.get(peer, (None, 0.0))
        self._ending.discard(peer)
        if (rest := until - self._clock.mono()) > 0:  # another view was left meanwhile
            self._end_soon(peer, rest)
        else:
            self._end_left(peer)

    def _end_soon(self, peer: str, wait_s: float) -> None:
        if peer not in self._ending:
            self._ending.add(peer)
            self._tasks.spawn(f"end {next(self._numbers)} of a view of {peer}", self._end_later(peer, wait_s))

    def _end_left(self, peer: str) -> None:
        """Disconnect the hidden view that is kept for a peer, if there is one."""
        left, _ = self._left.pop(peer, (None, 0.0))
        if left is not None:
            self._tasks.cancel(*left.tasks)
            left.view.follow(None, ())
