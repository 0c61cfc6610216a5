"""Screens of lists that any row of the catalogue answers: read when looked at, anew after a command, pages, refusals."""

from __future__ import annotations

from typing import ClassVar

import msgspec
import pytest

from tests.workstation.driver import Desk, desk
from tui.engine.rows import AccountCommandRow, CommandState, Table
from tui.engine.service_query import ListRead, MoreRows, ReadState, StopQuery, query_endpoint
from tui.interface.errors import OTHER_LEVEL
from tui.workstation.app.refused_login import NO_PORTFOLIO
from tui.workstation.table.columns import Field, Fields, of_row
from tui.workstation.widgets.lists.command_tab import command_tab
from tui.workstation.widgets.lists.query_pane import QueryPane
from tui.workstation.widgets.lists.query_screen import QueryScreen
from tui.workstation.widgets.lists.tab import ListTab, QueryTab


class Moved(msgspec.Struct, frozen=True):
    """A row of the sample."""

    id: str
    coin: str
    at: int = 0


FIELDS: Fields[Moved] = {
    "id": Field(12, of_row(lambda row: (row.id, "text")), left=True),
    "coin": Field(8, of_row(lambda row: (row.coin, "strong")), left=True),
}


class SamplePane(QueryPane):
    """Two lists and the commands about them."""

    id: ClassVar[str] = "sample"
    title: ClassVar[str] = "Sample"
    tabs: ClassVar[tuple[ListTab, ...]] = (
        QueryTab(
            name="moved", empty="no transfers", fields=FIELDS, at=lambda row: row.at,
            id=lambda row: row.id, endpoint="transfers", params=lambda view: {"currency": "USDT", "status": ""},
            follows=("transfer",), query_text="USDT",
        ),
        QueryTab(
            name="pools", empty="no pools", fields=FIELDS, at=lambda row: 0, id=lambda row: row.id,
            endpoint="rapid_pool", pick=lambda answer, view: [answer.data] if answer.data else [],
        ),
        command_tab("transfer"),
    )  # fmt: skip


async def enter(at: Desk) -> QueryScreen:
    parts = at.app.main_screen.parts._replace(request_read=at.port.read)
    screen = QueryScreen(parts, SamplePane(parts.view))
    screen.follow_state()
    await at.app.push_screen(screen)
    await at.settle()
    return screen


async def answer(at: Desk, *rows: Moved, state: ReadState = ReadState.WHOLE, **more: object) -> None:
    query = at.queries()[-1]
    found = ListRead(query=query, state=state, rows=rows, **more)  # type: ignore[arg-type]
    at.port.put(Table.ANSWERS, query.key, found)
    await at.settle()


def command(state: CommandState, key: str = "c1") -> AccountCommandRow:
    return AccountCommandRow(
        id=key, endpoint="transfer", title="transfer 500 USDT", state=state, sent_ms=1_700_000_000_000,
        changed_ms=1_700_000_000_000, text="",
    )  # fmt: skip


async def test_a_query_list_is_read_once_when_first_shown() -> None:
    async with desk(120, 36) as at:
        await enter(at)
        assert at.queries() == [query_endpoint("sample/moved", "transfers", (("currency", "USDT"),))]
        assert "requested; no reply yet" in at.text()
        await answer(at, Moved("t1", "USDT", 5), Moved("t2", "USDT", 9))
        assert at.text().index("t2") < at.text().index("t1") and "moved 2" in at.text()
        await at.press(")")
        assert at.queries()[-1].sources[0].endpoint == "rapid_pool"
        await answer(at, data=Moved("OKX", "USDT"))
        assert "OKX" in at.text()
        await at.press("(")
        assert len(at.queries()) == 2 and "t1" in at.text()


async def test_an_empty_query_list_names_what_is_missing() -> None:
    async with desk(120, 36) as at:
        await enter(at)
        await answer(at)
        assert "no transfers: USDT" in at.text()


async def test_a_failed_query_shows_in_its_list_and_can_be_repeated() -> None:
    async with desk(120, 36) as at:
        await enter(at)
        await answer(at, state=ReadState.FAILED, code=100003, text="100003 invalid user type")
        assert "not read: 100003 invalid user type" in at.text()
        await at.press("n")
        assert len(at.queries()) == 2
        await at.press("1")
        assert at.app.context.list_screen is at.app.main_screen


