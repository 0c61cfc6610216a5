"""REST router: runs the documented checks of every request in order, then its handler."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import Any
from urllib.parse import unquote_plus

import msgspec
from aiohttp import web

from tui.crossdesk_error import CrossdeskError, error_text
from tui.interface import catalogue, signing
from tui.interface.endpoint import Endpoint, Scope
from tui.interface.envelope import MAX_BODY
from tui.interface.errors import SUCCESS_SHORT
from tui.interface.families.portfolios import ApiKeyRecord, NewApiKey
from tui.interface.families.positions import Closing
from tui.interface.paging import Page
from tui.interface.request import CommandRequest, action_of
from tui.interface.text import clean, is_writable
from tui.venue.core.check_failed import CheckFailed
from tui.venue.core.commands import Rejected, Reply
from tui.venue.shell import actions, downtime, v1_auth
from tui.venue.shell.faults import distort_page
from tui.venue.shell.key_secrets import KeySecrets
from tui.venue.shell.keys import AUTH_HEADERS, ErrorReply, Key, Keyring
from tui.venue.shell.rate_limits import SlidingWindows, limit_for, retry_after
from tui.venue.shell.rest import handlers
from tui.venue.shell.rest.query import Query
from tui.venue.shell.rest.requests import check_params
from tui.venue.shell.runtime import Runtime
from tui.venue.shell.switches import spellings_of

_BARE = ("replace_algo", "cancel_algo")
"""Rows whose successful reply may have no envelope."""
_UNDOCUMENTED_NAMES = {"statement": ("page",), "executions": ("limit",)}
"""Parameters that the documents name pageNum and pageSize."""
_ASYNCHRONOUS = ("cancel_all", "close_position", "close_positions", "set_perp_leverage")
"""Rows whose success has the documented status 202: only accepted, the outcome follows."""
_encode = msgspec.json.Encoder(decimal_format="number").encode
"""Most records have figures as texts; a Decimal of a record is printed as a Number, with its exact text."""
BODY_S = 5.0
"""Time limit of reading a body, s; slower requests are cut."""


class RequestRejected(CrossdeskError):
    """Error for a rejected request; nothing was changed."""

    title = "Request rejected"

    def __init__(self, error: ErrorReply, *, status: int | None = None, retry: str = "") -> None:
        super().__init__(error.message)
        self.error, self.status, self.retry = error, status, retry


class Rest:
    """REST interface of the venue."""

    def __init__(self, runtime: Runtime, keyring: Keyring, secrets: KeySecrets, windows: SlidingWindows) -> None:
        self._runtime = runtime
        self._keyring = keyring
        self._secrets = secrets
        self._windows = windows
        self._faults = runtime.faults

    async def answer(self, request: web.Request) -> web.Response:
        """Answer a request that passed the server's own checks."""
        await asyncio.sleep(self._runtime.entry_delay())
        try:
            endpoint = self._endpoint(request)
            params = await self._params(request, endpoint)
            key = self._authenticate(request, endpoint, params)
            params = self._read_call(request, params)
            await self._check_reach(request, endpoint, params)
            fault = self._faults.strikes("rest_fault", endpoint.name)
            if fault is not None and fault.figure != "after":
                return _faulty_response(fault.kind)
            data = self._carry_out(endpoint, key, params)
            if fault is not None:
                return _faulty_response(fault.kind)
            data = self._shift_page(endpoint, data)
            await self._delay_reply(endpoint)
            bare = endpoint.success is None or (
                endpoint.name in _BARE and self._runtime.switches["algo_answer"] == "bare"
            )
            if bare:
                response = self._json(data)
            else:
                response = self._success(endpoint, data, is_v1=self._uses_v1(request))
        except RequestRejected as rejected:
            response = self._error_response(rejected)
        await asyncio.sleep(self._runtime.exit_delay())
        return response

    def _shift_page(self, endpoint: Endpoint, data: Any) -> Any:
        """Return the page, corrupted as if rows changed between page requests when the fault `page_fault` occurs."""
        fault = self._faults.strikes("page_fault", endpoint.name) if isinstance(data, Page) else None
        return (
            data
            if fault is None
            else msgspec.structs.replace(data, rows=distort_page(fault.kind, data.rows, data.page))
        )

    async def _delay_reply(self, endpoint: Endpoint) -> None:
        slow = self._faults.strikes("reply_delay", endpoint.name)
        if slow is not None:
            await asyncio.sleep(int(slow.figure) / 1000)

    def _endpoint(self, request: web.Request) -> Endpoint:
        path = spellings_of(self._runtime.switches["path_words"]).neutral_path(request.path)
        if path not in catalogue.PATHS:
            raise RequestRejected(ErrorReply(404, "Not found"), status=404)
        endpoint = catalogue.BY_KEY.get(f"{request.method} {path}")
        if endpoint is None:
            raise RequestRejected(ErrorReply(405, "Method not allowed"), status=405)
        if endpoint.removed and not self._serves_removed(endpoint):
            raise RequestRejected(ErrorReply(404, f"Removed, use {endpoint.replacement}"), status=404)
        if endpoint.name not in handlers.SERVED:
            raise RequestRejected(ErrorReply(404, "Not served yet"), status=404)
        return endpoint

    def _serves_removed(self, endpoint: Endpoint) -> bool:
        return self._runtime.switches["serve_removed"] == "true" and endpoint.name in handlers.SERVED

    async def _params(self, request: web.Request, endpoint: Endpoint) -> dict[str, str]:
        if endpoint.method == "GET":
            return _query(request)
        try:
            async with asyncio.timeout(BODY_S):
                body = await request.read()
        except TimeoutError:
            if request.transport is not None:
                request.transport.abort()
            raise RequestRejected(
                ErrorReply(400000, f"the body did not arrive within {BODY_S:g} s"), status=408
            ) from None
        except ConnectionResetError:
            # No client is left to answer, and nothing was carried out.
            raise RequestRejected(
                ErrorReply(400000, "the connection closed before the body was complete"), status=400
            ) from None
        except web.HTTPRequestEntityTooLarge:
            raise RequestRejected(ErrorReply(400000, f"the body is larger than {MAX_BODY} bytes"), status=400) from None
        except Exception as error:
            # The library raises many exceptions for a body that cannot be read; none is an error of the venue.
            why = f"the body cannot be read: {clean(error_text(error), 200)}"
            raise RequestRejected(ErrorReply(400000, why), status=400) from None
        if body.strip() and request.content_type != "application/json":
            raise RequestRejected(
                ErrorReply(400000, f"Content-Type {request.content_type[:40]!r} is not application/json"), status=400
            )
        try:
            values = signing.to_signed_text(body)
        except signing.BadBody as error:
            raise RequestRejected(ErrorReply(400000, str(error)), status=400) from None
        where = self._runtime.switches["delete_params"] if endpoint.method == "DELETE" else ""
        return values if where == "body_only" or (values and where != "query_only") else _query(request)

    async def _check_reach(self, request: web.Request, endpoint: Endpoint, params: Mapping[str, str]) -> None:
        """Reject a call that would affect more than intended, because a parameter it sent would be ignored."""
        request_of = endpoint.request
        if not issubclass(request_of, CommandRequest) or not request_of.wide_when_empty:
            return
        sent = {**dict.fromkeys(signing.list_null_names(await request.read())), **params}
        unread = actions.describe_unread(request_of, sent, ignored=_query(request).keys() - params.keys())
        if unread:
            raise RequestRejected(ErrorReply(400000, unread))

    def _uses_v1(self, request: web.Request) -> bool:
        """Report whether a request is signed with V1 while the venue accepts V1."""
        has_headers = any(name in request.headers for name in AUTH_HEADERS)
        return self._runtime.switches["v1"] == "on" and not has_headers and v1_auth.is_signed(_query(request))

    def _read_call(self, request: web.Request, params: Mapping[str, str]) -> dict[str, str]:
        """Return the call's own parameters, without those of a V1 signature, their values in standard spelling."""
        call_params = v1_auth.call_parameters(_query(request), params) if self._uses_v1(request) else params
        return spellings_of(self._runtime.switches["value_words"]).neutral_values(call_params)

    def _check_key(self, request: web.Request, endpoint: Endpoint, params: Mapping[str, str]) -> Key | ErrorReply:
        address, wall_s = request.remote or "", self._runtime.clock.wall()
        if self._uses_v1(request):
            return v1_auth.check(self._keyring, endpoint, _query(request), params, address=address, wall_s=wall_s)
        unknown = int(self._runtime.switches["unknown_key"])
        return self._keyring.check(
            endpoint, request.headers, params, address=address, wall_s=wall_s, unknown_key=unknown
        )

    def _authenticate(self, request: web.Request, endpoint: Endpoint, params: Mapping[str, str]) -> Key | None:
        if endpoint.permission == "none" and not any(name in request.headers for name in AUTH_HEADERS):
            return None
        key = self._check_key(request, endpoint, params)
        if isinstance(key, ErrorReply):
            raise RequestRejected(key)
        limit = limit_for(endpoint.key, endpoint.limit, key.level, self._runtime.switches["sub_limits"])
        wait = self._windows.acquire(key.api_key, endpoint.replacement or endpoint.key, limit)
        if wait > 0:
            refused = ErrorReply(100429, self._windows.refusal(endpoint.key, limit))
            raise RequestRejected(refused, status=429, retry=retry_after(wait))
        return key

    def _carry_out(self, endpoint: Endpoint, key: Key | None, params: Mapping[str, str]) -> Any:
        portfolio = "" if key is None or key.scope is Scope.USER else key.portfolio
        if issubclass(endpoint.request, CommandRequest):
            return self._execute(endpoint, endpoint.request, portfolio, params)
        checked = check_params(endpoint.request, self._drop_undocumented(endpoint, params))
        if isinstance(checked, ErrorReply):
            raise RequestRejected(checked)
        try:
            return handlers.QUERIES[endpoint.name](Query(self._runtime, portfolio, checked))
        except CheckFailed as failure:
            raise RequestRejected(ErrorReply(failure.code, failure.message)) from None

    def _execute(
        self, endpoint: Endpoint, request: type[CommandRequest], portfolio: str, params: Mapping[str, str]
    ) -> Any:
        command = actions.build_command(request, portfolio, params)
        if isinstance(command, ErrorReply):
            raise RequestRejected(command)
        paused = downtime.describe_pause(
            self._runtime.switches["maintenance"], action_of(request), self._runtime.now_ms()
        )
        if paused:
            raise RequestRejected(ErrorReply(400011, paused))
        replies: list[Reply] = []
        self._runtime.execute(command, replies.append)
        reply = replies[0]
        if isinstance(reply, Rejected):
            raise RequestRejected(ErrorReply(reply.code, reply.message))
        if endpoint.record is NewApiKey and isinstance(reply, ApiKeyRecord):
            return self._secrets.show_once(reply)
        as_list = isinstance(reply, Closing) and self._runtime.switches["close_answer"] == "array"
        return [reply] if as_list else reply

    def _drop_undocumented(self, endpoint: Endpoint, params: Mapping[str, str]) -> Mapping[str, str]:
        """Drop undocumented parameter names, when the switch `page_names` says so."""
        unknown = _UNDOCUMENTED_NAMES.get(endpoint.name)
        if unknown is None or self._runtime.switches["page_names"] != "documents":
            return params
        return {name: value for name, value in params.items() if name not in unknown}

    def _success(self, endpoint: Endpoint, data: Any, *, is_v1: bool) -> web.Response:
        """Build the success response; for a V1 request its code is always 200."""
        code = SUCCESS_SHORT if is_v1 else self._success_code(endpoint)
        documented = self._runtime.switches["http_status"] == "documented"
        status = 202 if documented and endpoint.name in _ASYNCHRONOUS else 200
        return self._envelope(code, "success" if code == 200 else "Success", data, status=status)

    def _success_code(self, endpoint: Endpoint) -> int:
        if self._runtime.switches["success_code"] == "documents" and endpoint.family != "assets-v2":
            return 200000
        return endpoint.success or 200000

    def _error_response(self, rejected: RequestRejected) -> web.Response:
        status = rejected.status
        if status is None:
            documented = self._runtime.switches["http_status"] == "documented"
            status = 200 if not documented else 500 if rejected.error.code in (500, 50001) else 400
        response = self._envelope(rejected.error.code, rejected.error.message[:200], {}, status=status)
        if rejected.retry:
            response.headers["Retry-After"] = rejected.retry
        return response

    def _envelope(self, code: int, message: str, data: Any, *, status: int = 200) -> web.Response:
        return self._json({"code": code, "message": message, "data": data}, status=status)

    def _json(self, answer: Any, *, status: int = 200) -> web.Response:
        """Build a JSON response with values translated to the deployment's spellings."""
        body = spellings_of(self._runtime.switches["value_words"]).translate_body(_encode(answer))
        return web.Response(body=body, status=status, content_type="application/json")


