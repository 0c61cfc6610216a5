"""Liquidation of portfolio loans: at an LTV of 0.90 the venue sells collateral and repays the loan, for a fee."""

from __future__ import annotations

from decimal import ROUND_DOWN, Decimal

from tui.interface.decimals import ZERO
from tui.interface.families.orders import CancelType
from tui.interface.families.portfolio_loans import LoanBookingType
from tui.rules import bands, fees
from tui.rules.borrowing import portfolio_loans as rules
from tui.venue.core.accounts import account_figures, portfolio_loans
from tui.venue.core.accounts.account_figures import VenueRow
from tui.venue.core.liquidation import insurance
from tui.venue.core.liquidation.collateral import build_market_order, find_tradable_pair, round_up
from tui.venue.core.market.symbols import SETTLEMENT, Pair
from tui.venue.core.state.exchange_state import State
from tui.venue.core.state.ledger import INSURANCE_ACCOUNT, PostingLeg
from tui.venue.core.state.liquidations import RowKey
from tui.venue.core.state.orders import Order
from tui.venue.core.trading import matching
from tui.venue.core.trading.pending_changes import PendingChanges

REASON = "Loan to value"
_DUST = Decimal(1)
"""Value of a row, quote units, below which it has no collateral left."""
_STEP = Decimal(1).scaleb(-rules.AMOUNT_PLACES)
"""Smallest repayment, of any coin."""
_SPARE = 1 + bands.MARKET_SHARE + rules.LIQUIDATION_FEE
"""Factor on the settlement coin of a purchase, for its fee and a price worse than the index."""


