"""Layouts that every desk has, and those of the trader."""

from __future__ import annotations

from collections.abc import MutableMapping

import msgspec

from tui.workstation.layouts.tree import AUTOMATIC, REST, TICKET, Layout, Place, Split, Step, find_fault

COLUMN_CELLS = 120
"""Least width at which a pane shows every column of its default layout."""
PAIR_CELLS = 44
"""Least width at which the ladder shows orders, sizes and price of both sides."""

_TICKET = Place((TICKET,))
_QUOTES, _ORDERS, _POSITIONS = Place(("quotes",)), Place(("orders",)), Place(("positions",))
_REST = Place((REST,))

PAIR_COLUMN = Split(
    (Split((Place(("ladder",)), Place(("trades",))), beside=True, share=3, least=2 * PAIR_CELLS), Place(("chart",), 2)),
    share=AUTOMATIC,
    least=36,
)
"""Views of a pair in a column of their own: ladder and trades side by side above the chart where there is room."""


def _fit(*parts: Place) -> Split:
    """Build a column of places whose heights follow their numbers of rows."""
    return Split(parts, fitted=True)


def _beside(left: Split, right: Split) -> Split:
    return Split((left, right), beside=True)


_TWO = _fit(Place(("quotes",), 5), _REST, _TICKET)
_LISTS = Place(("quotes",), 9), Place(("orders",), 7), Place((REST,), 7)
_THREE = _fit(*_LISTS, _TICKET)
_FOUR = _fit(Place(("quotes",), 11), _TICKET, _ORDERS, _POSITIONS, _REST)
_PAIR = Place(("ladder", "chart", "trades"), 14)

TRADE = Layout(
    "trade",
    (
        Step(_beside(_FOUR, PAIR_COLUMN), 144, 42, pair=True),
        Step(_beside(_THREE, PAIR_COLUMN), 120, 34, pair=True),
        Step(_beside(_TWO, PAIR_COLUMN), 120, 20, pair=True),
        Step(_fit(Place(("quotes",), 11), _PAIR, _TICKET, _ORDERS, _POSITIONS, _REST), 100, 42, pair=True),
        Step(_fit(*_LISTS, _PAIR, _TICKET), 60, 34, pair=True),
        Step(
            _beside(
                _fit(Place(("quotes",), 22), _TICKET, Place(("adl",))),
                _fit(Place(("orders",), 12), Place(("positions",), 11), Place((REST,), 12)),
            ),
            2 * COLUMN_CELLS,
            38,
            pair=False,
        ),
        Step(
            _fit(Place(("quotes",), 11), _TICKET, _ORDERS, _POSITIONS, Place(("adl",), 5), _REST), 150, 54, pair=False
        ),
        Step(_FOUR, 150, 42, pair=False),
        Step(_THREE, 76, 34, pair=False),
        Step(_TWO, 78, 23, pair=False),
        Step(_fit(Place((*_PAIR.panes, REST)), _TICKET)),
    ),
    "quotes, orders, positions",
)

WATCH = Layout(
    "watch",
    (
        Step(
            Split(
                (
                    Split((Place(("quotes",), 3), Place((REST,), 1), _TICKET), share=13),
                    Place(("trades", "ladder", "chart"), 7),
                ),
                beside=True,
            )
        ),
    ),
    "quotes of many pairs, trades",
)

RISK = Layout(
    "risk",
    (
        Step(
            Split(
                (
                    Place(("positions",), 6),
                    Place(("orders",), 5),
                    _TICKET,
                    Split((Place(("risk",)), Place(("assets",))), beside=True, share=6),
                    Split((Place(("adl",)), _REST), beside=True, share=5),
                )
            )
        ),
    ),
    "positions, orders, risk, assets",
)

LADDER = Layout(
    "ladder",
    (
        Step(
            Split(
                (
                    Place(("ladder",), 3),
                    Split(
                        (Place(("chart", "trades"), 5), Place(("orders",), 2), Place(("positions", REST), 2), _TICKET),
                        share=7,
                    ),
                ),
                beside=True,
            )
        ),
    ),
    "ladder, chart, orders, positions",
)

PRESETS = (TRADE, WATCH, RISK, LADDER)

MOST_NAME = 20
"""Most letters in the name of a layout."""


class Layouts:
    """Layouts that can be chosen: presets, presets that the trader changed, and own ones."""

    def __init__(self) -> None:
        self._stored: MutableMapping[str, bytes] = {}
        self._own: dict[str, Layout] = {}

    def read(self, stored: MutableMapping[str, bytes]) -> list[str]:
        """Load the layouts that an earlier run stored; return warnings about those that cannot be used."""
        self._stored = stored
        warnings = []
        for name, raw in stored.items():
            layout, fault = _decode(raw)
            if layout is None:
                warnings.append(f"layout {name[:MOST_NAME]!r} is not usable: {fault}")
            else:
                self._own[name] = msgspec.structs.replace(layout, name=name)
        return warnings

    def restore(self, stored: MutableMapping[str, bytes], name: str) -> tuple[Layout, list[str]]:
        """Load stored layouts; return the layout `name`, the default if it is missing, and warnings."""
        warnings = self.read(stored)
        layout = self.find(name or TRADE.name)
        if layout is None:
            return TRADE, [*warnings, f"there is no layout {name[:MOST_NAME]!r}: {TRADE.name} is used"]
        return layout, warnings

    @property
    def names(self) -> list[str]:
        """Names of all layouts in the order of their list."""
        presets = [preset.name for preset in PRESETS]
        return [*presets, *sorted(name for name in self._own if name not in presets)]

    def find(self, name: str) -> Layout | None:
        """Return the layout of a name, or None."""
        return self._own.get(name) or preset_of(name)

    def is_changed(self, name: str) -> bool:
        """Return whether a layout is an own one, or a preset that was changed."""
        return name in self._own

    def put(self, layout: Layout) -> None:
        """Store a layout under its name; a preset's changed form overrides the preset."""
        self._own[layout.name] = layout
        self._stored[layout.name] = msgspec.json.encode(layout)

    def drop(self, name: str) -> None:
        """Delete an own layout, or bring a preset back to what it was."""
        self._own.pop(name, None)
        self._stored.pop(name, None)


def preset_of(name: str) -> Layout | None:
    """Return the preset of a name, or None."""
    return next((preset for preset in PRESETS if preset.name == name), None)


def _decode(raw: bytes) -> tuple[Layout | None, str]:
    """Read a stored layout; return it, or None and why it cannot be used."""
    try:
        layout = msgspec.json.decode(raw, type=Layout)
    except (msgspec.DecodeError, RecursionError):
        return None, "it cannot be read"
    fault = find_fault(layout)
    return (None, fault) if fault else (layout, "")
