"""Transfers of the second exchange, written from the reference texts: what is under way, what arrived, what pools lack."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from decimal import ROUND_DOWN, Decimal

from tests.venue.stateful.terms import EIGHT, ZERO, No

TAKES_MS = 20_000
POOL = Decimal(1_000_000)
FEES = {("USDT", "TRC20"): "1", ("USDT", "BSC"): "0.5", ("BTC", "BTC"): "0.0001"}
LEAST = {("USDT", "TRC20"): "2", ("USDT", "BSC"): "1", ("BTC", "BTC"): "0.0005"}
LEAST_OF_ALL = {"USDT": "1", "BTC": "0.0005"}


@dataclass(frozen=True)
class Place:
    """A side: who, where, and what kind of account it is."""

    owner: str
    venue: str
    kind: str
    """portfolio, FUNDING, DMA or CUSTODY."""

    @property
    def trades(self) -> bool:
        return self.kind in ("portfolio", "DMA")

    @property
    def pool(self) -> str:
        if self.kind == "DMA":
            return self.venue
        return f"PORTFOLIO_{self.venue}" if self.kind == "portfolio" and self.venue != "EDX" else ""


@dataclass
class Movement:
    source: Place
    target: Place
    coin: str
    amount: Decimal
    network: str
    rapid: bool
    client: str = ""
    id: str = ""
    fee: Decimal = ZERO
    pool: str = ""
    since: int = 0
    done: bool = False
    custody: bool = False
    """A lock or unlock: no network, no fee, never at once."""


@dataclass
class Movements:
    """Every transfer so far; money that moves is booked in the list of the model."""

    bookings: list[tuple[str, str, str, Decimal]]
    repay: Callable[[str, str, str, Decimal], None]
    """Pays a debt back from coins that came in."""
    all: list[Movement] = field(default_factory=list)
    changed: bool = False

    def frozen(self, owner: str, venue: str, coin: str) -> Decimal:
        leaving = (one for one in self.all if not one.done and one.coin == coin)
        return sum((one.amount for one in leaving if (one.source.owner, one.source.venue) == (owner, venue)), ZERO)

    def quota(self, pool: str, now: int) -> Decimal:
        drawn = sum((one.amount for one in self.all if one.pool == pool and now < one.since + TAKES_MS), ZERO)
        return ((POOL - drawn) * Decimal("0.8")).quantize(EIGHT, ROUND_DOWN)

    def judge(self, asked: Movement, most: Decimal) -> None:
        """Amount, network and id, in this order; `most` is what may leave the source."""
        key = (asked.coin, asked.network)
        least = Decimal(LEAST.get(key, LEAST_OF_ALL[asked.coin]))
        places = 6 if asked.network == "TRC20" else 8
        if asked.amount < least or asked.amount * 10**places % 1:
            raise No(404906)
        if asked.amount > most:
            raise No(404904)
        if asked.source.venue != asked.target.venue and key not in LEAST:
            raise No(404905)
        if asked.client and any(one.client == asked.client for one in self.all):
            raise No(404907)

    def start(self, asked: Movement, transfer_id: str, now: int) -> None:
        """It was answered: it is under way, or there already."""
        asked.id, asked.since = transfer_id, now
        far = asked.source.venue != asked.target.venue
        if not far:
            asked.network = ""
        elif "FUNDING" in (asked.source.kind, asked.target.kind):
            asked.fee = Decimal(FEES[(asked.coin, asked.network)])
        trading = asked.source.trades and asked.target.trades
        if asked.rapid and far and trading and asked.coin == "USDT" and asked.target.pool:
            asked.pool = asked.target.pool if asked.amount <= self.quota(asked.target.pool, now) else ""
        self.all.append(asked)
        self.changed = True
        if asked.pool or not far:
            self.finish(asked)

    def judge_custody(self, asked: Movement, most: Decimal) -> None:
        """A lock takes what is free; an unlock what is free and came by locks, unlocks under way counted."""
        if asked.source.kind != "CUSTODY":
            most = min(most, self._locked(asked.source, asked.coin))
        if asked.amount > most:
            raise No(404904)

    def _locked(self, dma: Place, coin: str) -> Decimal:
        moved = [one for one in self.all if one.custody and one.coin == coin]
        came = sum((one.amount for one in moved if one.target == dma and one.done), ZERO)
        return came - sum((one.amount for one in moved if one.source == dma), ZERO)

    def start_custody(self, asked: Movement, now: int) -> None:
        asked.custody, asked.since = True, now
        self.all.append(asked)
        self.changed = True

    def next_due(self) -> int | None:
        return min((one.since + TAKES_MS for one in self.all if not one.done), default=None)

    def run(self, now: int) -> None:
        for one in self.all:
            if not one.done and one.since + TAKES_MS <= now:
                self.finish(one)

    def finish(self, one: Movement) -> None:
        one.done = self.changed = True
        self.bookings.append((one.source.owner, one.source.venue, one.coin, -one.amount))
        self.bookings.append((one.target.owner, one.target.venue, one.coin, one.amount - one.fee))
        self.repay(one.target.owner, one.target.venue, one.coin, one.amount - one.fee)

    def story(self) -> dict[str, int]:
        """How often the history came through the places where money goes wrong."""
        return {
            "rapid transfers": sum(bool(one.pool) for one in self.all),
            "rapid transfers that fell through": sum(one.rapid and not one.pool for one in self.all),
            "transfers with a fee": sum(bool(one.fee) for one in self.all),
            "transfers that took their time": sum(one.done and bool(one.network) and not one.pool for one in self.all),
            "locks and unlocks": sum(one.done and one.custody for one in self.all),
        }
