"""`crossdesk gateway`: the engine without a screen, for desks and programs of this machine, and for traders on a bus."""

from __future__ import annotations

import os
import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

import click

from tui import paths
from tui.cli.credentials import protect_memory
from tui.cli.desks.folded_lines import echo_folded
from tui.crossdesk_error import CrossdeskError
from tui.settings import read

if TYPE_CHECKING:
    from tui.desk_protocol.bus.connection import BusPlace
    from tui.engine.event_line import EventLine
    from tui.engine.life.thread import EngineThread

LOOK_S = 0.1
"""Seconds between two looks at the event lines."""
WORD = "quit"
LOCAL = "local"
"""Value of `--bus` for a server of the gateway's own; a port may follow: `local:4333`."""

_seed_file = click.Path(dir_okay=False, path_type=Path)
_traders = click.option(
    "--trader", "traders", multiple=True, metavar="NAME[=KEY]",
    help="A trader, by name and public NKEY; without a key, a seed is made in the folder of the bus. Once for each.",
)  # fmt: skip
_desk = click.option("--desk", metavar="NAME", help="Name of the desk on the bus, the end of its URLs; usually desk.")


class GatewayStopped(CrossdeskError):
    """Error for a gateway that ends because its engine failed."""

    title = "Gateway stopped"


@click.group(invoke_without_command=True)
@click.option("--profile", metavar="NAME", help="A configured service instead of the paper venue of this home.")
@click.option(
    "--bus", metavar="local|URL", help="Also serve traders on a NATS server: an own one on this machine, or URL."
)
@click.option("--bus-seed", type=_seed_file, metavar="FILE", help="NKEY seed of the gateway at the server of URL.")
@_traders
@_desk
@click.pass_context
def command(
    context: click.Context,
    profile: str | None,
    bus: str | None,
    bus_seed: Path | None,
    traders: tuple[str, ...],
    desk: str | None,
) -> None:
    """Hold the account without a screen; desks and programs that are started meanwhile attach to it.

    It prints its event lines. The word quit, Ctrl+C or SIGTERM ends it; orders stay at the venue.
    """
    if context.invoked_subcommand is not None:
        return
    from tui.cli.launcher import open_engine
    from tui.interface import decimals

    _fill_standard_input()
    protect_memory()
    decimals.setup()
    ended = threading.Event()
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        signal.signal(number, lambda *_: ended.set())
    config = read(paths.config_file())
    with (
        _open_bus(bus, bus_seed, traders, desk) as place,
        open_engine(profile, config, name="gateway", looks_only=False, holds=True, bus=place) as engine,
    ):
        engine.start()
        echo_folded(first_line(profile))
        if sys.stdin.isatty():
            threading.Thread(target=_wait_for_word, args=(ended,), name="words", daemon=True).start()
        _print_events(engine, ended)
        failure = engine.failure
    if failure:
        raise GatewayStopped(f"{failure}; orders stay at the venue")
    echo_folded("crossdesk gateway: ended; orders stay at the venue")


def first_line(profile: str | None) -> str:
    """Return the first line that a gateway prints: which account it serves, how to attach, how to end it."""
    account = "the paper account of this home" if profile is None else f"the account of profile {profile}"
    attach = f"crossdesk --attach {profile or paths.PAPER}"
    return f"crossdesk gateway: serves {account}; desks attach by themselves ({attach}); the word {WORD} ends it"


def _fill_standard_input() -> None:
    """Open the null device as standard input if that is closed, so that no other file gets its descriptor number."""
    if sys.stdin is None:
        sys.stdin = Path(os.devnull).open()  # noqa: SIM115  # for the life of the process


