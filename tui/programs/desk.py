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
        """Connect to the desk, and wait until it has sent all of its current rows.

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
        """Run `read` on the connection's thread, where the data that it reads is also changed; return its result."""

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
        """Whether the link to the desk is open; after its end, the other properties keep their last values."""
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
        """Trading rules of all pairs, sorted by name."""
        return self._on_loop(lambda: self._desk.pairs)

    @property
    def orders(self) -> Records[Order]:
        """Orders that the desk holds, of this session and all that still work, newest first."""
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
        """Call the desk and wait for the answer, which resets `silent_s`."""
        self._run(self._desk.prove_alive())

    def recent_events(self, after: int = 0) -> list[Event]:
        """Return the received event lines that this process still has with a number above `after`, oldest first."""
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
        """Return the newest quote of a pair; if the pair is not watched yet, watch it and wait for its first quote."""
        return self._run(self._desk.newest_quote(sym))

    def book(self, sym: str) -> Book:
        """Return the order book of a pair; wait until it has been received completely."""
        return self._run(self._desk.book(sym))

    def bars(self, sym: str, interval: Interval | str, *, wanted: int = 1) -> list[Bar]:
        """Return the price bars of a pair that the desk holds, oldest first; see `AsyncDesk.bars`."""
        return self._run(self._desk.bars(sym, interval, wanted=wanted))

    @property
    def proposals(self) -> list[Proposal]:
        """Proposals of this program that wait for the trader, the oldest first."""
        return self._on_loop(lambda: self._desk.proposals)

    def preview(self, terms: OrderTerms) -> Preview:
        """Return what the desk would answer if its trader sent this order now; nothing is sent."""
        return self._run(self._desk.preview(terms))

    def withdraw(self, number: str) -> None:
        """Withdraw a proposal of this program that still waits for the trader."""
        self._run(self._desk.withdraw(number))

    def quotes(self, *syms: str) -> Iterator[Quote]:
        """Iterate over new quotes of pairs; a program that is slow gets only the newest quote of each pair."""
        return self._iterate(self._desk.quotes(*syms))

    def events(self) -> Iterator[Event]:
        """Iterate over the event lines that arrive from now on."""
        return self._iterate(self._desk.events())

    def changes_of_orders(self) -> Iterator[Order]:
        """Iterate over orders: first all known ones, then each order again whenever it changes."""
        return self._iterate(self._desk.changes_of_orders())

    def call(self, name: str, /, **params: object) -> Any:
        """Read a list or record of the service by its name in the catalogue, all pages; see `AsyncDesk.call`."""
        return self._run(self._desk.call(name, **params))

    def read(self, name: str, params: Mapping[str, str], *, to_end: bool = True) -> Listed:
        """Read a list or record of the service as `call` does; return it with the total, and whether rows are missing."""
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
        """Change total size and price of an order of this program, named by its key, within the mandate; see `place`."""
        return self._run(self._desk.replace(order, size, price, command=command))

    def cancel(self, order: str, *, command: str = "") -> Sent:
        """Cancel an order of this program, named by its key, within the mandate; see `place` for `command`."""
        return self._run(self._desk.cancel(order, command=command))

    def outcome(self, command: str) -> Sent | None:
        """Return what became of a place, replace or cancel by its id; see `AsyncDesk.outcome`."""
        return self._run(self._desk.outcome(command))
