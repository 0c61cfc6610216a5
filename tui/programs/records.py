"""Records that programs get: exact decimals, UTC times, names of the trade; None where a value is not known."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import UTC, datetime
from decimal import Decimal

import msgspec

from tui.desk_protocol import messages
from tui.engine.event_line import EventLine
from tui.engine.intents import Outcome
from tui.engine.limits import Limits
from tui.engine.peers.requests import RequestEnd
from tui.engine.rows import BarsRow, DepthRow, Fact, OrderRow, QuoteRow
from tui.engine.status_rows import EngineStatusRow, MandateRow, ProposalRow
from tui.interface.decimals import optional, positive
from tui.interface.families.assets import AssetRecord
from tui.interface.families.history import TradeRecord
from tui.interface.families.positions import AdlRank as AdlRankRecord
from tui.interface.families.positions import PositionRecord
from tui.interface.figures import ONE_WAY, leg_of, net_size_of
from tui.interface.times import millis


class Quote(msgspec.Struct, frozen=True, kw_only=True):
    """Best bid and offer of a pair; sizes in the venue's units."""

    sym: str
    """Pair."""
    bid: Decimal | None
    """Best price to sell at; None: nobody bids."""
    bid_size: Decimal | None
    """Size at it."""
    ask: Decimal | None
    """Best price to buy at; None: nobody offers."""
    ask_size: Decimal | None
    """Size at it."""
    mark: Decimal | None
    """Mark price of a perpetual."""
    at: datetime | None
    """Time of the quote at the venue; a pair that does not change keeps it. None after a cut, until a new quote."""
    stale: bool = False
    """Whether the venue may show another one by now: the desk is gone, the market link is down, the pair's next quote after
    a cut has not come yet, or no quote of any pair has come for as long as the limit `red_after` says."""


class Peer(msgspec.Struct, frozen=True, kw_only=True):
    """Desk or program that is attached to the desk from another process."""

    name: str
    """Name by which the desk shows it."""
    role: str
    """`watch`, `propose`, `trade` or `desk`."""
    since: datetime | None
    """Time at which it attached."""


class Downtime(msgspec.Struct, frozen=True, kw_only=True):
    """Maintenance of the service, under way or announced."""

    under_way: bool
    """Whether it has begun."""
    starts: datetime | None
    """Time at which it begins."""
    ends: datetime | None
    """Time at which it ends."""
    text: str
    """What the service says about it."""


class Status(msgspec.Struct, frozen=True, kw_only=True):
    """Status of the desk."""

    environment: str
    """`PAPER` or `LIVE`."""
    portfolio: str
    """Number of the portfolio."""
    portfolio_name: str
    """Its name; empty where it has none."""
    trading_state: str
    """`VIEW`, `ARMED` or `HOT`, of the desk that holds the account."""
    risk_mode: str
    """`NORMAL`, `REDUCING` or `HALT`."""
    risk_reason: str
    """Why it is not `NORMAL`, or empty."""
    limits: Limits
    """Limits on orders, as the settings name them."""
    synced: bool
    """Whether orders, positions and missed fills are those of the service."""
    read_only: str
    """Why nothing can be sent at all, or empty."""
    in_flight: int
    """Number of commands without an answer yet."""
    unknown: int
    """Number of orders whose outcome is not known."""
    clock_skew: float | None
    """Clock of the desk minus that of the service, s."""
    errors: tuple[str, ...]
    """What is wrong with journal, engine, watchdog or algo orders now."""
    day_is_whole: bool
    """Whether every fill since 00:00 UTC is counted."""
    bookings_read: bool
    """Whether the statement has been read since the newest event that books other amounts than fills."""
    changed_rules: dict[str, str]
    """Pairs in which no position may grow until the trader accepts their new rules, with the change."""
    downtime: tuple[Downtime, ...]
    """Maintenance under way and announced."""
    peers: tuple[Peer, ...]
    """Desks and programs attached from other processes."""


