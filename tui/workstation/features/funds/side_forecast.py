"""Free margin and uniMMR of a venue side after coins came or left, with the arithmetic of the tickets."""

from __future__ import annotations

from decimal import Decimal

from tui.rules import account
from tui.rules.account import AccountCoin
from tui.rules.preview import add_coins
from tui.workstation.model import account_snapshot, number_format
from tui.workstation.model.account_snapshot import Missing
from tui.workstation.model.display_context import DisplayContext
from tui.workstation.widgets.forms.view import LOW_MMR, Figure
from tui.workstation.widgets.lists.fund_accounts import FundAccountRef


def side_figures(view: DisplayContext, place: FundAccountRef, coin: str, amount: Decimal) -> tuple[Figure, ...]:
    """Before and after an amount came (below 0: left); of a side of another portfolio or an account there are none."""
    if not place.own:
        return ()
    mirror = view.mirror
    row = account_snapshot.account_of(mirror, place.venue)
    terms = account_snapshot.empty_coin(mirror, place.venue, coin, Decimal(1))
    if isinstance(row, Missing) or isinstance(terms, Missing):
        needed = row.text if isinstance(row, Missing) else terms.text if isinstance(terms, Missing) else ""
        return (Figure(name=f"{place.venue} free margin", before=number_format.MISSING, after=f"needs {needed}"),)
    now, then = (
        account.compute_figures(row),
        account.compute_figures(add_coins(row, _terms_of(row, coin) or terms, amount)),
    )
    low = then.uni_mmr is not None and then.uni_mmr < LOW_MMR
    return (
        Figure(
            name=f"{place.venue} free margin", before=view.amount(now.available), after=view.amount(then.available),
            low=then.available < 0,
        ),
        Figure(name=f"{place.venue} uniMMR", before=_ratio(now.uni_mmr), after=_ratio(then.uni_mmr), low=low),
    )  # fmt: skip


def _terms_of(row: account.Account, coin: str) -> AccountCoin | None:
    return row.coin(coin)


def _ratio(value: Decimal | None) -> str:
    return number_format.NONE if value is None else number_format.decimal_figure(value, 2)
