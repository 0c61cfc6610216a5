"""Preview of an order's effect on a venue account, before it is sent.

The whole order is assumed filled at its prices, without rebates and with every other open order unchanged. The
functions return the row after the fill; `tui.rules.account` computes its figures.
"""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal
from typing import NamedTuple

from tui.interface.decimals import ZERO
from tui.interface.families.orders import Side
from tui.rules import pnl
from tui.rules.account import Account, AccountCoin, AccountFigures, PerpTerms, PositionLeg
from tui.rules.fees import opening_share, split


class FillPart(NamedTuple):
    """Part of an order that trades at one price."""

    quantity: Decimal
    """Quantity in the venue's unit."""
    price: Decimal
    rate: Decimal
    """Taker or maker rate; a negative rate counts as 0."""


class FillPreview(NamedTuple):
    """Venue account after the previewed fill, and the costs of the fill."""

    account: Account
    fee: Decimal
    fee_coin: str
    opening_fee: Decimal = ZERO
    """Part of the fee that belongs to what it opens."""
    realised: Decimal = ZERO
    """Booked result of the part that closes, in the settlement coin."""
    leg: PositionLeg | None = None
    """Leg of the order after the fill; None when it is flat."""
    borrowed: Decimal = ZERO
    """Coins borrowed to pay."""
    borrowed_coin: str = ""


def fill_perpetual(account: Account, terms: PerpTerms, name: str, side: Side, parts: Sequence[FillPart]) -> FillPreview:
    """Preview the fill of a perpetual order on one leg (`name`: NONE, LONG or SHORT)."""
    held = next((leg for leg in account.legs if leg.terms.sym == terms.sym and leg.name == name), None)
    quantity, entry = (held.quantity, held.entry) if held is not None else (ZERO, None)
    fee = opening_fee = realised = ZERO
    coins = account.coins
    for part in parts:
        cost = part.quantity * terms.contract_size * part.price
        paid = split(cost, max(part.rate, ZERO)).fee
        after = pnl.apply_one_way_fill(
            quantity, entry, side, part.quantity, part.price, contract_size=terms.contract_size
        )
        closes = min(abs(quantity), part.quantity) if quantity * side.sign < 0 else ZERO
        opening_fee += opening_share(paid, part.quantity, part.quantity - closes)
        quantity, entry = after.position, after.entry
        result = pnl.truncate_booked(after.realised)
        net = result - paid
        coins = _repay_debt(_change_balance(coins, account.settlement, net), account.settlement, net)
        fee += paid
        realised += result
    leg = PositionLeg(terms, name, quantity, entry) if quantity and entry is not None else None
    others = tuple(other for other in account.legs if other is not held)
    row = account._replace(legs=others if leg is None else (*others, leg), coins=coins)
    return FillPreview(row, fee, account.settlement, opening_fee, realised, leg)


def fill_coins(
    account: Account, base: str, quote: str, side: Side, parts: Sequence[FillPart], *, borrows: bool, free: Decimal
) -> FillPreview:
    """Preview the fill of a spot or margin order; the fee is taken from the received coin.

    Args:
        account: Venue row, with an `AccountCoin` for both coins.
        base: Coin that is bought or sold.
        quote: Coin it is paid in.
        side: Side of the order.
        parts: Prices it trades at; quantities in base units.
        borrows: Whether missing coins are borrowed (margin).
        free: Coins of the paying kind that no other order holds.
    """
    pays, gets = (quote, base) if side is Side.BUY else (base, quote)
    fees = borrowed = ZERO
    row = account.coins
    for part in parts:
        cost = part.quantity * part.price
        paid, got = (cost, part.quantity) if side is Side.BUY else (part.quantity, cost)
        fee = split(got, max(part.rate, ZERO)).fee
        missing = max(paid - free, ZERO) if borrows else ZERO
        row = _change_balance(row, pays, missing - paid, missing)
        row = _repay_debt(_change_balance(row, gets, got - fee), gets, got - fee)
        free += missing - paid
        fees += fee
        borrowed += missing
    return FillPreview(
        account._replace(coins=row), fees, gets, borrowed=borrowed, borrowed_coin=pays if borrowed else ""
    )


def _change_balance(
    row: tuple[AccountCoin, ...], coin: str, amount: Decimal, debt: Decimal = ZERO
) -> tuple[AccountCoin, ...]:
    return tuple(
        entry._replace(balance=entry.balance + amount, debt=entry.debt + debt) if entry.coin == coin else entry
        for entry in row
    )


def _repay_debt(row: tuple[AccountCoin, ...], coin: str, incoming: Decimal) -> tuple[AccountCoin, ...]:
    """Repay the debt of a coin from received coins, at most the positive balance."""
    held = next((entry for entry in row if entry.coin == coin), None)
    if held is None or incoming <= 0:
        return row
    back = min(held.debt, incoming, max(held.balance, ZERO))
    return _change_balance(row, coin, -back, -back) if back else row


def set_leverage(row: Account, sym: str, leverage: Decimal) -> Account:
    """Return the account with a new leverage on a pair, for both legs; the margin of open orders is unchanged."""
    legs = [
        leg._replace(terms=leg.terms._replace(leverage=leverage)) if leg.terms.sym == sym else leg for leg in row.legs
    ]
    return row._replace(legs=tuple(legs))


def set_margin_leverage(row: Account, coin: str, leverage: Decimal) -> Account:
    """Return the account with a new leverage of margin debt in a coin."""
    coins = [entry._replace(debt_leverage=leverage) if entry.coin == coin else entry for entry in row.coins]
    return row._replace(coins=tuple(coins))


def add_coins(row: Account, coin: AccountCoin, amount: Decimal) -> Account:
    """Return the account with an amount of a coin added, which first repays debt in it, or (negative) removed.

    A coin that it lacks gets the terms of `coin`.
    """
    if row.coin(coin.coin) is None:
        return row._replace(coins=(*row.coins, coin._replace(balance=amount)))
    return row._replace(coins=_repay_debt(_change_balance(row.coins, coin.coin, amount), coin.coin, amount))


def has_margin(before: AccountFigures, after: AccountFigures) -> bool:
    """Report whether free margin is not negative after a leverage change, or the change takes no more margin."""
    return after.available >= 0 or after.frozen <= before.frozen
