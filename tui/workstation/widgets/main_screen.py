"""Main screen: status, panes, ticket, events and key hints, arranged for the current terminal size."""

from __future__ import annotations

from collections.abc import Callable, Collection, Container, Mapping, Sequence
from typing import NamedTuple

from textual.geometry import Region, Size
from textual.widget import Widget

from tui.engine.rows import Table
from tui.engine.status_rows import LinkState
from tui.workstation.input.fresh_press import Rule
from tui.workstation.input.scopes import Scope
from tui.workstation.layouts.plan import Box, Needs, Plan, plan
from tui.workstation.layouts.presets import TRADE, Layouts
from tui.workstation.layouts.tree import PANES, Layout, walk_places
from tui.workstation.model.display_context import DisplayContext
from tui.workstation.render.line_widget import BoxedLines
from tui.workstation.render.palette import Palette
from tui.workstation.render.pieces import Piece
from tui.workstation.table.line_field import LineField
from tui.workstation.table.pair_pane import PairPane
from tui.workstation.table.pane import AnyPane
from tui.workstation.table.pane_box import PaneBox
from tui.workstation.table.row_choice import FILLING_S
from tui.workstation.tickets.fields import Chooser, NumberField
from tui.workstation.tickets.panel import TicketPanel
from tui.workstation.widgets.footer import Hints
from tui.workstation.widgets.list_screen import ListScreen, ScreenParts, region_of, union_of
from tui.workstation.widgets.pair_views import PairViews, pair_to_buy
from tui.workstation.widgets.slices import Slices
from tui.workstation.widgets.tabs import TITLE_STARTS, Tab, alarms_of, build_tabs, build_title, name_of, tab_at

DOUBLE_CLICK_S = 0.4
"""Most seconds between the two clicks of a double click."""

LEAST_BESIDE = 60
"""Least width left of a view of a pair for a dialog beside it."""
_TICKET_TABLES = frozenset([Table.PROPOSALS, Table.MANDATES, Table.POSITIONS, Table.ACCOUNTS, Table.ENGINE_STATUS])
"""Tables of which any changed row can change what an open ticket says."""


class _TitlePress(NamedTuple):
    """Mouse press on a title line, with cell and time, by which a second click is recognised."""

    x: int
    y: int
    at: float
    """Monotonic time, s."""


