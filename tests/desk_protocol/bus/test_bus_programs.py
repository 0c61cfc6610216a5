"""`connect("nats://anna@…")`: a program of a trader on the bus reads and proposes, and sends within a mandate, no more."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Iterator
from decimal import Decimal
from pathlib import Path

import pytest
import pytest_asyncio

from crossdesk import AsyncDesk, DeskError, LinkClosed, Mandate, connect, connect_async
from tests.client.fakes import until
from tests.desk_protocol.bus.bus_desks import GatewayDesk, NatsServer, TraderDesk, find_server, run_server, write_seed
from tests.desk_protocol.desks import BTC, Program, new_id, sent_at
from tests.venue.shell.conftest import Venue
from tui.desk_protocol.bus import window
from tui.desk_protocol.bus.gateway import MOST_WINDOWS
from tui.engine.intents import CancelAll, Verdict
from tui.engine.limits import Limits, TraderLimits, name_program, trader_of
from tui.engine.rows import Table
from tui.engine.status_rows import MandateRow

needs_server = pytest.mark.skipif(not find_server(), reason="no nats-server: pip install -r requirements-desk.lock")


@pytest.fixture
def own_server(tmp_path: Path) -> Iterator[NatsServer]:
    """A server of the test's own, to be killed by it."""
    with run_server(tmp_path) as server:
        yield server


@pytest.fixture(autouse=True)
def patient(monkeypatch: pytest.MonkeyPatch) -> None:
    """A program connects once and a busy machine is slow; what is noticed after how long is tested with windows."""
    monkeypatch.setattr(window, "OPEN_S", 20.0)
    monkeypatch.setattr(window, "GATEWAY_SILENT_BEATS", 40)


@pytest_asyncio.fixture
async def gateway(venue: Venue, server: NatsServer, tmp_path: Path) -> AsyncIterator[GatewayDesk]:
    desk = GatewayDesk(server, venue, tmp_path)
    await desk.in_step()
    await until(lambda: any("traders attach" in text for text in desk.texts()), 10)
    yield desk
    decision = desk.buy("1").decision
    assert (await desk.submit(CancelAll(decision=decision, kill=True))).verdict is Verdict.ACCEPTED
    await desk.end()


@pytest.fixture
def home(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch, server: NatsServer) -> Path:
    """The home of the machine of the traders, with the seeds where the guide puts them."""
    place = tmp_path_factory.mktemp("trader")
    monkeypatch.setenv("CROSSDESK_HOME", str(place))
    for name in ("anna", "carl"):
        write_seed(place, name, server.seeds[name])
    return place


def address(server: NatsServer, trader: str) -> str:
    return f"nats://{trader}@127.0.0.1:{server.port}"


async def granted(gateway: GatewayDesk, desk: AsyncDesk, order_value: str = "1000") -> Mandate:
    """The mandate that the trader at the gateway's machine gives a program."""
    terms = {"order_value": order_value, "position_value": "3000", "traded_value": "3000", "loss": "500"}
    asked = asyncio.ensure_future(
        desk.ask_mandate(BTC, **terms, orders_per_minute=60, seconds=600, reason="quotes around the mid")  # type: ignore[arg-type]
    )

    def request() -> MandateRow | None:
        rows = gateway.screen.look().tables.get(Table.MANDATES, {}).values()
        return next((row for row in rows if isinstance(row, MandateRow) and not row.granted), None)

    await until(request, 10)
    row = request()
    assert row is not None and row.peer == desk.name
    gateway.thread.grant(row.key)
    return await asked


@needs_server
async def test_a_plain_program_reads_over_the_bus(gateway: GatewayDesk, server: NatsServer, home: Path) -> None:
    def run() -> tuple[str, str, Decimal | None]:
        with connect(address(server, "anna"), name="monitor", seed=str(home / "config" / "bus" / "anna.seed")) as desk:
            [mark] = desk.call("mark_price", sym=BTC)
            quote = next(desk.quotes(BTC))
            peers.extend(peer.name for peer in desk.status.peers)
            return desk.name, mark.mark_price, quote.bid

    peers: list[str] = []
    window = TraderDesk(server, "anna")
    await window.in_step()
    assert await asyncio.to_thread(run) == ("monitor of anna", "61777.2", Decimal("61777.1"))
    assert peers == ["anna"]
    await until(lambda: [peer.name for peer in gateway.status().peers] == ["anna"], 5)
    assert "monitor of anna attached, to read and propose" in gateway.texts()
    await window.end()


