"""Deposits and withdrawals of the second exchange, written from the reference texts: what waits, left, came, was refused."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from decimal import Decimal

from tests.venue.stateful.terms import ZERO, No
from tests.venue.stateful.transfers import TAKES_MS, Place

APPROVED_MS = 5_000
WAITING, APPROVED, EXECUTED = 1, 2, 3
RUNNING, DONE, FAILED = 2, 3, 4
LEAST_OUT = {("USDT", "TRC20"): "10", ("USDT", "BSC"): "10", ("BTC", "BTC"): "0.001"}
LEAST_OUT_OF_ALL = {"USDT": "5", "BTC": "0.001"}
LEAST_IN = {("USDT", "TRC20"): "1", ("USDT", "BSC"): "1", ("BTC", "BTC"): "0.0002"}


@dataclass
class Crossing:
    """Money over the border of the exchange, out of an account or into one."""

    place: Place
    coin: str
    amount: Decimal
    network: str
    out: bool
    client: str = ""
    known: bool = True
    """The address is in the book."""
    since: int = 0
    status: int = RUNNING

    @property
    def running(self) -> bool:
        return self.status in ((WAITING, APPROVED) if self.out else (RUNNING,))

    @property
    def due(self) -> int:
        return self.since + (APPROVED_MS if self.out and self.status == WAITING else TAKES_MS)


@dataclass
class Crossings:
    """Every deposit and withdrawal so far, oldest first; what crosses is booked in the list of the model."""

    bookings: list[tuple[str, str, str, Decimal]]
    repay: Callable[[str, str, str, Decimal], None]
    """Pays a debt back from coins that came in."""
    all: list[Crossing] = field(default_factory=list)
    changed: bool = False

    def frozen(self, owner: str, venue: str, coin: str) -> Decimal:
        leaving = (one for one in self.all if one.out and one.running and one.coin == coin)
        return sum((one.amount for one in leaving if (one.place.owner, one.place.venue) == (owner, venue)), ZERO)

    def judge_leaving(self, asked: Crossing, most: Decimal) -> None:
        """Amount, network, address and id, in this order; `most` is what may leave the account."""
        key = (asked.coin, asked.network)
        least = Decimal(LEAST_OUT.get(key, LEAST_OUT_OF_ALL[asked.coin]))
        places = 6 if asked.network == "TRC20" else 8
        if asked.amount < least or asked.amount * 10**places % 1:
            raise No(404906)
        if asked.amount > most:
            raise No(404904)
        if key not in LEAST_OUT:
            raise No(404905)
        if not asked.known:
            raise No(404908)
        if asked.client and any(one.client == asked.client for one in self.all):
            raise No(404907)

    def judge_coming(self, asked: Crossing) -> None:
        if (asked.coin, asked.network) not in LEAST_IN:
            raise No(404905)

    def start(self, asked: Crossing, now: int) -> None:
        asked.since, asked.status = now, WAITING if asked.out else RUNNING
        self.all.append(asked)
        self.changed = True

    def next_due(self) -> int | None:
        return min((one.due for one in self.all if one.running), default=None)

    def run(self, now: int) -> None:
        for one in self.all:
            if one.running and one.due <= now:
                self._step(one)

    def _step(self, one: Crossing) -> None:
        self.changed = True
        if one.out and one.status == WAITING:
            one.status = APPROVED
            return
        if not one.out and one.amount < Decimal(LEAST_IN[(one.coin, one.network)]):
            one.status = FAILED
            return
        one.status = EXECUTED if one.out else DONE
        self.bookings.append((one.place.owner, one.place.venue, one.coin, -one.amount if one.out else one.amount))
        if not one.out:
            self.repay(one.place.owner, one.place.venue, one.coin, one.amount)

    def bills(self, owner: str) -> int:
        """How many bills a portfolio has of them."""
        return sum(one.place.owner == owner and one.status == (EXECUTED if one.out else DONE) for one in self.all)

    def story(self) -> dict[str, int]:
        """How often the history came through the places where money goes wrong."""
        return {
            "withdrawals sent": sum(one.out and one.status == EXECUTED for one in self.all),
            "deposits credited": sum(not one.out and one.status == DONE for one in self.all),
            "deposits below the least": sum(not one.out and one.status == FAILED for one in self.all),
        }
