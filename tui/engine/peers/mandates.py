"""Mandates: what a program may send without asking, until the trader, the kill switch, time or a loss ends it."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator, Sequence
from decimal import Decimal

import msgspec

from tui.engine.event_line import Level
from tui.engine.intents import Cancel, Intent, Place, Replace
from tui.engine.orders.pre_trade_checks import Refusal, build_replaced_order, intent_closes
from tui.engine.peers.mandate import GUARD, Mandate, Touch, WantedOrder
from tui.engine.peers.mandate_text import describe
from tui.engine.peers.requests import Answer, RequestEnd, Requests, Wording
from tui.engine.rows import LocalOrderState, Table
from tui.engine.state.closing_orders import reduces_leg
from tui.engine.state.engine_state import EngineState
from tui.engine.status_rows import MandateRow
from tui.interface import decimals
from tui.interface.families.history import TradeRecord
from tui.interface.families.orders import OrderType
from tui.interface.text import how_many

CANCEL_AGAIN_S = 1.0
"""Time after which an order that a mandate left is cancelled again, s."""
FILL_WAITS_S = 60.0
"""Time for which a fill waits for its order, s: it may come before the reply that names the order."""
_WORDING = Wording("mandate", "grant", "asks for a mandate:")


class Mandates:
    """Mandates of the programs that are attached to an engine, and requests for mandates; they end with the engine."""

    def __init__(self, state: EngineState, numbers: Iterator[int]) -> None:
        self._state = state
        self._requests: Requests[MandateRow] = Requests(state, numbers, Table.MANDATES, _WORDING, describe)
        self._held: dict[str, Mandate] = {}
        """By peer."""
        self._fills: deque[tuple[float, TradeRecord]] = deque(maxlen=1_000)
        """New fills whose order is not known yet, with monotonic time."""
        self._leaving: dict[str, float] = {}
        """Orders of ended mandates that are being cancelled, with the time of the newest cancel, by row key."""
        self._ended: dict[str, str] = {}
        """How the last mandate of each program that is attached ended."""
        self._earlier: tuple[str, ...] = ()
        """Orders whose mandate ended with an earlier session, until positions are known."""
        self.when_ended: Callable[[], None] = lambda: None
        """Callback after an end that left orders to cancel."""

    # Requests

    def why_not(self, row: MandateRow) -> str:
        """Return why a request for a mandate is refused without asking the trader, or an empty text."""
        for sym in row.pairs:
            if sym not in self._state.symbols:
                return f"pair {sym} is not known to the desk"
        if row.peer in self._held:
            return f"{row.peer} has mandate {self._held[row.peer].row.key}; it ends before another is asked for"
        return f"a mandate of {row.peer} is asked for already" if self._requests.count_of(row.peer) else ""

    async def ask(self, row: MandateRow) -> RequestEnd:
        """Show a request for a mandate and wait for its end; cancelling the call withdraws the request."""
        return await self._requests.ask(row)

    def withdraw(self, peer: str) -> None:
        """Withdraw the request of a program; no effect if there is none."""
        self._requests.end_of(peer, Answer.WITHDRAWN)

    def end_requests(self) -> None:
        """End all waiting requests for mandates as withdrawn, because the engine ends."""
        self._requests.withdraw_all()

    def decline(self, key: str) -> None:
        """Decline a request; no effect if there is none."""
        self._requests.end(key, RequestEnd(answer=Answer.DECLINED))

    def grant(self, key: str, by: str) -> str:
        """Grant a request for a mandate; return the program that holds it, or an empty text if the request has ended.

        Args:
            key: Number of the request.
            by: Desk at which it was granted; empty: the one that holds the account.
        """
        row = self._requests.get(key)
        if row is None:
            self._state.notify(Level.WARN, f"mandate {key} is not asked for any more", away=False)
            return ""
        ends = self._state.clock.mono() + row.seconds
        held = msgspec.structs.replace(row, granted=True, granted_by=by, expires=ends)
        self._held[row.peer] = Mandate(held)
        self._requests.end(key, RequestEnd(answer=Answer.GRANTED), by or "the trader")
        self._state.write_journal("mandate", {"granted": msgspec.to_builtins(held)})
        self._publish(self._held[row.peer])
        return row.peer

    def find(self, peer: str) -> MandateRow | None:
        """Return the mandate that a program holds, or None."""
        held = self._held.get(peer)
        return None if held is None else held.row

    def number_of(self, peer: str) -> str:
        """Return the number of the unexpired mandate of a program, or an empty text."""
        held = self._held.get(peer)
        return "" if held is None or self._state.clock.mono() >= held.row.expires else held.row.key

    def list_holders(self, key: str = "") -> list[str]:
        """List the programs that hold a mandate; with a key, only the holder of the mandate with that number."""
        return [peer for peer, held in self._held.items() if not key or held.row.key == key]

    def end(self, peer: str, why: str) -> None:
        """End the mandate of a program, if it holds one; its orders are cancelled unless they only reduce a position."""
        held = self._held.pop(peer, None)
        if held is None:
            return
        state, row = self._state, held.row
        state.updates.put(Table.MANDATES, row.key, None)
        positions = state.facts.positions.rows
        working = [order for key in held.orders if (order := state.orders.rows.get(key)) and not order.final]
        leaving = [order.key for order in working if not reduces_leg(order, positions)]
        self._leaving.update(dict.fromkeys(leaving, float("-inf")))
        state.write_journal("mandate", {"ended": msgspec.to_builtins(row), "why": why, "cancels": leaving})
        self._ended[peer] = text = f"mandate {row.key} of {peer} has ended: {why}"
        state.notify(Level.WARN, text, away=False)
        if leaving:
            self.when_ended()

    def leave(self, peer: str, why: str) -> None:
        """End the requests and the mandate of a program that has detached."""
        self._requests.end_of(peer, Answer.WITHDRAWN)
        self.end(peer, why)
        self._ended.pop(peer, None)

    # Use

    def is_bound(self, peer: str) -> bool:
        """Return whether a peer is a program, which sends nothing without a mandate."""
        return self._state.trading.of(peer).is_program

    def check(self, intent: Intent) -> Refusal | None:
        """Check an intent of a program against its mandate; without a mandate it is refused, other senders pass."""
        peer = intent.decision.peer
        if not self.is_bound(peer):
            return None
        held = self._held.get(peer)
        if held is None:
            ended = self._ended.get(peer)
            why, which = (ended, "another") if ended is not None else (f"{peer} has no mandate", "one")
            return Refusal(GUARD, f"{why}; the trader grants {which} when it is asked for")
        if isinstance(intent, Cancel):
            return None if intent.key in held.orders else Refusal(GUARD, "a program cancels only orders that it placed")
        if not isinstance(intent, Place | Replace):
            return Refusal(GUARD, "a mandate holds for limit orders")
        wanted = self._read_order(intent)
        if isinstance(wanted, Refusal):
            return wanted
        self._assign_fills()
        return held.check(wanted, self._state.clock.mono(), self._state.orders.rows)

    def _read_order(self, intent: Place | Replace) -> WantedOrder | Refusal:
        key = intent.key if isinstance(intent, Replace) else ""
        order = self._as_order(intent)
        if order is None:
            return Refusal(GUARD, "the order has ended or is not known")
        price, size = decimals.positive(order.price), decimals.positive(order.qty)
        if order.order_type is not OrderType.LIMIT or price is None or size is None or order.quote_qty:
            return Refusal(GUARD, "a mandate holds for limit orders with price and size above 0")
        if order.take_profit is not None or order.stop_loss is not None:
            return Refusal(GUARD, "a mandate holds for limit orders without attached protection")
        return WantedOrder(
            sym=order.sym,
            side=order.side.value,
            leg=order.position_side.value,
            size=size,
            contract=self._contract(order.sym),
            price=price,
            closes=intent_closes(order),
            key=key,
        )

    def _as_order(self, intent: Place | Replace) -> Place | None:
        if isinstance(intent, Place):
            return intent
        row = self._state.orders.rows.get(intent.key)
        return None if row is None else build_replaced_order(intent, row)

    def _contract(self, sym: str) -> Decimal:
        info = self._state.symbols.get(sym)
        return (decimals.positive(info.contract_size) if info is not None else None) or Decimal(1)

    def record_sent(self, intent: Place | Replace, key: str) -> None:
        """Count an order or replace of a program that is being sent; `key` is the row key of the order."""
        held = self._held.get(intent.decision.peer)
        order = self._read_order(intent) if held is not None else None
        if held is None or not isinstance(order, WantedOrder):
            return
        held.record_sent(key, order, self._state.clock.mono())
        self._publish(held)

    def add_fill(self, fill: TradeRecord) -> None:
        """Store a new fill, to be counted for its mandate once its order is known."""
        if self._held:
            self._fills.append((self._state.clock.mono(), fill))

    # Time

    def tick(self) -> list[tuple[str, str]]:
        """Count fills, publish the used amounts, end expired requests; return programs whose mandate is over, and why."""
        self._requests.expire()
        if not self._held:
            return []
        self._assign_fills()
        now, over = self._state.clock.mono(), []
        for peer, held in self._held.items():
            self._publish(held)
            if why := held.why_over(now, held.result(self._touch_of)):
                over.append((peer, why))
        return over

    def _assign_fills(self) -> None:
        orders, now = self._state.orders, self._state.clock.mono()
        for _ in range(len(self._fills)):
            since, fill = self._fills.popleft()
            key = orders.find(fill.order_id, fill.client_order_id)
            if holder := next((held for held in self._held.values() if key in held.orders), None):
                holder.add_fill(key, fill)
            elif not key and now - since < FILL_WAITS_S:
                self._fills.append((since, fill))

    def _touch_of(self, sym: str) -> Touch:
        quote = self._state.quotes.current(sym)
        return (None, None) if quote is None else (decimals.positive(quote.bid), decimals.positive(quote.ask))

    def _publish(self, held: Mandate) -> None:
        now = self._state.clock.mono()
        if held.refresh(self._state.orders.rows, self._touch_of, now):
            self._state.updates.put(Table.MANDATES, held.row.key, held.row)

    def restore(self, keys: Sequence[str]) -> None:
        """Restore orders whose mandate ended with an earlier session; they are cancelled once the positions are known."""
        self._earlier = tuple(keys)

    def _leave_earlier(self) -> None:
        if not self._earlier or not self._state.synced:
            return
        rows, positions = self._state.orders.rows, self._state.facts.positions.rows
        working = [row for key in self._earlier if (row := rows.get(key)) is not None and not row.final]
        leaving = [row.key for row in working if not reduces_leg(row, positions)]
        self._earlier = ()
        self._leaving.update(dict.fromkeys(leaving, float("-inf")))
        if leaving:
            text = f"{how_many(len(leaving), 'order')} of programs whose mandates ended with an earlier session: cancelling"
            self._state.notify(Level.WARN, text, away=False)

    def waits_for_cancels(self) -> bool:
        """Return whether an order of an ended mandate is still working."""
        rows = self._state.orders.rows
        return any((row := rows.get(key)) is not None and not row.final for key in self._leaving)

    def take_leaving(self) -> list[str]:
        """Return the orders of ended mandates to cancel now, and note the time: each at most every `CANCEL_AGAIN_S`."""
        self._leave_earlier()
        state, now = self._state, self._state.clock.mono()
        for key in list(self._leaving):
            row = state.orders.rows.get(key)
            if row is None or row.final:
                del self._leaving[key]
        if not state.logged_in:
            return []
        due = [key for key, at in self._leaving.items() if now - at >= CANCEL_AGAIN_S and self.can_cancel(key)]
        self._leaving.update(dict.fromkeys(due, now))
        return due

    def can_cancel(self, key: str) -> bool:
        """Return whether an order is no longer being sent and not yet being cancelled."""
        orders = self._state.orders
        return not orders.is_being_cancelled(key) and orders.rows[key].state != LocalOrderState.SENDING
