"""What the demo engine shows: pairs, quotes, orders, legs, coins, fills and events, as tables to read."""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

from tui.cli.demo import loans
from tui.engine.rows import (
    BracketTable,
    Fact,
    FundingTerms,
    Level,
    LoanTerms,
    PendingAction,
    Row,
    Stamp,
    Table,
    TickerRow,
)
from tui.interface.families.fees import FeeSchedule
from tui.interface.families.history import DEDUCT_INTEREST, FUNDING_FEE
from tui.interface.families.loans import CoinDiscountRow, LoanTierRow
from tui.interface.families.market import Bracket, SymbolInfo
from tui.interface.families.positions import LeverageRow

VENUES = ("BINANCE", "OKX", "EDX")
INTEREST = DEDUCT_INTEREST
FUNDING_EVERY_MS = 28_800_000
FUNDING_IN_MS = 9_953_000
WHOLE_MARKET = "1000000000"


def _info(sym: str, tick: str, lot: str, contract: str = "1") -> SymbolInfo:
    return SymbolInfo(
        sym=sym,
        state="live",
        tick_size=tick,
        lot_size=lot,
        min_size=lot,
        min_notional="5",
        contract_size=contract,
        max_limit_size="100000",
        max_market_size="10000",
        default_leverage="20",
    )


SYMBOLS = (
    _info("BINANCE_PERP_BTC_USDT", "0.1", "0.001"),
    _info("OKX_PERP_BTC_USDT", "0.1", "1", "0.01"),
    _info("EDX_PERP_BTC_USDT", "0.5", "0.001"),
    _info("BINANCE_SPOT_BTC_USDT", "0.01", "0.00001"),
    _info("OKX_SPOT_BTC_USDT", "0.1", "0.00001"),
    _info("BINANCE_MARGIN_BTC_USDT", "0.01", "0.00001"),
    _info("BINANCE_PERP_ETH_USDT", "0.01", "0.001"),
    _info("OKX_PERP_ETH_USDT", "0.01", "1", "0.1"),
    _info("EDX_PERP_ETH_USDT", "0.05", "0.001"),
    _info("BINANCE_SPOT_ETH_USDT", "0.01", "0.0001"),
    _info("BINANCE_PERP_SOL_USDT", "0.01", "0.1"),
    _info("OKX_PERP_SOL_USDT", "0.01", "1"),
    _info("BINANCE_PERP_DOGE_USDT", "0.00001", "1"),
    _info("OKX_PERP_DOGE_USDT", "0.00001", "1", "1000"),
    _info("EDX_PERP_SOL_USDT", "0.01", "0.1"),
    _info("BINANCE_SPOT_SOL_USDT", "0.01", "0.01"),
    _info("BINANCE_PERP_XRP_USDT", "0.0001", "1"),
    _info("OKX_PERP_XRP_USDT", "0.0001", "1", "100"),
    _info("BINANCE_PERP_LINK_USDT", "0.001", "0.1"),
)