class MainScreen(ListScreen):
    """Main screen, called the desk. It decides what is shown where, never what is sent."""

    _link_shown: tuple[LinkState, str] | None = None
    _pressed = _TitlePress(-1, -1, 0.0)
    """Cell of the last click on a title, and when it was, monotonic, s."""

    def __init__(
        self,
        view: DisplayContext,
        palette: Palette,
        hints: Hints,
        press_key: Callable[[str], None],
        panes: Sequence[AnyPane],
        drawn: Mapping[str, type[PaneBox]] | None = None,
    ) -> None:
        super().__init__(ScreenParts(view, palette, hints, press_key), panes, drawn)
        self.pair = PairViews(self)
        self.zoomed = False
        """Whether one pane takes the space of all."""
        self.layouts = Layouts()
        self.layout_in_use = TRADE
        self.panel = TicketPanel(view, palette, self.box_border)
        self.line_field = LineField("line", palette)
        self.line_field.display = False
        self.line_opened = 0.0
        """Monotonic time at which the command line was opened, s."""
        self.note_lines = 1
        """Lines of the sentence about the typed line."""
        self.front: list[str] = [*PANES, *self.pair.ids]
        """Panes in the order of the last choice, newest first; each place shows the first of its panes."""
        self.slices = Slices(self.boxes, lambda: self.pair.shown, self.set_timer)
        self._wanted: dict[str, int] = {}
        """Lines each pane could fill, as of the last arrangement."""
        self._synced_at: float | None = None
        """Monotonic time at which the desk was first in step, s."""
        self._arranged: tuple[Size, Plan, set[str]] | None = None
        """Size, plan and visible panes of the last arrangement."""
        self._guide: Widget | None = None
        """Widget of a guide above the events."""
        self._guide_lines = 0
        self.home = "quotes"
        """Pane the focus returns to."""
        self.part_waits: Callable[[], bool] = lambda: False
        """Return whether the positions pane waits for the share of a leg to close."""

    def own_widgets(self) -> Sequence[Widget]:
        return (self.panel,) if self._guide is None else (self.panel, self._guide)

    def show_guide(self, guide: Widget | None, lines: int) -> None:
        """Show a guide in lines of its own above the events, or remove it; it never has the focus."""
        if self._guide is not None:
            self._guide.remove()
        self._guide, self._guide_lines = guide, lines
        if guide is not None:
            self.mount(guide, before=self.event_bar)
        self.arrange_panes()

    def inputs(self) -> Sequence[Widget]:
        return ()

    def mount_inputs(self) -> None:
        """Mount the input fields, which the first frame does not show."""
        self.mount(self.filter_field, self.line_field, before=self.panel)
        self.panel.mount_fields()

    @property
    def scope(self) -> Scope:
        focused, panel = self.focused, self.panel
        if focused is self.line_field:
            return Scope.LINE
        if isinstance(focused, NumberField):
            return Scope.FIELD
        if isinstance(focused, Chooser):
            return Scope.CHOOSER
        if focused is panel and panel.open:
            return Scope.ASK if panel.ask is not None else Scope.PREVIEW
        return super().scope

    @property
    def focus_name(self) -> str:
        if self.focused is self.line_field:
            return "Command line"
        return "Ticket" if self.panel.open and self._find_focused_box() is self.panel else super().focus_name

    @property
    def list_scope(self) -> Scope:
        pane_id = self.box.pane.id if self.box is not None else ""
        if pane_id == "positions" and self.part_waits():
            return Scope.PART
        return Scope(pane_id)

    def hide_line(self) -> None:
        """Hide the command line and the explanation shown with it."""
        self.line_field.display = False
        self.panel.note = []
        self.panel.redraw_all()
        if self.note_lines > 1:
            self.note_lines = 1
            self.arrange_panes()
        self.refresh(layout=True)

    @property
    def covers_events(self) -> bool:
        return self.line_field.display or super().covers_events

    @property
    def uncovered_answer(self) -> list[Piece]:
        return (
            self.event_bar.find_newest_answer(self.line_opened) if self.line_field.display else super().uncovered_answer
        )

    # Places

    def placements(self, size: Size) -> dict[str, Region]:
        regions = super().placements(size)
        if self.line_field.display:
            under = "event" if "event" in regions else "keys"
            if under in regions:
                regions["line"] = regions.pop(under)
        return regions

    def arrange_panes(self, size: Size | None = None, *, grown: Container[str] = ()) -> None:
        """Arrange the screen for a new size, pane or ticket; `grown` are the panes with new rows that may become taller."""
        size = size or self.size
        for name in self.visible_panes():
            self.boxes[name].settle()
        self._wanted = {name: box.lines_wanted for name, box in self.boxes.items()}
        self.plan = plan(size.width, size.height, self._list_needs(grown))
        self.pair.note_zoom(alone=self.zoomed)
        shown = self.visible_panes()
        for pane_id, box in self.boxes.items():
            area = self.plan.area_of(pane_id)
            visible = area is not None and pane_id in shown
            if area is not None and box.put_corners(top=area.box.top, bottom=area.box.bottom):
                box.repaint()
            if box.display != visible:
                box.display = visible
                box.reorder()
        ticket = self.plan.ticket
        self.panel.display = ticket is not None
        if ticket is not None and self.panel.put_corners(top=ticket.top, bottom=ticket.bottom):
            self.panel.redraw_all()
        self.place_bars()
        self._keep_focus(shown)
        for box in self.boxes.values():
            box.flush()
            box.refresh_title()
        self._frame_focus()
        arranged = size, self.plan, shown
        if arranged != self._arranged:
            self._arranged = arranged
            # Only a layout request of a child makes the screen forget its previous placements.
            self.panel.refresh(repaint=False, layout=True)
            self.refresh(layout=True)

    def _list_needs(self, grown: Container[str]) -> Needs:
        """Return the contents that determine the layout; `grown` are the panes with new rows."""
        return Needs(
            ticket=self.panel.mode,
            note=self.note_lines,
            zoomed=self.zoomed,
            wanted=self._wanted,
            front=self.front,
            grown=grown,
            pair=self.pair.shown,
            kept=self.plan.lines if grown and not self._filling else (),
            layout=self.layout_in_use,
            guide=self._guide_lines,
        )

    @property
    def _filling(self) -> bool:
        """Whether first rows still arrive, until `FILLING_S` after the first sync; pane heights then follow the rows."""
        now, synced = self.view.now, self.view.mirror.synced_once
        if self._synced_at is None and synced:
            self._synced_at = now
        return self._synced_at is None or now - self._synced_at < FILLING_S

    def _follow_rows(self) -> None:
        """Give a pane that wants more lines, for new rows, the unused lines of other panes."""
        grown: set[str] = set()
        for name, box in self.boxes.items():
            if box.display and (lines := box.lines_wanted) != self._wanted[name]:
                if lines > self._wanted[name]:
                    grown.add(name)
                self._wanted[name] = lines
        if grown:
            self.arrange_panes(grown=grown)

    @property
    def subject(self) -> Region | None:
        if self.panel.open and self._find_focused_box() is self.panel:
            return self.panel.region
        return super().subject

    @property
    def touch(self) -> Region | None:
        ticket, box = self.panel.ticket, self.box
        sym = box.pane.sym(box.selected) if box is not None and box.selected is not None else ""
        if ticket is not None and box is None:
            sym = ticket.sym
        union = union_of(box, box.pane.touch_keys()) if box is not None and isinstance(box.pane, PairPane) else None
        return union or region_of(self.tables["quotes"], sym or self.panel.watched)

    @property
    def beside_view(self) -> Region | None:
        box = self.box
        wide = box is not None and box.pane.id in self.pair.ids and box.region.x >= LEAST_BESIDE
        return box.region if box is not None and wide else None

    def _keep_focus(self, shown: set[str]) -> None:
        """Move the focus to a visible widget if the focused one is hidden; in a tiny window remove the focus."""
        focused = self.focused
        if self.plan.tiny:
            # No ticket can be read, so no list takes the keys that stage or send.
            if self.filtered is not None:
                self.close_filter()
            self.set_focus(None)
            return
        if focused is self.line_field:
            return
        if self.filtered is not None:
            if self.filtered.display:
                return
            self.close_filter()
        if self.panel.open and self.panel.display:
            if focused is None or (self.panel in focused.ancestors and focused not in self.panel.stops()):
                self.set_focus(self.panel)
        elif not isinstance(focused, PaneBox) or not focused.display:
            self.set_focus(None)
            if shown and self.is_attached:
                self.focus_list()

    def watch_focused(self) -> None:
        if self.line_field.display and self.focused is not self.line_field:
            self.hide_line()
        if isinstance(self.focused, PaneBox) and self.focused.pane.id in self.pair.ids:
            # A pair that came later would stand under a cursor that the trader has already read.
            self.pair.follow()
        self._frame_focus()

    def _find_focused_box(self) -> Widget | None:
        """Return the list or ticket that has the focus; a field of the ticket counts as the ticket."""
        focused = self.focused
        return self.panel if focused is not None and self.panel in focused.ancestors_with_self else focused

    @property
    def is_at_ticket(self) -> bool:
        """Whether the ticket has the focus, or the command line whose order it shows."""
        return self.focused is self.line_field or self._find_focused_box() is self.panel

    def _frame_focus(self) -> None:
        """Draw the common border of two boxes as focused if the upper box has the focus."""
        current, focused = self.plan, self._find_focused_box()
        boxes = [(self.boxes[pane], area.box) for area in current.areas for pane in area.panes]
        places: list[tuple[BoxedLines, Box]] = [*boxes]
        if current.ticket is not None:
            places.append((self.panel, current.ticket))
        upper = next((box for widget, box in places if widget is focused), None)
        for widget, box in places:
            widget.put_under_focus(under=upper is not None and box.stands_under(upper))

    def visible_panes(self) -> set[str]:
        """Return the ids of the visible panes."""
        return {next((pane for pane in self.front if pane in area.panes), area.panes[0]) for area in self.plan.areas}

    def show_pane(self, pane_id: str) -> None:
        """Bring a pane to the front of the area it shares with others, and give it the focus."""
        if self.plan.area_of(pane_id) is None:
            return
        self.front.remove(pane_id)
        self.front.insert(0, pane_id)
        self.home = pane_id
        self.arrange_panes()
        self.set_focus(None if self.plan.tiny else self.boxes[pane_id])

    def focus_list(self) -> None:
        """Give the focus to the pane that had it last if it is shown, else to the first pane shown."""
        shown = set() if self.plan.tiny else self.visible_panes()
        target = self.home if self.home in shown else next((pane for pane in PANES if pane in shown), None)
        target = target or next(iter(shown), None)
        self.set_focus(self.boxes[target] if target is not None else None)

    def leave_ticket(self) -> None:
        """Give the focus to a list before a full screen hides the open ticket: back from there, it is paused."""
        if self.panel.open and not self.panel.sending and self.is_at_ticket:
            self.focus_list()

    def cycle_panes(self, steps: int) -> None:
        """Focus the next or previous pane; an open ticket is one of the stops, and if paused, the next of all."""
        stops: list[Widget] = []
        for area in self.plan.areas:
            stops += [self.boxes[pane] for pane in area.panes if pane in self.visible_panes()]
        if self.panel.open and self.panel.display:
            stops.append(self.panel)
        if not stops:
            return
        at = stops.index(self.focused) if self.focused in stops else -steps
        target = self.panel if self.panel.paused and steps > 0 else stops[(at + steps) % len(stops)]
        self.set_focus(target)
        self.arrange_panes()
        if isinstance(target, PaneBox):
            self.home = target.pane.id

    def zoom(self) -> None:
        """Enlarge the focused pane over the space of all panes, or if enlarged, show all panes again."""
        box = self.box
        if box is not None and not self.plan.tiny:
            self.zoomed = not self.zoomed
            self.show_pane(box.pane.id)

    def is_alone_in_place(self, panes: Collection[str]) -> bool:
        """Return whether the focused box is one of `panes` and shares its area with no other pane as tabs."""
        here = self.box.pane.id if self.box is not None else ""
        area = self.plan.area_of(here)
        return here in panes and (area is None or len(area.panes) == 1)

    def cycle_views(self, steps: int) -> None:
        """Show another view of the pane; if it has only one, another tab of its area, or of the first area with tabs."""
        table = self.table
        if table is not None and table.pane.cycle_view(steps):
            table.rearrange()
            return
        here = self.box.pane.id if self.box is not None else ""
        area = self.plan.area_of(here)
        if area is None or len(area.panes) == 1:
            area = next((area for area in self.plan.areas if len(area.panes) > 1), None)
        if area is None:
            return
        current = next(pane for pane in self.front if pane in area.panes)
        self.show_pane(area.panes[(area.panes.index(current) + steps) % len(area.panes)])

    # Updates

    def feed(self, changed: dict[Table, list[str]], *, new_events: bool) -> None:
        """Pass on a batch of changed rows and draw the visible part."""
        self.view.queues.follow(changed.get(Table.QUOTES, ()), changed.get(Table.ORDERS, ()))
        super().feed(changed, new_events=new_events)
        self._follow_rows()
        self.watch_selection(self.box)
        self.pair.open_for_layout()
        if Table.LINKS in changed:
            self._follow_link()
        ticket = self.panel.ticket
        sym = ticket.sym if ticket is not None else self.panel.watched
        rows_of_sym = sym in changed.get(Table.QUOTES, ()) or sym in changed.get(Table.SYMBOLS, ())
        # Every working order takes margin, so another order changes the forecast of the ticket.
        orders = ticket is not None and Table.ORDERS in changed
        if rows_of_sym or orders or not _TICKET_TABLES.isdisjoint(changed):
            self.panel.follow()

    def flush_lists(self) -> None:
        """Draw changed lines of the lists, at most one slice at a time."""
        self.slices.draw()

    def _follow_link(self) -> None:
        link = self.view.mirror.links.get("private")
        now = (link.state, link.error) if link is not None else None
        if now == self._link_shown:
            return
        self._link_shown = now
        self.panel.follow()
        for box in self.boxes.values():
            box.refresh_title()
            if box.row_count == 0:
                box.redraw_all()

    def tick(self) -> None:
        super().tick()
        self._follow_rows()
        if self.panel.open or self.view.mirror.proposals or self.view.mirror.mandates:
            self.panel.follow()

    def alarms(self, box: PaneBox) -> list[Piece]:
        return alarms_of(self.view.mirror, box.pane)

    def on_screen_suspend(self) -> None:
        """Pause the open ticket when another screen or a dialog takes the keyboard."""
        guard = self.panel.guard
        if self.panel.open and not self.panel.away and guard is not None and Rule.PAUSE in guard.rules:
            self.panel.pause()
        elif self.panel.open:
            self.panel.redraw_all()  # its keys do not work under the dialog

    def on_screen_resume(self) -> None:
        """Resume the ticket when the main screen has the keyboard again."""
        if self.panel.guard is not None:
            self.panel.guard.record_move()
        if self.panel.away and self.is_at_ticket:
            self.panel.resume()
        elif self.panel.open:
            self.panel.redraw_all()

    def on_pane_box_picked(self, message: PaneBox.Picked) -> None:
        box = message.box
        if box is not self.focused:
            return
        self.watch_selection(box)
        self.key_bar.follow_hints()
        # The focus alone moves no view: `Tab` to the ladder passes the lists on its way.
        if message.by_hand:
            self.pair.note_pick(box)

    def watch_selection(self, box: PaneBox | None) -> None:
        """Show the trading rules of the pair under the cursor in the place of the ticket, while none is open."""
        sym = pair_to_buy(box) if box is not None else None
        if sym is not None and sym != self.panel.watched:
            self.panel.watched = sym
            self.panel.refresh()

    # Layout

    def use_layout(self, layout: Layout, front: Sequence[str] = (), sym: str = "") -> None:
        """Arrange the panes by a layout, and open the views that it has places for as soon as a row has a pair.

        `front` are the panes to show first (empty: the first of each place), `sym` is the pair of the views (empty: that
        of the quotes under the cursor, or the first).
        """
        self.layout_in_use = layout
        if not layout.shows_pair:
            self.pair.close_with_layout()
        names = [name for place in walk_places(layout.steps[0].tree) for name in place.panes[:1]]
        usual = (*(name for name in names if name in self.boxes), *PANES, *self.pair.ids)
        self.front = list(dict.fromkeys(front or usual))
        self.home = self.home if front else self.front[0]
        self.zoomed = False
        self.pair.wait_for_pair(sym, opens=layout.shows_pair)
        if self.is_attached:
            self.arrange_panes()
            self.pair.open_for_layout()
            self.focus_list()

    def show_layout(self, layout: Layout) -> None:
        """Arrange the panes by a changed layout; panes in front, focus and pair stay."""
        self.layout_in_use = layout
        self.arrange_panes()

    # Titles

    def titles(self, box: PaneBox) -> list[Piece]:
        area = self.plan.area_of(box.pane.id)
        return build_title(box, self.tabs(box), shares=area is not None and len(area.panes) > 1)

    def tabs(self, box: PaneBox) -> list[Tab]:
        """Return the tabs of a title line, where several panes share the area."""
        panes = self.panes_in_title(box)
        return [] if len(panes) == 1 or self.zoomed else build_tabs(box, panes)

    def name_at(self, x: int, y: int) -> str:
        """Return the pane whose name stands at a cell of a title line, or an empty text."""
        for pane, box in self.boxes.items():
            region = box.region
            if not box.display or (y, True) != (region.y, region.contains(x, y)):
                continue
            column = x - region.x - TITLE_STARTS
            if tabs := self.tabs(box):
                return tab_at(tabs, column)
            return pane if 0 <= column < len(name_of(box.pane)) else ""
        return ""

    def panes_in_title(self, box: PaneBox) -> Sequence[AnyPane]:
        area = self.plan.area_of(box.pane.id)
        return (box.pane,) if area is None else [self.boxes[pane_id].pane for pane_id in area.panes]

    def press_title(self, box: PaneBox, x: int) -> None:
        """Show the pane whose tab was clicked; a second click at once shows it alone, or all panes again."""
        before, now = self._pressed, _TitlePress(box.region.x + x, box.region.y, self.view.now)
        self._pressed = now
        if (before.x, before.y) == (now.x, now.y) and now.at - before.at <= DOUBLE_CLICK_S:
            self.zoom()
            return
        if pane_id := tab_at(self.tabs(box), x - TITLE_STARTS):
            self.show_pane(pane_id)
