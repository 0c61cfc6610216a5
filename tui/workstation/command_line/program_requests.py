"""Requests of programs as command lines and texts, so that the trader sees and answers them like anything typed."""

from __future__ import annotations

from tui.engine.peers.mandate_text import describe
from tui.engine.status_rows import MandateRow, ProposalRow
from tui.interface.symbols import try_parse
from tui.workstation.command_line.refusals import Code, LineRefused
from tui.workstation.command_line.syntax import Answer, AnswerWord
from tui.workstation.model.instruments import in_contracts
from tui.workstation.model.mirror import Mirror

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


def describe_answer(command: Answer, mirror: Mirror) -> str:
    """Describe what an answer other than the acceptance of a proposal does.

    Raises:
        LineRefused: There is nothing under that number to answer so.
    """
    key, mandate = command.key, mirror.mandates.get(command.key)
    if command.word is AnswerWord.REVOKE:
        return _describe_revocation(key, mirror)
    if command.word is AnswerWord.DECLINE and (row := mirror.proposals.get(key)) is not None:
        return f"decline what {row.peer} proposes: {write_order(row)}"
    waits = mandate is not None and not mandate.granted
    if command.word is AnswerWord.DECLINE and mandate is not None and waits:
        return f"decline the mandate that {mandate.peer} asks for: {describe(mandate)}"
    if command.word is AnswerWord.GRANT and mandate is not None and waits:
        return f"let {mandate.peer} send without asking: {describe(mandate)}"
    what = {AnswerWord.GRANT: "request for a mandate", AnswerWord.ACCEPT: "proposal"}.get(command.word, "request")
    raise LineRefused(Code.NO_ORDER, f"no {what} {key} waits")


def _describe_revocation(key: str, mirror: Mirror) -> str:
    held = [row for row in mirror.mandates.values() if row.granted and row.key in (key or row.key,)]
    if not held:
        raise LineRefused(Code.NO_ORDER, f"no mandate {key} holds" if key else "no mandate holds")
    names = ", ".join(f"{row.key} of {row.peer}" for row in held)
    return f"end mandate {names}; cancel what it placed, but not what only reduces a position"


def first_request(mirror: Mirror) -> ProposalRow | MandateRow | None:
    """Return the request that waits for the longest time, or None."""
    waiting: list[ProposalRow | MandateRow] = [*mirror.proposals.values()]
    waiting += [row for row in mirror.mandates.values() if not row.granted]
    return min(waiting, key=lambda row: int(row.key), default=None)
