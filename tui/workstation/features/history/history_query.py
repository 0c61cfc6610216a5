"""Query of the history, typed as a line of words: time window, filters, or a single order."""

from __future__ import annotations

import re
from collections.abc import Collection
from datetime import UTC, date, datetime, timedelta
from enum import StrEnum

import msgspec

from tui.crossdesk_error import CrossdeskError
from tui.engine.service_reading.past_lists import DAY_MS, REACH_DAYS, REACH_MS, WEEK_MS
from tui.interface.symbols import BusinessType

MOST_TYPED = 200
"""Most characters of the line."""
NAMED_MATCHES = 3
"""Most pairs listed when a word matches several."""
MOST_PAIRS = 5
"""Most pairs of one query, as many as the volume endpoint takes."""

_STATEMENTS = ("FUNDING_FEE", "DEDUCT_INTEREST", "LIQUIDATION_FEE", "LIQ_COMPENSATION", "DIVIDEND", "TRADE")
_DAYS = re.compile(r"(\d{4}-\d{2}-\d{2})\.\.(\d{4}-\d{2}-\d{2})?")
_ID = re.compile(r"[A-Za-z0-9_-]{1,63}")
ACCEPTED = (
    "a window (today, 7d, 90d, 2026-10-01..2026-10-31), a filter (sym:one,two venue:X kind:X type:X coin:X), "
    "the word only (executed orders only), or an order's id (order:ID if it has no digit)"
)


class BadHistoryQuery(CrossdeskError, ValueError):
    """Error: a word of the query line is not accepted; the message names it and the reason or what is accepted."""

    title = "Query not accepted"


class Window(StrEnum):
    """Time window of a history query; a key cycles through all but `own`, which is typed as dates."""

    TODAY = "today"
    WEEK = "7 days"
    QUARTER = "90 days"
    OWN = "own"


_WINDOWS = {"today": Window.TODAY, "7d": Window.WEEK, "90d": Window.QUARTER}


class HistoryQuery(msgspec.Struct, frozen=True, kw_only=True):
    """Query shared by all lists of the history; each list uses the filters that it supports."""

    window: Window = Window.WEEK
    first_day: str = ""
    """First day of an own window, as 2026-10-01."""
    last_day: str = ""
    """Last day of an own window; empty: up to now."""
    sym: str = ""
    """Symbols, separated by commas."""
    exchange: str = ""
    business: str = ""
    statement_type: str = ""
    coin: str = ""
    executed: bool = False
    order: str = ""
    """Id or client id of one order."""

    def span(self, now_ms: int, *, whole_days: bool = False, of_order: bool = False) -> tuple[int, int]:
        """Return first and last time in ms; a last time of 0 means up to now, and never occurs with whole days.

        Args:
            now_ms: Service time.
            whole_days: Whether the list covers whole days, without the present one.
            of_order: Whether one order is queried, whenever it was sent.
        """
        today, oldest = now_ms // DAY_MS * DAY_MS, now_ms - REACH_MS
        if of_order:
            return oldest, 0
        if self.window is Window.OWN:
            last = _day_ms(self.last_day) + DAY_MS - 1 if self.last_day else 0
            first = _day_ms(self.first_day)
            return (first, last or now_ms) if whole_days else (max(first, oldest), last)
        if whole_days:
            return today - (REACH_MS if self.window is Window.QUARTER else WEEK_MS), today - 1
        if self.window is Window.TODAY:
            return today, 0
        return (now_ms - WEEK_MS if self.window is Window.WEEK else oldest), 0

    def next_window(self) -> HistoryQuery:
        """Return the query with the next time window; after a typed window comes today."""
        names = [Window.TODAY, Window.WEEK, Window.QUARTER]
        at = names.index(self.window) if self.window in names else -1
        return msgspec.structs.replace(self, window=names[(at + 1) % len(names)], first_day="", last_day="", order="")

    def line(self) -> str:
        """Format the query as a typed line."""
        typed = {window: word for word, window in _WINDOWS.items()}
        window = f"{self.first_day}..{self.last_day}" if self.window is Window.OWN else typed[self.window]
        filters = {
            "sym": self.sym,
            "venue": self.exchange,
            "kind": self.business,
            "type": self.statement_type,
            "coin": self.coin,
        }
        parts = [window, *(f"{name}:{value}" for name, value in filters.items() if value)]
        return " ".join(
            [*parts, *(["only"] if self.executed else []), *([_order_word(self.order)] if self.order else [])]
        )


