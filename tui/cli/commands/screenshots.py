"""`crossdesk screenshots`: reproducible screenshots of the program on a paper venue with a fixed seed."""

from __future__ import annotations

import importlib
from pathlib import Path

import click

from tui.cli.commands.bench import switch_to_checkout


@click.command()
@click.option("--only", metavar="WORD", default="", help="Only pictures whose name holds the word.")
@click.option(
    "--into", type=click.Path(file_okay=False, path_type=Path), help="Another folder than that of the checkout."
)
def command(only: str, into: Path | None) -> None:
    """Draw the pictures in screenshots/ anew; run it in the folder of a source checkout."""
    top = switch_to_checkout("the pictures are made")
    folder = into or top / "screenshots"
    count: int = importlib.import_module("tests.pictures.gallery").write_pictures(folder, only)
    click.echo(f"{count} pictures in {folder}")
