"""A service that sends anything at all: no control byte reaches the terminal, nothing crashes, nothing is lost."""

from __future__ import annotations

import gzip
import itertools
import json
import re
import time
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import pytest

from tests.terminal.conftest import STILL
from tests.terminal.misbehaving import (
    HOSTILE,
    KEY_NAMES,
    Answer,
    Hostile,
    MisbehavingService,
    in_pieces,
    write_profile,
)
from tests.terminal.safety.test_bad_input import back_to_the_lists, enter, no_control_byte, quit_by_key, select
from tests.terminal.terminal import Terminal
from tests.venue.shell.conftest import Venue as VenueProcess

PERP = "BINANCE_PERP_BTC_USDT"
BEGAN = str(int(time.time() * 1000))
"""When the order whose price counts the pushes was placed."""
ENGINE = (
    "[engine.audits]\norders = 600\npositions = 600\nadl = 600\n[engine.limits]\nduplicate = 0\nfirst_of_day = false\n"
    "stale = 3600\nred_after = 3600\n"
)
"""No audits of its own between two steps of a test, and the same order twice without a question."""


class Stage:
    """A venue process, the misbehaving service in front of it, and the workstation on that service."""

    def __init__(self, home: Any, change_rest: Any = None) -> None:
        self.venue = VenueProcess(*STILL, "--set", "rate_profile=off", "--control")
        self.service = MisbehavingService(self.venue.ready)
        self.service.change_rest = change_rest
        self.key = self.venue.ready["keys"][0]
        write_profile(
            home,
            rest=self.service.rest_url,
            private=self.service.private_ws_url,
            public=self.service.public_ws_url,
            portfolio=self.key["portfolioId"],
            more=ENGINE,
        )
        secrets = {KEY_NAMES["key_env"]: self.key["api_key"], KEY_NAMES["secret_env"]: self.key["api_secret"]}
        self.desk = Terminal("--profile", "desk", home=home, columns=220, lines=60, environment=secrets)

    def come_in(self) -> None:
        """Give the typed name and wait until the desk is there."""
        self.desk.see("Type the portfolio name 'main'")
        self.desk.press("main", "enter")
        self.desk.see("LIVE", "main", "VIEW")

    def close(self) -> None:
        self.desk.close()
        self.service.close()
        self.venue.stop()

    def open_orders(self) -> list[dict[str, Any]]:
        rows: list[dict[str, Any]] = self.venue.data("GET", "/api/v1/trading/orders")["list"]
        return rows

    def asked(self, words: str) -> int:
        """How many REST calls of a kind the workstation has made."""
        return sum(words in path for path in self.service.rest_calls)

    def until(self, true: Callable[[], bool], what: str) -> None:
        """Wait for something that does not stand on the screen."""
        self.desk.until(lambda _: true() or None, what)

    def in_step_again(self) -> None:
        """Read everything anew from a service that behaves, and wait until the desk is in step."""
        self.service.behave()
        before = self.service.private_connections
        self.service.cut_private()
        self.until(lambda: self.service.private_connections > before, "another connection")
        self.desk.in_step()
        self.desk.until(lambda display: "md●" in display[0] or None, "the market link")

    def place(self) -> None:
        """Stage the smallest buy at the own touch and send it."""
        self.desk.in_step()
        select(self.desk, "BTC perp", "BINANCE")
        self.desk.press("b")
        self.desk.see("Staged")
        enter(self.desk)

    def show(self, tab: str) -> None:
        """Bring a view of the fourth pane to the front."""
        heads = {"Assets": "transferable", "Fills": "rpnl", "Events": "│time"}
        self.desk.press("4")
        for name, words in heads.items():
            self.desk.see(words)
            if name == tab:
                break
            self.desk.press(")")
        self.desk.walk_to("1")

    def is_sound(self) -> None:
        """It lives, and not one control byte has reached the terminal."""
        assert self.desk.process.poll() is None
        no_control_byte(self.desk)


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stage]:
    """One running, armed desk for all tests; it must end by its key afterwards."""
    stage = Stage(tmp_path_factory.mktemp("home"))
    try:
        stage.come_in()
        stage.desk.see("In sync with the venue")
        stage.desk.see("BINANCE", "1t")
        stage.desk.see("min 0.001", "min notional 5")
        stage.desk.press("a")
        stage.desk.see("Arm portfolio main")
        stage.desk.press("y")
        stage.desk.see("ARMED")
        yield stage
        quit_by_key(stage.desk)
        assert stage.key["api_secret"].encode() not in stage.desk.bytes
    finally:
        stage.close()