def parse(line: str, syms: Collection[str], today: str) -> HistoryQuery:
    """Parse a typed query of the history; an empty one means the last 7 days, without filters.

    Args:
        line: Typed line.
        syms: Known pairs.
        today: UTC day, as 2026-10-31.

    Raises:
        BadHistoryQuery: A word is not accepted.
    """
    changes: dict[str, object] = {}
    for word in line.split():
        fields = _parse_word(word, syms, today)
        twice = next((name for name in fields if name in changes and name != "window"), "")
        if twice or ("window" in fields and "window" in changes):
            raise BadHistoryQuery(f"{word!r}: given twice")
        changes |= fields
    return HistoryQuery(**changes)  # type: ignore[arg-type]


def _parse_word(word: str, syms: Collection[str], today: str) -> dict[str, object]:
    """Return the query fields that a typed word sets."""
    name, colon, value = word.partition(":")
    if word.lower() in _WINDOWS:
        return {"window": _WINDOWS[word.lower()]}
    if word.lower() == "only":
        return {"executed": True}
    days = _DAYS.fullmatch(word)
    if days is not None:
        return _own_window(days[1], days[2] or "", today)
    if colon:
        return _parse_named(name.lower(), value, syms)
    if _ID.fullmatch(word) is not None and any(letter.isdigit() for letter in word):
        return {"order": word}
    raise BadHistoryQuery(f"{word[:40]!r} is not accepted; it takes {ACCEPTED}")


def _parse_named(name: str, value: str, syms: Collection[str]) -> dict[str, object]:
    upper = value.upper()
    match name:
        case "sym":
            return {"sym": _symbols(upper.split(","), syms)}
        case "venue":
            return {"exchange": _one_of("venue", upper, sorted({sym.split("_")[0] for sym in syms}))}
        case "kind":
            return {"business": _one_of("kind", upper, list(BusinessType))}
        case "type":
            return {"statement_type": _one_of("type", upper, _STATEMENTS)}
        case "coin":
            if _ID.fullmatch(upper) is None:
                raise BadHistoryQuery("coin: takes a coin, for example coin:USDT")
            return {"coin": upper}
        case "order":
            if _ID.fullmatch(value) is None:
                raise BadHistoryQuery(
                    f"order:{value[:40]} is not accepted; it takes the order's id, 1 to 63 letters, digits, - and _"
                )
            return {"order": value}
    raise BadHistoryQuery(f"{name[:20]!r}: is not accepted; it takes sym: venue: kind: type: coin: order:")


def _one_of(name: str, value: str, accepted: Collection[str]) -> str:
    if value not in accepted:
        raise BadHistoryQuery(f"{name}:{value[:30]} is not accepted; it takes {', '.join(accepted)}")
    return value


def _symbols(typed: Collection[str], syms: Collection[str]) -> str:
    if len(typed) > MOST_PAIRS:
        raise BadHistoryQuery(f"sym: takes at most {MOST_PAIRS} pairs, not {len(typed)}")
    return ",".join(dict.fromkeys(_symbol(name, syms) for name in typed))


def _symbol(typed: str, syms: Collection[str]) -> str:
    """Return the pair with the typed name, or the only pair whose name contains all typed parts."""
    if typed in syms:
        return typed
    parts = typed.split("_")
    matches = sorted(sym for sym in syms if all(part in sym for part in parts)) if typed else []
    if len(matches) == 1:
        return matches[0]
    if not matches:
        raise BadHistoryQuery(f"sym:{typed[:40]}: no pair has this name, for example BINANCE_PERP_BTC_USDT")
    names = ", ".join(matches[:NAMED_MATCHES]) + (" …" if len(matches) > NAMED_MATCHES else "")
    raise BadHistoryQuery(f"sym:{typed[:40]} fits {len(matches)} pairs: {names}")


def _own_window(first: str, last: str, today: str) -> dict[str, object]:
    for text in (first, last):
        if text:
            _day(text)
    oldest = (_day(today) - timedelta(days=REACH_DAYS)).isoformat()
    if first < oldest:
        raise BadHistoryQuery(f"{first} is more than {REACH_DAYS} days ago: lists reach back to {oldest}")
    if first > today:
        raise BadHistoryQuery(f"{first} lies in the future")
    if last and last < first:
        raise BadHistoryQuery(f"{first}..{last} ends before it begins")
    return {"window": Window.OWN, "first_day": first, "last_day": "" if last >= today else last}


def _order_word(order: str) -> str:
    """Format an order id as it is typed: after `order:` if it could be mistaken for another word."""
    return order if any(letter.isdigit() for letter in order) else f"order:{order}"


def _day(text: str) -> date:
    try:
        return date.fromisoformat(text)
    except ValueError:
        raise BadHistoryQuery(f"{text} is no day") from None


def _day_ms(text: str) -> int:
    return int(datetime.combine(_day(text), datetime.min.time(), tzinfo=UTC).timestamp() * 1000)
