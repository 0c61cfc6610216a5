"""Status lines, always visible: environment, portfolio, trading state, account and connections."""

from __future__ import annotations

from datetime import UTC, datetime
from decimal import Decimal
from math import ceil, inf
from typing import TYPE_CHECKING

from textual.strip import Strip

from tui.engine.modes import Environment, RiskMode, TradingState
from tui.engine.status_rows import EngineStatusRow, LinkRow, LinkState
from tui.interface.text import clean, how_many
from tui.workstation.model import number_format
from tui.workstation.model.account_risk import equity_less_loans, mmr_of, mmr_warning, no_risk
from tui.workstation.model.display_context import HOW_TO_LEAVE_MODE, DisplayContext
from tui.workstation.model.mirror import Mirror
from tui.workstation.render.line_parts import HeaderPart, Priority, Variant, fit_parts
from tui.workstation.render.line_widget import LineWidget
from tui.workstation.render.palette import Palette
from tui.workstation.render.pieces import Piece, pieces_width
from tui.workstation.render.strips import line
from tui.workstation.render.text import cut

if TYPE_CHECKING:
    from tui.interface.ready import Recording

LINK_AMBER_S = {"public": 1.0, "private": 3.5, "rest": 7.0}
"""Age of a link's last proof from which its light is amber, s; longer than the usual pause between frames."""
LINK_RED_S = {"public": 5.0, "private": 5.0, "rest": 35.0}
SOON_MS = 86_400_000
"""Time before its start from which a maintenance window is shown, ms."""
SKEW_WARN_MS = 250
RATE_WARN = 80
"""Share of the budget of new orders from which it is shown, per cent."""
FIGURE_CELLS = 6
"""Cells of a round trip or age, fixed so that the links beside it do not move."""
GAIN_CELLS, SKEW_CELLS = 9, 13
"""Fixed cells of the unrealised profit and of the clock skew."""
SHORT_NAMES = (9, 6, 4)
"""Cells of a portfolio's name where the whole leaves no room for the risk state of the desk."""
AGES_FROM = 150
"""Least width at which every link shows its age."""
CLOCK_FROM = 80
"""Least width at which the clock is more than a detail."""

_LINKS = (("public", "md"), ("private", "priv"), ("rest", "rest"))
_SIGNS = {
    LinkState.UP: ("●", "good"),
    LinkState.RESYNC: ("◐", "warn"),
    LinkState.LOGIN: ("◔", "warn"),
    LinkState.CONNECTING: ("◔", "warn"),
    LinkState.DOWN: ("○", "alert"),
}
_STATUS_ROLES = {"NORMAL": "dim", "MARGIN_CALL": "warn"}


def describe_replay(recording: Recording, now_ms: float) -> str:
    """Describe the recorded time being replayed (UTC), or that the recording has ended."""
    if recording.has_ended(now_ms):
        return "REPLAY ended"
    played = datetime.fromtimestamp(recording.clock_ms(now_ms) / 1000, UTC)
    return f"REPLAY {played:%m-%d %H:%M:%S}"


def badges(
    engine_status: EngineStatusRow | None,
    name_cells: int = 24,
    now_ms: float = 0.0,
    now_s: float = 0.0,
    firing: str = "",
) -> list[Piece]:
    """Build the texts of environment, portfolio and trading state; a long name is shortened before the state.

    Args:
        engine_status: Status of the engine.
        name_cells: Cells of the portfolio's name.
        now_ms: Time of the service, ms, for a replay.
        now_s: Monotonic time, s, for the countdown of HOT.
        firing: Which keys send at once in HOT.
    """
    if engine_status is None:
        return [(" STARTING ", "badge"), (" ", "text")]
    live = engine_status.environment is Environment.LIVE
    pieces: list[Piece] = [(f" {engine_status.environment.value} ", "live" if live else "paper")]
    if engine_status.recording is not None:
        pieces.append((f" {describe_replay(engine_status.recording, now_ms)} ", "badge"))
    pieces.append((f" {cut(clean(engine_status.account_name), name_cells)} ", "strong"))
    if engine_status.read_only:
        pieces.append((" READ-ONLY ", "view"))
    elif engine_status.trading_state is TradingState.HOT:
        pieces.append((f" HOT {max(0, ceil(engine_status.hot_until - now_s))}s {firing}".rstrip() + " ", "hot"))
    elif engine_status.trading_state is TradingState.ARMED:
        pieces.append((" ARMED ", "armed"))
    else:
        # As wide as ARMED, so that its neighbours do not move.
        pieces.append((" VIEW  ", "view"))
    if engine_status.risk_mode is not RiskMode.NORMAL:
        pieces += [
            (" ", "text"),
            (f" {engine_status.risk_mode.value} ", "badge" if engine_status.risk_mode is RiskMode.REDUCING else "live"),
        ]
    return pieces


