"""What happens to machines, networks and market data: what the trader sees of it, and what went over the wire."""

from __future__ import annotations

import asyncio
from decimal import Decimal

import pytest

from tests.simulation import ends, feeds
from tests.simulation.floor import OTHER, SYM, Floor
from tests.simulation.harness.day import Day, started
from tests.simulation.harness.network import Wire
from tests.simulation.rates import Rates
from tests.simulation.steps import in_step, play, resting
from tui.engine.intents import CancelAll, Verdict
from tui.engine.rows import LocalOrderState
from tui.engine.status_rows import LinkState
from tui.interface.families import orders
from tui.interface.families.orders import Side
from tui.interface.symbols import pair_name
from tui.venue.core import commands

pytestmark = pytest.mark.simulation

TWO_TIERS = Rates(tier_gap=1)
TWO_PAIRS = Rates(quote_gap=1)


def error(floor: Floor, link: str = "private") -> str:
    """Why a link is not up, as it is shown."""
    return floor.mirror.links[link].error


# -- orders --------------------------------------------------------------------------------------------------------


def test_f30_a_cancel_all_racing_fills_shows_each_order_right() -> None:
    async def day(desk: Day) -> None:
        ask = desk.mirror.quotes[SYM].ask
        filled = await desk.take_and_rest()
        rest = await desk.rest()
        await desk.shows(rest.key, "OPEN")
        desk.before[orders.CancelAllOrders] = lambda: desk.somebody_sells("0.005", ask)
        external = orders.PlaceOrder(
            portfolio=desk.portfolio,
            sym=SYM,
            side="BUY",
            order_type="LIMIT",
            time_in_force="GTC",
            order_qty="0.002",
            limit_price="60000",
            client_order_id="elsewhere",
        )
        desk.after[orders.CancelAllOrders] = lambda: desk.elsewhere(external)
        outcome = await desk.submit(CancelAll(decision=desk.decision(), exchange="BINANCE"))
        assert outcome.verdict is Verdict.ACCEPTED
        await desk.shows(rest.key, "CANCELLED")
        assert (await desk.shows(filled.key, "FILLED")).executed == desk.at_venue(filled.key).executed_qty
        other = await desk.until(lambda: next((one for one in desk.mirror.orders.values() if one.external), None))
        assert (other.client_order_id, other.state) == ("elsewhere", "OPEN")
        assert desk.asked(orders.CancelAllOrders) == 1

    Day().play(day)


# -- networks ------------------------------------------------------------------------------------------------------


def test_f49_frames_received_byte_by_byte_are_decoded() -> None:
    async def day(desk: Day) -> None:
        def trickle(wire: Wire, data: bytes) -> None:
            for at in range(len(data)):
                wire.client.receive(data[at : at + 1])

        desk.divert("in", trickle)
        placed = await desk.rest()
        await desk.shows(placed.key, "OPEN")
        desk.cut("reset")()
        await desk.link(LinkState.DOWN)
        await desk.in_step()
        assert desk.mirror.links["private"].bad_frames == 0
        assert (await desk.cancel(placed.key)).verdict is Verdict.ACCEPTED
        await desk.shows(placed.key, "CANCELLED")

    Day().play(day)


@pytest.mark.parametrize("endless", [feeds.endless_announced, feeds.endless_pieces])
@pytest.mark.parametrize("link", ["private", "public"])
def test_f56_an_endless_message_only_closes_the_connection(link: str, endless: type) -> None:
    async def day(floor: Floor) -> None:
        row = await resting(floor)
        wire = floor.private_wire() if link == "private" else floor.public_wire()
        assert wire is not None
        before = floor.mirror.links[link].epoch
        wire.client.receive(endless())
        await floor.until(lambda: floor.mirror.links[link].state is not LinkState.UP)
        await in_step(floor)
        await floor.until(lambda: floor.mirror.links[link].state is LinkState.UP)
        assert floor.mirror.links[link].epoch > before
        assert floor.mirror.orders[row.key].state == "OPEN"

    play(day)


