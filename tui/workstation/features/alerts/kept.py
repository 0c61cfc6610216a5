"""Alerts that survive a restart: kept as the lines that make them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from tui.interface.families.market import SymbolInfo
from tui.workstation.command_line.grammar.parser import parse
from tui.workstation.command_line.grammar.refusals import LineRefused
from tui.workstation.command_line.grammar.scene import Scene
from tui.workstation.command_line.grammar.syntax import Alert


def read_alerts(lines: Sequence[str], symbols: Mapping[str, SymbolInfo]) -> tuple[list[Alert], list[str]]:
    """Parse the stored lines of alerts; return the alerts, and warnings about lines that can no longer be read."""
    alerts: list[Alert] = []
    warnings: list[str] = []
    for line in lines:
        try:
            [step] = parse(line, Scene(dict(symbols))).steps
        except LineRefused as refused:
            warnings.append(f"the saved alert {line!r} is left out: {refused}")
            continue
        if isinstance(step.command, Alert):
            alerts.append(step.command)
        else:
            warnings.append(f"the saved alert {line!r} is left out: it is no alert command")
    return alerts, warnings
