"""An empty list says which key makes something appear there, in the keys of the trader."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from tests.workstation.driver import KEYMAPS, Desk, desk
from tui.cli.named_files import read_folder
from tui.engine.rows import Table
from tui.workstation.app.screen_registry import FULL_SCREENS
from tui.workstation.features.explorer.pane import ANSWERED
from tui.workstation.features.overview.tabs import ACCOUNT
from tui.workstation.input.actions import BY_ID, format_key
from tui.workstation.input.keymap_files import parse_keymap
from tui.workstation.settings import WorkstationSettings
from tui.workstation.table.pane import AnyPane, Pane
from tui.workstation.widgets.lists.query_pane import QueryPane

TICKET = ("stage.buy", "stage.sell")
NAMED: Mapping[str, tuple[str, ...]] = {
    "quotes": ("filter.open",),
    "orders": TICKET,
    "positions": TICKET,
    "assets": ("screen.funds",),
    "adl": TICKET,
    "fills": ("screen.history",),
    "events": ("screen.history",),
    "pnl": ("screen.history",),
    "risk": ("screen.overview",),
    "alerts": ("alert.new", "line.open"),
    "ladder": ("pair.open",),
    "chart": ("pair.open",),
    "trades": ("pair.open",),
    "algos": ("algo.new",),
    "session": ("screen.history",),
    "overview": ("overview.inside",),
    "explorer": ("screen.open",),
}
"""Actions that each pane names while it is empty, and without a pair or an account chosen."""
UNNAMED = {
    "liquidation": "the service begins a liquidation, no key does",
    "programs": "programs and windows attach from the outside, by a command of the shell",
}
"""Panes that no key fills, and why."""
OTHER_KEYS = "éäöüßàèùçñåø"
"""Characters that are no key by default and stand in no text."""
ROOM = 78
"""Cells within the frame of a pane over the whole of 80 columns."""
KEYMAP_FILES = [file.name for file in read_folder(KEYMAPS, parse_keymap)[0]]


def panes_of(at: Desk) -> dict[str, AnyPane]:
    """Panes of the desk, and those of the other screens that say themselves why they are empty, by id."""
    panes: list[AnyPane] = list(at.app.panes)
    panes += [row.pane(at.app.view) for row in FULL_SCREENS.values() if speaks(row.pane)]
    for pane in panes:
        if isinstance(pane, QueryPane):
            pane.view_at = next(at for at, tab in enumerate(pane.tabs) if tab in (ACCOUNT, ANSWERED))
    return {pane.id: pane for pane in panes}


def speaks(pane: type[AnyPane]) -> bool:
    """Whether a pane has a text of its own for an empty list."""
    return pane.empty not in (Pane.empty, QueryPane.empty)


async def texts_of(settings: WorkstationSettings) -> dict[str, str]:
    """What each pane says while it is empty."""
    async with desk(filled=False, settings=settings) as at:
        return {name: pane.empty() for name, pane in panes_of(at).items()}


async def test_the_text_of_an_empty_pane_names_keys_and_fits() -> None:
    texts = await texts_of(WorkstationSettings(bell=False))
    assert texts.keys() == NAMED.keys() | UNNAMED.keys()
    for name, actions in NAMED.items():
        words = texts[name].replace(":alert", ": alert").split()
        assert [action for action in actions if format_key(BY_ID[action].keys[0]) not in words] == [], texts[name]
    assert [text for text in texts.values() if len(text) > ROOM] == []


async def test_empty_panes_name_the_keys_of_the_trader() -> None:
    actions = sorted({action for named in NAMED.values() for action in named})
    keys = dict(zip(actions, OTHER_KEYS, strict=False))
    texts = await texts_of(WorkstationSettings(bell=False, keys=keys))
    for name, named in NAMED.items():
        assert [action for action in named if keys[action] not in texts[name]] == [], texts[name]


@pytest.mark.parametrize("keymap", KEYMAP_FILES)
async def test_empty_panes_name_a_key_in_every_keymap(keymap: str) -> None:
    """Where no letter stages an order the texts name the command line, else the palette."""
    texts = await texts_of(WorkstationSettings(bell=False, keymap=keymap))
    bare = {
        name: text
        for name, text in texts.items()
        if name in NAMED and not {":", ";"} & set(text.replace("22:30:00", ""))
    }
    assert bare == {} and not any("{}" in text or "  " in text for text in texts.values())


@pytest.mark.parametrize("view", range(6))
async def test_each_empty_view_of_orders_names_a_key(view: int) -> None:
    """A view other than that of working orders is left by a key."""
    keys = {"view.next": "é", "stage.buy": "ö", "screen.algos": "ä"}
    async with desk(filled=False, settings=WorkstationSettings(bell=False, keys=keys)) as at:
        at.app.panes.orders.view_at = view
        text = at.app.panes.orders.empty()
        assert len(at.app.panes.orders.views) == 6
        assert any(key in text for key in "éäö") and len(text) <= ROOM


async def test_an_empty_pane_of_80_columns_shows_its_key() -> None:
    async with desk(80, 24) as at:
        for key in list(at.app.mirror.orders):
            at.port.put(Table.ORDERS, key, None)
        await at.press("2")
        await at.settle()
        assert "b or s on a quote opens a ticket" in at.line_of("orders", "no open orders")
