"""Lists of the fees screen and their columns."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import timedelta
from decimal import Decimal

import msgspec

from tui.engine.service_query import ListRead, query_endpoint
from tui.interface.decimals import half_up
from tui.interface.families.fees import (
    BrokerFeeSchedule,
    ClearingRecord,
    CollectionRecord,
    FeeGroup,
    FeeQuery,
    FeeSchedule,
    SettlementsQuery,
)
from tui.interface.families.market import Bracket
from tui.interface.families.portfolios import PortfolioRecord
from tui.interface.request import arguments_of
from tui.interface.symbols import try_parse
from tui.interface.text import how_many
from tui.interface.times import millis
from tui.workstation.model import number_format
from tui.workstation.model.display_context import DisplayContext
from tui.workstation.model.instruments import short_name
from tui.workstation.table.column_kinds import (
    number,
    show_amount,
    show_money,
    show_name,
    show_symbol,
    show_text,
    show_time,
)
from tui.workstation.table.columns import Cell, Field, Fields, of_row
from tui.workstation.widgets.lists.command_tab import command_tab
from tui.workstation.widgets.lists.tab import QueryTab, Rows, sum_by_coin, sums_text

PANE = "fees"
PORTFOLIOS = query_endpoint(f"{PANE}/listed", "portfolios")
"""Query of the portfolios whose schedules a main key may read."""
SET_SUB_FEE = "set_sub_fee_rate"
MOST_PORTFOLIOS = 20
"""Most portfolios in one request to the service."""
WINDOW_MS = int(timedelta(days=89).total_seconds() * 1000)
_DAY_MS = 86_400_000
_BASIS = Decimal(10_000)


class FeeRow(msgspec.Struct, frozen=True, kw_only=True):
    """Fee rates of a portfolio for the pairs of a venue and kind, or for one group of pairs among them."""

    portfolio: str
    exchange: str
    kind: str
    group: str
    """Empty: all pairs outside groups."""
    pairs: tuple[str, ...]
    taker: str
    maker: str
    level: str
    since: str
    """yyyyMMdd."""
    rebate_ratio: str
    """Rebate ratio of the markup; only in broker queries."""


def fee_rows(schedules: Sequence[object]) -> list[FeeRow]:
    """Return one row per fee schedule, and one per group in it."""
    return [
        row
        for schedule in schedules
        if isinstance(schedule, FeeSchedule | BrokerFeeSchedule)
        for row in _rows_of(schedule)
    ]


def _rows_of(schedule: FeeSchedule | BrokerFeeSchedule) -> Iterator[FeeRow]:
    if isinstance(schedule, FeeSchedule):
        taker, maker = schedule.taker_fee_rate or schedule.taker, schedule.maker_fee_rate or schedule.maker
        venue, kind, ratio = (
            schedule.exchange or schedule.exchange_type,
            schedule.inst_type or schedule.business_type,
            "",
        )
    else:
        taker, maker, ratio = schedule.taker, schedule.maker, schedule.markup_rebate_ratio
        venue, kind = schedule.exchange, schedule.inst_type
    base = FeeRow(
        portfolio=schedule.portfolio_id, exchange=venue, kind=kind, group="", pairs=(), taker=taker, maker=maker,
        level=schedule.level, since=schedule.eff_date, rebate_ratio=ratio,
    )  # fmt: skip
    yield base
    for number_, group in enumerate(schedule.group_list, start=1):
        yield _of_group(base, group, number_)


def _of_group(base: FeeRow, group: FeeGroup, place: int) -> FeeRow:
    return msgspec.structs.replace(
        base, group=group.group_name or f"group {place}", pairs=tuple(group.sym_list), taker=group.taker_fee,
        maker=group.maker_fee,
    )  # fmt: skip


def describe_rate(text: str) -> str:
    """Format a fee rate in basis points; an implausibly large one is marked with `?`, as it may be in per cent."""
    value = number_format.value(text)
    if value is None:
        return number_format.MISSING
    doubt = "?" if abs(value) >= Decimal("0.01") else ""
    return f"{half_up(value * _BASIS, 4).normalize():f}bp{doubt}"


def _rate(name: str) -> Field[FeeRow]:
    def cell(row: FeeRow) -> Cell:
        value = number_format.value(getattr(row, name))
        return describe_rate(getattr(row, name)), "gain" if value is not None and value < 0 else "text"

    return Field(9, of_row(cell), of_row(lambda row: number(getattr(row, name))))


def name_portfolio(portfolio: str, view: DisplayContext) -> str:
    """Return the name of a portfolio, or its id if the name is unknown."""
    status = view.mirror.engine_status
    if status is not None and portfolio in ("", status.portfolio):
        return status.portfolio_name or portfolio
    return next((row.name for row in list_portfolios(view) if str(row.portfolio_id) == portfolio), portfolio)


def name_pairs(row: FeeRow) -> Cell:
    return f" {_name_pairs(row) if row.group else 'all others'}", "dim"


def _name_pairs(row: FeeRow) -> str:
    """Name the pairs of a group, without the row's venue; grouped by kind if there are several kinds."""
    kinds: dict[str, list[str]] = {}
    for sym in row.pairs:
        parts = try_parse(sym)
        name = short_name(sym).removeprefix(f"{row.exchange} ")
        kinds.setdefault(parts.business_type.lower() if parts is not None else "", []).append(name)
    if len(kinds) < 2:
        return ", ".join(name for names in kinds.values() for name in names)
    return "; ".join(f"{kind} {', '.join(names)}".lstrip() for kind, names in kinds.items())


