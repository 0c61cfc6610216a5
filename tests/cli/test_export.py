"""`crossdesk export`: every row as the venue has it, exact in each format, and a file that replaces nothing."""

from __future__ import annotations

import csv
import io
import json
import stat
import sys
from collections import Counter, defaultdict
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from itertools import pairwise
from pathlib import Path
from typing import Any

import msgspec
import pytest
from aiohttp import web

from tests.cli.conftest import aim, crossdesk, invoke, run
from tests.client.fakes import PORTFOLIO, FakeService, order
from tests.venue.shell.conftest import Venue
from tui.cli.service_target import ChosenService
from tui.cli.windows import make_paper_target
from tui.engine.journal.journal_file import JournalFile
from tui.engine.journal.journal_rows import Entry
from tui.interface.families.assets import AssetRecord
from tui.interface.families.history import StatementRecord, TradeRecord
from tui.interface.families.orders import OrderRecord
from tui.interface.families.positions import PositionRecord
from tui.interface.ready import ReadyLine
from tui.interface.text import name_extra
from tui.programs import arrow_table
from tui.programs.export_table import ColumnKind, Table, columns_of

SYM = "BINANCE_PERP_BTC_USDT"
API = "/api/v1/trading/"
PATHS = {
    "orders": ("history/orders", "archive/history/orders"),
    "fills": ("executions/pageable", "archive/executions/pageable"),
    "statement": ("statement",),
    "positions": ("position",),
    "assets": ("portfolio/assets",),
}
RECORDS: dict[str, type[msgspec.Struct]] = {
    "orders": OrderRecord, "fills": TradeRecord, "statement": StatementRecord, "positions": PositionRecord,
    "assets": AssetRecord,
}  # fmt: skip
DAY_MS = 86_400_000
SINCE = datetime.now(UTC).date() - timedelta(days=85)
"""Begin of what is compared: the past of a venue ends 90 days before the moment in which it is asked."""
PAST = ("orders", "fills", "statement")


@pytest.fixture
def arrow() -> Any:
    """What reads parquet files back; the test command of the README installs it."""
    pytest.importorskip("pyarrow.parquet", reason="pip install -r requirements-data.lock")
    import pyarrow

    return pyarrow


@pytest.fixture
def traded(start: Callable[..., Venue]) -> Venue:
    """A venue with a past of 90 days, an open order and a position."""
    venue = start("--seed", "7", "--set", "latency=test", "--set", "agents=still", "--set", "rate_profile=off")
    market = {"sym": SYM, "side": "BUY", "orderType": "MARKET", "orderQty": "0.02", "clientOrderId": "position1"}
    resting = {**market, "orderType": "LIMIT", "limitPrice": "50000", "timeInForce": "GTC", "clientOrderId": "resting1"}
    for one in (market, resting):
        venue.data("POST", f"{API}order", one)
    return venue


