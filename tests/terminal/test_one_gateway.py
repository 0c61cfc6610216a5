"""One gateway, two windows, a Python program and an agent at once: who sent what, and a kill that stops them all."""

from __future__ import annotations

import asyncio
import threading
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from crossdesk import connect
from tests.busy import limit
from tests.cli.test_attach import home
from tests.cli.test_gateway import Command, open_gateway, read_until
from tests.desk_protocol.desks import BTC, new_id
from tests.terminal.terminal import Terminal
from tui.agents.toolbox import Toolbox
from tui.desk_protocol.messages import Role
from tui.host import HostClock
from tui.interface import decimals
from tui.programs.async_desk import AsyncDesk
from tui.programs.desk import Desk

__all__ = ["home"]

TERMS: dict[str, Any] = {
    "order_value": 2000, "position_value": 5000, "traded_value": 50_000, "loss": 100, "orders_per_minute": 60,
    "seconds": 600, "reason": "quotes",
}  # fmt: skip


class AgentThread:
    """Tools of an agent on the gateway of a home; each call waits for its answer."""

    def __init__(self, home: Path) -> None:
        decimals.setup()
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, daemon=True)
        self._thread.start()
        clock, path = HostClock(), home / "run" / "paper.sock"
        self._tools = Toolbox(
            lambda: AsyncDesk(path, clock, new_id, name="research-bot", role=Role.PROPOSE), list, clock
        )

    def call(self, tool: str, **arguments: Any) -> Any:
        done = asyncio.run_coroutine_threadsafe(self._tools.call(tool, arguments), self._loop).result(limit(40))
        content, refused = done
        assert not refused, content
        return content["data"]

    def close(self) -> None:
        asyncio.run_coroutine_threadsafe(self._tools.close(), self._loop).result(limit(10))
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(limit(10))
        self._loop.close()


@pytest.fixture
def gateway(home: Path) -> Iterator[Command]:
    with open_gateway(home) as process:
        read_until(process, "In sync")
        yield process


@pytest.fixture
def agent(gateway: Command, home: Path) -> Iterator[AgentThread]:
    del gateway
    agent = AgentThread(home)
    yield agent
    agent.close()


def open_armed(start: Callable[..., Terminal], *arguments: str, home: Path) -> Terminal:
    """Open a window that is attached, and arm it."""
    window = start(*arguments, home=home)
    window.see("min 0.001")
    window.see("attached")
    window.press("a")
    window.see("ARMED")
    return window


def type_line(desk: Terminal, line: str) -> None:
    desk.press(":", *line)
    desk.see(line[-30:])
    desk.press("enter")


def propose(agent: AgentThread, price: str, trader: Terminal) -> str:
    """Propose an order, which the trader accepts and sends at a window; its key."""
    wanted = {"sym": BTC, "side": "BUY", "qty": "0.01", "price": price, "time_in_force": "GTX"}
    number = agent.call("propose_order", **wanted, reason="the basis is wide")["number"]
    trader.see("research-bot asks", f":accept {number}")
    type_line(trader, f"accept {number}")
    trader.see("research-bot: the basis is wide")
    trader.press("enter")
    end = agent.call("proposal", number=number, wait_s=30)
    assert (end["state"], end["verdict"]) == ("sent", "accepted"), end
    return str(end["order"])


def place(program: Desk, price: str, trader: Terminal) -> str:
    """Place an order within a mandate, which the trader grants at a window; its key."""
    asked = threading.Thread(target=lambda: program.ask_mandate(BTC, **TERMS), daemon=True)
    asked.start()
    number = trader.see("maker asks", ":grant").split(":grant ")[1].split()[0]
    type_line(trader, f"grant {number}")
    asked.join(limit(20))
    sent = program.place("BUY", BTC, "0.01", price, time_in_force="GTX")
    assert sent.verdict == "accepted", sent
    return str(sent.order)


def senders(program: Desk) -> dict[str, int]:
    """Number of working orders of each sender."""
    return dict(Counter(order.sender for order in program.orders if order.working))


def test_program_agent_and_two_windows_trade_on_one_gateway(
    gateway: Command, home: Path, agent: AgentThread, start: Callable[..., Terminal]
) -> None:
    anna, bert = open_armed(start, "--attach", home=home), open_armed(start, home=home)
    with connect(name="maker") as program:
        anna.until(lambda _: program.status.synced, "the program in step")
        touch = program.newest_quote(BTC)
        assert touch is not None and touch.bid is not None
        price = str(touch.bid - 500)
        type_line(anna, f"buy 0.01 BTC {BTC} at {price}")
        anna.until(lambda _: len(program.orders), "the order of anna at the program")
        place(program, str(touch.bid - 510), bert)
        propose(agent, str(touch.bid - 520), bert)
        anna.until(lambda _: senders(program) == {"desk 2": 1, "maker": 1, "desk 3": 1}, "each order with its sender")
        assert {row["sender"] for row in agent.call("orders")["rows"]} == {"desk 2", "maker", "desk 3"}
        for window in (anna, bert):
            window.press("2")
            window.see("3 working")
            window.see("GTX maker")
        anna.see("GTX desk 3")
        bert.see("GTC desk 2")
        anna.press("X")
        anna.see("entries")
        anna.press("enter")
        for window in (anna, bert):
            window.see("0 working")
            window.see("HALT")
        anna.until(lambda _: senders(program) == {} and program.mandate is None, "no order and no mandate")
        denied = program.place("BUY", BTC, "0.01", price)
        assert (denied.verdict, denied.guard) == ("denied", "MANDATE")
        anna.press("ctrl+q")
        anna.wait(20)
        bert.see("HALT")
        assert gateway.poll() is None and program.is_open, "a window that ends ends nothing"