QUOTES = (
    # pair, bid, ask, bid size, ask size, mark, age in seconds
    ("BINANCE_PERP_BTC_USDT", "64001.0", "64001.2", "2.105", "0.870", "64001.0", 0.1),
    ("OKX_PERP_BTC_USDT", "64000.9", "64001.1", "131", "52", "64001.0", 0.0),
    ("EDX_PERP_BTC_USDT", "64000.5", "64001.5", "1.307", "0.410", "64001.0", 0.4),
    ("BINANCE_SPOT_BTC_USDT", "64010.12", "64010.22", "0.98213", "1.20411", "", 0.0),
    ("OKX_SPOT_BTC_USDT", "64010.0", "64010.4", "0.50122", "0.70004", "", 0.3),
    ("BINANCE_MARGIN_BTC_USDT", "64010.12", "64010.22", "0.98213", "1.20411", "", 0.0),
    ("BINANCE_PERP_ETH_USDT", "3412.09", "3412.10", "12.700", "8.050", "3412.10", 0.0),
    ("OKX_PERP_ETH_USDT", "3412.05", "3412.11", "890", "411", "3412.08", 0.2),
    ("EDX_PERP_ETH_USDT", "3411.90", "3412.30", "6.250", "4.000", "3412.10", 1.1),
    ("BINANCE_SPOT_ETH_USDT", "3412.60", "3412.61", "4.2000", "3.9150", "", 0.0),
    ("BINANCE_PERP_SOL_USDT", "151.24", "151.25", "210.5", "98.1", "151.24", 0.1),
    ("OKX_PERP_SOL_USDT", "151.23", "151.25", "1840", "2215", "151.24", 0.1),
    ("BINANCE_PERP_DOGE_USDT", "0.16212", "0.16213", "48210", "112840", "0.16212", 2.6),
    ("OKX_PERP_DOGE_USDT", "0.16211", "0.16214", "86", "41", "0.16212", 3.4),
    ("EDX_PERP_SOL_USDT", "151.20", "151.28", "55.0", "70.5", "151.24", 0.8),
    ("BINANCE_SPOT_SOL_USDT", "151.31", "151.32", "88.20", "41.75", "", 0.2),
    ("BINANCE_PERP_XRP_USDT", "0.5218", "0.5219", "120441", "88310", "0.5218", 0.3),
    ("OKX_PERP_XRP_USDT", "0.5218", "0.5219", "804", "1120", "0.5218", 0.9),
    ("BINANCE_PERP_LINK_USDT", "14.812", "14.813", "412.3", "180.9", "14.812", 1.4),
)

TICKERS = (
    # pair, last, change over 24 hours in per cent, open interest as the venue counts it
    ("BINANCE_PERP_BTC_USDT", "64001.2", "1.25", "82114.317"),
    ("OKX_PERP_BTC_USDT", "64000.9", "1.24", "2918442"),
    ("EDX_PERP_BTC_USDT", "64001.5", "1.19", "1204.881"),
    ("BINANCE_SPOT_BTC_USDT", "64010.22", "1.27", ""),
    ("OKX_SPOT_BTC_USDT", "64010.0", "1.26", ""),
    ("BINANCE_MARGIN_BTC_USDT", "64010.22", "1.27", ""),
    ("BINANCE_PERP_ETH_USDT", "3412.10", "2.08", "1460327.100"),
    ("OKX_PERP_ETH_USDT", "3412.05", "2.07", "5420118"),
    ("EDX_PERP_ETH_USDT", "3412.30", "2.01", "20317.500"),
    ("BINANCE_SPOT_ETH_USDT", "3412.60", "2.10", ""),
    ("BINANCE_PERP_SOL_USDT", "151.25", "-2.31", "9120044.0"),
    ("OKX_PERP_SOL_USDT", "151.23", "-2.33", "3310877"),
    ("BINANCE_PERP_DOGE_USDT", "0.16212", "-0.74", "812440391"),
    ("OKX_PERP_DOGE_USDT", "0.16214", "-0.75", "301284"),
    ("EDX_PERP_SOL_USDT", "151.28", "-2.29", "4410.5"),
    ("BINANCE_SPOT_SOL_USDT", "151.32", "-2.30", ""),
    ("BINANCE_PERP_XRP_USDT", "0.5219", "0.42", "311902884"),
    ("OKX_PERP_XRP_USDT", "0.5218", "0.41", "880214"),
    ("BINANCE_PERP_LINK_USDT", "14.813", "3.15", "4402981.7"),
)

FUNDING = {
    "BINANCE_PERP_BTC_USDT": "0.00010000",
    "OKX_PERP_BTC_USDT": "0.00012100",
    "EDX_PERP_BTC_USDT": "0.00009000",
    "BINANCE_PERP_ETH_USDT": "0.00008300",
    "OKX_PERP_ETH_USDT": "0.00008700",
    "EDX_PERP_ETH_USDT": "0.00007100",
    "BINANCE_PERP_SOL_USDT": "-0.00004200",
    "OKX_PERP_SOL_USDT": "-0.00003800",
    "BINANCE_PERP_DOGE_USDT": "0.00010000",
    "OKX_PERP_DOGE_USDT": "0.00010000",
    "EDX_PERP_SOL_USDT": "-0.00003100",
    "BINANCE_PERP_XRP_USDT": "0.00010000",
    "OKX_PERP_XRP_USDT": "0.00009400",
    "BINANCE_PERP_LINK_USDT": "0.00012800",
}

