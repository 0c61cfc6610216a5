"""A person from the web pages of exchanges: forms, lists with a cursor, and the palette for everything else."""

from __future__ import annotations

from tests.journeys.screen.common import confirm_kill
from tests.journeys.screen.session import ETH, Person


def _open_form(person: Person, *side_and_type: str) -> None:
    """Open the form of the quote under the cursor; choose side and type on their choices."""
    person.press("enter")
    person.see("New order")
    person.press(*side_and_type)


def _limit(person: Person, price: str = "") -> None:
    """Walk the form of a buy to the preview; at a price, or at the best bid."""
    _open_form(person, "b", "enter", "enter", "enter", "enter")
    if price:
        person.type(price)
    person.press("enter", "enter", "enter")
    person.see("y send")


def touch(person: Person) -> None:
    person.begins()
    person.read(r"▸ +BINANCE +[\d.,]+ +61,7\d\d\.\d +61,7\d\d\.\d .* \d+\.\ds")


def find(person: Person) -> None:
    person.begins()
    person.press("/")
    person.type("sol")
    person.see("SOL perp best")
    person.press("enter")
    person.see("BINANCE SOL perp · min")


def arm(person: Person) -> None:
    person.begins()
    person.find("arm", "arm or disarm")
    person.see("ARMED")


def bid(person: Person) -> None:
    person.begins("arm")
    _limit(person)
    person.send("y")
    person.see("OPEN ", "BINANCE BTC")


def size(person: Person) -> None:
    person.begins("arm")
    _open_form(person, "b", "enter", "enter", "enter")
    person.type("$900")
    person.press("enter")
    person.read(r"= 8\d\d\.\d+ USDT")
    person.press("escape", "escape")
    person.gone("New order")
    person.is_left(0)


def price(person: Person) -> None:
    person.begins("arm", "rest")
    person.press("2")
    person.see("▸OPEN", "BINANCE BTC")
    person.press("e")
    person.see("Replace")
    person.type("61700")
    person.press("enter", "enter", "enter")
    person.send_form()
    person.see("OPEN ", "BINANCE BTC", "61,700.0")


def amount(person: Person) -> None:
    person.begins("arm", "rest")
    person.press("2")
    person.see("▸OPEN", "BINANCE BTC")
    person.press("e")
    person.see("Replace")
    person.press("tab")
    person.type(".002")
    person.press("enter", "enter")
    person.send_form()
    person.see("OPEN ", "BINANCE BTC", "0.002")


def cancel_pair(person: Person) -> None:
    person.arm()
    person.rest("doge", "doge")
    person.rest()
    person.begins()
    person.press("2")
    person.see("▸OPEN")
    person.press("C")
    person.see("to cancel?")
    person.press("y")
    person.see("CANCELLED")
    person.is_left(1)


def market(person: Person) -> None:
    person.begins("arm")
    _open_form(person, "b", "enter", "right", "enter")
    person.type(".02")
    person.press("enter", "enter", "enter")
    person.send_form()
    person.see("FILLED avg 61,7")
    person.find("fills", "Fills")
    person.see("BINANCE BTC", "0.020", "TAKER", "-0.6")


def target(person: Person) -> None:
    person.begins("arm")
    person.go_to("eth", ETH)
    _open_form(person, "b", "enter", "right", "enter")
    person.type(".1")
    person.press("tab")
    person.type("2%")
    person.press("tab")
    person.type("1%")
    person.press("enter")
    person.send_form()
    person.see("FILLED")
    person.find("algo", "algo orders: stops")
    person.read(r"armed .*BINANCE ETH .* SL? ?2,6")


def assets(person: Person) -> None:
    person.begins()
    person.press("4")
    person.see("USDT", "BINANCE", "100,000.00")
    person.find("risk", "Risk")
    person.see("BINANCE", "NORMAL")


def adl(person: Person) -> None:
    person.begins("arm", "hold")
    person.press("5")
    person.see("BINANCE BTC", "●")
    person.press("3")
    person.see("▸BINANCE BTC", "LONG", "none")


def kill(person: Person) -> None:
    person.begins("arm", "hold", "protect", "rest")
    person.find("kill", "kill prompt")
    confirm_kill(person)


def day(person: Person) -> None:
    person.begins("arm", "hold", "flatten")
    person.find("today", "P&L")
    person.see("BINANCE BTC", "-")
    person.find("fills", "Fills")
    person.see("BINANCE BTC", "sell", "0.040")


def cut(person: Person) -> None:
    person.begins("arm")
    person.delay_answers()
    _limit(person, "61700")
    person.press("y")
    person.see("│ ? ")
    person.press("y")
    person.cut_network()
