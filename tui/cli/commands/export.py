"""`crossdesk export`: a list of the service, or the journal, as a file for notebooks and spreadsheets."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import UTC, date, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, NamedTuple, cast

import click
import msgspec
from click.shell_completion import CompletionItem

from tui import paths
from tui.cli import exporting
from tui.cli.commands.call import BadCall, complete_parameter, parse_values, split_values
from tui.cli.credentials import protect_memory
from tui.cli.exporting import Form
from tui.host import HostClock
from tui.interface.text import how_many
from tui.programs import export_table
from tui.programs.export_table import ColumnKind, Table
from tui.settings import read

if TYPE_CHECKING:
    from tui.cli.service_target import ChosenService
    from tui.client.rest import Rest
    from tui.engine.service_query import QuerySource
    from tui.engine.service_reading.past_lists import PastList
    from tui.interface.endpoint import Endpoint
    from tui.interface.request import Param

Row = Mapping[str, object]
"""Object as the service sent it."""

JOURNAL = "journal"
LISTS = ("orders", "fills", "statement", JOURNAL, "positions", "assets")
JOURNAL_FILTERS = ("kind", "intent_id", "client_order_id", "order_id")
STDOUT = "-"
READINGS = 3
"""Most readings of a list that changes while its pages are read."""


class Span(NamedTuple):
    """Requested time window, begin and end in ms; 0 means no bound."""

    begin: int
    end: int


class Reading(NamedTuple):
    """Account list to export: endpoint, archive endpoints if it has any, and filters."""

    endpoint: Endpoint
    past: PastList | None
    filters: Mapping[str, str]


def _complete_filter(ctx: click.Context, _param: click.Parameter, incomplete: str) -> list[CompletionItem]:
    name = ctx.params.get("name")
    if name == JOURNAL:
        return [CompletionItem(f"{field}=") for field in JOURNAL_FILTERS if field.startswith(incomplete)]
    return complete_parameter(_filters_of(_find_list(name)[0]), incomplete) if name in LISTS else []


@click.command()
@click.argument("name", type=click.Choice(LISTS))
@click.argument("values", nargs=-1, metavar="[KEY=VALUE]...", shell_complete=_complete_filter)
@click.option(
    "--format", "form", type=click.Choice([form.value for form in Form]), default=Form.CSV.value, show_default=True,
    help="CSV table, one JSON object a line, or parquet with exact decimals.",
)  # fmt: skip
@click.option("--out", metavar="FILE", help="A new file instead of one in the folder exports; - prints csv and jsonl.")
@click.option("--begin", metavar="TIME", help="First day or time, UTC; by default as far back as the list goes.")
@click.option("--end", metavar="TIME", help="Last day, the whole of it, or last time, UTC; by default now.")
@click.option("--profile", metavar="NAME", help="A configured service instead of the paper venue of this home.")
def command(
    name: str,
    values: tuple[str, ...],
    form: str,
    out: str | None,
    begin: str | None,
    end: str | None,
    profile: str | None,
) -> None:
    """Export a list of the service, with its archive, or the journal: every row of a time window, newest first.

    A KEY=VALUE is a filter, such as exchange=OKX; of the journal such as kind=intent.
    """
    from tui.interface import decimals

    protect_memory()
    decimals.setup()
    span = _read_span(name, begin, end)
    reading = None if name == JOURNAL else _read_filters(name, values)
    with _open_output(name, Form(form), out) as (file, path):
        table = _read_journal(profile, values, span) if reading is None else _read_list(reading, span, profile)
        exporting.write_parts(file, path, exporting.encode_table(table, Form(form)))
    if path is not None:
        click.echo(f"{how_many(len(table.rows), 'row')} written to {path}")


@contextmanager
def _open_output(name: str, form: Form, out: str | None) -> Iterator[tuple[BinaryIO, Path | None]]:
    """Yield the output file, opened before anything is read, with its path (None for stdout); remove it when incomplete.

    Raises:
        ExportFailed: It exists or cannot be written.
        BadCall: The format is no text that could be printed.
    """
    if form is Form.PARQUET:
        from tui.programs.arrow_table import require_packages

        if out == STDOUT:
            raise BadCall("--out - takes csv and jsonl; parquet is no text, name a file for it")
        require_packages()
    if out == STDOUT:
        yield sys.stdout.buffer, None
        return
    folder, wall_s = paths.exports_dir(), HostClock().wall()
    path = Path(out) if out is not None else exporting.name_file(folder, name, form, wall_s=wall_s)
    with exporting.create_file(path) as file:
        yield file, path


# What was asked


def _read_span(name: str, begin: str | None, end: str | None) -> Span:
    """Parse and check the time window from the options `--begin` and `--end`.

    Raises:
        BadCall: A time is not accepted, or the list has none.
    """
    from tui.engine.service_reading.past_lists import REACH_DAYS, REACH_MS

    if (begin or end) and name != JOURNAL and _find_list(name)[1] is None:
        option = "--begin" if begin else "--end"
        raise BadCall(f"{option}: {name} are those of now; a time window is for orders, fills, statement and journal")
    span = Span(_read_time("--begin", begin, last=False), _read_time("--end", end, last=True))
    now_ms = int(HostClock().wall() * 1000)
    if span.begin > now_ms:
        raise BadCall(f"--begin {begin} lies in the future")
    if span.end and span.end < span.begin:
        raise BadCall(f"--end {end} is before --begin {begin}")
    oldest = datetime.fromtimestamp((now_ms - REACH_MS) / 1000, UTC).date()
    for option, typed, at in (("--begin", begin, span.begin), ("--end", end, span.end)):
        if at and name != JOURNAL and datetime.fromtimestamp(at / 1000, UTC).date() < oldest:
            raise BadCall(f"{option} {typed} is more than {REACH_DAYS} days ago: lists reach back to {oldest}")
    return span


def _read_time(option: str, typed: str | None, *, last: bool) -> int:
    """Parse a time option to ms, 0 when missing; as end of a window, a day means the end of that day.

    Raises:
        BadCall: It is not accepted.
    """
    from tui.engine.service_reading.past_lists import DAY_MS
    from tui.interface.parameters import check_value, convert_typed, describe_accepted
    from tui.interface.request import Kind, Param

    if typed is None:
        return 0
    param = Param(name=option, field="", kind=Kind.MILLIS)
    text = convert_typed(param, typed)
    if check_value(param, text):
        raise BadCall(
            f"{option} {typed[:40]!r} is not accepted; it takes {describe_accepted(param)} or 2026-11-22T09:30"
        )
    return int(text) + (DAY_MS - 1 if last and _is_day(typed) else 0)


def _is_day(typed: str) -> bool:
    try:
        date.fromisoformat(typed)
    except ValueError:
        return False
    return not typed.isdigit()


def _find_list(name: str) -> tuple[Endpoint, PastList | None]:
    """Return the endpoint of an exported list, and its archive sources, None for a list without history."""
    from tui.engine.service_reading import past_lists
    from tui.interface.families.assets import PORTFOLIO_ASSETS
    from tui.interface.families.positions import POSITIONS

    past = {"orders": past_lists.ORDERS, "fills": past_lists.FILLS, "statement": past_lists.STATEMENT_ROWS}.get(name)
    if past is not None:
        return past.endpoint, past
    return {"positions": POSITIONS, "assets": PORTFOLIO_ASSETS}[name], None


def _filters_of(endpoint: Endpoint) -> list[Param]:
    """Return an endpoint's parameters that filter rows: all except those for paging and time window."""
    from tui.interface.request import PeriodRequest, WindowRequest, params_of

    others = {param.name for request in (PeriodRequest, WindowRequest) for param in params_of(request)}
    return [param for param in endpoint.params if param.name not in others]


