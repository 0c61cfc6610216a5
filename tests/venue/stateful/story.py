"""What a run of the model came through."""

from __future__ import annotations

from tests.venue.stateful.model import Model
from tests.venue.stateful.terms import CONTRACTS, Fill, Funding


def story(model: Model) -> dict[str, int]:
    """How often this history came through the places where exchanges go wrong."""
    fills = [one for one in model.history if isinstance(one, Fill)]
    orders = model.orders
    return {
        "fills of makers": sum(one.role == "MAKER" for one in fills),
        "fills of legs": sum(one.order.leg != "NONE" for one in fills),
        "fills of contracts": sum(one.order.sym == CONTRACTS for one in fills),
        "realised results": sum(bool(one.realised) for one in fills),
        "funding payments": sum(isinstance(one, Funding) for one in model.history),
        "debts": len(model.debts),
        "interest": sum(bool(debt[1]) for debt in model.debts.values()),
        **model.loan_story(),
        "self trades": sum(one.cancel == "SYSTEM" and one.state == "CANCELLED" for one in orders),
        "reduce-only ends": sum(one.cancel == "REDUCE_ONLY" for one in orders),
        "clipped reduce-only ends": sum(one.cancel == "REDUCE_ONLY" and one.done > 0 for one in orders),
        "whole FOK fills": sum(one.tif == "FOK" and one.state == "FILLED" for one in orders),
        "refused FOK": sum(one.tif == "FOK" and one.state == "CANCELLED" for one in orders),
        "post-only refusals": sum(one.state == "REJECT" for one in orders),
        "failed cancels": sum(one.action == "CANCEL_FAILED" for one in orders),
        "failed amends": sum(one.action == "AMEND_FAILED" for one in orders),
        "amends below filled": sum(
            (one.action, one.state, one.done > 0) == ("AMEND_COMPLETED", "CANCELLED", True) for one in orders
        ),
        "expired protections": sum(one.state == "EXPIRED" for one in model.guards),
        "leverages of a debt": sum(bool(model.debts.get(key)) for key in model.debt_leverages),
        "live protections": sum(one.state == "NEW" for one in model.guards),
    }
