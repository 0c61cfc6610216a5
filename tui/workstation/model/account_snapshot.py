"""Account of one venue, built from the rows on the screen, for previews and stress calculations."""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping, Sequence
from decimal import Decimal

import msgspec

from tui.engine.rows import BracketTable, Fact, LoanTerms, OrderRow, ReadFailure, Table
from tui.interface.decimals import ZERO, positive
from tui.interface.families.assets import AssetRecord
from tui.interface.families.fees import FeeSchedule
from tui.interface.families.loans import CoinDiscountRow
from tui.interface.families.market import SymbolInfo
from tui.interface.families.orders import OrderType, PositionSide, Side
from tui.interface.families.portfolio_loans import LoanConfig
from tui.interface.families.positions import LeverageRow, PositionRecord
from tui.interface.figures import net_size_of
from tui.interface.symbols import try_parse
from tui.rules import account
from tui.rules.account import Account, AccountCoin, PerpTerms, PositionLeg, WorkingOrders
from tui.rules.borrowing import lending
from tui.rules.margin import MarginTier
from tui.workstation.model import number_format
from tui.workstation.model.instruments import in_contracts
from tui.workstation.model.mirror import Mirror

_CLOSING = frozenset([(Side.SELL.value, PositionSide.LONG.value), (Side.BUY.value, PositionSide.SHORT.value)])


NO_LEVERAGES: Mapping[str, Decimal] = {}


class Missing(msgspec.Struct, frozen=True):
    """Input of a calculation that is not known yet; the screen shows `needs` and this text."""

    text: str


class Rates(msgspec.Struct, frozen=True):
    """Fee rates of a pair as fractions; a negative maker rate is a rebate."""

    taker: Decimal
    maker: Decimal

    def entry_rate(self, *, post_only: bool) -> Decimal:
        """Return the highest fee rate of an opening order: the maker rate if post-only, else the taker rate, at least 0."""
        return self.maker if post_only else max(self.taker, ZERO)


def account_of(mirror: Mirror, exchange: str) -> Account | Missing:
    """Build the account of a venue for margin calculations; Missing if an input is not known yet."""
    legs = legs_of(mirror, exchange)
    if isinstance(legs, Missing):
        return legs
    coins = _coins(mirror, exchange)
    if isinstance(coins, Missing):
        return coins
    return with_orders(Account(legs=legs, coins=coins), mirror, exchange)


def with_orders(
    row: Account,
    mirror: Mirror,
    exchange: str,
    *,
    without: Container[str] = (),
    adding: Sequence[OrderRow] = (),
    leverages: Mapping[str, Decimal] = NO_LEVERAGES,
) -> Account:
    """Return the account with the margin that its working orders need, given the current positions.

    Args:
        row: The account.
        mirror: Rows of the screen.
        exchange: Venue of the account.
        without: Row keys of working orders to leave out.
        adding: Further orders to count as working.
        leverages: Leverages by symbol that replace those set at the venue.
    """
    orders = [*(order for order in mirror.working() if order.key not in without), *adding]
    return row._replace(needs=account.compute_needs(_groups(mirror, orders, exchange, row.legs, leverages)))


def legs_of(mirror: Mirror, exchange: str) -> tuple[PositionLeg, ...] | Missing:
    """Return the open positions of a venue."""
    legs: list[PositionLeg] = []
    for fact in mirror.positions.values():
        parts = try_parse(fact.record.sym)
        quantity = net_size_of(fact.record)
        if parts is None or parts.exchange != exchange or not quantity:
            continue
        leg = _leg(mirror, fact.record, quantity)
        if isinstance(leg, Missing):
            return leg
        legs.append(leg)
    return tuple(legs)


def _leg(mirror: Mirror, record: PositionRecord, quantity: Decimal) -> PositionLeg | Missing:
    entry = number_format.value(record.avg_price)
    terms = terms_of(mirror, record.sym, record)
    if isinstance(terms, Missing):
        return terms
    if entry is None:
        return Missing(f"the entry of {record.sym}")
    name = record.position_side if record.position_side in ("LONG", "SHORT") else PositionSide.NONE.value
    return PositionLeg(terms, name, quantity, entry)


def _why(mirror: Mirror, table: Table) -> str:
    """Return in parentheses why a table could not be read; empty if no reason is known."""
    row = mirror.row(Table.UNREAD, table.value)
    return f" (cannot be read: {row.why})" if isinstance(row, ReadFailure) else ""


