"""Old price bars over REST: what is answered, what is refused, and that no key is asked for."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any

import pytest

from tests.venue.shell.inside import Inside
from tui.interface.ready import BARS_PATH, MOST_BARS

SYM = "BINANCE_PERP_BTC_USDT"


@pytest.fixture
async def inside() -> AsyncIterator[Inside]:
    venue = Inside()
    await venue.open()
    yield venue
    await venue.close()


async def ask(inside: Inside, query: str) -> tuple[int, Any]:
    async with inside.http.get(f"http://127.0.0.1:{inside.port}{BARS_PATH}?{query}") as response:
        return response.status, await response.json()


async def test_bars_are_answered_without_a_key_newest_last(inside: Inside) -> None:
    for interval, length in (("1m", 60_000), ("1H", 3_600_000)):
        status, answer = await ask(inside, f"sym={SYM}&interval={interval}&limit=100")
        assert (status, answer["code"]) == (200, 200000)
        starts = [int(row[0]) for row in answer["data"]]
        assert len(starts) in (99, 100) and starts == sorted(starts)
        assert all(len(row) == 6 for row in answer["data"])
        assert inside.runtime.now_ms() - starts[-1] < 2 * length


async def test_bars_before_a_time_end_right_before_that_time(inside: Inside) -> None:
    _, newest = await ask(inside, f"sym={SYM}&interval=1m&limit=50")
    first = int(newest["data"][0][0])
    _, older = await ask(inside, f"sym={SYM}&interval=1m&limit=50&end={first}")
    assert int(older["data"][-1][0]) == first - 60_000 and len(older["data"]) == 50
    _, between = await ask(inside, f"sym={SYM}&interval=1m&begin={first - 120_000}&end={first}")
    assert [int(row[0]) for row in between["data"]] == [first - 120_000, first - 60_000]


async def test_number_of_bars_in_an_answer_is_limited(inside: Inside) -> None:
    _, answer = await ask(inside, f"sym={SYM}&interval=1m&limit=999999")
    assert MOST_BARS - 1 <= len(answer["data"]) <= MOST_BARS


@pytest.mark.parametrize(
    ("query", "words"),
    [
        ("interval=1m", "sym ''"),
        (f"sym={SYM}", "interval ''"),
        (f"sym={SYM}&interval=3m", "1m or 1H"),
        ("sym=BINANCE_PERP_XXX_USDT&interval=1m", "no pair"),
        (f"sym={SYM}&interval=1m&limit=-1", "limit"),
        (f"sym={SYM}&interval=1m&end=soon", "end"),
    ],
)
async def test_error_of_a_wrong_bars_query_names_the_parameter(inside: Inside, query: str, words: str) -> None:
    status, answer = await ask(inside, query)
    assert (status, answer["code"]) == (400, 400000) and words in answer["message"]


async def test_ready_line_of_the_venue_names_the_address_of_the_bars(inside: Inside) -> None:
    line = inside.server.ready_line(1, "http://127.0.0.1:1", "ws://127.0.0.1:1")
    assert line.bars_url == f"http://127.0.0.1:1{BARS_PATH}"
