"""The header: the most important parts that fit stand there, and the word FROZEN takes none of them away."""

from __future__ import annotations

import msgspec
import pytest

from tests.workstation.driver import Desk, desk
from tests.workstation.scripted import fill_desk
from tui.engine.modes import RiskMode, TradingState
from tui.engine.rows import Table
from tui.engine.status_rows import ENGINE, LinkRow, LinkState, PeerRow
from tui.workstation.render.line_parts import HeaderPart, Priority, Variant, fit_parts
from tui.workstation.terminal.output_window import FEWEST

SIZES = ((40, 12), (60, 20), (72, 24), (80, 24), (100, 30), (112, 36), (120, 36), (150, 42), (200, 60))


def header(at: Desk) -> str:
    return "\n".join(at.text().split("\n")[: at.app.main_screen.status.outer_size.height])


@pytest.mark.parametrize("size", [size for size in SIZES if size[0] >= 80])
async def test_header_always_shows_the_time_of_day(size: tuple[int, int]) -> None:
    """At 120 columns there was none. Between one line and room for both, the open result goes before it."""
    async with desk(*size) as at:
        text = header(at)
        assert "uPnL" in text and ("22:30:00Z" in text or (size[0] == 120 and "22:30Z" in text) or size[0] == 112)
        await at.press("z")
        assert "22:30" in header(at)


@pytest.mark.parametrize("width", [112, 116, 120, 123, 124, 140])
async def test_header_shows_the_open_result_beside_counters(width: int) -> None:
    """From 112 to 123 columns a single counter took it away."""
    async with desk(width, 36) as at:
        assert "UNK 1" in header(at) and "uPnL +2,129.50" in header(at) and "uniMMR 14.65" in header(at)


@pytest.mark.parametrize("size", SIZES)
async def test_header_keeps_account_and_mode_while_frozen(size: tuple[int, int]) -> None:
    async with desk(*size) as at:
        words = ("PAPER", "main", "ARMED", "NORMAL", "OK", "UNK 1", "uniMMR 14.65")
        before = [word for word in words if word in header(at)]
        await at.press("z")
        assert set(before) <= {word for word in words if word in header(at)}
        assert {"PAPER", "main", "ARMED", "UNK 1"} <= set(before) and "FROZEN" in header(at)


@pytest.mark.parametrize("size", [size for size in (*SIZES, (160, 45)) if size[0] >= 60])
async def test_header_keeps_margin_and_risk_mode_when_room_is_short(size: tuple[int, int]) -> None:
    """HOT took "margin OK" from 160 columns, and 120 never had "desk NORMAL"."""
    async with desk(*size) as at:

        def stands() -> bool:
            return {"NORMAL", "OK"} <= set(header(at).split())

        assert stands(), header(at)
        at.port.set_desk(portfolio_name="SubPortfolio", in_flight=2 if size[0] >= 80 else 0)
        await at.settle()
        assert stands(), header(at)
        at.port.enter_hot(60)
        await at.settle()
        assert stands() or size[0] < 72, header(at)
        await at.press("z")
        assert "FROZEN" in header(at) and (stands() or size[0] < 80), header(at)


@pytest.mark.parametrize("size", [*SIZES, (160, 45)])
async def test_the_header_says_margin_ok_and_desk_normal_in_full(size: tuple[int, int]) -> None:
    """With the network cut "margin OK" and "desk NORMAL" melted into "uniMMR 14.65 OK  NORMAL"."""
    async with desk(*size) as at:
        for name, link in list(at.app.mirror.links.items()):
            at.port.put(Table.LINKS, name, msgspec.structs.replace(link, state=LinkState.DOWN))
        at.port.set_desk(synced=False)
        await at.settle()
        shown = header(at)
        assert "LINK DOWN" in shown or size[0] < 72, shown
        assert "RECONCILING" not in at.text(), "nothing is read while the link is down"
        assert shown.count("OK") == shown.count("margin OK"), shown
        assert shown.count("NORMAL") == shown.count("desk NORMAL"), shown