class Order(msgspec.Struct, frozen=True, kw_only=True):
    """Order of the account; sizes in the venue's units."""

    key: str
    """Stable name of the order: its client order id where it has one."""
    order_id: str
    """Number that the service gave it; empty until it has answered."""
    sym: str
    """Pair."""
    side: str
    """`BUY` or `SELL`."""
    position_side: str
    """`NONE`, or the leg `LONG` or `SHORT` in hedge mode."""
    type: str
    """`LIMIT`, `MARKET` and so on, as the service writes it."""
    time_in_force: str
    """`GTC`, `GTX` (post-only), `IOC` or `FOK`."""
    price: Decimal | None
    """Limit price; while `changing`, that of before."""
    size: Decimal | None
    """Size of the whole order, with what is filled."""
    filled: Decimal | None
    """Size filled so far."""
    average: Decimal | None
    """Average price of its fills; `None` also while the service has not said that of all that is `filled`."""
    state: str
    """One of the states below."""
    working: bool
    """Whether it may still be open."""
    unsure: bool
    """Whether its state, or the outcome of its last change, is not known."""
    changing: bool
    """Whether a replace or cancel of it is under way; until then it has the terms of before."""
    sender: str
    """Peer that sent it; empty: the desk that holds the account."""
    reason: str
    """Why it was refused or ended, or what is in doubt; it goes with the doubt."""
    created: datetime | None
    """Time at which the service took it."""


class Position(msgspec.Struct, frozen=True, kw_only=True):
    """Position; the size is negative for a short one, in contracts on OKX and in coins elsewhere."""

    sym: str
    """Pair; a pair without a position has no record."""
    side: str
    """`LONG` or `SHORT`."""
    size: Decimal
    """Size, negative for a short one."""
    entry: Decimal | None
    """Average price of entry."""
    mark: Decimal | None
    """Mark price."""
    unrealised: Decimal | None
    """Result at the mark price, of the account and not of the program."""
    liquidation: Decimal | None
    """Price of liquidation; None: none is near."""


class AdlRank(msgspec.Struct, frozen=True, kw_only=True):
    """Auto-deleveraging rank of a position, as the service sends it; a larger one is closed sooner."""

    sym: str
    """Pair."""
    side: str
    """`LONG` or `SHORT`."""
    rank: Decimal | None
    """Rank, as the service sends it."""


class Asset(msgspec.Struct, frozen=True, kw_only=True):
    """Coin on a venue."""

    venue: str
    """Venue."""
    coin: str
    """Coin."""
    balance: Decimal | None
    """Balance."""
    available: Decimal | None
    """Part that can be used."""
    debt: Decimal | None
    """Debt of margin orders, with its interest."""
    loan: Decimal | None
    """Portfolio loan; 0 without."""
    owed: Decimal | None
    """Debt and loan together."""


class Fill(msgspec.Struct, frozen=True, kw_only=True):
    """Fill of an order."""

    id: str
    """Number of the fill; with `order_id` it is unique at a service that never went back."""
    order_id: str
    """Number of its order at the service."""
    sym: str
    """Pair."""
    side: str
    """`BUY` or `SELL`."""
    size: Decimal | None
    """Size."""
    price: Decimal | None
    """Price."""
    fee: Decimal | None
    """Fee paid."""
    fee_coin: str
    """Coin of the fee."""
    rebate: Decimal | None
    """Rebate received."""
    rebate_coin: str
    """Coin of the rebate."""
    at: datetime | None
    """Time of the fill at the venue."""


class Listed(msgspec.Struct, frozen=True, kw_only=True):
    """List or record that was read from the service: rows or record, total, and whether rows are missing."""

    rows: tuple[object, ...]
    """Records of a list, typed as in the catalogue."""
    record: object
    """Answer of any other shape; None for a list."""
    total: int
    """Number of rows according to the service."""
    is_part: bool = False
    """Whether there are more rows than are read at most."""


class Level(msgspec.Struct, frozen=True):
    """Price level of an order book."""

    price: Decimal | None
    """Price."""
    size: Decimal | None
    """Size."""


class Book(msgspec.Struct, frozen=True, kw_only=True):
    """Order book of a pair, best prices first; sizes in the venue's units."""

    sym: str
    """Pair."""
    bids: list[Level]
    """Levels to sell at, the highest price first."""
    asks: list[Level]
    """Levels to buy at, the lowest price first."""
    at: datetime | None
    """Time at the venue."""


