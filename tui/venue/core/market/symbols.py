"""Pairs of the venue: tick and lot sizes, limits, margin tiers, fee rates; prices and quantities are integers."""

from __future__ import annotations

from decimal import Decimal
from typing import NamedTuple

import msgspec

from tui.interface.decimals import plain
from tui.interface.families.market import SymbolInfo, SymbolState
from tui.interface.symbols import BusinessType, parse_symbol
from tui.rules.margin import MarginTier, add_cum

VENUES = ("BINANCE", "OKX", "EDX")
SETTLEMENT = "USDT"
DISCOUNTS = {
    "USDT": Decimal(1),
    "BTC": Decimal("0.95"),
    "ETH": Decimal("0.95"),
    "SOL": Decimal("0.9"),
    "DOGE": Decimal("0.85"),
}
"""Share of a coin's value that counts as collateral."""

REFERENCE_PRICES = {"BTC": Decimal("61800"), "ETH": Decimal("2690"), "SOL": Decimal("154.5"), "DOGE": Decimal("0.1052")}
"""Quote price of a coin before any market exists."""


class Pair(msgspec.Struct, frozen=True, kw_only=True):
    """Pair of the venue. Fields `*_units` are tick and lot size as integers of the last decimal place."""

    sym: str
    exchange: str
    business_type: str
    base: str
    quote: str
    original: str
    tick: Decimal
    lot: Decimal
    price_digits: int
    qty_digits: int
    tick_units: int
    lot_units: int
    contract_size: Decimal
    lot_base: Decimal
    """Base units of one lot."""
    min_lots: int
    max_limit_lots: int
    max_market_lots: int
    max_orders: int
    min_notional: Decimal
    default_leverage: int
    liquidation_fee: Decimal
    taker: Decimal
    maker: Decimal
    tiers: tuple[MarginTier, ...]
    fee_group: str = ""
    """Fee group of the pair; every pair is in one."""

    @property
    def is_perp(self) -> bool:
        return self.business_type == "PERP"

    @property
    def borrows(self) -> bool:
        """Whether orders on the pair borrow missing coins, as margin orders do."""
        return self.business_type == "MARGIN"

    def price(self, ticks: int) -> Decimal:
        return ticks * self.tick

    def qty(self, lots: int) -> Decimal:
        """Convert lots to a quantity in the venue's unit: contracts or base units."""
        return lots * self.lot

    def base_qty(self, lots: int) -> Decimal:
        """Convert lots to base units, of a pair in contracts too."""
        return lots * self.lot_base

    def price_text(self, ticks: int) -> str:
        return format_units(ticks * self.tick_units, self.price_digits)

    def qty_text(self, lots: int) -> str:
        """Write lots as a quantity in the unit of the venue: contracts or base units."""
        return format_units(lots * self.lot_units, self.qty_digits)

    def ticks(self, price: Decimal) -> int | None:
        """Convert a price to ticks; None when it is not a multiple of the tick size."""
        ticks, rest = divmod(price, self.tick)
        return None if rest else int(ticks)

    def lots(self, qty: Decimal) -> int | None:
        """Convert a quantity to lots; None when it is not a multiple of the lot size."""
        lots, rest = divmod(qty, self.lot)
        return None if rest else int(lots)

    def info(self) -> SymbolInfo:
        """Build the symbol-info record of the pair."""
        return SymbolInfo(
            sym=self.sym,
            original_symbol=self.original,
            state=SymbolState.LIVE,
            price_precision=str(self.price_digits),
            qty_precision=str(self.qty_digits),
            tick_size=plain(self.tick),
            lot_size=plain(self.lot),
            min_size=self.qty_text(self.min_lots),
            min_notional=plain(self.min_notional),
            max_limit_size=self.qty_text(self.max_limit_lots),
            max_market_size=self.qty_text(self.max_market_lots),
            max_num_orders=str(self.max_orders),
            contract_size=plain(self.contract_size),
            default_leverage=str(self.default_leverage),
            safe_leverage=str(min(self.default_leverage, 10)),
            liquidation_fee=plain(self.liquidation_fee),
        )