DISCOUNTS = {"USDT": "1.0000", "BTC": "0.9500", "ETH": "0.9500", "SOL": "0.8500", "DOGE": "0.7000"}

MAINTENANCE = {"BTC": "0.005", "ETH": "0.01", "SOL": "0.015", "DOGE": "0.02", "XRP": "0.02", "LINK": "0.02"}


def reference_data(now_ms: int, stamp: Stamp) -> Iterator[tuple[Table, str, Row]]:
    """Fees, tiers, leverages, discounts, loans, funding and tickers."""
    for venue in VENUES:
        for kind, taker, maker in (("PERP", "0.0005", "-0.00005"), ("SPOT", "0.001", "0")):
            fees = FeeSchedule(exchange_type=venue, business_type=kind, taker_fee_rate=taker, maker_fee_rate=maker)
            yield Table.FEES, f"{venue}/{kind}", Fact(fees, stamp)
    for sym, rate in FUNDING.items():
        base = sym.split("_")[2]
        tiers = tuple(
            Bracket(
                sym=sym,
                min_notional_value=low,
                max_notional_value=high,
                max_leverage=leverage,
                mm_rate=MAINTENANCE[base],
                risk_level=level,
            )
            for low, high, leverage, level in (("0", "50000000", "100", "1"), ("50000000", WHOLE_MARKET, "20", "2"))
        )
        yield Table.BRACKETS, sym, BracketTable(tiers)
        yield Table.LEVERAGES, sym, LeverageRow(sym=sym, leverage="20")
        funding = FundingTerms(sym=sym, rate=rate, next_at=now_ms + FUNDING_IN_MS, interval_ms=FUNDING_EVERY_MS)
        yield Table.FUNDING, sym, funding
    for coin, share in DISCOUNTS.items():
        yield Table.DISCOUNTS, coin, CoinDiscountRow(coin=coin, discount=share)
    tier = LoanTierRow(tier="1", min_size="0", max_size="100", mm_rate="0.02", max_leverage="5")
    yield Table.LOANS, "BINANCE/BTC", LoanTerms("5", (tier,))
    yield from loans.terms(now_ms)
    for sym, last, change, interest in TICKERS:
        yield Table.TICKERS, sym, TickerRow(sym=sym, last=last, change=change, open_interest=interest)


class DemoOrder(msgspec.Struct, frozen=True, kw_only=True):
    """One order; quantities as the venue counts them."""

    sym: str
    side: str
    leg: str = "NONE"
    price: str
    qty: str
    executed: str = "0"
    state: str = "OPEN"
    final: bool = False
    overlay: PendingAction = PendingAction.NOTHING
    requested_price: str = ""
    tif: str = "GTX"
    age_s: float
    waits_s: float = 1.0
    """How long the present state or action lasts."""
    reduce_only: bool = False
    reason: str = ""
    algo: str = ""
    profit: str = ""
    stop: str = ""
    arrival: str = ""
    reply_ms: float = 31.0
    order_id: str = ""


