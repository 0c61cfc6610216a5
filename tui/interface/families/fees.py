"""Fee schedules and broker endpoints: enums, records, requests and endpoint definitions."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated

import msgspec

from tui.interface.endpoint import MAIN_AND_SUB, Family, Permission, RateLimit, Scope, Shape
from tui.interface.families.deposits import (
    BrokerDepositRecord,
    BrokerDepositsQuery,
    BrokerWithdrawalRecord,
    BrokerWithdrawalsQuery,
)
from tui.interface.families.market import Bracket
from tui.interface.request import (
    Amount,
    CommandRequest,
    ExchangeFilter,
    Kind,
    PageRequest,
    Request,
    Rule,
    Symbol,
    SymbolQuery,
)


class FeeGroup(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """Fee rates of a group of pairs, where they differ from the schedule."""

    taker_fee: str
    maker_fee: str
    sym_list: list[str] = []
    group_name: str = ""
    """Some services leave it empty."""


class FeeSchedule(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """Fee schedule of a portfolio on a venue, as fractions; a negative rate is a rebate. Both field spellings are sent."""

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
    """Unit of the fee markup of a sub portfolio: basis points or per cent of the rate."""

    ABSOLUTE = "ABSOLUTE"
    """Basis points."""
    PERCENTAGE = "PERCENTAGE"


class BrokerFeeSchedule(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """Fee schedule of a portfolio as the broker endpoints return it; the rates in force for a pair are in the groups."""

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
    """Reply to a change of the fee markups of sub portfolios."""

    eff_date: str
    """yyyyMMdd."""


class CollectionRecord(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """Fee markup that one fill of a sub portfolio paid on top of the main portfolio's rate."""

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
    """Rebate that a broker received from a fee markup."""

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


class SetSubFee(CommandRequest, frozen=True, kw_only=True, rename="camel", tag="set_sub_fee_rate"):
    """Request to set the fee markup of one sub portfolio, or of all; an empty value stays unchanged."""

    wide_when_empty = True

    portfolio_id: str = ""
    exchange: ExchangeFilter
    inst_type: Annotated[str, Rule(Kind.WORD, ("SPOT", "PERP"), aliases=("businessType",))]
    chg_type: Annotated[str, Rule(Kind.WORD, tuple(ChangeType))]
    chg_taker: Annotated[str, Rule(Kind.DECIMAL, error_code=406005)] = ""
    chg_maker: Annotated[str, Rule(Kind.DECIMAL, error_code=406006)] = ""
    eff_date: str = ""
    markup_rebate_ratio: Amount = ""


class FeeQuery(Request, frozen=True, kw_only=True, rename="camel"):
    """Query for fee schedules: of one portfolio plus the main one, or of exactly the listed portfolios."""

    exchange: ExchangeFilter = ""
    inst_type: Annotated[str, Rule(Kind.WORD, ("SPOT", "PERP"), aliases=("businessType",))] = ""
    portfolio: str = ""
    portfolios: Annotated[str, Rule(aliases=("portfolioIds",))] = ""


class SettlementsQuery(PageRequest, frozen=True, kw_only=True, rename="camel"):
    """Query for settlements of fee markups."""

    begin: Annotated[str, Rule(Kind.MILLIS, aliases=("startTime",))]
    end: Annotated[str, Rule(Kind.MILLIS, aliases=("endTime",))]
    exchange: ExchangeFilter = ""
    inst_type: Annotated[str, Rule(Kind.WORD, ("SPOT", "PERP"), aliases=("businessType",))] = ""
    coin: str = ""
    sub_portfolio_id: str = ""
    sym: Symbol = ""


_BROKER = Family("broker", permission=Permission.READ, scopes=(Scope.MAIN,), success=200000, limit=RateLimit(10, 2))
_FEES = Family("fees", permission=Permission.READ, scopes=MAIN_AND_SUB, success=200000, limit=RateLimit(3, 10))

# fmt: off
BROKER_DEPOSITS = _BROKER.row("broker_deposits", "GET /api/v1/broker/deposit/list", "deposits of sub portfolios",
    success=200, limit=RateLimit(20, 10), paged=True, request=BrokerDepositsQuery, record=BrokerDepositRecord,
    shape=Shape.PAGE)
BROKER_WITHDRAWALS = _BROKER.row("broker_withdrawals", "GET /api/v1/broker/userWithdrawRecord/list",
    "withdrawals of sub portfolios", success=200, limit=RateLimit(20, 10), paged=True,
    request=BrokerWithdrawalsQuery, record=BrokerWithdrawalRecord, shape=Shape.PAGE)
USER_FEE_RATE = _FEES.row("user_fee_rate", "GET /api/v1/trading/userFeeRate", "fee schedule with groupList and level",
    request=FeeQuery, record=FeeSchedule, shape=Shape.ARRAY)
BROKER_FEE_RATE = _BROKER.row("broker_fee_rate", "GET /api/v1/broker/feeRate",
    "fee schedules of main and subs; a sub key gets its own plus main", scopes=MAIN_AND_SUB,
    request=FeeQuery, record=BrokerFeeSchedule, shape=Shape.ARRAY)
SUB_FEE_RATE = _BROKER.row("sub_fee_rate", "GET /api/v1/broker/sub/feeRate",
    "sub-portfolio self-query of the fee schedule", scopes=(Scope.SUB,), request=FeeQuery,
    record=BrokerFeeSchedule, shape=Shape.ARRAY)
SET_SUB_FEE_RATE = _BROKER.row("set_sub_fee_rate", "POST /api/v1/broker/subFeeRate",
    "set sub-portfolio fee rate and markup rebate", permission=Permission.TRADE, request=SetSubFee,
    record=SubFeeSet, shape=Shape.OBJECT)
COLLECTION_RECORDS = _BROKER.row("collection_records", "GET /api/v1/broker/collectionRecord",
    "collection records with markup rebate; time range required", paged=True, request=SettlementsQuery,
    record=CollectionRecord, shape=Shape.PAGE)
CLEARING_STATEMENT = _BROKER.row("clearing_statement", "GET /api/v1/broker/clearingStatement",
    "broker clearing statement", paged=True, request=SettlementsQuery, record=ClearingRecord, shape=Shape.PAGE)
BROKER_POSITION_BRACKETS = _BROKER.row("broker_position_brackets", "GET /api/v1/trading/broker/positionBracket",
    "broker position tiers", scopes=MAIN_AND_SUB, limit=RateLimit(3, 10), request=SymbolQuery,
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
