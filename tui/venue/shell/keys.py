"""API keys, and the checks of a signed request in documented order."""

from __future__ import annotations

import ipaddress
from collections.abc import Iterable, Mapping
from typing import NamedTuple

import msgspec

from tui.interface import signing
from tui.interface.endpoint import Endpoint, Permission, Scope
from tui.interface.envelope import LoginArgs
from tui.interface.families.portfolios import KeyStatus
from tui.venue.core.queries import Queries
from tui.venue.shell.faults import Faults
from tui.venue.shell.key_secrets import KeySecrets

AUTH_HEADERS = ("X-MBX-APIKEY", "nonce", "signature")


class Key(NamedTuple):
    """API key of the venue; `level` is main, sub or subuser, as in the ready line."""

    name: str
    level: str
    portfolio: str
    permissions: tuple[str, ...]
    api_key: str
    api_secret: str
    frozen: bool = False
    addresses: tuple[str, ...] = ()
    """Accepted source addresses; empty accepts any."""

    @property
    def scope(self) -> Scope:
        return {"main": Scope.MAIN, "sub": Scope.SUB}.get(self.level, Scope.USER)

    def may(self, permission: Permission) -> bool:
        return permission is Permission.NONE or permission.value in self.permissions

    def accepts(self, address: str) -> bool:
        """Report whether the API key may be used from an IP address."""
        return not self.addresses or normalise_address(address) in self.addresses


class ErrorReply(NamedTuple):
    """Error response to a request or login."""

    code: int
    message: str


def normalise_address(address: str) -> str:
    """Normalise an IP address to the form stored in key lists; an IPv6-mapped IPv4 address becomes IPv4."""
    try:
        parsed = ipaddress.ip_address(address.partition("%")[0])
    except ValueError:
        return address
    mapped = parsed.ipv4_mapped if isinstance(parsed, ipaddress.IPv6Address) else None
    return str(mapped or parsed)


class Keyring:
    """API keys created at the venue's start, and those created later for portfolios."""

    def __init__(self, keys: Iterable[Key], queries: Queries, secrets: KeySecrets, faults: Faults) -> None:
        self._keys = {key.api_key: key for key in keys}
        self._queries = queries
        self._secrets = secrets
        self._faults = faults

    def knows(self, api_key: str) -> bool:
        """Report whether an API key exists, also when it is revoked or frozen."""
        return api_key in self._keys or api_key in self._queries.api_keys

    def find_older(self, api_key: str) -> Key | None:
        """Find a key for V1 authentication in its current state; only keys created at the venue's start support V1."""
        return self.find(api_key) if api_key in self._keys else None

    def _find_created_key(self, access_key: str) -> Key | None:
        """Find an API key created later for a portfolio."""
        record = self._queries.api_keys.get(access_key)
        if record is None:
            return None
        return Key(
            name=access_key,
            level=self._queries.portfolios[record.portfolio].level,
            portfolio=record.portfolio,
            permissions=record.permissions,
            api_key=access_key,
            api_secret=self._secrets.secret_of(access_key),
            frozen=record.status == KeyStatus.FROZEN,
            addresses=record.addresses,
        )

    def find(self, api_key: str) -> Key | None:
        """Find an API key in its current state; an injected fault may freeze, restrict or revoke it."""
        key = self._keys.get(api_key) or self._find_created_key(api_key)
        fault = self._faults.strikes("key_fault", key.name) if key is not None else None
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
        address: str,
        wall_s: float,
        unknown_key: int,
    ) -> Key | ErrorReply:
        """Run checks 3 to 11 of a signed request, from headers to permission; return the key or the first failure."""
        api_key, nonce, signature = (headers.get(name, "") for name in AUTH_HEADERS)
        if not (api_key and nonce and signature):
            missing = next(name for name in AUTH_HEADERS if not headers.get(name, ""))
            return ErrorReply(2000, f"API verification failed: the header {missing} is missing")
        key = self.find(api_key)
        if key is None:
            return ErrorReply(unknown_key, "The apiKey Not Found")
        if key.frozen:
            return ErrorReply(100041, "the apiKey is frozen")
        if not key.accepts(address):
            return ErrorReply(2001, f"address {address} is not on the list of the apiKey")
        if not (nonce.isascii() and nonce.isdigit() and len(nonce) == 10):
            return ErrorReply(7000, f"nonce {nonce[:20]!r} is not accepted; it must be whole seconds, 10 digits")
        off = int(nonce) - wall_s
        if abs(off) > signing.NONCE_WINDOW_S:
            return ErrorReply(
                7000, f"nonce is {off:+.0f} s off the server clock; accepted is within {signing.NONCE_WINDOW_S} s"
            )
        if not signing.signatures_match(signing.sign_request(key.api_secret, params, nonce), signature.lower()):
            message = signing.canonical(params, nonce)
            return ErrorReply(2000, f"API verification failed: the signature is wrong; it must sign {message[:120]!r}")
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
        address: str,
        wall_s: float,
        window_s: int,
        public: bool = False,
        unknown_key: int = 60009,
    ) -> Key | ErrorReply:
        """Check a stream login; a failure has code 60009, for an unknown key `unknown_key`, and a text with the reason.

        The public stream accepts keys of any level; a private stream needs a key with a portfolio.
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
        if not key.accepts(address):
            return ErrorReply(60009, f"Login failed. Address {address} is not on the list of the apiKey")
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
