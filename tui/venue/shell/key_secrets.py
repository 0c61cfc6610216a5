"""Secrets of the API keys created for portfolios: computed when needed, never stored.

A signature is checked with the secret itself, so a digest of it would not do. The secret of a key is an HMAC of its
access key under the master secret of the venue: the state of the venue holds no secret, and the state without the
master secret, a private file beside it, cannot sign anything.
"""

from __future__ import annotations

import hashlib
import hmac

from tui.interface.families.portfolios import ApiKeyRecord, NewApiKey

_PURPOSE = b"api key secret of "


class KeySecrets:
    """Secrets of API keys, computed from their access keys."""

    def __init__(self, master: str) -> None:
        self._master = master.encode()

    def secret_of(self, access_key: str) -> str:
        """Compute the secret of an API key, 48 hexadecimal characters (192 bits)."""
        return hmac.new(self._master, _PURPOSE + access_key.encode(), hashlib.sha256).hexdigest()[:48]

    def show_once(self, key: ApiKeyRecord) -> NewApiKey:
        """Build the response for a new API key, the only one with its secret."""
        return NewApiKey(
            portfolio_id=key.portfolio_id,
            api_name=key.api_name,
            access_key=key.access_key,
            secret_key=self.secret_of(key.access_key),
            status=key.status,
            ip=key.ip,
            permission=key.permission,
            created_at=key.created_at,
            updated_at=key.updated_at,
        )
