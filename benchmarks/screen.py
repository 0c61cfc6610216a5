"""`crossdesk bench screen`: what the screen costs and how late it is, in a real pseudo-terminal, at several rates."""

from __future__ import annotations

import random
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from pathlib import Path
from statistics import median

import click

from benchmarks.desk.large_book import ORDERS, PORTFOLIOS, POSITIONS, MovingBook, open_book
from benchmarks.desk.probes import Load, Probes
from benchmarks.desk.session import Service, Session, write_config
from benchmarks.desk.terminal import Terminal
from benchmarks.result import json_option, median_quantile, rounded, write

RATES = (0, 1_000, 10_000, 50_000, 100_000)
PEER_RATE = 10_000
"""Rates above this are not asked of the programs beside it."""
PEERS = {"datatable": "benchmarks.desk.datatable", "curses": "benchmarks.desk.bare_curses"}
"""Programs that show the same quotes: Textual's DataTable, and the least that this language needs for it."""
PAIR_RATES = (10_000, 50_000)
"""Rates at which ladder and chart are open."""
IDLE_TIMES = 5
"""So much longer is the processor measured without quotes: it takes too little of it for a short time to tell."""
SLOW_LINKS = {60_000: ("tick_to_screen", "key_to_screen"), 9_600: ("own_push_to_screen",)}
"""Bytes a second of a poor link and of a bad mobile one, with what is timed over each."""
_PROBES = ("tick_to_screen", "key_to_screen", "own_push_to_screen")


class Rounds:
    """What was measured at one rate, round by round."""

    def __init__(self) -> None:
        self.loads: list[Load] = []
        self.peers: dict[str, list[float]] = {name: [] for name in PEERS}
        """Shares of a core that the programs beside it took."""
        self.times: dict[str, list[list[float]]] = {name: [] for name in _PROBES}

    def figures(self) -> dict[str, object]:
        found: dict[str, object] = {
            "cpu_percent": rounded(100 * median(load.cpu for load in self.loads)),
            "kB_per_s": rounded(median(load.bytes_per_s for load in self.loads) / 1000),
            "updates_taken_per_s": rounded(median(load.taken for load in self.loads)),
        }
        for peer, shares in self.peers.items():
            if shares:
                found[f"{peer}_cpu_percent"] = rounded(100 * median(shares))
                found[f"of_{peer}"] = rounded(median(load.cpu for load in self.loads) / median(shares))
        for name, rounds in self.times.items():
            if rounds:
                found[f"{name}_ms"] = {
                    "p50": rounded(median_quantile(rounds, 0.5)),
                    "p99": rounded(median_quantile(rounds, 0.99)),
                    "samples": sum(len(one) for one in rounds),
                }
        return found


def measure_peer(module: str, service: Service, rate: int, seconds: float) -> float:
    """Share of a core that another program takes for the same quotes at a rate."""
    address = service.front.addresses()["public"]
    terminal = Terminal([sys.executable, "-m", module, address, ",".join(service.symbols)])
    try:
        terminal.see("BINANCE")
        service.front.tell(do="rate", value=rate)
        time.sleep(1.5)
        before, began = terminal.cpu_s(), time.monotonic()
        time.sleep(seconds)
        return (terminal.cpu_s() - before) / (time.monotonic() - began)
    finally:
        service.front.tell(do="rate", value=0)
        terminal.close()


def measure_round(
    probes: Probes, rate: int, seconds: float, samples: int, rounds: Rounds, kinds: Sequence[str] = _PROBES
) -> None:
    """One round at a rate: load, then probes of each kind."""
    rounds.loads.append(probes.measure_load(rate, seconds if rate else IDLE_TIMES * seconds))
    for name in kinds:
        rounds.times[name].append([getattr(probes, name)() for _ in range(samples)])


def measure(rates: Sequence[int], rounds: int, seconds: float, samples: int, symbols: int) -> dict[int, Rounds]:
    """All rates in turn, round after round; the programs beside it in between, while the workstation rests."""
    found = {rate: Rounds() for rate in rates}
    with Service(symbols=symbols) as beside, Session(symbols=symbols) as session:
        session.come_in()
        probes = Probes(session, random.Random(1))
        for _ in range(rounds):
            for rate in rates:
                measure_round(probes, rate, seconds, samples, found[rate])
                session.service.front.tell(do="rate", value=0)
                if rate <= PEER_RATE:
                    for name, module in PEERS.items():
                        found[rate].peers[name].append(measure_peer(module, beside, rate, seconds))
    return found