@needs_server
async def test_a_program_proposes_freely_but_sends_only_with_a_mandate(
    gateway: GatewayDesk, server: NatsServer, home: Path, venue: Venue
) -> None:
    async with connect_async(address(server, "anna"), name="maker") as desk:
        asked = asyncio.ensure_future(desk.propose("BUY", BTC, "0.01", "60001", reason="the basis is wide"))
        await until(lambda: desk.proposals, 10)
        [proposal] = desk.proposals
        assert any(f"maker of anna (:accept {proposal.number}" in text for text in gateway.texts())
        gateway.thread.decline(proposal.number)
        assert (await asked).answer == "declined"
        denied = await desk.place("BUY", BTC, "0.01", "60002")
        assert (denied.verdict, denied.guard) == ("denied", "MANDATE")
        mandate = await granted(gateway, desk)
        assert 590 < mandate.seconds_left <= 600 and desk.mandate is not None
        placed = await desk.place("BUY", BTC, "0.01", "60003", time_in_force="GTX")
        assert placed.verdict == "accepted", placed
        await until(lambda: placed.order in gateway.orders(), 10)
        assert gateway.orders()[placed.order].peer == "maker of anna"
        beyond = await desk.place("BUY", BTC, "0.02", "60004", time_in_force="GTX")
        assert (beyond.verdict, beyond.guard) == ("denied", "MANDATE")
        assert (await desk.replace(placed.order, "0.01", "60005")).verdict == "accepted"
        assert (await desk.cancel(placed.order)).verdict == "accepted"
    assert [len(sent_at(venue, price)) for price in ("60001", "60002", "60004")] == [0, 0, 0]
    await until(lambda: not gateway.screen.look().tables[Table.MANDATES], 5)


@needs_server
async def test_programs_are_held_to_the_limits_of_their_trader(
    gateway: GatewayDesk, server: NatsServer, home: Path
) -> None:
    """Carl may send 500 in an order, whatever a mandate says."""
    async with (
        connect_async(address(server, "carl"), name="maker"),
        connect_async(address(server, "carl"), name="maker") as second,
    ):
        assert second.name == "maker of carl 2"
        await granted(gateway, second)
        denied = await second.place("BUY", BTC, "0.01", "60006", time_in_force="GTX")
        assert (denied.verdict, denied.guard) == ("denied", "NOTIONAL"), denied
        assert (await second.place("BUY", BTC, "0.005", "60007", time_in_force="GTX")).verdict == "accepted"


@needs_server
async def test_s58_a_program_cannot_act_as_desk_or_other_trader(gateway: GatewayDesk, server: NatsServer) -> None:
    hello = {"versions": [1], "name": "maker", "role": "propose", "session": "x"}
    liar = Program(await window.connect(server.place("bert"), new_id))
    refused = await liar.call("hello", hello | {"name": "maker of anna"})
    assert "result" not in refused and "'maker of anna'" in refused["text"]
    carrier = await window.connect(server.place("bert"), new_id)
    program = Program(carrier)
    assert (await program.call("hello", hello))["result"]["name"] == "maker of bert"
    for method, params in (("submit", {}), ("grant", "100"), ("set_trading_state", "ARMED"), ("set_limits", [])):
        refused = await program.call(method, params)
        assert refused["text"] == f"{method} needs the role desk; maker of bert has the role propose"
    program.close()
    await carrier.wait_closed()


@needs_server
async def test_windows_and_programs_of_a_bus_trader_are_limited(
    gateway: GatewayDesk, server: NatsServer, home: Path
) -> None:
    desks = [connect_async(address(server, "anna"), name=f"p{number}") for number in range(MOST_WINDOWS)]
    for desk in desks:
        await desk.__aenter__()
    with pytest.raises(LinkClosed, match=f"anna has {MOST_WINDOWS} windows and programs; end one first"):
        async with connect_async(address(server, "anna")):
            pass
    for desk in desks:
        await desk.__aexit__()


