"""Market at which the orders of a question were asked about, compared with that of now."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from decimal import Decimal

from tui.engine.rows import QuoteRow
from tui.interface.decimals import ZERO
from tui.interface.families.orders import Side
from tui.workstation.command_line.order_plan import describe_turn
from tui.workstation.command_line.requests import Request
from tui.workstation.features.command_line.foreseen import group_steps, name_steps
from tui.workstation.model.display_context import DisplayContext
from tui.workstation.model.instruments import full_name
from tui.workstation.render.named_lines import NamedLine
from tui.workstation.tickets.order.forecast import list_taken_ahead, read_book
from tui.workstation.tickets.order.position import find_position_size
from tui.workstation.tickets.order.price_move import PriceMove, describe_move, describe_taking, is_far_move
from tui.workstation.tickets.order.terms import PriceMode
from tui.workstation.tickets.order.ticket import Ticket
from tui.workstation.tickets.preview.price import immediate_outcome
from tui.workstation.tickets.preview.protection import describe_exits
from tui.workstation.tickets.preview.size import describe_reduction, list_rounding, reduce_size
from tui.workstation.tickets.preview.together import describe_together


class AskedMarket:
    """Quotes and order books of the pairs in a question, as they were when it was asked."""

    def __init__(self, requests: Mapping[int, Request], count: int, view: DisplayContext) -> None:
        """Keep the present quotes and order books.

        Args:
            requests: Requests of the question, by number.
            count: Requests of the line; the step of a single one is not named.
            view: Rows.
        """
        self._requests, self._count, self._view = requests, count, view
        tickets = {number: request.ticket for number, request in requests.items() if request.ticket is not None}
        self._books = {ticket.sym: read_book(ticket.sym, view.mirror) for ticket in tickets.values()}
        self._asked = {number: self._books[ticket.sym].quote for number, ticket in tickets.items()}
        self._held = {number: find_position_size(ticket, view)[0] for number, ticket in tickets.items()}
        """Size of the position of each order, as it was when it was asked."""
        self._several = len(tickets) > 1
        """Whether the move of the market is said once for all orders, not with each."""

    def name_requests(self, first: int = 0) -> list[NamedLine]:
        """Name each request from number `first` on, what its order would do at once, and how far the market has moved."""
        tickets = {number: request.ticket for number, request in self._requests.items() if request.ticket is not None}
        books = {ticket.sym: read_book(ticket.sym, self._view.mirror) for ticket in tickets.values()}
        ahead = dict(zip(tickets, list_taken_ahead(list(tickets.values()), books), strict=True))
        return [self._name(number, ahead.get(number, ZERO)) for number in self._requests if number >= first]

    def sum_up(self, numbers: Collection[int]) -> list[NamedLine]:
        """Say what the orders among these requests come to together: moves, worth, fee, positions and free margin.

        They are valued at the prices at which they were asked about; the moves say how far the market is from those.
        """
        tickets = [ticket for number in numbers if (ticket := self._requests[number].ticket) is not None]
        if not tickets:
            return []
        costs, account = describe_together(tickets, self._view, self._books)
        moves = self._name_moves(numbers) if self._several else []
        return [
            *moves,
            NamedLine((f"together {costs}" if len(tickets) > 1 else costs,), pinned=True),
            NamedLine((account,), pinned=True),
        ]

    def _name_moves(self, numbers: Collection[int]) -> list[NamedLine]:
        """Say once for each best price how far it moved: that of the own side, behind a market order that of the other."""
        moves: dict[str, None] = {}
        for number in numbers:
            ticket = self._requests[number].ticket
            if ticket is None:
                continue
            now, own = self._view.mirror.quotes.get(ticket.sym), not ticket.at_market
            moved = PriceMove.between(ticket.touch(self._asked[number], own=own), ticket.touch(now, own=own))
            if moved is not None:
                drift = describe_move(ticket, moved, self._view, _name_touch(ticket, own=own)).removeprefix(" · ")
                moves[f"{full_name(ticket.sym)}: {drift}"] = None
        return [NamedLine((text,), pinned=True) for text in moves]

    def list_changes(self) -> list[str]:
        """List orders that were to rest and would now take, or whose price, fills or position are others than asked."""
        steps = group_steps((number, self._change(number)) for number in self._asked)
        return [f"{name_steps(numbers) if self._count > 1 else 'the order'}{text}" for text, numbers in steps.items()]

    def _name(self, number: int, ahead: Decimal) -> NamedLine:
        """Name a request; where there is less room without the move of the market, the loss at the stop and `would rest`.

        The move stands with a single order only.

        Args:
            number: Number of the request.
            ahead: Quantity that the orders before it take from the book that it meets.
        """
        request = self._requests[number]
        named, ticket = f"{number + 1}. {': '.join(filter(None, (request.effect, request.text)))}", request.ticket
        if ticket is None:
            return NamedLine((named,))
        named = "; ".join([named, *list_rounding(ticket)])
        now = self._view.mirror.quotes.get(ticket.sym)
        outcome = immediate_outcome(reduce_size(ticket, self._view), now, self._view, ahead)
        does, warns = (f" · {outcome[0]}", outcome[1] == "warn") if outcome is not None else ("", False)
        named += describe_reduction(ticket, self._view)
        drift = "" if self._several else self._drift(ticket, self._asked[number], now)
        exits, prices = describe_exits(ticket, now, self._view)
        forms = (named + does + exits + drift, named + does + exits, named + does + prices)
        return NamedLine(forms if warns else (*forms, named + prices), warns)

    def _drift(self, ticket: Ticket, asked: QuoteRow | None, now: QuoteRow | None) -> str:
        """Describe how far the price, or the best price beside a fixed one, has moved since the question."""
        moved = _move(ticket, asked, now)
        if moved is None:
            return ""
        return describe_move(ticket, moved, self._view, "" if _follows(ticket) else _name_touch(ticket))

    def _change(self, number: int) -> str:
        ticket = self._requests[number].ticket
        if ticket is None:
            return ""
        order = self._view.mirror.orders.get(ticket.order.key) if ticket.order is not None else None
        if order is not None and ticket.order is not None and order.has_other_fills(ticket.order):
            return f": filled {order.filled} now, {ticket.order.filled} when it was asked"
        if position := self._describe_position(ticket, self._held[number]):
            return f": {position}"
        asked, now = self._asked[number], self._view.mirror.quotes.get(ticket.sym)
        if ticket.takes(asked) is False and ticket.takes(now):
            return f" {describe_taking(ticket, now, self._view)}"
        moved, status = _move(ticket, asked, now), self._view.mirror.engine_status
        if moved is None or not _follows(ticket) or not is_far_move(ticket, moved, status):
            return ""
        before, after = (self._view.price_of(ticket.sym, price) for price in moved)
        return f": the price moved from {before} to {after}"

    def _describe_position(self, ticket: Ticket, asked: Decimal | None) -> str:
        """Say how the position has changed of which an order closes a part, or which it turns round; else nothing."""
        now, _ = find_position_size(ticket, self._view)
        is_meant = ticket.part is not None or describe_turn(ticket, asked) or describe_turn(ticket, now)
        if asked is None or now is None or asked == now or not is_meant:
            return ""
        sizes = (f"{self._view.amount(size, None)} {ticket.unit}" for size in (now, asked))
        return "the position is {}, it was {} when it was asked".format(*sizes)


def _follows(ticket: Ticket) -> bool:
    """Return whether the price of an order is that of the market when it is sent."""
    return ticket.at_market or ticket.price_mode is not PriceMode.TYPED


def _move(ticket: Ticket, asked: QuoteRow | None, now: QuoteRow | None) -> PriceMove | None:
    """Return the price at the question and that of now, if they differ."""
    before, after = (ticket.reference(quote) if _follows(ticket) else ticket.touch(quote) for quote in (asked, now))
    return PriceMove.between(before, after)


def _name_touch(ticket: Ticket, *, own: bool = True) -> str:
    """Return the label of the best price on the side of an order, or on the other."""
    return "bid " if (ticket.side is Side.BUY) == own else "ask "
