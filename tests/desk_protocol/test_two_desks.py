"""A second desk on the first one's engine: the same rows, a trading state of its own, and one gate for both."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from functools import partial
from pathlib import Path

import msgspec
import pytest
import pytest_asyncio

from tests.client.fakes import until
from tests.desk_protocol.desks import BTC, DeskOf, attach, start_owner
from tests.venue.shell.conftest import Venue
from tui.desk_protocol import server
from tui.desk_protocol.messages import MOST_FORESEEN
from tui.engine.conflating_queue import Batch
from tui.engine.engine import Engine
from tui.engine.intents import Cancel, CancelAll, Outcome, PlaceAlgo, Protection, SetPositionMode, Verdict
from tui.engine.journal.unreached_entry import KILL, UnreachedEntry, cause_of
from tui.engine.life.engine_core import EngineCore
from tui.engine.modes import RiskMode, TradingState
from tui.engine.rows import Table
from tui.engine.service_query import ListRead, ReadState, query_endpoint
from tui.engine.status_rows import ENGINE, LinkRow
from tui.host import HostClock
from tui.interface.families.algo import Condition
from tui.interface.families.orders import Side
from tui.interface.streams import Detail
from tui.workstation.model.mirror import Mirror

OKX = "OKX_PERP_BTC_USDT"
SKIPPED = frozenset([Table.LINKS, Table.ENGINE_STATUS, Table.ANSWERS, Table.DEPTH, Table.PRINTS, Table.BARS])
"""Tables whose rows belong to one desk, or change while they are compared."""


@pytest_asyncio.fixture
async def desks(venue: Venue, tmp_path: Path) -> AsyncIterator[tuple[DeskOf, DeskOf]]:
    owner = start_owner(venue, tmp_path)
    await owner.in_step()
    other = attach(tmp_path)
    await other.in_step()
    yield owner, other
    await other.end()
    await owner.end()


def has_state(desk: DeskOf, key: str, state: str) -> bool:
    row = desk.orders().get(key)
    return row is not None and row.state == state


def says(desk: DeskOf, text: str) -> bool:
    return any(text in line for line in desk.texts())


async def test_a_second_desk_sees_the_same_rows(desks: tuple[DeskOf, DeskOf]) -> None:
    owner, _ = desks

    def alike() -> bool:
        mine, theirs = (
            {table: rows for table, rows in desk.screen.look().tables.items() if table not in SKIPPED and rows}
            for desk in desks
        )
        return mine == theirs and mine.keys() >= wanted

    wanted = {Table.SYMBOLS, Table.QUOTES, Table.ACCOUNTS, Table.ASSETS, Table.FEES, Table.LEVERAGES}
    await until(alike, 20)
    assert [peer.name for peer in owner.status().peers] == ["desk 2"]


async def test_each_desk_sends_by_its_own_trading_state(desks: tuple[DeskOf, DeskOf]) -> None:
    owner, other = desks
    await owner.arm()
    assert other.status().trading_state is TradingState.VIEW
    denied = await other.submit(other.buy("50000"))
    assert (denied.verdict, denied.guard) == (Verdict.DENIED, "STATE")
    await other.arm()
    owner.thread.set_trading_state(TradingState.VIEW)
    await until(lambda: owner.status().trading_state is TradingState.VIEW)
    placed = await other.submit(other.buy("60000"))
    assert placed.verdict is Verdict.ACCEPTED, placed
    for desk in desks:
        await until(partial(has_state, desk, placed.key, "OPEN"), 10)
        assert desk.orders()[placed.key].peer == "desk 2"
        await until(partial(says, desk, f"by {'desk 2' if desk is owner else 'you'}: OPEN"), 10)
    decision = other.buy("1").decision
    assert (await other.submit(Cancel(decision=decision, key=placed.key))).verdict is Verdict.ACCEPTED
    await until(lambda: owner.orders()[placed.key].final, 10)


async def test_b20_the_kill_switch_of_one_desk_stops_all(desks: tuple[DeskOf, DeskOf]) -> None:
    owner, other = desks
    await owner.arm()
    await other.arm()
    placed = await owner.submit(owner.buy("60000"))
    assert placed.verdict is Verdict.ACCEPTED
    await until(lambda: placed.key in other.orders(), 10)
    killed = await other.submit(CancelAll(decision=other.buy("1").decision, kill=True))
    assert killed.verdict is Verdict.ACCEPTED, killed
    for desk, name in zip(desks, ("desk 2", "you"), strict=True):
        for text in (f"HALT: kill switch by {name}", f"cancel-all by {name}: 1 accepted"):
            await until(partial(says, desk, text), 10)
        await until(partial(has_state, desk, placed.key, "CANCELLED"), 10)
        lines = [line for line in desk.screen.look().events if f"cancel-all by {name}: 1" in line.text]
        assert {(line.stays, line.peer) for line in lines} == {(True, "desk 2")}
        assert desk.status().trading_state is TradingState.VIEW
        assert desk.status().risk_mode is RiskMode.HALT and desk.status().kills == 1
    owner.thread.set_risk_mode(RiskMode.NORMAL)
    await until(lambda: other.status().risk_mode is RiskMode.NORMAL)


async def test_a_window_attached_late_shows_and_ends_a_kills_warning(
    desks: tuple[DeskOf, DeskOf], tmp_path: Path
) -> None:
    """It showed nothing, and a window attached before went on showing what another one had kept."""
    owner, other = desks
    await owner.arm()
    placed = await owner.submit(owner.buy("60000"))
    missed = UnreachedEntry(kind=KILL, at_ms=1, orders=(placed.key,))

    def restore(core: EngineCore) -> None:
        assert isinstance(core, Engine)
        core.monitors.unreached.restore([missed])

    owner.thread._call(restore)
    await until(lambda: warned_of(owner) and warned_of(owner) == warned_of(other), 10)
    late = attach(tmp_path)
    await late.in_step()
    windows = (owner, other, late)
    try:
        assert warned_of(late) == warned_of(owner) and "kill missed, redo it: 1 order" in warned_of(late)[0]
        assert {window.status().unreached for window in windows} == {"1 order"}
        late.thread.dismiss(cause_of(KILL))
        await until(lambda: not any(warned_of(window) for window in windows), 10)
        await until(lambda: not any(window.status().unreached for window in windows), 10)
    finally:
        await late.end()
    last = attach(tmp_path)
    await last.in_step()
    assert warned_of(last) == [], "what is kept is not told to a further window"
    await last.end()


async def test_a_window_attached_over_a_cut_link_shows_that_it_is_cut(
    desks: tuple[DeskOf, DeskOf], venue: Venue, tmp_path: Path
) -> None:
    """It said neither `LINK DOWN` nor `STALE`, and `syncing` above the rows, where the other windows did."""
    owner, other = desks
    await owner.arm()
    placed = await owner.submit(owner.buy("60000"))
    assert placed.verdict is Verdict.ACCEPTED
    venue.set("network", "cut")
    await until(lambda: not other.status().synced and not links_of(other)["private"].is_logged_in, 20)
    late = attach(tmp_path)
    try:
        await until(lambda: placed.key in late.orders(), 20)
        await until(lambda: {window.status().was_synced for window in (owner, other, late)} == {True})
        mirror = Mirror(HostClock())
        mirror.apply(Batch({Table.ENGINE_STATUS: {ENGINE: late.status()}, Table.LINKS: {**links_of(late)}}, [], 0))
        assert mirror.synced_once and not mirror.proven("private")
    finally:
        await late.end()
        venue.set("network", "up")
        await until(lambda: owner.status().synced, 30)


def links_of(desk: DeskOf) -> dict[str, LinkRow]:
    """The links to the venue, as a desk knows them."""
    rows = desk.screen.look().tables[Table.LINKS]
    return {key: row for key, row in rows.items() if isinstance(row, LinkRow)}


def warned_of(desk: DeskOf) -> list[str]:
    """The warnings that stand on the line of the newest events of a desk."""
    mirror = Mirror(HostClock())
    mirror.apply(Batch({}, list(desk.screen.look().events), 0))
    return [line.text for line in mirror.event_log.sticky if line.keepable]


async def test_each_desk_is_told_who_changed_the_risk_mode(desks: tuple[DeskOf, DeskOf]) -> None:
    """`by you` was said to both of what the trader at the desk that holds the account did."""
    owner, other = desks
    await owner.arm()
    await until(partial(says, owner, "Armed (by you)"))
    await until(partial(says, other, "Armed (by its trader)"))
    owner.thread.set_risk_mode(RiskMode.REDUCING)
    await until(lambda: other.status().risk_mode is RiskMode.REDUCING and says(other, "REDUCING: by desk"))
    assert (owner.status().risk_mode_reason, other.status().risk_mode_reason) == ("by you", "by desk")
    await other.arm()
    refused = [await desk.submit(desk.buy("60000")) for desk in desks]
    assert ["(by you)" in refused[0].text, "(by desk)" in refused[1].text] == [True, True]
    other.thread.set_risk_mode(RiskMode.NORMAL)
    for desk, name in zip(desks, ("desk 2", "you"), strict=True):
        await until(partial(says, desk, f"NORMAL: resumed by {name}"))
    other.thread.set_risk_mode(RiskMode.HALT)
    await until(lambda: reasons_of(desks) == ("by desk 2", "by you"))
    owner.thread.set_risk_mode(RiskMode.NORMAL)
    await until(partial(says, other, "NORMAL: resumed by desk; it was HALT"))
    assert says(owner, "NORMAL: resumed by you; it was HALT")


def reasons_of(desks: tuple[DeskOf, DeskOf]) -> tuple[str, ...]:
    """Why the risk mode is strict, at each desk."""
    return tuple(desk.status().risk_mode_reason for desk in desks)


async def test_a_kill_of_the_first_window_bears_its_name(desks: tuple[DeskOf, DeskOf]) -> None:
    """The others read `HALT: kill switch` and `kill: …`, as if nobody had done it."""
    owner, other = desks
    await owner.arm()
    await other.arm()
    killed = await owner.submit(CancelAll(decision=owner.buy("1").decision, kill=True))
    assert killed.verdict is Verdict.ACCEPTED, killed
    for desk, name in zip(desks, ("you", "desk"), strict=True):
        await until(partial(says, desk, f"HALT: kill switch by {name}"), 10)
        await until(partial(says, desk, f"Disarmed (kill switch by {name})"), 10)
        await until(lambda desk=desk, name=name: desk.status().killed_by == f"by {name}")  # type: ignore[misc]
    await until(lambda: reasons_of(desks) == ("kill switch by you", "kill switch by desk"))
    await until(partial(says, other, "cancel-all by desk: no order"), 10)
    assert says(owner, "cancel-all: no order") and not any("{by}" in text for text in (*owner.texts(), *other.texts()))


@pytest.mark.parametrize("by", [0, 1])
async def test_a_changed_setting_names_the_window_that_sent_it(desks: tuple[DeskOf, DeskOf], by: int) -> None:
    """`position mode BINANCE: one-way → hedge accepted` of the first window stood in the others without a name."""
    await desks[by].arm()
    intent = SetPositionMode(decision=desks[by].buy("1").decision, exchange="BINANCE", mode="BOTH", before="NET")
    assert (await desks[by].submit(intent)).verdict is Verdict.ACCEPTED
    for desk, name in zip(desks, (("", " by desk"), (" by desk 2", " by you"))[by], strict=True):
        text = f"position mode of BINANCE{name}: NET (one-way) → BOTH (hedge) accepted"
        await until(partial(says, desk, text), 10)


async def test_a_line_about_ones_own_window_names_no_desk(desks: tuple[DeskOf, DeskOf]) -> None:
    """`desk 2: Armed (by its trader)` stood in the window that is desk 2."""
    owner, other = desks
    denied = await other.submit(other.buy("50000"))
    assert denied.guard == "STATE"
    await until(partial(says, owner, "desk 2: DENIED (STATE)"), 10)
    await other.arm()
    await owner.arm()
    await until(partial(says, owner, "desk 2: Armed (by its trader)"), 10)
    await until(partial(says, other, "desk: Armed (by its trader)"), 10)
    mine = [text for text in other.texts() if text.startswith(("Armed", "DENIED"))]
    assert mine[-1] == "Armed (by you)" and mine[0].startswith("DENIED (STATE)"), mine
    assert (await owner.submit(owner.buy("1"))).verdict is Verdict.DENIED
    await until(lambda: any(text.startswith("desk: DENIED (") for text in other.texts()), 10)


@pytest.mark.parametrize("by", [0, 1])
async def test_a_missed_kill_says_in_each_window_whose_it_was(desks: tuple[DeskOf, DeskOf], by: int) -> None:
    owner, killer = desks[0], desks[by]
    await owner.arm()
    placed = await owner.submit(owner.buy("60000"))
    await until(lambda: placed.key in desks[1].orders(), 10)
    kill = CancelAll(decision=msgspec.structs.replace(killer.buy("1").decision, peer=("", "desk 2")[by]), kill=True)

    def note(core: EngineCore) -> None:
        assert isinstance(core, Engine)
        denied = Outcome(verdict=Verdict.DENIED, guard="LINK", text="not connected")
        core.monitors.unreached.note(kill, denied, core.state.server_ms())
        core.set_risk_mode(RiskMode.HALT)

    owner.thread._call(note)
    warned = (("kill missed", "kill by desk missed"), ("kill by desk 2 missed", "kill by you missed"))[by]
    names = (("you", "desk"), ("desk 2", "you"))[by]
    for desk, words, name in zip(desks, warned, names, strict=True):
        await until(partial(says, desk, f"{words}, redo it: 1 order"), 10)
        await until(lambda desk=desk, name=name: desk.status().risk_mode_reason == f"kill by {name}: 1 order live")  # type: ignore[misc]


async def test_a_hot_ended_at_another_desk_is_not_ended_by_you(desks: tuple[DeskOf, DeskOf]) -> None:
    _, other = desks
    await other.arm()
    other.thread.enter_hot(60)
    await until(lambda: other.status().trading_state is TradingState.HOT)
    other.thread.end_hot("by you")
    for desk, text in zip(desks, ("desk 2: Armed (HOT ended: by desk 2)", "Armed (HOT ended: by you)"), strict=True):
        await until(partial(says, desk, text))
    assert not says(desks[1], "desk 2: ")


async def test_link_age_on_an_attached_desk_is_current_without_quotes(desks: tuple[DeskOf, DeskOf]) -> None:
    """It looked stale, because what changes an age alone wakes no screen."""
    _, other = desks

    def heard() -> float:
        link = other.screen.look().tables[Table.LINKS]["public"]
        assert isinstance(link, LinkRow)
        return link.last_frame

    before = heard()
    await until(lambda: heard() > before + 2, 10)


async def test_lists_and_books_go_only_to_the_desk_that_asked(desks: tuple[DeskOf, DeskOf]) -> None:
    owner, other = desks
    other.thread.read(query_endpoint("asked", "mark_price", (("sym", BTC),)))
    other.thread.look_at(Detail(BTC))

    def answer() -> ListRead | None:
        found = other.screen.look().tables.get(Table.ANSWERS, {}).get("asked")
        return found if isinstance(found, ListRead) and not found.under_way else None

    await until(lambda: answer() is not None, 10)
    found = answer()
    assert (
        found is not None
        and found.state is ReadState.WHOLE
        and [getattr(row, "sym", "") for row in found.rows] == [BTC]
    )
    await until(lambda: other.screen.look().tables.get(Table.DEPTH, {}).get(BTC), 10)
    assert not owner.screen.look().tables.get(Table.DEPTH) and not owner.screen.tables.get(Table.ANSWERS)
    other.thread.look_at(None)
    await until(lambda: not other.screen.look().tables[Table.DEPTH], 10)


async def test_an_attached_desk_is_read_only_while_the_first_is_gone(venue: Venue, tmp_path: Path) -> None:
    owner = start_owner(venue, tmp_path)
    await owner.in_step()
    other = attach(tmp_path)
    await other.in_step()
    await other.arm()
    await owner.end()
    await until(lambda: other.status().read_only, 10)
    assert (await other.submit(other.buy("60000"))).guard == "LINK"
    again = start_owner(venue, tmp_path)
    await again.in_step()
    await until(lambda: not other.status().read_only and other.status().synced, 20)
    assert other.status().trading_state is TradingState.VIEW
    await other.end()
    await again.end()
    assert not (tmp_path / "desk.sock").exists()
    assert asyncio.all_tasks() == {asyncio.current_task()}


async def test_a_window_that_is_refused_says_why_and_attaches_later(
    venue: Venue, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    owner = start_owner(venue, tmp_path)
    await owner.in_step()
    monkeypatch.setattr(server, "VERSIONS", (2,))
    other = attach(tmp_path)
    why = "not attached: the desk that trades this account does not answer (version 1 is not spoken here; accepted: 2)"
    await until(lambda: says(other, why), 10)
    await until(lambda: not owner.status().peers, 10)
    monkeypatch.undo()
    await other.in_step()
    assert sum(why in text for text in other.texts()) == 1 and says(other, "this window is attached as desk 2")
    await other.end()
    await owner.end()


async def test_a_cancel_all_names_the_desk_that_sent_it(desks: tuple[DeskOf, DeskOf]) -> None:
    owner, other = desks
    for desk, words in ((other, (" by desk 2", " by you")), (owner, ("", " by desk"))):
        await desk.arm()
        done = await desk.submit(CancelAll(decision=desk.buy("1").decision, sym=BTC))
        assert done.verdict is Verdict.ACCEPTED and done.text == "cancel-all: no order was working"
        for reader, name in zip(desks, words, strict=True):
            await until(partial(says, reader, f"cancel-all{name}: no order"), 10)


@pytest.mark.parametrize("has_screen", [True, False])
async def test_a_window_lists_the_desk_that_holds_the_account(venue: Venue, tmp_path: Path, has_screen: bool) -> None:
    """Also in VIEW, where it was left out; a gateway without a screen is no desk."""
    owner = start_owner(venue, tmp_path, has_screen=has_screen)
    await owner.in_step()
    other = attach(tmp_path)
    await other.in_step()
    view, armed = TradingState.VIEW, TradingState.ARMED

    def others() -> list[tuple[str, TradingState]]:
        return [(peer.name, peer.trading_state) for peer in other.status().peers]

    assert others() == ([("desk", view)] if has_screen else [])
    if has_screen:
        await owner.arm()
        await until(lambda: others() == [("desk", armed)], 5)
    await other.end()
    await owner.end()


async def test_a_preview_of_many_orders_is_asked_for_in_several_calls(desks: tuple[DeskOf, DeskOf]) -> None:
    _, other = desks
    orders = [other.buy("60000.05"), *[other.buy("60000")] * MOST_FORESEEN]
    answers = await asyncio.wrap_future(other.thread.foresee(orders))
    assert len(answers) == len(orders) and "Price 60000.05" in answers[0].text


async def test_a_read_only_desk_previews_a_stop_as_if_it_could_send(venue: Venue, tmp_path: Path) -> None:
    """`crossdesk do` without --arm beside an open desk."""
    owner = start_owner(venue, tmp_path)
    await owner.in_step()
    other = attach(tmp_path, read_only="it only looks")
    await other.in_step()
    stop = PlaceAlgo(
        decision=other.buy("60000").decision, sym=BTC, side=Side.BUY, condition=Condition.CONDITIONAL, qty="0.01",
        conditional=Protection(trigger="60000", source="LAST_PRICE"),
    )  # fmt: skip
    [answer] = await asyncio.wrap_future(other.thread.foresee([stop]))
    assert answer.verdict is Verdict.ACCEPTED, answer
    await other.end()
    await owner.end()


@pytest.mark.parametrize("by", [0, 1])
async def test_a_changed_symbol_rule_can_be_accepted_on_either_desk(desks: tuple[DeskOf, DeskOf], by: int) -> None:
    """The change of the other pair waits on, and so does one that is not the one that was shown."""
    shown = {BTC: "BINANCE BTC perp: tick was 0.1, is 0.5 now", OKX: "OKX BTC perp: contract size was 1, is 100 now"}

    def change(engine: EngineCore) -> None:
        engine.state.trading.changed_rules.update(shown)  # type: ignore[attr-defined]

    desks[0].thread._call(change)
    await until(lambda: all(dict(desk.status().changed_rules) == shown for desk in desks), 10)
    desks[by].thread.acknowledge_rules({BTC: shown[BTC], OKX: "an earlier change"})
    for desk in desks:
        await until(partial(says, desk, f"you accept the new rules and trade by them: {shown[BTC]}"), 10)
        await until(lambda desk=desk: dict(desk.status().changed_rules) == {OKX: shown[OKX]}, 10)  # type: ignore[misc]