@pytest.fixture
def stage(shared: Stage) -> Iterator[Stage]:
    """The shared desk; whatever a test did, afterwards it is sound, in step, and nothing is open at the venue."""
    yield shared
    shared.is_sound()
    back_to_the_lists(shared.desk)
    shared.venue.data("DELETE", "/api/v1/trading/cancelAll", {"exchangeType": "BINANCE"})
    shared.in_step_again()
    shared.is_sound()


def works(stage: Stage) -> None:
    """An order can be placed and cancelled, and the venue says the same."""
    stage.place()
    stage.desk.until(
        lambda _: [order["sym"] for order in stage.open_orders()] == [PERP] or None, "the order at the venue"
    )
    stage.desk.see("OPEN", "BINANCE BTC")
    stage.desk.press("u")
    stage.desk.until(lambda _: stage.open_orders() == [] or None, "no open order at the venue")
    stage.desk.see("CANCELLED", "BINANCE BTC")


def pushes(stage: Stage, text: str, number: int) -> None:
    """One push on every channel with a hostile text in all fields that are not figures of the record's identity.

    A client order id, pair or side that changes under one order id makes another order of it; so the first order keeps
    pair and side, the second its client order id, and together they have the text in every field.
    """
    portfolio = stage.key["portfolioId"]
    now = str(int(time.time() * 1000) + number)
    whose = {"portfolioId": portfolio, "exchangeType": "BINANCE", "updateAt": now, "createAt": now}
    rest = {text: text, "nobodyKnows": {text: [text]}}
    words = ("clientOrderId", "side", "orderState", "positionSide", "timeInForce", "reason", "cancelType", "actionMsg")
    order = dict.fromkeys((*words, "orderType", "businessType", "feeCoin", "exchangeOrderType", "orderQty"), text)
    trade = dict.fromkeys(("clientOrderId", "side", "quantity", "price", "feeCoin", "fee", "execType", "rpnl"), text)
    position = dict.fromkeys(("positionSide", "positionQty", "avgPrice", "leverage", "riskLevel", "liqPrice"), text)
    asset = dict.fromkeys(("balance", "available", "equity", "debt", "equityValue", "maxTransferable"), text)
    account = dict.fromkeys(("accountStatus", "uniMMR", "equity", "upnl", "positionMode"), text)
    order["orderState"] = f"ODD{text}"
    send = stage.service.push
    send("Trades", {**whose, **trade, "transactionId": f"{number:017}", "orderId": "1" * 16, "sym": PERP, **rest})
    send("Positions", [{**whose, **position, "sym": PERP, **rest}, {**whose, **position, "sym": text}])
    send("Assets", [{**whose, **asset, "coin": text, **rest}, {**whose, **asset, "coin": "USDT", "exchangeType": text}])
    send("Accounts", [{**whose, **account, **rest}, {**whose, **account, "exchangeType": text}])
    send("MarginCall", [{**whose, **account, **rest}])
    send("LiquidationEvent", {**whose, "eventType": text, "nodeType": text, "openOrders": [{text: text}], **rest})
    send("LiquidationPosition", {**whose, "sym": text, "positionSide": text, "reduceQty": text, **rest})
    first = {"orderId": "1" * 16, "sym": PERP, "side": "BUY", "createAt": BEGAN, "limitPrice": str(1000 + number)}
    second = {"orderId": "2" * 16, "sym": text, "clientOrderId": "second", "limitPrice": text}
    send("Orders", {**whose, **order, **second, **rest})
    send("Orders", {**whose, **order, **first, **rest})
    send(text, {**whose, **rest})


@pytest.mark.parametrize("tab", ["Assets", "Fills", "Events"])
def test_s10_s11_s13_hostile_text_in_pushes_stays_text(stage: Stage, tab: str) -> None:
    stage.show(tab)
    first = {"Assets": 0, "Fills": 1000, "Events": 2000}[tab]
    for number, text in enumerate(HOSTILE, first):
        pushes(stage, text, number)
        stage.desk.see(f"{1000 + number:,}.0")
    stage.is_sound()
    if tab == "Events":
        stage.desk.see("LIQUIDATION: ")
        stage.in_step_again()
        works(stage)


def test_s11_s13_hostile_text_in_rest_replies_stays_text(stage: Stage) -> None:
    stage.show("Events")
    stage.service.change_rest = Hostile().rest
    for _ in range(2):
        before = stage.asked("executions")
        stage.service.cut_private()
        stage.until(partial(lambda before: stage.asked("executions") > before, before), "a whole snapshot")
        stage.desk.until(lambda display: "priv●" in display[0] or None, "the order link")
    stage.is_sound()


def refusal(words: str, asked: dict[str, Any]) -> dict[str, Any]:
    """Refuses an action with words of its own."""
    return {"code": 401999, "msg": words}


