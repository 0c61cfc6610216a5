"""`crossdesk venue`: run the paper venue as a process of its own."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import os
import signal
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import click
import msgspec

from tui.cli.credentials import protect_memory
from tui.cli.log_file import mute_client_errors, start_log
from tui.cli.venue_keys import load_or_create_keys, load_or_create_master
from tui.crossdesk_error import CrossdeskError
from tui.host import LOOPBACK, HostClock, SeededRandomSource, fresh_account_id, fresh_secret, fresh_seed

if TYPE_CHECKING:
    from collections.abc import Callable

    from tui.interface.ready import Recording
    from tui.venue.shell.runtime import Runtime
    from tui.venue.shell.server import Server

log = logging.getLogger("tui.venue")


class VenueNotStarted(CrossdeskError):
    """Failure to listen on the given address."""

    title = "Venue not started"


class VenueOptions(NamedTuple):
    """Options of `crossdesk venue`."""

    host: str
    port: int
    state: Path | None
    key_file: Path | None
    portfolio: str
    seed: int
    market: str
    switches: list[tuple[str, str]]
    control: bool
    marks: Path | None


def _switch_help() -> str:
    from tui.venue.shell.switches import ALL_SPECS

    lines = [f"  {spec.line}" for spec in ALL_SPECS]
    return (
        "\b\nSwitches (--set NAME=VALUE; the first value is the default):\n"
        + "\n".join(lines)
        + "\n\n\b\nFaults are written [KIND:]TARGET:HOW:FIGURE, several separated by commas. TARGET * is any; HOW is a\n"
        'probability (0.1) or a count (3x), always when left out. {"set": {"NAME": "VALUE"}} on the control line sets\n'
        'any of them while the venue runs, {"move": {"BTC": "61000"}} takes a market to a price,\n'
        'or by a share of it ("-2%"), {"dividend": {"ETH": "0.001"}} pays a share of what is held of a coin, and\n'
        '{"deposit": {"USDT": "500 TRC20 main"}} lets a deposit come in; without network and account to Funding.'
    )


class VenueCommand(click.Command):
    """Click command whose help ends with the generated table of the venue's switches."""

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        self.epilog = _switch_help()
        super().format_epilog(ctx, formatter)


@click.command(cls=VenueCommand)
@click.option("--host", default="127.0.0.1", show_default=True, help="Address to listen on; this machine only.")
@click.option("--port", default=0, show_default=True, type=click.IntRange(0, 65535), help="0 picks a free port.")
@click.option("--state", type=click.Path(dir_okay=False, path_type=Path), help="File that keeps accounts and orders.")
@click.option(
    "--keys",
    "key_file",
    type=click.Path(dir_okay=False, path_type=Path),
    help="File that keeps the API keys over restarts; made when there is none. Otherwise each start makes new ones.",
)
@click.option(
    "--portfolio", default="", metavar="NAME", help="Two keys more, desk and desk-readonly, of this portfolio."
)
@click.option("--seed", type=int, help="Seed of the market; drawn at random when absent.")
@click.option(
    "--market", default="agents", show_default=True, metavar="agents|FILE", help="Seeded agents, or a recording."
)
@click.option("--set", "switches", multiple=True, metavar="KEY=VALUE", help="Set a switch, see below.")
@click.option(
    "--log",
    "log_path",
    type=click.Path(dir_okay=False, path_type=Path),
    help="File for the log; without one it goes to standard error.",
)
@click.option(
    "--marks",
    type=click.Path(file_okay=False, path_type=Path),
    help="Folder that remembers the newest state, so that a restored older one is noticed; best apart from it.",
)
@click.option(
    "--describe",
    type=click.Choice(["openapi", "asyncapi", "switches"]),
    help="Print the REST interface, the streams or the table of switches, and start nothing.",
)
@click.option("--control", is_flag=True, help="Standard input is lifeline and control line: its end ends the venue.")
def command(
    host: str,
    port: int,
    state: Path | None,
    key_file: Path | None,
    portfolio: str,
    seed: int | None,
    market: str,
    switches: tuple[str, ...],
    log_path: Path | None,
    marks: Path | None,
    describe: str | None,
    *,
    control: bool,
) -> None:
    """Run the paper venue until SIGTERM or SIGINT. Prints one line of JSON when it is ready, and nothing else."""
    if describe is not None:
        click.echo(_description(describe), nl=False)
        return
    if host not in LOOPBACK:
        raise click.UsageError(
            f"--host {host}: the paper venue listens on this machine only (127.0.0.1, ::1, localhost)"
        )
    os.umask(0o077)
    protect_memory()
    hide = _start_log(log_path)
    options = VenueOptions(
        host=host, port=port, state=state, key_file=key_file, portfolio=portfolio, market=market, control=control,
        seed=fresh_seed() if seed is None else seed, switches=_read_switches(switches), marks=marks,
    )  # fmt: skip
    from tui.interface.decimals import setup

    setup()
    asyncio.run(_serve(options, hide))


def _read_switches(items: Sequence[str]) -> list[tuple[str, str]]:
    """Split each `--set NAME=VALUE` into name and value.

    Raises:
        click.UsageError: One has no value.
    """
    pairs = []
    for item in items:
        name, equals, value = item.partition("=")
        if not equals:
            raise click.UsageError(f"--set {item}: write NAME=VALUE")
        pairs.append((name, value))
    return pairs


def _description(name: str) -> str:
    """Return the text that `--describe NAME` prints: the table of switches, or an API description as JSON."""
    if name == "switches":
        return describe_switches()
    from tui.venue.shell.descriptions.documents import write_description

    return write_description(name).decode()


