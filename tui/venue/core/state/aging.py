"""Aging of rows: selection and removal of rows old enough to leave memory for the archive."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator

from tui.venue.core.state.algo_orders import AlgoOrder
from tui.venue.core.state.archive_reader import ArchivedRow
from tui.venue.core.state.exchange_state import State
from tui.venue.core.state.orders import Order

TABLES = ("order", "algo", "fill", "statement", "closed", "posting", "loan_order", "loan_booking", "markup_fill")
"""Tables whose rows leave memory."""
_NUMBERED = ("statement", "closed", "posting", "loan_order", "loan_booking", "markup_fill")
"""Tables whose rows leave in their order."""


def archivable_rows(state: State, before: int, encode: Callable[[object], bytes]) -> Iterator[ArchivedRow]:
    """List rows that ended before a time (ms) and that no row in memory depends on, oldest first."""
    for order in state.orders.values():
        if _is_order_archivable(state, order, before):
            yield _order_row(state, order, encode)
    for algo_order in state.algos.by_id.values():
        if _is_algo_archivable(state, algo_order, before):
            yield _algo_row(state, algo_order, encode)
    for fills in state.fills.values():
        for fill in fills:
            if int(fill.create_at) >= before:
                break
            yield ArchivedRow(
                table="fill", key=fill.transaction_id, value=encode(fill), portfolio=fill.portfolio_id,
                at=int(fill.create_at), sym=fill.sym, exchange=fill.exchange_type, business=fill.business_type,
                order_id=fill.order_id, executed=True,
            )  # fmt: skip
    yield from _number_rows(state, before, encode)


def _number_rows(state: State, before: int, encode: Callable[[object], bytes]) -> Iterator[ArchivedRow]:
    for number, row in enumerate(state.statements, state.dropped.get("statement", 0) + 1):
        if int(row.create_at) >= before:
            break
        yield ArchivedRow(
            table="statement", key=str(number), value=encode(row), portfolio=str(row.portfolio_id), at=int(row.create_at),
            sym=row.sym, exchange=row.exchange_type, business=row.business_type, coin=row.coin, kind=row.statement_type,
        )  # fmt: skip
    for number, ended in enumerate(state.closed, state.dropped.get("closed", 0) + 1):
        if int(ended.update_at) >= before:
            break
        pair = state.pairs[ended.sym]
        yield ArchivedRow(
            table="closed", key=str(number), value=encode(ended), portfolio=ended.portfolio_id,
            at=int(ended.update_at), sym=ended.sym, exchange=pair.exchange, business=pair.business_type,
        )  # fmt: skip
    for posting in state.postings:
        if posting.ms >= before:
            break
        yield ArchivedRow(
            table="posting", key=str(posting.id), value=encode(posting), at=posting.ms, kind=posting.reason
        )
    yield from _loan_rows(state, before, encode)
    yield from _markup_rows(state, before, encode)


def _markup_rows(state: State, before: int, encode: Callable[[object], bytes]) -> Iterator[ArchivedRow]:
    """List old markup settlements; stored under the main portfolio, which queries them, with the sub portfolio as kind."""
    main = state.main_portfolio.id
    for number, row in enumerate(state.markups.fills, state.dropped.get("markup_fill", 0) + 1):
        if row.at >= before:
            break
        yield ArchivedRow(
            table="markup_fill", key=str(number), value=encode(row), portfolio=main, at=row.at, sym=row.sym,
            exchange=row.exchange, business=row.inst_type, coin=row.coin, kind=row.portfolio,
        )  # fmt: skip


def _loan_rows(state: State, before: int, encode: Callable[[object], bytes]) -> Iterator[ArchivedRow]:
    for number, order in enumerate(state.loans.orders, state.dropped.get("loan_order", 0) + 1):
        if order.at >= before:
            break
        yield ArchivedRow(
            table="loan_order", key=str(number), value=encode(order), portfolio=order.portfolio, at=order.at,
            client=order.client_id, exchange=order.exchange, order_id=order.id, coin=order.coin, kind=order.type,
        )  # fmt: skip
    for number, row in enumerate(state.loans.bookings, state.dropped.get("loan_booking", 0) + 1):
        if row.at >= before:
            break
        yield ArchivedRow(
            table="loan_booking", key=str(number), value=encode(row), portfolio=row.portfolio, at=row.at,
            exchange=row.exchange, coin=row.coin, kind=row.type,
        )  # fmt: skip


def _is_order_archivable(state: State, order: Order, before: int) -> bool:
    """Report whether an order and its algo orders have all ended."""
    if not order.is_final or order.updated >= before:
        return False
    linked = (state.algos.by_id.get(order.algo_id), state.algos.by_id.get(order.guard))
    return all(other is None or (not other.is_open and other.updated < before) for other in linked)


def _is_algo_archivable(state: State, algo: AlgoOrder, before: int) -> bool:
    if algo.is_open or algo.updated >= before:
        return False
    linked = (state.orders.get(algo.child), state.orders.get(algo.attached))
    return all(other is None or (other.is_final and other.updated < before) for other in linked)


def _order_row(state: State, order: Order, encode: Callable[[object], bytes]) -> ArchivedRow:
    pair = state.pairs[order.sym]
    return ArchivedRow(
        table="order", key=order.id, value=encode(order), portfolio=order.portfolio, at=order.created,
        client=order.client_id, sym=order.sym, exchange=pair.exchange, business=pair.business_type,
        executed=bool(order.executed),
    )  # fmt: skip


def _algo_row(state: State, algo: AlgoOrder, encode: Callable[[object], bytes]) -> ArchivedRow:
    pair = state.pairs[algo.sym]
    return ArchivedRow(
        table="algo", key=algo.id, value=encode(algo), portfolio=algo.portfolio, at=algo.created, client=algo.client_id,
        sym=algo.sym, exchange=pair.exchange, business=pair.business_type, order_id=algo.attached or "",
    )  # fmt: skip


def forget(state: State, rows: Collection[ArchivedRow]) -> None:
    """Remove archived rows from memory."""
    gone: dict[str, set[str]] = {table: set() for table in TABLES}
    for row in rows:
        gone[row.table].add(row.key)
        state.changes.dirty(row.table, row.key)
    for key in gone["order"]:
        order = state.orders.pop(key)
        state.published.orders.pop(key, None)
        if state.clients.get((order.portfolio, order.client_id)) == key:
            del state.clients[(order.portfolio, order.client_id)]
    for key in gone["algo"]:
        state.algos.forget(key)
    for portfolio, fills in state.fills.items():
        state.fills[portfolio] = [fill for fill in fills if fill.transaction_id not in gone["fill"]]
    state.loans.forget_orders(len(gone["loan_order"]))
    del state.loans.bookings[: len(gone["loan_booking"])]
    del state.markups.fills[: len(gone["markup_fill"])]
    for table, kept in (("statement", state.statements), ("closed", state.closed), ("posting", state.postings)):
        del kept[: len(gone[table])]
    for table in _NUMBERED:
        if gone[table]:
            state.dropped[table] = state.dropped.get(table, 0) + len(gone[table])
            state.changes.dirty("dropped", "")
