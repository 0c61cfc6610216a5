"""Scripts of the twenty tasks in plain mode; each reads only what is printed."""

from __future__ import annotations

import re
from collections.abc import Callable
from decimal import Decimal

from tests.journeys.plain.session import Plain

BTC = "BINANCE_PERP_BTC_USDT"
ETH = "BINANCE_PERP_ETH_USDT"
NAME = "BINANCE BTC perpetual"
FAR = "bid-2000t"
"""A price that no fill reaches."""
Script = Callable[[Plain], None]


def rest(desk: Plain, line: str = f"buy 0.02 BTC {BTC} at {FAR}") -> str:
    """Place an order that rests; the name by which a line means it."""
    desk.send(line, ": OPEN")
    orders = desk.ask("orders", "order ", "OPEN")
    found = re.search(r"order (\w+): ", orders)
    assert found is not None, orders
    return found[1]


def hold(desk: Plain) -> None:
    """Open a position of 0.04 BTC."""
    desk.send(f"buy 0.04 BTC {BTC} mkt", ": FILLED")


def number(text: str, before: str, after: str) -> Decimal:
    """The amount between two words of a line."""
    found = re.search(rf"{before}([\d,.]+){after}", text)
    assert found is not None, (text, before, after)
    return Decimal(found[1].replace(",", ""))


def touch(desk: Plain) -> None:
    line = desk.ask(f"quotes {BTC}", NAME, "bid", "ask", "old")
    assert 0 < number(line, "bid ", " USDT") < number(line, "ask ", " USDT")
    assert number(line, "USDT for ", " BTC") > 0 and "seconds old" in line and "STALE" not in line


def find(desk: Plain) -> None:
    assert desk.ask("pairs sol", "SOL perpetual: BINANCE") == "BINANCE SOL perpetual: BINANCE_PERP_SOL_USDT"
    assert "OKX_PERP_SOL_USDT" in desk.see("OKX SOL perpetual")


def arm(desk: Plain) -> None:
    desk.ask("status", "state ARMED")
    desk.ask("view", "Disarmed")
    desk.ask(f"buy 0.02 BTC {BTC} join", "not done: nothing is sent in state VIEW; type arm")
    desk.ask("arm", "Armed")
    desk.ask("status", "state ARMED")


def bid(desk: Plain) -> None:
    asked = desk.ask(f"buy 0.02 BTC {BTC} at bid", "price: ", "USDT")
    assert "would rest" in asked
    desk.see("type yes")
    desk.ask("yes", f"BUY 0.02 BTC of {NAME}", "accepted")
    desk.see(f"BUY 0.02 BTC of {NAME}", "OPEN")


def size(desk: Plain) -> None:
    assert number(desk.ask(f"buy .5 BTC {BTC} at {FAR}", "size: "), "size: 0.5 BTC is ", " USDT") > 1000
    desk.see("type yes")
    desk.ask("no", "nothing is done")
    desk.ask(f"buy 0.5 {BTC} at {FAR}", "not done:", "NO_UNIT")
    said = desk.ask(f"buy $900 {BTC} at {FAR}", "size: ")
    coins, amount = number(said, "size: ", " BTC"), number(said, " is ", " USDT")
    assert Decimal("0.01") < coins < Decimal("0.02") and 800 < amount <= 900
    desk.see("type yes")
    desk.type("")
    desk.see("an empty line answers nothing")
    desk.ask("no", "nothing is done")
    desk.ask("orders", "no order works")


def price(desk: Plain) -> None:
    name = rest(desk)
    before = number(desk.ask("orders", f"order {name}", "OPEN"), "perpetual at ", " USDT")
    asked = desk.ask(f"re #{name} px bid-1500t", "price: ")
    desk.see("type yes")
    desk.ask("yes", f"{NAME} at", "amended")
    after = number(desk.ask("orders", f"order {name}", "OPEN"), "perpetual at ", " USDT")
    assert after == number(asked, "price: ", " USDT") and after > before


def amount(desk: Plain) -> None:
    name = rest(desk)
    desk.send(f"re #{name} tot 0.03 BTC", "amended")
    assert f"buy 0.030 BTC of {NAME}" in desk.ask("orders", f"order {name}", "OPEN")


def cancel(desk: Plain) -> None:
    kept = rest(desk)
    desk.send(f"buy 0.03 BTC {BTC} at {FAR}", ": OPEN")
    other = desk.ask("orders", "0.030 BTC")
    found = re.search(r"order (\w+)", other)
    assert found is not None
    desk.ask(f"c #{found[1]}", "BUY 0.03 BTC", "CANCELLED")
    desk.ask("orders", f"order {kept}", "OPEN")
    desk.type(f"re #{found[1]} tot 0.04 BTC")
    desk.see("not done")


def cancel_pair(desk: Plain) -> None:
    rest(desk)
    desk.send(f"buy 0.5 ETH {ETH} at {FAR}", ": OPEN")
    assert f"{NAME}: cancel 1 order" in desk.ask(f"c all sym {BTC}", "yes: ")
    desk.see("type yes")
    desk.ask("yes", "BUY 0.02 BTC", "CANCELLED")
    assert "ETH" in desk.ask("orders", "order ", "OPEN")


