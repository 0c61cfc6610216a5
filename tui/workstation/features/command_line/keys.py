"""Handlers of the command line: open it, complete, go through its history, and carry a line out with a fresh Enter."""

from __future__ import annotations

from functools import partial

from tui.workstation.command_line.grammar.parser import expand, parse
from tui.workstation.command_line.grammar.refusals import Code, LineRefused
from tui.workstation.command_line.grammar.scene import Scene
from tui.workstation.command_line.grammar.syntax import (
    Alert,
    AlertChange,
    Orphans,
    Show,
    Why,
)
from tui.workstation.command_line.levels import build_scene
from tui.workstation.command_line.named_rows import Cursor
from tui.workstation.command_line.outlook import LineOutlook, Outlook, look_ahead
from tui.workstation.command_line.requests import list_requests
from tui.workstation.commands.availability import Blocks
from tui.workstation.commands.context import Context
from tui.workstation.features.command_line.completion import MOST_LISTED, complete
from tui.workstation.features.command_line.desk_words import DeskWords
from tui.workstation.features.command_line.foreseen import expect_refusals
from tui.workstation.features.command_line.line_actions import LineActions
from tui.workstation.features.command_line.line_place import LinePlace
from tui.workstation.features.command_line.sequence import RequestSequence
from tui.workstation.features.command_line.services import Act, AlertDesk, CancelDesk, OpenOrder, OrderDesk, RiskDesk
from tui.workstation.input.actions import ACTIONS
from tui.workstation.input.fresh_press import add_way_on
from tui.workstation.input.handlers import Handlers
from tui.workstation.input.scopes import PANES
from tui.workstation.model.screen_preferences import ScreenPreferences
from tui.workstation.render.pieces import Piece
from tui.workstation.table.live_table import LiveTable
from tui.workstation.tickets.fields import Mode
from tui.workstation.tickets.order.ticket import Ticket

MOST_KEPT = 200
"""Lines of the history."""
HINT = "buy $100 join · c last · close 50% · show risk"
VERBS = {"position.break_even": "be here", "position.reverse": "rev here", "position.protect_all": "protect all"}
"""Lines that keys carry out, by action id: each is asked about with what it would send."""
KEYS = ("open", "close")
"""Actions of every screen that open none."""
LISTS = {"o": "orders", "p": "positions", "a": "assets"}


