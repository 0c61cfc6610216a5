"""What tests of commands of REST share: a gate of all kinds, and the time after which a lost call cannot arrive."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from tui.client.rest import Rest
from tui.engine.commands.account_kind import ACCOUNT_PACE, AccountKind
from tui.engine.commands.algo_kinds import ALGO_PACE, algo_kinds
from tui.engine.commands.all_kinds import KINDS
from tui.engine.commands.command_kind import QueryPace
from tui.engine.commands.gate import CommandGate
from tui.engine.commands.proofs import AccountCommandKind
from tui.engine.commands.setting_kinds import SETTING_PACE, setting_kinds
from tui.engine.engine import Engine
from tui.engine.intents import AccountCommand
from tui.engine.orders.algo_orders import AlgoOrders
from tui.engine.orders.gate import Gate
from tui.engine.rows import CommandState
from tui.engine.state.command_table import AnyCommand, OpenCommand
from tui.engine.state.engine_state import EngineState
from tui.engine.state.reference_data import ReferenceDataPoller

PACES = (SETTING_PACE, ALGO_PACE, ACCOUNT_PACE)


def account_kind(state: EngineState, rows: Mapping[str, AccountCommandKind] = KINDS) -> AccountKind:
    """The kind of account commands, without a service."""
    return AccountKind(state, Rest.__new__(Rest), rows)


def command_gate(state: EngineState, gate: Gate) -> CommandGate:
    """A gate of every kind, without a service."""
    rest, poller = Rest.__new__(Rest), ReferenceDataPoller.__new__(ReferenceDataPoller)

    async def nothing() -> None: ...

    return CommandGate(
        gate,
        {
            AccountCommand: account_kind(state),
            **setting_kinds(state, rest, poller, nothing),
            **algo_kinds(state, rest, AlgoOrders.__new__(AlgoOrders), gate),
        },
    )


def ask_every(monkeypatch: pytest.MonkeyPatch, seconds: float, *paces: QueryPace) -> None:
    """Ask the service about commands at these paces (all of them by default) this often."""
    for pace in paces or PACES:
        monkeypatch.setattr(pace, "every_s", seconds)


def let_calls_expire(engine: Engine) -> None:
    """What was signed so far cannot arrive any more."""
    for command in engine.state.commands.open.values():
        command.proven_from = 0.0


def open_command(intent: object, key: str, command_state: CommandState, **changes: object) -> AnyCommand:
    """A command that left."""
    values: dict[str, object] = {"since": 0.0, "proven_from": 60.0, **changes}
    return OpenCommand(key=key, intent=intent, state=command_state, **values)  # type: ignore[arg-type]
