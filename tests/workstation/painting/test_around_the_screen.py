"""What a terminal is asked for beside its cells: its clipboard, a notice on the desktop, its bell; each byte of it."""

from __future__ import annotations

import base64
import re

import pytest

from tests.workstation.alerts.test_keys import BTC, type_line
from tests.workstation.driver import Desk, desk
from tests.workstation.emulated import EmulatedTerminal, painted, terminal_of
from tui.workstation.features.alerts.keys import SIGNAL_S
from tui.workstation.settings import WorkstationSettings

_COMMAND = re.compile(r"\x1b\]([^\x07\x1b]*)(?:\x07|\x1b\\)")
"""A command to the terminal that is no drawing (OSC); its end may be a bell that does not ring."""
TITLE, SHAPE = "2;", "22;"
"""Beginnings of commands for the title of the window and the shape of the pointer."""
BELL = "\x07"


def written(at: Desk) -> str:
    return "".join(terminal_of(at).written)


def commands(at: Desk) -> list[str]:
    """What the terminal was asked for, without title and pointer."""
    return [one for one in _COMMAND.findall(written(at)) if not one.startswith((TITLE, SHAPE))]


def rings(at: Desk) -> int:
    """How often the bell rang."""
    return _COMMAND.sub("", written(at)).count(BELL)


def clipboard(at: Desk) -> list[str]:
    """Texts that were sent to the clipboard of the terminal."""
    kept = [one.removeprefix("52;c;") for one in commands(at) if one.startswith("52;")]
    return [base64.b64decode(one, validate=True).decode() for one in kept]


@pytest.mark.parametrize(("pane", "copied"), [("orders", "o1"), ("positions", BTC), ("fills", "93")])
async def test_a_copied_id_is_sent_to_the_terminal(pane: str, copied: str) -> None:
    async with desk(terminal=EmulatedTerminal) as at:
        at.app.main_screen.show_pane(pane)
        await at.settle()
        await at.press("g", "g")
        await painted(at)
        assert commands(at) == []
        await at.press("y")
        assert commands(at) == [f"52;c;{base64.b64encode(copied.encode()).decode()}"]
        assert f"\x1b]52;c;{base64.b64encode(copied.encode()).decode()}\x07" in written(at)


async def test_marked_rows_are_sent_to_the_terminal_together() -> None:
    async with desk(terminal=EmulatedTerminal) as at:
        await at.press("2", "g", "space", "space", "y")
        [text] = clipboard(at)
        assert len(text.split("\n")) == 2 and set(text.split("\n")) <= set(at.app.mirror.orders)


async def test_a_copied_order_is_sent_to_the_terminal_whole() -> None:
    async with desk(160, 45, terminal=EmulatedTerminal) as at:
        await at.press("2", "g", "Y", "enter")
        [text] = clipboard(at)
        assert text.startswith(("buy ", "sell ")) and any(event.endswith(f": {text}") for event in at.events())


async def fire_an_alert(at: Desk) -> None:
    """Set an alert on a price and let it come true."""
    await at.press("1", "g", "j", ":")
    await type_line(at, f"alert when {BTC} mark < 60000")
    await at.press("enter")
    at.clock.pass_by(SIGNAL_S)
    terminal_of(at).written.clear()
    at.port.quote(BTC, "59000.0", "59000.2", mark="59000.0")
    at.clock.pass_by(1.0)
    await painted(at)
    assert any(text.startswith("ALERT ") for text in at.events())


TEXT = "BINANCE BTC perp mark < 60,000: now 59,000.0 (1.67 % below)"
NOTICES = {"osc9": [f"9;{TEXT}"], "osc777": [f"777;notify;crossdesk;{TEXT}"], "off": []}


@pytest.mark.parametrize("notify", NOTICES)
@pytest.mark.parametrize("bell", [True, False])
async def test_an_alert_rings_and_notifies_as_configured(notify: str, bell: bool) -> None:
    settings = WorkstationSettings(bell=bell, notify=notify)  # type: ignore[arg-type]
    async with desk(settings=settings, terminal=EmulatedTerminal) as at:
        await fire_an_alert(at)
        assert commands(at) == NOTICES[notify]
        assert rings(at) == (1 if bell else 0)


@pytest.mark.parametrize("bell", [True, False])
async def test_a_refused_key_rings_the_bell_as_configured(bell: bool) -> None:
    async with desk(settings=WorkstationSettings(bell=bell), terminal=EmulatedTerminal, armed=False) as at:
        await at.press("1", "j")
        terminal_of(at).written.clear()
        await at.press("b")
        assert at.port.intents == [] and rings(at) == (1 if bell else 0)


async def test_a_semicolon_in_a_desktop_notice_does_not_split_it() -> None:
    """In the sequence of urxvt it parts title and text."""
    async with desk(terminal=EmulatedTerminal) as at:
        terminal_of(at).written.clear()
        at.app.notify_desktop("one; two", "osc777")
        at.app.notify_desktop("one; two", "osc9")
        assert commands(at) == ["777;notify;crossdesk;one, two", "9;one, two"]
