"""Handlers of keys that cancel one order, the marked orders or a scope; several orders need a confirmation."""

from __future__ import annotations

from functools import partial

from tui.engine.rows import OrderRow
from tui.workstation.command_line.order_descriptions import describe_row
from tui.workstation.commands.availability import Blocks
from tui.workstation.commands.context import Context, why_no_row
from tui.workstation.features.trading.algo_scopes import list_distinct_scopes
from tui.workstation.features.trading.cancel_orders import OrderCancels
from tui.workstation.input.handlers import Handlers
from tui.workstation.table.live_table import LiveTable
from tui.workstation.widgets.question import Option, Question


class CancelKeys(OrderCancels):
    """Key handlers that cancel one order, the marked orders, or a scope."""

    _context: Context

    def __init__(self, context: Context) -> None:
        super().__init__(context)

    def handlers(self) -> Handlers:
        """Return the key handlers by action id."""
        return {
            "order.cancel": self.order_cancel,
            "cancel.last": self.cancel_last,
            "cancel.scope": self.cancel_scope,
        }

    def blocks(self) -> Blocks:
        """Return the block reasons by action id."""
        return {"order.cancel": self._cancel_block, "cancel.last": self._last_block, "cancel.scope": self._scope_block}

    def _cancel_block(self, table: LiveTable | None) -> str:
        orders = self._context.mirror.orders
        targets = [orders[key] for key in table.targets if key in orders] if table is not None else []
        if len(targets) == 1:
            return self.order_block(targets[0])
        if not targets:
            return why_no_row(table)
        return "" if any(order.working for order in targets) else "all marked orders have already ended"

    def _last_block(self, table: LiveTable | None) -> str:
        del table
        last = self.newest_own()
        return "none of your orders is working" if last is None else self.order_block(last)

    def _scope_block(self, table: LiveTable | None) -> str:
        del table
        works = self._context.mirror.working() or self.open_algos()
        return "" if works else "no order is working: nothing to cancel"

    # Single orders

    def order_cancel(self) -> None:
        """Cancel the selected order; if several orders are marked, ask for confirmation."""
        context = self._context
        table = context.table
        keys = table.targets if table is not None else []
        orders = [context.mirror.orders[key] for key in keys if key in context.mirror.orders]
        if len(orders) > 1:
            self.cancel_marked()
        elif orders and not context.refuse_after_cursor_move(describe_row(orders[0], context.view)):
            self.cancel_order(orders[0])
            if table is not None:
                table.marked.unmark_all()

    def list_marked_orders(self) -> list[OrderRow]:
        """List the marked orders that have not ended, in list order."""
        orders = self._context.mirror.orders
        keys = [key for key in self._context.main_screen.tables["orders"].targets if key in orders]
        return (
            [orders[key] for key in keys if orders[key].working]
            if self._context.main_screen.tables["orders"].marked
            else []
        )

    def cancel_marked(self) -> None:
        """Ask once for confirmation, then cancel all marked orders."""
        context = self._context
        keys = [order.key for order in self.list_marked_orders()]
        self.ask_orders(keys, f"Cancel marked orders of {context.portfolio_text}", " marked")

    def cancel_last(self) -> None:
        last = self.newest_own()
        if last is not None:
            self.cancel_order(last)

    # Scopes

    def cancel_scope(self) -> None:
        """Ask which scope to cancel: symbol, venue or portfolio; `y` cancels the selected one."""
        context = self._context
        table = context.table
        sym = table.pane.sym(table.selected) if table is not None and table.selected is not None else ""
        marks = context.main_screen.tables["orders"].marked if table is not None else ()
        marked = [order.key for order in context.mirror.working() if order.key in marks]
        algo = (
            context.mirror.algos.get(table.selected or "") if table is not None and table.pane.id == "algos" else None
        )
        algo_scopes = list_distinct_scopes(algo.record, context.mirror) if algo is not None else []
        # Fixed while the question is open, so that no choice moves under the cursor.
        equal = self.list_equal_scopes(sym, algo_scopes) if algo_scopes else frozenset()

        def list_choices() -> tuple[Option, ...]:
            return tuple(choice for choice in self.list_scopes(sym, marked, algo_scopes) if choice.id not in equal)

        choices = list_choices()
        start = next((at for at, choice in enumerate(choices) if choice.enabled), 0)

        def question() -> Question:
            return Question(
                kind="cancel",
                only_cancels=True,
                title=f"Which orders of {context.portfolio_text} to cancel?",
                start=start,
                choices=list_choices(),
                notes=self.list_cancel_notes(),
            )

        context.prompt(question(), partial(self.cancel_chosen_scope, marked, algo_scopes), question)
