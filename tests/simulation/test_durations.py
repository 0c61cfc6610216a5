"""What took how long is read from the history alone."""

from __future__ import annotations

from typing import Any

import pytest

from tests.simulation.durations import cancels_to_wire, lost_answers_to_unknown, reconnects_to_synced, spent
from tests.simulation.history import Line
from tests.simulation.seed import run


def lines(*told: tuple[float, str, str, dict[str, Any]]) -> list[Line]:
    return [Line(n=n, t=t, who=who, kind=kind, **more) for n, (t, who, kind, more) in enumerate(told, 1)]


def test_time_to_unknown_is_measured_once_per_order() -> None:
    told = lines(
        (1.0, "wire", "place_order", {"cid": "a", "life": 1}),
        (2.0, "wire", "place_order", {"cid": "b", "life": 1}),
        (2.5, "display", "shown", {"cid": "b", "life": 1, "state": "OPEN"}),
        (4.0, "display", "shown", {"cid": "a", "life": 1, "state": "UNKNOWN"}),
        (9.0, "display", "shown", {"cid": "a", "life": 1, "state": "UNKNOWN"}),
        (9.5, "display", "shown", {"cid": "b", "life": 2, "state": "UNKNOWN"}),
        (9.6, "display", "shown", {"cid": "b", "life": 1, "state": "UNKNOWN"}),
    )
    assert list(lost_answers_to_unknown(told)) == [3.0]


def test_cancel_latency_is_measured_by_order_id_or_client_id() -> None:
    told = lines(
        (1.0, "trader", "cancel", {"cid": "a", "life": 1}),
        (1.25, "wire", "cancel_order", {"cid": "a", "life": 1}),
        (2.0, "trader", "cancel", {"cid": "17", "life": 1}),
        (2.5, "wire", "cancel_order", {"oid": "17", "life": 1}),
        (2.6, "display", "shown", {"cid": "b", "oid": "18", "life": 1}),
        (2.7, "trader", "cancel", {"cid": "b", "life": 1}),
        (3.0, "wire", "cancel_order", {"oid": "18", "life": 1}),
        (3.0, "trader", "cancel", {"cid": "refused", "life": 1}),
        (3.0, "trader", "outcome", {"cid": "refused", "life": 1}),
        (9.0, "wire", "cancel_order", {"cid": "refused", "life": 1}),
    )
    assert list(cancels_to_wire(told)) == pytest.approx([0.25, 0.5, 0.3])


def test_reconnect_time_is_measured_from_connect_to_in_sync() -> None:
    told = lines(*((t, "wire", "connect", {}) for t in (1.0, 10.0, 12.0, 40.0)))
    said = [(0.5, False), (1.5, True), (9.0, False), (11.0, False), (13.0, True), (20.0, True), (39.0, False)]
    assert list(reconnects_to_synced(told, said)) == [0.5, 1.0]


def test_a_seed_measures_all_three_latencies() -> None:
    result, floor = run(1, 3)
    assert not result.violations
    assert all(result.spent.values()), result.spent
    assert result.spent == spent(floor.history.lines, floor.synced)