def market(desk: Plain) -> None:
    desk.send(f"buy 0.04 BTC {BTC} mkt", "FILLED average ", " USDT")
    assert number(desk.ask("fills", "buy ", NAME, "taker"), "fee ", " USDT") > 0


def position(desk: Plain) -> None:
    hold(desk)
    line = desk.ask("positions", f"{NAME}: long 0.040 BTC")
    assert number(line, "entry ", " USDT") > 0
    assert re.search(r"(gain|loss|result) [\d.,]+ USDT", line), line
    assert "liquidation price " in line


def stop(desk: Plain) -> None:
    hold(desk)
    desk.send(f"sl move {BTC} to mark-2%", "PLACED", "stop SELL")
    desk.poll("positions", f"{NAME}: long", shows=r"stop and target: stop [\d.,]+ USDT")


def target(desk: Plain) -> None:
    said = desk.ask(f"buy 0.04 BTC {BTC} at ask+20t tp entry+2% sl entry-1%", "protection: ")
    assert "USDT" in said
    desk.see("target 6", "USDT")
    desk.see("type yes")
    desk.confirm("FILLED")
    desk.poll("positions", f"{NAME}: long 0.040 BTC", shows=r"target: stop [\d.,]+ USDT target [\d.,]+ USDT")


def half(desk: Plain) -> None:
    hold(desk)
    assert number(desk.ask(f"close 50% {BTC}", "size: "), "size: ", " BTC") == Decimal("0.02")
    desk.see("type yes")
    desk.confirm("SELL 0.02 BTC", "FILLED")
    desk.poll("positions", f"{NAME}: long", shows="long 0.020 BTC")


def flatten(desk: Plain) -> None:
    hold(desk)
    desk.ask("flat all", "type flat")
    desk.ask("yes", "nothing is done")
    # The refusal says again how to answer: a line that must not be taken for the next question's.
    desk.see("type flat")
    desk.ask("flat all", "type flat")
    desk.ask("flat", "SELL 0.04 BTC", "FILLED")
    desk.poll("positions", "position", shows="no position is open")


def assets(desk: Plain) -> None:
    assert number(desk.ask("assets", "BINANCE USDT: balance"), "balance ", " USDT") > 0
    assert number(desk.see("BINANCE account: equity"), "margin available ", " USDT") > 0


def adl(desk: Plain) -> None:
    hold(desk)
    # The ranks are read 2 s after a position changed.
    desk.poll("adl", f"{NAME} long: rank", "liquidation price", shows=r"rank [1-5] of 5")


def kill(desk: Plain) -> None:
    hold(desk)
    desk.send(f"sl move {BTC} to mark-2%", "PLACED", "stop SELL")
    rest(desk)
    desk.poll("orders", "stop SELL all", shows="waits: ")
    assert "1 order; keep closing orders: stop " in desk.ask("kill", "yes: cancel entries")
    desk.see("type yes, all, flat")
    desk.ask("yes", "HALT")
    desk.see("BUY 0.02 BTC", "CANCELLED")
    desk.ask("positions", f"{NAME}: long 0.040 BTC", "stop and target: stop ")
    desk.ask("status", "state VIEW", "HALT")


def day(desk: Plain) -> None:
    hold(desk)
    desk.send(f"flat {BTC}", "SELL 0.04 BTC", "FILLED")
    desk.ask("fills", "buy 0.040 BTC", NAME)
    desk.see("sell 0.040 BTC", NAME)
    line = desk.see("today: ", "after costs", "fills")
    assert re.search(r"(gain|loss) [\d.,]+ USDT", line) and number(line, "fees ", " USDT") > 0


def cut(desk: Plain) -> None:
    desk.ask("practice 2 3", "late by 4 s")
    desk.ask("practice 3 4", "late by 2 s")
    desk.ask(f"buy 0.02 BTC {BTC} at {FAR}", "type yes")
    desk.type("yes")
    # A cut before the service has read the order would leave it unknown for ever.
    desk.poll("orders", "order ", shows="SENT")
    desk.ask("practice 2 3", "late by 4 s")  # what the service answers after the order, it has read behind it
    desk.type("practice 1 2")
    desk.see("UNKNOWN: BUY 0.02 BTC", NAME)
    desk.see("order link")
    assert "UNKNOWN" in desk.ask("orders", "order ")
    desk.ask("practice end", "no fault is on")
    desk.see("resolved: BUY 0.02 BTC", NAME, "OPEN")
    desk.see("In sync with the venue: 1 open order")
    desk.ask("orders", "order ", "OPEN")


SCRIPTS: dict[str, Script] = {
    "touch": touch, "find": find, "arm": arm, "bid": bid, "size": size, "price": price, "amount": amount,
    "cancel": cancel, "cancel-pair": cancel_pair, "market": market, "position": position, "stop": stop,
    "target": target, "half": half, "flatten": flatten, "assets": assets, "adl": adl, "kill": kill, "day": day,
    "cut": cut,
}  # fmt: skip
"""Scripts by the id of the task."""
