"""The one place where the secret of a key is used."""

from __future__ import annotations

import hmac
from collections.abc import Mapping
from typing import Any, NoReturn

from tui.client.skew import Skew
from tui.crossdesk_error import CrossdeskError
from tui.interface import signing, streams
from tui.protocols import Clock

CALL_TOLERANCE_MS = 55_000
"""Signed calls are accepted up to 60 s off; five less for the way there."""
V1_TOLERANCE_MS = 1000 * signing.V1_WINDOW_S - 5_000
"""Calls of the first generation are accepted up to 5 minutes off; five seconds less for the way there."""
LOGIN_TOLERANCE_MS = 25_000
"""Stream logins are accepted up to 30 s off; five less for the way there."""


class ClockOff(CrossdeskError):
    """Nothing is signed: the clock is further off than the service accepts."""

    title = "Clock off"


class Secret:
    """A text that no output shows. Only this room calls `reveal`."""

    __slots__ = ("_text",)

    def __init__(self, text: str) -> None:
        self._text = text

    def reveal(self) -> str:
        """The text itself."""
        return self._text

    def __repr__(self) -> str:
        return "***"

    def __str__(self) -> str:
        return "***"

    def __format__(self, spec: str) -> str:
        return "***"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Secret) and hmac.compare_digest(self._text.encode(), other._text.encode())

    def __hash__(self) -> int:
        return hash(Secret)

    def _refuse(self, *_: Any) -> NoReturn:
        raise TypeError("a secret is neither copied nor written")

    __reduce__ = __reduce_ex__ = __copy__ = __deepcopy__ = __getstate__ = _refuse


def short_key(key: str) -> str:
    """An access key as it may be shown: first and last four characters."""
    return f"{key[:4]}…{key[-4:]}" if len(key) > 8 else "****"


def clock_error(skew_ms: float | None, tolerance_ms: int) -> str:
    """Why nothing may be signed with a clock this far off, or empty; a clock not measured yet is trusted."""
    if skew_ms is None or abs(skew_ms) <= tolerance_ms:
        return ""
    seconds, most = abs(skew_ms) / 1000, tolerance_ms // 1000
    way = "ahead" if skew_ms > 0 else "behind"
    return f"clock differs by {seconds:.0f} s ({way} of the service); accepted up to {most} s, set this machine's clock"


class Signer:
    """Signs calls and logins of one key."""

    def __init__(self, key: str, secret: Secret, clock: Clock) -> None:
        self.key = key
        self.skew: Skew | None = None
        """Set by the stream that measures it; nothing is signed with a clock that is known to be wrong."""
        self._secret = secret
        self._clock = clock

    def __repr__(self) -> str:
        return f"Signer({short_key(self.key)})"

    def headers(self, params: Mapping[str, str]) -> dict[str, str]:
        """Headers of a REST call with these parameters, signed for this second.

        Raises:
            ClockOff: our clock is further off than the service tolerates.
        """
        self._check(CALL_TOLERANCE_MS)
        nonce = self._seconds()
        return signing.auth_headers(self.key, nonce, signing.sign_request(self._secret.reveal(), params, nonce))

    def v1_query(self, params: Mapping[str, str], second: int) -> dict[str, str]:
        """What a call of the first generation adds to its query, signed for a Unix second.

        Raises:
            ClockOff: our clock is further off than the service tolerates.
        """
        self._check(V1_TOLERANCE_MS)
        carried = {"apiKey": self.key, "timestamp": signing.v1_timestamp(second)}
        return carried | {"sign": signing.sign_v1(self._secret.reveal(), {**params, **carried})}

    def login_args(self, *, private: bool, only_trade: bool = False) -> dict[str, object]:
        """Arguments of a stream login, signed for this second; `only_trade`: nothing is to be pushed.

        Raises:
            ClockOff: our clock is further off than the service tolerates.
        """
        self.check_login()
        stamp = self._seconds()
        signature = signing.sign_login(self._secret.reveal(), stamp)
        return streams.login_args(self.key, stamp, signature, private=private, only_trade=only_trade)

    def check_login(self) -> None:
        """Whether a login could be signed now.

        Raises:
            ClockOff: our clock is further off than the service tolerates.
        """
        self._check(LOGIN_TOLERANCE_MS)

    def _check(self, tolerance_ms: int) -> None:
        reason = clock_error(None if self.skew is None else self.skew.ms, tolerance_ms)
        if reason:
            raise ClockOff(reason)

    def _seconds(self) -> str:
        return str(int(self._clock.wall()))
