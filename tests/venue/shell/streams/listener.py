"""A public connection as a program of a stranger would open it."""

from __future__ import annotations

import json
import zlib
from typing import Any

from websockets.sync.client import ClientConnection

PERP, SPOT = "BINANCE_PERP_BTC_USDT", "BINANCE_SPOT_BTC_USDT"


class Listener:
    """A public connection that reads whatever form the server sends."""

    def __init__(self, socket: ClientConnection) -> None:
        self._socket = socket
        self.binary = 0

    def frame(self) -> dict[str, Any]:
        data = self._socket.recv(timeout=10)
        if isinstance(data, bytes):
            self.binary += 1
            data = zlib.decompress(data, 31).decode()
        frame: dict[str, Any] = json.loads(data) if data != "pong" else {"bare": data}
        return frame

    def send(self, request: Any) -> None:
        self._socket.send(request if isinstance(request, str) else json.dumps(request))

    def reply(self, request: Any) -> dict[str, Any]:
        """Send, and read on until something that is no push."""
        self.send(request)
        while "data" in (frame := self.frame()):
            pass
        return frame

    def subscribe(self, *args: dict[str, Any], event: str = "subscribe") -> dict[str, Any]:
        return self.reply({"event": event, "arg": list(args)})
