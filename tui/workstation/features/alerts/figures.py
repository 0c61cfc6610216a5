"""Figures that alerts compare, read from the rows of the desk. Pure functions; None where a figure is not known."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from decimal import Decimal

from tui.engine.rows import OrderRow
from tui.interface.decimals import ZERO, half_up, plain, positive
from tui.interface.families.positions import AccountRecord, PositionRecord
from tui.interface.figures import size_of
from tui.interface.symbols import try_parse
from tui.workstation.command_line.grammar.desk_commands import is_of_all
from tui.workstation.command_line.grammar.syntax import Test
from tui.workstation.model import number_format
from tui.workstation.model.account_risk import mmr_of, no_risk
from tui.workstation.model.adl_ranks import match_positions
from tui.workstation.model.display_context import DisplayContext
from tui.workstation.model.instruments import full_name, venue_of
from tui.workstation.model.position_metrics import liquidation_distances

HUNDRED, BP = Decimal(100), Decimal(10_000)
_SECONDS = {"ms": Decimal("0.001"), "s": Decimal(1), "m": Decimal(60), "h": Decimal(3600), "": Decimal(1)}
PRICES = frozenset(["bid", "ask", "mark", "mid", "last", "index"])
"""Fields that are prices of a pair."""
OF_POSITIONS = frozenset(["upnl", "liqdist", "adl"])
"""Fields that only an open position has."""
IN_SECONDS = frozenset(["age", "orderage", "silence", "skew"])
"""Fields that are times, s."""
_UNITS = {**dict.fromkeys(("funding", "liqdist", "rate"), "%"), **dict.fromkeys(IN_SECONDS, "s")}
"""Units of fields that are compared without a typed unit."""
_IN_QUOTE = frozenset(["pnl", "upnl", "spread"])
"""Fields that are amounts in the quote coin of their pair where no unit was typed."""


def read_figure(test: Test, view: DisplayContext) -> Decimal | None:
    """Return the present value of what a test compares, in the unit of the test; None if it is not known."""
    value = _READERS[test.field](test.sym, view)
    if value is None:
        return None
    if test.field in IN_SECONDS:
        return value / _SECONDS[test.unit]
    if test.field == "spread":
        return _spread(test, value, view)
    if test.field in ("basis", "liqdist", "funding") and test.unit == "bp":
        return value * HUNDRED
    return value


def holds(test: Test, value: Decimal) -> bool:
    """Return whether a comparison is true for a value."""
    number = test.number if test.number is not None else ZERO
    return {
        "<": value < number, "<=": value <= number, ">": value > number, ">=": value >= number, "=": value == number,
    }[test.sign]  # fmt: skip


def has_left(test: Test, value: Decimal, entry: Decimal) -> bool:
    """Return whether a value is back on the other side of the threshold by a tenth of how far it had gone beyond.

    Args:
        test: Comparison.
        value: Value now.
        entry: Farthest value beyond the threshold since the alert fired.
    """
    number = test.number if test.number is not None else ZERO
    return not holds(test, value) and abs(value - number) >= abs(entry - number) / 10


def _quote(name: str) -> Callable[[str, DisplayContext], Decimal | None]:
    def read(sym: str, view: DisplayContext) -> Decimal | None:
        quote = view.mirror.quotes.get(sym)
        return positive(getattr(quote, name)) if quote is not None else None

    return read


def _mid(sym: str, view: DisplayContext) -> Decimal | None:
    bid, ask = _quote("bid")(sym, view), _quote("ask")(sym, view)
    return (bid + ask) / 2 if bid is not None and ask is not None else None


def _last(sym: str, view: DisplayContext) -> Decimal | None:
    ticker = view.mirror.tickers.get(sym)
    return positive(ticker.last) if ticker is not None else None


def _index(sym: str, view: DisplayContext) -> Decimal | None:
    """Return the index price; None unless the pair is open in a pair view, which alone receives it."""
    ticker = view.mirror.tickers.get(sym)
    return positive(ticker.index) if ticker is not None else None


def _spread_price(sym: str, view: DisplayContext) -> Decimal | None:
    bid, ask = _quote("bid")(sym, view), _quote("ask")(sym, view)
    return ask - bid if bid is not None and ask is not None else None


def _spread(test: Test, price: Decimal, view: DisplayContext) -> Decimal | None:
    """Return a spread in ticks, basis points, per cent or price units."""
    mid, tick = _mid(test.sym, view), view.mirror.tick_of(test.sym)
    if test.unit == "t":
        return price / tick if tick else None
    if test.unit in ("bp", "%"):
        return price / mid * (BP if test.unit == "bp" else HUNDRED) if mid else None
    return price


def _basis(sym: str, view: DisplayContext) -> Decimal | None:
    """Return the distance of the mark price from the mid price, in per cent."""
    mark, mid = _quote("mark")(sym, view), _mid(sym, view)
    return (mark - mid) / mid * HUNDRED if mark is not None and mid else None


def _funding(sym: str, view: DisplayContext) -> Decimal | None:
    """Return the rate of the next funding payment, in per cent."""
    terms = view.mirror.funding.get(sym)
    rate = number_format.value(terms.rate) if terms is not None else None
    return rate * HUNDRED if rate is not None else None


def _list_positions(sym: str, view: DisplayContext) -> list[PositionRecord]:
    """List the open positions of a pair, or all of them."""
    records = (fact.record for fact in view.mirror.positions.values())
    return [record for record in records if sym in ("", record.sym) and size_of(record)]


def _open_result(sym: str, view: DisplayContext) -> Decimal | None:
    """Return the sum of the open results; None without a position, or if one of them is not known."""
    results = [number_format.value(record.unrealized_pnl) for record in _list_positions(sym, view)]
    known = [result for result in results if result is not None]
    return sum(known, ZERO) if known and len(known) == len(results) else None


def _day_result(sym: str, view: DisplayContext) -> Decimal | None:
    """Return the net result of today's fills and bookings (funding and interest), in the settlement currency."""
    realised = view.realised_pnl
    if realised.is_partial:
        return None
    booking = realised.of_symbol(sym, realised.today()) if sym else realised.of_day(realised.today())
    return booking.net if booking is not None else ZERO