def _read_filters(name: str, values: Sequence[str]) -> Reading:
    """Parse the filters of an account list to export; an older name of a filter is accepted too.

    Raises:
        BadCall: One is not accepted.
    """
    endpoint, past = _find_list(name)
    filters = _filters_of(endpoint)
    names = {word: param.name for param in filters for word in (param.name, *param.aliases)}
    for key in split_values(values):
        if key not in names:
            takes = ", ".join(param.name for param in filters)
            times = "; times are --begin and --end" if past is not None else ""
            raise BadCall(f"{key[:40]} is no filter of {name}; it takes {takes}{times}")
    pairs = [text.partition("=") for text in values]
    return Reading(endpoint, past, parse_values(endpoint, [f"{names[key]}={value}" for key, _, value in pairs]))


# Reading


def _read_journal(profile: str | None, values: Sequence[str], span: Span) -> Table:
    """Read the journal entries in the time window that match the filters, as a table, newest first.

    Raises:
        BadCall: A filter is not accepted.
    """
    from tui.cli.commands.journal import make_table, read_entries

    filters = split_values(values)
    for key in filters:
        if key not in JOURNAL_FILTERS:
            raise BadCall(f"{key[:40]} is no filter of the journal; it takes {', '.join(JOURNAL_FILTERS)}")
    entries = [
        entry
        for entry in read_entries(profile or "paper", archived=True)
        if span.begin <= entry.wall_ms and (not span.end or entry.wall_ms <= span.end)
        and all(getattr(entry, key) == value for key, value in filters.items())
    ]  # fmt: skip
    return make_table(entries[::-1])


