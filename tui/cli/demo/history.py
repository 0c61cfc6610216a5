"""The history of the pictures: orders with their fills, closed positions, a statement and the volume of a week."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from decimal import Decimal
from typing import NamedTuple

from tui.interface.decimals import ZERO, half_up, plain
from tui.interface.families.history import (
    DEDUCT_INTEREST,
    DIVIDEND,
    FUNDING_FEE,
    LIQ_COMPENSATION,
    LIQUIDATION_FEE,
    TRADE,
    PortfolioStats,
    PortfolioStatsDetail,
    StatementRecord,
    TradeRecord,
    UserStats,
)
from tui.interface.families.orders import OrderRecord
from tui.interface.families.positions import PositionHistoryRecord
from tui.interface.symbols import parse_symbol

HOUR_MS = 3_600_000
_TAKER, _MAKER = Decimal("0.0005"), Decimal("0.00005")
_SIZES = {"OKX_PERP_BTC_USDT": Decimal("0.01"), "OKX_PERP_ETH_USDT": Decimal("0.1")}
"""Coins of a contract."""
TOTAL = 412
"""Orders that the service says there are in the window."""


class _Sent(NamedTuple):
    hours_ago: str
    sym: str
    side: str
    kind: str
    qty: str
    price: str
    done: str
    state: str = "FILLED"
    rpnl: str = "0"
    reduces: bool = False


_ORDERS = (
    _Sent(
        "19.2", "BINANCE_PERP_BTC_USDT", "SELL", "LIMIT GTC", "0.120", "64310.2", "0.120", rpnl="41.28", reduces=True
    ),
    _Sent("21.7", "OKX_PERP_BTC_USDT", "BUY", "LIMIT GTX", "8", "63904.0", "0", "CANCELLED"),
    _Sent("26.4", "BINANCE_PERP_BTC_USDT", "BUY", "LIMIT GTC", "0.120", "63966.2", "0.120"),
    _Sent(
        "31.0", "BINANCE_PERP_ETH_USDT", "BUY", "MARKET IOC", "2.500", "2684.11", "2.500", rpnl="-18.40", reduces=True
    ),
    _Sent("40.3", "BINANCE_PERP_ETH_USDT", "SELL", "MARKET IOC", "2.500", "2676.75", "2.500"),
    _Sent("52.9", "EDX_PERP_BTC_USDT", "SELL", "LIMIT GTC", "0.040", "64120.5", "0.025", "CANCELLED"),
    _Sent("75.1", "OKX_PERP_ETH_USDT", "SELL", "LIMIT GTC", "30", "2655.40", "30", rpnl="22.95", reduces=True),
    _Sent("80.6", "OKX_PERP_ETH_USDT", "BUY", "LIMIT GTC", "30", "2647.75", "30"),
    _Sent("96.2", "BINANCE_SPOT_BTC_USDT", "BUY", "MARKET IOC", "0.01500", "62880.11", "0.01500"),
    _Sent("110.5", "BINANCE_PERP_SOL_USDT", "SELL", "LIMIT FOK", "40.0", "158.20", "0", "REJECT"),
    _Sent("131.8", "OKX_PERP_BTC_USDT", "SELL", "MARKET IOC", "12", "62514.6", "12", rpnl="-63.12", reduces=True),
    _Sent("150.4", "OKX_PERP_BTC_USDT", "BUY", "MARKET IOC", "12", "63040.6", "12"),
)


class HistoryTables:
    """Rows of every list, as of a time."""

    def __init__(self, portfolio: str, now_ms: int) -> None:
        self._portfolio, self._now = portfolio, now_ms

    def list(self, endpoint: str) -> tuple[object, ...]:
        """The rows of a list by the name of its row of the catalogue."""
        rows = {
            "order_history": self._orders, "executions_paged": self._fills, "position_history": self._closed_positions,
            "statement": self._statement,
        }[endpoint]  # fmt: skip
        return tuple(rows())

    def _at(self, hours_ago: str) -> str:
        return str(self._now - int(Decimal(hours_ago) * HOUR_MS))

    def _orders(self) -> Iterator[OrderRecord]:
        for number, sent in enumerate(_ORDERS):
            kind, _, tif = sent.kind.partition(" ")
            amount = self._amount(sent)
            yield OrderRecord(
                portfolio_id=self._portfolio, portfolio_name="main", order_id=str(2_046_118_273_640_900 - 7 * number),
                client_order_id=f"cd5{900 - 13 * number}", order_state=sent.state, sym=sent.sym,
                exchange_type=parse_symbol(sent.sym).exchange, business_type=parse_symbol(sent.sym).business_type,
                side=sent.side, exchange_order_type=kind, order_qty=sent.qty, time_in_force=tif,
                limit_price="" if kind == "MARKET" else sent.price, executed_qty=sent.done,
                executed_avg_price=sent.price if sent.done != "0" else "0", executed_amount=plain(amount),
                reduce_only=sent.reduces, fee=plain(self._fee(sent)), fee_coin="USDT" if self._fee(sent) else "",
                cancel_type="USER" if sent.state == "CANCELLED" else "", create_at=self._at(sent.hours_ago),
                update_at=self._at(sent.hours_ago),
            )  # fmt: skip

    def _amount(self, sent: _Sent) -> Decimal:
        return Decimal(sent.done) * _SIZES.get(sent.sym, Decimal(1)) * Decimal(sent.price)

    def _fee(self, sent: _Sent) -> Decimal:
        return half_up(self._amount(sent) * _TAKER, 8) if sent.kind.startswith("MARKET") else ZERO

    def _fills(self) -> Iterator[TradeRecord]:
        for number, sent in enumerate(_ORDERS):
            if sent.done == "0":
                continue
            fee = self._fee(sent)
            rebate = ZERO if fee else half_up(self._amount(sent) * _MAKER, 8)
            yield TradeRecord(
                transaction_id=str(30_046_118_273_640_900 - number), portfolio_id=self._portfolio,
                order_id=str(2_046_118_273_640_900 - 7 * number), client_order_id=f"cd5{900 - 13 * number}",
                exchange_type=parse_symbol(sent.sym).exchange, business_type=parse_symbol(sent.sym).business_type,
                sym=sent.sym, side=sent.side, quantity=sent.done, price=sent.price, fee=plain(fee),
                fee_coin="USDT" if fee else "", rebate=plain(rebate), rebate_coin="USDT" if rebate else "",
                rpnl=sent.rpnl, exec_type="TAKER" if fee else "MAKER", create_at=self._at(sent.hours_ago),
            )  # fmt: skip

    def _closed_positions(self) -> Iterator[PositionHistoryRecord]:
        for number, (hours, sym, side, qty, entry, left, result, fee, funding, how) in enumerate(_CLOSED):
            yield PositionHistoryRecord(
                position_id=str(20_046_118_273_640_900 - number), portfolio_id=self._portfolio, portfolio_name="main",
                sym=sym, closed_type=how, closed_pnl=result, closed_avg_price=left,
                closed_pnl_ratio=self._ratio(sym, qty, entry, result),
                open_avg_price=entry, max_position_qty=qty, closed_qty=qty, fee=fee, funding_fee=funding,
                liq_fee="20.1" if how == "LIQUIDATION" else "0", leverage=20, position_history_side=side,
                position_mode="NET", create_at=self._at(str(Decimal(hours) + 7)), update_at=self._at(hours),
            )  # fmt: skip

    def _ratio(self, sym: str, qty: str, entry: str, result: str) -> str:
        """The result on the margin at entry, at a leverage of 20."""
        return plain(half_up(Decimal(result) * 20 / (Decimal(qty) * _SIZES.get(sym, Decimal(1)) * Decimal(entry)), 4))

    def _statement(self) -> Iterator[StatementRecord]:
        after = {"USDT": Decimal("100000"), "ETH": Decimal("10")}
        for number, (hours, kind, venue, coin, sym, amount) in enumerate(_STATEMENT):
            borrowed = kind == DEDUCT_INTEREST
            moved = ZERO if borrowed else Decimal(amount)
            has = after[coin]
            after[coin] = has - moved
            yield StatementRecord(
                portfolio_id=self._portfolio, statement_id=str(10_000_000_000_104_000 - number), coin=coin, sym=sym,
                statement_type=kind, exchange_type=venue, business_type="PERP" if sym else "SPOT",
                before_available=plain(has - moved), after_available=plain(has), delta_amount=plain(moved),
                before_borrow="1.85" if borrowed else "0",
                after_borrow=plain(Decimal("1.85") - Decimal(amount)) if borrowed else "0",
                create_at=int(self._at(hours)),
            )  # fmt: skip


def volume(params: Mapping[str, str], now_ms: int) -> PortfolioStats:
    """The sums of this portfolio by pair."""
    del params, now_ms
    details = [
        PortfolioStatsDetail(
            exchange=parse_symbol(sym).exchange, business_type=kind, symbol=sym, executed_amount=amount,
            total_trading_fee=fee, total_rpnl=result,
        )
        for sym, kind, amount, fee, result in _VOLUME
    ]  # fmt: skip
    return PortfolioStats(begin="20260101", end="20260107", details=details)


def volume_of_all(params: Mapping[str, str], now_ms: int) -> UserStats:
    """The sums of all portfolios."""
    del params, now_ms
    return UserStats(begin="20260101", end="20260107", all_spot="943.2", all_perp="61204.88")


_CLOSED = (
    ("19.2", "BINANCE_PERP_BTC_USDT", "LONG", "0.120", "63966.2", "64310.2", "41.28", "0", "-1.92", "COMPLETE_CLOSED"),
    (
        "31.0",
        "BINANCE_PERP_ETH_USDT",
        "SHORT",
        "2.500",
        "2676.75",
        "2684.11",
        "-18.4",
        "6.7",
        "0.67",
        "COMPLETE_CLOSED",
    ),
    ("75.1", "OKX_PERP_ETH_USDT", "LONG", "30", "2647.75", "2655.40", "22.95", "0", "0", "COMPLETE_CLOSED"),
    ("131.8", "OKX_PERP_BTC_USDT", "LONG", "12", "63040.6", "62514.6", "-63.12", "7.53", "-2.27", "COMPLETE_CLOSED"),
    ("160.5", "BINANCE_PERP_SOL_USDT", "LONG", "26.0", "160.10", "154.62", "-142.48", "4.1", "-0.4", "LIQUIDATION"),
)
_STATEMENT = (
    ("19.2", TRADE, "BINANCE", "USDT", "BINANCE_PERP_BTC_USDT", "41.66586"),
    ("24.0", FUNDING_FEE, "BINANCE", "USDT", "BINANCE_PERP_BTC_USDT", "-0.76762"),
    ("25.0", DEDUCT_INTEREST, "OKX", "ETH", "", "-0.00000481"),
    ("31.0", TRADE, "BINANCE", "USDT", "BINANCE_PERP_ETH_USDT", "-21.7551375"),
    ("32.0", FUNDING_FEE, "BINANCE", "USDT", "BINANCE_PERP_ETH_USDT", "0.67"),
    ("48.0", DIVIDEND, "BINANCE", "ETH", "", "0.003"),
    ("112.5", LIQ_COMPENSATION, "BINANCE", "USDT", "", "8.04"),
    ("160.5", LIQUIDATION_FEE, "BINANCE", "USDT", "BINANCE_PERP_SOL_USDT", "-20.1"),
)
_VOLUME = (
    ("BINANCE_PERP_BTC_USDT", "PERP", "15393.17", "0", "41.28"),
    ("BINANCE_PERP_ETH_USDT", "PERP", "13402.15", "6.701075", "-18.4"),
    ("BINANCE_SPOT_BTC_USDT", "SPOT", "943.2", "0.9432", "0"),
    ("OKX_PERP_BTC_USDT", "PERP", "15066.62", "7.53331", "-63.12"),
    ("OKX_PERP_ETH_USDT", "PERP", "15909.45", "0", "22.95"),
)
