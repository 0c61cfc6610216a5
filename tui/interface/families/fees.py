"""Fee schedules and the broker family: enums, records and endpoint rows."""

from __future__ import annotations

from tui.interface.endpoint import Endpoint, Permission, RateLimit, Scope

BROKER_DEPOSITS = Endpoint(
    name="broker_deposits",
    method="GET",
    path="/api/v1/broker/deposit/list",
    family="broker",
    permission=Permission.READ,
    scopes=(Scope.MAIN,),
    success=200,
    limit=RateLimit(20, 10),
    paged=True,
    purpose="deposits of sub portfolios",
)

BROKER_WITHDRAWALS = Endpoint(
    name="broker_withdrawals",
    method="GET",
    path="/api/v1/broker/userWithdrawRecord/list",
    family="broker",
    permission=Permission.READ,
    scopes=(Scope.MAIN,),
    success=200,
    limit=RateLimit(20, 10),
    paged=True,
    purpose="withdrawals of sub portfolios",
)

USER_FEE_RATE = Endpoint(
    name="user_fee_rate",
    method="GET",
    path="/api/v1/trading/userFeeRate",
    family="fees",
    permission=Permission.READ,
    scopes=(
        Scope.MAIN,
        Scope.SUB,
    ),
    success=200000,
    limit=RateLimit(3, 10),
    purpose="fee schedule with groupList and level",
)

BROKER_FEE_RATE = Endpoint(
    name="broker_fee_rate",
    method="GET",
    path="/api/v1/broker/feeRate",
    family="broker",
    permission=Permission.READ,
    scopes=(
        Scope.MAIN,
        Scope.SUB,
    ),
    success=200000,
    limit=RateLimit(10, 2),
    purpose="fee schedules of main and subs; a sub key gets its own plus main",
)

SUB_FEE_RATE = Endpoint(
    name="sub_fee_rate",
    method="GET",
    path="/api/v1/broker/sub/feeRate",
    family="broker",
    permission=Permission.READ,
    scopes=(Scope.SUB,),
    success=200000,
    limit=RateLimit(10, 2),
    purpose="sub-portfolio self-query of the fee schedule",
)

SET_SUB_FEE_RATE = Endpoint(
    name="set_sub_fee_rate",
    method="POST",
    path="/api/v1/broker/subFeeRate",
    family="broker",
    permission=Permission.TRADE,
    scopes=(Scope.MAIN,),
    success=200000,
    limit=RateLimit(10, 2),
    purpose="set sub-portfolio fee rate and markup rebate",
)

COLLECTION_RECORDS = Endpoint(
    name="collection_records",
    method="GET",
    path="/api/v1/broker/collectionRecord",
    family="broker",
    permission=Permission.READ,
    scopes=(Scope.MAIN,),
    success=200000,
    limit=RateLimit(10, 2),
    paged=True,
    purpose="collection records with markup rebate; time range required",
)

CLEARING_STATEMENT = Endpoint(
    name="clearing_statement",
    method="GET",
    path="/api/v1/broker/clearingStatement",
    family="broker",
    permission=Permission.READ,
    scopes=(Scope.MAIN,),
    success=200000,
    limit=RateLimit(10, 2),
    paged=True,
    purpose="broker clearing statement",
)

BROKER_POSITION_BRACKETS = Endpoint(
    name="broker_position_brackets",
    method="GET",
    path="/api/v1/trading/broker/positionBracket",
    family="broker",
    permission=Permission.READ,
    scopes=(
        Scope.MAIN,
        Scope.SUB,
    ),
    success=200000,
    limit=RateLimit(3, 10),
    purpose="broker position tiers",
)

ROWS = (
    BROKER_DEPOSITS,
    BROKER_WITHDRAWALS,
    USER_FEE_RATE,
    BROKER_FEE_RATE,
    SUB_FEE_RATE,
    SET_SUB_FEE_RATE,
    COLLECTION_RECORDS,
    CLEARING_STATEMENT,
    BROKER_POSITION_BRACKETS,
)
