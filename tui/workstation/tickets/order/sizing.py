"""Parsing of typed sizes: a plain quantity, contracts, coins, quote units, or a percentage."""

from __future__ import annotations

import re
from collections.abc import Iterator
from decimal import Decimal

import msgspec

from tui.crossdesk_error import CrossdeskError
from tui.engine.modes import RiskMode
from tui.engine.orders.exposure import compute_pair_value, sum_held
from tui.engine.orders.pre_trade_checks import touch_of
from tui.engine.rows import QuoteRow
from tui.interface.decimals import ZERO, BadDecimal, normalize_typed, optional, parse_typed, plain, positive
from tui.interface.families.orders import Side
from tui.interface.families.positions import PositionRecord
from tui.interface.figures import leg_of, size_of
from tui.interface.symbols import try_parse
from tui.rules import rounding, sizes
from tui.workstation.model import account_snapshot, number_format, position_metrics
from tui.workstation.model.account_snapshot import Missing
from tui.workstation.model.mirror import Mirror
from tui.workstation.tickets.order.checks import find_least
from tui.workstation.tickets.order.ticket import Ticket

_FORM = re.compile(r"\s*(?P<sign>\$?)\s*(?P<number>[0-9.,_]*)\s*(?P<unit>[A-Za-z$%]*)\s*")
HUNDRED = Decimal(100)
MOST_LEFT_OUT = Decimal("0.02")
"""Share of a size that the lot may leave out without a remark."""
THOUSANDS = ("k", "m")
"""Suffixes of a number: thousand and million."""
CLOSABLE = "the closable position"
"""Words for what can be closed of a position, of which a size is a percentage."""


class BadSize(CrossdeskError):
    """Invalid typed size; the message says what is accepted."""

    title = "Size not accepted"


class SizeTooSmall(BadSize):
    """Error for a size that rounds down to less than a lot."""

    title = "Size too small"


class OffLot(BadSize):
    """Error for a size in contracts or coins that is no multiple of the lot."""

    title = "Size off the lot"


class ParsedSize(msgspec.Struct, frozen=True):
    """Parsed size: quantity in the venue's unit, and how it was typed."""

    quantity: str
    """Quantity in the venue's unit, rounded to the lot."""
    converted: bool
    """False: it was typed in the venue's unit, and is kept as typed."""
    share: str = ""
    """Description of a percentage, such as `50 % of the closable position`; empty for other sizes."""
    quote: str = ""
    """Typed amount in quote units; empty for other sizes."""
    unrounded: Decimal | None = None
    """Size in the venue's unit before it was rounded down; None for one that is not rounded."""
    whole: Decimal | None = None
    """What can be closed, of which a percentage is a share; None for other sizes."""
    percent: Decimal = ZERO
    """Typed percentage."""


def units(ticket: Ticket) -> list[str]:
    """Return the accepted units, as shown to the trader."""
    return list(dict.fromkeys([ticket.unit, ticket.base, f"{ticket.quote_coin} or $", "%"]))


def check_letters(text: str, ticket: Ticket) -> str:
    """Return why typed letters cannot become an accepted unit, beginning with those units; empty if they can."""
    match = _FORM.fullmatch(text)
    letters = (match["unit"] if match is not None else text).strip("$%").lower()
    known = [unit.lower() for unit in (ticket.unit, ticket.base, ticket.quote_coin, "q") if unit]
    starts = [letters, letters[1:]] if letters[:1] in THOUSANDS else [letters]
    if match is not None and any(unit.startswith(part) for unit in known for part in starts):
        return ""
    names = list(dict.fromkeys([ticket.unit, ticket.base, ticket.quote_coin, "$"]))
    why = f"in {', '.join(names)} or %, not '{text[-1:]}'"
    return f"{why}: this pair has no contracts" if letters in ("c", "ct") and match is not None else why


def is_no_part_of_size(letter: str, text: str, ticket: Ticket) -> bool:
    """Return whether a key's letter behind a typed size is no part of it: behind a bare number, of no unit, or alone."""
    match = _FORM.fullmatch(text)
    if not text.strip():
        return True
    bare = match is not None and match["unit"].strip("$%").lower() in ("", *THOUSANDS)
    return bare and bool(check_letters(text + letter, ticket))


