"""The ticket on the screen: docked, mounted from the start, one preview line and fields that open around it."""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal
from typing import TYPE_CHECKING

from textual.geometry import Region, Size
from textual.strip import Strip
from textual.widget import Widget

from tui.engine.rows import QuoteRow
from tui.workstation.input.actions import format_key
from tui.workstation.input.fresh_press import FreshPress, Rule, WrittenLine
from tui.workstation.input.input_order import key_time
from tui.workstation.model.display_context import DisplayContext
from tui.workstation.render.absolute_layout import Placing
from tui.workstation.render.box_border import BoxBorder
from tui.workstation.render.line_widget import BoxedLines
from tui.workstation.render.palette import Palette, Piece
from tui.workstation.render.strips import pieces_width
from tui.workstation.render.text import wrap
from tui.workstation.tickets.fields import (
    DOT,
    FIELD_WIDTH,
    FIELD_X,
    FORM_LINES,
    FORMS,
    NARROW,
    PROTECTION_WIDTH,
    REST_X,
    ROOMY,
    SHORT_FIELD,
    SHORT_X,
    STOP_X,
    WIDE,
    Chooser,
    Mode,
    NumberField,
)

if TYPE_CHECKING:
    from tui.engine.intents import Outcome
    from tui.workstation.tickets.preview import Figures
    from tui.workstation.tickets.ticket import Problem, Ticket

Rows = list[tuple[list[Piece], list[Piece]]]
"""Lines between the edges: what stands left, and what stands at the end."""

_TIF_WORDS = {"GTX": "post-only"}
_PROTECTIONS = {"tp": "tp/sl", "sl": "sl"}
"""What Enter goes past and Tab reaches, by the name of its field."""