ORDERS = (
    DemoOrder(
        sym="BINANCE_SPOT_ETH_USDT", side="BUY", price="3412.10", qty="1.0000", state="UNKNOWN", tif="GTC", age_s=15,
        waits_s=12, arrival="3412.605", reason="no reply in 3.0 s",
    ),
    DemoOrder(
        sym="EDX_PERP_BTC_USDT", side="SELL", leg="SHORT", price="64300.0", qty="0.010", overlay=PendingAction.AMEND,
        requested_price="64290.0", age_s=92, waits_s=2, arrival="64001.0", reply_ms=44,
    ),
    DemoOrder(
        sym="OKX_PERP_ETH_USDT", side="BUY", leg="LONG", price="3398.40", qty="60", overlay=PendingAction.CANCEL, age_s=310,
        waits_s=0, arrival="3401.11", reply_ms=29,
    ),
    DemoOrder(
        sym="BINANCE_PERP_BTC_USDT", side="BUY", leg="LONG", price="63998.0", qty="0.250", executed="0.100",
        state="PARTIALLY_FILLED", age_s=4, profit="65200.0", stop="63360.0", arrival="63999.9",
    ),
    DemoOrder(
        sym="BINANCE_PERP_BTC_USDT", side="BUY", leg="SHORT", price="64001.0", qty="0.300", age_s=18, arrival="64001.5",
    ),
    DemoOrder(sym="OKX_PERP_BTC_USDT", side="BUY", leg="SHORT", price="63880.0", qty="25", age_s=41, arrival="64004.2"),
    DemoOrder(
        sym="OKX_PERP_SOL_USDT", side="SELL", leg="LONG", price="152.10", qty="120", executed="45", age_s=95,
        state="PARTIALLY_FILLED", arrival="151.90", reply_ms=27,
    ),
    DemoOrder(
        sym="BINANCE_PERP_ETH_USDT", side="SELL", leg="LONG", price="3460.00", qty="15.000", age_s=740,
        algo="tw-4417", tif="GTC", arrival="3409.80",
    ),
    DemoOrder(
        sym="BINANCE_MARGIN_BTC_USDT", side="SELL", price="64480.00", qty="0.05000", age_s=1_930, tif="GTC",
        arrival="63950.25",
    ),
    DemoOrder(
        sym="OKX_SPOT_BTC_USDT", side="BUY", price="62750.0", qty="0.02000", age_s=8_100, tif="GTC", arrival="63120.3",
    ),
    DemoOrder(
        sym="BINANCE_PERP_ETH_USDT", side="BUY", leg="LONG", price="3411.50", qty="4.000", executed="4.000",
        state="FILLED", final=True, age_s=33, arrival="3411.75",
    ),
    DemoOrder(
        sym="EDX_PERP_ETH_USDT", side="BUY", leg="SHORT", price="3412.30", qty="2.000", state="REJECT", final=True,
        age_s=21, reason="post-only order would take", arrival="3412.10", reply_ms=38,
    ),
    DemoOrder(
        sym="BINANCE_PERP_BTC_USDT", side="SELL", leg="LONG", price="64120.5", qty="0.500", executed="0.500",
        state="FILLED", final=True, tif="IOC", age_s=1_284, arrival="64120.9", order_id="918273639204",
    ),
    DemoOrder(
        sym="OKX_PERP_BTC_USDT", side="BUY", leg="SHORT", price="63944.1", qty="100", executed="100", state="FILLED",
        final=True, tif="IOC", age_s=2_712, arrival="63943.6", reply_ms=28, order_id="918273639118",
    ),
    DemoOrder(
        sym="EDX_PERP_ETH_USDT", side="SELL", leg="SHORT", price="3398.20", qty="12.000", executed="12.000",
        state="FILLED", final=True, tif="IOC", age_s=5_401, arrival="3398.45", reply_ms=41, order_id="918273638840",
    ),
    DemoOrder(
        sym="BINANCE_SPOT_ETH_USDT", side="BUY", price="3371.20", qty="2.5000", executed="2.5000", state="FILLED",
        final=True, tif="IOC", age_s=7_903, arrival="3371.05", order_id="918273638417",
    ),
)  # fmt: skip
"""Newest first; those that ended long ago are known by their fills only."""


class DemoLeg(msgspec.Struct, frozen=True, kw_only=True):
    """One position."""

    sym: str
    leg: str
    qty: str
    entry: str
    leverage: str = "20"
    fee: str = "0"
    funding: str = "0"
    ranks: tuple[str, ...] = ()
    """Its ADL ranks, the newest last."""
    age_s: float