class Bar(msgspec.Struct, frozen=True, kw_only=True):
    """Price bar; `at` is its opening time."""

    at: datetime | None
    """Time at which it opened."""
    open: Decimal | None
    """First price."""
    high: Decimal | None
    """Highest price."""
    low: Decimal | None
    """Lowest price."""
    close: Decimal | None
    """Last price."""
    volume: Decimal | None
    """Size traded."""


class Proposal(msgspec.Struct, frozen=True, kw_only=True):
    """Proposal that waits for the trader."""

    number: str
    """Number by which the trader answers."""
    kind: str
    """`place`, `replace`, `cancel` or `close`."""
    order: str
    """Key of the order to replace or cancel, or empty."""
    side: str
    """`BUY` or `SELL`."""
    sym: str
    """Pair."""
    size: Decimal | None
    """Size of the whole order."""
    price: Decimal | None
    """Limit price; None: at market."""
    time_in_force: str
    """As of an order."""
    position_side: str
    """As of an order."""
    reduce_only: bool
    """Whether it may only reduce a position."""
    reason: str
    """Reason that the trader reads."""


class Preview(msgspec.Struct, frozen=True, kw_only=True):
    """Answer that the desk would give if its trader sent an order now, with value and position size; nothing was sent."""

    verdict: str
    """`accepted`, `ask` or `denied`."""
    guard: str
    """Names of the guards that deny or ask."""
    text: str
    """What the desk says."""
    value: Decimal | None
    """Value at its price, or at the touch for a market order, in quote units."""
    held: Decimal
    """Size of the position in the pair now, negative for a short one."""
    after: Decimal | None
    """Size after a whole fill."""


class ProposalEnd(msgspec.Struct, frozen=True, kw_only=True):
    """Outcome of a proposal: the trader's answer, and what became of the order if it was sent."""

    answer: str
    """`sent`, `declined`, `expired` or `withdrawn`."""
    verdict: str
    """What became of the order that the trader sent: `accepted`, `rejected` or `unknown`; else empty."""
    order: str
    """Key of that order, or empty."""
    text: str
    """What the desk or the service says of that order; where none was sent, why the desk denied it, or would by now."""
    entry: int = 0
    """Number of the entry in the desk's journal with which the order was recorded before it left; 0: there is none."""


class Mandate(msgspec.Struct, frozen=True, kw_only=True):
    """Mandate of a program, with what is used of it; values in quote."""

    number: str
    """Number by which the trader grants and revokes it."""
    pairs: tuple[str, ...]
    """Pairs that may be traded within it."""
    side: str
    """`BUY`, `SELL` or `BOTH`."""
    order_value: Decimal
    """Most value of an order."""
    position_value: Decimal
    """Most value held on a pair."""
    traded_value: Decimal
    """Most value traded in all."""
    loss: Decimal
    """Loss after costs that ends it."""
    orders_per_minute: int
    """Most orders and replaces in any 60 s."""
    held: Decimal
    """Value of the largest position that its fills hold."""
    traded: Decimal
    """Value of its orders so far: of a working one what it may come to, of an ended one what was filled."""
    result: Decimal
    """Result of its fills after costs, negative for a loss; what is held counts at the price of closing it."""
    orders: int
    """Number of orders and replaces sent."""
    seconds_left: float
    """Time until it ends, s."""


class Sent(msgspec.Struct, frozen=True, kw_only=True):
    """First outcome of a command that a program sent: accepted, rejected, denied or unknown."""

    verdict: str
    """`accepted`, `rejected` by the service, `denied` by the desk (nothing was sent), or `unknown`."""
    order: str
    """Key of the order, or empty."""
    guard: str
    """Name of the check that denied it, such as MANDATE, or empty."""
    text: str
    """What the desk or the service says."""
    retry_after: float | None = None
    """Time after which what denied it has passed by itself, s, as the pace of the mandate does; None: it does not."""
    term: str = ""
    """Field of `Mandate` that denied it, such as `order_value`; empty: another reason."""
    command: str = ""
    """Id of the command, by which `outcome` tells the same again."""
    entry: int = 0
    """Number of the entry in the desk's journal with which it was recorded before it left; 0: there is none."""


