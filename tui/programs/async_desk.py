"""Desk as an asyncio program sees it: tables that stay current, changes as iterators, and the service's lists."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import AsyncIterator, Callable
from decimal import Decimal
from pathlib import Path
from typing import Any, Literal, TypeVar

from tui.desk_protocol import unix_socket
from tui.desk_protocol.carrier import LinkClosed
from tui.desk_protocol.client import DeskClient
from tui.desk_protocol.messages import (
    COMMAND_S,
    VERSIONS,
    AskMandate,
    CancelOrder,
    Command,
    Events,
    Hello,
    MandateAnswer,
    OrderTerms,
    PlaceOrder,
    Propose,
    ProtocolError,
    ReplaceOrder,
    Role,
    Rows,
    SlowReader,
)
from tui.desk_protocol.row_codec import decode_rows
from tui.engine.conflating_queue import MAX_EVENTS
from tui.engine.intents import Outcome, Verdict
from tui.engine.peers.requests import Decided
from tui.engine.rows import QuoteRow, Row, Table
from tui.engine.service_query import ListRead, ReadState, query_endpoint
from tui.engine.status_rows import ENGINE, EngineStatusRow, MandateRow
from tui.interface.catalogue import BY_NAME
from tui.interface.text import did_you_mean
from tui.programs import records
from tui.programs.records import Asset, Event, Fill, Mandate, Order, Position, ProposalEnd, Quote, Sent
from tui.protocols import Clock

R = TypeVar("R")

ANSWER_S = 60.0
"""Longest wait for a list of the service, s."""


class DeskError(ProtocolError):
    """Refusal of the desk or of the service; nothing was changed."""

    title = "Refused"


class AsyncDesk:
    """Connection of a program to the desk that holds an account; use it with `async with`."""

    def __init__(self, socket: Path, clock: Clock, new_id: Callable[[], str], *, name: str, role: Role) -> None:
        """Prepare the connection.

        Args:
            socket: Socket of the desk.
            clock: Clocks of this process.
            new_id: Makes an id of a command that nobody else makes.
            name: Name by which the desk knows the program.
            role: What the program may do.
        """
        self._socket = socket
        self._clock = clock
        self._new_id = new_id
        self._name = name
        self._role = role
        self._client: DeskClient | None = None
        self._reading: asyncio.Task[None] | None = None
        self._tables: dict[Table, dict[str, Any]] = {table: {} for table in Table}
        self._events: deque[Event] = deque(maxlen=MAX_EVENTS)
        self._changed = asyncio.Event()
        self._whole = asyncio.Event()
        self._watched: tuple[str, ...] = ()
        self._asked = 0
        self._refusal = ""
        self.behind_s = 0.0
        """How late this program read its rows the last time that it was too slow, s; older values were skipped."""

    async def __aenter__(self) -> AsyncDesk:
        """Connect, and wait until everything is known.

        Raises:
            LinkClosed: No desk runs.
            ProtocolError: The desk refuses.
        """
        self._client = DeskClient(await unix_socket.connect(self._socket), self, self._clock)
        try:
            hello = Hello(versions=VERSIONS, name=self._name, role=self._role)
            self._name = (await self._client.open(hello)).name
            self._reading = asyncio.ensure_future(self._client.run())
            await self._until(self._whole.is_set)
        except BaseException:
            self._client.close()
            raise
        return self

    async def __aexit__(self, *error: object) -> None:
        assert self._client is not None and self._reading is not None
        self._client.close()
        self._reading.cancel()
        await asyncio.gather(self._reading, return_exceptions=True)

    # What the desk sends

    def on_rows(self, message: Rows) -> None:
        rows = self._tables[message.table]
        for key, row in decode_rows(message.table, message.rows).items():
            if row is None:
                rows.pop(key, None)
            else:
                rows[key] = row
        self._wake()

    def on_whole(self) -> None:
        self._whole.set()
        self._wake()

    def on_events(self, message: Events) -> None:
        self._events.extend(map(records.read_event, message.lines))
        self._wake()

    def on_refused(self, text: str) -> None:
        self._refusal = text
        self._wake()

    def on_slow_reader(self, message: SlowReader) -> None:
        self.behind_s = message.seconds

    def _wake(self) -> None:
        changed, self._changed = self._changed, asyncio.Event()
        changed.set()

    async def _next_change(self) -> None:
        """Wait for the next change of anything.

        Raises:
            DeskError: The desk refused something that was asked.
            LinkClosed: The desk has ended.
        """
        assert self._reading is not None
        waiting = asyncio.ensure_future(self._changed.wait())
        try:
            await asyncio.wait([waiting, self._reading], return_when=asyncio.FIRST_COMPLETED)
            if self._reading.done():
                self._reading.result()
        finally:
            waiting.cancel()
        if refusal := self._refusal:
            self._refusal = ""
            raise DeskError(refusal)

    async def _until(self, condition: Callable[[], object]) -> None:
        while not condition():
            await self._next_change()

    # Snapshots

    @property
    def name(self) -> str:
        """Name by which the desk knows this program."""
        return self._name

    @property
    def status(self) -> EngineStatusRow:
        """Status of the desk: environment, portfolio, risk mode, limits, and who is attached."""
        row: EngineStatusRow = self._tables[Table.ENGINE_STATUS][ENGINE]
        return row

    @property
    def symbols(self) -> tuple[str, ...]:
        """Pairs that can be watched and traded."""
        return tuple(sorted(self._tables[Table.SYMBOLS]))

    @property
    def orders(self) -> list[Order]:
        """Orders of this session, the newest first."""
        rows = self._tables[Table.ORDERS].values()
        return [records.read_order(row) for row in sorted(rows, key=lambda row: -row.create_at)]

    @property
    def positions(self) -> list[Position]:
        """Open positions."""
        positions = [records.read_position(row) for row in self._tables[Table.POSITIONS].values()]
        return [position for position in positions if position.size]

    @property
    def assets(self) -> list[Asset]:
        """Coins on all venues."""
        return [records.read_asset(row) for row in self._tables[Table.ASSETS].values()]

    @property
    def fills(self) -> list[Fill]:
        """Fills that the desk holds, the newest first."""
        rows = self._tables[Table.FILLS].values()
        return [records.read_fill(row) for row in sorted(rows, key=lambda row: row.record.create_at, reverse=True)]

    @property
    def mandate(self) -> Mandate | None:
        """Mandate that this program holds, with what is used of it; None without one."""
        rows = self._tables[Table.MANDATES].values()
        return next((self._read_mandate(row) for row in rows if row.granted and row.peer == self._name), None)

    def quote(self, sym: str) -> Quote | None:
        """Return the newest quote of a pair that is watched; None before the first."""
        row: QuoteRow | None = self._tables[Table.QUOTES].get(sym)
        return records.read_quote(row) if row is not None and row.received else None

    # Changes

    async def quotes(self, *syms: str) -> AsyncIterator[Quote]:
        """Iterate over new quotes of pairs; a slow program gets the newest of each pair and misses those between.

        Raises:
            DeskError: A pair is not known.
            LinkClosed: The desk has ended.
        """
        self.watch(*syms)
        last: dict[str, Quote] = {}
        while True:
            for sym in syms:
                quote = self.quote(sym)
                if quote is not None and quote != last.get(sym):
                    last[sym] = quote
                    yield quote
            await self._next_change()

    def watch(self, *syms: str) -> None:
        """Watch the quotes of further pairs.

        Raises:
            DeskError: A pair is not known.
        """
        for sym in syms:
            if sym not in self._tables[Table.SYMBOLS]:
                raise DeskError(f"pair {sym!r} is not known{did_you_mean(sym, self.symbols)}")
        self._watched = tuple(dict.fromkeys((*self._watched, *syms)))
        self._tell("watch", self._watched)

    async def events(self) -> AsyncIterator[Event]:
        """Iterate over the event lines that come from now on.

        Raises:
            LinkClosed: The desk has ended.
        """
        last = self._events[-1].number if self._events else 0
        while True:
            for event in [event for event in self._events if event.number > last]:
                last = event.number
                yield event
            await self._next_change()

    async def changes_of_orders(self) -> AsyncIterator[Order]:
        """Iterate over orders as they change, beginning with those that are known.

        Raises:
            LinkClosed: The desk has ended.
        """
        seen: dict[str, Order] = {}
        while True:
            for order in reversed(self.orders):
                if seen.get(order.key) != order:
                    seen[order.key] = order
                    yield order
            await self._next_change()

    # Lists of the service

    async def call(self, name: str, **params: object) -> Any:
        """Read a list or record of the service by its name in the catalogue (`crossdesk endpoints`), all pages.

        Returns:
            The records of a list, or the record, typed as in the catalogue.

        Raises:
            DeskError: The name is not known, it changes something, or the service refuses.
            LinkClosed: The desk has ended.
        """
        endpoint = BY_NAME.get(name)
        if endpoint is None:
            raise DeskError(f"{name!r} is not in the catalogue{did_you_mean(name, BY_NAME)}")
        if endpoint.is_command:
            raise DeskError(f"{name} changes something; only lists and records are read here")
        self._asked += 1
        key = f"call {self._asked}"
        sent = tuple((field, str(value)) for field, value in params.items())
        self._tell("read", query_endpoint(key, name, sent, to_end=True))
        try:
            async with asyncio.timeout(ANSWER_S):
                await self._until(lambda: self._is_read(key))
        except TimeoutError:
            raise DeskError(f"{name} was not answered within {ANSWER_S:g} s") from None
        read: ListRead = self._tables[Table.ANSWERS].pop(key)
        if read.state is ReadState.FAILED:
            raise DeskError(f"{name}: {read.text}")
        return list(read.rows) if read.data is None else read.data

    async def propose(
        self,
        side: Literal["BUY", "SELL"],
        sym: str,
        size: Decimal | str,
        price: Decimal | str = "",
        *,
        reason: str,
        time_in_force: Literal["GTC", "GTX", "IOC", "FOK"] = "GTC",
        position_side: Literal["NONE", "LONG", "SHORT"] = "NONE",
        reduce_only: bool = False,
        seconds: float = 60.0,
    ) -> ProposalEnd:
        """Propose an order to the trader and wait for the end; it leaves by the trader's own key or not at all.

        Args:
            side: Side.
            sym: Pair.
            size: In contracts on OKX perpetuals, in coins elsewhere.
            price: Limit price; empty: at market.
            reason: Why, for the trader.
            time_in_force: GTX is post-only.
            position_side: Leg, where the account holds a long and a short one.
            reduce_only: Whether it may only reduce a position.
            seconds: Time for which it waits, s.

        Raises:
            DeskError: A value is not accepted, or too many proposals wait.
            LinkClosed: The desk has ended; the proposal with it.
        """
        wanted = Propose(
            sym=sym, side=side, qty=str(size), price=str(price), time_in_force=time_in_force,
            position_side=position_side, reduce_only=reduce_only, reason=reason, seconds=seconds,
        )  # fmt: skip
        return records.read_end(await self._ask("propose", wanted, Decided, seconds + ANSWER_S))

    # Within a mandate

    async def ask_mandate(
        self,
        *pairs: str,
        order_value: Decimal | str,
        total_value: Decimal | str,
        loss: Decimal | str,
        orders_per_minute: int,
        seconds: float,
        reason: str,
        side: Literal["BUY", "SELL", "BOTH"] = "BOTH",
        wait: float = 60.0,
    ) -> Mandate:
        """Ask the trader for a mandate and wait for the answer; within it the program sends limit orders itself.

        Args:
            pairs: Pairs for which it holds.
            order_value: Most value of an order at its limit price, in quote.
            total_value: Most value of all orders; what is cancelled unfilled is free again.
            loss: Loss after costs that ends it.
            orders_per_minute: Most orders and replaces in a minute.
            seconds: Time for which it holds, s.
            reason: Why, for the trader.
            side: Side for which it holds.
            wait: Time for which the request waits, s.

        Raises:
            DeskError: The trader declined or did not answer, or a value is not accepted.
            LinkClosed: The desk has ended; the request with it.
        """
        wanted = AskMandate(
            pairs=pairs, side=side, order_value=str(order_value), total_value=str(total_value), loss=str(loss),
            orders_per_minute=orders_per_minute, seconds=seconds, reason=reason, wait=wait,
        )  # fmt: skip
        answer = await self._ask("ask_mandate", wanted, MandateAnswer, wait + ANSWER_S)
        if answer.mandate is None:
            raise DeskError(f"no mandate: the request was {answer.answer}")
        return self._read_mandate(answer.mandate)

    async def place(
        self,
        side: Literal["BUY", "SELL"],
        sym: str,
        size: Decimal | str,
        price: Decimal | str,
        *,
        time_in_force: Literal["GTC", "GTX", "IOC", "FOK"] = "GTC",
        position_side: Literal["NONE", "LONG", "SHORT"] = "NONE",
        reduce_only: bool = False,
    ) -> Sent:
        """Send a limit order within the mandate; the arguments are those of `propose`.

        Raises:
            DeskError: A value is not accepted; nothing was sent.
            LinkClosed: The desk has ended; the mandate with it, and the order list tells whether the order left.
        """
        order = OrderTerms(
            sym=sym, side=side, qty=str(size), price=str(price), time_in_force=time_in_force,
            position_side=position_side, reduce_only=reduce_only,
        )  # fmt: skip
        return await self._send("place", lambda once: PlaceOrder(order=order, **once))

    async def replace(self, order: str, size: Decimal | str, price: Decimal | str) -> Sent:
        """Give an order of this program, by its key, a new total size and a new price.

        Raises:
            DeskError: A value is not accepted; nothing was sent.
            LinkClosed: The desk has ended.
        """
        return await self._send(
            "replace", lambda once: ReplaceOrder(key=order, qty=str(size), price=str(price), **once)
        )

    async def cancel(self, order: str) -> Sent:
        """Cancel an order of this program, by its key.

        Raises:
            DeskError: A value is not accepted; nothing was sent.
            LinkClosed: The desk has ended.
        """
        return await self._send("cancel", lambda once: CancelOrder(key=order, **once))

    async def _send(self, method: str, build: Callable[[dict[str, Any]], Command]) -> Sent:
        """Send a command once; an answer that does not come leaves the outcome unknown."""
        assert self._client is not None
        if not self._client.can_trade:
            await self._client.measure_clock(COMMAND_S)
        if not self._client.can_trade:
            return records.read_sent(
                Outcome(verdict=Verdict.DENIED, guard="CLOCK", text="the clocks differ unknown far")
            )
        expires = self._client.engine_time(self._clock.mono() + COMMAND_S)
        wanted = build({"command": self._new_id(), "expires": expires})
        return records.read_sent(await self._ask(method, wanted, Outcome, ANSWER_S))

    def _read_mandate(self, row: MandateRow) -> Mandate:
        assert self._client is not None
        return records.read_mandate(row, self._client.engine_time(self._clock.mono()))

    async def _ask(self, method: str, params: object, result: type[R], patience_s: float) -> R:
        assert self._client is not None
        try:
            return await self._client.call(method, params, result, patience_s=patience_s)
        except LinkClosed:
            raise
        except ProtocolError as error:
            raise DeskError(str(error)) from None

    def _is_read(self, key: str) -> bool:
        read: Row | None = self._tables[Table.ANSWERS].get(key)
        return isinstance(read, ListRead) and not read.under_way

    def _tell(self, method: str, params: object) -> None:
        assert self._client is not None
        self._client.tell(method, params)