@pytest.mark.parametrize(
    ("state", "word"),
    [
        (LinkState.DOWN, "LINK DOWN"), (LinkState.CONNECTING, "LINK DOWN"), (LinkState.LOGIN, "LINK DOWN"),
        (LinkState.RESYNC, "RECONCILING"), (LinkState.UP, "RECONCILING"),
    ],
)  # fmt: skip
async def test_header_and_panes_say_the_state_of_the_private_link(state: LinkState, word: str) -> None:
    async with desk(160, 45) as at:
        link = at.app.mirror.links["private"]
        at.port.put(Table.LINKS, "private", msgspec.structs.replace(link, state=state))
        at.port.set_desk(synced=False)
        await at.settle()
        others = {"LINK DOWN", "RECONCILING"} - {word}
        assert word in header(at) and not any(other in at.text() for other in others), header(at)
        assert ("· STALE" in at.text()) is (word == "LINK DOWN") and ("· RECONCILING" in at.text()) is (
            word != "LINK DOWN"
        )


@pytest.mark.parametrize("width", [60, 64, 68, 72, 80, 100])
async def test_header_cuts_a_long_portfolio_name_before_the_risk_mode(width: int) -> None:
    """HOT with a long name pushed NORMAL out of 60 to 72 columns."""
    async with desk(width, 24) as at:
        for name in ("SubPortfolio", "A long name of a portfolio"):
            at.port.set_desk(portfolio_name=name)
            at.port.enter_hot(60)
            await at.settle()
            first = header(at).split("\n")[0]
            assert "HOT 60s" in first and name[:3] in first, first
            assert "desk NORMAL" in first or width < 64, first


@pytest.mark.parametrize("size", [size for size in SIZES if size[0] >= 80])
async def test_figures_of_the_header_keep_their_places(size: tuple[int, int]) -> None:
    """A round trip of three digits put "desk NORMAL" in the place of "margin OK" and moved equity and links."""
    async with desk(*size) as at:
        words = [word for word in ("net eq", "uPnL", "uniMMR", "md●", "priv●", "rest●") if word in header(at)]
        assert {"net eq", "uniMMR", "md●", "priv●"} <= set(words) and "uPnL" in words
        before = [header(at).index(word) for word in words]
        shown = {word for word in ("desk NORMAL", "margin OK", "skew") if word in header(at)}
        for trip in (4.0, 412.0):
            for name, link in list(at.app.mirror.links.items()):
                at.port.put(Table.LINKS, name, msgspec.structs.replace(link, round_trip_ms=trip))
            await at.settle()
            assert [header(at).index(word) for word in words] == before, header(at)
            assert {word for word in ("desk NORMAL", "margin OK", "skew") if word in header(at)} == shown
        at.port.set_trading_state(TradingState.VIEW)
        await at.settle()
        assert [header(at).index(word) for word in words] == before, header(at)


@pytest.mark.parametrize("size", [size for size in SIZES if size[0] >= 80])
async def test_header_tells_who_is_attached_and_armed(size: tuple[int, int]) -> None:
    async with desk(*size) as at:
        status = at.app.mirror.engine_status
        assert status is not None and "attached" not in header(at)
        peers = tuple(PeerRow(name=name, role="desk", trading_state=state) for name, state in (
            ("desk 2", TradingState.ARMED), ("monitor", TradingState.VIEW),
        ))  # fmt: skip
        at.port.put(Table.ENGINE_STATUS, ENGINE, msgspec.structs.replace(status, peers=peers))
        await at.settle()
        assert "2 more attached, desk 2 armed" in header(at)


async def test_header_shows_a_cut_link_rather_than_a_desk_name() -> None:
    """`LINK DOWN` was gone beside `PRACTICE 1` and `1 more attached, desk 2 …`, which was cut itself."""
    async with desk(80, 24) as at:
        at.app.main_screen.view.practice = ["network cut"]
        link = at.app.mirror.links["private"]
        peers = (PeerRow(name="desk 2", role="desk", trading_state=TradingState.ARMED),)
        at.port.set_desk(peers=peers, synced=False, risk_mode=RiskMode.HALT, trading_state=TradingState.VIEW)
        for name in ("public", "private", "rest"):
            down = msgspec.structs.replace(link, name=name, state=LinkState.DOWN)
            at.port.put(Table.LINKS, name, down)
        await at.settle()
        first = header(at).split("\n")[0]
        assert "LINK DOWN" in first and "+1 armed" in first and "…" not in first, first


