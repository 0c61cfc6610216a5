"""`crossdesk bench bus`: desks of several traders on one gateway, over a NATS server that it runs, all on this machine."""

from __future__ import annotations

import random
import time
from collections.abc import Mapping
from pathlib import Path

import click

from benchmarks.desk.probes import Probes
from benchmarks.desk.session import Session
from benchmarks.desk.terminal import cpu_s
from benchmarks.result import json_option, median_quantile, rounded, write


def measure(traders: int, rate: int, rounds: int, samples: int, seconds: float) -> Mapping[str, object]:
    """Figures at one rate. The screens of all desks are read by this process, too, at the cost of their times."""
    ticks: list[list[float]] = []
    gateway_cpu: list[float] = []
    desk_cpu: list[float] = []
    with Session(traders=[f"trader{number}" for number in range(1, traders + 1)]) as session:
        session.come_in()
        probes = Probes(session, random.Random(1))
        gateway = session.gateway
        assert gateway is not None
        for _ in range(rounds):
            spent, began = cpu_s(gateway.pid), time.monotonic()
            load = probes.measure_load(rate, seconds)
            gateway_cpu.append((cpu_s(gateway.pid) - spent) / (time.monotonic() - began) * 100)
            desk_cpu.append(load.cpu * 100)
            ticks.append([took for _ in range(samples) for took in probes.tick_to_screens()])
    return {
        "tick_to_screen_ms": {
            "p50": rounded(median_quantile(ticks, 0.5)),
            "p99": rounded(median_quantile(ticks, 0.99)),
            "samples": sum(map(len, ticks)),
        },
        "gateway_cpu_percent": rounded(median_quantile([gateway_cpu], 0.5)),
        "cpu_percent": rounded(median_quantile([desk_cpu], 0.5)),
    }


@click.command()
@click.option("--traders", default=5, show_default=True, type=click.IntRange(1, 20))
@click.option("--rate", default=10_000, show_default=True, type=click.IntRange(0, 100_000), help="Quotes a second.")
@click.option("--rounds", default=5, show_default=True, type=click.IntRange(1, 100))
@click.option("--samples", default=40, show_default=True, type=click.IntRange(1, 1000), help="Quotes a round.")
@click.option("--seconds", default=3.0, show_default=True, help="Length of a measurement of the processor, s.")
@json_option
def command(traders: int, rate: int, rounds: int, samples: int, seconds: float, target: Path | None) -> None:
    """Tick to screen of every desk, processor of the gateway and of a desk."""
    name = f"{traders} desks, {rate} quotes/s"
    figures = measure(traders, rate, rounds, samples, seconds)
    click.echo(f"{name}: {figures}")
    if target is not None:
        write(target, {"rounds": rounds, "results": {name: figures}})
