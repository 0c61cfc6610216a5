"""Algo order stream: its address and event handling; a service without it is polled for the list instead."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

from tui.client.connection_status import ConnectionStatus, Phase
from tui.client.failover import FailoverSelector
from tui.engine.event_line import Level
from tui.engine.life.task_supervisor import TaskSupervisor
from tui.engine.orders.algo_orders import AlgoOrders
from tui.engine.rows import Source
from tui.engine.state.engine_state import EngineState
from tui.interface.envelope import StreamReply
from tui.interface.families.algo import AlgoRecord
from tui.interface.streams import PrivateChannel

LOOK_EVERY_S = 0.25
"""Interval of checks that the private stream is in step, s."""
ALGO_STREAM = "algo stream"
"""Cause of what is said of it."""


class AlgoRoute:
    """Address selector of the algo stream, which connects after the private stream and never causes a failover."""

    def __init__(self, state: EngineState, failover: FailoverSelector) -> None:
        self._state = state
        self._failover = failover

    async def address(self) -> str:
        """Return the algo stream's address on the current tier; wait until the private stream is synchronized there."""
        while True:
            address = self._failover.current.algo_ws_url
            if self._state.synced and address:
                return address
            await asyncio.sleep(LOOK_EVERY_S)

    def record_login(self) -> None:
        pass

    def record_failure(self) -> bool:
        return False


class AlgoLinkHandler:
    """Handler of the algo order stream; it receives no replies, because commands are sent over REST."""

    def __init__(
        self,
        state: EngineState,
        tasks: TaskSupervisor,
        algos: Callable[[], AlgoOrders],
        logged_in: Callable[[], None],
    ) -> None:
        """Initialize the handler.

        Args:
            state: State of the engine.
            tasks: Receiver of internal errors.
            algos: Receiver of records.
            logged_in: Callback after each login, to read the list: the stream has no snapshot.
        """
        self._state = state
        self._tasks = tasks
        self._algos = algos
        self._logged_in = logged_in
        self._up = False
        self._lost = False
        """Whether its loss was reported."""

    def private_changed(self, status: ConnectionStatus) -> None:
        """Notify the loss of the algo stream; until it is back, algo orders are only as fresh as the last list read."""
        if status.phase is not Phase.DOWN or not self._up:
            return
        self._up = False
        if self._state.synced:
            self._lost = True
            every = self._state.settings.audits.algos
            self._state.notify(
                Level.WARN,
                f"algo stream lost ({status.last_error}); algo orders are read every {every:g} s",
                cause=ALGO_STREAM,
            )

    def private_ready(self, epoch: int) -> None:
        """Read the list of algo orders after each login, because the stream sends no snapshot."""
        del epoch
        if self._lost:
            self._state.notify(Level.INFO, "the algo stream is up again", cause=ALGO_STREAM)
        self._up, self._lost = True, False
        self._logged_in()

    def private_push(self, epoch: int, channel: PrivateChannel, records: list[Any], received: float) -> None:
        """Apply pushed algo orders; a record that fails does not end the stream."""
        del epoch
        if channel is not PrivateChannel.ALGO_ORDER:
            return
        try:
            for record in records:
                if isinstance(record, AlgoRecord) and record.algo_order_id and record.order_state:
                    self._algos().fold(record, Source.PUSH, received)
        except Exception as error:
            self._tasks.report_failure("algo push", error)

    def tier_changed(self) -> None:
        pass

    def action_written(self) -> None:
        pass

    def late_reply(self, token: object, reply: StreamReply) -> None:
        pass
