"""Algo orders: enums, records and endpoint rows."""

from __future__ import annotations

from tui.interface.endpoint import Endpoint, Permission, RateLimit, Scope

PLACE_ALGO = Endpoint(
    name="place_algo",
    method="POST",
    path="/api/v1/algo/order",
    family="algo",
    permission=Permission.TRADE,
    scopes=(
        Scope.MAIN,
        Scope.SUB,
    ),
    success=200000,
    limit=RateLimit(3, 10),
    asynchronous=True,
    purpose="place algo order (TPSL)",
)

REPLACE_ALGO = Endpoint(
    name="replace_algo",
    method="PUT",
    path="/api/v1/algo/order",
    family="algo",
    permission=Permission.TRADE,
    scopes=(
        Scope.MAIN,
        Scope.SUB,
    ),
    success=200000,
    limit=RateLimit(3, 10),
    asynchronous=True,
    purpose="replace algo order",
)

CANCEL_ALGO = Endpoint(
    name="cancel_algo",
    method="DELETE",
    path="/api/v1/algo/order",
    family="algo",
    permission=Permission.TRADE,
    scopes=(
        Scope.MAIN,
        Scope.SUB,
    ),
    success=200000,
    limit=RateLimit(3, 10),
    asynchronous=True,
    purpose="cancel algo order",
)

ALGO_DETAIL = Endpoint(
    name="algo_detail",
    method="GET",
    path="/api/v1/algo/order",
    family="algo",
    permission=Permission.READ,
    scopes=(
        Scope.MAIN,
        Scope.SUB,
    ),
    success=200000,
    limit=RateLimit(3, 10),
    purpose="query algo order",
)

OPEN_ALGOS = Endpoint(
    name="open_algos",
    method="GET",
    path="/api/v1/algo/openOrders",
    family="algo",
    permission=Permission.READ,
    scopes=(
        Scope.MAIN,
        Scope.SUB,
    ),
    success=200000,
    limit=RateLimit(3, 10),
    paged=True,
    purpose="open algo orders",
)

ALGO_HISTORY = Endpoint(
    name="algo_history",
    method="GET",
    path="/api/v1/algo/history/orders",
    family="algo",
    permission=Permission.READ,
    scopes=(
        Scope.MAIN,
        Scope.SUB,
    ),
    success=200000,
    limit=RateLimit(3, 10),
    paged=True,
    purpose="algo order history, 7 days",
)

CANCEL_ALL_ALGOS = Endpoint(
    name="cancel_all_algos",
    method="DELETE",
    path="/api/v1/algo/cancelAll",
    family="algo",
    permission=Permission.TRADE,
    scopes=(
        Scope.MAIN,
        Scope.SUB,
    ),
    success=200000,
    limit=RateLimit(50, 10),
    asynchronous=True,
    purpose="cancel all open algo orders of the portfolio, optional filters",
)

ROWS = (
    PLACE_ALGO,
    REPLACE_ALGO,
    CANCEL_ALGO,
    ALGO_DETAIL,
    OPEN_ALGOS,
    ALGO_HISTORY,
    CANCEL_ALL_ALGOS,
)
