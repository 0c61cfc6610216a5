"""The one place where the secret of a key is used."""

from __future__ import annotations

import hmac
from collections.abc import Mapping
from typing import Any, NoReturn

from tui.interface import requests, signing, streams
from tui.seams import Clock


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


class Signer:
    """Signs calls and logins of one key."""

    def __init__(self, key: str, secret: Secret, clock: Clock) -> None:
        self.key = key
        self._secret = secret
        self._clock = clock

    def __repr__(self) -> str:
        return f"Signer({short_key(self.key)})"

    def headers(self, params: Mapping[str, str]) -> dict[str, str]:
        """Headers of a REST call with these parameters, signed for this second."""
        nonce = self._seconds()
        return requests.auth_headers(self.key, nonce, signing.sign_request(self._secret.reveal(), params, nonce))

    def login_args(self, *, private: bool) -> dict[str, object]:
        """Arguments of a stream login, signed for this second."""
        stamp = self._seconds()
        return streams.login_args(self.key, stamp, signing.sign_login(self._secret.reveal(), stamp), private=private)

    def _seconds(self) -> str:
        return str(int(self._clock.wall()))
