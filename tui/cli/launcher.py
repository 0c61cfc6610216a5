"""Launcher of the workstation: start the paper venue, show the first frame, then start the engine."""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from functools import partial
from importlib import import_module
from math import inf
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from tui import paths
from tui.cli.credentials import protect_memory
from tui.cli.log_file import NAME as LOG
from tui.cli.log_file import LogHandler, start_log
from tui.cli.service_target import (
    LOCK,
    find_profile,
    open_paper_window,
    paper_state_arguments,
    profile_target,
)
from tui.cli.windows import (
    ADDRESS_S,
    MAIN_NAME,
    EngineAssignment,
    LiveWindow,
    PaperWindow,
    ServiceTarget,
    Window,
    select_portfolio,
)
from tui.crossdesk_error import CrossdeskError
from tui.settings import Config, read
from tui.workstation.commands.launcher_services import LauncherServices, PortfolioChoice

if TYPE_CHECKING:
    from tui.cli.commands.watchdog import Watchdog
    from tui.cli.preferences_file import PreferencesFile
    from tui.client.settings import Service
    from tui.desk_protocol.bus.connection import BusPlace
    from tui.desk_protocol.engine_host import EngineHost
    from tui.engine.engine import Engine
    from tui.engine.life.engine_core import EngineCore
    from tui.engine.life.table_hub import TableHub
    from tui.engine.life.thread import EngineThread
    from tui.engine.market.bar_file import BarFile
    from tui.engine.modes import Environment
    from tui.engine.state.engine_state import Identity
    from tui.engine.status_rows import EngineStatusRow
    from tui.host import HostConnector, OrderIds
    from tui.protocols import Clock, Journal
    from tui.workstation.commands.launcher_services import Practice

NO_SERVICES = LauncherServices()
HELD = (
    "another crossdesk holds this account and serves it: windows and programs attach to it; "
    "to start a gateway, end it first"
)
SIGNALLED = 128
"""Exit codes above this mean that the program was ended by a signal."""
JOIN_S = 2.0
"""Seconds the engine may take to end."""
ENGINE_MODULES = ("tui.engine.engine", "tui.engine.journal.writer", "tui.client.signer", "tui.cli.accounts")
"""Modules that `build_engine` imports, with the network libraries."""

DESK = "desk"
"""Name by which another window's engine knows a workstation."""
NO_TERMINAL = "crossdesk needs a terminal; `crossdesk --plain` reads lines, and `crossdesk --help` lists the commands"
SCREEN = "screen.json"
"""File of the choices that were made on the screen."""


class LaunchError(CrossdeskError):
    """Invalid command line; the message names the option and the accepted values."""

    title = "Not started"


class LaunchOptions(NamedTuple):
    """Launch options of the command line."""

    profile: str | None = None
    read_only: bool = False
    market: str | None = None
    seed: int | None = None
    switches: tuple[str, ...] = ()
    portfolio: str = ""
    """Name of the paper venue's portfolio to trade; empty: the main one."""
    attach: str = ""
    """Profile whose account another process of this machine holds, or address of a bus; empty: it is held here."""
    bus_seed: Path | None = None
    """File with the trader's NKEY seed; None: the one in the folder of the bus."""
    plain: bool = False
    """Whether lines are read and printed, in place of a screen."""

    @property
    def are_of_paper(self) -> bool:
        """Whether an option is given that only the paper venue has: recorded market, seed, switches or portfolio."""
        return bool(self.market or self.seed is not None or self.switches or self.portfolio)


def run(options: LaunchOptions) -> int:
    """Run the workstation and return the exit code of the process.

    Raises:
        CrossdeskError: Configuration, folders, credentials or options do not allow the start.
    """
    if not (options.plain or (sys.stdin.isatty() and sys.stdout.isatty())):
        print(NO_TERMINAL, file=sys.stderr)
        return 2
    os.umask(0o077)
    if options.profile is not None or options.attach:
        protect_memory()
    config = read(paths.config_file())
    if options.attach:
        code = _run_attached(options, config)
    else:
        code = _run_paper(options, config) if options.profile is None else _run_live(options, config)
    if code > SIGNALLED:
        # Flushing the streams at exit would never end on a terminal that nobody reads.
        os._exit(code)
    return code


