"""Order actions, the same over REST and the private stream: from named texts to a command of the exchange."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tui.interface.endpoint import Param
from tui.interface.envelope import ActionReply, without
from tui.interface.families import orders
from tui.venue.core.commands import Accepted, Cancel, CancelAll, Command, Place, Replace
from tui.venue.shell.keys import Denial
from tui.venue.shell.requests import missing, present

BUILDERS: dict[str, tuple[tuple[Param, ...], type[Place | Replace | Cancel | CancelAll]]] = {
    "place_order": (orders.PLACE_PARAMS, Place),
    "replace_order": (orders.REPLACE_PARAMS, Replace),
    "cancel_order": (orders.CANCEL_PARAMS, Cancel),
    "cancel_orders": (orders.CANCEL_ALL_PARAMS, CancelAll),
}
"""By stream action; the REST rows have the same names, but for cancel-all."""


def command(action: str, portfolio: str, sent: Mapping[str, str]) -> Command | Denial:
    """The command of an action, or the required value that is missing. The exchange judges the values, in its order."""
    params, kind = BUILDERS[action]
    given = present(params, sent)
    gap = missing(params, given)
    if gap is not None:
        return gap
    fields: dict[str, Any] = {"portfolio": portfolio, **given}
    if "exchange_type" in fields:
        fields["exchange"] = fields.pop("exchange_type")
    if "reduce_only" in fields:
        fields["reduce_only"] = given["reduce_only"].lower() == "true"
    return kind(**fields)


def reply_data(action: str, reply: Accepted) -> dict[str, object]:
    """The `data` of a successful action: ids always, state and action where the action is asynchronous."""
    if action == "cancel_orders":
        return {}
    shown = ActionReply(
        order_id=reply.order_id,
        client_order_id=reply.client_order_id,
        order_state=reply.order_state,
        action=reply.action,
        action_msg=reply.action_msg,
    )
    return without(shown, "order_state", "action", "action_msg") if action == "place_order" else without(shown)
