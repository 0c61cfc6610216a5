"""Account statement: one row per booking and coin, with the amounts before and after."""

from __future__ import annotations

from decimal import Decimal
from typing import NamedTuple

from tui.interface.decimals import ZERO, plain
from tui.interface.families.history import TRADE, StatementRecord
from tui.venue.core.market.symbols import SETTLEMENT, Pair
from tui.venue.core.state.exchange_state import State
from tui.venue.core.state.orders import Order

_FIRST_ID = 10_000_000_000_100_000
"""Statement ids have 17 digits; rows before the first start have numbers down to -99,999."""


class Holding(NamedTuple):
    """Balance and debt of a portfolio in one coin, in coins."""

    balance: Decimal
    owed: Decimal


def holding_of(state: State, owner: str, venue: str, coin: str) -> Holding:
    """Return the current balance and debt of a portfolio in a coin."""
    debt = state.debts.get((owner, venue, coin))
    return Holding(state.ledger.balance(owner, venue, coin), debt.total if debt is not None else ZERO)


def add_row(
    state: State,
    kind: str,
    owner: str,
    venue: str,
    coin: str,
    before: Holding,
    *,
    business_type: str,
    sym: str = "",
    request_id: str = "",
) -> None:
    """Add the statement row of the last ledger posting; without a request id the row uses its own id."""
    after = holding_of(state, owner, venue, coin)
    frozen = state.frozen.get((owner, venue, coin), ZERO)
    available_before, available_after = max(before.balance - frozen, ZERO), max(after.balance - frozen, ZERO)
    number = state.dropped.get("statement", 0) + len(state.statements) + 1
    own_id = str(_FIRST_ID + number)
    state.statements.append(
        StatementRecord(
            portfolio_id=int(owner),
            request_id=request_id or own_id,
            statement_id=own_id,
            coin=coin,
            sym=sym,
            statement_type=kind,
            exchange_type=venue,
            business_type=business_type,
            before_available=plain(available_before),
            after_available=plain(available_after),
            before_overdraw=plain(max(-before.balance, ZERO)),
            after_overdraw=plain(max(-after.balance, ZERO)),
            before_borrow=plain(before.owed),
            after_borrow=plain(after.owed),
            delta_amount=plain(available_after - available_before),
            create_at=state.now,
        )
    )
    state.changes.dirty("statement", str(number))


def coins_of(pair: Pair) -> tuple[str, ...]:
    """Return the coins whose balance a fill changes."""
    return (SETTLEMENT,) if pair.is_perp else (pair.base, pair.quote)


def holdings_before_fill(state: State, pair: Pair, order: Order) -> dict[str, Holding]:
    """Return balance and debt, before a fill, of the coins that the fill will change."""
    return {coin: holding_of(state, order.portfolio, pair.exchange, coin) for coin in coins_of(pair)}


def add_fill_rows(state: State, pair: Pair, order: Order, trade_id: str, before: dict[str, Holding]) -> None:
    """Add the statement rows of a fill, unless switched off: one per coin of a spot pair, one for a perpetual."""
    if state.switches["trade_statements"] == "off":
        return
    for coin in coins_of(pair):
        add_row(
            state,
            TRADE,
            order.portfolio,
            pair.exchange,
            coin,
            before[coin],
            business_type=pair.business_type,
            sym=pair.sym,
            request_id=trade_id,
        )
