"""Trading fees of a portfolio: rates by group of pairs, and the markup a broker adds for its sub portfolios."""

from __future__ import annotations

from datetime import UTC, datetime
from decimal import Decimal
from typing import NamedTuple

from tui.interface.decimals import ZERO, BadDecimal, half_up, parse_request, plain
from tui.interface.families.fees import BrokerFeeSchedule, ChangeType, FeeGroup, FeeSchedule, SetSubFee, SubFeeSet
from tui.rules.fees import AddPoint, add_markup
from tui.venue.core.check_failed import CheckFailed
from tui.venue.core.commands import Handlers
from tui.venue.core.market.symbols import FEE_LEVEL, FEES_SINCE, PRODUCTS, VENUES, Pair
from tui.venue.core.state.exchange_state import State
from tui.venue.core.state.ledger import FEE_ACCOUNT, PostingLeg
from tui.venue.core.state.markups import Markup, MarkupFill

HOUR_MS = 3_600_000
DAY_MS = 24 * HOUR_MS
RATIO_PLACES = 4
REBATE_PLACES = 8
POINT_PLACES = 2
"""Decimals of an add-point in basis points."""
INST_TYPES = ("SPOT", "PERP")
_FIRST_FILL = 60_000_000_000_000_000


class Rates(NamedTuple):
    """Maker and taker fee rates as fractions; a negative rate is a rebate."""

    taker: Decimal
    maker: Decimal


def inst_type(pair: Pair) -> str:
    """Return SPOT or PERP, the instrument type for fees; margin orders pay the spot fees."""
    return "PERP" if pair.is_perp else "SPOT"


def rates(state: State, portfolio: str, pair: Pair) -> Rates:
    """Return the current fee rates of a portfolio on a pair."""
    return _add_markup(Rates(pair.taker, pair.maker), _active(state, portfolio, pair.exchange, inst_type(pair)))


def _active(state: State, portfolio: str, venue: str, kind: str) -> Markup | None:
    return state.markups.at((portfolio, venue, kind), state.now)


def _add_markup(base: Rates, markup: Markup | None) -> Rates:
    if markup is None:
        return base
    return Rates(add_markup(base.taker, markup.taker), add_markup(base.maker, markup.maker))


# -- printed schedules ------------------------------------------------------------------------------------------------


def schedules(state: State, portfolio: str) -> list[FeeSchedule]:
    """List the fee rates of a portfolio, one row per venue and instrument type."""
    rows = []
    for venue, kind in _list_kinds(state, portfolio):
        top, groups = _build_groups(state, portfolio, venue, kind)
        rows.append(
            FeeSchedule(
                portfolio_id=portfolio,
                exchange=venue,
                inst_type=kind,
                eff_date=_since(state, portfolio, venue, kind),
                maker=plain(top.maker),
                taker=plain(top.taker),
                exchange_type=venue,
                business_type=kind,
                taker_fee_rate=plain(top.taker),
                maker_fee_rate=plain(top.maker),
                level=FEE_LEVEL,
                group_list=groups,
            )
        )
    return rows


def broker_schedules(state: State, portfolio: str) -> list[BrokerFeeSchedule]:
    """List the fee rates of a portfolio as the broker endpoints return them, with the broker's share of the markup."""
    rows = []
    for venue, kind in _list_kinds(state, portfolio):
        top, groups = _build_groups(state, portfolio, venue, kind)
        markup = _active(state, portfolio, venue, kind)
        ratio = ZERO if markup is None else markup.rebate_ratio
        rows.append(
            BrokerFeeSchedule(
                portfolio_id=portfolio,
                exchange=venue,
                inst_type=kind,
                eff_date=_since(state, portfolio, venue, kind),
                level=FEE_LEVEL,
                maker=plain(top.maker),
                taker=plain(top.taker),
                group_list=groups,
                markup_rebate_ratio=f"{ratio:.4f}",
            )
        )
    return rows


def _list_kinds(state: State, portfolio: str) -> list[tuple[str, str]]:
    """List the venues of a portfolio with the instrument types offered there, in fixed order."""
    own = state.venues(portfolio)
    offered = {(pair.exchange, inst_type(pair)) for pair in (state.pairs[sym] for sym in state.offered)}
    return [
        (venue, kind) for venue in VENUES if venue in own for kind in ("PERP", "SPOT")[::-1] if (venue, kind) in offered
    ]


def _build_groups(state: State, portfolio: str, venue: str, kind: str) -> tuple[Rates, list[FeeGroup]]:
    """Return the deprecated rates of the whole instrument type, and its fee groups; every pair is in exactly one group."""
    markup, product = _active(state, portfolio, venue, kind), PRODUCTS[kind]
    groups: dict[tuple[str, Rates], list[str]] = {}
    for sym in sorted(state.offered):
        pair = state.pairs[sym]
        if pair.exchange == venue and inst_type(pair) == kind:
            groups.setdefault((pair.fee_group, Rates(pair.taker, pair.maker)), []).append(sym)
    rows = [
        FeeGroup(
            taker_fee=plain(_add_markup(base, markup).taker),
            maker_fee=plain(_add_markup(base, markup).maker), sym_list=syms,
            group_name=name,
        )
        for (name, base), syms in groups.items()
    ]  # fmt: skip
    return _add_markup(Rates(product.taker, product.maker), markup), rows


def _since(state: State, portfolio: str, venue: str, kind: str) -> str:
    markup = _active(state, portfolio, venue, kind)
    return FEES_SINCE if markup is None else day_of(markup.since)


def day_of(at: int) -> str:
    """Format a time in ms as yyyyMMdd, UTC."""
    return datetime.fromtimestamp(at / 1000, UTC).strftime("%Y%m%d")


