"""Liquidation events of venue accounts with their stages; open events by account."""

from __future__ import annotations

import msgspec

from tui.interface.families.liquidation import NODES, EventType, LiquidationEventRecord, LiquidationNode, NodeType
from tui.interface.families.positions import AccountStatus

KEPT_MS = 90 * 86_400_000
"""Time for which an event can be queried after its end, ms."""

RowKey = tuple[str, str]
"""Portfolio and venue."""


class LiquidationEvent(msgspec.Struct, kw_only=True):
    """Liquidation event of a venue account, from the first threshold until it is no longer at risk; times in ms."""

    id: str
    portfolio: str
    venue: str
    created: int
    updated: int
    event_type: str = EventType.REDUCE
    status: str = AccountStatus.NORMAL
    """Status of the row, from which a restart continues."""
    acting: bool = False
    """Whether the venue has begun to reduce; it continues until the row has left LIQUIDATING."""
    ended: bool = False
    nodes: list[LiquidationNode] = []

    @property
    def key(self) -> RowKey:
        return self.portfolio, self.venue

    @property
    def last(self) -> int:
        """Index of the last stage pushed; -1 before the first."""
        return NODES.index(NodeType(self.nodes[-1].node_type)) if self.nodes else -1

    def record(self) -> LiquidationEventRecord:
        """Build the event as the query returns it."""
        return LiquidationEventRecord(
            liquidation_event_id=self.id,
            portfolio_id=self.portfolio,
            exchange_type=self.venue,
            event_type=self.event_type,
            create_at=str(self.created),
            update_at=str(self.updated),
            nodes=list(self.nodes),
        )


class LiquidationTable:
    """Liquidation events of the last 90 days."""

    def __init__(self) -> None:
        self.by_id: dict[str, LiquidationEvent] = {}
        self.open: dict[RowKey, LiquidationEvent] = {}
        self.working: set[RowKey] = set()
        """Rows with a working order of the venue; their status is computed again when it is archived."""

    def add(self, event: LiquidationEvent) -> None:
        """Register a new liquidation event."""
        self.by_id[event.id] = event
        if not event.ended:
            self.open[event.key] = event

    def status(self, key: RowKey) -> str:
        """Return the last status of an account with an open liquidation event; NORMAL without one."""
        event = self.open.get(key)
        return AccountStatus.NORMAL if event is None else event.status

    def find(self, portfolio: str, event_id: str, now_ms: int) -> LiquidationEvent | None:
        """Return a liquidation event of a portfolio by its id, or the latest one when no id is given."""
        events = [
            event
            for event in self.by_id.values()
            if event.portfolio == portfolio and event_id in ("", event.id) and not is_too_old(event, now_ms)
        ]
        return events[-1] if events else None


def is_too_old(event: LiquidationEvent, now_ms: int) -> bool:
    """Report whether an event ended too long ago to be kept."""
    return event.ended and event.updated < now_ms - KEPT_MS
