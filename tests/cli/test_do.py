"""`crossdesk do`: a line is shown, or sent with --arm through the same gate, against the paper venue of a home."""

from __future__ import annotations

import json
import re
from contextlib import nullcontext
from decimal import Decimal
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from click.testing import CliRunner

from tests.forking import run_command
from tui.cli.commands import do as shell_line
from tui.cli.desks import shell_desk
from tui.cli.main import main


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


def test_do_refuses_a_size_off_the_lot_but_rounds_an_amount(tmp_path: Path) -> None:
    code, refused = do(tmp_path, f"buy 0.0125 BTC {BTC} join", "--arm", "--yes")
    assert code == 2 and "must be a multiple of 0.001 BTC (nearest 0.012 BTC or 0.013 BTC)" in str(refused)
    code, shown = do(tmp_path, f"buy $100 {BTC} at 60000")
    assert shown["requests"][0].endswith("; size rounded down to 0.001 BTC (lot 0.001)"), shown


def test_do_says_that_the_lot_rounded_the_size_of_a_close(tmp_path: Path) -> None:
    code, _ = do(tmp_path, "buy 5ct OKX_PERP_BTC_USDT mkt", "--arm", "--yes")
    assert code == 0
    for percent, size in (("half", "2"), ("50%", "1")):
        code, closed = do(tmp_path, f"close {percent} OKX_PERP_BTC_USDT", "--arm", "--yes")
        [outcome] = closed["outcomes"]
        assert (code, outcome["filled"]) == (0, size), outcome
        assert outcome["text"].endswith(f" · size rounded down to {size} ct (lot 1)"), outcome


BTC = "BINANCE_PERP_BTC_USDT"
SEVERAL = (
    f"buy 0.02 BTC {BTC} at bid-3000t po ; buy 0.02 BTC {BTC} at bid-3100t po",
    f"buy 0.02 BTC {BTC} at bid-3000t po & buy 0.02 BTC {BTC} at bid-3100t po",
    f"scale buy 0.06 BTC {BTC} 3 from bid-3000t to bid-3200t",
)


@pytest.mark.parametrize("line", SEVERAL)
def test_command_do_asks_once_for_a_line_of_several_orders(tmp_path: Path, line: str) -> None:
    code, asked = do(tmp_path, line, "--arm")
    [outcome] = asked["outcomes"]
    assert (code, outcome["verdict"]) == (2, "ask")
    assert outcome["text"].startswith("Send ") and "1. BUY 0.02 BTC" in outcome["text"]
    assert "first BINANCE BTC perp order today" in outcome["text"]
    code, refused = do(tmp_path, "c last", "--arm")
    assert (code, refused["refused"]) == (2, "NO_ORDER"), "nothing was sent"


def test_command_do_asks_once_before_a_cancel_of_all_orders(tmp_path: Path) -> None:
    code, sent = do(tmp_path, SEVERAL[0], "--arm", "--yes")
    assert (code, [one["verdict"] for one in sent["outcomes"]]) == (0, ["accepted"] * 2)
    shown = run_command("do", "c all pf", CROSSDESK_HOME=str(tmp_path)).stdout
    assert shown.startswith("would ask, then cancel 2 orders\nwould cancel BUY 0.020 BINANCE BTC perp @")
    assert shown.count("would cancel BUY") == 2 and shown.endswith("\n= c all pf\n")
    for line in ("c all pf", f"c all sym {BTC}"):
        code, asked = do(tmp_path, line, "--arm")
        [outcome] = asked["outcomes"]
        assert (code, outcome["verdict"]) == (2, "ask")
        assert outcome["text"].startswith("Cancel 2 orders of portfolio main (PAPER)")
        assert outcome["text"].count("cancel BUY 0.020 BINANCE BTC perp @") == 2
    done = run_command("do", "c all pf", "--arm", "--yes", CROSSDESK_HOME=str(tmp_path))
    assert (done.returncode, done.stdout) == (0, "= c all pf\naccepted cancel 2 orders\n")


def test_do_flat_all_closes_all_positions_with_the_option_yes(tmp_path: Path) -> None:
    for order in (f"buy 0.02 BTC {BTC} mkt", "sell 0.5 ETH BINANCE_PERP_ETH_USDT mkt"):
        code, filled = do(tmp_path, order, "--arm", "--yes")
        [outcome] = filled["outcomes"]
        assert (code, outcome["state"]) == (0, "FILLED")
        size, coin = order.split()[1:3]
        assert (outcome["filled"], outcome["fee_coin"]) == (size, "USDT")
        price = f"{Decimal(outcome['average']):,.{1 if coin == 'BTC' else 2}f}"
        assert re.fullmatch(rf"{size}0* {coin} at {price}, fee [\d.]+ USDT", outcome["text"]), outcome
        assert Decimal(outcome["fee"]) > 0
    code, asked = do(tmp_path, "flat all", "--arm")
    assert (code, asked["outcomes"][0]["verdict"]) == (2, "ask")
    code, closed = do(tmp_path, "flat all", "--arm", "--yes")
    assert code == 0 and [one["state"] for one in closed["outcomes"]] == ["FILLED", "FILLED"]
    code, refused = do(tmp_path, "flat all", "--arm", "--yes")
    assert (code, refused["refused"]) == (2, "LEG_EMPTY")