def terms_of(mirror: Mirror, sym: str, record: PositionRecord | None = None) -> PerpTerms | Missing:
    """Return the trading terms of a perpetual; an open position (`record`) provides leverage and mark price."""
    info, parts = mirror.symbols.get(sym), try_parse(sym)
    mark = mark_of(mirror, sym) or (number_format.value(record.mark_price) if record is not None else None)
    if parts is None or info is None:
        return Missing(f"the rules of {sym}")
    if not mark:
        return Missing(f"the mark of {sym}")
    tiers = tiers_of(mirror, sym)
    leverage = number_format.value(record.leverage) if record is not None else None
    leverage = leverage or _leverage(mirror, sym, info)
    if tiers is None:
        return Missing(f"the tiers of {sym}{_why(mirror, Table.BRACKETS)}")
    if not leverage:
        return Missing(f"the leverage of {sym}")
    return PerpTerms(sym, parts.base, mark, leverage, tiers, contract_size(sym, info))


def contract_size(sym: str, info: SymbolInfo) -> Decimal:
    """Return the base units per unit of quantity: the contract size for contracts, else 1."""
    return (number_format.value(info.contract_size) or Decimal(1)) if in_contracts(sym) else Decimal(1)


def mark_of(mirror: Mirror, sym: str) -> Decimal | None:
    """Return the newest streamed mark price of a symbol; None if there is none."""
    quote = mirror.quotes.get(sym)
    return positive(quote.mark) if quote is not None else None


def _leverage(mirror: Mirror, sym: str, info: SymbolInfo) -> Decimal | None:
    row = mirror.row(Table.LEVERAGES, sym)
    return number_format.value(row.leverage if isinstance(row, LeverageRow) else info.default_leverage)


def tiers_of(mirror: Mirror, sym: str) -> tuple[MarginTier, ...] | None:
    """Return the margin tiers of a perpetual; None while they are unknown."""
    table = mirror.row(Table.BRACKETS, sym)
    if not isinstance(table, BracketTable):
        return None
    tiers = []
    for row in table.tiers:
        texts = (row.min_notional_value, row.max_notional_value, row.mm_rate, row.max_leverage)
        floor, cap, rate, leverage = (number_format.value(text) for text in texts)
        if floor is None or cap is None or rate is None or leverage is None:
            return None
        tiers.append(MarginTier(floor, cap, rate, int(leverage)))
    return tuple(tiers) or None


def rates_of(mirror: Mirror, sym: str) -> Rates | Missing:
    """Return the fee rates of a pair by its fee group, else by venue and kind; margin orders pay spot fees."""
    parts = try_parse(sym)
    if parts is None:
        return Missing(f"the rules of {sym}")
    kind = "PERP" if parts.is_perp else "SPOT"
    fact = mirror.row(Table.FEES, f"{parts.exchange}/{kind}")
    if not isinstance(fact, Fact) or not isinstance(fact.record, FeeSchedule):
        return Missing(f"the fees of {parts.exchange}{_why(mirror, Table.FEES)}")
    schedule = fact.record
    group = next((group for group in schedule.group_list if sym in group.sym_list), None)
    taker = number_format.value(group.taker_fee if group is not None else schedule.taker_fee_rate or schedule.taker)
    maker = number_format.value(group.maker_fee if group is not None else schedule.maker_fee_rate or schedule.maker)
    if taker is None or maker is None:
        return Missing(f"the fees of {parts.exchange}")
    return Rates(taker, maker)


def _coins(mirror: Mirror, exchange: str) -> tuple[AccountCoin, ...] | Missing:
    coins = []
    for fact in mirror.assets.values():
        if fact.record.exchange_type == exchange:
            coin = _coin(mirror, fact.record)
            if isinstance(coin, Missing):
                return coin
            coins.append(coin)
    return tuple(coins)


def _coin(mirror: Mirror, record: AssetRecord) -> AccountCoin | Missing:
    balance, index = number_format.value(record.balance), number_format.value(record.index_price)
    discount = discount_of(mirror, record.coin)
    if balance is None or index is None or discount is None:
        return Missing(f"balance, index and discount of {record.coin}{_why(mirror, Table.DISCOUNTS)}")
    leverage, tiers = _loan(mirror, record.exchange_type, record.coin)
    debt = number_format.value(record.debt) or ZERO
    account_coin = AccountCoin(
        coin=record.coin,
        balance=balance,
        index_price=index,
        discount=discount,
        debt=debt,
        debt_leverage=leverage,
        loan_tiers=tiers,
    )
    return _with_loan(mirror, record, account_coin)


