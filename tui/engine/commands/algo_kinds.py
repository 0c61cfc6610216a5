"""Commands for algo orders: placement, change, cancel.

A record of the order with the requested values proves that a command was carried out; for a change or cancel, a record
without them proves the contrary. A new order that is not found stays UNKNOWN until the service shows it or the trader
dismisses it.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator, Sequence
from typing import TypeVar

from tui.client.rest import CallFailed, Rest
from tui.engine.commands.algo_guards import AlgoGuards, place_identity
from tui.engine.commands.command_kind import CommandKind, QueryPace
from tui.engine.commands.gate import Kinds
from tui.engine.commands.proofs import Finding
from tui.engine.event_line import Level
from tui.engine.intents import AlgoIntent, CancelAlgo, PlaceAlgo, ReplaceAlgo
from tui.engine.orders.algo_orders import ALGO_NOT_FOUND, AlgoOrders
from tui.engine.orders.dismissal import HISTORY, dismissal_block_reason
from tui.engine.orders.gate import Gate
from tui.engine.orders.intent_record import CANCEL_RECORDED_WITHIN_S
from tui.engine.orders.pre_trade_checks import Refusal
from tui.engine.orders.unknown_resolver import WIDE_EVERY
from tui.engine.rows import AlgoRow, CommandState, Source
from tui.engine.state import order_requests
from tui.engine.state.algo_table import triggers_of
from tui.engine.state.command_table import AnyCommand, OpenCommand
from tui.engine.state.engine_state import EngineState
from tui.interface.endpoint import Endpoint
from tui.interface.families.algo import (
    ALGO_DETAIL,
    ALGO_HISTORY,
    CANCEL_ALGO,
    PLACE_ALGO,
    REPLACE_ALGO,
    AlgoReply,
)

ALGO_PACE = QueryPace("algo commands", every_s=4.0, most=1, is_ready=lambda state: state.synced)
"""The service allows three queries in 10 s."""

A = TypeVar("A", bound=AlgoIntent)


class AlgoKind(CommandKind[A]):
    """Base of the commands for algo orders."""

    pace = ALGO_PACE
    noun = "algo order"
    judges_day = True
    has_row = True
    tells_result_first = True

    def __init__(self, state: EngineState, rest: Rest, orders: AlgoOrders, guards: AlgoGuards) -> None:
        """Initialize the kind.

        Args:
            state: State of the engine.
            rest: Client for queries.
            orders: Receiver of the service's records.
            guards: Checks of algo orders.
        """
        super().__init__(state, rest)
        self._orders = orders
        self._guards = guards
        self._table = state.algos

    def name(self, command: OpenCommand[A]) -> str:
        return self._table.name(command)

    def describe_acceptance(self, _command: OpenCommand[A]) -> str:
        return "ACCEPTED"

    def raises_risk(self, intent: A) -> bool:
        return self._guards.opens(intent)

    async def read(
        self, command: OpenCommand[A], _waiting: Sequence[AnyCommand]
    ) -> list[tuple[OpenCommand[A], Finding]]:
        row = self._table.rows.get(command.key)
        known_id = (row.record.algo_order_id if row is not None else "") or command.algo_order_id
        asked = command.asked  # a cancel may want the next query before this one is answered
        try:
            reply = await self._rest.call(ALGO_DETAIL, order_requests.name_algo(known_id, command.key), reserved=True)
        except CallFailed as failure:
            if failure.code != ALGO_NOT_FOUND:
                raise
            finding = await self._judge_not_found(command, asked)
        else:
            self._orders.fold(reply.data, Source.QUERY)
            finding = Finding(CommandState.NOT_DONE, message="was not carried out; the order stands as it was")
            if command.key not in self._state.commands.open:
                finding = Finding(CommandState.DONE)
        return [] if finding is None else [(command, finding)]

    @abstractmethod
    async def _judge_not_found(self, command: OpenCommand[A], asked: float) -> Finding | None:
        """Judge a command whose algo order the service did not know when it was asked, at a monotonic time, s."""

    def settlement_entry(self, finding: Finding) -> tuple[str, dict[str, object]]:
        return "algo_settled", {"done": finding.state is CommandState.DONE}


class PlaceAlgoKind(AlgoKind[PlaceAlgo]):
    """Placement of an algo order."""

    can_be_dismissed = True

    def describe_acceptance(self, _command: OpenCommand[PlaceAlgo]) -> str:
        return "PLACED"

    def key(self, _intent: PlaceAlgo) -> str:
        return ""

    def call(self, command: OpenCommand[PlaceAlgo]) -> tuple[Endpoint, dict[str, str]]:
        return PLACE_ALGO, order_requests.place_algo(command.intent, command.key)

    def checks(self, intent: PlaceAlgo) -> Iterator[Refusal | None]:
        yield from self._guards.place_checks(intent)
        yield self._guards.check_unsettled(intent) or self.check_repeated(intent)
        yield from self._guards.second_trigger_checks(intent, triggers_of(intent).keys())

    def recheck(self, intent: PlaceAlgo) -> Refusal | None:
        return self._guards.recheck_place(intent)

    def identity(self, intent: PlaceAlgo) -> object:
        return place_identity(intent)

    def take_answer(self, command: OpenCommand[PlaceAlgo], data: object) -> None:
        """Store the service's id from the reply, unless the order was already reported by push or list."""
        if isinstance(data, AlgoReply):
            self._table.take_id(command.key, data.algo_order_id)

    async def _judge_not_found(self, command: OpenCommand[PlaceAlgo], asked: float) -> None:
        """Keep a new algo order UNKNOWN while the detail query does not find it, and search the lists instead."""
        state = self._state
        if state.commands.open.get(command.key) is not command or (not command.is_lost and asked < command.proven_from):
            return
        if not command.is_lost:
            state.commands.enter(command, CommandState.UNKNOWN, proven_from=state.call_expires_at())
            message = f"{self.name(command)}: accepted, and not found at the venue: UNKNOWN"
            state.notify(Level.ALERT, message, command.key, unsure=True)
        self._table.record_not_found(command.key, asked)
        row = self._table.rows.get(command.key)
        if row is not None:
            command.not_found = row.not_found
            await self._search_history(row)

    async def _search_history(self, row: AlgoRow) -> None:
        """Search the pair's ended algo orders at every `WIDE_EVERY`-th not-found reply, and again if a search failed."""
        if row.not_found < WIDE_EVERY or (row.not_found % WIDE_EVERY and HISTORY in row.answered):
            return
        asked = self._state.clock.mono()
        records, _ = await self._rest.read_all_pages(ALGO_HISTORY, {"sym": row.record.sym}, reserved=True)
        for record in records:
            if record.client_order_id == row.key:
                self._orders.fold(record, Source.QUERY)
        self._table.record_answer(row.key, HISTORY, asked)

    def dismissal_block(self, command: OpenCommand[PlaceAlgo]) -> str:
        row = self._table.rows[command.key]
        return dismissal_block_reason(row, self._state.settings.limits, self._state.clock.mono())


