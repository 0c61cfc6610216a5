"""The line in which the history is asked, and the queries that it comes to."""

from __future__ import annotations

import pytest

from tui.engine.service_query import QuerySource
from tui.workstation.features.history.algo_tab import ALGOS
from tui.workstation.features.history.booked_tabs import CLOSED, STATEMENT, VOLUME
from tui.workstation.features.history.history_query import BadHistoryQuery, HistoryQuery, Window, parse
from tui.workstation.features.history.tab import HistoryTab
from tui.workstation.features.history.trade_tabs import FILLS, ORDERS

DAY = 86_400_000
NOW = 20_000 * DAY + 12_345_678
"""In the middle of 2024-10-04."""
TODAY = "2024-10-04"
SYMS = ("BINANCE_PERP_BTC_USDT", "BINANCE_SPOT_BTC_USDT", "OKX_PERP_BTC_USDT", "OKX_SPOT_ETH_USDT")


def ask(line: str) -> HistoryQuery:
    return parse(line, SYMS, TODAY)


def sources_of(asked: HistoryQuery, tab: HistoryTab) -> list[tuple[str, dict[str, str]]]:
    """What is read for a list: endpoints with their parameters."""
    return [(one.endpoint, dict(one.params)) for one in tab.build_query(f"history/{tab.name}", asked, NOW).sources]


@pytest.mark.parametrize(
    ("line", "wanted"),
    [
        ("", HistoryQuery()),
        ("today", HistoryQuery(window=Window.TODAY)),
        ("90D", HistoryQuery(window=Window.QUARTER)),
        ("2024-09-01..2024-09-30", HistoryQuery(window=Window.OWN, first_day="2024-09-01", last_day="2024-09-30")),
        ("2024-09-01..", HistoryQuery(window=Window.OWN, first_day="2024-09-01")),
        ("2024-09-01..2024-12-31", HistoryQuery(window=Window.OWN, first_day="2024-09-01")),
        ("sym:okx_perp", HistoryQuery(sym="OKX_PERP_BTC_USDT")),
        ("sym:okx_perp,eth,OKX_PERP", HistoryQuery(sym="OKX_PERP_BTC_USDT,OKX_SPOT_ETH_USDT")),
        ("venue:okx kind:perp only", HistoryQuery(exchange="OKX", business="PERP", executed=True)),
        ("type:funding_fee coin:usdt", HistoryQuery(statement_type="FUNDING_FEE", coin="USDT")),
        ("2000000000000007", HistoryQuery(order="2000000000000007")),
        ("7d my-order_1", HistoryQuery(order="my-order_1")),
        ("order:mine", HistoryQuery(order="mine")),
    ],
)
def test_a_history_query_line_is_parsed_and_written_back(line: str, wanted: HistoryQuery) -> None:
    assert ask(line) == wanted
    assert ask(wanted.line()) == wanted


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("sym:btc", "sym:BTC fits 3 pairs: BINANCE_PERP_BTC_USDT"),
        ("sym:xrp", "no pair has this name"),
        ("sym:", "no pair has this name"),
        ("sym:eth,", "no pair has this name"),
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
        ("today 7d", "given twice"),
        ("one1 two2", "given twice"),
        ("filled", "'filled' is not accepted; it takes a window (today, 7d"),
        ("order:a/b", "order:a/b is not accepted; it takes the order's id"),
        ("wh@t", "'wh@t' is not accepted; it takes a window (today, 7d"),
    ],
)
def test_an_invalid_history_query_is_rejected_with_valid_options(line: str, said: str) -> None:
    with pytest.raises(BadHistoryQuery) as refused:
        ask(line)
    assert said in str(refused.value)


@pytest.mark.parametrize(
    ("line", "tab", "begin", "end"),
    [
        ("today", ORDERS, 20_000 * DAY, 0),
        ("7d", CLOSED, NOW - 7 * DAY, 0),
        ("90d", FILLS, NOW - 90 * DAY, 0),
        ("2024-09-01..2024-09-30", STATEMENT, 19_967 * DAY, 19_997 * DAY - 1),
        ("2024-09-01..", ORDERS, 19_967 * DAY, 0),
        ("today", VOLUME, 19_993 * DAY, 20_000 * DAY - 1),
        ("7d", VOLUME, 19_993 * DAY, 20_000 * DAY - 1),
        ("90d", VOLUME, 19_910 * DAY, 20_000 * DAY - 1),
        ("today some-id-1", FILLS, NOW - 90 * DAY, 0),
    ],
)
def test_history_time_windows_become_begin_and_end_of_requests(
    line: str, tab: HistoryTab, begin: int, end: int
) -> None:
    sources = sources_of(ask(line), tab)
    assert min(int(one[tab.past.window[0]]) for _, one in sources) == begin
    assert {int(one.get(tab.past.window[1], "0")) for _, one in sources} == {end}