def _with_loan(mirror: Mirror, record: AssetRecord, coin: AccountCoin) -> AccountCoin | Missing:
    """Return a coin's balance with its portfolio loan added; Missing if there is a loan whose terms are not known."""
    loan = number_format.value(record.loan) if isinstance(record.loan, str) else None
    terms = mirror.row(Table.LOAN_CONFIG, record.coin)
    if not isinstance(terms, LoanConfig):
        return Missing(f"the terms of the loan of {record.coin}{_why(mirror, Table.LOAN_CONFIG)}") if loan else coin
    mmr, leverage = number_format.value(terms.loan_mmr), number_format.value(terms.loan_leverage)
    return coin._replace(loan=loan or ZERO, loan_mmr=mmr or ZERO, loan_leverage=leverage or Decimal(1))


def empty_coin(mirror: Mirror, exchange: str, coin: str, price: Decimal) -> AccountCoin | Missing:
    """Return a zero balance of a coin, valued at another venue's index price, else at `price`."""
    discount = discount_of(mirror, coin)
    indexes = (
        number_format.value(fact.record.index_price) for fact in mirror.assets.values() if fact.record.coin == coin
    )
    index = next((index for index in indexes if index), price)
    if discount is None:
        return Missing(f"the discount of {coin}{_why(mirror, Table.DISCOUNTS)}")
    leverage, tiers = _loan(mirror, exchange, coin)
    return AccountCoin(
        coin=coin,
        balance=ZERO,
        index_price=index,
        discount=discount,
        debt=ZERO,
        debt_leverage=leverage,
        loan_tiers=tiers,
    )


def discount_of(mirror: Mirror, coin: str) -> Decimal | None:
    """Return the share of a coin's value that counts as collateral."""
    row = mirror.row(Table.DISCOUNTS, coin)
    return number_format.value(row.discount) if isinstance(row, CoinDiscountRow) else None


def _loan(mirror: Mirror, exchange: str, coin: str) -> tuple[Decimal, tuple[lending.LoanTier, ...]]:
    row = mirror.row(Table.LOANS, f"{exchange}/{coin}")
    if not isinstance(row, LoanTerms):
        return Decimal(1), ()
    tiers = []
    for tier in row.tiers:
        values = [number_format.value(text) for text in (tier.min_size, tier.max_size, tier.mm_rate, tier.max_leverage)]
        if all(value is not None for value in values):
            tiers.append(lending.LoanTier(*(value or ZERO for value in values)))
    return number_format.value(row.leverage) or Decimal(1), tuple(tiers)


def _groups(
    mirror: Mirror,
    orders: Iterable[OrderRow],
    exchange: str,
    legs: tuple[PositionLeg, ...],
    leverages: Mapping[str, Decimal],
) -> list[WorkingOrders]:
    groups: dict[tuple[str, str], list[OrderRow]] = {}
    for row in sorted(orders, key=lambda row: (row.create_at, row.order_id)):
        parts = try_parse(row.sym)
        if parts is not None and parts.exchange == exchange and row.order_type != OrderType.MARKET:
            groups.setdefault((row.sym, row.side), []).append(row)
    built = (_group(mirror, rows, legs, leverages) for rows in groups.values())
    return [group for group in built if group is not None]


def _group(
    mirror: Mirror, rows: list[OrderRow], legs: tuple[PositionLeg, ...], leverages: Mapping[str, Decimal]
) -> WorkingOrders | None:
    """Combine the working orders of one symbol and side for margin; None if rules or rates of the symbol are missing."""
    first = rows[0]
    info, parts, rates = mirror.symbols.get(first.sym), try_parse(first.sym), rates_of(mirror, first.sym)
    if info is None or parts is None or isinstance(rates, Missing) or first.side not in tuple(Side):
        return None
    tick, lot = number_format.value(info.tick_size), number_format.value(info.lot_size)
    if not tick or not lot:
        return None
    side = Side(first.side)
    position = next(
        (leg.quantity for leg in legs if leg.terms.sym == first.sym and leg.name == PositionSide.NONE), ZERO
    )
    return WorkingOrders(
        is_perp=parts.is_perp,
        side=side,
        tick=tick,
        lot_base=lot * contract_size(first.sym, info),
        mark=mark_of(mirror, first.sym) or ZERO,
        leverage=leverages.get(first.sym) or _leverage(mirror, first.sym, info) or Decimal(1),
        taker=rates.taker,
        discount=discount_of(mirror, parts.base) or ZERO,
        orders=[order for row in rows if (order := _working(row, tick, lot)) is not None],
        room=int(abs(position) / lot) if position * side.sign < 0 else 0,
    )


def _working(row: OrderRow, tick: Decimal, lot: Decimal) -> tuple[int, int, bool] | None:
    price, total, executed = (
        number_format.value(row.price),
        number_format.value(row.qty),
        number_format.value(row.filled),
    )
    if price is None or total is None:
        return None
    left = max(total - (executed or ZERO), ZERO)
    return int(price / tick), int(left / lot), row.reduce_only or (row.side, row.position_side) in _CLOSING
