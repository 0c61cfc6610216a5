"""What the model reckons with: pairs, orders, fills and what a fill does to a position."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import ROUND_DOWN, ROUND_HALF_UP, Decimal
from typing import Literal

ZERO = Decimal(0)
HOUSE = "house"
DELAY_MS = 2
"""Time between the answer to a replace or cancel and its effect."""
HOUR_MS = 3_600_000
FUNDING_MS = 8 * HOUR_MS
CALM_RATE = Decimal("0.0001")
"""Funding of an interval without a premium."""
EIGHT = Decimal("0.00000001")
EIGHTEEN = Decimal("0.000000000000000001")


@dataclass(frozen=True)
class Pair:
    sym: str
    venue: str
    kind: Literal["PERP", "SPOT", "MARGIN"]
    tick: Decimal
    lot: Decimal
    size: Decimal
    maker: Decimal
    taker: Decimal

    @property
    def is_perp(self) -> bool:
        return self.kind == "PERP"


def _pair(sym: str, tick: str, lot: str, size: str, maker: str, taker: str) -> Pair:
    venue, kind = sym.split("_")[:2]
    assert kind in ("PERP", "SPOT", "MARGIN")
    numbers = [Decimal(text) for text in (tick, lot, size, maker, taker)]
    return Pair(sym, venue, kind, *numbers)  # type: ignore[arg-type]


PERP, SPOT = "BINANCE_PERP_BTC_USDT", "BINANCE_SPOT_BTC_USDT"
MARGIN, CONTRACTS = "BINANCE_MARGIN_BTC_USDT", "OKX_PERP_BTC_USDT"
PAIRS = {
    pair.sym: pair
    for pair in (
        _pair(PERP, "0.1", "0.001", "1", "-0.00005", "0.0005"),
        _pair(SPOT, "0.01", "0.00001", "1", "0", "0.001"),
        _pair(MARGIN, "0.01", "0.00001", "1", "0", "0.001"),
        _pair(CONTRACTS, "0.1", "1", "0.01", "-0.00005", "0.0005"),
    )
}
HOURLY = {"USDT": Decimal("0.0000068"), "BTC": Decimal("0.0000012")}
"""Interest of an hour on borrowed coins."""


LOAN_HOURLY = {"USDT": Decimal("0.06") / 8760, "BTC": Decimal("0.01") / 8760}
"""Interest of an hour on portfolio loans."""


LENT = ("USDT", "BTC")
"""Coins of this table that can be borrowed."""
FIRST_RUNG = Decimal("0.7")
MOST_DEBT_LEVERAGE = 5


class No(Exception):
    """The reference refuses, with this code."""

    def __init__(self, code: int) -> None:
        super().__init__(str(code))
        self.code = code


@dataclass
class Order:
    owner: str
    sym: str
    buy: bool
    market: bool
    tif: str
    qty: Decimal
    price: Decimal
    reduce: bool
    leg: str
    leverage: int | None
    client: str = ""
    id: str = ""
    guarded: bool = False
    state: str = "NEW"
    done: Decimal = ZERO
    amount: Decimal = ZERO
    fee: Decimal = ZERO
    rebate: Decimal = ZERO
    action: str = ""
    cancel: str = ""
    amend: str = ""
    wish: tuple[Decimal | None, Decimal | None] | None = None
    """The amend under way: new quantity, new price."""
    leaving: bool = False
    due: int = 0
    queued: int = 0
    """When the pending action was asked for, as a number."""
    place: int = 0
    hold: Decimal = ZERO

    @property
    def left(self) -> Decimal:
        return self.qty - self.done

    @property
    def ended(self) -> bool:
        return self.state in ("FILLED", "CANCELLED", "REJECT")


@dataclass
class Guard:
    """The take-profit and stop of an order."""

    parent: Order
    state: str = "PENDING_NEW"
    qty: Decimal = ZERO

    @property
    def live(self) -> bool:
        return self.state in ("PENDING_NEW", "NEW")


@dataclass(frozen=True)
class Fill:
    order: Order
    qty: Decimal
    price: Decimal
    fee: Decimal
    rebate: Decimal
    realised: Decimal
    role: str


@dataclass(frozen=True)
class Funding:
    owner: str
    sym: str
    leg: str
    amount: Decimal


@dataclass
class Holding:
    """A position as its fills make it."""

    qty: Decimal = ZERO
    entry: Decimal = ZERO
    fee: Decimal = ZERO
    funding: Decimal = ZERO


def reaches(order: Order, limit: Decimal, maker: Order) -> bool:
    """Whether a limit goes as far as a resting order."""
    return maker.price <= limit if order.buy else maker.price >= limit


def pays(order: Order) -> str:
    """The coin that a spot or margin order gives."""
    return "USDT" if order.buy else "BTC"


def add_fill(held: Holding, buy: bool, qty: Decimal, price: Decimal, fee: Decimal, size: Decimal) -> Decimal:
    """One fill on a position: it closes first, a surplus opens at its price. Returns what was realised."""
    signed = qty if buy else -qty
    before = held.qty
    held.qty += signed
    closed = min(abs(before), qty) if before and (before > 0) != buy else ZERO
    opening = fee if not closed else (fee * (qty - closed) / qty).quantize(Decimal("1e-8"), ROUND_HALF_UP)
    held.fee += fee
    if not before or (before > 0) == buy:
        average = (abs(before) * held.entry + qty * price) / abs(held.qty)
        held.entry = cut(average)
        return ZERO
    realised = cut(closed * size * (price - held.entry) * (1 if before > 0 else -1))
    if qty >= abs(before):
        held.entry = price if held.qty else ZERO
        held.fee, held.funding = opening, ZERO
    return realised


def cut(value: Decimal) -> Decimal:
    """To the 18 decimals that are printed."""
    return value if value == value.quantize(EIGHTEEN, ROUND_DOWN) else value.quantize(EIGHTEEN, ROUND_DOWN)
