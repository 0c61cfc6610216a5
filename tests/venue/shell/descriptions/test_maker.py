"""The sample bot of the documents on a real venue: it quotes, follows the touch, and leaves nothing behind."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from collections.abc import Callable
from decimal import Decimal
from pathlib import Path

from tests.venue.shell.conftest import STILL, TOP, Venue

MAKER = TOP / "docs" / "examples" / "maker.py"
SYM = "BINANCE_PERP_BTC_USDT"
LIMIT, SIZE = Decimal("0.05"), Decimal("0.010")


def test_the_maker_places_replaces_cancels_and_ends(start: Callable[..., Venue], tmp_path: Path) -> None:
    venue = start(*STILL, "--control")
    (tmp_path / "ready.json").write_text(json.dumps(venue.ready))
    words = [sys.executable, "-I", str(MAKER), str(tmp_path / "ready.json")]
    with subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=tmp_path) as maker:
        seen: list[str] = []

        def read_until(is_there: Callable[[], bool]) -> None:
            while not is_there():
                seen.append(maker.stdout.readline() if maker.stdout is not None else "")
                assert seen[-1], maker.stderr and maker.stderr.read()

        read_until(lambda: {line.split()[-2] for line in seen if line.startswith("OPEN")} == {"BUY", "SELL"})
        venue.move("BTC", "+0.1%")
        read_until(lambda: any("AMEND_COMPLETED" in line for line in seen))
        maker.send_signal(signal.SIGINT)
        said, wrong = maker.communicate(timeout=60)
        assert (maker.returncode, wrong) == (0, "")
    assert "CANCELLED" in said
    assert venue.data("GET", "/api/v1/trading/orders", {"sym": SYM})["list"] == []
    held = venue.data("GET", "/api/v1/trading/position", {"sym": SYM})
    assert all(abs(Decimal(row["positionQty"])) < LIMIT + SIZE for row in held)


def test_the_maker_imports_nothing_of_ours() -> None:
    imported = {
        line.split()[1].split(".")[0] for line in MAKER.read_text().splitlines() if line.startswith(("import", "from"))
    }
    assert imported - sys.stdlib_module_names == {"websockets"}
