"""Commands that change settings: sent once, then read back until the service shows the requested value."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterator, Sequence
from typing import Any, Generic, NamedTuple, TypeVar

from tui.client.rest import Rest
from tui.engine.commands.command_kind import READ_BACK, CommandKind, QueryPace
from tui.engine.commands.gate import Kinds
from tui.engine.commands.proofs import Finding
from tui.engine.commands.setting_checks import check_present, check_wanted, lowers_risk, present_setting, same_setting
from tui.engine.intents import SetLeverage, SetMarginLeverage, SetPositionMode, SettingIntent
from tui.engine.orders.pre_trade_checks import Refusal, check_listed
from tui.engine.rows import CommandState
from tui.engine.state.command_table import AnyCommand, OpenCommand, setting_name
from tui.engine.state.engine_state import EngineState
from tui.engine.state.reference_data import ReferenceDataPoller
from tui.interface.endpoint import Endpoint
from tui.interface.families import positions
from tui.interface.families.positions import SET_MARGIN_LEVERAGE, SET_PERP_LEVERAGE, SET_POSITION_MODE, name_mode
from tui.interface.request import CommandRequest, arguments_of

SETTING_PACE = QueryPace("settings", every_s=2.0, most=64, is_ready=lambda _: True)

S = TypeVar("S", bound=SettingIntent)


class SettingRow(NamedTuple, Generic[S]):
    """Endpoint, request and read-back call of one setting."""

    endpoint: Endpoint
    request: Callable[[S], CommandRequest]
    read: Callable[[S], Awaitable[str]]
    """Reads its value at the service; empty: the service lists none."""


class SettingKind(CommandKind[S]):
    """Command kind of a setting change; at most one change of the same setting is open."""

    pace = SETTING_PACE
    asking = READ_BACK
    taken = "of settings only a smaller leverage is taken"

    def __init__(self, state: EngineState, rest: Rest, row: SettingRow[S]) -> None:
        """Initialize the kind; `row` holds the calls that change and read the setting."""
        super().__init__(state, rest)
        self._row = row

    def key(self, intent: S) -> str:
        return intent.setting

    def name(self, command: OpenCommand[S]) -> str:
        return setting_name(command.intent)

    def call(self, command: OpenCommand[S]) -> tuple[Endpoint, dict[str, str]]:
        return self._row.endpoint, arguments_of(self._row.request(command.intent))

    def check_request(self, intent: S) -> Refusal | None:
        return check_wanted(intent)

    def raises_risk(self, intent: S) -> bool:
        return not lowers_risk(intent)

    def checks(self, intent: S) -> Iterator[Refusal | None]:
        if intent.setting in self._state.commands.open:
            text = f"a change of the {setting_name(intent)} is not settled; it is being read back"
            yield Refusal("IN_FLIGHT", text)
        yield self.recheck(intent)
        if isinstance(intent, SetLeverage) and not lowers_risk(intent):
            yield check_listed(intent.sym, self._state.settings.limits)

    def recheck(self, intent: S) -> Refusal | None:
        return check_present(intent, present_setting(self._state, intent))

    def describe_acceptance(self, command: OpenCommand[S]) -> str:
        return f": {name_mode(command.intent.before)} → {name_mode(command.intent.wanted)} accepted"

    async def read(
        self, command: OpenCommand[S], _waiting: Sequence[AnyCommand]
    ) -> list[tuple[OpenCommand[S], Finding]]:
        now, wanted = await self._row.read(command.intent), command.intent.wanted
        if not now:
            return [(command, Finding(CommandState.UNKNOWN, "the service does not list it"))]
        if same_setting(now, wanted):
            message = f"it is {name_mode(now)} at the venue; the change was carried out"
            return [(command, Finding(CommandState.DONE, now, message))]
        message = f"change to {name_mode(wanted)} not applied; the venue has {name_mode(now)}"
        return [(command, Finding(CommandState.NOT_DONE, now, message))]

    def settlement_entry(self, finding: Finding) -> tuple[str, dict[str, object]]:
        return "setting", {"now": finding.text, "done": finding.state is CommandState.DONE}


def setting_kinds(
    state: EngineState, rest: Rest, reference_data: ReferenceDataPoller, read_accounts: Callable[[], Awaitable[None]]
) -> Kinds:
    """Build the command kinds of all settings.

    Args:
        state: State of the engine.
        rest: Client for commands and queries.
        reference_data: Reader of leverages.
        read_accounts: Reads the account rows, which contain the position mode.
    """

    async def read_mode(intent: SetPositionMode) -> str:
        await read_accounts()
        return present_setting(state, intent)

    rows: dict[type, SettingRow[Any]] = {
        SetLeverage: SettingRow[SetLeverage](
            SET_PERP_LEVERAGE,
            lambda intent: positions.SetLeverage(sym=intent.sym, leverage=intent.leverage),
            lambda intent: reference_data.read_leverage(intent.sym),
        ),
        SetMarginLeverage: SettingRow[SetMarginLeverage](
            SET_MARGIN_LEVERAGE,
            lambda intent: positions.SetMarginLeverage(
                exchange_type=intent.exchange, coin=intent.coin, leverage=intent.leverage
            ),
            lambda intent: reference_data.read_margin_leverage(intent.exchange, intent.coin),
        ),
        SetPositionMode: SettingRow[SetPositionMode](
            SET_POSITION_MODE,
            lambda intent: positions.SetPositionMode(exchange_type=intent.exchange, position_mode=intent.mode),
            read_mode,
        ),
    }
    return {kind: SettingKind(state, rest, row) for kind, row in rows.items()}
