"""What stands between the two sides: it knows the frames, writes down what passes, and does to them what a network does."""

from __future__ import annotations

import json
import random
from collections import Counter, deque
from collections.abc import Callable
from functools import partial
from typing import Any

import msgspec

from tests.simulation.harness import variation
from tests.simulation.harness.frames import TEXT, Frame, FrameReader, HttpReader, Message, text_frame
from tests.simulation.harness.network import Network, Wire
from tests.simulation.harness.world import VirtualLoop
from tests.simulation.history import History, text_of
from tests.simulation.points import ACTIONS
from tests.simulation.rates import Rates

PRIVATE, PUBLIC = b"/v1/private", b"/marketdata/"
LATE_S = (1.0, 60.0, 300.0)
DOUBTS: tuple[tuple[str, Any, str], ...] = (
    ("F64", {"code": 400013, "msg": "request timeout", "data": None}, ""),
    ("F65", {"code": 500, "msg": "internal error", "data": None}, ""),
    ("F69", {"code": 499999, "msg": "what nobody wrote down", "data": None}, ""),
    ("F70", {"code": 601004, "msg": "mismatched input", "data": None}, ""),
    ("F38", {"code": 200000, "msg": "Success", "data": None}, ""),
    ("F39", {"code": 200, "msg": "success", "data": {}}, ""),
)
BAD = (
    ("F52", b"\xef\xbb\xbf{"),
    ("F52", b""),
    ("F53", b'{"channel":"Orders","data":{"orderId":NaN}}'),
    ("F53", b'{"id":"1","id":"2","event":"place_order"}'),
    ("F53", b"[" * 200),
    ("F54", b'{"channel":"Orders","data":{"orderId":1_0}}'),
    ("F55", b'{"channel":"Orders","data":"text"}'),
    ("F55", b'{"channel":"Moon","data":{}}'),
    ("F20", b'{"id":"nobody","event":"place_order","code":200000,"msg":"","data":{"orderId":"1"}}'),
    ("F21", b'{"id":"other1","event":"cancel_order","code":401018,"msg":"gone","data":null}'),
)
READ_ONLY = 2002
"""The code of a key that may not trade."""
CLOSES = (1000, 1001, 1008, 1009, 1011, 1012, 4000)


class _Order(msgspec.Struct, rename="camel"):
    """What the judge wants to know of an order."""

    order_id: str | None = None
    client_order_id: str | None = None
    order_state: str | None = None
    order_qty: str | None = None
    executed_qty: str | None = None
    update_at: str | None = None


class _Orders(_Order, rename="camel"):
    """An order, or a page of them."""

    rows: list[_Order] = msgspec.field(default_factory=list, name="list")


class _Answer(msgspec.Struct):
    code: int | str | None = None
    data: _Orders | list[Any] | None = None


_ANSWER = msgspec.json.Decoder(_Answer)