# Paper


def _run_paper(options: LaunchOptions, config: Config) -> int:
    # On two cores parallel imports slow each other down: the venue starts after the desk is ready for its first frame.
    if not options.plain:
        import_module("tui.workstation.app.app")
    window = _paper_window(options)

    def practices() -> Sequence[Practice]:
        from tui.cli.fault_practice import build_practices

        return build_practices(window.set_switch, window.move_market)

    def why_fixed() -> str:
        if options.market is not None:
            return "a replay begins anew with each start: end this program and name the portfolio with --portfolio"
        return "" if window.is_owner else "another crossdesk has the paper venue"

    choice = PortfolioChoice(window.trade_portfolio, why_fixed, MAIN_NAME)
    # Who names an option knows the program already.
    greets = options == LaunchOptions() and window.is_owner
    services = LauncherServices(practices, portfolio_choice=choice, greets=greets, look_only=window.look_only)
    return _run_workstation(
        "paper", "PAPER", window, config, services, portfolio_name=options.portfolio or MAIN_NAME,
        market=options.market or "", plain=options.plain,
    )  # fmt: skip


def _paper_window(options: LaunchOptions, patience_s: float = inf) -> PaperWindow:
    return open_paper_window(_venue_arguments(options), looks_only=options.read_only, patience_s=patience_s)


def _venue_arguments(options: LaunchOptions) -> list[str]:
    if options.market is None:
        arguments = paper_state_arguments()
    else:
        market = Path(options.market).expanduser().resolve()
        if not market.is_file():
            raise LaunchError(f"--market {options.market}: no such file; a recording (CSV, plain or .gz) is needed")
        arguments = ["--market", str(market)]
    if options.seed is not None:
        arguments += ["--seed", str(options.seed)]
    if options.portfolio:
        arguments = select_portfolio(arguments, options.portfolio)
    for item in options.switches:
        arguments += ["--set", item]
    return arguments


# Live


def _run_live(options: LaunchOptions, config: Config) -> int:
    name = options.profile or ""
    if options.are_of_paper:
        raise LaunchError(
            "--market, --seed, --set and --portfolio belong to the paper venue; leave them out with --profile"
        )
    target = profile_target(name, config)
    if not options.read_only:
        _ask_name(target.portfolio_name)
    folder = paths.desk_folder(name, target.portfolio)
    window = _live_window(folder, target, looks_only=options.read_only)
    return _run_workstation(folder, "LIVE", window, config.for_profile(name), plain=options.plain)


def _ask_name(portfolio_name: str) -> None:
    """Ask the trader to type the name of the live portfolio; another text ends the start.

    Raises:
        LaunchError: It is another one.
    """
    import click

    typed = click.prompt(f"LIVE. Type the portfolio name {portfolio_name!r} to go on", default="", show_default=False)
    if typed != portfolio_name:
        raise LaunchError("the name does not match; nothing was started")


def _live_window(folder: str, target: ServiceTarget, *, looks_only: bool) -> LiveWindow:
    from tui.host import FileLock

    lock = FileLock(paths.desk_state_dir(folder) / LOCK)
    return LiveWindow(target, lock, paths.desk_socket(folder), looks_only=looks_only)


# Attached to an engine that is named


def _run_attached(options: LaunchOptions, config: Config) -> int:
    from tui.cli.attached_window import open_window

    if options.profile or options.are_of_paper:
        raise LaunchError(
            "--profile, --market, --seed, --set and --portfolio are for who holds the account; leave them out with --attach"
        )
    window = open_window(options.attach, options.bus_seed, looks_only=options.read_only)
    if window.environment == "LIVE" and not options.read_only:
        _ask_name(window.portfolio_name)
    return _run_workstation(
        window.folder, window.environment, window, config, portfolio_name=window.portfolio_name, plain=options.plain
    )


