"""The desk of plain programs: it has every name of the asyncio one, with the same arguments."""

from __future__ import annotations

import asyncio
import inspect
from pathlib import Path

from crossdesk import AsyncDesk, Desk
from tests.desk_protocol.desks import BTC, DeskOf
from tests.lint.python_names import UNNAMED
from tests.programs.test_python import program


def named(desk: type) -> dict[str, object]:
    """Names for programs, with their arguments; None of a property."""
    members = [(name, member) for name, member in inspect.getmembers(desk) if not name.startswith("_")]
    return {
        name: [*inspect.signature(member).parameters.values()] if callable(member) else None
        for name, member in members
        if name not in UNNAMED
    }


def test_the_class_desk_has_every_name_of_async_desk() -> None:
    assert named(Desk) == named(AsyncDesk)


async def test_a_program_without_asyncio_reads_quotes_links_and_lists(owner: DeskOf, tmp_path: Path) -> None:
    def run() -> None:
        with Desk(program(tmp_path, "plain")) as desk:
            desk.watch(BTC)
            quote, age = desk.newest_quote(BTC), desk.quote_age(BTC)
            assert quote is not None and quote.sym == BTC and age is not None
            desk.prove_alive()
            assert desk.silent_s < 5 and desk.adl_ranks == []
            assert "public" in [link.name for link in desk.links]
            last = desk.recent_events()[-1].number
            assert desk.recent_events(last) == []
            assert desk.read("mark_price", {"sym": BTC}).total == 1

    await asyncio.to_thread(run)