class Proxy:
    """All connections of one run; frames are delivered by it, once and in order unless a fault says otherwise."""

    def __init__(self, network: Network, loop: VirtualLoop, history: History, source: random.Random) -> None:
        self.rates = Rates()
        self.faults: Counter[str] = Counter()
        self.vary = 0.0
        """Share of the messages of the service that come in another documented spelling."""
        self.spelling = random.Random(0)
        """Draws the spellings."""
        self.varied: Counter[str] = Counter()
        """Spelling -> how often it was thrown."""
        self.life = 0
        self.commands = 0
        """Order commands that were written."""
        self.connects = 0
        self.frames = 0
        self.pushes_lost = False
        """A push was dropped or delayed on a link that stayed up."""
        self.silent = False
        """The market feed says nothing, on a connection that is up."""
        self.revoked = False
        """A login was refused once."""
        self.ready = False
        """The client was told that it is logged in, on the newest connection."""
        self.reached: Callable[[str, str, Wire], bool] = lambda point, command, wire: False
        """A point of an order's life is reached; True when the connection goes at it."""
        self.too_late: Callable[[str, dict[str, str]], None] = lambda action, args: None
        """A held command arrives although its connection is gone."""
        self.strangers: set[str] = set()
        """Paths of connections that are not the client's: they pass untouched."""
        self._paths: dict[int, deque[str]] = {}
        self._network, self._loop, self._history, self._source = network, loop, history, source
        self._write_key: dict[int, Any] = {}
        self._readers: dict[tuple[int, str], Any] = {}
        self._due: dict[tuple[int, str], float] = {}
        self._asked: dict[str, str] = {}
        """Request id -> action."""
        self._held: dict[int, tuple[Wire, Frame, str, dict[str, str]]] = {}
        self._lives: dict[int, int] = {}
        self._read: set[tuple[object, ...]] = set()
        network.writes.append(self._write)
        network.ends.append(self._end)
        network.filters.append(self._pass)

    def fault(self, name: str) -> None:
        """Count a fault that happened."""
        self.faults[name] += 1

    def happens(self, share: float) -> bool:
        return share > 0 and self._source.random() < share

    # -- what is written -------------------------------------------------------------------------------------------

    def _write(self, wire: Wire, direction: str, data: bytes) -> None:
        if direction != "out" or wire.path in self.strangers:
            return
        target = wire.target or data.partition(b"\r\n")[0]
        reader = self._write_key.get(wire.number)
        if reader is None:
            reader = self._write_key[wire.number] = FrameReader() if _is_stream(target) else HttpReader()
            self._lives[wire.number] = self.life
            if PRIVATE in target:
                self.connects += 1
                self.ready = False
                self._history.add("wire", "connect", life=self.life, wire=wire.number)
        if PUBLIC in target:
            return
        if isinstance(reader, HttpReader):
            for message in reader.feed(data):
                self._asks(wire, message.first)
            return
        for frame in reader.feed(data):
            if frame.opcode == TEXT and frame.payload != b"ping":
                self._says(wire, msgspec.json.decode(frame.payload))

    def _says(self, wire: Wire, said: dict[str, Any]) -> None:
        action, args = said["action"], said["args"]
        self._asked[f"{self._lives[wire.number]} {said['id']}"] = action
        if action == "login":
            return
        self.commands += 1
        text = text_of(args)
        self._history.add(
            "wire",
            action,
            dir="out",
            life=self._lives[wire.number],
            wire=wire.number,
            req=str(said["id"]),
            cid=args.get("clientOrderId", ""),
            oid=args.get("orderId", ""),
            text=text,
        )

    def _asks(self, wire: Wire, first: bytes) -> None:
        path = first.split(b" ")[1].decode()
        self._paths.setdefault(wire.number, deque()).append(path)
        if path.startswith("/api/v1/trading/order?"):
            values = dict(part.partition("=")[::2] for part in path.partition("?")[2].split("&"))
            ids = {"cid": values.get("clientOrderId", ""), "oid": values.get("orderId", "")}
            self._history.add("wire", "ask", dir="out", life=self._lives[wire.number], wire=wire.number, **ids)

    def _end(self, wire: Wire, direction: str, _data: bytes) -> None:
        if direction == "out" and PRIVATE in wire.target:
            self._history.add("wire", "down", life=self._lives.get(wire.number, 0), wire=wire.number)
            self.ready = False

    # -- what passes -----------------------------------------------------------------------------------------------

    def _pass(self, wire: Wire, direction: str, data: bytes) -> bool:
        if wire.path in self.strangers:
            return False
        if PUBLIC in wire.target:
            return self.silent and direction == "in"
        if wire.hole:
            return True
        reader = self._readers.get((wire.number, direction))
        if reader is None:
            kind = FrameReader if PRIVATE in wire.target else HttpReader
            reader = self._readers[wire.number, direction] = kind()
        if isinstance(reader, HttpReader):
            if direction == "out":
                self._later(wire, "out", data)
            else:
                for message in reader.feed(data):
                    self._later(wire, "in", self._respelled_answer(message), partial(self._answered, wire, message))
            return True
        for frame in reader.feed(data):
            self.frames += 1
            if frame.opcode != TEXT or frame.payload in (b"ping", b"pong"):
                self._later(wire, direction, frame.raw)
            elif direction == "out":
                self._command(wire, frame)
            else:
                self._told(wire, frame)
        return True

    def _later(self, wire: Wire, way: str, raw: bytes, seen: Callable[[], None] | None = None) -> None:
        """Deliver in order, after the delay of the moment."""
        now = self._loop.time()
        delay = self._source.random() * self.rates.latency if self.rates.latency else 0.0
        due = max(now + delay, self._due.get((wire.number, way), 0.0))
        self._due[wire.number, way] = due
        if due <= now:
            self._deliver(wire, way, raw, seen)
        else:
            self._loop.call_at(due, self._deliver, wire, way, raw, seen)

    def _deliver(self, wire: Wire, way: str, raw: bytes, seen: Callable[[], None] | None = None) -> None:
        end = wire.server if way == "out" else wire.client
        if wire.hole or end._ended:
            return
        if seen is not None:
            seen()
        if len(raw) > 8 and self.happens(self.rates.bad_frame):
            self.fault("F49")
            for piece in (raw[:1], raw[1:8], raw[8:]):
                end.receive(piece)
        else:
            end.receive(raw)

    # -- commands on their way -------------------------------------------------------------------------------------

    def _command(self, wire: Wire, frame: Frame) -> None:
        said = msgspec.json.decode(frame.payload)
        action, args = said["action"], said["args"]
        if action == "login":
            if self.reached("F14", "", wire):
                return
            if not self.revoked and self.happens(self.rates.refuse):
                self.revoked = True
                self.fault("F66")
                self._inject(
                    wire, {"id": said["id"], "event": action, "code": 405001, "msg": "key not found", "data": None}
                )
            else:
                self._later(wire, "out", frame.raw)
            return
        command = ACTIONS[action]
        if self.reached("F03", command, wire):
            # Half of it is at the venue, the rest never comes.
            wire.server.receive(frame.raw[: len(frame.raw) // 2])
            return
        if self.reached("F04", command, wire):
            return
        rates = self.rates
        if self.happens(rates.late):
            self._hold(wire, frame, action, args)
        elif self.happens(rates.refuse):
            self.fault("F61")
            self._inject(
                wire, {"id": said["id"], "event": action, "code": 100429, "msg": "Too many requests", "data": None}
            )
        elif self.happens(rates.doubt / 4):
            name, reply, _ = self._source.choice(DOUBTS)
            self._doubt(name, action)
            self._inject(wire, {"id": said["id"], "event": action, **reply})
        else:
            self._later(wire, "out", frame.raw)

    def _doubt(self, name: str, action: str) -> None:
        self.fault(name)
        if name == "F38" and ACTIONS[action] == "cancel_all":
            # A success of it carries nothing, so that this one cannot be told from a true one.
            self._history.add("fault", "lie", life=self.life, text=action)

    def _hold(self, wire: Wire, frame: Frame, action: str, args: dict[str, str]) -> None:
        self.fault("F04")
        number = len(self._asked)
        self._held[number] = (wire, frame, action, args)
        self._loop.call_later(self._source.choice(LATE_S), self._let_go, number)

    def _let_go(self, number: int) -> None:
        held = self._held.pop(number, None)
        if held is None:
            return
        wire, frame, action, args = held
        if wire.hole or wire.server._ended:
            self.too_late(action, args)
        else:
            self._later(wire, "out", frame.raw)

    def release(self) -> None:
        """Everything that is held back arrives now."""
        for number in list(self._held):
            self._let_go(number)

    # -- replies and pushes on their way ---------------------------------------------------------------------------

    def _told(self, wire: Wire, frame: Frame) -> None:
        said = msgspec.json.decode(frame.payload)
        if self.happens(self.rates.bad_frame):
            self._bad_frame(wire)
        if self._is_varied():
            other = variation.varied(said, self.spelling, self._count_spelling, stream=True)
            frame = frame._replace(raw=text_frame(json.dumps(other).encode()))
        if "channel" in said:
            self._push(wire, frame, said)
        else:
            self._reply(wire, frame, said)

    def _is_varied(self) -> bool:
        return self.vary > 0 and self.spelling.random() < self.vary

    def _count_spelling(self, name: str) -> None:
        self.varied[name] += 1

    def _respelled_answer(self, message: Message) -> bytes:
        """A REST answer as it is delivered; the judge is told of the one that the venue sent."""
        return variation.answer(message, self.spelling, self._count_spelling) if self._is_varied() else message.raw

    def _reply(self, wire: Wire, frame: Frame, said: dict[str, Any]) -> None:
        action = str(said.get("event"))
        seen = lambda: self._heard_reply(wire, said)  # noqa: E731
        rates = self.rates
        if action not in ACTIONS:
            self._later(wire, "in", frame.raw, seen)
        elif self.happens(rates.lose_reply):
            self.fault("F18")
        elif self.happens(rates.doubt):
            name, reply, _ = self._source.choice(DOUBTS)
            self._doubt(name, action)
            self._inject(wire, {**said, **reply})
        elif self.happens(rates.slow_reply):
            delay = self._source.choice((0.5, 2.0, 10.0, 30.0))
            self.fault("F19" if delay > 3 else "F48" if delay > 1 else "F24")
            self._loop.call_later(delay, self._deliver, wire, "in", frame.raw, seen)
        else:
            self._later(wire, "in", frame.raw, seen)
            if self.happens(rates.repeat_reply):
                self.fault("F21")
                self._later(wire, "in", frame.raw, seen)

    def _push(self, wire: Wire, frame: Frame, said: dict[str, Any]) -> None:
        seen = lambda: self._heard_push(wire, said)  # noqa: E731
        rates = self.rates
        if self.happens(rates.drop_push):
            self.fault("F25" if said["channel"].lower() == "orders" else "N9")
            self.pushes_lost = True
        elif self.happens(rates.reorder_push):
            self.fault("F23")
            self.pushes_lost = True
            # Now and then so late that the row has left the screen.
            wait = 70.0 if self._source.random() < 0.1 else self._source.uniform(0.01, 1.0)
            self._loop.call_later(wait, self._deliver, wire, "in", frame.raw, seen)
        else:
            self._later(wire, "in", frame.raw, seen)
            if self.happens(rates.repeat_push):
                self.fault("F22")
                for _ in range(self._source.choice((1, 1, 1, 20))):
                    self._later(wire, "in", frame.raw, seen)
            if said["channel"].lower() == "orders" and self.happens(rates.bad_frame):
                self.fault("F32")
                odd = {**said, "data": {**said["data"], "orderState": "SOMETHING_NEW"}}
                self._later(wire, "in", text_frame(json.dumps(odd).encode()), lambda: self._heard_push(wire, odd))
            if said["channel"].lower() == "orders" and self.happens(rates.bad_frame):
                self.fault("F33")
                less = {**said["data"], "executedQty": self._source.choice(("-1", "1_0", "999999"))}
                self._later(wire, "in", text_frame(json.dumps({**said, "data": less}).encode()))
            if self.happens(rates.bad_frame):
                self.fault("F73")
                data = {**said["data"], "portfolioId": "1"} if isinstance(said["data"], dict) else []
                self._later(wire, "in", text_frame(json.dumps({**said, "data": data}).encode()))
            elif self.happens(rates.bad_frame) and isinstance(said["data"], dict):
                self.fault("F55")
                more = {**said["data"], "moon": {"phase": [1, 2]}}
                self._later(wire, "in", text_frame(json.dumps({**said, "data": more}).encode()), seen)

    def _inject(self, wire: Wire, said: dict[str, Any]) -> None:
        self._later(wire, "in", text_frame(json.dumps(said).encode()), lambda: self._heard_reply(wire, said))

    def _bad_frame(self, wire: Wire) -> None:
        name, payload = self._source.choice(BAD)
        self.fault(name)
        self._later(wire, "in", text_frame(payload))

    def close_with(self, wire: Wire) -> None:
        """The server closes with a code."""
        self.fault("F57")
        code = self._source.choice(CLOSES)
        self._later(wire, "in", bytes([0x88, 2]) + code.to_bytes(2, "big"))

    # -- what arrived ----------------------------------------------------------------------------------------------

    def _heard_reply(self, wire: Wire, said: dict[str, Any]) -> None:
        action, code = str(said.get("event")), said.get("code")
        number = int(code) if code is not None else None
        data = said.get("data") or {}
        life = self._lives[wire.number]
        if action == "login":
            if number == 0 and not self.reached("F15", "", wire):
                self.ready = True
                self._history.add("wire", "ready", life=life, wire=wire.number)
            return
        if number == READ_ONLY:
            self.fault("F68")
        self._history.add(
            "wire",
            "reply",
            dir="in",
            life=life,
            wire=wire.number,
            req=str(said.get("id")),
            oid=data.get("orderId") or "",
            state=data.get("orderState") or "",
            code=number,
        )
        if action in ACTIONS and number == 200000:
            self.reached("F07" if action == "place_order" else "F11", ACTIONS[action], wire)

    def _heard_push(self, wire: Wire, said: dict[str, Any]) -> None:
        if said["channel"].lower() == "orders":
            data = said["data"]
            for record in data if isinstance(data, list) else [data]:
                self._order(wire, msgspec.convert(record, _Order), "push")

    def _order(self, wire: Wire, record: _Order, source: str) -> None:
        if source != "push":
            # Lists say the same again and again; the first time is enough for the judge.
            said = (self._lives[wire.number], record.order_id, record.order_state, record.update_at)
            if said in self._read:
                return
            self._read.add(said)
        self._history.add(
            "wire",
            "order",
            dir="in",
            life=self._lives[wire.number],
            wire=wire.number,
            cid=record.client_order_id or "",
            oid=record.order_id or "",
            state=record.order_state or "",
            qty=record.order_qty or "",
            executed=record.executed_qty or "0",
            update=int(record.update_at or 0),
            source=source,
        )

    def _answered(self, wire: Wire, message: Any) -> None:
        waiting = self._paths.get(wire.number)
        path = waiting.popleft() if waiting else ""
        status = int(message.first.split(b" ")[1])
        if status in (418, 429):
            self._history.add("wire", "http", dir="in", life=self._lives[wire.number], wire=wire.number, code=status)
        if status >= 500 or not path.startswith(("/api/v1/trading/order", "/api/v1/trading/history/orders")):
            return
        try:
            answer = _ANSWER.decode(message.body)
        except msgspec.DecodeError:
            return
        if answer.code == 100429:
            self._history.add("wire", "http", dir="in", life=self._lives[wire.number], wire=wire.number, code=429)
        data = answer.data
        if not isinstance(data, _Orders):
            return
        for record in data.rows:
            self._order(wire, record, "snapshot")
        if data.order_state is not None:
            self._order(wire, data, "query")


def _is_stream(target: bytes) -> bool:
    return PRIVATE in target or PUBLIC in target
