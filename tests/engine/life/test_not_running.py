"""An engine that has not begun, or has ended: what is asked of it is answered, and nothing leaves."""

from __future__ import annotations

from collections.abc import Callable

import msgspec
import pytest

from tests.client.fakes import until
from tests.engine.conftest import SYM, Rig, buy
from tui.engine.engine import Engine
from tui.engine.intents import Verdict
from tui.engine.orders.dismissal import SOURCES
from tui.engine.rows import LocalOrderState, OrderRow, Source, Table, TickerRow
from tui.engine.service_query import ListRead, MoreRows, ReadState, StopQuery, query_endpoint
from tui.interface.families.market import Interval
from tui.interface.streams import Detail

pytestmark = pytest.mark.hurried
WHY = "the engine is not running"


@pytest.fixture(params=["not begun", "stopping"])
async def idle(rig: Rig, request: pytest.FixtureRequest) -> Rig:
    if request.param == "stopping":
        await rig.ready()
        rig.engine.stop()
    rig.screen.look()
    return rig


async def test_an_engine_that_is_not_running_denies_orders(idle: Rig) -> None:
    outcome = await idle.engine.submit(buy())
    assert (outcome.verdict, outcome.guard, outcome.text) == (Verdict.DENIED, "LINK", WHY)
    assert idle.fake.placed == []


async def test_an_engine_that_is_not_running_says_why_no_list_is_read(idle: Rig) -> None:
    idle.engine.read(query_endpoint("list", "account"))
    answer = idle.screen.look().tables[Table.ANSWERS]["list"]
    assert isinstance(answer, ListRead) and (answer.state, answer.text) == (ReadState.FAILED, WHY)


@pytest.mark.parametrize(
    "ask",
    [
        lambda engine: engine.read(MoreRows(key="list")),
        lambda engine: engine.read(StopQuery(key="list")),
    ],
)
async def test_paging_without_an_engine_changes_nothing(idle: Rig, ask: Callable[[Engine], None]) -> None:
    ask(idle.engine)
    assert Table.ANSWERS not in idle.screen.look().tables


async def test_an_unknown_order_can_be_dismissed_before_startup(rig: Rig) -> None:
    state = rig.engine.state
    row = OrderRow(
        key="k", client_order_id="k", sym=SYM, side="BUY", price="60000", qty="0.01", reason="interrupted",
        state=LocalOrderState.UNKNOWN.value, stamp=state.stamp(Source.LOCAL),
    )  # fmt: skip
    state.orders.add(row)
    rig.engine.dismiss("k")
    assert rig.screen.said("not dismissed: BUY 0.01")
    state.orders.change(
        "k",
        not_found=3,
        not_found_first=1.0,
        not_found_last=12.0,
        answered=frozenset(SOURCES),
    )
    rig.engine.dismiss("k")
    assert rig.screen.said("dismissed: BUY 0.01 BINANCE BTC perp") and rig.screen.tables[Table.ORDERS] == {}
    kept = [one.client_order_id for one in rig.journal.lines if one.kind == "dismiss"]
    assert kept == ["k"]


async def test_unsubscribed_pairs_are_removed_from_the_screen(rig: Rig) -> None:
    await rig.ready()
    other = SYM.replace("BTC", "ETH")
    rig.engine.state.symbols[other] = msgspec.structs.replace(rig.engine.state.symbols[SYM], sym=other)
    rig.engine.watch((SYM, other))
    rig.engine.state.tickers.rows[SYM] = TickerRow(sym=SYM, last="60000")
    await until(lambda: other in rig.screen.look().tables[Table.QUOTES])
    rig.engine.watch((other,))
    assert list(rig.screen.look().tables[Table.QUOTES]) == [other]
    assert SYM not in rig.engine.state.tickers.rows
    await until(lambda: any(arg["sym"] == other for asked in rig.fake.subscriptions for arg in asked))


async def test_order_book_of_an_unsubscribed_pair_is_removed(rig: Rig) -> None:
    rig.engine.look_at(Detail(SYM, Interval.M5))
    rig.engine.state.detail.begin(Detail(SYM, Interval.M5))
    assert SYM in rig.screen.look().tables[Table.DEPTH]
    rig.engine.look_at(None)
    detail = rig.engine.state.detail
    detail.trades([])
    detail.bars([])
    tables = rig.screen.look().tables
    assert tables[Table.DEPTH] == {} and not tables.get(Table.PRINTS) and not tables.get(Table.BARS)
