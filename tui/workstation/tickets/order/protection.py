"""Take-profit and stop-loss of a ticket, typed as a price or as an offset from the entry price."""

from __future__ import annotations

import re
from decimal import Decimal

import msgspec

from tui.crossdesk_error import CrossdeskError
from tui.engine.intents import Protection
from tui.interface.decimals import ZERO, BadDecimal, format_grouped, parse_typed, plain
from tui.interface.families.orders import Side
from tui.rules import rounding

LAST = "LAST_PRICE"
MARK = "MARK_PRICE"
HUNDRED = Decimal(100)
BP = Decimal(10_000)

_FORM = re.compile(
    r"\s*(?P<sign>[+-]?)\s*(?P<number>[0-9.,_]+[kKmM]?)\s*(?P<unit>t|%|bp|r)?\s*(?:by\s+)?(?P<source>last|mark)?\s*"
    r"(?:@\s*(?P<limit>[0-9.,_]+[kKmM]?)\s*)?"
)


class BadProtection(CrossdeskError):
    """Invalid typed trigger; the message says what is accepted."""

    title = "Trigger not accepted"
    field = ""
    """Field of the ticket in which it was typed, `sl` or `tp`; empty: none."""

    def in_field(self, field: str) -> BadProtection:
        """Return the same error of a field of a ticket, whose name begins the text."""
        error = type(self)(f"{field}: {self}")
        error.field = field
        return error


class WrongSide(BadProtection):
    """Error: trigger on the side of the price on which it would fire at once."""

    title = "Trigger on the wrong side"


class NeedsStop(BadProtection):
    """Error: take-profit typed as a multiple of the risk without a stop-loss."""

    title = "Stop-loss missing"


class ParsedTrigger(msgspec.Struct, frozen=True):
    """Trigger after parsing."""

    trigger: Decimal
    source: str
    limit: Decimal = ZERO
    """Limit price of the triggered order; 0: at market."""
    unit: str = ""
    """Unit of a typed offset: `%`, `t`, `bp` or `r`; empty: a price was typed."""
    rises: bool | None = None
    """Whether a conditional trigger waits for a rise; None: another trigger, whose side is that of its kind."""

    @property
    def typed(self) -> str:
        """Text that gives this trigger at any entry: its price, its source, and the limit if there is one."""
        source = "last" if self.source == LAST else "mark"
        return f"{plain(self.trigger)} {source}" + (f" @{plain(self.limit)}" if self.limit else "")

    def wire(self) -> Protection:
        """Return the trigger in the form that an order carries."""
        return Protection(trigger=plain(self.trigger), source=self.source, price=plain(self.limit))


def stop_loss(
    text: str, entry: Decimal | None, side: Side, tick: Decimal | None, *, reference_name: str = ""
) -> ParsedTrigger | None:
    """Parse a stop-loss; None if nothing is typed. `reference_name` names the price that offsets are measured from.

    Raises:
        BadProtection: Invalid text, or on the wrong side of the entry.
    """
    return _parse(text, entry, side, tick, -1, None, MARK, reference_name=reference_name)


def take_profit(
    text: str,
    entry: Decimal | None,
    side: Side,
    tick: Decimal | None,
    stop: Decimal | None,
    opened: Decimal | None = None,
    *,
    reference_name: str = "",
) -> ParsedTrigger | None:
    """Parse a take-profit; `2r` means twice the distance from entry to stop.

    Args:
        text: Typed text.
        entry: Price that offsets are measured from and that the trigger must lie beyond.
        side: Side of the position.
        tick: Tick of the pair.
        stop: Trigger of the stop-loss.
        opened: Entry of an open position, from which multiples of the risk are measured.
        reference_name: Name of `entry`: mark or last; empty: the price of the order.

    Raises:
        BadProtection: Invalid text, or on the wrong side of the entry.
    """
    return _parse(text, entry, side, tick, 1, stop, LAST, opened, reference_name)


