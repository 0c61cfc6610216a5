"""Forecast of a venue account's free margin and uniMMR after coins arrive or leave."""

from __future__ import annotations

from decimal import Decimal

from tui.rules import account
from tui.rules.preview import add_coins
from tui.workstation.model import account_snapshot, number_format
from tui.workstation.model.account_snapshot import Missing
from tui.workstation.model.display_context import DisplayContext
from tui.workstation.widgets.forms.account_figures import compare_accounts
from tui.workstation.widgets.forms.view import Figure
from tui.workstation.widgets.lists.fund_accounts import FundAccountRef


def forecast_figures(view: DisplayContext, target: FundAccountRef, coin: str, amount: Decimal) -> tuple[Figure, ...]:
    """Compute account values before and after an amount arrives (negative: leaves); only for the traded portfolio."""
    if not target.own:
        return ()
    mirror = view.mirror
    row = account_snapshot.account_of(mirror, target.venue)
    terms = account_snapshot.empty_coin(mirror, target.venue, coin, Decimal(1))
    if isinstance(row, Missing) or isinstance(terms, Missing):
        needed = row.text if isinstance(row, Missing) else terms.text if isinstance(terms, Missing) else ""
        return (Figure(name=f"{target.venue} free margin", before=number_format.MISSING, after=f"needs {needed}"),)
    now, then = (
        account.compute_figures(row),
        account.compute_figures(add_coins(row, row.coin(coin) or terms, amount)),
    )
    return compare_accounts(now, then, view, target.venue)
