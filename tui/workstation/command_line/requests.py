"""Requests of a line: the orders, stops and targets, and cancels that it would send, one by one."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

import msgspec

from tui.engine import intents
from tui.interface.text import how_many
from tui.workstation.command_line.grammar.syntax import Cancel, Reverse
from tui.workstation.command_line.named_rows import closes_several
from tui.workstation.command_line.order_descriptions import describe_ticket
from tui.workstation.command_line.outlook import LineOutlook, Outlook
from tui.workstation.command_line.protection_plan import AlgoCommand
from tui.workstation.model.display_context import DisplayContext
from tui.workstation.tickets.order.algo_draft import AlgoSubject
from tui.workstation.tickets.order.algo_subject import explain_changed_leg
from tui.workstation.tickets.order.forecast import Book
from tui.workstation.tickets.order.position import explain_changed_position, explain_nothing_to_close
from tui.workstation.tickets.order.ticket import Ticket
from tui.workstation.tickets.preview.foreseen_orders import ForeseenOrder, foresee_orders


class Request(msgspec.Struct, frozen=True, kw_only=True):
    """Single request of a command line: send, change or cancel an order or algo order."""

    text: str
    effect: str = ""
    """What the order does to a position, where the text does not say it."""
    ticket: Ticket | None = None
    algo: AlgoCommand | None = None
    """Stop or target to set or move."""
    subject: AlgoSubject | None = None
    """Position that it protects, and the algo order that it changes, as they were when it was planned."""
    cancels: str = ""
    """Row key of the order to cancel."""
    cancels_algo: str = ""
    """Row key of the algo order to cancel."""
    executed: str = ""
    """Filled quantity of the order when its cancel is sent; if more is filled at its end, the cancel came too late."""
    beside: bool = False
    """Whether it begins without the evidence of the request before (`&`)."""
    regardless: bool = False
    """Whether it is sent although one before it of the same command was refused: cancels and closes of several."""
    whole: bool = False
    """Whether the line is refused if this request would be: half of a reverse is none."""

    @property
    def changes(self) -> bool:
        """Whether the request changes an existing order, stop or target."""
        return isinstance(self.algo, intents.ReplaceAlgo) or (self.ticket is not None and self.ticket.order is not None)


def build_command(
    request: Request,
    decision: intents.Decision,
    view: DisplayContext,
    canonical: str,
    confirmed: frozenset[str] = frozenset(),
    line: str = "",
) -> intents.Intent:
    """Build the command of a request for the engine, with the present prices.

    Args:
        request: Order, stop or target, or cancel.
        decision: State in which it is sent.
        view: Rows.
        canonical: Text of the line, for the journal.
        confirmed: Names of the checks that the trader confirmed.
        line: Mark of a line whose question listed all its requests; empty: it is asked about alone.
    """
    if request.algo is not None:
        algo = msgspec.structs.replace(request.algo, decision=decision, confirmed=confirmed)
        return msgspec.structs.replace(algo, line=line) if isinstance(algo, intents.PlaceAlgo) else algo
    if request.cancels_algo:
        return intents.CancelAlgo(decision=decision, key=request.cancels_algo)
    ticket = request.ticket
    if ticket is None:
        return intents.Cancel(decision=decision, key=request.cancels)
    quote = view.mirror.quotes.get(ticket.sym)
    if ticket.order is not None:
        return msgspec.structs.replace(ticket.replacement(decision, quote, confirmed), line=line)
    return msgspec.structs.replace(ticket.place(decision, quote, confirmed, canonical), line=line)


def explain_exits(request: Request, view: DisplayContext) -> str:
    """Return why stop or target of a new order could not be sent at the present price; empty if they could, or none is."""
    ticket = request.ticket
    if ticket is None or ticket.order is not None:
        return ""
    return ticket.explain_exits(view.mirror.quotes.get(ticket.sym))


def name_requests(requests: Sequence[Request]) -> str:
    """Title what a line does, such as `Send 3 orders` or `Cancel 2 orders`; requests of several kinds count as steps."""
    count = len(requests)
    if all(request.cancels or request.cancels_algo for request in requests):
        algos = sum(1 for request in requests if request.cancels_algo)
        counts = [(count - algos, "order"), (algos, "algo order")]
        return f"Cancel {' and '.join(how_many(number, noun) for number, noun in counts if number)}"
    if all(request.ticket is not None for request in requests):
        return f"{'Change' if all(request.changes for request in requests) else 'Send'} {how_many(count, 'order')}"
    if all(request.algo is not None for request in requests):
        word = "Change" if all(request.changes for request in requests) else "Set"
        return f"{word} {how_many(count, 'stop or target', 'stops or targets')}"
    return f"Carry out {how_many(count, 'step')}"


def mark_line(requests: Sequence[Request], view: DisplayContext) -> str:
    """Return the mark that all requests of a line share when it is sent; empty if it has only one request."""
    return f"{view.now!r}" if len(requests) > 1 else ""


def explain_outdated(request: Request, view: DisplayContext) -> str:
    """Return why a request no longer applies: its order or position has ended or changed side; empty if it applies."""
    if request.subject is not None:
        return explain_changed_leg(request.subject, view.mirror)
    if request.cancels_algo:
        return "" if request.cancels_algo in view.mirror.algos else "the algo order has ended"
    orders, ticket = view.mirror.orders, request.ticket
    key = request.cancels or (ticket.order.key if ticket is not None and ticket.order is not None else "")
    if key:
        order = orders.get(key)
        return "" if order is None or not order.final else f"the order has ended: {order.state_word}"
    if ticket is None:
        return ""
    return explain_changed_position(ticket, view) or explain_nothing_to_close(ticket, view)


def list_requests(outlook: LineOutlook) -> list[Request]:
    """List the requests of a line in the order in which they are sent."""
    requests: list[Request] = []
    for step in outlook.steps:
        requests += [
            Request(
                text=describe_ticket(ticket), effect=step.effects[number] if step.effects else "",
                ticket=ticket, beside=closes_several(step.command) if number else step.beside,
                regardless=bool(number) and closes_several(step.command), whole=isinstance(step.command, Reverse),
            )
            for number, ticket in enumerate(step.tickets)
        ]  # fmt: skip
        requests += [
            Request(
                text=algo.text, algo=algo.command, subject=algo.subject,
                beside=step.beside or bool(number), regardless=bool(number),
            )
            for number, algo in enumerate(step.algos)
        ]  # fmt: skip
        if isinstance(step.command, Cancel):  # the keys of others are positions, or orders that are only shown
            requests += _list_cancels(step)
    return requests


def foresee_requests(
    requests: Mapping[int, Request],
    view: DisplayContext,
    books: Mapping[str, Book] | None = None,
    unsent: Collection[int] = (),
    rejected: Collection[int] = (),
) -> list[ForeseenOrder]:
    """Forecast the orders among the requests of a line, each after the effect of those before it.

    Args:
        requests: Requests by their number.
        view: Rows.
        books: Market at which they are judged, by pair; None: that of now.
        unsent: Numbers of those that are not sent, because the gate refuses them or one before them.
        rejected: Numbers of those that the venue would refuse.
    """
    tickets, beside, is_joined = list[Ticket](), list[bool](), True
    refused = dict[int, bool]()
    for number, request in requests.items():
        # Behind a cancel that waits, an order that is joined to it waits, too.
        is_joined = is_joined and request.beside
        if request.ticket is not None:
            if number in unsent or number in rejected:
                refused[len(tickets)] = number not in unsent
            tickets.append(request.ticket)
            beside.append(is_joined)
            is_joined = True
    return foresee_orders(tickets, view, books, beside, refused)


def _list_cancels(step: Outlook) -> list[Request]:
    """List the cancels of a step: of orders, then of algo orders."""
    texts, count = step.named or (step.text,), len(step.keys)
    orders = zip(texts[:count], step.keys, step.executed, strict=True)
    requests = [
        Request(text=text, cancels=key, executed=executed, beside=step.beside or bool(number), regardless=bool(number))
        for number, (text, key, executed) in enumerate(orders)
    ]
    return requests + [
        Request(text=text, cancels_algo=key, beside=step.beside or bool(number), regardless=bool(number))
        for number, (text, key) in enumerate(zip(texts[count:], step.algo_keys, strict=True), count)
    ]


def asks_once(outlook: LineOutlook) -> bool:
    """Return whether a line needs a question before it is sent, because no order ticket shows what it does.

    It is for several orders, a stop or target, all orders or positions of a scope, an order that turns a position round,
    and one with which stops, targets or closing orders end.
    """
    commands = [step.command for step in outlook.steps]
    return (
        len(list_requests(outlook)) > 1
        or any(step.algos or step.note or any(step.effects) for step in outlook.steps)
        or any(isinstance(command, Cancel) and command.scope is not None for command in commands)
        or any(closes_several(command) for command in commands)
    )