def measure_pair(rates: Sequence[int], rounds: int, seconds: float, samples: int) -> dict[int, tuple[Rounds, Rounds]]:
    """The desk alone and beside it one with ladder and chart of a pair open, in turn; the other rests."""
    found = {rate: (Rounds(), Rounds()) for rate in rates}
    with Session() as plain, Session() as pair:
        probes = []
        for number, session in enumerate((plain, pair)):
            session.come_in()
            probes.append(Probes(session, random.Random(3 + number)))
        pair.open_pair()
        for _ in range(rounds):
            for rate in rates:
                for session, probe, measured in zip((plain, pair), probes, found[rate], strict=True):
                    measure_round(probe, rate, seconds, samples, measured)
                    session.service.front.tell(do="rate", value=0)
    return found


def pair_figures(rates: Sequence[int], rounds: int, seconds: float, samples: int) -> dict[str, dict[str, object]]:
    """Figures of both desks, and how much more processor the second one takes."""
    results: dict[str, dict[str, object]] = {}
    for rate, pair in measure_pair(rates, rounds, seconds, samples).items():
        closed, opened = (one.figures() for one in pair)
        own, more = closed["cpu_percent"], opened["cpu_percent"]
        assert isinstance(own, float) and isinstance(more, float)
        name = f"{rate} updates/s, ladder and chart"
        results |= {f"{name} closed": closed, f"{name} open": {**opened, "of_closed": rounded(more / own)}}
    return results


def measure_watched(counts: Sequence[int], rate: int, rounds: int, seconds: float, samples: int) -> dict[int, Rounds]:
    """Desks with more and more watched pairs, in turn at the same rate; the others rest."""
    found = {count: Rounds() for count in counts}
    with ExitStack() as stack:
        probes = {}
        for count in counts:
            session = stack.enter_context(Session(symbols=count))
            session.come_in()
            probes[count] = (session, Probes(session, random.Random(count)))
        for _ in range(rounds):
            for count, (session, probe) in probes.items():
                measure_round(probe, rate, seconds, samples, found[count])
                session.service.front.tell(do="rate", value=0)
    return found


def watched_figures(
    counts: Sequence[int], rate: int, rounds: int, seconds: float, samples: int
) -> dict[str, dict[str, object]]:
    """Figures of each desk, and how much more processor it takes than the first one."""
    found = {count: one.figures() for count, one in measure_watched(counts, rate, rounds, seconds, samples).items()}
    results: dict[str, dict[str, object]] = {}
    first = found[counts[0]]["cpu_percent"]
    for count, figures in found.items():
        own = figures["cpu_percent"]
        assert isinstance(own, float) and isinstance(first, float)
        results[f"{rate} updates/s, {count} pairs watched"] = {**figures, "of_first": rounded(own / first)}
    return results


def measure_large_book(rate: int, rounds: int, seconds: float, samples: int) -> dict[str, object]:
    """A desk of a large account whose orders move."""
    found = Rounds()
    with Session(symbols=POSITIONS + 20, positions=POSITIONS) as session:
        session.come_in()
        open_book(session.service)
        probes = Probes(session, random.Random(5))
        with MovingBook(session.service) as book:
            for _ in range(rounds):
                # A new order is not in sight among so many.
                measure_round(probes, rate, seconds, samples, found, _PROBES[:2])
            moved = book.per_second()
    return {**found.figures(), "orders_moved_per_s": rounded(moved)}


def measure_slow_link(rate: int, bytes_per_s: int, samples: int) -> dict[str, object]:
    """What is timed over a link of so many bytes a second, while quotes come at a rate."""
    with Session() as session:
        session.come_in()
        probes = Probes(session, random.Random(2))
        session.desk.limit(bytes_per_s)
        rounds = Rounds()
        measure_round(probes, rate, 4.0, samples, rounds, SLOW_LINKS[bytes_per_s])
        return rounds.figures()


