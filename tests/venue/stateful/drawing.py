"""How a walk draws its commands: groups of them with weights, and what their arguments are drawn from."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from decimal import Decimal
from typing import Any, TypeVar

from hypothesis import strategies as st

from tests.venue.stateful.terms import CONTRACTS, MARGIN, PERP, SPOT

F = TypeVar("F", bound=Callable[..., None])

STEPS = 100
SEEDS = st.integers(0, 2**32 - 1)
OWNERS = ("main", "sub")
SYMS = (PERP, PERP, PERP, SPOT, MARGIN, MARGIN, CONTRACTS)
PERPS = (PERP, PERP, CONTRACTS)
SIDES = (False, True)
LEVELS = range(-5, 6)
LOTS = range(1, 10)
TIFS = ("GTC", "GTC", "GTC", "GTC", "", "IOC", "FOK", "GTX")
LEGS = ("LONG", "SHORT", "LONG", "SHORT", "", "NONE")
ODD = (*[""] * 20, "tick", "lot", "zero", "tiny")
GAPS = (0, 0, 0, 1, 1, 2, 3, 40, 1100)
LEAPS = (1, 999, 5_000, 15_000, 60_000, 3_600_000, 8 * 3_600_000, 26 * 3_600_000, 48 * 3_600_000)
WHICH = range(12)
NAMES = (*(f"Desk{number:02}" for number in range(6)), "MainPortfolio", "SubPortfolio", "short", "123456")
COINS = ("USDT", "BTC", "BTC", "XRP")
LOAN_UNITS = {"USDT": Decimal("12.5"), "BTC": Decimal("0.01"), "XRP": Decimal(1)}
ODD_AMOUNTS = (*["0"] * 8, "0.001", "0.01")
LEAST = {PERP: "0.001", SPOT: "0.001", MARGIN: "0.001", CONTRACTS: "1"}


def price_of(level: int) -> Decimal:
    return Decimal(61_800) + level * Decimal("0.1")


def qty_of(sym: str, lots: int) -> Decimal:
    return Decimal(LEAST[sym]) * (min(lots, 2) if sym == CONTRACTS else lots)


Choices = dict[str, Sequence[Any]]
GROUPS: dict[str, list[tuple[str, int, Choices]]] = {}
"""Commands of a group: name of the method, weight, what its arguments are drawn from."""


def drawn(group: str, weight: int, **choices: Sequence[Any]) -> Callable[[F], F]:
    """Make a method one of the commands of a group."""

    def listed(method: F) -> F:
        GROUPS.setdefault(group, []).append((method.__name__, weight, choices))
        return method

    return listed
