"""Acts until it is killed: `python -m tests.crash.setter JOURNAL REST PRIVATE PUBLIC [stop]`."""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path

from tests.client.fakes import PORTFOLIO, until
from tests.engine.conftest import DECISION, SYM
from tests.engine.services import host_services
from tui.client.settings import Service
from tui.client.signer import Secret, Signer
from tui.engine.conflating_queue import ConflatingQueue
from tui.engine.engine import Engine
from tui.engine.intents import PlaceAlgo, Protection, SetLeverage
from tui.engine.journal.writer import SqliteJournal
from tui.engine.modes import Environment, TradingState
from tui.engine.rows import QuoteRow
from tui.engine.settings import EngineSettings
from tui.engine.state.engine_state import Identity
from tui.host import HostClock, HostConnector
from tui.interface import decimals
from tui.interface.families.algo import Condition
from tui.interface.families.orders import Side
from tui.protocols import Clock


def engine_on(service: Service, path: Path, clock: Clock) -> Engine:
    """An engine whose journal is a file."""
    connector = HostConnector((service.rest_url, service.private_ws_url, service.public_ws_url), loopback_only=True)
    return Engine(
        host_services(clock, connector, journal=SqliteJournal(path, clock)),
        Identity(environment=Environment.PAPER, service=service, portfolio=PORTFOLIO),
        signer=Signer("key", Secret("secret"), clock),
        updates=ConflatingQueue(),
        settings=EngineSettings(pulse=0.05),
    )


async def change_leverage(engine: Engine) -> None:
    """Send one change, from 20 to 10, as soon as the engine is in step."""
    running = asyncio.create_task(engine.run())
    await until(lambda: engine.state.synced and engine.state.leverages, 60.0)
    engine.set_trading_state(TradingState.ARMED)
    print(await engine.submit(SetLeverage(decision=DECISION, sym=SYM, leverage="10", before="20")), flush=True)
    await running


async def place_stop(engine: Engine) -> None:
    """Place a stop of the whole position as soon as it is known."""
    running = asyncio.create_task(engine.run())
    await until(lambda: engine.state.synced and engine.state.symbols and engine.state.facts.positions.rows, 60.0)
    engine.state.quotes.rows[SYM] = QuoteRow(sym=SYM, bid="60000", ask="60000.1", mark="60000", received=1.0)
    engine.set_trading_state(TradingState.ARMED)
    stop = PlaceAlgo(
        decision=DECISION,
        sym=SYM,
        side=Side.SELL,
        condition=Condition.ENTIRE_CLOSE_POSITION,
        reduce_only=True,
        stop_loss=Protection(trigger="59000", source="MARK_PRICE"),
    )
    print(await engine.submit(stop), flush=True)
    await running


def main() -> None:
    decimals.setup()
    path, rest, private, public, *what = sys.argv[1:]
    engine = engine_on(Service(rest_url=rest, private_ws_url=private, public_ws_url=public), Path(path), HostClock())
    asyncio.run(place_stop(engine) if what else change_leverage(engine))


if __name__ == "__main__":
    main()
