"""A second exchange, written from the reference texts: lists, sums over all of history, no speed, nothing shared."""

from __future__ import annotations

import copy
from collections.abc import Iterator
from dataclasses import dataclass, field
from decimal import ROUND_DOWN, ROUND_HALF_UP, Decimal

from tests.venue.stateful.balances import Balances
from tests.venue.stateful.crossings import Crossings
from tests.venue.stateful.terms import (
    CALM_RATE,
    DELAY_MS,
    EIGHT,
    EIGHTEEN,
    FUNDING_MS,
    HOUR_MS,
    HOURLY,
    HOUSE,
    LENT,
    MOST_DEBT_LEVERAGE,
    PAIRS,
    PERP,
    ZERO,
    Fill,
    Funding,
    Guard,
    Holding,
    No,
    Order,
    add_fill,
    pays,
    reaches,
)
from tests.venue.stateful.transfers import Movements


@dataclass
class Model(Balances):
    """What the reference texts say happens."""

    now: int
    self_trade: str
    orders: list[Order] = field(default_factory=list)
    house: list[Order] = field(default_factory=list)
    history: list[Fill | Funding] = field(default_factory=list)
    modes: dict[tuple[str, str], str] = field(default_factory=dict)
    leverages: dict[tuple[str, str], int] = field(default_factory=dict)
    debt_leverages: dict[tuple[str, str, str], int] = field(default_factory=dict)
    guards: list[Guard] = field(default_factory=list)
    marks: dict[str, Decimal] = field(default_factory=dict)
    """As published."""
    rates: dict[str, Decimal] = field(default_factory=dict)
    """Of the next funding payment, as published."""
    funded: int = 0
    charged: int = 0
    places: int = 0
    asked: int = 0
    touched: list[Order] = field(default_factory=list)
    """Orders that changed since the caller last looked."""
    movements: Movements = field(init=False)
    crossings: Crossings = field(init=False)

    def __post_init__(self) -> None:
        self.movements = Movements(self.bookings, self._repay)
        self.crossings = Crossings(self.bookings, self._repay)

    # -- money -----------------------------------------------------------------------------------------------------

    def frozen(self, owner: str, venue: str, coin: str) -> Decimal:
        mine = (one for one in self.orders if one.owner == owner and not one.ended and one.hold)
        held = sum((one.hold for one in mine if (PAIRS[one.sym].venue, pays(one)) == (venue, coin)), ZERO)
        return held + self.movements.frozen(owner, venue, coin) + self.crossings.frozen(owner, venue, coin)

    def _set_hold(self, order: Order) -> None:
        """Quote of a buy at its limit, base of a sell; a margin order holds no more than is there."""
        pair = PAIRS[order.sym]
        if pair.is_perp or order.ended:
            order.hold = ZERO
            return
        full = order.left if not order.buy else order.left * order.price
        if pair.kind == "MARGIN":
            order.hold = min(full, max(self.free(order.owner, pair.venue, pays(order)) + order.hold, ZERO))
        else:
            order.hold = full

    # -- positions -------------------------------------------------------------------------------------------------

    def holding(self, owner: str, sym: str, leg: str) -> Holding:
        found, size = Holding(), PAIRS[sym].size
        for item in self.history:
            if isinstance(item, Funding):
                if (item.owner, item.sym, item.leg) == (owner, sym, leg):
                    found.funding += item.amount
            elif (item.order.owner, item.order.sym, item.order.leg) == (owner, sym, leg):
                add_fill(found, item.order.buy, item.qty, item.price, item.fee - item.rebate, size)
        return found

    def held(self, owner: str, sym: str, leg: str) -> Decimal:
        mine = [
            item
            for item in self.history
            if isinstance(item, Fill) and (item.order.owner, item.order.sym, item.order.leg) == (owner, sym, leg)
        ]
        return sum((item.qty if item.order.buy else -item.qty for item in mine), ZERO)

    def legs(self, owner: str, sym: str) -> list[str]:
        return ["LONG", "SHORT"] if self.modes.get((owner, PAIRS[sym].venue)) == "BOTH" else ["NONE"]

    def held_legs(self) -> Iterator[tuple[str, str, str]]:
        for owner in (self.main, self.sub):
            for sym, pair in PAIRS.items():
                if pair.is_perp:
                    yield from ((owner, sym, leg) for leg in self.legs(owner, sym) if self.held(owner, sym, leg))

    def reducible(self, order: Order) -> Decimal:
        held = self.held(order.owner, order.sym, order.leg)
        return abs(held) if held and (held > 0) != order.buy else ZERO

    # -- the book --------------------------------------------------------------------------------------------------

    def resting(self, sym: str, buy: bool) -> list[Order]:
        """A side in the order in which it trades."""
        side = [one for one in self.orders if one.place and not one.ended] + self.house
        side = [one for one in side if one.sym == sym and one.buy == buy and one.left]
        return sorted(side, key=lambda one: (-one.price if buy else one.price, one.place))

    def _meets(self, order: Order) -> Order | None:
        """The order on the other side that it would trade with now."""
        side = self.resting(order.sym, not order.buy)
        if not side:
            return None
        return side[0] if reaches(order, self._limit(order), side[0]) else None

    def _limit(self, order: Order) -> Decimal:
        if not order.market:
            return order.price
        far = Decimal("1.05") if order.buy else Decimal("0.95")
        return self.marks.get(order.sym, self.marks[PERP]) * far

    def _stand(self, order: Order) -> None:
        self.places += 1
        order.place = self.places

    def rest_house(self, sym: str, buy: bool, price: Decimal, qty: Decimal) -> None:
        order = Order(HOUSE, sym, buy, False, "GTC", qty, price, False, "NONE", None)
        self._stand(order)
        self.house.append(order)

    def _run(self, order: Order) -> None:
        if order.tif == "GTX" and self._meets(order):
            self._end(order, "REJECT", "SYSTEM")
            return
        if order.tif == "FOK" and not self._fills_whole(order):
            self._end(order, "CANCELLED", "EXPIRE")
            return
        self._take(order)
        if order.ended:
            return
        if order.market or order.tif in ("IOC", "FOK"):
            self._end(order, "CANCELLED", "EXPIRE")
            return
        self._stand(order)
        self._set_hold(order)
        if order.state == "NEW":
            order.state = "OPEN"
            self.touched.append(order)

    def _fills_whole(self, order: Order) -> bool:
        """Whether all of it would trade now: try it on a copy."""
        limit = self._limit(order)
        side = self.resting(order.sym, not order.buy)
        if order.left > sum((one.left for one in side if reaches(order, limit, one)), ZERO):
            return False
        trial, tried = copy.deepcopy((self, order))
        trial.orders.append(tried)
        trial._take(tried)
        return tried.state == "FILLED"

    def _take(self, order: Order) -> None:
        while not order.ended and order.left and (maker := self._meets(order)) is not None:
            if maker.owner == order.owner and self._minds(order):
                if self.self_trade in ("maker", "both"):
                    self._end(maker, "CANCELLED", "SYSTEM")
                if self.self_trade in ("taker", "both"):
                    self._end(order, "CANCELLED", "SYSTEM")
                continue
            qty = min(order.left, maker.left)
            if order.reduce:
                qty = min(qty, self.reducible(order))
            if maker.reduce:
                qty = min(qty, self.reducible(maker))
            self._trade(order, maker, qty)
            if order.reduce and not order.ended and not self.reducible(order):
                self._end(order, "CANCELLED", "REDUCE_ONLY")

    def _minds(self, order: Order) -> bool:
        """Whether it may not meet orders of its own owner."""
        return order.owner != HOUSE and self.self_trade != "allow"

    def _trade(self, order: Order, maker: Order, qty: Decimal) -> None:
        for one, role in ((order, "TAKER"), (maker, "MAKER")):
            if one.owner == HOUSE:
                one.done += qty
            else:
                self._fill(one, qty, maker.price, role)
        self.house = [one for one in self.house if one.left]

    def take_house(self, sym: str, buy: bool, price: Decimal, qty: Decimal) -> None:
        """A stranger takes up to a quantity at a price or better."""
        order = Order(HOUSE, sym, buy, False, "IOC", qty, price, False, "NONE", None)
        self._take(order)

    def _fill(self, order: Order, qty: Decimal, price: Decimal, role: str) -> None:
        pair = PAIRS[order.sym]
        base = qty * pair.size
        cost = base * price
        in_base = not pair.is_perp and order.buy
        rate = pair.taker if role == "TAKER" else pair.maker
        charge = ((base if in_base else cost) * rate).quantize(EIGHT, ROUND_HALF_UP)
        fee, rebate = max(charge, ZERO), max(-charge, ZERO)
        own = ZERO if pair.is_perp else max(self.free(order.owner, pair.venue, pays(order)) + order.hold, ZERO)
        order.done += qty
        order.amount += cost
        order.fee += fee
        order.rebate += rebate
        order.state = "PARTIALLY_FILLED" if order.left else "FILLED"
        if pair.kind == "MARGIN":
            missing = (cost if order.buy else base) - own
            if missing > 0:
                self._borrow(order.owner, pair.venue, pays(order), missing)
        realised = ZERO
        if pair.is_perp:
            before = self.holding(order.owner, order.sym, order.leg)
            realised = add_fill(before, order.buy, qty, price, fee, pair.size)
            moves = [("USDT", realised - charge)]
        else:
            sign = 1 if order.buy else -1
            moves = [
                ("BTC", sign * base - (charge if order.buy else ZERO)),
                ("USDT", -sign * cost - (ZERO if order.buy else charge)),
            ]
        self.history.append(Fill(order, qty, price, fee, rebate, realised, role))
        for coin, amount in moves:
            self._book(order.owner, pair.venue, coin, amount)
        for coin, amount in moves:
            self._repay(order.owner, pair.venue, coin, amount)
        self._set_hold(order)
        self.touched.append(order)
        for guard in self.guards:
            if guard.parent is order and guard.live:
                guard.state, guard.qty = "NEW", guard.qty + qty
        if pair.is_perp:
            self._sweep(order.owner, order.sym)

    def _sweep(self, owner: str, sym: str) -> None:
        """What only reduces has nothing left to do once the position is gone."""
        for one in self.orders:
            resting = one.place and not one.ended
            if resting and one.reduce and (one.owner, one.sym) == (owner, sym) and not self.reducible(one):
                self._end(one, "CANCELLED", "REDUCE_ONLY")
        for guard in self.guards:
            if (guard.parent.owner, guard.parent.sym) == (owner, sym):
                self._expire(guard)

    def _expire(self, guard: Guard) -> None:
        """A protection ends when its position is gone and its order can open none any more."""
        parent = guard.parent
        held = self.held(parent.owner, parent.sym, parent.leg)
        if guard.state == "NEW" and parent.ended and (not held or (held > 0) != parent.buy):
            guard.state = "EXPIRED"

    def _end(self, order: Order, state: str, cancel: str) -> None:
        order.state, order.cancel, order.hold = state, cancel, ZERO
        self.touched.append(order)
        for guard in self.guards:
            if guard.parent is order and guard.state == "PENDING_NEW":
                guard.state = "CANCELLED"
            elif guard.parent is order:
                self._expire(guard)

    # -- commands --------------------------------------------------------------------------------------------------

    def place(self, order: Order) -> None:
        """A placement; refusals are raised, in the order of the checks."""
        pair = PAIRS[order.sym]
        if order.qty <= 0:
            raise No(401005)
        if not order.market and order.price <= 0:
            raise No(401006)
        if order.client and any(one.client == order.client and one.owner == order.owner for one in self.orders):
            raise No(401009)
        if not order.market and order.price % pair.tick:
            raise No(401015)
        if order.qty % pair.lot:
            raise No(401013)
        hedged = pair.is_perp and self.modes.get((order.owner, pair.venue)) == "BOTH"
        named = order.leg
        order.leg = named if hedged and named in ("LONG", "SHORT") else "NONE"
        order.reduce = order.reduce and pair.is_perp
        if order.leg != "NONE" and order.buy == (order.leg == "SHORT"):
            order.reduce = True
        at = order.price or self.marks.get(order.sym, self.marks[PERP])
        if order.qty * pair.size * at < 5 and not order.reduce:
            raise No(401017)
        if hedged and order.leg == "NONE":
            raise No(401905)
        if order.reduce and not self.reducible(order):
            raise No(401903)
        self._afford(order)
        order.leverage = self.leverages.get((order.owner, order.sym), 20) if pair.is_perp else None

    def _afford(self, order: Order) -> None:
        pair = PAIRS[order.sym]
        if pair.kind == "SPOT" and not order.market:
            need = order.left * (order.price if order.buy else 1)
            if need > max(self.free(order.owner, pair.venue, pays(order)), ZERO):
                raise No(401901)
        elif pair.kind == "SPOT" and not order.buy and order.left > self.free(order.owner, pair.venue, "BTC"):
            raise No(401901)

    def accept(self, order: Order, order_id: str) -> None:
        """It was answered: it lives."""
        order.id, order.client = order_id, order.client or order_id
        self.orders.append(order)
        self.touched.append(order)
        if order.guarded:
            self.guards.append(Guard(order))
        self._run(order)

    def find(self, owner: str, order_id: str, client: str) -> Order:
        mine = [one for one in self.orders if one.owner == owner]
        found = [one for one in mine if (one.id == order_id if order_id else one.client == client)]
        if not found:
            raise No(401018)
        return found[-1]

    def replace(self, order: Order, qty: Decimal | None, price: Decimal | None) -> None:
        if order.ended:
            raise No(401117)
        if order.wish is not None or order.leaving:
            raise No(401915)
        try:
            self._judge(order, qty, price)
        except No:
            order.action = "AMEND_FAILED"
            self.touched.append(order)
            raise
        order.wish = (qty, price)
        self._ask(order, "AMEND_PENDING")

    def _judge(self, order: Order, qty: Decimal | None, price: Decimal | None) -> None:
        pair = PAIRS[order.sym]
        if qty is not None and qty <= 0:
            raise No(401005)
        if price is not None and price <= 0:
            raise No(401006)
        if price is not None and price % pair.tick:
            raise No(401015)
        if qty is not None and qty % pair.lot:
            raise No(401013)
        total, at = order.qty if qty is None else qty, order.price if price is None else price
        if (total, at) == (order.qty, order.price):
            raise No(401914)
        if total <= order.done:
            return
        if total * pair.size * at < 5 and not order.reduce:
            raise No(401017)
        self._afford_change(order, total, at)

    def _afford_change(self, order: Order, total: Decimal, at: Decimal) -> None:
        qty, price, hold = order.qty, order.price, order.hold
        order.qty, order.price, order.hold = total, at, ZERO
        try:
            self._afford(order)
        finally:
            order.qty, order.price, order.hold = qty, price, hold

    def cancel(self, order: Order) -> None:
        if order.ended:
            raise No(401117)
        if order.leaving:
            raise No(401915)
        self._leave(order)

    def _leave(self, order: Order) -> None:
        if order.wish is not None:
            order.wish = None
        order.leaving = True
        self._ask(order, "CANCEL_PENDING")

    def cancel_all(self, owner: str, venue: str, sym: str) -> list[Order]:
        wanted = [
            one
            for one in self.orders
            if one.owner == owner
            and not one.ended
            and not one.leaving
            and sym in ("", one.sym)
            and venue in ("", PAIRS[one.sym].venue)
        ]
        for one in wanted:
            self._leave(one)
        return wanted

    def close(self, owner: str, sym: str, named: str) -> Order:
        """The order that closes a position; open reduce-only orders of the pair, of both legs, are cancelled first."""
        hedged = self.modes.get((owner, PAIRS[sym].venue)) == "BOTH"
        if hedged and named not in ("LONG", "SHORT"):
            raise No(401905)
        leg = named if hedged else "NONE"
        held = self.held(owner, sym, leg)
        if not held:
            raise No(401097)
        for one in self.orders:
            if not one.ended and one.reduce and (one.owner, one.sym) == (owner, sym):
                if one.leaving or one.wish is not None:
                    one.action = "CANCEL_FAILED" if one.leaving else "AMEND_FAILED"
                one.wish, one.leaving = None, False
                self._end(one, "CANCELLED", "REDUCE_ONLY")
        leverage = self.leverages.get((owner, sym), 20)
        return Order(owner, sym, held < 0, True, "IOC", abs(held), ZERO, True, leg, leverage)

    def set_mode(self, owner: str, venue: str, mode: str) -> None:
        if mode == self.modes.get((owner, venue), "NET"):
            return
        here = [sym for sym, pair in PAIRS.items() if pair.venue == venue and pair.is_perp]
        open_here = any(one.owner == owner and one.sym in here and not one.ended for one in self.orders)
        guarded = any(one.live and one.parent.owner == owner and one.parent.sym in here for one in self.guards)
        if open_here or guarded or any(key[0] == owner and key[1] in here for key in self.held_legs()):
            raise No(406012)
        self.modes[(owner, venue)] = mode

    def set_leverage(self, owner: str, sym: str, leverage: int) -> None:
        if not 1 <= leverage <= 100:
            raise No(401908)
        if leverage == self.leverages.get((owner, sym), 20):
            return
        self.leverages[(owner, sym)] = leverage
        for one in self.orders:
            if (one.owner, one.sym) == (owner, sym) and not one.ended:
                one.leverage = leverage
                self.touched.append(one)

    def set_debt_leverage(self, owner: str, venue: str, coin: str, leverage: int) -> None:
        if coin not in LENT:
            raise No(406014)
        if not 1 <= leverage <= MOST_DEBT_LEVERAGE:
            raise No(401908)
        self.debt_leverages[(owner, venue, coin)] = leverage

    # -- time ------------------------------------------------------------------------------------------------------

    def _ask(self, order: Order, action: str) -> None:
        self.asked += 1
        order.action, order.due, order.queued = action, self.now + DELAY_MS, self.asked
        self.touched.append(order)

    def run_until(self, now: int) -> None:
        """Pending actions, funding and interest by the time at which they are due."""
        while True:
            pending = [(one.due, 0, one.queued) for one in self.orders if one.wish is not None or one.leaving]
            dues = [*pending, (self._next(self.funded, FUNDING_MS), 1, 0), (self._next(self.charged, HOUR_MS), 2, 0)]
            for kind, moved in ((3, self.movements), (4, self.crossings)):
                if (moving := moved.next_due()) is not None:
                    dues.append((moving, kind, 0))
            due, kind, number = min(dues)
            if due > now:
                break
            self.now = max(self.now, due)
            if kind == 0:
                self._apply(next(one for one in self.orders if one.queued == number))
            elif kind == 1:
                self._fund(due)
            elif kind == 2:
                self._charge(due)
            elif kind == 3:
                self.movements.run(due)
            else:
                self.crossings.run(due)
        self.now = max(self.now, now)

    @staticmethod
    def _next(last: int, step: int) -> int:
        return (last // step + 1) * step

    def _apply(self, order: Order) -> None:
        wish, order.wish = order.wish, None
        leaving, order.leaving = order.leaving, False
        self.touched.append(order)
        if leaving:
            order.action = "CANCEL_FAILED" if order.ended else "CANCEL_COMPLETED"
            if not order.ended:
                self._end(order, "CANCELLED", "USER")
            return
        assert wish is not None
        total, at = order.qty if wish[0] is None else wish[0], order.price if wish[1] is None else wish[1]
        order.action = "AMEND_FAILED"
        if order.ended:
            return
        if total <= order.done:
            order.action, order.amend = "AMEND_COMPLETED", "USER"
            self._end(order, "CANCELLED", "USER")
            return
        try:
            self._afford_change(order, total, at)
        except No:
            return
        if order.tif == "GTX" and self._would_meet(order, at):
            self._end(order, "CANCELLED", "SYSTEM")
            return
        keeps = at == order.price and total < order.qty
        order.action, order.amend = "AMEND_COMPLETED", "USER"
        order.qty, order.price = total, at
        self._set_hold(order)
        if not keeps:
            order.place = 0
            self._run(order)

    def _would_meet(self, order: Order, at: Decimal) -> bool:
        before, order.price = order.price, at
        meets = self._meets(order) is not None
        order.price = before
        return meets

    def _fund(self, boundary: int) -> None:
        """Positive rate: longs pay, shorts receive."""
        for owner, sym, leg in list(self.held_legs()):
            pair, held = PAIRS[sym], self.held(owner, sym, leg)
            amount = (-held * pair.size * self.marks[sym] * self.rates[sym]).quantize(EIGHT, ROUND_HALF_UP)
            self._book(owner, pair.venue, "USDT", amount)
            self.history.append(Funding(owner, sym, leg, amount))
        self.rates = dict.fromkeys(self.rates, CALM_RATE)
        self.funded = boundary

    def _charge(self, hour: int) -> None:
        for (_, _, coin), debt in self.debts.items():
            debt[1] += (debt[0] * HOURLY[coin]).quantize(EIGHTEEN, ROUND_DOWN)
        self.charge_loans()
        self.charged = hour

    def restart(self) -> None:
        """The market is not durable; own resting orders queue anew, oldest first."""
        self.house = []
        for one in sorted(self.orders, key=lambda one: one.id):
            if one.place and not one.ended:
                self._stand(one)
