"""A new home on the paper venue in virtual time, and a hand that does what the bar of the tour says."""

from __future__ import annotations

from decimal import Decimal

from tests.accidents.record import OPEN_STATES, VenueOrder
from tests.accidents.virtual_desk import VirtualDesk
from tui.engine.limits import Limits
from tui.engine.modes import TradingState
from tui.engine.settings import EngineSettings
from tui.workstation.features.tour.keys import TourKeys
from tui.workstation.features.tour.steps import STEPS, find_hint, find_task
from tui.workstation.input.actions import format_key

MOST_PRESSES = 14
"""Keys within which a step is done, answers to questions among them."""
KEY_S = 0.9
"""Pause of a hand that reads the bar before the next key, s."""


class TourDesk(VirtualDesk):
    """A new home with the limits of its first day, and a hand that does what the bar says."""

    def settings(self) -> EngineSettings:
        if self.market != "still":
            return EngineSettings()
        return EngineSettings(limits=Limits(stale=3600, red_after=3600))

    @property
    def tour(self) -> TourKeys:
        return self.app.controllers.tour

    def bar(self) -> str:
        """What the bar says, on one line."""
        lines = [line for line in self.text().split("\n") if line.startswith(" ▌")]
        return " ".join(line.strip(" ▌") for line in lines)

    def state(self) -> TradingState:
        assert self.mirror.engine_status is not None
        return self.mirror.engine_status.trading_state

    def events(self) -> list[str]:
        return [event.text for _, event in self.mirror.event_log.events]

    async def tap(self, key: str) -> None:
        await self.press(key)
        await self.pause(KEY_S)

    async def obey(self) -> None:
        """Press the key that the bar names now; it stands there as people read it."""
        step, sight = STEPS[self.tour.at], self.tour.sight
        hint = find_hint(step, sight)
        action = hint.actions[0] if hint is not None else find_task(step, sight).actions[0]
        key = self.app.keymaps.keymap.of(action)[0]
        away = "the tour is on the desk: Esc goes back to it"
        told = self.bar() if sight.is_on_desk else next(text for text in self.events() if text == away)
        assert format_key(key) in told, (told, action, self.text())
        await self.tap(key)

    async def play_step(self, wrong: tuple[str, ...] = ()) -> None:
        """Do what the bar says until the next step is shown, with wrong keys before it."""
        at, presses = self.tour.at, 0
        for key in wrong:
            await self.tap(key)
        while self.tour.at == at:
            presses += 1
            assert presses <= MOST_PRESSES + 4 * len(wrong), (STEPS[at].title, self.bar(), self.text())
            await self.obey()

    async def positions(self) -> dict[str, Decimal]:
        rows = await self.at_venue(lambda: self.exchange.queries.positions(self.portfolio))
        return {row.sym: Decimal(row.position_qty) for row in rows}

    async def orders(self) -> list[VenueOrder]:
        """Open orders at the venue."""
        record = await self.record()
        return [order for order in record.orders.values() if order.state in OPEN_STATES]
