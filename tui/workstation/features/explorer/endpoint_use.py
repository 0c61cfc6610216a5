"""Table of the REST endpoints this program calls, and of the key actions that call them."""

from __future__ import annotations

from collections.abc import Callable

from tui.workstation.input.actions import BY_ID, format_key

CALLED: dict[str, tuple[str, ...]] = {
    "account": ("palette.open", "modes.open"),
    "account_balances": ("screen.funds",),
    "accounts": ("screen.funds", "screen.portfolios"),
    "adl_rank": ("pane.5",),
    "algo_detail": ("screen.algos",),
    "algo_history": ("screen.history",),
    "api_keys": ("screen.portfolios",),
    "assets_defi": ("screen.overview",),
    "assets_distribution": ("screen.overview",),
    "assets_funding": ("screen.overview",),
    "assets_overview": ("screen.overview",),
    "assets_trading_account": ("overview.inside",),
    "assets_trading_accounts": ("screen.overview",),
    "assets_trading_summary": ("screen.overview",),
    "bills": ("screen.funds",),
    "broker_deposits": ("screen.fees",),
    "broker_fee_rate": ("screen.fees", "fee.set"),
    "broker_position_brackets": ("leverage.open", "screen.fees"),
    "broker_withdrawals": ("screen.fees",),
    "cancel_algo": ("algo.cancel",),
    "cancel_all": ("cancel.scope", "kill.open"),
    "cancel_all_algos": ("cancel.scope", "kill.open"),
    "cancel_order": ("order.cancel", "cancel.last"),
    "change_api_key": ("portfolio.edit", "key.freeze"),
    "clearing_statement": ("screen.fees",),
    "close_position": ("position.flatten",),
    "close_positions": ("position.flatten_all",),
    "coin_discounts": ("pane.4",),
    "collection_records": ("screen.fees",),
    "create_api_key": ("portfolio.new",),
    "create_portfolio": ("portfolio.new",),
    "currencies": ("transfer.open",),
    "custody_list": ("screen.funds",),
    "custody_lock": ("custody.open",),
    "custody_unlock": ("custody.open",),
    "delete_api_key": ("key.delete",),
    "deposit_address": ("deposit.open",),
    "deposit_venue": ("deposit.open",),
    "deposits": ("screen.funds",),
    "executions": ("palette.open",),
    "executions_archive": ("screen.history",),
    "executions_paged": ("screen.history",),
    "funding_rate": ("pane.1",),
    "interest_rates": ("screen.loans", "ticket.open"),
    "liquidation_event": ("screen.liquidation",),
    "loan_info": ("leverage.open",),
    "loan_pool": ("screen.loans",),
    "margin_leverage": ("leverage.open",),
    "mark_price": ("row.details",),
    "open_algos": ("screen.algos", "modes.open"),
    "open_orders": ("pane.2",),
    "order_archive": ("screen.history",),
    "order_detail": ("history.ask",),
    "order_history": ("screen.history",),
    "perp_leverage": ("leverage.open",),
    "place_algo": ("algo.new",),
    "place_order": ("ticket.send",),
    "portfolio_assets": ("pane.4",),
    "portfolio_loan_borrow": ("loan.borrow",),
    "portfolio_loan_config": ("loan.borrow", "screen.loans"),
    "portfolio_loan_info": ("screen.loans", "pane.4"),
    "portfolio_loan_max": ("loan.borrow", "screen.loans"),
    "portfolio_loan_orders": ("screen.loans",),
    "portfolio_loan_repay": ("loan.repay",),
    "portfolio_loan_statement": ("screen.loans",),
    "portfolio_trading_stats": ("screen.history",),
    "portfolios": ("screen.portfolios",),
    "position_brackets": ("leverage.open",),
    "position_history": ("screen.history",),
    "positions": ("pane.3",),
    "rapid_pool": ("transfer.open",),
    "rename_portfolio": ("portfolio.edit",),
    "replace_algo": ("algo.edit",),
    "replace_order": ("order.edit",),
    "set_deposit_venue": ("deposit.open",),
    "set_margin_leverage": ("leverage.open",),
    "set_perp_leverage": ("leverage.open",),
    "set_position_mode": ("modes.open",),
    "set_sub_fee_rate": ("fee.set",),
    "statement": ("screen.history",),
    "sub_fee_rate": ("screen.fees",),
    "symbol_info": ("filter.open",),
    "symbols": ("row.details",),
    "system_status": (),
    "transfer": ("transfer.open",),
    "transfer_detail": ("transfer.open",),
    "transfers": ("screen.funds",),
    "user_assets": ("screen.overview", "transfer.open"),
    "user_fee_rate": ("ticket.open", "screen.fees"),
    "user_trading_stats": ("screen.history",),
    "user_trading_stats_old": ("screen.history",),
    "withdraw": ("withdraw.open",),
    "withdraw_addresses": ("withdraw.open",),
    "withdrawals": ("screen.funds",),
}
"""Actions that call an endpoint or show its answer, by endpoint name; empty: the program calls it by itself."""

BY_EXPLORER: dict[str, str] = {
    "rapid_pool_post": "older name of rapid_pool",
    "system_status": "read automatically; its maintenance windows are shown in the status bar",
}
"""Endpoints that only the explorer reaches by key, with the reason."""


def standard_key(action: str) -> str:
    """Return the first default key of an action, as shown to people; empty if it has none."""
    keys = BY_ID[action].keys
    return format_key(keys[0]) if keys else ""


def keys_of(name: str, key_of: Callable[[str], str] = standard_key) -> tuple[str, ...]:
    """Return the keys of the actions that call an endpoint; empty if it can only be reached by the command palette.

    Args:
        name: Name of the endpoint.
        key_of: Key of an action as shown to people; empty if it has none.
    """
    return tuple(filter(None, map(key_of, CALLED.get(name, ()))))