# All


class EngineSource:
    """Factory that builds the window's engines and their watchdogs; called on the engine's thread for each new engine."""

    def __init__(
        self,
        state: Path,
        environment: Environment,
        window: Window,
        config: Config,
        log: LogHandler,
        *,
        market: str = "",
        name: str = DESK,
        bus: BusPlace | None = None,
    ) -> None:
        """Initialize the factory; other windows know this process by `name`, traders attach on `bus`."""
        self._name = name
        self._bus = bus
        self._serves = asyncio.Event()
        """Set once this process holds the account, and serves other windows and programs."""
        self._log = log
        self._state = state
        self._environment = environment
        self._window = window
        self._config = config
        self._market = market
        self._watchdogs: list[Watchdog] = []

    def build(self, updates: TableHub) -> EngineCore:
        """Build the next engine, on the engine's thread: our own, or a link to the window that holds the account."""
        # Imported while the venue is still starting.
        for name in ENGINE_MODULES:
            import_module(name)
        # On paper the first secret comes with the venue's address; a live profile is protected before its key is read.
        protect_memory()
        from tui.desk_protocol.remote_engine import LINK_CAUSE
        from tui.engine.event_line import Level
        from tui.engine.modes import Environment

        place = self._window.next_assignment()
        if place.target is not None:
            self._log.hide(place.target.key, place.target.secret)
        if place.attach is not None:
            from tui.cli.attached_engine import attach_engine

            return attach_engine(place.attach, self._name, updates)
        assert place.target is not None
        if place.owns:
            self._serves.set()
        engine = build_engine(self._state, self._environment, place, self._config, updates, market=self._market)
        if place.news:
            engine.state.notify(Level.ALERT, place.news, cause=LINK_CAUSE)
        if self._config.engine.watchdog.on and not place.read_only and self._environment is Environment.LIVE:
            self._watchdogs.append(start_watchdog(engine, place.target, self._config, self._state))
        return engine

    async def serve(self, host: EngineHost) -> None:
        """Once this process holds the account, serve other windows and programs on the desk's socket, and on a bus."""
        await self._serves.wait()
        from tui.desk_protocol.desk_socket import serve_socket
        from tui.host import HostClock, fresh_id

        clock, bus = HostClock(), None
        if self._bus is not None:
            from tui.desk_protocol.bus.served import bus_of

            bus = bus_of(self._bus, host, clock, fresh_id)
        place, is_desk = paths.desk_socket(self._state.name), self._name == DESK
        await serve_socket(place, host, clock, fresh_id(), bus, has_screen=is_desk)

    def dismiss_watchdogs(self) -> None:
        """Tell all watchdogs that the engine ended normally."""
        for watchdog in self._watchdogs:
            watchdog.dismiss()


def _run_workstation(
    folder: str,
    environment: str,
    window: Window,
    config: Config,
    services: LauncherServices = NO_SERVICES,
    *,
    portfolio_name: str = "",
    market: str = "",
    plain: bool = False,
) -> int:
    from tui.cli.preferences_file import PreferencesFile
    from tui.engine.life.thread import EngineThread
    from tui.engine.modes import Environment
    from tui.host import HostClock

    if not plain:
        import_module("tui.workstation.app.app")  # sets up textual's environment
    state, env = paths.desk_state_dir(folder), Environment(environment)
    log = start_log(state / LOG, "workstation")
    source = EngineSource(state, env, window, config, log, market=market)
    clock = HostClock()
    engine = EngineThread(source.build, _first_status(env, window, portfolio_name), clock, source.serve)
    stored, begin = PreferencesFile(state / SCREEN), partial(_begin, engine, window)
    try:
        if plain:
            from tui.cli.desks.plain_desk import run_plain

            return run_plain(engine, config.workstation, stored, begin, services.practices)
        from tui.cli.desks.screen_desk import report_end, run_screen

        ended = run_screen(engine, config.workstation, stored, begin, services, log)
    finally:
        try:
            _end(engine, source, window)
        finally:
            stored.store_at_end(clock)
    return report_end(state, ended)


