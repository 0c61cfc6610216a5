"""Storage of the state: encode changed rows, restore a state from rows, and hash all rows."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from decimal import Decimal
from typing import Any

import msgspec

from tui.interface.families.history import StatementRecord, TradeRecord
from tui.interface.families.positions import PositionHistoryRecord
from tui.venue.core.events import Durable
from tui.venue.core.market.candles import Bar
from tui.venue.core.state.algo_orders import AlgoOrder
from tui.venue.core.state.exchange_state import Counters, Debt, FirstStart, State
from tui.venue.core.state.funds.deposits import Deposit, Withdrawal
from tui.venue.core.state.funds.fund_accounts import FundAccount
from tui.venue.core.state.funds.transfers import Bill, Transfer
from tui.venue.core.state.ledger import Posting
from tui.venue.core.state.liquidations import LiquidationEvent
from tui.venue.core.state.loans import LoanBooking, LoanOrder
from tui.venue.core.state.markups import Markup, MarkupFill
from tui.venue.core.state.orders import Order
from tui.venue.core.state.portfolios import ApiKey, Portfolio
from tui.venue.core.state.positions import Bot, Position

TABLES = (
    "counters",
    "portfolio",
    "api_key",
    "fund_account",
    "balance",
    "posting",
    "order",
    "algo",
    "liquidation",
    "transfer",
    "withdrawal",
    "deposit",
    "deposit_venue",
    "bill",
    "fill",
    "position",
    "closed",
    "mode",
    "leverage",
    "margin_leverage",
    "debt",
    "loan",
    "loan_order",
    "loan_booking",
    "markup",
    "markup_fill",
    "funded",
    "accrued",
    "statement",
    "dropped",
    "bots",
    "house",
    "first_start",
)
"""Tables of the durable state, in the order in which they are read back."""

MARKET_TABLES = ("clock", "price", "bars")
"""Last market prices, where books are seeded again, and the traded minutes of the last day; not part of the hash."""

encode = msgspec.json.Encoder(order="deterministic").encode
"""Encode a row as it is stored."""


def take_changed(state: State) -> list[Durable]:
    """Return the rows that changed since the last call, the clock row last."""
    changed = ((table, key, _find_row(state, table, key)) for table, key in state.changes.take_dirty())
    rows = [Durable(table, key, encode(row) if row is not None else None) for table, key, row in changed]
    state.changes.new_fills.clear()
    if rows:
        rows.append(Durable("clock", "", encode(state.now)))
    return rows


def _tables_by_parts(state: State) -> dict[str, Mapping[Any, object]]:
    """Return the tables whose key has several parts."""
    return {
        "balance": state.ledger.balances,
        "position": state.positions,
        "mode": state.modes,
        "leverage": state.leverages,
        "margin_leverage": state.margin_leverages,
        "debt": state.debts,
        "deposit_venue": state.deposit_venues,
        "loan": state.loans.owed,
        "markup": state.markups.by_key,
    }


def _tables_by_id(state: State) -> dict[str, Mapping[str, object]]:
    """Return the tables keyed by one id; fills are kept in a list per portfolio instead."""
    return {
        "portfolio": state.portfolios,
        "api_key": state.api_keys,
        "fund_account": state.fund_accounts,
        "order": state.orders,
        "algo": state.algos.by_id,
        "liquidation": state.liquidations.by_id,
        "transfer": state.transfers.by_id,
        "withdrawal": state.withdrawals.by_id,
        "deposit": state.deposits.by_id,
        "bill": state.bills,
        "bots": state.bots,
        "house": state.house,
    }


def _list_numbered_tables(state: State) -> dict[str, Sequence[object]]:
    """Return the append-only tables, whose key is the row number from 1."""
    return {
        "posting": state.postings,
        "closed": state.closed,
        "statement": state.statements,
        "loan_order": state.loans.orders,
        "loan_booking": state.loans.bookings,
        "markup_fill": state.markups.fills,
    }


def _find_row(state: State, table: str, key: str) -> object:
    """Return the current value of a row; None when it was removed."""
    if (by_id := _tables_by_id(state).get(table)) is not None:
        return by_id.get(key)
    if (by_parts := _tables_by_parts(state).get(table)) is not None:
        return by_parts.get(tuple(key.split("|")))
    if (numbered := _list_numbered_tables(state).get(table)) is not None:
        place = int(key) - 1 - state.dropped.get(table, 0)
        return numbered[place] if place >= 0 else None
    match table:
        case "fill":
            return state.changes.new_fills.get(key)
        case "price":
            return state.marks.index[key]
        case "bars":
            sym, _, start = key.partition("|")
            return state.candles.block(sym, int(start))
    return getattr(state, table)


def load(state: State, rows: Iterable[Durable]) -> None:
    """Fill an empty state from stored rows; holds, open lists and client ids are rebuilt from the orders."""
    kept: dict[str, dict[str, bytes]] = {table: {} for table in (*TABLES, *MARKET_TABLES)}
    for row in rows:
        if row.value is None:
            kept[row.table].pop(row.key, None)
        else:
            kept[row.table][row.key] = row.value
    for value in kept["clock"].values():
        state.now = max(state.now, msgspec.json.decode(value, type=int))
    for value in kept["counters"].values():
        state.counters = msgspec.json.decode(value, type=Counters)
    for value in kept["first_start"].values():
        state.first_start = msgspec.json.decode(value, type=FirstStart)
    for key, value in kept["portfolio"].items():
        state.portfolios[key] = msgspec.json.decode(value, type=Portfolio)
    state.portfolios = dict(sorted(state.portfolios.items(), key=lambda item: (item[1].level, item[0])))
    keys = [msgspec.json.decode(value, type=ApiKey) for value in kept["api_key"].values()]
    state.api_keys = {key.access_key: key for key in sorted(keys, key=lambda key: key.number)}
    for key, value in sorted(kept["balance"].items()):
        owner, venue, coin = key.split("|")
        state.ledger.balances[(owner, venue, coin)] = msgspec.json.decode(value, type=Decimal)
    for _, value in sorted(kept["posting"].items(), key=lambda item: int(item[0])):
        state.postings.append(msgspec.json.decode(value, type=Posting))
    for value in kept["dropped"].values():
        state.dropped = msgspec.json.decode(value, type=dict[str, int])
    state.ledger.count = state.dropped.get("posting", 0) + len(state.postings)
    for key, value in kept["bots"].items():
        state.bots[key] = msgspec.json.decode(value, type=list[Bot])
    for key, value in kept["house"].items():
        state.house[key] = msgspec.json.decode(value, type=int)
    _load_market(state, kept)
    for _, value in sorted(kept["liquidation"].items()):
        state.liquidations.add(msgspec.json.decode(value, type=LiquidationEvent))
    _load_transfers(state, kept)
    _load_trading(state, kept)


def _load_market(state: State, kept: dict[str, dict[str, bytes]]) -> None:
    for coin, value in kept["price"].items():
        state.marks.jump(coin, msgspec.json.decode(value, type=Decimal))
    for key, value in sorted(kept["bars"].items()):
        sym, _, start = key.partition("|")
        state.candles.restore_block(sym, int(start), msgspec.json.decode(value, type=list[Bar]))


def _load_transfers(state: State, kept: dict[str, dict[str, bytes]]) -> None:
    for key, value in sorted(kept["fund_account"].items()):
        state.fund_accounts[key] = msgspec.json.decode(value, type=FundAccount)
    for _, value in sorted(kept["transfer"].items()):
        transfer = msgspec.json.decode(value, type=Transfer)
        state.transfers.add(transfer)
        if transfer.running:
            state.freeze(transfer.source, transfer.currency, transfer.amount)
    for _, value in sorted(kept["withdrawal"].items()):
        withdrawal = msgspec.json.decode(value, type=Withdrawal)
        state.withdrawals.add(withdrawal)
        if withdrawal.running:
            state.freeze(withdrawal.source, withdrawal.currency, withdrawal.amount)
    for _, value in sorted(kept["deposit"].items()):
        state.deposits.add(msgspec.json.decode(value, type=Deposit))
    for key, value in sorted(kept["deposit_venue"].items()):
        portfolio, currency, network = key.split("|")
        state.deposit_venues[(portfolio, currency, network)] = msgspec.json.decode(value, type=str)
    for key, value in sorted(kept["bill"].items()):
        state.bills[key] = msgspec.json.decode(value, type=Bill)


def _load_trading(state: State, kept: dict[str, dict[str, bytes]]) -> None:
    for key, value in sorted(kept["mode"].items()):
        portfolio, _, venue = key.partition("|")
        state.modes[(portfolio, venue)] = msgspec.json.decode(value, type=str)
    for key, value in sorted(kept["leverage"].items()):
        portfolio, _, sym = key.partition("|")
        state.leverages[(portfolio, sym)] = msgspec.json.decode(value, type=int)
    for key, value in sorted(kept["margin_leverage"].items()):
        portfolio, venue, coin = key.split("|")
        state.margin_leverages[(portfolio, venue, coin)] = msgspec.json.decode(value, type=int)
    for _, value in sorted(kept["debt"].items()):
        debt = msgspec.json.decode(value, type=Debt)
        state.debts[(debt.portfolio, debt.venue, debt.coin)] = debt
    _load_loans_and_markups(state, kept)
    for _, value in sorted(kept["order"].items()):
        _load_order(state, msgspec.json.decode(value, type=Order))
    for _, value in sorted(kept["algo"].items()):
        state.algos.add(msgspec.json.decode(value, type=AlgoOrder))
    for _, value in sorted(kept["fill"].items()):
        fill = msgspec.json.decode(value, type=TradeRecord)
        state.fills.setdefault(fill.portfolio_id, []).append(fill)
    positions = [msgspec.json.decode(value, type=Position) for value in kept["position"].values()]
    for position in sorted(positions, key=lambda entry: entry.id):
        if not position.opened:
            # Written by a version without history: the remainder counts as opened at its entry.
            position.opened = position.most = abs(position.lots)
            position.opened_cost = position.opened * position.entry
        state.positions[(position.portfolio, position.sym, position.leg)] = position
    state.funded = state.accrued = state.now
    for value in kept["funded"].values():
        state.funded = msgspec.json.decode(value, type=int)
    for value in kept["accrued"].values():
        state.accrued = msgspec.json.decode(value, type=int)
    for _, value in sorted(kept["statement"].items(), key=lambda item: int(item[0])):
        state.statements.append(msgspec.json.decode(value, type=StatementRecord))
    for _, value in sorted(kept["closed"].items(), key=lambda item: int(item[0])):
        state.closed.append(msgspec.json.decode(value, type=PositionHistoryRecord))


def _load_loans_and_markups(state: State, kept: dict[str, dict[str, bytes]]) -> None:
    for key, value in sorted(kept["loan"].items()):
        portfolio, venue, coin = key.split("|")
        state.loans.owed[(portfolio, venue, coin)] = msgspec.json.decode(value, type=Decimal)
    for _, value in sorted(kept["loan_order"].items(), key=lambda item: int(item[0])):
        state.loans.add(msgspec.json.decode(value, type=LoanOrder))
    for _, value in sorted(kept["loan_booking"].items(), key=lambda item: int(item[0])):
        state.loans.bookings.append(msgspec.json.decode(value, type=LoanBooking))
    for key, value in sorted(kept["markup"].items()):
        portfolio, venue, kind = key.split("|")
        state.markups.by_key[(portfolio, venue, kind)] = msgspec.json.decode(value, type=list[Markup])
    for _, value in sorted(kept["markup_fill"].items(), key=lambda item: int(item[0])):
        state.markups.fills.append(msgspec.json.decode(value, type=MarkupFill))


def _load_order(state: State, order: Order) -> None:
    hold, order.hold = order.hold, Decimal(0)
    state.add_order(order)
    if order.is_final:
        del state.open[order.portfolio][order.id]
    else:
        pair = state.pairs[order.sym]
        if hold:
            key = (order.portfolio, pair.exchange, order.hold_coin)
            state.frozen[key] = state.frozen.get(key, Decimal(0)) + hold
        book = state.books[order.sym]
        state.resting[order.id] = book.add(order.portfolio, order.id, order.ticks, order.left, is_buy=order.is_buy)
    order.hold = hold


def state_hash(state: State) -> str:
    """Compute the SHA-256 of all stored rows as canonical text, sorted by table and id."""
    digest = hashlib.sha256()
    for table in TABLES:
        for key, value in sorted(_rows_of(state, table)):
            digest.update(f"{table}\0{key}\0".encode())
            digest.update(encode(value))
            digest.update(b"\n")
    return digest.hexdigest()


def _rows_of(state: State, table: str) -> Iterator[tuple[str, object]]:
    if (by_parts := _tables_by_parts(state).get(table)) is not None:
        return (("|".join(parts), value) for parts, value in by_parts.items())
    if (numbered := _list_numbered_tables(state).get(table)) is not None:
        start = state.dropped.get(table, 0) + 1
        return ((f"{number:012}", row) for number, row in enumerate(numbered, start))
    if (by_id := _tables_by_id(state).get(table)) is not None:
        return iter(by_id.items())
    if table == "fill":
        return ((fill.transaction_id, fill) for fills in state.fills.values() for fill in fills)
    single: object = getattr(state, table)
    return iter([("", single)] if single is not None else [])
