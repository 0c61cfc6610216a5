"""Handlers of fee queries: rates of portfolios, and the markups brokers collect from their sub portfolios."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tui.interface.decimals import plain
from tui.interface.families.fees import (
    MARKUP_REBATE,
    SETTLED,
    BrokerFeeSchedule,
    ClearingRecord,
    CollectionRecord,
    FeeSchedule,
)
from tui.venue.core.check_failed import CheckFailed
from tui.venue.core.state.markups import MarkupFill
from tui.venue.shell.rest.listing import MARKUPS, page_of
from tui.venue.shell.rest.pages import ARCHIVE_MS, parse_window
from tui.venue.shell.rest.query import Query

MAX_PORTFOLIOS = 20
_LATEST_MS = 2**62


def user_fee_rate(query: Query) -> Any:
    """List the fee rates of portfolios for clients."""
    wanted = _portfolios(query, query.queries.main_portfolio.id)
    return _filter_schedules(query, wanted, query.queries.fee_schedules)


def broker_fee_rate(query: Query) -> Any:
    """List the fee rates of portfolios for brokers; without a portfolio, the main one's, by a switch also the key's own."""
    own = query.runtime.switches["unnamed_portfolio"] == "own_and_main"
    wanted = _portfolios(query, query.portfolio if own else query.queries.main_portfolio.id)
    return _filter_schedules(query, wanted, query.queries.broker_schedules)


def _filter_schedules(
    query: Query, wanted: list[str], read: Callable[[str], list[FeeSchedule]] | Callable[[str], list[BrokerFeeSchedule]]
) -> list[Any]:
    return [
        row
        for portfolio in wanted
        for row in read(portfolio)
        if query.accepts("exchange", row.exchange) and query.accepts("inst_type", row.inst_type)
    ]


def _portfolios(query: Query, unnamed: str) -> list[str]:
    """Return the requested list of portfolios, or one requested portfolio (default `unnamed`) plus the main one."""
    known, main = query.queries.portfolios, query.queries.main_portfolio.id
    listed, single = query.params.get("portfolios"), query.params.get("portfolio")
    names = [name.strip() for name in (listed or single or unnamed).split(",") if name.strip()]
    if len(names) > MAX_PORTFOLIOS:
        raise CheckFailed(400000, f"{len(names)} portfolios are given; at most {MAX_PORTFOLIOS} are accepted")
    for name in names:
        if name not in known:
            raise CheckFailed(100001, f"portfolio {name[:40]!r} does not exist")
        if not known[query.portfolio].is_main and name not in (query.portfolio, main):
            raise CheckFailed(404902, f"portfolio {name[:40]!r} does not belong to the key")
    return list(dict.fromkeys(names if listed else [*names, main]))


def collection_records(query: Query) -> Any:
    """List the fee markups that sub portfolios paid on top of the main portfolio's rates."""
    main = query.portfolio

    def show(row: MarkupFill) -> CollectionRecord:
        return CollectionRecord(
            user_id=main,
            portfolio_id=main,
            sub_portfolio_id=row.portfolio,
            exchange_type=row.exchange,
            business_type=row.inst_type,
            transaction_id=row.trade_id,
            coin=row.coin,
            amount=plain(row.markup),
            status=SETTLED,
            created_at=str(row.at),
            sym=row.sym,
            fee_price=row.price,
            rebate_ratio=f"{row.rebate_ratio:.4f}",
            rebate_amount=f"{row.rebate:.8f}",
        )

    return _list_settlements(query, show)


def clearing_statement(query: Query) -> Any:
    """List the rebates that the broker received from fee markups."""
    main = query.portfolio

    def show(row: MarkupFill) -> ClearingRecord:
        return ClearingRecord(
            id=row.id,
            portfolio_id=main,
            user_id=main,
            exchange_type=row.exchange,
            business_type=row.inst_type,
            transaction_id=row.trade_id,
            statement_flow_type=MARKUP_REBATE,
            coin=row.coin,
            amount=plain(row.rebate),
            create_at=str(row.at),
            update_at=str(row.at),
        )

    return _list_settlements(query, show)


def _list_settlements(query: Query, show: Callable[[MarkupFill], Any]) -> Any:
    now = query.runtime.now_ms()
    within = parse_window(query.params, now)
    ages = within.clip(now - ARCHIVE_MS, _LATEST_MS)
    rows = [row for row in query.queries.markup_fills() if ages[0] <= row.at <= ages[1] and _matches(query, row)]
    where: dict[str, str | bool] = {column: query.params[name] for name, column, _ in _FILTERS if name in query.params}
    return page_of(query, MARKUPS, rows, ages, where, show)


_FILTERS = (
    ("exchange", "exchange", "exchange"), ("inst_type", "business", "inst_type"), ("coin", "coin", "coin"),
    ("sub_portfolio_id", "kind", "portfolio"), ("sym", "sym", "sym"),
)  # fmt: skip
"""Parameter, column of the archive, field of the row."""


def _matches(query: Query, row: MarkupFill) -> bool:
    return all(query.accepts(name, getattr(row, field)) for name, _, field in _FILTERS)