@contextmanager
def open_engine(
    profile: str | None,
    config: Config,
    *,
    name: str,
    looks_only: bool,
    holds: bool = False,
    bus: BusPlace | None = None,
) -> Iterator[EngineThread]:
    """Yield an engine without a screen for the paper venue of this home or a profile; the caller starts it.

    Args:
        profile: Name of a configured service; None: the paper venue.
        config: Configuration.
        name: Name by which the engine of another window knows this process, where one holds the account.
        looks_only: Whether nothing is to be sent.
        holds: Whether it is to hold the account and serve others; otherwise it uses the engine of a window that does.
        bus: Server on which traders attach, where it serves others.

    Raises:
        LaunchError: It is to hold the account, which another process does.
    """
    from tui.engine.life.thread import EngineThread
    from tui.engine.modes import Environment
    from tui.host import HostClock

    folder, window = _window_without_screen(profile, config, looks_only=looks_only)
    env, portfolio = (Environment.PAPER, MAIN_NAME) if profile is None else (Environment.LIVE, "")
    state, config = paths.desk_state_dir(folder), config.for_profile(profile)
    source = EngineSource(state, env, window, config, start_log(state / LOG, "workstation"), name=name, bus=bus)
    first = _first_status(env, window, portfolio)
    engine = EngineThread(source.build, first, HostClock(), source.serve if holds else None)
    try:
        if holds and window.read_only:
            raise LaunchError(HELD)
        if holds:
            window.watch(engine.renew)
        yield engine
    finally:
        _end(engine, source, window)


def _window_without_screen(profile: str | None, config: Config, *, looks_only: bool) -> tuple[str, Window]:
    """Return the desk's folder name, and a window of the paper venue or a profile that has no screen."""
    if profile is None:
        return "paper", _paper_window(LaunchOptions(read_only=looks_only), ADDRESS_S)
    target = profile_target(profile, config)
    folder = paths.desk_folder(profile, target.portfolio)
    return folder, _live_window(folder, target, looks_only=looks_only)


def open_preferences(profile: str | None, config: Config) -> PreferencesFile:
    """Open the file of stored screen preferences (columns, symbols, alerts) of the paper venue's or a profile's desk."""
    from tui.cli.preferences_file import PreferencesFile

    folder = paths.desk_folder(profile, find_profile(profile, config).portfolio if profile is not None else "")
    return PreferencesFile(paths.desk_state_dir(folder) / SCREEN)


def _begin(engine: EngineThread, window: Window) -> None:
    """Start the engine and the window's monitoring after the first frame."""
    engine.start()
    window.watch(engine.renew)


def _end(engine: EngineThread, source: EngineSource, window: Window) -> None:
    """Stop the engine, then its watchdogs, then the venue."""
    engine.close()
    engine.join(JOIN_S)
    source.dismiss_watchdogs()
    window.close()


def _first_status(environment: Environment, window: Window, portfolio_name: str) -> EngineStatusRow:
    """Build the placeholder status shown until the engine has started."""
    from tui.engine.modes import TradingState
    from tui.engine.status_rows import EngineStatusRow

    return EngineStatusRow(
        environment=environment,
        portfolio="",
        portfolio_name=portfolio_name,
        trading_state=TradingState.VIEW,
        synced=False,
        read_only=window.read_only,
    )


def start_watchdog(engine: Engine, target: ServiceTarget, config: Config, state: Path) -> Watchdog:
    """Start the watchdog process of a live engine."""
    from tui.cli.commands.watchdog import Watchdog
    from tui.engine.watchdog import WatchdogSetup

    wanted = config.engine.watchdog
    setup = WatchdogSetup(
        service=target.service,
        key=target.key,
        secret=target.secret,
        portfolio=target.portfolio,
        prefix=engine.state.services.ids.ours,
        silence=wanted.silence,
        grace=wanted.grace,
    )
    watchdog = Watchdog(setup, state / "watchdog.log", engine.state.clock)
    engine.monitors.watchdog.heartbeat = watchdog.send_heartbeat
    return watchdog