def account_status(mirror: Mirror) -> Piece:
    """Build the text of the worst account status with its venue; `OK` if all are NORMAL."""
    statuses = [
        (fact.record.account_status, key) for key, fact in mirror.accounts.items() if fact.record.account_status
    ]
    bad = [(word, key) for word, key in statuses if word != "NORMAL"]
    if bad:
        from tui.interface.families.positions import AccountStatus

        by_risk: list[str] = list(AccountStatus)
        word, key = max(bad, key=lambda entry: by_risk.index(entry[0]) if entry[0] in by_risk else len(by_risk))
        return f"!! {word} {key}", _STATUS_ROLES.get(word, "alert")
    return ("OK" if statuses else number_format.MISSING), "dim"


def mode_part(engine_status: EngineStatusRow | None) -> HeaderPart:
    """Build the header part of risk mode NORMAL; empty in other modes, which are shown as a badge."""
    if engine_status is None or engine_status.risk_mode is not RiskMode.NORMAL:
        return HeaderPart()
    return HeaderPart(variants=[Variant(Priority.MODE, [("  desk NORMAL", "dim")])])


def reason_part(view: DisplayContext) -> HeaderPart:
    """Build the header part that says why the risk mode is not NORMAL, and how to leave it; empty if NORMAL."""
    status = view.mirror.engine_status
    if status is None or status.risk_mode is RiskMode.NORMAL or not status.risk_mode_reason:
        return HeaderPart()
    if status.unreached:
        # Of all that the first line says, this alone asks for a key at once; what the number counts goes before equity.
        live = sum(int(word) for word in status.unreached.split() if word.isdigit())
        whole: Piece = (f"  {clean(status.risk_mode_reason)}", "alert")
        return HeaderPart([(f"  kill left {live}", "alert")], [Variant(Priority.UNREACHED, [whole])])
    why: Piece = (f"  {clean(status.risk_mode_reason)}", "dim")
    ways: Piece = (view.name_keys(f": {HOW_TO_LEAVE_MODE}"), "dim")
    return HeaderPart(variants=[Variant(Priority.EXTRA, [why, ways]), Variant(Priority.EXTRA, [why])])


def margin_part(view: DisplayContext) -> HeaderPart:
    """Build the header part of the lowest uniMMR, with its venue, and of the account status while this is normal."""
    risk = mmr_pieces(view)
    status = account_status(view.mirror)
    named: list[Piece] = [("  margin ", "dim"), status]
    variants = [Variant(Priority.RISK_VENUE, [*risk, *named])] if len(risk) > 2 else []
    if status[1] != "dim":
        variants = [Variant(variant.priority, risk) for variant in variants]
        return HeaderPart(variants=[*variants, Variant(Priority.RISK, risk[:2])])
    return HeaderPart(
        variants=[
            *variants,
            Variant(Priority.RISK, [*risk[:2], *named]),
            Variant(Priority.MARGIN, named),
        ]
    )


