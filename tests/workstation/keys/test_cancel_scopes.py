"""Choices of a cancel of several orders: no two of them cancel the same."""

from __future__ import annotations

import msgspec
import pytest

from tests.workstation.algo_rows import BTC, put_algo
from tests.workstation.driver import desk
from tests.workstation.keys.test_command_line import enter
from tui.engine.intents import CancelAll, CancelAllAlgos
from tui.engine.rows import Table
from tui.engine.status_rows import LinkState


@pytest.mark.parametrize(
    ("others", "choices"),
    [((), 1), (({"sym": "OKX_PERP_BTC_USDT"},), 2), (({"condition_type": "OCO"}, {"sym": "OKX_PERP_BTC_USDT"}), 3)],
)
async def test_cancel_all_of_algo_orders_lists_each_set_only_once(
    others: tuple[dict[str, str], ...], choices: int
) -> None:
    """With one stop there were seven, all of it."""
    async with desk(160, 45, filled=False) as at:
        at.port.set_desk(synced=True)
        put_algo(at, "7001")
        for number, fields in enumerate(others):
            put_algo(at, f"800{number}", **fields)  # type: ignore[arg-type]
        await at.settle()
        await at.press("A", "g", "g")
        while (table := at.app.context.table) is None or table.selected != "7001":
            await at.press("j")
        await at.press("C")
        assert len([line for line in at.text().split("\n") if "cancel " in line and "algo order" in line]) == choices
        assert "stops and targets of a part of a position of BINANCE BTC perp: cancel 1 algo order" in at.text()
        at.port.order("abcdef01", BTC, "BUY", "63000.0", "0.1", position_side="LONG")
        await at.settle()
        at.clock.pass_by(0.3)
        await at.press("y")
        [intent] = at.port.intents
        assert isinstance(intent, CancelAllAlgos) and intent.sym == BTC


@pytest.mark.parametrize(
    ("line", "exchange", "sym"),
    [
        ("c all pf", "", ""),
        ("cancel all everything", "", ""),
        ("c all venue BINANCE", "BINANCE", ""),
        (f"c all sym {BTC}", "", BTC),
    ],
)
async def test_a_cancel_all_line_that_meets_only_a_stop_asks_first(line: str, exchange: str, sym: str) -> None:
    """Typing it ended the desk where no order worked."""
    async with desk() as at:
        for key in list(at.app.mirror.orders):
            at.port.put(Table.ORDERS, key, None)
        put_algo(at, "7001")
        await at.settle()
        await enter(at, line)
        assert "would ask, then cancel 1 algo order" in at.text()
        await at.press("enter")
        assert "cancel 1 algo order" in at.text() and at.port.intents == []
        at.clock.pass_by(1.0)
        await at.press("y")
        [intent] = at.port.intents
        assert isinstance(intent, CancelAll) and (intent.exchange, intent.sym) == (exchange, sym)


async def test_command_c_all_coin_asks_and_names_every_pair() -> None:
    """`c all sym BTC` asked which of several pairs; who cancels all of a coin means each of them."""
    async with desk() as at:
        for key in list(at.app.mirror.orders):
            at.port.put(Table.ORDERS, key, None)
        at.port.order("x1", BTC, "BUY", "60000", "0.1")
        at.port.order("x2", "OKX_PERP_BTC_USDT", "BUY", "60000", "10")
        at.port.order("x3", "BINANCE_PERP_ETH_USDT", "BUY", "3000", "1")
        put_algo(at, "7001")
        await at.settle()
        await enter(at, "c all coin btc", "enter")
        assert "BINANCE BTC perp, OKX BTC perp: cancel 2 orders, 1 algo order" in at.flat_text(), at.text()
        at.clock.pass_by(1.0)
        await at.press("y")
        intents = [intent for intent in at.port.intents if isinstance(intent, CancelAll)]
        assert [(intent.exchange, intent.sym) for intent in intents] == [("", BTC), ("", "OKX_PERP_BTC_USDT")]


@pytest.mark.parametrize("keys", [("2", "C"), (":", *"c all pf", "enter")])
async def test_the_cancel_all_question_says_that_the_link_is_down(keys: tuple[str, ...]) -> None:
    cut = "not connected now: nothing would be sent"
    async with desk(80, 24) as at:
        await at.press(*keys)
        assert cut not in at.flat_text() and "positions stay" in at.flat_text()
        link = msgspec.structs.replace(at.app.mirror.links["private"], state=LinkState.DOWN)
        at.port.put(Table.LINKS, "private", link)
        await at.settle()
        await at.press("escape", *keys)
        assert cut in at.flat_text(), at.text()
