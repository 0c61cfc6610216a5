"""Rows of the catalogue, one per REST endpoint; client, venue, rate limiter and command line read them."""

from __future__ import annotations

from enum import StrEnum
from typing import TypedDict, Unpack

import msgspec

from tui.interface.request import CLIENT_ORDER_ID, Param, Request, params_of


class Permission(StrEnum):
    """Rights of an API key."""

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
    """Shape of `data` in a successful answer."""

    OBJECT = "object"
    ARRAY = "array"
    PAGE = "page"
    MAP = "object keyed by symbol"
    LISTS = "object of arrays keyed by symbol"
    EMPTY = "empty object"
    UNSPECIFIED = "not specified yet"


class RateLimit(msgspec.Struct, frozen=True):
    """Limit of `count` calls in any `seconds`, per API key."""

    count: int
    seconds: int

    def __str__(self) -> str:
        return f"{self.count}/{self.seconds} s"


class Endpoint(msgspec.Struct, frozen=True, kw_only=True):
    """Row of the catalogue; path, limit and success code of an endpoint are written only here."""

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
        """Parameters of the request."""
        return params_of(self.request)

    @property
    def is_command(self) -> bool:
        """Whether the call changes something; such a call is never repeated automatically."""
        return self.method != "GET" and self.permission is not Permission.READ

    @property
    def takes_client_id(self) -> bool:
        """Whether the service identifies the command by an id that the sender chose."""
        return any(param.name == CLIENT_ORDER_ID for param in self.params)

    @property
    def key(self) -> str:
        """`METHOD path`, under which calls are counted for the limit."""
        return f"{self.method} {self.path}"


class RowFields(TypedDict, total=False):
    """Fields of a row beyond its name, call and purpose."""

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
    """Common fields of a family's rows; a row names only the fields that differ."""

    def __init__(
        self, name: str, *, permission: Permission, scopes: tuple[Scope, ...], success: int | None, limit: RateLimit
    ) -> None:
        self._name = name
        self._common = RowFields(permission=permission, scopes=scopes, success=success, limit=limit)

    def row(self, name: str, call: str, purpose: str, **own: Unpack[RowFields]) -> Endpoint:
        """Build a row.

        Args:
            name: Name, as typed after `crossdesk call`.
            call: `METHOD path`.
            purpose: Purpose in a few words.
            own: Fields that differ from the rest of the family.
        """
        method, path = call.split(" ")
        common: RowFields = {**self._common, **own}
        return Endpoint(name=name, method=method, path=path, family=self._name, purpose=purpose, **common)