def money_parts(view: DisplayContext) -> list[HeaderPart]:
    """Build the header parts of equity without portfolio loans, unrealised profit, and margin."""
    equity, gain = Decimal(0), Decimal(0)
    rows = list(view.mirror.accounts.items())
    equities = [equity_less_loans(fact.record, view.mirror) for _, fact in rows]
    gains = [number_format.value(fact.record.upnl) for _, fact in rows]
    separators = view.settings.separators
    equity_text = gain_text = number_format.MISSING
    if rows and None not in equities:
        equity = sum((number for number in equities if number is not None), Decimal(0))
        equity_text = number_format.decimal_figure(equity, 2, separators=separators)
    role = "dim"
    gain_priority = Priority.FROZEN_GAIN if view.frozen else Priority.GAIN
    if rows and None not in gains:
        gain = sum((number for number in gains if number is not None), Decimal(0))
        gain_text = number_format.format_signed_decimal(gain, 2, separators=separators)
        role = number_format.change_role(gain)
    return [
        HeaderPart(variants=[Variant(Priority.EQUITY, [("  net eq ", "dim"), (equity_text, "strong")])]),
        HeaderPart(variants=[Variant(gain_priority, [("  uPnL ", "dim"), (gain_text.ljust(GAIN_CELLS), role)])]),
        margin_part(view),
    ]


def mmr_pieces(view: DisplayContext) -> list[Piece]:
    """Build the text of the lowest uniMMR; a higher value is safer."""
    accounts = view.mirror.accounts
    ratios = [(mmr_of(fact.record), key) for key, fact in accounts.items()]
    known = [(value, key) for value, key in ratios if value is not None]
    pieces: list[Piece] = [("  uniMMR ", "dim")]
    if not known:
        safe = any(no_risk(fact.record) for fact in accounts.values())
        return [*pieces, (number_format.NONE if safe else number_format.MISSING, "dim")]
    lowest, venue = min(known)
    sign, role = mmr_warning(lowest)
    figure = number_format.decimal_figure(lowest, 2)
    return [*pieces, (f"{sign} {figure}".strip(), role), (f" {venue}", "dim")]


def link_pieces(
    link: LinkRow | None, short: str, now: float, silent: float, *, wide: bool, bare: bool = False
) -> list[Piece]:
    """Build name, state sign and data age of a connection; `bare` leaves out the numbers while it is up."""
    if link is None:
        return [(f" {short}", "dim"), ("○", "faint"), (" –" if wide else "", "faint")]
    sign, role = _SIGNS[link.state]
    if link.flapping:
        state = "" if link.state is LinkState.UP else f" {link.state.value}"
        return [
            (f" {short}", "dim"),
            (sign, role),
            (f" FLAPPING{state}", "warn" if link.state is LinkState.UP else "alert"),
        ]
    if link.state is not LinkState.UP:
        seconds = number_format.age(max(0.0, now - link.since)) if link.since else ""
        return [(f" {short}", "dim"), (sign, role), (f" {link.state.value} {seconds}".rstrip(), role)]
    if silent > LINK_AMBER_S.get(link.name, silent):
        red = silent > LINK_RED_S.get(link.name, silent)
        role = "alert" if red else "warn"
        stale = f" STALE {number_format.whole_age(silent)}" if red else f" ~{number_format.age(silent)}"
        return [(f" {short}", "dim"), (sign, role), (stale, role)]
    text = ""
    if bare:
        return [(f" {short}", "dim"), (sign, role)]
    if link.round_trip_ms is not None:
        text = f" {link.round_trip_ms:.0f}ms".ljust(FIGURE_CELLS)
    elif wide:
        text = f" {number_format.age(silent)}".ljust(FIGURE_CELLS)
    return [(f" {short}", "dim"), (sign, role), (text, "dim")]


def _without_age(link: list[Piece]) -> list[Piece]:
    """Return the pieces of a connection with the state's word but without the time after it."""
    *named, (text, role) = link
    return [*named, (f" {text.split()[0]}", role)] if text.strip() else link


def peers_part(engine_status: EngineStatusRow | None) -> HeaderPart:
    """Build the text of how many desks and programs are attached to the engine, and how many of them can send."""
    peers = engine_status.peers if engine_status is not None else ()
    if not peers:
        return HeaderPart()
    armed = [peer.name for peer in peers if peer.trading_state is not TradingState.VIEW]
    names = armed[0] if len(armed) == 1 else f"{len(armed)} others"
    who, role = (f", {names} armed", "warn") if armed else ("", "dim")
    short: Piece = (f"  +{len(armed)} armed" if armed else f"  +{len(peers)} attached", role)
    return HeaderPart([short], [Variant(Priority.ATTACHED, [(f"  {len(peers)} more attached{who}", role)])])


