"""What a trader types as a size: a bare quantity, contracts, coins, quote units, or a share of something."""

from __future__ import annotations

import re
from decimal import Decimal

import msgspec

from tui.crossdesk_error import CrossdeskError
from tui.engine.rows import QuoteRow
from tui.interface.decimals import BadDecimal, normalize_typed, parse_typed, plain
from tui.interface.symbols import try_parse
from tui.rules import rounding, sizes
from tui.workstation.model import account_snapshot, number_format
from tui.workstation.model.account_snapshot import Missing
from tui.workstation.model.mirror import Mirror
from tui.workstation.tickets.ticket import Ticket

_FORM = re.compile(r"\s*(?P<sign>\$?)\s*(?P<number>[0-9.,_]*)\s*(?P<unit>[A-Za-z$%]*)\s*")
HUNDRED = Decimal(100)
THOUSANDS = ("k", "m")
"""Suffixes of a figure: thousand and million."""


class BadSize(CrossdeskError):
    """The typed size is none; the text says what would be."""

    title = "Size not accepted"


class ParsedSize(msgspec.Struct, frozen=True):
    """A size that was read."""

    quantity: str
    """As the venue counts it, on the lot."""
    converted: bool
    """False: it was typed as the venue counts it, and is kept as typed."""
    share: str = ""
    """Of what it is a share, in words; empty where it is none."""
    quote: str = ""
    """The quote units it was typed in; empty where it was not."""


def units(ticket: Ticket) -> list[str]:
    """What may stand behind a figure, as it is said to the trader."""
    return list(dict.fromkeys([ticket.unit, ticket.base, f"{ticket.quote_coin} or $", "%"]))


def letter_refused(text: str, ticket: Ticket) -> str:
    """Why the letters of a size that is being typed begin none of its units; empty when they do."""
    found = _FORM.fullmatch(text)
    letters = (found["unit"] if found is not None else text).strip("$%").lower()
    known = [unit.lower() for unit in (ticket.unit, ticket.base, ticket.quote_coin, "q") if unit]
    begun = [letters, letters[1:]] if letters[:1] in THOUSANDS else [letters]
    if found is not None and any(unit.startswith(part) for unit in known for part in begun):
        return ""
    names = list(dict.fromkeys([ticket.unit, ticket.base, ticket.quote_coin, "$"]))
    return f"use a number, then {', '.join(names)} or %"


def holds_letter(letter: str, ticket: Ticket) -> bool:
    """Whether a unit of the pair has a letter in it."""
    return any(letter in unit.lower() for unit in (ticket.unit, ticket.base, ticket.quote_coin, "q"))


def forms(ticket: Ticket) -> str:
    """The ways in which a size can be typed, by example."""
    small, coin = ("25", "ct") if ticket.unit == "ct" else ("0.5", ticket.base)
    return f"{small} {coin} · $16000 · 16k$ · 50%"


def _split_unit(letters: str, ticket: Ticket) -> tuple[str, str]:
    """`k` or `m`, and the unit behind it; the longest unit goes first, so `kas` stays a coin."""
    known = {unit.lower() for unit in (ticket.unit, ticket.base, ticket.quote_coin, "q", "ct", "$", "%")}
    unit = letters[1:].lower()
    if letters.lower() in known or letters[:1].lower() not in THOUSANDS or (unit and unit not in known):
        return "", letters
    return letters[0], letters[1:]


