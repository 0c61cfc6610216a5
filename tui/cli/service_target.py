"""Choice of the service that a command connects to: the one of a profile, or the local paper venue."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from tui import paths
from tui.cli.credentials import read_credentials
from tui.cli.log_file import NAME as LOG
from tui.cli.windows import ADDRESS_S, PaperWindow, ServiceTarget
from tui.crossdesk_error import WrongArgument
from tui.settings import read

if TYPE_CHECKING:
    from tui.client.rest import Rest
    from tui.client.settings import Service
    from tui.protocols import Clock
    from tui.settings import Config, Profile

LOCK = "desk.lock"
RUNTIME = "paper.json"


class UnknownProfile(WrongArgument):
    """Profile name that the configuration does not contain."""

    title = "Not started"

    def __init__(self, name: str, config: Config) -> None:
        known = ", ".join(sorted(config.profile)) or "none; `crossdesk config init` writes a starter file"
        super().__init__(f"--profile {name}: not in {paths.config_file()}; known are {known}")


class ChosenService(NamedTuple):
    """Service with key and portfolio as chosen on the command line, and why it is read-only, if it is."""

    target: ServiceTarget
    live: bool
    read_only: str
    """Why nothing may be sent to it from here, or empty."""


def find_profile(name: str, config: Config) -> Profile:
    """Return a profile of the configuration by name; API key and secret are not read.

    Raises:
        UnknownProfile: There is none with that name.
    """
    profile = config.profile.get(name)
    if profile is None:
        raise UnknownProfile(name, config)
    return profile


def find_desk(profile: str | None) -> Path:
    """Return the path of the socket of the desk for the paper venue of this home, or for a profile.

    Raises:
        UnknownProfile: The configuration has no such profile.
    """
    if profile is None:
        return paths.desk_socket(paths.PAPER)
    find_profile(profile, read(paths.config_file()))
    return paths.find_desk_socket(profile)


def profile_target(name: str, config: Config) -> ServiceTarget:
    """Return the service of a profile with its key and secret.

    Raises:
        CrossdeskError: There is no such profile, or its key cannot be read.
    """
    from tui.client.settings import Service

    profile = find_profile(name, config)
    key, secret = read_credentials(name, profile)
    service = Service(
        rest_url=profile.rest_url,
        private_ws_url=profile.private_ws_url,
        public_ws_url=profile.public_ws_url,
        algo_ws_url=profile.algo_ws_url,
        ha_rest_url=profile.ha_rest_url,
        ha_private_ws_url=profile.ha_private_ws_url,
        tier_order=profile.tier_order,
        path_words=profile.path_words,
        value_words=profile.value_words,
        delete_params=profile.delete_params,
        auth=profile.auth,
        only_trade=profile.only_trade,
    )
    # Imported here: a start on the paper venue needs no hashes before its first frame.
    from tui.cli.accounts import user_of_key

    account_id = profile.user or user_of_key(key)
    return ServiceTarget(service, profile.portfolio, profile.portfolio_name, key, secret, account_id=account_id)


def paper_state_arguments() -> list[str]:
    """Return the command-line arguments for the local paper venue's state file and for its folder of progress marks.

    The two are separate, because somebody who restores an older state seldom restores the journal and its marks too.
    """
    state, marks = paths.make_private(paths.data_dir()) / "paper.db", paths.desk_state_dir("paper")
    return ["--state", str(state), "--marks", str(marks)]


def open_paper_window(arguments: list[str], *, looks_only: bool, patience_s: float) -> PaperWindow:
    """Build the window of this home's paper venue, which starts a venue with `arguments` unless another window runs it."""
    from tui.host import FileLock

    state = paths.desk_state_dir(paths.PAPER)
    runtime = paths.make_private(paths.runtime_dir()) / RUNTIME
    lock, socket = FileLock(state / LOCK), paths.desk_socket(paths.PAPER)
    return PaperWindow(arguments, state / LOG, runtime, socket, lock, looks_only=looks_only, patience_s=patience_s)


@contextmanager
def open_target(profile: str | None, config: Config) -> Iterator[ChosenService]:
    """Connect to the service; the local paper venue is started if none runs, and stopped at the end of the block.

    Raises:
        CrossdeskError: No such profile, no key, or the venue cannot be started.
    """
    if profile is not None:
        yield ChosenService(profile_target(profile, config), live=True, read_only="")
        return
    window = open_paper_window(paper_state_arguments(), looks_only=False, patience_s=ADDRESS_S)
    try:
        assignment = window.next_assignment()
        assert assignment.target is not None
        yield ChosenService(assignment.target, live=False, read_only=assignment.read_only)
    finally:
        window.close()


@asynccontextmanager
async def open_rest(
    service: Service, key: str, secret: str, clock: Clock, *, loopback_only: bool
) -> AsyncIterator[Rest]:
    """Open a REST client for a service; it is closed at the end of the block."""
    from tui.client.aiohttp_adapter import open_session
    from tui.client.failover import FailoverSelector
    from tui.client.rate_limiter import RateLimiter
    from tui.client.rest import Rest
    from tui.client.settings import Timings
    from tui.client.signer import Secret, Signer
    from tui.client.skew import Skew
    from tui.host import HostConnector, fresh_random_source

    timings = Timings()
    urls = tuple(url for url in (service.rest_url, service.ha_rest_url) if url)
    async with open_session(HostConnector(urls, loopback_only=loopback_only)) as session:
        rest = Rest(
            service,
            failover=FailoverSelector(service, timings, clock),
            session=session,
            signer=Signer(key, Secret(secret), clock),
            rate_limiter=RateLimiter(timings, clock),
            clock=clock,
            random_source=fresh_random_source(),
            timings=timings,
        )
        rest.skew = Skew(clock)
        yield rest
