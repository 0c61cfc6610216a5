"""The effect of an order on a venue row, computed before it is sent.

The whole order is assumed filled at its prices, without rebates and with every other open order unchanged. Both
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
from tui.rules.fees import split


class FillPart(NamedTuple):
    """The part of an order that trades at one price."""

    quantity: Decimal
    """As the venue counts it."""
    price: Decimal
    rate: Decimal
    """Taker or maker rate; a negative one counts as 0."""


class FillPreview(NamedTuple):
    """The row after the fill, and the costs of the fill."""

    account: Account
    fee: Decimal
    fee_coin: str
    realised: Decimal = ZERO
    """Booked result of the part that closes, settlement coin."""
    leg: PositionLeg | None = None
    """The leg of the order after it; None when it is flat."""
    borrowed: Decimal = ZERO
    """Coins borrowed to pay."""
    borrowed_coin: str = ""


def fill_perpetual(account: Account, terms: PerpTerms, name: str, side: Side, parts: Sequence[FillPart]) -> FillPreview:
    """A perpetual order on one leg (`name`: NONE, LONG or SHORT)."""
    held = next((one for one in account.legs if one.terms.sym == terms.sym and one.name == name), None)
    quantity, entry = (held.quantity, held.entry) if held is not None else (ZERO, None)
    fee = realised = ZERO
    coins = account.coins
    for part in parts:
        cost = part.quantity * terms.contract_size * part.price
        paid = split(cost, max(part.rate, ZERO)).fee
        after = pnl.one_way_fill(quantity, entry, side, part.quantity, part.price, contract_size=terms.contract_size)
        quantity, entry = after.position, after.entry
        result = pnl.truncate_booked(after.realised)
        net = result - paid
        coins = _repay_debt(_change_balance(coins, account.settlement, net), account.settlement, net)
        fee += paid
        realised += result
    leg = PositionLeg(terms, name, quantity, entry) if quantity and entry is not None else None
    others = tuple(one for one in account.legs if one is not held)
    row = account._replace(legs=others if leg is None else (*others, leg), coins=coins)
    return FillPreview(row, fee, account.settlement, realised, leg)


def coins(
    account: Account, base: str, quote: str, side: Side, parts: Sequence[FillPart], *, borrows: bool, free: Decimal
) -> FillPreview:
    """A spot or margin order; the fee is taken from the coin that comes in.

    Args:
        account: The row, with a `Coin` for both coins.
        base: Coin that is bought or sold.
        quote: Coin it is paid in.
        side: Of the order.
        parts: What it trades at; quantities in base units.
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
        one._replace(balance=one.balance + amount, debt=one.debt + debt) if one.coin == coin else one for one in row
    )


def _repay_debt(row: tuple[AccountCoin, ...], coin: str, incoming: Decimal) -> tuple[AccountCoin, ...]:
    """Repay the debt of a coin from an incoming amount, as far as the balance is above 0."""
    held = next((one for one in row if one.coin == coin), None)
    if held is None or incoming <= 0:
        return row
    back = min(held.debt, incoming, max(held.balance, ZERO))
    return _change_balance(row, coin, -back, -back) if back else row


def with_leverage(row: Account, sym: str, leverage: Decimal) -> Account:
    """The row with another leverage of a pair, for both its legs; what its open orders need stays as it was."""
    legs = [
        leg._replace(terms=leg.terms._replace(leverage=leverage)) if leg.terms.sym == sym else leg for leg in row.legs
    ]
    return row._replace(legs=tuple(legs))


def with_margin_leverage(row: Account, coin: str, leverage: Decimal) -> Account:
    """The row with another leverage of the debt in a coin."""
    coins = [one._replace(debt_leverage=leverage) if one.coin == coin else one for one in row.coins]
    return row._replace(coins=tuple(coins))


def with_coins(row: Account, coin: AccountCoin, amount: Decimal) -> Account:
    """The row after an amount of a coin came, or left it (below 0); one that was not there has the terms of `coin`."""
    if row.coin(coin.coin) is None:
        return row._replace(coins=(*row.coins, coin._replace(balance=amount)))
    return row._replace(coins=_change_balance(row.coins, coin.coin, amount))


def has_margin(before: AccountFigures, after: AccountFigures) -> bool:
    """Whether a row has the margin that a change of leverage asks for; one that asks for no more always has it."""
    return after.available >= 0 or after.frozen <= before.frozen