def read(text: str, ticket: Ticket, quote: QuoteRow | None, mirror: Mirror) -> ParsedSize:
    """Read a size; another unit is converted down to the lot.

    Raises:
        BadSize: with the sentence for the trader.
    """
    found = _FORM.fullmatch(text)
    suffix, typed_unit = ("", "") if found is None else _split_unit(found["unit"], ticket)
    if found is None or not found["number"] or not (typed_unit or found["sign"]):
        try:
            return ParsedSize(normalize_typed(text.strip()), False)
        except BadDecimal as error:
            raise BadSize(str(error)) from None
    unit = "$" if found["sign"] else typed_unit.lower()
    if found["sign"] and typed_unit.lower() not in ("", "$", "q", ticket.quote_coin.lower()):
        raise BadSize(f"{text.strip()!r} has two units; write {found['number']}{typed_unit} or ${found['number']}")
    try:
        number = parse_typed(found["number"] + suffix)
    except BadDecimal as error:
        raise BadSize(str(error)) from None
    if unit == "%":
        effect = _share(number, ticket, quote, mirror)
    else:
        effect = _units(number, unit, typed_unit, ticket, quote)
    lot = ticket.lot
    if lot is None:
        raise BadSize(f"the rules of {ticket.sym} are not known yet")
    quantity = rounding.quantity(effect, lot)
    if quantity <= 0:
        raise BadSize(f"{text.strip()} is less than the smallest size {ticket.in_units(lot, quote)}")
    share = f"{plain(number)} % of {_describe_whole(ticket)}" if unit == "%" else ""
    in_quote = unit in ("q", "$", ticket.quote_coin.lower())
    return ParsedSize(plain(quantity), True, share, plain(number) if in_quote else "")


def _units(number: Decimal, unit: str, typed: str, ticket: Ticket, quote: QuoteRow | None) -> Decimal:
    """As the venue counts it."""
    if unit == "ct":
        if ticket.unit != "ct":
            raise BadSize(f"{ticket.sym} is not counted in contracts; say {ticket.base} or $")
        return number
    if unit == ticket.base.lower():
        return number / ticket.contract
    if unit in ("q", "$", ticket.quote_coin.lower()):
        price = ticket.reference(quote)
        if price is None:
            raise BadSize("no price to reckon quote units with; type a price first")
        return number / (price * ticket.contract)
    raise BadSize(f"unit {typed!r} does not belong to {ticket.sym}; accepted are {', '.join(units(ticket))}")


def _share(percent: Decimal, ticket: Ticket, quote: QuoteRow | None, mirror: Mirror) -> Decimal:
    """A share of the leg when the order closes it, else of the largest order the free margin or balance carries."""
    if percent > HUNDRED:
        raise BadSize(f"{plain(percent)} % is more than there is; accepted is up to 100 %")
    whole = _closable(ticket, mirror) if ticket.closes else largest(ticket, quote, mirror)
    if isinstance(whole, Missing):
        raise BadSize(f"a share needs {whole.text}, which is not known yet")
    return whole * percent / HUNDRED


def _describe_whole(ticket: Ticket) -> str:
    """What a share is a share of."""
    if ticket.closes:
        return "the leg"
    parts = try_parse(ticket.sym)
    if parts is None or parts.is_perp:
        return "buying power"
    return f"the free {ticket.quote_coin if ticket.side.sign > 0 else ticket.base}"


def _closable(ticket: Ticket, mirror: Mirror) -> Decimal | Missing:
    fact = mirror.positions.get(f"{ticket.sym}/{ticket.position_side.value}")
    held = number_format.value(fact.record.position_qty) if fact is not None else None
    return abs(held) if held else Missing("a position to close")


def largest(ticket: Ticket, quote: QuoteRow | None, mirror: Mirror) -> Decimal | Missing:
    """The largest opening quantity: of a perpetual by free margin at its leverage, else by the balance that pays."""
    parts, price, lot = try_parse(ticket.sym), ticket.reference(quote), ticket.lot
    if parts is None or price is None or lot is None:
        return Missing("a price")
    if not parts.is_perp:
        coin = parts.quote if ticket.side.sign > 0 else parts.base
        asset = mirror.assets.get(f"{parts.exchange}/{coin}")
        free = number_format.value(asset.record.available) if asset is not None else None
        if free is None:
            return Missing(f"the balance of {coin}")
        return sizes.max_spot_buy(free, price, lot) if ticket.side.sign > 0 else free
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
