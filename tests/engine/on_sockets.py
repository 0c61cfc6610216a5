"""An engine as the program runs it, against a real venue process: real sockets, and a real journal in a home."""

from __future__ import annotations

import asyncio
import time
from pathlib import Path
from typing import Any, Literal, Protocol

from tests.client.fakes import until
from tests.engine.services import host_services
from tests.venue.shell.conftest import Venue
from tui.client.settings import Service
from tui.client.signer import Secret, Signer
from tui.engine.conflating_queue import ConflatingQueue, TableSink
from tui.engine.engine import Engine
from tui.engine.journal.writer import SqliteJournal
from tui.engine.modes import Environment
from tui.engine.settings import EngineSettings
from tui.engine.state.engine_state import Identity
from tui.host import HostClock, HostConnector


class Traded(Protocol):
    """A venue as far as an engine is concerned: the addresses and keys of its ready line."""

    @property
    def ready(self) -> dict[str, Any]: ...


def real_engine(
    venue: Traded,
    home: Path,
    updates: TableSink,
    settings: EngineSettings | None = None,
    *,
    key: str = "main",
    algo_stream: bool = False,
    auth: Literal["v2", "v1"] = "v2",
    only_trade: bool = False,
) -> Engine:
    """An engine of a real venue process, with its journal in a home."""
    line, clock = venue.ready, HostClock()
    used = next(one for one in line["keys"] if one["name"] == key)
    urls = (line["rest_url"], line["private_ws_url"], line["public_ws_url"], line["algo_ws_url"])
    services = host_services(
        clock, HostConnector(urls, loopback_only=True), journal=SqliteJournal(home / "journal.db", clock)
    )
    return Engine(
        services,
        Identity(
            environment=Environment.PAPER,
            service=Service(
                rest_url=urls[0],
                private_ws_url=urls[1],
                public_ws_url=urls[2],
                algo_ws_url=urls[3] if algo_stream else "",
                auth=auth,
                only_trade=only_trade,
            ),
            portfolio=used["portfolioId"],
        ),
        signer=Signer(used["api_key"], Secret(used["api_secret"]), clock),
        updates=updates,
        settings=settings or EngineSettings(pulse=0.05),
    )


class Life:
    """One run of an engine on a home."""

    def __init__(
        self,
        venue: Venue,
        home: Path,
        settings: EngineSettings | None = None,
        *,
        key: str = "main",
        algo_stream: bool = False,
        auth: Literal["v2", "v1"] = "v2",
        only_trade: bool = False,
    ) -> None:
        self.engine = real_engine(
            venue, home, ConflatingQueue(), settings, key=key, algo_stream=algo_stream, auth=auth, only_trade=only_trade
        )
        self.task = asyncio.create_task(self.engine.run())

    async def in_step(self) -> float:
        """How long it took, s."""
        began = time.monotonic()
        await until(lambda: self.engine.state.synced, 30)
        return time.monotonic() - began

    async def end(self) -> None:
        self.engine.stop()
        await self.task
