"""Invariants checked after every command; each assertion message contains the number of its rule."""

from __future__ import annotations

from collections import Counter
from decimal import Decimal

import msgspec

from tui.interface.decimals import ZERO
from tui.interface.families.algo import AlgoState
from tui.interface.families.liquidation import NODES, NodeType
from tui.interface.families.orders import Action, CancelType
from tui.interface.families.portfolios import MAX_KEYS, MAX_SUB_PORTFOLIOS
from tui.interface.families.positions import AccountStatus, PositionMode
from tui.interface.families.transfers import Pool, TransferStatus
from tui.venue.core.accounts import lending
from tui.venue.core.funds import rapid_pools
from tui.venue.core.market.symbols import SETTLEMENT, Pair
from tui.venue.core.state.algo_orders import AlgoOrder
from tui.venue.core.state.exchange_state import State
from tui.venue.core.state.funds.deposits import Withdrawal
from tui.venue.core.state.funds.transfers import Transfer
from tui.venue.core.state.ledger import LENDER_ACCOUNT
from tui.venue.core.state.orders import Order
from tui.venue.core.state.positions import LEGS
from tui.venue.core.trading.matching import full_hold

SoundOrders = dict[str, tuple[object, ...]]
"""By order id everything that its checks depend on, as they last passed."""


def check(state: State, sound: SoundOrders) -> None:
    """Assert V1, V2, V3, V4, V8, V9, V10, V11, V13, V18, V19, V20, V21 and V25; an order only when it changed."""
    state.ledger.check()
    _check_holds(state)
    _check_transfers(state)
    _check_debts(state)
    _check_loans(state)
    _check_positions(state)
    _check_queues(state)
    for order in state.orders.values():
        _check_order(state, order, sound)
    for algo in state.algos.by_id.values():
        _check_algo(state, algo)
    _check_liquidations(state)
    _check_portfolios(state)


def _check_holds(state: State) -> None:
    """Check V2, V3: frozen equals the sum of holds, an ended order has no hold, no balance is spent twice."""
    sums: dict[tuple[str, str, str], Decimal] = {}
    for order in state.orders.values():
        if order.is_final:
            assert not order.hold, f"V3: {order.id} ended with a hold"
        elif order.hold_coin:
            pair = state.pairs[order.sym]
            full = full_hold(pair, order)
            assert order.hold == full or (pair.borrows and 0 <= order.hold < full), f"V2: hold of {order.id}"
            key = (order.portfolio, state.pairs[order.sym].exchange, order.hold_coin)
            sums[key] = sums.get(key, ZERO) + order.hold
    moving: list[Transfer | Withdrawal] = [*state.transfers.running.values(), *state.withdrawals.running.values()]
    for movement in moving:
        key = (*movement.source, movement.currency)
        sums[key] = sums.get(key, ZERO) + movement.amount
    for key, frozen in state.frozen.items():
        assert frozen == sums.get(key, ZERO), f"V2: frozen {key}"
        balance = state.ledger.balances.get(key, ZERO)
        assert frozen == 0 or key[2] == SETTLEMENT or balance >= frozen, f"V3: {key} has less than is frozen"
    for (owner, _, coin), balance in state.ledger.balances.items():
        if owner in state.fund_accounts or (owner in state.portfolios and coin != SETTLEMENT):
            assert balance >= 0, f"V3: {owner} {coin} {balance}"


def _check_transfers(state: State) -> None:
    """Check V9: a transfer moves money once, when completed, and no pool gives more than it has."""
    moved = [posting.reference for posting in state.postings if posting.reason == "transfer"]
    assert len(moved) == len(set(moved)), "V9: a transfer moved twice"
    for transfer in state.transfers.by_id.values():
        assert transfer.running == (transfer.id in state.transfers.running), f"V9: {transfer.id} {transfer.status}"
        if transfer.id in moved:
            assert transfer.status is TransferStatus.DONE, f"V9: {transfer.id} moved and is {transfer.status}"
    for pool in Pool:
        assert state.transfers.sum_drawn(pool, state.now) <= rapid_pools.SIZE, f"V9: {pool} is overdrawn"


def _check_debts(state: State) -> None:
    """Check V8: debts are positive, and only in coins that the portfolio has a balance of."""
    for key, owed in state.debts.items():
        assert owed.principal >= 0 and owed.interest >= 0 and owed.total, f"V8: debt {key}"
        assert key in state.ledger.balances, f"V8: {key} owes a coin it never had"


def _check_loans(state: State) -> None:
    """Check V10: loans are positive and of lendable coins; the lender's deficit is at most the sum owed."""
    for key, owed in state.loans.owed.items():
        assert owed > 0 and key in state.ledger.balances, f"V10: loan {key} {owed}"
        assert owed == round(owed, 2), f"V10: loan {key} {owed} has more than 2 decimals"
    for (owner, venue, coin), balance in state.ledger.balances.items():
        if owner == LENDER_ACCOUNT:
            assert balance + lending.sum_lent(state, venue, coin) >= 0, (
                f"V8, V10: lent {coin} without a debt on {venue}"
            )


