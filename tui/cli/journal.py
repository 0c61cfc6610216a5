"""`crossdesk journal`: what was meant, sent and answered, read from the journal without a connection."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import click

from tui import paths
from tui.interface.text import clean

COLUMNS = ("seq", "wall_ms", "kind", "intent_id", "client_order_id", "order_id", "payload")


def rows(path: Path) -> Iterator[tuple[int, int, str, str, str, str, str]]:
    """Entries of a journal file, oldest first; the file is opened read-only."""
    database = sqlite3.connect(f"{path.as_uri()}?mode=ro", uri=True)
    try:
        yield from database.execute(f"SELECT {', '.join(COLUMNS)} FROM journal ORDER BY seq")
    finally:
        database.close()


def _file(name: str) -> Path:
    path = paths.state_dir() / name / "journal.db"
    if not path.exists():
        raise click.ClickException(f"no journal at {path}; start crossdesk once")
    return path


@click.group()
def command() -> None:
    """Read the journal of this machine."""


@command.command()
@click.option("--profile", default="paper", show_default=True, help="Whose journal.")
@click.option("--last", default=50, show_default=True, type=click.IntRange(1), help="How many entries.")
def show(profile: str, last: int) -> None:
    """Print the newest entries."""
    for seq, wall_ms, kind, _, client_order_id, order_id, payload in list(rows(_file(profile)))[-last:]:
        at = datetime.fromtimestamp(wall_ms / 1000, UTC).strftime("%Y-%m-%d %H:%M:%S.%f")[:-3]
        click.echo(clean(f"{seq:6} {at}Z {kind:9} {client_order_id or order_id:24} {payload}", 400))


@command.command()
@click.option("--profile", default="paper", show_default=True, help="Whose journal.")
def export(profile: str) -> None:
    """Print every entry as one JSON object a line."""
    for row in rows(_file(profile)):
        click.echo(json.dumps(dict(zip(COLUMNS, row, strict=True))))
