"""`crossdesk bench memory`: of the workstation with many pairs and orders, of a venue that is a day older, of a journal."""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import click

from benchmarks.desk.session import Session
from benchmarks.desk.terminal import TOP
from benchmarks.result import json_option, rounded, write

PATH = "/api/v1/trading/order"
PAIRS = (
    "BINANCE_PERP_BTC_USDT", "BINANCE_SPOT_BTC_USDT", "BINANCE_MARGIN_BTC_USDT",
    "OKX_SPOT_BTC_USDT", "OKX_MARGIN_BTC_USDT", "EDX_PERP_BTC_USDT",
)  # fmt: skip
"""Orders are spread over these: a venue takes 200 of a pair."""
MOST_PAIRS = 2000
"""Pairs that are watched without orders."""
SETTLE_S = 3.0
"""How long the workstation stands before its memory is read."""

_VENUE = """\
import json, sys, tempfile
from pathlib import Path
from tests.venue.year import Life, memory_mb
from tui.interface import decimals
decimals.setup()
with tempfile.TemporaryDirectory() as folder:
    life = Life(Path(folder))
    began = memory_mb()
    life.day(int(sys.argv[1]))
    print(json.dumps({"at the start": began, "a day later": memory_mb(), "orders": life.orders}))
"""
_JOURNAL = """\
import json, sys, time
from pathlib import Path
from tests.venue.year import memory_mb
from tui.engine.journal.journal_file import JournalFile
from tui.engine.journal.journal_rows import Entry
from tui.engine.journal.session_replay import JournalReplay
path, count = Path(sys.argv[1]), int(sys.argv[2])
payload = json.dumps({"kind": "note", "text": "x" * 300})
def entry(number):
    return Entry(seq=0, wall_ms=number, mono=1.5, epoch=1, kind="push", intent_id="", client_order_id=f"c{number}",
                 order_id="", payload=payload)
if count:
    file = JournalFile(path, time.time, JournalReplay())
    for first in range(0, count, 500):
        file.append([entry(number) for number in range(first, min(first + 500, count))])
else:
    before, began = memory_mb(), time.perf_counter()
    file = JournalFile(path, time.time, JournalReplay())
    found = {"mb more": memory_mb() - before, "opened in s": time.perf_counter() - began}
    print(json.dumps({**found, "entries read": file.rows_read}))
file.close()
"""


def workstation_mb(symbols: int, orders: int) -> dict[str, float]:
    """Resident memory of the real program in a terminal, with this many pairs and open orders on its screen."""
    with Session(symbols=symbols) as session:
        session.come_in()
        time.sleep(SETTLE_S)
        before = session.desk.memory_mb()
        for number in range(orders):
            session.service.call(
                "POST",
                PATH,
                {
                    "sym": PAIRS[number % len(PAIRS)],
                    "side": "BUY",
                    "orderType": "LIMIT",
                    "timeInForce": "GTC",
                    "orderQty": "0.001",
                    "limitPrice": f"{60_000 + number % 1000}",
                    "clientOrderId": f"bench{number}",
                },
            )
        session.service.front.tell(do="rate", value=1_000)
        time.sleep(SETTLE_S)
        return {"without orders": rounded(before), "with orders": rounded(session.desk.memory_mb())}


def _run(code: str, *arguments: str) -> dict[str, float]:
    """Run a piece of code in a process of its own; the figures it prints."""
    done = subprocess.run([sys.executable, "-c", code, *arguments], cwd=TOP, capture_output=True, text=True, check=True)
    found: dict[str, float] = json.loads(done.stdout) if done.stdout else {}
    return {name: rounded(value) for name, value in found.items()}


def venue_mb(bursts: int) -> dict[str, float]:
    """Resident memory of an exchange before and after 24 virtual hours, with 100 orders in each burst."""
    return _run(_VENUE, str(bursts))


def journal_mb(records: int) -> dict[str, float]:
    """What opening a journal of so many records costs."""
    with tempfile.TemporaryDirectory(prefix="crossdesk-bench-") as folder:
        path = Path(folder) / "journal.db"
        _run(_JOURNAL, str(path), str(records))
        size = sum(one.stat().st_size for one in Path(folder).iterdir()) / 1e6
        return {**_run(_JOURNAL, str(path), "0"), "files mb": rounded(size)}


@click.command()
@click.option("--symbols", default=500, show_default=True, type=click.IntRange(20, 500))
@click.option("--orders", default=1000, show_default=True, type=click.IntRange(0, 5000))
@click.option(
    "--bursts", default=24, show_default=True, type=click.IntRange(1), help="Of 100 orders, in a virtual day."
)
@click.option("--records", default=100_000, show_default=True, type=click.IntRange(1), help="Of the journal.")
@json_option
def command(symbols: int, orders: int, bursts: int, records: int, target: Path | None) -> None:
    """Resident memory, MB."""
    workstation = workstation_mb(symbols, orders)
    results = {
        "workstation_mb": workstation["with orders"],
        "workstation": workstation,
        f"{MOST_PAIRS} pairs": workstation_mb(MOST_PAIRS, 0),
        "venue": venue_mb(bursts),
        "journal": journal_mb(records),
    }
    for name, figures in results.items():
        if isinstance(figures, dict):
            click.echo(f"{name:12} " + ", ".join(f"{key} {value:g}" for key, value in figures.items()))
    if target is not None:
        write(target, {"symbols": symbols, "orders": orders, "bursts": bursts, "records": records, "results": results})
