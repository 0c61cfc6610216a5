"""Tables of money movements: by id, by client order id, pending ones; old ones are removed."""

from __future__ import annotations

from typing import Generic, Protocol, TypeVar

KEPT_MS = 91 * 86_400_000
"""Time for which a movement and its bill can be queried, ms."""


class Movement(Protocol):
    """Movement of money, pending or ended; times in ms."""

    id: str
    client_id: str
    created: int
    due: int
    """Time of its next step."""

    @property
    def running(self) -> bool:
        """Whether the movement is still pending."""
        ...


M = TypeVar("M", bound=Movement)


class MovementTable(Generic[M]):
    """Movements of the last 91 days, oldest first."""

    def __init__(self) -> None:
        self.by_id: dict[str, M] = {}
        self.by_client: dict[str, M] = {}
        self.running: dict[str, M] = {}

    def add(self, movement: M) -> None:
        """Register a movement of money."""
        self.by_id[movement.id] = movement
        if movement.client_id:
            self.by_client[movement.client_id] = movement
        if movement.running:
            self.running[movement.id] = movement

    def next_due(self) -> int | None:
        """Return the time of the next step of a pending movement, ms."""
        return min([movement.due for movement in self.running.values()]) if self.running else None

    def due(self, now_ms: int) -> list[M]:
        """List the pending movements whose next step is due, oldest first."""
        return [movement for movement in self.running.values() if movement.due <= now_ms]

    def forget_old(self, now_ms: int) -> list[str]:
        """Remove movements past the retention time; return their ids."""
        old = [
            movement for movement in self.by_id.values() if not movement.running and movement.created < now_ms - KEPT_MS
        ]
        for movement in old:
            del self.by_id[movement.id]
            if self.by_client.get(movement.client_id) is movement:
                del self.by_client[movement.client_id]
        return [movement.id for movement in old]
