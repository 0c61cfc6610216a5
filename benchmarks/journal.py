"""`crossdesk bench journal`: an intent through the engine, stage by stage, beside a bare append with fdatasync.

The engine runs in this process, with its thread, its journal on disk at full sync, a paper venue and a feed of quotes in
processes of their own. `crossdesk bench order` measures the whole way, from the key.
"""

from __future__ import annotations

import os
import random
import time
from collections.abc import Mapping, Sequence
from pathlib import Path

import click

from benchmarks.order import append_and_sync
from benchmarks.result import json_option, median_quantile, rounded, write
from benchmarks.rig.engine_rig import EngineRig
from benchmarks.rig.journal_forms import FORMS, Writer, in_this_thread
from benchmarks.rig.order_stages import STAGES, Stamps, durations, stamped
from tui.engine.intents import Verdict
from tui.interface import decimals

RATES = (0, 5_000, 10_000, 20_000, 100_000)
BARE = "bare append with fdatasync"
FORMS_SIDE_BY_SIDE = "forms of a journal, quiet"
PAUSES_S = (0.02, 0.06)
"""Between two orders, so that each finds a quiet engine."""
QUIET = 20
"""Quotes a second where none are asked for: without any, a price is refused as old."""


class Rounds:
    """Durations of each stage, round by round, ms."""

    def __init__(self) -> None:
        self.of: dict[str, list[list[float]]] = {name: [] for name, _, _ in STAGES}

    def take(self, samples: Sequence[Mapping[str, float]]) -> None:
        for name, rounds in self.of.items():
            rounds.append([sample[name] for sample in samples])


def measure(rates: Sequence[int], rounds: int, samples: int) -> dict[str, dict[str, dict[str, float]]]:
    """p50 and p99 of each stage at each rate, medians over rounds; rates and the bare append in turn."""
    decimals.setup()
    found = {f"{rate} quotes/s": Rounds() for rate in rates}
    bare: list[list[float]] = []
    source = random.Random(1)
    stamps = Stamps()
    with EngineRig() as rig, stamped(stamps):
        forms = _Forms(rig.home)
        for _ in range(rounds):
            for rate in rates:
                rig.feed.set_rate(rate or QUIET)
                time.sleep(0.3)
                found[f"{rate} quotes/s"].take([_place(rig, stamps, source) for _ in range(samples)])
            rig.feed.set_rate(QUIET)
            bare.append(append_and_sync(rig.home, samples * 2))
            forms.take(3 * samples, source)
        forms.close()
    results = {name: {stage: _figures(times) for stage, times in one.of.items()} for name, one in found.items()}
    return {**results, BARE: {"append and sync": _figures(bare)}, FORMS_SIDE_BY_SIDE: forms.figures()}


class _Forms:
    """Other forms of the journal, each record of one beside a record of every other."""

    def __init__(self, home: Path) -> None:
        folder = home / "forms"
        folder.mkdir()
        self._writers = {name: Writer(form, folder) for name, form in FORMS.items()}
        (folder / "here").mkdir()
        timed = {name: writer.time for name, writer in self._writers.items()}
        self._timed = {**timed, "synced write without a thread": in_this_thread(folder / "here")}
        self._seen: dict[str, list[list[float]]] = {name: [] for name in self._timed}

    def take(self, samples: int, source: random.Random) -> None:
        for rounds in self._seen.values():
            rounds.append([])
        for _ in range(samples):
            for name in source.sample(list(self._timed), len(self._timed)):
                time.sleep(source.uniform(0.002, 0.006))
                self._seen[name][-1].append(self._timed[name]())

    def figures(self) -> dict[str, dict[str, float]]:
        return {name: _figures(rounds) for name, rounds in self._seen.items()}

    def close(self) -> None:
        for writer in self._writers.values():
            writer.close()


def _place(rig: EngineRig, stamps: Stamps, source: random.Random) -> dict[str, float]:
    """Place one order, cancel it, and return the stages of the placing."""
    while True:
        time.sleep(source.uniform(*PAUSES_S))
        outcome = rig.place(source.randrange(500))
        stages = durations(stamps.at)
        if outcome.verdict is Verdict.ACCEPTED:
            rig.cancel(outcome.key)
            return stages
        if outcome.guard != "STALE":
            raise click.ClickException(f"an order of the benchmark was not taken: {outcome.text}")


def _figures(rounds: Sequence[Sequence[float]]) -> dict[str, float]:
    return {"p50": rounded(median_quantile(rounds, 0.5)), "p99": rounded(median_quantile(rounds, 0.99))}


@click.command()
@click.option(
    "--rates", default=",".join(map(str, RATES)), show_default=True, help="Quotes a second, one after another."
)
@click.option("--rounds", default=5, show_default=True, type=click.IntRange(1, 100))
@click.option("--samples", default=40, show_default=True, type=click.IntRange(1, 1000), help="Orders a round.")
@json_option
def command(rates: str, rounds: int, samples: int, target: Path | None) -> None:
    """From the caller's thread to the socket, stage by stage, at several rates of quotes."""
    results = measure([int(rate) for rate in rates.split(",")], rounds, samples)
    for name, stages in results.items():
        click.echo(f"{name}:")
        for stage, figures in stages.items():
            click.echo(f"  {stage:36} p50 {figures['p50']:8g} ms  p99 {figures['p99']:8g} ms")
    if target is not None:
        write(target, {"rounds": rounds, "samples": samples, "load_before": os.getloadavg()[0], "results": results})
