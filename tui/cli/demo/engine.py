"""The engine of the pictures: invented rows, figures computed by `rules`, nothing changes by itself."""

from __future__ import annotations

from collections.abc import Mapping
from concurrent.futures import Future
from datetime import UTC, datetime
from decimal import Decimal

import msgspec

from tui.cli.demo import market
from tui.cli.demo.algos import algo_rows
from tui.cli.demo.answers import demo_answer
from tui.cli.demo.liquidation import liquidation_steps
from tui.cli.demo.portfolios import MAIN
from tui.engine.conflating_queue import Batch, ConflatingQueue
from tui.engine.intents import Intent, Outcome, Verdict
from tui.engine.modes import Environment, RiskMode, TradingState
from tui.engine.rows import (
    ENGINE,
    DayRow,
    EngineStatusRow,
    EventLine,
    Fact,
    LinkRow,
    LinkState,
    LocalOrderState,
    OrderRow,
    QuoteRow,
    Row,
    Source,
    Stamp,
    Table,
)
from tui.engine.service_query import ServiceQuery, ServiceRequest
from tui.interface.decimals import ZERO, half_up, plain
from tui.interface.families.assets import AssetRecord
from tui.interface.families.history import TRADE, StatementRecord, TradeRecord
from tui.interface.families.positions import AccountRecord, AdlRank, PositionRecord
from tui.interface.streams import Detail
from tui.interface.symbols import parse_symbol
from tui.rules import account
from tui.rules.day_result import DAY_MS, DayResult
from tui.workstation.model import account_snapshot
from tui.workstation.model.account_snapshot import Missing
from tui.workstation.model.mirror import Mirror

NOW_S = datetime(2026, 3, 12, 21, 14, 7, tzinfo=UTC).timestamp()
UPTIME_S = 90_000.0
PORTFOLIO = str(MAIN)
NO_RISK = "999999"
LIQUIDATED_S = 5_400.0
"""How long ago the liquidation of the pictures ended, s."""


class HeldClock:
    """Time that stands still, so many seconds after the last thing that happened in the demo."""

    def __init__(self, late_s: float = 0.0) -> None:
        self._passed = late_s

    def mono(self) -> float:
        return UPTIME_S + self._passed

    def boot(self) -> float:
        return UPTIME_S + self._passed

    def wall(self) -> float:
        return NOW_S + self._passed


