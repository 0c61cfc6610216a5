"""Rows about the engine itself: its status, its connections, and the peers that are attached."""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING

import msgspec

from tui.engine.limits import Limits
from tui.engine.modes import Environment, RiskMode, TradingState

if TYPE_CHECKING:
    from tui.interface.families.system import StatusRow
    from tui.interface.ready import Recording

ENGINE = "engine"
"""Key of the single row of `Table.ENGINE_STATUS`."""


class LinkState(StrEnum):
    """Status of a stream or of REST; never called `live`, which is the name of an environment."""

    DOWN = "down"
    CONNECTING = "connecting"
    LOGIN = "login"
    RESYNC = "resync"
    UP = "up"


class LinkRow(msgspec.Struct, frozen=True, kw_only=True):
    """Status of one connection to the service."""

    name: str
    state: LinkState
    tier: str = ""
    """Name of the service address in use; empty where there is only one."""
    epoch: int = 0
    since: float = 0.0
    last_frame: float = 0.0
    """Monotonic receive time of the last frame of any kind, s."""
    round_trip_ms: float | None = None
    retries: int = 0
    bad_frames: int = 0
    flapping: bool = False
    """Whether it is lost and restored repeatedly."""
    error: str = ""
    """Why it is not up, for the trader."""
    login_refused: bool = False
    """Whether it is down because the service refused the login."""

    @property
    def is_logged_in(self) -> bool:
        """Whether requests can be sent on the connection, even while data is still being read after the login."""
        return self.state in (LinkState.RESYNC, LinkState.UP)


class PeerRow(msgspec.Struct, frozen=True, kw_only=True):
    """Desk or program that is attached to the engine from another process."""

    name: str
    role: str
    """`watch`, `propose`, `trade` or `desk`."""
    trading_state: TradingState = TradingState.VIEW
    hot_until: float = 0.0
    since_ms: int = 0
    """Wall time at which it attached, ms."""


class Proposed(StrEnum):
    """Kind of a proposal: to place an order, to replace or cancel one, or to close a position."""

    PLACE = "place"
    REPLACE = "replace"
    CANCEL = "cancel"
    CLOSE = "close"


class ProposalRow(msgspec.Struct, frozen=True, kw_only=True):
    """Proposal of a program, with the figures of the order as it would be sent (for a cancel: as it is), as texts."""

    key: str = ""
    """Number by which the trader answers."""
    peer: str
    reason: str
    kind: Proposed = Proposed.PLACE
    order: str = ""
    """Row key of the order to replace or cancel."""
    sym: str = ""
    side: str = ""
    qty: str = ""
    price: str = ""
    """Limit price; empty: at market."""
    time_in_force: str = "GTC"
    position_side: str = "NONE"
    reduce_only: bool = False
    since: float = 0.0
    """Monotonic time at which the program asked, s; 0: not told."""
    expires: float
    """Monotonic time at which it ends, s."""


class MandateRow(msgspec.Struct, frozen=True, kw_only=True):
    """Mandate of a program: what it may send without asking; a request until the trader grants it. Values in quote."""

    key: str = ""
    """Number by which the trader answers."""
    peer: str
    reason: str
    pairs: tuple[str, ...]
    side: str
    """BUY, SELL or BOTH."""
    order_value: str
    """Most value of an order."""
    position_value: str
    """Most value that it may hold on a pair, long or short."""
    traded_value: str
    """Most value that it may trade in all: of a working order what it may come to, of an ended one what was filled."""
    loss: str
    """Loss that ends it."""
    orders_per_minute: int
    seconds: float
    """Time for which it holds once granted, s."""
    since: float = 0.0
    """Monotonic time at which the program asked, s; 0: not told."""
    expires: float
    """Monotonic time at which the request, or the granted mandate, ends, s."""
    granted: bool = False
    granted_by: str = ""
    """Name of the desk that granted it; empty: the desk that holds the account."""
    held: str = "0"
    """Value of the largest position that its fills hold."""
    traded: str = "0"
    """Value of its orders so far, as in `traded_value`."""
    result: str = "0"
    """Result of its fills, after costs, at the price at which they could be closed."""
    orders: int = 0
    """Number of orders and replaces sent."""


