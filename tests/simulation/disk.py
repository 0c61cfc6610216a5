"""The disk of a floor: it can be slow or full, and what is durable on it is written down."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

import msgspec

from tests.simulation.history import text_of
from tui.engine.journal.memory_journal import MemoryJournal
from tui.protocols import JournalUnwritable

if TYPE_CHECKING:
    from tests.simulation.floor import Floor


class Disk(MemoryJournal):
    """A journal whose disk can be slow or full, and whose lines are written down once they are durable."""

    floor: Floor
    dead = False

    async def record(self, kind: str, payload: str, **ids: Any) -> int:
        floor = self.floor
        rates = floor.proxy.rates
        meant = msgspec.json.decode(payload)
        # An endpoint is named where a cancel-all reaches for the algo orders.
        command = meant.get("endpoint") or {"CancelAll": "cancel_all"}.get(meant["kind"], meant["kind"].lower())
        if floor.happens(rates.full_disk):
            floor.journal_fault("F93")
            raise JournalUnwritable("No space left on device")
        if floor.happens(rates.slow_disk):
            floor.proxy.fault("F95")
            await asyncio.sleep(floor.source.choice((0.05, 0.5, 1.0, 1.5)))
        number = await super().record(kind, payload, **ids)
        if self.dead:
            return number
        intent = meant["intent"].get("preview", "") or meant["intent"]["decision"].get("command", "")
        text = text_of(meant["args"])
        floor.history.add(
            "journal", kind, life=floor.life, cid=ids.get("client_order_id", ""), intent=intent, text=text
        )
        if floor.reached("F02", command, floor.private_wire()):
            await asyncio.sleep(0.005)
        return number

    def enqueue(self, kind: str, payload: str, **ids: Any) -> None:
        if self.dead:
            return
        if self.floor.happens(self.floor.proxy.rates.full_disk / 10):
            self.floor.journal_fault("F94", msgspec.json.decode(payload)["transactionId"] if kind == "fill" else "")
            return
        super().enqueue(kind, payload, **ids)
        cid = ids.get("client_order_id", "") or ids.get("intent_id", "")
        if cid:
            self.floor.history.add("journal", kind, life=self.floor.life, cid=cid)
