"""`crossdesk bench attached`: a desk on a gateway's engine beside one with its own, both at one load."""

from __future__ import annotations

import random
import time
from pathlib import Path

import click

from benchmarks.desk.probes import Probes
from benchmarks.desk.session import Session
from benchmarks.desk.terminal import cpu_s
from benchmarks.result import json_option, median_quantile, rounded, write

RATES = (0, 10_000)


class Desk:
    """One way of running, with its times round by round."""

    def __init__(self, *, attached: bool) -> None:
        self.session = Session(attached=attached)
        self.probes = Probes(self.session, random.Random(1))
        self.ticks: dict[int, list[list[float]]] = {rate: [] for rate in RATES}
        self.orders: dict[int, list[list[float]]] = {rate: [] for rate in RATES}
        self.processor: dict[int, list[list[float]]] = {rate: [] for rate in RATES}
        self.gateway: dict[int, list[list[float]]] = {rate: [] for rate in RATES}

    def take(self, rate: int, samples: int, seconds: float) -> None:
        """Measure one round at one rate."""
        gateway = self.session.gateway
        before, began = cpu_s(gateway.pid) if gateway is not None else 0.0, time.monotonic()
        load = self.probes.measure_load(rate, seconds)
        self.processor[rate].append([load.cpu * 100])
        if gateway is not None:
            self.gateway[rate].append([(cpu_s(gateway.pid) - before) / (time.monotonic() - began) * 100])
        self.ticks[rate].append([self.probes.tick_to_screen() for _ in range(samples)])
        self.orders[rate].append([self.probes.enter_to_wire()[0] for _ in range(samples)])

    def figures(self, rate: int) -> dict[str, object]:
        found: dict[str, object] = {
            "cpu_percent": rounded(median_quantile(self.processor[rate], 0.5)),
            "tick_to_screen_ms": _figures(self.ticks[rate]),
            "enter_to_wire_ms": _figures(self.orders[rate]),
        }
        if self.gateway[rate]:
            found["gateway_cpu_percent"] = rounded(median_quantile(self.gateway[rate], 0.5))
        return found


def _figures(rounds: list[list[float]]) -> dict[str, float]:
    return {
        "p50": rounded(median_quantile(rounds, 0.5)),
        "p99": rounded(median_quantile(rounds, 0.99)),
        "samples": sum(map(len, rounds)),
    }


@click.command()
@click.option("--rounds", default=5, show_default=True, type=click.IntRange(1, 100))
@click.option(
    "--samples", default=20, show_default=True, type=click.IntRange(1, 1000), help="Times of each kind a round."
)
@click.option("--seconds", default=2.0, show_default=True, help="Length of a measurement of the processor, s.")
@json_option
def command(rounds: int, samples: int, seconds: float, target: Path | None) -> None:
    """Tick to screen, Enter to wire and processor, with the engine in the desk and in a gateway."""
    desks = {"engine in process": Desk(attached=False), "attached to a gateway": Desk(attached=True)}
    try:
        for desk in desks.values():
            desk.session.come_in()
        for _ in range(rounds):
            for rate in RATES:
                for desk in desks.values():
                    desk.take(rate, samples, seconds)
                    desk.session.service.front.tell(do="rate", value=0)
        results = {f"{rate} quotes/s, {name}": desk.figures(rate) for rate in RATES for name, desk in desks.items()}
    finally:
        for desk in desks.values():
            desk.session.__exit__(None, None, None)
    for name, figures in results.items():
        click.echo(f"{name}: {figures}")
    if target is not None:
        write(target, {"rounds": rounds, "results": results})