@contextmanager
def _open_bus(
    bus: str | None, seed: Path | None, traders: tuple[str, ...], desk: str | None
) -> Iterator[BusPlace | None]:
    """Yield the NATS server to serve on, or None without `--bus`; for `--bus local` run one for the time of the block.

    Raises:
        BusRefused: The options do not fit, or the packages for it are not installed.
        CredentialsError: The seed cannot be read.
    """
    if bus is None:
        if seed is not None or traders or desk is not None:
            raise click.UsageError("--bus-seed, --trader and --desk belong to --bus")
        yield None
        return
    from tui.cli.bus import server as bus_server
    from tui.desk_protocol.bus.address import USUAL_DESK, USUAL_PORT, parse_address
    from tui.desk_protocol.bus.connection import require_packages

    word, _, port = bus.partition(":")
    if word != LOCAL:
        address = parse_address(bus)
        if traders or address.trader or desk is not None:
            raise click.UsageError(
                "--bus URL: traders stand in the configuration of the server, the desk at the end: URL/DESK"
            )
        yield bus_server.bus_place(address, seed)
        return
    if port and not _is_port(port):
        raise click.UsageError(f"--bus {bus}: accepted is local, or local:PORT")
    require_packages()
    with bus_server.run_own_server(desk or USUAL_DESK, int(port or USUAL_PORT), traders) as address:
        yield bus_server.bus_place(address, None)


@command.command("nats-config")
@_traders
@_desk
@click.option(
    "--listen", default="127.0.0.1:4222", show_default=True, metavar="HOST:PORT", help="Where the server listens."
)
@click.option(
    "--tls-cert", metavar="FILE", help="Certificate of the server; required unless it listens on this machine."
)
@click.option("--tls-key", metavar="FILE", help="Key of the certificate.")
def nats_config(
    traders: tuple[str, ...], desk: str | None, listen: str, tls_cert: str | None, tls_key: str | None
) -> None:
    """Write the configuration of a NATS server.

    Each trader may send as itself alone, and reads its own answers alone.
    """
    from tui.cli.bus import server as bus_server
    from tui.desk_protocol.bus.address import USUAL_DESK
    from tui.desk_protocol.bus.connection import require_packages
    from tui.desk_protocol.bus.server_config import Certificate

    host, _, port = listen.rpartition(":")
    if not host or not _is_port(port):
        raise click.UsageError(f"--listen {listen}: accepted is HOST:PORT, such as 127.0.0.1:4222")
    if (tls_cert is None) != (tls_key is None):
        raise click.UsageError("--tls-cert and --tls-key go together")
    certificate = Certificate(tls_cert, tls_key) if tls_cert and tls_key else None
    require_packages()
    folder = bus_server.bus_folder()
    keys = bus_server.read_traders(traders, folder)
    file = bus_server.write_files(folder, desk or USUAL_DESK, host.strip("[]"), int(port), keys, certificate)
    click.echo(f"written: {file}; start: nats-server -c {file}")
    for name in keys:
        if (seed := bus_server.seed_file(name)).exists():
            click.echo(f"seed of {name}: {seed}; move it to the trader's machine, mode 600")


@command.command("nats-key")
@click.argument("file", type=_seed_file)
def nats_key(file: Path) -> None:
    """Make an NKEY seed in FILE unless it is there, and print its public key, which nats-config takes."""
    from tui.cli.bus import server as bus_server

    click.echo(bus_server.make_seed_file(file))


def _is_port(text: str) -> bool:
    return text.isdecimal() and 0 < int(text) < 65536


def _wait_for_word(ended: threading.Event) -> None:
    for line in sys.stdin:
        if line.strip() == WORD:
            ended.set()
            return
        click.echo(f"{WORD} ends the gateway")


def _print_events(engine: EngineThread, ended: threading.Event) -> None:
    """Print the engine's event lines until the gateway is told to end or the engine has failed."""
    while not ended.wait(LOOK_S):
        failed = bool(engine.failure)
        for line in engine.updates.take().events:
            echo_folded(_describe(line))
        if failed:
            return


def _describe(line: EventLine) -> str:
    at = datetime.fromtimestamp(line.wall_ms / 1000, UTC)
    return f"{at:%Y-%m-%dT%H:%M:%SZ} {line.level.value:<5} {line.text}"
