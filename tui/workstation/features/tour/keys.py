"""Handler of the key that begins and leaves the tour, and its progress."""

from __future__ import annotations

from collections.abc import Callable

from tui.workstation.commands.availability import TOO_SMALL, Blocks
from tui.workstation.commands.context import Context
from tui.workstation.features.tour.bar import LINES, TourBar, TourText
from tui.workstation.features.tour.sight import Sight
from tui.workstation.features.tour.steps import ORDER_STEP, STEPS, find_hint, find_task
from tui.workstation.input.actions import BY_ID, format_key
from tui.workstation.input.handlers import Handlers
from tui.workstation.layouts.plan import has_guide
from tui.workstation.table.live_table import LiveTable

FOLLOW_S = 0.2
"""Interval in which the desk is looked at besides changed rows, s: a moved focus changes no row."""
ONLY_ON_PAPER = "the tour runs on the paper venue: start crossdesk without --profile"
OPEN = "tour.open"
DONE = "You know the way. {0} lists all keys, {1} lets the venue fail for practice, {2} finds everything else by name"
_NEXT = ("help.open", "practice.open", "palette.open")


class TourKeys:
    """Key handler of the tour; the desk's other keys work as usual while it runs."""

    def __init__(self, context: Context, keys_of: Callable[[str], tuple[str, ...]]) -> None:
        """Initialize the handler; `keys_of` returns the keys of an action."""
        self._context = context
        self._keys_of = keys_of
        self._bar: TourBar | None = None
        self._sight = Sight(context)
        self.at = 0
        """Index of the present step; the number of steps once all are done."""
        self._seen = ""
        self._missed = ""
        """What went wrong since, so that a step is done again; empty: nothing."""
        self._said_away = False

    def handlers(self) -> Handlers:
        """Return the key handlers by action id."""
        return {OPEN: self.tour_open}

    def blocks(self) -> Blocks:
        """Return the block reasons by action id."""
        return {OPEN: self._open_block}

    @property
    def is_running(self) -> bool:
        return self._bar is not None

    @property
    def sight(self) -> Sight:
        return self._sight

    def _open_block(self, table: LiveTable | None) -> str:
        del table
        if self.is_running:
            return ""
        if not self._sight.on_paper:
            return ONLY_ON_PAPER
        if self._sight.read_only:
            return f"the tour sends orders: {self._sight.read_only}"
        size = self._context.main_screen.size
        return "" if has_guide(size.width, size.height) else TOO_SMALL

    def tour_open(self) -> None:
        """Begin the tour and show the desk, or end the tour if it is running."""
        if self.is_running:
            self._leave()
            self._context.say(f"tour left; {self._name(OPEN)} begins it again")
            return
        context = self._context
        context.show_desk()
        self._sight, self.at, self._seen, self._missed, self._said_away = Sight(context), 0, "", "", False
        self._bar = TourBar(context.main_screen.palette, self._text())
        context.main_screen.show_guide(self._bar, LINES)
        self._bar.set_interval(FOLLOW_S, self.follow)
        context.followers.append(self.follow)

    def _leave(self) -> None:
        self._bar = None
        self._context.followers.remove(self.follow)
        self._context.main_screen.show_guide(None, 0)

    def follow(self) -> None:
        """Check what the trader has done on the desk: go to the next step if the present one is done, and show the task."""
        if self._bar is None:
            return
        self._sight.note()
        # Out of step, orders and positions are missing that are there.
        if self._sight.synced:
            self._go_on()
        self._say_when_away()
        self._bar.show(self._text())

    def _go_on(self) -> None:
        """Advance while steps are done; go back to the step that sends an order if that order ended too early."""
        while self.at < len(STEPS):
            step = STEPS[self.at]
            if step.is_reached(self._sight):
                self._seen, self._missed, self.at = step.seen, "", self.at + 1
            elif missed := step.misses(self._sight):
                self._missed, self.at = missed, ORDER_STEP
            else:
                return
            if self.at < len(STEPS):
                STEPS[self.at].begin(self._sight)

    def _say_when_away(self) -> None:
        """Say once on another screen that the tour is on the desk, because its bar is only visible there."""
        away, before = not self._sight.is_on_desk, self._said_away
        self._said_away = away
        if away and not before:
            self._context.say(f"the tour is on the desk: {self._name('screen.close')} goes back to it")

    def _text(self) -> TourText:
        leave = f"{self._name(OPEN)} leaves"
        if self.at == len(STEPS):
            return TourText(
                "Tour done", self._seen, "", self._fill(DONE, _NEXT), is_hint=False, leave=f"{self._name(OPEN)} closes"
            )
        step = STEPS[self.at]
        title = f"Tour {self.at + 1} of {len(STEPS)}: {step.title}"
        hint = find_hint(step, self._sight)
        if hint is not None:
            return TourText(
                title, self._seen, self._missed, self._fill(hint.say, hint.actions), is_hint=True, leave=leave
            )
        task = find_task(step, self._sight)
        return TourText(
            title,
            self._seen,
            self._missed,
            self._fill(task.say, (*task.actions, *task.others)),
            is_hint=False,
            leave=leave,
        )

    def _fill(self, say: str, actions: tuple[str, ...]) -> str:
        return say.format(*(self._name(action) for action in actions))

    def _name(self, action: str) -> str:
        """Return the first key of an action as people write it; if it has none, the action's title in the palette."""
        keys = self._keys_of(action)
        return format_key(keys[0]) if keys else f"'{BY_ID[action].title}' in the palette"