class LoanLiquidation:
    """Liquidation of loans in accounts whose LTV reached the liquidation threshold; the whole loan is repaid."""

    def __init__(self, state: State, pending_changes: PendingChanges) -> None:
        self._state = state
        self._pending_changes = pending_changes

    def enforce(self) -> bool:
        """Liquidate the loans of every account above the LTV threshold, as far as current prices allow.

        Returns:
            Whether anything was repaid, sold or bought.
        """
        state = self._state
        acted, acted_once = True, False
        while state.changes.overlent and acted:
            rows, state.changes.overlent = state.changes.overlent, {}
            acted = False
            for key in rows:
                acted = self._liquidate(key) or acted
            acted_once = acted_once or acted
            for portfolio, venue in list(state.changes.stale):
                account_figures.publish_rows(state, portfolio, venue)
        state.changes.overlent.clear()
        return acted_once

    def _liquidate(self, key: RowKey) -> bool:
        self._release_holds(key)
        acted = False
        while self._step(key):
            acted = True
        return acted

    def _release_holds(self, key: RowKey) -> None:
        """Cancel the orders that hold coins of the account."""
        for order in list(self._state.open_on(*key)):
            if order.hold_coin and not order.is_final:
                self._pending_changes.end_now(order, CancelType.LIQUIDATING, REASON)

    def _step(self, key: RowKey) -> bool:
        state = self._state
        if not state.loans.of_row(*key):
            return False
        if self._repay_held(key):
            return True
        row = account_figures.compute_row(state, *key)
        order = self._purchase(key) or self._sale(key, row)
        if order is None:
            return self._write_off(key, row)
        matching.start_order(state, order)
        if order.executed:
            self._charge_fee(key, order)
        return bool(order.executed)

    def _free(self, key: RowKey, coin: str) -> Decimal:
        return max(self._state.available(*key, coin), ZERO)

    def _repay_held(self, key: RowKey) -> bool:
        """Repay loans in coins that the account also holds, in the amount steps that traders use."""
        acted = False
        for coin, owed in sorted(self._state.loans.of_row(*key).items()):
            amount = min(owed, self._free(key, coin).quantize(_STEP, ROUND_DOWN))
            if amount > 0:
                portfolio_loans.repay(self._state, (*key, coin), amount)
                acted = True
        return acted

    def _purchase(self, key: RowKey) -> Order | None:
        """Build a market order that buys an owed coin, as far as the settlement coin suffices with fees."""
        state, (portfolio, venue) = self._state, key
        money = self._free(key, SETTLEMENT) / _SPARE
        for coin, owed in sorted(state.loans.of_row(*key).items()):
            pair = None if coin == SETTLEMENT else find_tradable_pair(state, venue, coin, is_buy=True)
            if pair is None:
                continue
            held, most = self._free(key, coin), int(money / state.valuation(pair) / pair.lot_base)
            # At most what can be repaid: any rest would have to be sold again.
            reached = (held + most * _net_of_lot(pair)).quantize(_STEP, ROUND_DOWN)
            lots = _lots_to_repay(min(owed, reached), held, pair)
            if lots > 0:
                return build_market_order(state, portfolio, pair, lots, is_buy=True)
        return None

    def _sale(self, key: RowKey, row: VenueRow) -> Order | None:
        """Build a market order that sells the most valuable coin that has no loan, for the missing amount."""
        state, (portfolio, venue) = self._state, key
        missing = self._cost_of_loans(key, row) - self._free(key, SETTLEMENT)
        held = [
            (self._free(key, entry.coin) * entry.index_price, entry.coin)
            for entry in row.account.coins
            if not entry.loan
        ]
        for worth, coin in sorted(held, key=lambda entry: (-entry[0], entry[1])):
            pair = None if coin == SETTLEMENT or worth <= 0 else find_tradable_pair(state, venue, coin, is_buy=False)
            if pair is None or missing <= 0:
                continue
            per_lot = state.valuation(pair) * pair.lot_base * (1 - pair.taker - rules.LIQUIDATION_FEE)
            lots = min(int(self._free(key, coin) // pair.lot_base), round_up(missing / per_lot))
            if lots:
                return build_market_order(state, portfolio, pair, lots, is_buy=False)
        return None

    def _cost_of_loans(self, key: RowKey, row: VenueRow) -> Decimal:
        """Compute the cost of buying all owed coins in whole lots, quote units; without a market, their value."""
        state, (_, venue) = self._state, key
        cost = ZERO
        for coin in row.account.coins:
            pair = (
                find_tradable_pair(state, venue, coin.coin, is_buy=True)
                if coin.loan and coin.coin != SETTLEMENT
                else None
            )
            if pair is None:
                cost += coin.loan * coin.index_price
            else:
                lots = _lots_to_repay(coin.loan, self._free(key, coin.coin), pair)
                cost += lots * pair.lot_base * state.valuation(pair) * _SPARE
        return cost

    def _charge_fee(self, key: RowKey, order: Order) -> None:
        state, (portfolio, venue) = self._state, key
        fee = fees.split(order.amount, rules.LIQUIDATION_FEE).fee
        legs = [
            PostingLeg(portfolio, venue, SETTLEMENT, -fee),
            PostingLeg(INSURANCE_ACCOUNT, venue, SETTLEMENT, fee),
        ]
        state.post("loan liquidation fee", order.id, legs)
        portfolio_loans.add_booking(state, LoanBookingType.LIQUIDATION_FEE, (*key, SETTLEMENT), -fee)
        state.changes.stale[key] = None

    def _write_off(self, key: RowKey, row: VenueRow) -> bool:
        """Let the insurance fund repay the lender when the account has neither collateral nor positions left."""
        state = self._state
        if row.legs or self._has_collateral(key, row):
            return False
        for coin, owed in sorted(state.loans.of_row(*key).items()):
            insurance.repay_lender(state, key[1], coin, owed)
            portfolio_loans.reduce(state, (*key, coin), owed)
        return True

    def _has_collateral(self, key: RowKey, row: VenueRow) -> bool:
        """Report whether the account has coins to sell or spend, now or once they have a market.

        Money for less than the smallest repayment does not count, nor less than a lot of a coin.
        """
        state, (_, venue) = self._state, key
        owed = [coin for coin in state.loans.of_row(*key) if coin != SETTLEMENT]
        for entry in row.account.coins:
            free = self._free(key, entry.coin)
            if free * entry.index_price < _DUST or entry.coin in owed:
                continue
            if entry.coin == SETTLEMENT:
                left = any(find_tradable_pair(state, venue, coin, is_buy=True) is None for coin in owed)
            else:
                pair = find_tradable_pair(state, venue, entry.coin, is_buy=False)
                left = pair is None or free >= pair.lot_base
            if left:
                return True
        return False


def _net_of_lot(pair: Pair) -> Decimal:
    """Return the base units received per bought lot, after the fee taken in base."""
    return pair.lot_base * (1 - pair.taker)


def _lots_to_repay(amount: Decimal, held: Decimal, pair: Pair) -> int:
    """Compute the lots to buy to repay an amount; 0 when the held coins are enough."""
    return max(0, round_up((amount - held) / _net_of_lot(pair)))
