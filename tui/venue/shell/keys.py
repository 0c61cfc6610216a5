"""API keys and the checks of a signed request, in their order."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import NamedTuple

import msgspec

from tui.interface import signing
from tui.interface.endpoint import Endpoint, Permission, Scope
from tui.interface.envelope import LoginArgs
from tui.venue.shell.faults import Faults


class Key(NamedTuple):
    """One key of the venue; levels are the words of the ready line."""

    name: str
    level: str
    portfolio: str
    permissions: tuple[str, ...]
    api_key: str
    api_secret: str
    frozen: bool = False

    @property
    def scope(self) -> Scope:
        return {"main": Scope.MAIN, "sub": Scope.SUB}.get(self.level, Scope.USER)

    def may(self, permission: Permission) -> bool:
        return permission is Permission.NONE or permission.value in self.permissions


class ErrorReply(NamedTuple):
    """Why a request or login is rejected."""

    code: int
    message: str


class Keyring:
    """The keys of one launch."""

    def __init__(self, keys: Iterable[Key], faults: Faults | None = None) -> None:
        self._keys = {key.api_key: key for key in keys}
        self._faults = faults

    def __iter__(self) -> Iterable[Key]:
        return iter(self._keys.values())

    def knows(self, api_key: str) -> bool:
        """Whether there is such a key, also a revoked or frozen one."""
        return api_key in self._keys

    def find(self, api_key: str) -> Key | None:
        """The key as it is now; a fault may have frozen, restricted or revoked it."""
        key = self._keys.get(api_key)
        fault = self._faults.strikes("key_fault", key.name) if key is not None and self._faults is not None else None
        if key is None or fault is None:
            return key
        match fault.kind:
            case "frozen":
                return key._replace(frozen=True)
            case "readonly":
                return key._replace(permissions=("READ",))
            case "scope":
                return key._replace(level="subuser")
            case _:
                return None

    def check(
        self,
        endpoint: Endpoint,
        headers: Mapping[str, str],
        params: Mapping[str, str],
        *,
        wall_s: float,
        unknown_key: int,
    ) -> Key | ErrorReply:
        """Checks 3 to 11 of a request: headers, key, nonce, signature, scope, permission. The first failure wins."""
        api_key, nonce, signature = (headers.get(name, "") for name in ("X-MBX-APIKEY", "nonce", "signature"))
        if not (api_key and nonce and signature):
            return ErrorReply(2000, "API verification failed")
        key = self.find(api_key)
        if key is None:
            return ErrorReply(unknown_key, "The apiKey Not Found")
        if key.frozen:
            return ErrorReply(100041, "the apiKey is frozen")
        if not (nonce.isascii() and nonce.isdigit() and len(nonce) == 10):
            return ErrorReply(7000, f"nonce {nonce[:20]!r} is not a 10-digit number of whole seconds")
        off = int(nonce) - wall_s
        if abs(off) > signing.NONCE_WINDOW_S:
            return ErrorReply(
                7000, f"nonce is {off:+.0f} s off the server clock; accepted is within {signing.NONCE_WINDOW_S} s"
            )
        if not signing.signatures_match(signing.sign_request(key.api_secret, params, nonce), signature.lower()):
            return ErrorReply(2000, "API verification failed")
        if key.scope not in endpoint.scopes:
            v2 = endpoint.family == "assets-v2" and key.scope is Scope.SUB
            return ErrorReply(2003 if v2 else 100003, "no access permission" if v2 else "invalid user type")
        if not key.may(endpoint.permission):
            return ErrorReply(2002, f"the key lacks the permission {endpoint.permission.value}")
        return key

    def login(
        self,
        args: Mapping[str, object],
        *,
        wall_s: float,
        window_s: int,
        public: bool = False,
        unknown_key: int = 60009,
    ) -> Key | ErrorReply:
        """Check the arguments of a stream login; every failure is 60009 with a text that names the reason.

        The public stream takes keys of any level; a private one needs a portfolio.
        """
        try:
            given = msgspec.convert(args, LoginArgs)
        except msgspec.ValidationError:
            return ErrorReply(60009, "Login failed. apiKey, timestamp and sign are needed as texts")
        api_key, timestamp, sign = given.api_key, given.timestamp, given.sign
        key = self.find(api_key)
        if key is None:
            return ErrorReply(unknown_key, "Login failed. The apiKey Not Found")
        if key.frozen:
            return ErrorReply(60009, "Login failed. The apiKey is frozen")
        if key.scope is Scope.USER and not public:
            return ErrorReply(60009, "Login failed. A sub-user key has no portfolio")
        seconds = timestamp[:-3] if len(timestamp) == 13 else timestamp
        if not (seconds.isascii() and seconds.isdigit() and len(seconds) == 10):
            return ErrorReply(60009, "Login failed. timestamp is not Unix seconds, 10 digits")
        off = int(seconds) - wall_s
        if abs(off) > window_s:
            return ErrorReply(60009, f"Login failed. timestamp is {off:+.0f} s off; accepted is within {window_s} s")
        if not signing.signatures_match(signing.sign_login(key.api_secret, timestamp), sign.lower()):
            return ErrorReply(60009, "Login failed. The signature is wrong")
        return key