class DemoEngine:
    """An `EnginePort` that sends nothing: it shows the rows it was given and takes every intent."""

    def __init__(self, clock: HeldClock) -> None:
        self._clock = clock
        self._updates = ConflatingQueue()
        self._rows: dict[Table, dict[str, Row | None]] = {}
        self._desk = EngineStatusRow(
            environment=Environment.PAPER,
            portfolio=PORTFOLIO,
            portfolio_name="main",
            trading_state=TradingState.ARMED,
            synced=True,
            unknown=1,
            skew_ms=1.0,
            orders_checked_ms=int(NOW_S * 1000) - 2_000,
            positions_checked_ms=int(NOW_S * 1000) - 2_000,
        )

    @property
    def updates(self) -> ConflatingQueue:
        return self._updates

    def submit(self, intent: Intent) -> Future[Outcome]:
        del intent
        future: Future[Outcome] = Future()
        future.set_result(Outcome(verdict=Verdict.ACCEPTED))
        return future

    def set_trading_state(self, state: TradingState) -> None:
        self._show_desk(msgspec.structs.replace(self._desk, trading_state=state))

    def set_risk_mode(self, mode: RiskMode) -> None:
        self._show_desk(msgspec.structs.replace(self._desk, risk_mode=mode))

    def watch(self, syms: tuple[str, ...]) -> None:
        del syms

    def look_at(self, detail: Detail | None) -> None:
        del detail

    def read(self, request: ServiceRequest) -> None:
        if isinstance(request, ServiceQuery):
            self.put(Table.ANSWERS, request.key, demo_answer(request, _wall_ms(0)))

    def dismiss(self, key: str) -> None:
        del key

    def acknowledge_rules(self, changes: Mapping[str, str]) -> None:
        del changes

    def close(self) -> None:
        pass

    def join(self, timeout: float) -> bool:
        del timeout
        return True

    def start(self) -> None:
        """Hand all rows over; oldest events first."""
        self._show_desk(self._desk)
        self._show_links(LinkState.UP)
        _show_market(self)
        orders = _orders()
        for order in orders:
            self.put(Table.ORDERS, order.key, order)
        for key, step in liquidation_steps(PORTFOLIO, _wall_ms(LIQUIDATED_S)).items():
            self.put(Table.LIQUIDATIONS, key, step)
        for algo in algo_rows(orders, _wall_ms, _stamp):
            self.put(Table.ALGOS, algo.key, algo)
        _show_holdings(self)
        _show_fills(self)
        self.show_ranks(0)
        for ago, level, text in market.EVENTS:
            self._updates.put_event(EventLine(wall_ms=_wall_ms(ago), level=level, text=text))

    def show_ranks(self, answer: int) -> bool:
        """One answer about the ADL ranks, counted from 0; False when there is none of that number."""
        told = [(leg, leg.ranks[min(answer, len(leg.ranks) - 1)]) for leg in market.LEGS]
        for leg, rank in told:
            row = AdlRank(sym=leg.sym, adl_rank=rank, position_side=leg.leg, position_id=f"{leg.sym}-{leg.leg}")
            self.put(Table.ADL, f"{leg.sym}/{leg.leg}", Fact(row, _stamp(11.0, Source.SNAPSHOT)))
        return answer + 1 < max(len(leg.ranks) for leg in market.LEGS)

    def lose_links(self) -> None:
        """Both streams are gone."""
        self._show_links(LinkState.CONNECTING)
        self._show_desk(msgspec.structs.replace(self._desk, synced=False))
        for level, text in market.LOST:
            self._updates.put_event(EventLine(wall_ms=_wall_ms(0), level=level, text=text))

    def put(self, table: Table, key: str, row: Row) -> None:
        """Show a row."""
        self._rows.setdefault(table, {})[key] = row
        self._updates.put(table, key, row)

    def mirror(self) -> Mirror:
        """What the screen will know."""
        mirror = Mirror(self._clock)
        mirror.apply(Batch(changed=self._rows, events=[], dropped_events=0))
        return mirror

    def _show_desk(self, desk: EngineStatusRow) -> None:
        self._desk = desk
        self.put(Table.ENGINE_STATUS, ENGINE, desk)

    def _show_links(self, state: LinkState) -> None:
        up = state is LinkState.UP
        for name, ms in (("public", None), ("private", 8.0), ("rest", 31.0)):
            row = LinkRow(
                name=name,
                state=LinkState.UP if up or name == "rest" else state,
                epoch=1,
                since=UPTIME_S - (3_600.0 if up or name == "rest" else 0.0),
                last_frame=UPTIME_S,
                round_trip_ms=ms,
                retries=0 if up else 3,
                error="" if up else "connection refused; next try in 2 s",
            )
            self.put(Table.LINKS, name, row)


def _wall_ms(ago_s: float) -> int:
    return int((NOW_S - ago_s) * 1000)


def _stamp(ago_s: float = 1.0, source: Source = Source.PUSH) -> Stamp:
    return Stamp(PORTFOLIO, 1, _wall_ms(ago_s), source, UPTIME_S - ago_s)


def _show_market(engine: DemoEngine) -> None:
    for info in market.SYMBOLS:
        engine.put(Table.SYMBOLS, info.sym, info)
    for sym, bid, ask, bid_qty, ask_qty, mark, age_s in market.QUOTES:
        row = QuoteRow(
            sym=sym, bid=bid, ask=ask, bid_qty=bid_qty, ask_qty=ask_qty, mark=mark, ts=1, received=UPTIME_S - age_s
        )
        engine.put(Table.QUOTES, sym, row)
    for table, key, terms in market.reference_data(_wall_ms(0), _stamp(60, Source.SNAPSHOT)):
        engine.put(table, key, terms)


