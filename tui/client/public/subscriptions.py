"""Subscriptions of one public connection: pairs wanted, awaiting a reply, confirmed and rejected."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import suppress

import aiohttp

from tui.client.aiohttp_adapter import Socket
from tui.client.decode import Reader
from tui.client.public.frames import PublicHandler, channels_of
from tui.client.settings import Timings
from tui.interface import errors, streams
from tui.interface.envelope import PublicArg, parse_code
from tui.interface.families.market import Channel
from tui.interface.streams import PublicEvent
from tui.protocols import Clock

_ARGS: Reader[list[PublicArg]] = Reader(list[PublicArg])
_BATCH = 25
RETRY_S = 10.0
"""Seconds after which pairs that are not served are requested again."""


class PublicSubscriptions:
    """Subscriptions of one connection: sends them, reads the replies, reports pairs as confirmed or rejected."""

    def __init__(self, handler: PublicHandler, timings: Timings, clock: Clock) -> None:
        self.syms: dict[str, None] = {}
        """Wanted pairs."""
        self._handler = handler
        self._timings = timings
        self._clock = clock
        self._awaited: dict[str, float] = {}
        """Monotonic time of the request by pair, s."""
        self._refused: dict[str, float] = {}
        """Monotonic time of the refusal, or of the missing answer, by pair, s."""

    def begin(self) -> None:
        """Forget rejections, because a new connection subscribes to every pair again."""
        self._refused.clear()

    async def subscribe(self, socket: Socket, syms: Iterable[str]) -> None:
        """Send subscribe requests for pairs."""
        now = self._clock.mono()
        groups: dict[tuple[Channel, ...], list[str]] = {}
        for sym in syms:
            groups.setdefault(channels_of(sym), []).append(sym)
        for channels, group in groups.items():
            for start in range(0, len(group), _BATCH):
                batch = group[start : start + _BATCH]
                self._awaited.update(dict.fromkeys(batch, now))
                await _send(socket, streams.subscription_frame(batch, channels))

    async def unsubscribe(self, socket: Socket, syms: Iterable[str]) -> None:
        """Send unsubscribe requests for pairs."""
        for sym in syms:
            await _send(socket, streams.subscription_frame([sym], channels_of(sym), subscribe=False))

    async def retry_refused(self, socket: Socket) -> None:
        """Subscribe again to pairs that were rejected some time ago, as they may be trading now."""
        now = self._clock.mono()
        due = [sym for sym, since in self._refused.items() if now - since >= RETRY_S]
        for sym in due:
            del self._refused[sym]
        if due:
            await self.subscribe(socket, due)

    def forget(self, syms: Iterable[str]) -> None:
        """Remove pairs from the wanted subscriptions."""
        for sym in syms:
            self.syms.pop(sym, None)
            self._awaited.pop(sym, None)
            self._refused.pop(sym, None)

    def confirm(self, sym: str) -> None:
        """Count a pair's first quote as confirmation of its subscription."""
        if self._awaited and self._awaited.pop(sym, None) is not None:
            self._mark_served(sym)

    def expire(self, now: float) -> None:
        """Count subscriptions without a timely reply as rejected; `now` is monotonic, s."""
        late = [sym for sym, since in self._awaited.items() if now - since > self._timings.subscribe_deadline]
        for sym in late:
            del self._awaited[sym]
            self._mark_refused(sym, "no answer to the subscription")

    def take_reply(self, event: PublicEvent) -> None:
        """Read which pairs a subscription reply confirms and rejects."""
        code = -1 if event.code is None else parse_code(event.code)
        listed = _ARGS.parse(event.arg, clean=True) if bytes(event.arg)[:1] == b"[" else []
        refused = {arg.symbol: None for arg in event.invalid if arg.channel == Channel.BBO}
        if event.event == "error":
            refused.update({arg.symbol: None for arg in listed if arg.channel == Channel.BBO})
        else:
            for arg in listed:
                if arg.channel == Channel.BBO and arg.symbol in self.syms and arg.symbol not in refused:
                    self._awaited.pop(arg.symbol, None)
                    self._mark_served(arg.symbol)
        for sym in refused:
            if sym in self.syms:
                self._awaited.pop(sym, None)
                self._mark_refused(sym, errors.describe_code(code, event.msg or ""))

    def _mark_served(self, sym: str) -> None:
        self._refused.pop(sym, None)
        self._handler.on_subscription(sym, "", ok=True)

    def _mark_refused(self, sym: str, reason: str) -> None:
        self._refused[sym] = self._clock.mono()
        self._handler.on_subscription(sym, reason, ok=False)


async def _send(socket: Socket, frame: bytes) -> None:
    """Send a frame; errors are ignored, since the reader notices a lost connection."""
    with suppress(OSError, aiohttp.ClientError):
        await socket.send_str(frame.decode())
