"""Lists of the desk as short lines: every amount with its unit, signs in words."""

from __future__ import annotations

from collections.abc import Iterable
from decimal import Decimal

from tui.engine.rows import AlgoRow, LocalOrderState, OrderRow, QuoteRow
from tui.engine.state.algo_table import algo_text
from tui.interface.decimals import optional
from tui.interface.figures import leg_of, size_of
from tui.interface.symbols import try_parse, unit_of
from tui.interface.text import how_many
from tui.workstation.command_line.grammar.scene import Scene
from tui.workstation.features.assets import cells as asset_cells
from tui.workstation.features.fills import cells as fill_cells
from tui.workstation.features.fills.cells import FillLine
from tui.workstation.features.orders import cells as order_cells
from tui.workstation.features.positions import cells as position_cells
from tui.workstation.features.risk import cells as risk_cells
from tui.workstation.model import adl_ranks, number_format, position_metrics
from tui.workstation.model.account_risk import equity_less_loans
from tui.workstation.model.algo_figures import describe_clipped, name_protection, read_triggers, why_unknown
from tui.workstation.model.display_context import DisplayContext
from tui.workstation.model.event_levels import sort_by_time
from tui.workstation.model.instruments import full_name, intent_word
from tui.workstation.model.orders.order_reason import reason_text
from tui.workstation.plain.first_sync import explain_unknown
from tui.workstation.plain.speech import say_amount, say_result
from tui.workstation.table.column_kinds import amount_in_coin

MOST_LINES = 40
"""Most rows of one answer; how many more there are is said."""
MOST_EVENTS = 20
LEAST_ID = 6
_TIMES = {"s": "seconds", "m": "minutes", "h": "hours", "d": "days"}
"""Least characters by which an order is named."""


