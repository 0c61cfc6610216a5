"""What tables of money under way have in common: by id and client order id, what is running, what is too old."""

from __future__ import annotations

from typing import Generic, Protocol, TypeVar

KEPT_MS = 91 * 86_400_000
"""How long a movement and its bill can be asked for."""


class Movement(Protocol):
    """Money under way, or arrived; times in ms."""

    id: str
    client_id: str
    created: int
    due: int
    """When its next step is taken."""

    @property
    def running(self) -> bool:
        """Whether it has not ended."""
        ...


M = TypeVar("M", bound=Movement)


class MovementTable(Generic[M]):
    """Every movement of the last 91 days, oldest first."""

    def __init__(self) -> None:
        self.by_id: dict[str, M] = {}
        self.by_client: dict[str, M] = {}
        self.running: dict[str, M] = {}

    def add(self, movement: M) -> None:
        """Register a movement."""
        self.by_id[movement.id] = movement
        if movement.client_id:
            self.by_client[movement.client_id] = movement
        if movement.running:
            self.running[movement.id] = movement

    def next_due(self) -> int | None:
        """When the next step is taken, ms."""
        return min((one.due for one in self.running.values()), default=None)

    def due(self, now_ms: int) -> list[M]:
        """Those whose next step is due, oldest first."""
        return [one for one in self.running.values() if one.due <= now_ms]

    def forget_old(self, now_ms: int) -> list[str]:
        """Forget what ended too long ago; returns the ids."""
        old = [one for one in self.by_id.values() if not one.running and one.created < now_ms - KEPT_MS]
        for one in old:
            del self.by_id[one.id]
            if self.by_client.get(one.client_id) is one:
                del self.by_client[one.client_id]
        return [one.id for one in old]