def _orders() -> list[OrderRow]:
    found = []
    for number, made in enumerate(market.ORDERS):
        lost = made.state == LocalOrderState.UNKNOWN
        waiting = lost or made.overlay
        row = OrderRow(
            key=f"cd{7301 + number}",
            client_order_id=f"cd{7301 + number}",
            order_id="" if lost else made.order_id or str(918_273_640_011 + 7 * number),
            sym=made.sym,
            side=made.side,
            position_side=made.leg,
            order_type="LIMIT",
            time_in_force=made.tif,
            price=made.price,
            qty=made.qty,
            executed=made.executed,
            average=made.price if made.executed != "0" else "0",
            reduce_only=made.reduce_only,
            state=made.state,
            final=made.final,
            overlay=made.overlay,
            requested_price=made.requested_price,
            reason=made.reason,
            since=UPTIME_S - (made.waits_s if waiting else made.age_s),
            asked=4 if lost else 0,
            not_found=3 if lost else 0,
            not_found_at=_wall_ms(2) if lost else 0,
            create_at=_wall_ms(made.age_s),
            algo_id=made.algo,
            tp_trigger=made.profit,
            sl_trigger=made.stop,
            arrival_mid=made.arrival,
            reply_ms=made.reply_ms,
            push_ms=made.reply_ms + 3,
            stamp=_stamp(made.waits_s, Source.LOCAL if lost else Source.PUSH),
        )
        found.append(row)
    return found


def _show_holdings(engine: DemoEngine) -> None:
    """Legs, coins and account rows, each figure computed as the venue computes it."""
    for leg in market.LEGS:
        bare = PositionRecord(
            sym=leg.sym, position_side=leg.leg, position_qty=leg.qty, avg_price=leg.entry, leverage=leg.leverage
        )
        engine.put(Table.POSITIONS, f"{leg.sym}/{leg.leg}", Fact(bare, _stamp()))
    for coin in market.COINS:
        held = AssetRecord(
            coin=coin.coin, exchange_type=coin.venue, balance=coin.balance, debt=coin.debt, index_price=coin.index
        )
        engine.put(Table.ASSETS, f"{coin.venue}/{coin.coin}", Fact(held, _stamp()))
    mirror = engine.mirror()
    for venue in market.VENUES:
        row = account_snapshot.account_of(mirror, venue)
        if isinstance(row, Missing):
            raise ValueError(f"the desk of the pictures lacks {row.text}")
        found = account.figures(row)
        _show_legs(engine, row, found)
        _show_coins(engine, venue, found)
        _show_account(engine, venue, found)


def _show_legs(engine: DemoEngine, row: account.Account, found: account.AccountFigures) -> None:
    made = {(leg.sym, leg.leg): leg for leg in market.LEGS}
    for leg, figures in zip(row.legs, found.legs, strict=True):
        sym = leg.terms.sym
        wanted = made[(sym, leg.name)]
        liq = account.liq_price(row, found, sym)
        record = PositionRecord(
            position_id=f"{sym}-{leg.name}",
            portfolio_id=PORTFOLIO,
            exchange_type=parse_symbol(sym).exchange,
            sym=sym,
            position_side=leg.name,
            position_qty=wanted.qty,
            avg_price=wanted.entry,
            mark_price=plain(leg.terms.mark),
            position_value=_round_to_cents(figures.value),
            position_margin=_round_to_cents(figures.margin),
            position_mm=_round_to_cents(figures.maintenance),
            unrealized_pnl=_round_to_cents(figures.unrealised),
            unrealized_pnl_rate=plain(half_up(figures.rate, 4)),
            leverage=wanted.leverage,
            max_leverage="100",
            risk_level="1",
            fee=wanted.fee,
            funding_fee=wanted.funding,
            liq_price=None if liq is None else plain(half_up(liq, 2)),
            create_at=str(_wall_ms(wanted.age_s)),
            update_at=str(_wall_ms(4)),
        )
        engine.put(Table.POSITIONS, f"{sym}/{leg.name}", Fact(record, _stamp()))


def _show_coins(engine: DemoEngine, venue: str, found: account.AccountFigures) -> None:
    for coin in market.COINS:
        if coin.venue != venue:
            continue
        equity, index = found.equities[coin.coin], Decimal(coin.index)
        free = Decimal(coin.balance) - Decimal(coin.frozen)
        money = coin.coin == "USDT"
        record = AssetRecord(
            portfolio_id=PORTFOLIO,
            coin=coin.coin,
            exchange_type=venue,
            balance=coin.balance,
            available=plain(free),
            frozen=coin.frozen,
            debt=coin.debt,
            borrow=coin.debt,
            equity=plain(equity),
            equity_value=_round_to_cents(equity * index),
            index_price=coin.index,
            margin_value=_round_to_cents(equity * index * Decimal(market.DISCOUNTS[coin.coin])),
            upnl=_round_to_cents(found.upnl) if money else "0",
            debt_margin=_round_to_cents(found.debt_margins.get(coin.coin, ZERO)),
            perp_margin=_round_to_cents(found.perp_margin) if money else "0",
            max_transferable=plain(half_up(max(ZERO, min(free, equity, found.available / index)), 6)),
        )
        engine.put(Table.ASSETS, f"{venue}/{coin.coin}", Fact(record, _stamp(coin.age_s)))


