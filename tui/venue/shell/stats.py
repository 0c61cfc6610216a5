"""Trading statistics: what was traded per day, in quote units; today is not counted yet."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from decimal import Decimal
from itertools import chain
from typing import Any

from tui.interface.decimals import ZERO, plain
from tui.interface.families.history import (
    PortfolioStats,
    PortfolioStatsDetail,
    TradeRecord,
    UserStats,
    UserStatsDetail,
)
from tui.interface.families.orders import Name
from tui.interface.symbols import parse_symbol
from tui.venue.shell.call import Call
from tui.venue.shell.keys import Denial
from tui.venue.shell.listing import FILLS, every
from tui.venue.shell.pages import DAY_MS, Window, window

YEAR_MS = 365 * DAY_MS
MAX_SYMBOLS = 5


def of_user(call: Call) -> Any:
    """Volume over all portfolios, per venue and kind; margin pairs count as spot."""
    days = _days(call)
    if isinstance(days, Denial):
        return days
    sums: dict[tuple[str, str], Decimal] = {}
    for portfolio in call.runtime.exchange.portfolios:
        for row in _rows(call, portfolio, days):
            key = (row.exchange_type, _kind(row))
            sums[key] = sums.get(key, ZERO) + _amount(call, row)
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


def of_portfolio(call: Call) -> Any:
    """Volume, fees and results of the key's portfolio, per pair."""
    days = _days(call)
    if isinstance(days, Denial):
        return days
    syms = [name.strip() for name in call.params.get("sym_list", "").split(",") if name.strip()]
    if len(syms) > MAX_SYMBOLS:
        return Denial(400000, f"{Name.SYM_LIST} has {len(syms)} pairs; at most {MAX_SYMBOLS} are accepted")
    rows = list(_rows(call, call.portfolio, days, syms))
    found = {
        key: _detail(call, key, rows) for key in sorted({(row.exchange_type, _kind(row), row.sym) for row in rows})
    }
    volumes = {
        (venue, kind): sum(
            (_amount(call, row) for row in rows if (row.exchange_type, _kind(row)) == (venue, kind)), ZERO
        )
        for venue in ("OKX", "BINANCE")
        for kind in ("SPOT", "PERP")
    }
    return PortfolioStats(
        begin=_day_text(days.begin),
        end=_day_text(days.end),
        okx_spot_vol_usd=plain(volumes[("OKX", "SPOT")]),
        okx_perp_vol_usd=plain(volumes[("OKX", "PERP")]),
        binance_spot_vol_usd=plain(volumes[("BINANCE", "SPOT")]),
        binance_perp_vol_usd=plain(volumes[("BINANCE", "PERP")]),
        details=list(found.values()),
    )


def _detail(call: Call, key: tuple[str, str, str], rows: Iterable[TradeRecord]) -> PortfolioStatsDetail:
    mine = [row for row in rows if (row.exchange_type, _kind(row), row.sym) == key]
    return PortfolioStatsDetail(
        exchange=key[0],
        business_type=key[1],
        symbol=key[2],
        executed_amount=plain(sum((_amount(call, row) for row in mine), ZERO)),
        total_trading_fee=plain(sum((_fee(row) for row in mine), ZERO)),
        total_rpnl=plain(sum((Decimal(row.rpnl) for row in mine), ZERO)),
    )


def _days(call: Call) -> Window | Denial:
    """The asked days, whole, without today and without what is older than a year."""
    now = call.runtime.now_ms()
    judged = window(call.params, now)
    if isinstance(judged, Denial):
        return judged
    begin, end = (int(call.params[name]) // DAY_MS * DAY_MS for name in ("begin", "end"))
    return Window(begin, end)


def _rows(call: Call, portfolio: str, days: Window, syms: Iterable[str] = ()) -> Iterable[TradeRecord]:
    now = call.runtime.now_ms()
    today = now // DAY_MS * DAY_MS
    assert days.begin is not None
    assert days.end is not None
    first, last = max(days.begin, today - YEAR_MS), min(days.end + DAY_MS, today)
    wanted = set(syms)
    old = every(call, FILLS, portfolio, (first, last - 1))
    for row in chain(call.runtime.exchange.executions(portfolio), old):
        if not first <= int(row.create_at) < last:
            continue
        if row.sym in wanted if wanted else _matches(row, call.params):
            yield row


def _matches(row: TradeRecord, params: Mapping[str, str]) -> bool:
    return params.get("exchange") in (None, row.exchange_type) and params.get("business_type") in (None, _kind(row))


def _kind(row: TradeRecord) -> str:
    return "PERP" if row.business_type == "PERP" else "SPOT"


def _amount(call: Call, row: TradeRecord) -> Decimal:
    size = Decimal(call.runtime.exchange.symbol_infos()[row.sym].contract_size)
    return Decimal(row.quantity) * Decimal(row.price) * size


def _fee(row: TradeRecord) -> Decimal:
    """In quote units, also where it was paid in the base coin."""
    in_base = row.fee_coin == parse_symbol(row.sym).base and row.fee_coin != ""
    return Decimal(row.fee) * Decimal(row.price) if in_base else Decimal(row.fee)


def _day_text(at_ms: int | None) -> str:
    assert at_ms is not None
    return datetime.fromtimestamp(at_ms / 1000, UTC).strftime("%Y%m%d")