def _rate_used(sym: str, view: DisplayContext) -> Decimal | None:
    """Return the used share of the service's rate limit for new orders and replaces, in per cent."""
    del sym
    status = view.mirror.engine_status
    return Decimal(status.rate_used) if status is not None else None


def _margin_ratio(sym: str, view: DisplayContext) -> Decimal | None:
    """Return the lowest uniMMR of all venues, or that of the venue of a symbol."""
    ratios = [mmr_of(record) for record in _list_accounts(sym, view)]
    return min((ratio for ratio in ratios if ratio is not None), default=None)


def _list_accounts(sym: str, view: DisplayContext) -> list[AccountRecord]:
    accounts = view.mirror.accounts
    return [fact.record for venue, fact in accounts.items() if not sym or venue == venue_of(sym)]


def is_none(test: Test, view: DisplayContext) -> bool:
    """Return whether a test has no value although none is missing: there is no position, no order, nothing at risk."""
    if view.mirror.synced_once and test.field in OF_POSITIONS:
        return not _list_positions(test.sym, view)
    if view.mirror.synced_once and test.field == "orderage":
        return not _list_orders(test.sym, view)
    accounts = _list_accounts(test.sym, view) if test.field == "unimmr" else []
    return bool(accounts) and all(no_risk(account) for account in accounts)


def _liquidation_distance(sym: str, view: DisplayContext) -> Decimal | None:
    """Return the smallest distance of a mark price from the estimated or reported liquidation price, in per cent."""
    legs = _list_positions(sym, view)
    return min((distance for record in legs for distance in liquidation_distances(record, view)), default=None)


def _adl_rank(sym: str, view: DisplayContext) -> Decimal | None:
    """Return the highest rank of an open position."""
    ranks = (
        number_format.value(view.mirror.adl[key].record.adl_rank)
        for key, _ in match_positions(view.mirror)
        if not sym or key.startswith(f"{sym}/")
    )
    return max((rank for rank in ranks if rank is not None), default=None)


