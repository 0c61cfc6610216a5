"""A short chaos run in the default tests, and the comparison against forged journals and venues."""

from __future__ import annotations

import json
from collections.abc import Callable
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from tests.chaos import comparison
from tests.chaos.comparison import VenueTruth, compare_fills, compare_orders, day_result, read_journal, rounded
from tests.chaos.figures import figures, merged, per_minute
from tests.chaos.run import Chaos, Outcome, Rates

SECONDS = 30.0
OWN = "cdtester"


@pytest.mark.timeout(240)
def test_after_random_faults_journal_screen_and_venue_agree(tmp_path: Path) -> None:
    outcome = Chaos(tmp_path, 1, Rates(desk_kill=12, venue_kill=12, cut=12, jump=12, weather=4)).run(SECONDS)
    assert not outcome.differences, outcome
    assert not outcome.sent_twice
    assert not outcome.exits
    assert outcome.commands >= 3, outcome
    assert outcome.desk_kills + outcome.venue_kills >= 1, outcome


# -- the comparison itself -----------------------------------------------------------------------------------------------


def order(number: str, state: str, executed: str = "0", at: int = 2000, client: str = OWN + "1") -> dict[str, Any]:
    """An order record."""
    return {
        "orderId": number, "clientOrderId": client, "orderState": state, "executedQty": executed, "updateAt": str(at),
        "sym": "BINANCE_PERP_BTC_USDT",
    }  # fmt: skip


def fill(number: str, at: int = 2000, **more: str) -> dict[str, Any]:
    """A fill record."""
    return {
        "transactionId": number, "sym": "BINANCE_PERP_BTC_USDT", "side": "BUY", "quantity": "1", "price": "100",
        "clientOrderId": OWN + "1", "createAt": str(at), "rpnl": "0", "fee": "0", "feeCoin": "USDT", "rebate": "0",
        "rebateCoin": "", **more,
    }  # fmt: skip


def entry(kind: str, payload: object, client: str = OWN + "1", at: int = 1000) -> dict[str, Any]:
    """A journal entry as it is exported."""
    return {"kind": kind, "wall_ms": at, "client_order_id": client, "payload": json.dumps(payload)}


def truth(*orders: dict[str, Any], fills: tuple[dict[str, Any], ...] = ()) -> VenueTruth:
    """A venue that holds these."""
    by_client: dict[str, list[dict[str, Any]]] = {}
    for one in orders:
        by_client.setdefault(one["clientOrderId"], []).append(one)
    return VenueTruth({}, by_client, {one["transactionId"]: one for one in fills}, {}, {})


INTENT = entry("intent", {"kind": "Place"})


def test_matching_and_earlier_fills_are_no_chaos_difference() -> None:
    journal = read_journal([INTENT, entry("fill", fill("1"))])
    assert compare_fills(journal, truth(fills=(fill("1"), fill("0", at=500)))) == [], (
        "a fill before it began is history"
    )


@pytest.mark.parametrize(
    ("entries", "held", "kind"),
    [
        ([INTENT], (fill("1"),), "fill missing"),
        ([INTENT, entry("fill", fill("2"))], (), "fill invented"),
        ([INTENT, entry("fill", fill("1")), entry("fill", fill("1"))], (fill("1"),), "fill written twice"),
    ],
)
def test_fills_that_differ_from_the_venue_are_reported_by_kind(
    entries: list[dict[str, Any]], held: tuple[Any, ...], kind: str
) -> None:
    assert [one.kind for one in compare_fills(read_journal(entries), truth(fills=held))] == [kind]


@pytest.mark.parametrize(
    ("entries", "held", "kinds"),
    [
        ([INTENT, entry("push", order("7", "OPEN"))], [order("7", "OPEN")], []),
        ([INTENT, entry("push", order("7", "FILLED", "1"))], [order("7", "FILLED", "1.0")], []),
        ([INTENT, entry("push", order("7", "OPEN"))], [order("7", "FILLED", "1")], ["order state"]),
        ([INTENT, entry("push", order("7", "CANCELLED"))], [order("7", "OPEN")], ["end invented"]),
        ([INTENT, entry("push", order("7", "FILLED", "1"))], [order("7", "FILLED", "2")], ["order state"]),
        ([INTENT, entry("push", order("7", "OPEN"))], [], ["order invented"]),
        ([entry("note", {})], [order("7", "OPEN")], ["order without intent"]),
        (
            [INTENT, entry("push", order("7", "FILLED", "1", at=3)), entry("query", order("7", "OPEN", at=2))],
            [order("7", "FILLED", "1")],
            [],
        ),
    ],
)
def test_orders_that_differ_from_the_venue_are_reported_by_kind(
    entries: list[dict[str, Any]], held: list[dict[str, Any]], kinds: list[str]
) -> None:
    assert [one.kind for one in compare_orders(read_journal(entries), truth(*held), OWN)] == kinds


def test_an_order_stays_open_after_an_equally_old_push_of_new() -> None:
    pushes = [entry("push", order("7", state)) for state in ("NEW", "OPEN", "NEW")]
    assert read_journal([INTENT, *pushes]).last_words["7"]["orderState"] == "OPEN"


def test_chaos_check_rounds_half_a_cent_away_from_zero() -> None:
    """Seed 4303 told a difference of a cent between -0.065 and -0.065."""
    assert [rounded(Decimal(text), 2) for text in ("-0.065", "0.065", "-0.0649")] == [
        Decimal("-0.07"),
        Decimal("0.07"),
        Decimal("-0.06"),
    ]


def test_daily_pnl_is_summed_in_quote_currency() -> None:
    rows = [
        fill("1", at=comparison.DAY_MS + 1, rpnl="5", fee="0.5"),
        fill("2", at=comparison.DAY_MS + 2, fee="0.01", feeCoin="BTC", rebate="0.25", rebateCoin="USDT"),
        fill("3", at=1, rpnl="100"),
    ]
    assert day_result(rows, 1) == {"gross": Decimal(5), "fee": Decimal("1.5"), "rebate": Decimal("0.25")}


# -- its figures ---------------------------------------------------------------------------------------------------------


@pytest.fixture
def outcome() -> Callable[[int], Outcome]:
    """Makes outcomes of a seed."""

    def make(seed: int) -> Outcome:
        return Outcome(
            seed=seed, seconds=60.0, commands=30, actions={"place_order": 30}, faults={"cut": 2}, desk_kills=1,
            venue_kills=2, clock_jumps=0, sent_twice=[], fills=9, orders=30, settle_s=[1.0], start_s=[2.0],
            differences=[], exits=[],
        )  # fmt: skip

    return make


def test_chaos_results_of_other_source_code_are_dropped(outcome: Callable[[int], Outcome]) -> None:
    first, second = figures([outcome(1)], "x"), figures([outcome(2), outcome(3)], "y")
    both = merged(first, second)
    assert (both["commands"], both["venue_kills"], both["seeds"], both["faults"]) == (90, 6, [1, 2, 3], {"cut": 6})
    assert per_minute(both) == 30
    assert merged({**first, "tree": "other"}, second) == second
