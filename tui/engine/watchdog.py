"""Watchdog: monitors the workstation's heartbeats and cancels this installation's orders when they stop.

It runs in its own process with its own connection. It does not help when the machine or the network fails.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from enum import StrEnum
from typing import NamedTuple

import msgspec

from tui.client.rest import CallFailed, Rest
from tui.client.settings import Service
from tui.engine.state import order_requests
from tui.engine.state.closing_orders import algo_only_closes, order_only_closes
from tui.interface.errors import ErrorClass
from tui.interface.families.algo import CANCEL_ALGO, OPEN_ALGO_STATES, OPEN_ALGOS, AlgoRecord
from tui.interface.families.orders import CANCEL_ORDER, OPEN_ORDERS, ORDER_DETAIL

BYE = b"bye"
"""Line sent on a regular exit: orders stay as the trader chose."""
ROUNDS = 20
"""Most rounds of reading open orders before giving up."""
PAUSE_S = 1.0


class WatchdogSetup(msgspec.Struct, frozen=True, kw_only=True):
    """Watchdog configuration, which the workstation sends as the first line through the pipe."""

    service: Service
    key: str
    secret: str
    portfolio: str
    prefix: str
    """Common prefix of this installation's client order ids."""
    silence: float
    """Time without a heartbeat after which the workstation counts as dead, s."""
    grace: float
    """Grace time after that, s."""


class EndReason(StrEnum):
    """Reason why monitoring ended."""

    BYE = "the workstation said good-bye"
    DEAD = "the workstation died"


class WatchResult(NamedTuple):
    """Result of monitoring the heartbeats."""

    end: EndReason
    moment: str = ""
    """Time when the workstation was last alive, as the time part of an order id; later orders belong to a new
    process."""


async def watch(
    next_line: Callable[[], Awaitable[bytes]],
    setup: WatchdogSetup,
    say: Callable[[str], None],
    moment: Callable[[], str],
) -> WatchResult:
    """Read heartbeats until the workstation exits normally, or is silent for longer than silence and grace period.

    Args:
        next_line: Reads the next line of the pipe; empty at its end.
        setup: Configuration.
        say: Writes a log line.
        moment: Returns the time part of an order id created now.
    """
    # Keep the maximum: a clock set back must not make earlier orders look newer.
    died = ""
    while True:
        died = max(died, moment())
        try:
            async with asyncio.timeout(setup.silence):
                line = await next_line()
        except TimeoutError:
            say(f"no sign of life for {setup.silence:g} s")
            died = max(died, moment())
            line = await _read_late(next_line, setup.grace)
            if not line:
                return WatchResult(EndReason.DEAD, died)
            if line.strip() != BYE:
                say("it lives again")
                continue
        if not line:
            say("the pipe of the workstation ended")
            died = max(died, moment())
            await asyncio.sleep(setup.grace)
            return WatchResult(EndReason.DEAD, died)
        if line.strip() == BYE:
            return WatchResult(EndReason.BYE)


async def _read_late(next_line: Callable[[], Awaitable[bytes]], grace: float) -> bytes:
    """Read the next line within the grace period; empty if none comes."""
    try:
        async with asyncio.timeout(grace):
            return await next_line()
    except TimeoutError:
        return b""


async def cancel_ours(rest: Rest, setup: WatchdogSetup, say: Callable[[str], None], died: str) -> int:
    """Cancel this installation's open orders created up to `died` that can open a position; return how many may be left.

    Orders of a restarted workstation are kept, and so are orders that can only close a position: without anybody at the
    desk it needs them most.
    """
    left = 0
    for _ in range(ROUNDS):
        try:
            records, _ = await rest.read_all_pages(OPEN_ORDERS, reserved=True)
        except CallFailed as failure:
            say(f"open orders cannot be read: {failure}")
            await asyncio.sleep(PAUSE_S)
            left = max(left, 1)
            continue
        ours = [
            record
            for record in records
            if _is_ours(record.client_order_id, setup, died)
            and record.portfolio_id in ("", setup.portfolio)
            and not order_only_closes(
                record.sym, record.side, record.position_side, reduce_only=str(record.reduce_only).lower() == "true"
            )
        ]
        left = len(ours)
        if not ours:
            return 0
        await asyncio.gather(*(_cancel(rest, record.order_id, record.client_order_id, say) for record in ours))
        await asyncio.sleep(PAUSE_S)
    return left


async def cancel_our_algos(rest: Rest, setup: WatchdogSetup, say: Callable[[str], None], died: str) -> int:
    """Cancel this installation's open algo orders that can open a position; return how many may be left.

    Stops and targets stay. On a service without a call for algo orders they are not counted, and this is logged.
    """
    left = 0
    for _ in range(ROUNDS):
        try:
            records, _ = await rest.read_all_pages(OPEN_ALGOS, reserved=True)
        except CallFailed as failure:
            say(f"stops, targets and conditional orders cannot be read ({failure}): they all stay")
            if failure.kind is ErrorClass.BUG:
                return 0
            left = max(left, 1)
            await asyncio.sleep(PAUSE_S)
            continue
        ours = [record for record in records if await _is_our_algo(rest, record, setup, died)]
        left = len(ours)
        if not ours:
            return 0
        say(f"{left} algo orders are open")
        await asyncio.gather(*(_cancel_algo(rest, record.algo_order_id, say) for record in ours))
        # The service takes three such cancels in ten seconds.
        await asyncio.sleep(max(PAUSE_S, rest.wait_for_limit_s(CANCEL_ALGO)))
    return left


async def _is_our_algo(rest: Rest, record: AlgoRecord, setup: WatchdogSetup, died: str) -> bool:
    if (
        record.order_state not in OPEN_ALGO_STATES
        or record.portfolio_id not in ("", setup.portfolio)
        or algo_only_closes(record)
    ):
        return False
    name = record.client_order_id
    if record.attached_order_id:
        try:
            name = (
                await rest.call(ORDER_DETAIL, order_requests.find_order(record.attached_order_id))
            ).data.client_order_id
        except CallFailed:
            return False
    return _is_ours(name, setup, died)


def _is_ours(client_order_id: str, setup: WatchdogSetup, died: str) -> bool:
    """Return whether this installation created the client order id, no later than the time `died`."""
    begin = len(setup.prefix)
    return client_order_id.startswith(setup.prefix) and client_order_id[begin : begin + len(died)] <= died


async def _cancel_algo(rest: Rest, algo_order_id: str, say: Callable[[str], None]) -> None:
    try:
        await rest.call(CANCEL_ALGO, {"algoOrderId": algo_order_id}, reserved=True)
    except CallFailed as failure:
        say(f"cancel of algo order {algo_order_id}: {failure}")
    else:
        say(f"cancel of algo order {algo_order_id}: accepted")


async def _cancel(rest: Rest, order_id: str, client_order_id: str, say: Callable[[str], None]) -> None:
    try:
        await rest.call(CANCEL_ORDER, order_requests.cancel_order(order_id, client_order_id), reserved=True)
    except CallFailed as failure:
        say(f"cancel of {client_order_id}: {failure}")
    else:
        say(f"cancel of {client_order_id}: accepted")
