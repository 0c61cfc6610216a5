"""Gate for REST commands: common checks and those of the command kind, before and after the journal write."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from tui.engine.commands.command_kind import CommandKind
from tui.engine.intents import CommandIntent
from tui.engine.orders.gate import Gate, combine_refusals
from tui.engine.orders.pre_trade_checks import Refusal

Kinds = Mapping[type, CommandKind[Any]]
"""Kinds by intent type."""


class CommandGate:
    """Gate that checks REST commands against the current state."""

    def __init__(self, gate: Gate, kinds: Kinds) -> None:
        self._gate = gate
        self._kinds = kinds

    def check(self, intent: CommandIntent) -> Refusal | None:
        """Check a command before it is journaled; None allows it."""
        gate, kind = self._gate, self._kinds[type(intent)]
        refusal = kind.check_request(intent) or gate.session.check(intent)
        if refusal is None and kind.raises_risk(intent):
            refusal = gate.session.check_risk_mode(kind.taken) or gate.session.check_clock()
            if refusal is None and kind.judges_day:
                refusal = gate.session.check_day_result()
        return refusal or combine_refusals(self._checks(kind, intent), intent.confirmed)

    def _checks(self, kind: CommandKind[Any], intent: CommandIntent) -> Iterator[Refusal | None]:
        yield from kind.checks(intent)
        if kind.counts:
            yield self._gate.check_runaway(intent.decision.peer, intent.line)

    def recheck(self, intent: CommandIntent, epoch: int) -> Refusal | None:
        """Check a command again after the journal write; the connection must still be the one it was submitted on."""
        gate, kind = self._gate, self._kinds[type(intent)]
        refusal = gate.session.check(intent) or gate.session.check_epoch(epoch)
        if refusal is None and kind.raises_risk(intent):
            refusal = gate.session.check_risk_mode(kind.taken)
        return refusal or kind.recheck(intent)

    def record(self, intent: CommandIntent) -> None:
        """Count a sent command for the runaway and duplicate checks."""
        kind = self._kinds[type(intent)]
        if kind.counts:
            self._gate.record_command(intent.decision.peer, intent.line)
        kind.remember(intent)
