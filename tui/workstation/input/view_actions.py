"""Actions that choose how the desk looks: layouts, watchlists, themes, keymaps, jump, practice, welcome and tour."""

from __future__ import annotations

from tui.workstation.input.action import Action, make_moves
from tui.workstation.input.action import make_action as _a
from tui.workstation.input.scopes import ALL_LISTS, FINDS, VIEWS, Scope

_PRACTICE = frozenset([Scope.PRACTICE])
_THEMES = frozenset([Scope.THEMES])
_JUMP = frozenset([Scope.JUMP])
_KEYMAPS = frozenset([Scope.KEYMAPS])
_DESK_PANES = VIEWS | {Scope.NOWHERE}
_LAYOUTS = frozenset([Scope.LAYOUTS])
_WATCHLISTS = frozenset([Scope.WATCHLISTS])
_WELCOME = frozenset([Scope.WELCOME])
_NAME = frozenset([Scope.NAME])
_FIELDS = frozenset([Scope.FIELD])

VIEW_ACTIONS: tuple[Action, ...] = (
    _a("practice.open", "practice: simulate faults of the paper venue", "f6",
       ALL_LISTS | {Scope.FIELD, Scope.FILTER, Scope.HELP}, group="look"),
    *make_moves("practice", "line", _PRACTICE),
    _a("practice.turn", "set the fault to its next state", "space enter", _PRACTICE, group="look", hint="turn", at=0),
    _a("practice.turn_back", "set the fault to its previous state", "backspace left", _PRACTICE, group="look"),
    _a("practice.heal", "end all faults", "r", _PRACTICE, group="look", hint="heal all", at=3),
    _a("practice.close", "close the list", "escape q f6", _PRACTICE, group="look", hint="close", at=1),
    _a("themes.open", "themes: choose the colours", "f8", ALL_LISTS, group="look"),
    *make_moves("themes", "theme", _THEMES, shown=True),
    _a("themes.take", "keep the theme, close the list", "enter", _THEMES, group="look", hint="keep", at=0),
    _a("themes.close", "back to the theme before", "escape q f8", _THEMES, group="look", hint="back", at=1),
    _a("jump.open", "jump: shows a letter over each pane, tab and field; type it to go there", "ctrl+o",
       ALL_LISTS | _FIELDS, group="look"),
    _a("jump.close", "end the jump, stay here", "escape ctrl+o", _JUMP, group="look", hint="stay", at=0),
    _a("keymaps.open", "keymaps: choose the keys", "f9", ALL_LISTS, group="look"),
    *make_moves("keymaps", "keymap", _KEYMAPS),
    _a("keymaps.take", "use the keymap", "enter", _KEYMAPS, group="look", hint="use", at=0),
    _a("keymaps.close", "close the list", "escape q f9", _KEYMAPS, group="look", hint="back", at=1),
    _a("picture.save", "save a picture of the screen (SVG)", "f12", FINDS, group="look"),
    _a("picture.save_blank", "save a picture in which the figures of the account are blank (SVG)", "", FINDS, group="look"),
    _a("health.open", "links, delays of quotes and orders, used limits of requests", "", FINDS, group="look",
       paneless=True),
    _a("welcome.open", "welcome: practise on paper, connect a service, or look only", "", ALL_LISTS, group="look"),
    *make_moves("welcome", "choice", _WELCOME),
    _a("welcome.take", "do what the selected line says", "enter", _WELCOME, group="look", hint="take", at=0,
       why="no choice sends or arms anything"),
    _a("welcome.never", "do not show the welcome again", "n", _WELCOME, group="look", hint="never again", at=3),
    _a("welcome.close", "close the welcome until the next start", "escape q", _WELCOME, group="look", hint="close", at=1),
    _a("connection.open", "connect a service: addresses and key, tested before they are kept", "", ALL_LISTS,
       group="account"),
    _a("tour.open", "begin the tour of seven steps on the paper venue, or leave it", "f1", FINDS | _WELCOME,
       group="look", paneless=True),
    _a("layouts.open", "layouts: choose which panes stand where", "f3", _DESK_PANES, group="layout"),
    *make_moves("layouts", "layout", _LAYOUTS, group="layout", at=3, shown=True),
    _a("layouts.take", "keep the layout, close the list", "enter", _LAYOUTS, group="layout", hint="keep", at=0),
    _a("layouts.new", "save the present arrangement of the panes under a name", "n", _LAYOUTS, group="layout",
       hint="save as", at=2),
    _a("layouts.delete", "delete a layout of your own, or undo your changes to a shipped one", "delete", _LAYOUTS,
       group="layout", hint="delete", at=4),
    _a("layouts.close", "back to the layout before", "escape q f3", _LAYOUTS, group="layout", hint="back", at=1),
    _a("watchlists.open", "watchlists: choose, make, rename or delete a list of quotes", "f5", _DESK_PANES, group="layout"),
    _a("watchlists.next", "quotes of the next watchlist", "Q", _DESK_PANES, group="layout"),
    *make_moves("watchlists", "watchlist", _WATCHLISTS, group="layout", at=4, shown=True),
    _a("watchlists.take", "keep the watchlist, close the list", "enter", _WATCHLISTS, group="layout", hint="keep",
       at=0),
    _a("watchlists.new", "new watchlist of the marked pairs", "n", _WATCHLISTS, group="layout", hint="new", at=2),
    _a("watchlists.rename", "rename the watchlist", "r", _WATCHLISTS, group="layout", hint="rename", at=3),
    _a("watchlists.delete", "delete the watchlist", "delete", _WATCHLISTS, group="layout", hint="delete", at=5),
    _a("watchlists.close", "back to the watchlist before", "escape q f5", _WATCHLISTS, group="layout", hint="back", at=1),
    _a("pane.wider", "make the pane wider", "shift+right }", VIEWS, group="layout", why="its neighbour becomes narrower"),
    _a("pane.narrower", "make the pane narrower", "shift+left {", VIEWS, group="layout"),
    _a("pane.taller", "make the pane taller", "shift+down =", VIEWS, group="layout"),
    _a("pane.shorter", "make the pane shorter", "shift+up _", VIEWS, group="layout"),
    _a("pane.to_left", "swap the pane with the one on the left", "ctrl+left", VIEWS, group="layout"),
    _a("pane.to_right", "swap the pane with the one on the right", "ctrl+right", VIEWS, group="layout"),
    _a("pane.to_top", "swap the pane with the one above", "ctrl+up", VIEWS, group="layout"),
    _a("pane.to_bottom", "swap the pane with the one below", "ctrl+down", VIEWS, group="layout"),
    _a("pane.own", "show the pane beside the others, or as one of their tabs", "\\", VIEWS, group="layout",
       why="as a tab it is shown by its number, or by ( and )"),
    _a("name.take", "accept the typed name", "enter", _NAME, group="layout", hint="take", at=0),
    _a("name.leave", "keep the old name", "escape", _NAME, group="layout", hint="back", at=1),
)  # fmt: skip
