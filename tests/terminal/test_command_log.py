"""What became of each command can be read: in the events, in the life of an order and in the journal."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

from tests.terminal.conftest import STILL, Venue
from tests.terminal.journal import exported_journal
from tests.terminal.terminal import Terminal

BEFORE = ("BUY 0.001 BINANCE BTC perp @ 61,777.1: accepted", "BUY 0.001 BINANCE BTC perp @ 61,777.1: OPEN")
MOVED = "BUY 0.001 BINANCE BTC perp @ 61,777.0: amended"
ENDED = "BUY 0.001 BINANCE BTC perp @ 61,777.0: CANCELLED"
KINDS = ("intent", "reply", "push")
COMMANDS = ["Place", "Replace", "Cancel"]


def trade(desk: Terminal) -> None:
    """Place, change and cancel an order; the life of the order and the events tell of each step."""
    desk.see("In sync with the venue")
    desk.press("a")
    desk.see("ARMED")
    desk.press("b")
    desk.see("Enter sends")
    desk.press("enter")
    for event in BEFORE:
        desk.see(event)
    desk.press("2", "-")
    desk.see("Enter sends")
    desk.press("enter")
    desk.see("OPEN ", "61,777.0")
    desk.see(MOVED)  # with the answer the ticket is gone; the push of the order may come before it
    desk.press("#")
    desk.see("Timeline of BINANCE BTC perp")
    for line in (*BEFORE, MOVED):
        desk.see(f"  {line}", "│")
    desk.press("escape", "c")
    desk.gone("OPEN ", "61,777.0")
    desk.press("ctrl+p")
    desk.see("Find")
    desk.press(*"events pane", "enter")
    for line in (*BEFORE, MOVED, ENDED):
        desk.see(f" ·  {line}", "│")


def test_the_journal_keeps_commands_and_answers_but_no_api_key(start: Callable[..., Terminal], tmp_path: Path) -> None:
    desk = start(*STILL)
    trade(desk)
    keys = Venue(tmp_path / "home").line["keys"]
    desk.press("ctrl+q")
    assert desk.wait() == 0
    journal = exported_journal(tmp_path / "home")
    told = {kind: [json.loads(entry["payload"]) for entry in journal if entry["kind"] == kind] for kind in KINDS}
    assert [intent["kind"] for intent in told["intent"]] == COMMANDS
    answers = [(reply["event"], reply["code"]) for reply in told["reply"]]
    assert answers == [(f"{command.lower()}_order", 200000) for command in COMMANDS]
    states = [push["orderState"] for push in told["push"] if "orderState" in push]
    assert "OPEN" in states and states[-1] == "CANCELLED"
    text = json.dumps(journal)
    assert keys and not any(key[name] in text for key in keys for name in ("api_key", "api_secret"))
