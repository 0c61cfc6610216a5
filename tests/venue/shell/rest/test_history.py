"""Time windows of the histories and the trading statistics, over a venue whose clock the test moves."""

from __future__ import annotations

import sqlite3
from typing import Any, cast

import msgspec
import pytest

from tests.venue.core.drive import PERP, SPOT, Desk
from tests.venue.shell.inside import Inside
from tui.interface import decimals
from tui.interface.families.history import PortfolioStats, UserStats
from tui.interface.families.portfolio_loans import Borrow
from tui.interface.paging import Page
from tui.venue.core.check_failed import CheckFailed
from tui.venue.core.commands import Advance
from tui.venue.core.switches import Switches
from tui.venue.shell.rest import handlers
from tui.venue.shell.rest.query import Query
from tui.venue.shell.runtime import Runtime
from tui.venue.shell.storage.archive import Archive
from tui.venue.shell.switches import SPECS

pytestmark = pytest.mark.usefixtures("exact")

DAY = 86_400_000


class Clocked:
    """The things of a runtime that a query reads."""

    def __init__(self, desk: Desk) -> None:
        self.exchange = desk.exchange
        self.switches = Switches(specs=SPECS)
        self.encoded_orders: dict[str, Any] = {}
        self.archive: Archive | None = None
        self._desk = desk

    def now_ms(self) -> int:
        return self._desk.now


class History:
    """Asks a desk's venue as REST does."""

    def __init__(self) -> None:
        self.desk = Desk(agents="still")
        self.runtime = Clocked(self.desk)

    def archive(self, before: int) -> None:
        """Let the exchange go of what is older than a time."""
        archive = self.runtime.archive = Archive(None)
        self.desk.state.past = archive
        rows = list(self.desk.exchange.archivable_rows(before))
        archive.add(rows)
        self.desk.exchange.forget(rows)

    def ask(self, name: str, **params: str) -> Any:
        return handlers.QUERIES[name](Query(cast(Runtime, self.runtime), self.desk.main, params))

    def refusal(self, name: str, **params: str) -> int:
        """The code of what is refused."""
        with pytest.raises(CheckFailed) as refused:
            self.ask(name, **params)
        return refused.value.code

    def rows(self, name: str, **params: str) -> list[Any]:
        answer = self.ask(name, **params)
        assert isinstance(answer, Page), answer
        return [msgspec.json.decode(row) if isinstance(row, msgspec.Raw) else row for row in answer.rows]

    def later(self, days: int) -> None:
        self.desk.switch("agents", "off")
        self.desk.now += days * DAY
        self.desk.exchange.apply(Advance(), self.desk.now)
        self.desk.switch("agents", "still")


@pytest.fixture(scope="module", params=["in memory", "in the archive"])
def history(request: pytest.FixtureRequest) -> History:
    """Orders 95, 89, 8, 7 and 0 days old, each with a fill and a statement row; the one of 7 days to the millisecond."""
    decimals.setup()
    made = History()
    for gap in (6, 81, 1, 7):
        made.desk.place("BUY", "0.01", sl_trigger_price="53000")
        made.desk.place("SELL", "0.01")
        made.later(gap)
    made.desk.place("BUY", "0.01")
    if request.param == "in the archive":
        made.archive(made.desk.now - DAY)
    return made


