"""The line in which the history is asked, and the queries that it comes to."""

from __future__ import annotations

import pytest

from tui.engine.history import HistoryKind
from tui.workstation.features.history.asked import BadAsk, HistoryAsk, Window, parse

DAY = 86_400_000
NOW = 20_000 * DAY + 12_345_678
"""In the middle of 2024-10-04."""
TODAY = "2024-10-04"
SYMS = ("BINANCE_PERP_BTC_USDT", "BINANCE_SPOT_BTC_USDT", "OKX_PERP_BTC_USDT", "OKX_SPOT_ETH_USDT")


def ask(line: str) -> HistoryAsk:
    return parse(line, SYMS, TODAY)


@pytest.mark.parametrize(
    ("line", "wanted"),
    [
        ("", HistoryAsk()),
        ("today", HistoryAsk(window=Window.TODAY)),
        ("90D", HistoryAsk(window=Window.ARCHIVE)),
        ("2024-09-01..2024-09-30", HistoryAsk(window=Window.OWN, first_day="2024-09-01", last_day="2024-09-30")),
        ("2024-09-01..", HistoryAsk(window=Window.OWN, first_day="2024-09-01")),
        ("2024-09-01..2024-12-31", HistoryAsk(window=Window.OWN, first_day="2024-09-01")),
        ("sym:okx_perp", HistoryAsk(sym="OKX_PERP_BTC_USDT")),
        ("sym:okx_perp,eth,OKX_PERP", HistoryAsk(sym="OKX_PERP_BTC_USDT,OKX_SPOT_ETH_USDT")),
        ("venue:okx kind:perp only", HistoryAsk(exchange="OKX", business="PERP", executed=True)),
        ("type:funding_fee coin:usdt", HistoryAsk(statement_type="FUNDING_FEE", coin="USDT")),
        ("2000000000000007", HistoryAsk(order="2000000000000007")),
        ("7d my-order_1", HistoryAsk(order="my-order_1")),
    ],
)
def test_a_line_is_read_and_written_back(line: str, wanted: HistoryAsk) -> None:
    assert ask(line) == wanted
    assert ask(wanted.line()) == wanted


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("sym:btc", "sym:BTC fits 3 pairs: BINANCE_PERP_BTC_USDT"),
        ("sym:xrp", "no pair is called so"),
        ("sym:", "no pair is called so"),
        ("sym:eth,", "no pair is called so"),
        ("sym:" + ",".join(["eth"] * 6), "sym: takes at most 5 pairs, not 6"),
        ("venue:KRAKEN", "venue:KRAKEN is not accepted; it takes BINANCE, OKX"),
        ("kind:FUTURE", "kind:FUTURE is not accepted; it takes SPOT, MARGIN, PERP"),
        ("type:X", "type:X is not accepted; it takes FUNDING_FEE"),
        ("coin:", "coin: takes a coin"),
        ("pair:BTC", "'pair': is not accepted; it takes sym:"),
        ("2024-13-01..", "2024-13-01 is no day"),
        ("2024-05-01..", "more than 90 days ago: lists reach back to 2024-07-06"),
        ("2024-10-05..", "lies in the future"),
        ("2024-09-30..2024-09-01", "ends before it begins"),
        ("today 7d", "said twice"),
        ("one two", "said twice"),
        ("wh@t", "'wh@t' is not accepted; it takes today, 7d"),
    ],
)
def test_what_is_not_accepted_is_named_with_what_is(line: str, said: str) -> None:
    with pytest.raises(BadAsk) as refused:
        ask(line)
    assert said in str(refused.value)


@pytest.mark.parametrize(
    ("line", "kind", "begin", "end"),
    [
        ("today", HistoryKind.ORDERS, 20_000 * DAY, 0),
        ("7d", HistoryKind.CLOSED, NOW - 7 * DAY, 0),
        ("90d", HistoryKind.FILLS, NOW - 90 * DAY, NOW - 7 * DAY - 1),
        ("2024-09-01..2024-09-30", HistoryKind.STATEMENT, 19_967 * DAY, 19_997 * DAY - 1),
        ("2024-09-01..", HistoryKind.ORDERS, 19_967 * DAY, 0),
        ("today", HistoryKind.VOLUME, 19_993 * DAY, 20_000 * DAY - 1),
        ("7d", HistoryKind.VOLUME, 19_993 * DAY, 20_000 * DAY - 1),
        ("90d", HistoryKind.VOLUME, 19_910 * DAY, 19_993 * DAY - 1),
        ("today some-id", HistoryKind.ORDERS, NOW - 90 * DAY, 0),
    ],
)
def test_windows_become_times_of_the_service(line: str, kind: HistoryKind, begin: int, end: int) -> None:
    query = ask(line).query(kind, NOW)
    assert (query.begin_ms, query.end_ms) == (begin, end)


def test_each_list_takes_the_filters_that_it_has() -> None:
    asked = ask("sym:okx_perp venue:OKX kind:PERP type:DIVIDEND coin:ETH only")
    orders, fills, closed, statement, algos, volume = (asked.query(kind, NOW) for kind in HistoryKind)
    assert {query.sym for query in (orders, fills, closed, statement, algos, volume)} == {"OKX_PERP_BTC_USDT"}
    assert [query.word for query in (orders, fills, closed, statement, algos, volume)] == [
        "PERP",
        "PERP",
        "",
        "DIVIDEND",
        "PERP",
        "PERP",
    ]
    assert [query.executed for query in (orders, fills, closed, statement, algos, volume)] == [True] + [False] * 5
    assert [query.coin for query in (orders, statement)] == ["", "ETH"]
    assert ask("kind:MARGIN").query(HistoryKind.VOLUME, NOW).word == "SPOT"
    assert [ask("abc").query(kind, NOW).order for kind in HistoryKind] == ["abc", "abc", "", "", "", ""]


def test_several_pairs_are_counted_in_the_title() -> None:
    assert ask("sym:okx_perp").words(HistoryKind.ORDERS) == "7 days · OKX_PERP_BTC_USDT"
    assert ask("sym:okx_perp,eth").words(HistoryKind.ORDERS) == "7 days · 2 pairs"


def test_the_window_key_goes_through_three_windows_and_leaves_an_own_one_and_a_look_up() -> None:
    asked, seen = ask("7d sym:okx_perp"), []
    for _ in range(3):
        asked = asked.next_window()
        seen.append(asked.window)
    assert seen == [Window.ARCHIVE, Window.TODAY, Window.WEEK]
    assert asked.sym == "OKX_PERP_BTC_USDT"
    left = ask("2024-09-01.. some-id").next_window()
    assert (left.window, left.first_day, left.order) == (Window.TODAY, "", "")
