"""Take one rule out of the program and the campaign must say so: what finds nothing in a broken engine proves nothing."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import pytest

from tests.simulation.rates import Rates
from tests.simulation.seed import run
from tui.client.private_stream import NoAnswer, PrivateStream
from tui.client.public.subscriptions import PublicSubscriptions
from tui.client.rest import CallFailed
from tui.desk_protocol.bus import session
from tui.desk_protocol.commands import CommandLog
from tui.desk_protocol.remote_engine import RemoteEngine
from tui.desk_protocol.server import DeskServer
from tui.engine import limits
from tui.engine.commands.account_kind import AccountKind
from tui.engine.commands.sender import CommandSender
from tui.engine.intents import AccountCommand, Intent, Outcome, Verdict
from tui.engine.journal import session_replay
from tui.engine.journal.session_replay import ReplayedSession
from tui.engine.life.task_supervisor import TaskSupervisor
from tui.engine.orders.execution.cancel_all import CancelAllExecutor
from tui.engine.orders.execution.order_sender import OrderSender
from tui.engine.orders.trading_control import TradingControl
from tui.engine.orders.unknown_resolver import UnknownOrderResolver
from tui.engine.peers.mandate import Mandate
from tui.engine.rows import CommandState, LocalOrderState, Source
from tui.engine.state.command_table import AnyCommand
from tui.engine.state.engine_state import EngineState
from tui.engine.state.order_table import OrderTable
from tui.engine.sync.fill_reader import FillReader
from tui.engine.sync.reconciliation import Reconciler
from tui.interface.decimals import ZERO
from tui.rules.day_result import DayResult, FillSums


def _links(*faults: str) -> Rates:
    """Windows, a program, and faults of their links."""
    return Rates(windows=2, link_gap=3, links=faults, market_gap=10)


SEEDS = (17, 21, 10, 16)
MINUTES = 0.8

pytestmark = pytest.mark.simulation

Patch = pytest.MonkeyPatch


def _send_again(patch: Patch) -> None:
    once = PrivateStream.send_action

    async def twice(self: PrivateStream, action: str, args: dict[str, str], token: object) -> Any:
        try:
            return await once(self, action, args, token)
        except NoAnswer:
            return await once(self, action, args, token)

    patch.setattr(PrivateStream, "send_action", twice)


def _record_later(patch: Patch) -> None:
    before = OrderSender.journal_intent

    async def later(self: OrderSender, *args: Any, **ids: Any) -> None:
        asyncio.get_running_loop().call_later(0.5, lambda: asyncio.ensure_future(before(self, *args, **ids)))

    patch.setattr(OrderSender, "journal_intent", later)


def _not_found_is_cancelled(patch: Patch) -> None:
    def end(self: UnknownOrderResolver, asked: Any) -> None:
        self._state.orders.change(asked.key, state="CANCELLED", final=True)

    patch.setattr(UnknownOrderResolver, "_record_not_found", end)


def _lost_is_failed(patch: Patch) -> None:
    def end(self: OrderTable, key: str, why: str, now: float, **_: Any) -> None:
        if self.rows[key].state in (LocalOrderState.SENDING, LocalOrderState.SENT):
            self.change(key, state="FAIL", final=True)

    patch.setattr(OrderTable, "mark_unknown", end)


def _lost_is_not_sent(patch: Patch) -> None:
    def end(self: OrderTable, key: str, why: str, now: float, **_: Any) -> None:
        if self.rows[key].state in (LocalOrderState.SENDING, LocalOrderState.SENT):
            self.change(key, state="NOT SENT", final=True)

    patch.setattr(OrderTable, "mark_unknown", end)


def _lost_is_silent(patch: Patch) -> None:
    patch.setattr(OrderTable, "mark_unknown", lambda *_, **__: None)


def _never_ask(patch: Patch) -> None:
    async def sleep(_: UnknownOrderResolver) -> None:
        await asyncio.sleep(1e9)

    patch.setattr(UnknownOrderResolver, "run", sleep)


def _read_nothing(patch: Patch) -> None:
    async def nothing(self: Reconciler, *, audit: bool = False, ends: bool = False) -> None: ...

    patch.setattr(Reconciler, "read_orders", nothing)
    patch.setattr(Reconciler, "read_positions", nothing)
    patch.setattr(Reconciler, "read_assets", nothing)


def _count_again(patch: Patch) -> None:
    once = EngineState.fold_fill

    def forget(self: EngineState, record: Any, source: Any, received: float) -> bool:
        self.fills._known_ids.pop(record.transaction_id, None)
        return once(self, record, source, received)

    patch.setattr(EngineState, "fold_fill", forget)


def _anything_is_newer(patch: Patch) -> None:
    patch.setattr(OrderTable, "_is_newer", lambda *_: True)
    patch.setattr(OrderTable, "_contradicts", staticmethod(lambda *_: False))
    patch.setattr("tui.engine.state.order_fold.impossible", lambda *_: "")


def _final_is_open(patch: Patch) -> None:
    def flip(self: OrderTable, key: str, text: str, stamp: Any) -> None:
        self.change(key, state="OPEN", final=False)

    patch.setattr(OrderTable, "_mark_conflict", flip)


def _forget_the_journal(patch: Patch) -> None:
    patch.setattr(session_replay, "replay_entries", lambda *_, **__: ReplayedSession([], [], {}, DayResult(), 0, 0, {}))


def _sweep_everything(patch: Patch) -> None:
    once = OrderTable.sweep

    def sweep(self: OrderTable, now: float, keep: float) -> None:
        once(self, now, keep)
        for row in self.unknown():
            self.dismiss(row.key, now)

    patch.setattr(OrderTable, "sweep", sweep)


def _kill_the_first_venue_only(patch: Patch) -> None:
    every = CancelAllExecutor._venues
    patch.setattr(CancelAllExecutor, "_venues", lambda self: every(self)[:1])


def _journal_again(patch: Patch) -> None:
    """What is read from a list goes into the journal, whether it is new or not."""
    once = EngineState.fold_fill

    def new(self: EngineState, record: Any, source: Any, received: float) -> bool:
        return once(self, record, source, received) or source is Source.SNAPSHOT

    patch.setattr(EngineState, "fold_fill", new)


def _day_without_rebates(patch: Patch) -> None:
    plus = FillSums.plus
    patch.setattr(FillSums, "plus", lambda self, one: plus(self, one._replace(rebate=ZERO)))


def _no_history_of_the_day(patch: Patch) -> None:
    async def nothing(self: FillReader) -> None: ...

    patch.setattr(FillReader, "whole_day", nothing)


def _refused_for_ever(patch: Patch) -> None:
    async def nothing(self: PublicSubscriptions, socket: object) -> None: ...

    patch.setattr(PublicSubscriptions, "retry_refused", nothing)


def _broken_for_ever(patch: Patch) -> None:
    async def once(self: TaskSupervisor, name: str, work: Any) -> None:
        try:
            await work()
        except Exception as error:
            self.report_failure(name, error)

    patch.setattr(TaskSupervisor, "_run_forever", once)


def _command_again(patch: Patch) -> None:
    once = CommandSender._handle_failure

    def twice(self: CommandSender, command: AnyCommand, failure: CallFailed) -> Any:
        if failure.unsure and isinstance(command.intent, AccountCommand):
            endpoint, args = self._kind_of(command).call(command)
            asyncio.get_running_loop().create_task(self._rest.call(endpoint, args))
        return once(self, command, failure)

    patch.setattr(CommandSender, "_handle_failure", twice)


def _lost_command_is_refused(patch: Patch) -> None:
    def end(self: CommandSender, command: AnyCommand, failure: CallFailed) -> Outcome:
        self._table.enter(command, CommandState.REJECTED)
        return Outcome(verdict=Verdict.REJECTED)

    patch.setattr(CommandSender, "_handle_failure", end)


def _names_at_once(patch: Patch) -> None:
    """The second name of a portfolio does not wait until the first is settled."""
    patch.setattr(AccountKind, "_find_conflict", lambda self, intent: None)


def _never_late(patch: Patch) -> None:
    patch.setattr(DeskServer, "_why_late", lambda self, expires: "")


def _forget_ids(patch: Patch) -> None:
    async def never(self: CommandLog, sender: str, command: str) -> None:
        return None

    patch.setattr(CommandLog, "repeat", never)


def _lost_answer(verdict: Verdict) -> Callable[[Patch], None]:
    def take_out(patch: Patch) -> None:
        async def give_up(self: RemoteEngine, *asked: object) -> Outcome:
            return Outcome(verdict=verdict)

        patch.setattr(RemoteEngine, "_find_outcome", give_up)

    return take_out


def _submit_again(patch: Patch) -> None:
    _lost_answer(Verdict.UNKNOWN)(patch)
    once = RemoteEngine.submit

    async def twice(self: RemoteEngine, intent: Intent) -> Outcome:
        outcome = await once(self, intent)
        return await once(self, intent) if outcome.verdict is Verdict.UNKNOWN else outcome

    patch.setattr(RemoteEngine, "submit", twice)


def _keep_rows(patch: Patch) -> None:
    patch.setattr(RemoteEngine, "on_whole", lambda self: None)


def _no_limits_of_traders(patch: Patch) -> None:
    patch.setattr(limits, "_tighten", lambda of_desk, of_trader: of_desk)


def _mandate_for_ever(patch: Patch) -> None:
    patch.setattr(TradingControl, "revoke", lambda *_: None)


def _mandate_without_total(patch: Patch) -> None:
    patch.setattr(Mandate, "check", lambda *_: None)


def _stay_away(patch: Patch) -> None:
    async def attach_once(self: RemoteEngine) -> None:
        await self._attach()

    patch.setattr(RemoteEngine, "run", attach_once)


def _accept_gaps(patch: Patch) -> None:
    """Nor are the numbers compared that signs of life tell."""

    def take(self: session.BusSession, number: int, data: bytes) -> None:
        self._received = number
        self._pieces.append(data)
        self._came.set()

    once = session.BusSession.take

    def take_any(self: session.BusSession, header: session.Header, data: bytes) -> None:
        once(self, header if data else header._replace(number=0), data)

    patch.setattr(session.BusSession, "_take_piece", take)
    patch.setattr(session.BusSession, "take", take_any)


def _answer_anybody(patch: Patch) -> None:
    def find(self: CommandLog, sender: str, command: str) -> Any:
        return next((known[command] for known in self._senders.values() if command in known), None)

    patch.setattr(CommandLog, "_find", find)


BROKEN: dict[str, tuple[set[str], Callable[[Patch], None], Rates | None]] = {
    "a command is sent again": ({"I1"}, _send_again, None),
    "the record comes after the write": ({"I2"}, _record_later, None),
    "not found means cancelled": ({"I3"}, _not_found_is_cancelled, None),
    "lost means failed": ({"I3"}, _lost_is_failed, None),
    "lost means not sent": ({"I3"}, _lost_is_not_sent, None),
    "lost means nothing": ({"I4"}, _lost_is_silent, None),
    "nobody asks": ({"I4"}, _never_ask, None),
    "nothing is read after a reconnect": ({"I5", "unresolved"}, _read_nothing, None),
    "a fill counts again": ({"I6"}, _count_again, None),
    "whatever comes last is true": ({"I20", "I6", "I7"}, _anything_is_newer, None),
    "an end is none": ({"I5", "I7"}, _final_is_open, Rates(bad_frame=0.3, market_gap=3)),
    "a restart forgets": ({"I4", "I22"}, _forget_the_journal, Rates(crash_gap=15, doubt=0.6, late=0.3)),
    "a refused pair is forgotten": ({"I24"}, _refused_for_ever, Rates(quote_gap=6)),
    "what breaks stays broken": ({"I24", "I5"}, _broken_for_ever, Rates(engine_gap=6, drop_push=0.3)),
    "a kill reaches the first venue only": ({"kill"}, _kill_the_first_venue_only, Rates(abroad=0.3, kill=0.05)),
    "a fill that is read again is journaled again": ({"journal fills"}, _journal_again, Rates(market_gap=3, cut_gap=9)),
    "the day counts no rebates": ({"day result"}, _day_without_rebates, None),
    "a lost transfer is sent again": ({"I1"}, _command_again, Rates(transfers=0.3, lose_reply=0.4)),
    "a lost transfer is called refused": (
        {"transfer"},
        _lost_command_is_refused,
        Rates(transfers=0.3, lose_reply=0.4),
    ),
    "a lost withdrawal is sent again": ({"I1"}, _command_again, Rates(withdrawals=0.3, lose_reply=0.4)),
    "a lost withdrawal is called refused": (
        {"withdrawal"},
        _lost_command_is_refused,
        Rates(withdrawals=0.3, lose_reply=0.4),
    ),
    "a lost lock is sent again": ({"I1"}, _command_again, Rates(custody=0.3, lose_reply=0.4)),
    "a lost lock is called refused": ({"custody"}, _lost_command_is_refused, Rates(custody=0.3, lose_reply=0.4)),
    "a lost new portfolio is called refused": (
        {"portfolio"},
        _lost_command_is_refused,
        Rates(portfolios=0.3, lose_reply=0.4),
    ),
    "two names in a row are not told apart": (
        {"portfolio"},
        _names_at_once,
        Rates(portfolios=0.6, lose_reply=0.5),
    ),
    "a lost loan is sent again": ({"I1"}, _command_again, Rates(loans=0.3, lose_reply=0.4)),
    "a lost loan is called refused": ({"loan"}, _lost_command_is_refused, Rates(loans=0.3, lose_reply=0.4)),
    "the day is never whole": ({"day result"}, _no_history_of_the_day, Rates(market_gap=3)),
    "a row leaves by itself": ({"I22"}, _sweep_everything, None),
    "a late command is carried out": ({"late"}, _never_late, _links("B01", "B18")),
    "a command is known by no id": ({"once"}, _forget_ids, _links("B02")),
    "an answer that was lost is not asked for": ({"once"}, _submit_again, _links("B05", "B15")),
    "an answer that was lost is a denial": ({"told"}, _lost_answer(Verdict.DENIED), _links("B05", "B15")),
    "rows of the link before stay": ({"window"}, _keep_rows, _links("B19")),
    "a trader has the limits of the desk": ({"limit"}, _no_limits_of_traders, _links("B16")),
    "a mandate is for ever": ({"mandate"}, _mandate_for_ever, _links("B21")),
    "a mandate has no total": ({"mandate"}, _mandate_without_total, _links("B16")),
    "a window does not come back": ({"desks"}, _stay_away, _links("B04")),
    "a message that is missing is not missed": ({"window"}, _accept_gaps, _links("B24")),
    "an id says what it said to others": ({"others"}, _answer_anybody, _links("B23")),
}


LIKE_ANOTHER = frozenset(
    name
    for name in BROKEN
    if name.startswith(("a lost withdrawal", "a lost lock", "a lost loan", "lost means not", "not found means"))
)
"""What a lost transfer, or an order that is called failed, proves by day."""
BY_DAY = frozenset([
    "a late command is carried out", "a command is known by no id", "an answer that was lost is a denial",
    "a message that is missing is not missed",
])  # fmt: skip
"""What is taken out of the links of windows by day."""


def _is_of_night(name: str) -> bool:
    rates = BROKEN[name][2]
    return name in LIKE_ANOTHER or (rates is not None and rates.windows > 0 and name not in BY_DAY)


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=pytest.mark.nightly if _is_of_night(name) else ()) for name in BROKEN]
)
def test_the_campaign_finds_a_program_with_a_safety_rule_removed(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    rules, take_out, rates = BROKEN[name]
    take_out(monkeypatch)
    found: set[str] = set()
    for seed in SEEDS:
        found |= {broken.rule for broken in run(seed, MINUTES, rates)[0].violations}
        if found & rules:
            return
    pytest.fail(f"none of {sorted(rules)} in the seeds {SEEDS}: {sorted(found)}")
