"""Modes of the desk: environment, trading state, risk mode."""

from __future__ import annotations

from enum import StrEnum


class TradingState(StrEnum):
    """Trading state: what may leave this program."""

    VIEW = "VIEW"
    """Nothing but the kill prompt's cancel-all."""
    ARMED = "ARMED"
    """Orders after preview and Enter; single cancels at once."""


class RiskMode(StrEnum):
    """Restricts which orders are accepted. A limit or the trader can make it stricter, only the trader can relax it."""

    NORMAL = "NORMAL"
    REDUCING = "REDUCING"
    """Nothing that raises exposure."""
    HALT = "HALT"
    """Cancels, size cuts, and orders that can only close."""


class Environment(StrEnum):
    PAPER = "PAPER"
    LIVE = "LIVE"
