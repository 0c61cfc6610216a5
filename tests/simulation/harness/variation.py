"""Messages of the service in other spellings that the interface documents: same meaning, other bytes.

Only what is documented is varied: a spelling that no page allows would prove nothing about a reader.
"""

from __future__ import annotations

import json
import random
import re
from collections.abc import Callable
from typing import Any, TypeAlias

from tests.simulation.harness.frames import Message

Record: TypeAlias = dict[str, Any]
Variant: TypeAlias = Callable[[Record, random.Random], bool]

_FIGURE = re.compile(r"-?[0-9]{1,16}(\.[0-9]{1,14})?")
_FIGURES = (
    *(
        "orderQty",
        "limitPrice",
        "executedQty",
        "executedAmount",
        "executedAvgPrice",
        "lastExecutedQty",
        "fee",
        "rebate",
    ),
    *("quantity", "price", "rpnl", "positionQty", "avgPrice", "balance", "available", "frozen", "equity"),
)
_TRIGGERS = ("tpTriggerPrice", "tpTriggerType", "tpPrice", "slTriggerPrice", "slTriggerType", "slPrice")
_NOT_ON_EVERY_PUSH = ("reduceOnly", "algoOrderId", *_TRIGGERS)
_ONE_OR_MORE = ("Assets", "Positions", "Accounts", "MarginCall")


def _unknown_field(record: Record, source: random.Random) -> bool:
    record[source.choice(("algoParam", "moonPhase"))] = source.choice(("", "x", None, 7, [1], {"a": "b"}))
    return True


def _trailing_zeros(record: Record, source: random.Random) -> bool:
    names = [name for name in _FIGURES if isinstance(record.get(name), str) and _FIGURE.fullmatch(record[name])]
    for name in names:
        record[name] += ("" if "." in record[name] else ".") + "0" * source.randrange(1, 4)
    return bool(names)


def _key_order(record: Record, source: random.Random) -> bool:
    pairs = list(record.items())
    source.shuffle(pairs)
    record.clear()
    record.update(pairs)
    return len(pairs) > 1


def _leverage(record: Record, source: random.Random) -> bool:
    """On orders an integer, in older clients a text."""
    if "orderState" not in record or type(record.get("leverage")) is not int:
        return False
    record["leverage"] = str(record["leverage"])
    return True


def _no_parent(record: Record, source: random.Random) -> bool:
    if "orderState" not in record or record.get("algoOrderId", "") is not None:
        return False
    record["algoOrderId"] = ""
    return True


def _nullable_name(record: Record, source: random.Random) -> bool:
    if not record.get("portfolioName"):
        return False
    record["portfolioName"] = None
    return True


def _unused_protection(record: Record, source: random.Random) -> bool:
    """Words and a price of 0 although no protection is set: it exists only with a trigger price above 0."""
    if record.get("tpTriggerPrice") != "" or record.get("slTriggerPrice") != "":
        return False
    record.update({"tpTriggerType": "LAST_PRICE", "tpPrice": "0", "slTriggerType": "LAST_PRICE", "slPrice": "0"})
    return True


def _market_price(record: Record, source: random.Random) -> bool:
    if record.get("exchangeOrderType") != "MARKET" or record.get("limitPrice") != "":
        return False
    record["limitPrice"] = "0"
    return True


def _completed(record: Record, source: random.Random) -> bool:
    if record.get("action") != "CANCEL_COMPLETED":
        return False
    record["action"] = "CANCEL_COMPLETE"
    return True


def _spelling_of_pnl(record: Record, source: random.Random) -> bool:
    if "unrealizedPNL" not in record:
        return False
    record["unrealizedPnl"] = record.pop("unrealizedPNL")
    return True


def _no_liquidation_price(record: Record, source: random.Random) -> bool:
    """Removed once and restored."""
    if "positionQty" not in record or "liqPrice" not in record:
        return False
    del record["liqPrice"]
    return True


def _net_side(record: Record, source: random.Random) -> bool:
    if "positionQty" not in record or record.get("positionSide") != "NONE":
        return False
    record["positionSide"] = "NET"
    return True


def _no_trade_source(record: Record, source: random.Random) -> bool:
    return record.pop("tradeSource", None) is not None


RECORD: dict[str, Variant] = {
    "unknown field": _unknown_field,
    "trailing zeros": _trailing_zeros,
    "order of keys": _key_order,
    "leverage as text": _leverage,
    "no parent: empty": _no_parent,
    "portfolio name null": _nullable_name,
    "words of an unused protection": _unused_protection,
    "price of a market order 0": _market_price,
    "CANCEL_COMPLETE": _completed,
    "unrealizedPnl": _spelling_of_pnl,
    "no liquidation price": _no_liquidation_price,
    "side NET": _net_side,
    "no trade source": _no_trade_source,
}
"""What one record may look like, whichever way it comes."""


