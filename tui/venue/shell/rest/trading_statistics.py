"""Handlers of daily trading statistics in quote units; the current day is not included."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import UTC, datetime
from decimal import Decimal
from itertools import chain
from typing import Any

from tui.interface.decimals import ZERO, plain
from tui.interface.families.history import (
    PortfolioStats,
    PortfolioStatsDetail,
    UserStats,
    UserStatsDetail,
)
from tui.interface.families.orders import Name
from tui.interface.symbols import BusinessType, parse_symbol
from tui.venue.core.check_failed import CheckFailed
from tui.venue.shell.rest.pages import DAY_MS, TimeWindow, parse_window
from tui.venue.shell.rest.query import Query
from tui.venue.shell.storage.turnover import Turnover, turnover_of

YEAR_MS = 365 * DAY_MS
MAX_SYMBOLS = 5
SECONDS_DIGITS = 10


def user_statistics(query: Query) -> Any:
    """Return the user's volume over all portfolios, per venue and instrument type; margin pairs count as spot."""
    days = _days(query)
    sums: dict[tuple[str, str], Decimal] = {}
    for portfolio in query.queries.portfolios:
        for sym, traded in _turnover(query, portfolio, days).items():
            sums[_place(sym)] = sums.get(_place(sym), ZERO) + _amount(query, sym, traded)
    return UserStats(
        begin=_day_text(days.begin),
        end=_day_text(days.end),
        all_spot=plain(sum((amount for (_, kind), amount in sums.items() if kind == "SPOT"), ZERO)),
        all_perp=plain(sum((amount for (_, kind), amount in sums.items() if kind == "PERP"), ZERO)),
        details=[
            UserStatsDetail(exchange=venue, business_type=kind, executed_amount=plain(amount))
            for (venue, kind), amount in sorted(sums.items())
        ],
    )


def portfolio_statistics(query: Query) -> Any:
    """Return volume, fees and P&L of the API key's portfolio, per pair."""
    days = _days(query)
    syms = [name.strip() for name in query.params.get("sym_list", "").split(",") if name.strip()]
    if len(syms) > MAX_SYMBOLS:
        raise CheckFailed(400000, f"{Name.SYM_LIST} has {len(syms)} pairs; at most {MAX_SYMBOLS} are accepted")
    traded = _turnover(query, query.portfolio, days, syms)
    volumes = {
        place: sum((_amount(query, sym, sums) for sym, sums in traded.items() if _place(sym) == place), ZERO)
        for place in ((venue, kind) for venue in ("OKX", "BINANCE") for kind in ("SPOT", "PERP"))
    }
    return PortfolioStats(
        begin=_day_text(days.begin),
        end=_day_text(days.end),
        okx_spot_vol_usd=plain(volumes[("OKX", "SPOT")]),
        okx_perp_vol_usd=plain(volumes[("OKX", "PERP")]),
        binance_spot_vol_usd=plain(volumes[("BINANCE", "SPOT")]),
        binance_perp_vol_usd=plain(volumes[("BINANCE", "PERP")]),
        details=[_detail(query, sym, traded[sym]) for sym in sorted(traded, key=lambda sym: (*_place(sym), sym))],
    )


def _detail(query: Query, sym: str, turnover: Turnover) -> PortfolioStatsDetail:
    venue, kind = _place(sym)
    return PortfolioStatsDetail(
        exchange=venue,
        business_type=kind,
        symbol=sym,
        executed_amount=plain(_amount(query, sym, turnover)),
        total_trading_fee=plain(turnover.fee),
        total_rpnl=plain(turnover.rpnl),
    )


def _days(query: Query) -> TimeWindow:
    """Return the first and last day of the requested time range.

    Raises:
        CheckFailed: The range is wrong.
    """
    now = query.runtime.now_ms()
    asked = {name: _in_ms(query.params[name]) for name in ("begin", "end")}
    parse_window({name: str(at_ms) for name, at_ms in asked.items()}, now)
    begin, end = (at_ms // DAY_MS * DAY_MS for at_ms in asked.values())
    return TimeWindow(begin, end)


def _in_ms(text: str) -> int:
    """Convert a time in a request to ms; it may be in seconds (as documented) or ms (as in the documented examples)."""
    return int(text) * (1000 if len(text) == SECONDS_DIGITS else 1)


def _turnover(query: Query, portfolio: str, days: TimeWindow, syms: Iterable[str] = ()) -> dict[str, Turnover]:
    """Sum a portfolio's turnover per pair over past days of the last year: daily sums of the archive, fills in memory."""
    today = query.runtime.now_ms() // DAY_MS * DAY_MS
    assert days.begin is not None
    assert days.end is not None
    first, last = max(days.begin, today - YEAR_MS), min(days.end + DAY_MS, today)
    archive, wanted = query.runtime.archive, set(syms)
    old = archive.turnover(portfolio, first // DAY_MS, last // DAY_MS - 1) if archive is not None else ()
    fresh = (
        (row.sym, turnover_of(row)) for row in query.queries.executions(portfolio) if first <= int(row.create_at) < last
    )
    sums: dict[str, Turnover] = {}
    for sym, more in chain(fresh, old):
        if sym in wanted if wanted else _matches(query, sym):
            sums[sym] = sums.get(sym, Turnover()).plus(more)
    return sums


def _matches(query: Query, sym: str) -> bool:
    venue, kind = _place(sym)
    return query.accepts("exchange", venue) and query.accepts("business_type", kind)


def _place(sym: str) -> tuple[str, str]:
    """Return venue and instrument type of a pair; margin pairs count as spot."""
    pair = parse_symbol(sym)
    return pair.exchange, "PERP" if pair.business_type == BusinessType.PERP else "SPOT"


def _amount(query: Query, sym: str, turnover: Turnover) -> Decimal:
    return turnover.traded * query.queries.contract_size(sym)


def _day_text(at_ms: int | None) -> str:
    assert at_ms is not None
    return datetime.fromtimestamp(at_ms / 1000, UTC).strftime("%Y%m%d")
