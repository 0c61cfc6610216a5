"""Lists of closed positions, account statement rows and trading volume."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from decimal import Decimal
from math import inf
from typing import Any

from tui.engine.loan_fields import is_of_loans
from tui.engine.service_query import ListRead, QuerySource, ReadState, ServiceQuery
from tui.engine.service_reading import past_lists
from tui.engine.service_reading.other_bookings import (
    BILL_ROWS,
    LOAN_ROWS,
    NARROWING,
    has_changes_between,
    is_other_booking,
    list_other_bookings,
)
from tui.interface.decimals import ZERO, half_up
from tui.interface.families.history import PortfolioStats, PortfolioStatsDetail, StatementRecord, UserStats
from tui.interface.families.positions import PositionHistoryRecord
from tui.interface.text import how_many
from tui.interface.times import millis
from tui.rules.bookings import compute_booking_amount, compute_closed_net, select_newest_rows
from tui.workstation.features.history.tab import HistoryTab
from tui.workstation.model import number_format
from tui.workstation.model.display_context import DisplayContext
from tui.workstation.model.instruments import MONEY, short_name, side_role
from tui.workstation.table.column_kinds import (
    MONEY_PLACES,
    PLACES,
    align_amount,
    creation_ms,
    number,
    show_gain,
    show_money,
    show_price,
    show_quantity,
    show_symbol,
    show_text,
    show_time,
    sym_of,
)
from tui.workstation.table.columns import Cell, Field, Fields, of_row
from tui.workstation.widgets.lists.tab import Rows, sum_by_coin, sums_text

# Closed positions


def closing_time_ms(row: PositionHistoryRecord) -> int:
    """Return the time at which a position was closed, ms."""
    return millis(row.update_at)


def _ratio(row: PositionHistoryRecord) -> Cell:
    value = number_format.value(row.closed_pnl_ratio)
    if value is None:
        return number_format.MISSING, "faint"
    shown = half_up(value * 100, 1)
    return f"{number_format.format_signed_decimal(shown, 1)}%", number_format.change_role(shown)


def _close_cell(row: PositionHistoryRecord) -> Cell:
    labels = {"COMPLETE_CLOSED": "closed", "PARTIAL_CLOSED": "in part", "SYSTEM_COMPLETE_CLOSED": "by the service"}
    word = labels.get(row.closed_type, row.closed_type.lower().replace("_", " "))
    return f" {word}", "alert" if row.closed_type == "LIQUIDATION" else "dim"


_CLOSED_FIELDS: Fields[PositionHistoryRecord] = {
    "time": show_time(closing_time_ms),
    "symbol": show_symbol(sym_of, 14, least=13, hide=1),
    "side": Field(
        7, of_row(lambda row: (row.position_history_side.lower(), side_role(row.position_history_side))), left=True,
        prose=True,
    ),
    "qty": show_quantity(sym_of, lambda row: row.closed_qty, 10, least=9, hide=2),
    "entry": show_price(sym_of, lambda row: row.open_avg_price, 11, hide=3),
    "exit": show_price(sym_of, lambda row: row.closed_avg_price, 11, hide=2),
    "pnl": show_gain(lambda row: number(row.closed_pnl), 11, hide=1),
    "ratio": Field(9, of_row(_ratio), of_row(lambda row: number(row.closed_pnl_ratio)), hide=14),
    "fee": show_gain(lambda row: -number(row.fee), 9, hide=3),
    "funding": show_gain(lambda row: number(row.funding_fee), 9, hide=3),
    "liqFee": show_gain(lambda row: -number(row.liq_fee), 9, hide=16),
    "net": show_gain(compute_closed_net, 12, least=10),
    "how": Field(11, of_row(_close_cell), left=True, prose=True, hide=3, title=" how"),
    "opened": show_time(creation_ms, hide=15),
}  # fmt: skip


def _sum_closed(rows: Rows, view: DisplayContext) -> Mapping[str, Cell]:
    def total(value: Decimal) -> Cell:
        return view.format_signed(value), number_format.change_role(value)

    rows = select_newest_rows(rows)
    won = sum(compute_closed_net(row) > 0 for row in rows)
    return {
        "time": ("total", "dim"),
        "symbol": (f"{won}/{len(rows)} won", "dim"),
        "pnl": total(sum((number(row.closed_pnl) for row in rows), ZERO)),
        "fee": total(-sum((number(row.fee) for row in rows), ZERO)),
        "funding": total(sum((number(row.funding_fee) for row in rows), ZERO)),
        "net": total(sum((compute_closed_net(row) for row in rows), ZERO)),
    }


CLOSED = HistoryTab(
    name="closed", empty="no closed positions", fields=_CLOSED_FIELDS, at=closing_time_ms,
    id=lambda row: f"{row.position_id}/{row.update_at}", sym=lambda row: row.sym, totals=_sum_closed,
    shown=past_lists.CLOSED_POSITIONS.computed,
    endpoint=past_lists.CLOSED_POSITIONS.endpoint.name, past=past_lists.CLOSED_POSITIONS, filters=("exchange",),
)  # fmt: skip

# Statement


def _amount(row: StatementRecord, view: DisplayContext) -> Cell:
    value = compute_booking_amount(row)
    shown = half_up(value, MONEY_PLACES if row.coin in MONEY else PLACES)
    text = align_amount(shown, row.coin, separators=view.settings.separators)
    return ("+" + text if shown > 0 else text), number_format.change_role(shown)


def _show_balance(
    balance: Callable[[StatementRecord], str | None], width: int, hide: int, title: str = ""
) -> Field[StatementRecord]:
    """Build a column of balances of the coin of each row; zeros are dimmed."""

    def cell(row: StatementRecord, view: DisplayContext) -> Cell:
        value = number_format.value(balance(row))
        if not value:
            return (number_format.MISSING if value is None else "0"), "faint"
        return align_amount(value, row.coin, separators=view.settings.separators), "dim"

    return Field(width, cell, of_row(lambda row: number_format.value(balance(row))), hide=hide, title=title)


_STATEMENT_FIELDS: Fields[StatementRecord] = {
    "time": show_time(creation_ms, hide=1),
    "type": show_text(lambda row: row.statement_type.lower().replace("_", " "), 17, least=14),
    "venue": show_text(lambda row: row.exchange_type, 9, "dim", hide=3),
    "symbol": show_symbol(sym_of, 14, hide=2, least=13),
    "coin": show_text(lambda row: row.coin, 7, "strong", least=6),
    "amount": Field(18, _amount, of_row(compute_booking_amount), least=14),
    "before": _show_balance(lambda row: row.before_available, 18, hide=4),
    "after": _show_balance(lambda row: row.after_available, 18, hide=3),
    "debt": _show_balance(lambda row: row.after_borrow, 16, hide=15, title="margin debt"),
}


HELD = (
    "a balance may change between two rows: what a working spot order holds back has no row",
    "what a working spot order holds back has no row",
)
"""Note to a statement in which a row begins with another balance than the row before it ended with."""


BORROWED = (
    "coins borrowed or repaid are not in amount, before and after: all fields of a row show the margin debt",
    "borrowed coins are not in the amounts",
)
"""Note to a statement in which a trade borrowed or repaid: its row books only what the balance held or got."""
BORROWED_SHORT = "without borrowed coins"
"""The same where sums leave little room."""


def _statement_sums(rows: Rows, view: DisplayContext) -> Sequence[Sequence[str]]:
    """Sum the statement rows by coin, and note where loan costs are and why balances differ, if they do."""
    sums = sum_by_coin([(row.coin, compute_booking_amount(row)) for row in rows])
    count, amounts = how_many(len(rows), "row"), [sums_text(sums, signed=True)] if sums else []
    missing = any(map(is_of_loans, view.mirror.statements)) and not any(is_of_loans(row.statement_id) for row in rows)
    beside = [view.name_keys("loan costs are in the loans (⟦screen.loans⟧), list statement")] if missing else []
    has_debt = _has_debt(rows)
    notes = (*(BORROWED if has_debt else ()), *_explain_balances(view))
    forms = [[count, *amounts, *beside, note] for note in notes]
    forms += [[*amounts, *beside, BORROWED_SHORT]] if has_debt else []
    forms += [[count, *amounts, *beside]] if beside else []
    forms += [[*amounts, BORROWED_SHORT]] if has_debt else []
    return *forms, [count, *amounts], amounts or [count]


BILLED, LENT = "history/bills", "history/loan_statement"
"""Keys of the bills and of the loan statement, whose rows are shown between those of the statement."""


def build_other_queries(query: ServiceQuery) -> Sequence[ServiceQuery]:
    """Build the queries of transfers and loans, which the statement omits, for its time window; none if it is filtered."""
    params = dict(query.sources[0].params)
    if any(name in params for name in NARROWING):
        return ()
    window = tuple((name, text) for name, text in params.items() if name in STATEMENT.past.window)
    return tuple(
        ServiceQuery(
            key=key, sources=(QuerySource(past.endpoint.name, window),), to_end=True, row_id=past.row_id
        )
        for key, past in ((BILLED, BILL_ROWS), (LENT, LOAN_ROWS))
    )  # fmt: skip


def _find_other_reads(read: ListRead, view: DisplayContext) -> list[ListRead]:
    """Return the answers to the queries of transfers and loans that have come; none if the statement is filtered."""
    others = build_other_queries(read.query)
    return [view.mirror.answers[query.key] for query in others if query.key in view.mirror.answers]


def _add_other_bookings(read: ListRead, view: DisplayContext) -> Rows:
    """Add transfers, deposits, withdrawals and loans to the statement rows, back to the oldest row that was read.

    Their lists may still be those of the window before.
    """
    rows: Sequence[Any] = read.rows
    others = {other.query.key: other.rows for other in _find_other_reads(read, view)}
    if not others or (status := view.mirror.engine_status) is None:
        return rows
    params = dict(read.query.sources[0].params)
    booked = list_other_bookings(
        rows, others.get(BILLED, ()), others.get(LENT, ()), status.portfolio,  # type: ignore[arg-type]
        exchange=params.get("exchange", ""), coin=params.get("coin", ""),
    )  # fmt: skip
    begin, end = (int(params.get(name) or 0) for name in STATEMENT.past.window)
    since = begin if read.state is ReadState.WHOLE or not rows else creation_ms(rows[-1])
    return [*rows, *(row for row in booked if since <= creation_ms(row) <= (end or inf))]


def _explain_balances(view: DisplayContext) -> Sequence[str]:
    """Return a note, in several lengths, that balances differ between rows because working spot orders hold amounts back."""
    read = view.mirror.answers.get(STATEMENT_KEY)
    others = [] if read is None else _find_other_reads(read, view)
    # Until transfers and loans are all known, they may be what lies between.
    if read is None or not others or any(other.state is not ReadState.WHOLE for other in others):
        return ()
    return HELD if has_changes_between(_add_other_bookings(read, view)) else ()


def _has_debt(rows: Rows) -> bool:
    """Return whether a row begins or ends with a margin debt."""
    return any(number_format.value(row.before_borrow) or number_format.value(row.after_borrow) for row in rows)


def _describe_unread_bookings(view: DisplayContext) -> tuple[str, ...]:
    read = view.mirror.answers.get(STATEMENT_KEY)
    others = [] if read is None else _find_other_reads(read, view)
    failed = [other for other in others if other.state is ReadState.FAILED]
    names = {BILLED: "transfers", LENT: "loans"}
    words = " and ".join(names[other.query.key] for other in failed)
    if failed:
        return f"{words} not read: {failed[0].text}", f"no {words}"
    cut = [f"{len(other.rows):,} {names[other.query.key]}" for other in others if other.state is ReadState.FULL]
    words = " and ".join(cut)
    return (f"only the newest {words}: a shorter window shows all", f"newest {words} only") if cut else ()


STATEMENT_KEY = "history/statement"
STATEMENT = HistoryTab(
    name="statement", empty="no statement rows", fields=_STATEMENT_FIELDS,
    at=creation_ms, id=lambda row: row.statement_id, sym=lambda row: row.sym, sums=_statement_sums,
    shown=past_lists.STATEMENT_ROWS.computed, pick=_add_other_bookings, notes=_describe_unread_bookings,
    gaps=_describe_unread_bookings,
    is_of_another_list=is_other_booking,
    endpoint=past_lists.STATEMENT_ROWS.endpoint.name, past=past_lists.STATEMENT_ROWS,
    filters=("exchange", "statement_type", "coin"),
)  # fmt: skip

# Volume


def _volume_fee(row: PortfolioStatsDetail, view: DisplayContext) -> Cell:
    return view.format_signed(-number(row.total_trading_fee)), "text"


_VOLUME_FIELDS: Fields[PortfolioStatsDetail] = {
    "symbol": show_text(lambda row: short_name(row.symbol), 18, least=14),
    "kind": show_text(lambda row: row.business_type, 8, "dim", least=7),
    "venue": show_text(lambda row: row.exchange, 9, "dim", hide=2),
    "amount": show_money(lambda row: row.executed_amount, 17, least=15),
    "fee": Field(12, _volume_fee, of_row(lambda row: -number(row.total_trading_fee)), least=9, hide=1),
    "rpnl": show_gain(lambda row: number(row.total_rpnl), 14, least=11, hide=1),
}


def _volume_totals(rows: Rows, view: DisplayContext) -> Mapping[str, Cell]:
    result = sum((number(row.total_rpnl) for row in rows), ZERO)
    return {
        "symbol": ("total", "dim"),
        "amount": (view.amount(sum((number(row.executed_amount) for row in rows), ZERO)), "strong"),
        "fee": (view.format_signed(-sum((number(row.total_trading_fee) for row in rows), ZERO)), "strong"),
        "rpnl": (view.format_signed(result), number_format.change_role(result)),
    }


USER_VOLUME = "history/volume_of_all"
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
    whole = f"traded in all portfolios: spot {view.money(spot)}, perp {view.money(perp)}"
    return whole, f"all portfolios {both}"


VOLUME = HistoryTab(
    name="volume", empty="no whole days with trades", fields=_VOLUME_FIELDS,
    id=lambda row: row.symbol, sym=lambda row: row.symbol, totals=_volume_totals,
    endpoint=past_lists.VOLUME.endpoint.name, past=past_lists.VOLUME, filters=("exchange", "business"), whole_days=True,
    pick=_pick_pairs, notes=_describe_all_portfolios,
)  # fmt: skip