@pytest.mark.parametrize(
    ("line", "hint"), [("buy 00 BTC BINANCE_PERP join", True), ("buy 5. BTC BINANCE_PERP join", False)]
)
def test_do_hints_at_quotes_when_the_shell_expanded_an_amount(tmp_path: Path, line: str, hint: bool) -> None:
    """Of `$500` in double quotes a shell leaves `00`."""
    code, refused = do(tmp_path, line)
    assert (code, refused["refused"]) == (2, "BAD_NUMBER")
    assert refused["text"].endswith("so write the line in single quotes") is hint


def test_do_asks_before_a_reverse_or_a_flat_that_ends_a_stop(tmp_path: Path) -> None:
    code, _ = do(tmp_path, f"buy 0.02 BTC {BTC} mkt sl mark-5%", "--arm", "--yes")
    assert code == 0
    for line, words in ((f"rev {BTC}", "closes LONG 0.02, opens SHORT 0.02"), (f"flat {BTC}", "SELL 0.02 BTC")):
        shown = run_command("do", line, CROSSDESK_HOME=str(tmp_path)).stdout
        _, question = shown.split("\nwould ask before it is sent, and --yes answers it:\n")
        assert question.startswith("  Send 1 order of portfolio main (PAPER)\n  1. ") and words in question
        assert " BTC = " in question and "free on BINANCE" in question and "; will end: SL " in question
        told = do(tmp_path, line)[1]
        assert told["asks"] is True and told["question"][0] == "Send 1 order of portfolio main (PAPER)"
        code, asked = do(tmp_path, line, "--arm")
        [outcome] = asked["outcomes"]
        assert (code, outcome["verdict"]) == (2, "ask")
        assert words in outcome["text"] and "; will end: SL " in outcome["text"]
        assert "\n  add --yes to confirm it" in outcome["text"]
    code, turned = do(tmp_path, f"rev {BTC}", "--arm", "--yes")
    assert (code, [one["state"] for one in turned["outcomes"]]) == (0, ["FILLED"])


@pytest.mark.parametrize(
    ("line", "verdict", "words"),
    [
        (f"buy 100 BTC {BTC} join", "denied", "over the 100,000 limit"),
        (f"buy 1 BTC {BTC} join", "ask", "over the soft limit 25,000"),
        (f"buy 0.02 BTC {BTC} at 5000", "denied", "too far behind the touch"),
        ("sell 500 BTC BINANCE_SPOT_BTC_USDT join", "denied", "1 available on BINANCE"),
    ],
)
def test_do_without_arm_says_what_the_order_gate_would_answer(
    tmp_path: Path, line: str, verdict: str, words: str
) -> None:
    shown = run_command("do", line, "--json", CROSSDESK_HOME=str(tmp_path))
    [foreseen] = json.loads(shown.stdout)["foreseen"]
    assert (foreseen["verdict"], shown.returncode) == (verdict, 2 if verdict == "denied" else 0)
    refused = f"would be refused now: {foreseen['request']}: " in shown.stderr and words in shown.stderr
    assert words in foreseen["text"] and refused == (verdict == "denied")


def test_do_without_arm_says_what_the_venue_would_refuse(tmp_path: Path) -> None:
    for line in (f"buy 0.02 BTC {BTC} at ask+50t po", f"buy 0.02 BTC {BTC} at ask+50t po ; buy 0.02 BTC {BTC} join"):
        shown = run_command("do", line, CROSSDESK_HOME=str(tmp_path))
        said = " would be refused by the venue now: a post-only order would take: the ask is "
        assert shown.returncode == 0 and said in f" {shown.stdout}{shown.stderr}"


def test_do_denies_a_line_over_a_limit_without_asking(tmp_path: Path) -> None:
    code, refused = do(tmp_path, f"buy 5 BTC {BTC} at bid-3000t po ; buy 0.02 BTC {BTC} at bid-3100t po", "--arm")
    [outcome] = refused["outcomes"]
    assert (code, outcome["verdict"]) == (2, "denied") and "over the 100,000 limit" in outcome["text"]


