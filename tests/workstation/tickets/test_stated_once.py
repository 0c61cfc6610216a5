"""What a ticket says stands in it once, and is of now."""

from __future__ import annotations

import msgspec
import pytest

from tests.workstation.driver import desk
from tests.workstation.tickets.ticket_desk import open_form, read_panel, type_in
from tui.engine.intents import Outcome, Verdict
from tui.engine.limits import Limits
from tui.engine.rows import Table
from tui.workstation.tickets.panel import TicketPanel
from tui.workstation.tickets.ticket_box import Rows

SIZES = [(160, 45), (80, 24)]


@pytest.mark.parametrize("size", SIZES)
async def test_a_blocked_ticket_says_once_that_backspace_continues(size: tuple[int, int]) -> None:
    async with desk(*size) as at:
        await at.press("b", "s")
        said = read_panel(at)
        assert said.count("Backspace continues") == 1 and "! this is a BUY: Esc drops it. " in said, said


async def test_a_size_off_the_lot_says_what_a_contract_is() -> None:
    async with desk(160, 45) as at:
        await open_form(at)
        await type_in(at, "size", "0.1")
        await at.press("enter")
        assert "Size is in contracts (1 ct = 0.01 BTC): 0.1ct must be a multiple of 1 ct (nearest 1ct)" in read_panel(
            at
        )


async def test_a_denied_ticket_shows_its_denial_in_rounded_figures() -> None:
    async with desk(160, 45) as at:
        at.port.set_desk(limits=Limits(hard_notional="50"))
        at.port.outcomes = [Outcome(verdict=Verdict.DENIED, guard="NOTIONAL", text="63.99 over the 50 limit")]
        await at.settle()
        await at.press("b", "enter")
        assert "! 64 over the 50 limit" in read_panel(at) and at.events()[-1].endswith("63.99 over the 50 limit")


async def test_a_replace_of_an_ended_order_offers_no_key_that_sends() -> None:
    async with desk(160, 45) as at:
        await at.press("2")
        at.app.main_screen.tables["orders"].select("o3")
        await at.press("e", "tab", "tab", "tab")
        order = at.app.mirror.orders["o3"]
        ended = msgspec.structs.replace(order, executed=order.qty, state="FILLED", final=True)
        at.port.put(Table.ORDERS, "o3", ended)
        await at.settle()
        keys = at.text().splitlines()[-1]
        assert "there is nothing to replace" in at.text() and " send" not in keys and " fields" not in keys, keys


async def test_a_ticket_computes_its_rows_once_per_drawing(monkeypatch: pytest.MonkeyPatch) -> None:
    """Its figures and what would refuse it are the same on each line of one drawing."""
    built: list[int] = []
    rows = TicketPanel._rows

    def count(panel: TicketPanel, inside: int) -> Rows:
        built.append(inside)
        return rows(panel, inside)

    async with desk() as at:
        await open_form(at)
        monkeypatch.setattr(TicketPanel, "_rows", count)
        at.text()
        assert len(built) == 1 and built[0] > 3
