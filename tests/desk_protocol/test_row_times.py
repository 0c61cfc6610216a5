"""Monotonic times of rows from another machine: every one is shifted to our own clock, and nothing else."""

from __future__ import annotations

import inspect

import msgspec
import pytest

from tests.engine.conftest import buy
from tui.desk_protocol.row_times import TIMES, shift_intent, shift_rows
from tui.engine import rows, status_rows
from tui.engine.intents import Place, Press, ShownTerms
from tui.engine.status_rows import MandateRow, ProposalRow

MONOTONIC = ("received", "since", "expires", "until", "last_frame", "proven_from", "not_found")
"""Parts of the names of fields that hold a monotonic time."""
WALL = {("OrderRow", "keep_until")}
"""Fields with such a name that hold another time."""


def list_structs() -> list[type[msgspec.Struct]]:
    found = [*vars(rows).values(), *vars(status_rows).values()]
    return [each for each in found if inspect.isclass(each) and issubclass(each, msgspec.Struct)]


@pytest.mark.parametrize("struct", sorted(set(list_structs()), key=str))
def test_every_monotonic_time_in_a_row_is_listed_for_shifting(struct: type[msgspec.Struct]) -> None:
    named = {field for field in struct.__struct_fields__ if any(part in field for part in MONOTONIC)}
    floats = {field for field in named if str(struct.__annotations__.get(field, "")).startswith("float")}
    other = {field for field in floats if (struct.__name__, field) in WALL}
    assert floats - other == set(TIMES.get(struct, ()))


def test_times_in_an_intent_are_shifted_to_the_engine_clock() -> None:
    place = buy()
    assert shift_intent(place, 40.0) == place
    press = Press(key="enter", at=5.0, stood_ms=200)
    decision = msgspec.structs.replace(place.decision, press=press)
    place = msgspec.structs.replace(place, decision=decision, shown=ShownTerms(at=3.0, touch="1"))
    shifted = shift_intent(place, 40.0)
    assert isinstance(shifted, Place) and shifted.shown == ShownTerms(at=43.0, touch="1")
    assert shifted.decision.press == Press(key="enter", at=45.0, stood_ms=200)


def test_expiry_of_mandates_and_proposals_is_clock_shifted() -> None:
    mandate = MandateRow(
        peer="maker", reason="", pairs=(), side="BOTH", order_value="1", position_value="1", traded_value="1", loss="1",
        orders_per_minute=1, seconds=60.0, expires=100.0,
    )  # fmt: skip
    shifted = shift_rows({"1": mandate, "2": None}, -40.0)
    assert isinstance(shifted["1"], MandateRow) and shifted["1"].expires == 60.0 and shifted["2"] is None
    assert "expires" in TIMES[ProposalRow]
