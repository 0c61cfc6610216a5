"""Command line of `crossdesk`; each command has its own file, imported only when the command runs."""

from __future__ import annotations

import gc
import importlib
import os
import sys
from pathlib import Path

import click

from tui import __version__
from tui.crossdesk_error import CrossdeskError, NotPossible, os_error_text

COMMANDS: dict[str, tuple[str, str]] = {
    "venue": ("tui.cli.commands.venue", "Run the paper venue alone: one line of JSON when ready, ends on SIGTERM."),
    "endpoints": (
        "tui.cli.commands.endpoints",
        "List the REST endpoints: path, permission, scope, limit, status.",
    ),
    "call": ("tui.cli.commands.call", "Call one endpoint by name: `crossdesk call NAME key=value`."),
    "do": (
        "tui.cli.commands.do",
        "Show or send one order line: `crossdesk do 'buy 0.02 BTC BINANCE_PERP_BTC join' --arm`.",
    ),
    "watch": (
        "tui.cli.commands.watch",
        'Print alerts as they come true: `crossdesk watch "alert when BINANCE_PERP_BTC_USDT mark < 60000"`.',
    ),
    "gateway": ("tui.cli.commands.gateway", "Hold the account without a screen; desks and programs attach to it."),
    "page": ("tui.cli.commands.page", "Show the desk that runs as a read-only web page, for a second monitor."),
    "mcp": ("tui.cli.commands.mcp", "Tools for agents over stdio: they read, and propose orders (extra `agents`)."),
    "export": (
        "tui.cli.commands.export",
        "Export orders, fills, statement, journal, positions or assets as csv, jsonl or parquet.",
    ),
    "check": ("tui.cli.commands.check", "Check connection, clock, key, permissions and streams for trading."),
    "journal": ("tui.cli.commands.journal", "Show or export the journal, without a connection."),
    "watchdog": ("tui.cli.commands.watchdog", ""),
    "config": ("tui.cli.commands.config", "Show paths, write a starter file, validate the configuration."),
    "bench": ("tui.cli.commands.bench", "Run benchmarks with JSON results (source checkout)."),
    "screenshots": ("tui.cli.commands.screenshots", "Recreate the pictures of screenshots/ (source checkout)."),
}
"""Module with a click command called `command` and help line, by name; commands without a line are not for people."""


STARTS = (None, "venue", "watch", "mcp", "page")
"""Commands that run until they are ended; None is the workstation."""
EXIT_NOT_STARTED = 2
EXIT_PIPE_CLOSED = 141
"""Exit code of a command whose output nobody reads any more: that of the signal of a closed pipe in a shell."""


def error_code(error: CrossdeskError | OSError) -> int:
    """Return the exit code that belongs to an error by which a command ends."""
    return (error if isinstance(error, CrossdeskError) else NotPossible).exit_code


class LazyGroup(click.Group):
    """Command group that imports a command only when it runs, so that the workstation starts faster.

    It prints every error of this program that ends a command; click prints errors of arguments.
    """

    def invoke(self, ctx: click.Context) -> object:
        try:
            result = super().invoke(ctx)
            sys.stdout.flush()
            return result
        except BrokenPipeError:
            # What is still buffered would be written, and complained about, at the exit.
            with Path(os.devnull).open("wb") as nowhere:
                os.dup2(nowhere.fileno(), sys.stdout.fileno())
            ctx.exit(EXIT_PIPE_CLOSED)
        except (CrossdeskError, OSError) as error:
            shown = error if isinstance(error, CrossdeskError) else NotPossible(os_error_text(error))
            from tui.cli.desks.folded_lines import echo_folded

            echo_folded(f"crossdesk: {shown.title}: {shown}", err=True)
            ctx.exit(EXIT_NOT_STARTED if ctx.invoked_subcommand in STARTS else error_code(error))

    def list_commands(self, ctx: click.Context) -> list[str]:
        return sorted(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        entry = COMMANDS.get(cmd_name)
        if entry is None:
            return None
        command: click.Command = importlib.import_module(entry[0]).command
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl([(name, COMMANDS[name][1]) for name in sorted(COMMANDS) if COMMANDS[name][1]])


@click.group(cls=LazyGroup, invoke_without_command=True)
@click.version_option(__version__, prog_name="crossdesk")
@click.option("--profile", metavar="NAME", help="Trade on a configured service instead of the private paper venue.")
@click.option("--read-only", is_flag=True, help="Send nothing from this window; the key only reads.")
@click.option("--market", metavar="FILE", help="Paper: replay a recording instead of the seeded market.")
@click.option("--seed", type=int, metavar="N", help="Paper: the seed of the market.")
@click.option("--portfolio", metavar="NAME", default="", help="Paper: trade this portfolio instead of the main one.")
@click.option("--set", "switches", multiple=True, metavar="KEY=VALUE", help="Paper: a switch of the venue.")
@click.option(
    "--attach", is_flag=False, flag_value="paper", metavar="[NAME|URL]", default="",
    help="Trade through the desk or gateway of a profile on this machine (paper, or nothing: the paper venue), or through"
    " the gateway of a bus: tls://TRADER@HOST:PORT.",
)  # fmt: skip
@click.option(
    "--bus-seed",
    type=click.Path(dir_okay=False, path_type=Path),
    metavar="FILE",
    help="With --attach URL: file with the trader's NKEY seed, mode 600.",
)
@click.option("--plain", is_flag=True, help="Read lines and print lines: for screen readers, dumb terminals and pipes.")
@click.pass_context
def main(
    ctx: click.Context,
    profile: str | None,
    market: str | None,
    seed: int | None,
    portfolio: str,
    switches: tuple[str, ...],
    attach: str,
    bus_seed: Path | None,
    *,
    read_only: bool,
    plain: bool,
) -> None:
    """Run the trading workstation. Without a command: on a private paper venue."""
    if ctx.invoked_subcommand is None:
        if not plain:
            # Imported modules stay: garbage collection only delays the first frame, which switches it on again.
            gc.disable()
        from tui.cli.launcher import LaunchOptions, run

        options = LaunchOptions(
            profile=profile,
            read_only=read_only,
            market=market,
            seed=seed,
            switches=switches,
            portfolio=portfolio,
            attach=attach,
            bus_seed=bus_seed,
            plain=plain,
        )
        raise SystemExit(run(options))


if __name__ == "__main__":
    main(prog_name="crossdesk")
