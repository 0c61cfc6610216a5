"""Answers about loans: rates and terms, what is borrowed, what can be, and its lists."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from tui.engine.rows import LoanTerms, Row, Table
from tui.interface.families.loans import InterestLevelRow, InterestRates, LoanPoolRow
from tui.interface.families.portfolio_loans import (
    FILLED,
    LoanAccount,
    LoanCoin,
    LoanConfig,
    LoanInfo,
    LoanOrderRecord,
    LoanStatementRecord,
    MaxLoan,
)

_HOUR_MS = 3_600_000
_COINS = {
    "USDT": ("0.0000068", "0.06", "36000"),
    "BTC": ("0.0000012", "0.01", "0.58"),
    "ETH": ("0.0000026", "0.023", "10.2"),
}
"""Hourly rate of a margin debt, annual rate of a loan, what can be borrowed."""
_VENUES = ("BINANCE", "OKX")


def terms(now_ms: int) -> Iterator[tuple[Table, str, Row]]:
    """Interest rates and terms of loans."""
    for coin, (hourly, annual, _) in _COINS.items():
        level = InterestLevelRow(level="1", hour_interest_rate=hourly, loan_limit="2000000")
        for venue in _VENUES:
            rates = InterestRates(exchange_type=venue, coin=coin, update_time=now_ms, levels=[level])
            yield Table.INTEREST, f"{venue}/{coin}", rates
            yield Table.LOANS, f"{venue}/{coin}", LoanTerms("3", ())
        config = LoanConfig(
            coin=coin, loan_leverage="3", max_loan_value="500000", loan_mmr="0.05", loan_interest_rate=annual
        )
        yield Table.LOAN_CONFIG, coin, config


def info(params: Mapping[str, str], now_ms: int) -> LoanInfo:
    """10,000 USDT are borrowed on BINANCE, nothing on OKX."""
    del params, now_ms
    loan = LoanCoin(
        coin="USDT", loan="10000", loan_mmr="0.05", loan_leverage=3, loan_value="10000", net_equity="12000",
        net_equity_value="12000", net_margin_value="12000", portfolio_max_loan_coin="36000",
    )  # fmt: skip
    rows = [
        LoanAccount(
            exchange=venue, account_status="NORMAL", ltv="0.362" if coins else "0", net_margin_value="12000",
            net_valid_margin="12000", net_available_margin="12000", loan_margin="3333.33", loan_maintenance_margin="500",
            coins=coins,
        )
        for venue, coins in (("BINANCE", [loan]), ("OKX", []))
    ]  # fmt: skip
    return LoanInfo(portfolio_id=0, accounts=rows)


def maxima(params: Mapping[str, str], now_ms: int) -> tuple[MaxLoan, ...]:
    """What can be borrowed."""
    del now_ms
    return tuple(
        MaxLoan(exchange=venue, coin=coin, portfolio_max_loan_coin=most)
        for venue in _VENUES
        for coin, (_, _, most) in _COINS.items()
        if params.get("exchange") in (None, venue)
    )


def pools(params: Mapping[str, str], now_ms: int) -> tuple[LoanPoolRow, ...]:
    """What the venues have to lend."""
    del params, now_ms
    sizes = {"USDT": "49990000", "BTC": "500", "ETH": "8000"}
    return tuple(
        LoanPoolRow(exchange_type=venue, coin=coin, max_avi_loan=sizes[coin]) for venue in _VENUES for coin in _COINS
    )


def orders(params: Mapping[str, str], now_ms: int) -> tuple[LoanOrderRecord, ...]:
    """One loan, a part of which was repaid."""
    del params
    made = (("repay", "5000.00", 26), ("borrow", "15000.00", 50))
    return tuple(
        LoanOrderRecord(
            order_id=str(185_647_807_523_192_000 + hours), client_order_id=f"p0loan{hours}", exchange="BINANCE", type=kind,
            coin="USDT", amount=amount, status=FILLED, create_time=now_ms - hours * _HOUR_MS,
        )
        for kind, amount, hours in made
    )  # fmt: skip


def statement(params: Mapping[str, str], now_ms: int) -> tuple[LoanStatementRecord, ...]:
    """The loan, the repayment and the interest of the last hours."""
    rows = [("loan_repay", "-5000", "22000", 26), ("loan_borrow", "15000", "27000", 50)]
    rows = [*(("loan_interest", "-0.06849315068493", "22000.12", hours) for hours in range(1, 7)), *rows]
    wanted = params.get("type")
    return tuple(
        LoanStatementRecord(
            statement_id=str(50_000_000_000_000_100 - number), exchange="BINANCE", type=kind, coin="USDT", delta=delta,
            balance=balance, timestamp=now_ms - hours * _HOUR_MS,
        )
        for number, (kind, delta, balance, hours) in enumerate(rows)
        if wanted in (None, kind.removeprefix("loan_"))
    )  # fmt: skip