LEGS = (
    DemoLeg(
        sym="BINANCE_PERP_BTC_USDT", leg="LONG", qty="2.500", entry="63870.0", fee="79.84", funding="-31.20",
        ranks=("1", "2"), age_s=14_400,
    ),
    DemoLeg(
        sym="BINANCE_PERP_BTC_USDT", leg="SHORT", qty="0.800", entry="64412.5", fee="25.77", funding="10.31",
        ranks=("2",), age_s=9_300,
    ),
    DemoLeg(
        sym="BINANCE_PERP_ETH_USDT", leg="LONG", qty="40.000", entry="3377.50", fee="67.55", funding="-22.40",
        ranks=("2", "3", "4"), age_s=52_000,
    ),
    DemoLeg(
        sym="OKX_PERP_BTC_USDT", leg="SHORT", qty="200", entry="64210.0", fee="64.21", funding="31.07",
        ranks=("1",), age_s=31_000,
    ),
    DemoLeg(
        sym="OKX_PERP_SOL_USDT", leg="LONG", qty="350", entry="154.80", leverage="10", fee="27.09", funding="2.21",
        ranks=("2", "1"), age_s=200_000,
    ),
    DemoLeg(
        sym="EDX_PERP_ETH_USDT", leg="SHORT", qty="12.000", entry="3398.20", fee="20.39", funding="2.90",
        ranks=("1",), age_s=5_400,
    ),
)  # fmt: skip


class DemoBalance(msgspec.Struct, frozen=True, kw_only=True):
    """One coin on a venue."""

    venue: str
    coin: str
    balance: str
    frozen: str = "0"
    debt: str = "0"
    index: str = "1"
    age_s: float = 4.0


COINS = (
    DemoBalance(venue="BINANCE", coin="USDT", balance="30000.00", frozen="3412.10"),
    DemoBalance(venue="BINANCE", coin="BTC", balance="0.350000", frozen="0.050000", debt="0.150000", index="64010.17"),
    DemoBalance(venue="BINANCE", coin="ETH", balance="2.500000", index="3412.60", age_s=33.0),
    DemoBalance(venue="BINANCE", coin="DOGE", balance="4.120000", index="0.16212", age_s=7_200.0),
    DemoBalance(venue="OKX", coin="USDT", balance="20000.00", frozen="1255.00", age_s=2.0),
    DemoBalance(venue="OKX", coin="SOL", balance="12.000000", index="151.24", age_s=410.0),
    DemoBalance(venue="EDX", coin="USDT", balance="10000.00", age_s=21.0),
)


class DemoFill(msgspec.Struct, frozen=True, kw_only=True):
    """One execution; amounts in quote."""

    sym: str
    side: str
    qty: str
    price: str
    fee: str = "0"
    rebate: str = "0"
    result: str = "0"
    age_s: float
    limit: str = ""
    """Limit of the order it belongs to, where that is not its own price."""


FILLS = (
    DemoFill(
        sym="BINANCE_PERP_BTC_USDT", side="BUY", qty="0.060", price="63998.0", rebate="0.1920", age_s=2.113,
    ),
    DemoFill(
        sym="BINANCE_PERP_BTC_USDT", side="BUY", qty="0.040", price="63998.0", rebate="0.1280", age_s=2.870,
    ),
    DemoFill(
        sym="OKX_PERP_SOL_USDT", side="SELL", qty="30", price="152.10", rebate="0.2282", result="-81.0000",
        age_s=24.402,
    ),
    DemoFill(
        sym="BINANCE_PERP_ETH_USDT", side="BUY", qty="4.000", price="3411.50", rebate="0.6823", age_s=33.051,
    ),
    DemoFill(
        sym="OKX_PERP_SOL_USDT", side="SELL", qty="15", price="152.10", rebate="0.1141", result="-40.5000",
        age_s=61.730,
    ),
    DemoFill(
        sym="BINANCE_PERP_BTC_USDT", side="SELL", qty="0.500", price="64120.5", fee="16.0301", result="125.2500",
        age_s=1_284.2,
    ),
    DemoFill(
        sym="OKX_PERP_BTC_USDT", side="BUY", qty="60", price="63944.0", fee="19.1832", result="159.6000", age_s=2_711.9,
        limit="63944.1",
    ),
    DemoFill(
        sym="OKX_PERP_BTC_USDT", side="BUY", qty="40", price="63944.1", fee="12.7888", result="106.3600", age_s=2_711.9,
    ),
    DemoFill(
        sym="EDX_PERP_ETH_USDT", side="SELL", qty="12.000", price="3398.20", fee="20.3892", age_s=5_400.6,
    ),
    DemoFill(
        sym="BINANCE_SPOT_ETH_USDT", side="BUY", qty="2.5000", price="3371.20", fee="8.4280", age_s=7_902.3,
    ),
)  # fmt: skip

