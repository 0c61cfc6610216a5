"""What hands do by accident places no order that nobody meant, and the calm ways lose none."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from random import Random

import msgspec
import pytest

from tests.accidents import in_process, terminal_desk
from tests.accidents.attempt import Attempt, Meaning
from tests.accidents.ladder_kinds import calm_at_a_venue
from tests.accidents.record import VenueOrder, VenueRecord, judge
from tests.accidents.runner import Session, Tally, draw, sessions

TOP = Path(__file__).parents[2]
FAILED_ONCE = json.loads((TOP / "tests" / "data" / "accidents" / "failed_once.json").read_bytes())
SEED = 7001
SHARD = 10
BY_DAY = 50
"""Attempts of the default run."""


def describe(tally: Tally) -> str:
    return "\n".join(str(row) for row in tally.bad)


@pytest.mark.parametrize(
    "first", [pytest.param(at, marks=() if at < BY_DAY else pytest.mark.nightly) for at in range(0, 100, SHARD)]
)
def test_no_random_key_accident_sends_an_unintended_order(first: int) -> None:
    tally = in_process.run(SEED, first, SHARD)
    assert tally.attempts == SHARD and not tally.bad, describe(tally)


@pytest.mark.parametrize("first", [0, 5])
def test_no_key_accident_in_a_real_terminal_sends_an_order(first: int, tmp_path: Path) -> None:
    tally = Tally()
    for session in sessions(SEED + 1, first, 5):
        terminal_desk.run_session(session, tally, tmp_path / f"home{session.numbers[0]}")
    assert tally.attempts >= 4 and not tally.bad, describe(tally)


@pytest.mark.nightly
@pytest.mark.parametrize("first", range(0, 2000, 100))
def test_two_thousand_key_accidents_send_no_unintended_order(first: int) -> None:
    tally = in_process.run(SEED + 2, first, 100)
    assert not tally.bad, describe(tally)


@pytest.mark.nightly
@pytest.mark.parametrize("first", range(0, 200, 20))
def test_two_hundred_terminal_accidents_send_no_order(first: int) -> None:
    tally = terminal_desk.run(SEED + 3, first, 20)
    assert not tally.bad, describe(tally)


@pytest.mark.parametrize("number", range(len(FAILED_ONCE)))
def test_key_accidents_that_once_sent_an_order_send_none_now(number: int) -> None:
    row, tally = FAILED_ONCE[number], Tally()
    session = Session(
        seed=row["seed"], numbers=range(row["number"], row["number"] + 1), size=tuple(row["size"]), market=row["market"]
    )
    attempt = msgspec.convert(row["attempt"], Attempt)
    in_process.run_attempts(session, [(row["number"], attempt)], tally)
    assert tally.attempts == 1 and not tally.bad, describe(tally)


@pytest.mark.parametrize(
    ("seed", "size"),
    [
        # By default each seed at one of the sizes.
        pytest.param(seed, size, marks=() if seed % 2 == at else pytest.mark.nightly)
        for seed in range(8)
        for at, size in enumerate([(80, 24), (160, 45)])
    ],
)
def test_an_order_from_a_venues_column_rests_at_that_venue(seed: int, size: tuple[int, int]) -> None:
    tally, session = Tally(), Session(seed=seed, numbers=range(1), size=size, market="still")
    in_process.run_attempts(session, [(0, calm_at_a_venue(Random(seed)))], tally)
    assert (tally.orders, tally.bad) == (1, []), describe(tally)


def test_results_of_key_accident_runs_are_merged_into_one_file(tmp_path: Path) -> None:
    for at in range(2):
        tally = Tally(attempts=3, by_kind={"paste": 1, "panic": 2}, orders=1, keys=7)
        more = {"seed": 5, "from": at, "pty": False, "seconds": 2, "commit": "c0ffee", "when": f"2026-11-0{at + 1}"}
        (tmp_path / f"{at}.json").write_text(json.dumps(msgspec.to_builtins(tally) | more))
    words = [sys.executable, "-m", "tests.accidents", "--json", str(tmp_path / "sum.json"), "--sum"]
    subprocess.run([*words, *map(str, sorted(tmp_path.glob("?.json")))], check=True, cwd=TOP)
    whole = json.loads((tmp_path / "sum.json").read_text())
    assert (whole["attempts"], whole["by_kind"], whole["seeds"]) == (6, {"paste": 2, "panic": 4}, [5])
    assert (whole["commit"], whole["when"], whole["seconds"]) == ("c0ffee", "2026-11-02", 4)


def test_a_key_accident_is_drawn_alike_however_runs_are_split() -> None:
    whole = [number for session in sessions(3, 0, 50) for number in session.numbers]
    parts = [
        number for first in range(0, 50, 7) for s in sessions(3, first, min(7, 50 - first)) for number in s.numbers
    ]
    assert whole == parts == list(range(50))
    assert draw(3, 17) == draw(3, 17)


def order(**fields: str) -> VenueOrder:
    values = {
        "order_id": "1",
        "sym": "S",
        "side": "BUY",
        "order_type": "LIMIT",
        "qty": "1",
        "price": "2",
        "state": "OPEN",
    }
    return VenueOrder(**{**values, **fields})


def test_accident_judge_finds_unmeant_changes_and_lost_commands() -> None:
    empty = VenueRecord(orders={}, algos={})
    one = VenueRecord(orders={"1": order()}, algos={})
    assert judge(empty, one, Meaning(), {}, 0).unmeant
    assert judge(one, VenueRecord(orders={"1": order(state="CANCELLED")}, algos={}), Meaning(), {}, 0).unmeant
    assert judge(one, VenueRecord(orders={"1": order(price="3")}, algos={}), Meaning(), {}, 0).unmeant
    assert judge(empty, VenueRecord(orders={}, algos={"a": "1"}), Meaning(), {}, 0).unmeant
    assert judge(one, one, Meaning(cancels=("A",), must=True), {"A": "1"}, 2).lost
    assert judge(empty, empty, Meaning(must=True, most_keys=3), {}, 4).lost
