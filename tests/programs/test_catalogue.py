"""Every row of the catalogue by `desk.call`: those that read give what the venue says, the others are refused."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest

from crossdesk import Desk, DeskError, connect, connect_async
from tests.desk_protocol.desks import start_owner
from tests.venue.walk.reading import (
    ANSWERED,
    READ_ROWS,
    REFUSED_BY_SERVICE,
    call_without_limits,
    differences,
    read_calls,
    venue_answer,
)
from tests.venue.walk.world import World, open_world
from tui import paths
from tui.engine.service_reading import reader
from tui.interface.catalogue import ROWS


@pytest.fixture
def world() -> Iterator[World]:
    with open_world() as world:
        yield world


def call_every_row(world: World) -> tuple[int, list[str]]:
    """How many rows were read, and where they differ from what the venue gives."""
    wrong: list[str] = []

    read = 0
    with connect(name="reader") as desk:
        for row, params in read_calls(world):
            if row not in ANSWERED:
                with pytest.raises(DeskError, match=row.name) as refused:
                    desk.call(row.name, **params)
                assert row.removed or refused.value.code == REFUSED_BY_SERVICE[row.name]
                continue
            before = venue_answer(world, row, params)
            told: Any = msgspec.to_builtins(desk.call(row.name, **params))
            wrong += [f"{row.name}{text}" for text in differences(told, before, venue_answer(world, row, params))]
            read += 1
        refuse_commands(desk)
        refuse_unknown_parameters(desk)
    return read, wrong


def refuse_commands(desk: Desk) -> None:
    for row in ROWS:
        if row.is_command:
            with pytest.raises(DeskError, match=f"{row.name} changes something, and only lists and records are read"):
                desk.call(row.name, sym="BINANCE_PERP_BTC_USDT")


def refuse_unknown_parameters(desk: Desk) -> None:
    for row in ANSWERED:
        with pytest.raises(DeskError, match=f"{row.name} has no argument 'acknowledged'; it takes "):
            desk.call(row.name, acknowledged=True)
    with pytest.raises(DeskError, match="mark_price has no argument 'symm'; it takes sym; did you mean sym"):
        desk.call("mark_price", symm="BINANCE_PERP_BTC_USDT")
    with pytest.raises(DeskError, match="order_history has no argument 'page'; it takes "):
        desk.call("order_history", page=2)
    assert desk.call("mark_price", sym=None)


async def test_a_program_list_that_is_too_long_is_refused_and_not_cut(
    world: World, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(paths, "desk_socket", lambda folder: tmp_path / "desk.sock")
    monkeypatch.setattr(reader, "MAX_ROWS", 20)
    owner = start_owner(world.venue, tmp_path)
    await owner.in_step()
    async with connect_async(name="reader") as desk:
        with pytest.raises(DeskError, match=r"order_history has \d+ rows, of which 20 are read at most; narrow it"):
            await desk.call("order_history")
        assert 0 < len(await desk.call("open_orders")) < 20
    await owner.end()


async def test_a_python_program_can_call_every_reading_endpoint(
    world: World, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(paths, "desk_socket", lambda folder: tmp_path / "desk.sock")
    call_without_limits(monkeypatch)
    owner = start_owner(world.venue, tmp_path)
    await owner.in_step()
    read, wrong = await asyncio.to_thread(call_every_row, world)
    await owner.end()
    assert wrong == []
    assert (read, len(READ_ROWS), len(ROWS)) == (68, 73, 100)