class CommandLineKeys:
    """Keys of the command line."""

    _act: Act
    _open_order: OpenOrder
    _preferences: ScreenPreferences

    def __init__(
        self, context: Context, orders: OrderDesk, cancels: CancelDesk, risk: RiskDesk, alerts: AlertDesk
    ) -> None:
        self._context = context
        self._alerts = alerts
        self._orders = orders
        self._cancels = cancels
        self._actions = LineActions(context, cancels, risk)
        self._place = LinePlace(context.main_screen)
        self.words = DeskWords(context)
        self._outlook: LineOutlook | None = None
        self._cursor = Cursor(has_rows=True)
        self._history: list[str] = []
        self._back = 0
        """Number of the line of the history in the field, from the newest; 0: the one being typed."""
        self._typed = ""
        self._pressed_again = ""
        """What the line would be if the key that opened it were pressed again."""
        self._refused = ""
        """Why the line in the field cannot be carried out."""
        self._sent_text = ""
        """Line whose order is on its way."""
        self._has_lost = False
        """Whether characters behind a refused Enter are not in the line."""

    def connect(self, act: Act) -> None:
        """Connect the dispatch of actions; called once, before the first key."""
        self._act = act
        self._actions.connect(act)

    def connect_desk(
        self,
        open_order: OpenOrder,
        preferences: ScreenPreferences,
    ) -> None:
        """Connect the card of an order and the stored preferences; called once, before the first key."""
        self._open_order = open_order
        self._preferences = preferences
        self._actions.connect_preferences(preferences)

    def handlers(self) -> Handlers:
        """Return the handlers by action id."""
        return {
            "line.open": self.line_open,
            "line.take": self.line_take,
            "line.close": self.line_close,
            "line.complete": self.line_complete,
            "line.older": partial(self._go_back, 1),
            "line.newer": partial(self._go_back, -1),
            **{name: partial(self.run, line) for name, line in VERBS.items()},
        }

    def blocks(self) -> Blocks:
        """Return functions that explain why an action cannot run, by action id."""
        return {
            "line.open": self._open_block,
            **{name: partial(self._verb_block, line) for name, line in VERBS.items()},
        }

    def _open_block(self, table: LiveTable | None) -> str:
        del table
        plan = self._context.main_screen.plan
        return "the window is too small for it" if plan.tiny or plan.ticket is None else ""

    # Field

    @property
    def _scene(self) -> Scene:
        return build_scene(self._context.view, self._cursor.sym, has_cursor=self._cursor.has_rows)

    def _read_cursor(self, table: LiveTable | None) -> Cursor:
        """Return the rows that a command line can refer to without naming them, such as the order under the cursor."""
        key = table.selected if table is not None else None
        pane = table.pane.id if table is not None else ""
        newest, any_newest = self._cancels.newest_own(), self._cancels.newest_own(ended=True)
        return Cursor(
            sym=table.pane.sym(key) if table is not None and key is not None else "",
            order=(key or "") if pane == "orders" else "",
            position=(key or "") if pane == "positions" else "",
            last=newest.key if newest is not None else "",
            newest=any_newest.key if any_newest is not None else "",
            marked=tuple(order.key for order in self._cancels.list_marked_orders()),
            has_rows=True,
        )

    def run(self, line: str) -> None:
        """Carry out a command line that a key stands for, after a question that names everything it would send."""
        self._cursor = self._read_cursor(self._context.table)
        try:
            outlook = self._look(line)
        except LineRefused as refused:
            self._context.refuse(str(refused))
            return
        self._ask_several(outlook)

    def _verb_block(self, line: str, table: LiveTable | None) -> str:
        """Return why a command line that a key stands for cannot be carried out now."""
        try:
            look_ahead(parse(line, self._scene), self._context.view, self._read_cursor(table))
        except LineRefused as refused:
            return str(refused)
        return ""

    def line_open(self, text: str = "", key: str = "") -> None:
        """Open the command line with a text; `here` means the row that is now under the cursor, even if that moves.

        Args:
            text: Text.
            key: Key that opened it, which adds nothing to the text when it is pressed again.
        """
        context, main_screen = self._context, self._context.main_screen
        self._cursor = self._read_cursor(context.table)
        dropped = self._orders.ticket.drop_paused()
        self._back, self._typed, self._outlook = 0, "", None
        self._pressed_again = f"{text}{key}" if key else ""
        field = main_screen.line_field
        field.changed, field.tell_refused, field.on_touch = self.line_typed, self._tell_lost, self._forget_lost
        field.refuse_edit = self._refuse_sent_edit
        self._has_lost, self._sent_text = False, ""
        self._place.open()
        self._place.put_note([(f" {HINT}", "faint")])
        if text:
            self._put(text)
        if dropped:
            # In the line of events it would be cut, or stand behind a warning.
            self._place.put_note([(f" {dropped}", "warn"), *([(" ·", "dim"), *main_screen.panel.note] if text else [])])

    def line_typed(self, *, entered: bool = False) -> None:
        """Show what the typed line would do, or why it is refused; an internal error also shows as a refusal."""
        try:
            self._read_line(entered=entered)
        except Exception as error:
            self._outlook = None
            self._refused = self._context.report_failure("the command line", error)
            self._drop_ticket(for_line=True)
            self._place.put_note([(f" {self._refused}", "alert")])

    def _read_line(self, *, entered: bool) -> None:
        text = self._context.main_screen.line_field.value
        if not entered:
            self._context.clear_ignored()
        if text and text == self._pressed_again:
            self._put(text[:-1])
            return
        self._outlook = None
        if not text.strip():
            self._drop_ticket(for_line=True)
            self._place.put_note([(f" {HINT}", "faint")])
            return
        try:
            self._outlook = self._look(text)
        except LineRefused as refused:
            self._drop_ticket(for_line=True)
            typing = not entered and refused.start < refused.end and refused.end >= len(text)
            self._refused = self._context.view.name_keys(str(refused))
            self._place.put_note(self._refusal(text, refused), whole=not typing)
            return
        if self._outlook.ticket is not None:
            self._show_ticket(self._outlook.ticket)
        else:
            self._drop_ticket(for_line=True)
            refusals = expect_refusals(list_requests(self._outlook), self._context.view)
            # A long sentence is cut at its end.
            self._place.put_note([*((f" {text} ·", "warn") for text in refusals), (f" {self._outlook.text}", "text")])

    def _look(self, text: str) -> LineOutlook:
        """Parse the text and work out what the command line would do if it were sent now, without sending.

        Raises:
            LineRefused: It cannot be carried out here.
        """
        line = parse(expand(text, self._preferences.aliases), self._scene)
        outlook = look_ahead(line, self._context.view, self._cursor)
        for step in outlook.steps:
            if reason := self.words.why_not(step.command):
                raise LineRefused(Code.OTHER_PORTFOLIO, reason)
        return outlook

    def _refusal(self, text: str, refused: LineRefused) -> list[Piece]:
        part = text[refused.start : refused.end]
        where: list[Piece] = [(f" '{part}': ", "alert")] if part and part not in self._refused else [(" ", "text")]
        unfinished = refused.start >= len(text.rstrip())
        return [*where, (self._refused, "dim" if unfinished else "warn")]

    def _show_ticket(self, ticket: Ticket) -> None:
        """Show the order of the command line in the order ticket; the focus stays in the command line."""
        panel = self._context.main_screen.panel
        known = panel.ticket is not None and panel.ticket.sym == ticket.sym and panel.ticket.order is ticket.order
        self._place.put_note([])
        if known and not panel.sending:
            panel.ask, panel.refusal = None, ""
            panel.follow_price()
            panel.put(ticket)
            return
        self._orders.ticket.tell_replaced()
        panel.show(ticket, Mode.STAGED)
        self._context.guard.record_opener(panel.subject)
        self._context.main_screen.arrange_panes()

    def _drop_ticket(self, *, for_line: bool = False) -> None:
        """Close the order ticket; if its order is being sent, only with `for_line`."""
        panel = self._context.main_screen.panel
        if not panel.open or (panel.sending and not for_line):
            return
        if panel.sending:
            self._orders.ticket.tell_replaced()
        panel.close()
        self._context.main_screen.arrange_panes()

    def line_close(self) -> None:
        """Close the command line and its preview; nothing is sent."""
        self._drop_ticket()
        self._place.put_note([])
        self._place.close()

    # Completion and history

    def line_complete(self) -> None:
        """Complete the last typed word; if several completions are possible, list them."""
        field = self._context.main_screen.line_field
        text, candidates = complete(field.value, self._scene)
        if text != field.value:
            self._put(text)
        if candidates:
            more = f" and {len(candidates) - MOST_LISTED} more" if len(candidates) > MOST_LISTED else ""
            self._place.put_note([(f" {'  '.join(candidates[:MOST_LISTED])}{more}", "dim")])

    def _go_back(self, steps: int) -> None:
        field = self._context.main_screen.line_field
        at = self._back + steps
        if not 0 <= at <= len(self._history):
            return
        if not self._back:
            self._typed = field.value
        self._back = at
        self._put(self._history[-at] if at else self._typed)

    def _put(self, text: str) -> None:
        field = self._context.main_screen.line_field
        field.value, field.refused, self._has_lost = text, False, False
        editor = field.editor
        editor.replaces = False
        self.line_typed()

    def _keep(self, text: str) -> None:
        if text in self._history:
            self._history.remove(text)
        self._history = [*self._history, text][-MOST_KEPT:]

    def _tell_lost(self) -> None:
        """Say that a key press was refused, so the line misses a character and must be corrected before it is sent."""
        self._has_lost = True
        self._context.refuse(add_way_on(self._context.main_screen.line_field.refused_why, "edit.erase"))

    def _refuse_sent_edit(self, key: str) -> bool:
        """Refuse to edit a line whose order is being sent, so that Enter cannot send it twice; return whether refused.

        Ctrl+U leaves nothing that could be sent.
        """
        is_sent = self._context.main_screen.line_field.value.strip() == self._sent_text
        return key != "ctrl+u" and is_sent and self._context.refuse_sent(key)

    def _forget_lost(self) -> None:
        self._has_lost = False

    # Carrying out

    def line_take(self) -> None:
        """Carry out the typed line on Enter; a refused line stays open, with the reason."""
        field = self._context.main_screen.line_field
        if self._has_lost:
            self._tell_lost()
            return
        field.refused, text = False, field.value.strip()
        if not text:
            self.line_close()
            return
        if self._outlook is None or self._outlook.ticket is None:
            # Prices have moved since it was typed: what is asked about, and why not, is of now.
            self.line_typed(entered=True)
        outlook = self._outlook
        if outlook is None:
            self._context.refuse(f"{self._refused}; the line is not carried out")
            return
        self._keep(text)
        if outlook.dry:
            self._answer_dry(outlook)
        elif outlook.ticket is not None:
            if self._context.refuse_sent(self._context.key):
                return
            self._sent_text = text
            self._orders.field_send(self._context.main_screen.line_field)
        elif len(outlook.steps) > 1 or outlook.steps[0].tickets or outlook.steps[0].algos:
            self._ask_several(outlook)
        else:
            self.line_close()
            self._carry_out(outlook.steps[0])

    def _answer_dry(self, outlook: LineOutlook) -> None:
        """Close the line and report what it would cost or do; nothing is sent."""
        answer, panel = outlook.text, self._context.main_screen.panel
        if outlook.ticket is not None and panel.ticket is not None:
            figures = panel.figures(panel.ticket)
            costs = "".join(text for text, _ in figures.cost) or f"its cost needs {figures.needs}"
            answer = f"{costs} · {answer}"
        self.line_close()
        self._context.say(f"dry, nothing is sent: {answer}")

    def _ask_several(self, outlook: LineOutlook) -> None:
        """Ask a single question about all requests of a line, then send them.

        A line stays open if it is refused: trading is not armed and none cancels, or no answer could send anything.
        """
        reason = self._context.not_armed_reason()
        if reason and not any(request.cancels for request in list_requests(outlook)):
            self._context.refuse(reason)
            return
        sequence = RequestSequence(self._context, outlook)
        if why := sequence.expect_refusal():
            self._context.refuse(why)
            return
        if self._context.main_screen.line_field.display:
            self.line_close()
        sequence.ask()

    def _carry_out(self, outlook: Outlook) -> None:
        command = outlook.command
        if self._actions.carry_out(outlook):
            self._context.guard.record_send()  # a second Enter would open what is under the cursor
            return
        if isinstance(command, Alert):
            self._alerts.add(command)
        elif isinstance(command, AlertChange):
            self._alerts.change(command)
        elif isinstance(command, Why):
            if (order := self._context.mirror.recall_order(outlook.keys[0])) is not None:
                self._open_order(order)
        elif isinstance(command, Orphans):
            self._show("algos")
        elif isinstance(command, Show):
            self._show(command.view)
        else:
            self.words.carry_out(command)

    def _show(self, view: str) -> None:
        pane = LISTS.get(view, view)
        if pane in {scope.value for scope in PANES}:
            self._context.main_screen.show_pane(pane)
            return
        action = next(
            (action for action in ACTIONS if action.group == "screen" and action.id == f"screen.{view}"), None
        )
        if action is None:
            screens = (action.id.removeprefix("screen.") for action in ACTIONS if action.group == "screen")
            names = ", ".join(
                [*sorted(scope.value for scope in PANES), *(name for name in screens if name not in KEYS)]
            )
            self._context.refuse(f"there is no view named {view}; panes and screens: {names}")
            return
        self._act(action.id, action.keys[0])