def test_f50_f51_ten_undecodable_frames_close_the_connection() -> None:
    async def day(floor: Floor) -> None:
        wire = floor.public_wire()
        assert wire is not None
        makes = [make for fault, make, _ in feeds.FRAMES if fault in ("F50", "F51")]
        for make in makes:
            wire.client.receive(make())
        await floor.until(lambda: floor.mirror.links["public"].bad_frames == len(makes))
        assert floor.mirror.links["public"].state is LinkState.UP
        for _ in range(10 - len(makes)):
            wire.client.receive(makes[0]())
        await floor.until(lambda: "too many unreadable frames" in error(floor, "public"))
        await floor.until(lambda: floor.mirror.links["public"].state is LinkState.UP)

    play(day)


def test_f60_an_unresolved_host_name_is_reported_and_retried() -> None:
    async def day(floor: Floor) -> None:
        row = await resting(floor)
        floor.no_names()
        floor.cut("reset")
        await floor.until(lambda: "name or service not known" in error(floor).lower())
        assert (await floor.place(SYM, Side.BUY, "0.020", row.price)).guard == "LINK"
        floor.network.failure = None
        await in_step(floor)
        assert floor.mirror.orders[row.key].state == "OPEN"

    play(day)


def test_f92_without_file_descriptors_no_order_is_sent() -> None:
    async def day(floor: Floor) -> None:
        row = await resting(floor)
        floor.descriptors_used_up()
        floor.cut("reset")
        await floor.until(lambda: "too many open files" in error(floor))
        assert (await floor.place(SYM, Side.BUY, "0.020", row.price)).guard == "LINK"
        assert floor.mirror.orders[row.key].state == "OPEN"
        floor.network.failure = None
        await in_step(floor)
        assert (await floor.cancel(row.key)).verdict is Verdict.ACCEPTED

    play(day)


def test_f105_a_network_change_is_noticed_in_five_seconds() -> None:
    async def day(floor: Floor) -> None:
        row = await resting(floor)
        at = floor.world.now
        for wire in floor.network.wires:
            wire.hole = True
        await floor.out_of_step()
        assert floor.world.now - at <= 5.1
        await floor.until(lambda: floor.mirror.links["public"].state is not LinkState.UP)
        await in_step(floor)
        await floor.until(lambda: floor.mirror.links["public"].state is LinkState.UP)
        assert floor.mirror.orders[row.key].state == "OPEN"

    play(day)


# -- servers -------------------------------------------------------------------------------------------------------


def test_f72_n3_repeated_pushes_after_reconnect_count_once() -> None:
    async def day(desk: Day) -> None:
        placed = await desk.take_and_rest()
        row = await desk.shows(placed.key, "PARTIALLY_FILLED")
        desk.network.refuse = True
        for wire in desk.network.wires:
            wire.fin()
        await desk.link(LinkState.DOWN)
        desk.network.refuse = False
        await desk.in_step()
        await asyncio.sleep(2)
        assert desk.row(placed.key).executed == row.executed
        assert (len(desk.mirror.fills), desk.said("FILL BUY")) == (1, 1)
        assert [fact.record.position_qty for fact in desk.mirror.positions.values()] == [row.executed]

    Day(("login_snapshot", "full")).play(day)


def test_f74_a_forced_disconnect_reconnects_and_fills_the_gap() -> None:
    async def day(desk: Day) -> None:
        ask = desk.mirror.quotes[SYM].ask
        placed = await desk.take_and_rest()
        await desk.shows(placed.key, "PARTIALLY_FILLED")
        desk.cut("fin")()
        desk.somebody_sells("0.005", ask)
        at = desk.world.now
        await desk.link(LinkState.DOWN)
        await desk.in_step()
        assert desk.world.now - at <= 2.0
        await desk.shows(placed.key, "FILLED")
        await desk.until(lambda: desk.said("while away") == 1)

    Day().play(day)


# -- two addresses -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("command", ["place", "cancel"])
def test_f75_a_command_lost_on_a_server_is_queried_on_the_other(command: str) -> None:
    async def day(floor: Floor) -> None:
        row = await resting(floor)
        before = floor.proxy.commands
        floor.armed = ("F75", "reset", command)
        if command == "place":
            outcome = await floor.place(SYM, Side.BUY, "0.020", row.price)
        else:
            outcome = await floor.cancel(row.key)
        assert outcome.verdict is Verdict.UNKNOWN
        await floor.until(lambda: floor.mirror.links["rest"].tier == "HA")
        await floor.shows(outcome.key, "OPEN" if command == "place" else "CANCELLED")
        await in_step(floor)
        assert floor.proxy.commands == before + 1
        assert floor.sometimes["failover_in_flight"] == 1

    play(day, TWO_TIERS)


