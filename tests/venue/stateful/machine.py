"""The venue beside the model: the same commands to both, and everything that can be seen compared after each."""

from __future__ import annotations

import re
from collections.abc import Callable
from decimal import Decimal
from typing import Any

import msgspec

from tests import edition
from tests.venue.core.seeded import Seeded
from tests.venue.stateful.model import Model
from tests.venue.stateful.owners import Owners
from tests.venue.stateful.terms import CALM_RATE, FUNDING_MS, PAIRS, Guard, No, Order
from tests.venue.stateful.terms import Fill as ModelFill
from tests.venue.stateful.transfers import Place
from tui.interface.decimals import plain
from tui.interface.families.accounts import BillKind
from tui.interface.families.history import TradeRecord
from tui.interface.families.orders import OrderRecord
from tui.venue.core.commands import Advance, Command, Rejected, Reply
from tui.venue.core.events import (
    AccountsChanged,
    AssetsChanged,
    Durable,
    Event,
    OrderChanged,
    PositionsChanged,
)
from tui.venue.core.exchange import Exchange
from tui.venue.core.market.book import HOUSE as NOBODY
from tui.venue.core.switches import Switches
from tui.venue.core.trading import matching

START = 1_723_161_254_137
RARE = 10
"""Expensive comparisons happen every so many steps."""

NEXT = {
    "": {"NEW"},
    "NEW": {"NEW", "OPEN", "PARTIALLY_FILLED", "FILLED", "CANCELLED", "REJECT"},
    "OPEN": {"OPEN", "PARTIALLY_FILLED", "FILLED", "CANCELLED"},
    "PARTIALLY_FILLED": {"PARTIALLY_FILLED", "FILLED", "CANCELLED"},
    "FILLED": {"FILLED"},
    "CANCELLED": {"CANCELLED"},
    "REJECT": {"REJECT"},
}
ENDS = {
    "AMEND_PENDING": {"AMEND_PENDING", "AMEND_COMPLETED", "AMEND_FAILED"},
    "CANCEL_PENDING": {"CANCEL_PENDING", "CANCEL_COMPLETED", "CANCEL_FAILED"},
}
CANONICAL = re.compile(r"-?(0|[1-9][0-9]*)(\.[0-9]*[1-9])?")
DECIMALS = ("order_qty", "limit_price", "executed_qty", "executed_amount", "executed_avg_price", "fee", "rebate")


class Mirror:
    """What somebody has who took a snapshot and follows the pushes."""

    def __init__(self, exchange: Exchange) -> None:
        self.rows: dict[tuple[str, ...], object] = {}
        self.portfolios = tuple(exchange.queries.portfolios)
        """Whose pushes are followed: nobody heard those of a portfolio that was created since."""
        for portfolio in self.portfolios:
            self.rows.update(self.snapshot(exchange, portfolio))

    @staticmethod
    def snapshot(exchange: Exchange, portfolio: str) -> dict[tuple[str, ...], object]:
        rows: dict[tuple[str, ...], object] = {}
        rows.update({("order", row.order_id): row for row in exchange.queries.open_orders(portfolio)})
        rows.update(
            {("position", portfolio, row.sym, row.position_side): row for row in exchange.queries.positions(portfolio)}
        )
        rows.update(
            {("asset", portfolio, row.exchange_type, row.coin): row for row in exchange.queries.assets(portfolio)}
        )
        rows.update({("account", portfolio, row.exchange_type): row for row in exchange.queries.accounts(portfolio)})
        return rows

    def follow(self, event: Event) -> None:
        match event:
            case OrderChanged(_, row):
                self.rows[("order", row.order_id)] = row
                if row.order_state in ("FILLED", "CANCELLED", "REJECT"):
                    del self.rows[("order", row.order_id)]
            case PositionsChanged(portfolio, records):
                for position in records:
                    key = ("position", portfolio, position.sym, position.position_side)
                    self.rows[key] = position
                    if position.position_qty == "0":
                        assert position.liq_price is None, "V6: a flat position with a liquidation price"
                        del self.rows[key]
            case AssetsChanged(portfolio, records) if portfolio in self.portfolios:
                self.rows.update({("asset", portfolio, row.exchange_type, row.coin): row for row in records})
            case AccountsChanged(portfolio, records) if portfolio in self.portfolios:
                self.rows.update({("account", portfolio, row.exchange_type): row for row in records})