@pytest.mark.parametrize("width", [112, 116, 120, 160])
async def test_the_header_names_a_failing_rest_link_at_112_columns_too(width: int) -> None:
    """It was the first link to leave at 112 columns, failing or not; then the open result blinked with it."""
    async with desk(width, 36) as at:
        at.port.put(Table.LINKS, "rest", msgspec.structs.replace(at.app.mirror.links["rest"], state=LinkState.DOWN))
        await at.settle()
        assert "rest○ down" in header(at) and {"NORMAL", "OK"} <= set(header(at).split()), header(at)
        assert "uPnL +2,129.50" in header(at) and ("md●" in header(at)) is (width == 160)


@pytest.mark.parametrize("size", [(80, 24), (120, 36)])
async def test_a_window_that_attaches_over_a_cut_link_says_so(size: tuple[int, int]) -> None:
    """It said neither `LINK DOWN` nor `STALE`, as it had never seen the engine in step itself."""
    async with desk(*size, filled=False, armed=False) as at:
        assert not at.app.mirror.synced_once
        at.port.desk = msgspec.structs.replace(at.port.desk, synced=False, was_synced=True)
        fill_desk(at.port)
        for name in ("public", "private", "rest"):
            link = LinkRow(name=name, state=LinkState.DOWN, since=at.clock.at, last_frame=at.clock.at)
            at.port.put(Table.LINKS, name, link)
        at.clock.pass_by(8)
        at.app._tick()
        await at.settle()
        assert "LINK DOWN" in header(at) and "STALE 8s" in at.text(), at.text()
        assert "syncing" not in at.text(), at.text()


def words_of(parts: list[HeaderPart], cells: int) -> str:
    left, right = fit_parts(parts, cells)
    return "".join(text for text, _ in left) + "|" + "".join(text for text, _ in right)


def test_the_header_drops_its_least_important_part_first() -> None:
    parts = [
        HeaderPart([("ARMED", "armed")]),
        HeaderPart(variants=[Variant(Priority.LINK_FIGURES, [(" normal", "dim")])]),
        HeaderPart([(" 9", "dim")], [Variant(Priority.EQUITY, [(" equity 9", "dim")])]),
        HeaderPart(variants=[Variant(Priority.CLOCK, [("22:30", "dim")])], right=True),
    ]
    for cells, words in ((27, "ARMED normal equity 9|22:30"), (26, "ARMED equity 9|22:30"), (19, "ARMED equity 9|")):
        assert words_of(parts, cells) == words
    assert words_of(parts, 12) == "ARMED 9|" and words_of(parts, 3) == "ARMED 9|"


def test_the_header_uses_leftover_room_for_a_shorter_part() -> None:
    parts = [
        HeaderPart(variants=[Variant(Priority.RISK, [("x" * 20, "dim")])]),
        HeaderPart(variants=[Variant(Priority.EXTRA, [("skew", "dim")])]),
    ]
    assert words_of(parts, 10) == "skew|"


@pytest.mark.parametrize(("speed", "said"), [(4200.0, "slow line 4.2kB/s"), (61_700.0, "slow line 62kB/s")])
async def test_the_header_shows_the_speed_of_a_slow_terminal_line(speed: float, said: str) -> None:
    async with desk(120, 36) as at:
        assert "slow line" not in header(at)
        speeds = at.app.probe._window._speeds
        speeds.extend([speed] * FEWEST)
        at.app._tick()
        await at.settle()
        assert said in header(at)
        speeds.clear()
        at.app._tick()
        await at.settle()
        assert "slow line" not in header(at)


@pytest.mark.parametrize("size", [(80, 24), (100, 30), (160, 45)])
@pytest.mark.parametrize("faults", [["answers lost"], ["answers lost", "private stream down"]])
async def test_header_in_practice_keeps_margin_and_desk_state(size: tuple[int, int], faults: list[str]) -> None:
    """Round trips stood in the header, and "OK" and "NORMAL" without what they are about."""
    async with desk(*size) as at:
        at.app.main_screen.view.practice = faults
        at.app.main_screen.status.redraw_all()
        await at.settle()
        assert "PRACTICE" in header(at) and "margin OK" in header(at) and "desk NORMAL" in header(at), header(at)
