"""What the trader wants to see of the history: window, filters, or one order; as a line of words."""

from __future__ import annotations

import re
from collections.abc import Collection
from datetime import UTC, date, datetime, timedelta
from enum import StrEnum

import msgspec

from tui.crossdesk_error import CrossdeskError
from tui.interface.symbols import BusinessType

DAY_MS = 86_400_000
WEEK_MS = 7 * DAY_MS
"""How far back the lists of recent rows reach; older rows are in the archives."""
REACH_MS = 90 * DAY_MS
"""How far back a service lists."""
MOST_TYPED = 200
"""Characters of the line."""
NAMED_MATCHES = 3
"""Pairs that are named where a word fits several."""
MOST_PAIRS = 5
"""Pairs of one question: as many as the service counts the volume of at once."""

_STATEMENTS = ("FUNDING_FEE", "DEDUCT_INTEREST", "LIQUIDATION_FEE", "LIQ_COMPENSATION", "DIVIDEND", "TRADE")
_DAYS = re.compile(r"(\d{4}-\d{2}-\d{2})\.\.(\d{4}-\d{2}-\d{2})?")
_ID = re.compile(r"[A-Za-z0-9_-]{1,63}")
ACCEPTED = (
    "today, 7d, 90d or 2026-10-01..2026-10-31 (UTC days); sym:one,two venue: kind: type: coin: only; "
    "or an order's id, as order:ID where it has no digit"
)


class BadAsk(CrossdeskError, ValueError):
    """A word of the line that means nothing; the text names it and what is accepted."""

    title = "Question not readable"


class Window(StrEnum):
    """The spans of time that a key goes through."""

    TODAY = "today"
    WEEK = "7 days"
    QUARTER = "90 days"
    OWN = "own"


_WINDOW_WORDS = {"today": Window.TODAY, "7d": Window.WEEK, "90d": Window.QUARTER}