def test_hostile_error_messages_are_shown_as_text(stage: Stage) -> None:
    stage.show("Events")
    pieces = in_pieces([text[:40] for text in HOSTILE], 190)
    told = iter(pieces * 3)

    def refuse(path: str, given: Answer) -> Answer:
        if not path.endswith("/trading/orders"):
            return given
        return Answer(200, json.dumps({"code": 400000, "message": next(told), "data": {}}).encode())

    before = stage.asked("/trading/orders")
    stage.service.change_rest = refuse
    stage.service.cut_private()
    stage.desk.see("SNAPSHOT FAILED", "400000")
    stage.until(lambda: stage.asked("/trading/orders") >= before + 3, "three refused snapshots")
    stage.in_step_again()
    for piece in pieces:
        stage.service.refuse = partial(refusal, piece)
        stage.place()
        stage.desk.see(" ! rejected: 401999")
        back_to_the_lists(stage.desk)
    stage.is_sound()


def test_an_order_rejected_for_an_unknown_symbol_shows_why(stage: Stage) -> None:
    words = f"sym {PERP} not found"
    stage.service.refuse = lambda asked: {"code": 401011, "msg": words}
    stage.place()
    stage.desk.see(" ! rejected: 401011")
    stage.desk.see("REJECTED 401011 Symbol not supported", words)
    stage.desk.see("Staged")


def bad_frames(display: list[str]) -> int:
    """The counter of unreadable frames in the status bar."""
    found = re.search(r"bad frames (\d+)", display[0])
    return int(found.group(1)) if found else 0


PRIVATE = [
    b"not json",
    b"",
    b"[1,2",
    b"null",
    b"[]",
    b'"text"',
    b'{"neither": "reply nor push"}',
    b'{"channel":"Orders","data":5}',
    b'{"channel":"Orders","data":{"orderId":1}}',
    b'{"channel":"Positions","data":[{"sym":"A"}]}',
    b'{"event":"place_order","code":NaN}',
    b'{"event":"place_order","code":1e400}',
    b'{"channel":"Assets","data":' + b"[" * 5000 + b"]" * 5000 + b"}",
    b'{"event":"x","code":"\xff\xfe"}',
    b"\x1b]52;c;aGFjaw==\x07",
]
"""Frames of the private stream that are no message."""


def counts(stage: Stage, number: int) -> None:
    """Wait until so many unreadable frames are on the screen."""
    stage.desk.until(lambda display: bad_frames(display) >= number or None, f"bad frames {number}")


def test_ten_unreadable_private_frames_cause_a_reconnect(stage: Stage) -> None:
    stage.show("Events")
    count = bad_frames(stage.desk.display)
    stage.service.send_private(*PRIVATE[:9])
    counts(stage, count + 9)
    stage.desk.until(lambda display: "priv●" in display[0] or None, "the order link")
    connections = stage.service.private_connections
    stage.service.send_private(PRIVATE[9])
    stage.desk.see("order link lost: too many unreadable frames")
    stage.until(lambda: stage.service.private_connections > connections, "another connection")
    stage.in_step_again()
    stage.service.send_private(*PRIVATE[10:], binary=True)
    counts(stage, count + len(PRIVATE))


def bbo(bid: str) -> bytes:
    """A quote whose bid is written as given."""
    return (
        f'{{"arg":{{"channel":"BBO","sym":"{PERP}"}},"data":{{"bid":{bid},"bidqty":"1","ask":"61777.2","askqty":"1",'
        f'"ts":"{int(time.time() * 1000)}"}}}}'
    ).encode()


PUBLIC = [
    (b"", True),
    (b"not gzip", True),
    (bbo('"1"'), True),
    (gzip.compress(bbo('"1"'))[:-9], True),
    (gzip.compress(bbo('"1"'))[:15] + b"\xff" * 40, True),
    (gzip.compress(b"\x00" * (16 * 1024 * 1024)), True),
    (gzip.compress(b"not json"), True),
    (gzip.compress(bbo("NaN")), True),
    (gzip.compress(bbo("1e400")), True),
    (gzip.compress(bbo("9" * 5000)), True),
    (gzip.compress(b'{"arg":' + b"[" * 100_000 + b"]" * 100_000 + b"}"), True),
    (b"plain words", False),
    (b"", False),
    (b"[]", False),
]
"""Frames of the public stream that are no message, and whether they are binary."""

ODD_FIGURES = ['"NaN"', '"1e400"', '"-5"', '"' + "9" * 5000 + '"', '"1_000"', '""', '"0"', '" 1 "']
"""Texts in the place of a price that are no price."""


def quotes_go_on(stage: Stage, bid: str) -> None:
    """Send a good quote until it stands on the screen; the link may be on its way back."""

    def seen(display: list[str]) -> bool:
        if any(f"{float(bid):,.1f}" in line for line in display[:10]):
            return True
        stage.service.send_public(gzip.compress(bbo(f'"{bid}"')))
        return False

    stage.desk.until(seen, f"the quote {bid}")