def _check_positions(state: State) -> None:
    """Check V4: the positions of every perpetual sum to zero over portfolios, simulated holders and house account."""
    sums = dict(state.house)
    for sym, bots in state.bots.items():
        sums[sym] = sums.get(sym, 0) + sum([bot.lots for bot in bots])
    for (owner, sym, leg), position in state.positions.items():
        assert position.lots, f"a closed position of {sym} was not removed"
        hedged = state.mode(owner, state.pairs[sym].exchange) == PositionMode.BOTH
        assert hedged == (leg in LEGS), f"V15: a {leg} position of {sym} in the wrong position mode"
        assert not hedged or (position.lots > 0) == (leg == LEGS[0]), f"V15: the {leg} leg of {sym} has the wrong sign"
        sums[sym] = sums.get(sym, 0) + position.lots
    assert not any(sums.values()), f"V4: {sums}"


def _check_queues(state: State) -> None:
    """Check V11, and that every open order is in its book with its remaining lots, and no other order is."""
    own = sum(book.check() for book in state.books.values())
    open_ids = {order.id for orders in state.open.values() for order in orders.values()}
    assert open_ids == set(state.resting), "open orders and resting orders differ"
    for order_id, resting in state.resting.items():
        order = state.orders[order_id]
        assert resting.lots == order.left and resting.ticks == order.ticks, (
            f"{order_id} has wrong lots or price in the book"
        )
    assert own == len(open_ids), "the book contains an order that is not open"


def _check_liquidations(state: State) -> None:
    """Check V25: liquidation stages in order, each once; an event is open exactly while the account is at risk."""
    table = state.liquidations
    for event in table.by_id.values():
        places = [NODES.index(NodeType(node.node_type)) for node in event.nodes]
        assert places == sorted(set(places)), f"V25: nodes of {event.id}: {places}"
        assert event.ended == (table.open.get(event.key) is not event), (
            f"V25: liquidation event {event.id} is open beside another one"
        )
    sound = {key for key, row in state.published.accounts.items() if row.account_status == AccountStatus.NORMAL}
    assert not sound & set(table.open), "V25: a liquidation event is open for an account not at risk"
    assert sound | set(table.open) == set(state.published.accounts), "V25: an account at risk has no liquidation event"
    assert not table.working, "V25: a liquidation order is still marked as working"


def _check_portfolios(state: State) -> None:
    """Check unique portfolio names, count limits, a published record for each account, a portfolio for each API key."""
    names = [portfolio.name for portfolio in state.portfolios.values()]
    assert len(set(names)) == len(names) <= MAX_SUB_PORTFOLIOS + 1, f"portfolios {names}"
    for portfolio in state.portfolios:
        for venue in state.venues(portfolio):
            assert (portfolio, venue) in state.published.accounts, f"{portfolio} has no account record on {venue}"
    held = Counter(key.portfolio for key in state.api_keys.values())
    assert set(held) <= set(state.portfolios), "an API key belongs to no portfolio"
    assert max(held.values(), default=0) <= MAX_KEYS, f"keys {held}"


def _check_algo(state: State, algo: AlgoOrder) -> None:
    """Check V18: an algo order fires at most once, is linked with its child order both ways, and is indexed while open."""
    assert algo.is_open == (algo.id in state.algos.open_on.get(algo.sym, {})), f"V18: {algo.id} {algo.state}"
    child = state.orders.get(algo.child)
    if child is None:
        assert algo.state not in (AlgoState.PROCESSING, AlgoState.COMPLETED), f"V18: {algo.id} fired without a child"
        return
    assert child.algo_id == algo.id, f"V18: {algo.child} does not belong to {algo.id}"
    executed = sum(order.executed for order in state.orders.values() if order.algo_id == algo.id)
    assert executed == algo.executed, f"V18: {algo.id} has another executed quantity than its child"
    assert child.is_final != algo.is_open, f"V18: {algo.id} {algo.state} with a child in {child.state}"


def _check_order(state: State, order: Order, sound: SoundOrders) -> None:
    pair, name = state.pairs[order.sym], state.portfolios[order.portfolio].name
    looked_at = (*msgspec.structs.astuple(order), pair, name, state.order_record(order))
    if sound.get(order.id) == looked_at:
        return
    _check_fields(pair, order)
    assert state.order_record(order) == order.record(pair, name), f"{order.id} changed without an event"
    sound[order.id] = looked_at


def _check_fields(pair: Pair, order: Order) -> None:
    assert order.executed >= 0, f"V13: {order.id}"
    if not order.by_quote:
        assert order.executed <= order.lots or order.is_final, f"V13: {order.id} executed more than its quantity"
    assert (order.executed == 0) == (order.amount == 0), f"V13: {order.id}"
    if not order.is_market and order.executed and not order.amend_type:
        limit = pair.base_qty(order.executed) * pair.price(order.ticks)
        assert order.amount <= limit if order.is_buy else order.amount >= limit, (
            f"V14: {order.id} traded past its limit"
        )
    pending = order.action in (Action.AMEND_PENDING, Action.CANCEL_PENDING)
    assert pending == (order.cancelling or order.amend is not None), f"V20: {order.id} {order.action}"
    cancelled = order.state in ("CANCELLED", "REJECT", "REJECTED")
    assert cancelled == (order.cancel_type != CancelType.NOTHING), f"V21: {order.id} {order.state} {order.cancel_type}"