class Twin:
    """One venue and one model, driven together."""

    def __init__(self, self_trade: str) -> None:
        self.switches = {"agents": "off", "self_trade": self_trade, **edition.switches()}
        self.exchange = self._fresh()
        self.now = START
        self.main, self.sub = self.exchange.queries.portfolios
        self.model = Model(main=self.main, sub=self.sub, now=START, self_trade=self_trade, funded=START, charged=START)
        self.owners = Owners(self.main, self.sub)
        self.kept: dict[tuple[str, str], Durable] = {}
        self.stories: dict[str, tuple[str, str]] = {}
        self.fills = 0
        self.steps = 0
        self.agreed = True
        """Nothing differed so far."""
        self.log: list[Callable[[Exchange], object]] | None = []
        self._keep(self.exchange)
        for portfolio in (self.main, self.sub):
            for row in self.exchange.queries.assets(portfolio):
                self.model.bookings.append((portfolio, row.exchange_type, row.coin, Decimal(row.balance)))
        for account in self.exchange.funds.accounts(self.main):
            owner = str(account.account_id)
            for held in self.exchange.funds.balances(self.main, [owner], "")[0].asset_info:
                self.model.bookings.append((owner, account.venues, held.currency, Decimal(held.total_balance)))
        self.mirror = Mirror(self.exchange)
        self.read_market()

    def places(self) -> list[Place]:
        """Where money can be: both portfolios on their venues, and the other accounts."""
        mine = [Place(who, venue, "portfolio") for who in (self.main, self.sub) for venue in ("BINANCE", "OKX", "EDX")]
        kinds = {"DMA": "DMA", "Funding Account": "FUNDING", "Custody": "CUSTODY"}
        rows = self.exchange.funds.accounts(self.main)
        return mine + [Place(str(row.account_id), row.venues, kinds[row.label]) for row in rows]

    def transferable(self, place: Place, coin: str) -> Decimal:
        """What may leave a place: as printed for a portfolio (`_compare_accounts` says whether that is right)."""
        if place.kind != "portfolio":
            return self.model.free(place.owner, place.venue, coin)
        rows = self.exchange.queries.assets(place.owner)
        mine = [row.max_transferable for row in rows if (row.exchange_type, row.coin) == (place.venue, coin)]
        return Decimal(mine[0]) if mine else Decimal(0)

    def _fresh(self) -> Exchange:
        return Exchange(random_source=Seeded("twin"), start_ms=START, switches=Switches(self.switches))

    def _keep(self, exchange: Exchange) -> None:
        for row in exchange.drain_durable():
            self.kept[(row.table, row.key)] = row

    def read_market(self) -> None:
        """Marks and rates as they are published."""
        for sym, pair in PAIRS.items():
            if pair.is_perp:
                mark = self.exchange.queries.mark(sym)
                assert mark is not None
                self.model.marks[sym] = Decimal(mark.mark)
                self.model.rates[sym] = Decimal(self.exchange.queries.funding_rate(sym).funding_rate)

    # -- driving ---------------------------------------------------------------------------------------------------

    def pass_time(self, ms: int) -> None:
        """Let time pass; a short step stops at a funding boundary to read the rate that is paid there."""
        target = self.now + ms
        if ms <= 20_000:
            boundary = (self.now // FUNDING_MS + 1) * FUNDING_MS
            if boundary <= target:
                self._advance(boundary - 1)
                self._advance(boundary)
        self._advance(target)

    def _advance(self, to: int) -> None:
        self.read_market()
        rates = dict(self.model.rates)
        self._apply(Advance(), to)
        if to % FUNDING_MS == 0:
            self.read_market()
            self.model.rates = rates
        self.model.run_until(to)
        self.now = to
        self.read_market()

    def _apply(self, command: Command, at: int) -> Reply | None:
        if self.log is not None:
            self.log.append(lambda exchange: exchange.apply(command, at))
        reply, events = self.exchange.apply(command, at)
        self._follow(events)
        self._keep(self.exchange)
        return reply

    def do(self, command: Command, expected: Callable[[], Callable[[Any], None] | None]) -> None:
        """Carry out a command now; `expected` is the model's answer: a refusal, or what to do with an acceptance."""
        self.read_market()
        self.agreed = False
        reply = self._apply(command, self.now)
        self.read_market()
        then: Callable[[Any], None] | None = None
        code = 0
        try:
            then = expected()
        except No as refusal:
            code = refusal.code
        given = reply.code if isinstance(reply, Rejected) else 0
        assert given == code, f"{command} was answered {reply}, the model says {code or 'accepted'}"
        if then is not None and not isinstance(reply, Rejected):
            then(reply)
        self.compare()

    def outside(self, sym: str, *, buy: bool, price: Decimal, qty: Decimal, rests: bool) -> None:
        """A stranger takes what is there, or rests where nothing meets him."""
        pair = self.exchange._state.pairs[sym]
        ticks, lots = pair.ticks(price), pair.lots(qty)
        assert ticks is not None and lots is not None

        def act(exchange: Exchange) -> None:
            if rests:
                exchange._state.books[sym].add(NOBODY, "", ticks, lots, is_buy=buy)
                exchange._state.changes.moved[sym] = None
            else:
                matching.take_for_house(exchange._state, exchange._state.pairs[sym], ticks, lots, is_buy=buy)

        if self.log is not None:
            self.log.append(act)
        act(self.exchange)
        if rests:
            self.model.rest_house(sym, buy, price, qty)
        else:
            self.model.take_house(sym, buy, price, qty)
        self._apply(Advance(), self.now)
        self.compare()

    def kill_and_restart(self, away_ms: int, lost: Command | None) -> None:
        """Only the rows on disk come back; a command whose rows were not written never happened."""
        before = self.exchange.state_hash()
        if lost is not None:
            self.exchange.apply(lost, self.now)
        self.now += away_ms
        self.exchange = Exchange.restore(
            self.kept.values(), random_source=Seeded("again"), now_ms=self.now, switches=Switches(self.switches)
        )
        assert self.exchange.state_hash() == before, "V36: the restored state differs"
        self.log = None
        self.model.restart()
        self.mirror = Mirror(self.exchange)
        self.read_market()
        self.model.rates = dict.fromkeys(self.model.rates, CALM_RATE)
        self._apply(Advance(), self.now)
        self.model.run_until(self.now)
        self.compare()

    # -- comparing -------------------------------------------------------------------------------------------------

    def _follow(self, events: list[Event]) -> None:
        for event in events:
            self.mirror.follow(event)
            if isinstance(event, OrderChanged):
                self._story(event.record)

    def _story(self, row: OrderRecord) -> None:
        """V17, V19, V20: canonical figures; states and actions move along their chains."""
        state, action = self.stories.get(row.order_id, ("", ""))
        assert row.order_state in NEXT[state], f"V19: {row.order_id} {state} -> {row.order_state}"
        assert row.action in ENDS.get(action, {row.action}), f"V20: {row.order_id} {action} -> {row.action}"
        self.stories[row.order_id] = (row.order_state, row.action)
        for name in DECIMALS:
            text = getattr(row, name)
            assert not text or CANONICAL.fullmatch(text), f"V17: {name} {text!r}"

    def compare(self) -> None:
        """Both say the same."""
        self.agreed = False
        self.exchange.check()
        self._compare_fills()
        touched, self.model.touched = self.model.touched, []
        for order in {id(one): one for one in touched}.values():
            self._compare_order(order)
        if touched or self.model.movements.changed or self.model.crossings.changed:
            self.compare_money()
            self._compare_positions()
        self._compare_crossings()
        self._compare_transfers()
        self.steps += 1
        if self.steps % RARE == 0:
            self.compare_everything()
        self.agreed = True

    def compare_everything(self) -> None:
        """The expensive half."""
        for order in self.model.orders:
            self._compare_order(order)
        for portfolio in (self.main, self.sub):
            mine = [one.id for one in self.model.orders if one.owner == portfolio]
            assert sorted(row.order_id for row in self.exchange.queries.orders(portfolio)) == sorted(mine), "V30"
        self.compare_money()
        self._compare_positions()
        self._compare_guards()
        self._compare_accounts()
        self.owners.compare(self.exchange)
        now = {}
        for portfolio in self.mirror.portfolios:
            now.update(Mirror.snapshot(self.exchange, portfolio))
        assert _bytes(self.mirror.rows) == _bytes(now), "V27: pushes on a snapshot give something else"

    def _compare_fills(self) -> None:
        expected = [one for one in self.model.history if isinstance(one, ModelFill)]
        state_fills = self.exchange._state.fills
        total = sum(len(fills) for fills in state_fills.values())
        assert total == len(expected), f"{total} fills, the model has {len(expected)}"
        fresh = expected[self.fills :]
        for portfolio in (self.main, self.sub):
            mine = [one for one in fresh if one.order.owner == portfolio]
            rows = state_fills.get(portfolio, [])[-len(mine) :] if mine else []
            for fill, row in zip(mine, rows, strict=True):
                _same_fill(fill, row)
        self.fills = len(expected)

    def _compare_order(self, order: Order) -> None:
        row = self.exchange.queries.order(order.owner, order_id=order.id)
        pair = PAIRS[order.sym]
        base = order.done * pair.size
        average = order.amount / base if base else Decimal(0)
        assert (
            row.order_state,
            row.action,
            row.cancel_type,
            row.amend_type,
            row.client_order_id,
            row.order_qty,
            row.limit_price,
            row.executed_qty,
            row.executed_amount,
            row.fee,
            row.rebate,
            row.reduce_only,
            row.position_side,
            row.leverage,
        ) == (
            order.state,
            order.action,
            order.cancel,
            order.amend,
            order.client,
            plain(order.qty),
            "" if order.market else plain(order.price),
            plain(order.done),
            plain(order.amount),
            plain(order.fee),
            plain(order.rebate),
            order.reduce,
            order.leg,
            order.leverage,
        ), order
        assert abs(Decimal(row.executed_avg_price) - average) <= pair.tick, "V13"

    def compare_money(self) -> None:
        """Balances, holds, debts and loans."""
        balances = self.model.balances()
        for portfolio in (self.main, self.sub):
            for row in self.exchange.queries.assets(portfolio):
                venue, coin = row.exchange_type, row.coin
                balance = balances.get((portfolio, venue, coin), Decimal(0))
                frozen = self.model.frozen(portfolio, venue, coin)
                debt = sum(self.model.debts.get((portfolio, venue, coin), []), Decimal(0))
                expected = (_cut(balance), _cut(frozen), _cut(max(balance - frozen, Decimal(0))), _cut(debt))
                given = (row.balance, row.frozen, row.available, row.debt)
                assert given == expected, f"{portfolio} {venue} {coin}: {given}, the model has {expected}"
                loan = self.model.loans.get((portfolio, venue, coin), Decimal(0))
                assert (row.loan if isinstance(row.loan, str) else "0") == plain(loan), (
                    f"V10: {portfolio} {venue} {coin} loan {row.loan}, not {loan}"
                )

    def _compare_transfers(self) -> None:
        """V9: each one under way or arrived whole, fees and pools as reckoned, accounts with what is left."""
        movements = self.model.movements
        rows = {row.id: row.record() for row in self.exchange.funds.transfers(self.main)}
        rows |= {row.id: row.record() for row in self.exchange.funds.custody_actions()}
        assert set(rows) == {one.id for one in movements.all}, "V9: other transfers"
        if not movements.changed:
            return
        movements.changed = False
        for one in movements.all:
            row = rows[one.id]
            expected = (int(one.done), one.network, bool(one.pool), one.amount - one.fee if one.done else Decimal(0))
            given = (row.status, row.network, row.rapid_transfer, row.amount_received)
            assert given == expected, f"V9: {one}: {given} {row.reason}"
        for place in self.places():
            if place.kind != "portfolio":
                for balance in self.exchange.funds.balances(self.main, [place.owner], "")[0].asset_info:
                    key = (place.owner, place.venue, balance.currency)
                    figures = (self.model.balance(*key), self.model.frozen(*key))
                    assert (Decimal(balance.total_balance), Decimal(balance.frozen)) == figures, f"V2: {place}"
            if place.pool:
                quota = self.exchange.funds.pool(place.pool).available
                assert Decimal(quota) == movements.quota(place.pool, self.now), f"V9: {place.pool} {quota}"

    def _compare_crossings(self) -> None:
        """Each withdrawal and deposit where its time says, and a bill of each that crossed at a portfolio."""
        crossings = self.model.crossings
        if not crossings.changed:
            return
        crossings.changed = False
        self.model.movements.changed = True
        funds = self.exchange.funds
        for out, newest_first in ((True, funds.withdrawals), (False, funds.deposits)):
            # Those of a sub portfolio are on pages of the broker.
            found = {row.id: row for who in (self.main, self.sub) for row in newest_first(who)}
            rows = [found[key] for key in sorted(found, key=int)]
            mine = [one for one in crossings.all if one.out is out]
            assert len(rows) == len(mine), f"V9: {len(rows)} crossings, the model has {len(mine)}"
            for one, row in zip(mine, rows, strict=True):
                assert (row.status.value, row.amount) == (one.status, one.amount), f"V9: {one}: {row}"
        for who in (self.main, self.sub):
            kinds = [bill.record().type for bill in funds.bills(who)]
            given = len(kinds) - kinds.count(BillKind.TRANSFER.value)
            assert given == crossings.bills(who), f"V9: {given} bills of crossings of {who}"

    def _compare_positions(self) -> None:
        rows = {
            (portfolio, row.sym, row.position_side): row
            for portfolio in (self.main, self.sub)
            for row in self.exchange.queries.positions(portfolio)
        }
        assert set(rows) == set(self.model.held_legs()), "V5: other positions"
        for key, row in rows.items():
            held = self.model.holding(*key)
            quantity = held.qty if key[2] == "NONE" else abs(held.qty)
            assert (row.position_qty, row.avg_price, row.fee, row.funding_fee) == (
                plain(quantity),
                _cut(held.entry),
                plain(held.fee),
                plain(held.funding),
            ), f"V5: {key}"
            mark, size = Decimal(row.mark_price), abs(held.qty) * PAIRS[key[1]].size
            value = size * mark
            upnl = (mark - held.entry) * held.qty * PAIRS[key[1]].size
            assert mark == self.model.marks[key[1]], f"V6: mark of {key}"
            assert (row.position_value, row.position_mm, row.unrealized_pnl, row.position_margin) == (
                _cut(value),
                _cut(value * Decimal("0.005")),
                _cut(upnl),
                _cut(value / self.model.leverages.get(key[:2], 20)),
            ), f"V6: {key}"

    def _compare_guards(self) -> None:
        for portfolio in (self.main, self.sub):
            rows = {row.attached_order_id: row for row in self.exchange.queries.algos(portfolio)}
            mine: list[Guard] = [one for one in self.model.guards if one.parent.owner == portfolio]
            assert set(rows) == {one.parent.id for one in mine}, "V18"
            for one in mine:
                row = rows[one.parent.id]
                assert (row.order_state, row.order_qty) == (one.state, plain(one.qty)), f"V18: {one}"

    def _compare_accounts(self) -> None:
        """V6: the row of a venue from balances, debts, positions and open orders alone."""
        for portfolio in (self.main, self.sub):
            coins = self.exchange.queries.assets(portfolio)
            legs = self.exchange.queries.positions(portfolio)
            for row in self.exchange.queries.accounts(portfolio):
                venue = row.exchange_type
                # The model has no risk ladder: `test_liquidation_walks.py` walks through it instead.
                assert row.account_status == "NORMAL", "V25: a walk of small orders came near a liquidation"
                upnl = sum((Decimal(leg.unrealized_pnl) for leg in legs if leg.exchange_type == venue), Decimal(0))
                equity = margin_value = debt_margin = Decimal(0)
                for coin in (one for one in coins if one.exchange_type == venue):
                    own = Decimal(coin.balance) - Decimal(coin.debt) + (upnl if coin.coin == "USDT" else 0)
                    equity += own * Decimal(coin.index_price)
                    leverage = self.model.debt_leverages.get((portfolio, venue, coin.coin), 3)
                    debt_margin += Decimal(coin.debt) * Decimal(coin.index_price) / leverage
                    share = Decimal(1) if coin.coin == "USDT" else Decimal("0.95")
                    margin_value += own * Decimal(coin.index_price) * share
                close = Decimal("0.0000000001")
                assert abs(Decimal(row.equity) - equity) < close, "V6: equity"
                assert abs(Decimal(row.margin_value) - margin_value) < close, "V6: marginValue"
                valid, frozen = Decimal(row.valid_margin), Decimal(row.frozen_margin)
                assert abs(margin_value - Decimal(row.open_loss_margin) - valid) < close, "V6: validMargin"
                assert abs(frozen - Decimal(row.perp_margin) - Decimal(row.debt_margin)) < close, "V6: frozenMargin"
                assert abs(Decimal(row.debt_margin) - debt_margin) < close, "V6: debtMargin"
                assert abs(valid - frozen - Decimal(row.available_margin)) < close, "V6: availableMargin"
                assert Decimal(row.perp_margin) >= self._position_margin(portfolio, venue) - close, "V6: perpMargin"
                indexes = {coin.coin: Decimal(coin.index_price) for coin in coins if coin.exchange_type == venue}
                spare = self.model.spare_collateral(portfolio, venue, indexes, margin_value)
                self._compare_transferable(portfolio, venue, min(Decimal(row.available_margin), spare))

    def _compare_transferable(self, portfolio: str, venue: str, margin: Decimal) -> None:
        """V9: what may leave keeps the initial margin, and the loan to value below the first warning."""
        for coin in self.exchange.queries.assets(portfolio):
            if coin.exchange_type == venue:
                counts = Decimal(coin.index_price) * (Decimal(1) if coin.coin == "USDT" else Decimal("0.95"))
                most = min(Decimal(coin.available), max(margin, Decimal(0)) / counts)
                assert abs(Decimal(coin.max_transferable) - most) < Decimal("0.0000000001"), f"V9: {coin}"

    def _position_margin(self, portfolio: str, venue: str) -> Decimal:
        rows = self.exchange.queries.positions(portfolio)
        return sum((Decimal(one.position_margin) for one in rows if one.exchange_type == venue), Decimal(0))

    def replays(self) -> None:
        """V37, V38: the same log gives the same state, unless a restart cut it."""
        if self.log is None:
            return
        again = self._fresh()
        for act in self.log:
            act(again)
        assert again.state_hash() == self.exchange.state_hash(), "V38: the same log, another state"


def _same_fill(fill: ModelFill, row: TradeRecord) -> None:
    order = fill.order
    assert (row.order_id, row.exec_type, row.quantity, row.price, row.fee, row.rebate, row.rpnl, row.side) == (
        order.id,
        fill.role,
        plain(fill.qty),
        plain(fill.price),
        plain(fill.fee),
        plain(fill.rebate),
        plain(fill.realised),
        "BUY" if order.buy else "SELL",
    ), fill


def _cut(value: Decimal) -> str:
    """As it is printed: 18 decimals, cut."""
    whole = int(value * 10**18)
    return plain(Decimal(whole).scaleb(-18))


def _bytes(rows: dict[tuple[str, ...], object]) -> dict[tuple[str, ...], bytes]:
    return {key: msgspec.json.encode(row) for key, row in rows.items()}
