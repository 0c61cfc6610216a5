"""Market at which the orders of a question were asked about, compared with that of now."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from decimal import Decimal

import msgspec

from tui.engine.rows import QuoteRow
from tui.interface.decimals import plain
from tui.interface.families.orders import Side
from tui.workstation.command_line.requests import Request, foresee_requests
from tui.workstation.features.command_line.foreseen import Foreseen, group_steps, name_steps
from tui.workstation.model.display_context import DisplayContext
from tui.workstation.model.instruments import full_name
from tui.workstation.render.named_lines import NamedLine
from tui.workstation.render.pieces import Piece
from tui.workstation.tickets.order.position import find_position_size, measure_opposite_position
from tui.workstation.tickets.order.price_move import (
    PriceMove,
    describe_kept_exits,
    describe_move,
    explain_taking,
    is_far_move,
    name_other_touch,
)
from tui.workstation.tickets.order.terms import PriceMode
from tui.workstation.tickets.order.ticket import Ticket
from tui.workstation.tickets.preview.foreseen_orders import ForeseenOrder, read_books
from tui.workstation.tickets.preview.price import immediate_outcome
from tui.workstation.tickets.preview.protection import describe_exits
from tui.workstation.tickets.preview.size import describe_reduction, list_rounding
from tui.workstation.tickets.preview.together import describe_together

WHAT_FOLLOWS = "what follows is not sent"
NOT_SENT_THEN = "would not be sent"


class AskedMarket:
    """Quotes and order books of the pairs in a confirmation question, as they were when it was asked."""

    def __init__(self, requests: Mapping[int, Request], count: int, view: DisplayContext, foreseen: Foreseen) -> None:
        """Record the present quotes and order books.

        Args:
            requests: Requests that an answer to the question sends, by number.
            count: Requests of the line; the step of a single one is not named.
            view: Rows.
            foreseen: What gate and venue would refuse.
        """
        self._foreseen, self._unsent = foreseen, foreseen.list_unsent(requests)
        self._requests, self._count, self._view = requests, count, view
        self._tickets = {number: request.ticket for number, request in requests.items() if request.ticket is not None}
        self._books = read_books(list(self._tickets.values()), view)
        self._asked = {number: self._books[ticket.sym].quote for number, ticket in self._tickets.items()}
        self._held = {number: find_position_size(ticket, view)[0] for number, ticket in self._tickets.items()}
        """Size of the position of each order, as it was when it was asked."""
        self._several = len(self._tickets) > 1
        """Whether the move of the market is said once for all orders, not with each."""

    def _foresee(self) -> dict[int, ForeseenOrder]:
        """Forecast each order at the market recorded when the question was asked, with the present positions."""
        rejected = self._foreseen.rejected
        orders = foresee_requests(self._requests, self._view, self._books, self._unsent, rejected)
        return dict(zip(self._tickets, orders, strict=True))

    def name_requests(self, first: int = 0) -> list[NamedLine]:
        """Name each request from number `first` on, and what its order would do at the market of the question."""
        foreseen = self._foresee()
        return [self._name(number, foreseen.get(number)) for number in self._requests if number >= first]

    def sum_up(self) -> list[NamedLine]:
        """Summarize the orders together: market moves, value, fee, positions and free margin.

        They are valued at the prices at which they were asked about; the moves say how far the market is from those.
        """
        if not self._tickets:
            return []
        costs, account = describe_together(list(self._foresee().values()), self._view, self._books)
        moves = self._name_moves() if self._several else []
        return [
            *moves,
            NamedLine((f"together {costs}" if self._several else costs,), pinned=True),
            NamedLine((account,), pinned=True),
        ]

    def _name_moves(self) -> list[NamedLine]:
        """Say once per pair how far its best price moved: of the order's own side, or of the other if the order takes."""
        moves: dict[str, str] = {}
        for number, ticket in self._tickets.items():
            asked, now = self._asked[number], self._view.mirror.quotes.get(ticket.sym)
            own = not ticket.takes(asked)
            moved = PriceMove.between(ticket.touch(asked, own=own), ticket.touch(now, own=own))
            if moved is not None:
                drift = describe_move(ticket, moved, self._view, _name_touch(ticket, own=own)).removeprefix(" · ")
                text = f"{full_name(ticket.sym)}: {drift}"
                moves[text] = moves.get(text) or (describe_kept_exits(ticket) if _follows(ticket) else "")
        return [NamedLine((text + kept,), pinned=True) for text, kept in moves.items()]

    def list_changes(self) -> list[str]:
        """List orders that now take although asked as resting or the reverse, or whose price, fills or position changed."""
        sent = (number for number in self._asked if number not in self._unsent)
        steps = group_steps((number, self._change(number)) for number in sent)
        return [f"{name_steps(numbers) if self._count > 1 else 'the order'}{text}" for text, numbers in steps.items()]

    def fix_exits(self, requests: Sequence[Request]) -> list[Request]:
        """Return the requests with the stops and targets that the question showed, whatever the price of the entry is."""
        fixed = list(requests)
        for number, quote in self._asked.items():
            if (ticket := requests[number].ticket) is not None:
                fixed[number] = msgspec.structs.replace(requests[number], ticket=ticket.fix_exits(quote))
        return fixed

    def _name(self, number: int, order: ForeseenOrder | None) -> NamedLine:
        """Name a request and its outcome, in several lengths: short ones omit the market move and the loss at the stop.

        The move stands with a single order only.
        """
        request = self._requests[number]
        named, ticket = f"{number + 1}. {': '.join(filter(None, (request.effect, request.text)))}", request.ticket
        if ticket is None or order is None:
            then = self._tell_unsent(number) if number in self._unsent else ""
            return NamedLine((named + (f" · {then}" if then else ""),), bool(then))
        named = "; ".join([named, *list_rounding(ticket), *self._name_share(number, ticket)])
        asked = self._asked[number]
        outcome = self._tell_outcome(number, order)
        does, warns = (f" · {outcome[0]}", outcome[1] == "warn") if outcome is not None else ("", False)
        named += describe_reduction(ticket, order.reduced_size, self._view)
        drift = "" if self._several else self._drift(ticket, asked, self._view.mirror.quotes.get(ticket.sym))
        exits, prices = describe_exits(ticket, asked, self._view)
        forms = (named + does + exits + drift, named + does + exits, named + does + prices)
        return NamedLine(forms if warns else (*forms, named + prices), warns)

    def _name_share(self, number: int, ticket: Ticket) -> list[str]:
        """Say of which position the part is that an order closes, where a step before it changes that position."""
        share, before = ticket.position_share, [other for at, other in self._tickets.items() if at < number]
        if share is None or not any(
            (other.sym, other.position_side) == (ticket.sym, ticket.position_side) for other in before
        ):
            return []
        return [f"{plain(share)} % of the position as it is before this line"]

    def _tell_outcome(self, number: int, order: ForeseenOrder) -> Piece | None:
        """Say what an order would do immediately, after those before it, and whether it ends the line."""
        if not order.is_sent:
            return self._tell_unsent(number), "warn"
        ticket = order.asked
        ends = f" · {end}" if order.ends and (end := self._tell_end(number)) else ""
        if order.has_no_position:
            return f"would find no position to close{ends}", "warn"
        if order.rests_with_nothing_to_close:
            return "would rest: orders nearer the market close the whole position first", "warn"
        sized = ticket if order.reduced_size is None else msgspec.structs.replace(ticket, qty=plain(order.reduced_size))
        outcome = immediate_outcome(sized, self._asked[number], self._view, order.ahead, order.takes)
        return outcome if outcome is None or not ends else (outcome[0] + ends, "warn")

    def _tell_unsent(self, number: int) -> str:
        """Say that a request is not sent, because the gate refuses it or because an earlier one was refused."""
        if number not in self._foreseen.denied:
            return NOT_SENT_THEN
        is_last = number == max(self._unsent)
        return "would be refused" if is_last else f"would be refused, and {WHAT_FOLLOWS}"

    def _tell_end(self, number: int) -> str:
        """Say that an order ends the line, and after which step, as the next one that waits is not sent; else empty."""
        waiting = next((at for at, request in self._requests.items() if at > number and not request.beside), None)
        if waiting is None:
            return ""
        return f"ends the line{f' behind step {waiting}' if waiting > number + 1 else ''}: {WHAT_FOLLOWS}"

    def _drift(self, ticket: Ticket, asked: QuoteRow | None, now: QuoteRow | None) -> str:
        """Describe how far the price has moved since the question; for a fixed price, that of the best bid or ask."""
        moved = _move(ticket, asked, now)
        if moved is None:
            return ""
        name = "" if _follows(ticket) else _name_touch(ticket, own=not ticket.takes(asked))
        return describe_move(ticket, moved, self._view, name) + (
            describe_kept_exits(ticket) if _follows(ticket) else ""
        )

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
            return f"{':' if ticket.post_only else ''} {explain_taking(ticket, now, self._view)}"
        if ticket.takes(asked) and ticket.takes(now) is False:
            return f" would no longer take: {name_other_touch(ticket, now, self._view)}"
        if not ticket.explain_exits(asked) and (why := ticket.fix_exits(asked).explain_exits(now)):
            return f": {why}"
        moved, status = _move(ticket, asked, now), self._view.mirror.engine_status
        if moved is None or not _follows(ticket) or not is_far_move(ticket, moved, status):
            return ""
        before, after = (self._view.price_of(ticket.sym, price) for price in moved)
        return f": the price moved from {before} to {after}"

    def _describe_position(self, ticket: Ticket, asked: Decimal | None) -> str:
        """Say how a position changed since the question, for a part of it or an order that would now close another size."""
        now, _ = find_position_size(ticket, self._view)
        if asked is None or now is None or asked == now:
            return ""
        before, after, size = (
            measure_opposite_position(ticket, asked),
            measure_opposite_position(ticket, now),
            ticket.size(),
        )
        closes_as_much = size is None or before is None or after is None or min(size, before) == min(size, after)
        if closes_as_much and not ticket.follows_position:
            return ""
        sizes = (f"{self._view.amount(size, None)} {ticket.unit}" for size in (now, asked))
        return "the position is {}, it was {} when it was asked".format(*sizes)


def _follows(ticket: Ticket) -> bool:
    """Return whether an order's price is taken from the market when it is sent."""
    return ticket.at_market or ticket.price_mode is not PriceMode.TYPED


def _move(ticket: Ticket, asked: QuoteRow | None, now: QuoteRow | None) -> PriceMove | None:
    """Return a price when asked and now, None if equal; for a fixed-price order that of the best bid or ask."""
    own = not ticket.takes(asked)
    before, after = (
        ticket.reference(quote) if _follows(ticket) else ticket.touch(quote, own=own) for quote in (asked, now)
    )
    return PriceMove.between(before, after)


def _name_touch(ticket: Ticket, *, own: bool) -> str:
    """Return the label `bid` or `ask` of the best price on the order's own side, or of the other side."""
    return "bid " if (ticket.side is Side.BUY) == own else "ask "