def _write_day(digits: str) -> str:
    """Write the eight digits of a day as 2024-01-31; other text stays as it is."""
    if len(digits) == len("20240131") and digits.isdigit():
        return f"{digits[:4]}-{digits[4:6]}-{digits[6:]}"
    return digits or number_format.MISSING


_FEE_FIELDS: Fields[FeeRow] = {
    "portfolio": show_name(lambda row, view: name_portfolio(row.portfolio, view), 17, "dim", hide=2),
    "venue": show_text(lambda row: row.exchange, 8),
    "kind": show_text(lambda row: row.kind.lower(), 5),
    "group": show_text(lambda row: row.group or number_format.MISSING, 10, "strong", hide=1),
    "taker": _rate("taker"),
    "maker": _rate("maker"),
    "level": show_text(lambda row: f" {row.level}", 7, "dim", prose=False, hide=1, title=" level"),
    "since": show_text(lambda row: _write_day(row.since), 11, "dim", prose=False, hide=2),
    "rebate": Field(7, of_row(lambda row: (row.rebate_ratio or number_format.MISSING, "dim")),
                    of_row(lambda row: number(row.rebate_ratio)), hide=2),
    "pairs": Field(37, of_row(name_pairs), left=True, prose=True, hide=1, title=" pairs", least=27),
}  # fmt: skip


_PORTFOLIO_FIELDS: Fields[FeeRow] = {
    **_FEE_FIELDS,
    "portfolio": show_name(lambda row, view: name_portfolio(row.portfolio, view), 17, "dim", least=10),
}
"""The same for lists of several portfolios, in which only the name tells some rows apart."""


def _describe_rates(view: DisplayContext) -> tuple[str, ...]:
    del view
    return ("1bp = 0.01 %; minus is a rebate", "minus is a rebate")


def _id(row: FeeRow) -> str:
    return "/".join((row.portfolio, row.exchange, row.kind, row.group))


OWN = QueryTab(
    name="own fees", empty="no fee schedules", fields=_FEE_FIELDS, id=_id,
    endpoint="user_fee_rate", pick=lambda answer, view: _pick_own(fee_rows(answer.rows), view),
    params=lambda view: arguments_of(FeeQuery(portfolio=_portfolio(view))), notes=_describe_rates,
)  # fmt: skip


def _portfolio(view: DisplayContext) -> str:
    status = view.mirror.engine_status
    return status.portfolio if status is not None else ""


def _pick_own(rows: list[FeeRow], view: DisplayContext) -> list[FeeRow]:
    """Keep only the rows of the traded portfolio; if there are none, all rows."""
    own = _portfolio(view)
    return [row for row in rows if row.portfolio in ("", own)] or rows


def list_portfolios(view: DisplayContext) -> list[PortfolioRecord]:
    """List the portfolios as last read; empty without a key of the main portfolio, which alone may read them."""
    answer = view.mirror.answers.get(PORTFOLIOS.key)
    return [row for row in (answer.rows if answer is not None else ()) if isinstance(row, PortfolioRecord)]


def _all_portfolios(view: DisplayContext) -> Mapping[str, str]:
    names = [str(row.portfolio_id) for row in list_portfolios(view)][:MOST_PORTFOLIOS]
    return arguments_of(FeeQuery(portfolios=",".join(names)))


def _pick_all(answer: ListRead, view: DisplayContext) -> Sequence[FeeRow]:
    del view
    return fee_rows(answer.rows)


def _describe_left_out(rows: Rows, view: DisplayContext) -> Sequence[Sequence[str]]:
    """Return a note that only the first portfolios fit into a request, if there are more; else nothing."""
    del rows
    many = len(list_portfolios(view))
    return [[f"the first {MOST_PORTFOLIOS} of {how_many(many, 'portfolio')}"]] if many > MOST_PORTFOLIOS else []


BROKER = QueryTab(
    name="portfolios", empty="no fee schedules of portfolios", fields=_PORTFOLIO_FIELDS, id=_id,
    endpoint="broker_fee_rate", pick=_pick_all, params=_all_portfolios,
    follows=(SET_SUB_FEE,), sums=_describe_left_out, notes=_describe_rates, names=(PORTFOLIOS,),
)  # fmt: skip


SUB = QueryTab(
    name="as a sub portfolio", empty="no fee schedules of this key and the main portfolio", fields=_PORTFOLIO_FIELDS,
    id=_id, endpoint="sub_fee_rate", pick=_pick_all, params=lambda view: arguments_of(FeeQuery(portfolio=_portfolio(view))),
    notes=_describe_rates,
)  # fmt: skip


