"""The lists of closed positions, of the statement and of the volume."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from decimal import Decimal

from tui.engine.loan_fields import is_of_loans
from tui.engine.service_query import ListRead
from tui.interface.decimals import ZERO, half_up, plain
from tui.interface.families.history import PortfolioStats, PortfolioStatsDetail, StatementRecord, UserStats
from tui.interface.families.positions import PositionHistoryRecord
from tui.interface.times import millis
from tui.interface.wording import how_many
from tui.rules.bookings import amount_of_booking, net_of_closed, newest_of_each
from tui.workstation.features.history.tab import HistoryTab
from tui.workstation.model import number_format
from tui.workstation.model.display_context import DisplayContext
from tui.workstation.model.instruments import short_name, side_role
from tui.workstation.table.columns import Cell, Field, Fields, layout, of_row
from tui.workstation.widgets.lists.tab import (
    PLACES,
    Rows,
    by_coin,
    by_created,
    created,
    number,
    sums_text,
    symbol_cell,
    time_cell,
)

# Closed positions


def closed_at(row: PositionHistoryRecord) -> int:
    return millis(row.update_at)


def _money(name: str, sign: int = 1) -> Callable[[PositionHistoryRecord, DisplayContext], Cell]:
    """A signed amount of a field; `sign` -1 for what is paid."""

    def cell(row: PositionHistoryRecord, view: DisplayContext) -> Cell:
        value = sign * number(getattr(row, name))
        return view.signed(value), number_format.change_role(value)

    return cell


def _net(row: PositionHistoryRecord, view: DisplayContext) -> Cell:
    return view.signed(net_of_closed(row)), number_format.change_role(net_of_closed(row))


def _ratio(row: PositionHistoryRecord) -> Cell:
    value = number_format.value(row.closed_pnl_ratio)
    if value is None:
        return number_format.MISSING, "faint"
    shown = half_up(value * 100, 1)
    return f"{number_format.signed_decimal(shown, 1)}%", number_format.change_role(shown)


def _how(row: PositionHistoryRecord) -> Cell:
    words = {"COMPLETE_CLOSED": "closed", "PARTIAL_CLOSED": "in part", "SYSTEM_COMPLETE_CLOSED": "by the service"}
    word = words.get(row.closed_type, row.closed_type.lower().replace("_", " "))
    return f" {word}", "alert" if row.closed_type == "LIQUIDATION" else "dim"


_CLOSED_FIELDS: Fields[PositionHistoryRecord] = {
    "time": Field(
        15, lambda row, view: time_cell(closed_at(row), view), of_row(lambda row: Decimal(closed_at(row))), left=True
    ),
    "symbol": Field(14, of_row(symbol_cell), left=True, prose=True),
    "side": Field(
        7, of_row(lambda row: (row.position_history_side.lower(), side_role(row.position_history_side))), left=True,
        prose=True,
    ),
    "qty": Field(
        10, lambda row, view: (view.quantity(row.sym, row.closed_qty), "text"), of_row(lambda row: number(row.closed_qty))
    ),
    "entry": Field(
        11, lambda row, view: (view.price(row.sym, row.open_avg_price), "text"),
        of_row(lambda row: number(row.open_avg_price)), hide=2,
    ),
    "exit": Field(
        11, lambda row, view: (view.price(row.sym, row.closed_avg_price), "text"),
        of_row(lambda row: number(row.closed_avg_price)), hide=1,
    ),
    "pnl": Field(11, _money("closed_pnl"), of_row(lambda row: number(row.closed_pnl))),
    "ratio": Field(9, of_row(_ratio), of_row(lambda row: number(row.closed_pnl_ratio)), hide=4),
    "fee": Field(10, _money("fee", -1), of_row(lambda row: number(row.fee)), hide=2),
    "funding": Field(10, _money("funding_fee"), of_row(lambda row: number(row.funding_fee)), hide=3),
    "liqFee": Field(9, _money("liq_fee", -1), of_row(lambda row: number(row.liq_fee)), hide=6),
    "net": Field(11, _net, of_row(net_of_closed)),
    "how": Field(14, of_row(_how), left=True, prose=True, hide=3, title=" how"),
    "opened": Field(15, lambda row, view: time_cell(created(row), view), of_row(by_created), left=True, hide=5),
}  # fmt: skip
_CLOSED_LAYOUTS = (
    layout(
        _CLOSED_FIELDS, 118,
        ("time", 15), ("symbol", 14), ("side", 7), ("qty", 10), ("entry", 11), ("exit", 11), ("pnl", 11), ("fee", 9),
        ("funding", 9), ("net", 10), ("how", 11),
    ),
    layout(
        _CLOSED_FIELDS, 78,
        ("time", 15), ("symbol", 13), ("side", 7), ("qty", 9), ("exit", 11), ("pnl", 11), ("net", 11),
    ),
    layout(_CLOSED_FIELDS, 58, ("time", 15), ("symbol", 12), ("side", 7), ("pnl", 11), ("net", 11)),
    layout(_CLOSED_FIELDS, 37, ("time", 15), ("side", 7), ("net", 12)),
)  # fmt: skip


def _closed_totals(rows: Rows, view: DisplayContext) -> Mapping[str, Cell]:
    def total(value: Decimal) -> Cell:
        return view.signed(value), number_format.change_role(value)

    rows = newest_of_each(rows)
    won = sum(net_of_closed(row) > 0 for row in rows)
    return {
        "time": ("total", "dim"),
        "symbol": (f"{won}/{len(rows)} won", "dim"),
        "pnl": total(sum((number(row.closed_pnl) for row in rows), ZERO)),
        "fee": total(-sum((number(row.fee) for row in rows), ZERO)),
        "funding": total(sum((number(row.funding_fee) for row in rows), ZERO)),
        "net": total(sum((net_of_closed(row) for row in rows), ZERO)),
    }


CLOSED = HistoryTab(
    name="closed", noun="closed positions", fields=_CLOSED_FIELDS, layouts=_CLOSED_LAYOUTS, at=closed_at,
    id=lambda row: f"{row.position_id}/{row.update_at}", sym=lambda row: row.sym, totals=_closed_totals,
    shown={"net": lambda row: plain(net_of_closed(row))},
    endpoint="position_history", row_id=("position_id", "update_at"), filters=("exchange",),
)  # fmt: skip

# Statement


def _amount(row: StatementRecord, view: DisplayContext) -> Cell:
    value = amount_of_booking(row)
    text = number_format.decimal_figure(half_up(value, PLACES), 2, view.settings.separators, True)
    return ("+" + text if value > 0 else text), number_format.change_role(value)


def _balance(name: str) -> Callable[[StatementRecord, DisplayContext], Cell]:
    """An amount of a coin; its last decimals stand on the card."""

    def cell(row: StatementRecord, view: DisplayContext) -> Cell:
        value = half_up(number(getattr(row, name)), PLACES)
        return number_format.decimal_figure(value, 2, view.settings.separators, True), "dim"

    return cell


_STATEMENT_FIELDS: Fields[StatementRecord] = {
    "time": Field(15, lambda row, view: time_cell(created(row), view), of_row(by_created), left=True),
    "type": Field(17, of_row(lambda row: (row.statement_type.lower().replace("_", " "), "text")), left=True, prose=True),
    "venue": Field(9, of_row(lambda row: (row.exchange_type, "dim")), left=True, prose=True, hide=2),
    "symbol": Field(14, of_row(symbol_cell), left=True, prose=True, hide=1),
    "coin": Field(7, of_row(lambda row: (row.coin, "strong")), left=True, prose=True),
    "amount": Field(16, _amount, of_row(amount_of_booking)),
    "before": Field(18, _balance("before_available"), of_row(lambda row: number(row.before_available)), hide=4),
    "after": Field(18, _balance("after_available"), of_row(lambda row: number(row.after_available)), hide=3),
    "debt": Field(16, _balance("after_borrow"), of_row(lambda row: number(row.after_borrow)), hide=5),
}  # fmt: skip
_STATEMENT_LAYOUTS = (
    layout(
        _STATEMENT_FIELDS, 118,
        ("time", 15), ("type", 17), ("venue", 9), ("symbol", 14), ("coin", 7), ("amount", 18), ("before", 18),
        ("after", 18),
    ),
    layout(_STATEMENT_FIELDS, 78, ("time", 15), ("type", 17), ("symbol", 13), ("coin", 6), ("amount", 18)),
    layout(_STATEMENT_FIELDS, 58, ("time", 15), ("type", 16), ("coin", 6), ("amount", 16)),
    layout(_STATEMENT_FIELDS, 37, ("type", 14), ("coin", 6), ("amount", 14)),
)  # fmt: skip


def _statement_sums(rows: Rows, view: DisplayContext) -> list[str]:
    """What was booked, each coin by itself; what loans cost is named as not in it: it has a statement of its own."""
    sums = by_coin([(row.coin, amount_of_booking(row)) for row in rows])
    beside = ["loan costs are apart: Loans, statement"] if any(map(is_of_loans, view.mirror.statements)) else []
    return [how_many(len(rows), "row"), *([sums_text(sums, signed=True)] if sums else []), *beside]


STATEMENT = HistoryTab(
    name="statement", noun="rows of the statement", fields=_STATEMENT_FIELDS, layouts=_STATEMENT_LAYOUTS,
    at=created, id=lambda row: row.statement_id, sym=lambda row: row.sym, sums=_statement_sums,
    shown={"booked": lambda row: plain(amount_of_booking(row))},
    endpoint="statement", row_id=("statement_id",), filters=("exchange", "statement_type", "coin"),
    window=("startTime", "endTime"),
)  # fmt: skip

# Volume


def _figure(name: str) -> Callable[[PortfolioStatsDetail, DisplayContext], Cell]:
    return lambda row, view: (view.money(getattr(row, name)), "text")


def _result(row: PortfolioStatsDetail, view: DisplayContext) -> Cell:
    value = number(row.total_rpnl)
    return view.signed(value), number_format.change_role(value)


def _volume_fee(row: PortfolioStatsDetail, view: DisplayContext) -> Cell:
    return view.signed(-number(row.total_trading_fee)), "text"


_VOLUME_FIELDS: Fields[PortfolioStatsDetail] = {
    "symbol": Field(18, of_row(lambda row: (short_name(row.symbol), "text")), left=True, prose=True),
    "kind": Field(9, of_row(lambda row: (row.business_type, "dim")), left=True, prose=True),
    "venue": Field(9, of_row(lambda row: (row.exchange, "dim")), left=True, prose=True, hide=1),
    "amount": Field(18, _figure("executed_amount"), of_row(lambda row: number(row.executed_amount))),
    "fee": Field(13, _volume_fee, of_row(lambda row: -number(row.total_trading_fee))),
    "rpnl": Field(14, _result, of_row(lambda row: number(row.total_rpnl))),
}
_VOLUME_LAYOUTS = (
    layout(_VOLUME_FIELDS, 78, ("symbol", 18), ("kind", 8), ("venue", 9), ("amount", 17), ("fee", 12), ("rpnl", 14)),
    layout(_VOLUME_FIELDS, 58, ("symbol", 16), ("kind", 7), ("amount", 15), ("fee", 9), ("rpnl", 11)),
    layout(_VOLUME_FIELDS, 37, ("symbol", 14), ("kind", 7), ("amount", 15)),
)


def _volume_totals(rows: Rows, view: DisplayContext) -> Mapping[str, Cell]:
    result = sum((number(row.total_rpnl) for row in rows), ZERO)
    return {
        "symbol": ("total", "dim"),
        "amount": (view.amount(sum((number(row.executed_amount) for row in rows), ZERO)), "strong"),
        "fee": (view.signed(-sum((number(row.total_trading_fee) for row in rows), ZERO)), "strong"),
        "rpnl": (view.signed(result), number_format.change_role(result)),
    }


USER_VOLUME = "history/volume of all"
"""Key of the volume of all portfolios of the user."""


def _pick_pairs(read: ListRead, view: DisplayContext) -> Rows:
    del view
    return read.data.details if isinstance(read.data, PortfolioStats) else ()


def _describe_all_portfolios(view: DisplayContext) -> tuple[str, ...]:
    read = view.mirror.answers.get(USER_VOLUME)
    if read is None or not isinstance(read.data, UserStats):
        return ()
    spot, perp = read.data.all_spot, read.data.all_perp
    both = view.amount(number(spot) + number(perp))
    return (f"all portfolios: spot {view.money(spot)}, perp {view.money(perp)}", f"all portfolios {both}")


VOLUME = HistoryTab(
    name="volume", noun="whole days with trades", fields=_VOLUME_FIELDS, layouts=_VOLUME_LAYOUTS,
    id=lambda row: row.symbol, sym=lambda row: row.symbol, totals=_volume_totals,
    endpoint="portfolio_trading_stats", filters=("exchange", "business"), sym_param="symList", whole_days=True,
    pick=_pick_pairs, words=_describe_all_portfolios,
)  # fmt: skip
