"""Handlers of the command palette: build its entries and run the chosen one."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import partial
from typing import NamedTuple

from tui.interface.symbols import BusinessType, try_parse
from tui.interface.text import clean
from tui.workstation.app.desk_panes import DeskPanes
from tui.workstation.app.keys.command_palette import GROUP_CELLS, KEY_CELLS, Entry, PaletteList, PaletteScreen
from tui.workstation.app.keys.navigation_keys import PANE_KEYS, NavigationKeys
from tui.workstation.app.keys.table_keys import TableKeys
from tui.workstation.command_line.order_descriptions import describe_row
from tui.workstation.commands.availability import Availability, Blocks, no_room
from tui.workstation.commands.context import Context
from tui.workstation.input.action import Action
from tui.workstation.input.actions import ACTIONS, GROUPS, format_key
from tui.workstation.input.handlers import Handlers
from tui.workstation.input.key_table import list_scopes
from tui.workstation.input.keymap import Keymap
from tui.workstation.input.scopes import LISTS, Scope
from tui.workstation.input.search import index_title
from tui.workstation.input.synonyms import SYNONYMS
from tui.workstation.model.instruments import full_name
from tui.workstation.table.live_table import LiveTable
from tui.workstation.table.pane import AnyPane

BY_PALETTE = "palette"
"""Key name under which the palette acts, for the journal."""
MOST_RECENT = 20
KEYS_SHOWN = 2
_KINDS = (BusinessType.PERP, BusinessType.SPOT, BusinessType.MARGIN)

Act = Callable[[str, str], None]
"""Function that runs an action by id, under a key name, through the guards of its risk."""


class NamedThings(NamedTuple):
    """Things of one kind that the palette finds by name."""

    kind: str
    names: Callable[[], Iterable[str]]
    use: Callable[[str], None]


class PaletteKeys:
    """Key handlers of the command palette."""

    keymap: Keymap
    _availability: Availability
    _act: Act

    def __init__(
        self,
        context: Context,
        panes: DeskPanes,
        tables: TableKeys,
        navigation: NavigationKeys,
        named: Sequence[NamedThings],
    ) -> None:
        self._context = context
        self._panes = panes
        self._tables = tables
        self._navigation = navigation
        self._named = named
        self._recent: list[str] = []

    def connect(self, keymap: Keymap, availability: Availability, act: Act) -> None:
        """Set keymap, availability and the function that runs actions; called once, before the first key press."""
        # Not in the constructor: the dispatch needs the handlers of all controllers, this one included.
        self.keymap, self._availability, self._act = keymap, availability, act

    def handlers(self) -> Handlers:
        """Return the key handlers by action id."""
        return {
            "palette.open": self.palette_open,
            "help.find": self.palette_open,
            "palette.take": self.palette_take,
            "palette.page_down": partial(self._page, 1),
            "palette.page_up": partial(self._page, -1),
        }

    def blocks(self) -> Blocks:
        """Return functions that explain why an action cannot run, by action id."""
        return {"palette.open": partial(no_room, self._context)}

    # List

    def palette_open(self) -> None:
        screen = self._context.list_screen
        body = PaletteList(self._entries(), self._recent, screen.palette)
        self._context.open_modal(PaletteScreen(body))

    @property
    def _body(self) -> PaletteList | None:
        screen = self._context.modal(PaletteScreen)
        return screen.body if screen is not None else None

    def _page(self, pages: int) -> None:
        if (body := self._body) is not None:
            body.move(pages * body.rows)

    def palette_take(self) -> None:
        """Run the selected entry; for one that cannot run, show the reason and keep the palette open."""
        screen = self._context.modal(PaletteScreen)
        entry = screen.body.chosen if screen is not None else None
        if screen is None or entry is None:
            return
        reason = entry.reason()
        if reason:
            self._context.refuse(f"{entry.title}: {reason}")
            return
        screen.dismiss(None)
        self._recent = [entry.id, *(used for used in self._recent if used != entry.id)][:MOST_RECENT]
        entry.do()
        # A held Enter repeats, and what it opened may take Enter for an answer.
        self._context.guard.record_done()

    # Entries

    def _entries(self) -> list[Entry]:
        screens = [self._action_entry(action) for action in ACTIONS if action.group == "screen"]
        others = [action for action in ACTIONS if action.group != "screen" and action.id not in PANE_KEYS]
        actions = [self._action_entry(action) for action in others]
        named = [self._build_named_entry(things, name) for things in self._named for name in things.names() if name]
        return [*self._pane_entries(), *screens, *named, *actions, *self._pair_entries()]

    def _build_named_entry(self, things: NamedThings, name: str) -> Entry:
        title = f"{things.kind} {name}"
        return Entry(
            id=f"{things.kind}.{name}",
            title=title,
            group=things.kind[:GROUP_CELLS].capitalize(),
            keys="",
            index=index_title(title, ""),
            reason=lambda: self._navigation.pane_block("quotes"),
            about=lambda: f"use the {title}",
            do=lambda: self._use(things, name),
        )

    def _use(self, things: NamedThings, name: str) -> None:
        self._leave(self._here)
        self._context.show_desk()
        things.use(name)

    def _keys(self, action_id: str) -> str:
        keys = [format_key(key) for key in self.keymap.of(action_id)]
        several = " ".join(keys[:KEYS_SHOWN])
        return several if len(several) <= KEY_CELLS else keys[0]

    def _action_entry(self, action: Action) -> Entry:
        return Entry(
            id=action.id,
            title=action.title,
            group=GROUPS[action.group].split()[-1].capitalize(),
            keys=self._keys(action.id),
            index=index_title(action.title, f"{action.id} {action.hint} {SYNONYMS.get(action.id, '')}"),
            reason=lambda: self._availability.reason_from(action, self._here),
            about=lambda: self._about(action),
            do=lambda: self._do(action),
            reach=action.reach,
            reachable=self._availability.find_scope(action, self._here) is not None,
        )

    def _pane_entries(self) -> list[Entry]:
        """List the palette entries of the panes, and of the single views of panes that have several."""
        ids = {pane: action_id for action_id, pane in PANE_KEYS.items()}
        entries, views = [], []
        for pane_id, box in self._context.main_screen.boxes.items():
            key = self._keys(ids[pane_id]) if pane_id in ids else ""
            entries.append(self._pane_entry(ids.get(pane_id, f"pane.{pane_id}"), box.pane, key))
            views += [
                self._pane_entry(f"view.{pane_id}.{at}", box.pane, "( )", at) for at in range(len(box.pane.views))
            ]
        return [*entries, *views]

    def _pane_entry(self, name: str, pane: AnyPane, key: str, view: int | None = None) -> Entry:
        title = pane.title if view is None else f"{pane.title}: {pane.views[view]}"
        return Entry(
            id=name,
            title=title,
            group="Pane" if view is None else "View",
            keys=key,
            index=index_title(title, f"pane {SYNONYMS.get(name, '')}" if view is None else "view"),
            reason=lambda: self._navigation.pane_block(pane.id),
            about=lambda: f"go to {title}",
            do=lambda: self._show_pane(pane, view),
        )

    def _show_pane(self, pane: AnyPane, view: int | None) -> None:
        self._leave(self._here)
        self._navigation.show_pane(pane.id)
        if view is not None and pane.cycle_view(view - pane.view_at):
            self._context.main_screen.tables[pane.id].rearrange()

    def _pair_entries(self) -> list[Entry]:
        quotes = self._panes.quotes
        return [self._pair_entry(sym) for sym in sorted(quotes.all_symbols(), key=_kind_first)]

    def _pair_entry(self, sym: str) -> Entry:
        return Entry(
            id=f"pair.{sym}",
            title=full_name(sym),
            group="Pair",
            keys="",
            index=index_title(full_name(sym), sym),
            reason=lambda: self._navigation.pane_block("quotes"),
            about=lambda: self._describe_pair(sym),
            do=lambda: self._go_to_pair(sym),
            names_pair=True,
        )

    def _describe_pair(self, sym: str) -> str:
        view = self._context.view
        quote = view.mirror.quotes.get(sym)
        now = f" · bid {view.price(sym, quote.bid)} ask {view.price(sym, quote.ask)}" if quote is not None else ""
        return f"go to {clean(sym)} in the quotes{now}"

    def _go_to_pair(self, sym: str) -> None:
        self._leave(self._here)
        self._context.show_desk()
        self._tables.go_to_pair(sym)

    # Running an entry

    def _leave(self, here: Scope) -> None:
        """Close help pages and side lists, and cancel the filter line if it had the keyboard."""
        self._context.close_pages()
        if here is Scope.FILTER:
            self._tables.filter_leave()

    @property
    def _here(self) -> Scope:
        """Scope that had the keyboard before the palette opened."""
        return self._context.scope_below(PaletteScreen)

    def _about(self, action: Action) -> str:
        """Describe the rows an action would apply to, else why it exists or where it works; or that only its key runs it."""
        place = self._availability.find_scope(action, self._here)
        if action.hot and self._context.hot:
            return f"sends at once in HOT, by its key alone: press {self._keys(action.id)}"
        if action.by_key:
            return f"opens the ticket, where you press {self._keys(action.id)}"
        table = self._availability.table_at(place, self._here) if place is not None and not action.anywhere else None
        row = self._describe_rows(table) if table is not None else ""
        return f"{table.pane.title}: {row}" if table is not None and row else (action.why or list_scopes(action))

    def _describe_rows(self, table: LiveTable) -> str:
        if len(table.targets) != 1:
            return f"{len(table.targets)} rows are marked" if table.targets else ""
        key = table.targets[0]
        order = self._context.mirror.orders.get(key) if table.pane.id == "orders" else None
        if order is not None:
            return describe_row(order, self._context.view)
        return full_name(table.pane.sym(key)) if table.pane.sym(key) else ""

    def _do(self, action: Action) -> None:
        """Move the focus to where the action works, then run it; if only its own key may run it, name that key instead."""
        here, context = self._here, self._context
        place = self._availability.find_scope(action, here)
        if here not in action.scopes:
            context.close_pages()
        if place is not None and place is not here:
            self._leave(here)
            if place in LISTS:
                self._navigation.show_pane(place.value)
            else:
                context.show_desk()
                context.main_screen.set_focus(context.main_screen.panel)
        if action.by_key or (action.hot and context.hot):
            context.say(f"{self._keys(action.id)} does it: {action.title}")
        else:
            self._act(action.id, BY_PALETTE)


def _kind_first(sym: str) -> tuple[int, str]:
    """Return the sort order of pairs by kind: perpetuals first, because a bare coin name mostly means one."""
    pair = try_parse(sym)
    place = (at for at, kind in enumerate(_KINDS) if pair is not None and pair.business_type == kind)
    return next(place, len(_KINDS)), sym
