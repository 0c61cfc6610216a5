"""Cancels of single orders and of scopes, as any desk asks for and sends them; several orders need a confirmation."""

from __future__ import annotations

from decimal import Decimal
from functools import partial

from tui.engine.event_line import Level
from tui.engine.intents import Cancel, CancelAll, Outcome, Verdict
from tui.engine.rows import AlgoRow, OrderRow, PendingAction
from tui.engine.state.closing_orders import compute_clipped_size
from tui.interface.decimals import ZERO
from tui.interface.symbols import is_in_scope, try_parse
from tui.workstation.command_line.grammar.syntax import Scope
from tui.workstation.command_line.named_rows import Cursor, list_algo_scope, list_scope
from tui.workstation.command_line.order_descriptions import describe_row
from tui.workstation.commands.desk_context import DeskContext
from tui.workstation.commands.order_outcome import report_outcome
from tui.workstation.features.trading.algo_scopes import AlgoScope
from tui.workstation.features.trading.kill_plan import (
    count_spared,
    describe_attached,
    describe_bare,
    describe_count,
    find_unprotected_legs,
    list_attached,
)
from tui.workstation.model import number_format
from tui.workstation.model.algo_figures import why_unknown
from tui.workstation.model.instruments import base_units, full_name
from tui.workstation.model.orders.order_index import recency
from tui.workstation.model.orders.order_reason import ASKED
from tui.workstation.render.named_lines import NamedLine
from tui.workstation.widgets.question import Option, Question, order_count_text


