"""Orders that stay when a position is closed and would open the opposite one: each preview and question names them."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import msgspec
import pytest

from tests.workstation.algo_rows import put_algo
from tests.workstation.driver import Desk, desk
from tests.workstation.keys.test_command_line import enter, placed
from tui.engine.intents import CancelAll, Outcome, PlaceAlgo, Verdict
from tui.engine.rows import AlgoRow, Fact, PendingAction, Table
from tui.engine.status_rows import PeerRow
from tui.workstation.input.scopes import Scope
from tui.workstation.plain.preview_lines import describe_order
from tui.workstation.plain.readings import Readings
from tui.workstation.settings import WorkstationSettings
from tui.workstation.tickets.order import ticket_factory

BTC = "BINANCE_PERP_BTC_USDT"
NET = f"{BTC}/NONE"
SIZES = [(80, 24), (120, 36), (160, 45)]
STAYS = "would open SHORT 2.500: conditional SELL 2.500 at 63,000.0 stays"


def put_leg(at: Desk, qty: str) -> None:
    """Hold BINANCE BTC in one-way mode; 0: nothing of it."""
    fact = at.app.mirror.positions.get(f"{BTC}/LONG") or at.app.mirror.positions[NET]
    at.port.put(Table.POSITIONS, f"{BTC}/LONG", None)
    held = msgspec.structs.replace(fact.record, position_side="NONE", position_qty=qty, tpsl_order=[])
    at.port.put(Table.POSITIONS, NET, Fact(held, at.port.stamp()) if qty != "0" else None)


def conditional(at: Desk, name: str = "7001", **fields: str) -> AlgoRow:
    values = {
        "position_side": "NONE", "condition_type": "CONDITIONAL", "order_qty": "2.5", "sl_trigger_price": "",
        "sl_trigger_type": "", "conditional_trigger_price": "63000", "conditional_trigger_type": "LAST_PRICE",
        "conditional_price": "0", **fields,
    }  # fmt: skip
    return put_algo(at, name, PendingAction.NOTHING, **values)


@asynccontextmanager
async def long_leg(
    size: tuple[int, int] = (160, 45), settings: WorkstationSettings | None = None
) -> AsyncIterator[Desk]:
    """Run a desk with LONG 2.5 BTC in one-way mode, the cursor on it."""
    async with desk(*size, settings=settings) as at:
        put_leg(at, "2.5")
        account = at.app.mirror.accounts["BINANCE"]
        one_way = msgspec.structs.replace(account.record, position_mode="NET")
        at.port.put(Table.ACCOUNTS, "BINANCE", Fact(one_way, account.stamp))
        await at.settle()
        await at.select_leg(NET)
        yield at


@pytest.mark.parametrize("size", SIZES)
async def test_a_close_names_a_remaining_conditional_that_would_open(size: tuple[int, int]) -> None:
    async with long_leg(size) as at:
        await at.press("f")
        assert "would open" not in at.flat_text()
        await at.press("escape")
        conditional(at)
        await at.settle()
        await at.press("f")
        assert STAYS in at.flat_text() and placed(at) == []


async def test_a_partial_close_warns_of_a_conditional_that_would_open() -> None:
    async with long_leg() as at:
        conditional(at, order_qty="1")
        await at.settle()
        await at.press("%", "1")
        assert "would open" not in at.flat_text(), "1.875 are left, of which it closes 1"
        await at.press("escape", "%", "3")
        assert "would open SHORT 0.375: conditional SELL 1.000 at 63,000.0 stays" in at.flat_text()


async def test_a_close_names_a_resting_order_that_would_open() -> None:
    async with long_leg() as at:
        at.port.order("a", BTC, "SELL", "70000", "2", executed="0.5")
        at.port.order("b", BTC, "SELL", "70100", "1", reduce_only=True)
        at.port.order("c", BTC, "BUY", "50000", "1")
        await at.settle()
        await at.press("f")
        assert "would open SHORT 1.500: limit SELL 1.500 at 70,000.0 stays" in at.flat_text()
        await at.press("escape")
        conditional(at)
        await at.settle()
        await at.press("f")
        both = "would open SHORT 4.000: conditional SELL 2.500 at 63,000.0, limit SELL 1.500 at 70,000.0 stay"
        assert both in at.flat_text()


@pytest.mark.parametrize("size", [(60, 20), (80, 24)])
async def test_a_close_says_first_what_would_open(size: tuple[int, int]) -> None:
    """The size was cut behind two orders: `limit SELL 1.500 at 70,000.0, limit SELL 1.500 at 70,100.0 stay and would …`."""
    async with long_leg(size) as at:
        for name, price in (("a", "70000"), ("b", "70100")):
            at.port.order(name, BTC, "SELL", price, "1.5")
        await at.settle()
        for keys in (("f",), ("%", "3")):
            await at.press(*keys)
            opens = "3.000" if keys == ("f",) else "2.375"
            assert f"! would open SHORT {opens}" in at.flat_text(), at.text()
            await at.press("escape")


async def test_closing_a_hedge_leg_warns_of_no_order_that_would_open() -> None:
    async with desk(160, 45) as at:
        conditional(at, position_side="LONG")
        await at.select_leg()
        await at.press("f")
        assert "would open" not in at.flat_text()


@pytest.mark.parametrize(("line", "says"), [("rev", STAYS), ("flat here ; cancel last", STAYS)])
async def test_a_line_that_closes_names_conditionals_that_would_open(line: str, says: str) -> None:
    async with long_leg() as at:
        conditional(at)
        await at.settle()
        await at.press(":")
        await enter(at, line, "enter")
        assert at.scope() is Scope.PROMPT and says in at.flat_text(), at.text()


@pytest.mark.parametrize("size", SIZES)
async def test_flatten_all_names_conditionals_that_would_then_open(size: tuple[int, int]) -> None:
    async with long_leg(size) as at:
        conditional(at)
        await at.settle()
        await at.press("F")
        assert f"BINANCE BTC perp: {STAYS}" in at.flat_text(), at.text()


async def test_a_service_close_names_conditionals_that_would_open() -> None:
    async with long_leg(settings=WorkstationSettings(bell=False, close="service")) as at:
        conditional(at)
        await at.settle()
        await at.press("f")
        assert STAYS in at.flat_text() and at.port.intents == []


async def test_a_hot_close_reports_conditionals_that_would_then_open() -> None:
    async with long_leg() as at:
        conditional(at)
        at.port.enter_hot(60.0)
        await at.settle()
        at.clock.pass_by(2.0)
        at.text()
        await at.pause(0.6)
        at.port.outcomes = [Outcome(verdict=Verdict.ACCEPTED, key="new")]
        await at.press("f")
        assert [intent.hot for intent in at.sent_orders()] == [True]
        await at.settle()
        assert any(STAYS in text for text in at.events()), at.events()


async def test_a_plain_close_names_an_algo_order_that_would_open() -> None:
    async with long_leg() as at:
        conditional(at)
        await at.settle()
        view = at.app.main_screen.view
        ticket = ticket_factory.flatten(at.app.mirror.positions[NET].record, view)
        assert not isinstance(ticket, str)
        assert f"! {STAYS}" in describe_order(ticket, view)


async def test_a_close_says_that_reduce_only_conditionals_stay() -> None:
    """The service ends stops and targets of a position with it, but no OCO and no conditional order."""
    async with long_leg() as at:
        conditional(at, reduce_only="true")
        put_algo(at, "7002", position_side="NONE", sl_trigger_price="62000")
        await at.settle()
        await at.press("f")
        said = at.flat_text()
        assert "closes the position; will end: SL 62,000.0 · stays, but can only close: at 63,000.0" in said, said
        assert "would open" not in said
        await at.press("escape", "F")
        said = at.flat_text()
        assert "not cancelled, but can only close: conditional SELL 2.5 BINANCE BTC perp at 63,000.0 last" in said
        assert "these expire when the position is closed: stop SELL 0.5 BINANCE BTC perp" in said


async def test_a_conditional_whose_position_ended_is_marked_opens() -> None:
    async with long_leg() as at:
        made = conditional(at)
        conditional(at, "7002", side="BUY", conditional_trigger_price="70000")
        put_leg(at, "0")
        await at.press("A")
        await at.settle()
        assert "OPENS" not in at.text(), "what never had a position is an entry"
        at.port.put(Table.ALGOS, "7001", msgspec.structs.replace(made, had_position=True))
        await at.settle()
        assert "1 without a position, 1 would open one" in at.text()
        await at.press(")", ")")
        shown = [line for line in at.text().split("\n") if " conditional " in line]
        assert len(shown) == 1 and "OPENS" in shown[0]


async def open_conditional(at: Desk, trigger: str, size: str) -> None:
    """Fill in the form of a conditional order of the position."""
    await at.press("p", "up", "right", "right", "right", "right")
    assert "‹ conditional ›" in at.text()
    await at.press("down", "down", *trigger, "down", *size)


async def test_a_conditional_that_closes_is_reduce_only_by_default() -> None:
    async with long_leg() as at:
        await open_conditional(at, "-1%", "2.5")
        assert "reduce only" in at.text() and "‹ yes ›" in at.text() and "can only close the position" in at.text()
        await at.press("down", "down", "y")
        [intent] = at.port.intents
        assert isinstance(intent, PlaceAlgo) and intent.reduce_only


async def test_a_conditional_not_reduce_only_warns_that_it_may_open() -> None:
    async with long_leg() as at:
        await open_conditional(at, "-1%", "2.5")
        await at.press("down", "right")
        assert "‹ no ›" in at.text()
        assert "! stays when the position ends, and would open " in at.text() and " SHORT 2.500 " in at.text()
        await at.press("down", "y")
        [intent] = at.port.intents
        assert isinstance(intent, PlaceAlgo) and not intent.reduce_only


async def test_a_conditional_adding_to_a_position_is_not_reduce_only() -> None:
    async with long_leg() as at:
        await open_conditional(at, "+1%", "2.5")
        await at.press("up", "up", "right")
        assert "‹ BUY ›" in at.text() and "reduce only" not in at.text()
        await at.press("down", "down", "down", "y")
        [intent] = at.port.intents
        assert isinstance(intent, PlaceAlgo) and not intent.reduce_only


@pytest.mark.parametrize("key", ["ctrl+q", "X"])
async def test_quit_and_kill_name_the_loans_that_stay(key: str) -> None:
    async with desk(160, 45) as at:
        name, fact = next(iter(at.app.mirror.assets.items()))
        owes = msgspec.structs.replace(fact.record, debt="0.18386615")
        at.port.put(Table.ASSETS, name, msgspec.structs.replace(fact, record=owes))
        await at.settle()
        await at.press(key)
        assert f"stays borrowed: 0.18386615 {owes.coin} on {owes.exchange_type}" in at.text()


async def test_quit_with_only_loans_open_asks_and_lists_them_on_exit() -> None:
    """With nothing else open it left at once, and the shell did not name them."""
    async with desk(160, 45) as at:
        mirror = at.app.mirror
        for table, rows in (
            (Table.ORDERS, mirror.orders),
            (Table.ALGOS, mirror.algos),
            (Table.POSITIONS, mirror.positions),
        ):
            for key in list(rows):
                at.port.put(table, key, None)
        for name, fact in mirror.assets.items():
            owes = msgspec.structs.replace(fact.record, debt="0.18386615", loan="1000")
            at.port.put(Table.ASSETS, name, msgspec.structs.replace(fact, record=owes))
        await at.settle()
        await at.press("ctrl+q")
        assert at.scope() is Scope.PROMPT and "stays borrowed: 1,000.18386615 USDT on BINANCE, " in at.flat_text()
        await at.press("y")
        assert at.app.describe_left_at_venue().startswith(
            f"{len(mirror.assets)} coins stay borrowed:\n  1,000.18386615 USDT on BINANCE\n"
        )


@pytest.mark.parametrize("size", [(80, 24), (60, 20), (100, 30)])
async def test_stop_and_target_prices_are_not_cut_at_any_width(size: tuple[int, int]) -> None:
    """The target of an OCO was cut in the list, and what becomes of it in the ticket that closes."""
    async with desk(*size) as at:
        at.port.put(Table.ORDERS, "o3", None)
        put_algo(at, "7001", condition_type="OCO", reduce_only="true", tp_trigger_price="66000", order_qty="2.5")
        put_algo(at, "7002", condition_type="ENTIRE_CLOSE_POSITION", sl_trigger_price="62000", order_qty="")
        await at.settle()
        await at.press("A")
        assert " S63,000.0 T66,000.0 " in at.text()
        await at.press("A", "3", "g", "f")
        said = at.flat_text()
        assert "will end: SL 62,000.0" in said and "stays, but can only close: SL 63,000.0 TP 66,000.0" in said


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("key", ["f", "r"])
async def test_a_close_names_the_resting_exit_that_it_ends(size: tuple[int, int], key: str) -> None:
    """The exit that rests was not named; of three stops what becomes of them was cut."""
    async with long_leg(size) as at:
        at.port.order("x1", BTC, "SELL", "65000", "0.5", reduce_only=True, position_side="NONE")
        at.port.order("x2", BTC, "BUY", "60000", "0.5", reduce_only=True, position_side="NONE")
        put_algo(at, "701", position_side="NONE")
        put_algo(at, "702", position_side="NONE", tp_trigger_price="67000")
        put_algo(at, "703", position_side="NONE", sl_trigger_price="62000")
        await at.settle()
        await at.press(key)
        said = at.flat_text()
        assert "will end: limit SELL 0.500" in said
        assert "limit BUY" not in said
        await at.press("escape", "F")
        said = at.flat_text()
        assert "are cancelled when the position is closed: buy 25ct @ 63,880.0 of" in said and ", sell 0.500" in said


@pytest.mark.parametrize("size", [(80, 24), (60, 20)])
async def test_a_close_ticket_counts_ending_orders_it_cannot_list(size: tuple[int, int]) -> None:
    """`will end: limit SELL 0.500 at 65,000.0, limit SELL …` told neither how many end nor at which price."""
    async with long_leg(size) as at:
        for number in range(4):
            price = f"6{5 + number}000"
            at.port.order(f"x{number}", BTC, "SELL", price, "0.5", reduce_only=True, position_side="NONE")
        await at.settle()
        await at.press("f")
        said = next(line for line in at.text().split("\n") if "will end: " in line)
        assert (
            "limit SELL 0.500 at 65,000.0 and 3 more" in said or "will end: 4 orders" in said
        ) and "…" not in said, said


async def test_an_oversized_exit_shows_what_it_can_close_everywhere() -> None:
    """A resting exit larger than the position had no mark in list and questions; kill and quit took it for an entry."""
    async with long_leg((80, 24)) as at:
        for key in ("o1", "o2", "o3"):
            at.port.put(Table.ORDERS, key, None)
        at.port.order("x1", BTC, "SELL", "65000", "5", reduce_only=True, position_side="NONE", executed="1")
        put_algo(at, "701", position_side="NONE", order_qty="3")
        put_leg(at, "3")
        await at.press("2")
        assert "≤3.000" in at.line_of("orders", "BINANCE BTC")
        put_leg(at, "2.5")  # the position alone changes
        await at.settle()
        assert "≤2.500" in at.line_of("orders", "BINANCE BTC")
        await at.press("3", "f")
        assert "will end: limit SELL ≤2.500 at 65,000.0" in at.flat_text(), at.text()
        await at.press("escape", "F")
        said = at.flat_text()
        assert (
            "sell ≤2.500 @ 65,000.0 of" in said
            and "stop SELL 3 BINANCE BTC perp at 63,000.0 mark (closes ≤2.500)" in said
        )
        await at.press("escape", "X")
        said = at.flat_text()
        assert "1 order, with what is larger than its position: sell ≤2.500 @ 65,000.0 of BINANCE BTC perp" in said
        assert "SL 63,000.0 for ≤2.500 of BINANCE BTC perp" in said
        await at.press("escape")
        await enter(at, "c asks", "enter")
        said = at.flat_text()
        assert "SELL ≤2.500 BINANCE BTC perp @ 65,000.0" in said, at.text()
        assert "cancel 1 order of BINANCE BTC perp" in said and "stops and targets stay: 1" in said, at.text()
        await at.press("escape", "C")
        assert "open worth 162,500.00 USDT" in at.flat_text(), at.text()
        await at.press("escape", "ctrl+q")
        said = at.flat_text()
        assert "1 order, with what is larger than its position: sell ≤2.500 @ 65,000.0 of BINANCE BTC perp" in said
        await at.press("escape", "ctrl+t")
        assert "can still open a position" not in at.flat_text()
        assert "SELL ≤2.500 BINANCE BTC perp at 65,000.0" in at.app.describe_left_at_venue()
        lines = Readings(at.app.main_screen.view, []).orders()
        assert any("closes the whole position, 2.500; its own size is 4.000" in line for line in lines)


async def test_a_reverse_in_hedge_mode_names_the_resting_exit() -> None:
    async with desk(160, 45) as at:
        at.port.order("x1", BTC, "SELL", "65000", "0.5", position_side="LONG")
        await at.select_leg()
        await at.press("r")
        assert "will end: limit SELL 0.500 at 65,000.0" in at.flat_text()


async def test_after_quitting_stops_not_yet_read_are_called_not_known() -> None:
    """A desk left before the list of stops was read said `no stop` of a position that had one."""
    async with desk() as at:
        assert "BINANCE BTC perp LONG 2.500 (no stop)" in at.app.describe_left_at_venue()
        at.port.set_desk(algo_error="not read yet")
        await at.settle()
        assert "BINANCE BTC perp LONG 2.500 (stops not known now)" in at.app.describe_left_at_venue()
        put_algo(at, "7001", order_qty="2.5", sl_trigger_price="62000")
        await at.settle()
        # The quit question lists it among the closing orders that are kept.
        assert "BINANCE BTC perp LONG 2.500 (last read: SL 62,000.0" in at.app.describe_left_at_venue()


OWNER, SECOND = PeerRow(name="desk", role="desk"), PeerRow(name="desk 2", role="desk")
ALWAYS = WorkstationSettings(bell=False, cancel_all_on_quit="always")
WATCHER = PeerRow(name="page", role="watch")


@pytest.mark.parametrize("size", [(80, 24), (160, 45)])
@pytest.mark.parametrize(
    ("own_name", "peers", "halts"),
    [
        ("", (SECOND,), "then HALT for all windows, and quit"),
        ("desk 2", (OWNER,), "then HALT for all windows, and quit"),
        ("", (), "then HALT, and quit"),
        ("", (WATCHER,), "then HALT, and quit"),
    ],
)
async def test_quit_of_each_window_says_whom_its_cancel_halts(
    own_name: str, peers: tuple[PeerRow, ...], halts: str, size: tuple[int, int]
) -> None:
    """With `cancel_all_on_quit = always` it cancels first, and the HALT is that of every window on the engine."""
    async with desk(*size, settings=ALWAYS) as at:
        at.port.set_desk(own_name=own_name, peers=peers)
        await at.settle()
        await at.press("ctrl+q")
        assert halts in at.flat_text(), at.flat_text()
        await at.confirm()
        [cancel] = at.port.intents
        assert isinstance(cancel, CancelAll) and cancel.kill and cancel.spare_closing, "the first row is the cancel"


async def test_quit_of_a_window_that_only_reads_offers_no_cancel() -> None:
    """Its first row was a cancel that the engine denied, and the foot said that only a crash leaves orders live."""
    async with desk(160, 45, settings=ALWAYS) as at:
        assert at.text().rstrip().endswith("orders stay live if this program crashes")
        at.port.set_desk(own_name="desk 2", peers=(OWNER,), read_only="READ-ONLY: started with --read-only")
        await at.settle()
        assert at.text().rstrip().endswith("orders stay live if this program ends")
        await at.press("ctrl+q")
        assert "nothing is cancelled: READ-ONLY: started with --read-only" in at.flat_text()
        assert "cancel entries" not in at.flat_text() and "stay live at the venue" in at.flat_text()
        await at.confirm()
        assert at.port.intents == [] and at.app._exit