async def test_query_list_of_a_key_without_portfolio_says_so() -> None:
    async with desk(120, 36) as at:
        at.app.main_screen.parts.view.mirror.unreadable = NO_PORTFOLIO
        await enter(at)
        await answer(at, state=ReadState.FAILED, code=OTHER_LEVEL, text="100003 Needs the main key")
        assert f"{NO_PORTFOLIO}: nothing to show here" in at.text() and "100003" not in at.text()
        await answer(at, state=ReadState.FAILED, code=400000, text="400000 Invalid value")
        assert "not read: 400000 Invalid value" in at.text()


async def test_query_list_keys_load_more_stop_and_reload() -> None:
    async with desk(120, 36) as at:
        await enter(at)
        await answer(at, Moved("t1", "USDT"), state=ReadState.PART, total=3)
        assert "moved 1 of 3+" in at.text() and "n: more" in at.text()
        await at.press("n")
        assert at.port.read_requests[1:] == [MoreRows(key="sample/moved")]
        await answer(at, Moved("t1", "USDT"), state=ReadState.READING, total=3)
        await at.press("s")
        assert at.port.read_requests[2:] == [StopQuery(key="sample/moved")]
        await at.press("r")
        assert len(at.queries()) == 2


async def test_accepted_and_finished_commands_reload_affected_lists() -> None:
    async with desk(120, 36) as at:
        await enter(at)
        await answer(at, Moved("t1", "USDT"))
        at.port.put(Table.COMMANDS, "c1", command(CommandState.SENDING))
        await at.settle()
        assert len(at.queries()) == 1
        at.port.put(Table.COMMANDS, "c1", command(CommandState.RUNNING))
        await at.settle()
        assert len(at.queries()) == 2
        await at.press(")")
        at.port.put(Table.COMMANDS, "c1", command(CommandState.DONE))
        await at.settle()
        assert [one.sources[0].endpoint for one in at.queries()] == ["transfers", "transfers", "rapid_pool"]
        await at.press("(")
        assert at.queries()[-1].sources[0].endpoint == "transfers"


async def test_only_an_unknown_command_is_dismissed_by_a_typed_word() -> None:
    async with desk(120, 36) as at:
        await enter(at)
        at.port.put(Table.COMMANDS, "c1", command(CommandState.UNKNOWN))
        at.port.put(Table.COMMANDS, "c2", command(CommandState.DONE, "c2"))
        await at.press("(")
        assert "transfer 500 USDT" in at.text() and "UNKNOWN" in at.text() and "sent 2" in at.text()
        assert "UNK 1 command" in at.text()
        at.app.context.list_screen.tables["sample"].select("c2")
        await at.press("delete")
        assert any("only an UNKNOWN order or command can be dismissed" in line for line in at.events())
        at.app.context.list_screen.tables["sample"].select("c1")
        await at.press("delete")
        assert "treat transfer 500 USDT as gone" in at.text()
        at.clock.pass_by(0.5)
        await at.press(*"dismiss", "enter")
        assert at.port.dismissed == ["c1"]


@pytest.mark.parametrize(("columns", "lines"), [(80, 24), (120, 36), (200, 60), (60, 20)])
async def test_query_list_fits_every_screen_size(columns: int, lines: int) -> None:
    async with desk(columns, lines) as at:
        await enter(at)
        await answer(at, *[Moved(f"t{number}", "USDT", number) for number in range(50)])
        assert all(len(line) == columns for line in at.text().splitlines())
        await at.press("(")
        assert all(len(line) == columns for line in at.text().splitlines())


async def test_a_list_that_a_command_made_old_reloads_when_shown_again() -> None:
    def read(at: Desk) -> int:
        return sum(one.sources[0].endpoint == "transfers" for one in at.queries())

    async with desk(120, 36) as at:
        await at.press("W")
        assert read(at) == 1
        await at.press("escape")
        at.port.put(Table.COMMANDS, "c1", command(CommandState.DONE))
        await at.settle()
        assert read(at) == 1
        await at.press("W")
        assert read(at) == 2
