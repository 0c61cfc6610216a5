"""`crossdesk screenshots`: pictures of the running program on a paper venue that holds still."""

from __future__ import annotations

import asyncio
import re
import tempfile
from collections.abc import Awaitable, Callable
from decimal import Decimal
from pathlib import Path
from typing import TYPE_CHECKING

import click

from tui import paths

if TYPE_CHECKING:
    from tui.engine.intents import Place
    from tui.engine.thread import EngineThread
    from tui.workstation.app import CrossdeskApp

SIZES = ((80, 24), (120, 36), (160, 45), (200, 60))
THEMES = ("dark", "light")
VENUE = ["--seed", "20", "--set", "agents=still", "--set", "latency=test"]
PATIENCE_S = 20.0

LONG, SHORT = "BINANCE_PERP_BTC_USDT", "OKX_PERP_BTC_USDT"

TAKEN = ((LONG, "BUY", "0.350"), (SHORT, "SELL", "20"), ("BINANCE_PERP_ETH_USDT", "BUY", "4"))
"""Positions of the picture: symbol, side, quantity."""

RESTING = (
    (LONG, "BUY", "0.100", -20),
    (LONG, "SELL", "0.150", 45),
    (SHORT, "BUY", "10", -12),
    ("BINANCE_SPOT_ETH_USDT", "BUY", "0.5", -30),
)
"""Working orders of the picture: symbol, side, quantity, ticks from the own touch."""

Until = Callable[[Callable[[], object]], Awaitable[None]]


@click.command()
@click.option("--only", metavar="WORD", default="", help="Only sizes and themes whose name holds the word.")
def command(only: str) -> None:
    """Make the pictures of screenshots/ anew. Needs a source checkout."""
    top = paths.checkout()
    if top is None:
        raise click.ClickException("the pictures are made in a source checkout; this is an installed package")
    folder = top / "screenshots"
    folder.mkdir(exist_ok=True)
    for theme in THEMES:
        for columns, lines in SIZES:
            name = f"{columns}x{lines}-{theme}"
            if only in name:
                with tempfile.TemporaryDirectory() as home:
                    _one(Path(home), folder, name, theme, (columns, lines))
                click.echo(f"main, ticket and help at {name}")


def _one(home: Path, folder: Path, name: str, theme: str, size: tuple[int, int]) -> None:
    from tui.workstation.app import CrossdeskApp  # isort: skip  # sets up textual's environment
    from tui.cli.desk import build_engine, paper_target
    from tui.cli.paper import PaperVenue
    from tui.engine.intents import Environment, TradingState
    from tui.engine.rows import DeskRow
    from tui.engine.thread import EngineThread
    from tui.host import FileLock, HostClock
    from tui.settings import Config
    from tui.workstation.settings import WorkstationSettings
    from tui.workstation.themes import read_folder

    venue = PaperVenue(VENUE, home / "venue.log")
    lock = FileLock(home / "desk.lock")
    first = DeskRow(
        environment=Environment.PAPER, portfolio="", portfolio_name="main", state=TradingState.VIEW, synced=False
    )
    engine = EngineThread(
        lambda handover: build_engine(
            home, Environment.PAPER, paper_target(venue.ready(), "main"), Config(), handover, lock=lock, read_only=""
        ),
        first,
        HostClock(),
    )
    try:
        themes, _ = read_folder(paths.themes())
        app = CrossdeskApp(engine, HostClock(), WorkstationSettings(theme=theme, flash=False), themes, engine.start)
        asyncio.run(_pose(app, engine, folder, name, size))
    finally:
        engine.close()
        engine.join(2)
        venue.stop()


async def _pose(app: CrossdeskApp, engine: EngineThread, folder: Path, name: str, size: tuple[int, int]) -> None:
    """Bring the desk into a state worth a picture: positions, working orders, fills, a staged order."""
    async with app.run_test(size=size) as pilot:

        async def until(true: Callable[[], object]) -> None:
            async with asyncio.timeout(PATIENCE_S):
                while not true():
                    await pilot.pause(0.02)

        await _trade(app, engine, until)
        await pilot.press("1")
        await pilot.pause(0.4)
        _save(app, folder / f"main-{name}.svg")
        await pilot.press("b", "0", ".", "2", "5")
        await pilot.pause(0.2)
        await pilot.press("enter")
        await pilot.pause(0.4)
        _save(app, folder / f"ticket-{name}.svg")
        await pilot.press("escape")
        await pilot.pause(0.2)
        await pilot.press("question_mark")
        await pilot.pause(0.4)
        _save(app, folder / f"help-{name}.svg")


async def _trade(app: CrossdeskApp, engine: EngineThread, until: Until) -> None:
    from tui.engine.intents import TradingState

    mirror = app.mirror
    await until(lambda: mirror.desk is not None and mirror.desk.synced)
    await until(lambda: mirror.quotes and all(quote.ask for quote in mirror.quotes.values()))
    engine.set_state(TradingState.ARMED)
    await until(lambda: mirror.desk is not None and mirror.desk.state is TradingState.ARMED)
    for sym, side, qty in TAKEN:
        quote = mirror.quotes[sym]
        await _send(engine, _limit(app, sym, side, qty, quote.ask if side == "BUY" else quote.bid))
    await until(lambda: len(mirror.positions) == len(TAKEN) and len(mirror.fills) >= len(TAKEN))
    for sym, side, qty, ticks in RESTING:
        quote = mirror.quotes[sym]
        touch = Decimal(quote.bid if side == "BUY" else quote.ask)
        price = touch + ticks * Decimal(mirror.symbols[sym].tick_size)
        await _send(engine, _limit(app, sym, side, qty, str(price)))
    await until(lambda: len(mirror.working()) == len(RESTING) and len(mirror.adl) == len(TAKEN))


def _limit(app: CrossdeskApp, sym: str, side: str, qty: str, price: str) -> Place:
    from tui.engine.intents import Decision, Environment, Place, TradingState
    from tui.interface.families.orders import OrderType, Side

    desk = app.mirror.desk
    decision = Decision(
        environment=Environment.PAPER,
        portfolio=desk.portfolio if desk is not None else "",
        state=TradingState.ARMED,
        source="pictures",
    )
    return Place(
        decision=decision,
        sym=sym,
        side=Side(side),
        order_type=OrderType.LIMIT,
        qty=qty,
        price=price,
        confirmed=frozenset(["STALE", "NOTIONAL", "MARGIN", "DUPLICATE"]),
    )


async def _send(engine: EngineThread, intent: Place) -> None:
    from tui.engine.intents import Verdict

    outcome = await asyncio.wrap_future(engine.submit(intent))
    if outcome.verdict is not Verdict.ACCEPTED:
        raise click.ClickException(f"{intent.sym}: {outcome.verdict.value} {outcome.guard} {outcome.text}")


_FONT = re.compile(r"\s*@font-face \{.*?\}", re.DOTALL)


def _save(app: CrossdeskApp, path: Path) -> None:
    """Write the screen as a picture that needs nothing from the network."""
    picture = _FONT.sub("", app.export_screenshot(title="crossdesk"))
    path.write_text(
        picture.replace("font-family: Fira Code", "font-family: Fira Code, Menlo, Consolas, DejaVu Sans Mono")
    )
