"""Base of the main screen and the full screens: status, lists with a filter line, newest events and key hints."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence, Set
from typing import TYPE_CHECKING, NamedTuple, Self

from textual import events
from textual.app import ComposeResult
from textual.geometry import Region, Size
from textual.reactive import Reactive
from textual.screen import Screen
from textual.widget import Widget

from tui.engine.modes import SENDS, Environment, TradingState
from tui.engine.rows import Table
from tui.workstation.input.scopes import Scope
from tui.workstation.layouts.plan import Box, Plan, plan
from tui.workstation.model.display_context import DisplayContext
from tui.workstation.render.absolute_layout import Placing
from tui.workstation.render.box_border import BoxBorder
from tui.workstation.render.palette import Palette
from tui.workstation.render.pieces import Piece
from tui.workstation.table.line_field import LineField
from tui.workstation.table.live_table import LiveTable
from tui.workstation.table.pane import AnyPane
from tui.workstation.table.pane_box import PaneBox
from tui.workstation.table.row_filter import NO_FILTER, Filter
from tui.workstation.terminal.direct_output import LiveModal, WholeLayouts
from tui.workstation.widgets.footer import EventBar, Hints, KeyBar
from tui.workstation.widgets.status_bar import StatusBar

if TYPE_CHECKING:
    from tui.engine.service_query import ServiceRequest

FILTER_HINT = "filter: word sym:btc side:buy state:open venue:okx age<5m qty>1 !not"

STATUS_TABLES = frozenset(
    [Table.ENGINE_STATUS, Table.ACCOUNTS, Table.LINKS, Table.ORDERS, Table.SETTINGS, Table.ALGOS, Table.COMMANDS]
)

MARKET_TABLES = frozenset([Table.QUOTES, Table.TICKERS, Table.FUNDING, Table.DEPTH, Table.PRINTS, Table.BARS])
"""Tables that change all the time and that no title shows."""
UNTITLED_TABLES = MARKET_TABLES | {Table.LINKS}
"""Tables that no title shows; titles follow a faulty connection through `follow_alarms`."""


class ScreenParts(NamedTuple):
    """Objects that every list screen needs."""

    view: DisplayContext
    palette: Palette
    hints: Hints
    press_key: Callable[[str], None]
    """Run an action by id, after a mouse press on its key in the footer."""
    request_read: Callable[[ServiceRequest], None] = lambda _: None
    """Ask the engine to read a list or a record from the service."""


class ListScreen(Placing, WholeLayouts, Screen[None]):
    """Screen with status lines at the top, lists in the middle, newest events and key hints at the bottom."""

    ESCAPE_TO_MINIMIZE = False
    # Only this class sets the focus: the framework would focus a pane that is not on the screen.
    AUTO_FOCUS = ""
    focused: Reactive[Widget | None] = Reactive(None, repaint=False)
    """Focus without a repaint of the screen: the widgets that gain or lose it draw themselves."""
    DEFAULT_CSS = "ListScreen { background: $background; color: $foreground; overflow: hidden; }"

    def __init__(
        self, parts: ScreenParts, panes: Sequence[AnyPane], drawn: Mapping[str, type[PaneBox]] | None = None
    ) -> None:
        """Build the widgets of all panes.

        Args:
            parts: Objects that every list screen needs.
            panes: Panes in the order of the keyboard.
            drawn: Widgets of the panes that are no table of rows, by pane id.
        """
        super().__init__()
        self.parts = parts
        self.view = parts.view
        self.palette = parts.palette
        self.box_border = BoxBorder()
        self._alarms_shown: dict[str, list[Piece]] = {}
        self._hot_until = 0.0
        """End of HOT as last drawn; 0 in other states."""
        self.boxes = {
            pane.id: (drawn or {}).get(pane.id, LiveTable)(pane, self.palette, self.box_border, self) for pane in panes
        }
        """Widgets of all panes."""
        self.tables = {name: box for name, box in self.boxes.items() if isinstance(box, LiveTable)}
        """Those that list rows."""
        self.filter_field = LineField("filter", self.palette, FILTER_HINT)
        self.filter_field.display = False
        self.filtered: LiveTable | None = None
        """Pane whose filter is being typed."""
        self.filter_before: Filter = NO_FILTER
        """Filter of that pane before typing."""
        self.status = StatusBar(self.view, self.palette)
        self.event_bar = EventBar(self.view, self.palette)
        self.key_bar = KeyBar(
            self.view, self.palette, parts.hints, parts.press_key, lambda: self.place_name,
            lambda: self.uncovered_answer, lambda: self.covers_events and self.event_bar.answers_key,
        )  # fmt: skip
        self.event_bar.on_answer = self.key_bar.follow_answer
        self.plan: Plan = plan(80, 24)

    def compose(self) -> ComposeResult:
        yield self.status
        yield from self.boxes.values()
        yield from self.inputs()
        yield from self.own_widgets()
        yield self.event_bar
        yield self.key_bar

    def inputs(self) -> Sequence[Widget]:
        """Return the input fields that are mounted with the lists."""
        return (self.filter_field,)

    def own_widgets(self) -> Sequence[Widget]:
        """Return additional widgets of the screen."""
        return ()

    def _on_screen_resume(self, event: events.ScreenResume) -> None:
        """Prevent the restyling of all widgets, which Textual's own handler would do, before the first frame."""
        event.refresh_styles = self.stack_updates > 0

    def on_mount(self) -> None:
        self.arrange_panes(self.size)
        self.focus_list()

    def on_resize(self, event: events.Resize) -> None:
        self.arrange_panes(event.size)

    def refresh(self, *regions: Region, repaint: bool = True, layout: bool = False, recompose: bool = False) -> Self:
        """Refresh the screen; with `layout`, without Textual's full repaint, because the layout draws what it changes."""
        repaint = repaint and not (layout and not regions)
        return super().refresh(*regions, repaint=repaint, layout=layout, recompose=recompose)

    # Parts that subclasses define

    @abstractmethod
    def arrange_panes(self, size: Size | None = None) -> None:
        """Arrange the panes for a new size."""

    @abstractmethod
    def visible_panes(self) -> set[str]:
        """Return the ids of the visible panes."""

    @abstractmethod
    def titles(self, box: PaneBox) -> list[Piece]:
        """Return the styled texts of a pane's title line."""

    @abstractmethod
    def alarms(self, box: PaneBox) -> list[Piece]:
        """Return the warnings about stale or doubtful rows for a pane's title line."""

    @abstractmethod
    def press_title(self, box: PaneBox, x: int) -> None:
        """Handle a click at column `x` of a title line."""

    @abstractmethod
    def focus_list(self) -> None:
        """Give the focus to the list that has it by default on this screen."""

    @abstractmethod
    def cycle_views(self, steps: int) -> None:
        """Switch the pane's view by `steps`, forward or back."""

    @property
    @abstractmethod
    def list_scope(self) -> Scope:
        """Scope of keys while a list has the focus."""

    # Keyboard

    @property
    def table(self) -> LiveTable | None:
        """List with the focus."""
        return self.focused if isinstance(self.focused, LiveTable) and not self.plan.tiny else None

    @property
    def box(self) -> PaneBox | None:
        """Focused pane widget, a list or a drawing; None if none has the focus or the window is too small."""
        return self.focused if isinstance(self.focused, PaneBox) and not self.plan.tiny else None

    @property
    def scope(self) -> Scope:
        """Scope of this screen that receives keys now; it determines the key bindings."""
        if self.focused is self.filter_field:
            return Scope.FILTER
        return self.list_scope if self.box is not None else Scope.NOWHERE

    @property
    def focus_name(self) -> str:
        """Name of the list or field that has the focus."""
        if self.focused is self.filter_field:
            return "Filter"
        if self.box is None:
            return ""
        pane = self.box.pane
        return f"{pane.title} → {pane.sends_to}" if pane.sends_to else pane.title

    @property
    def place_name(self) -> str:
        """Name of the part that receives the keys: a list or field of this screen, or a dialog over it."""
        top = self.app.screen
        return (top.place_name if isinstance(top, LiveModal) else "") or self.focus_name

    # Places

    def placements(self, size: Size) -> dict[str, Region]:
        """Return the regions of all visible widgets, by widget id."""
        del size
        current = self.plan
        boxes: dict[str, Box | None] = {
            "status": current.status,
            "ticket": current.ticket,
            "guide": current.guide,
            "event": current.event,
            "keys": current.keys,
        }
        shown = self.visible_panes()
        for area in current.areas:
            for pane in area.panes:
                if pane in shown:
                    boxes[pane] = area.box
        regions = {
            name: Region(box.x, box.y, max(0, box.width), max(0, box.height))
            for name, box in boxes.items()
            if box is not None
        }
        above = self.filtered.pane.id if self.filtered is not None else ""
        if above in regions:
            regions["filter"], regions[above] = regions[above].split_horizontal(1)
        return regions

    @property
    def subject(self) -> Region | None:
        """Screen region of the selected row; None if there is none."""
        box = self.box
        return region_of(box, box.selected) if box is not None and box.selected is not None else None

    @property
    def touch(self) -> Region | None:
        """Screen region with bid and ask of the current pair; None if they are not shown."""
        return None

    @property
    def beside_view(self) -> Region | None:
        """Screen region of a focused pair view that leaves room beside it for a dialog; None if there is none."""
        return None

    def place_bars(self) -> None:
        """Show or hide the event line and the key line, as the layout has space for them."""
        self.event_bar.display = self.plan.event is not None
        self.key_bar.display = self.plan.keys is not None
        self.status.tiny = self.plan.tiny

    # Filter

    def open_filter(self, table: LiveTable) -> None:
        """Open the filter line above its pane."""
        self.filtered, self.filter_before = table, table.pane.filter
        self.filter_field.value = table.pane.filter.text
        self.filter_field.display = True
        self.refresh(layout=True)
        self.set_focus(self.filter_field)

    def close_filter(self) -> None:
        """Close the filter line and return the focus to the pane."""
        table, self.filtered = self.filtered, None
        self.filter_field.display = False
        self.refresh(layout=True)
        if table is not None and table.display:
            self.set_focus(table)
        else:
            self.focus_list()

    # Updates

    def feed(self, changed: dict[Table, list[str]], *, new_events: bool) -> None:
        """Pass a batch of changed rows to the lists and to the status and event lines."""
        for box in self.boxes.values():
            for name in box.pane.feeds:
                if name in changed:
                    box.feed(name, changed[name])
        for table in self.tables.values():
            if new_events and table.pane.lists_events:
                table.reorder()
                table.touch(str(self.view.mirror.event_log.count))
        if new_events or (Table.ENGINE_STATUS in changed and self.view.mirror.event_log.sticky):
            self.event_bar.redraw_all()  # a risk mode stands there before an alert
        if not STATUS_TABLES.isdisjoint(changed):
            self.status.redraw_all()
            self.follow_alarms()
        if Table.ENGINE_STATUS in changed:
            self.follow_state()
        self._follow_titles(changed.keys() - UNTITLED_TABLES, new_events=new_events)
        self.flush_lists()

    def _follow_titles(self, tables: Set[Table], *, new_events: bool) -> None:
        """Redraw the titles that changes in these tables can affect; other titles are updated each second."""
        for box in self.boxes.values() if tables or new_events else ():
            panes = self.panes_in_title(box)
            if any(not tables.isdisjoint(pane.feeds) or (new_events and pane.lists_events) for pane in panes):
                box.follow_title()

    def panes_in_title(self, box: PaneBox) -> Sequence[AnyPane]:
        """Return the panes whose row counts appear in the title line of a widget."""
        return (box.pane,)

    def flush_lists(self) -> None:
        """Draw the changed lines of all lists."""
        for box in self.boxes.values():
            box.flush()

    @property
    def covers_events(self) -> bool:
        """Whether the event line is not shown on this screen."""
        return not self.event_bar.display

    @property
    def uncovered_answer(self) -> list[Piece]:
        """Answer to the last key or waiting warning that the event line does not show; empty if there is none."""
        return self.event_bar.find_newest_answer() if self.covers_events else self.event_bar.left_out

    def follow_alarms(self) -> None:
        """Redraw the titles whose warnings changed, such as the age of a silent connection."""
        for box in self.boxes.values():
            alarms = self.alarms(box)
            if alarms != self._alarms_shown.get(box.pane.id):
                self._alarms_shown[box.pane.id] = alarms
                box.refresh_title()

    def follow_state(self) -> None:
        """Update the borders, which show environment and trading state."""
        engine_status = self.view.mirror.engine_status
        if engine_status is None:
            return
        live = engine_status.environment is Environment.LIVE
        self.key_bar.redraw_all()
        role = "frame-live" if live else "frame-hot" if engine_status.trading_state is TradingState.HOT else "frame"
        began, self._hot_until = engine_status.hot_until != self._hot_until, engine_status.hot_until
        # What one key sends counts from its drawing in HOT, so all rows are drawn anew when HOT begins.
        if self.box_border.set(role, heavy=engine_status.trading_state in SENDS) or began:
            self.repaint_all()
        elif self.view.mirror.synced_once:
            for box in self.boxes.values():
                if box.row_count == 0 and box.display:
                    box.redraw_all()

    def tick(self) -> None:
        """Update displayed ages; called once a second."""
        self.status.redraw_all()
        self.follow_news()
        self.key_bar.follow_hints()
        for box in self.boxes.values():
            box.tick()
            box.flush()
            box.follow_title()
        self.follow_alarms()

    def follow_news(self) -> None:
        """Redraw the newest events if a highlight may have expired."""
        self.key_bar.follow_answer()
        if self.event_bar.has_news:
            self.event_bar.redraw_all()

    def repaint_all(self) -> None:
        """Repaint everything."""
        for box in self.boxes.values():
            box.repaint()
        for widget in (*self.own_widgets(), self.status, self.event_bar, self.key_bar):
            widget.refresh()


def region_of(box: PaneBox, key: str) -> Region | None:
    """Return the screen region of a row; None while it is not shown."""
    line = box.line_of(key) if box.display else None
    return None if line is None else Region(box.region.x, box.region.y + line, box.region.width, 1)


def union_of(box: PaneBox, keys: Iterable[str]) -> Region | None:
    """Return the smallest screen region that contains all of these rows; None if a row is not shown."""
    rows = [region_of(box, key) for key in keys]
    shown = [row for row in rows if row is not None]
    return Region.from_union(shown) if rows and len(shown) == len(rows) else None
