"""Whatever number of boxes lies over the desk, what changes behind and inside them is painted."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

import pytest
from textual.events import AppBlur, AppFocus

from tests.workstation.driver import Desk, desk
from tests.workstation.emulated import EmulatedTerminal, painted, terminal_of
from tui.engine.event_line import Level
from tui.engine.intents import Outcome, Verdict
from tui.workstation.app.frames import FPS_UNDER_BOX
from tui.workstation.input.scopes import Scope
from tui.workstation.settings import WorkstationSettings

SETTINGS = WorkstationSettings(bell=False, cancel_all_on_quit="never", confirm_arm_ms=0)
BTC = "BINANCE_PERP_BTC_USDT"


def seen(at: Desk) -> str:
    """What the terminal shows."""
    return "\n".join(terminal_of(at).screen.display)


async def ask_over_a_form(at: Desk) -> None:
    """A question that the answer of the engine opened over a form."""
    at.port.outcomes.append(Outcome(verdict=Verdict.ASK, guard="SECOND_STOP", text="the leg has a stop already"))
    await at.select_leg()
    await at.press("p", *"50000", "enter", "enter", "y")
    await painted(at)
    assert at.scope() is Scope.PROMPT and "the leg has a stop already" in seen(at)


@pytest.mark.parametrize(("size", "above"), [((80, 24), ("X",)), ((160, 45), ())])
async def test_panes_keep_updating_behind_stacked_dialogs(size: tuple[int, int], above: Sequence[str]) -> None:
    async with desk(*size, settings=SETTINGS, terminal=EmulatedTerminal) as at:
        await ask_over_a_form(at)
        await at.press(*above)
        await painted(at)
        assert len(at.app.screen_stack) == 3 + len(above)
        for turn in range(2):
            at.port.quote(BTC, f"6391{turn}.10", f"6391{turn}.20")
            at.port.event(f"event number {turn}", Level.WARN)
            await painted(at)
            assert f"event number {turn}" in seen(at)
            assert f"63,91{turn}.1" in seen(at)
            before = seen(at).split("\n")[:3]
            at.clock.pass_by(61.0)
            at.app._tick()
            await painted(at)
            assert seen(at).split("\n")[:3] != before, "the clock goes on"
        await at.press("w")
        await painted(at)
        assert "is not an answer here" in seen(at)
        keys = seen(at).split("\n")[-1]
        assert ("back" in keys) and "next field" not in keys, keys


async def test_once_the_program_ends_nothing_more_is_drawn() -> None:
    """Rows go on coming while its screens go away."""
    async with desk() as at:
        frame = at.app.repaint_scheduler
        assert frame is not None
        at.app.exit()
        paints, own = frame.paints, frame.own_paints
        at.port.quote(BTC, "63911.10", "63911.20")
        for urgent in (True, False):
            frame.wake(urgent=urgent)
            await asyncio.sleep(0.05)
        assert (frame.paints, frame.own_paints) == (paints, own) and frame.idle


async def test_quotes_are_painted_less_often_under_an_open_box() -> None:
    """Each frame under a box draws the whole screen; what concerns the account is painted at once as ever."""
    async with desk(120, 36) as at:
        scheduler = at.app.repaint_scheduler
        assert scheduler is not None

        async def read_pace(bid: str) -> int:
            at.port.quote(BTC, bid, "64100.0")
            await at.settle()
            return scheduler.fps

        assert await read_pace("64000.1") == 60
        await at.press("?")
        assert await read_pace("64000.2") == FPS_UNDER_BOX
        at.app.post_message(AppBlur())
        await at.settle()
        assert scheduler.fps == at.app.settings.fps_unfocused
        at.app.post_message(AppFocus())
        await at.press("escape")
        assert await read_pace("64000.3") == 60
