"""Any sequence of commands: the venue and the naive model agree after every step (V1-V9, V11-V24, V26-V28, V30, V36-V39)."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable
from decimal import Decimal
from functools import partial
from typing import Any, ClassVar

import pytest
from hypothesis import HealthCheck, note, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, rule, run_state_machine_as_test

from tests.figures import measured
from tests.venue.stateful.account_commands import AccountCommands
from tests.venue.stateful.drawing import (
    GAPS,
    GROUPS,
    LEAPS,
    LEGS,
    LEVELS,
    LOTS,
    ODD,
    OWNERS,
    PERPS,
    SEEDS,
    SIDES,
    STEPS,
    SYMS,
    TIFS,
    WHICH,
    drawn,
    price_of,
    qty_of,
)
from tests.venue.stateful.machine import Twin
from tests.venue.stateful.story import story
from tests.venue.stateful.terms import CONTRACTS, MARGIN, PAIRS, PERP, SPOT, No, Order
from tui.interface import decimals
from tui.interface.families.orders import CancelAllOrders, CancelOrder, PlaceOrder, ReplaceOrder
from tui.interface.families.positions import ClosePosition, ClosePositions, SetMarginLeverage
from tui.venue.core.commands import MoveMarket, PayDividend


class VenueMachine(AccountCommands, RuleBasedStateMachine):
    """Hypothesis draws groups of commands and one seed for each; the seed decides command and arguments."""

    steps_done = 0
    reached: ClassVar[Counter[str]] = Counter()
    tell: Callable[[str], None] = staticmethod(note)

    @initialize(self_trade=st.sampled_from(["taker", "taker", "maker", "both", "allow"]), hedged=st.booleans())
    def begin(self, self_trade: str, hedged: bool) -> None:
        decimals.setup()
        self.twin = Twin(self_trade)
        self.count = self.turn = 0
        self.moves = False
        if hedged:
            self.set_position_mode("main", "BINANCE", "BOTH")

    def teardown(self) -> None:
        if hasattr(self, "twin") and self.twin.agreed:
            self.twin.compare_everything()
            self.twin.replays()
            VenueMachine.steps_done += self.twin.steps
            VenueMachine.reached.update(story(self.twin.model))
            if self.moves:
                VenueMachine.reached.update(self.twin.model.movements.story())
                VenueMachine.reached.update(self.twin.model.crossings.story())
            VenueMachine.reached.update(replayed=int(self.twin.log is not None), restarted=int(self.twin.log is None))

    def _any(self, owner: str, number: int, *, open_only: bool) -> Order | None:
        mine = [one for one in self.twin.model.orders if one.owner == owner and not (open_only and one.ended)]
        return mine[-1 - number % len(mine)] if mine else None

    def _act(self, group: str, seed: int) -> None:
        self.turn += 1
        source = random.Random(seed + 2**32 * self.turn)
        commands = GROUPS[group]
        name, _, choices = source.choices(commands, [weight for _, weight, _ in commands])[0]
        arguments = {key: source.choice(options) for key, options in choices.items()}
        self.tell(f"{name}({arguments})")
        getattr(self, name)(**arguments)

    @rule(seed=SEEDS)
    def orders(self, seed: int) -> None:
        self._act("orders", seed)

    @rule(seed=SEEDS)
    def more_orders(self, seed: int) -> None:
        self._act("orders", seed)

    @rule(seed=SEEDS)
    def market(self, seed: int) -> None:
        self._act("market", seed)

    @rule(seed=SEEDS)
    def account(self, seed: int) -> None:
        self._act("account" if seed % 4 == 0 else "orders", seed)

    @rule(seed=SEEDS)
    def time_and_process(self, seed: int) -> None:
        self._act("time" if seed % 3 == 0 else "market", seed)

    @rule(seed=SEEDS)
    def money(self, seed: int) -> None:
        self.moves = True
        self._act("money", seed)

    # -- orders ----------------------------------------------------------------------------------------------------

    @drawn("orders", 16, owner=OWNERS, sym=SYMS, buy=SIDES, level=LEVELS, lots=LOTS, tif=TIFS, leg=LEGS, odd=ODD, gap=GAPS,
          market=(*[False] * 6, True), reduce=(*[False] * 9, True),
          guarded=(False, False, False, True), named=(False, True))  # fmt: skip
    def place(self, owner: str, sym: str, buy: bool, level: int, lots: int, tif: str, leg: str, odd: str, gap: int,
              market: bool, reduce: bool, guarded: bool, named: bool) -> None:  # fmt: skip
        self.twin.pass_time(gap)
        pair, price, qty = PAIRS[sym], price_of(level), qty_of(sym, lots)
        if odd == "tick":
            price += pair.tick / 2
        elif odd in ("lot", "zero"):
            qty = qty + pair.lot / 2 if odd == "lot" else Decimal(0)
        elif odd == "tiny" and sym == SPOT:
            qty = pair.lot
        self.count += 1
        client = f"c{self.count}" if named else ""
        who = self.who(owner)
        order = Order(who, sym, buy, market, "IOC" if market else tif or "GTC", qty,
                      Decimal(0) if market else price, reduce, leg, None, client)  # fmt: skip
        order.guarded = guarded and sym == PERP
        self._send(order, leg, tif)

    def _send(self, order: Order, leg: str, tif: str) -> None:
        far = Decimal("0.08") * (1 if order.buy else -1)
        command = PlaceOrder(
            portfolio=order.owner,
            sym=order.sym,
            side="BUY" if order.buy else "SELL",
            order_type="MARKET" if order.market else "LIMIT",
            time_in_force="" if order.market else tif,
            order_qty=format(order.qty, "f"),
            limit_price="" if order.market else format(order.price, "f"),
            client_order_id=order.client,
            reduce_only=order.reduce,
            position_side=leg,
            tp_trigger_price=format(Decimal(61_800) * (1 + far), "f") if order.guarded else "",
            sl_trigger_price=format(Decimal(61_800) * (1 - far), "f") if order.guarded else "",
        )

        def expected() -> Callable[[Any], None]:
            self.twin.model.place(order)
            return lambda reply: self.twin.model.accept(order, reply.order_id)

        self.twin.do(command, expected)

    @drawn("orders", 1, owner=OWNERS, number=WHICH)
    def place_again(self, owner: str, number: int) -> None:
        """V22: a used client order id makes nothing, whatever became of the first order."""
        first = self._any(self.who(owner), number, open_only=False)
        if first is not None:
            self._send(
                Order(first.owner, SPOT, True, False, "GTC", Decimal("0.001"), price_of(-5), False, "", None,
                      first.client), "", "",
            )  # fmt: skip

    @drawn("orders", 5, owner=OWNERS, number=WHICH, level=LEVELS, lots=LOTS, what=range(4), odd=ODD, gap=GAPS,
          by_client=SIDES, finished=(False, False, False, True))  # fmt: skip
    def replace(self, owner: str, number: int, level: int, lots: int, what: int, odd: str, gap: int,
                by_client: bool, finished: bool) -> None:  # fmt: skip
        self.twin.pass_time(gap)
        order = self._any(self.who(owner), number, open_only=not finished)
        begun = [one for one in self.twin.model.orders if one.state == "PARTIALLY_FILLED"]
        if what == 3 and begun:
            order, lots = begun[number % len(begun)], 1 + lots % 3
        if order is None:
            return
        pair = PAIRS[order.sym]
        qty = None if what == 1 else qty_of(order.sym, lots)
        price = None if what == 2 else price_of(level)
        if odd == "tick" and price is not None:
            price += pair.tick / 2
        elif odd == "lot" and qty is not None:
            qty += pair.lot / 2
        command = ReplaceOrder(
            portfolio=order.owner,
            order_id="" if by_client else order.id,
            client_order_id=order.client if by_client else "",
            replace_qty="" if qty is None else format(qty, "f"),
            replace_price="" if price is None else format(price, "f"),
        )
        self.twin.do(command, lambda: self.twin.model.replace(order, qty, price))

    @drawn("orders", 3, owner=OWNERS, number=WHICH, gap=GAPS, by_client=SIDES,
          kind=("open", "open", "open", "any", "foreign", "unknown"))  # fmt: skip
    def cancel(self, owner: str, number: int, gap: int, by_client: bool, kind: str) -> None:
        self.twin.pass_time(gap)
        who = self.who(owner)
        holder = who if kind != "foreign" else (self.twin.sub if who == self.twin.main else self.twin.main)
        order = self._any(holder, number, open_only=kind == "open")
        if order is None:
            return
        order_id = "9" * 16 if kind == "unknown" else order.id
        by_client = by_client and kind in ("open", "any")
        command = CancelOrder(
            portfolio=who, order_id="" if by_client else order_id, client_order_id=order.client if by_client else ""
        )

        def expected() -> None:
            model = self.twin.model
            model.cancel(model.find(who, command.order_id, command.client_order_id))

        self.twin.do(command, expected)

    @drawn("orders", 1, owner=OWNERS, venue=("", "BINANCE", "OKX", "NOWHERE"), sym=("", PERP, SPOT),
          gap=GAPS)  # fmt: skip
    def cancel_all(self, owner: str, venue: str, sym: str, gap: int) -> None:
        self.twin.pass_time(gap)
        who = self.who(owner)

        def expected() -> None:
            if venue == "NOWHERE":
                raise No(401023)
            self.twin.model.cancel_all(who, venue, sym)

        self.twin.do(CancelAllOrders(portfolio=who, exchange_type=venue, sym=sym), expected)

    @drawn("orders", 1, owner=OWNERS, sym=PERPS, leg=LEGS)
    def close_position(self, owner: str, sym: str, leg: str) -> None:
        who = self.who(owner)

        def expected() -> Callable[[Any], None]:
            order = self.twin.model.close(who, sym, leg)
            return lambda reply: self.twin.model.accept(order, reply.order_id)

        self.twin.do(ClosePosition(portfolio=who, sym=sym, position_side=leg), expected)

    @drawn("orders", 1, owner=OWNERS, listed=SIDES, many=(False, False, True))
    def close_positions(self, owner: str, listed: bool, many: bool) -> None:
        who = self.who(owner)
        names = ",".join(["BINANCE_PERP_BTC_USDT"] * 21) if many else f"{PERP},{CONTRACTS}"
        command = ClosePositions(portfolio=who, sym_list=names if listed else "", close_all_pos=str(not listed))

        def expected() -> Callable[[Any], None]:
            if listed and many:
                raise No(401129)
            return partial(self._closed, who)

        self.twin.do(command, expected)

    def _closed(self, owner: str, reply: Any) -> None:
        model = self.twin.model
        for one in reply:
            if one.success == "true":
                order_id = str(one.order_id)
                found = self.twin.exchange._state.orders[order_id]
                model.accept(model.close(found.portfolio, one.sym, one.position_side), order_id)
            else:
                assert one.error_msg.startswith("401097")
                assert one.position_side == "NONE" or not model.held(owner, one.sym, one.position_side)

    @drawn("orders", 3, number=WHICH, more=(0, 0, 1, 2, -1), level=LEVELS, tif=TIFS, market=SIDES, gap=GAPS,
          kind=("alone", "met", "outrun"))  # fmt: skip
    def reduce_position(self, number: int, more: int, level: int, tif: str, market: bool, gap: int, kind: str) -> None:
        """An order that only reduces, of about the size of a position; a stranger takes it, or another order is faster."""
        self.twin.pass_time(gap)
        held = list(self.twin.model.held_legs())
        if not held:
            return
        owner, sym, leg = held[number % len(held)]
        have = self.twin.model.held(owner, sym, leg)
        qty = abs(have) + more * PAIRS[sym].lot
        price = Decimal(0) if market else price_of(level)
        tif = "IOC" if market else tif
        if kind == "met":
            self._offer(sym, have > 0, abs(have))
        self._send(Order(owner, sym, have < 0, market, tif or "GTC", qty, price, True, leg, None), leg, tif)
        if kind == "outrun":
            self._offer(sym, have > 0, abs(have))
            self._send(Order(owner, sym, have < 0, True, "IOC", abs(have), Decimal(0), False, leg, None), leg, "")

    def _offer(self, sym: str, buy: bool, qty: Decimal) -> None:
        """A stranger stands at the best price there is room for."""
        other = self.twin.model.resting(sym, not buy)
        inside = Decimal("0.1") * (-1 if buy else 1)
        price = other[0].price + inside if other else price_of(0)
        self.twin.outside(sym, buy=buy, price=price, qty=qty, rests=True)

    @drawn("orders", 3, number=WHICH, more=(0, 0, 1))
    def all_or_nothing(self, number: int, more: int) -> None:
        """A FOK order for all there is up to an order that only reduces, and may no longer be good for all of it."""
        waiting = [one for one in self.twin.model.orders if one.reduce and one.place and not one.ended]
        if not waiting:
            return
        found = waiting[number % len(waiting)]
        other = self.twin.sub if found.owner == self.twin.main else self.twin.main
        side = self.twin.model.resting(found.sym, found.buy)
        qty = sum((one.left for one in side[: side.index(found) + 1]), Decimal(0)) + more * PAIRS[found.sym].lot
        leg = "SHORT" if found.buy else "LONG"
        self._send(Order(other, found.sym, not found.buy, False, "FOK", qty, found.price, False, leg, None), leg, "FOK")

    @drawn("orders", 3, owner=OWNERS, buy=SIDES, level=LEVELS, lots=LOTS, gap=GAPS)
    def change_in_a_queue(self, owner: str, buy: bool, level: int, lots: int, gap: int) -> None:
        """Two orders at one price; the first is made smaller or larger, then a stranger takes a little."""
        first = self.who(owner)
        second = self.twin.sub if first == self.twin.main else self.twin.main
        leg = "LONG" if buy else "SHORT"
        sent = [
            Order(who, PERP, buy, False, "GTC", qty_of(PERP, 4), price_of(level), False, leg, None)
            for who in (first, second)
        ]
        for order in sent:
            self._send(order, leg, "GTC")
        if not all(order.place and not order.ended for order in sent):
            return
        self.amend_one(sent[0], qty_of(PERP, lots), None)
        self.twin.pass_time(gap)
        if not sent[0].ended:
            side = self.twin.model.resting(PERP, buy)
            ahead = sum((one.left for one in side[: side.index(sent[0])] if one is not sent[1]), Decimal(0))
            qty = ahead + qty_of(PERP, 1)
            self.twin.outside(PERP, buy=not buy, price=sent[0].price, qty=qty, rests=False)

    # -- market ----------------------------------------------------------------------------------------------------

    @drawn("market", 3, sym=SYMS, buy=SIDES, level=LEVELS, lots=LOTS)
    def external_trader(self, sym: str, buy: bool, level: int, lots: int) -> None:
        self.twin.outside(sym, buy=buy, price=price_of(level), qty=qty_of(sym, lots), rests=False)

    @drawn("market", 4, owner=OWNERS, number=WHICH, action=("cancel", "amend", "shrink"), whole=SIDES, gap=GAPS)
    def race(self, owner: str, number: int, action: str, whole: bool, gap: int) -> None:
        """A stranger fills an order, or begins to, while its cancel or amend is under way; or it is cut afterwards."""
        self.twin.pass_time(gap)
        order = self._any(self.who(owner), number, open_only=True)
        if order is None or not order.place or (order.reduce and action == "shrink"):
            return
        side = self.twin.model.resting(order.sym, order.buy)
        ahead = sum((one.left for one in side[: side.index(order)]), Decimal(0))
        least = qty_of(order.sym, 1)
        qty = ahead + (order.left if whole and action != "shrink" else min(least, order.left))
        if action == "cancel":
            self.cancel_one(order)
        elif action == "amend":
            self.amend_one(order, None, order.price + Decimal("0.1"))
        self.twin.outside(order.sym, buy=not order.buy, price=order.price, qty=qty, rests=False)
        if action == "shrink":
            self.amend_one(order, least, None)
        self.twin.pass_time(2)
        self.twin.compare()

    def cancel_one(self, order: Order) -> None:
        self.twin.do(CancelOrder(portfolio=order.owner, order_id=order.id), lambda: self.twin.model.cancel(order))

    def amend_one(self, order: Order, qty: Decimal | None, price: Decimal | None) -> None:
        command = ReplaceOrder(
            portfolio=order.owner,
            order_id=order.id,
            replace_qty="" if qty is None else format(qty, "f"),
            replace_price="" if price is None else format(price, "f"),
        )
        self.twin.do(command, lambda: self.twin.model.replace(order, qty, price))

    @drawn("market", 1, lots=LOTS, hours=range(4), leverage=(0, 1, 2, 4, 5, 6), coin=("BTC", "BTC", "USDT", "XRP"))
    def borrow_by_an_order(self, lots: int, hours: int, leverage: int, coin: str) -> None:
        """The sub portfolio has no coins: what it sells on margin is borrowed, costs by the hour, and asks for margin."""
        self.external_maker(MARGIN, True, 5, lots)
        order = Order(self.twin.sub, MARGIN, False, True, "IOC", qty_of(MARGIN, lots), Decimal(0), False, "", None)
        self._send(order, "", "")
        command = SetMarginLeverage(portfolio=self.twin.sub, exchange_type="BINANCE", coin=coin, leverage=str(leverage))
        self.twin.do(command, lambda: self.twin.model.set_debt_leverage(self.twin.sub, "BINANCE", coin, leverage))
        self.twin.pass_time(hours * 3_600_000)
        self.twin.compare()

    @drawn("market", 3, sym=SYMS, buy=SIDES, level=LEVELS, lots=LOTS)
    def external_maker(self, sym: str, buy: bool, level: int, lots: int) -> None:
        other = self.twin.model.resting(sym, not buy)
        price = price_of(level)
        if not other or (price < other[0].price if buy else price > other[0].price):
            self.twin.outside(sym, buy=buy, price=price, qty=qty_of(sym, lots), rests=True)

    @drawn("market", 1, price=range(60_500, 63_001))
    def move_market(self, price: int) -> None:
        self.twin.do(MoveMarket(coin="BTC", price=str(price)), lambda: None)

    @drawn("market", 1, coin=("USDT", "BTC", "ETH", "DOGE"), share=("0.0001", "0.01"))
    def pay_dividend(self, coin: str, share: str) -> None:
        self.twin.do(PayDividend(coin=coin, share=share), lambda: self.twin.model.pay_dividend(coin, Decimal(share)))

    # -- time and process ------------------------------------------------------------------------------------------

    @drawn("time", 5, ms=LEAPS)
    def advance_time(self, ms: int) -> None:
        self.twin.pass_time(ms)
        self.twin.compare()

    @drawn("time", 1, away=(0, 1, 1000, 3_600_000, 30 * 3_600_000), in_the_middle=SIDES)
    def kill_and_restart(self, away: int, in_the_middle: bool) -> None:
        lost = PlaceOrder(
            portfolio=self.twin.main, sym=PERP, side="BUY", order_type="LIMIT", order_qty="0.005",
            limit_price="61800.5", client_order_id=f"lost{self.twin.steps}",
        )  # fmt: skip
        self.twin.kill_and_restart(away, lost if in_the_middle else None)


RULES = ("orders", "more_orders", "market", "account", "time_and_process")
FIRST_WITH_MONEY = 300
"""Walks from this number on move money, too; those before it stay what they were."""
NIGHT_PARTS = 4
WALKS = 90
"""Walks of a test, of up to `STEPS` commands."""


def walk(number: int) -> None:
    """One walk of the machine; the number decides all of it, on every machine."""
    source = random.Random(number)
    machine, story = VenueMachine(), list[str]()
    machine.tell = story.append
    try:
        machine.begin(source.choice(["taker", "taker", "maker", "both", "allow"]), source.random() < 0.5)
        rules = RULES if number < FIRST_WITH_MONEY else (*RULES, "money", "money")
        groups = source.sample(rules, source.randint(1, len(rules)))
        for group, seed in [(source.choice(groups), source.randrange(2**32)) for _ in range(STEPS)]:
            getattr(machine, group)(seed=seed)
        machine.teardown()
    except Exception as error:
        error.add_note(f"walk {number}, command {len(story)}; the last ones were:")
        for line in story[-8:]:
            error.add_note(f"  {line}")
        raise


def check_reached() -> None:
    missed = [name for name, count in VenueMachine.reached.items() if not count]
    assert not missed, f"the run never reached {missed}"


@pytest.mark.timeout(600)
@pytest.mark.parametrize(
    "first",
    [100, FIRST_WITH_MONEY, pytest.param(0, marks=pytest.mark.nightly), pytest.param(200, marks=pytest.mark.nightly)],
)
def test_venue_and_naive_model_agree_over_random_commands(first: int) -> None:
    """The default run takes more than 20,000 steps."""
    VenueMachine.steps_done = 0
    VenueMachine.reached.clear()
    for number in range(first, first + WALKS):
        walk(number)
    check_reached()
    assert VenueMachine.steps_done >= 10_000, f"only {VenueMachine.steps_done} steps"
    measured.keep("venue", "commit", **{f"walks from {first}": VenueMachine.steps_done})


@pytest.mark.parametrize("number", [58, 194])
def test_command_sequences_that_once_failed_now_agree(number: int) -> None:
    """An order to fill or kill that meets own orders under `self_trade=allow`."""
    walk(number)


@pytest.mark.nightly
@pytest.mark.timeout(3600)
@pytest.mark.parametrize("part", range(1, NIGHT_PARTS + 1))
def test_the_venue_and_the_naive_model_agree_in_long_runs(part: int) -> None:
    """Walks that nobody chose, with a shortest example of what differs; in parts that each end within minutes."""
    VenueMachine.steps_done = 0
    VenueMachine.reached.clear()
    run_state_machine_as_test(
        VenueMachine,
        settings=settings(
            max_examples=3_200 // NIGHT_PARTS,
            stateful_step_count=STEPS,
            deadline=None,
            suppress_health_check=list(HealthCheck),
            print_blob=True,
        ),
    )
    check_reached()
    assert VenueMachine.steps_done >= 300_000 // NIGHT_PARTS, f"only {VenueMachine.steps_done} steps"
    measured.keep("venue", "nightly", **{f"steps of part {part}": VenueMachine.steps_done})
