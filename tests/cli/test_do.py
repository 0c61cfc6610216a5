"""`crossdesk do`: a line is shown, or sent with --arm through the same gate, against the paper venue of a home."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from tests.forking import run_command


def do(home: Path, *words: str) -> tuple[int, Any]:
    """Run the command in a home; return its exit code and its JSON."""
    done = run_command("do", *words, "--json", CROSSDESK_HOME=str(home))
    return done.returncode, json.loads(done.stdout) if done.stdout.strip() else done.stderr


def test_command_do_sends_its_line_only_with_the_option_arm(tmp_path: Path) -> None:
    # So far below the bid that the market does not reach it while the next commands start on a busy machine.
    order = "buy 0.02 BTC BINANCE_PERP at bid-3000t po"
    code, shown = do(tmp_path, order)
    assert code == 0 and shown["canonical"] == "buy 0.02 BTC BINANCE_PERP_BTC_USDT at bid-3000t po"
    assert "0.02 BTC" in shown["requests"][0] and "would rest" in shown["requests"][0]
    code, refused = do(tmp_path, "c last", "--arm")
    assert (code, refused["refused"]) == (2, "NO_ORDER"), "nothing was sent by showing it"
    code, asked = do(tmp_path, order, "--arm")
    assert (code, asked["outcomes"][0]["verdict"]) == (2, "ask"), "the first order of a day is a question"
    code, sent = do(tmp_path, order, "--arm", "--yes")
    assert (code, sent["outcomes"][0]["verdict"]) == (0, "accepted")
    code, ended = do(tmp_path, "c last", "--arm")
    assert code == 0, ended
    assert ended["outcomes"][0]["verdict"] == "accepted"
