"""Choice of the watched pairs, for services that allow fewer subscriptions than they have pairs."""

from __future__ import annotations

from collections.abc import Callable

from tui.engine.event_line import Level
from tui.engine.state.engine_state import EngineState
from tui.interface.text import how_many


class MarketWatch:
    """Watched pairs within the service's limit: those with positions or orders first, then the wanted ones by priority."""

    def __init__(self, state: EngineState, *, has_login: bool, watch: Callable[[tuple[str, ...]], None]) -> None:
        """Initialize; no pair is watched yet.

        Args:
            state: State of the engine.
            has_login: Whether public connections log in, which lets each carry more pairs.
            watch: Subscribes to exactly these pairs.
        """
        timings = state.settings.timings
        each = timings.pairs_per_login if has_login else timings.pairs_per_connection
        self._most = timings.public_connections * each
        self._state = state
        self._watch = watch
        self._wanted: tuple[str, ...] = ()
        self.chosen: tuple[str, ...] = ()
        """Watched pairs."""
        self._said = 0

    def want(self, syms: tuple[str, ...]) -> None:
        """Set the pairs that screens and programs want to watch, by priority; what is no pair of the service is left out."""
        known = self._state.symbols
        self._wanted = tuple(sym for sym in dict.fromkeys(syms) if sym in known or not known)
        self._apply(self._choose())

    def follow(self) -> None:
        """Choose the watched pairs anew if not all wanted fit, because positions or orders may have changed."""
        if len(self._wanted) <= self._most:
            return
        chosen = self._choose()
        if frozenset(chosen) != frozenset(self.chosen):
            self._apply(chosen)

    def _choose(self) -> tuple[str, ...]:
        if len(self._wanted) <= self._most:
            return self._wanted
        wanted = frozenset(self._wanted)
        held = [fact.record.sym for fact in self._state.facts.positions.rows.values()]
        own = [sym for sym in (*held, *(row.sym for row in self._state.orders.working())) if sym in wanted]
        return tuple(dict.fromkeys([*own, *self._wanted]))[: self._most]

    def _apply(self, chosen: tuple[str, ...]) -> None:
        self.chosen = chosen
        known = frozenset(chosen)
        left = tuple(sym for sym in self._wanted if sym not in known)
        self._state.quotes.set_watched(chosen, left)
        self._state.tickers.set_watched(chosen)
        self._watch(chosen)
        if len(left) != self._said and left:
            text = (
                f"the service offers {how_many(len(self._wanted), 'pair')} and takes {self._most:,} at once: {len(left):,}"
                " are not watched; what is listed, held or worked goes first"
            )
            self._state.notify(Level.WARN, text)
        self._said = len(left)
