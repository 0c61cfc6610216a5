"""Environment, trading state and risk mode: the destination of orders, and which of them may be sent."""

from __future__ import annotations

from enum import StrEnum


class TradingState(StrEnum):
    """Restriction on sending."""

    VIEW = "VIEW"
    """Nothing but cancel-all of the kill prompt."""
    ARMED = "ARMED"
    """Orders after preview and Enter; single cancels at once."""


class RiskMode(StrEnum):
    """Restriction on accepted orders; a limit or the trader can tighten it, only the trader can relax it."""

    NORMAL = "NORMAL"
    REDUCING = "REDUCING"
    """No order that raises exposure."""
    HALT = "HALT"
    """Only cancels, size reductions, and orders that can only close."""


class Environment(StrEnum):
    PAPER = "PAPER"
    LIVE = "LIVE"
