"""`crossdesk bench`: benchmarks of a source checkout."""

from __future__ import annotations

import importlib
import os
import sys
from pathlib import Path

import click

from tui import paths


def switch_to_checkout(what: str) -> Path:
    """Return the top of this code's source checkout; an installed copy restarts as the code of the current folder.

    Args:
        what: What needs the checkout, for the error.

    Raises:
        NoCheckout: This is an installed package, and the current folder is no checkout either.
    """
    top, here = paths.checkout_dir(), Path.cwd()
    if top is None and not paths.is_checkout(here):
        raise paths.NoCheckout(
            f"{what} in a source checkout, and this is an installed package; change to a checkout first"
        )
    if top is None:
        # All code is to be that of the checkout: a benchmark beside an installed copy would measure the copy.
        path = os.pathsep.join(filter(None, (str(here), os.environ.get("PYTHONPATH", ""))))
        words = [sys.executable, "-m", "tui.cli.main", *sys.argv[1:]]
        os.execve(sys.executable, words, {**os.environ, "PYTHONPATH": path})
    return top or here


def _find_benchmarks() -> dict[str, str]:
    """Return the name and help line of every benchmark; empty outside a source checkout."""
    if paths.checkout_dir() is None:
        return {}
    benchmarks: dict[str, str] = importlib.import_module("benchmarks").BENCHMARKS
    return benchmarks


class _Benchmarks(click.Group):
    """Command group that imports a benchmark only when it runs."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        if paths.is_checkout(Path.cwd()):
            switch_to_checkout("the benchmarks run")
        return super().parse_args(ctx, args)

    def list_commands(self, ctx: click.Context) -> list[str]:
        return sorted(_find_benchmarks())

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        switch_to_checkout("the benchmarks run")
        if cmd_name not in _find_benchmarks():
            return None
        command: click.Command = importlib.import_module(f"benchmarks.{cmd_name}").command
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        if benchmarks := _find_benchmarks():
            with formatter.section("Benchmarks"):
                formatter.write_dl(sorted(benchmarks.items()))


@click.command(cls=_Benchmarks, subcommand_metavar="NAME [OPTIONS]...")
def command() -> None:
    """Run the benchmarks, in the folder of a source checkout; `crossdesk bench NAME --help` lists the options of one."""
