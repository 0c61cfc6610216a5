"""`crossdesk do`: a line is shown, or sent with --arm through the same gate, against the paper venue of a home."""

from __future__ import annotations

import json
from contextlib import nullcontext
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from click.testing import CliRunner

from tests.forking import run_command
from tui.cli.commands import do as shell_line


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


@pytest.mark.parametrize(
    ("arm", "words"), [("", "read-only: asked for"), ("other", "this profile trades portfolio mine")]
)
def test_what_is_refused_here_exits_with_two(arm: str, words: str, monkeypatch: pytest.MonkeyPatch) -> None:
    status = SimpleNamespace(portfolio_name="mine", portfolio="1", read_only="read-only: asked for")
    view = SimpleNamespace(mirror=SimpleNamespace(engine_status=status))
    monkeypatch.setattr(shell_line, "_open_desk", lambda profile, sends: nullcontext((None, view)))
    monkeypatch.setattr(shell_line, "_look_ahead", lambda *given: SimpleNamespace(dry=False, canonical=""))
    monkeypatch.setattr(shell_line, "protect_memory", lambda: None)
    ended = CliRunner().invoke(shell_line.command, ["buy 1 BTC", "--json", "--arm", arm])
    assert (ended.exit_code, json.loads(ended.stdout)["refused"]) == (2, "NOT_SENT")
    assert words in ended.stdout
