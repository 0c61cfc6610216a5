"""Classification of replies to order requests; this is the only place to add new error codes."""

from __future__ import annotations

from enum import StrEnum

import msgspec

from tui.client.rest import CallFailed
from tui.engine.orders.pre_trade_checks import Refusal
from tui.interface import errors
from tui.interface.errors import ErrorClass
from tui.interface.families.orders import is_final


class ReplyClass(StrEnum):
    """Class of a reply, which decides the next step."""

    ACCEPTED = "accepted"
    """Accepted; pushes follow."""
    REFUSED = "refused"
    """The service did not carry it out."""
    UNSURE = "unsure"
    """Outcome unclear; the order is queried."""
    GONE = "gone"
    """A replace failed and the order it was about has ended."""
    TOO_LATE = "too late"
    """The order had already ended; its state is queried."""
    LOOK = "look"
    """The action failed; the order is queried."""


class ClassifiedReply(msgspec.Struct, frozen=True):
    """Reply with its class."""

    meaning: ReplyClass
    text: str
    """Code and text for the trader, or empty."""


ACTION_SUCCESS = 200000

REFUSAL_FAMILIES = (
    range(401000, 401200),
    range(401200, 401300),
    range(401900, 402000),
    range(405000, 406000),
    range(406000, 407000),
    range(400000, 400008),
)
REFUSAL_CODES = frozenset(
    [2000, 2001, 2002, 2003, 4000, 7000, 60009, 100001, 100002, 100003, 100018, 100041, 100429, 400009]
)
DUPLICATE_ID = frozenset([401009, 406010])
"""An order with this id exists; it is queried, as the code alone ends nothing."""

TOO_LATE = frozenset([401117, 401058])
LOOK = frozenset([401019])


def is_refusal(code: int) -> bool:
    """Return whether the error code proves that the request changed nothing."""
    return code in REFUSAL_CODES or any(code in family for family in REFUSAL_FAMILIES)


def classify_place(code: int, text: str, *, order_id: str) -> ClassifiedReply:
    """Classify the reply to a new order.

    Args:
        code: Code of the reply, -1 when it has none.
        text: The service's own words, scrubbed.
        order_id: Order id in its data, or empty.
    """
    if code == ACTION_SUCCESS and order_id:
        return ClassifiedReply(ReplyClass.ACCEPTED, "")
    shown = errors.describe_code(code, text)
    if errors.is_success(code) or order_id:
        return ClassifiedReply(ReplyClass.UNSURE, f"contradictory answer ({shown})")
    if code in DUPLICATE_ID or not is_refusal(code):
        return ClassifiedReply(ReplyClass.UNSURE, shown)
    return ClassifiedReply(ReplyClass.REFUSED, shown)


def classify_change(code: int, text: str, *, order_id: str, state: str, replace: bool) -> ClassifiedReply:
    """Classify the reply to a cancel or a replace of one order.

    Args:
        code: Code of the reply, -1 when it has none.
        text: The service's own words, scrubbed.
        order_id: Order id in its data, or empty.
        state: Order state in its data, or empty.
        replace: True for a replace.
    """
    shown = errors.describe_code(code, text)
    if code == ACTION_SUCCESS and order_id:
        if replace and is_final(state) and state != "FILLED":
            return ClassifiedReply(ReplyClass.GONE, f"replace failed and the order is gone ({state})")
        return ClassifiedReply(ReplyClass.ACCEPTED, "")
    if errors.is_success(code) or order_id:
        return ClassifiedReply(ReplyClass.UNSURE, f"contradictory answer ({shown})")
    if code in TOO_LATE:
        return ClassifiedReply(ReplyClass.TOO_LATE, shown)
    if code in LOOK:
        return ClassifiedReply(ReplyClass.LOOK, shown)
    if is_refusal(code):
        return ClassifiedReply(ReplyClass.REFUSED, shown)
    return ClassifiedReply(ReplyClass.UNSURE, shown)


def classify_cancel_all(code: int, text: str) -> ClassifiedReply:
    """Classify the reply to a cancel-all, which by design contains no data."""
    if code == ACTION_SUCCESS:
        return ClassifiedReply(ReplyClass.ACCEPTED, "")
    shown = errors.describe_code(code, text)
    if is_refusal(code):
        return ClassifiedReply(ReplyClass.REFUSED, shown)
    return ClassifiedReply(ReplyClass.UNSURE, shown)


def refuse_unsent(failure: CallFailed) -> Refusal | None:
    """Build the refusal for a REST request that got no answer; None if the service answered it with a code."""
    if failure.code or failure.http:
        return None
    return Refusal("RATE" if failure.kind is ErrorClass.RATE else "LINK", str(failure))