class Event(msgspec.Struct, frozen=True, kw_only=True):
    """Event line of the desk."""

    number: int
    """Number; one more than that of the line before."""
    level: str
    """`info`, `good`, `warn` or `alert`."""
    text: str
    """Sentence, as the desk shows it."""
    order: str
    """Key of the order concerned, or empty."""
    at: datetime
    """Time at the desk."""
    missed: int = 0
    """Number of lines before it that an iterator did not get, because the program read too slowly; the journal has them."""


class PastEvent(msgspec.Struct, frozen=True, kw_only=True):
    """Event line of the desk's journal, also of earlier runs."""

    entry: int
    """Number of its entry in the journal."""
    text: str
    """Sentence, as the desk showed it."""
    order: str
    """Key of the order concerned, or empty."""
    at: datetime
    """Time at the desk."""


def read_status(row: EngineStatusRow) -> Status:
    """Convert the engine's status row to the program's status record."""
    errors = (row.journal_error, row.engine_error, row.watchdog_error, row.algo_error)
    return Status(
        environment=row.environment.value, portfolio=row.portfolio, portfolio_name=row.portfolio_name,
        trading_state=row.trading_state.value, risk_mode=row.risk_mode.value, risk_reason=row.risk_mode_reason,
        limits=row.limits, synced=row.synced, read_only=row.read_only, in_flight=row.in_flight, unknown=row.unknown,
        clock_skew=None if row.skew_ms is None else row.skew_ms / 1000, errors=tuple(text for text in errors if text),
        day_is_whole=row.day_is_whole, bookings_read=row.bookings_read, changed_rules=dict(row.changed_rules),
        downtime=tuple(
            Downtime(
                under_way=window.status == 1, starts=read_time(window.start_time), ends=read_time(window.end_time),
                text=window.desc,
            )
            for window in row.downtime
        ),
        peers=tuple(Peer(name=peer.name, role=peer.role, since=read_time(peer.since_ms)) for peer in row.peers),
    )  # fmt: skip


def read_quote(row: QuoteRow, *, stale: bool) -> Quote:
    """Read a quote."""
    return Quote(
        sym=row.sym, bid=positive(row.bid), bid_size=positive(row.bid_qty), ask=positive(row.ask),
        ask_size=positive(row.ask_qty), mark=positive(row.mark), at=read_time(row.ts), stale=stale,
    )  # fmt: skip


def read_order(row: OrderRow) -> Order:
    """Read an order."""
    return Order(
        key=row.key, order_id=row.order_id, sym=row.sym, side=row.side, position_side=row.position_side,
        type=row.order_type, time_in_force=row.time_in_force, price=optional(row.price), size=optional(row.qty),
        filled=optional(row.filled), average=None if row.is_behind_fills else positive(row.average), state=row.state,
        working=row.working, unsure=row.unsure, changing=bool(row.overlay), sender=row.peer, reason=row.reason,
        created=read_time(row.create_at),
    )  # fmt: skip


def read_position(fact: Fact[PositionRecord]) -> Position:
    """Read a position."""
    record = fact.record
    return Position(
        sym=record.sym, side=leg_of(record), size=net_size_of(record) or Decimal(0), entry=positive(record.avg_price),
        mark=positive(record.mark_price), unrealised=optional(record.unrealized_pnl),
        liquidation=positive(record.liq_price),
    )  # fmt: skip


def read_adl_rank(fact: Fact[AdlRankRecord], positions: Iterable[Fact[PositionRecord]]) -> AdlRank | None:
    """Read an auto-deleveraging rank; None where its position is closed, as ranks are read only now and then."""
    record = fact.record
    for position in positions:
        held, ids = read_position(position), (record.position_id, position.record.position_id)
        is_same = ids[0] == ids[1] if all(ids) else record.position_side in (*ONE_WAY, held.side)
        if held.size and held.sym == record.sym and is_same:
            return AdlRank(sym=record.sym, side=held.side, rank=optional(record.adl_rank))
    return None