class TicketPanel(Placing, BoxedLines, can_focus=True):
    """Draws a ticket; what happens to it is decided elsewhere. Its own focus is the preview line."""

    DEFAULT_CSS = "TicketPanel { width: 1fr; height: 1fr; }"

    guard: FreshPress | None = None
    """Says which key sends; None before the keys are built."""
    keys_change: Callable[[], None] | None = None
    """Told when it takes another key now though none was pressed."""
    _held_quote: QuoteRow | None = None
    _holds_quote = _took_send = False

    def __init__(self, view: DisplayContext, palette: Palette, box_border: BoxBorder) -> None:
        super().__init__(id="ticket")
        self.view = view
        self.palette = palette
        self.box_border = box_border
        self.bottom = False
        self.mode = Mode.IDLE
        self.ticket: Ticket | None = None
        self.watched = ""
        """Symbol whose rules are shown while no ticket is open."""
        self.problems: list[Problem] = []
        self.refusal = ""
        """What was answered to the last attempt to send this ticket."""
        self.refused_key = ""
        """Why a key was refused; until the ticket is touched on purpose it takes no other key."""
        self.typed = False
        """Something was typed in a field: digits outside of the fields are meant for another one, and are no size."""
        self.offers_fields = False
        """The refused key is one that the form takes: `e` goes on too."""
        self.ask: Outcome | None = None
        self.sending = False
        self.paused = False
        """The keyboard went elsewhere: its price stands still, and it sends nothing."""
        self.written = WrittenLine(lambda: self.subject, lambda: self._content)
        """What Enter or `y` would send, and since when it stands there."""
        self.token = 0
        """Changes with every ticket, so that a late answer finds its own or none."""
        self._drawn: dict[int, str] = {}
        self._figures: Figures | None = None
        """What its lines say; None: the rows of now have not been asked yet."""
        self._idle_shows: object = None
        """The rules that the line without a ticket was made of."""
        self.size_field = NumberField("size", palette)
        self.price_field = NumberField("price", palette)
        self.rest_field = NumberField("rest", palette)
        self.profit_field = NumberField("tp", palette)
        self.stop_field = NumberField("sl", palette)
        self.intent_choice = Chooser("intent", palette)
        self.type_choice = Chooser("type", palette, str.lower)
        self.tif_choice = Chooser("tif", palette, lambda value: _TIF_WORDS.get(value, value))

    def mount_fields(self) -> None:
        """Mount what is typed in, hidden as long as there is no ticket; the first frame is painted without it."""
        self._show_fields()
        self.mount(*self.choosers.values(), *self.fields.values())

    @property
    def subject(self) -> tuple[str, int]:
        """This ticket, for the decision about a press."""
        return "ticket", self.token

    @property
    def _content(self) -> tuple[object, ...]:
        """What a press would send, without a price that follows the touch."""
        ask, ticket = self.ask, self.ticket
        return (None if ticket is None else ticket.chosen), self.mode, None if ask is None else (ask.guard, ask.text)

    @property
    def sends_by(self) -> str:
        """The key that sends what is staged: `y` where Enter opened or walked it."""
        spent = self.guard is not None and self.guard.is_spent(self.subject, "enter")
        return "y" if spent or self.ask is not None else "enter"

    @property
    def takes_send(self) -> bool:
        """Whether a key would send it as it stands."""
        ticket = self.ticket
        if ticket is None or not ticket.sided or self.refused_key or self.expect_refusal or self.problems:
            return False
        from tui.workstation.tickets import preview

        return not preview.over_hard(ticket, self.quote, self.view)

    @property
    def quote(self) -> QuoteRow | None:
        """Quote of the ticket's symbol: the live one, or the one a question or a pause holds."""
        return self._held_quote if self._holds_quote else self.live_quote

    def hold_price(self) -> None:
        """Let the price stand still: what is asked about, or left, is what stands there."""
        if self.guard is None or Rule.PRICE in self.guard.rules:
            self._held_quote, self._holds_quote = self.live_quote, True

    def follow_price(self) -> None:
        """Follow the market again."""
        self._held_quote, self._holds_quote = None, False
        self._figures = None

    def drop_question(self) -> None:
        """Ask nothing more, and follow the market again where the keyboard is here."""
        self.ask = None
        if not self.paused:
            self.follow_price()

    def touch(self) -> None:
        """The ticket was touched on purpose: a refused key is forgotten."""
        self.refused_key, self.offers_fields = "", False
        for field in self.fields.values():
            field.refused = field.shut = False
        self.redraw_all()

    def pause(self) -> None:
        """The keyboard goes elsewhere."""
        self.paused = True
        if not self._holds_quote:
            self.hold_price()
        self.redraw_all()

    def resume(self) -> None:
        """The keyboard is back; a question is asked about the price it named."""
        self.paused = False
        if self.ask is None and not self.sending:
            self.follow_price()
        self.follow()
        self.redraw_all()

    @property
    def live_quote(self) -> QuoteRow | None:
        """Live quote of the ticket's symbol."""
        sym = self.ticket.sym if self.ticket is not None else self.watched
        return self.view.mirror.quotes.get(sym)

    @property
    def open(self) -> bool:
        return self.ticket is not None

    @property
    def ticket_now(self) -> Ticket | None:
        """What is drawn: a replace reckons with its order as it is, not as it was when the form was opened."""
        ticket = self.ticket
        if ticket is None or ticket.order is None:
            return ticket
        order = self.view.mirror.orders.get(ticket.order.key)
        return ticket if order is None or order is ticket.order else ticket.following(order)

    @property
    def ended(self) -> str:
        """Why nothing is left to replace; empty while there is, and of a new order."""
        ticket = self.ticket_now
        if ticket is None or ticket.order is None or not ticket.order.final:
            return ""
        return f"this order has ended: {ticket.order.state_word}; there is nothing to replace"

    def show(self, ticket: Ticket, mode: Mode) -> None:
        """Open a ticket."""
        self.token += 1
        self.mode = mode
        self.refusal, self.refused_key, self.ask, self.sending, self.paused = "", "", None, False, False
        self.typed = self.offers_fields = False
        self.follow_price()
        self.put(ticket)

    def put(self, ticket: Ticket) -> None:
        """Another state of the same ticket."""
        self.ticket, self._figures = ticket, None
        self.problems = []
        fields, choosers = self.fields, self.choosers
        for name, text in ticket.field_texts(self.quote).items():
            fields[name].put(text, ticket.behind(name))
        for name, (values, chosen) in ticket.choices().items():
            choosers[name].offer([str(value) for value in values], str(chosen))
        self._mark_wrong()
        self._show_fields()
        self.refresh()

    def _show_fields(self) -> None:
        """Children come and go by `display`: it clears the arrangement that Textual keeps of this widget."""
        market = self.ticket is not None and self.ticket.at_market
        form = self.mode is Mode.FORM
        self.size_field.display = self.mode is not Mode.IDLE
        self.price_field.display = self.mode in FORMS and not market
        self.intent_choice.display = self.type_choice.display = form
        self.tif_choice.display = form and not market
        self.profit_field.display = self.stop_field.display = form
        self.rest_field.display = self.mode is Mode.REPLACE

    def close(self) -> None:
        """Drop the ticket; nothing was sent by this."""
        self.token += 1
        self.ticket, self.ask, self.sending, self.paused = None, None, False, False
        self.refusal = self.refused_key = ""
        self.typed = self.offers_fields = False
        self.follow_price()
        self.problems, self.mode = [], Mode.IDLE
        self._show_fields()
        self.refresh()

    def complain(self, problems: list[Problem]) -> None:
        """Show why it cannot be sent."""
        self.problems = problems
        self._mark_wrong()
        self.refresh()

    def _mark_wrong(self) -> None:
        for field in self.fields.values():
            field.mark(invalid=any(problem.field == field.id for problem in self.problems))

    @property
    def fields(self) -> dict[str, NumberField]:
        """Text fields by name."""
        fields = (self.size_field, self.price_field, self.rest_field, self.profit_field, self.stop_field)
        return {str(field.id): field for field in fields}

    @property
    def choosers(self) -> dict[str, Chooser]:
        """Fields with a choice by name."""
        return {str(chooser.id): chooser for chooser in (self.intent_choice, self.type_choice, self.tif_choice)}

    def is_spare(self, stop: Widget) -> bool:
        """Whether Enter passes over a field: an order needs no protection, and what remains follows the total."""
        if stop is self.stop_field and self.profit_field.value.strip().endswith("r"):
            return False
        return stop is self.rest_field or (stop in (self.profit_field, self.stop_field) and not stop.value)

    def allow_focus(self) -> bool:
        """Without a ticket there is nothing here that keys could mean."""
        return self.open

    def stops(self) -> list[Widget]:
        """Where the focus goes, in order; the preview line is the last stop. What is not drawn is no stop."""
        placed = self.placements(self.outer_size)
        return [stop for stop in self._stops() if stop is self or stop.id in placed]

    def _stops(self) -> list[Widget]:
        if self.mode is Mode.FORM:
            market = self.ticket is not None and self.ticket.at_market
            fields: list[Widget] = [self.intent_choice, self.type_choice]
            if not market:
                fields.append(self.tif_choice)
            fields.append(self.size_field)
            if not market:
                fields.append(self.price_field)
            return [*fields, self.profit_field, self.stop_field, self]
        if self.mode is Mode.REPLACE:
            return [self.price_field, self.size_field, self.rest_field, self]
        return [self.size_field, self] if self.mode is Mode.STAGED else [self]

    # Where the fields stand

    def placements(self, size: Size) -> dict[str, Region]:
        """Regions of the fields inside the panel."""
        width = size.width
        field = self.field_width(size)
        if self.mode is Mode.IDLE or size.height < 3:
            return {}
        if self._count_lines(size.height) == 1:
            return {"size": Region(SHORT_X, 1, field, 1)}
        if self.mode is Mode.STAGED:
            return {"size": Region(FIELD_X, 1, field, 1)}
        if self._count_lines(size.height) < FORM_LINES:
            return {"size": Region(FIELD_X, 1, field, 1), "price": Region(FIELD_X, 2, field, 1)}
        regions = {"size": Region(FIELD_X, 2, field, 1), "price": Region(FIELD_X, 3, field, 1)}
        if self.mode is Mode.REPLACE and width >= WIDE:
            regions["rest"] = Region(REST_X, 2, SHORT_FIELD + 4, 1)
        if self.mode is Mode.FORM:
            regions["tp"] = Region(FIELD_X, 4, PROTECTION_WIDTH, 1)
            if width >= NARROW:
                regions["sl"] = Region(STOP_X, 4, PROTECTION_WIDTH, 1)
            regions["intent"] = Region(FIELD_X, 1, min(16, width - FIELD_X - 1), 1)
            if width >= 60:
                regions["type"] = Region(FIELD_X + 21, 1, 11, 1)
                regions["tif"] = Region(FIELD_X + 36, 1, 13, 1)
            elif width >= 46:
                regions["type"] = Region(FIELD_X + 21, 1, 11, 1)
        return regions

    def field_width(self, size: Size) -> int:
        widest = FIELD_WIDTH if self._count_lines(size.height) > 1 else SHORT_FIELD
        return max(4, min(widest, size.width - FIELD_X - 10))

    # Drawing

    def follow(self) -> None:
        """Rows it depends on changed: the price that would be sent is the one that is shown."""
        ticket, self._figures = self.ticket_now, None
        if ticket is None:
            info = self.view.info(self.watched)
            if info is not self._idle_shows:
                self._idle_shows = info
                self.redraw_all()
            return
        if not self.sending:
            from tui.workstation.tickets.ticket import PriceMode

            ticket = self._follow_rules(ticket)
            following = set[str]() if ticket.price_mode is PriceMode.TYPED else {"price"}
            self._follow_fields(ticket, following if ticket.order is None else following | {"size", "rest"})
        height = self.outer_size.height
        rows = self._rows(self._count_lines(height))
        changed = [y for y, text in self._drawn.items() if y < height and self._line(y, rows).text != text]
        if changed:
            self.redraw(changed)
        if self.takes_send is not self._took_send and self.keys_change is not None:
            self._took_send = not self._took_send
            self.keys_change()

    def _follow_rules(self, ticket: Ticket) -> Ticket:
        """Use changed rules of the pair; the ticket sends nothing under them until the trader touches it."""
        info = self.view.info(ticket.sym)
        if info is ticket.info:
            return ticket
        from tui.workstation.tickets.pair_rules import describe_rule_changes

        if changes := describe_rule_changes(ticket.info, info):
            self.refused_key = f"The rules of the pair have changed: {changes}. Backspace goes on"
            for field in self.fields.values():
                field.shut = field.has_focus
            self.drop_question()
        self.ticket = (self.ticket or ticket).with_rules(info)
        return ticket.with_rules(info)

    def figures(self, ticket: Ticket) -> Figures:
        """What the rows made of a ticket when its lines were drawn last; what is sent tells the journal the same."""
        from tui.workstation.tickets import preview

        figures = self._figures
        if figures is None or (figures.ticket, figures.quote) != (ticket, self.quote):
            figures = self._figures = preview.figures_of(ticket, self.quote, self.view)
        return figures

    def _follow_fields(self, ticket: Ticket, names: set[str]) -> None:
        """Fields nobody types in show what would be sent now."""
        texts = ticket.field_texts(self.quote)
        for name in names:
            field = self.fields[name]
            if field.value == field.shown and field.value != texts[name]:
                field.put(texts[name], ticket.behind(name))

    def render_line(self, y: int) -> Strip:
        if self.ticket is not None:
            self.written.note_drawing(key_time())
        strip = self._line(y, self._rows(self._count_lines(self.outer_size.height)) if y else [])
        self._drawn[y] = strip.text
        return strip

    def _line(self, y: int, rows: Rows) -> Strip:
        width, height = self.outer_size.width, self.outer_size.height
        focused = self.has_focus or self.has_pseudo_class("focus-within")
        if y == 0:
            edge = focused or self.under_focus
            return self.box_border.title(self._title(), width, self.palette, False, edge, self._title_right())
        if self.bottom and y == height - 1:
            return self.box_border.bottom(width, self.palette, focused)
        pieces, right = rows[y - 1] if y - 1 < len(rows) else ([], [])
        if self.paused:
            pieces = [(text, "faint") for text, _ in pieces]
        return self.box_border.draw_line(pieces, width, self.palette, right, focused)

    def _count_lines(self, height: int) -> int:
        """Count the lines between the edges."""
        return height - 1 - (1 if self.bottom else 0)

    def _title(self) -> list[Piece]:
        ticket = self.ticket_now
        if ticket is None:
            return [("ticket", "dim")]
        from tui.workstation.tickets import panel_words, preview

        note = self._message()
        if note and self._count_lines(self.outer_size.height) == 1:
            return note
        name = {Mode.STAGED: "Staged", Mode.FORM: "New order", Mode.REPLACE: "Replace"}[self.mode]
        if self.paused:
            name = f"PAUSED {name.lower()}"
        pieces: list[Piece] = [(name, "title-focus" if self.has_focus else "title"), (" ─ ", "frame")]
        if self.outer_size.width < NARROW:
            return preview.head(ticket)
        if self.mode in FORMS and self.outer_size.width >= WIDE:
            pieces += [(ticket.sym, "text"), *panel_words.rules(ticket)]
        else:
            pieces += preview.head(ticket)
        return pieces

    def _title_right(self) -> list[Piece]:
        engine_status = self.view.mirror.engine_status
        if self.ticket is None or engine_status is None or self.outer_size.width < NARROW:
            return []
        role = "live" if engine_status.environment.value == "LIVE" else "dim"
        if self.size_field.has_focus and self.mode is Mode.STAGED:
            from tui.workstation.tickets import panel_words

            return [(panel_words.size_forms(self.ticket), "accent")]
        return [(f"{engine_status.environment.value} {engine_status.portfolio_name or engine_status.portfolio}", role)]

    def _rows(self, inside: int) -> Rows:
        ticket = self.ticket_now
        if ticket is None:
            return [(self._idle_row(), [])]
        from tui.workstation.tickets import panel_rows, panel_words, preview, preview_lines

        cells, action = self.outer_size.width - 2, self._action()
        last_cells = cells - pieces_width(action)
        figures, staged = self.figures(ticket), self.mode is Mode.STAGED or inside < 3
        form = [] if staged else panel_rows.form_rows(self, ticket)
        form = form[1:3] if form and inside < FORM_LINES else form
        kept = 1 if staged else len(form)
        said = self._describe_state(inside - kept, last_cells)
        # What is said takes lines of its own: the preview does without its least important figures.
        count = inside - kept - len(said)
        below = cells if said and not self.refused_key else last_cells
        if staged:
            gap: Piece = (" " * self.field_width(self.outer_size), "text")
            first: list[Piece] = [(" size    ", "dim"), gap]
            if inside == 1:
                first[0] = (" size ", "dim")
                return [(first + preview.short_price(ticket, self.quote, self.view), action)]
            first.append((f" {ticket.unit}{panel_words.preset(ticket)}  ", "dim"))
            if self.outer_size.width < ROOMY:
                whole = [*panel_rows.WHOLE_LEG, DOT] if ticket.closes_exactly and self.outer_size.width >= WIDE else []
                rooms = [cells] * count + [below]
                first, *lines = preview_lines.fill_lines([*first, *whole], figures, self.view, rooms, bool(said))
            else:
                lines = preview_lines.lines(figures, self.view, count, True, False, cells, below, bool(said))
                first += panel_rows.describe_staged(self, ticket)
            rows: Rows = [(first, [])]
        else:
            lines = preview_lines.lines(figures, self.view, count, False, True, cells, below, bool(said))
            rows = list(form)
        previewed: Rows = [(pieces, []) for pieces in lines[:count] if ticket.sided and not self.ended]
        previewed += [([], [])] * (count - len(previewed))
        # Why a key was refused stands under the field it was meant for.
        rows += [*said, *previewed] if self.refused_key else [*previewed, *said]
        rows[-1] = (rows[-1][0], action)
        return rows

    def _describe_state(self, most: int, cells: int) -> Rows:
        """Lines of what is asked, refused or wrong; none where nothing is."""
        note = self._message()
        if not note:
            return []
        text, role = "".join(text for text, _ in note), note[0][1]
        return [([(" " + line, role)], []) for line in wrap(text, cells - 1)[:most]]

    def _message(self) -> list[Piece]:
        if why := self.ended or self.refused_key:
            return [("! " + why, "alert")]
        if self.ask is not None:
            from tui.workstation.tickets import panel_words

            drift = panel_words.price_drift(self.ticket, self.compute_move(), self.view, self.live_quote)
            return [(f"? {self.ask.text or self.ask.guard}{drift}", "warn")]
        if self.sending:
            return [("sending…", "pending")]
        if why := self.refusal or (self.problems[0].text if self.problems else self.expect_refusal):
            return [("! " + why, "alert")]
        ticket = self.ticket
        if ticket is not None and not ticket.sided:
            return [(ticket.problems(self.quote)[0].text, "warn")]
        return []

    @property
    def expect_refusal(self) -> str:
        """Reason why the engine would refuse the staged ticket; empty where it would take it."""
        from tui.workstation.tickets import panel_words

        return panel_words.expect_refusal(self.ticket_now, self.view.mirror.engine_status, self.quote)

    def compute_move(self) -> tuple[Decimal, Decimal] | None:
        """The price a question names and the one of now, where they differ."""
        ticket = self.ticket
        if ticket is None or not self._holds_quote:
            return None
        asked, now = ticket.reference(self._held_quote), ticket.reference(self.live_quote)
        return None if asked is None or now is None or asked == now else (asked, now)

    def _action(self) -> list[Piece]:
        from tui.workstation.tickets import preview

        narrow = self.outer_size.width < NARROW
        if self.ended:
            return [(" Esc", "key"), (" closes ", "dim")]
        if self.paused:
            return [(" Tab", "key"), (" goes on  ", "dim"), *([] if narrow else [("Esc", "key"), (" drops ", "dim")])]
        if self.refused_key:
            return [(" Backspace", "key"), (" goes on ", "dim")]
        if self.ask is not None:
            return [(" y", "key"), (" sends  ", "dim"), *([] if narrow else [("Esc", "key"), (" back ", "dim")])]
        if self.sending:
            return []
        sends_here = self.has_focus or (self.mode is Mode.STAGED and self.size_field.has_focus)
        if sends_here and self.ticket is not None and preview.over_hard(self.ticket, self.quote, self.view):
            return [(" over the limit ", "alert")]
        if sends_here and self.expect_refusal:
            return [(" would be refused ", "alert")]
        if sends_here and self.ticket is not None and not self.ticket.sided:
            return [(" no side yet ", "warn")]
        if sends_here and self.problems:
            return [(" not yet ", "warn")]
        if sends_here:
            one_line = narrow and self._count_lines(self.outer_size.height) == 1
            return [(f" {format_key(self.sends_by)}", "key"), (" " if one_line else " sends ", "strong")]
        here = self._stop_here()
        enter: list[Piece] = [(" Enter", "key"), (f" {self.enter_hint()} ", "dim")]
        if here is None:
            return enter
        follows, entered = self.stop_beside(here, 1), self.stop_beside(here, 1, needed=True)
        passed = _PROTECTIONS.get(follows.id or "", "") if follows is not entered else ""
        reach: list[Piece] = [(" Tab", "key"), (f" {passed} ", "dim")] if passed else []
        return [*reach, *enter]

    def enter_hint(self) -> str:
        """Where Enter goes from a field: to the next one that is needed, or to the preview."""
        here = self._stop_here()
        if self.mode is Mode.STAGED and here is self.size_field:
            return "send" if self.takes_send else "check"
        return "preview" if here is not None and self.stop_beside(here, 1, needed=True) is self else "next"

    def tab_hint(self) -> str:
        """Where Tab goes on a staged line: behind its size, or back to it."""
        if self.mode is not Mode.STAGED:
            return "next"
        return "keeps the size" if self.size_field.has_focus else "to the size"

    def _stop_here(self) -> Widget | None:
        return next((stop for stop in self.stops() if stop.has_focus), None)

    def stop_beside(self, here: Widget | None, steps: int, *, needed: bool = False) -> Widget:
        """The stop so many steps on; `needed` passes over fields that an order can do without and that are empty."""
        stops = [stop for stop in self.stops() if not needed or stop is here or not self.is_spare(stop)]
        at = stops.index(here) if here in stops else -1
        return stops[(at + steps) % len(stops)]

    def _idle_row(self) -> list[Piece]:
        """What the lists do not say of the pair."""
        sym, info = self.watched, self.view.info(self.watched)
        if not sym:
            return [(" pick a quote: ", "dim"), ("b", "key"), (" buys, ", "dim"), ("s", "key"), (" sells", "dim")]
        if info is None:
            return [(f" {sym}: rules not known yet", "dim")]
        from tui.workstation.tickets.pair_rules import pair_rules

        return pair_rules(info, self.outer_size.width - 2)
