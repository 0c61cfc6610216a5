"""`crossdesk journal`: intents, requests and replies, read from the journal without a connection."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

import click
import msgspec

from tui import paths
from tui.cli import exporting
from tui.cli.exporting import Form
from tui.crossdesk_error import CrossdeskError, WrongArgument
from tui.interface.text import clean, how_many
from tui.programs.export_table import ColumnKind, Table

if TYPE_CHECKING:
    from tui.engine.journal.journal_rows import Entry


class JournalNotNamed(WrongArgument):
    """Error for a profile that has no journal, or several of which none is named."""

    title = "Journal not readable"


class JournalUnreadable(CrossdeskError):
    """Journal file that is missing or cannot be read."""

    title = "Journal not readable"


_KINDS = {
    "seq": ColumnKind.DECIMAL,
    "wall_ms": ColumnKind.TIME,
    "mono": ColumnKind.DECIMAL,
    "epoch": ColumnKind.DECIMAL,
}
"""Kinds of the columns that are no text."""


def read_entries(profile: str, *, archived: bool = False) -> list[Entry]:
    """Read the entries of a profile's journal, oldest first, without disturbing a running workstation."""
    from tui.engine.journal import journal_file

    path = _find_journal_file(profile)
    try:
        entries, damage = (journal_file.read_all if archived else journal_file.read)(path)
    except (OSError, sqlite3.Error, journal_file.Damaged) as error:
        raise JournalUnreadable(f"the journal at {path} cannot be read: {clean(str(error))}") from error
    if damage:
        click.echo(f"crossdesk: the journal at {path} is damaged: {damage}", err=True)
    return entries


def _find_journal_file(name: str) -> Path:
    """Find the journal file of a profile; a live profile has one per portfolio, in the folder `PROFILE-PORTFOLIO`.

    Of several accounts of a desk (`NAME/account-...`) the journal written last is chosen.
    """
    state = paths.state_dir()
    journals = [path for path in (state / name / "journal.db",) if path.exists()]
    if not journals:
        journals = sorted(path for path in state.glob("*/journal.db") if path.parent.name.startswith(f"{name}-"))
    if not journals and name != paths.PAPER:
        raise JournalNotNamed(f"--profile {name}: no journal at {state / name / 'journal.db'}")
    if not journals:
        raise JournalUnreadable(f"no journal at {state / name / 'journal.db'}; start crossdesk once")
    if len(journals) > 1:
        names = ", ".join(path.parent.name for path in journals)
        raise JournalNotNamed(f"--profile {name} has several journals; name one of {names}")
    desk = journals[0].parent
    if "/" in name:
        return journals[0]
    accounts = [journals[0], *sorted(desk.glob("account-*/journal.db"))]
    if len(accounts) == 1:
        return journals[0]
    newest = max(accounts, key=_read_written_ns)
    shown = {path: f"{desk.name}/{'.' if path.parent == desk else path.parent.name}" for path in accounts}
    others = ", ".join(called for path, called in shown.items() if path != newest)
    click.echo(f"crossdesk: the journal of {shown[newest]}; --profile also takes {others}", err=True)
    return newest


def _read_written_ns(path: Path) -> int:
    """Return the time a journal was last written, by its high-water mark file, which every entry updates."""
    mark = path.with_name(f"{path.name}-mark")
    return (mark if mark.exists() else path).stat().st_mtime_ns


@click.group()
def command() -> None:
    """Show and export the journal of this machine."""


@command.command()
@click.option("--profile", default="paper", show_default=True, help="Profile of the journal.")
@click.option("--last", default=50, show_default=True, type=click.IntRange(1), help="Number of entries.")
@click.option("--all", "every", is_flag=True, help="All entries, including the archives.")
def show(profile: str, last: int, *, every: bool) -> None:
    """Print the newest journal entries."""
    entries = read_entries(profile, archived=every)
    if len(entries) < last and not every:
        entries = read_entries(profile, archived=True)
    for entry in entries if every else entries[-last:]:
        at = datetime.fromtimestamp(entry.wall_ms / 1000, UTC).strftime("%Y-%m-%d %H:%M:%S.%f")[:-3]
        click.echo(
            clean(
                f"{entry.seq:6} {at}Z {entry.kind:9} {entry.client_order_id or entry.order_id:24} {entry.payload}", 400
            )
        )


@command.command()
@click.option("--profile", default="paper", show_default=True, help="Profile of the journal.")
@click.option(
    "--format",
    "form",
    type=click.Choice(["jsonl", "csv"]),
    default="jsonl",
    show_default=True,
    help="JSON lines, or a table.",
)
@click.option("--out", type=click.Path(path_type=Path), help="A new file instead of the terminal.")
@click.option("--overwrite", is_flag=True, help="Replace the file when it exists.")
def export(profile: str, form: str, out: Path | None, *, overwrite: bool) -> None:
    """Export all journal entries, archives included, as JSON lines or as a CSV table."""
    entries = read_entries(profile, archived=True)
    content = exporting.encode_table(make_table(entries), Form(form))
    if out is None:
        for part in content:
            click.echo(part, nl=False)
        return
    with exporting.create_file(out, overwrite=overwrite) as file:
        exporting.write_parts(file, out, content)
    click.echo(f"{how_many(len(entries), 'entry', 'entries')} written to {out}")


def make_table(entries: Sequence[Entry]) -> Table:
    """Return journal entries as a table to export."""
    from tui.engine.journal.journal_rows import Entry

    columns = {name: _KINDS.get(name, ColumnKind.TEXT) for name in Entry.__struct_fields__}
    return Table(columns, [msgspec.structs.asdict(entry) for entry in entries])