def of_90_days(view: DisplayContext) -> Mapping[str, str]:
    """Return the query parameters for the last 90 days, from and to midnight UTC, so that they stay equal all day."""
    now = int(view.clock.wall() * 1000)
    begin, end = (now - WINDOW_MS) // _DAY_MS * _DAY_MS, (now // _DAY_MS + 1) * _DAY_MS
    return arguments_of(SettlementsQuery(begin=str(begin), end=str(end)))


_COLLECTED_FIELDS: Fields[CollectionRecord] = {
    "time": show_time(lambda row: millis(row.created_at), hide=1),
    "portfolio": show_name(lambda row, view: name_portfolio(row.sub_portfolio_id, view), 18, "dim", hide=2),
    "pair": show_symbol(lambda row: row.sym, 14, least=13),
    "markup": show_amount(lambda row: row.amount, 18, lambda row: row.coin, least=17),
    "ratio": Field(8, of_row(lambda row: (row.rebate_ratio, "dim")), of_row(lambda row: number(row.rebate_ratio)), hide=2),
    "rebate": show_amount(lambda row: row.rebate_amount, 18, lambda row: row.coin, hide=1),
    "price": Field(12, of_row(lambda row: (row.fee_price, "dim")), of_row(lambda row: number(row.fee_price)), hide=2),
    "fill": show_text(lambda row: f" {row.transaction_id}", 19, "dim", prose=False, hide=14, title=" fill"),
}  # fmt: skip


def _sum_collected(rows: Rows, view: DisplayContext) -> Sequence[Sequence[str]]:
    del view
    markups = sum_by_coin([(row.coin, number(row.amount)) for row in rows])
    rebates = sum_by_coin([(row.coin, number(row.rebate_amount)) for row in rows])
    amounts = [f"markup {sums_text(markups) or '0'}", f"rebate {sums_text(rebates) or '0'}"]
    return [how_many(len(rows), "fill"), *amounts], amounts


COLLECTED = QueryTab(
    name="collected", empty="no fills with a markup", fields=_COLLECTED_FIELDS,
    at=lambda row: millis(row.created_at), id=lambda row: row.transaction_id, endpoint="collection_records",
    params=of_90_days, query_text="90 days", sums=_sum_collected, sym=lambda row: row.sym, names=(PORTFOLIOS,),
)  # fmt: skip

_CLEARED_FIELDS: Fields[ClearingRecord] = {
    "time": show_time(lambda row: millis(row.create_at)),
    "venue": show_text(lambda row: row.exchange_type, 9, hide=1),
    "what": show_text(lambda row: row.statement_flow_type.replace("_", " ").lower(), 18, least=16, hide=1),
    "amount": show_amount(lambda row: row.amount, 20, lambda row: row.coin),
    "fill": show_text(lambda row: f" {row.transaction_id}", 19, "dim", prose=False, hide=2, title=" fill"),
    "id": show_text(lambda row: f" {row.id}", 19, "dim", prose=False, hide=2, title=" id"),
}


def _sum_cleared(rows: Rows, view: DisplayContext) -> Sequence[Sequence[str]]:
    del view
    return [[sums_text(sum_by_coin([(row.coin, number(row.amount)) for row in rows])) or "0"]]


CLEARED = QueryTab(
    name="cleared", empty="no rebates", fields=_CLEARED_FIELDS,
    at=lambda row: millis(row.create_at), id=lambda row: row.id, endpoint="clearing_statement", params=of_90_days,
    query_text="90 days", sums=_sum_cleared,
)  # fmt: skip

_TIER_FIELDS: Fields[Bracket] = {
    "pair": show_text(lambda row: short_name(row.sym), 18, "strong", least=13),
    "tier": Field(6, of_row(lambda row: (row.risk_level, "dim")), of_row(lambda row: number(row.risk_level)), hide=2),
    "above": show_money(lambda row: row.min_notional_value, 18, "dim", hide=2),
    "up to": show_money(lambda row: row.max_notional_value, 18, least=14),
    "leverage": Field(
        10, of_row(lambda row: (row.max_leverage, "text")), of_row(lambda row: number(row.max_leverage)), least=9
    ),
    "maintenance": Field(
        13, of_row(lambda row: (f"{(number(row.mm_rate) * 100).normalize():f}%", "text")),
        of_row(lambda row: number(row.mm_rate)), hide=2,
    ),
}  # fmt: skip


def _tiers(answer: ListRead, view: DisplayContext) -> Sequence[Bracket]:
    del view
    return [row for _, rows in sorted(answer.data.items()) for row in rows] if isinstance(answer.data, dict) else []


TIERS = QueryTab(
    name="tiers", empty="no position tiers", fields=_TIER_FIELDS,
    id=lambda row: f"{row.sym}/{row.risk_level}", endpoint="broker_position_brackets", pick=_tiers,
    sym=lambda row: row.sym,
)  # fmt: skip

SENT = command_tab(SET_SUB_FEE)