ALGOS_UNREAD = "not read yet"
"""Why algo orders are not known before their list was read."""
NO_ALGO_LIST = "this service has no list of algo orders"
"""Why algo orders are not known where there are none: the service does not offer them."""


class RateUse(msgspec.Struct, frozen=True):
    """Use of one request limit of the service within its present window."""

    name: str
    used: int
    room: int
    """Most requests in a window; what is kept for cancels is not counted where others would use it."""
    seconds: int
    """Length of the window, s."""


class EngineStatusRow(msgspec.Struct, frozen=True, kw_only=True):
    """Row with the status of the engine: trading state, risk mode, limits, checks, errors of the parts."""

    environment: Environment
    portfolio: str
    portfolio_name: str
    trading_state: TradingState
    hot_until: float = 0.0
    """Monotonic time at which HOT ends; 0 in other states."""
    risk_mode: RiskMode = RiskMode.NORMAL
    risk_mode_reason: str = ""
    unreached: str = ""
    """What a kill did not reach and is live, counted; empty: nothing."""
    breach_end: str = ""
    """From when on REDUCING can be left, where its limit is breached: `after` or `once` something; empty: now."""
    limits: Limits = Limits()
    """Limits applied to orders."""
    synced: bool
    read_only: str = ""
    """Why nothing can be sent at all, or empty."""
    in_flight: int = 0
    unknown: int = 0
    skew_ms: float | None = None
    """Our clock minus the server's, ms."""
    journal_error: str = ""
    engine_error: str = ""
    watchdog_error: str = ""
    """Why the configured watchdog does not run, or empty."""
    downtime: tuple[StatusRow, ...] = ()
    """Windows in progress and announced, as last read."""
    lag_ms: float = 0.0
    """Worst delay of the engine's loop in the last second, ms."""
    rates: tuple[RateUse, ...] = ()
    """How much of the venue's limits of requests is used."""
    recording: Recording | None = None
    """Recording replayed by the service, if any."""
    orders_checked_ms: int = 0
    """Wall time of the request for the newest complete list of open orders, ms; 0 before the first."""
    positions_checked_ms: int = 0
    """Wall time of the newest complete list or push of positions, ms."""
    algo_error: str = ""
    """Why the open algo orders are not known, or empty."""
    day_is_whole: bool = False
    """Whether every fill since 00:00 UTC is counted; otherwise results of the day are partial."""
    bookings_read: bool = False
    """Whether the statement was read, also since the newest event that books other amounts than fills, such as a
    liquidation."""
    ordered_today: tuple[str, ...] = ()
    """Pairs that had an order since 00:00 UTC; the first one of another pair may need a confirmation."""
    changed_rules: tuple[tuple[str, str], ...] = ()
    """Pairs in which no position may grow until the trader accepts their new rules, with the change."""
    peers: tuple[PeerRow, ...] = ()
    """Desks and programs attached from other processes."""
    kills: int = 0
    """Kills of this session, of any desk: each ends what waits to be sent anywhere."""
    killed_by: str = ""
    """Who sent the newest of them: `by you`, `by desk 2`."""
    was_synced: bool = False
    """Whether this engine was in step with the service before: its rows are those of the last time that it was."""
    own_name: str = ""
    """Name of the desk that reads this row, which its orders bear; empty: the desk that holds the account."""

    @property
    def rate_used(self) -> int:
        """Use of the fullest request limit, in per cent; at 100 the next request is refused."""
        return max((100 * rate.used // rate.room for rate in self.rates), default=0)

    @property
    def account_name(self) -> str:
        """Name of the traded portfolio, or its id where it has no name."""
        return self.portfolio_name or self.portfolio

    def limits_of(self, sym: str) -> Limits:
        """Return the limits that apply to orders of the desk that reads this row, on a pair."""
        return self.limits.of(sym, self.own_name)