def _age(sym: str, view: DisplayContext) -> Decimal | None:
    quote = view.mirror.quotes.get(sym)
    return Decimal(str(view.now - quote.received)) if quote is not None and quote.received else None


def _list_orders(sym: str, view: DisplayContext) -> list[OrderRow]:
    return [order for order in view.mirror.working() if sym in ("", order.sym)]


def _order_age(sym: str, view: DisplayContext) -> Decimal | None:
    oldest = min((order.create_at for order in _list_orders(sym, view) if order.create_at), default=0)
    return (Decimal(int(view.server_wall * 1000)) - oldest) / 1000 if oldest else None


def _silence(sym: str, view: DisplayContext) -> Decimal | None:
    del sym
    return Decimal(str(view.mirror.silent_for("public")))


def _skew(sym: str, view: DisplayContext) -> Decimal | None:
    del sym
    status = view.mirror.engine_status
    return Decimal(str(status.skew_ms)) / 1000 if status is not None and status.skew_ms is not None else None


_READERS: dict[str, Callable[[str, DisplayContext], Decimal | None]] = {
    "bid": _quote("bid"),
    "ask": _quote("ask"),
    "mark": _quote("mark"),
    "mid": _mid,
    "last": _last,
    "index": _index,
    "spread": _spread_price,
    "basis": _basis,
    "funding": _funding,
    "pnl": _day_result,
    "upnl": _open_result,
    "unimmr": _margin_ratio,
    "liqdist": _liquidation_distance,
    "adl": _adl_rank,
    "age": _age,
    "orderage": _order_age,
    "silence": _silence,
    "skew": _skew,
    "rate": _rate_used,
}
_SMALL = Decimal("0.01")


def describe_now(tests: Sequence[Test], view: DisplayContext) -> str:
    """Describe the present values of an alert's figures; for a single figure also its distance from the threshold."""
    compared = {(test.sym, test.field, test.unit): test for test in tests if test.sign}
    if len(compared) < 2:
        return "".join(_describe_single(test, view) for test in compared.values())
    several = len({test.sym for test in compared.values()}) > 1
    return ", ".join(
        f"{f'{full_name(test.sym)} ' if several and test.sym else ''}{test.field} {_describe_value(test, view)}"
        for test in compared.values()
    )


def _describe_value(test: Test, view: DisplayContext) -> str:
    value = read_figure(test, view)
    if value is None:
        return number_format.NONE if is_none(test, view) else "no data"
    return _write_value(test, value, view)


def _describe_single(test: Test, view: DisplayContext) -> str:
    value = read_figure(test, view)
    if value is None:
        return _describe_value(test, view)
    number, far = test.number, ""
    if number and value and number != value:
        word = "above" if value > number else "below"
        far = f" ({number_format.decimal_figure(abs((value - number) / number) * HUNDRED, 2)} % {word})"
    return f"{_write_value(test, value, view)}{far}"


def _write_value(test: Test, value: Decimal, view: DisplayContext) -> str:
    """Write a price with the decimals of its tick, other figures with their unit and four decimals, small ones eight."""
    info, parts = view.info(test.sym), try_parse(test.sym)
    if test.field in PRICES and not test.unit and info is not None:
        return view.amount(value, number_format.places(info.tick_size))
    text = plain(half_up(value, 4 if abs(value) >= _SMALL else 8).normalize() if value else value)
    coin = f" {parts.quote}" if test.field in _IN_QUOTE and not test.unit and parts is not None else ""
    return f"{number_format.group_thousands(text) if view.settings.separators else text}{_unit_of(test)}{coin}"


def _unit_of(test: Test) -> str:
    """Return the unit in which a figure is compared; empty for prices, amounts and plain numbers."""
    return test.unit or _UNITS.get(test.field, "")


def describe_condition(test: Test, *, separators: bool) -> str:
    """Describe a condition of an alert as people read it: pair, figure, comparison."""
    pair = f"{full_name(test.sym)} " if test.sym else "all " if is_of_all(test) else ""
    if not test.sign:
        return f"{pair}{test.field}".strip()
    number = plain(test.number or ZERO)
    number = number_format.group_thousands(number) if separators else number
    return f"{pair}{test.field} {test.sign} {number}{_unit_of(test)}"
