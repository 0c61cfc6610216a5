"""A risk officer: the command line for what is done, screens and the palette for what is read."""

from __future__ import annotations

import re

from tests.journeys.screen.common import confirm_kill
from tests.journeys.screen.session import ETH, Person

BELOW = "bid-300t"
"""A price that nothing reaches."""


def touch(person: Person) -> None:
    person.begins()
    person.find("btc perp", "BINANCE BTC perp")
    person.read(r"▸ +BINANCE +[\d.,]+ +61,7\d\d\.\d +61,7\d\d\.\d .* \d+\.\ds")


def find(person: Person) -> None:
    person.begins()
    person.find("sol", "BINANCE SOL perp")
    person.see("BINANCE SOL perp · min")


def arm(person: Person) -> None:
    person.begins()
    person.command("arm")
    person.see("ARMED")


def bid(person: Person) -> None:
    person.begins("arm")
    person.order("buy .001btc join")
    person.see("OPEN ", "BINANCE BTC")


def size(person: Person) -> None:
    person.begins("arm")
    person.press(":")
    person.type("buy $900 join")
    person.read(r"0\.01\d BTC")
    person.read(r"8\d\d\.\d+ USDT")
    person.press("escape")
    person.is_left(0)


def _rest(person: Person) -> None:
    person.order(f"buy .002btc at {BELOW}")
    person.see("OPEN ", "BINANCE BTC", "0.002")


def price(person: Person) -> None:
    person.arm()
    _rest(person)
    before = person.read(r"OPEN +BINANCE BTC +buy +([\d,]+\.\d)")[1]
    person.begins()
    person.order("re last px bid-200t")
    person.desk.until(
        lambda lines: (
            (now := re.search(r"OPEN +BINANCE BTC +buy +([\d,]+\.\d)", "\n".join(lines))) is not None
            and now[1] > before
        ),
        "the order at a higher price",
    )


def amount(person: Person) -> None:
    person.arm()
    _rest(person)
    person.begins()
    person.order("re last tot .003btc")
    person.see("OPEN ", "BINANCE BTC", "0.003")


def cancel(person: Person) -> None:
    person.arm()
    _rest(person)
    person.rest()
    person.begins()
    person.command("c last")
    person.see("CANCELLED", "BINANCE BTC")
    person.is_left(1, "BINANCE BTC")


def cancel_pair(person: Person) -> None:
    person.arm()
    _rest(person)
    person.rest("doge", "doge")
    person.begins()
    person.command("c all sym BINANCE_PERP_BTC_USDT")
    person.see("to cancel?")
    person.press("y")
    person.see("CANCELLED", "BINANCE BTC")
    person.is_left(1, "BINANCE DOGE")


def market(person: Person) -> None:
    person.begins("arm")
    person.order("buy .02btc mkt")
    person.see("FILLED avg 61,7")
    person.find("fills", "Fills")
    person.see("BINANCE BTC", "0.020", "TAKER", "-0.6")


def position(person: Person) -> None:
    person.arm()
    person.hold()
    person.press("1")
    person.begins()
    person.find("positions", "Positions")
    person.press("m")
    person.see("BINANCE_PERP_BTC_USDT")
    person.press("escape")
    person.see("▸BINANCE BTC", "LONG", "0.04")


def stop(person: Person) -> None:
    person.begins("arm", "hold")
    person.command("protect all 1%")
    person.see("stop")
    person.press("y")
    person.see("▸BINANCE BTC", "LONG", "61,1")


def target(person: Person) -> None:
    person.arm()
    person.go_to("eth", ETH)
    person.begins()
    person.order("buy .1eth take tp entry+2% sl entry-1%")
    person.see("FILLED")
    person.press("A")
    person.read(r"armed .*BINANCE ETH .* SL? ?2,6")


def half(person: Person) -> None:
    person.begins("arm", "hold")
    person.order("close 50%")
    person.see("▸BINANCE BTC", "LONG", "0.020")


def flatten(person: Person) -> None:
    person.begins("arm", "hold")
    person.order("flat here")
    person.see("flat (checked")


def assets(person: Person) -> None:
    person.begins()
    person.press("V")
    person.see("BINANCE")
    person.press("escape")
    person.find("risk", "Risk")
    person.see("BINANCE", "NORMAL")


def adl(person: Person) -> None:
    person.begins("arm", "hold")
    person.find("adl", "ADL")
    person.see("BINANCE BTC", "●")
    person.find("positions", "Positions")
    person.see("▸BINANCE BTC", "LONG", "none")


def kill(person: Person) -> None:
    person.arm()
    person.hold()
    person.protect()
    _rest(person)
    person.begins()
    person.press("X")
    confirm_kill(person)


def day(person: Person) -> None:
    person.begins("arm", "hold", "flatten")
    person.press("H")
    person.see("History")
    person.find("p&l", "P&L")
    person.see("BINANCE BTC", "-")


def cut(person: Person) -> None:
    person.begins("arm")
    person.delay_answers()
    person.command(f"buy .002btc at {BELOW}")
    person.see("│ ? ")
    person.press("y")
    person.cut_network()