def holds_letter(letter: str, ticket: Ticket) -> bool:
    """Return whether a unit in which the pair's size can be typed contains a letter."""
    return any(letter in unit.lower() for unit in (ticket.unit, ticket.base, ticket.quote_coin, "q"))


def size_examples(ticket: Ticket, quote: QuoteRow | None) -> str:
    """Return examples of how to type a size, such as contracts, money and per cent."""
    sample = Decimal(25) if ticket.unit == "ct" else Decimal("0.5")
    if ticket.lot:
        sample = max(rounding.quantity(sample, ticket.lot) or ticket.lot, find_least(ticket, quote))
    share = "50%" if ticket.closes else "1%"  # half of the buying power is over the limits of most desks
    return f"e.g. {plain(sample)} {ticket.unit if ticket.unit == 'ct' else ticket.base}, $16000 or {share}"


def _split_unit(letters: str, ticket: Ticket) -> tuple[str, str]:
    """Split a leading `k` or `m` (thousand, million) from the unit; a known unit such as `kas` is not split."""
    known = {unit.lower() for unit in (ticket.unit, ticket.base, ticket.quote_coin, "q", "ct", "$", "%")}
    unit = letters[1:].lower()
    if letters.lower() in known or letters[:1].lower() not in THOUSANDS or (unit and unit not in known):
        return "", letters
    return letters[0], letters[1:]


def parse(text: str, ticket: Ticket, quote: QuoteRow | None, mirror: Mirror, *, of_power: bool = False) -> ParsedSize:
    """Parse a size: contracts and coins must be a multiple of the lot, money and a percentage are rounded down to it.

    Args:
        text: Typed size.
        ticket: Order that it is for.
        quote: Best prices of the pair.
        mirror: Rows.
        of_power: Whether a percentage is of the buying power also where the order would close a position first.

    Raises:
        BadSize: With the text for the trader.
    """
    match = _FORM.fullmatch(text)
    suffix, typed_unit = ("", "") if match is None else _split_unit(match["unit"], ticket)
    if match is None or not match["number"] or not (typed_unit or match["sign"]):
        try:
            return ParsedSize(normalize_typed(text.strip()), converted=False)
        except BadDecimal as error:
            raise BadSize(str(error)) from None
    unit = "$" if match["sign"] else typed_unit.lower()
    if match["sign"] and typed_unit.lower() not in ("", "$", "q", ticket.quote_coin.lower()):
        raise BadSize(f"{text.strip()!r} has two units; write {match['number']}{typed_unit} or ${match['number']}")
    try:
        number = parse_typed(match["number"] + suffix)
    except BadDecimal as error:
        raise BadSize(str(error)) from None
    given = text.strip() if match["sign"] else f"{match['number']}{suffix} {typed_unit}"
    if unit == "%":
        record = find_closed(ticket, mirror) if ticket.closes or not of_power else None
        return _size_share(number, given, ticket, record, quote, mirror)
    effect = _convert_units(number, unit, typed_unit, ticket, quote)
    quantity = plain(_fit_lot(effect, number, unit, given, ticket, quote))
    if unit in ("ct", ticket.base.lower()):
        return ParsedSize(quantity, converted=True)
    return ParsedSize(quantity, converted=True, quote=plain(number), unrounded=effect)


def _size_share(
    percent: Decimal, given: str, ticket: Ticket, record: PositionRecord | None, quote: QuoteRow | None, mirror: Mirror
) -> ParsedSize:
    """Size an order as a percentage of the position that it closes, else of the largest possible order."""
    effect = _convert_share(percent, ticket, record, quote, mirror)
    try:
        quantity = plain(_fit_lot(effect, percent, "%", given, ticket, quote))
    except SizeTooSmall as error:
        holders = "" if record is None else position_metrics.name_holders(record, mirror)
        raise SizeTooSmall(f"{error}{holders}") from None
    share = describe_share(percent, _describe_whole(ticket, record))
    whole = None if record is None else position_metrics.closable(record, mirror)
    return ParsedSize(quantity, converted=True, share=share, unrounded=effect, whole=whole, percent=percent)


