"""Actions, the same over REST and the private stream: from named texts to a command of the exchange."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from tui.interface.endpoint import Param
from tui.interface.envelope import ActionReply, without_fields
from tui.interface.families import (
    accounts,
    algo,
    deposits,
    fees,
    orders,
    portfolio_loans,
    portfolios,
    positions,
    transfers,
)
from tui.venue.core.commands import (
    Accepted,
    ApplyTransfer,
    ApplyWithdrawal,
    Borrow,
    CancelAlgo,
    CancelAllAlgos,
    CancelAllOrders,
    CancelOrder,
    ChangeApiKey,
    ClosePosition,
    ClosePositions,
    Command,
    CreateApiKey,
    CreatePortfolio,
    DeleteApiKey,
    LockCustody,
    PlaceAlgo,
    PlaceOrder,
    RenamePortfolio,
    Repay,
    ReplaceAlgo,
    ReplaceOrder,
    SetDepositVenue,
    SetLeverage,
    SetMarginLeverage,
    SetPositionMode,
    SetSubFee,
    UnlockCustody,
)
from tui.venue.shell.keys import ErrorReply
from tui.venue.shell.rest.portfolio_loans import loan_reply
from tui.venue.shell.rest.requests import judge, missing, present


def _set_deposit_venue(exchange_type: str, **named: str) -> SetDepositVenue:
    return SetDepositVenue(exchange=exchange_type, **named)


BUILDERS: dict[str, tuple[tuple[Param, ...], Callable[..., Command]]] = {
    "place_order": (orders.PLACE_PARAMS, PlaceOrder),
    "replace_order": (orders.REPLACE_PARAMS, ReplaceOrder),
    "cancel_order": (orders.CANCEL_PARAMS, CancelOrder),
    "cancel_orders": (orders.CANCEL_ALL_PARAMS, CancelAllOrders),
    "set_position_mode": (positions.SET_POSITION_MODE_PARAMS, SetPositionMode),
    "set_perp_leverage": (positions.SET_LEVERAGE_PARAMS, SetLeverage),
    "set_margin_leverage": (positions.SET_MARGIN_LEVERAGE_PARAMS, SetMarginLeverage),
    "place_algo_order": (algo.PLACE_ALGO_PARAMS, PlaceAlgo),
    "replace_algo_order": (algo.REPLACE_ALGO_PARAMS, ReplaceAlgo),
    "cancel_algo_order": (algo.CANCEL_ALGO_PARAMS, CancelAlgo),
    "cancel_algo_orders": (algo.CANCEL_ALL_ALGOS_PARAMS, CancelAllAlgos),
    "close_position": (positions.CLOSE_PARAMS, ClosePosition),
    "close_positions": (positions.CLOSE_SEVERAL_PARAMS, ClosePositions),
    "create_portfolio": (portfolios.CREATE_PORTFOLIO_PARAMS, CreatePortfolio),
    "rename_portfolio": (portfolios.RENAME_PORTFOLIO_PARAMS, RenamePortfolio),
    "create_api_key": (portfolios.CREATE_API_KEY_PARAMS, CreateApiKey),
    "change_api_key": (portfolios.CHANGE_API_KEY_PARAMS, ChangeApiKey),
    "delete_api_key": (portfolios.DELETE_API_KEY_PARAMS, DeleteApiKey),
    "transfer": (transfers.TRANSFER_PARAMS, ApplyTransfer),
    "withdraw": (deposits.WITHDRAW_PARAMS, ApplyWithdrawal),
    "set_deposit_venue": (deposits.SET_DEPOSIT_VENUE_PARAMS, _set_deposit_venue),
    "custody_lock": (accounts.CUSTODY_PARAMS, LockCustody),
    "custody_unlock": (accounts.CUSTODY_PARAMS, UnlockCustody),
    "portfolio_loan_borrow": (portfolio_loans.LOAN_PARAMS, Borrow),
    "portfolio_loan_repay": (portfolio_loans.LOAN_PARAMS, Repay),
    "set_sub_fee_rate": (fees.SUB_FEE_PARAMS, SetSubFee),
}
"""By action; the REST rows have the same names, except cancel-all. The private stream accepts those of orders."""


JUDGED_HERE = frozenset(["transfer", "withdraw", "set_deposit_venue", "custody_lock", "custody_unlock"])
"""Actions whose values are judged by kind before the exchange sees them: those of the money families."""

WIDE_WHEN_EMPTY = frozenset(
    ["cancel_orders", "cancel_algo_orders", "close_position", "close_positions", "set_sub_fee_rate"]
)
"""Actions that reach further with every parameter that is left out; they are refused rather than read in part."""

_LISTS = tuple(name for param in orders.ID_LISTS for name in (param.name, *param.aliases))
"""Lists of which an empty one is no list: nobody who sends one means all orders."""

_WITHOUT_DATA = ("cancel_orders", "set_position_mode", "set_perp_leverage", "set_margin_leverage", "delete_api_key")


def build_command(action: str, portfolio: str, sent: Mapping[str, str]) -> Command | ErrorReply:
    """The command of an action, or what is missing or wrong. The exchange checks the values of orders, in its order."""
    params, kind = BUILDERS[action]
    if action in JUDGED_HERE:
        judged = judge(action, params, sent)
        return judged if isinstance(judged, ErrorReply) else kind(portfolio=portfolio, **judged)
    given = present(params, sent)
    gap = missing(params, given)
    if gap is not None:
        return gap
    fields: dict[str, Any] = {"portfolio": portfolio, **given}
    if "exchange_type" in fields:
        fields["exchange"] = fields.pop("exchange_type")
    if "reduce_only" in fields:
        flag = given["reduce_only"].lower()
        if flag not in ("true", "false") and "_PERP_" in given.get("sym", ""):
            shown = given["reduce_only"][:40]
            return ErrorReply(400000, f"{orders.Name.REDUCE_ONLY} {shown!r} is not accepted; it takes true and false")
        fields["reduce_only"] = flag == "true"
    return kind(**fields)


def unread_part(action: str, sent: Mapping[str, Any], *, ignored: Iterable[str] = ()) -> str:
    """Why an action that is wide when empty would reach further than what was sent; empty when it would not.

    Args:
        action: Any action.
        sent: Its parameters as they came, null among them.
        ignored: Names of parameters in a part of the request that is not read.
    """
    if action not in WIDE_WHEN_EMPTY:
        return ""
    params = BUILDERS[action][0]
    known = {name for param in params for name in (param.name, *param.aliases)}
    for name in sent:
        if name not in known:
            takes = ", ".join(param.name for param in params)
            return f"mismatched input: {name[:40]!r} is no parameter of {action}; it takes {takes}. Nothing was done"
    for name in _LISTS:
        if name in sent and not _has_item(sent[name]):
            return f"mismatched input: {name} is empty; leave it out to reach every order. Nothing was done"
    for name in ignored:
        return f"mismatched input: {name[:40]!r} is in the query, and the body is read. Nothing was done"
    return ""


def _has_item(value: Any) -> bool:
    """Whether a list, or the text of one, names anything."""
    if isinstance(value, list):
        return any(_has_item(item) for item in value)
    return value is not None and bool(str(value).strip(" ,"))


def reply_data(action: str, reply: Accepted) -> Any:
    """The `data` of a successful action: ids always, state and action where the action is asynchronous."""
    if action == "cancel_algo_orders":
        return reply.algos
    if action in ("custody_lock", "custody_unlock"):
        return accounts.CustodyAccepted(action_id=int(reply.transfer_id))
    if reply.withdrawal_id:
        return deposits.WithdrawalAccepted(id=int(reply.withdrawal_id))
    if reply.deposit_venue is not None:
        return reply.deposit_venue
    if reply.transfer_id:
        return transfers.TransferAccepted(transfer_id=int(reply.transfer_id))
    if reply.loan is not None:
        return loan_reply(reply.loan)
    if action == "set_sub_fee_rate":
        return fees.SubFeeSet(eff_date=reply.eff_date)
    if reply.algo_order_id:
        return algo.AlgoReply(algo_order_id=reply.algo_order_id, client_order_id=reply.client_order_id)
    if action == "close_position":
        return positions.Closing(order_id=reply.order_id)
    if action == "close_positions":
        return reply.closed
    if reply.portfolio is not None or reply.api_key is not None:
        return reply.portfolio or reply.api_key
    if action in _WITHOUT_DATA:
        return {}
    shown = ActionReply(
        order_id=reply.order_id,
        client_order_id=reply.client_order_id,
        order_state=reply.order_state,
        action=reply.action,
        action_msg=reply.action_msg,
    )
    return (
        without_fields(shown, "order_state", "action", "action_msg")
        if action == "place_order"
        else without_fields(shown)
    )
