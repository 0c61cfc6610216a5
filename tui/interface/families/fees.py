"""Fee schedules and the broker family: enums, records and endpoint rows."""

from __future__ import annotations

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


_USER_FEE_RATE_PARAMS = (
    Param(name="exchange", kind=Kind.VENUE, wrong=401023, aliases=("exchangeType",)),
    Param(name="instType", kind=Kind.WORD, words=("SPOT", "PERP"), aliases=("businessType",)),
    Param(name="portfolio"),
    Param(name="portfolios", aliases=("portfolioIds",)),
)
_BROKER_POSITION_BRACKETS_PARAMS = (Param(name="sym", kind=Kind.SYM, wrong=401011),)

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
    "fee schedules of main and subs; a sub key gets its own plus main", scopes=MAIN_AND_SUB)
SUB_FEE_RATE = _BROKER.row("sub_fee_rate", "GET /api/v1/broker/sub/feeRate",
    "sub-portfolio self-query of the fee schedule", scopes=(Scope.SUB,))
SET_SUB_FEE_RATE = _BROKER.row("set_sub_fee_rate", "POST /api/v1/broker/subFeeRate",
    "set sub-portfolio fee rate and markup rebate", permission=Permission.TRADE)
COLLECTION_RECORDS = _BROKER.row("collection_records", "GET /api/v1/broker/collectionRecord",
    "collection records with markup rebate; time range required", paged=True)
CLEARING_STATEMENT = _BROKER.row("clearing_statement", "GET /api/v1/broker/clearingStatement",
    "broker clearing statement", paged=True)
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
