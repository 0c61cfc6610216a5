"""Prompts that cancel or leave count algo orders beside orders."""

from __future__ import annotations

from tests.workstation.driver import Desk, desk
from tui.engine.rows import AlgoRow, Table
from tui.interface.families.algo import AlgoRecord

BTC = "BINANCE_PERP_BTC_USDT"


def algo(at: Desk, name: str, sym: str = BTC) -> None:
    record = AlgoRecord(algo_order_id=name, sym=sym, order_state="NEW")
    at.port.put(Table.ALGOS, name, AlgoRow(key=name, record=record, stamp=at.port.stamp()))


async def test_kill_quit_and_cancel_prompts_each_count_algo_orders() -> None:
    async with desk(160, 45, filled=False) as at:
        at.port.set_desk(synced=True)
        algo(at, "1")
        algo(at, "2", "OKX_PERP_BTC_USDT")
        await at.settle()
        await at.press("X")
        assert ": 2 algo orders" in at.text()
        await at.press("escape")
        await at.press("ctrl+q")
        assert "2 algo orders stay live at the venue" in at.text(), "without an order there is still something to name"
        await at.press("escape")
        await at.press("C")
        assert "cancel 2 algo orders" in at.text()


async def test_kill_prompt_says_when_algo_orders_could_not_be_read() -> None:
    async with desk(160, 45, filled=False) as at:
        at.port.set_desk(synced=True, algo_error="this service has no list of algo orders")
        await at.settle()
        await at.press("X")
        assert "without algo orders, their list could not be read: this service has no list of algo orders" in at.text()


async def test_algo_orders_whose_list_failed_are_called_as_last_read() -> None:
    """They are counted beside the note that their list could not be read."""
    async with desk(160, 45, filled=False) as at:
        at.port.set_desk(synced=True, algo_error="the link is down")
        algo(at, "1")
        await at.settle()
        await at.press("ctrl+q")
        assert "1 algo order stays live" in at.text()
        assert "algo orders as last read, their list could not be read: the link is down" in at.text(), at.text()
