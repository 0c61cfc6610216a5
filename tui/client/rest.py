"""REST client: signed, rate-limited endpoint calls; success returns a decoded record, a failure raises."""

from __future__ import annotations

import asyncio
import math
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import lru_cache
from typing import Any, NamedTuple
from urllib.parse import urlencode

import aiohttp
import msgspec
from yarl import URL

from tui.client.aiohttp_adapter import RequestProgress, close_idle
from tui.client.connection_status import describe_silence
from tui.client.decode import BadFrame, Reader, check_bounds, refuse_repeats, wants_cleaning
from tui.client.failover import FailoverSelector, Tier
from tui.client.rate_limiter import RateLimiter
from tui.client.settings import Service, Timings
from tui.client.signer import ClockOff, Signer
from tui.client.skew import Skew
from tui.crossdesk_error import CrossdeskError
from tui.interface import errors, signing, text
from tui.interface.endpoint import Endpoint, Permission, RateLimit, Shape
from tui.interface.envelope import MAX_FRAME, Answer, Spellings
from tui.interface.errors import ErrorClass
from tui.interface.families.orders import ORDER_DETAIL, OrderRecord
from tui.interface.families.system import SYSTEM_STATUS
from tui.interface.paging import BOTH_NAMES, MAX_PAGE_SIZE, Page, page_query
from tui.interface.signing import V1_FAMILIES
from tui.protocols import Clock, RandomSource

ATTEMPTS = 4
"""Most attempts of a read."""
WAITS = (2.0, 4.0, 8.0)
"""Seconds between attempts of a read after a rate refusal; half of them after other failures."""
FORM_REFUSED = frozenset([2000, *range(400000, 400008), 400009])
"""Codes for a signature or parameters not found where the service looked: they prove that nothing was carried out."""
JUDGED = frozenset([ErrorClass.STATE, ErrorClass.LOOK, ErrorClass.GONE])
"""Refusals that prove that the service read the parameters."""
MOST_PAGES = 1000
"""Pages of a list after which reading ends, whatever the service says of its size."""
BANNED = 418
"""HTTP status with which the service refuses an address."""
BAN_S = 10.0
"""Pause after our address was refused without a stated duration, s."""

_ORDER_QUERIES = "order detail"
"""Key of our own limit for queries of single orders."""
_ANSWER: Reader[Answer] = Reader(Answer)
_ANYTHING: Reader[Any] = Reader(Any)


class CallFailed(CrossdeskError):
    """Error for a call without a result, so that a failure is never mistaken for an empty list.

    Attributes:
        kind: Class of the failure.
        code: Code of the service; 0 when there is none.
        unsure: Whether it was a command with an unknown outcome.
    """

    title = "Call failed"

    def __init__(
        self, kind: ErrorClass, text: str, *, code: int = 0, http: int = 0, unsure: bool = False, wait: float = 0.0
    ) -> None:
        super().__init__(text)
        self.kind = kind
        self.code = code
        self.http = http
        self.unsure = unsure
        self.wait = wait
        """Seconds the service asked to wait; 0 when it did not."""
        self.nonce = 0
        """Second for which the call was signed; 0: not signed."""


class IdleConnectionLost(CallFailed):
    """Error for a read on an idle connection that the service had closed; no part of a response arrived."""

    title = "Connection was closed while idle"


class Reply(msgspec.Struct, frozen=True):
    """Successful response of a call."""

    code: int
    text: str
    data: Any
    """Record, list of records, `Page`, object keyed by symbol, or plain values for endpoints without a record."""
    http: int


class _HttpAnswer(NamedTuple):
    """HTTP response before decoding."""

    status: int
    raw: bytes
    retry_after: str
    date: str
    """Header `Date`; empty where a cache answered."""


