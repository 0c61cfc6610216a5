"""In step after a cut: what the desk holds as working works, or is called UNKNOWN, and the missed fills are there."""

from __future__ import annotations

import asyncio
from decimal import Decimal

import pytest

from tests.simulation.harness.day import SYM, Day
from tests.simulation.harness.network import Wire
from tui.engine.limits import Limits
from tui.engine.settings import EngineSettings
from tui.interface.families.orders import is_final
from tui.interface.text import how_many

HISTORY, DETAIL = b"GET /api/v1/trading/history/orders?", b"GET /api/v1/trading/order?"


class Cut(Day):
    """A day whose network is cut while orders end; what the desk knows is noted at the moment when it is in step."""

    def settings(self) -> EngineSettings:
        limits = Limits(
            soft_notional="900000", hard_notional="900000", first_of_day=False, max_open_sym=100, runaway_count=90
        )
        return EngineSettings(limits=limits)

    async def rest_of(self, count: int) -> list[str]:
        """Orders that rest alone at the top of the book, the best first; their keys."""
        keys = [(await self.take_and_rest()).key]
        top = Decimal(self.row(keys[0]).price)
        for number in range(1, count):
            price = str(top - Decimal(number) / 10)
            keys.append((await self.rest(str(Decimal(self.mirror.quotes[SYM].bid) - Decimal(price)))).key)
        for key in keys:
            await self.until(lambda: self.row(key).order_id)  # noqa: B023
        return keys

    def count(self, words: bytes) -> list[bytes]:
        """Requests that begin with the words, from now on."""
        seen: list[bytes] = []

        def note(_wire: Wire, way: str, data: bytes) -> None:
            if way == "out" and data.startswith(words):
                seen.append(data)

        self.network.writes.append(note)
        return seen

    async def away(self, ends: list[str]) -> None:
        """Cut the link, let another client end some orders, and come back."""
        self.network.refuse = True
        self.cut("reset")()
        await self.until(lambda: not self.desk_row.synced)
        for key in ends:
            self.somebody_cancels(self.at_venue(key).client_order_id)
        await asyncio.sleep(2)

    async def back(self) -> None:
        """Stop at the very moment at which the engine says that it is in step."""
        self.network.refuse = False
        await self.until(lambda: self.engine.state.synced)

    def wrong(self) -> list[str]:
        """Orders that are called working at this moment, and are not at the venue."""
        rows = self.engine.state.orders.working()
        return [row.key for row in rows if row.state != "UNKNOWN" and is_final(self.at_venue(row.key).order_state)]


def test_in_sync_without_orders_says_that_algo_orders_come_next() -> None:
    """Stops that wait at the venue are read after the lists of a login: none were told of."""
    day = Cut()

    async def live(_: Day) -> None:
        await day.until(lambda: day.said("In sync with the venue: no open orders (algo orders are read next)"))

    day.play(live)


def test_the_return_of_the_order_link_is_reported_once() -> None:
    day = Cut()

    async def live(_: Day) -> None:
        await day.until(lambda: day.said("In sync with the venue"))
        assert day.said("order link is up again") == 0, "it was never lost"
        await day.away([])
        assert day.said("order link lost") == 1 and day.said("order link is up again") == 0
        await day.back()
        await day.until(lambda: day.said("order link is up again; orders and positions are being read") == 1)

    day.play(live)


def test_fills_missed_while_disconnected_are_shown_on_reconnect() -> None:
    day = Cut()

    async def live(_: Day) -> None:
        first, second = await day.rest_of(2)
        await day.away([])
        day.somebody_sells("0.001", day.row(first).price)
        filled = day.at_venue(first)
        assert filled.order_state == "PARTIALLY_FILLED"
        rest = Decimal(filled.order_qty) - Decimal(filled.executed_qty)
        day.somebody_sells(str(rest), day.row(first).price)
        assert (day.at_venue(first).order_state, day.at_venue(second).order_state) == ("FILLED", "OPEN")
        await day.back()
        assert day.wrong() == []
        rows, at_venue = day.engine.state.orders.rows, day.at_venue(first)
        assert (rows[first].state, rows[first].executed) == ("FILLED", at_venue.executed_qty)
        # The screen has no later rows than those that came with this status.
        await day.until(lambda: day.desk_row.synced)
        fills = [fact.record for fact in day.mirror.fills.values()]
        sold = sum(Decimal(fill.quantity) for fill in fills if fill.order_id == at_venue.order_id)
        assert sold == Decimal(at_venue.executed_qty)
        await day.until(lambda: day.said("In sync with the venue: 1 open order"))

    day.play(live)


@pytest.mark.parametrize(("count", "most"), [(2, 2), (30, 0)])
def test_ends_of_many_orders_are_read_from_one_history_list(count: int, most: int) -> None:
    day = Cut()

    async def live(_: Day) -> None:
        keys = await day.rest_of(count + 1)
        await day.away(keys[1:])
        single, listed = day.count(DETAIL), day.count(HISTORY)
        began = day.clock.mono()
        await day.back()
        assert day.wrong() == [] and {day.engine.state.orders.rows[key].state for key in keys[1:]} == {"CANCELLED"}
        assert len(single) <= most and len(listed) == (count > most)
        assert day.clock.mono() - began < 4

    day.play(live)


@pytest.mark.parametrize("count", [1, 10])
def test_an_order_whose_end_cannot_be_read_is_shown_unknown(count: int) -> None:
    """Nothing that may have ended is called open: it is asked about on, and the desk comes into step all the same."""
    day = Cut()

    async def live(_: Day) -> None:
        keys = await day.rest_of(count + 1)
        await day.away(keys[1:])
        heal = [day.swallow("out", words) for words in (DETAIL, HISTORY)]
        await day.back()
        rows = day.engine.state.orders.rows
        assert day.wrong() == [] and {rows[key].state for key in keys[1:]} == {"UNKNOWN"}
        assert rows[keys[1]].reason.startswith("no longer in the list of open orders, and its end could not be read")
        await day.until(lambda: day.said("In sync with the venue: 1 open order; " + how_many(count, "UNKNOWN order")))
        for stop in heal:
            stop()
        await day.until(lambda: all(day.row(key).state == "CANCELLED" for key in keys[1:]), within=120)

    day.play(live)
