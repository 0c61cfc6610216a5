"""Rows of the catalogue asked by a real engine of a real venue: the values that reach the screen, of the still market."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest

from tests.client.fakes import until
from tests.engine.conftest import Screen
from tests.engine.on_sockets import Life
from tests.venue.shell.conftest import STILL, Venue
from tui.engine.rows import Table
from tui.engine.service_query import ListRead, ReadState, query_endpoint

PERP = "BINANCE_PERP_BTC_USDT"


@pytest.fixture(scope="module")
def venue() -> Iterator[Venue]:
    found = Venue(*STILL, "--set", "rate_profile=off")
    yield found
    found.stop()


async def ask(venue: Venue, home: Path, name: str, params: dict[str, str], key: str = "main") -> ListRead:
    """What the screen is told of one row."""
    life = Life(venue, home, key=key)
    screen = Screen(life.engine.updates)

    def answer() -> ListRead | None:
        found = screen.look().tables.get(Table.ANSWERS, {}).get("asked")
        return found if isinstance(found, ListRead) and not found.under_way else None

    await life.in_step()
    life.engine.read(query_endpoint("asked", name, tuple(params.items()), to_end=True))
    await until(lambda: answer() is not None, 20)
    await life.end()
    found = answer()
    assert found is not None and found.state is ReadState.WHOLE, found
    return found


@pytest.mark.parametrize(
    ("name", "params", "key", "values"),
    [
        ("mark_price", {"sym": PERP}, "main", {"sym": PERP, "markPrice": "61777.2"}),
        (
            "symbols", {"exchangeType": "BINANCE", "businessType": "PERP"}, "main",
            {"sym": PERP, "exchangeType": "BINANCE", "base": "BTC", "quote": "USDT", "state": "live"},
        ),
        (
            "sub_fee_rate", {"exchange": "BINANCE", "instType": "PERP"}, "sub",
            {"exchange": "BINANCE", "instType": "PERP", "taker": "0.0005", "markupRebateRatio": "0.0000"},
        ),
    ],
    ids=["mark_price", "symbols", "sub_fee_rate"],
)  # fmt: skip
async def test_list_rows_have_the_values_of_the_venue(
    venue: Venue, tmp_path: Path, name: str, params: dict[str, str], key: str, values: dict[str, str]
) -> None:
    rows: list[dict[str, Any]] = [
        msgspec.to_builtins(row) for row in (await ask(venue, tmp_path, name, params, key)).rows
    ]
    found = [row for row in rows if row.items() >= values.items()]
    assert len(found) == 1, rows


async def test_assets_of_all_portfolios_are_grouped_by_portfolio(venue: Venue, tmp_path: Path) -> None:
    ids = {one["name"]: one["portfolioId"] for one in venue.ready["keys"]}
    data = msgspec.to_builtins((await ask(venue, tmp_path, "user_assets", {})).data)
    assert set(data) == {ids["main"], ids["sub"]}
    held = {(row["exchangeType"], row["coin"]): row["balance"] for row in data[ids["main"]]}
    assert held[("BINANCE", "USDT")] == "100000" and held[("BINANCE", "BTC")] == "1"