def _fit_lot(
    wanted: Decimal, number: Decimal, unit: str, given: str, ticket: Ticket, quote: QuoteRow | None
) -> Decimal:
    """Round a quantity down to the lot; refuse contracts and coins that are no multiple, and sizes below a lot."""
    lot = ticket.lot
    if lot is None:
        raise BadSize(f"the rules of {ticket.sym} are not known yet")
    quantity, least = rounding.quantity(wanted, lot), find_least(ticket, quote)
    if quantity <= 0:
        raise SizeTooSmall(f"{given} is below the smallest size ({ticket.in_units(max(lot, least), quote)})")
    if unit == "ct":
        off = rounding.check_step("", number, lot, "ct", least)
    elif unit == ticket.base.lower():
        off = rounding.check_step("", number, lot * ticket.contract, ticket.base, least * ticket.contract)
    else:
        return quantity
    if off:
        raise OffLot(off)
    return quantity


def describe_rounding(unrounded: Decimal, size: Decimal, unit: str, lot: Decimal | None) -> str:
    """Return a remark that the size was rounded down to the lot, if the difference matters; else empty."""
    if lot is None or unrounded - size <= unrounded * MOST_LEFT_OUT:
        return ""
    return f"size rounded down to {plain(size)} {unit} (lot {plain(lot)})"


def _convert_units(number: Decimal, unit: str, typed: str, ticket: Ticket, quote: QuoteRow | None) -> Decimal:
    """Convert an amount in a typed unit to the venue's quantity unit."""
    if unit == "ct":
        if ticket.unit != "ct":
            raise BadSize(f"{ticket.sym} is not counted in contracts; say {ticket.base} or $")
        return number
    if unit == ticket.base.lower():
        return number / ticket.contract
    if unit in ("q", "$", ticket.quote_coin.lower()):
        price = ticket.reference(quote)
        if price is None:
            raise BadSize("quote units need a price; type a price first")
        return number / (price * ticket.contract)
    raise BadSize(f"unit {typed!r} does not belong to {ticket.sym}; accepted are {', '.join(units(ticket))}")


def _convert_share(
    percent: Decimal, ticket: Ticket, record: PositionRecord | None, quote: QuoteRow | None, mirror: Mirror
) -> Decimal:
    """Convert a percentage to a quantity: of the position that the order closes, else of the largest possible order."""
    if percent > HUNDRED:
        raise BadSize(f"{plain(percent)} % is more than there is; accepted is up to 100 %")
    whole = _compute_whole(ticket, record, quote, mirror)
    if isinstance(whole, Missing):
        why = "and there is none" if ticket.closes and record is None else "which is not known yet"
        raise BadSize(f"a percentage needs {whole.text}, {why}")
    if not whole and record is not None:
        raise BadSize(position_metrics.explain_nothing_left(record, mirror))
    return whole * percent / HUNDRED


def _compute_whole(
    ticket: Ticket, record: PositionRecord | None, quote: QuoteRow | None, mirror: Mirror
) -> Decimal | Missing:
    """Return the quantity of `100%`: what can be closed of a position, without one the largest possible order."""
    if record is None and not ticket.closes:
        return largest_quantity(ticket, quote, mirror)
    size = position_metrics.closable(record, mirror) if record is not None else None
    return Missing("a position to close") if size is None else size


def describe_largest(ticket: Ticket, quote: QuoteRow | None, mirror: Mirror) -> str:
    """Describe the largest size that margin, balance and limits, or the position, allow, such as `max 25 ct`.

    It is empty while it is not known, and where the risk mode lets nothing open.
    """
    status, info = mirror.engine_status, ticket.info
    if status is not None and status.risk_mode is not RiskMode.NORMAL and not ticket.closes:
        return ""
    whole = _compute_whole(ticket, find_closed(ticket, mirror) if ticket.closes else None, quote, mirror)
    if isinstance(whole, Missing) or info is None or ticket.lot is None or not ticket.sided:
        return ""
    most = positive(info.max_market_size if ticket.at_market else info.max_limit_size)
    limits = [] if ticket.closes else _list_limits(ticket, quote, mirror)
    whole = min([whole, *limits] if most is None else [whole, most, *limits])
    return f"max {plain(rounding.quantity(whole, ticket.lot))} {ticket.unit}"