def measure_paper_market(fps: int, rounds: int, seconds: float) -> dict[str, object]:
    """What the workstation on its own paper venue, as it is shipped, costs and sends to the terminal."""
    cpu, sent = [], []
    for _ in range(rounds):
        with tempfile.TemporaryDirectory(prefix="crossdesk-bench-") as name:
            write_config(Path(name), f"[workstation]\nfps = {fps}\n")
            terminal = Terminal([sys.executable, "-m", "tui.cli.main"], environment={"CROSSDESK_HOME": name})
            try:
                terminal.see("In sync with the venue", within=30)
                terminal.press("\x1b")  # closes the welcome of a new home
                time.sleep(3.0)
                before, written, began = terminal.cpu_s(), terminal.bytes, time.monotonic()
                time.sleep(seconds)
                lasted = time.monotonic() - began
                cpu.append((terminal.cpu_s() - before) / lasted)
                sent.append((terminal.bytes - written) / lasted)
            finally:
                terminal.close()
    return {"cpu_percent": rounded(100 * median(cpu)), "kB_per_s": rounded(median(sent) / 1000)}


def lines_of(results: dict[str, object]) -> Iterator[str]:
    for name, figures in results.items():
        yield f"{name}:"
        assert isinstance(figures, dict)
        for what, value in figures.items():
            shown = (
                ", ".join(f"{key} {one:g}" for key, one in value.items()) if isinstance(value, dict) else f"{value:g}"
            )
            yield f"  {what:24} {shown}"


@click.command()
@click.option(
    "--rates", default=",".join(map(str, RATES)), show_default=True, help="Updates a second, one after another."
)
@click.option("--rounds", default=5, show_default=True, type=click.IntRange(1, 100))
@click.option("--seconds", default=4.0, show_default=True, help="Length of a measurement of processor and bytes.")
@click.option(
    "--samples", default=20, show_default=True, type=click.IntRange(1, 1000), help="Probes of a kind a round."
)
@click.option("--symbols", default=20, show_default=True, type=click.IntRange(20, 500), help="Pairs on the screen.")
@click.option("--slow-link/--no-slow-link", default=True, show_default=True, help="Also over links of 60 and 9.6 kB/s.")
@click.option("--paper-market/--no-paper-market", default=True, show_default=True, help="Also the market as shipped.")
@click.option("--pair/--no-pair", default=True, show_default=True, help="Also with ladder and chart of a pair open.")
@click.option(
    "--pairs", default="20,500,2000", show_default=True, help="Watched pairs, one desk for each; empty: none."
)
@click.option("--book/--no-book", default=True, show_default=True, help="Also with a large account whose orders move.")
@json_option
def command(
    *,
    rates: str,
    rounds: int,
    seconds: float,
    samples: int,
    symbols: int,
    slow_link: bool,
    paper_market: bool,
    pair: bool,
    pairs: str,
    book: bool,
    target: Path | None,
) -> None:
    """Processor, bytes and delays of the screen in a real terminal of 160x45, beside Textual's DataTable and bare curses."""
    wanted = [int(rate) for rate in rates.split(",") if rate]
    found = measure(wanted, rounds, seconds, samples, symbols) if wanted else {}
    results: dict[str, object] = {f"{rate} updates/s": one.figures() for rate, one in found.items()}
    if pair:
        results |= pair_figures(PAIR_RATES, rounds, seconds, samples)
    if pairs:
        results |= watched_figures([int(count) for count in pairs.split(",")], PEER_RATE, rounds, seconds, samples)
    if book:
        name = f"{PEER_RATE} updates/s, {ORDERS} moving orders, {POSITIONS} positions, {PORTFOLIOS} portfolios"
        results[name] = measure_large_book(PEER_RATE, rounds, seconds, samples)
    if slow_link:
        for link in SLOW_LINKS:
            results[f"{PEER_RATE} updates/s over {link / 1000:g} kB/s"] = measure_slow_link(PEER_RATE, link, samples)
    if paper_market:
        for fps in (60, 10):
            results[f"default paper market, fps = {fps}"] = measure_paper_market(fps, rounds, seconds)
    for line in lines_of(results):
        click.echo(line)
    if target is not None:
        write(target, {"symbols": symbols, "rounds": rounds, "results": results})