def _read_list(reading: Reading, span: Span, profile: str | None) -> Table:
    """Read every row of a list from the service.

    Raises:
        CrossdeskError: The service cannot be reached, or refuses it.
    """
    from tui.cli.service_target import open_target

    with open_target(profile, read(paths.config_file())) as service:
        rows = asyncio.run(_read_rows(reading, span, service))
    columns = export_table.columns_of(cast(type[msgspec.Struct], reading.endpoint.record))
    further = {name: ColumnKind.TEXT for row in rows for name in row if name not in columns}
    computed = {} if reading.past is None else dict.fromkeys(reading.past.computed, ColumnKind.DECIMAL)
    return Table({**columns, **further, **computed}, [_add_figures(reading, row) for row in rows])


def _add_figures(reading: Reading, row: Row) -> Row:
    """Add to a row the computed columns that the screen's export of the same list has; keep an undecodable row unchanged."""
    from tui.interface.decimals import plain

    if reading.past is None or not reading.past.computed:
        return row
    try:
        record = msgspec.convert(row, cast(type[msgspec.Struct], reading.endpoint.record), strict=False)
    except msgspec.ValidationError:
        return row
    return {**row, **{name: plain(figure(record)) for name, figure in reading.past.computed.items()}}


async def _read_rows(reading: Reading, span: Span, service: ChosenService) -> list[Row]:
    """Read the portfolio's rows of a list from the service, archive included; a row that occurs twice is kept once."""
    from tui.cli.service_target import open_rest
    from tui.engine.service_query import QuerySource
    from tui.interface.times import millis

    target, past = service.target, reading.past
    async with open_rest(
        target.service, target.key, target.secret, HostClock(), loopback_only=not service.live
    ) as rest:
        sources = [QuerySource(reading.endpoint.name, tuple(reading.filters.items()))]
        if past is not None:
            sources = list(_past_sources(past, reading.filters, span, await _server_ms(rest)))
        rows = [row for source in sources for row in await _read_source(rest, source)]
        names = _list_sent_names(reading.endpoint)
        mine = _keep_own(rows, names["portfolio_id"], target.portfolio)
        if past is None:
            return await _add_loans(rest, mine) if reading.endpoint.name == "portfolio_assets" else mine
        if past.endpoint.name == "statement":
            mine += await _read_other_bookings(rest, sources[0], mine, target.portfolio)
    unique: dict[object, Row] = {}
    for row in mine:
        row_id = tuple(row.get(names[field]) for field in past.row_id)
        unique[row_id if all(row_id) else len(unique)] = row
    return sorted(unique.values(), key=lambda row: -millis(str(row.get(names["create_at"]))))


def _keep_own(rows: Sequence[Row], field: str, portfolio: str) -> list[Row]:
    """Return the rows of this portfolio; print on standard error how many rows of other portfolios are left out."""
    mine = [row for row in rows if not portfolio or str(row.get(field) or portfolio) == portfolio]
    if len(mine) < len(rows):
        click.echo(f"crossdesk: {how_many(len(rows) - len(mine), 'row')} of other portfolios left out", err=True)
    return mine


