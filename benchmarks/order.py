"""`crossdesk bench order`: from Enter to the order on the wire, whole and by stage, beside a bare append with fdatasync."""

from __future__ import annotations

import os
import random
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

import click

from benchmarks.desk.probes import Probes
from benchmarks.desk.session import Session
from benchmarks.desk.stamped import KEY_STAGES
from benchmarks.result import json_option, median_quantile, quantile, rounded, write

RATES = (0, 5_000, 10_000, 20_000)
SLOW_LINK = 60_000
"""Bytes a second of a poor link."""
UNREAD_S = 0.4
"""How long the terminal takes nothing before Enter; after 0.75 s the workstation itself refuses to send."""
_RECORD = os.urandom(600)
"""As long as an intent in the journal."""


def append_and_sync(folder: Path, count: int) -> list[float]:
    """Times of a bare append with fdatasync, ms."""
    found: list[float] = []
    with (folder / "bare").open("ab", buffering=0) as file:
        for _ in range(count):
            began = time.perf_counter()
            file.write(_RECORD)
            os.fdatasync(file.fileno())
            found.append((time.perf_counter() - began) * 1000)
            time.sleep(0.002)
    return found


class Rounds:
    """Times of one condition, round by round, ms."""

    def __init__(self) -> None:
        self.placed: list[list[float]] = []
        self.cancelled: list[list[float]] = []

    def take(self, probes: Probes, samples: int) -> None:
        found = [probes.enter_to_wire() for _ in range(samples)]
        self.placed.append([placed for placed, _ in found])
        self.cancelled.append([cancelled for _, cancelled in found])

    def figures(self) -> dict[str, object]:
        return {"enter_to_wire_ms": _figures(self.placed), "cancel_key_to_wire_ms": _figures(self.cancelled)}


def _figures(rounds: Sequence[Sequence[float]]) -> dict[str, float]:
    every = [value for one in rounds for value in one]
    return {
        "p50": rounded(median_quantile(rounds, 0.5)),
        "p99": rounded(median_quantile(rounds, 0.99)),
        "p99 of all": rounded(quantile(every, 0.99)),
        "samples": len(every),
    }


def measure(rates: Sequence[int], rounds: int, samples: int) -> dict[str, dict[str, object]]:
    """All conditions in turn, round after round; the bare append beside each round."""
    found = {f"{rate} quotes/s": Rounds() for rate in rates}
    slow, unread = Rounds(), Rounds()
    bare: list[list[float]] = []
    with Session() as session, tempfile.TemporaryDirectory(prefix="crossdesk-bench-") as folder:
        session.come_in()
        probes = Probes(session, random.Random(1))
        for _ in range(rounds):
            for rate in rates:
                probes.measure_load(rate, 0.5)
                found[f"{rate} quotes/s"].take(probes, samples)
            session.service.front.tell(do="rate", value=10_000)
            session.desk.limit(SLOW_LINK)
            slow.take(probes, samples)
            session.desk.limit(0)
            unread.placed.append([probes.enter_to_wire_unread(UNREAD_S) for _ in range(samples)])
            session.service.front.tell(do="rate", value=0)
            bare.append(append_and_sync(Path(folder), samples * 5))
    return {
        **{name: one.figures() for name, one in found.items()},
        "10000 quotes/s over 60 kB/s": slow.figures(),
        f"10000 quotes/s, terminal not read for {UNREAD_S} s": {"enter_to_wire_ms": _figures(unread.placed)},
        "bare append with fdatasync": {"ms": _figures(bare)},
    }


def measure_stages(rates: Sequence[int], rounds: int, samples: int) -> dict[str, dict[str, object]]:
    """Each stage between the key and the service, at each rate."""
    found: dict[int, dict[str, list[list[float]]]] = {rate: {name: [] for name, _, _ in KEY_STAGES} for rate in rates}
    with tempfile.TemporaryDirectory(prefix="crossdesk-bench-") as folder:
        log = Path(folder) / "stamps"
        with Session(program=("benchmarks.desk.stamped", str(log))) as session:
            session.come_in()
            probes = Probes(session, random.Random(3))
            for _ in range(rounds):
                for rate in rates:
                    probes.measure_load(rate, 0.5)
                    seen = [probes.enter_stages(log) for _ in range(samples)]
                    for name, times in found[rate].items():
                        times.append([one[name] for one in seen])
    return {
        f"stages, {rate} quotes/s": {name: _figures(times) for name, times in stages.items()}
        for rate, stages in found.items()
    }


@click.command()
@click.option(
    "--rates", default=",".join(map(str, RATES)), show_default=True, help="Quotes a second, one after another."
)
@click.option("--rounds", default=5, show_default=True, type=click.IntRange(1, 100))
@click.option("--samples", default=20, show_default=True, type=click.IntRange(1, 1000), help="Orders a round.")
@json_option
def command(rates: str, rounds: int, samples: int, target: Path | None) -> None:
    """Enter to wire and cancel key to wire in a real terminal, the journal at full sync."""
    wanted = [int(rate) for rate in rates.split(",")]
    results = {**measure(wanted, rounds, samples), **measure_stages(wanted, rounds, samples)}
    for name, figures in results.items():
        click.echo(f"{name}:")
        for what, values in figures.items():
            assert isinstance(values, dict)
            click.echo(f"  {what:40} " + ", ".join(f"{key} {value:g}" for key, value in values.items()))
    if target is not None:
        write(target, {"rounds": rounds, "results": results})