def test_unreadable_public_frames_are_counted_and_quotes_go_on(stage: Stage) -> None:
    stage.show("Events")
    count = bad_frames(stage.desk.display)
    for number, (frame, binary) in enumerate(PUBLIC):
        stage.service.send_public(frame, binary=binary)
        counts(stage, count + number + 1)
        quotes_go_on(stage, f"6177{number // 10}.{number % 10}")
        stage.is_sound()
    # On a busy machine the ones above may be too far apart to end the link.
    stage.service.send_public(*[b"not gzip"] * 10)
    stage.desk.see("market link is down: too many unreadable frames")
    stage.service.cut_public()
    stage.desk.see("BINANCE", "61,777.1", "61,777.2", "1t")


def test_malformed_quotes_are_shown_as_missing(stage: Stage) -> None:
    texts = [json.dumps(text) for text in HOSTILE]
    for figure in (*ODD_FIGURES, *texts):
        stage.service.send_public(gzip.compress(bbo(figure)))
        events = {"event": "error", "code": "11100", "msg": json.loads(figure), "arg": [{"sym": json.loads(figure)}]}
        stage.service.send_public(gzip.compress(json.dumps(events).encode()))
    stage.service.send_public(gzip.compress(bbo('"61776.9"')))
    stage.desk.see("BINANCE", "61,776.9", "61,777.2")
    stage.is_sound()
    stage.service.cut_public()
    stage.desk.see("BINANCE", "61,777.1", "1t")


HTML = Answer(200, b"<html>\x1b[2J<body>sign in</body></html>", "text/html")
BROKEN = (
    Answer(500, b"\x1bc", "text/plain"),
    Answer(200, b'{"code":200000,"message":"Success","data":5}'),
    Answer(200, b"\x1f\x8b\xff\xff", "application/octet-stream"),
    HTML,
    Answer(400, b'{"code":400000,"msg":"\\u001b[2J\\u202eno","data":null}'),
)
"""Answers of REST that help nobody; the last one is refused at once, the others are asked again."""


def test_unreadable_rest_replies_keep_the_last_good_rows(stage: Stage) -> None:
    answers = itertools.cycle(BROKEN)
    stage.show("Assets")
    stage.desk.see("USDT", "BINANCE", "100,000.00")
    stage.service.change_rest = lambda path, given: next(answers) if path.endswith("/trading/orders") else HTML
    stage.service.cut_private()
    stage.desk.see("RECONCILING")
    stage.desk.see("USDT", "BINANCE", "100,000.00")
    stage.show("Events")
    stage.desk.see("SNAPSHOT FAILED", "HTTP 200 without a readable answer")
    stage.desk.see("SNAPSHOT FAILED", "400000", "no; older data is shown")
    stage.show("Assets")
    stage.desk.see("USDT", "BINANCE", "100,000.00")
    stage.is_sound()


def unknown(display: list[str]) -> int:
    """The counter of UNKNOWN orders in the status bar."""
    found = re.search(r"UNK (\d+)", display[0])
    return int(found.group(1)) if found else 0


def test_an_order_answered_with_code_500_is_unknown(stage: Stage) -> None:
    stage.service.hold_pushes = True
    stage.service.change_reply = lambda said: {**said, "code": 500, "msg": "\x1b[2Jinternal", "data": None}
    stage.service.change_rest = lambda path, given: Answer(500, b"", "text/plain") if "order" in path else given
    sent, before = len(stage.service.actions), unknown(stage.desk.display)
    stage.place()
    stage.desk.until(lambda display: unknown(display) == before + 1 or None, "one more UNKNOWN")
    stage.desk.see("UNKNOWN", "BINANCE BTC")
    assert len(stage.open_orders()) == 1
    stage.service.behave()
    stage.desk.see("OPEN", "BINANCE BTC")
    stage.desk.until(lambda display: unknown(display) == before or None, "no more UNKNOWN")
    assert [action["action"] for action in stage.service.actions[sent:]] == ["place_order"]


def test_after_hostile_input_orders_can_still_be_placed(stage: Stage) -> None:
    works(stage)


def test_hostile_symbol_rules_are_shown_as_text(
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    hostile = Hostile()
    stage = Stage(tmp_path_factory.mktemp("home"), change_rest=hostile.rest)
    try:
        stage.come_in()
        stage.desk.until(lambda display: "priv●" in display[0] or "priv◐" in display[0] or None, "the order link")
        stage.desk.see("1 Quotes")
        stage.desk.press(*"jjjj", "G")
        stage.is_sound()
        quit_by_key(stage.desk)
        no_control_byte(stage.desk)
    finally:
        stage.close()