@pytest.mark.parametrize(
    ("line", "wanted"),
    [
        ("today", ["order_history"]),
        ("7d", ["order_history"]),
        ("2024-09-01..", ["order_history", "order_archive"]),
        ("90d", ["order_history", "order_archive"]),
        ("2024-09-01.. sym:okx_perp,eth", ["order_history", "order_history", "order_archive", "order_archive"]),
    ],
)
def test_the_history_reads_the_archive_only_for_older_windows(line: str, wanted: list[str]) -> None:
    assert [name for name, _ in sources_of(ask(line), ORDERS)] == wanted


def test_history_windows_end_after_they_begin_at_any_border() -> None:
    asked = ask("2024-09-01..2024-09-26")
    end = 19_993 * DAY - 1 + DAY
    for ahead in (-1, 0, 1, 5):
        query = ORDERS.build_query("history/orders", asked, end + 7 * DAY + ahead)
        windows = [dict(source.params) for source in query.sources]
        assert all(int(window["begin"]) < int(window["end"]) for window in windows), ahead


def test_each_history_list_sends_only_the_filters_it_supports() -> None:
    asked = ask("sym:okx_perp venue:OKX kind:PERP type:DIVIDEND coin:ETH only")
    narrowed = {"exchange": "OKX", "businessType": "PERP"}
    wanted: list[tuple[HistoryTab, dict[str, str]]] = [
        (ORDERS, {"sym": SYMS[2], **narrowed, "filterExecuted": "true"}),
        (FILLS, {"sym": SYMS[2], **narrowed}),
        (CLOSED, {"sym": SYMS[2], "exchange": "OKX"}),
        (ALGOS, {"sym": SYMS[2], **narrowed}),
        (STATEMENT, {"sym": SYMS[2], "exchange": "OKX", "statementType": "DIVIDEND", "coin": "ETH"}),
        (VOLUME, {"symList": SYMS[2], **narrowed}),
    ]
    for tab, params in wanted:
        [(_, sent)] = sources_of(asked, tab)
        assert {name: text for name, text in sent.items() if name not in tab.past.window} == params, tab.name
    assert sources_of(ask("kind:MARGIN"), VOLUME)[0][1]["businessType"] == "SPOT"


def test_order_history_finds_an_order_by_either_id() -> None:
    by_client = QuerySource("order_detail", (("clientOrderId", "2000000000000007"),))
    by_number = QuerySource("order_detail", (("orderId", "2000000000000007"),), fallback=by_client)
    orders = ORDERS.build_query("k", ask("2000000000000007"), NOW)
    fills = FILLS.build_query("k", ask("2000000000000007"), NOW)
    assert (orders.sources, orders.missing) == ((by_number,), "no order has the id 2000000000000007")
    assert fills.lookup is not None
    assert (fills.lookup.source, fills.lookup.field, fills.lookup.param) == (by_number, "order_id", "orderId")
    assert ORDERS.build_query("k", ask("mine-7"), NOW).sources == (
        QuerySource("order_detail", (("clientOrderId", "mine-7"),)),
    )
    assert CLOSED.build_query("k", ask("mine-7"), NOW).sources[0].endpoint == "position_history"


def test_the_history_title_names_one_pair_and_counts_several() -> None:
    assert ORDERS.describe_query(ask("sym:okx_perp")) == "7 days · OKX_PERP_BTC_USDT"
    assert ORDERS.describe_query(ask("sym:okx_perp,eth")) == "7 days · 2 pairs"


def test_history_window_key_cycles_today_7_days_and_90_days() -> None:
    asked, seen = ask("7d sym:okx_perp"), []
    for _ in range(3):
        asked = asked.next_window()
        seen.append(asked.window)
    assert seen == [Window.QUARTER, Window.TODAY, Window.WEEK]
    assert asked.sym == "OKX_PERP_BTC_USDT"
    left = ask("2024-09-01.. some-id-1").next_window()
    assert (left.window, left.first_day, left.order) == (Window.TODAY, "", "")
