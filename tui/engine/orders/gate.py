"""Gate that every order intent must pass, in paper trading too; a denied intent is never sent."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from decimal import Decimal
from itertools import chain
from typing import NamedTuple

from tui.client.rate_limiter import RateLimiter
from tui.engine.intents import (
    GUARD_JOINT,
    Cancel,
    CancelAll,
    CancelAllAlgos,
    Place,
    Replace,
)
from tui.engine.limits import Limits, trader_of
from tui.engine.modes import RiskMode, TradingState
from tui.engine.orders import algo_checks, pre_trade_checks, price_checks
from tui.engine.orders.dismissal import check_unknown_orders
from tui.engine.orders.exposure import check_held, describe_beyond, has_positions, list_pair_values
from tui.engine.orders.intent_record import RECORDED_WITHIN_S
from tui.engine.orders.pre_trade_checks import (
    LegFacts,
    OrderContext,
    Refusal,
    build_replaced_order,
    compare_figures,
)
from tui.engine.orders.recent_sends import RecentSends, rate_key
from tui.engine.orders.session_checks import SessionChecks
from tui.engine.peers.mandate import GUARD as MANDATE
from tui.engine.peers.mandates import Mandates
from tui.engine.rows import LocalOrderState, OrderRow, Source
from tui.engine.state.closing_orders import has_reducible, may_have_opened, order_only_closes
from tui.engine.state.engine_state import EngineState
from tui.engine.state.order_fold import row_of
from tui.engine.symbol_rules import CHANGED_RULES, RULES_WORD
from tui.interface import decimals
from tui.interface.decimals import plain
from tui.interface.endpoint import Endpoint
from tui.interface.families.orders import (
    CANCEL_ALL,
    CANCEL_ORDER,
    PLACE_ORDER,
    REPLACE_ORDER,
    OrderState,
    PositionSide,
    TimeInForce,
)
from tui.interface.symbols import BusinessType, Symbol, pair_name, try_parse
from tui.interface.text import how_many
from tui.rules.day_result import DAY_MS


class Passed(NamedTuple):
    """Connection and mandate under which an intent passed the gate."""

    epoch: int
    """Connection."""
    mandate: str
    """Number of the mandate of its program; empty for a desk."""


STALE = "STALE"
LIMIT_GUARDS = frozenset(["NOTIONAL", "MAX_QTY", "BAND", "LIMIT", "WIDE", "DAY", "RATE"])
"""Guards of the trader's limits and of the budget of requests, whose refusal ends HOT."""


