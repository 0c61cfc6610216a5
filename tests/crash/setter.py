"""Changes a leverage until it is killed: `python -m tests.crash.setter JOURNAL REST PRIVATE PUBLIC`."""

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
from tui.engine.intents import Environment, SetLeverage, TradingState
from tui.engine.journal.writer import SqliteJournal
from tui.engine.settings import EngineSettings
from tui.engine.state.engine_state import Identity
from tui.host import HostClock, HostConnector
from tui.interface import decimals


def engine_on(service: Service, path: Path) -> Engine:
    """An engine whose journal is a file."""
    clock = HostClock()
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


def main() -> None:
    decimals.setup()
    path, rest, private, public = sys.argv[1:]
    service = Service(rest_url=rest, private_ws_url=private, public_ws_url=public)
    asyncio.run(change_leverage(engine_on(service, Path(path))))


if __name__ == "__main__":
    main()
