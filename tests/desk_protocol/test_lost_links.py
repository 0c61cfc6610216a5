"""A link that is cut, late, doubled or swapped: what a window says of its order is true or UNKNOWN, and it is sent once."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import AsyncIterator, Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import msgspec
import pytest
import pytest_asyncio

from tests.client.fakes import until
from tests.desk_protocol.desks import DeskOf, attach, new_price, sent_at, start_owner
from tests.desk_protocol.link_proxy import LinkProxy, method_of, pass_on, read
from tests.venue.shell.conftest import Venue
from tui.desk_protocol.messages import COMMAND_S
from tui.engine.intents import Cancel, CancelAll, Intent, Press, Replace, Verdict
from tui.engine.modes import RiskMode, TradingState
from tui.engine.orders import intent_record
from tui.engine.rows import ReadFailure, Table

OWN_TABLES = frozenset([Table.LINKS, Table.ENGINE_STATUS, Table.ANSWERS, Table.DEPTH, Table.PRINTS, Table.BARS])
"""Tables whose rows belong to one desk, or change while they are compared."""


class Far(NamedTuple):
    """A window on the desk of another process, over a link that the test holds."""

    owner: DeskOf
    proxy: LinkProxy
    window: DeskOf
    venue: Venue

    def shows_the_same(self) -> bool:
        """Whether the window shows the rows of the desk, no more and no less."""
        mine, theirs = (
            {table: rows for table, rows in desk.screen.look().tables.items() if table not in OWN_TABLES and rows}
            for desk in (self.owner, self.window)
        )
        return mine == theirs


@pytest_asyncio.fixture
async def far(venue: Venue, tmp_path: Path) -> AsyncIterator[Far]:
    owner = start_owner(venue, tmp_path)
    await owner.in_step()
    async with LinkProxy.serve(tmp_path) as proxy:
        window = attach(tmp_path, "proxy.sock")
        await window.in_step()
        await window.arm()
        yield Far(owner, proxy, window, venue)
        await window.end()
    decision = owner.buy("1").decision
    assert (await owner.submit(CancelAll(decision=decision, kill=True))).verdict is Verdict.ACCEPTED
    await owner.end()


def on_submit(proxy: LinkProxy, act: Callable[[bytes], Sequence[bytes]]) -> None:
    """Do something with the next submit of the window in place of passing it on."""

    async def up(line: bytes) -> Sequence[bytes]:
        if method_of(line) != "submit":
            return [line]
        proxy.up = pass_on
        return act(line)

    proxy.up = up


def on_answer(proxy: LinkProxy, act: Callable[[bytes], Sequence[bytes]]) -> None:
    """Do something with the answer to the next submit in place of passing it on."""
    asked: list[int] = []

    def note(line: bytes) -> Sequence[bytes]:
        asked.append(read(line)["id"])
        return [line]

    async def down(line: bytes) -> Sequence[bytes]:
        message = read(line)
        if message["type"] != "answer" or message["id"] not in asked:
            return [line]
        proxy.down = pass_on
        return act(line)

    on_submit(proxy, note)
    proxy.down = down


@pytest.mark.parametrize("unnoticed", [False, True])
async def test_b04_an_order_cut_before_the_desk_read_it_is_denied(far: Far, unnoticed: bool) -> None:
    def cut(line: bytes) -> Sequence[bytes]:
        far.proxy.cut(unnoticed=unnoticed)
        return []

    on_submit(far.proxy, cut)
    price = new_price()
    outcome = await far.window.submit(far.window.buy(price))
    assert (outcome.verdict, outcome.guard) == (Verdict.DENIED, "LINK"), outcome
    assert sent_at(far.venue, price) == []


@pytest.mark.parametrize("unnoticed", [False, True])
async def test_b05_b07_an_order_with_lost_answer_gets_its_outcome(far: Far, unnoticed: bool) -> None:
    def cut(line: bytes) -> Sequence[bytes]:
        far.proxy.cut(unnoticed=unnoticed)
        return []

    on_answer(far.proxy, cut)
    price = new_price()
    outcome = await far.window.submit(far.window.buy(price))
    assert outcome.verdict is Verdict.ACCEPTED, outcome
    assert len(sent_at(far.venue, price)) == 1
    await until(lambda: outcome.key in far.window.orders(), 10)


@pytest.mark.parametrize("unnoticed", [False, True])
async def test_b06_an_order_accepted_before_a_cut_stays_accepted(far: Far, unnoticed: bool) -> None:
    def cut(line: bytes) -> Sequence[bytes]:
        asyncio.get_running_loop().call_later(0.05, lambda: far.proxy.cut(unnoticed=unnoticed))
        return [line]

    on_answer(far.proxy, cut)
    price = new_price()
    outcome = await far.window.submit(far.window.buy(price))
    assert outcome.verdict is Verdict.ACCEPTED, outcome
    await until(lambda: far.window.status().read_only, 10)
    await until(far.window.is_back, 10)
    assert len(sent_at(far.venue, price)) == 1
    assert [peer.name for peer in far.owner.status().peers] == ["desk 2"]


async def test_b05_wherever_the_link_is_cut_an_order_outcome_is_true(far: Far) -> None:
    for delay_ms in range(0, 24, 3):
        price = new_price()
        await far.window.arm()

        def cut(line: bytes, seconds: float = delay_ms / 1000) -> Sequence[bytes]:
            asyncio.get_running_loop().call_later(seconds, far.proxy.cut)
            return [line]

        on_submit(far.proxy, cut)
        outcome = await far.window.submit(far.window.buy(price))
        sent = sent_at(far.venue, price)
        wanted = {Verdict.ACCEPTED: [1], Verdict.DENIED: [0], Verdict.UNKNOWN: [0, 1]}
        assert len(sent) in wanted[outcome.verdict], (delay_ms, outcome)
        await until(lambda: far.window.status().trading_state is TradingState.VIEW, 10)
        await until(far.window.is_back, 10)


async def test_b01_an_order_that_arrives_late_is_denied(far: Far) -> None:
    async def hold(line: bytes) -> Sequence[bytes]:
        if method_of(line) == "submit":
            await asyncio.sleep(3)
        return [line]

    far.proxy.up = hold
    price = new_price()
    outcome = await far.window.submit(far.window.buy(price))
    assert (outcome.verdict, outcome.guard) == (Verdict.DENIED, "LATE"), outcome
    assert sent_at(far.venue, price) == []


async def test_b01_a_command_expires_by_the_time_of_its_key_press(far: Far) -> None:
    """A window that stood still between key and sending must not send as if the key had just been pressed."""
    for age_s, verdict in (
        (COMMAND_S + 0.1, Verdict.DENIED),
        (COMMAND_S / 2, Verdict.ACCEPTED),
        (-60, Verdict.ACCEPTED),
    ):
        price, order = new_price(), far.window.buy("1")
        press = Press(key="enter", at=time.monotonic() - age_s)
        decision = msgspec.structs.replace(order.decision, press=press)
        outcome = await far.window.submit(msgspec.structs.replace(order, price=price, decision=decision))
        assert outcome.verdict is verdict and (verdict is Verdict.ACCEPTED or outcome.guard == "LATE"), outcome
        assert len(sent_at(far.venue, price)) == (verdict is Verdict.ACCEPTED)


@pytest.mark.parametrize("kind", ["place", "replace", "cancel"])
async def test_b01_after_a_slow_journal_only_a_cancel_is_sent(
    far: Far, monkeypatch: pytest.MonkeyPatch, kind: str
) -> None:
    """It came in time, and was late once its intent was recorded; a cancel lowers risk and leaves."""
    resting = await far.window.submit(far.window.buy(new_price()))
    await until(lambda: resting.key in far.window.orders(), 10)
    record = intent_record.record_intent

    async def record_late(*arguments: Any, **more: Any) -> int | str:
        why, began = await record(*arguments, **more), time.monotonic()
        await until(lambda: time.monotonic() > began + COMMAND_S, 10)
        return why

    monkeypatch.setattr("tui.engine.orders.execution.order_sender.record_intent", record_late)
    price, decision = new_price(), far.window.buy("1").decision
    intents: dict[str, Intent] = {
        "place": far.window.buy(price), "replace": Replace(decision=decision, key=resting.key, price=price, qty="0.01"),
        "cancel": Cancel(decision=decision, key=resting.key),
    }  # fmt: skip
    outcome = await far.window.submit(intents[kind])
    assert (outcome.verdict, outcome.guard) == (
        (Verdict.ACCEPTED, "") if kind == "cancel" else (Verdict.DENIED, "LATE")
    )
    assert sent_at(far.venue, price) == []


async def test_b11_an_order_from_an_ended_link_is_never_sent(far: Far) -> None:
    """The window is back on a new link while a line of the old one, which nobody noticed to be dead, is still on its way."""

    async def hold(line: bytes) -> Sequence[bytes]:
        if method_of(line) == "submit":
            far.proxy.up = pass_on
            far.proxy.cut(unnoticed=True)
            await asyncio.sleep(1.2)
        return [line]

    far.proxy.up = hold
    price = new_price()
    outcome = await far.window.submit(far.window.buy(price))
    assert (outcome.verdict, outcome.guard) == (Verdict.DENIED, "LINK"), outcome
    assert sent_at(far.venue, price) == []
    assert [peer.name for peer in far.owner.status().peers] == ["desk 2"]


async def test_b02_orders_and_event_lines_doubled_on_a_link_count_once(far: Far) -> None:
    async def twice(line: bytes) -> Sequence[bytes]:
        return [line, line]

    far.proxy.up = far.proxy.down = twice
    for _ in range(3):
        price = new_price()
        outcome = await far.window.submit(far.window.buy(price))
        assert outcome.verdict is Verdict.ACCEPTED, outcome
        assert len(sent_at(far.venue, price)) == 1
    await until(far.shows_the_same, 20)
    told = [text for text in far.window.texts() if text.startswith("BUY")]
    assert len(told) == len(set(told)), "each event line is shown once"


async def test_b03_orders_that_arrive_swapped_have_true_outcomes(far: Far) -> None:
    waiting: list[bytes] = []

    async def swap(line: bytes) -> Sequence[bytes]:
        waiting.append(line)
        if len(waiting) < 2:
            return []
        swapped = waiting[::-1]
        waiting.clear()
        return swapped

    far.proxy.up = swap
    prices = [new_price() for _ in range(6)]
    outcomes = await asyncio.gather(*(far.window.submit(far.window.buy(price)) for price in prices))
    for price, outcome in zip(prices, outcomes, strict=True):
        assert len(sent_at(far.venue, price)) == (outcome.verdict is Verdict.ACCEPTED), outcome
    # Disarmed and sent at once: what arrives first counts.
    far.window.thread.set_trading_state(TradingState.VIEW)
    price = new_price()
    outcome = await far.window.submit(far.window.buy(price))
    assert len(sent_at(far.venue, price)) == (outcome.verdict is Verdict.ACCEPTED), outcome


async def test_b19_rows_removed_during_a_lost_link_leave_the_window(far: Far) -> None:
    def put(key: str, row: ReadFailure | None) -> None:
        far.owner.thread._call(lambda _: far.owner.thread.hub.put(Table.UNREAD, key, row))

    for number in range(1200):
        put(f"test {number}", ReadFailure("made up"))
    await until(lambda: "test 1199" in far.window.screen.look().tables.get(Table.UNREAD, {}), 10)
    placed = await far.window.submit(far.window.buy(new_price()))
    far.proxy.is_open = False
    far.proxy.cut()
    await until(lambda: far.window.status().read_only, 10)
    for number in range(1200):
        put(f"test {number}", None)
    put("new", ReadFailure("made up"))
    await far.owner.arm()
    await far.owner.submit(Cancel(decision=far.owner.buy("1").decision, key=placed.key))
    await until(lambda: far.owner.orders()[placed.key].final, 10)
    far.proxy.is_open = True
    await until(far.window.is_back, 10)
    await until(far.shows_the_same, 20)
    found = far.window.screen.tables[Table.UNREAD]
    assert "new" in found and not [key for key in found if key.startswith("test")]


async def test_b16_event_lines_missed_on_a_cut_link_come_in_order_once(far: Far) -> None:
    wanted: list[str] = far.owner.make_up(0, 50)

    async def arrived() -> None:
        await until(lambda: far.window.made_up() == wanted, 10)

    for at in (50, 100, 150):
        await arrived()
        far.proxy.is_open = False
        far.proxy.cut()
        await until(lambda: far.window.status().read_only, 10)
        wanted += far.owner.make_up(at, at + 50)
        far.proxy.is_open = True
    await arrived()


async def test_b09_b16_a_window_gets_all_event_lines_of_a_new_desk(venue: Venue, tmp_path: Path) -> None:
    owner = start_owner(venue, tmp_path)
    await owner.in_step()
    async with LinkProxy.serve(tmp_path) as proxy:
        window = attach(tmp_path, "proxy.sock")
        await window.in_step()
        await window.arm()
        on_answer(proxy, lambda line: [])
        price = new_price()
        lost = asyncio.ensure_future(window.submit(window.buy(price)))
        await until(lambda: any(row.price == price and row.state == "OPEN" for row in owner.orders().values()), 10)
        proxy.is_open = False
        proxy.cut()
        await owner.end()
        again = start_owner(venue, tmp_path)
        await again.in_step()
        earlier = [text for text in again.texts() if "left" not in text]
        proxy.is_open = True
        outcome = await lost
        [order] = sent_at(venue, price)
        assert (outcome.verdict, outcome.key) == (Verdict.ACCEPTED, order["clientOrderId"]), outcome
        await until(lambda: window.status().synced and not window.status().read_only, 10)
        assert window.status().trading_state is TradingState.VIEW
        await until(lambda: earlier[-1] in window.texts(), 10)
        assert [text for text in window.texts() if text in set(earlier)][-len(earlier) :] == earlier
        await window.end()
    await again.submit(CancelAll(decision=again.buy("1").decision, kill=True))
    await again.end()


async def test_b12_a_window_greeted_slowly_can_send_orders_later(far: Far) -> None:
    async def hold(line: bytes) -> Sequence[bytes]:
        if read(line)["type"] == "answer":
            far.proxy.down = pass_on
            await asyncio.sleep(1.3)
        return [line]

    far.proxy.down = hold
    far.proxy.cut()
    await until(lambda: far.window.status().read_only, 10)
    await until(far.window.is_back, 10)
    await far.window.arm()
    price = new_price()
    outcome = await far.window.submit(far.window.buy(price))
    assert outcome.verdict is Verdict.ACCEPTED, outcome


async def test_b12_an_arming_that_arrives_late_is_refused(far: Far) -> None:
    """The clock of its own machine is known to it, however late it was greeted."""

    async def answer_late(line: bytes) -> Sequence[bytes]:
        if read(line)["type"] == "answer":
            await asyncio.sleep(1.2)
        return [line]

    async def arm_late(line: bytes) -> Sequence[bytes]:
        if method_of(line) == "set_trading_state":
            far.proxy.up = pass_on
            far.proxy.down = pass_on
            await asyncio.sleep(COMMAND_S + 0.5)
        return [line]

    far.proxy.down, far.proxy.up = answer_late, arm_late
    far.proxy.cut()
    await until(lambda: far.window.status().read_only, 10)
    await until(far.window.is_back, 10)
    far.window.thread.set_trading_state(TradingState.ARMED)
    refused = "set_trading_state came "
    await until(lambda: any(refused in text for text in far.window.texts()), 10)
    assert far.window.status().trading_state is TradingState.VIEW


async def test_b15_an_unreadable_order_answer_is_asked_for_again(far: Far) -> None:
    def spoil(line: bytes) -> Sequence[bytes]:
        return [json.dumps({**read(line), "result": {"verdict": "of another version"}}).encode() + b"\n"]

    on_answer(far.proxy, spoil)
    price = new_price()
    outcome = await far.window.submit(far.window.buy(price))
    assert outcome.verdict is Verdict.ACCEPTED, outcome
    assert len(sent_at(far.venue, price)) == 1


@pytest.mark.parametrize(
    "line",
    [
        b"no JSON",
        b'{"type": "of another version"}',
        b'{"type": "answer", "id": 1, "more": ' + b"[" * 100_000 + b"]" * 100_000 + b"}",
        b'{"type": "refused", "id": 1, "text": "\xff"}',
    ],
    ids=["no JSON", "another version", "deep", "no UTF-8"],
)
async def test_b13_after_an_unreadable_line_the_window_reconnects(far: Far, line: bytes) -> None:
    async def spoil(true: bytes) -> Sequence[bytes]:
        far.proxy.down = pass_on
        return [line + b"\n", true]

    far.proxy.down = spoil
    far.window.thread.set_risk_mode(RiskMode.NORMAL)  # which is answered
    await until(lambda: far.window.status().read_only, 10)
    assert far.window.status().trading_state is TradingState.VIEW
    await until(far.window.is_back, 10)
    await until(far.shows_the_same, 20)


async def test_a_read_only_window_shows_that_its_arming_was_refused(venue: Venue, tmp_path: Path) -> None:
    owner = start_owner(venue, tmp_path)
    await owner.in_step()
    window = attach(tmp_path, read_only="it only looks")
    await window.in_step()
    window.thread.set_trading_state(TradingState.ARMED)
    await until(lambda: any("set_trading_state needs the role desk" in text for text in window.texts()), 10)
    assert window.status().trading_state is TradingState.VIEW
    await window.end()
    await owner.end()
