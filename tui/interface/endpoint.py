"""Endpoint definitions, one per REST endpoint, used by client, venue, rate limiter and command line."""

from __future__ import annotations

from enum import StrEnum
from typing import TypedDict, Unpack

import msgspec

from tui.interface.request import CLIENT_ORDER_ID, Param, Request, params_of


class Permission(StrEnum):
    """Permission of an API key that an endpoint requires."""

    READ = "READ"
    TRADE = "TRADE"
    TRANSFER = "TRANSFER"
    WITHDRAW = "WITHDRAW"
    NONE = "none"


class Scope(StrEnum):
    """Level of API key that may call an endpoint."""

    MAIN = "main"
    SUB = "sub"
    USER = "user"


MAIN_AND_SUB = (Scope.MAIN, Scope.SUB)
EVERY_LEVEL = (Scope.MAIN, Scope.SUB, Scope.USER)


class Shape(StrEnum):
    """JSON structure of `data` in a success response."""

    OBJECT = "object"
    ARRAY = "array"
    PAGE = "page"
    MAP = "object keyed by symbol"
    LISTS = "object of arrays keyed by symbol"
    EMPTY = "empty object"
    UNSPECIFIED = "not specified yet"


class RateLimit(msgspec.Struct, frozen=True):
    """Rate limit: at most `count` calls in any `seconds`, per API key."""

    count: int
    seconds: int

    def __str__(self) -> str:
        return f"{self.count}/{self.seconds} s"


class Endpoint(msgspec.Struct, frozen=True, kw_only=True):
    """Definition of a REST endpoint; the only place for its path, rate limit and success code."""

    name: str
    """`family.verb`, as typed after `crossdesk call`."""
    method: str
    path: str
    family: str
    permission: Permission
    scopes: tuple[Scope, ...]
    success: int | None
    """Success code that the service prints; None for an answer without envelope."""
    limit: RateLimit
    paged: bool = False
    asynchronous: bool = False
    """Whether the answer only says accepted; the outcome comes by push or query."""
    removed: str = ""
    """When it was removed; empty while it is offered."""
    replacement: str = ""
    """`METHOD path` to use instead."""
    purpose: str = ""
    request: type[Request] = Request
    """Model of the request; the bare class when nothing is sent."""
    record: type | None = None
    shape: Shape = Shape.UNSPECIFIED

    @property
    def params(self) -> tuple[Param, ...]:
        """Parameters of the endpoint's request."""
        return params_of(self.request)

    @property
    def is_command(self) -> bool:
        """Whether the call changes something; such a call is never retried automatically."""
        return self.method != "GET" and self.permission is not Permission.READ

    @property
    def takes_client_id(self) -> bool:
        """Whether the command has a client order id, by which the service recognises duplicates."""
        return any(param.name == CLIENT_ORDER_ID for param in self.params)

    @property
    def key(self) -> str:
        """`METHOD path`, the name under which calls count towards the rate limit."""
        return f"{self.method} {self.path}"


class RowFields(TypedDict, total=False):
    """Optional fields of an endpoint definition."""

    permission: Permission
    scopes: tuple[Scope, ...]
    success: int | None
    limit: RateLimit
    paged: bool
    asynchronous: bool
    removed: str
    replacement: str
    request: type[Request]
    record: type | None
    shape: Shape


class Family:
    """Endpoint family with the fields its endpoints share; an endpoint states only what differs."""

    def __init__(
        self, name: str, *, permission: Permission, scopes: tuple[Scope, ...], success: int | None, limit: RateLimit
    ) -> None:
        self._name = name
        self._common = RowFields(permission=permission, scopes=scopes, success=success, limit=limit)

    def row(self, name: str, call: str, purpose: str, **own: Unpack[RowFields]) -> Endpoint:
        """Build the definition of an endpoint of this family.

        Args:
            name: Name, as typed after `crossdesk call`.
            call: `METHOD path`.
            purpose: Purpose in a few words.
            own: Fields that differ from the rest of the family.
        """
        method, path = call.split(" ")
        common: RowFields = {**self._common, **own}
        return Endpoint(name=name, method=method, path=path, family=self._name, purpose=purpose, **common)