@pytest.fixture
def service(traded: Venue, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Venue:
    """That venue, which the commands of this test connect to from a home of their own."""
    line = msgspec.convert(traded.ready, ReadyLine)
    aim(monkeypatch, ChosenService(make_paper_target(line, trades=False), False, ""))
    monkeypatch.setenv("CROSSDESK_HOME", str(tmp_path))
    return traded


def record_of(venue: Venue, name: str) -> list[dict[str, Any]]:
    """The rows of a list as the venue itself has them, newest first, read without the product."""
    rows: list[dict[str, Any]] = []
    begin = str(int(datetime.combine(SINCE, datetime.min.time(), UTC).timestamp()) * 1000)
    window = {"startTime" if name == "statement" else "begin": begin} if name in PAST else {}
    for path in PATHS[name]:
        page = 1
        while True:
            paged = {"page": str(page), "pageSize": "500"} if name != "positions" else {}
            data = venue.data("GET", API + path, {**window, **paged})
            if isinstance(data, list):
                return data
            rows += data["list"]
            if len(data["list"]) < 500:
                break
            page += 1
    return rows


def _is_added(row: dict[str, Any]) -> bool:
    """Whether it is a row that the statement of the service does not have: of a bill or of a loan."""
    return str(row.get("statementId", "")).startswith(("bill ", "loan "))


def _without_additions(row: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in row.items() if name not in ("booked", "net")}


def exported(name: str, *arguments: str) -> str:
    """What an export prints; of a list with a past, the rows from the day on with which `record_of` begins."""
    begin = ("--begin", SINCE.isoformat()) if name in PAST and "--begin" not in arguments else ()
    done = run("export", name, *arguments, *begin, "--out", "-")
    assert done.exit_code == 0, done.output
    return done.stdout


def lines_of(*arguments: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in exported(*arguments, "--format", "jsonl").splitlines()]


def clean_lines(*arguments: str) -> list[dict[str, Any]]:
    return [_without_additions(row) for row in lines_of(*arguments)]


# Each format against the record of the venue


@pytest.mark.parametrize("name", PATHS)
def test_an_exported_list_equals_the_record_of_the_venue(service: Venue, name: str) -> None:
    rows = [_without_additions(row) for row in lines_of(name) if not _is_added(row)]
    assert rows == record_of(service, name)
    assert len(rows) > {"positions": 0, "assets": 3, "statement": 1000}.get(name, 100), "several pages of the statement"


@pytest.mark.parametrize("name", PATHS)
def test_a_csv_export_has_each_value_as_it_was_sent(service: Venue, name: str) -> None:
    [header, *rows] = csv.reader(io.StringIO(exported(name), newline=""))
    assert header[: len(columns_of(RECORDS[name]))] == list(columns_of(RECORDS[name]))
    rows = [cells for cells in rows if not _is_added(dict(zip(header, cells, strict=True)))]
    record = record_of(service, name)
    assert len(rows) == len(record)
    for cells, sent in zip(rows, record, strict=True):
        assert set(sent) <= set(header)
        for column, cell in _without_additions(dict(zip(header, cells, strict=True))).items():
            assert cell == _cell(sent.get(column)), column


def test_an_exported_statement_explains_every_balance(service: Venue) -> None:
    """Each row begins with the balance at which the one before it ended: transfers and loans stand between them."""
    rows = lines_of("statement")
    chains: dict[tuple[str, str], list[dict[str, Any]]] = defaultdict(list)
    for row in rows[::-1]:
        chains[row["exchangeType"], row["coin"]].append(row)
    kinds = {row["statementType"] for row in rows}
    assert {"TRANSFER", "DEPOSIT", "WITHDRAWAL", "LOAN_BORROW", "LOAN_REPAY", "DEDUCT_INTEREST"} <= kinds
    for key, chain in chains.items():
        for older, newer in pairwise(chain):
            assert Decimal(older["afterAvailable"]) == Decimal(newer["beforeAvailable"]), (key, older, newer)
            if newer["statementType"] != "DEDUCT_INTEREST":
                assert Decimal(newer["booked"]) == Decimal(newer["afterAvailable"]) - Decimal(newer["beforeAvailable"])


def test_csv_and_json_exports_have_the_same_computed_figures(service: Venue) -> None:
    for name, column in (("statement", "booked"), ("fills", "net")):
        table = list(csv.DictReader(io.StringIO(exported(name), newline="")))
        assert [row[column] for row in table] == [row[column] for row in lines_of(name)]
        assert any(Decimal(row[column]) for row in table)
    first = next(row for row in lines_of("fills") if row["rebate"] == "0" and row["feeCoin"] == "USDT")
    assert Decimal(first["net"]) == Decimal(first["rpnl"]) - Decimal(first["fee"])


def _cell(value: object) -> str:
    return "" if value is None else value if isinstance(value, str) else json.dumps(value, separators=(",", ":"))


@pytest.mark.parametrize("name", PATHS)
def test_a_parquet_export_has_exact_decimals_and_utc_times(
    service: Venue, arrow: Any, name: str, tmp_path: Path
) -> None:
    out = tmp_path / "list.parquet"
    begin = ("--begin", SINCE.isoformat()) if name in PAST else ()
    assert run("export", name, "--format", "parquet", "--out", str(out), *begin).exit_code == 0
    table = arrow.parquet.read_table(out)
    assert not any(arrow.types.is_floating(field.type) for field in table.schema)
    record, kinds = record_of(service, name), columns_of(RECORDS[name])
    if name == "statement":
        table = table.filter([not _is_added(row) for row in table.to_pylist()])
    assert table.num_rows == len(record)
    for column in table.column_names:
        found = table.column(column).to_pylist()
        if column in ("booked", "net"):
            assert all(isinstance(figure, Decimal) for figure in found)
            continue
        assert found == [_typed(kinds.get(column, ColumnKind.TEXT), row.get(column)) for row in record], column


def _typed(kind: ColumnKind, sent: Any) -> object:
    """A value as its column holds it, made from what was sent without the code of the product."""
    if sent is None or (sent == "" and kind is not ColumnKind.TEXT):
        return None
    match kind:
        case ColumnKind.DECIMAL:
            return Decimal(str(sent))
        case ColumnKind.TIME:
            return datetime.fromtimestamp(int(sent) // 1000, UTC).replace(microsecond=int(sent) % 1000 * 1000)
        case ColumnKind.FLAG:
            return sent if isinstance(sent, bool) else sent == "true"
    return _cell(sent)


# Window and filters


def test_an_export_has_the_rows_of_its_time_window_once(service: Venue) -> None:
    record = record_of(service, "fills")
    day = (int(record[0]["createAt"]) // DAY_MS - 20) * DAY_MS
    first, last = (datetime.fromtimestamp(at / 1000, UTC).date().isoformat() for at in (day, day + 15 * DAY_MS))
    wanted = [row for row in record if day <= int(row["createAt"]) < day + 16 * DAY_MS]
    assert clean_lines("fills", "--begin", first, "--end", last) == wanted, "across the border of the archive"
    assert wanted
    noon = day + DAY_MS // 2
    found = clean_lines("fills", "--begin", f"{first}T12:00", "--end", str(day + DAY_MS))
    assert found == [row for row in record if noon <= int(row["createAt"]) <= day + DAY_MS]
    whole = run("export", "fills", "--format", "jsonl", "--out", "-").stdout.splitlines()
    lines = [_without_additions(json.loads(line)) for line in whole[: len(record)]]
    assert lines == record and len(whole) > len(record), "90 days"


def test_an_export_has_only_the_rows_of_its_filters(service: Venue) -> None:
    record = record_of(service, "orders")
    syms = sorted({row["sym"] for row in record})[:2]
    assert lines_of("orders", f"sym={','.join(syms)}") == [row for row in record if row["sym"] in syms]
    for key in ("exchange", "exchangeType"):
        assert lines_of("orders", f"{key}=OKX") == [row for row in record if row["exchangeType"] == "OKX"] != record
    assets = record_of(service, "assets")
    assert lines_of("assets", "exchange=OKX") == [row for row in assets if row["exchangeType"] == "OKX"] != assets


def test_exported_assets_with_a_loan_show_loan_and_net_equity(service: Venue) -> None:
    loan = {"exchange": "BINANCE", "coin": "USDT", "amount": "5000"}
    service.data("POST", f"{API}portfolioLoan/loan/borrow", loan)
    rows = {(row["exchangeType"], row["coin"]): row for row in lines_of("assets")}
    lent = rows.pop(("BINANCE", "USDT"))
    assert (lent["loan"], lent["debt"], lent["borrow"]) == ("5000", "0", "0")
    net = Decimal(lent["equityValue"]) - Decimal(lent["loanValue"])
    assert abs(Decimal(lent["netEquityValue"]) - net) < Decimal("0.01")
    assert rows and not any("loan" in row for row in rows.values())


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("orders", "coin=BTC"), "coin is no filter of orders; it takes sym, exchange, businessType, filterExecuted;"),
        (("orders", "page=2"), "page is no filter of orders"),
        (("statement", "startTime=1"), "startTime is no filter of statement"),
        (("orders", "exchange=OKXX"), "exchange 'OKXX' is not accepted; accepted are BINANCE, OKX, EDX"),
        (("orders", "exchange=OKX", "exchangeType=OKX"), "exchange is given twice"),
        (("orders", "exchange"), "'exchange' is no KEY=VALUE"),
        (("journal", "side=BUY"), "side is no filter of the journal; it takes kind, intent_id,"),
        (("fills", "--begin", "soon"), "--begin 'soon' is not accepted; it takes a time in ms, or a UTC day such as"),
        (("journal", "--end", "20261122"), "--end '20261122' is not accepted; it takes a time in ms"),
        (("fills", "--begin", "2100-01-01"), "--begin 2100-01-01 lies in the future"),
        (("fills", "--begin", "2020-01-01"), "--begin 2020-01-01 is more than 90 days ago: lists reach back to"),
        (("journal", "--begin", "2020-01-02", "--end", "2020-01-01"), "--end 2020-01-01 is before --begin 2020-01-02"),
        (("assets", "coin=USDT"), "coin is no filter of assets; it takes exchangeType\n"),
        (("assets", "--end", "2026-01-01"), "--end: assets are those of now; a time window is for orders, fills,"),
        (("fills", "--format", "parquet", "--out", "-"), "--out - takes csv and jsonl; parquet is no text"),
        (("fills", "--out", "/nowhere/x.csv"), "/nowhere/x.csv cannot be written: No such file or directory"),
    ],
)
def test_an_invalid_export_option_is_refused_with_valid_values(
    arguments: tuple[str, ...], words: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CROSSDESK_HOME", str(tmp_path))
    done = run("export", *arguments)
    code = 1 if "cannot be written" in words else 2
    assert done.exit_code == code and words in done.output, done.output
    assert len(done.output.splitlines()) == 1 and not list(tmp_path.rglob("exports/*"))


def test_shell_completion_offers_only_the_filters_of_the_list(home: Path) -> None:
    def complete(*words: str) -> list[str]:
        line = " ".join(("crossdesk", "export", *words))
        count = str(len(words) + 1)
        found = crossdesk(home, _CROSSDESK_COMPLETE="bash_complete", COMP_WORDS=line, COMP_CWORD=count).stdout
        return [text.partition(",")[2] for text in found.splitlines()]

    assert complete("st") == ["statement"]
    assert complete("statement", "") == ["coin=", "sym=", "statementType=", "exchange="]
    assert complete("orders", "businessType=P") == ["businessType=PERP"]
    assert complete("journal", "cl") == ["client_order_id="]


# The file


def test_an_export_without_a_name_is_a_new_private_file(home: Path) -> None:
    done = crossdesk(home, "export", "orders", "--begin", datetime.now(UTC).date().isoformat())
    assert done.returncode == 0, done.stderr
    [path] = (home / "data" / "exports").iterdir()
    rows = len(list(csv.reader(path.open(newline="")))) - 1
    assert done.stdout == f"{rows} row{'' if rows == 1 else 's'} written to {path}\n" and not done.stderr
    assert path.name.startswith("orders-") and path.suffix == ".csv"
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert not (home / "run" / "paper.json").exists()


def test_an_export_replaces_no_file_and_shows_no_secret(service: Venue, tmp_path: Path) -> None:
    out = tmp_path / "mine.csv"
    out.write_text("mine")
    done = run("export", "orders", "--out", str(out))
    assert done.exit_code == 1 and f"{out} exists; name another file\n" in done.output
    assert out.read_text() == "mine"
    told = "".join(exported(name, "--format", form) for name in PATHS for form in ("csv", "jsonl"))
    assert [word for key in service.ready["keys"] for word in (key["api_key"], key["api_secret"]) if word in told] == []


async def test_an_export_that_fails_leaves_no_file(fake: FakeService, tmp_path: Path) -> None:
    fake.refuse_rest = lambda path: web.json_response({"code": 405001, "message": "The apiKey Not Found", "data": {}})
    done = await invoke("export", "positions", "--out", str(tmp_path / "positions.csv"))
    assert done.exit_code == 1 and "405001" in done.output
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("settles", [True, False])
async def test_an_export_reads_a_list_again_that_changed_meanwhile(fake: FakeService, settles: bool) -> None:
    asked: Counter[str] = Counter()

    def page(path: str) -> web.Response:
        asked[path] += 1
        rows = [order(orderId="1"), order(orderId="2"), order(orderId="1"), order(orderId="3", portfolioId="9")]
        total = 4 if settles and asked[path] == 2 else 5
        data = [] if "status" in path else {"page": 1, "pageSize": 1000, "totalSize": total, "list": rows}
        return web.json_response({"code": 200000, "message": "", "data": data})

    fake.refuse_rest = page
    done = await invoke("export", "orders", "--format", "jsonl", "--out", "-")
    assert done.exit_code == 0, done.output
    told = [json.loads(line) for line in done.stdout.splitlines()]
    assert [(row["orderId"], row["portfolioId"]) for row in told] == [("1", PORTFOLIO), ("2", PORTFOLIO)]
    assert {count for path, count in asked.items() if "orders" in path} == {2 if settles else 3}
    assert ("order_archive changed while it was read; its newest rows may be missing" in done.stderr) is not settles
    assert "2 rows of other portfolios left out" in done.stderr


async def test_fills_of_two_orders_with_one_id_are_both_exported(fake: FakeService) -> None:
    def page(path: str) -> web.Response:
        first = {
            "transactionId": "1", "portfolioId": PORTFOLIO, "orderId": "7", "sym": "S", "side": "BUY", "quantity": "1",
            "price": "2", "createAt": "1",
        }  # fmt: skip
        rows = [first, {**first, "orderId": "8"}, first]
        data = [] if "status" in path else {"page": 1, "pageSize": 1000, "totalSize": 3, "list": rows}
        return web.json_response({"code": 200000, "message": "", "data": data})

    fake.refuse_rest = page
    done = await invoke("export", "fills", "--format", "jsonl", "--out", "-")
    assert sorted(json.loads(line)["orderId"] for line in done.stdout.splitlines()) == ["7", "8"], done.output


# The journal


@pytest.fixture
def journal(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Four entries in the journal of a home."""
    monkeypatch.setenv("CROSSDESK_HOME", str(tmp_path))
    path = tmp_path / "state" / "paper" / "journal.db"
    path.parent.mkdir(parents=True)
    file = JournalFile(path, lambda: 7.0)
    file.append([
        Entry(seq=0, wall_ms=1_700_000_000_000 + n, mono=0.1 * n, epoch=1, kind=("intent", "sent")[n % 2],
              intent_id=f"i{n}", client_order_id=f"=c{n}", order_id="", payload='{"price":"0.10"}')
        for n in range(4)
    ])  # fmt: skip
    file.close()


def test_the_journal_is_exported_newest_first(journal: None) -> None:
    kept = [json.loads(line) for line in run("journal", "export").stdout.splitlines()]
    assert lines_of("journal") == kept[::-1] and len(kept) == 4
    assert lines_of("journal", "kind=sent", "--end", "1700000000002") == [kept[1]]
    rows = list(csv.DictReader(io.StringIO(exported("journal"))))
    assert [(row["seq"], row["mono"], row["client_order_id"]) for row in rows[:2]] == [
        ("4", "0.30000000000000004", "'=c3"), ("3", "0.2", "'=c2"),
    ]  # fmt: skip


def test_the_journal_in_parquet_has_no_binary_fractions(journal: None, arrow: Any, tmp_path: Path) -> None:
    out = tmp_path / "journal.parquet"
    assert run("export", "journal", "--format", "parquet", "--out", str(out)).exit_code == 0
    first = arrow.parquet.read_table(out).to_pylist()[0]
    assert (first["seq"], first["mono"]) == (Decimal(4), Decimal("0.30000000000000004"))
    assert first["wall_ms"] == datetime(2023, 11, 14, 22, 13, 20, 3000, UTC)


# Parquet


def test_a_parquet_decimal_column_has_the_scale_of_its_values(arrow: Any) -> None:
    sent = ["0.10", "1e-8", "-12345678901234567890", None, "", "0.000", "1E+3", 7]
    table = _read_back(arrow, {"qty": ColumnKind.DECIMAL}, [{"qty": value} for value in sent])
    assert table.schema.field("qty").type == arrow.decimal128(38, 8)
    assert table.column("qty").to_pylist() == [
        Decimal(str(value)) if value not in (None, "") else None for value in sent
    ]


@pytest.mark.parametrize(
    ("kind", "values", "words"),
    [
        (
            ColumnKind.DECIMAL,
            ["1" * 20, "0." + "1" * 19],
            "qty needs 20 digits before the point and 19 behind it, and a parquet decimal has 38 together; --format csv",
        ),
        (ColumnKind.DECIMAL, ["1", "all"], "qty 'all' is no decimal; --format csv and jsonl write it as it is"),
        (ColumnKind.DECIMAL, [True], "qty 'true' is no decimal"),
        (ColumnKind.TIME, ["yesterday"], "qty 'yesterday' is no time in ms"),
        (ColumnKind.FLAG, ["maybe"], "qty 'maybe' is neither true nor false"),
    ],
)
def test_a_parquet_export_names_a_value_it_cannot_hold(
    arrow: Any, kind: ColumnKind, values: list[object], words: str
) -> None:
    with pytest.raises(arrow_table.NotInParquet) as refused:
        arrow_table.encode(Table({"qty": kind}, [{"qty": value} for value in values]))
    assert words in str(refused.value)


def test_38_digits_of_a_decimal_are_written_exactly(arrow: Any) -> None:
    sent = ["1" * 19, "-0." + "9" * 19]
    table = _read_back(arrow, {"qty": ColumnKind.DECIMAL}, [{"qty": value} for value in sent])
    assert table.column("qty").to_pylist() == [Decimal(value) for value in sent]


def test_without_pyarrow_the_export_says_how_to_get_it(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("CROSSDESK_HOME", str(tmp_path))
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    done = run("export", "fills", "--format", "parquet")
    assert done.exit_code == 1 and name_extra("data") in done.output
    assert len(done.output.splitlines()) == 1 and not list(tmp_path.rglob("exports/*"))


def test_only_known_fields_of_an_export_are_text_columns() -> None:
    texts = {
        name
        for record in RECORDS.values()
        for name, kind in columns_of(record).items()
        if kind is ColumnKind.TEXT
    }  # fmt: skip
    assert texts == {
        "action", "actionMsg", "algoOrderId", "amendType", "borrowAsset", "businessType", "cancelType", "clientOrderId",
        "coin", "exchangeOrderType", "exchangeType", "execType", "feeCoin", "orderId", "orderState", "orderType",
        "portfolioId", "portfolioName", "positionId", "positionSide", "reason", "rebateCoin", "requestId", "riskLevel",
        "side", "slTriggerType", "statementId", "statementType", "sym", "timeInForce", "tpTriggerType", "tpslOrder",
        "tradeSource", "transactionId",
    }  # fmt: skip


def _read_back(arrow: Any, columns: dict[str, ColumnKind], rows: list[dict[str, object]]) -> Any:
    return arrow.parquet.read_table(arrow.BufferReader(arrow_table.encode(Table(columns, rows))))
