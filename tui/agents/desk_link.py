"""Connection of the tools to the desk: opened with the first call, and again after the desk was gone."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

from tui.agents.answers import ToolRefused
from tui.desk_protocol.carrier import LinkClosed
from tui.desk_protocol.messages import ProtocolError
from tui.programs.async_desk import AsyncDesk
from tui.programs.desk_error import DeskError

SILENT_S = 3.0
"""Silence of the desk after which it has to give a sign of life before anything is told of it, s; it is else at most two."""
PROOF_S = 2.0
"""Longest wait for the sign of life, s."""


class DeskLink:
    """Connection to the desk, opened by the first tool call that needs it and reused by later calls."""

    def __init__(self, connect: Callable[[], AsyncDesk]) -> None:
        """Initialize the link; `connect` creates a desk connection object that is not open yet."""
        self._connect = connect
        self._desk: AsyncDesk | None = None
        self._opening = asyncio.Lock()
        self._proof: asyncio.Future[None] | None = None
        """Sign of life that was asked for last."""

    @asynccontextmanager
    async def desk(self) -> AsyncIterator[AsyncDesk]:
        """Provide the open desk connection for the block; if the desk refuses or has ended, refuse the tool call.

        Raises:
            ToolRefused: No desk answers, it stands still, or it refuses.
        """
        desk = await self._open()
        try:
            await self._check_heard(desk)
            yield desk
        except LinkClosed as closed:
            await self._drop(desk)
            raise ToolRefused(f"the desk has ended or does not answer: {closed}") from None
        except DeskError as error:
            raise _refuse(error) from None

    async def _check_heard(self, desk: AsyncDesk) -> None:
        """Check that the desk sent something recently or answers now; a stopped process does not close its connection.

        Raises:
            ToolRefused: It stands still; the link stays, and with it what was proposed.
            LinkClosed: It has ended meanwhile.
        """
        if desk.silent_s <= SILENT_S:
            return
        if self._proof is None or self._proof.done():
            self._proof = asyncio.ensure_future(desk.prove_alive())
            self._proof.add_done_callback(lambda done: done.cancelled() or done.exception())
        # This process may have stood still itself; then what the desk sent meanwhile is read before its answer.
        await asyncio.wait([self._proof], timeout=PROOF_S)
        if not desk.is_open:
            raise LinkClosed("the other side has ended")
        if (silent_s := desk.silent_s) > SILENT_S:
            raise ToolRefused(
                f"the desk does not answer: nothing was heard of it for {silent_s:.0f} s, and what is known of it is of"
                " before; nothing was done"
            )

    async def _open(self) -> AsyncDesk:
        async with self._opening:
            if self._desk is not None and not self._desk.is_open:
                await self._close()
            if self._desk is None:
                try:
                    self._desk = await self._connect().__aenter__()
                except ProtocolError as error:
                    start = "start crossdesk or crossdesk gateway; one that runs may stand still"
                    hint = start if isinstance(error, LinkClosed) else "nothing was done"
                    raise ToolRefused(f"{error}; {hint}") from None
            return self._desk

    async def _drop(self, desk: AsyncDesk) -> None:
        async with self._opening:
            if self._desk is desk:
                await self._close()

    async def _close(self) -> None:
        desk, self._desk = self._desk, None
        if desk is not None:
            await desk.__aexit__()

    async def close(self) -> None:
        """Close the connection to the desk, which withdraws the proposals that still wait for the trader."""
        async with self._opening:
            await self._close()


def _refuse(error: DeskError) -> ToolRefused:
    """Convert the desk's error to a refusal of the tool call; the service's text goes into `data`, apart from our words."""
    if not error.said:
        return ToolRefused(str(error))
    ours = str(error).removesuffix(error.said).removesuffix(": ")
    code = f" with code {error.code}; explain_error tells what it means" if error.code else ""
    return ToolRefused(f"{ours} was refused{code}", data={"code": error.code, "text": error.said})
