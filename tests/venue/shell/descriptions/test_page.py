"""`docs/venue.md` is true: its blocks are what a venue sends now, its vectors sign, its Python runs."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import jsonschema
import msgspec
import pytest

from tests.venue import examples
from tests.venue.examples import BLOCK, CAME, PAGE, SECRET, SENT
from tests.venue.shell.conftest import Venue
from tui.cli.commands.venue import describe_switches
from tui.interface import catalogue, signing
from tui.interface.envelope import MAX_BODY, ActionReply
from tui.interface.families.algo import AlgoRecord, AlgoReply
from tui.interface.families.assets import AssetRecord
from tui.interface.families.history import TradeRecord
from tui.interface.families.market import Bbo, BookPush, MarkPush, SymbolInfo, TradePush
from tui.interface.families.orders import OrderRecord
from tui.interface.families.positions import AccountRecord, PositionRecord
from tui.interface.ready import ReadyLine
from tui.venue.core.switches import EDITION
from tui.venue.shell.connection_slots import MAX_ANONYMOUS, MAX_KNOWN
from tui.venue.shell.descriptions.documents import write_description
from tui.venue.shell.streams import private, public
from tui.venue.shell.streams.outbox import MAX_WAITING
from tui.venue.shell.streams.public import (
    CONNECTIONS_ANONYMOUS,
    CONNECTIONS_KNOWN,
    PAIRS_ANONYMOUS,
    PAIRS_KNOWN,
    REQUESTS_PER_S,
)
from tui.venue.shell.switches import ALL_SPECS

CLOCK_SKEW = next(spec.values[0] for spec in ALL_SPECS if spec.name == "client_skew")
PLACED, CHANGED = ActionReply, ActionReply
RECORDS: dict[str, Any] = {
    "place_order": (PLACED, OrderRecord), "replace_order": (CHANGED, OrderRecord), "cancel_order": (CHANGED, OrderRecord),
    "cancel_orders": (dict[str, str], OrderRecord), "push_trades": (TradeRecord,), "push_orders": (OrderRecord,),
    "push_positions": (list[PositionRecord],), "push_assets": (list[AssetRecord],), "push_accounts": (list[AccountRecord],),
    "push_bbo": (Bbo,), "push_trade": (TradePush,), "push_book": (BookPush, BookPush), "push_mark": (MarkPush,),
    "place_algo_order": (AlgoReply, AlgoRecord), "replace_algo_order": (AlgoReply, AlgoRecord),
    "rest_place": (PLACED,), "rest_cancel": (CHANGED,), "order_detail": (OrderRecord,), "positions": (list[PositionRecord],),
    "symbol_info": (dict[str, SymbolInfo],), "executions": (list[TradeRecord],), "algo_detail": (AlgoRecord,),
}  # fmt: skip
"""What `data` of each answer and push of a block is."""
FROM_SOURCE = {"switches", "maker"}
"""Blocks that are no messages."""


def blocks() -> dict[str, str]:
    return {hit[2]: hit[3] for hit in BLOCK.finditer(PAGE.read_text())}


@cache
def read_page() -> dict[str, list[tuple[str, Any]]]:
    """The examples of the page, read."""
    lines: dict[str, list[tuple[str, Any]]] = {}
    for name, block in blocks().items():
        if name in examples.VECTORS or name in FROM_SOURCE:
            continue
        lines[name] = []
        for line in block.removeprefix("```text\n").removesuffix("\n```").splitlines():
            mark = next((mark for mark in (SENT, CAME) if line.startswith(mark)), "")
            text = line.removeprefix(mark)
            lines[name].append((mark, json.loads(text) if text.startswith("{") else text))
    return lines


@pytest.fixture(scope="module")
def sent_now() -> dict[str, list[tuple[str, Any]]]:
    return examples.take_examples()


def shape(value: Any) -> Any:
    """Names and types, whatever the values are."""
    if isinstance(value, dict):
        return {name: shape(item) for name, item in value.items()}
    if isinstance(value, list):
        return [shape(item) for item in value[:1]]
    return type(value).__name__


def test_venue_page_has_every_example_block_and_no_other(sent_now: dict[str, Any]) -> None:
    assert blocks().keys() == sent_now.keys() | examples.VECTORS.keys() | FROM_SOURCE


@pytest.mark.parametrize("name", sorted(read_page()))
@pytest.mark.edition("documents")
def test_venue_page_examples_match_what_the_venue_sends(sent_now: dict[str, Any], name: str) -> None:
    assert [(mark, shape(item)) for mark, item in read_page()[name]] == [
        (mark, shape(examples.shorten(name, item))) for mark, item in sent_now[name]
    ], "python -m tests.venue.examples --write"


@pytest.mark.parametrize("name", sorted(RECORDS))
@pytest.mark.edition("documents")
def test_venue_page_examples_decode_as_catalogue_records(sent_now: dict[str, Any], name: str) -> None:
    came = [item["data"] for mark, item in sent_now[name] if mark == CAME]
    assert len(came) == len(RECORDS[name])
    for data, record in zip(came, RECORDS[name], strict=True):
        assert is_known(data, msgspec.to_builtins(msgspec.convert(data, record)))


def is_known(sent: Any, read: Any) -> bool:
    """Whether every field that was sent is a field of the record."""
    if isinstance(sent, dict):
        return sent.keys() <= read.keys() and all(is_known(sent[name], read[name]) for name in sent)
    return (
        all(is_known(*pair) for pair in zip(sent, read, strict=True)) if isinstance(sent, list) else bool(sent == read)
    )


def judge(document: Any, schema: Any, value: Any) -> None:
    """Judge a value by a schema of a description: OpenAPI has the newest draft, AsyncAPI the seventh."""
    validator = jsonschema.Draft202012Validator if "openapi" in document else jsonschema.Draft7Validator
    validator({**schema, "components": document["components"]}).validate(value)


@pytest.mark.edition("documents")
def test_venue_page_rest_examples_match_openapi(sent_now: dict[str, Any]) -> None:
    document, judged = json.loads(write_description("openapi")), 0
    for lines in sent_now.values():
        target = lines[0][1]
        if not isinstance(target, str):
            continue
        method, path = target.partition("?")[0].split()
        operation = document["paths"][path][method.lower()]
        judge(document, operation["responses"]["200"]["content"]["application/json"]["schema"], lines[-1][1])
        if method != "GET":
            judge(document, operation["requestBody"]["content"]["application/json"]["schema"], lines[1][1])
        judged += 1
    assert judged == 18


def test_venue_page_stream_examples_match_asyncapi(sent_now: dict[str, Any]) -> None:
    document, judged = json.loads(write_description("asyncapi")), 0
    messages = document["components"]["messages"]
    for lines in sent_now.values():
        for mark, frame in lines:
            if not isinstance(frame, dict) or "rest_url" in frame or ("code" in frame and "event" not in frame):
                continue
            name = frame.get("action") or frame.get("event") or frame.get("channel") or next(iter(frame))
            if name == "arg":
                name = frame["arg"]["channel"]
            name = "ping" if name == "pong" else name
            is_reply = mark == CAME and ("event" in frame or "pong" in frame)
            of = next((of for of in ("private", "algo", "public") if f"{of}.{name}" in messages), None)
            if of is not None:
                judge(document, messages[f"{of}.{name}{'_reply' if is_reply else ''}"]["payload"], frame)
                judged += 1
    assert judged > 25


@pytest.mark.parametrize("name", examples.VECTORS)
def test_venue_page_signature_examples_are_right(name: str) -> None:
    vector, block = examples.VECTORS[name], blocks()[name]
    nonce = re.findall(r"^nonce +(\d+)$", block, re.MULTILINE)[0]
    message = re.findall(r"^message +(\S+)$", block, re.MULTILINE)[0]
    signature = re.findall(r"^signature +(\w+)$", block, re.MULTILINE)[0]
    assert message == signing.canonical(vector.params, nonce)
    assert signature == signing.sign_request(SECRET, vector.params, nonce)
    assert block == examples.vector_block(vector)


def test_venue_page_lists_every_venue_switch() -> None:
    table = blocks()["switches"]
    assert table == describe_switches().strip(), "python -m tests.venue.examples --write"
    assert [line.split("`")[1] for line in table.splitlines()[2:]] == [spec.name for spec in ALL_SPECS]
    assert f"`{EDITION}`" in table


def test_venue_page_shows_the_tested_sample_bot() -> None:
    assert blocks()["maker"] == f"```python\n{examples.MAKER.read_text().strip()}\n```"


def test_venue_page_explains_every_field_of_the_ready_line() -> None:
    prose = BLOCK.sub("", PAGE.read_text())
    assert [name for name in ReadyLine.__struct_encode_fields__ if f"`{name}`" not in prose] == []


def test_venue_page_lists_the_rate_limits_of_the_catalogue() -> None:
    limits = {
        "place, cancel": "place_order cancel_order",
        "replace": "replace_order",
        "cancel all, close a position, cancel all stops": "cancel_all close_position cancel_all_algos",
        "open orders, order detail": "open_orders order_detail",
        "positions": "positions",
        "executions, paged ones, their archive": "executions executions_paged executions_archive",
        "symbol rules, mark price, funding, fees": "symbol_info mark_price funding_rate user_fee_rate",
        "account": "account",
        "portfolio assets, leverage": "portfolio_assets perp_leverage set_perp_leverage",
        "statement": "statement",
        "history and archive of orders, closed positions": "order_history order_archive position_history",
        "transfer": "transfer",
        "withdraw": "withdraw",
        "one transfer, lists of transfers, withdrawals, deposits": "transfer_detail transfers withdrawals deposits",
        "place, replace, cancel, detail, open list and history of stops": (
            "place_algo replace_algo cancel_algo algo_detail open_algos algo_history"
        ),
    }
    for what, names in limits.items():
        for name in names.split():
            limit = catalogue.BY_NAME[name].limit
            assert f"| {what} | {limit.count} in {limit.seconds} s |" in PAGE.read_text(), name


@pytest.mark.parametrize(
    "said",
    [
        f"{MAX_KNOWN} requests and streams at once with a known key and {MAX_ANONYMOUS} without",
        f"{CONNECTIONS_ANONYMOUS} connections and {PAIRS_ANONYMOUS} pairs without a login",
        f"{CONNECTIONS_KNOWN} and {PAIRS_KNOWN} with the login frame",
        f"{REQUESTS_PER_S} subscriptions a second",
        f"within {private.LOGIN_S} s after connecting",
        f"{private.IDLE_S} s without a text frame of yours close the connection",
        f"ping within {public.IDLE_S} s",
        f"at most {signing.NONCE_WINDOW_S} s off",
        f"at most {CLOCK_SKEW} s off",
        f"{MAX_BODY // 1024} KiB",
        f"{MAX_WAITING} frames behind",
    ],
)
def test_numbers_on_the_venue_page_match_the_venue(said: str) -> None:
    assert said in PAGE.read_text()


def test_python_example_of_the_venue_page_runs(start: Callable[..., Venue], tmp_path: Path) -> None:
    venue = start("--seed", "7", "--set", "past=off", "--set", "latency=test", "--set", "agents=still")
    snippet = PAGE.read_text().partition("```python\n")[2].partition("```")[0]
    order = {**examples.RESTING, "clientOrderId": "page1"}
    calls = (
        f"ready = json.loads({json.dumps(venue.ready)!r})",
        f"print(call(ready, 'POST', '/api/v1/trading/order', **{order})['code'])",
        "print(call(ready, 'GET', '/api/v1/trading/orders', page='1', sym='BINANCE_PERP_BTC_USDT')['data']['totalSize'])",
        "print(call(ready, 'DELETE', '/api/v1/trading/order', clientOrderId='page1')['code'])",
    )
    (tmp_path / "bot.py").write_text(snippet + "\n".join(calls) + "\n")
    ran = subprocess.run([sys.executable, "-I", "bot.py"], cwd=tmp_path, capture_output=True, text=True, timeout=60)
    assert (ran.stdout.split(), ran.stderr) == (["200000", "1", "200000"], "")