class OrderCancels:
    """Cancels of single orders, of several, or of all orders of a scope."""

    def __init__(self, context: DeskContext) -> None:
        self._context = context
        self._cancelling: set[str] = set()

    def order_block(self, order: OrderRow) -> str:
        """Return why an order cannot be cancelled, or an empty text."""
        if order.final:
            return f"this order has ended: {order.state_word}"
        if order.is_filled:
            return f"the order is filled in full, nothing is left to cancel: {ASKED}"
        if order.overlay is PendingAction.CANCEL or order.key in self._cancelling:
            return f"a cancel of {full_name(order.sym)} is already pending"
        return ""

    def newest_own(self, *, ended: bool = False) -> OrderRow | None:
        """Return the newest working order that was placed at this desk; `ended`: an order that has ended counts too."""
        mirror = self._context.mirror
        listed = mirror.orders.values() if ended else [order for order in mirror.working() if not order.is_filled]
        orders = [order for order in listed if mirror.is_own(order)]
        if ended and mirror.newest_left is not None:
            orders.append(mirror.newest_left)
        return max(orders, key=recency, default=None)

    # Single orders

    def ask_orders(self, keys: list[str], title: str, which: str = "", sym: str = "") -> None:
        """Ask once for confirmation, with every order named, then cancel several orders.

        Args:
            keys: Row keys of the orders.
            title: Title of the question.
            which: Words behind the number of orders.
            sym: Pair whose orders of one side they are.
        """
        self._context.prompt(
            self._ask_several(keys, title, which, sym),
            lambda answer: self.cancel_keys(keys) if answer else None,
            lambda: self._ask_several(keys, title, which, sym),
        )

    def _working(self, keys: list[str]) -> list[OrderRow]:
        """Return those of the given orders that have not ended."""
        orders = self._context.mirror.orders
        return [orders[key] for key in keys if key in orders and orders[key].working]

    def _ask_several(self, keys: list[str], title: str, which: str, sym: str) -> Question:
        orders, mirror = self._working(keys), self._context.mirror
        ending = list_attached(orders, mirror)
        effect = describe_attached(ending, self._context.view)
        which += f" of {full_name(sym)}" if sym else ""
        unknown = "stops and targets are not cancelled: how many is not known now"
        stays = [] if not sym else [unknown] if why_unknown(mirror) else count_spared(sym, ending, mirror)
        return Question(
            kind="cancel",
            only_cancels=True,
            title=title,
            choices=(Option("marked", f"cancel {order_count_text(orders)}{which}{effect}", bool(orders)),),
            named=tuple(NamedLine((describe_row(order, self._context.view),)) for order in orders),
            notes=tuple(stays),
        )

    def cancel_keys(self, keys: list[str], proposal: str = "") -> None:
        """Cancel orders one by one, leaving out those that have ended meanwhile.

        Args:
            keys: Row keys of the orders.
            proposal: Number of the proposal that is accepted with it, or empty.
        """
        for order in self._working(keys):
            if order.key in self._cancelling:
                continue
            reason = self.order_block(order)
            if reason:
                self._context.refuse(reason)
            else:
                self.cancel_order(order, proposal)
        self._context.unmark("orders")

    def cancel_order(self, order: OrderRow, proposal: str = "") -> None:
        context = self._context
        self._cancelling.add(order.key)
        cancel = Cancel(decision=context.build_decision(), key=order.key, proposal=proposal)
        context.submit(cancel, partial(self._handle_cancel_outcome, order.key))

    def _handle_cancel_outcome(self, key: str, outcome: Outcome) -> None:
        self._cancelling.discard(key)
        report_outcome(self._context, outcome)

    def open_algos(self, exchange: str = "", sym: str = "") -> list[AlgoRow]:
        """Return the known open algo orders of a venue, a pair or, if both are empty, the portfolio."""
        return [row for row in self._context.mirror.algos.values() if is_in_scope(row.record.sym, exchange, sym)]

    def algo_notes(self) -> list[str]:
        """Return a note that algo orders are not counted, if their list could not be read."""
        engine_status = self._context.mirror.engine_status
        error = engine_status.algo_error if engine_status is not None else ""
        how = "algo orders as last read" if self._context.mirror.algos else "without algo orders"
        return [f"{how}, their list could not be read: {error}"] if error else []

    def list_cancel_notes(self) -> tuple[str, ...]:
        """Return the notes below a question about cancelling several orders."""
        cut = "not connected now: nothing would be sent, and the orders stay live"
        return ("positions stay as they are", *([cut] if self._is_cut_off() else []), *self.algo_notes())

    def _is_cut_off(self) -> bool:
        return self._context.mirror.engine_status is not None and not self._context.mirror.link_up("private")

    def list_reach_notes(self, *, brief: bool = False) -> list[str]:
        """Return notes on what a kill may miss: orders while the private stream is down, algo orders if unread."""
        notes = []
        if self._is_cut_off():
            tried = "private stream down: orders may stay live"
            whole = "the private stream is down: cancels are tried, but orders may stay live"
            notes.append(tried if brief else whole)
        return [*notes, *self.algo_notes()]

    # Scopes

    def ask_scope(self, kind: str, name: str) -> None:
        """Ask for confirmation, then cancel the orders of a pair (`sym`), a `coin`, a `venue` or the `portfolio`."""
        wanted = f"{kind} {name}".strip() if kind != "portfolio" else kind

        def question() -> Question:
            sym = name if kind == "sym" else f"{name}_SPOT_X_Y" if kind == "venue" else ""
            options = [self._coin_choice(name)] if kind == "coin" else self.list_scopes(sym, [], [])
            choices = tuple(option for option in options if option.id == wanted)
            return Question(
                kind="cancel",
                only_cancels=True,
                title=f"Cancel orders of {self._context.portfolio_text}",
                choices=choices,
                notes=self.list_cancel_notes(),
            )

        self._context.prompt(question(), partial(self.cancel_chosen_scope, [], []), question)

    def list_scopes(self, sym: str, marked: list[str], algo_scopes: list[AlgoScope]) -> list[Option]:
        """List the cancel scopes, the narrowest first: algo orders only, marked orders, pair, venue, all."""
        orders = self._context.mirror.working()
        parts = try_parse(sym) if sym else None
        choices = [scope.option(self._context.mirror, self._context.view) for scope in algo_scopes]
        if marked:
            left = self._working(marked)
            choices.append(Option("marked", f"marked: cancel {order_count_text(left)}", bool(left)))
        if sym:
            here = [order for order in orders if order.sym == sym]
            choices.append(self._scope_choice(f"sym {sym}", full_name(sym), here, self.open_algos(sym=sym)))
        if parts is not None:
            venue = parts.exchange
            here = [order for order in orders if is_in_scope(order.sym, venue)]
            choices.append(self._scope_choice(f"venue {venue}", f"venue {venue}", here, self.open_algos(venue)))
        return [*choices, self._scope_choice("portfolio", self._context.portfolio_text, orders, self.open_algos())]

    def _list_pairs(self, coin: str) -> list[str]:
        """List the pairs with a base coin that have working orders or algo orders."""
        scope, view = Scope(word="coin", name=coin), self._context.view
        orders, algos = list_scope(scope, view, Cursor()), list_algo_scope(scope, view)
        return list(dict.fromkeys([*(order.sym for order in orders), *(row.record.sym for row in algos)]))

    def _coin_choice(self, coin: str) -> Option:
        pairs = self._list_pairs(coin)
        orders = [order for order in self._context.mirror.working() if order.sym in pairs]
        algos = [row for sym in pairs for row in self.open_algos(sym=sym)]
        return self._scope_choice(f"coin {coin}", ", ".join(map(full_name, pairs)) or coin, orders, algos)

    def list_equal_scopes(self, sym: str, algo_scopes: list[AlgoScope]) -> frozenset[str]:
        """List the scopes (pair, venue, portfolio) that now cancel the same orders as a narrower scope."""
        parts, mirror = try_parse(sym) if sym else None, self._context.mirror
        reached = [
            frozenset(key for key, row in mirror.algos.items() if scope.matches(row.record)) for scope in algo_scopes
        ]
        equal = []
        venue = parts.exchange if parts is not None else ""
        for name, where, pair in ((f"sym {sym}", "", sym), (f"venue {venue}", venue, ""), ("portfolio", "", "")):
            orders = [order.key for order in mirror.working() if is_in_scope(order.sym, where, pair)]
            keys = frozenset([*orders, *(row.key for row in self.open_algos(where, pair))])
            if keys in reached:
                equal.append(name)
            reached.append(keys)
        return frozenset(equal)

    def _scope_choice(self, name: str, label: str, orders: list[OrderRow], algos: list[AlgoRow]) -> Option:
        worth = f", open worth {text}" if (text := self._describe_worth(orders)) else ""
        bare = describe_bare(find_unprotected_legs(algos, self._context.mirror), self._context.view)
        return Option(name, f"{label}: cancel {describe_count(orders, algos)}{worth}{bare}", bool(orders or algos))

    def _describe_worth(self, orders: list[OrderRow]) -> str:
        """Describe the value of the unfilled parts of orders, summed by coin; empty if that of any order is unknown."""
        sums: dict[str, Decimal] = {}
        for order in orders:
            size, done, price = (number_format.value(text) for text in (order.qty, order.filled, order.price))
            parts = try_parse(order.sym)
            if parts is None or size is None or done is None or price is None:
                return ""
            # Of one larger than the position that it closes no more can fill.
            clipped = compute_clipped_size(order, self._context.mirror.positions)
            left = size - done if clipped is None else clipped
            base = base_units(order.sym, left, self._context.view.info(order.sym))
            if base is None:
                return ""
            sums[parts.quote] = sums.get(parts.quote, ZERO) + base * price
        return " + ".join(f"{number_format.decimal_figure(total, 2)} {coin}" for coin, total in sums.items())

    def cancel_chosen_scope(self, marked: list[str], algo_scopes: list[AlgoScope], answer: str | None) -> None:
        if answer is None:
            return
        for scope in algo_scopes:
            if scope.id == answer:
                self._context.submit(
                    scope.command(self._context.build_decision(f"key C, {scope.label}")), self.report_cancel_all
                )
                return
        if answer == "marked":
            self.cancel_keys(marked)
            return
        kind, _, name = answer.partition(" ")
        venue, syms = (name if kind == "venue" else ""), [name if kind == "sym" else ""]
        for sym in self._list_pairs(name) if kind == "coin" else syms:
            decision = self._context.build_decision(f"key C, {answer}")
            self._context.submit(CancelAll(decision=decision, exchange=venue, sym=sym), self.report_cancel_all)

    def report_cancel_all(self, outcome: Outcome) -> None:
        """Report a cancel-all that was denied, rejected or has an unknown outcome."""
        if outcome.verdict in (Verdict.DENIED, Verdict.REJECTED, Verdict.UNKNOWN):
            self._context.say(f"cancel-all {outcome.verdict.value}: {outcome.text}", Level.ALERT, "", outcome.text)
