"""Alerts of the trader: which are on, which have come true, and when one may tell again. On the clock that is handed in."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from decimal import Decimal
from math import inf
from typing import NamedTuple, TypeAlias

import msgspec

from tui.engine.rows import OrderRow, Table
from tui.engine.state.order_texts import size_text
from tui.interface.decimals import ZERO, plain
from tui.interface.symbols import amount_text
from tui.interface.times import millis
from tui.workstation.command_line.grammar.canonical import join_conditions, write_command
from tui.workstation.command_line.grammar.syntax import Alert, Test
from tui.workstation.features.alerts.figures import (
    PRICES,
    describe_condition,
    describe_now,
    has_left,
    holds,
    is_none,
    read_figure,
)
from tui.workstation.model import number_format
from tui.workstation.model.display_context import DisplayContext
from tui.workstation.model.instruments import full_name
from tui.workstation.model.screen_preferences import AlertState

QUIET_S = 5.0
"""Seconds that a condition must have been false before its alert tells again."""
MISSING_S = 10.0
"""Seconds without data after which an alert tells that there is none."""


class ActiveAlert(msgspec.Struct, kw_only=True):
    """Alert that is switched on, with its state."""

    number: int
    alert: Alert
    fired_ms: int = 0
    """Wall clock time at which it last told, ms; 0: never."""
    count: int = 0
    snoozed_until: float = 0.0
    """Monotonic time until which it is silent, s."""
    true: bool = False
    """Whether it told and its condition has not been left since."""
    counted: frozenset[int] = frozenset()
    """Places of the comparisons whose figures were known when it told."""
    farthest: Decimal = ZERO
    """Farthest value beyond the threshold since it told."""
    false_since: float | None = None
    missing_since: float | None = None
    missing_told: bool = False
    key: str = ""

    @property
    def text(self) -> str:
        """Command line that sets this alert; it is stored over restarts."""
        return write_command(self.alert)


class Told(msgspec.Struct, frozen=True):
    """Alert that has just fired, with its message."""

    alert: ActiveAlert
    text: str


class AlertBook:
    """All alerts of one desk."""

    def __init__(self, view: DisplayContext) -> None:
        self._view = view
        self._last = 0
        """Highest number that an alert has had."""
        self.active: dict[str, ActiveAlert] = {}
        """Alerts by key."""
        self._happenings = Happenings(view)

    def add(self, alert: Alert, state: AlertState | None = None, number: int = 0) -> ActiveAlert:
        """Switch an alert on and return it; if an equal alert is on already, return that one.

        Args:
            alert: The alert.
            state: State of an earlier run or of another window.
            number: Its number there; 0 or taken: the next one.
        """
        text = write_command(alert)
        known = next((active for active in self.active.values() if active.text == text), None)
        if known is not None:
            return known
        if not number or str(number) in self.active:
            number = self._last + 1
        active = ActiveAlert(number=number, alert=alert, key=str(number))
        if state is not None:
            active.fired_ms, active.count, active.true = state.fired_ms, state.count, state.true
            active.farthest = alert.tests[0].number or ZERO
            active.counted = frozenset(range(len(alert.tests)))
        self._last = max(self._last, number)
        self.active[active.key] = active
        return active

    def follow(self, alerts: Iterable[Alert], states: Mapping[str, AlertState], numbers: Mapping[str, int]) -> None:
        """Replace the alerts by this list, which all windows that share the home directory store.

        Two windows may have given one number to two alerts at the same moment: each window gives the second in the order
        of their texts a new one.

        Args:
            alerts: The alerts.
            states: States by line of the alerts that this book does not have yet.
            numbers: Numbers by line; an alert without one gets the next.
        """
        wanted = {write_command(alert): alert for alert in alerts}
        known = {active.text: active for active in self.active.values()}
        numbered = sorted((number, text) for text, number in numbers.items() if text in wanted)
        self.active = {}
        for number, text in [*numbered, *((0, text) for text in wanted if text not in numbers)]:
            if (active := known.get(text)) is None:
                self.add(wanted[text], states.get(text), number)
                continue
            number = number or active.number
            active.number = number if str(number) not in self.active else self._last + 1
            active.key = str(active.number)
            self._last = max(self._last, active.number)
            self.active[active.key] = active

    def numbers(self) -> dict[str, int]:
        """Return the numbers of the alerts by command line that sets them, to be stored."""
        return {active.text: active.number for active in self.active.values()}

    def describe(self, active: ActiveAlert) -> str:
        """Describe the condition of an alert, as people read it."""
        alert, separators = active.alert, self._view.settings.separators
        return join_conditions([describe_condition(test, separators=separators) for test in alert.tests], alert.joints)

    def delete(self, number: int) -> bool:
        """Remove an alert; return whether there was one of this number."""
        return self.active.pop(str(number), None) is not None

    def snooze(self, number: int, seconds: float) -> bool:
        """Silence an alert for a while; return whether an alert has this number."""
        active = self.active.get(str(number))
        if active is not None:
            active.snoozed_until = self._view.now + seconds
        return active is not None

    def prices(self, sym: str) -> list[Decimal]:
        """List the price thresholds of the alerts on a pair."""
        tests = (test for active in self.active.values() for test in active.alert.tests)
        return [
            test.number
            for test in tests
            if test.sym == sym and test.field in PRICES and not test.unit and test.number is not None
        ]

    def texts(self) -> list[str]:
        """Return the command lines that set these alerts, to be stored."""
        return [active.text for active in self.active.values()]

    def states(self) -> dict[str, AlertState]:
        """Return the states of the alerts that have fired, by command line that sets them, to be stored."""
        return {
            active.text: AlertState(active.fired_ms, active.count, active.true)
            for active in self.active.values()
            if active.count
        }

    def check(self) -> list[Told]:
        """Return the alerts that have just fired, in the order in which their causes happened; without silenced ones."""
        happened = self._happenings.collect()
        told: list[tuple[float, Told]] = []
        for active in self.active.values():
            news = self._judge(active, happened)
            if news and self._view.now < active.snoozed_until:
                # It is told when the silence is over, if it still holds then.
                active.true = active.missing_told = False
            elif news:
                active.fired_ms = int(self._view.clock.wall() * 1000)
                active.count += len(news)
                told += [(what.at_ms, Told(active, what.text)) for what in news]
        return [alert for _, alert in sorted(told, key=lambda entry: entry[0])]

    def _judge(self, active: ActiveAlert, happened: Happened) -> Sequence[Happening]:
        """Return what an alert has to report now, as happenings with a message; empty if it has not come true."""
        tests = active.alert.tests
        if any(test.sign for test in tests):
            text = self._judge_figures(active, happened)
            return [Happening("", "", text)] if text else []
        news = [happened(test) for test in tests]
        if not _join(active.alert, [bool(entries) for entries in news]):
            return []
        # An order that is rejected may be two conditions of one alert.
        return list(dict.fromkeys(entry for entries in news for entry in entries))

    def _judge_figures(self, active: ActiveAlert, happened: Happened) -> str:
        """Return the message of an alert on figures if it fires now; empty if there is nothing to report."""
        tests = active.alert.tests
        results: list[bool] = []
        values: list[Decimal | None] = []
        for test in tests:
            value = read_figure(test, self._view) if test.sign else None
            values.append(value)
            results.append(holds(test, value) if value is not None else bool(not test.sign and happened(test)))
        result = _join(active.alert, results)
        unknown = [test for test, value in zip(tests, values, strict=True) if test.sign and value is None]
        if all(is_none(test, self._view) for test in unknown):
            active.missing_since, active.missing_told = None, False
        elif not result:
            text = self._judge_missing(active)
            holds_yet = [
                result or (at in active.counted and value is None)
                for at, (result, value) in enumerate(zip(results, values, strict=True))
            ]
            if text or len(tests) == 1 or _join(active.alert, holds_yet):
                # With the missing figure it might hold: that it came true is not over.
                active.false_since = None
                return text
        return self._judge_result(active, values, result=result)

    def _judge_missing(self, active: ActiveAlert) -> str:
        """Return a message, once, when a figure of an alert has been unknown for MISSING_S seconds; else empty."""
        now = self._view.now
        if active.missing_since is None:
            active.missing_since = now
        if active.missing_told or now - active.missing_since < MISSING_S:
            return ""
        active.missing_told = True
        return f"{self.describe(active)}: no data for {MISSING_S:.0f} s"

    def _judge_result(self, active: ActiveAlert, values: Sequence[Decimal | None], *, result: bool) -> str:
        """Return the message of an alert when its condition comes true; not again before the condition was clearly false."""
        now, test, value = self._view.now, active.alert.tests[0], values[0]
        if result and not active.true:
            active.true, active.false_since = True, None
            active.counted = frozenset(at for at, value in enumerate(values) if value is not None)
            active.farthest = value if value is not None else ZERO
            return f"{self.describe(active)}: now {describe_now(active.alert.tests, self._view)}"
        if result:
            active.false_since = None
            number = test.number if test.number is not None else ZERO
            if value is not None and abs(value - number) > abs(active.farthest - number):
                active.farthest = value
        elif active.true:
            active.false_since = now if active.false_since is None else active.false_since
            single = len(active.alert.tests) == 1 and value is not None
            if now - active.false_since >= QUIET_S or (
                single and value is not None and has_left(test, value, active.farthest)
            ):
                active.true = False
        return ""


def _join(alert: Alert, results: list[bool]) -> bool:
    """Combine the results of an alert's conditions by its `and` and `or`, from left to right."""
    whole = results[0]
    for joint, result in zip(alert.joints, results[1:], strict=True):
        whole = (whole and result) if joint == "and" else (whole or result)
    return whole


