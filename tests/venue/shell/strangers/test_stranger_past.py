"""The past of a new venue over its sockets, read by a client that is nobody's product."""

from __future__ import annotations

import time
from collections.abc import Callable
from decimal import Decimal
from pathlib import Path
from typing import Any

from tests.venue.shell.conftest import Venue

DAY = 86_400_000
HISTORY = "/api/v1/trading/history/orders"
ARCHIVE = "/api/v1/trading/archive/history/orders"
STATEMENT = "/api/v1/trading/statement"
LOANS = "/api/v1/trading/portfolioLoan/loan"
OPTIONS = ("--seed", "7", "--set", "latency=test", "--set", "agents=still", "--set", "rate_profile=off")


def pages(venue: Venue, path: str, **params: str) -> list[dict[str, Any]]:
    """Every row of a list, in pages of 100."""
    found: list[dict[str, Any]] = []
    page = 1
    while True:
        data = venue.data("GET", path, {**params, "page": str(page), "pageSize": "100"})
        found += data["list"]
        if len(found) >= data["totalSize"]:
            assert len(found) == data["totalSize"]
            return found
        page += 1


def everything(venue: Venue) -> dict[str, Any]:
    """All that lists say of the past; the archive is asked from a fixed day on, so that both answers are of one window."""
    begin = str(int(time.time() * 1000) // DAY * DAY - 80 * DAY)
    return {
        "recent": pages(venue, HISTORY),
        "archive": pages(venue, ARCHIVE, begin=begin),
        "fills": pages(venue, "/api/v1/trading/archive/executions/pageable", begin=begin),
        "closed": pages(venue, "/api/v1/trading/history/position", begin=begin),
        "statement": pages(venue, STATEMENT, startTime=begin),
        "loans": pages(venue, f"{LOANS}/orders", startTime=begin),
        "bookings": pages(venue, f"{LOANS}/statement", startTime=begin),
    }


def _time_of(row: dict[str, Any]) -> str:
    """When a row of any list was made, ms."""
    return str(next(row[name] for name in ("createAt", "createTime", "timestamp") if name in row))


def test_a_new_venue_has_generated_history_before_today(start: Callable[..., Venue]) -> None:
    venue = start(*OPTIONS)
    today = int(time.time() * 1000) // DAY * DAY
    told = everything(venue)
    assert len(told["archive"]) > 100
    assert len(told["recent"]) > 5
    assert all(int(_time_of(row)) < today for rows in told.values() for row in rows)
    assert venue.data("GET", "/api/v1/trading/executions", {"begin": str(today)}) == []
    assert venue.data("GET", "/api/v1/trading/position") == []
    assert venue.data("GET", "/api/v1/trading/orders")["totalSize"] == 0
    kinds = {row["statementType"] for row in told["statement"]}
    assert {"FUNDING_FEE", "DEDUCT_INTEREST", "DIVIDEND", "TRADE"} <= kinds
    assert {row["type"] for row in told["bookings"]} == {"loan_borrow", "loan_repay", "loan_interest"}
    oldest = told["loans"][-1]
    named = {"clientOrderId": oldest["clientOrderId"], "startTime": str(today - 80 * DAY)}
    assert venue.data("GET", f"{LOANS}/orders", named)["list"] == [oldest]
    assert {row["type"] for row in told["loans"]} == {"borrow", "repay"}
    only = pages(venue, ARCHIVE, filterExecuted="true", begin=str(today - 80 * DAY), sym="BINANCE_PERP_BTC_USDT")
    assert only == [
        row for row in told["archive"] if row["executedQty"] != "0" and row["sym"] == "BINANCE_PERP_BTC_USDT"
    ]


def test_a_generated_order_is_found_by_order_id_or_client_id(start: Callable[..., Venue]) -> None:
    venue = start(*OPTIONS)
    # The oldest: an order at the border of the archive has fills on both sides of it.
    row = [row for row in pages(venue, ARCHIVE, filterExecuted="true") if row["orderType"] == "DMA"][-1]
    again = start(*OPTIONS)
    # A venue that was not asked for a list yet: each id alone brings the past.
    by_client = again.call("GET", "/api/v1/trading/order", {"clientOrderId": row["clientOrderId"]})[1]
    assert by_client["data"]["orderId"] == row["orderId"]
    fills = again.data("GET", "/api/v1/trading/archive/executions/pageable", {"orderId": row["orderId"]})["list"]
    assert sum(Decimal(fill["quantity"]) for fill in fills) == Decimal(row["executedQty"])
    third = start(*OPTIONS)
    detail = third.data("GET", "/api/v1/trading/order", {"orderId": row["orderId"]})
    assert {name: detail[name] for name in row} == row


def test_generated_history_is_rebuilt_without_its_archive(start: Callable[..., Venue], tmp_path: Path) -> None:
    state = tmp_path / "paper.db"
    options = (*OPTIONS, "--state", str(state))
    first = start(*options)
    told = everything(first)
    first.stop()
    again = start(*options)
    assert everything(again) == told
    again.stop()
    state.with_name("paper.db-past").unlink()
    assert everything(start(*options)) == told


def test_a_state_saved_without_generated_history_has_none(start: Callable[..., Venue], tmp_path: Path) -> None:
    """As one that was made before there was a past."""
    options = (*OPTIONS, "--state", str(tmp_path / "paper.db"))
    start(*options, "--set", "past=off").stop()
    venue = start(*options)
    assert [len(rows) for rows in everything(venue).values()] == [0, 0, 0, 0, 0, 0, 0]


def test_startup_does_not_wait_for_generated_history(start: Callable[..., Venue], tmp_path: Path) -> None:
    """It is written with the first question about it, not before; a placement does not ask for it."""
    state = tmp_path / "paper.db"
    venue = start(*OPTIONS, "--state", str(state))
    order = {"sym": "BINANCE_PERP_BTC_USDT", "side": "BUY", "orderType": "LIMIT", "orderQty": "0.01"}
    venue.data("POST", "/api/v1/trading/order", {**order, "limitPrice": "60000"})
    today = int(time.time() * 1000) // DAY * DAY
    venue.data("GET", STATEMENT, {"startTime": str(today)})
    small = state.with_name("paper.db-past").stat().st_size
    pages(venue, HISTORY)
    assert state.with_name("paper.db-past").stat().st_size > small + 100_000


def test_trading_statistics_count_generated_history(start: Callable[..., Venue]) -> None:
    venue = start(*OPTIONS)
    today = int(time.time() * 1000) // DAY * DAY
    window = {"begin": str(today - 60 * DAY), "end": str(today)}
    stats = venue.data("GET", "/v1/trading/user/portfolio/tradingstats", window)
    user = venue.data("GET", "/api/v1/trading/user/tradingStats", window)
    fills = pages(venue, "/api/v1/trading/archive/executions/pageable", begin=window["begin"])
    fills += pages(venue, "/api/v1/trading/executions/pageable")
    wanted = [fill for fill in fills if fill["sym"] == "BINANCE_PERP_BTC_USDT"]
    [detail] = [row for row in stats["details"] if row["symbol"] == "BINANCE_PERP_BTC_USDT"]
    assert Decimal(detail["executedAmount"]) == sum(Decimal(f["quantity"]) * Decimal(f["price"]) for f in wanted)
    assert Decimal(detail["totalRpnl"]) == sum(Decimal(fill["rpnl"]) for fill in wanted)
    assert Decimal(user["allPerp"]) >= Decimal(stats["binancePerpVolUsd"]) > 0


def test_a_dividend_by_control_input_is_in_the_statement(start: Callable[..., Venue]) -> None:
    venue = start(*OPTIONS, "--set", "past=off", "--control")
    assert venue.process.stdin is not None
    venue.process.stdin.write(b'{"dividend": {"BTC": "0.002"}}\n')
    venue.process.stdin.flush()
    deadline = time.monotonic() + 30
    while not (rows := venue.data("GET", STATEMENT, {"statementType": "DIVIDEND"})["list"]):
        assert time.monotonic() < deadline
        time.sleep(0.02)
    assert sorted((row["exchangeType"], row["coin"], row["deltaAmount"]) for row in rows) == [
        ("BINANCE", "BTC", "0.002"),
        ("OKX", "BTC", "0.001"),
    ]


def test_generated_history_has_transfers_and_algo_orders(start: Callable[..., Venue]) -> None:
    """Every list that shows money has rows on a new account; without a past it begins empty."""
    paths = (
        "/api/v1/transfer/list", "/api/v1/deposit/list", "/api/v1/userWithdrawRecord/list", "/api/v1/asset/bills",
        "/api/v1/custodytradingaccount/list", "/api/v1/algo/history/orders",
    )  # fmt: skip
    venue = start(*OPTIONS)
    rows = {path: venue.data("GET", path)["list"] for path in paths}
    assert [len(rows[path]) for path in paths] == [4, 2, 2, 6, 2, 2]
    times = {
        path: [int(row.get("createdAt") or row.get("applyTime") or row.get("createAt")) for row in found]
        for path, found in rows.items()
    }
    now = time.time() * 1000
    for path, found in times.items():
        assert found == sorted(found, reverse=True), path
        assert all(now - 91 * 86_400_000 < at < now - 86_400_000 for at in found), path
    assert {row["status"] for row in rows[paths[0]]} == {1}
    assert {row["orderState"] for row in rows[paths[5]]} == {"CANCELLED"}
    algo = rows[paths[5]][0]
    assert venue.data("GET", "/api/v1/algo/order", {"algoOrderId": algo["algoOrderId"]}) == algo
    bare = start(*OPTIONS, "--set", "past=off")
    assert [bare.data("GET", path)["list"] for path in paths] == [[]] * len(paths)
