"""Handlers of keys that close a position at market or at the best price, fully or partly, by a staged ticket."""

from __future__ import annotations

from functools import partial

from tui.engine.rows import Fact
from tui.interface.families.positions import PositionRecord
from tui.interface.figures import leg_of
from tui.workstation.commands.availability import Blocks
from tui.workstation.commands.context import NO_ROW, Context, no_single_row
from tui.workstation.features.trading.hot_keys import HotKeys
from tui.workstation.features.trading.order_blocks import ChosenShare
from tui.workstation.features.trading.order_keys import OrderKeys
from tui.workstation.features.trading.risk_keys import RiskKeys
from tui.workstation.input.handlers import Handlers
from tui.workstation.model.instruments import full_name
from tui.workstation.table.live_table import LiveTable
from tui.workstation.tickets.fields import Mode
from tui.workstation.tickets.order import ticket_factory
from tui.workstation.tickets.order.ticket import Ticket

PART_S = 8.0
"""Seconds that `%` waits for its digit."""


class PositionKeys:
    """Key handlers that close a position at market, close a part of it, or exit at the best price."""

    def __init__(self, context: Context, orders: OrderKeys, risk: RiskKeys, hot: HotKeys) -> None:
        self._context = context
        self._orders = orders
        self._risk = risk
        self._hot = hot
        self._part_at = float("-inf")

    def handlers(self) -> Handlers:
        """Return the key handlers by action id."""
        return {
            "position.flatten": self.position_flatten,
            "position.exit": self.position_exit,
            "position.part": self.position_part,
            **{f"part.{key}": partial(self._part, percent) for key, percent in ticket_factory.SHARES.items()},
            "part.leave": self.part_leave,
        }

    def blocks(self) -> Blocks:
        """Return the block reasons by action id."""
        return {
            "position.flatten": self._flatten_block,
            "position.exit": partial(self._ticket_block, ticket_factory.exit_at_touch),
            "position.part": partial(self._ticket_block, ticket_factory.flatten),
        }

    def _flatten_block(self, table: LiveTable | None) -> str:
        if table is not None and len(table.targets) > 1:
            return self._risk.flatten_block(table.targets)
        return self._ticket_block(ticket_factory.flatten, table)

    def _ticket_block(self, build: ticket_factory.BuildTicket, table: LiveTable | None) -> str:
        """Return why no closing ticket can be built for the selected position, or an empty text."""
        reason = no_single_row(table, "closing a leg")
        if reason or table is None:
            return reason
        fact = self._context.mirror.positions.get(table.targets[0])
        ticket = build(fact.record, self._context.view) if fact is not None else NO_ROW
        return ticket if isinstance(ticket, str) else ""

    @property
    def part_open(self) -> bool:
        """Whether `%` was pressed within the last `PART_S` seconds, so that a digit chooses the share."""
        return self._context.clock.mono() - self._part_at < PART_S

    def position_flatten(self) -> None:
        """Open a ticket that closes the position (in HOT send it), or ask the service to close; ask once for marked ones."""
        table = self._context.main_screen.table
        if table is not None and len(table.targets) > 1:
            self._risk.flatten_marked(table.targets, self._context.source)
            return
        fact = self._position()
        if fact is not None and self._context.settings.close == "service":
            self._risk.close_by_service(fact.record)
            return
        self._close(ticket_factory.flatten)

    def position_exit(self) -> None:
        """Open a post-only order at the best price that closes the whole position; in HOT send it."""
        self._close(ticket_factory.exit_at_touch)

    def position_part(self) -> None:
        fact = self._position()
        if fact is None:
            return
        if self._context.hot and self._is_unmeant(fact.record):
            # The digit behind it was meant as a share: it is no pane key.
            self._context.guard.typing.refuse_form()
            return
        self._part_at = self._context.clock.mono()
        shares = "  ".join(f"⟦part.{key}⟧: {percent} %" for key, percent in ticket_factory.SHARES.items())
        self._ask(self._context.view.name_keys(f"close how much? {shares}"))
        self._context.main_screen.set_timer(PART_S, self._expire_part)

    def _ask(self, question: str) -> None:
        """Show a question in the event bar while a digit is awaited; an empty text removes it."""
        self._context.main_screen.event_bar.question = question
        self._context.main_screen.event_bar.redraw_all()
        self._context.main_screen.key_bar.redraw_all()

    def _expire_part(self) -> None:
        if not self.part_open and self._part_at > float("-inf"):
            self.part_leave()
            self._context.say(f"no share was chosen within {PART_S:.0f} s: press ⟦position.part⟧ again")

    def part_leave(self) -> None:
        self._part_at = float("-inf")
        self._ask("")

    def _part(self, percent: int) -> None:
        self.part_leave()
        self._context.unopened = ""
        self._close(lambda record, view: ticket_factory.close_part(record, view, percent), "%")
        # A digit behind it belongs to a typed share such as 25: it is no size, and where no ticket opened no pane key.
        panel = self._context.main_screen.panel
        panel.typed = panel.open
        self._orders.ticket.share = ChosenShare(
            panel.token, panel.ticket.qty if panel.ticket else "", self._context.key, percent
        )
        if not panel.open:
            self._context.guard.typing.refuse_form()

    def _position(self) -> Fact[PositionRecord] | None:
        key = self._context.target()
        return self._context.mirror.positions.get(key) if key is not None else None

    def _is_unmeant(self, record: PositionRecord, again: str = "") -> bool:
        """Refuse to act on a position to which the program, not the trader, moved the cursor; return whether refused."""
        return self._context.refuse_after_cursor_move(f"{full_name(record.sym)} {leg_of(record)}", again)

    def _close(self, build: ticket_factory.BuildTicket, again: str = "") -> None:
        """Send a closing order at once in HOT, else open it as a ticket; `again` is the key to press if it is refused."""
        context, fact, table = self._context, self._position(), self._context.main_screen.table
        if not context.hot or fact is None or table is None:
            self._stage(build)
            return
        record = fact.record
        if self._is_unmeant(record, again):
            return
        ticket = build(record, context.view)
        if isinstance(ticket, Ticket):
            self._hot.fire(ticket, table.cursor.line)
        else:
            context.refuse_opener(ticket)

    def _stage(self, build: ticket_factory.BuildTicket) -> None:
        fact = self._position()
        if fact is None:
            return
        ticket = build(fact.record, self._context.view)
        if isinstance(ticket, Ticket):
            self._orders.ticket.open(ticket, Mode.STAGED)
        else:
            self._context.refuse_opener(ticket)