def _one_object(said: Record, source: random.Random) -> bool:
    data = said["data"]
    if said["channel"] not in _ONE_OR_MORE or not isinstance(data, list) or len(data) != 1:
        return False
    said["data"] = data[0]
    return True


def _channel_case(said: Record, source: random.Random) -> bool:
    said["channel"] = said["channel"].lower()
    return True


def _no_inst_id(said: Record, source: random.Random) -> bool:
    return said.pop("instId", None) is not None


def _not_proven(said: Record, source: random.Random) -> bool:
    if said["channel"].lower() != "orders" or any(said["data"].get(name) for name in _TRIGGERS):
        return False
    if said["data"].get("reduceOnly") or said["data"].get("algoOrderId"):
        return False
    there = [name for name in _NOT_ON_EVERY_PUSH if name in said["data"]]
    for name in there:
        del said["data"][name]
    return bool(there)


def _position_without_venue(said: Record, source: random.Random) -> bool:
    rows = [row for row in _records(said["data"]) if "exchangeType" in row and said["channel"] == "Positions"]
    for row in rows:
        del row["exchangeType"]
    return bool(rows)


PUSH: dict[str, Variant] = {
    "no instId": _no_inst_id,
    "keys that are not proven on a push": _not_proven,
    "position without its venue": _position_without_venue,
    "array of one as object": _one_object,
    "channel in other case": _channel_case,
}
"""What the envelope of a push may look like; in this order, as each leaves what the next one reads."""


def _code_as_text(said: Record, source: random.Random) -> bool:
    if not isinstance(said.get("code"), int):
        return False
    said["code"] = str(said["code"])
    return True


def _other_text_key(said: Record, source: random.Random) -> bool:
    for one, other in (("msg", "message"), ("message", "msg")):
        if one in said:
            said[other] = said.pop(one)
            return True
    return False


def _success_of_the_other_family(said: Record, source: random.Random) -> bool:
    """Readers accept both codes; of a read only, as a command answered so is a contradiction."""
    data = said.get("data")
    read = isinstance(data, list) or (isinstance(data, dict) and "list" in data)
    if not read or said.get("code") not in (200000, 200):
        return False
    said["code"] = 200 if said["code"] == 200000 else 200000
    return True


def _order_of_rows(said: Record, source: random.Random) -> bool:
    """Newest first is not promised."""
    data = said.get("data")
    rows = data.get("list") if isinstance(data, dict) else data
    if not isinstance(rows, list) or len(rows) < 2 or not isinstance(rows[0], dict):
        return False
    source.shuffle(rows)
    return True


ANSWER: dict[str, Variant] = {
    "success of the other family": _success_of_the_other_family,
    "code as text": _code_as_text,
    "other key of the text": _other_text_key,
    "order of rows": _order_of_rows,
}
"""What the envelope of a REST answer may look like."""
REPLY: dict[str, Variant] = {"code as text": _code_as_text, "other key of the text": _other_text_key}
"""What the envelope of a reply on the stream may look like."""
SHARE = 0.3
"""Share of the variants that are thrown at a message that is varied."""


def varied(said: Record, source: random.Random, count: Callable[[str], None], *, stream: bool) -> Record:
    """The message in another spelling; every variant that was thrown is counted by its name."""
    return _spelled(_copied(said), source, count, stream=stream)


def _spelled(said: Record, source: random.Random, count: Callable[[str], None], *, stream: bool) -> Record:
    for record in _records(said.get("data")):
        _throw(RECORD, record, source, count)
    _throw((PUSH if "channel" in said else REPLY) if stream else ANSWER, said, source, count)
    return said


def answer(message: Message, source: random.Random, count: Callable[[str], None]) -> bytes:
    """The bytes of a REST answer in another spelling; those of one that is no envelope stay as they are."""
    try:
        said = json.loads(message.body, parse_float=_refuse)
    except ValueError:
        return message.raw
    if not isinstance(said, dict) or "code" not in said:
        return message.raw
    body = json.dumps(_spelled(said, source, count, stream=False)).encode()
    gone = (b"content-length", b"content-encoding")
    kept = [one for one in message.headers.split(b"\r\n") if one.partition(b":")[0].strip().lower() not in gone]
    return b"\r\n".join([message.first, *kept, b"Content-Length: %d" % len(body), b"", body])


def _refuse(text: str) -> None:
    raise ValueError(f"{text} would lose its exact text")


def _throw(variants: dict[str, Variant], what: Record, source: random.Random, count: Callable[[str], None]) -> None:
    for name, change in variants.items():
        if source.random() < SHARE and change(what, source):
            count(name)


def _copied(value: Any) -> Any:
    """Copy what was read from JSON; `copy.deepcopy` takes five times as long."""
    if isinstance(value, dict):
        return {name: _copied(part) for name, part in value.items()}
    return [_copied(part) for part in value] if isinstance(value, list) else value


def _records(data: Any) -> list[Record]:
    rows = data.get("list", [data]) if isinstance(data, dict) else data
    return [row for row in rows if isinstance(row, dict)] if isinstance(rows, list) else []
