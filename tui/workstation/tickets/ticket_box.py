"""Protocol of the ticket panel, as the modules see it that build its lines and let it follow the rows."""

from __future__ import annotations

from decimal import Decimal
from typing import Protocol

from textual.geometry import Region, Size
from textual.widget import Widget

from tui.engine.intents import Outcome
from tui.engine.rows import QuoteRow
from tui.workstation.model.display_context import DisplayContext
from tui.workstation.render.pieces import Piece
from tui.workstation.tickets.fields import Mode, NumberField
from tui.workstation.tickets.order.checks import Problem
from tui.workstation.tickets.order.ticket import Ticket
from tui.workstation.tickets.preview.figures import Figures

Rows = list[tuple[list[Piece], list[Piece]]]
"""Lines between the edges: left part and right end of each."""


class TicketBox(Protocol):
    """Parts of the ticket panel that these modules use."""

    view: DisplayContext
    mode: Mode
    ticket: Ticket | None
    problems: list[Problem]
    refusal: str
    refused_key: str
    ask: Outcome | None
    sending: float
    size_field: NumberField

    @property
    def current_ticket(self) -> Ticket | None: ...
    @property
    def paused(self) -> bool: ...
    @property
    def is_covered(self) -> bool: ...
    @property
    def end_reason(self) -> str: ...
    @property
    def expect_refusal(self) -> str: ...
    @property
    def denial(self) -> str: ...
    @property
    def can_requote(self) -> bool: ...
    @property
    def way_on(self) -> str: ...
    @property
    def send_key(self) -> str: ...
    @property
    def quote(self) -> QuoteRow | None: ...
    @property
    def live_quote(self) -> QuoteRow | None: ...
    @property
    def has_focus(self) -> bool: ...
    @property
    def outer_size(self) -> Size: ...
    @property
    def fields(self) -> dict[str, NumberField]: ...
    @property
    def focused_stop(self) -> Widget | None: ...
    @property
    def enter_hint(self) -> str: ...
    def drop_question(self) -> None: ...
    def neighbour_stop(self, here: Widget | None, steps: int, *, needed: bool = False) -> Widget: ...
    def placements(self, size: Size) -> dict[str, Region]: ...
    def count_lines(self, height: int) -> int: ...
    def figures(self, ticket: Ticket) -> Figures: ...
    def compute_move(self) -> tuple[Decimal, Decimal] | None: ...
