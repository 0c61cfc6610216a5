"""Record of an intent in the journal, on disk before anything is sent."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping

import msgspec

from tui.crossdesk_error import error_text
from tui.engine.intents import Intent
from tui.engine.orders.pre_trade_checks import Refusal
from tui.protocols import IdGenerator, Journal, JournalUnwritable

RECORDED_WITHIN_S = 5.0
"""Longest wait of an intent for its journal entry, s; after that its price is too old to send."""
CANCEL_RECORDED_WITHIN_S = 1.0
"""Longest wait of a cancel for its journal entry, s; then it is sent without it, because it can only lower risk."""


async def record_intent(
    journal: Journal,
    intent: Intent,
    fields: Mapping[str, object],
    *,
    within_s: float,
    epoch: int,
    intent_id: str,
    kind: str = "",
    client_order_id: str = "",
    order_id: str = "",
) -> int | str:
    """Journal an intent durably; return its entry number, or why it is not on disk within `within_s`.

    Args:
        journal: Journal of the session.
        intent: Intent to be sent.
        fields: Further fields of the entry, such as `args`.
        within_s: Longest wait, s.
        epoch: Connection.
        intent_id: Id that connects the entries.
        kind: Kind of the entry; empty: the class of the intent.
        client_order_id: Client order id of a new order.
        order_id: Order that it changes.
    """
    payload = msgspec.json.encode({"kind": kind or type(intent).__name__, "intent": intent, **fields}).decode()
    try:
        async with asyncio.timeout(within_s):
            return await journal.record(
                "intent", payload, intent_id=intent_id, client_order_id=client_order_id, order_id=order_id, epoch=epoch
            )
    except JournalUnwritable as error:
        return error_text(error)
    except TimeoutError:
        return f"the disk took longer than {within_s:g} s"


def refuse_unrecorded(why: str) -> Refusal:
    """Build the refusal of an intent that is not sent because it could not be journaled."""
    return Refusal("JOURNAL", f"cannot record: {why}")


def describe_unrecorded(what: str, why: str) -> str:
    """Describe that an intent is sent although it could not be journaled."""
    return f"the {what} could not be recorded ({why}); it is sent"


def reserve_id(ids: IdGenerator) -> str | Refusal:
    """Return a new client order id; a refusal if no id can be stored."""
    try:
        return ids.client_order_id()
    except OSError as error:
        return refuse_unrecorded(f"no id can be stored ({error.strerror or error_text(error)})")