def _parse(
    text: str,
    entry: Decimal | None,
    side: Side,
    tick: Decimal | None,
    way: int,
    stop: Decimal | None,
    source: str,
    opened: Decimal | None = None,
    reference_name: str = "",
) -> ParsedTrigger | None:
    """Parse a trigger; `way` is the side of the entry where it must be: +1 on the winning, -1 on the losing side."""
    if not text.strip():
        return None
    match, offsets = _FORM.fullmatch(text), "0.5%, 20t, 30bp or 2r" if way > 0 else "0.5%, 20t or 30bp"
    if match is None:
        raise BadProtection(f"{text!r} is no trigger; type a price, or an offset such as {offsets}")
    try:
        number = parse_typed(match["number"])
        limit = parse_typed(match["limit"]) if match["limit"] else ZERO
    except BadDecimal as error:
        raise BadProtection(str(error)) from None
    source = {"last": LAST, "mark": MARK}.get(match["source"] or "", source)
    if entry is None or tick is None:
        raise BadProtection("the order has no price to measure from; type a price first")
    if not match["unit"]:
        if match["sign"]:
            raise BadProtection(f"{text.strip()} of what? type {offsets}, or a price without a sign")
        return _check_trigger(entry, side, tick, way, ParsedTrigger(number, source, limit), reference_name)
    _check_sign(match["sign"], text.strip(), side, way)
    if match["unit"] == "r" and way < 0:
        raise BadProtection(f"r is a multiple of the distance to the stop itself; type a price, or {offsets}")
    if match["unit"] == "r":
        start = entry if opened is None else opened
        trigger = start + way * number * _risk(start, side, stop)
    else:
        trigger = entry + side.sign * way * _distance(number, match["unit"], entry, tick)
    return _check_trigger(entry, side, tick, way, ParsedTrigger(trigger, source, limit, match["unit"]), reference_name)


def _check_sign(sign: str, text: str, side: Side, way: int) -> None:
    """Refuse an offset whose sign leads to the wrong side of the entry; without a sign the right side is implied."""
    right = "+" if side.sign * way > 0 else "-"
    if sign and sign != right:
        raise WrongSide(f"{text} would trigger immediately; type {text.lstrip('+- ')} or {right}{text.lstrip('+- ')}")


def _risk(entry: Decimal, side: Side, stop: Decimal | None) -> Decimal:
    """Return the signed distance from stop to entry, which is the loss per unit; positive for a buy."""
    if stop is None:
        raise NeedsStop("a target in r needs a stop: r is the distance from entry to stop")
    if (entry - stop) * side.sign <= 0:
        raise BadProtection(
            f"r needs a stop on the losing side: {plain(stop)} is not beyond the entry {plain(entry)}; type a price"
        )
    return entry - stop


def _distance(number: Decimal, unit: str, entry: Decimal, tick: Decimal) -> Decimal:
    if unit == "t":
        return number * tick
    if unit == "%":
        return entry * number / HUNDRED
    return entry * number / BP


def _check_trigger(
    entry: Decimal, side: Side, tick: Decimal, way: int, parsed: ParsedTrigger, reference_name: str
) -> ParsedTrigger:
    trigger = parsed.trigger
    for price in ([] if parsed.unit else [trigger]) + [parsed.limit]:
        if off := rounding.check_step("", price, tick):
            raise BadProtection(off)
    if parsed.unit:
        trigger = rounding.round_stop_trigger(trigger, tick, side.other if way < 0 else side)
    if trigger <= 0:
        raise BadProtection("the trigger would be 0 or less")
    if (trigger - entry) * side.sign * way <= 0:
        bound = f"{'above' if side.sign * way > 0 else 'below'} {reference_name} {format_grouped(entry)}".replace(
            "  ", " "
        )
        raise WrongSide(f"{format_grouped(trigger)} would trigger immediately; it must be {bound}")
    return msgspec.structs.replace(parsed, trigger=trigger)


class ProtectionResult(msgspec.Struct, frozen=True):
    """Loss at the stop and gain at the target, in quote units; None if there is no stop or target."""

    loss: Decimal | None
    gain: Decimal | None

    @property
    def ratio(self) -> Decimal | None:
        """Reward-to-risk ratio: gain divided by loss."""
        return None if not self.loss or self.gain is None else self.gain / abs(self.loss)


def protection_result(
    entry: Decimal, base: Decimal, side: Side, stop: ParsedTrigger | None, profit: ParsedTrigger | None
) -> ProtectionResult:
    """Compute loss and gain at the triggers of stop and target, without fees."""
    booked = [None if trigger is None else (trigger.trigger - entry) * side.sign * base for trigger in (stop, profit)]
    return ProtectionResult(booked[0], booked[1])
