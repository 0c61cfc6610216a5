"""Key handler that opens the card of the connection's health."""

from __future__ import annotations

from tui.engine.rows import Table
from tui.workstation.commands.availability import Blocks
from tui.workstation.commands.context import Context
from tui.workstation.features.health.order_delays import OrderDelays
from tui.workstation.input.handlers import Handlers

COLLECT_S = 1.0
"""Seconds between two looks at the orders."""


class HealthKeys:
    """Key handler of the card; delays of orders are collected from the start."""

    def __init__(self, context: Context) -> None:
        self._context = context
        self._delays = OrderDelays()
        self._collected_at, self._version = 0.0, -1
        context.followers.append(self.follow)

    def handlers(self) -> Handlers:
        """Return the key handlers by action id."""
        return {"health.open": self.health_open}

    def blocks(self) -> Blocks:
        """Return no block reasons: the card can always be opened."""
        return {}

    def follow(self) -> None:
        """Collect the delays of new orders, at most once a second."""
        context = self._context
        now, version = context.clock.mono(), context.mirror.version(Table.ORDERS)
        if version != self._version and now - self._collected_at >= COLLECT_S:
            self._collected_at, self._version = now, version
            self._delays.collect(context.mirror.orders.values())

    def health_open(self) -> None:
        """Open the card of links, delays and limits, with figures computed again on each repaint."""
        from tui.workstation.features.health.facts import list_health_facts

        view = self._context.view
        self._context.open_card("Links, delays and limits", lambda: list_health_facts(view, self._delays), "Health")
