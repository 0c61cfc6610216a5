"""Preview of an order for a program: the order as its trader would send it, and figures beside the gate's answer."""

from __future__ import annotations

from decimal import Decimal

from tui.desk_protocol.messages import OrderTerms
from tui.engine.intents import Decision, Outcome, Place
from tui.engine.peers.proposed_order import build_place
from tui.engine.status_rows import EngineStatusRow
from tui.interface.decimals import optional, positive
from tui.interface.families.market import SymbolInfo
from tui.interface.families.orders import Side
from tui.interface.symbols import try_parse
from tui.programs.records import Preview, Quote


def build_order(terms: OrderTerms, status: EngineStatusRow) -> Place:
    """Build the place intent that the trader's desk would send for these order terms."""
    decision = Decision.of(status, "preview")
    return build_place(terms, decision)


def describe(terms: OrderTerms, answer: Outcome, info: SymbolInfo, quote: Quote | None, held: Decimal) -> Preview:
    """Build a preview: the gate's answer, the order's value, and the position size (`held` now) after its fill."""
    size, price, pair = optional(terms.qty), optional(terms.price), try_parse(terms.sym)
    side = Side(terms.side)
    if price is None and quote is not None:
        price = quote.ask if side is Side.BUY else quote.bid
    contract = positive(info.contract_size) or Decimal(1)
    one_leg = pair is not None and pair.is_perp and terms.position_side == "NONE"
    return Preview(
        verdict=answer.verdict.value, guard=answer.guard, text=answer.text, held=held,
        value=None if price is None or size is None else size * contract * price,
        after=held + side.sign * size if one_leg and size is not None else None,
    )  # fmt: skip