def build_engine(
    state: Path,
    environment: Environment,
    place: EngineAssignment,
    config: Config,
    updates: TableHub,
    *,
    market: str = "",
) -> Engine:
    """Build the engine after the first frame, on its own thread, because this imports the network libraries."""
    from tui.client.signer import Secret, Signer
    from tui.engine.engine import Engine
    from tui.engine.event_line import Level
    from tui.engine.state.engine_state import HostServices
    from tui.host import FileLock, HeldLock, HostClock, fresh_random_source

    clock, target = HostClock(), place.target
    assert target is not None
    journal, news = _open_journal(state, environment, place, clock, market)
    services = HostServices(
        clock=clock,
        random_source=fresh_random_source(),
        ids=_order_ids(state, clock, place),
        connector=_make_connector(environment, target.service),
        journal=journal,
        lock=HeldLock() if place.owns else FileLock(state / "attached.lock"),
        bars=_bar_file(state, environment, target),
    )
    identity = _identity_of(target, environment)
    signer = Signer(target.key, Secret(target.secret), clock)
    only = place.read_only
    engine = Engine(services, identity, signer=signer, updates=updates, settings=config.engine, read_only=only)
    if news:
        engine.state.notify(Level.WARN, news)
    return engine


def _identity_of(target: ServiceTarget, environment: Environment) -> Identity:
    from tui.engine.state.engine_state import Identity

    return Identity(
        environment=environment,
        service=target.service,
        portfolio=target.portfolio,
        portfolio_name=target.portfolio_name,
        recording=target.recording,
        account_id=target.account_id,
    )


def _bar_file(state: Path, environment: Environment, target: ServiceTarget) -> BarFile:
    """Return the file of price bars; those of another state of the paper venue are dropped, those of a service kept."""
    from tui.engine.market.bar_file import BarFile

    owner = target.account_id if environment == "PAPER" else ""
    return BarFile(paths.make_private(paths.data_dir()) / f"bars-{state.name}.db", owner)


def _order_ids(state: Path, clock: Clock, place: EngineAssignment) -> OrderIds:
    """Load the generator of client order ids; reserve ids in its file ahead of use while this window can send orders."""
    from tui.host import load_order_ids

    ids = load_order_ids(state / "ids", clock)
    if not place.read_only:
        ids.keep_reserved()
    return ids


def _make_connector(environment: Environment, service: Service) -> HostConnector:
    """Build a connector that only connects to the service's addresses, and for paper only to this machine."""
    from tui.engine.modes import Environment
    from tui.host import HostConnector

    addresses = (service.rest_url, service.private_ws_url, service.public_ws_url)
    urls = tuple(
        url for url in (*addresses, service.algo_ws_url, service.ha_rest_url, service.ha_private_ws_url) if url
    )
    return HostConnector(urls, loopback_only=environment is Environment.PAPER)


def _open_journal(
    state: Path, environment: Environment, assignment: EngineAssignment, clock: Clock, market: str
) -> tuple[Journal, str]:
    """Open the account's journal, or an in-memory one for a window without the lock; also return a notice for the trader."""
    from tui.cli.accounts import Account, find_journal
    from tui.engine.journal.memory_journal import MemoryJournal
    from tui.engine.journal.writer import SqliteJournal

    if not assignment.owns:
        return MemoryJournal(clock), ""
    target = assignment.target
    assert target is not None
    where = "the paper venue of this home" if environment == "PAPER" else target.service.rest_url
    account = Account(
        target.portfolio,
        where,
        (Path(market).name or "a recording") if target.recording is not None else "",
        target.account_id,
        live=environment == "LIVE",
    )
    started = datetime.fromtimestamp(clock.wall(), UTC).strftime("%Y%m%d-%H%M%S")
    place = find_journal(state, account, started)
    return SqliteJournal(place.path, clock), place.news
