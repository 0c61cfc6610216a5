"""Handler of the key that dismisses an UNKNOWN order, algo order or account command."""

from __future__ import annotations

from tui.engine.limits import Limits
from tui.engine.orders.dismissal import dismissal_block_reason
from tui.engine.rows import AccountCommandRow, AlgoRow, CommandState, LocalOrderState, OrderRow
from tui.engine.state.algo_table import algo_text
from tui.workstation.commands.availability import Blocks
from tui.workstation.commands.context import Context, no_single_row
from tui.workstation.input.handlers import Handlers
from tui.workstation.model.instruments import full_name
from tui.workstation.table.live_table import LiveTable
from tui.workstation.widgets.question import Option, Question

_Unknown = OrderRow | AlgoRow | AccountCommandRow


class DismissalKeys:
    """Manual dismissal of an UNKNOWN row after a typed word; otherwise only data from the service ends such a row."""

    def __init__(self, context: Context) -> None:
        self._context = context

    def handlers(self) -> Handlers:
        """Return the key handlers by action id."""
        return {"order.dismiss": self.dismiss}

    def blocks(self) -> Blocks:
        """Return functions that explain why an action cannot run, by action id."""
        return {"order.dismiss": self._block}

    def _block(self, table: LiveTable | None) -> str:
        context = self._context
        reason = no_single_row(table, "a dismissal")
        if reason or table is None:
            return reason
        row = self._unknown_row(table)
        if row is None:
            return "only an UNKNOWN order or command can be dismissed"
        if isinstance(row, AccountCommandRow):
            return ""
        limits = context.mirror.engine_status.limits if context.mirror.engine_status is not None else Limits()
        early = dismissal_block_reason(row, limits, context.clock.mono())
        return f"dismissing it is {early}" if early else ""

    def _unknown_row(self, table: LiveTable) -> _Unknown | None:
        """Return the order, algo order or account command under the cursor if its state is UNKNOWN, else None."""
        mirror, key = self._context.mirror, next(iter(table.targets), "")
        command = mirror.commands.get(key)
        if command is not None:
            return command if command.state is CommandState.UNKNOWN else None
        row = mirror.algos.get(key) if table.pane.id == "algos" else mirror.orders.get(key)
        return row if row is not None and row.state == LocalOrderState.UNKNOWN else None

    def dismiss(self) -> None:
        """Ask for confirmation, then dismiss the row and stop searching for it."""
        context = self._context
        row = self._unknown_row(context.table) if context.table is not None else None
        if row is None:
            return
        key = row.id if isinstance(row, AccountCommandRow) else row.key
        noun, what, search = self._describe_row(row)
        question = Question(
            kind="dismiss",
            title=f"Dismiss an UNKNOWN {noun}",
            choices=(Option("dismiss", f"treat {what} as gone"),),
            notes=(search, "dismissed by you, not by the service: the journal records it as your decision"),
            word="dismiss",
        )
        context.prompt(question, lambda answer: context.port.dismiss(key) if answer else None)

    def _describe_row(self, row: _Unknown) -> tuple[str, str, str]:
        """Return the row's kind, its description, and how far its search has come."""
        if isinstance(row, AccountCommandRow):
            return "command", row.title, f"{row.text or 'not found yet'}; it may still be carried out"
        search = f"not found {row.not_found}x; it may still be live at the venue"
        if isinstance(row, AlgoRow):
            tick = self._context.mirror.tick_of(row.record.sym)
            return "algo order", algo_text(row.record, tick), search
        what = f"{row.side} {row.qty} {full_name(row.sym)} at {row.price}"
        return "order", what, f"asked {row.asked}x, {search}"