def test_f77_the_backup_server_is_left_after_a_minute_when_idle() -> None:
    async def day(floor: Floor) -> None:
        floor.set_switch("tier_down", "AZ4")
        await floor.until(lambda: floor.tier == "HA")
        at = floor.world.now
        floor.set_switch("tier_down", "none")
        await in_step(floor)
        await asyncio.sleep(55)
        assert floor.tier == "HA"
        await floor.until(lambda: floor.tier == "AZ4")
        assert floor.world.now - at >= 60
        assert floor.said("tier AZ4 answers again") == 1
        await in_step(floor)
        await resting(floor)

    play(day, TWO_TIERS)


def test_f78_late_messages_of_the_former_server_change_nothing() -> None:
    async def day(floor: Floor) -> None:
        row = await resting(floor)
        old, held = floor.private_wire(), list[bytes]()
        assert old is not None

        def keep(wire: Wire, way: str, data: bytes) -> bool:
            if wire is old and way == "in":
                held.append(data)
                return True
            return False

        floor.network.filters.insert(0, keep)
        floor.runtime.switches.set("tier_down", "AZ4")
        assert (await floor.cancel(row.key)).verdict is Verdict.UNKNOWN
        await floor.shows(row.key, "CANCELLED")
        await in_step(floor)
        floor.network.filters.remove(keep)
        assert any(b"orders" in data for data in held)
        painted = len([one for one in floor.history.lines if one.who == "display"])
        for data in held:
            old.client.receive(data)
        await asyncio.sleep(1)
        assert len([one for one in floor.history.lines if one.who == "display"]) == painted

    play(day, TWO_TIERS)


# -- machines ------------------------------------------------------------------------------------------------------


def test_f87_a_failed_engine_task_is_reported_and_restarted() -> None:
    async def day(floor: Floor) -> None:
        row = await resting(floor)
        while floor.engine.tasks.failures < 3:
            floor.break_engine()
            await floor.place(SYM, Side.BUY, "0.001", row.price)
            await asyncio.sleep(2)
        floor.mend_engine()
        assert floor.said("internal error in") == floor.broken == floor.engine.tasks.failures
        assert floor.mirror.engine_status is not None
        assert "internal error" in floor.mirror.engine_status.engine_error
        await in_step(floor)
        assert (await floor.cancel(row.key)).verdict is Verdict.ACCEPTED
        await asyncio.sleep(40)
        assert not ends.differences(floor)

    play(day)


def test_f85_the_watchdog_cancels_only_the_orders_of_its_client() -> None:
    async def day(floor: Floor) -> None:
        rows = [await resting(floor, below) for below in ("100", "200")]
        floor.another_client()
        await floor.until(lambda: len(floor.mirror.orders) == 3)
        await floor.crash()
        await asyncio.sleep(4)
        assert len(floor.exchange.queries.open_orders(floor.portfolio)) == 3, "the grace is not over"
        await asyncio.sleep(4)
        (left,) = floor.exchange.queries.open_orders(floor.portfolio)
        assert left.client_order_id not in [row.key for row in rows]
        assert floor.guard is not None
        assert floor.guard.cancelled == floor.sometimes["watchdog_fired"] == 2
        floor.begin()
        for row in rows:
            await floor.shows(row.key, "CANCELLED")

    play(day, Rates(watchdog=True))


def test_f91_a_stalled_event_loop_is_reported() -> None:
    async def day(desk: Day) -> None:
        work = await started(asyncio.sleep(0))
        await work
        placing = asyncio.ensure_future(desk.rest())
        await asyncio.sleep(0.0005)
        desk.world.now_us += 2_000_000
        placed = await placing
        assert placed.verdict is Verdict.ACCEPTED
        await desk.shows(placed.key, "OPEN")
        await desk.until(lambda: desk.desk_row.lag_ms >= 1_500)
        assert LocalOrderState.UNKNOWN not in desk.states(placed.key)
        assert desk.mirror.links["private"].epoch == 1

    Day().play(day)


