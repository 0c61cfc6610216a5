"""A real desk in a terminal on a real venue under a flood of quotes, while its connections flap.

By hand: `pytest tests/terminal/test_soak.py -m nightly -n 0`. Each soak is short enough for one sitting; their seconds
add up in the figures.
"""

from __future__ import annotations

import os
import re
import time
from functools import partial
from pathlib import Path

import pytest

from benchmarks.real import Flood
from benchmarks.result import quantile
from tests.figures import measured

SOAK_S = 210.0
WARM_S = 30.0
"""Until caches, tables and the heap have their size; growth is counted from here."""
RATE = 6_000
"""Quotes offered in a second; what arrives must be 5,000."""
QUOTES_PER_S = 5_000
GAP_S = 12.0
"""Between two cuts of all streams."""
MOST_MB = 20.0


def resident_mb(process: int) -> float:
    """Memory of a process, MB."""
    pages = int(Path(f"/proc/{process}/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / 1e6


def read_in_step(lines: list[str]) -> str:
    """Return the time at which the desk last said that it is in step."""
    return max(re.findall(r"(\d\d:\d\d:\d\d) . In sync with the venue", lines[-2]), default="never")


def shows_cut(before: str, lines: list[str]) -> bool:
    """Whether the order link is lost, or back since `before`."""
    return "priv●" not in lines[0] or read_in_step(lines) != before


def flap(flood: Flood, seconds: float) -> list[float]:
    """Cut all streams every few seconds; once the desk is back, it trades for a moment.

    Returns:
        From each cut until the screen shows both links again, ms.
    """
    until, back = time.monotonic() + seconds, []
    while time.monotonic() < until:
        flood.trade(GAP_S / 2)
        before, cut = flood.desk.until(read_in_step, "when the desk was last in step"), time.monotonic()
        flood.front.tell(do="cut")
        # On a busy machine the frame that shows the link as lost may never be read.
        flood.desk.until(partial(shows_cut, before), "the cut")
        flood.desk.until(lambda lines: "priv●" in lines[0] and "md●" in lines[0], "both links", within=30)
        back.append((time.monotonic() - cut) * 1000)
        time.sleep(GAP_S / 2)
    return back


@pytest.mark.real
@pytest.mark.nightly
@pytest.mark.timeout(540)
@pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="memory of a process is read from /proc")
@pytest.mark.usefixtures("as_users_start_it")
@pytest.mark.parametrize("number", [1, 2, 3])
def test_after_a_quote_flood_and_flapping_screen_and_venue_agree(tmp_path: Path, number: int) -> None:
    flood = Flood(tmp_path)
    try:
        flood.come_in()
        flood.front.tell(do="rate", value=RATE)
        flap(flood, WARM_S)
        before, began = resident_mb(flood.desk.process.pid), flood.front.ask("stats")
        flood.placed_ms.clear()
        back = flap(flood, SOAK_S)
        after, ended = resident_mb(flood.desk.process.pid), flood.front.ask("stats")
        found = [*flood.old_quotes(), *flood.differences()]
    finally:
        flood.close()
    spent = (ended["at"] - began["at"]) / 1e9
    figures = {
        "seconds": round(spent), "quotes_per_s": round((ended["sent"] - began["sent"]) / spent),
        "rss_mb": round(after, 1), "rss_growth_mb": round(after - before, 1), "differences": len(found),
        "orders": len(flood.placed_ms) + flood.beside,
    }  # fmt: skip
    print(figures)
    measured.keep("soak", "nightly", **{f"{number} {name}": figure for name, figure in figures.items()})
    times = {"enter_to_wire": flood.enter_to_wire_ms, "cut_to_links": back}
    measured.keep(
        "latency_real_ms",
        "nightly",
        **{
            f"{number} {name} {word}": round(quantile(values, share), 1)
            for name, values in times.items()
            for word, share in (("p50", 0.5), ("p99", 0.99), ("max", 1.0))
        },
    )
    assert found == []
    assert figures["quotes_per_s"] >= QUOTES_PER_S and figures["rss_growth_mb"] <= MOST_MB
