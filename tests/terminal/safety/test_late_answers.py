"""Answers that come late while nothing is pushed: an order ends on the screen as the venue's record says."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.terminal.scenes.test_algo_scenes import LIMITS
from tests.terminal.terminal import Terminal
from tests.terminal.trader import at_the_desk


@pytest.mark.parametrize("fault", ["commit_late=place_order:1x:5000", "latency=test"], ids=["late", "at once"])
def test_an_ioc_fill_whose_push_is_lost_is_learned_by_a_query(
    start: Callable[..., Terminal], tmp_path: Path, fault: str
) -> None:
    """Accepted is no end: without a push the order would stand as open and unfilled until the next audit."""
    lost = ("push_fault=drop:Orders:1", fault)
    with at_the_desk(start, tmp_path, *(word for one in lost for word in ("--set", one)), more=LIMITS) as trader:
        trader.come_in()
        trader.stage("b", "0.02", "BINANCE BTC")
        trader.send()
        trader.desk.see("FILLED", "BINANCE BTC", "0.020", "IOC", within=20)
        [order] = trader.venue.data("GET", "/api/v1/trading/history/orders")["list"]
        assert (order["timeInForce"], order["orderState"], order["executedQty"]) == ("IOC", "FILLED", "0.02")
