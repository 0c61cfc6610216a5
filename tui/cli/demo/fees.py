"""Fees of the pictures: a group, two portfolios, and what was settled."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec

from tui.cli.demo import funds
from tui.cli.demo.portfolios import MAIN, NIGHT
from tui.interface.families.deposits import (
    BrokerDepositRecord,
    BrokerWithdrawalRecord,
    DepositRecord,
    WithdrawalRecord,
)
from tui.interface.families.fees import (
    MARKUP_REBATE,
    SETTLED,
    BrokerFeeSchedule,
    ClearingRecord,
    CollectionRecord,
    FeeGroup,
    FeeSchedule,
)
from tui.interface.families.market import Bracket

_GROUP = FeeGroup(
    taker_fee="0.0006", maker_fee="0.0001", group_name="altcoins",
    sym_list=["BINANCE_PERP_DOGE_USDT", "BINANCE_PERP_SOL_USDT"],
)  # fmt: skip
_MAIN, _SUB = str(MAIN), str(NIGHT)


def own(params: Mapping[str, str], now_ms: int) -> tuple[FeeSchedule, ...]:
    """The schedules of the desk's portfolio."""
    del params, now_ms
    return tuple(
        FeeSchedule(
            exchange=venue, inst_type=kind, eff_date="20240101", taker_fee_rate=taker, maker_fee_rate=maker, level="1",
            group_list=[_GROUP] if (venue, kind) == ("BINANCE", "PERP") else [],
        )
        for venue in ("BINANCE", "OKX")
        for kind, taker, maker in (("PERP", "0.0005", "-0.00005"), ("SPOT", "0.001", "0"))
    )  # fmt: skip


def of_portfolios(params: Mapping[str, str], now_ms: int) -> tuple[BrokerFeeSchedule, ...]:
    """Those of main and of a sub portfolio that pays more."""
    del params, now_ms
    rows = ((_MAIN, "0.0005", "-0.00005", "0.0000"), (_SUB, "0.00065", "0", "0.2500"))
    return tuple(
        BrokerFeeSchedule(
            portfolio_id=name, exchange="BINANCE", inst_type="PERP", eff_date="20240101", level="1", taker=taker,
            maker=maker, markup_rebate_ratio=ratio,
        )
        for name, taker, maker, ratio in rows
    )  # fmt: skip


def collections_of(params: Mapping[str, str], now_ms: int) -> tuple[CollectionRecord, ...]:
    """One fill with a markup."""
    del params
    row = CollectionRecord(
        user_id=_MAIN, portfolio_id=_MAIN, sub_portfolio_id=_SUB, exchange_type="BINANCE", business_type="PERP",
        transaction_id="30000000000000001", coin="USDT", amount="1.236", status=SETTLED, created_at=str(now_ms - 60_000),
        sym="BINANCE_PERP_BTC_USDT", fee_price="61800", rebate_ratio="0.2500", rebate_amount="0.30900000",
    )  # fmt: skip
    return (row,)


def cleared(params: Mapping[str, str], now_ms: int) -> tuple[ClearingRecord, ...]:
    """What came back of it."""
    del params
    row = ClearingRecord(
        id="60000000000000001", portfolio_id=_MAIN, user_id=_MAIN, exchange_type="BINANCE", business_type="PERP",
        transaction_id="30000000000000001", statement_flow_type=MARKUP_REBATE, coin="USDT", amount="0.309",
        create_at=str(now_ms - 60_000),
    )  # fmt: skip
    return (row,)


def tiers(params: Mapping[str, str], now_ms: int) -> dict[str, list[Bracket]]:
    """Two tiers of one pair."""
    del params, now_ms
    sym = "BINANCE_PERP_BTC_USDT"
    steps = (("0", "500000", "100", "0.005"), ("500000", "5000000", "50", "0.01"))
    rows = [
        Bracket(
            sym=sym, min_notional_value=low, max_notional_value=high, max_leverage=leverage, mm_rate=rate,
            risk_level=str(number),
        )
        for number, (low, high, leverage, rate) in enumerate(steps, start=1)
    ]  # fmt: skip
    return {sym: rows}


def deposits(params: Mapping[str, str], now_ms: int) -> tuple[BrokerDepositRecord, ...]:
    """What came into the sub portfolio: one deposit arrived, one is under way."""
    return tuple(
        BrokerDepositRecord(portfolio_id=int(_SUB), account_type="BINANCE", **_without_place(one))
        for one in funds.deposits(params, now_ms)
    )


def withdrawals(params: Mapping[str, str], now_ms: int) -> tuple[BrokerWithdrawalRecord, ...]:
    """What left the sub portfolio."""
    return tuple(
        BrokerWithdrawalRecord(portfolio_id=int(_SUB), from_account_type="OKX", **_without_place(one))
        for one in funds.withdrawals(params, now_ms)
    )


def _without_place(row: DepositRecord | WithdrawalRecord) -> dict[str, Any]:
    """The fields of a row beside where it is of."""
    found = msgspec.structs.asdict(row)
    return {name: value for name, value in found.items() if name not in ("account_type", "from_account_type")}
