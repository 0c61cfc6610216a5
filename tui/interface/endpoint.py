"""What a row of the catalogue says about one REST endpoint. Client, venue, rate limiter and command line all read rows."""

from __future__ import annotations

import re
from enum import StrEnum
from typing import TypedDict, Unpack

import msgspec

_CAPITAL = re.compile(r"[A-Z]")


class Permission(StrEnum):
    """Rights of an API key."""

    READ = "READ"
    TRADE = "TRADE"
    TRANSFER = "TRANSFER"
    WITHDRAW = "WITHDRAW"
    NONE = "none"


class Scope(StrEnum):
    """Which level of key may call an endpoint."""

    MAIN = "main"
    SUB = "sub"
    USER = "user"


MAIN_AND_SUB = (Scope.MAIN, Scope.SUB)
EVERY_LEVEL = (Scope.MAIN, Scope.SUB, Scope.USER)


CLIENT_ORDER_ID = "clientOrderId"
"""Parameter by which the service knows a command again."""
ORDER_ID = "orderId"
"""Parameter by which the service names an order."""


class Shape(StrEnum):
    """What stands in `data` of a successful answer."""

    OBJECT = "object"
    ARRAY = "array"
    PAGE = "page"
    MAP = "object keyed by symbol"
    LISTS = "object of arrays keyed by symbol"
    EMPTY = "empty object"
    UNSPECIFIED = "not specified yet"


class Kind(StrEnum):
    """How a parameter is written."""

    TEXT = "text"
    WORD = "word"
    DECIMAL = "decimal"
    WHOLE = "whole number"
    MILLIS = "time in ms"
    MOMENT = "time in s or ms"
    FLAG = "true or false"
    SYM = "symbol"
    VENUE = "venue"
    ID = "id"


class RateLimit(msgspec.Struct, frozen=True):
    """`count` calls in any `seconds`, per API key."""

    count: int
    seconds: int

    def __str__(self) -> str:
        return f"{self.count}/{self.seconds} s"


class Param(msgspec.Struct, frozen=True, kw_only=True):
    """One request parameter."""

    name: str
    kind: Kind = Kind.TEXT
    required: bool = False
    words: tuple[str, ...] = ()
    """Accepted words, where the set is closed."""
    wrong: int = 400000
    """Code of the refusal when the value is not of this kind."""
    aliases: tuple[str, ...] = ()
    """Older names that are read as well."""

    @property
    def field(self) -> str:
        """The name in our own spelling: `clientOrderId` is `client_order_id`."""
        return _CAPITAL.sub(lambda found: "_" + found.group().lower(), self.name)


class Endpoint(msgspec.Struct, frozen=True, kw_only=True):
    """One row: nobody writes a path, a limit or a success code a second time."""

    name: str
    """`family.verb`, as typed after `crossdesk call`."""
    method: str
    path: str
    family: str
    permission: Permission
    scopes: tuple[Scope, ...]
    success: int | None
    """Success code the service prints; None for an answer without envelope."""
    limit: RateLimit
    paged: bool = False
    asynchronous: bool = False
    """True: the answer only says accepted; the outcome comes by push or query."""
    removed: str = ""
    """When it was removed, or empty while it is offered."""
    replacement: str = ""
    """`METHOD path` of what to use instead."""
    purpose: str = ""
    params: tuple[Param, ...] = ()
    record: type | None = None
    shape: Shape = Shape.UNSPECIFIED

    @property
    def is_command(self) -> bool:
        """True for what changes something: never repeated by itself."""
        return self.method != "GET" and self.permission is not Permission.READ

    @property
    def takes_client_id(self) -> bool:
        """Whether the service knows a command by an id that whoever sends it chose."""
        return any(param.name == CLIENT_ORDER_ID for param in self.params)

    @property
    def key(self) -> str:
        """`METHOD path`, by which limits are counted."""
        return f"{self.method} {self.path}"


class RowFields(TypedDict, total=False):
    """What a row says beyond its name, call and purpose."""

    permission: Permission
    scopes: tuple[Scope, ...]
    success: int | None
    limit: RateLimit
    paged: bool
    asynchronous: bool
    removed: str
    replacement: str
    params: tuple[Param, ...]
    record: type | None
    shape: Shape


class Family:
    """What the rows of a family have in common; a row names only what differs."""

    def __init__(
        self, name: str, *, permission: Permission, scopes: tuple[Scope, ...], success: int | None, limit: RateLimit
    ) -> None:
        self._name = name
        self._common = RowFields(permission=permission, scopes=scopes, success=success, limit=limit)

    def row(self, name: str, call: str, purpose: str, **own: Unpack[RowFields]) -> Endpoint:
        """A row.

        Args:
            name: as typed after `crossdesk call`.
            call: `METHOD path`.
            purpose: what it is for, in a few words.
            own: what is not as in the rest of the family.
        """
        method, path = call.split(" ")
        common: RowFields = {**self._common, **own}
        return Endpoint(name=name, method=method, path=path, family=self._name, purpose=purpose, **common)
