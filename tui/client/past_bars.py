"""Old price bars of the paper venue, which alone offers them."""

from __future__ import annotations

import aiohttp
import msgspec

from tui.crossdesk_error import CrossdeskError, error_text
from tui.interface.envelope import MAX_FRAME
from tui.interface.families.market import Interval, KlineRow
from tui.interface.ready import MOST_BARS


class BarsUnreadable(CrossdeskError):
    """Error for old bars that could not be read; the chart then begins with newly pushed bars."""

    title = "No old bars"


class _Bars(msgspec.Struct):
    """Response with bars, oldest first."""

    data: list[KlineRow]


_DECODER = msgspec.json.Decoder(_Bars)


async def read_past_bars(
    session: aiohttp.ClientSession, url: str, sym: str, interval: Interval, *, end: int, most: int, patience_s: float
) -> list[KlineRow]:
    """Read the newest bars that open before a time, oldest first.

    Raises:
        BarsUnreadable: There is no answer, or none with bars.
    """
    query = {
        "sym": sym,
        "interval": interval.value,
        "limit": str(min(most, MOST_BARS)),
        **({"end": str(end)} if end else {}),
    }
    limit = aiohttp.ClientTimeout(total=patience_s)
    try:
        async with session.get(url, params=query, timeout=limit, allow_redirects=False) as response:
            body = await response.content.read(MAX_FRAME)
            while chunk := await response.content.read(MAX_FRAME - len(body)):
                body += chunk
        if response.status != 200:
            raise BarsUnreadable(f"status {response.status}")
        return _DECODER.decode(body).data
    except (aiohttp.ClientError, OSError, TimeoutError, msgspec.MsgspecError) as error:
        raise BarsUnreadable(error_text(error)) from error
