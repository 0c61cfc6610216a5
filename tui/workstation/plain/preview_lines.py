"""Preview of an order as lines: size in the base coin and amount in the quote coin first, then what it does."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from tui.workstation.model.display_context import DisplayContext
from tui.workstation.render.pieces import Piece, join_pieces
from tui.workstation.tickets.order.ticket import Ticket
from tui.workstation.tickets.preview.figures import figures_of
from tui.workstation.tickets.preview.title import title_pieces
from tui.workstation.tickets.preview.warning_texts import warning_pieces

_NUMBER = r"[\d,]*\d(?:\.\d+)?"
_BARE_COST = re.compile(rf"\b((?:fee|rebate) ~?-?{_NUMBER})(?! [A-Z]|[\d.,])")
_BARE_PRICE = re.compile(
    rf"\b((?:break-even(?: if filled)?|liq|sl|free) ~?(?:-?{_NUMBER}|–|none)(?: → (?:-?{_NUMBER}|–|none))?)(?! [A-Z]|[\d.,])"
)
_LOSES = re.compile(rf"(loses (?:at most )?~{_NUMBER})(?! [A-Z]|[\d.,])")


def describe_order(ticket: Ticket, view: DisplayContext, behind: Sequence[Ticket] = ()) -> list[str]:
    """Describe an order before it is sent, in lines with the figures of the full screen's ticket preview.

    Args:
        ticket: Order.
        view: Rows.
        behind: Orders of its line that are filled before it, each with the size that is foreseen to fill.
    """
    quote = view.mirror.quotes.get(ticket.sym)
    figures = figures_of(ticket, quote, view, behind)
    coin = ticket.quote_coin
    title = join_pieces(title_pieces(ticket))
    lines = [
        f"{'replace: ' if ticket.order is not None else ''}{title}",
        f"size: {join_pieces(figures.size)}",
        f"price: {_name_price(join_pieces(figures.price), coin)}",
        *_line("effect: ", figures.effect),
        *_line("", figures.left),
        *_line("", figures.opening),
        *(_add_unit(line, coin) for line in _line("protection: ", figures.stop)),
        *(_name_price(line, coin) for line in _line("", figures.target)),
        *(_add_unit(line, coin) for line in _line("cost: ", figures.cost)),
        *_line("", figures.borrow),
        *(_add_unit(line, coin) for line in _line("margin: ", figures.free)),
        *(_add_unit(line, coin) for line in _line("risk: ", figures.risk)),
        *_line("limits: ", figures.limits),
        *_line("", figures.shortfall),
        *_line("", warning_pieces(ticket, quote, view)),
    ]
    return [*lines, f"not known: {figures.needs}"] if figures.needs else lines


def _line(label: str, pieces: Iterable[Piece]) -> list[str]:
    text = join_pieces(pieces)
    return [f"{label}{text}"] if text else []


def _name_price(text: str, coin: str) -> str:
    """Insert the quote coin after the price at the beginning of a text."""
    return re.sub(rf"^(MARKET ~|tp )?({_NUMBER})", rf"\1\2 {coin}", text, count=1)


def _add_unit(text: str, coin: str) -> str:
    """Insert the quote coin after costs, prices and amounts without a unit, which the full screen leaves out."""
    for bare in (_BARE_COST, _BARE_PRICE, _LOSES):
        text = bare.sub(rf"\1 {coin}", text)
    return text
