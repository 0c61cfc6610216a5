"""Cells of the risk pane, one row per venue account."""

from __future__ import annotations

from decimal import Decimal
from typing import TYPE_CHECKING, TypeAlias

from tui.engine.rows import Fact
from tui.interface.decimals import ZERO, half_up
from tui.workstation.model import number_format
from tui.workstation.model.account_risk import equity_less_loans, mmr_of, mmr_warning, no_risk
from tui.workstation.model.display_context import DisplayContext
from tui.workstation.model.instruments import MONEY
from tui.workstation.table.columns import Cell, SortKey

if TYPE_CHECKING:
    from tui.interface.families.positions import AccountRecord
    from tui.rules.account import Account

Row: TypeAlias = "Fact[AccountRecord]"

LADDER = (
    ("MARGIN_CALL", Decimal("2.0")),
    ("CANCEL_OPEN", Decimal("1.5")),
    ("CANCEL_ALL", Decimal("1.2")),
    ("LIQUIDATING", Decimal("1.0")),
)
"""Account statuses and the uniMMR below which they apply, as at the paper venue; live venues publish no thresholds."""

SHOCKS = (Decimal("-0.10"), Decimal("-0.05"), Decimal("0.05"), Decimal("0.10"))

OFF = Decimal("0.02")
"""Relative deviation of valid margin over maintenance from uniMMR above which it is marked."""


def status(row: Row) -> Cell:
    word = row.record.account_status
    if not word:
        return number_format.MISSING, "faint"
    if word == "NORMAL":
        return word, "good"
    return f"!! {word}", "warn" if word == "MARGIN_CALL" else "alert"


def status_short(row: Row) -> str:
    return row.record.account_status


def venue(row: Row) -> Cell:
    return row.record.exchange_type, "strong"


def mmr(row: Row, view: DisplayContext) -> Cell:
    value = mmr_of(row.record)
    if no_risk(row.record):
        return number_format.NONE, "dim"
    if value is None:
        return number_format.MISSING, "faint"
    sign, role = mmr_warning(value)
    return sign + view.amount(value), role


def by_mmr(row: Row) -> SortKey:
    return mmr_of(row.record)


def by_next(row: Row) -> SortKey:
    """Return how far uniMMR can fall before the account's status gets worse; 0 in the worst status."""
    value = mmr_of(row.record)
    if value is None:
        return None
    return next((value - limit for _, limit in LADDER if value >= limit), ZERO)


def next_status(row: Row) -> Cell:
    value = mmr_of(row.record)
    if value is None:
        return "  " + (number_format.NONE if no_risk(row.record) else number_format.MISSING), "dim"
    threshold = next(((word, limit) for word, limit in LADDER if value >= limit), None)
    if threshold is None:
        return "  below the ladder", "alert"
    return f"  {half_up(value - threshold[1], 2)} to {threshold[0]}", mmr_warning(value)[1]


def by_risk(row: Row) -> SortKey:
    value = mmr_of(row.record)
    return 100 / value if value else None


def risk(row: Row) -> Cell:
    """Return the risk as 1 / uniMMR in per cent; at 100 % the account is liquidated."""
    value = mmr_of(row.record)
    if no_risk(row.record):
        return "0%", "dim"
    if not value:
        return number_format.MISSING, "faint"
    return f"{half_up(100 / value, 1)}%", mmr_warning(value)[1]


def by_net_equity(row: Row, view: DisplayContext) -> SortKey:
    return equity_less_loans(row.record, view.mirror)


def net_equity(row: Row, view: DisplayContext) -> Cell:
    value = by_net_equity(row, view)
    return view.amount(value if isinstance(value, Decimal) else None), "strong"


def upnl(row: Row, view: DisplayContext) -> Cell:
    gain = number_format.value(row.record.upnl)
    return view.format_signed(gain), number_format.change_role(gain)


def by_upnl(row: Row) -> SortKey:
    return number_format.value(row.record.upnl)


def adds_up(record: AccountRecord) -> bool:
    """Return whether valid margin over maintenance margin equals the received uniMMR; True if a value is missing."""
    valid, maintain, reported = (
        number_format.value(record.valid_margin),
        number_format.value(record.maintain_margin),
        mmr_of(record),
    )
    if valid is None or not maintain or reported is None:
        return True
    return abs(valid / maintain - reported) <= reported * OFF


def valid(row: Row, view: DisplayContext) -> Cell:
    text = view.money(row.record.valid_margin or None)
    return (text, "dim") if adds_up(row.record) else ("≠" + text, "warn")


def by_valid(row: Row) -> SortKey:
    return number_format.value(row.record.valid_margin)


def mode(row: Row) -> Cell:
    return " " + (row.record.position_mode or number_format.MISSING), "dim"


def compute_stress(record: AccountRecord, view: DisplayContext) -> list[tuple[Decimal, Decimal]]:
    """Compute uniMMR after each price shock to all pairs; empty without positions or if a figure is missing.

    Marks and the coins held as margin move together, at the maintenance rates of the position's new size; money stays.
    """
    from tui.rules.account import compute_figures
    from tui.rules.margin import uni_mmr
    from tui.workstation.model.account_snapshot import Missing, account_of

    valid, maintain = number_format.value(record.valid_margin), number_format.value(record.maintain_margin)
    account = account_of(view.mirror, record.exchange_type)
    if valid is None or maintain is None or isinstance(account, Missing) or not account.legs:
        return []
    now, results = compute_figures(account), []
    for shock in SHOCKS:
        then = compute_figures(_move_prices(account, 1 + shock))
        # What the service reports, and what the move adds to it: its own figure may count what the rows do not show.
        ratio = uni_mmr(valid + then.valid - now.valid, maintain + then.maintenance - now.maintenance)
        if ratio is not None:
            results.append((ratio, shock))
    return results


def _move_prices(account: Account, factor: Decimal) -> Account:
    legs = tuple(leg._replace(terms=leg.terms._replace(mark=leg.terms.mark * factor)) for leg in account.legs)
    coins = tuple(
        coin if coin.coin in MONEY else coin._replace(index_price=coin.index_price * factor) for coin in account.coins
    )
    return account._replace(legs=legs, coins=coins)


def stress(row: Row, view: DisplayContext) -> Cell:
    """Return the lowest uniMMR under the market shocks, and the shock that causes it."""
    results = compute_stress(row.record, view)
    if not results:
        return number_format.NONE if no_risk(row.record) else number_format.MISSING, "dim"
    value, shock = min(results)
    return f"~{half_up(value, 2)} {half_up(shock * 100, 0):+}%", mmr_warning(value)[1]


def by_stress(row: Row, view: DisplayContext) -> SortKey:
    return min((value for value, _ in compute_stress(row.record, view)), default=None)