def _show_account(engine: DemoEngine, venue: str, found: account.AccountFigures) -> None:
    uni = found.uni_mmr
    record = AccountRecord(
        portfolio_id=PORTFOLIO,
        exchange_type=venue,
        equity=_round_to_cents(found.equity),
        margin_value=_round_to_cents(found.margin_value),
        open_loss_margin=_round_to_cents(found.open_loss),
        valid_margin=_round_to_cents(found.valid),
        perp_margin=_round_to_cents(found.perp_margin),
        debt_margin=_round_to_cents(found.debt_margin),
        frozen_margin=_round_to_cents(found.frozen),
        available_margin=_round_to_cents(found.available),
        maintain_margin=_round_to_cents(found.maintenance),
        position_value=_round_to_cents(found.position_value),
        upnl=_round_to_cents(found.upnl),
        uni_mmr=NO_RISK if uni is None else plain(half_up(uni, 4)),
        account_status="MARGIN_CALL" if uni is not None and uni < 2 else "NORMAL",
        position_mode="BOTH",
    )
    engine.put(Table.ACCOUNTS, venue, Fact(record, _stamp(2.0, Source.SNAPSHOT)))


def _show_fills(engine: DemoEngine) -> None:
    """Fills, their bookings, and bookings without a fill."""
    orders, day = list(engine.mirror().orders.values()), DayResult()
    for number, made in enumerate(market.FILLS):
        order = next(row for row in orders if row.sym == made.sym and row.price == (made.limit or made.price))
        record = TradeRecord(
            transaction_id=str(55_190_000_412 + 3 * number),
            portfolio_id=PORTFOLIO,
            order_id=order.order_id,
            client_order_id=order.client_order_id,
            exchange_type=parse_symbol(made.sym).exchange,
            sym=made.sym,
            side=made.side,
            quantity=made.qty,
            price=made.price,
            fee=made.fee,
            fee_coin="USDT",
            rebate=made.rebate,
            rebate_coin="USDT",
            rpnl=made.result,
            exec_type="MAKER" if made.rebate != "0" else "TAKER",
            create_at=str(_wall_ms(made.age_s)),
        )
        engine.put(Table.FILLS, record.transaction_id, Fact(record, _stamp(made.age_s)))
        day.add(record)
        booked = Decimal(made.result) - Decimal(made.fee) + Decimal(made.rebate)
        _add_booking(engine, TRADE, made.sym, plain(booked), made.age_s, record.transaction_id)
    for sym, sums in day.by_sym.items():
        engine.put(Table.DAYS, f"{day.day}/{sym}", DayRow(sym=sym, day_ms=day.day * DAY_MS, sums=sums))
    for kind, sym, amount, age_s in market.BOOKED:
        _add_booking(engine, kind, sym, amount, age_s, "")


def _add_booking(engine: DemoEngine, kind: str, sym: str, amount: str, age_s: float, of: str) -> None:
    number = f"{kind}-{sym}-{of or amount}"
    interest = kind == market.INTEREST
    record = StatementRecord(
        portfolio_id=PORTFOLIO,
        request_id=of,
        statement_id=number,
        coin="BTC" if interest else "USDT",
        sym="" if interest else sym,
        statement_type=kind,
        exchange_type=parse_symbol(sym).exchange,
        before_borrow="0.150000" if interest else "0",
        after_borrow=plain(Decimal("0.150000") + Decimal(amount)) if interest else "0",
        delta_amount="0" if interest else amount,
        create_at=_wall_ms(age_s),
    )
    engine.put(Table.STATEMENTS, number, Fact(record, _stamp(age_s)))


def _round_to_cents(amount: Decimal) -> str:
    return plain(half_up(amount, 2))
