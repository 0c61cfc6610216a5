"""Risk of a venue row after an order, estimated from what the rows on the screen tell; None where they do not."""

from __future__ import annotations

from decimal import Decimal

import msgspec

from tui.engine.rows import QuoteRow
from tui.interface.decimals import ZERO
from tui.rules import liquidation, margin
from tui.workstation import numbers
from tui.workstation.panes.legs import base_delta, leg_of, mark_of, size_of
from tui.workstation.panes.pane import View, symbol
from tui.workstation.tickets.ticket import Ticket

NO_CAP = Decimal("1e30")


class Estimate(msgspec.Struct, frozen=True):
    """Before as the venue says it, after as we estimate it."""

    liq_before: Decimal | None
    liq_after: Decimal | None
    mmr_before: Decimal | None
    mmr_after: Decimal | None


def estimate(ticket: Ticket, quote: QuoteRow | None, view: View) -> Estimate | None:
    """The account row and the leg after the whole order has filled at its price.

    The maintenance rate is the one the venue applies to the leg now; without a leg of this pair there is none to read.
    """
    parts = symbol(ticket.sym)
    fact = view.mirror.positions.get(f"{ticket.sym}/{ticket.position_side.value}")
    if parts is None or not parts.is_perp or fact is None:
        return None
    account = view.mirror.accounts.get(parts.exchange)
    size, price, own = ticket.base_size(), ticket.reference(quote), base_delta(fact.record, view)
    mark, maintenance = numbers.value(mark_of(fact.record, view)), numbers.value(fact.record.position_mm)
    if account is None or size is None or price is None or own is None or not mark or maintenance is None or not own:
        return None
    valid, total_mm = numbers.value(account.record.valid_margin), numbers.value(account.record.maintain_margin)
    if valid is None or total_mm is None or not size_of(fact.record):
        return None
    rate = maintenance / (abs(own) * mark)
    sign = 1 if leg_of(fact.record) == "LONG" else -1
    after = own + size * ticket.side.sign
    if after * sign < 0:
        if ticket.position_side.value != "NONE":
            after = ZERO
        else:
            sign = -sign
    filled = abs(after - own)
    valid_after = valid + (mark - price) * filled * ticket.side.sign
    mm_other = total_mm - maintenance
    mm_after = mm_other + abs(after) * mark * rate
    liq_after = None
    if after:
        tiers = [margin.Tier(ZERO, NO_CAP, rate)]
        liq_after = liquidation.price_with_tiers(
            valid_after, mm_other, [liquidation.Leg(sign, abs(after), mark)], tiers
        )
    mmr_before = numbers.value(account.record.uni_mmr)
    if mmr_before is not None and mmr_before >= numbers.NO_RISK:
        mmr_before = None
    return Estimate(numbers.value(fact.record.liq_price), liq_after, mmr_before, margin.uni_mmr(valid_after, mm_after))
