"""Wrong arguments: each is refused by its name and value, with what is accepted."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from crossdesk import AsyncDesk, DeskError
from tests.client.fakes import until
from tests.desk_protocol.desks import BTC, DeskOf, Program
from tests.programs.test_mandates import TERMS, denied, granted, maker
from tests.programs.test_python import program, proposer
from tui.desk_protocol.messages import OrderTerms

Call = Callable[[Any], Coroutine[Any, Any, object]]
UNKNOWN = "pair 'BINANCE_PERP_BTC_USD' is not known; did you mean BINANCE_PERP_BTC_USDT?"
WRONG: list[tuple[str, Call, str]] = [
    ("interval", lambda desk: desk.bars(BTC, "7m"), "bars: interval '7m' is not accepted; accepted are 1m, 3m, 5m"),
    ("interval_5", lambda desk: desk.bars(BTC, 5), "bars: interval 5 is not accepted; accepted are 1m, 3m, 5m"),
    ("pair", lambda desk: desk.book(5), "pair 5 is not known"),
    ("name", lambda desk: desk.call(5), "5 is not in the catalogue"),
    (
        "qty",
        lambda desk: desk.preview(OrderTerms(sym=BTC, side="BUY", qty=0.01)),  # type: ignore[arg-type]
        "preview: qty 0.01 is not accepted; it is a text, such as '0.01'",
    ),
    ("terms", lambda desk: desk.preview({"sym": BTC}), "is not accepted; it is OrderTerms(sym='BINANCE_PERP_BTC_USDT'"),
    (
        "preview_side",
        lambda desk: desk.preview(OrderTerms(sym=BTC, side="buy", qty="1")),  # type: ignore[arg-type]
        "preview: side 'buy' is not accepted; accepted are BUY, SELL",
    ),
    (
        "preview_post_only",
        lambda desk: desk.preview(OrderTerms(sym=BTC, side="BUY", qty="1", time_in_force="GTX")),
        "preview: time_in_force 'GTX' (post-only) needs a price",
    ),
    (
        "post_only_at_market",
        lambda desk: desk.propose("BUY", BTC, "0.01", time_in_force="GTX", reason="a"),
        "propose: time_in_force 'GTX' (post-only) needs a price",
    ),
    (
        "seconds",
        lambda desk: desk.propose("BUY", BTC, "0.01", reason="a", seconds="60"),
        "propose: seconds '60' is not accepted; it is a number from 1 to 600",
    ),
    (
        "side",
        lambda desk: desk.propose("buy", BTC, "0.01", reason="a"),
        "propose: side 'buy' is not accepted; accepted are BUY, SELL",
    ),
    (
        "place_side",
        lambda desk: desk.place("buy", BTC, "0.01", "60000"),
        "place: side 'buy' is not accepted; accepted are BUY, SELL",
    ),
    (
        "time_in_force",
        lambda desk: desk.place("BUY", BTC, "0.01", "60000", time_in_force="POST_ONLY"),
        "place: time_in_force 'POST_ONLY' is not accepted; accepted are FOK, GTC, GTX, IOC",
    ),
    (
        "reason",
        lambda desk: desk.propose_close(BTC, reason=""),
        "propose_close: reason '' is not accepted; it is a text of 1 to 200 characters",
    ),
    (
        "pace",
        lambda desk: desk.ask_mandate(BTC, **{**TERMS, "orders_per_minute": 601}),
        "ask_mandate: orders_per_minute 601 is not accepted; it is a whole number from 1 to 600",
    ),
    (
        "wait",
        lambda desk: desk.ask_mandate(BTC, **TERMS, wait="60"),
        "ask_mandate: wait '60' is not accepted; it is a number from 1 to 600",
    ),
    ("quotes", lambda desk: anext(desk.quotes()), "quotes: name at least one pair, such as 'BINANCE_PERP_BTC_USDT'"),
    ("quote", lambda desk: asyncio.to_thread(desk.quote, "BINANCE_PERP_BTC_USD"), UNKNOWN),
    ("quote_age", lambda desk: asyncio.to_thread(desk.quote_age, "BINANCE_PERP_BTC_USD"), UNKNOWN),
    ("book", lambda desk: desk.book("BINANCE_PERP_BTC_USD"), UNKNOWN),
]


@pytest.mark.parametrize(("call", "text"), [case[1:] for case in WRONG], ids=[case[0] for case in WRONG])
async def test_a_wrong_argument_of_a_program_call_is_explained(
    owner: DeskOf, tmp_path: Path, call: Call, text: str
) -> None:
    async with proposer(tmp_path) as desk:
        with pytest.raises(DeskError) as refused:
            async with asyncio.timeout(20):
                await call(desk)
        assert text in str(refused.value)


async def test_an_order_preview_of_a_program_accepts_decimals(owner: DeskOf, tmp_path: Path) -> None:
    async with proposer(tmp_path) as desk:
        terms: Any = OrderTerms(sym=BTC, side="BUY", qty=Decimal("0.01"), price=Decimal(61000))  # type: ignore[arg-type]
        assert (await desk.preview(terms)).value == Decimal("610.00")


@pytest.mark.parametrize(
    ("changes", "text"),
    [
        ({"side": "buy"}, "propose: side 'buy' is not accepted; accepted are BUY, SELL"),
        ({"qty": 0.01}, "propose: qty 0.01 is not accepted; it is a text, such as '0.01'"),
        ({"seconds": 0}, "propose: seconds 0 is not accepted; it is a number from 1 to 600"),
        ({"reduce_only": "yes"}, "propose: reduce_only 'yes' is not accepted; accepted are true and false"),
        ({"position_side": None}, "propose: position_side null is not accepted; accepted are LONG, NONE, SHORT"),
    ],
)
async def test_a_refused_propose_call_names_the_wrong_field(
    owner: DeskOf, tmp_path: Path, changes: dict[str, object], text: str
) -> None:
    bot = await Program.attach(tmp_path, "bot")
    refused = await bot.call("propose", {"sym": BTC, "side": "BUY", "qty": "0.01", "reason": "a", **changes})
    assert refused["text"] == text
    without = await bot.call("propose", {"sym": BTC, "side": "BUY", "reason": "a"})
    assert without["text"] == "propose: qty is missing"
    bot.close()


async def test_a_program_reads_none_before_the_first_quote_of_a_pair(owner: DeskOf, tmp_path: Path) -> None:
    async with program(tmp_path) as desk:
        unseen = next(sym for sym in desk.symbols if sym != BTC)
        assert desk.quote(unseen) is None and desk.quote_age(unseen) is None


async def test_an_order_after_a_mandate_says_how_the_mandate_ended(owner: DeskOf, tmp_path: Path) -> None:
    async with maker(tmp_path) as desk:
        number = (await granted(owner, desk, seconds=1)).number
        await until(lambda: desk.mandate is None, 10)
        why = f"mandate {number} of maker has ended: it has expired"
        denied(await desk.place("BUY", BTC, "0.01", "59902.1"), why)
    await until(lambda: owner.status().peers == (), 5)
    async with maker(tmp_path) as again:
        denied(await again.place("BUY", BTC, "0.01", "59902.1"), "maker has no mandate")


async def test_a_mandate_request_without_an_answer_expires(owner: DeskOf, tmp_path: Path) -> None:
    async with maker(tmp_path) as desk:
        with pytest.raises(DeskError, match=r"^no mandate: the request has expired$"):
            await ask_briefly(desk)
    await until(lambda: any("of maker: the request has expired: buy" in text for text in owner.texts()), 5)


async def ask_briefly(desk: AsyncDesk) -> None:
    await desk.ask_mandate(BTC, **TERMS, wait=1)