class ChangeAlgoKind(AlgoKind[A]):
    """Change of an algo order that the service has already reported."""

    def key(self, intent: A) -> str:
        assert not isinstance(intent, PlaceAlgo)
        return intent.key

    def recheck(self, intent: A) -> Refusal | None:
        return None if self.key(intent) in self._table.rows else Refusal("ORDER", "the algo order ended meanwhile")

    def _take_order_id(self, command: OpenCommand[A]) -> str:
        command.algo_order_id = self._table.rows[command.key].record.algo_order_id
        return command.algo_order_id

    async def _judge_not_found(self, command: OpenCommand[A], asked: float) -> Finding:
        """Mark the command as not carried out; the order's row is dropped once the request can no longer arrive."""
        if asked >= command.proven_from and command.key in self._table.rows:
            self._table.drop(self._table.rows[command.key])
        return Finding(CommandState.NOT_DONE, message="the service does not know the order any more")


class ReplaceAlgoKind(ChangeAlgoKind[ReplaceAlgo]):
    """Change of an algo order's size or triggers."""

    def call(self, command: OpenCommand[ReplaceAlgo]) -> tuple[Endpoint, dict[str, str]]:
        return REPLACE_ALGO, order_requests.replace_algo(command.intent, self._take_order_id(command))

    def checks(self, intent: ReplaceAlgo) -> Iterator[Refusal | None]:
        yield self._guards.check_row(intent)
        yield from self._guards.replace_checks(intent)


class CancelAlgoKind(ChangeAlgoKind[CancelAlgo]):
    """Cancel of an algo order; it is sent even when the journal cannot be written."""

    noun = "cancel"
    counts = False
    journal_s = CANCEL_RECORDED_WITHIN_S
    sends_unrecorded = True

    def call(self, command: OpenCommand[CancelAlgo]) -> tuple[Endpoint, dict[str, str]]:
        return CANCEL_ALGO, order_requests.name_algo(self._take_order_id(command))

    def checks(self, intent: CancelAlgo) -> Iterator[Refusal | None]:
        yield self._guards.check_row(intent)


def algo_kinds(state: EngineState, rest: Rest, orders: AlgoOrders, gate: Gate) -> Kinds:
    """Build the kinds of algo order commands; `orders` receives the records the service returns."""
    guards = AlgoGuards(state, gate)
    return {
        PlaceAlgo: PlaceAlgoKind(state, rest, orders, guards),
        ReplaceAlgo: ReplaceAlgoKind(state, rest, orders, guards),
        CancelAlgo: CancelAlgoKind(state, rest, orders, guards),
    }