BOOKED = (
    # kind, pair, amount, age in seconds
    (FUNDING_FEE, "BINANCE_PERP_BTC_USDT", "-10.8800", 18_847.0),
    (FUNDING_FEE, "BINANCE_PERP_ETH_USDT", "-11.2100", 18_847.0),
    (FUNDING_FEE, "OKX_PERP_BTC_USDT", "15.5300", 18_847.0),
    (FUNDING_FEE, "OKX_PERP_SOL_USDT", "2.2100", 18_847.0),
    (DEDUCT_INTEREST, "BINANCE_MARGIN_BTC_USDT", "0.00000750", 4_447.0),
)

EVENTS = (
    # age in seconds, level, text
    (1_284.2, Level.GOOD, "FILL SELL 0.500 BINANCE BTC perp @ 64,120.5"),
    (310.0, Level.INFO, "BUY 60ct OKX ETH perp @ 3,398.4: OPEN"),
    (95.0, Level.INFO, "SELL 120ct OKX SOL perp @ 152.1: OPEN"),
    (61.7, Level.GOOD, "FILL SELL 15ct OKX SOL perp @ 152.1"),
    (61.7, Level.GOOD, "SELL 120ct OKX SOL perp @ 152.1: PARTIAL 15/120"),
    (41.0, Level.INFO, "BUY 25ct OKX BTC perp @ 63,880.0: OPEN"),
    (33.1, Level.GOOD, "FILL BUY 4.000 BINANCE ETH perp @ 3,411.5"),
    (33.1, Level.GOOD, "BUY 4.000 BINANCE ETH perp @ 3,411.5: FILLED 4.000/4.000"),
    (24.4, Level.GOOD, "FILL SELL 30ct OKX SOL perp @ 152.1"),
    (24.4, Level.GOOD, "SELL 120ct OKX SOL perp @ 152.1: PARTIAL 45/120"),
    (21.0, Level.WARN, "BUY 2.000 EDX ETH perp @ 3,412.3: REJECTED post-only order would take"),
    (18.0, Level.INFO, "BUY 0.300 BINANCE BTC perp @ 64,001.0: OPEN"),
    (12.0, Level.ALERT, "UNKNOWN: BUY 1.0000 BINANCE_SPOT_ETH_USDT @ 3412.10: no reply in 3.0 s; being queried"),
    (4.0, Level.INFO, "BUY 0.250 BINANCE BTC perp @ 63,998.0: OPEN"),
    (2.9, Level.GOOD, "FILL BUY 0.040 BINANCE BTC perp @ 63,998.0"),
    (2.9, Level.GOOD, "BUY 0.250 BINANCE BTC perp @ 63,998.0: PARTIAL 0.040/0.250"),
    (2.1, Level.GOOD, "FILL BUY 0.060 BINANCE BTC perp @ 63,998.0"),
    (2.1, Level.GOOD, "BUY 0.250 BINANCE BTC perp @ 63,998.0: PARTIAL 0.100/0.250"),
)

LOST = (
    (Level.ALERT, "public link is down: connection refused"),
    (Level.ALERT, "order link lost: connection refused; orders stay live at the venue"),
)
"""What is told when the links go."""
