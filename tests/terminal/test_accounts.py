"""Another market is another account: the orders of one are no riddles of the other."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from tests.terminal.conftest import STILL
from tests.terminal.safety.test_windows import arm, leave, rest_one
from tests.terminal.terminal import Terminal

SYM = "BINANCE_PERP_BTC_USDT"


def recording(path: Path) -> Path:
    """A market of two minutes that hardly moves."""
    rows = ["received_ns,sym,kind,a,b,c,d"]
    for step in range(1200):
        bid = 60000 + step % 5
        rows.append(f"{1_700_000_000_000_000_000 + step * 100_000_000},{SYM},BBO,{bid}.0,1.5,{bid}.1,1.5")
    path.write_text("\n".join(rows) + "\n")
    return path


def test_a_replay_on_the_same_home_reads_no_orders_of_the_paper_account(
    start: Callable[..., Terminal], tmp_path: Path
) -> None:
    first = start(*STILL)
    first.see("In sync with the venue")
    arm(first)
    rest_one(first, first.home)
    first.see("OPEN", "BINANCE BTC")
    leave(first)
    replay = start("--market", str(recording(tmp_path / "btc.csv")), home=first.home)
    replay.see("In sync with the venue")
    replay.press("4", ")", ")", ")")
    replay.see("time", "event")
    replay.see("a replay of btc.csv is an account")
    assert not any("UNK" in line or "no longer found" in line for line in replay.display)
    leave(replay)
    again = start(*STILL, home=first.home)
    again.see("In sync with the venue")
    again.see("OPEN", "BINANCE BTC")
