"""Answers about fees: a group, two portfolios, and what was settled."""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal

from tui.interface.families.deposits import BrokerDepositRecord, BrokerWithdrawalRecord
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
_MINUTE_MS = 60_000
_FUNDING = 2_471_869_303_229_000
_MAIN, _SUB = "2171869303220000", "2171869303220001"


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
    """Two deposits of the sub portfolio: one arrived, one is under way."""
    del params
    rows = (("USDT", "500", "TRC20", 2, 3), ("BTC", "0.75", "BTC", 3, 2_900))
    return tuple(
        BrokerDepositRecord(
            portfolio_id=int(_SUB), account_type="BINANCE", id=2_820_000_000_000_007 - at, account_id=_FUNDING,
            currency=coin, network=network, amount=Decimal(amount), status=status, tx_id=f"paper-tx-{at}",
            apply_time=str(now_ms - ago * _MINUTE_MS),
        )
        for at, (coin, amount, network, status, ago) in enumerate(rows)
    )  # fmt: skip


def withdrawals(params: Mapping[str, str], now_ms: int) -> tuple[BrokerWithdrawalRecord, ...]:
    """Three withdrawals of the sub portfolio: one waits, one left, one was rejected."""
    del params
    rows = (("USDT", "1200", 1, "", 1), ("USDT", "5000", 3, "", 1_500), ("USDT", "90000", 5, "not approved", 4_300))
    return tuple(
        BrokerWithdrawalRecord(
            portfolio_id=int(_SUB), from_account_type="OKX", id=2_720_000_000_000_012 - at, account_id=_FUNDING,
            currency=coin, network="TRC20", address="paper-trc20-9c41d07be2", address_tag="cold wallet",
            amount=Decimal(amount), status=status, info=info, apply_time=str(now_ms - ago * _MINUTE_MS),
        )
        for at, (coin, amount, status, info, ago) in enumerate(rows)
    )  # fmt: skip
