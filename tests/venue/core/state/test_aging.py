"""Ended orders and old bookings leave memory, and the venue answers for them as before."""

from __future__ import annotations

from collections.abc import Iterable

from tests import edition
from tests.venue.core.drive import START, Desk, code
from tests.venue.core.seeded import Seeded
from tui.interface.families.orders import CancelAllOrders, OrderRecord
from tui.venue.core.exchange import Exchange
from tui.venue.core.state.archive_reader import ArchivedRow
from tui.venue.core.switches import Switches

HOUR = 3_600_000


class Shelf:
    """A past in a dictionary."""

    def __init__(self) -> None:
        self.rows: dict[tuple[str, str], ArchivedRow] = {}

    def add(self, rows: Iterable[ArchivedRow]) -> None:
        self.rows.update({(row.table, row.key): row for row in rows})

    def find(self, table: str, key: str) -> bytes | None:
        found = self.rows.get((table, key))
        return None if found is None else found.value

    def find_client(self, table: str, portfolio: str, client_id: str) -> str:
        found = [
            row for row in self.rows.values() if (row.table, row.portfolio, row.client) == (table, portfolio, client_id)
        ]
        return max(found, key=lambda row: int(row.key)).key if found else ""


class OldDesk(Desk):
    """A desk whose venue lets go of what is an hour old."""

    def __init__(self, **switches: str) -> None:
        super().__init__(None, "1", **switches)
        self.shelf = Shelf()
        self.exchange = Exchange(
            random_source=Seeded("1"),
            start_ms=START,
            switches=Switches({"agents": "off", **edition.switches(), **switches}),
            past=self.shelf,
        )
        self.durable.clear()
        self.main, self.sub = self.exchange.queries.portfolios

    def age(self) -> list[ArchivedRow]:
        rows = list(self.exchange.archivable_rows(self.now - HOUR))
        self.shelf.add(rows)
        self.exchange.forget(rows)
        self.wait(0)
        return rows


def story(desk: Desk) -> tuple[str, str, str]:
    """A filled, a cancelled and a resting order."""
    filled = desk.place("BUY", "0.5", client_order_id="filled")
    cancelled = desk.place("BUY", "0.1", "61000", client_order_id="cancelled")
    resting = desk.place("BUY", "0.1", "60000", client_order_id="resting")
    desk.cancel(cancelled)
    desk.wait()
    return filled, cancelled, resting


def test_ended_orders_leave_memory_but_can_still_be_queried() -> None:
    desk = OldDesk(agents="still")
    filled, cancelled, resting = story(desk)
    before: list[OrderRecord] = [desk.order(one) for one in (filled, cancelled)]
    desk.wait(2 * HOUR)
    gone = desk.age()
    assert {row.table for row in gone} >= {"order", "fill", "statement", "posting"}
    memory = [row.order_id for row in desk.exchange.queries.orders(desk.main)]
    assert memory == [resting]
    assert [desk.order(one) for one in (filled, cancelled)] == before
    assert desk.exchange.queries.order(desk.main, client_order_id="filled") == before[0]
    assert code(desk.cancel(filled)) == 401117
    assert code(desk.replace(cancelled, qty="0.2")) == 401117
    assert code(desk.try_place("BUY", "0.1", "60000", client_order_id="cancelled")) == 401009
    assert desk.exchange.queries.executions(desk.main) == []
    assert code(desk.try_place("BUY", "0.1", "60000", portfolio=desk.sub, client_order_id="cancelled")) == 0


def test_open_and_recent_orders_stay_in_memory() -> None:
    desk = OldDesk(agents="still")
    _, _, resting = story(desk)
    desk.wait(2 * HOUR)
    desk.age()
    young = desk.place("BUY", "0.1", "61000")
    desk.cancel(young)
    desk.wait()
    assert desk.age() == []
    assert {row.order_id for row in desk.exchange.queries.orders(desk.main)} == {resting, young}


def test_client_id_reuse_rule_holds_for_aged_orders() -> None:
    desk = OldDesk(agents="still", duplicate_client_id="reject_open")
    story(desk)
    desk.wait(2 * HOUR)
    desk.age()
    assert code(desk.try_place("BUY", "0.1", "60000", client_order_id="cancelled")) == 0
    assert code(desk.try_place("BUY", "0.1", "60000", client_order_id="resting")) == 401009


def test_statement_ids_continue_after_a_restart() -> None:
    desk = OldDesk(agents="still")
    story(desk)
    first = desk.exchange.queries.statements(desk.main)
    desk.wait(2 * HOUR)
    desk.age()
    assert desk.exchange.queries.statements(desk.main) == []
    desk.place("SELL", "0.5", reduce_only=True)
    later = desk.exchange.queries.statements(desk.main)
    ids = [int(row.statement_id) for row in (*later, *first)]
    assert ids == sorted(ids, reverse=True) and len(set(ids)) == len(ids)
    again = Exchange.restore(
        desk.durable.values(),
        random_source=Seeded("1"),
        now_ms=desk.now,
        switches=Switches({"agents": "still"}),
        past=desk.shelf,
    )
    assert again.state_hash() == desk.exchange.state_hash()
    assert again.queries.statements(desk.main) == later
    assert [row.order_id for row in again.queries.orders(desk.main)] == [
        row.order_id for row in desk.exchange.queries.orders(desk.main)
    ]


def test_an_attached_stop_leaves_memory_with_its_order() -> None:
    desk = OldDesk(agents="still")
    parent = desk.place("BUY", "0.5", sl_trigger_price="60000")
    desk.wait(2 * HOUR)
    assert [row.key for row in desk.age() if row.table == "order"] == []
    assert desk.exchange.queries.algos(desk.main)
    desk.place("SELL", "0.5", reduce_only=True)
    desk.wait(2 * HOUR)
    gone = desk.age()
    assert parent in [row.key for row in gone if row.table == "order"]
    (algo,) = [row.key for row in gone if row.table == "algo"]
    assert desk.exchange.queries.algos(desk.main) == []
    assert desk.exchange.queries.algo(desk.main, algo_order_id=algo).attached_order_id == parent


def test_memory_does_not_grow_with_the_number_of_past_orders() -> None:
    desk = OldDesk(agents="still")
    for _ in range(60):
        for number in range(5):
            desk.place("BUY", "0.01", f"{60000 + number}")
        desk.do(CancelAllOrders(portfolio=desk.main))
        desk.wait(HOUR)
        desk.age()
        assert len(desk.exchange.queries.orders(desk.main)) <= 10
        assert sum(1 for row in desk.durable.values() if row.table == "order" and row.value is not None) <= 10
    assert sum(1 for table, _ in desk.shelf.rows if table == "order") >= 290
