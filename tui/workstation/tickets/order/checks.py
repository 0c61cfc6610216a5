"""Reasons why an order in preparation cannot be sent: its fields, and the rules of its pair."""

from __future__ import annotations

from decimal import Decimal
from enum import StrEnum

import msgspec
from msgspec.structs import replace

from tui.engine.rows import QuoteRow
from tui.interface.decimals import ZERO, BadDecimal, optional, parse_typed, plain, positive
from tui.interface.families.market import SymbolInfo
from tui.interface.families.orders import Side
from tui.rules import bands, rounding, sizes
from tui.workstation.model import number_format
from tui.workstation.model.instruments import in_contracts
from tui.workstation.tickets.order.protection import BadProtection, WrongSide
from tui.workstation.tickets.order.terms import OrderTerms, PriceMode


class ProblemKind(StrEnum):
    """Kind of a problem, for programs that treat some kinds differently."""

    OTHER = "other"
    TOO_SMALL = "too small"
    OFF_TICK = "off tick"
    WRONG_SIDE = "wrong side"
    UNCHANGED = "unchanged"
    RULES_UNKNOWN = "rules unknown"


class Problem(msgspec.Struct, frozen=True):
    """Reason why a field is invalid."""

    field: str
    """`size`, `price`, or empty for the whole ticket."""
    text: str
    kind: ProblemKind = ProblemKind.OTHER


def list_problems(terms: OrderTerms, quote: QuoteRow | None) -> list[Problem]:
    """List all reasons why the ticket cannot be sent, each with field, value and what is accepted."""
    problems = list_rule_problems(terms, quote)
    if terms.order is not None and not problems:
        same_price = terms.limit(quote) == number_format.value(terms.order.price)
        if same_price and terms.size() == number_format.value(terms.order.qty):
            problems.append(Problem("", "nothing changed: same price and same total", ProblemKind.UNCHANGED))
    return problems


def list_rule_problems(terms: OrderTerms, quote: QuoteRow | None) -> list[Problem]:
    """List violations of the pair's rules and invalid fields, such as a missing side or a size off the lot."""
    if not terms.sided:
        return [Problem("intent", "no side yet: ⟦side.buy⟧ buys, ⟦side.sell⟧ sells")]
    problems = [*_check_typed_size(terms, quote)]
    if not terms.at_market:
        problems += _check_price(terms, quote)
    problems += _check_protections(terms, quote)
    if terms.info is None:
        problems.append(Problem("", f"the rules of {terms.sym} are not known yet", ProblemKind.RULES_UNKNOWN))
    return problems


def is_size_refused(terms: OrderTerms, quote: QuoteRow | None) -> bool:
    """Return whether the size is invalid by the pair's rules, so that no figure computed from it is meaningful."""
    return terms.sided and bool(_check_size(terms, quote))


def guess_typed_price(terms: OrderTerms, quote: QuoteRow | None) -> str:
    """Return the remark that the size looks like a price typed into the wrong field; empty if it does not."""
    size, price = terms.size(), terms.reference(quote)
    if size is None or price is None or terms.closes_whole_position_at_market or not sizes.is_near_price(size, price):
        return ""
    return f"the size {plain(size)} looks like a price; the size is in {terms.unit}"


def _check_typed_size(terms: OrderTerms, quote: QuoteRow | None) -> list[Problem]:
    """List why the size is invalid; if it looks like a price, that comes first in the text."""
    problems = _check_size(terms, quote)
    meant = guess_typed_price(terms, quote) if problems else ""
    return [replace(problem, text=f"{meant} ({problem.text})") for problem in problems] if meant else problems


def _describe_off_lot(terms: OrderTerms, size: Decimal, lot: Decimal | None, least: Decimal) -> str:
    """Describe why a size is off the lot, with the contract size for a pair in contracts; empty if it is not."""
    if terms.unit != "ct":
        return rounding.check_step("Size", size, lot, least=least)
    off = rounding.check_step("", size, lot, "ct", least)
    return f"Size is in contracts (1 ct = {plain(terms.contract)} {terms.base}): {off}" if off else ""


