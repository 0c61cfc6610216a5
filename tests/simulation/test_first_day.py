"""The real client, engine and venue in virtual time, twice the same."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.simulation.scenario import checked, first_day

TOP = Path(__file__).parent.parent.parent

pytestmark = pytest.mark.simulation


def test_an_order_survives_partial_fill_disconnect_and_cancel() -> None:
    checked(first_day(1))


def test_the_same_seed_gives_the_same_trace_in_two_processes() -> None:
    traces = []
    for hash_seed in ("0", "4711"):
        result = subprocess.run(
            [sys.executable, "-m", "tests.simulation.scenario", "7"],
            cwd=TOP,
            env={**os.environ, "PYTHONHASHSEED": hash_seed},
            capture_output=True,
            text=True,
            check=True,
        )
        traces.append(json.loads(result.stdout))
    assert traces[0] == traces[1]
    assert traces[0]["lines"] > 100
