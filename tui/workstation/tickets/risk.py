"""Risk of a venue row after an order, estimated from what the rows on the screen tell; None where they do not."""

from __future__ import annotations

from decimal import Decimal

import msgspec

from tui.engine.rows import Fact, QuoteRow
from tui.interface.decimals import ZERO
from tui.interface.families.positions import PositionRecord
from tui.rules import liquidation, margin
from tui.workstation import numbers
from tui.workstation.panes.legs import base_delta, mark_of, size_of
from tui.workstation.panes.pane import View, symbol
from tui.workstation.tickets.ticket import Ticket


class Estimate(msgspec.Struct, frozen=True):
    """Before as the venue says it, after as we estimate it."""

    liq_before: Decimal | None
    liq_after: Decimal | None
    mmr_before: Decimal | None
    mmr_after: Decimal | None


class _Held(msgspec.Struct, frozen=True):
    """A leg as the venue values it."""

    delta: Decimal
    """Base units, signed."""
    mark: Decimal
    maintenance: Decimal
    rate: Decimal
    liq: Decimal | None


def _leg(fact: Fact[PositionRecord] | None, view: View) -> _Held | None:
    """What a row tells of its leg; None where it tells too little."""
    if fact is None or not size_of(fact.record):
        return None
    delta, mark = base_delta(fact.record, view), numbers.value(mark_of(fact.record, view))
    maintenance = numbers.value(fact.record.position_mm)
    if not delta or not mark or maintenance is None:
        return None
    return _Held(delta, mark, maintenance, maintenance / (abs(delta) * mark), numbers.value(fact.record.liq_price))


def estimate(ticket: Ticket, quote: QuoteRow | None, view: View) -> Estimate | None:
    """The account row and the leg after the whole order has filled at its price; the other leg shares the price.

    The maintenance rate is the one the venue applies to the leg now, else to the other leg of the pair; without either
    there is none to read.
    """
    parts = symbol(ticket.sym)
    if parts is None or not parts.is_perp:
        return None
    mine = ticket.position_side.value
    other = {"LONG": "SHORT", "SHORT": "LONG"}.get(mine)
    own_leg = _leg(view.mirror.positions.get(f"{ticket.sym}/{mine}"), view)
    other_leg = _leg(view.mirror.positions.get(f"{ticket.sym}/{other}"), view) if other else None
    shown = own_leg or other_leg
    account = view.mirror.accounts.get(parts.exchange)
    size, price = ticket.base_size(), ticket.reference(quote)
    if account is None or size is None or price is None or shown is None:
        return None
    valid, total_mm = numbers.value(account.record.valid_margin), numbers.value(account.record.maintain_margin)
    if valid is None or total_mm is None:
        return None
    own = own_leg.delta if own_leg is not None else ZERO
    sign = {"LONG": 1, "SHORT": -1}.get(mine, 1 if own > 0 else -1)
    after = own + size * ticket.side.sign
    if after * sign < 0:
        if mine != "NONE":
            after = ZERO
        else:
            sign = -sign
    mark = shown.mark
    valid_after = valid + (mark - price) * abs(after - own) * ticket.side.sign
    mm_elsewhere = total_mm - sum(leg.maintenance for leg in (own_leg, other_leg) if leg is not None)
    mm_after = mm_elsewhere + abs(after) * mark * shown.rate
    legs, rates = [], []
    if after:
        legs.append(liquidation.Leg(sign, abs(after), mark))
        rates.append((shown.rate, ZERO))
    if other_leg is not None:
        mm_after += other_leg.maintenance
        legs.append(liquidation.Leg(1 if other_leg.delta > 0 else -1, abs(other_leg.delta), mark))
        rates.append((other_leg.rate, ZERO))
    liq_after = liquidation.price(valid_after, mm_elsewhere, legs, rates) if legs else None
    mmr_before = numbers.value(account.record.uni_mmr)
    if mmr_before is not None and mmr_before >= numbers.NO_RISK:
        mmr_before = None
    return Estimate(shown.liq, liq_after, mmr_before, margin.uni_mmr(valid_after, mm_after))