def _faulty_response(kind: str) -> web.Response:
    """Build the response of a REST fault: too many requests, a failing service, a proxy's page, or a contradiction."""
    body, status = b"", 200
    match kind:
        case "429" | "400013":
            code = 100429 if kind == "429" else 400013
            body = msgspec.json.encode({"code": code, "message": "Too many requests", "data": {}})
            status = 429 if kind == "429" else 200
        case "429bare" | "418":
            status = int(kind[:3])
        case "500" | "502" | "503":
            body, status = f"<html><h1>{kind}</h1></html>".encode(), int(kind)
        case "html":
            body = b"<html>signed out</html>"
        case "contradiction":
            body, status = msgspec.json.encode({"code": 200000, "message": "Success", "data": {}}), 500
    kind_of = "application/json" if body.startswith(b"{") else "text/html"
    headers = {"Retry-After": "1"} if status in (418, 429) else {}
    return web.Response(body=body, status=status, content_type=kind_of, headers=headers)


def _query(request: web.Request) -> dict[str, str]:
    nonce = request.headers.get("nonce", "")
    values: dict[str, str] = {}
    for item in request.rel_url.raw_query_string.split("&"):
        if not item or ("=" not in item and item == nonce):
            continue
        name, _, value = (unquote_plus(part) for part in item.partition("="))
        if name in values:
            raise RequestRejected(ErrorReply(400000, f"parameter {name[:40]!r} occurs twice"), status=400)
        if not (is_writable(name) and is_writable(value)):
            raise RequestRejected(ErrorReply(400000, "a parameter of the query is not UTF-8"), status=400)
        values[name] = value
    return values
