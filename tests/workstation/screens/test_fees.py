"""Fees by keyboard: rates and groups, portfolios, settlements, tiers, and the form of an add-point."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import msgspec
import pytest

from tests.workstation.driver import Desk, desk
from tests.workstation.screens import fee_answers as fees
from tests.workstation.screens.test_loans import form
from tui.engine.rows import Table
from tui.engine.service_query import ListRead, ReadState, ServiceQuery
from tui.interface.families.portfolios import PortfolioRecord
from tui.workstation.features.fees import tabs
from tui.workstation.features.fees.tabs import describe_rate
from tui.workstation.input.scopes import Scope

NOW = 1_700_000_000_000
SUB = "2171869303220001"
LISTED = (
    PortfolioRecord(portfolio_id=2171869303220000, name="MainPortfolio", belonging_to=0, create_at=NOW, update_at=NOW),
    PortfolioRecord(portfolio_id=2171869303220001, name="Second", belonging_to=2, create_at=NOW, update_at=NOW),
)


def _portfolios(params: Mapping[str, str], now_ms: int) -> object:
    del params, now_ms
    return LISTED


async def answer(at: Desk) -> None:
    """Everything that was asked is answered as in the pictures."""
    gives: dict[str, Callable[[Mapping[str, str], int], object]] = {
        "user_fee_rate": fees.own, "sub_fee_rate": fees.own,
        "broker_fee_rate": fees.of_portfolios, "collection_records": fees.collections_of,
        "clearing_statement": fees.cleared, "broker_position_brackets": fees.tiers,
        "broker_deposits": fees.deposits, "broker_withdrawals": fees.withdrawals, "portfolios": _portfolios,
    }  # fmt: skip
    for query in [one for one in at.port.read_requests if isinstance(one, ServiceQuery)]:
        found = gives[query.sources[0].endpoint](dict(query.sources[0].params), NOW)
        rows = found if isinstance(found, tuple) else ()
        data = None if isinstance(found, tuple) else found
        shown = ListRead(query=query, state=ReadState.WHOLE, rows=rows, data=data, total=len(rows))
        at.port.put(Table.ANSWERS, query.key, shown)
    await at.settle()


async def opened(at: Desk) -> None:
    await at.press("$")
    await answer(at)


def asked(at: Desk, endpoint: str) -> list[dict[str, str]]:
    found = [one for one in at.port.read_requests if isinstance(one, ServiceQuery)]
    return [dict(one.sources[0].params) for one in found if one.sources[0].endpoint == endpoint]


async def test_fees_screen_shows_own_rates_by_group() -> None:
    async with desk(160, 45) as at:
        await opened(at)
        lines = at.text().split("\n")
        group = next(line for line in lines if "altcoins" in line)
        assert "6bp" in group and "1bp" in group and "DOGE" in group and "SOL" in group
        base = next(line for line in lines if "perp" in line and "all others" in line and "BINANCE" in line)
        assert "5bp" in base and "-0.5bp" in base and "2024-01-01" in base


async def test_fee_rates_are_queried_per_portfolio_and_shown_by_name() -> None:
    async with desk(160, 45) as at:
        await opened(at)
        await at.press(")")
        await answer(at)
        assert asked(at, "broker_fee_rate")[-1] == {"portfolios": f"2171869303220000,{SUB}"}
        await answer(at)
        line = next(line for line in at.text().split("\n") if "Second" in line)
        assert "6.5bp" in line and "0.2500" in line


async def test_fees_screen_queries_the_rates_of_its_portfolio() -> None:
    async with desk(160, 45) as at:
        await opened(at)
        assert asked(at, "user_fee_rate") == [{"portfolio": "7001"}]


async def test_fee_rates_are_read_for_the_first_20_portfolios_only() -> None:
    many = tuple(msgspec.structs.replace(LISTED[0], portfolio_id=2171869303220000 + one) for one in range(21))
    async with desk(160, 45) as at:
        await opened(at)
        await at.press(")")
        listing = next(
            one for one in at.port.read_requests if isinstance(one, ServiceQuery) and one.key == tabs.PORTFOLIOS.key
        )
        at.port.put(Table.ANSWERS, listing.key, ListRead(query=listing, state=ReadState.WHOLE, rows=many, total=21))
        await at.settle()
        names = asked(at, "broker_fee_rate")[-1]["portfolios"].split(",")
        assert names == [str(one.portfolio_id) for one in many[:20]]
        query = [one for one in at.port.read_requests if isinstance(one, ServiceQuery)][-1]
        rows = fees.of_portfolios(dict(query.sources[0].params), NOW)
        assert isinstance(rows, tuple)
        at.port.put(Table.ANSWERS, query.key, ListRead(query=query, state=ReadState.WHOLE, rows=rows))
        await at.settle()
        assert "the first 20 of 21 portfolios" in at.text()


async def test_fees_screen_shows_settlements_and_tiers() -> None:
    async with desk(160, 45) as at:
        await opened(at)
        await at.press(")", ")")
        await answer(at)
        assert "1.236 USDT" in at.text() and "markup 1.24 USDT · rebate 0.31 USDT" in at.text()
        await at.press(")")
        await answer(at)
        assert "markup rebate" in at.text() and "0.309 USDT" in at.text()
        await at.press(")")
        await answer(at)
        assert "500,000.00" in at.text() and "0.5%" in at.text()


async def test_fees_screen_names_the_sub_portfolio_of_a_deposit() -> None:
    async with desk(160, 45) as at:
        await opened(at)
        await at.press(*[")"] * 6)
        await answer(at)
        assert asked(at, "broker_deposits") == [{}]
        line = next(line for line in at.text().split("\n") if "TRC20" in line)
        assert "Second" in line and "BINANCE" in line and "500.00 USDT" in line and "running" in line
        assert line.index("Second") < line.index("BINANCE") < line.index("500.00")
        assert "0.750000 BTC came in" in at.text()
        await at.press(")")
        await answer(at)
        line = next(line for line in at.text().split("\n") if "not approved" in line)
        assert "Second" in line and "OKX" in line and "cold wallet" in line and "rejected" in line
        assert "5,000.00 USDT left" in at.text()


async def test_a_fees_list_refused_to_a_sub_key_says_main_key_needed() -> None:
    async with desk(120, 36) as at:
        await at.press("$", *[")"] * 6)
        query = next(
            one
            for one in at.port.read_requests
            if isinstance(one, ServiceQuery) and "deposits" in one.sources[0].endpoint
        )
        refused = ListRead(query=query, state=ReadState.FAILED, code=100003, text="100003 Needs the main key: no")
        at.port.put(Table.ANSWERS, query.key, refused)
        await at.settle()
        assert "not read: 100003 Needs the main key" in at.text()


async def test_fee_markup_form_shows_rates_before_and_after() -> None:
    async with desk(160, 45) as at:
        await opened(at)
        await at.press("%")
        await answer(at)
        assert at.scope() is Scope.FORM and "‹ all sub portfolios ›" in at.text()
        await at.press(
            "right", "down", "down", "down", "down", *"1.5", "down", *"0.5", "down", *"0.25", "down", "enter"
        )
        assert "6.5bp" in form(at) and "0bp" in form(at)
        await at.press("enter")
        assert at.scope() is Scope.PROMPT
        await at.confirm()
        (command,) = at.sent_commands()
        assert (command.endpoint, dict(command.args)) == (
            "set_sub_fee_rate",
            {
                "portfolioId": SUB, "exchange": "BINANCE", "instType": "PERP", "chgType": "ABSOLUTE", "chgTaker": "1.5",
                "chgMaker": "0.5", "markupRebateRatio": "0.25",
            },
        )  # fmt: skip
        assert command.title == "fees of Second on BINANCE PERP: taker +1.5bp maker +0.5bp"


@pytest.mark.parametrize(
    ("way", "place", "typed", "words"),
    [
        (0, 4, "1.005", "accepted: at most 2 decimals"),
        (0, 5, "x", "write digits with at most one dot"),
        (1, 4, "1.5", "accepted: whole numbers"),
        (1, 5, "0.5", "accepted: whole numbers"),
        (0, 6, "2", "accepted: 0 to 1 with at most 4 decimals"),
        (0, 7, "tomorrow", "accepted: a day such as 20261122"),
    ],
)
async def test_invalid_fee_markup_is_rejected_beside_its_field(way: int, place: int, typed: str, words: str) -> None:
    async with desk(160, 45) as at:
        await opened(at)
        await at.press("%", "down", "down", "down", *["right"] * way, *["down"] * (place - 3), *typed, "enter")
        assert words in form(at) and at.sent_commands() == []


@pytest.mark.parametrize(
    ("rate", "words"), [("0.0005", "5bp"), ("-0.00005", "-0.5bp"), ("0", "0bp"), ("0.03", "300bp?"), ("", "–")]
)
def test_fee_rates_are_shown_in_basis_points(rate: str, words: str) -> None:
    assert describe_rate(rate) == words


async def test_a_sub_portfolio_key_reads_its_own_broker_fee_row() -> None:
    async with desk(160, 45) as at:
        await opened(at)
        await at.press(*[")"] * 5)
        assert asked(at, "sub_fee_rate")[-1].keys() == {"portfolio"}
        await answer(at)
        assert "fee schedules of this key and the main portfolio" in at.text() or "as a sub portfolio" in at.text()


@pytest.mark.parametrize("width", [60, 80, 100, 120, 160, 200])
async def test_fee_rows_of_several_portfolios_keep_the_portfolio_names(width: int) -> None:
    """At 80 columns the name was left out first, so that equal rows stood below each other."""
    async with desk(width, 24) as at:
        await opened(at)
        await at.press(")")
        await answer(at)
        await answer(at)
        rows = [line for line in at.text().split("\n") if " perp " in line and "5bp" in line]
        assert len(rows) == 2 and ["Second" in line for line in rows].count(True) == 1, rows
        assert all("MainPort" in line or "Second" in line for line in rows), rows


def test_pairs_of_a_fee_group_are_named_by_kind_and_other_venue() -> None:
    row = tabs.FeeRow(
        portfolio="1", exchange="OKX", kind="SPOT", group="majors", pairs=(), taker="0", maker="0", level="1",
        since="20240101", rebate_ratio="",
    )  # fmt: skip
    for pairs, shown in (
        (("OKX_SPOT_BTC_USDT", "OKX_SPOT_ETH_USDT", "OKX_MARGIN_BTC_USDT"), " spot BTC, ETH; margin BTC"),
        (("OKX_PERP_DOGE_USDT", "OKX_PERP_SOL_USDC"), " DOGE, SOL/USDC"),
        (("OKX_PERP_DOGE_USDT", "EDX_PERP_DOGE_USDT"), " DOGE, EDX DOGE"),
    ):
        assert tabs.name_pairs(msgspec.structs.replace(row, pairs=pairs))[0] == shown


async def test_an_empty_fees_list_does_not_repeat_its_time_window() -> None:
    async with desk(160, 45) as at:
        await opened(at)
        for tab in range(6):
            for query in [one for one in at.port.read_requests if isinstance(one, ServiceQuery)]:
                empty = ListRead(query=query, state=ReadState.WHOLE, rows=(), total=0)
                at.port.put(Table.ANSWERS, query.key, empty)
            await at.settle()
            assert at.text().count("90 days") <= 2, (tab, at.text())
            assert "in 90 days: 90 days" not in at.text()
            await at.press(")")