def test_do_sends_a_reverse_as_a_close_and_an_opening_order(tmp_path: Path) -> None:
    code, filled = do(tmp_path, f"buy 1 BTC {BTC} mkt", "--arm", "--yes")
    assert code == 0 and filled["outcomes"][0]["state"] == "FILLED"
    close, opening = do(tmp_path, f"rev {BTC}")[1]["requests"]
    assert " position 1 → 0 BTC " in close and " position 0 → -1 BTC " in opening, (
        "the second is previewed behind the first"
    )
    code, sent = do(tmp_path, f"rev {BTC}", "--arm", "--yes")
    assert (code, [one["state"] for one in sent["outcomes"]]) == (0, ["FILLED"] * 2), sent
    code, shown = do(tmp_path, f"flat {BTC}")
    assert code == 0 and "position -1 → 0 BTC" in shown["requests"][0] and shown["asks"] is False


def test_do_says_that_an_order_was_rejected_or_ended_unfilled(tmp_path: Path) -> None:
    code, refused = do(tmp_path, f"buy 0.02 BTC {BTC} at ask+400t po", "--arm", "--yes")
    [outcome] = refused["outcomes"]
    assert (code, outcome["verdict"], outcome["state"]) == (1, "rejected", "REJECTED")
    assert "post-only order would take" in outcome["text"]
    code, unfilled = do(tmp_path, f"buy 0.02 BTC {BTC} at bid-300t ioc", "--arm", "--yes")
    [outcome] = unfilled["outcomes"]
    assert (code, outcome["verdict"], outcome["state"]) == (1, "accepted", "CANCELLED")
    assert outcome["text"].startswith("nothing was filled") and "filled" not in outcome


def test_do_accepts_a_line_that_cancels_the_order_it_replaced(tmp_path: Path) -> None:
    do(tmp_path, f"buy 0.02 BTC {BTC} at bid-3000t po", "--arm", "--yes")
    code, done = do(tmp_path, "re last px bid-3100t ; c last", "--arm", "--yes")
    assert (code, [outcome["verdict"] for outcome in done["outcomes"]]) == (0, ["accepted", "accepted"])
    assert done["outcomes"][1]["state"] == "CANCELLED"


def test_do_refuses_lines_that_need_the_screen(tmp_path: Path) -> None:
    run_command("do", f"buy 0.02 BTC {BTC} at bid-3000t po", "--arm", "--yes", CROSSDESK_HOME=str(tmp_path))
    for line in ("show risk", "show funds", "orphans", "o", "halt", "why last", "orders", "quit"):
        done = run_command("do", line, "--arm", CROSSDESK_HOME=str(tmp_path))
        assert (done.returncode, done.stdout) == (2, ""), line
        assert "needs the screen" in done.stderr or "NO_ORDER" in done.stderr, line


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--arm", "buy 1 BTC join"], "took 'buy 1 BTC join' as the name of a portfolio; put --arm behind the line"),
        (["--arm"], "the line is missing: crossdesk do"),
        (["buy", "1", "BTC", "join"], "put the line in quotes: crossdesk do"),
        (["--arm", "buy", "1", "BTC", "join"], "put the line in quotes: crossdesk do"),
        ([], "the line is missing: crossdesk do"),
    ],
)
def test_do_refuses_a_line_that_is_not_a_single_argument(arguments: list[str], words: str) -> None:
    ended = CliRunner().invoke(main, ["do", *arguments])
    assert ended.exit_code == 2 and words in " ".join(ended.output.split())


@pytest.mark.parametrize(
    ("arm", "words"), [("", "read-only: asked for"), ("other", "this profile trades portfolio mine")]
)
def test_do_on_a_read_only_or_other_portfolio_exits_with_code_2(
    arm: str, words: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    status = SimpleNamespace(
        account_name="mine", portfolio_name="mine", portfolio="1", read_only="read-only: asked for"
    )
    view = SimpleNamespace(mirror=SimpleNamespace(engine_status=status))
    desk = SimpleNamespace(view=view)
    monkeypatch.setattr(shell_desk, "open_desk", lambda *given, **more: nullcontext(desk))
    monkeypatch.setattr(shell_line, "_look_ahead", lambda *given: SimpleNamespace(dry=False, canonical="", steps=()))
    monkeypatch.setattr(shell_line, "protect_memory", lambda: None)
    ended = CliRunner().invoke(main, ["do", "buy 1 BTC", "--json", "--arm", arm])
    assert (ended.exit_code, json.loads(ended.stdout)["refused"]) == (2, "NOT_SENT")
    assert words in ended.stdout and words in ended.stderr


def test_do_after_an_internal_error_exits_as_unknown(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A script may send again what was rejected; after an error nobody knows whether something was sent."""

    def fail(*given: object, **more: object) -> object:
        raise RuntimeError("boom")

    monkeypatch.setenv("CROSSDESK_HOME", str(tmp_path))
    monkeypatch.setattr(shell_desk, "open_desk", fail)
    monkeypatch.setattr(shell_line, "protect_memory", lambda: None)
    done = CliRunner().invoke(main, ["do", "c last", "--arm"])
    assert done.exit_code == 3 and "Internal error: whether something was sent is not known" in done.output
