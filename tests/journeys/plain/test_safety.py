"""What a line in plain mode never does by itself, and how the desk ends."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.forking import TOP
from tests.journeys.plain.conftest import Start
from tests.journeys.plain.scripts import BTC, FAR, NAME, rest
from tests.journeys.plain.session import LIVELY, write_config

LINE = f"buy 0.02 BTC {BTC} at {FAR}"


@pytest.mark.parametrize("via", ["pty", "pipe"])
def test_a_pasted_yes_confirms_nothing(start: Start, via: str) -> None:
    desk = start(via, arm=250)
    desk.begin()
    desk.type(LINE, "yes", "yes")
    desk.see("type yes")
    desk.see("that answer came before the question could be read")
    desk.ask("orders", "no order works")
    desk.ask("no", "nothing is done")


def test_a_second_yes_in_plain_mode_sends_nothing(start: Start) -> None:
    desk = start("pipe")
    desk.begin()
    desk.send(LINE, ": OPEN")
    desk.ask("yes", "no question is open")
    assert "1 working order" in desk.ask("status", "working order")


def test_piped_plain_lines_take_effect_one_after_the_other(start: Start) -> None:
    holder = start("pipe")
    holder.begin()
    desk = start("pipe", *LIVELY)
    desk.type("arm", LINE)
    desk.see("type yes")
    assert not any("READ-ONLY" in line or "not done" in line for line in desk.lines), desk.lines


def test_a_dry_line_in_plain_mode_drops_the_open_question(start: Start) -> None:
    desk = start("pipe")
    desk.begin()
    desk.ask(LINE, "type yes")
    desk.ask("quotes btc", NAME)
    desk.ask(f"cost {LINE}", "another line was typed, nothing is done")
    desk.see("dry, nothing is sent")
    desk.ask("yes", "no question is open")
    desk.ask("orders", "no order works")


def test_quit_in_plain_mode_asks_while_an_order_works(start: Start) -> None:
    desk = start("pty")
    desk.begin()
    rest(desk)
    desk.ask("quit", "question: Quit")
    desk.see("yes 1: quit", "1 order stays live")
    desk.see("yes 2: cancel entries of portfolio main (PAPER): 1 order", "then HALT, and quit")
    desk.ask("yes", "yes is not an answer to this question", "stays open")
    desk.see("type yes 1, yes 2")
    desk.ask("yes 2", "BUY 0.02 BTC", "CANCELLED")
    assert desk.process.wait(timeout=20) == 0


@pytest.mark.parametrize("via", ["pty", "pipe"])
def test_end_of_input_ends_a_plain_desk_and_leaves_its_orders(start: Start, via: str) -> None:
    desk = start(via)
    desk.begin()
    rest(desk)
    if via == "pipe":
        desk.end_input()
    else:
        desk.type_key("\x04")
    desk.see("1 order stays live at the venue")
    assert desk.process.wait(timeout=20) == 0


def test_a_signal_ends_a_plain_desk_and_leaves_its_orders(start: Start) -> None:
    desk = start("pty")
    desk.begin()
    rest(desk)
    desk.process.send_signal(signal.SIGTERM)
    desk.see("1 order stays live at the venue")
    assert desk.process.wait(timeout=20) == 128 + signal.SIGTERM


def test_lost_input_cancels_plain_entry_orders_if_configured(start: Start) -> None:
    desk = start("pipe", leaves="always")
    desk.begin()
    rest(desk)
    desk.end_input()
    desk.see("BUY 0.02 BTC", "CANCELLED")
    assert desk.process.wait(timeout=20) == 0


def test_command_say_switches_which_events_plain_mode_prints(start: Start) -> None:
    desk = start("pipe")
    desk.begin()
    desk.ask("say nothing", "says nothing from now on")
    desk.ask(LINE, "type yes")
    desk.ask("yes", "done: ")
    desk.poll("orders", "order ", shows="OPEN")
    assert not any(line.endswith(": OPEN") for line in desk.lines)
    desk.ask("say trades", "says trades")
    desk.ask("c all pf", "type yes")
    desk.ask("yes", "BUY 0.02 BTC", "CANCELLED")
    said = [line for line in desk.lines if "CANCELLED" in line]
    assert len(said) == len(set(said)) == 1


def test_plain_mode_says_why_a_line_is_not_carried_out(start: Start) -> None:
    desk = start("pipe")
    desk.begin()
    for line in ("buy 0.02 BTC", "buy 1 BTC join", "hot 60s", "alert when fill", "export orders", "x" * 3000):
        desk.ask(line, "not done: ")
    assert desk.controls() == []


def test_plain_mode_with_read_only_sends_no_order(start: Start) -> None:
    desk = start("pipe", "--read-only", *LIVELY)
    desk.see("In sync with the venue", within=60)
    desk.ask(LINE, "not done: ")
    desk.ask("orders", "no order works")


def test_plain_mode_imports_no_textual(tmp_path: Path) -> None:
    home = tmp_path / "home"
    write_config(home)
    script = f"""
import sys, time
from tui.cli.main import main
try:
    main(["--plain", *{list(LIVELY)!r}], prog_name="crossdesk")
finally:
    print("imported:", sorted(name for name in sys.modules if name.partition(".")[0] == "textual"))
"""
    process = subprocess.Popen(
        [sys.executable, "-c", script], cwd=TOP, env={**os.environ, "CROSSDESK_HOME": str(home)}, text=True,
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
    )  # fmt: skip
    assert process.stdin is not None and process.stdout is not None

    def see(text: str) -> str:
        assert process.stdout is not None
        return next(line for line in process.stdout if text in line)

    def say(text: str) -> None:
        assert process.stdin is not None
        process.stdin.write(f"{text}\n")
        process.stdin.flush()

    see("In sync")
    for line, answer in (
        ("arm", "Armed"), (LINE, "type yes"), ("yes", "done: "), ("orders", "order "), ("positions", "today: "),
        ("assets", "account"), ("adl", "rank"), ("fills", "today: "), ("events", "Armed"), ("status", "state"),
        ("flat all", "not done"), ("kill", "type yes"), ("all", "HALT"), ("resume", "type resume"), ("no", "nothing"),
    ):  # fmt: skip
        say(line)
        see(answer)
    process.stdin.close()
    assert see("imported:") == "imported: []\n"
    assert process.wait(timeout=20) == 0