async def _add_loans(rest: Rest, rows: Sequence[Row]) -> list[Row]:
    """Add the portfolio loan fields to asset rows, whose list omits them; if loans cannot be read, print that."""
    from tui.client.rest import CallFailed
    from tui.interface.families.assets import LOAN_FIELDS, PORTFOLIO_ASSETS
    from tui.interface.families.portfolio_loans import PORTFOLIO_LOAN_INFO

    try:
        info = (await rest.call(PORTFOLIO_LOAN_INFO)).data
    except CallFailed as failure:
        click.echo(f"crossdesk: loans are left out, they cannot be read: {failure}", err=True)
        return list(rows)
    loans = {(row.exchange, coin.coin): coin for row in info.accounts for coin in row.coins}
    names = _list_sent_names(PORTFOLIO_ASSETS)
    lent = [loans.get((str(row.get(names["exchange_type"])), str(row.get(names["coin"])))) for row in rows]
    return [
        row if loan is None else {**row, **{names[field]: getattr(loan, field) for field in LOAN_FIELDS}}
        for row, loan in zip(rows, lent, strict=True)
    ]


async def _read_other_bookings(rest: Rest, source: QuerySource, rows: Sequence[Row], portfolio: str) -> list[Row]:
    """Read transfers and loans, which the statement leaves out, as statement rows; print which cannot be read.

    Args:
        rest: Client of the service.
        source: Source of the statement, with its time window and filters.
        rows: Its rows of this portfolio.
        portfolio: This portfolio; empty: that of the rows.
    """
    from tui.client.rest import CallFailed
    from tui.engine.service_reading.other_bookings import BILL_ROWS, LOAN_ROWS, NARROWING, list_other_bookings
    from tui.interface.families.history import StatementRecord

    params = dict(source.params)
    if any(name in params for name in NARROWING):
        return []
    others: dict[str, list[Any]] = {"transfers": [], "loans": []}
    for what, past in zip(others, (BILL_ROWS, LOAN_ROWS), strict=True):
        window = {name: text for name, text in params.items() if name in past.window}
        try:
            others[what], _ = await rest.read_all_pages(past.endpoint, window)
        except CallFailed as failure:
            click.echo(f"crossdesk: {what} are left out, they cannot be read: {failure}", err=True)
    bookings = list_other_bookings(
        msgspec.convert(rows, list[StatementRecord], strict=False),
        others["transfers"],
        others["loans"],
        portfolio or str(rows[0].get("portfolioId") if rows else ""),
        exchange=params.get("exchange", ""),
        coin=params.get("coin", ""),
    )
    return [cast(Row, msgspec.to_builtins(booking)) for booking in bookings]


def _past_sources(past: PastList, filters: Mapping[str, str], span: Span, now_ms: int) -> Iterator[QuerySource]:
    from tui.engine.service_reading.past_lists import REACH_MS

    others = {name: value for name, value in filters.items() if name != past.sym_param}
    syms = filters.get(past.sym_param, "").split(",")
    return past.sources(max(span.begin, now_ms - REACH_MS), span.end, now_ms, syms, others)


async def _server_ms(rest: Rest) -> int:
    """Return the earliest time that the service's clock can show, so that no row falls between a list and its archive."""
    from tui.interface.families.system import SYSTEM_STATUS

    await rest.call(SYSTEM_STATUS)
    least = rest.skew.least_server_ms if rest.skew is not None else None
    return int(HostClock().wall() * 1000 if least is None else least)


async def _read_source(rest: Rest, source: QuerySource) -> list[Row]:
    """Read all rows of an endpoint undecoded; read again if the list changed meanwhile, and warn if it keeps changing.

    Raises:
        CallFailed: It was refused or not reached.
    """
    from tui.interface.catalogue import BY_NAME

    plain = msgspec.structs.replace(BY_NAME[source.endpoint], record=dict)
    if not plain.paged:
        return cast(list[Row], (await rest.call(plain, dict(source.params))).data)
    for _ in range(READINGS):
        rows, steady = await rest.read_all_pages(plain, dict(source.params))
        if steady:
            return rows
    click.echo(f"crossdesk: {source.endpoint} changed while it was read; its newest rows may be missing", err=True)
    return rows


def _list_sent_names(endpoint: Endpoint) -> dict[str, str]:
    """Return the JSON field names of an endpoint's record, by Python field name."""
    record = cast(type[msgspec.Struct], endpoint.record)
    return {field.name: field.encode_name for field in msgspec.structs.fields(record)}
