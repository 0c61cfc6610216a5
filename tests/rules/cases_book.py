"""Cases about matching run on the real book of the venue, with prices and quantities scaled to one of its pairs."""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal
from typing import Any

from tests.venue.core.drive import Desk
from tui.interface.decimals import plain

Inputs = dict[str, Any]
_MODES = {"EXPIRE_TAKER": "taker", "EXPIRE_MAKER": "maker", "EXPIRE_BOTH": "both", "DECREMENT": "decrement"}
_PAIR = "BINANCE_PERP_BTC_USDT"
_PRICE = Decimal(600)
"""A case stands near 100; times this it stands near the market of the pair."""
_QTY = Decimal("0.01")


def _price(text: str) -> str:
    return plain(Decimal(text) * _PRICE)


def _qty(text: str) -> str:
    return plain(Decimal(text) * _QTY)


def _wished_price(text: str) -> str:
    return plain(Decimal(text) / _PRICE)


def _wished_qty(text: str) -> str:
    return plain(Decimal(text) / _QTY)


def _fills(desk: Desk, order_id: str) -> list[list[str]]:
    return [[_wished_qty(quantity), _wished_price(price)] for quantity, price in desk.fills(order_id)]


def _left(record: Any) -> str:
    is_open = record.order_state in ("OPEN", "PARTIALLY_FILLED")
    return _wished_qty(plain(Decimal(record.order_qty) - Decimal(record.executed_qty))) if is_open else "0"


def _tif(i: Inputs) -> Inputs:
    desk = Desk()
    for price, size in i["asks"]:
        desk.sub_place("SELL", _qty(size), _price(price), _PAIR)
    order = desk.place(i["side"], _qty(i["qty"]), _price(i["limit"]), _PAIR, time_in_force=i["tif"])
    record = desk.order(order)
    state = record.order_state
    return {
        "fills": _fills(desk, order),
        "resting": _left(record),
        "state": "REJECTED" if state == "REJECT" else str(state),
        "executed": _wished_qty(record.executed_qty),
    }


def _stp(i: Inputs) -> Inputs:
    desk = Desk(self_trade=_MODES[i["mode"]])
    asks = []
    for owner, price, size in i["asks"]:
        place = desk.place if owner == "own" else desk.sub_place
        asks.append((owner, price, place("SELL", _qty(size), _price(price), _PAIR)))
    buy = desk.place("BUY", _qty(i["buy"]["qty"]), _price(i["buy"]["limit"]), _PAIR)
    record = desk.order(buy)
    executed = Decimal(record.executed_qty)
    left, own = [], []
    for owner, price, order_id in asks:
        ask = desk.order(order_id, desk.main if owner == "own" else desk.sub)
        if ask.order_state in ("OPEN", "PARTIALLY_FILLED"):
            left.append([owner, price, _left(ask)])
        elif owner == "own":
            own.append("own ask gone" if i["mode"] == "DECREMENT" else "own ask cancelled")
    return {
        "fills": _fills(desk, buy),
        "buy_state": str(record.order_state),
        "buy_rests": _left(record),
        "own": own,
        "book_asks": left,
        "buy_executed": _wished_qty(plain(executed)),
        "buy_decremented": plain(Decimal(i["buy"]["qty"]) - Decimal(record.order_qty) / _QTY),
    }


RULES: dict[str, Callable[[Inputs], Inputs]] = {"match.tif": _tif, "match.stp": _stp}