@lru_cache(maxsize=256)
def _reader(record: type | None, shape: Shape, *, listed: bool) -> Reader[Any]:
    if record is None or shape in (Shape.EMPTY, Shape.UNSPECIFIED):
        return _ANYTHING
    if shape is Shape.MAP:
        return Reader(dict[str, record])  # type: ignore[valid-type]
    if shape is Shape.LISTS:
        return Reader(dict[str, list[record]])  # type: ignore[valid-type]
    if shape is Shape.PAGE and not listed:
        return Reader(Page[record])  # type: ignore[valid-type]
    # Some services answer the close of one position as a list of one.
    if shape is Shape.OBJECT and not listed:
        return Reader(record)
    return Reader(list[record])  # type: ignore[valid-type]


class Rest:
    """REST client of one API key on one service."""

    def __init__(
        self,
        service: Service,
        *,
        failover: FailoverSelector,
        session: aiohttp.ClientSession,
        signer: Signer | None,
        rate_limiter: RateLimiter,
        clock: Clock,
        random_source: RandomSource,
        timings: Timings,
    ) -> None:
        self._service = service
        self._path_words, self._value_words = Spellings(service.path_words), Spellings(service.value_words)
        self._failover = failover
        self._session = session
        self._signer = signer
        self._rate_limiter = rate_limiter
        self._clock = clock
        self._random_source = random_source.stream("rest")
        self._timings = timings
        self._timeout = _timeout(timings, timings.read_timeout)
        self._archive_timeout = _timeout(timings, timings.archive_timeout)
        self.skew: Skew | None = None
        """Measure of the clock difference, by the `Date` of answers."""
        self._signed: dict[tuple[str, tuple[tuple[str, str], ...], int], None] = {}
        """Commands signed in the present second."""
        self._banned_until = 0.0
        """Monotonic end of the pause after our address was refused, s."""
        self._delete_params = service.delete_params
        """Place where this service reads the parameters of a DELETE, as far as known."""
        self.last_answer = 0.0
        """Monotonic time of the last answer of any kind, s."""
        self.round_trip_ms: float | None = None
        self.last_error = ""
        """Reason of the last failed call, or empty."""

    async def call(
        self,
        endpoint: Endpoint,
        params: Mapping[str, str] | None = None,
        *,
        reserved: bool = False,
        attempts: int = ATTEMPTS,
        late: Callable[[], None] | None = None,
    ) -> Reply:
        """Call one endpoint; reads are retried within the rate limits, commands never.

        Args:
            endpoint: Endpoint of the catalogue.
            params: Its parameters, all texts; empty ones are left out.
            reserved: Whether to use the share of the limit kept for cancels and queries.
            attempts: Most attempts of a read.
            late: Called once an attempt has waited for its answer for `reply_timeout`; the answer is still awaited.

        Raises:
            CallFailed: There is no result.
        """
        values = self._check_call(endpoint, params or {})
        for attempt in range(attempts):
            await self._wait_turn(endpoint, reserved=reserved)
            asked = self._clock.mono()
            try:
                with self._tell_late(late):
                    reply = await self._ask(endpoint, values, reserved=reserved)
            except CallFailed as failure:
                # A lost request says nothing about the present when a later one was answered.
                if failure.http or self.last_answer <= asked:
                    self.last_error = f"{endpoint.name}: {failure}"
                wait = self._retry_in(endpoint, failure, attempt)
                if wait is None or attempt + 1 == attempts:
                    raise
                await asyncio.sleep(wait)
            else:
                self.last_error = ""
                return reply
        raise CallFailed(ErrorClass.UNSURE, "no attempt was made")

    @contextmanager
    def _tell_late(self, late: Callable[[], None] | None) -> Iterator[None]:
        """Call `late` if the block runs longer than the reply timeout; the block goes on."""
        if late is None:
            yield
            return
        timer = asyncio.get_running_loop().call_later(self._timings.reply_timeout, late)
        try:
            yield
        finally:
            timer.cancel()

    async def _ask(self, endpoint: Endpoint, values: dict[str, str], *, reserved: bool) -> Reply:
        """Make one attempt; a read that failed on a stale idle connection is sent again on a new one."""
        if endpoint.method == "DELETE":
            return await self._delete(endpoint, values)
        try:
            return await self._request(endpoint, values)
        except IdleConnectionLost:
            await self._wait_turn(endpoint, reserved=reserved)
            return await self._request(endpoint, values)

    def _check_call(self, endpoint: Endpoint, params: Mapping[str, str]) -> dict[str, str]:
        """Return the parameters; raise for an endpoint that was removed, or that needs an API key when there is none."""
        if endpoint.removed:
            hint = f"; use {endpoint.replacement}" if endpoint.replacement else ""
            raise CallFailed(ErrorClass.BUG, f"{endpoint.name} was removed{hint}")
        if self._signer is None and endpoint.permission is not Permission.NONE:
            raise CallFailed(ErrorClass.CRED, "no key: this call must be signed")
        return _parameters(endpoint, params)

    def wait_for_limit_s(self, endpoint: Endpoint) -> float:
        """Return the seconds until the rate limit allows a call of this endpoint."""
        return self._rate_limiter.delay(endpoint.key, endpoint.limit, reserved=endpoint.is_command)

    async def probe(self, tier: Tier) -> bool:
        """Send one read to a failover tier, without retry; return whether it answered, even with an error code."""
        if self._clock.mono() < self._banned_until:
            return False
        try:
            await self._request(SYSTEM_STATUS, {}, tier)
        except CallFailed as failure:
            return bool(failure.code)
        return True

    async def read_all_pages(
        self, endpoint: Endpoint, params: Mapping[str, str] | None = None, *, reserved: bool = False
    ) -> tuple[list[Any], bool]:
        """Read all pages of an endpoint; return the rows and whether the list was stable while it was read.

        Raises:
            CallFailed: A page could not be read; no rows are returned then.
        """
        rows: list[Any] = []
        total: str | None = None
        steady = True
        page = 1
        while True:
            query = {**(params or {}), **page_query(page, MAX_PAGE_SIZE)}
            data = (await self.call(endpoint, query, reserved=reserved)).data
            if not isinstance(data, Page):
                return list(data), True
            if total is not None and str(data.total_size) != total:
                steady = False
            total = str(data.total_size)
            rows.extend(data.rows)
            if data.is_last(page) or page >= MOST_PAGES:
                return rows, steady and len(rows) >= int(total)
            page += 1

    def must_wait(self, endpoint: Endpoint) -> bool:
        """Return whether a read would wait now although it may use the share of the limit kept for cancels and queries."""
        return self._rate_limiter.delay(endpoint.key, endpoint.limit, reserved=True) > 0

    async def _wait_turn(self, endpoint: Endpoint, *, reserved: bool) -> None:
        reserved = reserved or endpoint.is_command
        while True:
            delay = self._rate_limiter.delay(endpoint.key, endpoint.limit, reserved=reserved)
            if endpoint is ORDER_DETAIL:
                limit = RateLimit(self._timings.order_detail_rate, 1)
                delay = max(delay, self._rate_limiter.delay(_ORDER_QUERIES, limit, reserved=True))
            delay = max(delay, self._banned_until - self._clock.mono())
            if delay <= 0:
                break
            if endpoint.is_command:
                raise CallFailed(
                    ErrorClass.RATE, f"rate limit {endpoint.limit} is used up; next call possible in {delay:.1f} s"
                )
            await asyncio.sleep(delay)
        self._rate_limiter.count(endpoint.key)
        if endpoint is ORDER_DETAIL:
            self._rate_limiter.count(_ORDER_QUERIES)

    def _retry_in(self, endpoint: Endpoint, failure: CallFailed, attempt: int) -> float | None:
        if failure.http == BANNED:
            self._banned_until = max(self._banned_until, self._clock.mono() + failure.wait)
        if endpoint.is_command:
            return None
        wait = WAITS[min(attempt, len(WAITS) - 1)]
        if failure.kind is ErrorClass.RATE:
            wait = max(wait, failure.wait)
            self._rate_limiter.block(endpoint.key, wait)
            return wait
        if failure.kind in (ErrorClass.UNSURE, ErrorClass.WAIT):
            return wait / 2 * self._random_source.uniform(0.5, 1.0)
        if failure.kind is ErrorClass.CLOCK and failure.code and attempt == 0:
            return 1.0
        return None

    async def _delete(self, endpoint: Endpoint, values: dict[str, str]) -> Reply:
        """Send a DELETE with parameters in the body, or in the query if the body is rejected; remember which form works.

        The second attempt does not repeat a command: the refusal proves that the first one did nothing.
        """
        if self._delete_params != "auto":
            return await self._request(endpoint, values, in_query=self._delete_params == "query")
        try:
            reply = await self._request(endpoint, values)
        except CallFailed as refused:
            if refused.code not in FORM_REFUSED or refused.unsure or not values:
                self._delete_params = "body" if refused.kind in JUDGED else "auto"
                raise
            return await self._delete_in_query(endpoint, values, refused)
        self._delete_params = "body"
        return reply

    async def _delete_in_query(self, endpoint: Endpoint, values: dict[str, str], refused: CallFailed) -> Reply:
        self._rate_limiter.count(endpoint.key)
        try:
            reply = await self._request(endpoint, values, in_query=True)
        except CallFailed as failure:
            if failure.code in FORM_REFUSED:
                raise refused from failure
            self._delete_params = "query" if failure.kind in JUDGED else "auto"
            raise
        self._delete_params = "query"
        return reply

    async def _wait_for_unique_second(self, endpoint: Endpoint, values: dict[str, str]) -> None:
        """Wait for the next second when an equal command was signed in this one, as an equal signature would be a replay."""
        signed = (endpoint.key, tuple(sorted(values.items())), int(self._clock.wall()))
        if signed in self._signed:
            await asyncio.sleep(1 - self._clock.wall() % 1)
            await self._wait_for_unique_second(endpoint, values)
            return
        self._signed = {entry: None for entry in self._signed if entry[2] == signed[2]} | {signed: None}

    async def _request(
        self, endpoint: Endpoint, values: dict[str, str], tier: Tier | None = None, *, in_query: bool = False
    ) -> Reply:
        write = endpoint.method != "GET" and not in_query
        values = self._value_words.translate_values(values) if self._service.value_words else values
        url = (tier or self._failover.current).rest_url.rstrip("/") + self._path_words.translate_path(endpoint.path)
        body = msgspec.json.encode(values) if write else None
        if not write and values:
            url += "?" + urlencode(values)
        if endpoint.is_command:
            await self._wait_for_unique_second(endpoint, values)
        if self._uses_v1(endpoint):
            return await self._send_v1(endpoint, url, body, values)
        headers = self._sign(values)
        try:
            return await self._send(endpoint, url, body, headers)
        except CallFailed as failure:
            failure.nonce = int(headers.get("nonce", "0"))
            raise

    def _uses_v1(self, endpoint: Endpoint) -> bool:
        """Report whether a call uses V1 signing, which only a few endpoint families accept."""
        return self._service.auth == "v1" and endpoint.family in V1_FAMILIES and self._signer is not None

    async def _send_v1(self, endpoint: Endpoint, url: str, body: bytes | None, values: dict[str, str]) -> Reply:
        """Send a V1-signed call: key, time and signature go into the query, even when there is a body."""
        assert self._signer is not None
        second = int(self._clock.wall())
        try:
            query = urlencode(self._signer.v1_query(values, second))
        except ClockOff as error:
            raise CallFailed(ErrorClass.CLOCK, str(error)) from error
        url = f"{url}{'&' if '?' in url else '?'}{query}"
        try:
            return await self._send(endpoint, url, body, signing.plain_headers())
        except CallFailed as failure:
            failure.nonce = second
            raise

    def _sign(self, values: Mapping[str, str]) -> dict[str, str]:
        try:
            return self._signer.headers(values) if self._signer is not None else {}
        except ClockOff as error:
            raise CallFailed(ErrorClass.CLOCK, str(error)) from error

    async def _send(self, endpoint: Endpoint, url: str, body: bytes | None, headers: dict[str, str]) -> Reply:
        """Send one request, decode its response, and measure the clock difference to the service."""
        asked, asked_boot = self._clock.mono(), self._clock.boot()
        answer = await self._fetch(endpoint, url, body, headers)
        self.last_answer = self._clock.mono()
        self.round_trip_ms = (self.last_answer - asked) * 1000
        try:
            reply = self._read_answer(endpoint, answer.status, answer.raw, _parse_seconds(answer.retry_after))
        except CallFailed as failure:
            if failure.code:
                self._measure_skew(asked_boot, answer.date)
            raise
        self._measure_skew(asked_boot, answer.date)
        return reply

    async def _fetch(self, endpoint: Endpoint, url: str, body: bytes | None, headers: dict[str, str]) -> _HttpAnswer:
        """Send one request and return its whole response undecoded."""
        timeout = self._archive_timeout if "/archive/" in endpoint.path else self._timeout
        progress = RequestProgress()
        try:
            async with self._session.request(
                endpoint.method,
                _encode_url(url),
                data=body,
                headers=headers,
                timeout=timeout,
                allow_redirects=False,
                trace_request_ctx=progress,
            ) as response:
                progress.answered = True
                raw = self._value_words.neutral_body(await _read_bounded(response.content))
                date = "" if "Age" in response.headers else response.headers.get("Date", "")
                return _HttpAnswer(response.status, raw, response.headers.get("Retry-After", ""), date)
        except (aiohttp.ClientConnectorError, aiohttp.ConnectionTimeoutError) as error:
            raise CallFailed(ErrorClass.UNSURE, f"cannot connect ({describe_silence(error)})") from error
        except (aiohttp.ClientError, TimeoutError, OSError, BadFrame, ValueError) as error:
            raise self._describe_lost(endpoint, progress, error) from error

    def close_idle(self) -> None:
        """Close idle connections: the failure that ended another connection may have cut them unnoticed."""
        close_idle(self._session)

    def _describe_lost(self, endpoint: Endpoint, progress: RequestProgress, error: BaseException) -> CallFailed:
        """Build the error of a request without a complete response; `IdleConnectionLost` if a GET can be sent again."""
        text = f"no answer ({describe_silence(error)})"
        if progress.was_closed_while_idle(error):
            close_idle(self._session)  # the other idle connections are as old
            if endpoint.method == "GET":
                return IdleConnectionLost(ErrorClass.UNSURE, text)
        return CallFailed(ErrorClass.UNSURE, text, unsure=endpoint.is_command)

    def _measure_skew(self, asked_boot: float, date: str) -> None:
        """Measure the clock difference by a response of the service itself; error pages of proxies do not count."""
        if self.skew is not None:
            self.skew.add_date(asked_boot, date)

    def _read_answer(self, endpoint: Endpoint, http: int, raw: bytes, wait: float) -> Reply:
        write = endpoint.is_command
        try:
            check_bounds(raw)
            if endpoint.record is OrderRecord or write:
                refuse_repeats(raw)
            clean = wants_cleaning(raw)
            answer = _ANSWER.parse(raw, clean=False)
        except BadFrame as bad:
            bare = self._read_without_envelope(endpoint, http, raw)
            if bare is not None:
                return bare
            raise _failure_without_envelope(http, write=write, wait=wait) from bad
        code, said = answer.number, text.clean(answer.text) if clean else answer.text
        if not errors.is_success(code):
            row = errors.lookup(code)
            kind = row.for_write if write else row.read
            unsure = write and (kind in (ErrorClass.UNSURE, ErrorClass.WAIT) or http >= 500)
            message = errors.describe_code(code, said)
            raise CallFailed(kind, message, code=code, http=http, unsure=unsure, wait=wait)
        if http >= 500:
            raise CallFailed(
                ErrorClass.UNSURE, f"contradictory answer: HTTP {http} with code {code}", http=http, unsure=write
            )
        try:
            data = _read_data(endpoint, answer.data, clean=clean)
        except BadFrame as bad:
            raise CallFailed(ErrorClass.UNSURE, f"unreadable data ({bad})", code=code, http=http, unsure=write) from bad
        return Reply(code, said, data, http)

    def _read_without_envelope(self, endpoint: Endpoint, http: int, raw: bytes) -> Reply | None:
        """Read a response without the usual envelope; None for an error, or if the endpoint must have one."""
        if http != 200 or endpoint.success is not None:
            return None
        try:
            return Reply(0, "", _ANYTHING.read(raw), http)
        except BadFrame:
            return None


