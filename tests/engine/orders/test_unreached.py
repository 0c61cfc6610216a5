"""Kills and cancel-alls that the link did not carry: a warning stands until what they were for has ended."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.simulation.harness.day import SYM, Day
from tui.engine.intents import CancelAll, Decision, Place, Verdict
from tui.engine.limits import Limits
from tui.engine.rows import EventLine, Level
from tui.engine.settings import EngineSettings
from tui.interface.families.orders import OrderType, Side


class CutDay(Day):
    """A day on which the network ends and comes back."""

    def settings(self) -> EngineSettings:
        return EngineSettings(limits=Limits(first_of_day=False))

    async def cut_off(self) -> None:
        self.network.refuse = True
        self.cut("reset")()
        await self.until(lambda: not self.engine.state.logged_in)

    async def link_again(self) -> None:
        self.network.refuse = False
        await self.until(lambda: self.engine.state.synced, within=60)

    def standing(self) -> list[str]:
        return [event.text for event in self.mirror.sticky if "did not arrive" in event.cause]

    def told(self) -> list[EventLine]:
        return [event for _, event in self.mirror.events if "did not arrive" in event.cause]


def _kill(decision: Decision) -> CancelAll:
    return CancelAll(decision=decision, kill=True, spare_closing=True)


def _cancel_all(decision: Decision) -> CancelAll:
    return CancelAll(decision=decision)


@pytest.mark.parametrize(("build", "words"), [(_kill, "kill of "), (_cancel_all, "cancel-all of ")])
def test_what_the_link_did_not_carry_is_told_until_it_ends(build: Callable[[Decision], CancelAll], words: str) -> None:
    """Once the link was back, only `In sync with the venue: 1 open order` stood there."""
    day = CutDay()

    async def plays(_: Day) -> None:
        key = (await day.rest("1000")).key
        await day.shows(key, "OPEN")
        await day.cut_off()
        outcome = await day.submit(build(day.decision()))
        assert (outcome.verdict, outcome.guard) == (Verdict.DENIED, "LINK")
        await day.until(day.standing)
        [standing] = day.standing()
        assert standing.startswith(words) and " did not reach 1 order: " in standing and "BUY 0.01" in standing
        await day.link_again()
        await day.until(lambda: len(day.told()) == 2)
        assert day.told()[-1].level is Level.ALERT and day.standing() == [standing]
        assert day.row(key).working, "nothing is sent by itself"
        is_kill = build is _kill
        reason = day.engine.state.trading.describe_mode_reason()
        assert reason == ("kill: 1 order live" if is_kill else "")
        assert (await day.submit(build(day.decision()))).verdict is Verdict.ACCEPTED
        await day.until(lambda: day.row(key).final)
        await day.until(lambda: not day.standing())
        assert day.told()[-1].text.endswith(": all that it did not reach has ended")
        assert day.engine.state.trading.describe_mode_reason() == ("kill switch" if is_kill else "")

    day.play(plays)


def test_a_position_that_a_kill_did_not_close_is_named() -> None:
    day = CutDay()

    async def plays(_: Day) -> None:
        ask = day.mirror.quotes[SYM].ask
        await day.place(SYM, Side.BUY, "0.005", ask)
        await day.until(lambda: day.mirror.positions)
        await day.cut_off()
        await day.submit(CancelAll(decision=day.decision(), kill=True))
        close = Place(
            decision=day.decision(), sym=SYM, side=Side.SELL, order_type=OrderType.MARKET, qty="0.005",
            reduce_only=True, kill=True,
        )  # fmt: skip
        assert (await day.submit(close)).verdict is Verdict.DENIED
        await day.until(day.standing)
        assert "did not reach 1 position: X again; live: position BINANCE_PERP_BTC_USDT LONG 0.005" in day.standing()[0]
        await day.link_again()
        assert (await day.submit(close)).verdict is Verdict.ACCEPTED
        await day.until(lambda: not day.standing())

    day.play(plays)
