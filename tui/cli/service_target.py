"""Which service a command of the command line talks to: that of a profile, or the paper venue of this home."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from typing import TYPE_CHECKING, NamedTuple

from tui import paths
from tui.cli.accounts import user_of_key
from tui.cli.credentials import read_credentials
from tui.cli.log_file import NAME as LOG
from tui.cli.windows import PaperWindow, Target
from tui.crossdesk_error import CrossdeskError

if TYPE_CHECKING:
    from tui.client.rest import Rest
    from tui.client.settings import Service
    from tui.protocols import Clock
    from tui.settings import Config

LOCK = "desk.lock"
RUNTIME = "paper.json"


class UnknownProfile(CrossdeskError):
    """No profile of that name is configured."""

    title = "Not started"


class FoundTarget(NamedTuple):
    """A service with a key."""

    target: Target
    live: bool
    read_only: str
    """Why nothing may be sent to it from here, or empty."""


def profile_target(name: str, config: Config) -> Target:
    """The service of a profile, with its key and secret.

    Raises:
        CrossdeskError: there is no such profile, or its key cannot be read.
    """
    from tui.client.settings import Service

    profile = config.profile.get(name)
    if profile is None:
        known = ", ".join(sorted(config.profile)) or "none; `crossdesk config init` writes a starter file"
        raise UnknownProfile(f"--profile {name}: not in {paths.config_file()}; known are {known}")
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
    account_id = profile.user or user_of_key(key)
    return Target(service, profile.portfolio, profile.portfolio_name, key, secret, account_id=account_id)


def paper_state_arguments() -> list[str]:
    """Arguments of the paper venue of this home: where its state is, and where it is kept how far that has come.

    The two are apart: whoever puts an older state back seldom puts the journal and what is beside it back too.
    """
    state, marks = paths.make_private(paths.data_dir()) / "paper.db", paths.desk_state_dir("paper")
    return ["--state", str(state), "--marks", str(marks)]


@contextmanager
def open_target(profile: str | None, config: Config) -> Iterator[FoundTarget]:
    """The service to talk to. The paper venue of this home is started where none runs, and ended with the block.

    Raises:
        CrossdeskError: no such profile, no key, or the venue cannot be started.
    """
    from tui.host import FileLock

    if profile is not None:
        yield FoundTarget(profile_target(profile, config), True, "")
        return
    state = paths.desk_state_dir("paper")
    runtime = paths.make_private(paths.runtime_dir()) / RUNTIME
    window = PaperWindow(paper_state_arguments(), state / LOG, runtime, FileLock(state / LOCK), looks_only=False)
    try:
        found = window.next_assignment()
        yield FoundTarget(found.target, False, found.read_only)
    finally:
        window.close()


@asynccontextmanager
async def open_rest(
    service: Service, key: str, secret: str, clock: Clock, *, loopback_only: bool
) -> AsyncIterator[Rest]:
    """A REST session of its own on a service; closed with the block."""
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
