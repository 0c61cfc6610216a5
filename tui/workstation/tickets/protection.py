"""Take-profit and stop-loss of a ticket: typed as a price or as an offset from the entry, shown with loss and gain."""

from __future__ import annotations

import re
from decimal import Decimal

import msgspec

from tui.crossdesk_error import CrossdeskError
from tui.engine.intents import Protection
from tui.interface.decimals import ZERO, BadDecimal, parse_typed, plain
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
    """The typed trigger is none; the text says what would be."""

    title = "Trigger not accepted"


class NeedsStop(BadProtection):
    """A take-profit in multiples of the risk, and no stop yet."""

    title = "Stop-loss missing"


class ParsedTrigger(msgspec.Struct, frozen=True):
    """A trigger as typed and reckoned."""

    trigger: Decimal
    source: str
    limit: Decimal = ZERO
    """Limit price of the order it makes; 0: at market."""
    unit: str = ""
    """`%`, `t`, `bp` or `r`, where it was typed as an offset."""

    def wire(self) -> Protection:
        """As it is sent."""
        return Protection(trigger=plain(self.trigger), source=self.source, price=plain(self.limit))


def stop_loss(
    text: str, entry: Decimal | None, side: Side, tick: Decimal | None, *, named: str = ""
) -> ParsedTrigger | None:
    """Read a stop; None when nothing is typed; `named`: what the price is called that it is measured from.

    Raises:
        BadProtection: not readable, or on the wrong side of the entry.
    """
    return _read(text, entry, side, tick, -1, None, MARK, named=named)


def take_profit(
    text: str,
    entry: Decimal | None,
    side: Side,
    tick: Decimal | None,
    stop: Decimal | None,
    opened: Decimal | None = None,
    *,
    named: str = "",
) -> ParsedTrigger | None:
    """Read a take-profit; `2r` is twice the distance from entry to stop.

    Args:
        text: As typed.
        entry: Price that offsets are measured from and that it must lie beyond.
        side: Of the position.
        tick: Of the pair.
        stop: Trigger of the stop-loss.
        opened: Entry of a position that is open, from which multiples of the risk are measured.
        named: What `entry` is called: mark or last; empty: the price of the order.

    Raises:
        BadProtection: not readable, or on the wrong side of the entry.
    """
    return _read(text, entry, side, tick, 1, stop, LAST, opened, named)


def _read(
    text: str,
    entry: Decimal | None,
    side: Side,
    tick: Decimal | None,
    way: int,
    stop: Decimal | None,
    source: str,
    opened: Decimal | None = None,
    named: str = "",
) -> ParsedTrigger | None:
    """`way`: +1 when the trigger lies where the position gains."""
    if not text.strip():
        return None
    found = _FORM.fullmatch(text)
    if found is None:
        raise BadProtection(f"{text!r} is no trigger; write a price, or an offset such as 0.5%, 20t, 30bp, 2r")
    try:
        number = parse_typed(found["number"])
        limit = parse_typed(found["limit"]) if found["limit"] else ZERO
    except BadDecimal as error:
        raise BadProtection(str(error)) from None
    source = {"last": LAST, "mark": MARK}.get(found["source"] or "", source)
    if entry is None or tick is None:
        raise BadProtection("no price of the order to reckon with; give it a price first")
    if not found["unit"]:
        if found["sign"]:
            raise BadProtection(f"{text.strip()} of what? write 0.5%, 20t, 30bp or 2r, or a price without a sign")
        return _checked(entry, side, tick, way, ParsedTrigger(number, source, limit), named)
    if found["unit"] == "r":
        start = entry if opened is None else opened
        trigger = start + way * number * _risk(start, side, stop)
    else:
        trigger = entry + side.sign * way * _distance(number, found["unit"], entry, tick)
    return _checked(entry, side, tick, way, ParsedTrigger(trigger, source, limit, found["unit"]), named)


def _risk(entry: Decimal, side: Side, stop: Decimal | None) -> Decimal:
    """What one unit loses from entry to stop; its sign is that of the side."""
    if stop is None:
        raise NeedsStop("r needs a stop: it is a multiple of the distance from entry to stop")
    if (entry - stop) * side.sign <= 0:
        raise BadProtection(
            f"r needs a stop that loses: {plain(stop)} is not beyond the entry {plain(entry)}; write a price"
        )
    return entry - stop


def _distance(number: Decimal, unit: str, entry: Decimal, tick: Decimal) -> Decimal:
    if unit == "t":
        return number * tick
    if unit == "%":
        return entry * number / HUNDRED
    return entry * number / BP


def _checked(entry: Decimal, side: Side, tick: Decimal, way: int, parsed: ParsedTrigger, named: str) -> ParsedTrigger:
    trigger = parsed.trigger
    for price in ([] if parsed.unit else [trigger]) + [parsed.limit]:
        if off := rounding.check_step("", price, tick):
            raise BadProtection(off)
    if parsed.unit:
        trigger = rounding.round_stop_trigger(trigger, tick, side.other if way < 0 else side)
    if trigger <= 0:
        raise BadProtection("the trigger would be 0 or less")
    if (trigger - entry) * side.sign * way <= 0:
        bound = f"{'above' if side.sign * way > 0 else 'below'} {named} {plain(entry)}".replace("  ", " ")
        raise BadProtection(f"{plain(trigger)} would trigger immediately; it must be {bound}")
    return msgspec.structs.replace(parsed, trigger=trigger)


class ProtectionResult(msgspec.Struct, frozen=True):
    """What the protections would book, quote units; None where there is none."""

    loss: Decimal | None
    gain: Decimal | None

    @property
    def ratio(self) -> Decimal | None:
        """Reward over risk."""
        return None if not self.loss or self.gain is None else self.gain / abs(self.loss)


def protection_result(
    entry: Decimal, base: Decimal, side: Side, stop: ParsedTrigger | None, profit: ParsedTrigger | None
) -> ProtectionResult:
    """Results at the triggers, fees left out."""
    booked = [None if one is None else (one.trigger - entry) * side.sign * base for one in (stop, profit)]
    return ProtectionResult(booked[0], booked[1])
