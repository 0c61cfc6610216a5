"""Fee schedules and the broker family: enums, records and endpoint rows."""

from __future__ import annotations

import msgspec

from tui.interface.endpoint import Endpoint, Kind, Param, Permission, RateLimit, Scope, Shape
from tui.interface.families.market import Bracket


class FeeGroup(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """Rates of their own for some pairs."""

    taker_fee: str
    maker_fee: str
    sym_list: list[str] = []
    group_name: str = ""
    """Only some services name their groups."""


class FeeSchedule(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """Rates of a portfolio on a venue, as fractions; a negative maker rate is a rebate. Both spellings are printed."""

    portfolio_id: str = ""
    exchange: str = ""
    inst_type: str = ""
    eff_date: str = ""
    """yyyyMMdd."""
    maker: str = ""
    taker: str = ""
    exchange_type: str = ""
    business_type: str = ""
    taker_fee_rate: str = ""
    maker_fee_rate: str = ""
    level: str = ""
    group_list: list[FeeGroup] = []


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
    params=(
        Param(name="exchange", kind=Kind.VENUE, wrong=401023, aliases=("exchangeType",)),
        Param(name="instType", kind=Kind.WORD, words=("SPOT", "PERP"), aliases=("businessType",)),
        Param(name="portfolio"),
        Param(name="portfolios", aliases=("portfolioIds",)),
    ),
    record=FeeSchedule,
    shape=Shape.ARRAY,
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
    params=(Param(name="sym", kind=Kind.SYM, wrong=401011),),
    record=Bracket,
    shape=Shape.LISTS,
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
