"""Judges account commands: what every command must pass, and that the same one is not on its way or just sent."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Mapping

from tui.engine.commands.kinds import AccountCommandKind
from tui.engine.intents import AccountCommand
from tui.engine.modes import Environment
from tui.engine.orders.gate import Gate, combine_refusals
from tui.engine.orders.pre_trade_checks import Refusal
from tui.engine.rows import AccountCommandRow, CommandState
from tui.engine.state.engine_state import EngineState
from tui.interface import catalogue
from tui.interface.endpoint import CLIENT_ORDER_ID, Permission

_Identity = tuple[str, tuple[tuple[str, str], ...]]


class AccountCommandGate:
    """Checks account commands against the current state."""

    def __init__(self, state: EngineState, gate: Gate, kinds: Mapping[str, AccountCommandKind]) -> None:
        self._state = state
        self._gate = gate
        self._kinds = kinds
        self._recent: deque[tuple[float, _Identity]] = deque(maxlen=64)

    def check(self, intent: AccountCommand) -> Refusal | None:
        """Check a command; None: it may be sent."""
        kind, row = self._kinds.get(intent.endpoint), catalogue.BY_NAME.get(intent.endpoint)
        if kind is None or row is None:
            return Refusal("COMMAND", f"{intent.endpoint[:40]!r} is no command about the account")
        missing = [one.name for one in row.params if one.required and not dict(intent.args).get(one.name)]
        missing = [name for name in missing if name != CLIENT_ORDER_ID]
        if missing:
            return Refusal("COMMAND", f"{intent.endpoint} needs {', '.join(missing)}")
        if row.permission is Permission.WITHDRAW and self._withdrawals_are_off:
            return Refusal(
                "WITHDRAW", "withdrawals are off in a live profile; `withdrawals = true` below [engine] allows them"
            )
        refusal = self._gate.check_account_command(intent, raises_risk=self._raises_risk(intent))
        return refusal or combine_refusals(self._repeat_checks(intent, kind), intent.confirmed)

    @property
    def _withdrawals_are_off(self) -> bool:
        state = self._state
        return state.identity.environment is Environment.LIVE and not state.settings.withdrawals

    def recheck(self, intent: AccountCommand, epoch: int) -> Refusal | None:
        """Check again after the journal write."""
        return self._gate.recheck_account_command(intent, epoch, raises_risk=self._raises_risk(intent))

    def record(self, intent: AccountCommand) -> None:
        """Count a command that passed, for the runaway and duplicate checks."""
        self._gate.record_command()
        self._recent.append((self._state.clock.mono(), _identity(intent)))

    def _raises_risk(self, intent: AccountCommand) -> bool:
        return self._kinds[intent.endpoint].raises_risk(dict(intent.args), self._state.portfolio)

    def _repeat_checks(self, intent: AccountCommand, kind: AccountCommandKind) -> Iterator[Refusal | None]:
        state, limits = self._state, self._state.settings.limits
        same = state.commands.same(*_identity(intent))
        if same is not None and same.row.state is not CommandState.RUNNING:
            yield Refusal("IN_FLIGHT", f"the same command is {same.row.state.value}; it is not sent again")
        elif (other := self._unsettled_change(intent, kind)) is not None:
            yield Refusal("IN_FLIGHT", f"{other.title} is {other.state.value}; wait until it is settled")
        now = state.clock.mono()
        if kind.moves_money and any(
            at > now - limits.duplicate and one == _identity(intent) for at, one in self._recent
        ):
            yield Refusal("DUPLICATE", f"the same command left less than {limits.duplicate:g} s ago", ask=True)

    def _unsettled_change(self, intent: AccountCommand, kind: AccountCommandKind) -> AccountCommandRow | None:
        """A command without an answer that changes the same, or whose proof would not show it any more."""
        rows = [one.row for one in self._state.commands.open.values()]
        waited = next((row for row in rows if row.endpoint in kind.waits_for), None)
        if waited is not None or kind.subject is None:
            return waited
        subject = kind.subject(dict(intent.args))
        return next(
            (row for row in rows if row.endpoint == intent.endpoint and kind.subject(dict(row.args)) == subject), None
        )


def _identity(intent: AccountCommand) -> _Identity:
    return intent.endpoint, intent.args
