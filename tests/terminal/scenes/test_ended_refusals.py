"""Closes of a position that another sender ends and opens again: the refusal goes with its cause, and the size follows."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.terminal.terminal import Terminal
from tests.terminal.trader import Trader, at_the_desk

SYM = "BINANCE_PERP_BTC_USDT"
LIMITS = '[engine.limits]\nsoft_notional = "900000"\nhard_notional = "900000"\nfirst_of_day = false\n'


@pytest.fixture
def trader(start: Callable[..., Terminal], tmp_path: Path) -> Iterator[Trader]:
    with at_the_desk(start, tmp_path, "--control", more=LIMITS) as found:
        found.come_in()
        yield found


def trade(trader: Trader, side: str, size: str, **more: str) -> None:
    """Trade at market by another sender."""
    order = {"sym": SYM, "side": side, "orderType": "MARKET", "orderQty": size, **more}
    trader.venue.data("POST", "/api/v1/trading/order", order)


@pytest.mark.parametrize(("keys", "left"), [(("f",), set()), (("%", "2"), {"0.03"})])
def test_a_close_is_sent_once_its_position_is_back(trader: Trader, keys: tuple[str, ...], left: set[str]) -> None:
    """Each later Enter said `this key was refused here: correct the field first`, and a half kept the size of before."""
    desk = trader.desk
    trade(trader, "BUY", "0.02")
    trader.select("LONG")
    desk.press(*keys)
    desk.see("Enter sends")
    trade(trader, "SELL", "0.02", reduceOnly="true")
    desk.see("no long position to reduce")
    desk.press("enter")
    desk.see(" refused ")
    trade(trader, "BUY", "0.06")
    desk.see("size", "0.06 " if keys == ("f",) else "0.03 ")
    desk.see("Enter sends")
    assert not any("no long position" in line for line in desk.display if line.startswith("│"))
    trader.send()
    desk.until(
        lambda _: {row["positionQty"].rstrip("0") for row in trader.legs().values()} == left or None, "what is left"
    )