class Readings:
    """Formatter of quotes, orders, positions, fills and other lists as lines of text."""

    def __init__(self, view: DisplayContext, chosen: Iterable[str]) -> None:
        """Initialize; `chosen` are the pairs of the trader's list of quotes."""
        self._view = view
        self._chosen = tuple(chosen)

    # Market

    def quotes(self, name: str) -> list[str]:
        """Return bid and ask of the pairs matching a name; without a name, of held, worked and chosen pairs."""
        mirror = self._view.mirror
        if name:
            syms = self._find(name)
        else:
            held = {fact.record.sym for fact in mirror.positions.values()} | {order.sym for order in mirror.working()}
            syms = sorted(held | {sym for sym in self._chosen if sym in mirror.symbols})
        if not syms:
            return [
                self._no_pair(name) if name else "no position, open order or chosen pair; type quotes BTC, for example"
            ]
        return self._cut([self._quote(sym) for sym in syms], "pair", "write more of the name")

    def pairs(self, name: str) -> list[str]:
        """Return the pairs matching a name, each with its symbol, by which a typed line names it."""
        syms = self._find(name) if name else sorted(self._view.mirror.symbols)
        if not syms:
            return [self._no_pair(name)]
        return self._cut([f"{full_name(sym)}: {sym}" for sym in syms], "pair", "write a part of the name behind pairs")

    def _find(self, name: str) -> list[str]:
        return sorted(Scene(self._view.mirror.symbols).matches(name))

    @staticmethod
    def _no_pair(name: str) -> str:
        return f"no pair is named {name}; pairs lists all"

    def _quote(self, sym: str) -> str:
        view = self._view
        quote = view.mirror.quotes.get(sym)
        if quote is None or not quote.received:
            return f"{full_name(sym)}: no quote yet"
        sides = f"bid {self._side(sym, quote.bid, quote.bid_qty)}, ask {self._side(sym, quote.ask, quote.ask_qty)}"
        mark = f", mark {self._price(sym, quote.mark)}" if quote.mark else ""
        return f"{full_name(sym)}: {sides}{mark}, {self.age_of(quote)}"

    def age_of(self, quote: QuoteRow) -> str:
        """Return the age of a quote as text, with STALE before it if the connection is not proven alive."""
        text = number_format.age(self._view.now - quote.received)
        old = f"{text[:-1]} {_TIMES[text[-1]]} old"
        return old if self._view.mirror.proven("public") else f"STALE, {old}"

    def _side(self, sym: str, price: str, size: str) -> str:
        return f"{self._price(sym, price)} for {self._size(sym, size)}"

    def _price(self, sym: str, text: str | None) -> str:
        parts = try_parse(sym)
        return say_amount(self._view.price(sym, text or None), parts.quote if parts is not None else "")

    def _size(self, sym: str, text: str | None) -> str:
        unit = {"ct": "contracts"}.get(unit_of(sym), unit_of(sym))
        return say_amount(self._view.quantity(sym, text, unit=False), unit)

    # Orders

    def orders(self) -> list[str]:
        """Return the working orders, oldest first, then stops, targets and other algo orders that wait."""
        mirror = self._view.mirror
        working = sorted(mirror.working(), key=lambda order: (order.create_at, order.key))
        lines = [self.order_line(order) for order in working]
        lines += [self._algo_line(row) for row in mirror.algos.values()]
        checked = self._view.moment(mirror.orders_checked_ms)
        unread = [f"stops and targets are not known now: {why}"] if (why := why_unknown(mirror)) else []
        listed = self._cut(lines, "order", "cancel some") if lines else [f"no order works, checked {checked}"]
        return [*listed, *unread]

    def _algo_line(self, row: AlgoRow) -> str:
        """Describe a stop, target or other algo order in one line."""
        state = "UNKNOWN" if row.unsure else "waits" if row.seen else "sent, not yet listed by the service"
        clipped = f", {text}" if (text := describe_clipped(row, self._view)) else ""
        return f"{state}: {algo_text(row.record, self._view.mirror.tick_of(row.record.sym))}{clipped}"

    def name_order(self, order: OrderRow) -> str:
        """Return the end of an order's id that names it in a typed line: unique, at least `LEAST_ID` characters."""
        own = order.client_order_id or order.order_id
        others = [
            text
            for row in self._view.mirror.orders.values()
            if row.key != order.key
            for text in (row.client_order_id, row.order_id)
        ]
        length = LEAST_ID
        while length < len(own) and any(
            text.endswith(own[-length:]) or text.startswith(own[-length:]) for text in others
        ):
            length += 1
        return own[-length:]

    def order_line(self, order: OrderRow) -> str:
        """Describe an order in one line."""
        price = "at market" if order.order_type == "MARKET" else f"at {self._price(order.sym, order.price)}"
        word = intent_word(order.sym, order.side, order.position_side, reduce_only=order.reduce_only)
        filled = f", filled {self._size(order.sym, order.filled)}" if optional(order.filled) else ""
        is_unknown = order.state == LocalOrderState.UNKNOWN and bool(order.overlay)
        state = order.overlay.value if is_unknown else order_cells.state_cell(order, self._view)[0]
        change = {"amend…": "replace under way", "cancel…": "cancel under way"}.get(state, state)
        change = change.replace("amend?", "UNKNOWN replace").replace("cancel?", "UNKNOWN cancel")
        change = f"UNKNOWN, {change}" if is_unknown else change
        sender = f", by {order.peer}" if order.peer else ""
        sent = f"{word} {self._size(order.sym, order.qty)} of {full_name(order.sym)} {price}"
        clipped = f", {text}" if (text := describe_clipped(order, self._view)) else ""
        return f"order {self.name_order(order)}: {sent}{filled}, {change}{clipped}{sender}"

    def order_card(self, order: OrderRow) -> list[str]:
        """Return lines with all details of an order."""
        lines = [self.order_line(order)]
        if optional(order.average) and not order.is_behind_fills:
            lines.append(f"average price {self._price(order.sym, order.average)}")
        for name, trigger in (("target", order.tp_trigger), ("stop", order.sl_trigger)):
            if optional(trigger):
                ended = ", which has ended: further fills have none" if order.guard_ended else ""
                lines.append(f"{name} at {self._price(order.sym, trigger)}{ended}")
        lines += order_cells.list_charges(order)
        if order.time_in_force:
            lines.append("post-only" if order.time_in_force == "GTX" else f"time in force {order.time_in_force}")
        if why := reason_text(order, self._view):
            lines.append(f"reason: {why}")
        lines.append(f"client id {order.client_order_id or 'none'}, order id {order.order_id or 'none'}")
        return lines

    # Account

    def positions(self) -> list[str]:
        """Return the open positions with their results, and the result of the day."""
        facts = [fact for fact in self._view.mirror.positions.values() if size_of(fact.record)]
        checked = self._view.moment(self._view.mirror.positions_checked_ms)
        lines = [self._position(fact) for fact in facts] or [f"no position is open, checked {checked}"]
        return [*self._cut(lines, "position", "close some"), *self._day()]

    def _position(self, row: position_cells.Row) -> str:
        record, view = row.record, self._view
        size = size_of(record)
        leg = leg_of(record).lower()
        protected = name_protection(record, read_triggers(record, view), view)
        held = self._size(record.sym, None if size is None else format(size, "f"))
        mark = self._price(record.sym, position_metrics.own_mark_of(record, view))
        worth = self._usdt(view.amount(position_metrics.notional_of(record, view)))
        parts = (
            f"{full_name(record.sym)}: {leg} {held}",
            f"entry {self._price(record.sym, record.avg_price)}",
            f"mark {mark}",
            say_result(position_cells.result(row, view)[0]),
            f"worth {worth}",
            self._liquidation(row),
            f"stop and target: {protected if any(char.isdigit() for char in protected) else 'none'}",
        )
        return ", ".join(parts)

    @staticmethod
    def _usdt(text: str) -> str:
        return say_amount(text, "USDT")

    def _liquidation(self, row: position_cells.Row) -> str:
        text = position_cells.liq(row, self._view)[0]
        parts = try_parse(row.record.sym)
        known = any(char.isdigit() for char in text)
        why = position_metrics.explain_liquidation_side(row.record, self._view)
        at = f"{text.replace('↑', '').replace('↓', '')} {parts.quote}" if known and parts is not None else "none"
        return f"liquidation price {at}{why and f' ({why})'}"

    def _day(self) -> list[str]:
        realised = self._view.realised_pnl
        total = realised.of_day(realised.today())
        sure = ", part of the day is not read yet" if realised.is_partial or total.incomplete else ""
        amount = self._view.amount
        return [
            f"today: {say_result(self._view.format_signed(total.net))} after costs, fees {amount(total.fee)} USDT,"
            f" rebates {amount(total.rebate)} USDT, {how_many(total.fills, 'fill')}{sure}"
        ]

    def assets(self) -> list[str]:
        """Return the balances, and the margin of each venue's account."""
        mirror, view = self._view.mirror, self._view
        lines = []
        for fact in sorted(mirror.assets.values(), key=lambda fact: (fact.record.exchange_type, fact.record.coin)):
            record = fact.record
            owed, worth = asset_cells.owed_of(fact, view), view.amount(asset_cells.compute_net_value(fact, view))
            debt = (
                ""
                if owed is not None and not owed
                else f", owed {say_amount(number_format.decimal_figure(owed, 2, exact=True), record.coin)}"
            )
            held = f"balance {self._coins(record.balance, record.coin)}"
            free = f"available {self._coins(record.available, record.coin)}{debt}"
            less = " net of the loan" if isinstance(record.loan, str) else ""
            lines.append(f"{record.exchange_type} {record.coin}: {held}, {free}, worth {self._usdt(worth)}{less}")
        for account in sorted(mirror.accounts.values(), key=lambda fact: fact.record.exchange_type):
            of, net = account.record, equity_less_loans(account.record, mirror)
            lent = net is None or net != optional(of.equity)
            parts = (
                f"{'net ' if lent else ''}equity {self._usdt(view.amount(net))}",
                *([f"gross {self._usdt(view.money(of.equity))}"] if lent else []),
                f"margin available {self._usdt(view.money(of.available_margin))}",
                f"maintenance margin {self._usdt(view.money(of.maintain_margin))}",
                f"margin ratio (uniMMR) {risk_cells.mmr(account, view)[0]}",
                f"status {of.account_status or 'not known'}",
            )
            lines.append(f"{of.exchange_type} account: {', '.join(parts)}")
        return self._cut(lines, "row", "the full screen shows all") if lines else ["no assets are known yet"]

    @staticmethod
    def _coins(text: str, coin: str) -> str:
        return say_amount(number_format.figure(text or None, 2 if coin in ("USDT", "USDC", "USD") else 6), coin)

    def adl(self) -> list[str]:
        """Return the auto-deleveraging rank and liquidation price of each position."""
        mirror, lines = self._view.mirror, []
        for fact in mirror.positions.values():
            record = fact.record
            if not size_of(record):
                continue
            rank = adl_ranks.rank_of(record, mirror)
            lights = adl_ranks.lights_of(rank.record.adl_rank, rank.record.sym, mirror) if rank is not None else None
            word = f"rank {lights.lit} of 5, 5 is closed first" if lights is not None else "rank not known yet"
            leg = leg_of(record).lower()
            lines.append(f"{full_name(record.sym)} {leg}: {word}, {self._liquidation(fact)}")
        return lines or ["no position is open, so there is no rank"]

    def fills(self) -> list[str]:
        """Return today's fills, newest last, and the result of the day."""
        view = self._view
        lines = []
        today = number_format.day(int(view.server_wall * 1000), utc=True)
        facts = sorted(view.mirror.fills.values(), key=lambda fact: (fact.record.create_at, fact.record.transaction_id))
        for fact in facts:
            line = FillLine((fact,), view.mirror.orders.get(fact.record.client_order_id))
            record = fact.record
            if number_format.day(int(fill_cells.by_time(line)), utc=True) != today:  # type: ignore[arg-type]
                continue
            result = fill_cells.by_rpnl(line)
            booked = f", {say_result(view.format_signed(result))}" if isinstance(result, Decimal) and result else ""
            lines.append(
                f"{fill_cells.time(line, view)[0][:8]} {record.side.lower()} {self._size(record.sym, record.quantity)} of"
                f" {full_name(record.sym)} at {self._price(record.sym, record.price)}, {record.exec_type.lower()},"
                f" {self._charge(line)}{booked}"
            )
        hidden = len(lines) - MOST_LINES
        shown = [f"{how_many(hidden, 'earlier fill')} left out", *lines[-MOST_LINES:]] if hidden > 0 else lines
        return [*(shown or ["no fill today"]), *self._day()]

    def _charge(self, line: FillLine) -> str:
        """Return the fee or rebate of a fill with its coin: converted to the quote coin if possible."""
        charge = fill_cells.by_charge(line)
        if not isinstance(charge, Decimal):
            return f"fee {amount_in_coin(line.first.fee, line.first.fee_coin)}"
        word = "rebate" if charge > 0 else "fee"
        parts = try_parse(line.first.sym)
        return f"{word} {number_format.decimal_figure(abs(charge), 4)} {parts.quote if parts is not None else ''}"

    # Desk

    def events(self) -> list[str]:
        """Return the newest events, newest last."""
        events = sort_by_time(self._view.mirror.event_log.events)[-MOST_EVENTS:]
        lines = [f"{self._view.moment(event.wall_ms)} {event.text}" for _, event in events]
        return lines or ["no events yet"]

    def status(self) -> list[str]:
        """Return lines with trading state, risk mode, warnings, connections and counts of orders and positions."""
        mirror = self._view.mirror
        status = mirror.engine_status
        if status is None:
            return ["starting, nothing is known yet"]
        mode = f"risk mode {status.risk_mode.value}"
        lines = [
            f"{status.environment.value}, portfolio {status.account_name or 'not known yet'},"
            f" state {status.trading_state.value}, {mode}",
            "in sync with the service" if status.synced else "NOT in sync with the service",
        ]
        lines += [status.read_only] if status.read_only else []
        lines += [f"risk mode because: {status.risk_mode_reason}"] if status.risk_mode_reason else []
        lines += [f"warning: {event.text}" for event in mirror.event_log.sticky]
        for link in mirror.links.values():
            proven = "" if link.name == "rest" or mirror.proven(link.name) else ", silent"
            lines.append(f"connection {link.name}: {link.state.value}{proven}{f', {link.error}' if link.error else ''}")
        if not_known := explain_unknown(mirror):
            return [*lines, f"orders and positions are {not_known}"]
        unknown = f", {mirror.unknown_orders} of them UNKNOWN" if mirror.unknown_orders else ""
        legs = sum(bool(size_of(fact.record)) for fact in mirror.positions.values())
        lines.append(f"{how_many(mirror.working_orders, 'working order')}{unknown}, {how_many(legs, 'position')}")
        return lines

    @staticmethod
    def _cut(lines: list[str], what: str, hint: str) -> list[str]:
        more = len(lines) - MOST_LINES
        return [*lines[:MOST_LINES], f"and {how_many(more, f'more {what}')}: {hint}"] if more > 0 else lines
