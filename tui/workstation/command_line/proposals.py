"""Proposals of programs as command lines, so that the trader sees and sends them like any typed order."""

from __future__ import annotations

from tui.engine.status_rows import ProposalRow
from tui.interface.symbols import try_parse
from tui.workstation.model.instruments import in_contracts

_VERBS = {
    ("NONE", "BUY"): "buy", ("NONE", "SELL"): "sell", ("LONG", "BUY"): "long", ("LONG", "SELL"): "xlong",
    ("SHORT", "SELL"): "short", ("SHORT", "BUY"): "xshort",
}  # fmt: skip
_TIFS = {"GTX": "po", "IOC": "ioc", "FOK": "fok", "GTC": "gtc"}


def write_order(row: ProposalRow) -> str:
    """Write the order of a proposal as a command line."""
    pair = try_parse(row.sym)
    coin = pair.base if pair is not None else ""
    size = f"{row.qty}ct" if in_contracts(row.sym) else f"{row.qty} {coin}"
    price = f"at {row.price} {_TIFS[row.time_in_force]}" if row.price else "mkt"
    reduce = " ro" if row.reduce_only and row.position_side == "NONE" else ""
    return f"{_VERBS[row.position_side, row.side]} {size} {row.sym} {price}{reduce}"
