"""Random days of a venue, and every place of the desk that adds them up, compared to the last digit.

`python -m tests.rules.days --days 200` writes what it came to into tests/figures/days.json.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
from collections import Counter
from collections.abc import Sequence
from decimal import Decimal
from pathlib import Path

from tests.venue.core.drive import OKX, PERP, SPOT, Desk
from tui.engine.conflating_queue import ConflatingQueue
from tui.engine.loan_fields import loan_costs
from tui.engine.rows import Fact, Source, Stamp, Table
from tui.engine.service_query import ListRead, ReadState, query_endpoint
from tui.engine.state.fill_table import FillTable
from tui.interface import decimals
from tui.interface.decimals import ZERO, half_up
from tui.interface.families.accounts import AccountLabel, CustodyKind, LockCustody, UnlockCustody
from tui.interface.families.history import (
    DEDUCT_INTEREST,
    LIQ_COMPENSATION,
    LIQUIDATION_FEE,
    TRADE,
    StatementRecord,
    TradeRecord,
)
from tui.interface.families.orders import CancelAllOrders
from tui.interface.families.portfolio_loans import Borrow, LoanInfo, LoanStatementRecord, Repay
from tui.interface.families.portfolio_loans import LoanBookingType as BookingType
from tui.interface.families.positions import PositionHistoryRecord, SetLeverage
from tui.interface.families.transfers import TransferStatus
from tui.rules.bookings import compute_booking_amount, compute_closed_net, select_newest_rows
from tui.rules.pnl import fill_net
from tui.venue.core.state.funds.transfers import custody_record
from tui.venue.shell.rest.portfolio_loans import booking_record
from tui.workstation.features.funds.bill_tabs import CUSTODY
from tui.workstation.features.history.booked_tabs import CLOSED, STATEMENT
from tui.workstation.features.history.trade_tabs import FILLS
from tui.workstation.features.loans.rows import LoanRow, loan_rows
from tui.workstation.features.loans.tabs import STATEMENT as LOAN_STATEMENT
from tui.workstation.model.mirror import Mirror
from tui.workstation.model.realised_pnl import Booking, RealisedPnl
from tui.workstation.widgets.lists.tab import ListTab
from tui.workstation.widgets.lists.table_file import header_of, record_of

ETH = "BINANCE_PERP_ETH_USDT"
PERPS = {PERP: "0.05", ETH: "0.8", OKX: "3"}
"""Pairs and a size of them."""
HOUR = 3_600_000
STEPS = 30
STAMP = Stamp("", 1, 0, Source.SNAPSHOT, 0.0)
LEDGER = Path(__file__).parents[1] / "figures" / "days.json"


class Clock:
    """The time of the desk that adds up."""

    def __init__(self, wall_s: float) -> None:
        self.at = wall_s

    def mono(self) -> float:
        return 1.0

    def boot(self) -> float:
        return 1.0

    def wall(self) -> float:
        return self.at


class Day:
    """One day: orders that make and take, loans, hours that pass, custody, and on some days a liquidation."""

    def __init__(self, seed: int) -> None:
        decimals.setup()
        self.draw = random.Random(seed)
        self.desk = Desk(seed=str(seed))
        self.steps: Counter[str] = Counter()
        self.began = {label: self._held(label) for label in (AccountLabel.DMA, AccountLabel.CUSTODY)}
        if seed % 4 == 0:
            self._liquidate()
        for _ in range(STEPS):
            kinds = (self._trade, self._trade, self._trade, self._spot, self._borrow, self._pass, self._custody)
            self.draw.choice(kinds)()
        self._flatten()

    # -- what happens -------------------------------------------------------------------------------------------

    def _price(self, sym: str) -> str:
        pair = self.desk.state.pairs[sym]
        mark = self.desk.state.marks.valuation(pair, self.desk.state.touches)
        moved = mark * Decimal(self.draw.randrange(9_980, 10_020)) / 10_000
        return decimals.plain((moved / pair.tick).quantize(Decimal(1)) * pair.tick)

    def _cross(self, sym: str, side: str, qty: str) -> None:
        """Main and sub trade with each other; which of them makes is drawn."""
        maker, taker = self.desk.main, self.desk.sub
        if self.draw.random() < 0.5:
            maker, taker = taker, maker
        price, other = self._price(sym), "SELL" if side == "BUY" else "BUY"
        self.desk.try_place(side, qty, price, sym, portfolio=maker, time_in_force="GTX")
        self.desk.try_place(other, qty, price, sym, portfolio=taker, time_in_force="IOC")
        self._cancel_rest()
        self.steps["trade"] += 1

    def _cancel_rest(self) -> None:
        for owner in (self.desk.main, self.desk.sub):
            self.desk.do(CancelAllOrders(portfolio=owner, exchange_type="", sym=""))

    def _trade(self) -> None:
        sym = self.draw.choice(list(PERPS))
        self._cross(sym, self.draw.choice(("BUY", "SELL")), PERPS[sym])

    def _spot(self) -> None:
        self._cross(SPOT, self.draw.choice(("BUY", "SELL")), "0.01")

    def _borrow(self) -> None:
        kind = self.draw.choice((Borrow, Borrow, Repay))
        coin, amount = self.draw.choice((("USDT", "1000"), ("USDT", "250.5"), ("ETH", "1.5"), ("BTC", "0.1")))
        self.desk.do(kind(portfolio=self.desk.main, exchange="BINANCE", coin=coin, amount=amount))
        self.steps["loan"] += 1

    def _pass(self) -> None:
        self.desk.wait(self.draw.choice((1_000, HOUR, 8 * HOUR)))
        self.steps["hour"] += 1

    def _custody(self) -> None:
        kind = self.draw.choice((LockCustody, UnlockCustody))
        self.desk.do(
            kind(portfolio=self.desk.main, account_id=self._account(AccountLabel.DMA), currency="USDT", amount="12.5")
        )
        self.steps["custody"] += 1

    def _liquidate(self) -> None:
        """The sub portfolio holds too much against the main one, and the market falls."""
        desk = self.desk
        desk.steer("BTC", "60000")
        desk.do(SetLeverage(portfolio=desk.sub, sym=PERP, leverage="50"))
        desk.try_place("SELL", "15", "60000")
        desk.try_place("BUY", "15", "60000", portfolio=desk.sub)
        book, pair = desk.state.books[PERP], desk.state.pairs[PERP]
        for price in ("59500", "59000", "58850", "58750", "58700", "58500", "58200"):
            desk.steer("BTC", price)
            # Somebody buys below the mark, so that orders of the venue fill and cost their fee.
            ticks = pair.ticks(Decimal(price) - 20) or 0
            book.set_house(ticks, 10**6, is_buy=True)
            desk.wait(5_000)
            book.set_house(ticks, 0, is_buy=True)
        self.steps["liquidation"] += 1

    def _flatten(self) -> None:
        """Close what is open against each other, so that closed positions tell everything."""
        for sym in PERPS:
            lots = self.desk.state.position_lots(self.desk.main, sym)
            other = self.desk.state.position_lots(self.desk.sub, sym)
            if lots and lots == -other:
                qty = self.desk.state.pairs[sym].qty_text(abs(lots))
                self._cross(sym, "SELL" if lots > 0 else "BUY", qty)
            self._cross_rest(sym)

    def _cross_rest(self, sym: str) -> None:
        """What one of them holds alone is taken by the house."""
        self._cancel_rest()
        state = self.desk.state
        for owner in (self.desk.main, self.desk.sub):
            lots = state.position_lots(owner, sym)
            if lots:
                pair, side = state.pairs[sym], "SELL" if lots > 0 else "BUY"
                ticks, touch = pair.ticks(Decimal(self._price(sym))) or 0, state.books[sym].touch()
                if side == "BUY" and touch.bid_lots:
                    ticks = max(ticks, touch.bid + 1)
                if side == "SELL" and touch.ask_lots:
                    ticks = min(ticks, touch.ask - 1)
                state.books[sym].set_house(ticks, 10**9, is_buy=side == "SELL")
                self.desk.try_place(
                    side, pair.qty_text(abs(lots)), pair.price_text(ticks), sym, portfolio=owner, time_in_force="IOC"
                )
                state.books[sym].set_house(ticks, 0, is_buy=side == "SELL")

    # -- what the desk makes of it ------------------------------------------------------------------------------

    def differences(self) -> list[str]:
        """Sums that should be one and are not, in words; empty when every place says the same."""
        self.desk.wait(HOUR)
        owners = (self.desk.main, self.desk.sub)
        return [*self._custody_sums(), *(text for owner in owners for text in self._of(owner))]

    def _of(self, owner: str) -> list[str]:
        queries = self.desk.exchange.queries
        fills = list(queries.executions(owner))
        rows = list(queries.statements(owner))
        closed = list(queries.list_closed_positions(owner))
        realised = self._pane(owner, fills, rows)
        wrong = []
        for sym in PERPS:
            of_sym = [row for row in rows if row.sym == sym]
            places = {
                "statement": sum((compute_booking_amount(row) for row in of_sym), ZERO),
                "P&L": self._net(realised, sym),
                "statement file": _written(STATEMENT, of_sym, "booked"),
            }
            beside = sum((compute_booking_amount(row) for row in of_sym if row.statement_type != TRADE), ZERO)
            mine = [fill for fill in fills if fill.sym == sym]
            places["fills"] = sum((fill_net(fill) for fill in mine), ZERO) + beside
            places["fills file"] = _written(FILLS, mine, "net") + beside
            if not self.desk.state.position_lots(owner, sym):
                ended = select_newest_rows(row for row in closed if row.sym == sym)
                unpaid = _unpaid(ended, rows)
                places["closed"] = sum((compute_closed_net(row) for row in ended), ZERO) + unpaid
                places["closed file"] = _written(CLOSED, ended, "net") + unpaid
            shown = {name: half_up(value, 8) for name, value in places.items()}
            if len(set(shown.values())) > 1:
                wrong.append(f"{sym}: {shown}")
        of_loans = self._loans(owner) + self._interest(owner, realised, rows)
        return wrong + self._balances(owner, rows) + self._orders(owner, fills) + of_loans

    def _orders(self, owner: str, fills: Sequence[TradeRecord]) -> list[str]:
        """The card of an order says of size, fee and rebate what its fills come to."""
        wrong = []
        for order in self.desk.exchange.queries.orders(owner):
            mine = [fill for fill in fills if fill.order_id == order.order_id]
            card = (order.executed_qty, order.fee, order.rebate)
            summed = (
                sum((Decimal(fill.quantity) for fill in mine), ZERO),
                sum((Decimal(fill.fee) for fill in mine), ZERO),
                sum((Decimal(fill.rebate) for fill in mine), ZERO),
            )
            if tuple(Decimal(text or "0") for text in card) != summed:
                wrong.append(f"order {order.order_id}: its card says {card}, its fills {summed}")
        return wrong

    def _loans(self, owner: str) -> list[str]:
        """What is owed is what the loan statement has as borrowed, less what it has as repaid."""
        queries = self.desk.exchange.queries
        booked = [one for one in queries.loan_bookings(owner) if one.type in (BookingType.BORROW, BookingType.REPAY)]
        owed = {
            (account.exchange, coin.coin): Decimal(coin.loan)
            for account in queries.loan_accounts(owner)
            for coin in account.coins
        }
        moved: dict[tuple[str, str], Decimal] = {}
        for one in booked:
            moved[one.exchange, one.coin] = moved.get((one.exchange, one.coin), ZERO) + one.delta
        left = {place: amount for place, amount in moved.items() if amount}
        return [] if left == owed else [f"loans: owed {owed}, booked {left}"]

    def _interest(self, owner: str, realised: RealisedPnl, rows: Sequence[StatementRecord]) -> list[str]:
        """Interest of margin debts and of loans, coin by coin: in the P&L, both statements, their files, and Loans."""
        charged = [row for row in rows if row.statement_type == DEDUCT_INTEREST]
        lent = [row for row in self._loan_statement(owner) if row.type == BookingType.INTEREST]
        shown = {(row.exchange, row.coin): Decimal(row.interest) for row in self._loan_rows(owner, lent)}
        assets = {(row.exchange_type, row.coin): row for row in self.desk.exchange.queries.assets(owner)}
        wrong, said = [], ZERO
        for place in {(row.exchange_type, row.coin) for row in charged} | {(row.exchange, row.coin) for row in lent}:
            of_debts = [row for row in charged if (row.exchange_type, row.coin) == place]
            of_loans = [row for row in lent if (row.exchange, row.coin) == place]
            loans = -sum((Decimal(row.delta) for row in of_loans), ZERO)
            debts = -sum((compute_booking_amount(row) for row in of_debts), ZERO)
            index = Decimal(1) if place[1] == "USDT" else Decimal(assets[place].index_price)
            venue, coin = place
            worth = [one for group, one in realised.groups().items() if (group.venue, group.name) == (venue, coin)]
            pane = RealisedPnl.sum_bookings(worth).interest
            said += pane
            figures = {
                "P&L": (pane, (debts + loans) * index),
                "statement file": (-_written(STATEMENT, of_debts, "booked"), debts),
                "loan statement file": (-_written(LOAN_STATEMENT, of_loans, "delta"), loans),
                "Loans": (shown.get(place, ZERO), loans),
            }
            wrong += [
                f"interest {place}: {name} {one}, not {two}" for name, (one, two) in figures.items() if one != two
            ]
        total = RealisedPnl.sum_bookings(realised.groups().values())
        return wrong if total.interest == said else [*wrong, f"interest: {said} by coin, in all {total.interest}"]

    def _loan_statement(self, owner: str) -> list[LoanStatementRecord]:
        return [booking_record(one) for one in self.desk.exchange.queries.loan_bookings(owner)]

    def _loan_rows(self, owner: str, paid: Sequence[LoanStatementRecord]) -> list[LoanRow]:
        """The first list of Loans."""
        queries = self.desk.exchange.queries
        info = LoanInfo(portfolio_id=owner, accounts=queries.loan_accounts(owner))
        most, read = (
            ListRead(query=query_endpoint(name, name), state=ReadState.WHOLE, rows=tuple(records))
            for name, records in (("portfolio_loan_max", queries.max_loans(owner)), ("portfolio_loan_statement", paid))
        )
        return loan_rows(info, most, read, Mirror(Clock(self.desk.now / 1000)))

    def _custody_sums(self) -> list[str]:
        """What the list of locks and unlocks comes to is what is locked, and what both accounts gained or lost."""
        funds = self.desk.exchange.funds
        records = [custody_record(one) for one in funds.custody_actions()]
        done = [one for one in records if one.status == TransferStatus.DONE.value]
        signs = {CustodyKind.LOCK.value: 1, CustodyKind.UNLOCK.value: -1}
        figures = {"list": sum((signs[CustodyKind(int(one.type))] * Decimal(one.amount) for one in done), ZERO)}
        for kind, sign in signs.items():
            part = [one for one in done if CustodyKind(int(one.type)) == kind]
            figures["file"] = figures.get("file", ZERO) + sign * _written(CUSTODY, part, "amount")
        figures["at the exchange"] = self._held(AccountLabel.DMA) - self.began[AccountLabel.DMA]
        figures["gone from custody"] = self.began[AccountLabel.CUSTODY] - self._held(AccountLabel.CUSTODY)
        return [] if len(set(figures.values())) == 1 else [f"custody: {figures}"]

    def _account(self, label: AccountLabel) -> str:
        accounts = self.desk.exchange.funds.accounts(self.desk.main)
        return next(str(one.account_id) for one in accounts if one.label == label)

    def _held(self, label: AccountLabel) -> Decimal:
        """USDT of an account beside the portfolios."""
        (balances,) = self.desk.exchange.funds.balances(self.desk.main, [self._account(label)], "USDT")
        return sum((Decimal(one.total_balance) for one in balances.asset_info), ZERO)

    def _balances(self, owner: str, rows: Sequence[StatementRecord]) -> list[str]:
        """Each row goes on where the one before of its coin ended, as far as fills, funding and interest follow."""
        wrong = []
        for row in rows:
            delta = Decimal(row.after_available) - Decimal(row.before_available)
            if row.statement_type != DEDUCT_INTEREST and delta != Decimal(row.delta_amount):
                owed = sum((Decimal(getattr(row, f"before_{name}") or "0") - Decimal(getattr(row, f"after_{name}") or "0")
                            for name in ("borrow", "overdraw")), ZERO)  # fmt: skip
                if delta + owed != Decimal(row.delta_amount):
                    wrong.append(
                        f"{row.statement_type} {row.coin}: {row.delta_amount} moved {delta} and {owed} of debt"
                    )
        return wrong

    def _pane(self, owner: str, fills: Sequence[TradeRecord], rows: Sequence[StatementRecord]) -> RealisedPnl:
        updates, mirror = ConflatingQueue(), Mirror(Clock(self.desk.now / 1000))
        table = FillTable(updates, 10_000)
        for fill in sorted(fills, key=lambda one: int(one.create_at)):
            table.fold(fill, STAMP)
            mirror.apply(updates.take())
        for row in rows:
            updates.put(Table.STATEMENTS, row.statement_id, Fact(row, STAMP))
        for row in loan_costs(self._loan_statement(owner), owner):
            updates.put(Table.STATEMENTS, row.statement_id, Fact(row, STAMP))
        for asset in self.desk.exchange.queries.assets(owner):
            updates.put(Table.ASSETS, f"{asset.exchange_type}/{asset.coin}", Fact(asset, STAMP))
        mirror.apply(updates.take())
        return RealisedPnl(mirror)

    @staticmethod
    def _net(realised: RealisedPnl, sym: str) -> Decimal:
        of_sym: list[Booking] = [one for group, one in realised.groups().items() if group.name == sym]
        return RealisedPnl.sum_bookings(of_sym).net


def _unpaid(ended: Sequence[PositionHistoryRecord], rows: Sequence[StatementRecord]) -> Decimal:
    """What an account without equity could not pay of its liquidation fees: the position says what was owed."""
    if not any(row.statement_type == LIQ_COMPENSATION for row in rows):
        return ZERO
    owed = sum((Decimal(row.liq_fee) for row in ended), ZERO)
    return (
        owed + sum((compute_booking_amount(row) for row in rows if row.statement_type == LIQUIDATION_FEE), ZERO)
        if owed
        else ZERO
    )


def _written(tab: ListTab, rows: Sequence[object], name: str) -> Decimal:
    """The sum of a column of the file of a list."""
    if not rows:
        return ZERO
    at = header_of(rows, tab.shown).index(name)  # type: ignore[arg-type]
    return sum((Decimal(record_of(row, tab.shown)[at]) for row in rows), ZERO)  # type: ignore[arg-type]


def main(words: Sequence[str] | None = None) -> int:
    """Live the days and write what they came to; 1 when two places differ."""
    reader = argparse.ArgumentParser(prog="python -m tests.rules.days")
    reader.add_argument("--days", type=int, default=200)
    days = reader.parse_args(words).days
    steps, wrong = Counter[str](), list[str]()
    for seed in range(days):
        day = Day(seed)
        steps += day.steps
        wrong += [f"day {seed}: {text}" for text in day.differences()]
    told = {"days": days, "steps": dict(sorted(steps.items())), "differences": wrong}
    LEDGER.write_text(json.dumps(told, indent=1) + "\n")
    print(f"{days} days, {len(wrong)} differences")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
