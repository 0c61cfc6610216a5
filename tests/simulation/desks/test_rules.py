"""Each rule about windows and programs sees what breaks it, and nothing in a day that went well."""

from __future__ import annotations

import json

import pytest

from tests.simulation.checker import check
from tests.simulation.history import History

pytestmark = pytest.mark.simulation

CID, INTENT, WINDOW = "c1", "#anna1", "anna"


class Story:
    """A day in which one order is asked for by a window or a program."""

    def __init__(self, source: str = WINDOW) -> None:
        self._now = 0.0
        self.source = source
        self.history = History(lambda: self._now)
        self.history.add("host", "start", life=1)

    def wait(self, seconds: float) -> Story:
        self._now += seconds
        return self

    def add(self, who: str, kind: str, **fields: object) -> Story:
        self.history.add(who, kind, life=1, **fields)
        return self

    def asks(self, intent: str = INTENT) -> Story:
        return self.add("trader", "place", intent=intent, source=self.source)

    def taken(self, intent: str = INTENT) -> Story:
        return self.add("desk", "taken", intent=intent, source=self.source)

    def sends(self, qty: str = "1", price: str = "100", cid: str = CID, intent: str = INTENT) -> Story:
        text = json.dumps({"clientOrderId": cid, "limitPrice": price, "orderQty": qty, "reduceOnly": "false"})
        self.add("journal", "intent", cid=cid, intent=intent, text=text)
        return self.add("wire", "place_order", dir="out", wire=1, req=cid, cid=cid, text=text)

    def told(self, verdict: str, intent: str = INTENT) -> Story:
        return self.add("trader", "outcome", intent=intent, source=self.source, text=verdict, cid=CID)

    def limit(self, qty: str, kind: str = "order") -> Story:
        return self.add("limit", kind, source=self.source, qty=qty)

    def rules(self) -> set[str]:
        return {broken.rule for broken in check(self.history.lines)}


def test_the_checker_of_desk_links_accepts_a_valid_order() -> None:
    assert Story().limit("100").asks().wait(1.9).taken().sends().told("accepted").rules() == set()


def test_the_checker_finds_a_denied_order_that_was_sent() -> None:
    assert Story().asks().taken().sends().told("denied").rules() == {"told"}
    assert Story().asks().told("denied").rules() == set()


def test_the_checker_finds_an_accepted_order_that_never_left() -> None:
    assert Story().asks().taken().told("accepted").rules() == {"told"}


def test_the_checker_finds_a_late_or_repeated_command() -> None:
    assert Story().asks().wait(2.6).taken().sends().rules() == {"late"}
    assert Story().asks().taken().taken().sends().rules() == {"once"}


def test_the_checker_finds_an_order_worth_more_than_its_limit() -> None:
    assert Story().limit("99").asks().taken().sends().rules() == {"limit"}


def test_the_checker_finds_orders_beyond_a_mandate() -> None:
    def program(price: str) -> Story:
        story = Story("robot").limit("150", "orders").add("trader", "grant").asks("p1").sends(intent="p1").asks("p2")
        return story.sends(price=price, cid="c2", intent="p2")

    assert program("50").rules() == set()
    assert program("51").rules() == {"mandate"}


@pytest.mark.parametrize("state", ["CANCELLED", "FILLED"])
def test_the_checker_frees_the_mandate_value_of_unfilled_orders(state: str) -> None:
    executed = "1" if state == "FILLED" else "0"
    story = Story("robot").limit("150", "orders").add("trader", "grant").asks("p1").sends(intent="p1").asks("p2")
    story.add("venue", "order", cid=CID, oid="1", state=state, executed=executed)
    assert ("mandate" in story.sends(cid="c2", intent="p2").rules()) is (state == "FILLED")


@pytest.mark.parametrize("end", [("trader", "revoke"), ("host", "crash")])
def test_the_checker_finds_a_program_order_without_a_mandate(end: tuple[str, str]) -> None:
    story = Story("robot").limit("150", "orders").add("trader", "grant").asks("p1").add(*end)
    assert "mandate" in story.sends(intent="p1").rules()


@pytest.mark.parametrize("theirs", [None, "OPEN", "FILLED"])
def test_the_checker_finds_another_final_order_state_in_a_window(theirs: str | None) -> None:
    story = Story().add("window", "end", source=WINDOW)
    for who, state, source in (("client", "FILLED", ""), ("venue", "FILLED", ""), ("window", theirs, WINDOW)):
        if state is not None:
            story.add(who, "end order", cid=CID, oid="1", state=state, executed="1", source=source)
    assert story.rules() == (set() if theirs == "FILLED" else {"window"})


def test_the_checker_finds_an_ended_order_reopened_in_a_window() -> None:
    story = Story()
    for state in ("CANCELLED", "OPEN"):
        story.add("window", "shown", source=WINDOW, cid=CID, oid="1", state=state, executed="0")
    assert story.rules() == {"I7"}


@pytest.mark.parametrize(
    ("ranges", "end", "rules"),
    [
        (["5-7", "8-8"], "", set()),
        (["5-7", "9-9"], "", {"events"}),
        (["5-7", "7-8"], "", {"events"}),
        (["5-7", "1-3"], "", {"events"}),
        (["5-7", "1-3"], "desk", set()),
        (["5-7", "2-3"], "desk", {"events"}),
        (["5-7", "90-91"], "window", set()),
    ],
)
def test_the_checker_finds_missing_or_repeated_event_lines(ranges: list[str], end: str, rules: set[str]) -> None:
    story = Story().add("window", "begins", source=WINDOW).add("window", "events", source=WINDOW, text=ranges[0])
    if end == "desk":
        story.add("host", "start")
    elif end == "window":
        story.add("window", "begins", source=WINDOW)
    assert story.add("window", "events", source=WINDOW, text=ranges[1]).rules() == rules


def test_the_checker_finds_a_window_told_of_orders_of_others() -> None:
    assert Story().add("window", "told of others", source=WINDOW, text="secondx3").rules() == {"others"}