@needs_server
async def test_a_program_loses_its_link_when_the_nats_server_dies(
    venue: Venue, tmp_path: Path, home: Path, own_server: NatsServer
) -> None:
    own, gateway = own_server, GatewayDesk(own_server, venue, tmp_path)
    await gateway.in_step()
    seed = write_seed(home, "bert", own.seeds["bert"])
    await until(lambda: any("traders attach" in text for text in gateway.texts()), 10)
    async with connect_async(address(own, "bert"), name="maker", seed=seed) as desk:
        await granted(gateway, desk)
        placed = await desk.place("BUY", BTC, "0.01", "60008", time_in_force="GTX")
        assert placed.verdict == "accepted"
        own.kill()
        with pytest.raises(LinkClosed):
            async for _ in desk.events():
                pass
        with pytest.raises(LinkClosed):
            await desk.place("BUY", BTC, "0.01", "60009", time_in_force="GTX")
    await until(lambda: gateway.orders()[placed.order].final, 20)  # its mandate has ended with it
    with pytest.raises(LinkClosed, match="cannot be used"):
        async with connect_async(address(own, "bert"), seed=seed):
            pass
    assert sent_at(venue, "60009") == []
    await gateway.end()


@needs_server
async def test_a_program_is_refused_without_gateway_or_known_key(server: NatsServer, home: Path) -> None:
    with pytest.raises(LinkClosed, match="no gateway serves the desk 'desk'"):
        async with connect_async(address(server, "anna")):
            pass
    write_seed(home, "anna", NatsServer(home).seeds["anna"])
    with pytest.raises(LinkClosed, match=r"(?i)authorization violation"):
        async with connect_async(address(server, "anna")):
            pass


def refusals() -> list[tuple[str, Callable[[Path], object], str]]:
    anna = "nats://anna@127.0.0.1:4222"
    return [
        ("far", lambda home: connect("nats://anna@10.0.0.1:4222"), "only tls:// is accepted outside this machine"),
        ("form", lambda home: connect("http://anna@127.0.0.1"), "accepted is nats://TRADER@HOST"),
        ("password", lambda home: connect("nats://anna:x@127.0.0.1"), "an address holds no password"),
        (
            "trader",
            lambda home: connect("nats://127.0.0.1:4222", seed=home / "config/bus/anna.seed"),
            "names no trader",
        ),
        ("seed", lambda home: connect("nats://dora@127.0.0.1:4222"), "dora.seed"),
        ("read", lambda home: connect(anna, seed=home / "none.seed"), "none.seed"),
        ("local", lambda home: connect("desk", seed=home / "none.seed"), "seed belongs to the address of a bus"),
    ]


@needs_server
@pytest.mark.parametrize(("case", "act", "why"), refusals(), ids=[case for case, _, _ in refusals()])
def test_a_program_is_told_why_it_cannot_connect_to_the_bus(
    case: str, act: Callable[[Path], object], why: str, home: Path
) -> None:
    if case == "trader":
        write_seed(home, "gateway", (home / "config" / "bus" / "anna.seed").read_text().strip())
    with pytest.raises(DeskError, match=why):
        act(home)


@needs_server
def test_s60_a_seed_that_others_can_read_is_refused_to_programs(home: Path) -> None:
    (home / "config" / "bus" / "anna.seed").chmod(0o644)
    with pytest.raises(DeskError, match="nobody else can read"):
        connect("nats://anna@127.0.0.1:4222")


@pytest.mark.parametrize("program", ["maker", "x" * 100, "x of anna", "maker 2"])
@pytest.mark.parametrize("trader", ["bert", "b" * 32])
def test_a_bus_program_name_tells_the_trader_whose_limits_apply(program: str, trader: str) -> None:
    name = name_program(program, trader, 40)
    assert len(name) <= 40 and trader_of(name) == trader_of(f"{name} 2") == trader_of(f"{trader} 3") == trader
    limits = Limits(trader={trader: TraderLimits(max_qty="1")})
    assert limits.of(BTC, name).max_qty == "1" and limits.of(BTC, "maker of dora").max_qty == ""