def test_f104_after_a_machine_pause_nothing_is_resent() -> None:
    async def day(floor: Floor) -> None:
        row = await resting(floor)
        placing = asyncio.ensure_future(floor.place(SYM, Side.BUY, "0.020", row.price))
        await asyncio.sleep(0.0005)
        floor.stand_still(30.0)
        placed = await placing
        await floor.shows(placed.key, "OPEN")
        await in_step(floor)
        assert floor.proxy.commands == 2
        ids = [one.client_order_id for one in floor.exchange.queries.open_orders(floor.portfolio)]
        assert sorted(ids) == sorted([row.key, placed.key])

    play(day)


def test_f94_unsaved_journal_notes_are_reported_on_screen() -> None:
    async def day(desk: Day) -> None:
        ask = desk.mirror.quotes[SYM].ask
        placed = await desk.take_and_rest()
        await desk.shows(placed.key, "PARTIALLY_FILLED")
        desk.journal.failure = "disk full"
        desk.somebody_sells("0.005", ask)
        row = await desk.shows(placed.key, "FILLED")
        assert row.executed == desk.at_venue(placed.key).executed_qty
        await desk.until(lambda: desk.desk_row.journal_error == "disk full")
        desk.journal.failure = ""
        await desk.until(lambda: not desk.desk_row.journal_error)
        assert (await desk.rest()).verdict is Verdict.ACCEPTED

    Day().play(day)


# -- market data ---------------------------------------------------------------------------------------------------


def moved(floor: Floor) -> None:
    """The market of both pairs goes somewhere else."""
    floor.move_market()
    floor.move_market(coin="ETH")


def test_f41_a_silent_pair_gets_old_while_another_stays_fresh() -> None:
    async def day(floor: Floor) -> None:
        await floor.quote(OTHER)
        floor.set_switch("market_fault", f"silence:{SYM}")
        ages = {sym: floor.mirror.quotes[sym].received for sym in (SYM, OTHER)}
        for _ in range(10):
            await asyncio.sleep(1)
            moved(floor)
        await asyncio.sleep(0.2)
        quotes = floor.mirror.quotes
        assert quotes[SYM].received == ages[SYM]
        assert quotes[SYM].subscribed
        assert quotes[OTHER].received > ages[OTHER]
        assert floor.mirror.links["public"].state is LinkState.UP

    play(day, TWO_PAIRS)


def test_f44_a_burst_shows_the_latest_quote_and_orders_go_on() -> None:
    async def day(floor: Floor) -> None:
        row = await resting(floor)
        floor.set_switch("market_fault", "burst:*:1:50")
        ask = Decimal(floor.mirror.quotes[SYM].ask)
        for step in range(20):
            floor.runtime.execute(commands.MoveMarket(coin="BTC", price=str(ask + step)), lambda _reply: None)
            await asyncio.sleep(0.02)
        at = floor.world.now
        assert (await floor.cancel(row.key)).verdict is Verdict.ACCEPTED
        assert floor.world.now - at <= 0.05
        await asyncio.sleep(0.5)
        touch = floor.exchange.queries.quote(SYM)
        assert touch is not None
        assert Decimal(floor.mirror.quotes[SYM].bid) == Decimal(touch.bid)
        assert floor.runtime.faults.counts["market_fault burst"] >= 10

    play(day)


def test_f45_a_rejected_subscription_is_marked_and_retried() -> None:
    async def day(floor: Floor) -> None:
        floor.set_switch("market_fault", f"refuse:{SYM}")
        wire = floor.public_wire()
        assert wire is not None
        wire.reset()
        await floor.until(lambda: not floor.mirror.quotes[SYM].subscribed)
        assert floor.mirror.quotes[OTHER].subscribed
        await asyncio.sleep(25)
        assert floor.runtime.faults.counts["market_fault refuse"] <= 4 * 4, "each try has four channels"
        assert floor.said(f"{pair_name(SYM)} is not subscribed") == 1
        floor.set_switch("market_fault", "off")
        await floor.until(lambda: floor.mirror.quotes[SYM].subscribed)

    play(day, TWO_PAIRS)
