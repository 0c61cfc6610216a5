"""Signing of REST calls and stream logins; the only module that uses the secret of an API key."""

from __future__ import annotations

import hmac
from collections.abc import Mapping
from typing import Any, NoReturn

from tui.client.skew import Skew
from tui.crossdesk_error import CrossdeskError
from tui.interface import signing, streams
from tui.protocols import Clock

CALL_TOLERANCE_MS = 55_000
"""Clock difference accepted for signed calls: 60 s at the service, less five for the way there."""
V1_TOLERANCE_MS = 1000 * signing.V1_WINDOW_S - 5_000
"""Clock difference accepted for version 1 calls: 5 minutes at the service, less five seconds for the way there."""
LOGIN_TOLERANCE_MS = 25_000
"""Clock difference accepted for stream logins: 30 s at the service, less five for the way there."""


class ClockOff(CrossdeskError):
    """Error for signing with a clock that differs by more than the service accepts."""

    title = "Clock differs too much"


class Secret:
    """Secret text that is never printed; only this package calls `reveal`."""

    __slots__ = ("_text",)

    def __init__(self, text: str) -> None:
        self._text = text

    def reveal(self) -> str:
        """Return the secret text itself."""
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
        raise TypeError("a secret cannot be copied or serialised")

    __reduce__ = __reduce_ex__ = __copy__ = __deepcopy__ = __getstate__ = _refuse


def short_key(key: str) -> str:
    """Shorten an access key for display: first and last four characters."""
    return f"{key[:4]}…{key[-4:]}" if len(key) > 8 else "****"


def clock_error(skew_ms: float | None, tolerance_ms: int) -> str:
    """Describe why this clock difference forbids signing; empty when it does not, or is not measured yet."""
    if skew_ms is None or abs(skew_ms) <= tolerance_ms:
        return ""
    seconds, most = abs(skew_ms) / 1000, tolerance_ms // 1000
    way = "ahead of" if skew_ms > 0 else "behind"
    return f"clock differs by {seconds:.0f} s ({way} the service); accepted up to {most} s, set this machine's clock"


class Signer:
    """Signer of the REST calls and stream logins of one API key."""

    def __init__(self, key: str, secret: Secret, clock: Clock) -> None:
        self.key = key
        self.skew: Skew | None = None
        """Clock difference, set by the stream that measures it."""
        self._secret = secret
        self._clock = clock

    def __repr__(self) -> str:
        return f"Signer({short_key(self.key)})"

    def headers(self, params: Mapping[str, str]) -> dict[str, str]:
        """Return the headers of a REST call, signed for the current second.

        Raises:
            ClockOff: The clock differs by more than the service tolerates.
        """
        self._check(CALL_TOLERANCE_MS)
        nonce = self._seconds()
        return signing.auth_headers(self.key, nonce, signing.sign_request(self._secret.reveal(), params, nonce))

    def v1_query(self, params: Mapping[str, str], second: int) -> dict[str, str]:
        """Return the query parameters that sign a V1 call for a Unix second.

        Raises:
            ClockOff: The clock differs by more than the service tolerates.
        """
        self._check(V1_TOLERANCE_MS)
        carried = {"apiKey": self.key, "timestamp": signing.v1_timestamp(second)}
        return carried | {"sign": signing.sign_v1(self._secret.reveal(), {**params, **carried})}

    def login_args(self, *, private: bool, only_trade: bool = False) -> dict[str, object]:
        """Return the arguments of a stream login, signed for the current second; `only_trade` turns pushes off.

        Raises:
            ClockOff: The clock differs by more than the service tolerates.
        """
        self.check_login()
        stamp = self._seconds()
        signature = signing.sign_login(self._secret.reveal(), stamp)
        return streams.login_args(self.key, stamp, signature, private=private, only_trade=only_trade)

    def check_login(self) -> None:
        """Check that the clock difference allows a login to be signed now.

        Raises:
            ClockOff: The clock differs by more than the service tolerates.
        """
        self._check(LOGIN_TOLERANCE_MS)

    def _check(self, tolerance_ms: int) -> None:
        reason = clock_error(None if self.skew is None else self.skew.ms, tolerance_ms)
        if reason:
            raise ClockOff(reason)

    def _seconds(self) -> str:
        return str(int(self._clock.wall()))