def describe_switches() -> str:
    """Format the venue's switches as a Markdown table: default per edition, other values, meaning."""
    from tui.venue.shell.switches import ALL_SPECS

    rows = ["| Switch | `documents` | `lenient` | Other values | Meaning |", "|---|---|---|---|---|"]
    for spec in ALL_SPECS:
        default = spec.values[0]
        lenient = spec.lenient or default
        others = " ".join(f"`{value}`" for value in spec.values if value not in (default, lenient))
        rows.append(f"| `{spec.name}` | `{default}` | `{lenient}` | {others} | {spec.meaning} |")
    return "\n".join(rows) + "\n"


def _start_log(path: Path | None) -> Callable[..., None]:
    """Log to the file, or to standard error without one; return a function that redacts texts in the log."""
    mute_client_errors()
    return start_log(path, "venue").hide


async def _serve(options: VenueOptions, hide: Callable[..., None]) -> None:
    from tui.venue.shell.factory import open_exchange
    from tui.venue.shell.runtime import Runtime

    ended = _await_signal()
    clock, random_source = HostClock(), SeededRandomSource(options.seed)
    opened = open_exchange(
        clock=clock,
        random_source=random_source,
        state=options.state,
        market=options.market,
        wanted=options.switches,
        fresh_id=fresh_account_id,
        marks=options.marks,
    )
    runtime = Runtime(
        opened.exchange,
        store=opened.store,
        clock=clock,
        random_source=random_source.stream("shell"),
        switches=opened.switches,
        archive=opened.archive,
    )
    server = _make_server(runtime, options, hide)
    ports = await _bind(server, options.host, options.port, failover=opened.switches["ha"] == "on")
    runtime.start()
    assert runtime.failed is not None
    listening = await _start_control_line(server, ended) if options.control else None
    print(_ready_line(server, options.host, ports, opened.recording), flush=True)
    try:
        await asyncio.wait([ended, runtime.failed], return_when=asyncio.FIRST_COMPLETED)
    finally:
        if listening is not None:
            listening.cancel()
        await _shut_down(server, runtime)
    if runtime.failed.done():
        log.error("the venue stopped", exc_info=runtime.failed.exception())
        runtime.failed.result()


def _make_server(runtime: Runtime, options: VenueOptions, hide: Callable[..., None]) -> Server:
    """Build the server with the keys of this launch, whose secrets are redacted in the log."""
    from tui.venue.shell.key_secrets import KeySecrets
    from tui.venue.shell.server import Server, make_keys

    fresh = make_keys(runtime.exchange, fresh_secret, options.portfolio)
    keys = fresh if options.key_file is None else load_or_create_keys(options.key_file, fresh)
    master = fresh_secret() if options.state is None else load_or_create_master(options.state, fresh_secret)
    hide(master, *(key.api_key for key in keys), *(key.api_secret for key in keys))
    return Server(runtime, keys, KeySecrets(master))


async def _shut_down(server: Server, runtime: Runtime) -> None:
    with contextlib.suppress(Exception):
        server.drop_connections()
    runtime.stop()
    await server.runner.cleanup()
    runtime.close_archive()


def _await_signal() -> asyncio.Future[None]:
    """Return a future that completes on SIGTERM or SIGINT."""
    loop = asyncio.get_running_loop()
    ended: asyncio.Future[None] = loop.create_future()
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, _complete, ended)
    return ended


def _complete(ended: asyncio.Future[None]) -> None:
    if not ended.done():
        ended.set_result(None)


async def _bind(server: Server, host: str, port: int, *, failover: bool) -> list[int]:
    """Bind the listening ports, a second one for the failover addresses included, and return them.

    Raises:
        VenueNotStarted: The address cannot be listened on.
    """
    from aiohttp import web

    await server.runner.setup()
    try:
        await web.TCPSite(server.runner, host, port).start()
        if failover:
            await web.TCPSite(server.runner, host, 0).start()
    except OSError as error:
        raise VenueNotStarted(f"cannot listen on {host}:{port}: {error.strerror or error}") from error
    bound, *second = (address[1] for address in server.runner.addresses)
    names = ("127.0.0.1", "localhost", "[::1]")
    server.accept_hosts(
        [f"{name}:{bound}" for name in names], [f"{name}:{number}" for name in names for number in second]
    )
    return [bound, *second]


def _ready_line(server: Server, host: str, ports: list[int], recording: Recording | None) -> str:
    bound, *second = ports
    shown = f"[{host}]" if ":" in host else host
    line = server.ready_line(
        os.getpid(),
        f"http://{shown}:{bound}",
        f"ws://{shown}:{bound}",
        recording=recording,
        ha=f"{shown}:{second[0]}" if second else "",
    )
    return msgspec.json.encode(line).decode()


async def _start_control_line(server: Server, ended: asyncio.Future[None]) -> asyncio.Task[None]:
    loop = asyncio.get_running_loop()
    reader = asyncio.StreamReader(limit=65536)
    await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(reader), sys.stdin)
    return loop.create_task(_read_control_line(server, reader, ended))


async def _read_control_line(server: Server, reader: asyncio.StreamReader, ended: asyncio.Future[None]) -> None:
    """Execute control commands from standard input; at its end complete `ended`, which stops the venue."""
    from tui.venue.shell.control import execute_line

    while True:
        try:
            line = await reader.readline()
        except ValueError:
            log.warning("control: the line is longer than 64 KiB")
            continue
        if not line:
            _complete(ended)
            return
        error = execute_line(server, line)
        if error:
            log.warning(error)
