"""`crossdesk bench`: benchmarks of a source checkout."""

from __future__ import annotations

import importlib

import click

from tui import paths


def _find_benchmarks() -> dict[str, str]:
    """Return the name and help line of every benchmark; empty outside a source checkout."""
    if paths.checkout_dir() is None:
        return {}
    benchmarks: dict[str, str] = importlib.import_module("benchmarks").BENCHMARKS
    return benchmarks


class _Benchmarks(click.Group):
    """Command group that imports a benchmark only when it runs."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return sorted(_find_benchmarks())

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if paths.checkout_dir() is None:
            raise paths.NoCheckout("the benchmarks run in a source checkout; this is an installed package")
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
    """Run the benchmarks. Needs a source checkout; `crossdesk bench NAME --help` lists the options of a benchmark."""