class HistoryAsk(msgspec.Struct, frozen=True, kw_only=True):
    """One question, the same for all lists; each takes the filters that it has."""

    window: Window = Window.WEEK
    first_day: str = ""
    """Of an own window, as 2026-10-01."""
    last_day: str = ""
    """The same; empty: up to now."""
    sym: str = ""
    """Several with commas between them."""
    exchange: str = ""
    business: str = ""
    statement_type: str = ""
    coin: str = ""
    executed: bool = False
    order: str = ""
    """One order by either of its ids."""

    def span(self, now_ms: int, *, whole_days: bool = False, of_order: bool = False) -> tuple[int, int]:
        """First and last time, ms; a last time of 0: up to now, which whole days never are.

        Args:
            now_ms: The service's time.
            whole_days: Whether the list counts whole days, and not the present one.
            of_order: Whether one order is asked for, whenever it was sent.
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

    def next_window(self) -> HistoryAsk:
        """The question with the next window; an own one is left for that of today."""
        names = [Window.TODAY, Window.WEEK, Window.QUARTER]
        at = names.index(self.window) if self.window in names else -1
        return msgspec.structs.replace(self, window=names[(at + 1) % len(names)], first_day="", last_day="", order="")

    def line(self) -> str:
        """It as one types it."""
        typed = {window: word for word, window in _WINDOW_WORDS.items()}
        window = f"{self.first_day}..{self.last_day}" if self.window is Window.OWN else typed[self.window]
        named = {
            "sym": self.sym,
            "venue": self.exchange,
            "kind": self.business,
            "type": self.statement_type,
            "coin": self.coin,
        }
        parts = [window, *(f"{name}:{value}" for name, value in named.items() if value)]
        return " ".join(
            [*parts, *(["only"] if self.executed else []), *([_order_word(self.order)] if self.order else [])]
        )


def parse(line: str, syms: Collection[str], today: str) -> HistoryAsk:
    """Read the line; words that are left out filter nothing, without a window it is that of 7 days.

    Args:
        line: What was typed.
        syms: The pairs that are known.
        today: The UTC day, as 2026-10-31.

    Raises:
        BadAsk: a word is not accepted.
    """
    changes: dict[str, object] = {}
    for word in line.split():
        found = _word(word, syms, today)
        twice = next((name for name in found if name in changes and name != "window"), "")
        if twice or ("window" in found and "window" in changes):
            raise BadAsk(f"{word!r}: said twice")
        changes |= found
    return HistoryAsk(**changes)  # type: ignore[arg-type]


def _word(word: str, syms: Collection[str], today: str) -> dict[str, object]:
    """What one word sets."""
    name, colon, value = word.partition(":")
    if word.lower() in _WINDOW_WORDS:
        return {"window": _WINDOW_WORDS[word.lower()]}
    if word.lower() == "only":
        return {"executed": True}
    days = _DAYS.fullmatch(word)
    if days is not None:
        return _own_window(days[1], days[2] or "", today)
    if colon:
        return _parse_named(name.lower(), value, syms)
    if _ID.fullmatch(word) is not None and any(letter.isdigit() for letter in word):
        return {"order": word}
    raise BadAsk(f"{word[:40]!r} is not accepted; it takes {ACCEPTED}")


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
                raise BadAsk("coin: takes a coin, for example coin:USDT")
            return {"coin": upper}
        case "order":
            if _ID.fullmatch(value) is None:
                raise BadAsk(f"order:{value[:40]} is not accepted; it takes the order's id, 1 to 63 letters and digits")
            return {"order": value}
    raise BadAsk(f"{name[:20]!r}: is not accepted; it takes sym: venue: kind: type: coin: order:")


def _one_of(name: str, value: str, accepted: Collection[str]) -> str:
    if value not in accepted:
        raise BadAsk(f"{name}:{value[:30]} is not accepted; it takes {', '.join(accepted)}")
    return value


def _symbols(typed: Collection[str], syms: Collection[str]) -> str:
    if len(typed) > MOST_PAIRS:
        raise BadAsk(f"sym: takes at most {MOST_PAIRS} pairs, not {len(typed)}")
    return ",".join(dict.fromkeys(_symbol(one, syms) for one in typed))


def _symbol(typed: str, syms: Collection[str]) -> str:
    """A pair by its name, or by a part that only one has."""
    if typed in syms:
        return typed
    parts = typed.split("_")
    fits = sorted(sym for sym in syms if all(part in sym for part in parts)) if typed else []
    if len(fits) == 1:
        return fits[0]
    if not fits:
        raise BadAsk(f"sym:{typed[:40]}: no pair is called so, for example BINANCE_PERP_BTC_USDT")
    named = ", ".join(fits[:NAMED_MATCHES]) + (" …" if len(fits) > NAMED_MATCHES else "")
    raise BadAsk(f"sym:{typed[:40]} fits {len(fits)} pairs: {named}")


def _own_window(first: str, last: str, today: str) -> dict[str, object]:
    for text in (first, last):
        if text:
            _day(text)
    oldest = (_day(today) - timedelta(days=90)).isoformat()
    if first < oldest:
        raise BadAsk(f"{first} is more than 90 days ago: lists reach back to {oldest}")
    if first > today:
        raise BadAsk(f"{first} lies in the future")
    if last and last < first:
        raise BadAsk(f"{first}..{last} ends before it begins")
    return {"window": Window.OWN, "first_day": first, "last_day": "" if last >= today else last}


def _order_word(order: str) -> str:
    """Write an order's id as it is typed: behind `order:` where it could be another word."""
    return order if any(letter.isdigit() for letter in order) else f"order:{order}"


def _day(text: str) -> date:
    try:
        return date.fromisoformat(text)
    except ValueError:
        raise BadAsk(f"{text} is no day") from None


def _day_ms(text: str) -> int:
    return int(datetime.combine(_day(text), datetime.min.time(), tzinfo=UTC).timestamp() * 1000)
