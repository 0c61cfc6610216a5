"""Calls that no honest peer sends, made from a seed."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from typing import Any, NamedTuple

from tests.terminal.misbehaving import HOSTILE

Json = Any

WRONG: tuple[Json, ...] = (
    None, True, 0, -1, 2**63, 10**40, 1.5, -1e308, 1e308, "", "x", "NaN", "Infinity", "-0", "1e5", "0x10", "\x00\x1b[31m",
    "[red]x[/red]", "../../etc", "' OR 1=1 --", "@desk/x", "A" * 600, "A" * 20_000, "\u202e\u2066rtl", [], {}, [[]], [None],
    {"a": 1}, [[[[[[[[]]]]]]]],
)  # fmt: skip
"""Values in place of what a field wants."""
RAW: tuple[bytes, ...] = (
    b"", b" ", b"null", b"[]", b"{}", b"1", b'"x"', b"{", b'{"id"', b"\x00", b"\xff\xfe", b"GET / HTTP/1.1\r", b"NaN",
    b'{"id": NaN, "method": "time"}', b'{"id": 1e999, "method": "time"}', b'{"id": -1, "method": "time"}',
    b'{"id": 1, "method": "\xff"}', b'{"id": 1, "method": "\\ud800"}', b'{"id": 1, "method": null}',
    b'{"id": "1", "method": "time"}', b'{"id": 1.5, "method": "time"}', b'{"method": "time"}', b'{"id": 1}',
    b'{"id": %s, "method": "time"}' % (b"9" * 4_000), b"[" * 50_000, b'{"a": ' * 50_000,
    b'{"id": 1, "method": "time", "x": ' + b"[" * 60_000 + b"]" * 60_000 + b"}",
    b'{"id": 1, "method": "watch", "params": ' + b"[" * 60_000 + b"]" * 60_000 + b"}",
    b'{"id": 1, "method": "foresee", "params": {"intents": [["place", ' + b"[" * 60_000 + b"]" * 60_000 + b"]]}}",
)  # fmt: skip
"""Lines that are no calls."""


class Hostile(NamedTuple):
    """One line of a hostile peer."""

    kind: str
    line: bytes
    command: str = ""
    """Id of the command in it, if it has one."""


class HostileCalls:
    """Source of lines; everything is drawn from the seed."""

    def __init__(self, seed: int, decision: dict[str, Json], sym: str) -> None:
        """Initialize it with the decision of an honest order, and a pair."""
        self._random = random.Random(seed)
        self._decision = decision
        self._number = 0
        self._sym = sym
        self._expires = 0.0

    def let_in_time(self, expires: float) -> None:
        """Let calls from here on expire at a time of the engine's clock, most of them."""
        self._expires = expires

    def take(self, number: int) -> Iterator[Hostile]:
        """Draw lines."""
        makers = (
            self._raw, self._unknown_method, self._wrong_field, self._wrong_intent, self._claim, self._text, self._smuggle,
        )  # fmt: skip
        for _ in range(number):
            yield self._random.choices(makers, (1, 1, 4, 5, 3, 2, 1))[0]()

    def place(self, expires: Json, **changes: Json) -> dict[str, Json]:
        """Parameters of an honest submit, whose order rests."""
        self._number += 1
        intent = {
            "decision": self._decision, "sym": self._sym, "side": "BUY", "order_type": "LIMIT", "qty": "0.01",
            "price": str(60_000 + self._number % 1_000), "time_in_force": "GTX", "confirmed": ["STALE"],
        }  # fmt: skip
        return {"command": f"c{self._number}", "kind": "place", "intent": intent, "expires": expires, **changes}

    def _call(self, kind: str, method: str, params: Json, command: str = "") -> Hostile:
        self._number += 1
        line = json.dumps({"id": self._number, "method": method, "params": params}).encode()
        return Hostile(f"{kind} {method}", line, command)

    def _raw(self) -> Hostile:
        if self._random.random() < 0.5:
            return Hostile("raw", self._random.choice(RAW))
        size = self._random.choice((1, 7, 300))
        return Hostile("raw", bytes(self._random.choice(range(256)) for _ in range(size)).replace(b"\n", b""))

    def _unknown_method(self) -> Hostile:
        name = self._random.choice(
            ("hello", "propose", "eval", "", "__init__", "_submit", "Submit", "x" * 9_000, *HOSTILE)
        )
        return self._call("unknown", name, {})

    def _methods(self) -> dict[str, Json]:
        query = {"key": "k", "sources": [{"endpoint": "mark_price", "params": [["sym", self._sym]]}], "to_end": False}
        place = self.place(1e9)
        return {
            "time": {},
            "watch": [self._sym],
            "attend": [self._sym],
            "look_at": {"detail": [self._sym, "1m", "last", False], "books": [self._sym]},
            "read": {**query, "row_id": ["sym"], "lookup": None},
            "read_more": {"key": "k"},
            "read_stop": {"key": "k", "forget": True},
            "foresee": {"intents": [["place", place["intent"]]]},
            "withdraw": "100",
            "withdraw_mandate": {},
            "outcome": "c1",
            "set_trading_state": "VIEW",
            "enter_hot": 10.0,
            "end_hot": "why",
            "set_risk_mode": "NORMAL",
            "set_limits": [{"max_open": 10, "sym": {self._sym: {"max_qty": "1"}}}, "made up"],
            "dismiss": "key",
            "acknowledge_rules": {self._sym: "changed"},
        }

    def _wrong_field(self) -> Hostile:
        """A call of any method with one field of a wrong value."""
        method, params = self._random.choice(list(self._methods().items()))
        return self._call("wrong", method, self._spoil(params))

    def _intents(self) -> dict[str, dict[str, Json]]:
        decision, sym = self._decision, self._sym
        stop = {"trigger": "1", "source": "LAST_PRICE", "price": "0"}
        place = self.place(1e9)["intent"]
        return {
            "place": {
                **place, "take_profit": stop, "stop_loss": None, "reduce_only": False, "quote_qty": "", "hot": False,
                "painted": {
                    "frame": 1, "sym": sym, "price": "1", "side": "BUY", "bid": "1", "ask": "2", "age_ms": 1, "stood_ms": 1,
                },
            },
            "replace": {"decision": decision, "key": "k", "price": "1", "qty": "1", "confirmed": [], "hot": False},
            "cancel": {"decision": decision, "key": "k"},
            "cancel_all": {"decision": decision, "exchange": "", "sym": "", "spare_closing": False},
            "set_leverage": {"decision": decision, "sym": sym, "leverage": "3", "before": "2"},
            "set_margin_leverage": {
                "decision": decision, "exchange": "BINANCE", "coin": "USDT", "leverage": "3", "before": "2"
            },
            "set_position_mode": {"decision": decision, "exchange": "BINANCE", "mode": "NET", "before": "BOTH"},
            "place_algo": {"decision": decision, "sym": sym, "side": "BUY", "condition": "CONDITIONAL", "qty": "1"},
            "replace_algo": {"decision": decision, "key": "k", "qty": "1", "conditional": stop},
            "cancel_algo": {"decision": decision, "key": "k"},
            "cancel_all_algos": {"decision": decision, "exchange": "BINANCE"},
            "account_command": {
                "decision": decision, "endpoint": "transfer", "args": [["coin", "USDT"]], "title": "t", "confirmed": ["X"],
            },
        }  # fmt: skip

    def _wrong_intent(self) -> Hostile:
        """A submit or foresee of any intent with one field of a wrong value."""
        kind, intent = self._random.choice(list(self._intents().items()))
        intent = self._spoil(intent)
        if self._random.random() < 0.2:
            return self._call("wrong", "foresee", {"intents": [[kind, intent]]})
        params = self.place(self._expiry(), kind=kind, intent=intent)
        spoilt = self._spoil(params) if self._random.random() < 0.3 else params
        command = str(spoilt.get("command", "")) if isinstance(spoilt, dict) else ""
        return self._call(f"wrong {kind}", "submit", spoilt, command)

    def _expiry(self) -> Json:
        odd = self._random.choice((0, -1e300, 1.0, 1e12, 1e308, None, "2", 10**30))
        return odd if self._random.random() < 0.2 else self._expires

    def _claim(self) -> Hostile:
        """An order that says itself who sent it, in which state, for whom and that it was confirmed."""
        claims = {
            "peer": ("", "desk", "desk 2", "@"), "state": ("ARMED", "HOT"), "source": ("key b", "ticket", "the trader"),
            "command": ("c1", ""), "portfolio": ("1", "", "*"), "environment": ("LIVE", "REPLAY"),
        }  # fmt: skip
        chosen = self._random.sample(list(claims), self._random.randint(1, 4))
        decision = {**self._decision, **{name: self._random.choice(claims[name]) for name in chosen}}
        params = self.place(self._expiry())
        more = {
            "confirmed": ["STALE", "NOTIONAL", "BAND", "STATE"],
            "kill": self._random.random() < 0.5,
            "acknowledged": True,
        }
        params["intent"] = {**params["intent"], "decision": decision, **more}
        return self._call("claim", "submit", params, params["command"])

    def _text(self) -> Hostile:
        """A text that a terminal or a markup parser could take as an order, wherever a text is taken."""
        text = self._random.choice(HOSTILE) * self._random.choice((1, 1, 200))
        told: list[tuple[str, Json]] = [
            ("end_hot", text),
            ("set_limits", [{}, text]),
            ("dismiss", text),
            ("acknowledge_rules", {text: text}),
            ("read", {"key": text, "sources": [{"endpoint": text}], "missing": text}),
            ("watch", [text]),
            ("outcome", text),
            ("foresee", {"intents": [[text, {}]]}),
            ("submit", self._told(text)),
            ("submit", self._told(text)),
        ]
        method, params = self._random.choice(told)
        return self._call("text", method, params, params["command"] if method == "submit" else "")

    def _told(self, text: str) -> dict[str, Json]:
        params = self.place(self._expires)
        name = self._random.choice(("preview", "sym", "source", "qty", "price", "command", "kind"))
        if name in ("command", "kind"):
            return {**params, name: text}
        if name == "source":
            params["intent"]["decision"] = {**self._decision, "source": text}
        else:
            params["intent"][name] = text
        return params

    def _smuggle(self) -> Hostile:
        """A list that names a command as what is to be read, before it or instead; or the going on with one."""
        if self._random.random() < 0.5:
            return self._call("smuggle", "read_more", {"key": "smuggled"})
        params = [
            ["sym", self._sym],
            ["side", "BUY"],
            ["orderType", "LIMIT"],
            ["orderQty", "0.01"],
            ["limitPrice", "60950"],
        ]
        name = self._random.choice(("place_order", "place_order", "cancel_all", "close_positions", "nothing"))
        command = {"endpoint": name, "params": params}
        fine = {"endpoint": "order_detail", "params": [["orderId", "1"]]}
        lookup = {"source": command, "field": "order_id", "param": "sym"}
        hidden = self._random.choice(
            (
                {"sources": [command]},
                {"sources": [fine], "lookup": lookup},
                {"sources": [{**fine, "fallback": command}]},
            )
        )
        return self._call("smuggle", "read", {"key": "smuggled", **hidden})

    def _spoil(self, value: Json) -> Json:
        """A copy with one field, at any depth, of a wrong value, missing, or beside one that nobody knows."""
        if not isinstance(value, dict | list) or not value or self._random.random() < 0.15:
            return self._random.choice(WRONG)
        key = self._random.choice(list(value) if isinstance(value, dict) else range(len(value)))
        copy = value.copy()
        way = self._random.random()
        if way < 0.1:
            del copy[key]
        elif way < 0.2 and isinstance(copy, dict):
            copy[self._random.choice(HOSTILE)] = self._random.choice(WRONG)
        else:
            copy[key] = self._spoil(value[key])
        return copy