class StatusBar(LineWidget):
    """Status of the desk at the top of the screen: one line if everything fits, else two."""

    DEFAULT_CSS = "StatusBar { width: 1fr; height: 1fr; }"

    def __init__(self, view: DisplayContext, palette: Palette) -> None:
        super().__init__(id="status")
        self.view = view
        self.palette = palette
        self.tiny = False
        """Whether the window is too small for a ticket; then only state, links and orders are shown."""

    def _counters(self, engine_status: EngineStatusRow | None) -> list[Piece]:
        """Build the counters of the status line: unknown outcomes, requests sent, errors, proposals; each after a gap."""
        mirror = self.view.mirror
        unknown = max(mirror.unknown_orders, engine_status.unknown if engine_status is not None else 0)
        pieces: list[Piece] = [(f"UNK {unknown}", "unknown")] if unknown else []
        for count, word in (
            (mirror.unknown_settings, "setting"),
            (mirror.unknown_algos, "algo order"),
            (mirror.unknown_commands, "command"),
        ):
            if count:
                pieces.append((f"UNK {how_many(count, word)}", "unknown"))
        if engine_status is not None:
            pieces += self._engine_counters(engine_status)
        if requests := [f"mandate {row.key}" for row in mirror.mandates.values() if not row.granted]:
            pieces.append((f"asks: {requests[0]}", "warn"))
        if asks := list(mirror.proposals):
            more = f" +{len(asks) - 1}" if len(asks) > 1 else ""
            pieces.append((f"proposal {asks[0]}{more}", "warn"))
        if engine_status is not None and engine_status.watchdog_error:
            pieces.append(("NO WATCHDOG", "alert"))
        if away := len(mirror.event_log.away):
            pieces.append((f"away {away} !", "warn"))
        gap: Piece = ("  ", "dim")
        return [part for piece in (*pieces, *self._terminal()) for part in (gap, piece)]

    def _engine_counters(self, status: EngineStatusRow) -> list[Piece]:
        """Build the texts of requests in flight, order rate, bad frames, journal and engine errors, downtime."""
        pieces: list[Piece] = []
        if status.in_flight:
            pieces.append((f"sent {status.in_flight}…", "pending"))
        if status.rate_used >= RATE_WARN:
            pieces.append((f"order rate {status.rate_used}%", "warn"))
        if bad := sum(link.bad_frames for link in self.view.mirror.links.values()):
            pieces.append((f"bad frames {bad}", "warn"))
        if status.journal_error:
            pieces.append((f"JOURNAL {status.journal_error}", "alert"))
        if status.engine_error:
            pieces.append((f"ENGINE {status.engine_error}", "alert"))
        return [*pieces, *self._downtime(status)]

    def _sync_part(self, status: EngineStatusRow | None) -> HeaderPart:
        """Build the header part of a desk out of sync after its first sync: private link down, or account being re-read."""
        if status is None or status.synced or not self.view.mirror.synced_once:
            return HeaderPart()
        link = self.view.mirror.links.get("private")
        is_up = link is None or link.is_logged_in
        text: Piece = ("  RECONCILING", "warn") if is_up else ("  LINK DOWN", "alert")
        return HeaderPart(variants=[Variant(Priority.OUT_OF_STEP, [text])])

    def _terminal(self) -> list[Piece]:
        """Build the texts of a stalled screen, and of a slow terminal connection, which gets fewer frames."""
        pieces: list[Piece] = []
        if self.view.stalled_ms:
            pieces.append((f"UI stalled {self.view.stalled_ms}ms", "warn"))
        if self.view.line_speed < inf:
            rate = self.view.line_speed / 1000
            pieces.append((f"slow line {rate:.{0 if rate >= 10 else 1}f}kB/s", "warn"))
        return pieces

    def _practice(self, width: int) -> list[Piece]:
        """Build the text of the practice faults that are on: first name and number of others, or if narrow their number."""
        running = self.view.practice
        if not running:
            return []
        several = running[0] if len(running) == 1 else f"{running[0]} +{len(running) - 1}"
        text = f"PRACTICE: {several}" if width >= 100 else f"PRACTICE {len(running)}"
        return [(" ", "dim"), (f" {text} ", "badge")]

    def _downtime(self, engine_status: EngineStatusRow) -> list[Piece]:
        """Build the text of the current maintenance window, or of one that begins within `SOON_MS`."""
        now = int(self.view.server_wall * 1000)
        for window in engine_status.downtime:
            if window.end_time <= now or window.start_time - now > SOON_MS:
                continue
            utc = self.view.settings.time == "utc"
            running = window.status == 1 or window.start_time <= now
            at = number_format.moment(window.end_time if running else window.start_time, utc=utc)[:5] + (
                "Z" if utc else ""
            )
            what = "" if window.service_type in ("", "TRADE") else f" {window.service_type}"
            text = f"MAINT{what} {'until' if running else 'from'} {at}"
            return [(text, "alert" if running else "warn")]
        return []

    def _links(self, names: tuple[tuple[str, str], ...] = _LINKS, *, wide: bool, bare: bool = False) -> list[Piece]:
        mirror, now = self.view.mirror, self.view.now
        pieces: list[Piece] = []
        for name, short in names:
            link = mirror.links.get(name)
            title = link.tier if link is not None and link.tier else short
            pieces += link_pieces(link, title, now, mirror.silent_for(name), wide=wide, bare=bare)
            if wide:
                pieces.append((" ", "dim"))
        return pieces

    def _without_word(self, entry: tuple[str, str]) -> list[Piece]:
        """Return the pieces of a connection without the word for its state, which the sign before it shows."""
        link, pieces = self.view.mirror.links.get(entry[0]), _without_age(self._links((entry,), wide=False, bare=True))
        return pieces if link is None or link.state is LinkState.UP else pieces[:-1]

    def _link_part(self) -> HeaderPart:
        """Build the connections part in variants from long to short; a failing connection keeps its text longest."""
        figures = Priority.FROZEN_LINK_FIGURES if self.view.frozen else Priority.LINK_FIGURES
        streams, rest = self._links(_LINKS[:2], wide=False, bare=True), self._links(_LINKS[2:], wide=False, bare=True)
        well = all(role in ("dim", "good") for _, role in streams)
        variants = [
            Variant(figures, self._links(wide=False)),
            Variant(Priority.REST_LINK, self._links(wide=False, bare=True)),
        ]
        if well and any(role in ("warn", "alert") for _, role in rest):
            # The only one that fails; beside failing streams it has no room, and the open result goes before its age.
            variants.append(Variant(Priority.WELL_STREAMS, [*streams, *_without_age(rest)]))
            streams, well = _without_age(rest), False
        elif not well:
            variants.append(Variant(Priority.DOWN_AGES, streams))
            streams = [
                piece for entry in _LINKS[:2] for piece in _without_age(self._links((entry,), wide=False, bare=True))
            ]
            variants.append(Variant(Priority.DOWN_WORDS, streams))
            streams = [piece for entry in _LINKS[:2] for piece in self._without_word(entry)]
        if well and self.view.frozen:
            variants.append(Variant(Priority.STREAMS, streams))
            streams = []
        if self.outer_size.width >= AGES_FROM:
            variants.insert(0, Variant(Priority.LINK_AGES, self._links(wide=True)))
        return HeaderPart(streams, variants, right=True)

    def _clock_part(self) -> HeaderPart:
        utc = self.view.settings.time == "utc"
        text = number_format.moment(int(self.view.clock.wall() * 1000), utc=utc)
        zone = "Z" if utc else ""
        whole, short = (
            [(f"  {text}{zone} ", "dim")],
            [(f"  {text[:5]}{zone} ", "dim")],
        )
        if self.outer_size.width < CLOCK_FROM:
            return HeaderPart(variants=[Variant(Priority.EXTRA, whole)], right=True)
        return HeaderPart(
            variants=[Variant(Priority.CLOCK_SECONDS, whole), Variant(Priority.CLOCK, short)],
            right=True,
        )

    def _skew_part(self, engine_status: EngineStatusRow | None, *, right: bool) -> HeaderPart:
        if engine_status is None or engine_status.skew_ms is None:
            return HeaderPart(variants=[Variant(Priority.EXTRA, [("  skew –", "faint")])], right=right)
        text = f"  skew {engine_status.skew_ms:+.0f}ms".ljust(SKEW_CELLS)
        if abs(engine_status.skew_ms) >= SKEW_WARN_MS:
            return HeaderPart([(text, "warn")], right=right)
        return HeaderPart(variants=[Variant(Priority.EXTRA, [(text, "dim")])], right=right)

    def render_line(self, y: int) -> Strip:
        width, engine_status = self.outer_size.width, self.view.mirror.engine_status
        if self.tiny:
            return self._tiny_line(y, width)
        most = 24 if width >= 100 else 12 if width >= 60 else 6
        mode = mode_part(engine_status)
        name = engine_status.account_name if engine_status is not None else ""
        # The risk state of the desk stays before the end of a long name does, and what a kill left live.
        has_left = engine_status is not None and bool(engine_status.unreached)
        shorter = [cells for cells in SHORT_NAMES if cells < min(most, len(name))] if mode.variants or has_left else []
        for name_cells in (most, *shorter, *([] if has_left else [most])):
            left, right = fit_parts(self._parts(y, name_cells, mode), width)
            is_whole = mode.chosen < len(mode.variants) or (has_left and pieces_width([*left, *right]) < width)
            if y or is_whole:
                break
        return line(left, width, self.palette, right)

    def _parts(self, y: int, name_cells: int, mode: HeaderPart) -> list[HeaderPart]:
        """Build the header parts of status line `y`."""
        width, engine_status = self.outer_size.width, self.view.mirror.engine_status
        head = self._badges(name_cells)
        if self.view.caps:
            head += [(" ", "dim"), (" CAPS LOCK ", "badge")]
        if self.view.frozen:
            head += [(" ", "dim"), (" FROZEN ", "badge")]
        counts = self._counters(engine_status)
        if engine_status is not None and engine_status.unreached:
            # What a kill left live, and what is not known, are read before it.
            counts += self._practice(width)
        else:
            head += self._practice(width)
        counters, attached = HeaderPart(counts), peers_part(engine_status)
        why = [self._sync_part(engine_status), reason_part(self.view)]
        status = account_status(self.view.mirror)
        # An account status that is not normal belongs beside environment and portfolio.
        bad = HeaderPart([("  ", "dim"), status] if status[1] != "dim" else [])
        links, clock, money = self._link_part(), self._clock_part(), money_parts(self.view)
        if self.outer_size.height < 2:
            skew = self._skew_part(engine_status, right=True)
            # Counters come and go, so they are placed behind the account figures, which then do not move.
            return [HeaderPart(head), bad, *money, mode, *why, counters, attached, links, skew, clock]
        if y == 0:
            return [HeaderPart(head), mode, bad, *why, counters, attached, links]
        return [*money, self._skew_part(engine_status, right=False), clock]

    def _badges(self, name_cells: int) -> list[Piece]:
        view = self.view
        status = view.mirror.engine_status
        return badges(status, name_cells, view.server_wall * 1000, view.now, view.firing())

    def _tiny_line(self, y: int, width: int) -> Strip:
        mirror = self.view.mirror
        unknown = mirror.unknown_orders
        counts: list[Piece] = [
            (f" {mirror.working_orders - unknown} working ", "text"),
            (f"UNK {unknown}", "unknown" if unknown else "dim"),
        ]
        links, small = self._links(wide=False, bare=True), [(" too small", "warn")]
        lost: list[Piece] = [(f"UNK {unknown}", "unknown")] if unknown else []
        rows: list[list[Piece]] = (
            [self._badges(6), links, [*counts, *small]] if self.size.height > 2 else [self._badges(6), [*lost, *links]]
        )
        return line(rows[y] if y < len(rows) else [], width, self.palette)
