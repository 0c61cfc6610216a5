"""Changes of settings at the venue: gate, journal, one call that is never repeated, and reading the setting back.

A lost answer leaves the change UNKNOWN. Reading back the wanted value proves that it was carried out. Another value
proves the contrary only once the call cannot arrive any more: when its nonce has expired by the clock of the service.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable

import msgspec

from tui.client.rest import CallFailed, Rest
from tui.engine.intents import Outcome, SetLeverage, SetMarginLeverage, SettingIntent, Verdict
from tui.engine.orders.gate import Gate
from tui.engine.orders.pre_trade_checks import Refusal
from tui.engine.orders.reply_class import refuse_unsent
from tui.engine.orders.setting_checks import present_setting, same_setting
from tui.engine.rows import Level, SettingState
from tui.engine.state.call_expiry import LATE_S
from tui.engine.state.engine_state import EngineState
from tui.engine.state.open_settings import OpenChange, setting_name
from tui.engine.state.reference_data import ReferenceDataPoller
from tui.interface import requests
from tui.interface.endpoint import Endpoint
from tui.interface.families.positions import SET_MARGIN_LEVERAGE, SET_PERP_LEVERAGE, SET_POSITION_MODE
from tui.protocols import JournalUnwritable

JOURNAL_TIMEOUT_S = 5.0
"""How long a change waits for its journal entry, s."""
READ_EVERY_S = 2.0
"""Time between two readings of a setting that is not settled, s."""


class SettingChanges:
    """The changes of settings of one run."""

    def __init__(
        self,
        state: EngineState,
        gate: Gate,
        rest: Rest,
        reference_data: ReferenceDataPoller,
        read_accounts: Callable[[], Awaitable[None]],
    ) -> None:
        """Prepare.

        Args:
            state: State of the engine.
            gate: Judges every change.
            rest: Where changes are sent.
            reference_data: Reads leverages back.
            read_accounts: Reads the account rows, which carry the position mode.
        """
        self._state = state
        self._gate = gate
        self._rest = rest
        self._reference_data = reference_data
        self._read_accounts = read_accounts
        self._open = state.settings_open

    async def submit(self, intent: SettingIntent) -> Outcome:
        """Send one change through the gate; ends with the first answer."""
        refusal = self._gate.check_setting(intent, in_flight=intent.setting in self._open.changes)
        if refusal is not None:
            return self._deny(intent, refusal)
        state = self._state
        change = self._open.begin(intent, state.clock.mono())
        self._gate.record_command()
        try:
            return await self._send(change)
        except BaseException:
            # The call may have been sent: the change is UNKNOWN, not unsent.
            self._open.enter(change, SettingState.UNKNOWN, state.call_expires_at())
            raise

    async def _send(self, change: OpenChange) -> Outcome:
        state, intent = self._state, change.intent
        endpoint, args = _call_of(intent)
        refusal = await self._journal(change, args)
        if refusal is not None:
            return self._report_not_sent(change, refusal)
        state.write_journal("sent", endpoint.name, intent_id=change.intent.setting)
        try:
            reply = await self._rest.call(endpoint, args)
        except CallFailed as failure:
            return self._handle_failure(change, failure)
        self._journal_reply(change, reply.code, reply.text, Verdict.ACCEPTED)
        self._open.enter(change, SettingState.ACCEPTED, state.clock.mono() + LATE_S)
        state.notify(Level.INFO, f"{setting_name(intent)}: {intent.before} → {intent.wanted} accepted")
        return Outcome(verdict=Verdict.ACCEPTED, code=reply.code)

    async def _journal(self, change: OpenChange, args: dict[str, str]) -> Refusal | None:
        """Journal a change durably and check again; returns why it must not be sent, or None."""
        state, intent = self._state, change.intent
        epoch = state.epoch
        payload = msgspec.json.encode({"kind": type(intent).__name__, "intent": intent, "args": args}).decode()
        try:
            async with asyncio.timeout(JOURNAL_TIMEOUT_S):
                await state.journal.record("intent", payload, intent_id=intent.setting, epoch=epoch)
        except JournalUnwritable as error:
            return Refusal("JOURNAL", f"cannot record: {error}")
        except TimeoutError:
            return Refusal("JOURNAL", f"cannot record: the disk took longer than {JOURNAL_TIMEOUT_S:g} s")
        return self._gate.recheck_setting(intent, epoch)

    def _handle_failure(self, change: OpenChange, failure: CallFailed) -> Outcome:
        state, name, text = self._state, setting_name(change.intent), str(failure)
        self._journal_reply(change, failure.code, text, Verdict.UNKNOWN if failure.unsure else Verdict.REJECTED)
        if failure.unsure:
            self._open.enter(change, SettingState.UNKNOWN, state.call_expires_at(failure.nonce))
            state.notify(Level.ALERT, f"{name}: UNKNOWN whether it was changed: {text}; it is being read back")
            return Outcome(verdict=Verdict.UNKNOWN, code=failure.code, text=f"{text}; being read back")
        refusal = refuse_unsent(failure)
        if refusal is not None:
            return self._report_not_sent(change, refusal)
        self._open.end(change)
        state.notify(Level.WARN, f"{name}: REJECTED {text}", away=False)
        return Outcome(verdict=Verdict.REJECTED, code=failure.code, text=text)

    def _journal_reply(self, change: OpenChange, code: int, text: str, verdict: Verdict) -> None:
        """Journal an answer with its verdict, so that a later session need not classify it again."""
        payload = {"code": code, "text": text, "verdict": verdict}
        self._state.write_journal("reply", payload, intent_id=change.intent.setting)

    # -- reading back -------------------------------------------------------------------------------------------

    def waits(self, passed: float) -> bool:
        """Whether anything is to be read back, this long after the last reading."""
        return passed >= READ_EVERY_S and bool(self._unsettled())

    async def settle(self) -> None:
        """Read back every change that was accepted or whose answer was lost; one that cannot be read stays open."""
        for change in self._unsettled():
            asked = self._state.clock.mono()
            try:
                now = await self._read(change.intent)
            except CallFailed as failure:
                self._report_unread(change, str(failure))
                continue
            if now:
                self._judge(change, now, asked)
            else:
                self._report_unread(change, "the service does not list it")

    def _unsettled(self) -> list[OpenChange]:
        return [one for one in self._open.changes.values() if one.row.state is not SettingState.SENDING]

    async def _read(self, intent: SettingIntent) -> str:
        if isinstance(intent, SetLeverage):
            return await self._reference_data.read_leverage(intent.sym)
        if isinstance(intent, SetMarginLeverage):
            return await self._reference_data.read_margin_leverage(intent.exchange, intent.coin)
        await self._read_accounts()
        return present_setting(self._state, intent)

    def _report_unread(self, change: OpenChange, why: str) -> None:
        """Notify once per reason why a change stays open."""
        if why != change.unread:
            change.unread = why
            self._state.notify(Level.WARN, f"{setting_name(change.intent)}: cannot be read back yet: {why}")

    def _judge(self, change: OpenChange, now: str, asked: float) -> None:
        """End a change where what was read proves what became of it; `asked`: when the reading began, monotonic s."""
        intent, lost = change.intent, change.row.state is SettingState.UNKNOWN
        done = same_setting(now, intent.wanted)
        if not done and asked < change.row.proven_from:
            return
        self._open.end(change)
        self._state.write_journal("setting", {"now": now, "done": done}, intent_id=change.intent.setting)
        name = setting_name(intent)
        if not done:
            self._state.notify(Level.ALERT, f"{name}: not changed to {intent.wanted}; it is {now} at the venue")
        elif lost:
            self._state.notify(Level.INFO, f"{name}: it is {now} at the venue; the change was carried out")

    # -- outcomes -----------------------------------------------------------------------------------------------

    def _report_not_sent(self, change: OpenChange, refusal: Refusal) -> Outcome:
        self._open.end(change)
        self._state.write_journal("not_sent", refusal.text, intent_id=change.intent.setting)
        self._state.notify(Level.WARN, f"NOT SENT: {setting_name(change.intent)}: {refusal.text}", away=False)
        return Outcome(verdict=Verdict.DENIED, guard=refusal.guard, text=refusal.text)

    def _deny(self, intent: SettingIntent, refusal: Refusal) -> Outcome:
        self._state.deny(refusal.guard, refusal.text, intent)
        return Outcome(verdict=Verdict.DENIED, guard=refusal.guard, text=refusal.text)


def _call_of(intent: SettingIntent) -> tuple[Endpoint, dict[str, str]]:
    """The row of the catalogue that makes a change, and its parameters."""
    if isinstance(intent, SetLeverage):
        return SET_PERP_LEVERAGE, requests.leverage_args(intent.sym, intent.leverage)
    if isinstance(intent, SetMarginLeverage):
        return SET_MARGIN_LEVERAGE, requests.margin_leverage_args(intent.exchange, intent.coin, intent.leverage)
    return SET_POSITION_MODE, requests.position_mode_args(intent.exchange, intent.mode)
