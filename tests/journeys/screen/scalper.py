"""A scalper: single keys on the rows, digits, the ladder."""

from __future__ import annotations

import re

from tests.journeys.screen.common import confirm_kill
from tests.journeys.screen.session import ETH, Person


def touch(person: Person) -> None:
    person.begins()
    row = person.read(r"▸ +BINANCE +[\d.,]+ +([\d,]+\.\d) +([\d,]+\.\d) .* (\d+\.\d)s")
    assert float(row[1].replace(",", "")) < float(row[2].replace(",", ""))


def find(person: Person) -> None:
    person.begins()
    person.press("/")
    person.type("sol")
    person.see("SOL perp best")
    person.see("OKX")
    person.press("enter")
    person.see("BINANCE SOL perp · min")


def arm(person: Person) -> None:
    person.begins()
    person.press("b")
    person.see("nothing is sent in state VIEW; press a to arm")
    person.press("a")
    person.see("ARMED")


def bid(person: Person) -> None:
    person.begins("arm")
    person.press("b")
    person.see("would rest")
    person.send()
    person.press("2")
    person.see("▸OPEN", "BINANCE BTC")


def size(person: Person) -> None:
    person.begins("arm")
    person.stage("b")
    person.type("$900")
    person.read(r"size +\$900 .*0\.01\d BTC|0\.01\d BTC = 8\d\d\.\d+ USDT|= 8\d\d\.\d+ USDT")
    person.press("escape")
    person.gone("Enter sends")
    person.is_left(0)


def price(person: Person) -> None:
    person.begins("arm", "rest")
    person.press("2")
    before = person.read(r"▸OPEN +BINANCE BTC +buy +([\d,]+\.\d)")[1]
    person.stage("+", "+")
    person.send()
    person.desk.until(
        lambda lines: (
            (now := re.search(r"▸OPEN +BINANCE BTC +buy +([\d,]+\.\d)", "\n".join(lines))) is not None
            and now[1] > before
        ),
        "the order at a higher price",
    )


def amount(person: Person) -> None:
    person.begins("arm", "rest")
    person.press("2")
    person.see("▸OPEN", "BINANCE BTC")
    person.stage(">")
    person.send()
    person.see("▸OPEN", "BINANCE BTC", "0.002")


def cancel_pair(person: Person) -> None:
    person.arm()
    person.rest()
    person.rest("doge", "doge")
    person.begins()
    person.press("2", "C")
    person.see("to cancel?")
    person.see("DOGE")
    person.press("y")
    person.see("CANCELLED", "BINANCE DOGE")
    person.is_left(1, "BINANCE BTC")


def market(person: Person) -> None:
    person.begins("arm")
    person.stage("B")
    person.type(".02")
    person.send()
    person.see("FILLED")
    person.find("fills", "Fills")
    person.see("BINANCE BTC", "0.02", "TAKER", "-0.6")


def target(person: Person) -> None:
    person.begins("arm")
    person.go_to("eth", ETH)
    person.order("buy .1eth take tp entry+2% sl entry-1%")
    person.see("FILLED")
    person.press("3")
    person.see("▸BINANCE ETH", "LONG", "0.1")
    person.find("algo", "algo orders: stops")
    person.read(r"armed .*BINANCE ETH .* SL? ?2,6")  # a narrow list writes one letter


def assets(person: Person) -> None:
    person.begins()
    person.press("4")
    person.see("USDT", "BINANCE", "100,000.00")
    person.see("USDT", "OKX", "50,000.00")
    person.find("risk", "Risk")
    person.see("BINANCE", "NORMAL")


def adl(person: Person) -> None:
    person.begins("arm", "hold")
    person.press("5")
    person.see("BINANCE BTC", "●")
    person.press("3")
    person.see("liq")
    person.see("▸BINANCE BTC", "LONG", "none")


def kill(person: Person) -> None:
    person.begins("arm", "hold", "protect", "rest")
    person.press("X")
    confirm_kill(person)


def day(person: Person) -> None:
    person.begins("arm", "hold", "flatten")
    person.find("fills", "Fills")
    person.see("BINANCE BTC", "sell", "0.040")
    person.see("BINANCE BTC", "buy", "0.040")
    person.find("p&l", "P&L")
    person.see("BINANCE BTC", "-")


def cut(person: Person) -> None:
    person.begins("arm")
    person.delay_answers()
    person.stage("b")
    person.press("pagedown", "enter")
    person.see("│ ? ")
    person.press("y")
    person.cut_network()
