"""The services of the host that an engine under test is handed."""

from __future__ import annotations

from tests.client.fakes import FreeLock
from tui.engine.journal.memory_journal import MemoryJournal
from tui.engine.state.engine_state import HostServices
from tui.host import OrderIds, SeededRandomSource
from tui.protocols import Clock, Connector, IdGenerator, Journal, Lock


def host_services(
    clock: Clock,
    connector: Connector,
    *,
    ids: IdGenerator | None = None,
    journal: Journal | None = None,
    lock: Lock | None = None,
) -> HostServices:
    """Services on a clock and a connector; what is not given is made from seed 1, in memory, with a free lock."""
    return HostServices(
        clock=clock,
        random_source=SeededRandomSource(1),
        ids=ids or OrderIds(clock, "abc123", 0, lambda bound: None),
        connector=connector,
        journal=journal or MemoryJournal(clock),
        lock=lock or FreeLock(),
    )