def ages(history: History, rows: list[Any]) -> set[int]:
    """Ages in days."""
    created = [int(row["createAt"] if isinstance(row, dict) else row.create_at) for row in rows]
    return {(history.desk.now - at) // DAY for at in created}


@pytest.mark.parametrize(
    ("name", "found"),
    [
        ("order_history", {7, 0}),
        ("order_archive", {89, 8}),
        ("executions_paged", {7, 0}),
        ("executions_archive", {89, 8}),
        ("algo_history", {7}),
        ("statement", {7, 0}),
    ],
)
def test_recent_lists_hold_seven_days_and_archives_older_rows(history: History, name: str, found: set[int]) -> None:
    assert ages(history, history.rows(name)) == found


def test_an_order_is_in_either_the_recent_or_the_archive_list(history: History) -> None:
    recent = {row["orderId"]: row["createAt"] for row in history.rows("order_history")}
    archived = {row["orderId"]: row["createAt"] for row in history.rows("order_archive")}
    assert not set(recent) & set(archived)
    edge = str(history.desk.now - 7 * DAY)
    assert edge in recent.values()
    assert edge not in archived.values()


def test_statement_query_reaches_back_ninety_days(history: History) -> None:
    now = history.desk.now
    assert ages(history, history.rows("statement", start_time=str(now - 91 * DAY))) == {89, 8, 7, 0}
    old = history.rows("statement", end_time=str(now - 8 * DAY), statement_type="TRADE")
    assert ages(history, old) == {8}
    assert history.rows("statement", statement_type="NOTHING") == []
    assert {row.coin for row in history.rows("statement", coin="USDT", sym=PERP)} == {"USDT"}
    assert history.rows("statement", exchange="OKX") == []


@pytest.mark.parametrize("name", ["order_history", "order_archive", "executions", "executions_archive", "algo_history"])
def test_time_range_errors_are_the_same_for_every_history_list(history: History, name: str) -> None:
    now = history.desk.now
    for params, wanted in (
        ({"begin": str(now - 92 * DAY)}, 400001),
        ({"begin": str(now - 5), "end": str(now - 5)}, 400004),
        ({"begin": str(now + 61_000)}, 400005),
    ):
        assert history.refusal(name, **params) == wanted
    history.ask(name, begin=str(now - 91 * DAY), end=str(now))


def test_history_of_orders_and_fills_can_be_filtered(history: History) -> None:
    history.desk.place("BUY", "0.01", "50000", SPOT)
    mine = history.rows("order_history", business_type="SPOT")
    assert [row["sym"] for row in mine] == [SPOT]
    assert history.rows("order_history", business_type="SPOT", filter_executed="true") == []
    assert {"action", "actionMsg"} & set(mine[0]) == set()
    one = history.rows("executions_paged")[0]
    assert [row.order_id for row in history.rows("executions_paged", order_id=one.order_id)] == [one.order_id]


def test_order_detail_finds_archived_orders(history: History) -> None:
    rows = history.rows("order_archive")
    assert history.ask("order_detail", order_id=rows[-1]["orderId"]).order_id == rows[-1]["orderId"]
    stamps = [int(row["createAt"]) for row in rows]
    assert stamps == sorted(stamps, reverse=True)


def test_trading_statistics_count_whole_days_without_today(history: History) -> None:
    now = history.desk.now
    user = history.ask("user_trading_stats", begin=str(now - 9 * DAY), end=str(now))
    assert isinstance(user, UserStats)
    fills = history.rows("executions_paged") + history.rows("executions_archive")
    counted = [row for row in fills if DAY <= now - int(row.create_at) < 10 * DAY]
    volume = sum(float(row.quantity) * float(row.price) for row in counted)
    assert float(user.all_perp) == pytest.approx(volume)
    assert (user.all_spot, [row.business_type for row in user.details]) == ("0", ["PERP"])
    mine = history.ask("portfolio_trading_stats", begin=str(now - 9 * DAY), end=str(now), sym_list=PERP)
    assert isinstance(mine, PortfolioStats)
    assert (mine.binance_perp_vol_usd, mine.okx_spot_vol_usd) == (user.all_perp, "0")
    (detail,) = mine.details
    assert (detail.symbol, detail.executed_amount) == (PERP, user.all_perp)
    assert float(detail.total_trading_fee) == pytest.approx(sum(float(row.fee) for row in counted))
    assert float(detail.total_rpnl) == pytest.approx(sum(float(row.rpnl) for row in counted))
    only_today = history.ask("user_trading_stats", begin=str(now - 1), end=str(now))
    assert (only_today.all_perp, only_today.details) == ("0", [])
    many = ",".join(f"BINANCE_PERP_X{n}_USDT" for n in range(6))
    assert history.refusal("portfolio_trading_stats", begin=str(now - DAY), end=str(now), sym_list=many) == 400000


def test_loan_history_reaches_back_ninety_days() -> None:
    made = History()
    for gap in (1, 90):
        made.desk.do(Borrow(portfolio=made.desk.main, exchange="BINANCE", coin="USDT", amount="100"))
        made.later(gap)
    since = str(made.desk.now - 91 * DAY)
    for name in ("portfolio_loan_orders", "portfolio_loan_statement"):
        rows = made.rows(name, start_time=since, type="borrow")
        at = [made.desk.now - int(row.create_time if name.endswith("orders") else row.timestamp) for row in rows]
        assert at == [90 * DAY], name
        assert made.rows(name, type="borrow") == [], "without a time it lists seven days"
        assert made.refusal(name, start_time=str(made.desk.now - 92 * DAY)) == 400001


def test_trading_statistics_count_delisted_pairs() -> None:
    """A venue of shipped pairs goes on with a recording of others: what was traded before stays countable."""
    made = History()
    made.desk.place("BUY", "0.01")
    made.later(2)
    now = made.desk.now
    asked = {"begin": str(now - 3 * DAY), "end": str(now)}
    before = made.ask("portfolio_trading_stats", **asked)
    state = made.desk.state
    state.offered = tuple(sym for sym in state.offered if sym != PERP)
    state.__dict__.pop("infos", None)
    assert PERP not in made.desk.exchange.queries.symbol_infos()
    assert made.ask("portfolio_trading_stats", **asked) == before
    assert float(before.binance_perp_vol_usd) > 0


async def test_the_venue_archive_stays_readable_after_the_venue_stops() -> None:
    """The server ends its connections after the state is stored; a query of that moment still reads the archive."""
    venue = Inside()
    venue.runtime.archive = Archive(None)
    await venue.open()
    await venue.close()
    assert venue.runtime.archive.find("order", "1") is None
    venue.runtime.close_archive()
    with pytest.raises(sqlite3.ProgrammingError):
        venue.runtime.archive.find("order", "1")
