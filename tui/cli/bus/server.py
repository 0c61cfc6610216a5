"""Files of a bus: seeds and configuration of its NATS server, and the server that a gateway runs itself."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import IO

import tui
from tui import paths
from tui.cli.credentials import read_private
from tui.desk_protocol.bus.address import BusAddress, BusRefused, check_name, parse_address
from tui.desk_protocol.bus.connection import BusPlace, require_packages
from tui.desk_protocol.bus.server_config import GATEWAY, Certificate, make_seed, public_key, write_server_config
from tui.host import fresh_bytes, tls_context
from tui.interface.text import name_extra
from tui.private_files import open_private, write_private

CONFIG = "nats-server.conf"
OWN_CONFIG = "own-server.conf"
"""The same of the server that a gateway runs itself."""
LOG = "nats-server.log"
NO_SERVER = (
    f"no nats-server is installed; on Linux x86_64 it comes with {name_extra('desk')}; elsewhere install nats-server"
)
LOCAL_HOST = "127.0.0.1"
"""Where the server of a gateway listens."""
STOP_S = 3.0
"""Longest wait for the server to end, s."""


def bus_folder() -> Path:
    """Return the folder of the NATS seeds and server configuration, created with mode 0700."""
    return paths.make_private(paths.make_private(paths.config_dir()) / "bus")


def seed_file(name: str) -> Path:
    """Return the default file of the NKEY seed of a trader or of the gateway."""
    return bus_folder() / f"{name}.seed"


def bus_place(address: BusAddress, file: Path | None) -> BusPlace:
    """Return a NATS server's address with the NKEY seed from `file`, by default that of the trader or the gateway.

    Raises:
        BusRefused: There is no seed, or the packages for it are not installed.
        CredentialsError: The seed cannot be read, or others could read it.
    """
    require_packages()
    place = file or seed_file(address.trader or GATEWAY)
    if not os.path.lexists(place):
        raise BusRefused(_describe_no_seed(address, place))

    def read_seed() -> str:
        return read_private(place).strip()

    public_key(read_seed())
    return BusPlace(address, read_seed, tls_context)


def _describe_no_seed(address: BusAddress, place: Path) -> str:
    """Return the error text that a seed is missing, with the seeds in its folder and the command that makes one."""
    others = ", ".join(sorted(file.stem for file in place.parent.glob("*.seed"))) or "none"
    who = f"trader {address.trader}" if address.trader else "the gateway"
    make = f"crossdesk gateway nats-key {place}" if address.trader else "crossdesk gateway nats-config"
    return (
        f"no seed of {who}: there is no {place}; seeds in that folder: {others}. "
        f"Name another file (--bus-seed), or make one: `{make}`"
    )


def make_seed_file(file: Path) -> str:
    """Create a file with a new NKEY seed unless the file exists; return the public key of its seed.

    Raises:
        BusRefused: The file holds no seed, or the packages for it are not installed.
        CredentialsError: The file cannot be read, or others could read it.
    """
    require_packages()
    if not os.path.lexists(file):
        descriptor = open_private(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL)
        with os.fdopen(descriptor, "w") as new:
            new.write(make_seed(fresh_bytes) + "\n")
    return public_key(read_private(file))


def read_traders(given: Sequence[str], folder: Path) -> dict[str, str]:
    """Return the public key of each trader; for a trader given without one, use or create a seed file in `folder`.

    Args:
        given: Each as `NAME`, or `NAME=PUBLIC_KEY`.
        folder: Place of the seeds.

    Raises:
        BusRefused: A name is not accepted, or nobody is named.
    """
    keys: dict[str, str] = {}
    for text in given:
        name, _, key = text.partition("=")
        if check_name("trader", name) == GATEWAY:
            raise BusRefused(f"--trader {GATEWAY}: the gateway itself has this name; name the trader otherwise")
        keys[name] = key or make_seed_file(folder / f"{name}.seed")
    if not keys:
        raise BusRefused("--trader NAME is needed, once for each trader")
    return keys


def write_files(
    folder: Path, desk: str, host: str, port: int, traders: Mapping[str, str], certificate: Certificate | None = None,
    name: str = CONFIG,
) -> Path:  # fmt: skip
    """Write a NATS server's configuration into a folder, and a seed of the gateway if missing; return the file's path.

    Raises:
        BusRefused: A name or a key is not accepted, or the certificate is missing.
    """
    gateway = make_seed_file(folder / f"{GATEWAY}.seed")
    text = write_server_config(desk, host, port, {GATEWAY: gateway, **traders}, certificate)
    write_private(folder / name, text.encode())
    return folder / name


class OwnServer:
    """NATS server that this process starts on this machine, and that ends with it."""

    def __init__(self, config: Path) -> None:
        """Start the NATS server.

        Raises:
            BusRefused: There is no server to start.
        """
        program = find_server()
        log = open_private(config.parent / LOG, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
        try:
            self._process = subprocess.Popen(
                [sys.executable, "-m", "tui.cli.bus.keeper", program, str(config)],
                cwd=Path(tui.__file__).resolve().parent.parent,
                stdin=subprocess.PIPE,
                stdout=log,
                stderr=log,
                start_new_session=True,
            )
        finally:
            os.close(log)

    def stop(self) -> None:
        """Stop the NATS server."""
        pipe: IO[bytes] | None = self._process.stdin
        assert pipe is not None
        pipe.close()
        try:
            self._process.wait(STOP_S)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()


@contextmanager
def run_own_server(desk: str, port: int, traders: Sequence[str]) -> Iterator[BusAddress]:
    """Run a NATS server on this machine for the time of the block, and yield its address.

    Raises:
        BusRefused: There is no server to start, its port is taken, or a name is not accepted.
    """
    _check_port(port)  # before the configuration of a server that runs is written anew
    folder = bus_folder()
    config = write_files(folder, desk, LOCAL_HOST, port, read_traders(traders, folder), name=OWN_CONFIG)
    server = OwnServer(config)
    try:
        yield parse_address(f"nats://{LOCAL_HOST}:{port}/{desk}")
    finally:
        server.stop()


def _check_port(port: int) -> None:
    """Check that the port for our own NATS server is free: otherwise the gateway would talk to another program.

    Raises:
        BusRefused: It is not.
    """
    try:
        with socket.create_server((LOCAL_HOST, port)):
            pass
    except OSError as error:
        raise BusRefused(
            f"--bus local: port {port} of this machine cannot be used: {os.strerror(error.errno or 0)}; "
            f"end the gateway or server that has it, or take another port, such as --bus local:{port + 1}"
        ) from None


def find_server() -> str:
    """Return the path of the program `nats-server`: beside the Python interpreter, else from the PATH.

    Raises:
        BusRefused: There is none.
    """
    beside = Path(sys.executable).parent / "nats-server"
    program = str(beside) if os.access(beside, os.X_OK) else shutil.which("nats-server")
    if program is None:
        raise BusRefused(NO_SERVER)
    return program