class Happening(NamedTuple):
    """Fill, reject, lost connection or the like, with its message."""

    key: str
    sym: str
    """Pair; empty: it is of the whole account."""
    text: str
    at_ms: float = inf
    """Time of the service, ms; that of now sorts behind all others."""


Happened: TypeAlias = Callable[[Test], Sequence[Happening]]
"""Returns what happened for a condition."""


class Happenings:
    """Finder of fills, rejects, lost connections and similar happenings that are new since the previous call, for alerts."""

    def __init__(self, view: DisplayContext) -> None:
        self._view = view
        self._known: dict[str, set[str]] = {}
        self._versions: dict[Table, int] = {}
        self._begun = False
        self._begun_at = 0.0
        """Monotonic time of the first look, s."""
        self._ranks: dict[str, tuple[str, Decimal]] = {}
        """Id of the position and its rank."""
        self._been_up: set[str] = set()
        """Links that were up since this engine has read the account: those that come up at its start were not lost."""
        self._risen: dict[str, str] = {}
        """Text about the last rise of a position's rank, until it falls."""

    def collect(self) -> Happened:
        """Return a function that lists what happened for a condition since the last `collect`; after the first, nothing."""
        mirror = self._view.mirror
        if not mirror.synced_once:
            self._been_up.clear()
            return lambda _: ()
        new: dict[str, list[Happening]] = {}
        for name, table, rows in (
            ("fill", Table.FILLS, self._list_fills),
            ("reject", Table.ORDERS, self._list_rejected),
            ("unknown", Table.ORDERS, self._list_unknown),
            ("mismatch", Table.ORDERS, self._list_conflicts),
            ("margin", Table.ACCOUNTS, self._list_margin_calls),
            ("adlrise", Table.ADL, self._list_rises),
            ("disconnect", Table.LINKS, self._list_lost),
        ):
            if self._versions.get(table) == mirror.version(table) and name in self._known:
                continue
            new[name] = self._find_new(name, rows())
        for table in (Table.FILLS, Table.ORDERS, Table.ACCOUNTS, Table.ADL, Table.LINKS):
            self._versions[table] = mirror.version(table)
        begun, self._begun = self._begun, True
        if not begun:
            self._begun_at = self._view.now
            return lambda _: ()
        return lambda test: [entry for entry in new.get(test.field, ()) if test.sym in ("", entry.sym)]

    def _find_new(self, name: str, rows: Iterable[Happening]) -> list[Happening]:
        known = self._known.setdefault(name, set())
        listed = list(rows)
        new = [entry for entry in listed if entry.key not in known]
        keys = {entry.key for entry in listed}
        # A fill happens once, also if another engine lists it again; a state may come again after it was left.
        self._known[name] = known | keys if name == "fill" else keys
        return new

    def _list_fills(self) -> Iterable[Happening]:
        # Earlier fills are read after the start too, and are not new.
        begun_ms = (self._view.server_wall - (self._view.now - self._begun_at)) * 1000
        for key, fact in self._view.mirror.fills.items():
            fill = fact.record
            if (at_ms := millis(fill.create_at)) >= begun_ms:
                text = f"fill: {fill.side} {self._write_size(fill.sym, fill.quantity, fill.price)}"
                yield Happening(key, fill.sym, text, at_ms)

    def _begin_ms(self, order: OrderRow) -> float:
        """Return when an order entered its present state, by the service's clock, ms."""
        return (self._view.server_wall - (self._view.now - order.since)) * 1000

    def _write_size(self, sym: str, qty: str, price: str) -> str:
        return size_text(sym, qty, price, self._view.mirror.tick_of(sym))

    def _list_rejected(self) -> Iterable[Happening]:
        for key, order in self._view.mirror.problem_orders.items():
            if order.failed:
                why = f" ({order.reason})" if order.reason else ""
                size = self._write_size(order.sym, order.qty, order.price)
                text = f"{order.state_word.lower()}: {order.side} {size}{why}"
                yield Happening(key, order.sym, text, self._begin_ms(order))

    def _list_unknown(self) -> Iterable[Happening]:
        for key, order in self._view.mirror.problem_orders.items():
            if order.unsure:
                text = f"outcome unknown: {order.side} {amount_text(order.sym, order.qty)}"
                yield Happening(key, order.sym, text, self._begin_ms(order))

    def _list_conflicts(self) -> Iterable[Happening]:
        for key, order in self._view.mirror.problem_orders.items():
            if order.conflict:
                yield Happening(key, order.sym, f"mismatch: {full_name(order.sym)} {order.conflict}")

    def _list_margin_calls(self) -> Iterable[Happening]:
        for venue, fact in self._view.mirror.accounts.items():
            status = fact.record.account_status
            if status not in ("", "NORMAL"):
                yield Happening(f"{venue}/{status}", "", f"margin of {venue}: {status}")

    def _list_rises(self) -> Iterable[Happening]:
        ranks = self._view.mirror.adl
        for key in self._ranks.keys() - ranks.keys():
            del self._ranks[key]
            self._risen.pop(key, None)
        for key, fact in ranks.items():
            rank, position = number_format.value(fact.record.adl_rank), fact.record.position_id
            if rank is not None:
                of, before = self._ranks.get(key, (position, None))
                self._ranks[key] = position, rank
                if of != position and of and position:
                    # Another position, opened after that one was closed.
                    before = None
                    self._risen.pop(key, None)
                if before is not None and rank > before:
                    sym, _, side = key.partition("/")
                    leg = full_name(sym) if side == "NONE" else f"{full_name(sym)} {side}"
                    self._risen[key] = f"ADL rank of {leg} rose from {plain(before)} to {plain(rank)}"
                elif before is not None and rank < before:
                    self._risen.pop(key, None)
        for key, text in self._risen.items():
            yield Happening(text, key.partition("/")[0], text)

    def _list_lost(self) -> Iterable[Happening]:
        for name in self._view.mirror.links:
            if self._view.mirror.link_up(name):
                self._been_up.add(name)
            elif name in self._been_up:
                yield Happening(name, "", f"disconnected: {name}")
