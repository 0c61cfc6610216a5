"""Desk as an asyncio program uses it: what it reads, orders that it proposes, and those within a mandate."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable
from datetime import datetime
from decimal import Decimal
from typing import Any, Literal, NamedTuple

from tui.desk_protocol import messages
from tui.desk_protocol.carrier import LinkClosed
from tui.desk_protocol.messages import (
    COMMAND_S,
    MOST_EVENTS,
    PROPOSED,
    AnyProposal,
    AskMandate,
    CancelOrder,
    Command,
    CommandStatus,
    Foresee,
    MandateAnswer,
    OrderTerms,
    PlaceOrder,
    Propose,
    ProposeCancel,
    ProposeClose,
    ProposeReplace,
    ReadEvents,
    ReplaceOrder,
    method_of,
)
from tui.desk_protocol.row_codec import encode_intent
from tui.engine.intents import Outcome, Verdict
from tui.engine.peers.requests import Answer, RequestEnd
from tui.engine.rows import OrderRow, Table
from tui.engine.status_rows import MandateRow, ProposalRow
from tui.interface.decimals import positive
from tui.interface.families.market import SymbolInfo
from tui.interface.text import clean
from tui.programs import order_preview, records
from tui.programs.arguments import check_command, read_order, read_since, read_terms
from tui.programs.desk_error import DeskError
from tui.programs.desk_reader import ANSWER_S, NOTHING, PROPOSAL_S, DeskReader
from tui.programs.records import (
    Mandate,
    PastEvent,
    Preview,
    Proposal,
    ProposalEnd,
    Sent,
    read_past_event,
)

ROW_S = 1.0
"""Longest wait for the row of a mandate or an order behind the answer, s."""


class StartedProposal(NamedTuple):
    """Proposal that was shown to the trader."""

    number: str
    """Number by which the trader answers; empty if it ended before it was seen here."""
    end: asyncio.Future[ProposalEnd]
    """Set when it has ended."""


class AsyncDesk(DeskReader):
    """Connection of a program to the desk that holds an account; use it with `async with`."""

    async def past_events(
        self, *, after: int = 0, since: datetime | None = None, most: int = MOST_EVENTS
    ) -> list[PastEvent]:
        """Return event lines from the desk's journal, oldest first, also those that an iterator missed.

        Args:
            after: Number of the journal's entry before the first one, such as that of the last one read.
            since: Time of the first one; None: of any.
            most: Most of them.

        Raises:
            DeskError: An argument is not accepted, the journal cannot be read, or it was read too often.
            LinkClosed: The desk has ended.
        """
        wanted = ReadEvents(after=after, since_ms=read_since(since), most=most)
        return [
            read_past_event(event) for event in await self._ask("read_events", wanted, tuple[messages.PastEvent, ...])
        ]

    # Proposals

    @property
    def proposals(self) -> list[Proposal]:
        """Proposals of this program that wait for the trader, the oldest first."""
        rows: Iterable[ProposalRow] = self._tables[Table.PROPOSALS].values()
        return [records.read_proposal(row) for row in rows if row.peer == self._name]

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
        """Propose an order to the trader and wait for the outcome; it is sent only by the trader's own key press.

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
            DeskError: A value is not accepted, the desk denies the order whatever the trader says, or too many wait.
            LinkClosed: The desk has ended; the proposal with it.
        """
        wanted = Propose(
            sym=sym, side=side, qty=str(size), price=str(price), time_in_force=time_in_force,
            position_side=position_side, reduce_only=reduce_only, reason=reason, seconds=seconds,
        )  # fmt: skip
        return await self._propose(wanted)

    async def propose_replace(
        self, order: str, size: Decimal | str, price: Decimal | str, *, reason: str, seconds: float = 60.0
    ) -> ProposalEnd:
        """Propose a new total size and limit price of a working order, as `propose` does."""
        wanted = ProposeReplace(order=order, qty=str(size), price=str(price), reason=reason, seconds=seconds)
        return await self._propose(wanted)

    async def propose_cancel(self, order: str, *, reason: str, seconds: float = 60.0) -> ProposalEnd:
        """Propose to cancel a working order, as `propose` does."""
        return await self._propose(ProposeCancel(order=order, reason=reason, seconds=seconds))

    async def propose_close(
        self,
        sym: str,
        *,
        position_side: Literal["NONE", "LONG", "SHORT"] = "NONE",
        reason: str,
        seconds: float = 60.0,
    ) -> ProposalEnd:
        """Propose to close a position at market, as `propose` does."""
        wanted = ProposeClose(sym=sym, position_side=position_side, reason=reason, seconds=seconds)
        return await self._propose(wanted)

    async def start_proposal(self, wanted: AnyProposal) -> StartedProposal:
        """Make a proposal and return as soon as the trader sees it: its number, and a future of its outcome.

        Raises:
            DeskError: A value is not accepted, or too many proposals wait.
            LinkClosed: The desk has ended.
        """
        async with self._proposing:
            known = {proposal.number for proposal in self.proposals}
            end = asyncio.ensure_future(self._propose(wanted))
            end.add_done_callback(self._on_end)
            await self._until(lambda: end.done() or {proposal.number for proposal in self.proposals} - known)
            if end.done() and (error := end.exception()) is not None:
                raise error
            number = min({proposal.number for proposal in self.proposals} - known, default="")
            return StartedProposal(number, end)

    def _on_end(self, end: asyncio.Future[ProposalEnd]) -> None:
        if not end.cancelled():
            end.exception()  # who asks for the end gets it; otherwise nobody needs it
        self._wake()

    async def withdraw(self, number: str) -> None:
        """Withdraw a proposal of this program that still waits for the trader.

        Raises:
            DeskError: It does not wait, or is not of this program.
            LinkClosed: The desk has ended.
        """
        await self._ask("withdraw", number, NOTHING)

    async def preview(self, terms: OrderTerms) -> Preview:
        """Return what the desk would answer if its trader sent this order now; nothing is sent.

        Raises:
            DeskError: The pair is not known, or a figure is none.
            LinkClosed: The desk has ended.
        """
        terms = read_order("preview", terms)
        self.check_pair(terms.sym)
        for name, text in (("qty", terms.qty), ("price", terms.price or "1")):
            if not positive(text):
                raise DeskError(f"preview: {name} {clean(text, 40)!r} is no number above 0, such as '0.01'")
        quote = await self.newest_quote(terms.sym)
        wanted = Foresee(intents=(encode_intent(order_preview.build_order(terms, self._status_row)),))
        answers = await self._ask("foresee", wanted, tuple[Outcome, ...])
        if not answers:
            raise DeskError("the engine is being started again")
        info: SymbolInfo = self._tables[Table.SYMBOLS][terms.sym]
        held = sum((position.size for position in self.positions if position.sym == terms.sym), Decimal(0))
        return order_preview.describe(terms, answers[0], info, quote, held)

    # Within a mandate

    @property
    def mandate(self) -> Mandate | None:
        """Mandate that this program holds, with what is used of it; None without one."""
        rows = self._tables[Table.MANDATES].values()
        return next((self._read_mandate(row) for row in rows if row.granted and row.peer == self._name), None)

    async def ask_mandate(
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
        """Ask the trader for a mandate and wait for the answer; within it the program sends limit orders itself.

        Cancelling the call withdraws the request; look at `mandate` then, which the trader may have granted just before.

        Args:
            pairs: Pairs that may be traded within it.
            order_value: Most value of an order at its limit price, in quote.
            position_value: Most value that it may hold on a pair, long or short, if its working orders were filled.
            traded_value: Most value that it may trade in all. Each fill uses it up; what is cancelled is free again.
            loss: Loss after costs that ends it.
            orders_per_minute: Most orders and replaces in a minute.
            seconds: Time for which it holds, s; `wait` is that for which the request waits.
            reason: Why, for the trader.
            side: Side for which it holds.

        Raises:
            DeskError: The trader declined or did not answer, or a value is not accepted.
            LinkClosed: The desk has ended.
        """
        wanted = AskMandate(
            pairs=pairs, side=side, order_value=str(order_value), position_value=str(position_value),
            traded_value=str(traded_value), loss=str(loss), orders_per_minute=orders_per_minute,
            seconds=seconds, reason=reason, wait=wait,
        )  # fmt: skip
        if not pairs:
            raise DeskError("ask_mandate: name the pairs for which it is to hold, such as 'BINANCE_PERP_BTC_USDT'")
        return await self._await_mandate(wanted)

    async def _await_mandate(self, wanted: AskMandate) -> Mandate:
        wanted = read_terms("ask_mandate", wanted)
        try:
            answer = await self._ask("ask_mandate", wanted, MandateAnswer, wanted.wait + ANSWER_S)
        except asyncio.CancelledError:
            if self.is_open:
                self._tell("withdraw_mandate", {})
            raise
        if answer.mandate is None:
            raise DeskError(f"no mandate: the request {Answer(answer.answer).told}")
        await self._within(ROW_S, lambda: self.mandate is not None)  # the answer may overtake the row
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
        command: str = "",
    ) -> Sent:
        """Send a limit order within the mandate, without asking the trader; the arguments are those of `propose`.

        Args:
            command: Id that you make for it, by which `outcome` tells what became of it; empty: one is made.

        Raises:
            DeskError: A value is not accepted; nothing was sent.
            LinkClosed: The desk has ended, the mandate with it; connect again and ask for the `outcome`.
        """
        order = OrderTerms(
            sym=sym, side=side, qty=str(size), price=str(price), time_in_force=time_in_force,
            position_side=position_side, reduce_only=reduce_only,
        )  # fmt: skip
        order = read_terms("place", order)
        return await self._send("place", command, lambda once: PlaceOrder(order=order, **once))

    async def replace(self, order: str, size: Decimal | str, price: Decimal | str, *, command: str = "") -> Sent:
        """Change total size and price of an order of this program, named by its key, within the mandate; see `place`.

        Raises:
            DeskError: A value is not accepted; nothing was sent.
            LinkClosed: The desk has ended.
        """
        return await self._send(
            "replace", command, lambda once: ReplaceOrder(key=order, qty=str(size), price=str(price), **once)
        )

    async def cancel(self, order: str, *, command: str = "") -> Sent:
        """Cancel an order of this program, named by its key, within the mandate; see `place` for `command`.

        Raises:
            DeskError: A value is not accepted; nothing was sent.
            LinkClosed: The desk has ended.
        """
        return await self._send("cancel", command, lambda once: CancelOrder(key=order, **once))

    async def outcome(self, command: str) -> Sent | None:
        """Return the outcome of a place, replace or cancel by its command id; None: the desk never saw it, nothing was sent.

        It also knows what this program sent under its present name before the desk was started again, for a day, and what
        it sent under that name without the number that a second connection gets. A command may still arrive within 2 s;
        sent again under the same name and id, it is answered with this and carried out once.

        Raises:
            DeskError: The id is not accepted, or the desk has not read its journal yet.
            LinkClosed: The desk has ended.
        """
        status = await self._ask("outcome", check_command(command), CommandStatus)
        if not status.known:
            return None
        under_way = Outcome(verdict=Verdict.UNKNOWN, text="it is under way; ask again")
        return records.read_sent(status.outcome or under_way, command)

    async def _send(self, method: str, command: str, build: Callable[[dict[str, Any]], Command]) -> Sent:
        """Send a command with an expiry and return its outcome; raise if the link is lost, which leaves it unknown."""
        assert self._client is not None
        command = check_command(command) if command else self._new_id()
        if not self._client.can_trade:
            await self._client.measure_clock(COMMAND_S)
        if not self._client.can_trade:
            denied = Outcome(verdict=Verdict.DENIED, guard="CLOCK", text=self._client.why_clock_unsure)
            return records.read_sent(denied, command)
        expires = self._client.engine_time(self._clock.mono() + COMMAND_S)
        try:
            outcome = await self._ask(method, build({"command": command, "expires": expires}), Outcome)
        except LinkClosed as error:
            raise LinkClosed(f"{error}; ask for the outcome of {command}") from None
        if outcome.verdict is Verdict.ACCEPTED:
            # The answer may overtake the row of the order.
            await self._within(ROW_S, lambda: outcome.key in self._tables[Table.ORDERS])
        return records.read_sent(outcome, command)

    def _read_mandate(self, row: MandateRow) -> Mandate:
        return records.read_mandate(row, self._engine_now)

    async def _propose(self, wanted: AnyProposal) -> ProposalEnd:
        method = method_of(PROPOSED[type(wanted)])
        wanted = read_terms(method, wanted)
        order: OrderRow | None = self._tables[Table.ORDERS].get(getattr(wanted, "order", ""))
        sym = order.sym if order is not None else getattr(wanted, "sym", "")
        if sym in self._tables[Table.SYMBOLS] and not isinstance(wanted, ProposeCancel):
            await self.newest_quote(sym)  # the desk judges the price by it, as it does a preview
        return records.read_end(await self._ask(method, wanted, RequestEnd, wanted.seconds + PROPOSAL_S))
