"""What is foreseen to be refused is not sent by Enter; `y` sends all the same what the venue alone would refuse."""

from __future__ import annotations

import msgspec
import pytest

from tests.workstation.driver import Desk, desk
from tests.workstation.tickets.ticket_desk import BTC, read_panel
from tui.engine.intents import Place, Replace
from tui.engine.limits import Limits
from tui.engine.rows import Table
from tui.workstation.input.scopes import Scope

SIZES = [(160, 45), (80, 24), (60, 20)]
TAKES = "a post-only order would take: the ask is 64,001.2"


async def stage_a_taker(at: Desk) -> None:
    """A post-only buy above the ask."""
    await at.press("b", "up", "up", "up", "up")


@pytest.mark.parametrize("moves", [False, True])
@pytest.mark.parametrize("size", SIZES)
async def test_enter_sends_no_post_only_order_that_takes(size: tuple[int, int], *, moves: bool) -> None:
    """`y sends all the same` was said, and `y` was refused once the market had moved away from the order."""
    async with desk(*size) as at:
        await stage_a_taker(at)
        does = "asks first" if size[0] == 60 else "sends"
        assert f"would be refused · y {does}" in read_panel(at) and "y send " in at.text().splitlines()[-1]
        await at.press("enter")
        assert at.port.intents == [] and at.events()[-1] == f"{TAKES}: y sends all the same"
        if moves:
            at.port.quote(BTC, "64090.0", "64090.2")
            await at.settle()
            assert f"Enter {does}" in read_panel(at)
            await at.pause(1.0)
        await at.press("y")
        assert [type(intent) for intent in at.port.intents] == [Place]


async def test_enter_just_after_a_foreseen_denial_ended_sends_nothing() -> None:
    async with desk(160, 45) as at:
        at.port.set_desk(limits=Limits(hard_notional="50"))
        await at.settle()
        await at.press("b")
        assert "would be refused" in read_panel(at) and "y sends" not in read_panel(at)
        at.port.set_desk(limits=Limits())
        await at.settle()
        at.send_now("enter")
        await at.settle()
        assert at.port.intents == [] and "read it, then press enter again" in at.events()[-1]


@pytest.mark.parametrize("key", ["y", "enter"])
async def test_a_key_just_after_a_forecast_changed_sends_nothing(key: str) -> None:
    async with desk(160, 45) as at:
        await stage_a_taker(at)
        at.port.quote(BTC, "64090.0", "64090.2")
        await at.settle()
        assert "refused" not in read_panel(at) and "Enter sends" in read_panel(at)
        at.port.quote(BTC, "63990.0", "63990.2")
        await at.settle()
        at.send_now(key)
        await at.settle()
        said = "it has just changed by itself: read it, then press y"
        again = " again" if key == "y" else ""
        assert at.port.intents == [] and at.events()[-1].endswith(f"{said}{again}"), "Enter sends nothing here"


async def test_a_replace_without_margin_is_not_sent_by_enter() -> None:
    async with desk(160, 45) as at:
        at.port.set_desk(limits=Limits(soft_notional="9000000", hard_notional="9000000", first_of_day=False))
        account = at.app.mirror.accounts["BINANCE"]
        told = msgspec.structs.replace(account.record, available_margin="1000")
        at.port.put(Table.ACCOUNTS, "BINANCE", msgspec.structs.replace(account, record=told))
        await at.press("2")
        at.app.main_screen.tables["orders"].select("o3")
        await at.press("e", "tab", *["backspace"] * 8, *"60", "tab", "tab")
        assert "would be refused · y sends" in read_panel(at)
        await at.press("enter")
        assert at.port.intents == []
        await at.press("y")
        assert [type(intent) for intent in at.port.intents] == [Replace]


@pytest.mark.parametrize("size", SIZES)
async def test_an_order_line_that_the_venue_would_refuse_asks_first(size: tuple[int, int]) -> None:
    async with desk(*size) as at:
        await at.press(":", *"buy 0.001 BTC BINANCE_PERP_BTC_USDT at 64010 po")
        assert "refused · Enter asks" in read_panel(at)
        await at.press("enter")
        assert at.port.intents == [] and at.scope() is Scope.ASK
        assert f"? {TAKES}: send all the same?" in read_panel(at)
        await at.press("y")
        assert [type(intent) for intent in at.port.intents] == [Place]