def read_asset(fact: Fact[AssetRecord]) -> Asset:
    """Read a coin on a venue."""
    record = fact.record
    debt, loan = optional(record.debt), optional(record.loan) if isinstance(record.loan, str) else Decimal(0)
    return Asset(
        venue=record.exchange_type, coin=record.coin, balance=optional(record.balance),
        available=optional(record.available), debt=debt, loan=loan,
        owed=None if debt is None or loan is None else debt + loan,
    )  # fmt: skip


def read_fill(fact: Fact[TradeRecord]) -> Fill:
    """Read a fill."""
    record = fact.record
    return Fill(
        id=record.transaction_id, order_id=record.order_id, sym=record.sym, side=record.side,
        size=optional(record.quantity), price=optional(record.price), fee=optional(record.fee),
        fee_coin=record.fee_coin, rebate=optional(record.rebate), rebate_coin=record.rebate_coin,
        at=read_time(millis(record.create_at)),
    )  # fmt: skip


def read_book(row: DepthRow) -> Book:
    """Read an order book."""
    bids, asks = ([Level(optional(price), optional(size)) for price, size in side] for side in (row.bids, row.asks))
    return Book(sym=row.sym, bids=bids, asks=asks, at=read_time(row.ts))


def read_bars(row: BarsRow) -> list[Bar]:
    """Read price bars, oldest first."""
    return [
        Bar(
            at=read_time(millis(str(bar.open_time))), open=optional(bar.open), high=optional(bar.high),
            low=optional(bar.low), close=optional(bar.close), volume=optional(bar.volume),
        )
        for bar in row.bars
    ]  # fmt: skip


def read_proposal(row: ProposalRow) -> Proposal:
    """Read a proposal that waits."""
    return Proposal(
        number=row.key, kind=row.kind.value, order=row.order, side=row.side, sym=row.sym,
        size=optional(row.qty), price=optional(row.price),
        time_in_force=row.time_in_force, position_side=row.position_side, reduce_only=row.reduce_only, reason=row.reason,
    )  # fmt: skip


def read_end(decided: RequestEnd) -> ProposalEnd:
    """Convert the end of a request to the trader to a proposal's outcome."""
    outcome = decided.outcome
    if outcome is None:
        return ProposalEnd(answer=decided.answer.value, verdict="", order="", text=decided.text)
    return ProposalEnd(
        answer=decided.answer.value, verdict=outcome.verdict.value, order=outcome.key, text=outcome.text,
        entry=outcome.entry,
    )  # fmt: skip


def read_mandate(row: MandateRow, now: float) -> Mandate:
    """Read a mandate; `now` is the time of the engine's monotonic clock."""
    return Mandate(
        number=row.key, pairs=row.pairs, side=row.side, order_value=Decimal(row.order_value),
        position_value=Decimal(row.position_value), traded_value=Decimal(row.traded_value), loss=Decimal(row.loss),
        orders_per_minute=row.orders_per_minute, held=Decimal(row.held), traded=Decimal(row.traded),
        result=Decimal(row.result), orders=row.orders, seconds_left=min(row.seconds, max(0.0, row.expires - now)),
    )  # fmt: skip


def read_sent(outcome: Outcome, command: str) -> Sent:
    """Convert an outcome to the record that a program gets for its command."""
    return Sent(
        verdict=outcome.verdict.value, order=outcome.key, guard=outcome.guard, text=outcome.text,
        retry_after=outcome.retry_after, term=outcome.term, command=command, entry=outcome.entry,
    )  # fmt: skip


def read_event(line: EventLine) -> Event:
    """Read an event line."""
    at = datetime.fromtimestamp(line.wall_ms / 1000, UTC)
    return Event(number=line.seq, level=line.level.value, text=line.text, order=line.key, at=at)


def read_past_event(event: messages.PastEvent) -> PastEvent:
    """Read an event line of the journal."""
    at = datetime.fromtimestamp(event.wall_ms / 1000, UTC)
    return PastEvent(entry=event.entry, text=event.text, order=event.key, at=at)


def read_time(ms: int) -> datetime | None:
    """Convert ms since 1970 to a UTC time; None for 0, which means unknown."""
    return datetime.fromtimestamp(ms / 1000, UTC) if ms else None
