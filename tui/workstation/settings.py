"""Settings of the workstation: one struct, unknown keys forbidden, needed before the first frame."""

from __future__ import annotations

from typing import Annotated, Literal

import msgspec

LEAST_REARM_MS = 700
"""Least pause of the same key outside HOT: a keyboard repeats a held key after 250 to 660 ms."""


class WorkstationSettings(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """How the screen looks and how keys behave."""

    theme: str = "dark"
    """Name of a theme: `dark`, `light`, or a file in your themes folder."""
    fps: Annotated[int, msgspec.Meta(ge=1, le=60)] = 60
    """Most frames of market data per second; order events never wait for one."""
    direct: bool = True
    """Write changed cells past the framework's compositor: a fraction of its work and of its bytes. `false`: draw
    everything through the compositor."""
    fps_unfocused: Annotated[int, msgspec.Meta(ge=1, le=60)] = 4
    """Most frames per second while the window does not have the focus."""
    flash: bool = True
    """Flash a price that changed for 300 ms."""
    separators: bool = True
    """Thousands separators."""
    time: Literal["utc", "local"] = "utc"
    """Zone of printed times."""
    mouse: bool = True
    """Mouse for focus, scrolling and selection; a click never sends anything."""
    bell: bool = True
    """Bell at refused input."""
    window_title: bool = True
    """Environment, portfolio and trading state in the title of the terminal's window."""
    enter_in_field: Literal["next", "send"] = "next"
    """Has no effect any more: Enter sends the staged line and in a form goes to the next field. `send` gives a warning at
    the start."""
    key_rearm_ms: Annotated[int, msgspec.Meta(ge=0, le=5000)] = 700
    """Pause after which the same key may send again, unless another key was pressed between; a smaller value than 700 is
    taken as 700."""
    key_max_age_ms: Annotated[int, msgspec.Meta(ge=50, le=10000)] = 500
    """Age at which a sending key is dropped (the terminal stalled). The same for a terminal that has not confirmed within
    this time, at least a second, that it read what was drawn."""
    confirm_arm_ms: Annotated[int, msgspec.Meta(ge=0, le=2000)] = 250
    """Time in which a prompt ignores keys after it opened."""
    confirm_expiry_s: Annotated[int, msgspec.Meta(ge=5, le=600)] = 30
    """A prompt closes unanswered after this."""
    keep_final_s: Annotated[int, msgspec.Meta(ge=0, le=86400)] = 60
    """How long ended orders stay in the orders pane."""
    cancel_all_on_quit: Literal["ask", "never", "always"] = "ask"
    """What happens to orders that can open a position on quit; lost terminals and signals act only on `always`. What only
    closes a position (stops, targets, reduce-only orders) stays."""
    close: Literal["orders", "service"] = "orders"
    """How `f` and `F` close: with orders of this desk (preview, limits, size), or by the service's own call, which closes
    the whole position at market. The kill prompt uses orders always."""
    columns: dict[str, list[str]] = {}
    """Columns by pane (`orders`), or by list on the screens beside the desk (`"history/orders"`): names to show beside
    the usual ones, and with a minus before the name those to hide. What is chosen with `|` is kept and goes before this."""
    quotes: list[str] = []
    """Symbols in the quotes; empty: all there are. What is added on the screen (`/` in the quotes) goes before this."""
    keys: dict[str, str] = {}
    """Own keys: action id to keys, several separated by commas."""

    def warnings(self) -> list[str]:
        """Sentences about settings that are read and do not mean any more what they say."""
        warnings = []
        if self.enter_in_field == "send":
            warnings.append("enter_in_field = 'send' does nothing any more: Enter sends a staged line, y sends a form")
        if self.key_rearm_ms < LEAST_REARM_MS:
            warnings.append(f"key_rearm_ms = {self.key_rearm_ms} is taken as {LEAST_REARM_MS} outside HOT")
        return warnings
