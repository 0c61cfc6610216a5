"""An engine that does what a test says: it records what was asked, and shows the rows it is given."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import Future

import msgspec

from tui.engine.conflating_queue import ConflatingQueue
from tui.engine.event_line import EventLine, Level
from tui.engine.intents import Intent, Outcome, Verdict
from tui.engine.limits import Limits
from tui.engine.modes import Environment, RiskMode, TradingState
from tui.engine.rows import BracketTable, DayRow, Fact, OrderRow, PendingAction, QuoteRow, Row, Source, Stamp, Table
from tui.engine.service_query import ServiceRequest
from tui.engine.status_rows import ENGINE, EngineStatusRow, LinkRow, LinkState
from tui.interface.families.assets import AssetRecord
from tui.interface.families.fees import FeeSchedule
from tui.interface.families.history import TradeRecord
from tui.interface.families.loans import CoinDiscountRow
from tui.interface.families.market import Bracket, SymbolInfo
from tui.interface.families.positions import AccountRecord, AdlRank, LeverageRow, PositionRecord
from tui.interface.streams import Detail
from tui.rules.day_result import DAY_MS, DayResult

WALL = 1_700_000_000.0


class ScriptedClock:
    """Time that moves when told."""

    def __init__(self) -> None:
        self.at = 1000.0

    def mono(self) -> float:
        return self.at

    def boot(self) -> float:
        return self.at

    def wall(self) -> float:
        return WALL + self.at

    def pass_by(self, seconds: float) -> None:
        self.at += seconds


class ScriptedPort:
    """An `EnginePort` without an engine."""

    def __init__(self, clock: ScriptedClock) -> None:
        self.clock = clock
        self._updates = ConflatingQueue()
        self.intents: list[Intent] = []
        self.outcomes: list[Outcome] = []
        """Answers of the next submits; when empty: accepted."""
        self.foreseen: list[Outcome] = []
        """What the gate would answer to each intent of the next question; empty: that each would pass."""
        self.hold = False
        """Keep futures open until `answer`."""
        self.open: list[Future[Outcome]] = []
        self.states: list[TradingState] = []
        self.modes: list[RiskMode] = []
        self.limit_changes: list[str] = []
        self.hot_ends: list[str] = []
        """Reasons for which HOT was ended."""
        self.watched: tuple[str, ...] = ()
        self.attended: frozenset[str] = frozenset()
        self.dismissed: list[str] = []
        self.acknowledged: list[Mapping[str, str]] = []
        self.looked_at: Detail | None = None
        self.books: tuple[str, ...] = ()
        """Other pairs whose book was asked for last."""
        self.details: list[Detail | None] = []
        """Every pair looked at, in order."""
        self.read_requests: list[ServiceRequest] = []
        """What was asked of the service."""
        self.declined: list[str] = []
        self.granted: list[str] = []
        self.revoked: list[str] = []
        self.closed = False
        self.desk = EngineStatusRow(
            environment=Environment.PAPER,
            portfolio="7001",
            portfolio_name="main",
            trading_state=TradingState.VIEW,
            synced=True,
            day_is_whole=True,
            bookings_read=True,
        )

    @property
    def updates(self) -> ConflatingQueue:
        return self._updates

    def submit(self, intent: Intent) -> Future[Outcome]:
        self.intents.append(intent)
        future: Future[Outcome] = Future()
        if self.hold:
            self.open.append(future)
        else:
            future.set_result(self.outcomes.pop(0) if self.outcomes else Outcome(verdict=Verdict.ACCEPTED))
        return future

    def foresee(self, intents: Sequence[Intent]) -> Future[tuple[Outcome, ...]]:
        future: Future[tuple[Outcome, ...]] = Future()
        future.set_result(tuple(self.foreseen or [Outcome(verdict=Verdict.ACCEPTED)] * len(intents)))
        return future

    def answer(self, outcome: Outcome) -> None:
        """End the oldest open submit."""
        self.open.pop(0).set_result(outcome)

    def set_trading_state(self, state: TradingState) -> None:
        self.states.append(state)
        self.set_desk(trading_state=state)

    def enter_hot(self, seconds: float) -> None:
        self.set_desk(trading_state=TradingState.HOT, hot_until=self.clock.mono() + seconds)

    def end_hot(self, why: str) -> None:
        self.hot_ends.append(why)
        if self.desk.trading_state is TradingState.HOT:
            self.set_desk(trading_state=TradingState.ARMED, hot_until=0.0)

    def set_risk_mode(self, mode: RiskMode) -> None:
        self.modes.append(mode)
        self.set_desk(risk_mode=mode)

    def set_limits(self, limits: Limits, what: str) -> None:
        self.limit_changes.append(what)
        self.set_desk(limits=limits)

    def watch(self, syms: tuple[str, ...]) -> None:
        self.watched = syms

    def attend(self, syms: frozenset[str]) -> None:
        self.attended = syms

    def look_at(self, detail: Detail | None, books: tuple[str, ...] = ()) -> None:
        self.looked_at, self.books = detail, books
        self.details.append(detail)

    def read(self, request: ServiceRequest) -> None:
        self.read_requests.append(request)

    def decline(self, key: str) -> None:
        self.declined.append(key)

    def grant(self, key: str) -> None:
        self.granted.append(key)

    def revoke(self, key: str = "") -> None:
        self.revoked.append(key)

    def dismiss(self, key: str) -> None:
        self.dismissed.append(key)

    def acknowledge_rules(self, changes: Mapping[str, str]) -> None:
        self.acknowledged.append(changes)

    def close(self) -> None:
        self.closed = True

    def join(self, timeout: float) -> bool:
        del timeout
        return True

    # Rows

    def put(self, table: Table, key: str, row: Row | None) -> None:
        self._updates.put(table, key, row)

    def set_desk(self, **changes: object) -> None:
        self.desk = msgspec.structs.replace(self.desk, **changes)
        self.put(Table.ENGINE_STATUS, ENGINE, self.desk)

    def stamp(self, source: Source = Source.PUSH) -> Stamp:
        return Stamp("7001", 1, int(self.clock.wall() * 1000), source, self.clock.at)

    def quote(self, sym: str, bid: str, ask: str, bid_qty: str = "1.5", ask_qty: str = "0.8", mark: str = "") -> None:
        row = QuoteRow(
            sym=sym, bid=bid, ask=ask, bid_qty=bid_qty, ask_qty=ask_qty, mark=mark, ts=1, received=self.clock.at
        )
        self.put(Table.QUOTES, sym, row)

    def order(self, key: str, sym: str, side: str, price: str, qty: str, **more: object) -> OrderRow:
        row = OrderRow(
            key=key,
            client_order_id=key,
            order_id="9" + key[-3:],
            sym=sym,
            side=side,
            price=price,
            qty=qty,
            order_type="LIMIT",
            time_in_force="GTX",
            state="OPEN",
            since=self.clock.at,
            create_at=int(self.clock.wall() * 1000),
            stamp=self.stamp(),
        )
        row = msgspec.structs.replace(row, **more)
        self.put(Table.ORDERS, key, row)
        return row

    def rest(self, key: str = "new") -> None:
        """Show an order that rests: what becomes of those that are accepted under this key."""
        self.order(key, "BINANCE_PERP_BTC_USDT", "BUY", "60000", "0.1")

    def event(
        self,
        text: str,
        level: Level = Level.INFO,
        *,
        stays: bool = False,
        peer: str = "",
        key: str = "",
        sticky: bool = False,
        asks: bool = False,
        cause: str = "",
        keepable: bool = False,
    ) -> None:
        wall_ms = int(self.clock.wall() * 1000)
        line = EventLine(
            wall_ms=wall_ms, level=level, text=text, stays=stays, peer=peer, key=key, sticky=sticky, asks=asks,
            cause=cause, keepable=keepable,
        )  # fmt: skip
        self._updates.put_event(line)


def info(sym: str, tick: str, lot: str, contract: str = "1", minimum: str = "", notional: str = "5") -> SymbolInfo:
    return SymbolInfo(
        sym=sym,
        state="live",
        tick_size=tick,
        lot_size=lot,
        min_size=minimum or lot,
        min_notional=notional,
        contract_size=contract,
        max_limit_size="100000",
        max_market_size="10000",
    )


SYMBOLS = (
    info("BINANCE_PERP_BTC_USDT", "0.1", "0.001"),
    info("OKX_PERP_BTC_USDT", "0.1", "1", "0.01"),
    info("EDX_PERP_BTC_USDT", "0.5", "0.001"),
    info("BINANCE_SPOT_BTC_USDT", "0.01", "0.00001"),
    info("OKX_SPOT_BTC_USDT", "0.1", "0.00001"),
    info("BINANCE_PERP_ETH_USDT", "0.01", "0.001"),
    info("OKX_PERP_ETH_USDT", "0.01", "1", "0.1"),
    info("BINANCE_SPOT_ETH_USDT", "0.01", "0.0001"),
    info("BINANCE_PERP_SOL_USDT", "0.01", "0.1"),
    info("BINANCE_MARGIN_BTC_USDT", "0.01", "0.00001"),
)


def terms(port: ScriptedPort) -> None:
    """Price lists of the drawings: 5 bp taker, maker rebate of half a bp, 0.5 % maintenance on BTC, 1 % on ETH."""
    stamp = port.stamp(Source.SNAPSHOT)
    for venue in ("BINANCE", "OKX", "EDX"):
        for kind, taker, maker in (("PERP", "0.0005", "-0.00005"), ("SPOT", "0.001", "0")):
            fees = FeeSchedule(exchange_type=venue, business_type=kind, taker_fee_rate=taker, maker_fee_rate=maker)
            port.put(Table.FEES, f"{venue}/{kind}", Fact(fees, stamp))
    for symbol_info in SYMBOLS:
        sym = symbol_info.sym
        if "_PERP_" in sym:
            rate = "0.005" if "_BTC_" in sym else "0.01"
            tier = Bracket(
                sym=sym,
                min_notional_value="0",
                max_notional_value="100000000",
                max_leverage="100",
                mm_rate=rate,
                risk_level="1",
            )
            port.put(Table.BRACKETS, sym, BracketTable((tier,)))
            port.put(Table.LEVERAGES, sym, LeverageRow(sym=sym, leverage="20"))
    for coin, share in (("USDT", "1.0000"), ("BTC", "0.9500"), ("ETH", "0.9500")):
        port.put(Table.DISCOUNTS, coin, CoinDiscountRow(coin=coin, discount=share))


def fill_desk(port: ScriptedPort, names: Iterable[str] = ()) -> None:
    """The desk of the drawings: three venues, three legs, four orders."""
    del names
    clock = port.clock
    port.set_desk(in_flight=0, unknown=1, skew_ms=1.0)
    for name, ms in (("public", 3.0), ("private", 8.0), ("rest", 31.0)):
        link = LinkRow(
            name=name, state=LinkState.UP, epoch=1, since=clock.at - 60, last_frame=clock.at, round_trip_ms=ms
        )
        port.put(Table.LINKS, name, link)
    for symbol_info in SYMBOLS:
        port.put(Table.SYMBOLS, symbol_info.sym, symbol_info)
    port.quote("BINANCE_PERP_BTC_USDT", "64001.0", "64001.2", "2.105", "0.870", "64001.0")
    port.quote("OKX_PERP_BTC_USDT", "64000.9", "64001.1", "131", "52", "64001.0")
    port.quote("EDX_PERP_BTC_USDT", "64000.5", "64001.5", "1.307", "0.410", "64001.0")
    port.quote("BINANCE_SPOT_BTC_USDT", "64010.12", "64010.22", "0.98213", "1.20411")
    port.quote("OKX_SPOT_BTC_USDT", "64010.0", "64010.4", "0.5", "0.7")
    port.quote("BINANCE_PERP_ETH_USDT", "3412.09", "3412.10", "12.7", "8.05", "3412.10")
    port.quote("OKX_PERP_ETH_USDT", "3412.05", "3412.11", "890", "411", "3412.10")
    port.quote("BINANCE_SPOT_ETH_USDT", "3412.60", "3412.61", "4.2", "3.9")
    port.quote("BINANCE_PERP_SOL_USDT", "151.24", "151.25", "210.5", "98.1", "151.24")
    port.quote("BINANCE_MARGIN_BTC_USDT", "64010.12", "64010.22", "0.98213", "1.20411")
    now = int(clock.wall() * 1000)
    port.order("o1", "BINANCE_SPOT_ETH_USDT", "BUY", "3412.10", "1.0", state="UNKNOWN", since=clock.at - 12, asked=4)
    port.order(
        "o2",
        "EDX_PERP_BTC_USDT",
        "SELL",
        "64300.0",
        "0.010",
        position_side="SHORT",
        overlay=PendingAction.AMEND,
        requested_price="64290.0",
        since=clock.at - 2,
        create_at=now - 90_000,
    )
    port.order(
        "o3",
        "BINANCE_PERP_BTC_USDT",
        "BUY",
        "63998.0",
        "0.250",
        executed="0.100",
        position_side="LONG",
        state="PARTIALLY_FILLED",
        create_at=now - 4_000,
    )
    port.order("o4", "OKX_PERP_BTC_USDT", "BUY", "63880.0", "25", position_side="SHORT", create_at=now - 41_000)
    for sym, side, size, entry, mark, gain, rate, liq, value, margin in (
        (
            "BINANCE_PERP_BTC_USDT",
            "LONG",
            "2.5",
            "63870.0",
            "64001.0",
            "327.50",
            "0.041",
            "52123.0",
            "160002.5",
            "800.01",
        ),
        (
            "BINANCE_PERP_ETH_USDT",
            "LONG",
            "40",
            "3377.50",
            "3412.10",
            "1384.00",
            "0.205",
            "2665.97",
            "136484",
            "1364.84",
        ),
        ("OKX_PERP_BTC_USDT", "SHORT", "200", "64210.0", "64001.0", "418.00", "0.065", "73840.8", "128002", "640.01"),
    ):
        record = PositionRecord(
            position_id=sym,
            sym=sym,
            position_side=side,
            position_qty=size,
            avg_price=entry,
            mark_price=mark,
            position_value=value,
            position_margin="8000",
            position_mm=margin,
            unrealized_pnl=gain,
            unrealized_pnl_rate=rate,
            leverage="20",
            liq_price=liq,
        )
        port.put(Table.POSITIONS, f"{sym}/{side}", Fact(record, port.stamp()))
    for sym, side, rank in (
        ("BINANCE_PERP_ETH_USDT", "LONG", "4"),
        ("BINANCE_PERP_BTC_USDT", "LONG", "2"),
        ("OKX_PERP_BTC_USDT", "SHORT", "1"),
    ):
        port.put(Table.ADL, f"{sym}/{side}", Fact(AdlRank(sym=sym, adl_rank=rank, position_side=side), port.stamp()))
    for venue, balance, equity, upnl, mmr, valid, maintain in (
        ("BINANCE", "30000", "31711.50", "1711.50", "14.65", "31711.50", "2164.85"),
        ("OKX", "20000", "20418.00", "418.00", "31.90", "20418.00", "640.01"),
        ("EDX", "10000", "10000.00", "0", "999999", "10000", "0"),
    ):
        account = AccountRecord(
            exchange_type=venue,
            equity=equity,
            upnl=upnl,
            uni_mmr=mmr,
            account_status="NORMAL",
            position_mode="BOTH",
            valid_margin=valid,
            maintain_margin=maintain,
        )
        port.put(Table.ACCOUNTS, venue, Fact(account, port.stamp()))
        asset = AssetRecord(
            coin="USDT",
            exchange_type=venue,
            balance=balance,
            available="26587.90",
            max_transferable="16402.39",
            equity=balance,
            equity_value=equity,
            margin_value=equity,
            index_price="1",
            frozen="0",
        )
        port.put(Table.ASSETS, f"{venue}/USDT", Fact(asset, port.stamp()))
    terms(port)
    day = DayResult()
    for count in range(6):
        trade = TradeRecord(
            transaction_id=f"t{count}",
            order_id="93",
            client_order_id="o3",
            sym="BINANCE_PERP_BTC_USDT",
            side="BUY",
            quantity="0.100",
            price="63998.0",
            fee="0.1234",
            fee_coin="USDT",
            exec_type="MAKER",
            rpnl="0",
            create_at=str(now - count * 1000),
        )
        port.put(Table.FILLS, trade.transaction_id, Fact(trade, port.stamp()))
        day.add(trade)
    for sym, sums in day.by_sym.items():
        port.put(Table.DAYS, f"{day.day}/{sym}", DayRow(sym=sym, day_ms=day.day * DAY_MS, sums=sums))
    port.event("amend sent EDX BTC …7f3a 64,300.0 → 64,290.0")
    port.event("filled 0.100 BINANCE BTC BUY @ 63,998.0 maker, rebate 0.32", Level.GOOD)
