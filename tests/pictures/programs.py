"""Programs, an agent and a second window at the desk of the pictures."""

from __future__ import annotations

import asyncio
from decimal import Decimal

import msgspec

from tests.pictures.desk import PictureDesk
from tests.pictures.portfolio import BTC
from tui.engine.intents import Place
from tui.engine.modes import TradingState
from tui.engine.status_rows import MandateRow, ProposalRow
from tui.interface.decimals import plain
from tui.interface.families.orders import OrderType, Side, TimeInForce

WINDOW, MAKER, AGENT = "desk 2", "maker", "research-bot"
MANDATE_S, PROPOSAL_S = 900.0, 60.0


async def attach_programs(desk: PictureDesk) -> None:
    """Attach a second window, a program that quotes under a mandate, and an agent that proposes an order."""
    waiting: list[asyncio.Task[object]] = []

    def attach() -> None:
        control = desk.engine.control
        assert control is not None
        control.attach_peer(WINDOW, "desk")
        control.attach_peer(MAKER, "propose")
        control.attach_peer(AGENT, "propose")
        waiting.append(asyncio.ensure_future(ask_mandate(desk)))

    await desk.at_venue(attach)
    await desk.pause(1)
    [mandate] = desk.mirror.mandates.values()
    desk.port.grant(mandate.key)
    await desk.pause(1)
    await place_as_maker(desk, Side.BUY)
    await place_as_maker(desk, Side.SELL)
    await desk.at_venue(lambda: waiting.append(asyncio.ensure_future(propose(desk))))
    await desk.pause(2)


async def ask_mandate(desk: PictureDesk) -> object:
    """Ask for the mandate as the program does."""
    mandates = desk.engine.mandates
    assert mandates is not None
    row = MandateRow(
        peer=MAKER, reason="quotes 0.02 on both sides", pairs=(BTC,), side="BOTH", order_value="2000",
        position_value="5000", traded_value="50000", loss="60", orders_per_minute=60, seconds=MANDATE_S,
        since=(now := desk.engine.state.clock.mono()), expires=now + PROPOSAL_S,
    )  # fmt: skip
    return await mandates.ask(row)


async def propose(desk: PictureDesk) -> object:
    """Propose an order as the agent does."""
    proposals = desk.engine.proposals
    assert proposals is not None
    row = ProposalRow(
        peer=AGENT, reason="funding turns at 00:00", sym=BTC, side="SELL", qty="0.05",
        price=_price(desk, Side.SELL, "4"), time_in_force="GTX",
        since=(now := desk.engine.state.clock.mono()), expires=now + PROPOSAL_S,
    )  # fmt: skip
    complete = proposals.complete(row)
    assert isinstance(complete, ProposalRow)
    return await proposals.ask(complete)


async def place_as_maker(desk: PictureDesk, side: Side) -> None:
    """Place one side of the program's quotes."""
    own = desk.decision()
    decision = msgspec.structs.replace(own, peer=MAKER, state=TradingState.ARMED, source="place")
    order = Place(
        decision=decision, sym=BTC, side=side, order_type=OrderType.LIMIT, qty="0.02", price=_price(desk, side, "2"),
        time_in_force=TimeInForce.GTX,
    )  # fmt: skip
    await desk.send([order])


def _price(desk: PictureDesk, side: Side, away_bp: str) -> str:
    quote = desk.mirror.quotes[BTC]
    touch = Decimal(quote.bid if side is Side.BUY else quote.ask)
    return plain(round(touch * (1 - side.sign * Decimal(away_bp) / 10_000), 1))
