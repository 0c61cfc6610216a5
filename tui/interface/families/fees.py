"""Fee schedules and the broker family: enums, records and endpoint rows."""

from __future__ import annotations

from enum import StrEnum

import msgspec

from tui.interface.endpoint import MAIN_AND_SUB, Family, Kind, Param, Permission, RateLimit, Scope, Shape
from tui.interface.families.deposits import (
    BROKER_DEPOSIT_FILTERS,
    BROKER_WITHDRAWAL_FILTERS,
    BrokerDepositRecord,
    BrokerWithdrawalRecord,
)
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


class ChangeType(StrEnum):
    """How the add-point of a sub portfolio is written."""

    ABSOLUTE = "ABSOLUTE"
    """Basis points."""
    PERCENTAGE = "PERCENTAGE"


class SubFeeParam(StrEnum):
    """Parameters of a change of the fees of sub portfolios."""

    PORTFOLIO = "portfolioId"
    EXCHANGE = "exchange"
    KIND = "instType"
    WAY = "chgType"
    TAKER = "chgTaker"
    MAKER = "chgMaker"
    DAY = "effDate"
    REBATE_RATIO = "markupRebateRatio"


class BrokerFeeSchedule(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """Rates of a portfolio as the broker queries print them; effective rates of pairs are in the groups."""

    portfolio_id: str
    exchange: str
    inst_type: str
    eff_date: str = ""
    """yyyyMMdd."""
    level: str = ""
    maker: str = ""
    taker: str = ""
    group_list: list[FeeGroup] = []
    markup_rebate_ratio: str = ""


class SubFeeSet(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """Answer to a change of the fees of sub portfolios."""

    eff_date: str
    """yyyyMMdd."""


class CollectionRecord(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """What one fill of a sub portfolio paid beyond the rate of the main one."""

    user_id: str = ""
    portfolio_id: str = ""
    sub_portfolio_id: str = ""
    exchange_type: str
    business_type: str
    transaction_id: str
    coin: str
    amount: str
    status: str
    created_at: str
    """ms."""
    sym: str = ""
    fee_price: str = ""
    rebate_ratio: str = ""
    rebate_amount: str = ""


class ClearingRecord(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """What a broker got back of a markup."""

    id: str
    portfolio_id: str = ""
    user_id: str = ""
    exchange_type: str
    business_type: str
    transaction_id: str
    statement_flow_type: str
    coin: str
    amount: str
    create_at: str
    """ms."""
    update_at: str = ""


SETTLED = "1"
"""Status of a collection record."""
MARKUP_REBATE = "MARKUP_REBATE"
"""Flow type of a rebate in the clearing statement."""

_USER_FEE_RATE_PARAMS = (
    Param(name="exchange", kind=Kind.VENUE, wrong=401023, aliases=("exchangeType",)),
    Param(name="instType", kind=Kind.WORD, words=("SPOT", "PERP"), aliases=("businessType",)),
    Param(name="portfolio"),
    Param(name="portfolios", aliases=("portfolioIds",)),
)
_BROKER_POSITION_BRACKETS_PARAMS = (Param(name="sym", kind=Kind.SYM, wrong=401011),)

SUB_FEE_PARAMS = (
    Param(name="portfolioId"),
    Param(name="exchange", kind=Kind.VENUE, required=True, wrong=401023, aliases=("exchangeType",)),
    Param(name="instType", kind=Kind.WORD, words=("SPOT", "PERP"), required=True, aliases=("businessType",)),
    Param(name="chgType", kind=Kind.WORD, words=tuple(ChangeType), required=True),
    Param(name="chgTaker", kind=Kind.DECIMAL, wrong=406005),
    Param(name="chgMaker", kind=Kind.DECIMAL, wrong=406006),
    Param(name="effDate"),
    Param(name="markupRebateRatio", kind=Kind.DECIMAL),
)
_SETTLED_PARAMS = (
    Param(name="begin", kind=Kind.MILLIS, required=True, aliases=("startTime",)),
    Param(name="end", kind=Kind.MILLIS, required=True, aliases=("endTime",)),
    Param(name="exchange", kind=Kind.VENUE, wrong=401023, aliases=("exchangeType",)),
    Param(name="instType", kind=Kind.WORD, words=("SPOT", "PERP"), aliases=("businessType",)),
    Param(name="coin"),
    Param(name="subPortfolioId"),
    Param(name="sym", kind=Kind.SYM),
    Param(name="page", kind=Kind.WHOLE, aliases=("pageNum",)),
    Param(name="pageSize", kind=Kind.WHOLE, aliases=("limit",)),
)

_BROKER = Family("broker", permission=Permission.READ, scopes=(Scope.MAIN,), success=200000, limit=RateLimit(10, 2))
_FEES = Family("fees", permission=Permission.READ, scopes=MAIN_AND_SUB, success=200000, limit=RateLimit(3, 10))

# fmt: off
BROKER_DEPOSITS = _BROKER.row("broker_deposits", "GET /api/v1/broker/deposit/list", "deposits of sub portfolios",
    success=200, limit=RateLimit(20, 10), paged=True, params=BROKER_DEPOSIT_FILTERS, record=BrokerDepositRecord,
    shape=Shape.PAGE)
BROKER_WITHDRAWALS = _BROKER.row("broker_withdrawals", "GET /api/v1/broker/userWithdrawRecord/list",
    "withdrawals of sub portfolios", success=200, limit=RateLimit(20, 10), paged=True,
    params=BROKER_WITHDRAWAL_FILTERS, record=BrokerWithdrawalRecord, shape=Shape.PAGE)
USER_FEE_RATE = _FEES.row("user_fee_rate", "GET /api/v1/trading/userFeeRate", "fee schedule with groupList and level",
    params=_USER_FEE_RATE_PARAMS, record=FeeSchedule, shape=Shape.ARRAY)
BROKER_FEE_RATE = _BROKER.row("broker_fee_rate", "GET /api/v1/broker/feeRate",
    "fee schedules of main and subs; a sub key gets its own plus main", scopes=MAIN_AND_SUB,
    params=_USER_FEE_RATE_PARAMS, record=BrokerFeeSchedule, shape=Shape.ARRAY)
SUB_FEE_RATE = _BROKER.row("sub_fee_rate", "GET /api/v1/broker/sub/feeRate",
    "sub-portfolio self-query of the fee schedule", scopes=(Scope.SUB,), params=_USER_FEE_RATE_PARAMS,
    record=BrokerFeeSchedule, shape=Shape.ARRAY)
SET_SUB_FEE_RATE = _BROKER.row("set_sub_fee_rate", "POST /api/v1/broker/subFeeRate",
    "set sub-portfolio fee rate and markup rebate", permission=Permission.TRADE, params=SUB_FEE_PARAMS,
    record=SubFeeSet, shape=Shape.OBJECT)
COLLECTION_RECORDS = _BROKER.row("collection_records", "GET /api/v1/broker/collectionRecord",
    "collection records with markup rebate; time range required", paged=True, params=_SETTLED_PARAMS,
    record=CollectionRecord, shape=Shape.PAGE)
CLEARING_STATEMENT = _BROKER.row("clearing_statement", "GET /api/v1/broker/clearingStatement",
    "broker clearing statement", paged=True, params=_SETTLED_PARAMS, record=ClearingRecord, shape=Shape.PAGE)
BROKER_POSITION_BRACKETS = _BROKER.row("broker_position_brackets", "GET /api/v1/trading/broker/positionBracket",
    "broker position tiers", scopes=MAIN_AND_SUB, limit=RateLimit(3, 10), params=_BROKER_POSITION_BRACKETS_PARAMS,
    record=Bracket, shape=Shape.LISTS)
# fmt: on

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