def _parameters(endpoint: Endpoint, params: Mapping[str, str]) -> dict[str, str]:
    """Return the parameters to send, without empty values; a parameter with two names is sent under both."""
    values = {key: value for key, value in params.items() if value != ""}
    other_names = BOTH_NAMES.get(endpoint.name, {})
    return values | {other: values[name] for name, other in other_names.items() if name in values}


def _timeout(timings: Timings, read: float) -> aiohttp.ClientTimeout:
    return aiohttp.ClientTimeout(
        total=timings.connect_timeout + read,
        connect=timings.connect_timeout,
        sock_connect=timings.connect_timeout,
        sock_read=read,
        ceil_threshold=math.inf,
    )


def _read_data(endpoint: Endpoint, raw: msgspec.Raw, *, clean: bool) -> Any:
    listed = bytes(memoryview(raw)[:16]).lstrip()[:1] == b"["
    return _reader(endpoint.record, endpoint.shape, listed=listed).parse(raw, clean=clean)


def _failure_without_envelope(http: int, *, write: bool, wait: float) -> CallFailed:
    if http == BANNED:
        wait = wait or BAN_S
        text = f"HTTP {BANNED}: the service bans this IP address; no requests for {wait:g} s"
        return CallFailed(ErrorClass.RATE, text, http=http, unsure=write, wait=wait)
    if write:
        return CallFailed(ErrorClass.UNSURE, f"HTTP {http} without a readable answer", http=http, unsure=True)
    if http == 429:
        return CallFailed(ErrorClass.RATE, "429 Rate limit", http=http, wait=wait)
    if http in (404, 405):
        return CallFailed(ErrorClass.BUG, f"HTTP {http}: endpoint not offered here", http=http)
    if 300 <= http < 400:
        return CallFailed(ErrorClass.BUG, f"HTTP {http}: redirects are not followed", http=http)
    if 400 <= http < 500:
        return CallFailed(ErrorClass.BUG, f"HTTP {http} without a readable answer", http=http)
    return CallFailed(ErrorClass.UNSURE, f"HTTP {http} without a readable answer", http=http)


async def _read_bounded(content: aiohttp.StreamReader) -> bytes:
    parts: list[bytes] = []
    size = 0
    async for part in content.iter_any():
        size += len(part)
        if size > MAX_FRAME:
            raise BadFrame("larger than 8 MiB")
        parts.append(part)
    return b"".join(parts)


def _encode_url(url: str) -> URL:
    return URL(url, encoded=True)


def _parse_seconds(header: str) -> float:
    return float(header) if header.isascii() and header.isdigit() and len(header) < 6 else 0.0
