"""Synchronization with the service: pushes, snapshots after a login, queries for UNKNOWN orders."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tui.client.rest import Rest
from tui.engine.event_line import Level
from tui.engine.life.task_supervisor import TaskSupervisor
from tui.engine.orders.unknown_resolver import UnknownOrderResolver
from tui.engine.rows import Source
from tui.engine.state import order_requests
from tui.engine.state.engine_state import EngineState
from tui.engine.sync.login_sync import ORDER_LINK, LoginSync
from tui.engine.sync.push_handler import PushHandler
from tui.engine.sync.reconciliation import Reconciler
from tui.interface.families.orders import ORDER_DETAIL
from tui.interface.streams import PrivateChannel
from tui.interface.text import how_many


class Synchronization:
    """Synchronization of one trading session."""

    def __init__(
        self,
        state: EngineState,
        rest: Rest,
        tasks: TaskSupervisor,
        *,
        position_changed: Callable[[], None],
        status_changed: Callable[[], None],
        in_step: Callable[[], None],
        reads_algos: Callable[[], bool] = lambda: False,
    ) -> None:
        """Build the parts.

        Args:
            state: State of the engine.
            rest: Client for lists and single orders.
            tasks: Supervisor of the reads.
            position_changed: Callback after a pushed position.
            status_changed: Callback when the private connection's status must be shown again.
            in_step: Callback for a complete snapshot.
            reads_algos: Whether the list of algo orders is read after a complete snapshot.
        """
        self._state = state
        self._rest = rest
        self._tasks = tasks
        self._when_in_step = in_step
        self._reads_algos = reads_algos
        self.pushes = PushHandler(
            state, query_now=self.query_now, look_up=self._look_up, position_changed=position_changed
        )
        self.reconciler = Reconciler(state, rest, self.query_now)
        self.login_sync = LoginSync(
            state, rest, self.pushes, self.reconciler, query_now=self.query_now, spawn=tasks.spawn,
            changed=status_changed, failed=tasks.report_failure, in_step=self._in_step,
        )  # fmt: skip
        self.resolver = UnknownOrderResolver(state, rest, self.login_sync.read_recent_fills, tasks.spawn)

    @property
    def error(self) -> str:
        """Why shown data may be outdated, or an empty text."""
        sync = self.login_sync
        reasons = (sync.error, self._tasks.read_error, sync.fill_error, self.reconciler.partial)
        return next((reason for reason in reasons if reason), "")

    def start(self) -> None:
        """Start reading the snapshot; pushes are buffered until it is complete."""
        self._tasks.spawn("sync", self.login_sync.run())

    def query_now(self, key: str) -> None:
        """Query an order as soon as possible."""
        self.resolver.query_now(key)

    def fold_pushes(self, epoch: int, channel: PrivateChannel, records: list[Any], received: float) -> None:
        """Apply pushed records; a record that fails does not end the stream."""
        try:
            self.pushes.push(epoch, channel, records, received)
        except Exception as error:
            self._tasks.report_failure(f"push {channel.value}", error)

    def _in_step(self) -> None:
        self.resolver.restart_queries()
        unknown = len(self._state.orders.unknown())
        count = len(self._state.orders.working()) - unknown
        none = "no open orders (algo orders are read next)" if self._reads_algos() else "no open orders"
        text = f"In sync with the venue: {how_many(count, 'open order') if count else none}"
        doubt = f"; {how_many(unknown, 'UNKNOWN order')} being searched for" if unknown else ""
        self._state.notify(Level.INFO, f"{text}{doubt}", cause=ORDER_LINK)
        self._when_in_step()

    def _look_up(self, order_id: str) -> None:
        self._tasks.spawn(f"look up {order_id}", self._read_order(order_id))

    async def _read_order(self, order_id: str) -> None:
        """Query an order that is known only from a fill."""
        record = (await self._rest.call(ORDER_DETAIL, order_requests.find_order(order_id), reserved=True)).data
        self._state.fold_order(record, Source.QUERY)