# -- settings of a broker --------------------------------------------------------------------------------------------


def set_sub_fee(state: State, command: SetSubFee) -> SubFeeSet:
    """Set the fee markup of one or all sub portfolios on a venue and instrument type, from a later full hour on.

    Raises:
        CheckFailed: Not accepted; nothing changed.
    """
    if command.exchange not in VENUES:
        raise CheckFailed(401023, f"exchange {command.exchange[:40]!r} is not accepted; it takes {', '.join(VENUES)}")
    _check_word("instType", command.inst_type, INST_TYPES)
    _check_word("chgType", command.chg_type, tuple(ChangeType))
    subs = [portfolio.id for portfolio in state.portfolios.values() if not portfolio.is_main]
    if command.portfolio_id and command.portfolio_id not in subs:
        raise CheckFailed(100001, f"portfolioId {command.portfolio_id[:40]!r} is not a sub portfolio")
    if not (command.chg_taker or command.chg_maker):
        raise CheckFailed(400009, "chgTaker or chgMaker is missing; one of them is required")
    fixed = command.chg_type == ChangeType.ABSOLUTE
    taker = _add_point("chgTaker", command.chg_taker, 406005 if fixed else 406007, fixed=fixed)
    maker = _add_point("chgMaker", command.chg_maker, 406006 if fixed else 406008, fixed=fixed)
    since, ratio = _effective(state, command.eff_date), _ratio(command.markup_rebate_ratio)
    for sub in [command.portfolio_id] if command.portfolio_id else subs:
        key = (sub, command.exchange, command.inst_type)
        waiting = state.markups.by_key.get(key, [])
        before = waiting[-1] if waiting else Markup(since=0)
        new = Markup(
            since=since,
            taker=taker or before.taker,
            maker=maker or before.maker,
            rebate_ratio=before.rebate_ratio if ratio is None else ratio,
        )
        state.markups.put(key, new, state.now)
        state.changes.dirty("markup", "|".join(key))
        state.changes.stale[(sub, command.exchange)] = None
    return SubFeeSet(eff_date=day_of(since))


def _check_word(name: str, value: str, words: tuple[str, ...]) -> None:
    if value not in words:
        raise CheckFailed(400000, f"{name} {value[:40]!r} is not accepted; it takes {', '.join(words)}")


def _add_point(name: str, text: str, code: int, *, fixed: bool) -> AddPoint | None:
    if not text:
        return None
    accepted = f"basis points with at most {POINT_PLACES} decimals" if fixed else "whole per cent"
    try:
        value = parse_request(text)
    except BadDecimal:
        raise CheckFailed(
            code, f"{name} {text[:40]!r} is not accepted; it must be in {accepted}, not negative"
        ) from None
    if value != round(value, POINT_PLACES if fixed else 0):
        raise CheckFailed(code, f"{name} {text[:40]!r} is not accepted; it must be in {accepted}, not negative")
    return AddPoint(fixed, value)


def _effective(state: State, text: str) -> int:
    """Return when a fee change takes effect, ms: the next full hour, or 00:00 UTC of a later day."""
    next_hour = (state.now // HOUR_MS + 1) * HOUR_MS
    if not text:
        return next_hour
    try:
        if len(text) != 8 or not (text.isascii() and text.isdigit()):
            raise ValueError
        day = int(datetime.strptime(text, "%Y%m%d").replace(tzinfo=UTC).timestamp() * 1000)
    except ValueError:
        raise CheckFailed(400000, f"effDate {text[:40]!r} is not accepted; it must be a day such as 20261122") from None
    if day < state.now // DAY_MS * DAY_MS:
        raise CheckFailed(400000, f"effDate {text} has passed; it must be today or later")
    return max(day, next_hour) if day <= state.now else day


def _ratio(text: str) -> Decimal | None:
    if not text:
        return None
    try:
        value = parse_request(text)
    except BadDecimal:
        value = Decimal(-1)
    if not 0 <= value <= 1 or value != round(value, RATIO_PLACES):
        raise CheckFailed(
            400000,
            f"markupRebateRatio {text[:40]!r} is not accepted; it must be 0 to 1 with at most {RATIO_PLACES} decimals",
        )
    return value


# -- settlement ------------------------------------------------------------------------------------------------------


def settle(state: State, portfolio: str, pair: Pair, *, trade_id: str, coin: str, markup: Decimal, price: str) -> None:
    """Pay the broker's share of a fill's markup to the main portfolio, and record the settlement."""
    active = _active(state, portfolio, pair.exchange, inst_type(pair))
    if active is None or markup <= 0:
        return
    main = state.main_portfolio.id
    rebate = half_up(markup * active.rebate_ratio, REBATE_PLACES)
    number = state.dropped.get("markup_fill", 0) + len(state.markups.fills) + 1
    if rebate:
        legs = [
            PostingLeg(FEE_ACCOUNT, pair.exchange, coin, -rebate),
            PostingLeg(main, pair.exchange, coin, rebate),
        ]
        state.post("markup rebate", trade_id, legs)
        state.changes.stale[(main, pair.exchange)] = None
    state.markups.fills.append(
        MarkupFill(
            id=str(_FIRST_FILL + number),
            portfolio=portfolio,
            exchange=pair.exchange,
            inst_type=inst_type(pair),
            sym=pair.sym,
            trade_id=trade_id,
            coin=coin,
            markup=markup,
            price=price,
            rebate_ratio=active.rebate_ratio,
            rebate=rebate,
            at=state.now,
        )
    )
    state.changes.dirty("markup_fill", str(number))


HANDLERS: Handlers = {SetSubFee: set_sub_fee}