def _check_size(terms: OrderTerms, quote: QuoteRow | None) -> list[Problem]:
    try:
        size = parse_typed(terms.qty)
    except BadDecimal as error:
        return [Problem("size", f"size: {error}")]
    if not size:
        return [Problem("size", "Size must be more than 0")]
    info, lot = terms.info, terms.lot
    if info is None or terms.closes_whole_position_at_market:
        return []
    start = find_least(terms, quote)
    from_here = f"; at least {plain(start)} {terms.unit}" if size < start else ""
    if off := _describe_off_lot(terms, size, lot, start):
        return [Problem("size", off + from_here)]
    least = positive(info.min_size)
    if least is not None and size < least:
        return [Problem("size", f"Size must be at least {terms.in_units(least, quote)}", ProblemKind.TOO_SMALL)]
    most = positive(info.max_market_size if terms.at_market else info.max_limit_size)
    if most is not None and size > most:
        return [Problem("size", f"Size must be at most {plain(most)} {terms.unit}")]
    minimum, notional = positive(info.min_notional), terms.notional(quote)
    if minimum is None or notional is None:
        return []
    if not bands.meets_min_notional(notional, minimum, closes=terms.closes):
        coin = terms.quote_coin
        text = f"Size must be worth at least {plain(minimum)} {coin} (it is worth {plain(notional)}){from_here}"
        return [Problem("size", text, ProblemKind.TOO_SMALL)]
    return []


def _name_missing_side(terms: OrderTerms, quote: QuoteRow | None) -> str:
    """Name the best price that the price mode of an order lacks; the middle needs both."""
    is_own = terms.price_mode is not PriceMode.TAKE
    if terms.price_mode is PriceMode.MID and terms.touch(quote) is not None:
        is_own = False
    return "a bid" if (terms.side is Side.BUY) == is_own else "an ask"


def _check_price(terms: OrderTerms, quote: QuoteRow | None) -> list[Problem]:
    if terms.price_mode is not PriceMode.TYPED:
        if terms.limit(quote) is None:
            side = _name_missing_side(terms, quote)
            text = f"price: {terms.price_mode.value} needs {side}, and there is none; type a price"
            return [Problem("price", text)]
        return []
    try:
        price = parse_typed(terms.price)
    except BadDecimal as error:
        return [Problem("price", f"price: {error}")]
    if not price:
        return [Problem("price", "Price must be more than 0")]
    off = rounding.check_step("Price", price, terms.tick)
    return [Problem("price", off, ProblemKind.OFF_TICK)] if off else []


def _check_protections(terms: OrderTerms, quote: QuoteRow | None) -> list[Problem]:
    try:
        terms.protections(quote)
    except BadProtection as error:
        wrong_side = isinstance(error, WrongSide)
        return [Problem(error.field, str(error), ProblemKind.WRONG_SIDE if wrong_side else ProblemKind.OTHER)]
    if (terms.stop or terms.profit) and terms.closes:
        return [
            Problem("sl" if terms.stop else "tp", "tp/sl: an order that closes takes no stop or target; clear them")
        ]
    return []


def find_least(terms: OrderTerms, quote: QuoteRow | None) -> Decimal:
    """Return the smallest size that could be sent; 0 for an order that can only close, or if unknown."""
    if terms.closes:
        return ZERO
    return optional(smallest_size(terms.sym, terms.info, terms.reference(quote))) or ZERO


def smallest_size(sym: str, info: SymbolInfo | None, price: Decimal | None) -> str:
    """Return the smallest valid quantity, with which a ticket starts."""
    if info is None:
        return ""
    lot = positive(info.lot_size)
    if lot is None:
        return ""
    size = max(lot, positive(info.min_size) or lot)
    contract = (positive(info.contract_size) or Decimal(1)) if in_contracts(sym) else Decimal(1)
    notional = positive(info.min_notional)
    if notional is not None and price is not None and price > 0:
        size = max(size, notional / (price * contract))
    return plain(rounding.ceil_to(size, lot))
