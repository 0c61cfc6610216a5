"""Tasks that more than one person does by the same keys."""

from __future__ import annotations

import re

from tests.journeys.screen.session import Person


def cancel(person: Person) -> None:
    person.begins("arm", "rest", "rest")
    person.press("2")
    person.is_left(2, "BINANCE BTC")
    person.look_at_row("▸OPEN", "BINANCE BTC")
    person.press("c")
    person.see("CANCELLED", "BINANCE BTC")
    person.is_left(1, "BINANCE BTC")


def position(person: Person) -> None:
    person.arm()
    person.hold()
    person.press("1")
    person.begins()
    person.press("3")
    row = person.see("▸BINANCE BTC", "LONG", "0.04")
    assert re.search(r"61,7\d\d\.\d", row), row


def stop(person: Person) -> None:
    person.begins("arm", "hold")
    person.press("p")
    person.see("stop")
    person.type("1%")
    person.press("enter", "enter", "y")
    person.see("PLACED: stop SELL all")
    person.see("▸BINANCE BTC", "LONG", "61,1")


def half(person: Person) -> None:
    person.begins("arm", "hold")
    person.stage("%", "2")
    person.send()
    person.see("▸BINANCE BTC", "LONG", "0.020")


def flatten(person: Person) -> None:
    person.begins("arm", "hold")
    person.stage("f")
    person.send()
    person.see("flat (checked")


def confirm_kill(person: Person) -> None:
    """Take the first row of the kill prompt, and look at the order that is gone and the position that stays."""
    person.see("1 order")
    person.press("enter")
    person.see("HALT")
    person.press("2")
    person.see("CANCELLED", "BINANCE BTC")
    person.press("3")
    person.see("▸BINANCE BTC", "LONG", "61,1")