def format_units(units: int, digits: int) -> str:
    """Format `units` of the last decimal place as a decimal number without trailing zeros."""
    if not digits or not units:
        return str(units)
    text = str(abs(units)).zfill(digits + 1)
    whole, part = text[:-digits], text[-digits:].rstrip("0")
    sign = "-" if units < 0 else ""
    return f"{sign}{whole}.{part}" if part else f"{sign}{whole}"


_TIERS: dict[str, tuple[tuple[int, str, int], ...]] = {
    "BTC": (
        (500_000, "0.005", 100),
        (5_000_000, "0.01", 50),
        (20_000_000, "0.02", 20),
        (100_000_000, "0.05", 10),
        (500_000_000, "0.125", 4),
    ),
    "ETH": (
        (250_000, "0.0065", 75),
        (2_500_000, "0.0125", 40),
        (10_000_000, "0.025", 20),
        (50_000_000, "0.05", 10),
        (250_000_000, "0.125", 4),
    ),
    "SOL": (
        (100_000, "0.01", 50),
        (500_000, "0.02", 25),
        (2_000_000, "0.05", 10),
        (10_000_000, "0.125", 4),
    ),
    "DOGE": (
        (50_000, "0.0125", 40),
        (250_000, "0.025", 20),
        (1_000_000, "0.05", 10),
        (5_000_000, "0.15", 3),
    ),
}
"""Tiers per coin: upper bound in quote, maintenance rate, highest leverage."""

_TIER_SHARE = {"BINANCE": Decimal(1), "OKX": Decimal("0.8"), "EDX": Decimal("0.2")}
"""Size of a venue's tiers as a share of the table."""


def _tiers(venue: str, base: str) -> tuple[MarginTier, ...]:
    floor, tiers = Decimal(0), []
    for bound, mmr, leverage in _TIERS[base]:
        cap = bound * _TIER_SHARE[venue]
        tiers.append(MarginTier(floor, cap, Decimal(mmr), leverage))
        floor = cap
    return add_cum(tiers)


class _Product(NamedTuple):
    """Terms shared by all perpetuals, or by all spot pairs."""

    taker: Decimal
    maker: Decimal
    default_leverage: int
    liquidation_fee: Decimal


_PERP = _Product(Decimal("0.0005"), Decimal("-0.00005"), 20, Decimal("0.005"))
_SPOT = _Product(Decimal("0.001"), Decimal(0), 1, Decimal(0))
PRODUCTS = {"PERP": _PERP, "SPOT": _SPOT}
"""Terms by kind; margin pairs are of the kind SPOT."""
_STANDARD_GROUP = "standard"
_GROUP = "altcoins"
_GROUP_BASES = ("SOL", "DOGE")
_GROUP_RATES = (Decimal("0.0006"), Decimal("0.0001"))
"""Taker and maker of the perpetuals in the altcoin group."""
_MIN_NOTIONAL = Decimal(5)
FEES_SINCE = "20240101"
"""Date of the fee schedule; this venue has only one."""
FEE_LEVEL = "1"


def _scale(step: Decimal) -> tuple[int, int]:
    """Return the decimals of a step size, and the step as an integer of the last decimal place."""
    digits = max(0, -int(step.normalize().as_tuple().exponent))
    return digits, int(step.scaleb(digits))


