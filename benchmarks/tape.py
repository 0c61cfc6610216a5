"""`crossdesk bench tape`: the synthetic market beside a recorded one, figure by figure."""

from __future__ import annotations

import csv
import gzip
import json
from collections.abc import Iterator
from decimal import Decimal
from pathlib import Path

import click

from benchmarks.figures import BANDS, Print, Quote, Tape, figures, misses
from benchmarks.result import json_option
from tui.host import SeededRandomSource
from tui.interface import decimals
from tui.venue.core.commands import Advance
from tui.venue.core.events import Event, PublicTrade, QuoteChanged
from tui.venue.core.exchange import Exchange
from tui.venue.core.market.symbols import SHIPPED
from tui.venue.core.switches import Switches

SYM = "BINANCE_PERP_BTC_USDT"
START_MS = 1_723_161_254_000


def from_agents(seed: int | str, seconds: int, sym: str = SYM) -> Tape:
    """A tape of the whole synthetic market with its default agents, in virtual time."""
    decimals.setup()
    exchange = Exchange(random_source=SeededRandomSource(seed), start_ms=START_MS, switches=Switches())
    quotes: list[Quote] = []
    prints: list[Print] = []
    for event in _events(exchange, seconds):
        if isinstance(event, QuoteChanged) and event.sym == sym:
            bid, ask = _ticks(sym, event.bid), _ticks(sym, event.ask)
            quotes.append(Quote(event.at_us, bid, float(event.bid_qty), ask, float(event.ask_qty)))
        elif isinstance(event, PublicTrade) and event.sym == sym:
            prints.append(Print(event.at_us, float(event.qty), event.side == "buy", event.ts))
    return Tape(quotes, prints)


def _events(exchange: Exchange, seconds: int) -> Iterator[Event]:
    for second in range(1, seconds + 1):
        _, events = exchange.apply(Advance(), START_MS + 1000 * second)
        exchange.drain_durable()
        yield from events


def from_recording(file: Path, sym: str = SYM) -> Tape:
    """The tape of one pair in a recording."""
    quotes: list[Quote] = []
    prints: list[Print] = []
    with gzip.open(file, "rt") as text:
        for row in csv.DictReader(text):
            if row["sym"] != sym:
                continue
            at_us, price, size = int(row["received_ns"]) // 1000, row["bid_or_price"], float(row["bidqty_or_qty"])
            if row["kind"] == "BBO":
                bid, ask = _ticks(sym, price), _ticks(sym, row["ask_or_side"])
                quotes.append(Quote(at_us, bid, size, ask, float(row["askqty"])))
            else:
                prints.append(Print(at_us, size, row["ask_or_side"] == "buy", int(row["venue_ms"])))
    return Tape(quotes, prints)


def _ticks(sym: str, price: str) -> int:
    return int(Decimal(price) / SHIPPED[sym].tick)


def table(agents: dict[str, float], recorded: dict[str, float] | None) -> Iterator[str]:
    """The figures side by side, with the band of those that have one."""
    yield f"{'figure':36} {'agents':>10} {'recorded':>10}  band"
    for name, value in agents.items():
        other = f"{recorded[name]:.4g}" if recorded is not None else "–"
        band = BANDS.get(name)
        shown = f"{band.low:.4g} to {band.high:.4g}" if band is not None else ""
        mark = "" if band is None else "  ok" if band.holds(value) else "  OUTSIDE"
        yield f"{name:36} {value:>10.4g} {other:>10}  {shown}{mark}".rstrip()


@click.command()
@click.option("--minutes", default=10, show_default=True, type=click.IntRange(1, 600), help="Virtual minutes.")
@click.option("--seed", default=1, show_default=True, help="Seed of the market.")
@click.option(
    "--recording",
    envvar="CROSSDESK_RECORDING",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="A recorded market to compare with; also from CROSSDESK_RECORDING.",
)
@json_option
def command(minutes: int, seed: int, recording: Path | None, target: Path | None) -> None:
    """Figures of the synthetic market beside those of a recording. Exit 1 when one is outside its band."""
    agents = figures(from_agents(seed, minutes * 60))
    recorded = figures(from_recording(recording)) if recording is not None else None
    for line in table(agents, recorded):
        click.echo(line)
    if target is not None:
        bands = {name: [round(band.low, 4), round(band.high, 4)] for name, band in BANDS.items()}
        result = {"sym": SYM, "minutes": minutes, "seed": seed, "agents": _rounded(agents), "bands": bands}
        if recorded is not None:
            result["recording"] = _rounded(recorded)
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(json.dumps(result, indent=2) + "\n")
    wrong = misses(agents)
    if wrong:
        raise click.ClickException("; ".join(wrong))


def _rounded(found: dict[str, float]) -> dict[str, float]:
    return {name: round(value, 4) for name, value in found.items()}
