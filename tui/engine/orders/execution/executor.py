"""Executor of order intents, and of replies to them that come late."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

from tui.engine.intents import Cancel, CancelAll, IntentHandlers, Place, Replace
from tui.engine.orders.execution.cancel_algos import CancelAlgosExecutor
from tui.engine.orders.execution.cancel_all import CancelAllExecutor
from tui.engine.orders.execution.changes import OrderChanges
from tui.engine.orders.execution.order_sender import CANCEL_ALL_ACTION, PLACE_ACTION, OrderSender, RequestToken, Wire
from tui.engine.orders.execution.placement import OrderPlacement
from tui.engine.orders.gate import Gate
from tui.engine.state.engine_state import EngineState
from tui.interface.envelope import StreamReply


class OrderExecutor:
    """Executor of order intents."""

    def __init__(
        self,
        state: EngineState,
        gate: Gate,
        wire: Wire,
        cancel_algos: CancelAlgosExecutor,
        *,
        query_now: Callable[[str], None],
        on_kill: Callable[[str, str], None],
        on_rejection: Callable[[int], None],
        read_rules: Callable[[], Awaitable[str]],
    ) -> None:
        """Build what executes each kind of intent.

        Args:
            state: State of the engine.
            gate: Gate.
            wire: Private stream.
            cancel_algos: Cancels of algo orders, which a cancel-all is for, too.
            query_now: Callback with the row key of an order to query soon.
            on_kill: Callback with the reason of a kill and its sender.
            on_rejection: Callback with the code of a reply to a new order that is no acceptance.
            read_rules: Reads the rules of the pairs if they are older than the login; returns why it could not.
        """
        self._sender = OrderSender(state, gate, wire, query_now)
        self._placement = OrderPlacement(state, gate, self._sender, on_rejection=on_rejection, read_rules=read_rules)
        self._changes = OrderChanges(state, gate, self._sender)
        self._cancels = CancelAllExecutor(state, gate, self._sender, self._changes, cancel_algos, on_kill)

    def handlers(self) -> IntentHandlers:
        """Return the functions that execute intents, by intent type."""
        return {
            Place: self._placement.place,
            Replace: self._changes.replace,
            Cancel: self._changes.cancel,
            CancelAll: self._cancels.cancel_all,
        }

    def handle_late_reply(self, token: object, reply: StreamReply) -> None:
        """Handle a reply that arrives after the request timed out."""
        if not isinstance(token, RequestToken):
            return
        self._sender.journal_reply(token, reply)
        if token.action == PLACE_ACTION:
            self._placement.handle_reply(token.key, reply)
        elif token.action == CANCEL_ALL_ACTION:
            self._cancels.handle_reply(token, reply)
        else:
            self._changes.handle_reply(token, reply)
