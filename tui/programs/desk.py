"""Desk as a plain program sees it: the asyncio one on a thread of its own."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import AsyncIterator, Callable, Coroutine, Iterator, Mapping
from datetime import datetime
from decimal import Decimal
from typing import Any, Literal, TypeVar

from tui.desk_protocol.messages import MOST_EVENTS, OrderTerms
from tui.engine.status_rows import LinkRow
from tui.interface.families.market import Interval, SymbolInfo
from tui.programs.async_desk import AsyncDesk
from tui.programs.records import (
    AdlRank,
    Asset,
    Bar,
    Book,
    Event,
    Fill,
    Listed,
    Mandate,
    Order,
    PastEvent,
    Position,
    Preview,
    Proposal,
    ProposalEnd,
    Quote,
    Sent,
    Status,
)
from tui.programs.records_list import Records

T = TypeVar("T")


class Desk:
    """Connection of a program to the desk that holds an account; use it with `with`."""

    def __init__(self, desk: AsyncDesk) -> None:
        self._desk = desk
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, name="desk", daemon=True)

    def __enter__(self) -> Desk:
        """Connect, and wait until everything is known.

        Raises:
            LinkClosed: No desk runs.
            DeskError: The desk refuses.
        """
        self._thread.start()
        try:
            self._run(self._desk.__aenter__())
        except BaseException:
            self._end()
            raise
        return self

    def __exit__(self, *error: object) -> None:
        self._run(self._desk.__aexit__(*error))
        self._end()

    def _run(self, work: Coroutine[Any, Any, T]) -> T:
        return asyncio.run_coroutine_threadsafe(work, self._loop).result()

    def _on_loop(self, read: Callable[[], T]) -> T:
        """Read on the thread of the connection, which changes what is read."""

        async def work() -> T:
            return read()

        return self._run(work())

    def _end(self) -> None:
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()

    def _iterate(self, source: AsyncIterator[T]) -> Iterator[T]:
        async def next_item() -> T:
            return await anext(source)

        while True:
            yield self._run(next_item())

    @property
    def name(self) -> str:
        """Name by which the desk knows this program."""
        return self._desk.name

    @property
    def is_open(self) -> bool:
        """Whether the desk is there; once it is gone, the other names keep what was known last."""
        return self._on_loop(lambda: self._desk.is_open)

    @property
    def status(self) -> Status:
        """Status of the desk: environment, portfolio, risk mode, limits, and who is attached."""
        return self._on_loop(lambda: self._desk.status)

    @property
    def symbols(self) -> tuple[str, ...]:
        """Pairs that can be watched and traded."""
        return self._on_loop(lambda: self._desk.symbols)

    @property
    def pairs(self) -> list[SymbolInfo]:
        """Pairs with their trading rules."""
        return self._on_loop(lambda: self._desk.pairs)

    @property
    def orders(self) -> Records[Order]:
        """Orders of this session, the newest first."""
        return self._on_loop(lambda: self._desk.orders)

    @property
    def positions(self) -> Records[Position]:
        """Open positions."""
        return self._on_loop(lambda: self._desk.positions)

    @property
    def assets(self) -> Records[Asset]:
        """Balances: one record for each coin on each venue."""
        return self._on_loop(lambda: self._desk.assets)

    @property
    def fills(self) -> Records[Fill]:
        """Fills that the desk holds, the newest first."""
        return self._on_loop(lambda: self._desk.fills)

    @property
    def mandate(self) -> Mandate | None:
        """Mandate that this program holds, with what is used of it; None without one."""
        return self._on_loop(lambda: self._desk.mandate)

    @property
    def adl_ranks(self) -> Records[AdlRank]:
        """Auto-deleveraging ranks of the open positions."""
        return self._on_loop(lambda: self._desk.adl_ranks)

    @property
    def links(self) -> list[LinkRow]:
        """Connections of the desk to the service."""
        return self._on_loop(lambda: self._desk.links)

    @property
    def silent_s(self) -> float:
        """Time since the desk sent anything, s."""
        return self._on_loop(lambda: self._desk.silent_s)

    def past_events(self, *, after: int = 0, since: datetime | None = None, most: int = MOST_EVENTS) -> list[PastEvent]:
        """Return event lines from the desk's journal, oldest first; see `AsyncDesk.past_events`."""
        return self._run(self._desk.past_events(after=after, since=since, most=most))

    def prove_alive(self) -> None:
        """Ask the desk for a sign of life, which ends its silence."""
        self._run(self._desk.prove_alive())

    def recent_events(self, after: int = 0) -> list[Event]:
        """Return the event lines that are known here with a larger number, oldest first."""
        return self._on_loop(lambda: self._desk.recent_events(after))

    def watch(self, *syms: str) -> None:
        """Watch the quotes of further pairs."""
        self._on_loop(lambda: self._desk.watch(*syms))

    def quote(self, sym: str) -> Quote | None:
        """Return the newest quote of a pair that is watched; None before the first."""
        return self._on_loop(lambda: self._desk.quote(sym))

    def quote_age(self, sym: str) -> float | None:
        """Return the time since the desk received the quote of a pair, s; None before the first."""
        return self._on_loop(lambda: self._desk.quote_age(sym))

    def newest_quote(self, sym: str) -> Quote | None:
        """Return the newest quote of a pair; watch it and wait for the first where it was not watched."""
        return self._run(self._desk.newest_quote(sym))

    def book(self, sym: str) -> Book:
        """Return the order book of a pair, once it is whole."""
        return self._run(self._desk.book(sym))

    def bars(self, sym: str, interval: Interval | str, *, wanted: int = 1) -> list[Bar]:
        """Return the price bars of a pair that the desk holds, oldest first; see `AsyncDesk.bars`."""
        return self._run(self._desk.bars(sym, interval, wanted=wanted))

    @property
    def proposals(self) -> list[Proposal]:
        """Proposals of this program that wait for the trader, the oldest first."""
        return self._on_loop(lambda: self._desk.proposals)

    def preview(self, terms: OrderTerms) -> Preview:
        """Return what the desk would say to an order now, if its trader sent it; nothing is sent."""
        return self._run(self._desk.preview(terms))

    def withdraw(self, number: str) -> None:
        """Withdraw a proposal of this program that waits."""
        self._run(self._desk.withdraw(number))

    def quotes(self, *syms: str) -> Iterator[Quote]:
        """Iterate over new quotes of pairs; a slow program gets the newest of each pair and misses those between."""
        return self._iterate(self._desk.quotes(*syms))

    def events(self) -> Iterator[Event]:
        """Iterate over the event lines that come from now on."""
        return self._iterate(self._desk.events())

    def changes_of_orders(self) -> Iterator[Order]:
        """Iterate over orders as they change, beginning with those that are known."""
        return self._iterate(self._desk.changes_of_orders())

    def call(self, name: str, /, **params: object) -> Any:
        """Read a list or record of the service by its name in the catalogue, all pages; see `AsyncDesk.call`."""
        return self._run(self._desk.call(name, **params))

    def read(self, name: str, params: Mapping[str, str], *, to_end: bool = True) -> Listed:
        """Read a list or record of the service as `call` does, and return it with how far it was read."""
        return self._run(self._desk.read(name, params, to_end=to_end))

    def propose(
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
        """Propose an order to the trader and wait for the end; see `AsyncDesk.propose`."""
        return self._run(
            self._desk.propose(
                side, sym, size, price, reason=reason, time_in_force=time_in_force, position_side=position_side,
                reduce_only=reduce_only, seconds=seconds,
            )
        )  # fmt: skip

    def propose_replace(
        self, order: str, size: Decimal | str, price: Decimal | str, *, reason: str, seconds: float = 60.0
    ) -> ProposalEnd:
        """Propose a new total size and limit price of a working order, as `propose` does."""
        return self._run(self._desk.propose_replace(order, size, price, reason=reason, seconds=seconds))

    def propose_cancel(self, order: str, *, reason: str, seconds: float = 60.0) -> ProposalEnd:
        """Propose to cancel a working order, as `propose` does."""
        return self._run(self._desk.propose_cancel(order, reason=reason, seconds=seconds))

    def propose_close(
        self,
        sym: str,
        *,
        position_side: Literal["NONE", "LONG", "SHORT"] = "NONE",
        reason: str,
        seconds: float = 60.0,
    ) -> ProposalEnd:
        """Propose to close a position at market, as `propose` does."""
        work = self._desk.propose_close(sym, position_side=position_side, reason=reason, seconds=seconds)
        return self._run(work)

    def ask_mandate(
        self,
        *pairs: str,
        order_value: Decimal | str,
        position_value: Decimal | str,
        traded_value: Decimal | str,
        loss: Decimal | str,
        orders_per_minute: int,
        seconds: float,
        reason: str,
        side: Literal["BUY", "SELL", "BOTH"] = "BOTH",
        wait: float = 60.0,
    ) -> Mandate:
        """Ask the trader for a mandate and wait for the answer; see `AsyncDesk.ask_mandate`."""
        return self._run(
            self._desk.ask_mandate(
                *pairs, order_value=order_value, position_value=position_value, traded_value=traded_value, loss=loss,
                orders_per_minute=orders_per_minute, seconds=seconds, reason=reason, side=side, wait=wait,
            )
        )  # fmt: skip

    def place(
        self,
        side: Literal["BUY", "SELL"],
        sym: str,
        size: Decimal | str,
        price: Decimal | str,
        *,
        time_in_force: Literal["GTC", "GTX", "IOC", "FOK"] = "GTC",
        position_side: Literal["NONE", "LONG", "SHORT"] = "NONE",
        reduce_only: bool = False,
        command: str = "",
    ) -> Sent:
        """Send a limit order within the mandate; see `AsyncDesk.place`."""
        return self._run(
            self._desk.place(
                side,
                sym,
                size,
                price,
                time_in_force=time_in_force,
                position_side=position_side,
                reduce_only=reduce_only,
                command=command,
            )
        )

    def replace(self, order: str, size: Decimal | str, price: Decimal | str, *, command: str = "") -> Sent:
        """Give an order of this program, by its key, a new total size and a new price; `command` is that of `place`."""
        return self._run(self._desk.replace(order, size, price, command=command))

    def cancel(self, order: str, *, command: str = "") -> Sent:
        """Cancel an order of this program, by its key; `command` is that of `place`."""
        return self._run(self._desk.cancel(order, command=command))

    def outcome(self, command: str) -> Sent | None:
        """Return what became of a place, replace or cancel by its id; see `AsyncDesk.outcome`."""
        return self._run(self._desk.outcome(command))