def _pair(sym: str, original: str, tick: str, lot: str, *, most: tuple[int, int], contract_size: str = "1") -> Pair:
    """Build a pair; `most` is the largest limit and market order, in units of the quantity."""
    symbol = parse_symbol(sym)
    product = _PERP if symbol.is_perp else _SPOT
    is_grouped = symbol.is_perp and symbol.base in _GROUP_BASES
    taker, maker = _GROUP_RATES if is_grouped else (product.taker, product.maker)
    tick_size, lot_size, size = Decimal(tick), Decimal(lot), Decimal(contract_size)
    price_digits, tick_units = _scale(tick_size)
    qty_digits, lot_units = _scale(lot_size)
    return Pair(
        sym=sym,
        exchange=symbol.exchange,
        business_type=symbol.business_type,
        base=symbol.base,
        quote=symbol.quote,
        original=original,
        tick=tick_size,
        lot=lot_size,
        price_digits=price_digits,
        qty_digits=qty_digits,
        tick_units=tick_units,
        lot_units=lot_units,
        contract_size=size,
        lot_base=lot_size * size,
        min_lots=1,
        max_limit_lots=int(most[0] / lot_size),
        max_market_lots=int(most[1] / lot_size),
        max_orders=200,
        min_notional=_MIN_NOTIONAL,
        default_leverage=product.default_leverage,
        liquidation_fee=product.liquidation_fee,
        taker=taker,
        maker=maker,
        fee_group=_GROUP if is_grouped else _STANDARD_GROUP,
        tiers=_tiers(symbol.exchange, symbol.base) if symbol.is_perp else (),
    )


def _add_margin(pair: Pair) -> tuple[Pair, Pair]:
    """Return a spot pair and its margin pair, which has the same tick and lot size and its own order book."""
    sym = f"{pair.exchange}_MARGIN_{pair.base}_{pair.quote}"
    return pair, msgspec.structs.replace(pair, sym=sym, business_type=BusinessType.MARGIN)


SHIPPED: dict[str, Pair] = {
    pair.sym: pair
    for pair in (
        _pair("BINANCE_PERP_BTC_USDT", "BTCUSDT", "0.1", "0.001", most=(1000, 120)),
        *_add_margin(_pair("BINANCE_SPOT_BTC_USDT", "BTCUSDT", "0.01", "0.00001", most=(1000, 100))),
        _pair("BINANCE_PERP_ETH_USDT", "ETHUSDT", "0.01", "0.001", most=(10_000, 2000)),
        *_add_margin(_pair("BINANCE_SPOT_ETH_USDT", "ETHUSDT", "0.01", "0.0001", most=(10_000, 2000))),
        _pair("BINANCE_PERP_SOL_USDT", "SOLUSDT", "0.01", "1", most=(100_000, 20_000)),
        _pair("BINANCE_PERP_DOGE_USDT", "DOGEUSDT", "0.00001", "1", most=(50_000_000, 10_000_000)),
        _pair("OKX_PERP_BTC_USDT", "BTC-USDT-SWAP", "0.1", "1", most=(100_000, 12_000), contract_size="0.01"),
        *_add_margin(_pair("OKX_SPOT_BTC_USDT", "BTC-USDT", "0.1", "0.00001", most=(1000, 100))),
        _pair("OKX_PERP_ETH_USDT", "ETH-USDT-SWAP", "0.01", "1", most=(100_000, 20_000), contract_size="0.1"),
        *_add_margin(_pair("OKX_SPOT_ETH_USDT", "ETH-USDT", "0.01", "0.0001", most=(10_000, 2000))),
        _pair("OKX_PERP_SOL_USDT", "SOL-USDT-SWAP", "0.01", "1", most=(100_000, 20_000)),
        _pair("OKX_PERP_DOGE_USDT", "DOGE-USDT-SWAP", "0.00001", "1", most=(50_000, 10_000), contract_size="1000"),
        _pair("EDX_PERP_BTC_USDT", "BTC-PERP", "0.5", "0.001", most=(500, 60)),
        _pair("EDX_PERP_ETH_USDT", "ETH-PERP", "0.05", "0.01", most=(5000, 600)),
        _pair("EDX_PERP_SOL_USDT", "SOL-PERP", "0.01", "0.003", most=(30_000, 6000)),
        _pair("EDX_PERP_DOGE_USDT", "DOGE-PERP", "0.00001", "10", most=(5_000_000, 1_000_000)),
    )
}
