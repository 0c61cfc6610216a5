"""Which endpoints the program calls, and the actions of the keyboard through which a trader reaches them."""

from __future__ import annotations

from tui.workstation.input.actions import BY_ID, shown_key

CALLED: dict[str, tuple[str, ...]] = {
    "account": ("palette.open", "modes.open"),
    "account_balances": ("screen.funds",),
    "accounts": ("screen.funds",),
    "adl_rank": ("pane.5",),
    "algo_detail": ("screen.algos",),
    "algo_history": (),
    "api_keys": ("screen.portfolios",),
    "assets_defi": ("screen.overview",),
    "assets_distribution": ("screen.overview",),
    "assets_funding": ("screen.overview",),
    "assets_overview": ("screen.overview",),
    "assets_trading_account": ("overview.inside",),
    "assets_trading_accounts": ("screen.overview",),
    "assets_trading_summary": ("screen.overview",),
    "broker_position_brackets": ("leverage.open",),
    "cancel_algo": ("algo.cancel",),
    "cancel_all": ("cancel.scope", "kill.open"),
    "cancel_all_algos": ("cancel.scope", "kill.open"),
    "cancel_order": ("order.cancel", "cancel.last"),
    "change_api_key": ("portfolio.edit", "key.freeze"),
    "coin_discounts": ("pane.4",),
    "create_api_key": ("portfolio.new",),
    "create_portfolio": ("portfolio.new",),
    "currencies": ("transfer.open",),
    "delete_api_key": ("key.delete",),
    "executions": ("palette.open",),
    "executions_archive": ("screen.history",),
    "executions_paged": ("screen.history",),
    "funding_rate": ("pane.1",),
    "liquidation_event": ("screen.liquidation",),
    "loan_info": ("leverage.open",),
    "margin_leverage": ("leverage.open",),
    "open_algos": ("screen.algos", "modes.open"),
    "open_orders": ("pane.2",),
    "order_archive": ("screen.history",),
    "order_detail": ("history.ask",),
    "order_history": ("screen.history",),
    "perp_leverage": ("leverage.open",),
    "place_algo": ("algo.new",),
    "place_order": ("ticket.send",),
    "portfolio_assets": ("pane.4",),
    "portfolio_trading_stats": ("screen.history",),
    "portfolios": ("screen.portfolios",),
    "position_brackets": ("leverage.open",),
    "position_history": ("screen.history",),
    "positions": ("pane.3",),
    "rapid_pool": ("transfer.open",),
    "rename_portfolio": ("portfolio.edit",),
    "replace_algo": ("algo.edit",),
    "replace_order": ("order.edit",),
    "set_margin_leverage": ("leverage.open",),
    "set_perp_leverage": ("leverage.open",),
    "set_position_mode": ("modes.open",),
    "statement": ("screen.history",),
    "symbol_info": ("filter.open",),
    "system_status": (),
    "transfer": ("transfer.open",),
    "transfer_detail": ("transfer.open",),
    "transfers": ("screen.funds",),
    "user_assets": ("screen.overview", "transfer.open"),
    "user_fee_rate": ("ticket.open",),
    "user_trading_stats": ("screen.history",),
}
"""Name of an endpoint -> actions that send it or show what it answers; none: the program calls it by itself."""

BY_EXPLORER: dict[str, str] = {
    "algo_history": "asked by itself for an algo order without an answer; ended ones are of no list yet",
    "close_position": "f flattens through the gate, with preview and limits; this one knows neither",
    "close_positions": "F flattens through the gate, with the list and a typed word",
    "mark_price": "marks come with the quotes, every change of them",
    "rapid_pool_post": "an older spelling of rapid_pool",
    "symbols": "a shorter list than symbol_info, which the search (/) uses",
    "system_status": "asked by itself; its windows stand in the status bar",
    "user_trading_stats_old": "an older spelling of user_trading_stats",
}
"""Rows that only the explorer reaches by key, each with the reason."""


def keys_of(name: str) -> tuple[str, ...]:
    """The keys through which a trader reaches an endpoint; a pane without a key of its own is found by the palette."""
    return tuple(shown_key(BY_ID[action].keys[0]) for action in CALLED.get(name, ()))
