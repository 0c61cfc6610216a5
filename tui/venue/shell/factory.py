"""Creation of an exchange: new, restored from its state file, or with a market recording."""

from __future__ import annotations

import csv
import gzip
import zlib
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import IO, NamedTuple

from tui.interface.ready import Recording
from tui.protocols import Clock, RandomSource
from tui.venue.core.exchange import Exchange
from tui.venue.core.participants.replay import BadRecording, RecordedMarket
from tui.venue.core.switches import Switches
from tui.venue.shell.runtime import RowStore
from tui.venue.shell.storage.archive import Archive
from tui.venue.shell.storage.store import MemoryStore, Store
from tui.venue.shell.switches import split_settings

MAX_LINE = 4_096
"""Most characters in a line of a recording."""
MAX_ROWS = 5_000_000
"""Most rows of a recording; all are held in memory."""


class OpenedVenue(NamedTuple):
    """Exchange with its state file, its archive and the switches of the server side."""

    exchange: Exchange
    store: RowStore
    archive: Archive
    switches: Switches
    recording: Recording | None


def open_exchange(
    *,
    clock: Clock,
    random_source: RandomSource,
    state: Path | None,
    market: str,
    wanted: list[tuple[str, str]],
    fresh_id: Callable[[], str],
    marks: Path | None = None,
) -> OpenedVenue:
    """Create or restore an exchange with its storage.

    `fresh_id` draws the account id of a new state, never from the seed, which may repeat; the progress of the state is
    kept in the folder `marks`, else beside the state.

    Raises:
        BadSwitch: No switch of that name, or not a value of it.
        StateUnreadable: The state file cannot be used.
        BadRecording: The market file is not a recording.
    """
    shell, core = split_settings(wanted)
    recording = None if market == "agents" else RecordedMarket(read_recording(Path(market)))
    now_ms = int(clock.wall() * 1000)
    store = MemoryStore(fresh_id()) if state is None else Store(state)
    if isinstance(store, Store) and state is not None:
        store.identify(fresh_id, marks or state.parent)
    archive = Archive(None if state is None else state.with_name(f"{state.name}-past"))
    if isinstance(store, MemoryStore) or store.empty:
        exchange = Exchange(random_source=random_source, start_ms=now_ms, switches=core, market=recording, past=archive)
        exchange.add_past_movements()
    else:
        exchange = Exchange.restore(
            store.load(), random_source=random_source, now_ms=now_ms, switches=core, market=recording, past=archive
        )
    archive.owe(exchange.build_past())
    loops = core["replay_end"] == "loop"
    description = None if recording is None else _describe_recording(Path(market).name, recording, now_ms, loops=loops)
    return OpenedVenue(exchange, store, archive, shell, description)


def _describe_recording(name: str, recording: RecordedMarket, now_ms: int, *, loops: bool) -> Recording:
    """Build the part of the ready line that describes the replayed recording."""
    return Recording(
        name=name,
        recorded_ms=recording.recorded_ms,
        started_ms=now_ms,
        length_ms=recording.length_us // 1000,
        loops=loops,
    )


def read_recording(path: Path) -> Iterator[Sequence[str]]:
    """Read the rows of a market recording (CSV, plain or gzip), without the header.

    Raises:
        BadRecording: The file cannot be read, is not a plain file or a table, or exceeds `MAX_LINE` or `MAX_ROWS`.
    """
    try:
        if not path.is_file():
            what = "a folder" if path.is_dir() else "a device or pipe" if path.exists() else "not there"
            raise BadRecording(f"{path} is {what}; name a recording (CSV, plain or .gz)")
        with gzip.open(path, "rt", newline="") if path.suffix == ".gz" else path.open(newline="") as file:
            rows = csv.reader(_read_lines(path, file))
            next(rows, None)
            for number, row in enumerate(rows):
                if number >= MAX_ROWS:
                    raise BadRecording(f"{path} has more than {MAX_ROWS:,} rows; cut it into parts")
                yield row
    except (OSError, EOFError, UnicodeDecodeError, csv.Error, zlib.error) as error:
        raise BadRecording(f"{path}: {error}") from error


def _read_lines(path: Path, file: IO[str]) -> Iterator[str]:
    """Read the lines of a file, each at most `MAX_LINE` characters."""
    number = 0
    while line := file.readline(MAX_LINE + 1):
        number += 1
        if len(line) > MAX_LINE:
            raise BadRecording(
                f"{path}: line {number} has more than {MAX_LINE} characters; rows of a recording are shorter"
            )
        yield line
