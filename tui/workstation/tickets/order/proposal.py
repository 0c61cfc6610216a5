"""Proposal of a program as it is shown in a ticket, and what it asks for as a command line."""

from __future__ import annotations

from decimal import Decimal

import msgspec

from tui.engine.rows import OrderRow
from tui.engine.status_rows import ProposalRow, Proposed
from tui.interface.symbols import try_parse
from tui.workstation.model.instruments import in_contracts

_VERBS = {
    ("NONE", "BUY"): "buy", ("NONE", "SELL"): "sell", ("LONG", "BUY"): "long", ("LONG", "SELL"): "xlong",
    ("SHORT", "SELL"): "short", ("SHORT", "BUY"): "xshort",
}  # fmt: skip
_TIFS = {"GTX": "po", "IOC": "ioc", "FOK": "fok", "GTC": "gtc"}


class ShownProposal(msgspec.Struct, frozen=True):
    """Proposal as shown to the trader in a ticket: number, time, and best price then."""

    number: str
    at: float
    """Monotonic time at which it was shown, s."""
    touch: Decimal | None
    """Best price on the other side of the order then."""
    left: bool = False
    """Whether the trader changed the order since: it is his own then, and the proposal waits on."""


def write_proposal(row: ProposalRow, order: str = "") -> str:
    """Write a proposal as a command line; `order` replaces the id of the order to replace or cancel."""
    order = order or f"#{row.order}"
    if row.kind is Proposed.CANCEL:
        return f"c {order}"
    if row.kind is Proposed.REPLACE:
        return f"re {order} px {row.price} tot {_write_size(row)}"
    if row.kind is Proposed.CLOSE:
        return f"close 100% {row.sym}{'' if row.position_side == 'NONE' else f' {row.position_side.lower()}'}"
    return write_order(row, row.price)


def why_no_line(row: ProposalRow | OrderRow) -> str:
    """Return why no command line can express an order: its side or time in force is unknown; else empty."""
    if (row.position_side, row.side) not in _VERBS:
        return f"side {row.side[:20]} {row.position_side[:20]} of the order is unknown to this program"
    if row.time_in_force and row.time_in_force not in _TIFS:
        return f"time in force {row.time_in_force[:20]} of the order is unknown to this program"
    return ""


def write_order(row: ProposalRow | OrderRow, price: str) -> str:
    """Write the command line that places an order; with an empty price a market order."""
    how = f"at {price} {_TIFS[row.time_in_force or 'GTC']}" if price else "mkt"
    reduce = " ro" if row.reduce_only and row.position_side == "NONE" else ""
    return f"{_VERBS[row.position_side, row.side]} {_write_size(row)} {row.sym} {how}{reduce}"


def _write_size(row: ProposalRow | OrderRow) -> str:
    pair = try_parse(row.sym)
    return f"{row.qty}ct" if in_contracts(row.sym) else f"{row.qty} {pair.base if pair is not None else ''}"
