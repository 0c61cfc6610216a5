"""Settings of the workstation: one struct, unknown keys forbidden, needed before the first frame."""

from __future__ import annotations

from typing import Annotated, Literal

import msgspec

from tui.engine.modes import LEAST_REARM_MS


class WorkstationSettings(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Look of the screen and behaviour of keys."""

    theme: str = "dark"
    """Name of a theme: a shipped one, or a file in your themes folder. `F8` lists them and shows each; what is chosen
    there is kept and overrides this."""
    red_up: bool = False
    """Red for rising prices, gains and buys, green for falling prices, losses and sells."""
    fps: Annotated[int, msgspec.Meta(ge=1, le=60)] = 60
    """Most frames of market data per second; order events never wait for one."""
    direct: bool = True
    """Write changed cells without the framework's compositor, with a fraction of its work and output. `false`: draw
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
    """Mouse for focus, scrolling and selection; a click never sends anything. Off inside GNU `screen`, which with a mouse
    keeps Esc back until the next key."""
    bell: bool = True
    """Bell at refused input and at alerts."""
    notify: Literal["off", "osc9", "osc777"] = "off"
    """Notice of the terminal's desktop when an alert comes true, by the sequence the terminal knows."""
    window_title: bool = True
    """Environment, portfolio and trading state in the title of the terminal's window."""
    enter_in_field: Literal["next", "send"] = "next"
    """No effect any more: Enter sends the staged line, and in a form goes to the next field. `send` gives a warning at
    the start."""
    key_rearm_ms: Annotated[int, msgspec.Meta(ge=0, le=5000)] = 700
    """Pause after which the same key may send again, unless another key was pressed between, ms; smaller values than
    700
    count as 700."""
    hot_send: Literal["join", "take"] = "join"
    """Price at which `B` and `S` send in HOT: `join` rests at the own best price, `take` executes at the other side's."""
    key_max_age_ms: Annotated[int, msgspec.Meta(ge=50, le=10000)] = 500
    """Age at which a sending key is dropped, ms (the terminal stalled). The same limit, but at least a second, applies
    to
    terminals that have not confirmed that they read what was drawn."""
    confirm_arm_ms: Annotated[int, msgspec.Meta(ge=0, le=2000)] = 250
    """Time during which a prompt ignores keys after it opened, ms."""
    confirm_expiry_s: Annotated[int, msgspec.Meta(ge=5, le=600)] = 30
    """Time after which a prompt closes unanswered, s."""
    keep_final_s: Annotated[int, msgspec.Meta(ge=0, le=86400)] = 60
    """Time that ended orders stay in the orders pane, s."""
    ladder_recentre_s: Annotated[int, msgspec.Meta(ge=0, le=3600)] = 0
    """Time without a key after which the ladder goes back to the best prices once they have left its window, s; 0:
    never. It stays where its cursor was moved, and while a ticket is open."""
    cancel_all_on_quit: Literal["ask", "never", "always"] = "ask"
    """Cancel orders that can open a position when a screen or plain mode quits, also that of a second window, and set
    HALT; a lost terminal and a signal cancel only with `always`. Stops, targets and reduce-only orders up to the size of
    their position stay. `crossdesk gateway` never cancels at its end."""
    close: Literal["orders", "service"] = "orders"
    """Way `f` and `F` close a position: with orders of this desk (preview, limits, size), or by the service's own call,
    which
    closes it whole at market. The kill prompt always uses orders."""
    columns: dict[str, list[str]] = {}
    """Columns by pane (`orders`), or by list on the screens beside the desk (`"history/orders"`): names to show in
    addition to the default ones, with a minus those to hide, and with `=` their order from left to right. A choice made
    with `|` is stored and overrides this."""
    quotes: list[str] = []
    """Symbols in the quotes; empty: all. Symbols added on the screen (`/` in the quotes) override this."""
    keymap: str = "standard"
    """Name of a keymap: `standard`, a shipped one (`vim`, `left_hand`, `command_line`), or a file in your keymaps folder.
    `F9` lists them with their keys; what is chosen there is kept and overrides this."""
    keys: dict[str, str] = {}
    """Own keys: action id to keys, several separated by commas, or `none`. They override those of the keymap."""

    def warnings(self) -> list[str]:
        """List warnings about settings that no longer have an effect, or are raised to a minimum."""
        warnings = []
        if self.enter_in_field == "send":
            warnings.append(
                "enter_in_field = 'send' has no effect any more: Enter sends a staged order, y sends a form"
            )
        if self.key_rearm_ms < LEAST_REARM_MS:
            warnings.append(f"key_rearm_ms = {self.key_rearm_ms} is taken as {LEAST_REARM_MS} outside HOT")
        return warnings
