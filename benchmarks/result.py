"""What every benchmark writes: figures with the machine, the versions and the command that made them."""

from __future__ import annotations

import json
import math
import os
import platform
import sys
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from statistics import median

import click

json_option = click.option(
    "--json", "target", type=click.Path(dir_okay=False, path_type=Path), help="Also write the figures here."
)
_PACKAGES = ("textual", "rich", "aiohttp", "websockets", "msgspec", "pydantic", "picows", "plotext")


def quantile(values: Sequence[float], share: float) -> float:
    """The smallest value that this share of the values does not exceed."""
    ordered = sorted(values)
    return ordered[max(0, math.ceil(share * len(ordered)) - 1)]


def median_quantile(rounds: Sequence[Sequence[float]], share: float) -> float:
    """The median over rounds of a quantile inside each round."""
    return median(quantile(one, share) for one in rounds)


def machine() -> dict[str, object]:
    return {"cores": os.cpu_count(), "python": platform.python_version(), "os": platform.system(), "cpu": _cpu()}


def _cpu() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        return platform.processor()
    return next((line.partition(":")[2].strip() for line in lines if line.startswith("model name")), "")


def versions() -> dict[str, str]:
    """Versions of the packages that matter for speed; those that are absent are left out."""
    found: dict[str, str] = {}
    for name in _PACKAGES:
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            continue
    return found


def write(target: Path, figures: Mapping[str, object]) -> None:
    """One JSON object: when, on what, by which command, and the figures."""
    about = {
        "when": datetime.now(UTC).strftime("%Y-%m-%d %H:%M"),
        "command": "crossdesk " + " ".join(sys.argv[1:]),
        "machine": machine(),
        "versions": versions(),
    }
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_text(json.dumps({**about, **figures}, indent=2, ensure_ascii=False) + "\n")


def rounded(value: float) -> float:
    """Three digits are what a noisy machine can tell."""
    return float(f"{value:.3g}")
