"""Ticket panel: docked and mounted from the start, with one preview line; the input fields open around it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

import msgspec
from textual.strip import Strip

from tui.engine.rows import QuoteRow
from tui.workstation.input.fresh_press import (
    IN_A_BURST,
    Content,
    FreshPress,
    Rule,
    WrittenLine,
    add_way_on,
    describe_refused_enter,
)
from tui.workstation.input.input_order import key_time
from tui.workstation.model.display_context import DisplayContext
from tui.workstation.render.box_border import BoxBorder
from tui.workstation.render.palette import Palette
from tui.workstation.render.pieces import Piece
from tui.workstation.render.strips import wrap_pieces
from tui.workstation.tickets.fields import Mode
from tui.workstation.tickets.panel_fields import PanelFields

if TYPE_CHECKING:
    from tui.engine.intents import Outcome
    from tui.engine.orders.pre_trade_checks import Refusal
    from tui.workstation.tickets.order.checks import Problem
    from tui.workstation.tickets.order.price_move import PriceMove
    from tui.workstation.tickets.order.ticket import Ticket
    from tui.workstation.tickets.preview.figures import Figures
    from tui.workstation.tickets.ticket_box import Rows


class _Drawing(msgspec.Struct):
    """Results that the lines of a single drawing share, each computed when first needed."""

    noted: bool = False
    """Whether the drawing of the ticket was noted."""
    rows: Rows | None = None
    """Lines between the edges."""
    desk_refusal: Refusal | msgspec.UnsetType | None = msgspec.UNSET
    venue_refusal: str | None = None


class TicketPanel(PanelFields, can_focus=True):
    """Panel that draws a ticket; key handlers decide what it does. Its own focus position is the preview line."""

    DEFAULT_CSS = "TicketPanel { width: 1fr; height: 1fr; }"

    guard: FreshPress | None = None
    """Guard that decides which key sends; None before the keys are built."""
    on_keys_change: Callable[[], None] = staticmethod(lambda: None)
    """Called when other keys are available though no key of the keymap was pressed."""
    _held_quote: QuoteRow | None = None
    _holds_quote = False
    _keys: tuple[bool, str] | None = None
    """Whether the ticket could be sent, and by which key, as `on_keys_change` last told it; None: not told yet."""
    opened: Ticket | None = None
    """The open ticket as its key opened it."""
    _drawing: _Drawing | None = None
    """What the lines that are being drawn share; None while none are."""
    sending = 0.0
    """Monotonic time since which the ticket is on its way, s; 0 while it is not."""
    known_orders: frozenset[str] = frozenset()
    """Row keys of the orders that existed when the ticket was sent; its own order is not among them."""
    failure = ""
    """Internal error of its preview: until the ticket is changed it shows nothing else and sends nothing."""
    _refusal = ""
    _refused_at: tuple[str, bool, str] | None = None
    """What would have become of the ticket when its refusal was said."""
    note: list[Piece] = []
    """Sentence shown while no ticket is open, such as what a command line would do."""

    def __init__(self, view: DisplayContext, palette: Palette, box_border: BoxBorder) -> None:
        super().__init__(palette)
        self.view = view
        self.box_border = box_border
        self.watched = ""
        """Symbol whose rules are shown while no ticket is open."""
        self.problems: list[Problem] = []
        self.refused_send = False
        """Whether they are those of a refused attempt to send, which end when their cause does."""
        self.refusal = ""
        self.refused_key = ""
        """Why a key was refused; until the ticket is touched on purpose it takes no other key."""
        self.typed = False
        """Whether a field was typed into: then digits typed outside the fields are no size."""
        self.offers_fields = False
        """Whether the form would take the refused key; then `e` goes on too."""
        self.ask: Outcome | None = None
        self.away = False
        """Whether the keyboard is elsewhere: the price is frozen, and nothing is sent."""
        self.rejected = False
        """Whether an order or replace of it was sent and rejected."""
        self.written = WrittenLine(lambda: self.subject, lambda: self._content, lambda: self.send_key)
        """Content that Enter or `y` would send, and since when it is shown unchanged."""
        self._resized = "", float("-inf")
        """Size before its position changed it, and when that was, monotonic, s; empty: it did not."""
        self.token = 0
        """Number that changes with every ticket, so that a late answer is matched to its own."""
        self._drawn: dict[int, str] = {}
        self._figures: Figures | None = None
        """Figures of its lines; None: to be computed from the present rows."""
        self._idle_shows: object = None
        """Rules shown by the line without a ticket."""

    @property
    def subject(self) -> tuple[str, int]:
        """Identity of the open ticket, by which the key press guard tells tickets apart."""
        return "ticket", self.token

    @property
    def refusal(self) -> str:
        """Answer to the last attempt to send this ticket, or why a key did not; it ends when what is foreseen changes."""
        return self._refusal

    @refusal.setter
    def refusal(self, text: str) -> None:
        self._refusal, self._refused_at = text, self._outlook if text else None

    @property
    def _outlook(self) -> tuple[str, bool, str]:
        """What would become of the ticket: guard of the desk's refusal, whether the venue would refuse, its part."""
        if self.ticket is None:
            return "", False, ""
        desk, follows = self.desk_refusal, self.ticket.qty if self.ticket.follows_position else ""
        return "" if desk is None else desk.guard, bool(self.venue_refusal), follows

    def end_refusals(self, problems: list[Problem]) -> None:
        """End what a key was refused for once its cause is gone; `problems` are those that prevent sending now.

        What the trader must correct in a field stays: it is still among them.
        """
        if self.refusal and self._refused_at != self._outlook:
            self.refusal = ""
        if not self.refused_send or self.failure:
            return
        if problems:
            self.problems = problems
            return
        self.show_problems([])
        for field in self.fields.values():
            if field.locked and not self.blocked:
                field.locked = False
                field.select_all()
        if self.guard is not None and not self.blocked:
            self.guard.clear_refusals(self.subject)

    @property
    def _content(self) -> Content:
        """What a key press would send, for comparison: the trader's choices, and what market and position make of it.

        In a question that is whether it takes, else whether it would be refused; and a size that follows a position, or
        whether a typed one reverses it.
        """
        if self.ask is None:
            market = bool(self.problems or self.expect_refusal)
        else:
            market = bool(self.ticket and self.ticket.takes(self.live_quote, priced=self.quote))
        follows: str | bool = False
        if self.ticket is not None:
            from tui.workstation.tickets.order.position import describe_turn, find_position_size

            follows = self.ticket.qty
            if not self.ticket.follows_position:
                follows = bool(describe_turn(self.ticket, find_position_size(self.ticket, self.view)[0]))
        return Content((self.ticket and self.ticket.chosen, self.mode, self.ask), (market, follows))

    @property
    def send_key(self) -> str:
        """Key that sends the ticket: Enter, or `y` during a question, or where Enter was or would be refused."""
        spent = self.guard is not None and self.guard.is_spent(self.subject, "enter")
        return "y" if spent or self.ask is not None or (self.venue_refusal and not self.in_line) else "enter"

    @property
    def takes_y(self) -> bool:
        """Whether `y` sends the ticket: it is the key that sends now, or was shown as such before the market moved."""
        return self.send_key == "y" or (self.guard is not None and self.guard.is_y_named(self.subject))

    @property
    def in_line(self) -> bool:
        """Whether the ticket shows the order of the command line, which has the focus; there `y` is only a letter."""
        return self.open and not self.away and self.focused_stop is None

    @property
    def blocked(self) -> bool:
        """Whether the ticket takes no keys, because it refused one, until the trader edits or unlocks it."""
        return bool(self.refused_key) and (self.guard is None or Rule.BLOCKED in self.guard.rules)

    @property
    def paused(self) -> bool:
        """Whether the ticket has lost the focus and waits for it; False while its order is being sent."""
        return self.away and not self.sending

    @property
    def is_covered(self) -> bool:
        """Whether a dialog or another screen over the desk has the focus."""
        return self.app.screen is not self.screen

    @property
    def noun(self) -> str:
        """Word for what the ticket sends: `order` or `replace`."""
        return "replace" if self.ticket is not None and self.ticket.order is not None else "order"

    @property
    def sent_reason(self) -> str:
        """Reason why a key does nothing while the order is being sent; else empty."""
        text = f"does nothing: the {self.noun} was sent and its answer has not come yet; Esc closes the ticket"
        return text if self.sending else ""

    @property
    def can_send(self) -> bool:
        """Whether a key press could send the ticket in its current state."""
        chosen = self.ticket is not None and self.ticket.sided and not self.blocked
        return chosen and not (self.end_reason or self.desk_refusal or self.problems or self.failure)

    @property
    def quote(self) -> QuoteRow | None:
        """Quote of the ticket's symbol: live, or frozen by an open question or a pause."""
        return self._held_quote if self._holds_quote else self.live_quote

    def hold_price(self) -> None:
        """Freeze the quote from which the price is taken, for a question or a paused ticket."""
        if self.guard is None or Rule.PRICE in self.guard.rules:
            self._held_quote, self._holds_quote = self.live_quote, True

    def follow_price(self) -> None:
        """Unfreeze the quote, so that the price follows the market again."""
        self._held_quote, self._holds_quote = None, False
        self._figures = None

    def drop_question(self) -> None:
        """End the question; let the price follow the market again unless the ticket is paused."""
        self.ask = None
        if not self.paused:
            self.follow_price()

    def touch(self) -> None:
        """Unlock the ticket and the fields that refused a key, because the trader has edited it."""
        if self.refusal == self.refused_key:
            self.refusal = ""
        self.refused_key, self.offers_fields = "", False
        for field in self.fields.values():
            field.refused = field.locked = False
        self.redraw_all()
        self.on_keys_change()

    def note_resize(self, before: str, now: str) -> None:
        """Record the size that a change of the position replaced; of several in a short time, that before the first."""
        before = self.resized_from or before
        self._resized = "" if before == now else before, self.view.now

    @property
    def resized_from(self) -> str:
        """Size that the ticket had before its position changed it, as long as that is news; else empty."""
        before, at = self._resized
        return before if self.view.is_news(at) else ""

    @property
    def way_on(self) -> str:
        """Action that unlocks typing after a refused key: Backspace in a field, else the key that unlocks the ticket."""
        return "edit.erase" if any(field.has_focus for field in self.fields.values()) else "ticket.unblock"

    def refuse_key(self, why: str) -> None:
        """Refuse a key, and all further keys until the trader edits or unlocks the ticket."""
        self.refused_key = self.view.name_keys(add_way_on(why, self.way_on))
        self.redraw_all()
        self.on_keys_change()

    def refuse_enter(self) -> str:
        """Refuse an Enter that came in a burst of keys; return the reason, with the key to use unless the desk denies."""
        came = IN_A_BURST if self.guard is None else self.guard.how_joined
        self.refusal = self.expect_refusal or describe_refused_enter(came, self.name_send_key())
        if self.guard is not None:
            self.guard.record_refused_enter(self.subject)
        return self.refusal

    def name_send_key(self) -> str:
        """Return the key that sends the ticket, to show it; once `y` was shown, `y` sends it even if the key changes."""
        key = self.send_key
        if key == "y" and self.guard is not None:
            self.guard.name_y(self.subject)
        return key

    def pause(self) -> None:
        """Pause the ticket while another screen or dialog has the keyboard."""
        self.away = True
        if not self._holds_quote:
            self.hold_price()
        self.redraw_all()

    def resume(self) -> None:
        """Resume the ticket; the price stays frozen while a question is open."""
        self.away = False
        if self.ask is None and not self.sending:
            self.follow_price()
        self.follow()
        self.redraw_all()

    @property
    def live_quote(self) -> QuoteRow | None:
        """Latest quote of the ticket's symbol, even while the price is frozen."""
        sym = self.ticket.sym if self.ticket is not None else self.watched
        return self.view.mirror.quotes.get(sym)

    @property
    def is_repriced(self) -> bool:
        """Whether purpose, price or time in force of the open ticket were changed since it opened."""
        ticket, opened = self.ticket, self.opened
        return ticket is not None and opened is not None and ticket.priced_as != opened.priced_as

    @property
    def current_ticket(self) -> Ticket | None:
        """Ticket to draw: the open one, for a replace with the present state of its order."""
        ticket = self.ticket
        if ticket is None or ticket.order is None:
            return ticket
        order = self.view.mirror.orders.get(ticket.order.key)
        return ticket if order is None or order is ticket.order else ticket.follow_order(order)

    @property
    def end_reason(self) -> str:
        """Reason why the order can no longer be replaced, as it has ended; else empty."""
        ticket = self.current_ticket
        if ticket is None or ticket.order is None or not ticket.order.final:
            return ""
        return f"this order has ended: {ticket.order.state_word}; there is nothing to replace"

    def show(self, ticket: Ticket, mode: Mode) -> None:
        """Open a ticket."""
        self._begin(mode)
        self.opened = ticket
        self.put(ticket)

    def put(self, ticket: Ticket) -> None:
        """Show a changed version of the same ticket."""
        self.ticket, self._figures, self._keys = ticket, None, None
        self._resized = "", float("-inf")
        self.problems, self.refused_send, self.failure = [], False, ""
        fields, choosers = self.fields, self.choosers
        for name, text in ticket.field_texts(self.quote).items():
            fields[name].put(text, ticket.parts_of_field(name))
        for name, (values, chosen) in ticket.choices().items():
            choosers[name].offer([str(value) for value in values], str(chosen))
        self._mark_invalid()
        self.show_fields()
        self.refresh()

    def close(self) -> None:
        """Close the ticket without sending."""
        self._begin(Mode.IDLE)
        self.ticket, self.problems, self.refused_send = None, [], False
        self.show_fields()
        self.refresh()

    def _begin(self, mode: Mode) -> None:
        """Reset questions, refusals and states of the previous ticket; then a new ticket or none is shown."""
        self.token += 1
        self.mode = mode
        self.ask, self.sending = None, 0.0
        self.refusal = self.refused_key = self.failure = ""
        self.away = self.rejected = self.typed = self.offers_fields = False
        for field in self.fields.values():
            field.typed = False
        self.follow_price()

    def show_problems(self, problems: list[Problem], *, refused: bool = False) -> None:
        """Show in the fields why the ticket cannot be sent; `refused`: because a key was to send it."""
        self.problems, self.refused_send = problems, refused
        self._mark_invalid()
        self.refresh()

    def _mark_invalid(self) -> None:
        for field in self.fields.values():
            field.mark(invalid=any(problem.field == field.id for problem in self.problems))

    # Drawing

    @contextmanager
    def contain_errors(self) -> Iterator[None]:
        """Catch an exception of the block and show it in the ticket in place of the preview; the desk goes on."""
        try:
            yield
        except Exception as error:
            self.failure = self.view.report_failure("the ticket", error)
            self.redraw_all()

    def follow(self) -> None:
        """Update and redraw the ticket after rows changed, so that it shows what would be sent."""
        with self.contain_errors():
            self._follow()

    def _follow(self) -> None:
        # Fills may arrive before the answer: the figures of a sent ticket are not added to them.
        ticket, self._figures = self.current_ticket, self._figures if self.sending else None
        if ticket is None:
            if (pieces := self._idle_pieces()) != self._idle_shows:
                self._idle_shows = pieces
                self.redraw_all()
            return
        if not self.sending:
            from tui.workstation.tickets.panel_follow import follow_rows

            follow_rows(self, ticket)
        height = self.outer_size.height
        rows = self._rows(self.count_lines(height))
        changed = [y for y, text in self._drawn.items() if y < height and self._line(y, rows).text != text]
        if changed:
            self.redraw(changed)
        if (keys := (self.can_send, self.send_key)) != self._keys:
            self._keys = keys
            self.on_keys_change()

    def figures(self, ticket: Ticket) -> Figures:
        """Return the preview of a ticket as it was last drawn, which the journal records."""
        from tui.workstation.tickets.preview.figures import figures_of

        figures = self._figures
        if figures is None or not (self.sending or figures[:3] == (ticket, self.quote, self.live_quote)):
            figures = self._figures = figures_of(ticket, self.quote, self.view)
        return figures

    @contextmanager
    def one_drawing(self) -> Iterator[None]:
        self._drawing = _Drawing()
        try:
            yield
        finally:
            self._drawing = None

    def render_line(self, y: int) -> Strip:
        drawing = self._drawing or _Drawing()
        if self.ticket is not None and not drawing.noted:
            self.written.note_drawing(key_time())
            drawing.noted = True
        if y and drawing.rows is None:
            drawing.rows = self._rows(self.count_lines(self.outer_size.height))
        strip = self._line(y, drawing.rows or [])
        self._drawn[y] = strip.text
        return strip

    def _line(self, y: int, rows: Rows) -> Strip:
        width, height = self.outer_size.width, self.outer_size.height
        focused = self.has_focus or self.has_pseudo_class("focus-within")
        if y == 0:
            (title, right), edge = self._title(), focused or self.under_focus
            return self.box_border.title(title, width, self.palette, right, top=self.top_corner, focused=edge)
        if self.bottom and y == height - 1:
            return self.box_border.bottom(width, self.palette, focused=focused)
        pieces, right = rows[y - 1] if y - 1 < len(rows) else ([], [])
        if self.paused:
            pieces = [(text, "faint") for text, _ in pieces]
        return self.box_border.draw_line(pieces, width, self.palette, right, focused=focused)

    def _title(self) -> tuple[list[Piece], list[Piece]]:
        """Build the title and its right end."""
        from tui.workstation.tickets.panel_messages import message_pieces
        from tui.workstation.tickets.panel_title import build_title

        ticket = self.current_ticket
        if ticket is not None and not self.failure:
            with self.contain_errors():
                return build_title(self, ticket, message_pieces(self))
        return [("ticket", "dim"), *([(f" ! {self.failure}", "alert")] if self.failure else [])], []

    def _rows(self, inside: int) -> Rows:
        ticket = self.current_ticket
        if ticket is None:
            lines = wrap_pieces(self.note, self.outer_size.width - 2, inside) or [self._idle_pieces()]
            return [(line, []) for line in lines]
        from tui.workstation.tickets.panel_rows import build_rows

        if not self.failure:
            with self.contain_errors():
                return build_rows(self, ticket, inside)
        return []

    @property
    def expect_refusal(self) -> str:
        """Reason why the desk or the venue would refuse the ticket; empty if neither would."""
        return self.desk_refusal.text if self.desk_refusal is not None else self.venue_refusal

    @property
    def desk_refusal(self) -> Refusal | None:
        """Expected refusal of the ticket by the desk itself; None if the desk would send it."""
        from tui.workstation.tickets.order.refusals import expect_refusal_here

        drawing = self._drawing or _Drawing()
        if drawing.desk_refusal is msgspec.UNSET:
            drawing.desk_refusal = None
            with self.contain_errors():
                drawing.desk_refusal = expect_refusal_here(self.current_ticket, self.view, self.quote)
        return drawing.desk_refusal

    @property
    def venue_refusal(self) -> str:
        """Reason why the venue would refuse what the desk would send, so that only `y` sends it; else empty."""
        from tui.workstation.tickets.order.refusals import expect_venue_refusal

        drawing = self._drawing or _Drawing()
        if drawing.venue_refusal is None:
            drawing.venue_refusal = ""
            with self.contain_errors():
                drawing.venue_refusal = expect_venue_refusal(self.current_ticket, self.view, self.quote)
        return drawing.venue_refusal

    @property
    def denial(self) -> str:
        """Reason why the engine would deny the order in an open question, at its price and the present market; or empty."""
        from tui.workstation.tickets.order.refusals import expect_refusal_here
        from tui.workstation.tickets.preview.price import fix_price_at

        if self.ask is None or self.ticket is None:
            return ""
        ticket, now = fix_price_at(self.current_ticket or self.ticket, self.quote, self.live_quote)
        refusal = expect_refusal_here(ticket, self.view, now)
        return refusal.text if refusal is not None else ""

    @property
    def can_requote(self) -> bool:
        """Whether an open question can be renewed at the present price: it follows the market, which has moved."""
        ticket = self.ticket
        follows = ticket is not None and not ticket.at_market and ticket.price_mode != "typed"
        return self.ask is not None and follows and self.compute_move() is not None

    def compute_move(self) -> PriceMove | None:
        """Return the frozen price and the present price if they differ; None if equal, unknown or not frozen."""
        from tui.workstation.tickets.order.price_move import PriceMove

        if (ticket := self.ticket) is None or not self._holds_quote:
            return None
        asked, now = ticket.reference(self._held_quote), ticket.reference(self.live_quote)
        return PriceMove.between(asked, now)

    @property
    def is_size_refused(self) -> bool:
        """Whether sending was refused because of the size; stepping then goes to the nearest accepted size."""
        return self.size_field.locked and any(problem.field == "size" for problem in self.problems)

    @property
    def sends_from_size(self) -> bool:
        """Whether the focus is in the size field of a preview ticket that can be sent from there."""
        return self.mode is Mode.STAGED and self.size_field.has_focus and self.can_send

    @property
    def enter_hint(self) -> str:
        """Word for what Enter does in the focused field, such as `send` or `next`."""
        here = self.focused_stop
        if self.mode is Mode.STAGED and here is self.size_field:
            return "send" if self.sends_from_size else "check"
        follows = None if here is None else self.neighbour_stop(here, 1, needed=True)
        onward = "to the total" if self.mode is Mode.REPLACE and follows is self.size_field else "next"
        return "preview" if follows is self else onward

    def _idle_pieces(self) -> list[Piece]:
        from tui.workstation.tickets.pair_rules import idle_pieces

        return idle_pieces(self.view, self.watched, self.outer_size.width - 2)