class Gate:
    """Gate that checks order intents against the current state."""

    def __init__(
        self,
        state: EngineState,
        rate_limiter: RateLimiter,
        disarm: Callable[[str, str], None],
        end_hot: Callable[[str, str], None],
        enter_risk_mode: Callable[[RiskMode, str], None],
        mandates: Mandates,
    ) -> None:
        self._state = state
        self._mandates = mandates
        self._rate_limiter = rate_limiter
        self._disarm = disarm
        self._end_hot = end_hot
        self._enter_risk_mode = enter_risk_mode
        self.session = SessionChecks(state, mandates)
        """Checks that intents of every kind pass."""
        self._recent = RecentSends()
        self._foreseen: list[OrderRow] = []
        """Orders of a previewed line that would rest at the venue when the orders behind them are sent."""
        self.unanswered = 0
        """Number of placements without a reply."""

    @property
    def _limits(self) -> Limits:
        return self._state.settings.limits

    # Intents

    @contextmanager
    def rehearse(self) -> Iterator[None]:
        """Run checks inside the block as a preview: as if armed, and without effects on state or risk mode.

        They answer as to a trader who has armed: nothing is sent, so neither VIEW nor an own screen that only looks refuses.
        """
        self.session.rehearses = True
        try:
            yield
        finally:
            self.session.rehearses = False
            self._foreseen.clear()

    def foresee(self, intent: Place | Replace | Cancel) -> Refusal | None:
        """Return how the gate would refuse this intent now, or None; nothing is sent.

        New orders that were foreseen before it in the same preview count as working where they would rest.
        """
        if isinstance(intent, Place):
            refusal = self.check_place(intent)
            if refusal is None or refusal.ask:
                self._add_foreseen(intent)
            return refusal
        return self.check_replace(intent) if isinstance(intent, Replace) else self.check_cancel(intent)

    def _add_foreseen(self, intent: Place) -> None:
        """Keep a previewed order if it would rest."""
        order = self._order_context(intent)
        if isinstance(order, Refusal) or intent.time_in_force in (TimeInForce.IOC, TimeInForce.FOK):
            return
        if not price_checks.is_marketable(intent, order.figures.price, order.touch):
            key, stamp = f"foreseen {len(self._foreseen) + 1}", self._state.stamp(Source.LOCAL)
            self._foreseen.append(row_of(intent, key, state=OrderState.OPEN, since=0.0, create_at=0, stamp=stamp))

    def check_place(self, intent: Place) -> Refusal | None:
        """Check a new order; None allows it."""
        return self._judge_in_hot(intent, self._check_place(intent))

    def _check_place(self, intent: Place) -> Refusal | None:
        refusal = self._check_mandate(intent) or self.session.check(intent) or pre_trade_checks.check_painted(intent)
        if refusal is None and not pre_trade_checks.intent_closes(intent):
            refusal = self._check_risk_mode(intent) or self.session.check_clock() or self.session.check_day_result()
        if refusal is not None:
            return refusal
        pair, info = try_parse(intent.sym), self._state.symbols.get(intent.sym)
        refusal = pre_trade_checks.check_pair(intent, info, self._limits, self._leg_facts(intent, pair))
        if (refusal := refusal or check_held(intent, self._state)) is not None:
            return refusal
        return self._combine(intent, self._place_checks(intent, pair))

    def check_replace(self, intent: Replace) -> Refusal | None:
        """Check a replace; None allows it."""
        return self._judge_in_hot(intent, self._check_replace(intent))

    def _check_replace(self, intent: Replace) -> Refusal | None:
        refusal = self._check_mandate(intent) or self.session.check(intent)
        if refusal is not None:
            return refusal
        row = self._state.orders.rows.get(intent.key)
        if row is None or row.final:
            return Refusal("ORDER", "the order has ended or is not known; choose a working one")
        if (unlike := pre_trade_checks.compare_painted(intent.painted, row.sym, intent.price, row.side)) is not None:
            return unlike
        if not all(compare_figures(intent, row)):
            refusal = self._check_risk_mode(intent)
            if refusal is None and not order_only_closes(
                row.sym, row.side, row.position_side, reduce_only=row.reduce_only
            ):
                refusal = self.session.check_clock() or self.session.check_day_result()
            if refusal is not None:
                return refusal
        return self._combine(intent, self._replace_checks(intent, row))

    def _check_risk_mode(self, intent: Place | Replace) -> Refusal | None:
        """Check that the risk mode allows a new order or a replace; closing orders and pure size cuts always pass."""
        if isinstance(intent, Place):
            taken = pre_trade_checks.describe_closing(intent.sym, intent.position_side)
            return None if pre_trade_checks.intent_closes(intent) else self.session.check_risk_mode(taken)
        row = self._state.orders.rows[intent.key]
        smaller, same_price = compare_figures(intent, row)
        return None if smaller and same_price else self.session.check_replace(row, smaller=smaller)

    def _combine(self, intent: Place | Replace, checks: Iterator[Refusal | None]) -> Refusal | None:
        """Combine denials and open questions into one refusal; for a program, which can confirm none, worded for it."""
        to_program = not self.session.rehearses and self._mandates.is_bound(intent.decision.peer)
        return combine_refusals(checks, intent.confirmed, to_program=to_program)

    def _judge_in_hot(self, intent: Place | Replace, refusal: Refusal | None) -> Refusal | None:
        """Deny, in HOT, a one-key order that a stale quote would only question; end HOT if a limit denied the order."""
        peer = intent.decision.peer
        if refusal is None or self._state.trading.of(peer).state is not TradingState.HOT:
            return refusal
        if intent.hot and refusal.ask and STALE in refusal.guard.split(GUARD_JOINT):
            return Refusal(STALE, f"{refusal.text}; in HOT nothing is sent on an old quote")
        if not (refusal.ask or self.session.rehearses) and refusal.guard in LIMIT_GUARDS:
            self._end_hot(f"a limit refused an order ({refusal.guard})", peer)
        return refusal

    def check_cancel(self, intent: Cancel) -> Refusal | None:
        """Check a cancel; None allows it."""
        refusal = self._check_mandate(intent) or self.session.check(intent)
        if refusal is not None:
            return refusal
        row = self._state.orders.rows.get(intent.key)
        if row is None:
            return Refusal("ORDER", "this order is not in the list of orders: choose one that is")
        if row.final:
            return Refusal("ORDER", f"the order has ended ({row.state_word})")
        if row.state == LocalOrderState.SENDING:
            return Refusal(
                "IN_FLIGHT", f"the order is not sent yet, which takes {RECORDED_WITHIN_S:g} s at most: cancel it then"
            )
        if self._state.orders.is_being_cancelled(intent.key):
            return Refusal("IN_FLIGHT", "a cancel of this order is already on its way")
        return self._check_rate(CANCEL_ORDER, reserved=True)

    def check_cancel_all_algos(self, intent: CancelAllAlgos) -> Refusal | None:
        """Check a cancel of several algo orders; None allows it."""
        return self.session.check(intent)

    def check_cancel_all(self, intent: CancelAll) -> Refusal | None:
        """Check a cancel-all; None allows it."""
        return self.session.check(intent) or self._check_rate(CANCEL_ALL, reserved=True)

    def note_passed(self, intent: Place | Replace) -> Passed:
        """Return the present connection and mandate, which `recheck` compares after the journal write."""
        return Passed(self._state.epoch, self._mandates.number_of(intent.decision.peer))

    def recheck(self, intent: Place | Replace, passed: Passed) -> Refusal | None:
        """Check an intent again after the journal write: mandate, session, connection, order or position, risk mode."""
        refusal = (
            self._check_same_mandate(intent, passed)
            or self.session.check(intent)
            or self.session.check_epoch(passed.epoch)
        )
        if refusal is None and isinstance(intent, Replace) and self._state.orders.rows[intent.key].final:
            refusal = Refusal("ORDER", "the order ended meanwhile")
        if refusal is None and isinstance(intent, Place):
            leg = self._leg_facts(intent, try_parse(intent.sym))
            refusal = None if leg is None else pre_trade_checks.check_position(intent, leg)
            refusal = refusal or check_held(intent, self._state)
        return refusal or self._check_risk_mode(intent)

    def record_sent(self, intent: Place | Replace, endpoint: Endpoint, key: str) -> None:
        """Count a place or replace request of the order `key` for runaway, duplicate, rate limit and mandate checks."""
        self._mandates.record_sent(intent, key)
        now = self._state.clock.mono()
        self._recent.record(intent.decision.peer, now, self._line_of(intent.decision.peer, intent.line))
        self._rate_limiter.count(rate_key(endpoint))
        if isinstance(intent, Replace):
            self._count_replace(intent)
        elif isinstance(order := self._order_context(intent), OrderContext):
            self._count_place(order, now)

    def record_cancel(self, endpoint: Endpoint) -> None:
        """Count a sent cancel for the rate limit check."""
        self._rate_limiter.count(rate_key(endpoint))

    # REST commands

    def record_command(self, peer: str, line: str = "") -> None:
        """Count a sent REST command for the runaway check."""
        self._recent.record(peer, self._state.clock.mono(), self._line_of(peer, line))

    def algo_checks(self, as_order: Place, *, opens: bool) -> Iterator[Refusal | None]:
        """Check the order that an algo order may send: position side and, if it can open a position, rules and limits."""
        yield self.check_algo_leg(as_order)
        order = self._order_context(as_order) if opens else None
        if isinstance(order, Refusal):
            yield order
        elif order is not None:
            yield self._check_rules(as_order)
            yield from pre_trade_checks.size_checks(order)
            yield self._check_aggregate_limits(order)
            yield self._ask_balance_at_trigger(order)
            yield self._check_first_of_day(as_order, order.limits)

    def check_algo_leg(self, as_order: Place) -> Refusal | None:
        """Check the position side of the order that an algo order may send."""
        leg = self._leg_facts(as_order, try_parse(as_order.sym))
        return None if leg is None else pre_trade_checks.check_leg(as_order, leg)

    # Common checks

    def _check_mandate(self, intent: Place | Replace | Cancel) -> Refusal | None:
        """Check an order, replace or cancel of a program against its mandate; a rehearsal skips this check."""
        return None if self.session.rehearses else self._mandates.check(intent)

    def _check_same_mandate(self, intent: Place | Replace, passed: Passed) -> Refusal | None:
        peer = intent.decision.peer
        if not self._mandates.is_bound(peer) or self._mandates.number_of(peer) == passed.mandate != "":
            return None
        what = "order" if isinstance(intent, Place) else "replace"
        return Refusal(MANDATE, f"the mandate ended before the {what} left: nothing was sent")

    def _count_place(self, order: OrderContext, now: float) -> None:
        self._recent.record_place(order, now)
        self._state.trading.last_order_days[order.intent.sym] = self._state.utc_day()
        if not pre_trade_checks.intent_closes(order.intent):
            self._state.trading.opened_notional += order.figures.value or decimals.ZERO

    def _count_replace(self, intent: Replace) -> None:
        """Add the value by which a replace raises an opening order to `opened_notional`."""
        row = self._state.orders.rows[intent.key]
        replaced = build_replaced_order(intent, row)
        order = self._order_context(replaced) if replaced is not None else None
        if not isinstance(order, OrderContext) or pre_trade_checks.intent_closes(order.intent):
            return
        added = order.figures.qty - (decimals.optional(row.qty) or decimals.ZERO)
        if added > 0 and order.figures.value is not None:
            self._state.trading.opened_notional += order.figures.value * added / order.figures.qty

    def record_traded_day(self, sym: str, wall_ms: int) -> None:
        """Record the UTC day of an earlier order, for the check that asks before a pair's first order of the day."""
        days = self._state.trading.last_order_days
        days[sym] = max(days.get(sym, 0), wall_ms // DAY_MS)

    def _check_rate(self, endpoint: Endpoint, *, reserved: bool) -> Refusal | None:
        delay = self._rate_limiter.delay(rate_key(endpoint), endpoint.limit, reserved=reserved)
        if delay <= 0:
            return None
        return Refusal("RATE", f"the budget of {endpoint.limit} is used up; free in {delay:.1f} s", retry_after=delay)

    def _line_of(self, peer: str, line: str) -> str:
        """Return the mark of a typed line that a trader confirmed; empty for a program, which confirms none."""
        return "" if self._mandates.is_bound(peer) else line

    def check_runaway(self, peer: str, line: str = "") -> Refusal | None:
        """Check how much a sender has sent lately; too much disarms the sender. The steps of one typed line count once."""
        now = self._state.clock.mono()
        text = self._recent.describe_runaway(peer, now, self._limits, self._line_of(peer, line))
        if not text:
            return None
        if self.session.rehearses:
            return Refusal("RUNAWAY", text)
        is_program = self._mandates.is_bound(peer)
        self._disarm(text, peer)
        end = "the mandate has ended, its orders are cancelled" if is_program else "trading state is VIEW now"
        return Refusal("RUNAWAY", f"{text}; {end}")

    # New orders

    def _place_checks(self, intent: Place, pair: Symbol | None) -> Iterator[Refusal | None]:
        order = self._order_context(intent)
        if isinstance(order, Refusal):
            yield order
            return
        yield self._check_rules(intent)
        yield self._check_balance(order, pair)
        yield from pre_trade_checks.size_checks(order)
        yield self._check_aggregate_limits(order)
        yield from self._price_checks(order, chain(self._state.orders.working(), self._foreseen))
        yield from algo_checks.check_attached(order)
        yield self._check_first_of_day(intent, order.limits)
        yield self._recent.check_duplicate(order, self._state.clock.mono(), self._limits)
        yield self.check_runaway(intent.decision.peer, intent.line)
        yield check_unknown_orders(order, self._state.orders.unknown(), self._state.clock.mono(), self._limits)
        yield None if pre_trade_checks.intent_closes(intent) else self._check_in_flight()
        yield self._check_rate(PLACE_ORDER, reserved=False)

    def _order_context(self, intent: Place) -> OrderContext | Refusal:
        state = self._state
        quote, limits = state.quotes.current(intent.sym), self._limits.of(intent.sym, intent.decision.peer)
        return pre_trade_checks.order_context(intent, state.symbols[intent.sym], quote, limits)

    def _price_checks(self, order: OrderContext, working: Iterable[OrderRow]) -> Iterator[Refusal | None]:
        state = self._state
        now = state.clock.mono()
        silent = now - min(state.links.public_status().last_frame, state.quotes.newest)
        return price_checks.price_checks(order, now, silent, working)

    def _leg_facts(self, intent: Place, pair: Symbol | None) -> LegFacts | None:
        """Return position mode and size for the check of an order's position side; None unless the pair is a perpetual."""
        if pair is None or pair.business_type != BusinessType.PERP:
            return None
        state, positions = self._state, self._state.facts.positions.rows
        account = state.facts.accounts.rows.get(pair.exchange)
        fact = positions.get(f"{intent.sym}/{intent.position_side}")
        held = Decimal(0) if fact is None else decimals.optional(fact.record.position_qty)
        mode = account.record.position_mode if account is not None else ""
        reducible = not intent.reduce_only or has_reducible(intent.sym, intent.side, positions)
        if (held == 0 or not reducible) and may_have_opened(
            intent.sym, intent.side, intent.position_side, state.orders.rows.values(), state.clock.mono()
        ):
            held, reducible = None, True
        return LegFacts(pair.exchange, mode, held, reducible)

    def _check_aggregate_limits(self, order: OrderContext) -> Refusal | None:
        """Check the numbers of working orders and the position limit; too many orders set the risk mode to REDUCING."""
        intent, limits = order.intent, order.limits
        if pre_trade_checks.intent_closes(intent):
            return None
        working = self._state.orders.working()
        on_pair = sum(1 for row in working if row.sym == intent.sym)
        text = ""
        if on_pair >= limits.max_open_sym:
            many, name = how_many(on_pair, "order works", "orders work"), pair_name(intent.sym)
            text = f"{many} on {name}; the limit is {limits.max_open_sym}"
        elif len(working) >= limits.max_open:
            text = f"{how_many(len(working), 'order works', 'orders work')}; the limit is {limits.max_open}"
        return self._reduce_risk(text) if text else self._check_position_limit(order, order.figures.qty, working)

    def _check_position_limit(self, order: OrderContext, added: Decimal, working: list[OrderRow]) -> Refusal | None:
        """Check that the pair's value stays within the position limit if `added` units more are filled.

        The limit of one trader holds up that trader alone.
        """
        state, intent, most = self._state, order.intent, decimals.optional(order.limits.max_position)
        if most is None:
            return None
        beyond: list[Decimal | None] = []
        for value in list_pair_values(order, added, working, state):
            if value is None:
                return Refusal(
                    "LIMIT", f"what {pair_name(intent.sym)} could come to cannot be read; the position limit holds"
                )
            # The limit must keep nobody from selling what is beyond it.
            is_free = value.is_lowered and intent.position_side is PositionSide.NONE
            beyond.append(abs(value.after) if abs(value.after) > most and not is_free else None)
        told, late = beyond
        return self._refuse_position(order, told, late, most=most)

    def _refuse_position(
        self, order: OrderContext, told: Decimal | None, late: Decimal | None, *, most: Decimal
    ) -> Refusal | None:
        """Refuse an order beyond the position limit; enter REDUCING if position and newest fills both are beyond it.

        Args:
            order: The order.
            told: Value beyond the limit by the positions as they are told; None while within it.
            late: Value beyond the limit with the fills that the positions do not show yet; None while within it.
            most: The limit.
        """
        if told is None and late is None:
            return None
        intent = order.intent
        text, own = describe_beyond(intent, told, late), self._limits.of(intent.sym).max_position
        if decimals.optional(own) != most:
            trader = trader_of(intent.decision.peer)
            return Refusal("LIMIT", f"{text}; the position limit of {trader} is {pre_trade_checks.plain_grouped(most)}")
        text = f"{text}; the position limit is {pre_trade_checks.plain_grouped(most)}"
        # REDUCING takes no order of a pair without positions, the sale that brings it within the limit included.
        lasts = told is not None and late is not None and has_positions(intent.sym)
        return self._reduce_risk(text) if lasts else Refusal("LIMIT", text)

    def _reduce_risk(self, text: str) -> Refusal:
        """Set the risk mode to REDUCING and return the denial; a rehearsal only says that it would."""
        if self.session.rehearses:
            return Refusal("LIMIT", f"{text}; it would set the risk mode to REDUCING")
        self._enter_risk_mode(RiskMode.REDUCING, text)
        return Refusal("LIMIT", f"{text}; risk mode is REDUCING now")

    def _check_first_of_day(self, intent: Place, limits: Limits) -> Refusal | None:
        if not limits.first_of_day or self._state.has_ordered_today(intent.sym):
            return None
        return Refusal("FIRST_OF_DAY", f"first {pair_name(intent.sym)} order today", ask=True)

    def _check_rules(self, as_order: Place) -> Refusal | None:
        """Check that the pair's rules are unchanged or their change acknowledged; closing orders always pass."""
        changed = self._state.trading.changed_rules.get(as_order.sym, "")
        if not changed or pre_trade_checks.intent_closes(as_order):
            return None
        return Refusal(CHANGED_RULES, f"{changed}; orders on the pair wait until you type `{RULES_WORD}`")

    def _check_in_flight(self) -> Refusal | None:
        most = self._limits.max_in_flight_places
        if self.unanswered < most:
            return None
        return Refusal(
            "IN_FLIGHT", f"{self.unanswered} orders wait for their answers, and {most} at once is the limit: wait"
        )

    def _check_balance(self, order: OrderContext, pair: Symbol | None) -> Refusal | None:
        intent, figures = order.intent, order.figures
        if pair is None or pre_trade_checks.intent_closes(intent) or figures.value is None:
            return None
        if pair.business_type == BusinessType.SPOT:
            return pre_trade_checks.check_spot_balance(order, pair, self._state.facts.assets.rows)
        if pair.business_type == BusinessType.PERP:
            return self._check_margin(order, pair.exchange)
        return None

    def _ask_balance_at_trigger(self, order: OrderContext) -> Refusal | None:
        """Turn a missing balance into a question, because the service checks it only when the trigger sends the order."""
        refusal = self._check_balance(order, try_parse(order.intent.sym))
        return None if refusal is None else Refusal(refusal.guard, f"at its trigger it {refusal.text} now", ask=True)

    def _check_margin(self, order: OrderContext, exchange: str) -> Refusal | None:
        """Ask for confirmation when the initial margin is clearly insufficient; the closing part of an order needs none."""
        intent, figures, info = order.intent, order.figures, order.info
        account = self._state.facts.accounts.rows.get(exchange)
        free = decimals.optional(account.record.available_margin) if account is not None else None
        if free is None or figures.value is None:
            return None
        position = self._state.facts.positions.rows.get(f"{intent.sym}/{intent.position_side}")
        held = decimals.optional(position.record.position_qty) if position is not None else None
        opening = figures.qty
        # One-way positions are signed; orders that only close a leg were handled before.
        if intent.position_side is PositionSide.NONE and held is not None and held * intent.side.sign < 0:
            opening = max(Decimal(0), figures.qty - abs(held))
        known = self._state.leverages.get(intent.sym) or (position.record.leverage if position is not None else "")
        texts = [known] if decimals.optional(known) else [info.default_leverage, info.safe_leverage]
        leverage = max((decimals.optional(text) or Decimal(1) for text in texts), default=Decimal(1))
        need = decimals.half_up(figures.value * opening / figures.qty / max(leverage, Decimal(1)), 2)
        if need <= free:
            return None
        shown = plain(decimals.half_up(free, 2))
        return Refusal("MARGIN", f"needs about {plain(need)} margin at {plain(leverage)}x; {shown} available", ask=True)

    # Replaces

    def _replace_checks(self, intent: Replace, row: OrderRow) -> Iterator[Refusal | None]:
        yield self._check_replaceable(row)
        info = self._state.symbols.get(row.sym)
        yield pre_trade_checks.check_symbol(row.sym, info)
        if info is None:
            return
        replaced = build_replaced_order(intent, row)
        if replaced is None:
            side = f"{row.side[:20]} {row.position_side[:20]}"
            yield Refusal("ORDER", f"side {side!r} of the order is not known here; it can be cancelled, not replaced")
            return
        order = self._order_context(replaced)
        if isinstance(order, Refusal):
            yield order
            return
        if not all(compare_figures(intent, row)):
            yield self._check_rules(replaced)
        figures = order.figures
        executed = decimals.optional(row.filled) or Decimal(0)
        if figures.qty <= executed:
            text = f"{plain(executed)} has filled already, so a new total of {plain(figures.qty)} cancels the order"
            yield Refusal("BELOW_FILLED", text, ask=True)
        if figures.qty == decimals.optional(row.qty) and figures.price == decimals.optional(row.price):
            yield Refusal("NUMBER", "price and quantity are as they were; change one of them")
        yield from pre_trade_checks.size_checks(order)
        others = [other for other in self._state.orders.working() if other.key != row.key]
        if figures.qty > (decimals.optional(row.qty) or figures.qty) and not pre_trade_checks.intent_closes(replaced):
            yield pre_trade_checks.check_listed(row.sym, order.limits)
            left = figures.qty - (decimals.optional(row.executed) or decimals.ZERO)
            yield self._check_position_limit(order, left, others)
        yield from self._price_checks(order, others)
        yield self.check_runaway(intent.decision.peer, intent.line)
        yield self._check_rate(REPLACE_ORDER, reserved=False)

    def _check_replaceable(self, row: OrderRow) -> Refusal | None:
        if row.state in (LocalOrderState.SENDING, LocalOrderState.SENT, LocalOrderState.UNKNOWN):
            return Refusal(
                "IN_FLIGHT", f"{self._state.orders.text_of(row)} is {row.state_word}; it can be cancelled, not replaced"
            )
        if row.order_type not in ("", "LIMIT"):
            return Refusal("ORDER", "only limit orders can be replaced")
        pending = self._state.orders.pending(row.key)
        if pending is None or (pending.is_lost and pending.asked >= self._limits.new_attempt_rounds):
            return None
        word = "cancel" if pending.is_cancel else "replace"
        return Refusal("IN_FLIGHT", f"a {word} of this order is still on its way")


def combine_refusals(
    checks: Iterator[Refusal | None], confirmed: frozenset[str], *, to_program: bool = False
) -> Refusal | None:
    """Return the first denial, otherwise one question that combines all unconfirmed reasons."""
    questions: list[Refusal] = []
    for refusal in checks:
        if refusal is None:
            continue
        if not refusal.ask:
            return refusal
        if refusal.guard not in confirmed:
            questions.append(refusal)
    if not questions:
        return None
    names = GUARD_JOINT.join(question.guard for question in questions)
    texts = [question.to_program if to_program and question.to_program else question.text for question in questions]
    # Of several reasons, none has passed before the last one has; one without a time may never pass.
    times = [question.retry_after for question in questions]
    retry_after = max((time for time in times if time is not None), default=None) if None not in times else None
    return Refusal(names, "; ".join(texts), ask=True, retry_after=retry_after)
