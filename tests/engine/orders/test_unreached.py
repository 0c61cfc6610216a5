"""Kills, cancel-alls and flattens that the link did not carry: a warning stands until what they were for has ended."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any

import pytest

from tests.simulation.harness.day import SYM, Day
from tui.engine.event_line import EventLine, Level
from tui.engine.intents import (
    AccountCommand,
    CancelAlgo,
    CancelAll,
    CancelAllAlgos,
    Decision,
    Intent,
    Place,
    PlaceAlgo,
    Protection,
    Verdict,
    build_account_command,
)
from tui.engine.limits import Limits
from tui.engine.modes import RiskMode, TradingState
from tui.engine.settings import EngineSettings
from tui.host import SeededRandomSource
from tui.interface.families.algo import Condition, TriggerType
from tui.interface.families.orders import OrderType, Side
from tui.interface.families.positions import ClosePositions


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

    @asynccontextmanager
    async def started_again(self) -> AsyncIterator[None]:
        """End the desk and start it again on the same journal, while the network is as it is."""
        self.engine.stop()
        await self.until(lambda: not self.engine.state.logged_in)
        self._make_desk(SeededRandomSource(2))
        self.engine.watch((SYM,))
        running = asyncio.ensure_future(self.engine.run())
        try:
            yield
        finally:
            self.engine.stop()
            await running

    def close(self, **more: Any) -> Place:
        return Place(
            decision=self.decision(), sym=SYM, side=Side.SELL, order_type=OrderType.MARKET, qty="0.005",
            reduce_only=True, confirmed=frozenset(["STALE"]), **more,
        )  # fmt: skip

    def standing(self) -> list[str]:
        return [event.text for event in self.mirror.event_log.sticky if "did not arrive" in event.cause]

    def told(self) -> list[EventLine]:
        events = [event for _, event in self.mirror.event_log.events]
        return [event for event in events if "did not arrive" in event.cause and not event.answers]


def _kill(decision: Decision) -> CancelAll:
    return CancelAll(decision=decision, kill=True, spare_closing=True)


def _cancel_all(decision: Decision) -> CancelAll:
    return CancelAll(decision=decision)


@pytest.mark.parametrize(("build", "words"), [(_kill, "kill "), (_cancel_all, "cancel-all ")])
def test_a_cancel_all_cut_off_is_warned_of_until_all_orders_end(
    build: Callable[[Decision], CancelAll], words: str
) -> None:
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
        assert standing.startswith(f"{words}missed, redo it: 1 order; ") and "BUY 0.01" in standing
        await day.link_again()
        await day.until(lambda: len(day.told()) == 2)
        assert day.told()[-1].level is Level.ALERT and day.standing() == [standing]
        assert day.row(key).working, "nothing is sent by itself"
        is_kill = build is _kill
        reason = day.engine.state.trading.describe_mode_reason()
        assert reason == ("kill by you: 1 order live" if is_kill else "")
        assert (await day.submit(build(day.decision()))).verdict is Verdict.ACCEPTED
        await day.until(lambda: day.row(key).final)
        await day.until(lambda: not day.standing())
        assert day.told()[-1].text.endswith(": all that it missed has ended")
        assert day.engine.state.trading.describe_mode_reason() == ("kill switch by you" if is_kill else "")

    day.play(plays)


def test_a_kill_names_the_position_it_could_not_close_offline() -> None:
    day = CutDay()

    async def plays(_: Day) -> None:
        ask = day.mirror.quotes[SYM].ask
        await day.place(SYM, Side.BUY, "0.005", ask)
        await day.until(lambda: day.mirror.positions)
        await day.cut_off()
        await day.submit(CancelAll(decision=day.decision(), kill=True))
        close = day.close(kill=True)
        assert (await day.submit(close)).verdict is Verdict.DENIED
        await day.until(day.standing)
        assert day.said("kill did not close BINANCE BTC perp: DENIED (LINK): not connected")
        assert "kill missed, redo it: BINANCE BTC perp LONG 0.005; tried " in day.standing()[0]
        await day.link_again()
        assert (await day.submit(close)).verdict is Verdict.ACCEPTED
        await day.until(lambda: not day.standing())

    day.play(plays)


def test_a_later_kill_does_not_count_a_position_marked_as_kept() -> None:
    """It said `kill: 2 live` of a position that was kept, and its warning stood on when its order had ended."""
    day = CutDay()

    async def plays(_: Day) -> None:
        trading = day.engine.state.trading
        await day.place(SYM, Side.BUY, "0.005", day.mirror.quotes[SYM].ask)
        await day.until(lambda: day.mirror.positions)
        await day.cut_off()
        await day.submit(CancelAll(decision=day.decision(), kill=True))
        await day.submit(day.close(kill=True))
        await day.until(day.standing)
        await day.link_again()
        assert trading.describe_mode_reason() == "kill by you: 1 position live"
        day.engine.dismiss("kill that did not arrive")
        assert trading.describe_mode_reason() == "kill switch by you"
        day.engine.set_risk_mode(RiskMode.NORMAL)
        day.engine.set_trading_state(TradingState.ARMED)
        key = (await day.rest("1000")).key
        await day.shows(key, "OPEN")
        await day.cut_off()
        told = len(day.told())
        await day.submit(_kill(day.decision()))
        await day.until(lambda: len(day.told()) > told)
        assert day.told()[-1].text.startswith("kill missed, redo it: 1 order; tried ")
        await day.link_again()
        assert trading.describe_mode_reason() == "kill by you: 1 order live"
        assert (await day.submit(_kill(day.decision()))).verdict is Verdict.ACCEPTED
        await day.until(lambda: day.told()[-1].text.endswith(": all that it missed has ended but what you keep"))
        assert day.standing() == [] or day.standing()[-1] != day.told()[-2].text
        assert trading.describe_mode_reason() == "kill switch by you"

    day.play(plays)


@pytest.mark.parametrize("kind", ["one", "all"])
def test_a_stop_cancel_that_the_link_did_not_carry_is_warned_of(kind: str) -> None:
    """A cancel of all stops said `NOT SENT` once, and they lived on."""
    day = CutDay()

    def cancel(key: str) -> Intent:
        if kind == "one":
            return CancelAlgo(decision=day.decision(), key=key)
        return CancelAllAlgos(decision=day.decision(), exchange="BINANCE", business="PERP")

    async def plays(_: Day) -> None:
        trigger = Protection(trigger="55000", source=TriggerType.MARK_PRICE)
        condition = Condition.CONDITIONAL
        place = PlaceAlgo(
            decision=day.decision(), sym=SYM, side=Side.BUY, condition=condition, qty="0.01", conditional=trigger,
            confirmed=frozenset(["FAR_TRIGGER"]),
        )  # fmt: skip
        assert (await day.submit(place)).verdict is Verdict.ACCEPTED
        await day.until(lambda: any(row.seen for row in day.mirror.algos.values()))
        [key] = day.mirror.algos
        await day.cut_off()
        assert (await day.submit(cancel(key))).verdict is Verdict.DENIED
        await day.until(day.standing)
        [standing] = day.standing()
        assert standing.startswith(f"cancel{'' if kind == 'one' else '-all'} missed, redo it: 1 algo; tried ")
        assert "; live: conditional BUY 0.01 BINANCE BTC perp at 55,000.0" in standing
        await day.link_again()
        await day.until(lambda: len(day.told()) == 2)
        assert (await day.submit(cancel(key))).verdict is Verdict.ACCEPTED
        await day.until(lambda: not day.standing())

    day.play(plays)


def test_an_order_cancel_the_link_did_not_carry_is_warned_of() -> None:
    """`denied LINK: not connected` went with the next event, and the order stayed live."""
    day = CutDay()

    async def plays(_: Day) -> None:
        key = (await day.rest("1000")).key
        await day.shows(key, "OPEN")
        await day.cut_off()
        assert (await day.cancel(key)).guard == "LINK"
        await day.until(day.standing)
        [standing] = day.standing()
        assert standing.startswith("cancel missed, redo it: 1 order; tried ") and "; live: BUY 0.01" in standing
        await day.link_again()
        assert (await day.cancel(key)).verdict is Verdict.ACCEPTED
        await day.until(lambda: not day.standing())

    day.play(plays)


def _close(day: CutDay) -> Intent:
    return day.close()


def _flatten(day: CutDay) -> Intent:
    return day.close(flattens=True)


def _flatten_by_service(day: CutDay) -> AccountCommand:
    return build_account_command(ClosePositions(sym_list=SYM), day.decision(), "close BINANCE BTC perp")


@pytest.mark.parametrize("build", [_close, _flatten, _flatten_by_service])
def test_a_flatten_that_did_not_arrive_is_warned_of_until_flat(build: Callable[[CutDay], Intent]) -> None:
    """`F` said only DENIED, which the next line replaced: the trader believed that he was flat."""
    day = CutDay()

    async def plays(_: Day) -> None:
        await day.place(SYM, Side.BUY, "0.005", day.mirror.quotes[SYM].ask)
        await day.until(lambda: day.mirror.positions)
        await day.cut_off()
        outcome = await day.submit(build(day))
        assert (outcome.verdict, outcome.guard) == (Verdict.DENIED, "LINK")
        await day.until(day.standing)
        [standing] = day.standing()
        assert standing.startswith("flatten missed, redo it: BINANCE BTC perp LONG 0.005; tried ")
        await day.link_again()
        await day.until(lambda: len(day.told()) == 2)
        assert day.standing() == [standing] and day.mirror.positions, "nothing is sent by itself"
        assert (await day.submit(build(day))).verdict is Verdict.ACCEPTED
        await day.until(lambda: not day.standing())
        assert not day.mirror.positions and day.told()[-1].text.endswith(": all that it missed has ended")

    day.play(plays)


@pytest.mark.parametrize("build", [_flatten, _flatten_by_service])
def test_a_kept_position_is_warned_of_again_when_it_grows(build: Callable[[CutDay], Intent]) -> None:
    """`!` cleared the warning, which came back with each return of the link, although the position was wanted."""
    day = CutDay()
    cause = "flatten that did not arrive"

    async def plays(_: Day) -> None:
        await day.place(SYM, Side.BUY, "0.005", day.mirror.quotes[SYM].ask)
        await day.until(lambda: day.mirror.positions)
        await day.cut_off()
        await day.submit(build(day))
        await day.until(day.standing)
        day.engine.dismiss(cause)
        await day.until(
            lambda: day.said("told again when the link is back; clearing then keeps 1 position: flatten of ")
        )
        await day.link_again()
        await day.until(lambda: len(day.told()) == 2)
        day.engine.dismiss(cause)
        await day.until(lambda: day.said("kept: position BINANCE BTC perp LONG 0.005; not told again before"))
        await day.cut_off()
        await day.link_again()
        await day.quote(SYM)
        async with day.started_again():
            await day.in_step()
            assert not day.told(), "nor after a restart"
            await day.quote(SYM)
            day.engine.set_trading_state(TradingState.ARMED)
            await day.place(SYM, Side.BUY, "0.001", day.mirror.quotes[SYM].ask)
            await day.until(day.told)
            again = "flatten by the former desk missed, redo it: BINANCE BTC perp LONG 0.006; "
            assert day.told()[-1].text.startswith(again)
            day.engine.dismiss(cause)
            await day.cut_off()
            await day.submit(build(day))
            await day.until(lambda: len(day.told()) == 2)

    day.play(plays)


def test_a_flatten_refused_in_view_mode_leaves_no_warning() -> None:
    day = CutDay()

    async def plays(_: Day) -> None:
        await day.place(SYM, Side.BUY, "0.005", day.mirror.quotes[SYM].ask)
        await day.until(lambda: day.mirror.positions)
        day.engine.set_trading_state(TradingState.VIEW)
        assert (await day.submit(_flatten(day))).guard == "STATE"
        day.engine.tick()
        await day.until(lambda: day.said("arm first"))
        assert not day.standing()

    day.play(plays)


def test_a_kill_cut_off_by_the_link_is_warned_of_after_restart() -> None:
    """The warning ended with the desk, and the header said `kill switch` alone."""
    day = CutDay()

    async def plays(_: Day) -> None:
        await day.place(SYM, Side.BUY, "0.005", day.mirror.quotes[SYM].ask)
        key = (await day.rest("1000")).key
        await day.shows(key, "OPEN")
        await day.until(lambda: day.mirror.positions)
        await day.cut_off()
        await day.submit(_kill(day.decision()))
        await day.submit(day.close(kill=True))
        async with day.started_again():
            await day.until(day.standing)
            [standing] = day.standing()
            assert (
                standing.startswith("kill by the former desk missed, redo it: 1 order, 1 position; ")
                and "; live: BUY 0.01" in standing
            )
            reason = day.engine.state.trading.describe_mode_reason()
            assert reason == "kill by the former desk: 1 order, 1 position live"
            await day.link_again()
            await day.until(lambda: len(day.told()) == 2)
            assert day.standing()[0].endswith("position BINANCE BTC perp LONG 0.005")
            await day.quote(SYM)
            assert (await day.submit(_kill(day.decision()))).verdict is Verdict.ACCEPTED
            assert (await day.submit(day.close(kill=True))).verdict is Verdict.ACCEPTED
            await day.until(lambda: not day.standing())
            reason = day.engine.state.trading.describe_mode_reason()
            assert reason.startswith("kill switch by the former desk, ")
            async with day.started_again():
                await day.in_step()
                assert not day.told() and day.engine.state.trading.describe_mode_reason() == reason

    day.play(plays)