def _list_limits(ticket: Ticket, quote: QuoteRow | None, mirror: Mirror) -> Iterator[Decimal]:
    """Yield the largest size by each of the trader's limits, for an order that can open."""
    price, status = ticket.value_price(quote), mirror.engine_status
    if not price or status is None:
        return
    limits = status.limits_of(ticket.sym)
    yield Decimal(limits.hard_notional) / (price * ticket.contract)
    if limits.max_qty:
        yield Decimal(limits.max_qty)
    touch, most = touch_of(quote), optional(limits.max_position)
    held = sum_held(
        ticket.sym,
        ticket.position_side,
        assets=mirror.assets,
        positions=mirror.positions,
        contract=ticket.contract,
    )
    value = compute_pair_value(
        ticket.sym,
        ticket.side,
        ticket.position_side,
        ZERO,
        held=held,
        orders=mirror.working_on(ticket.sym),
        contract=ticket.contract,
        touch=touch,
    )
    valued = touch.mark or touch.reference(ticket.side)
    if most is not None and value is not None and valued:
        yield value.max_order_value(ticket.side, most) / (valued * ticket.contract)


def describe_share(percent: Decimal, whole: str) -> str:
    """Describe a percentage and what it is of, such as `50 % of the closable position`."""
    return f"{plain(percent)} % of {whole}"


def _describe_whole(ticket: Ticket, record: PositionRecord | None) -> str:
    """Describe what a percentage refers to, such as the whole position."""
    if ticket.closes or record is not None:
        return CLOSABLE
    parts = try_parse(ticket.sym)
    if parts is None or parts.is_perp:
        return "buying power"
    return f"the free {ticket.quote_coin if ticket.side.sign > 0 else ticket.base}"


def find_closed(ticket: Ticket, mirror: Mirror) -> PositionRecord | None:
    """Return the position that an order closes, or would close before it opens; None if there is none."""
    fact = mirror.positions.get(f"{ticket.sym}/{ticket.position_side.value}")
    if fact is None or (ticket.closes and (ticket.hedge or not size_of(fact.record))):
        return None if fact is None else fact.record
    if ticket.hedge or (ticket.order is not None and not ticket.closes) or not size_of(fact.record):
        return None
    return fact.record if leg_of(fact.record) == ("LONG" if ticket.side is Side.SELL else "SHORT") else None


def find_closable(ticket: Ticket, mirror: Mirror) -> Decimal | None:
    """Return how much of its position an order can still close beside other working orders; None if it closes none."""
    record = find_closed(ticket, mirror)
    return position_metrics.closable(record, mirror) if record is not None else None


def largest_quantity(ticket: Ticket, quote: QuoteRow | None, mirror: Mirror) -> Decimal | Missing:
    """Compute the largest opening quantity: for a perpetual by free margin and leverage, else by balance."""
    parts, price, lot = try_parse(ticket.sym), ticket.reference(quote), ticket.lot
    if parts is None or price is None or lot is None:
        return Missing("a price")
    if not parts.is_perp:
        coin = parts.quote if ticket.side.sign > 0 else parts.base
        asset = mirror.assets.get(f"{parts.exchange}/{coin}")
        free = number_format.value(asset.record.available) if asset is not None else None
        if free is None:
            return Missing(f"the balance of {coin}")
        # At market a buy must be paid for at the price at which the gate counts it.
        return sizes.max_spot_buy(free, ticket.value_price(quote) or price, lot) if ticket.side.sign > 0 else free
    account, rates = mirror.accounts.get(parts.exchange), account_snapshot.rates_of(mirror, ticket.sym)
    terms = account_snapshot.terms_of(mirror, ticket.sym)
    free = number_format.value(account.record.available_margin) if account is not None else None
    if free is None:
        return Missing(f"the account of {parts.exchange}")
    if isinstance(rates, Missing):
        return rates
    if isinstance(terms, Missing):
        return terms
    return sizes.max_open(
        free,
        ticket.side,
        price,
        terms.mark,
        leverage=terms.leverage,
        taker=rates.taker,
        contract_size=terms.contract_size,
        lot=lot,
    )
