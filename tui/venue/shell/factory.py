"""Opens an exchange: new, from its state file, or on a recording."""

from __future__ import annotations

import csv
import gzip
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from tui.interface.ready import Recording
from tui.protocols import Clock, RandomSource
from tui.venue.core.exchange import Exchange
from tui.venue.core.participants.replay import BadRecording, RecordedMarket
from tui.venue.core.switches import Switches
from tui.venue.shell.runtime import RowStore
from tui.venue.shell.storage.archive import Archive
from tui.venue.shell.storage.store import MemoryStore, Store
from tui.venue.shell.switches import split_settings


class OpenedVenue(NamedTuple):
    """An exchange with its store, its archive and the switches of its shell."""

    exchange: Exchange
    store: RowStore
    archive: Archive
    switches: Switches
    recording: Recording | None


def open_exchange(
    *, clock: Clock, random_source: RandomSource, state: Path | None, market: str, wanted: list[tuple[str, str]]
) -> OpenedVenue:
    """Build the exchange.

    Raises:
        BadSwitch: a switch has no such name or value.
        StateUnreadable: the state file cannot be used.
        BadRecording: the market file is not a recording.
    """
    shell, core = split_settings(wanted)
    recording = None if market == "agents" else RecordedMarket(read_recording(Path(market)))
    now_ms = int(clock.wall() * 1000)
    store = None if state is None else Store(state)
    archive = Archive(None if state is None else state.with_name(f"{state.name}-past"))
    if store is None or store.empty:
        exchange = Exchange(random_source=random_source, start_ms=now_ms, switches=core, market=recording, past=archive)
        exchange.add_past_movements()
    else:
        exchange = Exchange.restore(
            store.load(), random_source=random_source, now_ms=now_ms, switches=core, market=recording, past=archive
        )
    archive.owe(exchange.past_before_start())
    played = None
    if recording is not None:
        played = Recording(
            name=Path(market).name,
            recorded_ms=recording.recorded_ms,
            started_ms=now_ms,
            length_ms=recording.length_us // 1000,
            loops=core["replay_end"] == "loop",
        )
    return OpenedVenue(exchange, store if store is not None else MemoryStore(), archive, shell, played)


def read_recording(path: Path) -> Iterator[Sequence[str]]:
    """The rows of a recording (CSV, plain or gzip), without its header.

    Raises:
        BadRecording: the file cannot be read or is no table.
    """
    try:
        with gzip.open(path, "rt", newline="") if path.suffix == ".gz" else path.open(newline="") as file:
            rows = csv.reader(file)
            next(rows, None)
            yield from rows
    except (OSError, EOFError, UnicodeDecodeError, csv.Error) as error:
        raise BadRecording(f"{path}: {error}") from error
