"""One call from the shell: judged before it leaves, sent once, printed as it came; and the check of a service in words."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from aiohttp import web
from pytest import MonkeyPatch

from tests.cli.conftest import aim, crossdesk, invoke, run
from tests.client.fakes import FakeService
from tui.cli.commands import call
from tui.cli.commands.call import BadCall, find_row, format_answer, parse_values
from tui.cli.service_target import ChosenService
from tui.cli.windows import ServiceTarget
from tui.client.settings import Service

SYM = "BINANCE_PERP_BTC_USDT"
ORDER = (f"sym={SYM}", "side=BUY", "orderType=MARKET", "orderQty=0.01")


@pytest.mark.parametrize(
    ("name", "values", "words"),
    [
        ("place_oder", (), "no endpoint is called 'place_oder'; near are place_order"),
        ("zzz", (), "`crossdesk endpoints` lists them"),
        ("open_orders", ("sym",), "'sym' is no KEY=VALUE"),
        ("open_orders", (f"sym={SYM}", "sym=X"), "sym is given twice"),
        ("open_orders", ("symbol=X",), "symbol is no parameter of open_orders; it has "),
        (
            "portfolio_assets",
            ("exchangeType=OKXX",),
            "exchangeType 'OKXX' is not accepted; accepted are BINANCE, OKX, EDX",
        ),
        ("portfolio_assets", ("page=one",), "page 'one' is not accepted; it must be a whole number"),
        ("place_order", (f"sym={SYM}",), "side is missing; it takes BUY SELL"),
        ("place_order", (*ORDER, "limitPrice=1e3"), "limitPrice '1e3' is not accepted; it must be a plain decimal"),
        (
            "order_history",
            (f"sym={SYM}", "begin=yesterday"),
            "begin 'yesterday' is not accepted; it must be a time in ms",
        ),
    ],
)
def test_invalid_call_parameters_are_rejected_with_valid_values(name: str, values: tuple[str, ...], words: str) -> None:
    with pytest.raises(BadCall) as found:
        parse_values(find_row(name), values)
    assert words in str(found.value)


def test_a_command_by_call_gets_a_client_order_id() -> None:
    first, second = (parse_values(find_row("place_order"), ORDER)["clientOrderId"] for _ in range(2))
    assert first != second and first.startswith("call")
    assert parse_values(find_row("place_order"), (*ORDER, "clientOrderId=mine"))["clientOrderId"] == "mine"
    assert "clientOrderId" not in parse_values(find_row("order_detail"), ("orderId=2000000000000001",))


def test_call_replies_are_printed_as_a_table_or_fields() -> None:
    rows = [{"sym": SYM, "qty": "1"}, {"sym": "X", "tp": None}]
    assert format_answer(rows).splitlines()[0].split() == ["sym", "qty", "tp"]
    assert format_answer({"list": [], "page": 1, "totalSize": "0"}) == "nothing\npage 1 · totalSize 0"
    assert format_answer({"level": 3, "fee": "0.1"}) == "level  3\nfee    0.1"
    assert (format_answer({}), format_answer("text"), format_answer([1, 2])) == ("done", "text", "1\n2")


async def test_command_call_with_http_502_is_unknown_and_not_resent(fake: FakeService) -> None:
    fake.refuse_rest = lambda path: web.Response(status=502)
    result = await invoke("call", "place_order", *ORDER, "--yes")
    assert result.exit_code == call.EXIT_UNKNOWN
    assert "UNKNOWN whether it was carried out" in result.output and "clientOrderId=call" in result.output
    assert len([1 for method, _, _ in fake.calls if method == "POST"]) == 1


async def test_a_rejected_call_prints_its_error_code(fake: FakeService) -> None:
    fake.refuse_rest = lambda path: web.json_response({"code": 401017, "message": "too small", "data": {}})
    result = await invoke("call", "place_order", *ORDER, "--yes")
    assert result.exit_code == 1 and "401017 Order value too small: too small" in result.output


async def test_a_command_call_without_terminal_needs_the_yes_option(fake: FakeService) -> None:
    result = await invoke("call", "place_order", *ORDER)
    assert result.exit_code == 2 and "add --yes" in result.output
    assert [1 for method, _, _ in fake.calls if method == "POST"] == []


OF_ANOTHER_WINDOW = ChosenService(
    ServiceTarget(Service(rest_url="http://127.0.0.1:1", private_ws_url="", public_ws_url=""), "1", "main", "k", "s"),
    False,
    "READ-ONLY: another crossdesk trades this portfolio",
)
"""Service that another window holds."""


def test_command_check_says_that_a_new_window_would_attach(monkeypatch: MonkeyPatch) -> None:
    aim(monkeypatch, OF_ANOTHER_WINDOW)
    said = run("check").output
    assert "window        another crossdesk holds this portfolio: a new window attaches to it and trades" in said
    assert "READ-ONLY" not in said


def test_command_call_places_no_order_while_a_window_trades(monkeypatch: MonkeyPatch) -> None:
    aim(monkeypatch, OF_ANOTHER_WINDOW)
    result = run("call", "place_order", *ORDER, "--yes")
    assert result.exit_code == 1 and "another crossdesk trades" in result.output


def test_an_order_placed_by_call_is_kept_by_the_paper_venue(home: Path) -> None:
    placed = crossdesk(home, "call", "place_order", *ORDER, "--yes", "--json")
    assert placed.returncode == 0, placed.stderr
    order_id = json.loads(placed.stdout)["orderId"]
    found = crossdesk(home, "call", "order_detail", f"orderId={order_id}", "--json")
    assert json.loads(found.stdout)["orderId"] == order_id
    assert not (home / "run" / "paper.json").exists()


def test_check_command_reports_that_all_is_well(home: Path) -> None:
    done = crossdesk(home, "check")
    assert done.returncode == 0, done.stdout
    names = [line.split()[0] for line in done.stdout.splitlines()]
    assert names == ["connection", "clock", "key", "level", "permissions", "private", "algo", "public", "limits"]
    assert "WRONG" not in done.stdout and "main key; 2 portfolios hold assets" in done.stdout


async def test_check_command_names_a_wrong_key_and_a_refused_login(fake: FakeService) -> None:
    fake.refuse_rest = lambda path: web.json_response({"code": 405001, "message": "The apiKey Not Found", "data": {}})
    fake.login_code = 60009
    result = await invoke("check")
    assert result.exit_code == 1
    assert "key           WRONG 405001" in result.output
    assert "private       WRONG login refused" in result.output, result.output
    assert "crossdesk: Check: wrong: key, level, private\n" in result.output


async def test_check_command_says_that_a_sub_user_key_has_no_portfolio(fake: FakeService) -> None:
    fake.refuse_rest = lambda path: web.json_response({"code": 100003, "message": "invalid user type", "data": {}})
    fake.login_code = 60009
    result = await invoke("check")
    assert "key           WRONG the key is a sub-user's and has no portfolio" in result.output, result.output
    assert "level         ok    not the main key" in result.output and result.exit_code == 1


def test_shell_completion_completes_endpoints_and_parameters(home: Path) -> None:
    def complete(*words: str) -> str:
        line = " ".join(("crossdesk", *words))
        found = crossdesk(home, _CROSSDESK_COMPLETE="bash_complete", COMP_WORDS=line, COMP_CWORD=str(len(words)))
        return found.stdout

    assert "place_order" in complete("call", "place")
    assert "orderQty=" in complete("call", "place_order", "order")
    assert "side=BUY" in complete("call", "place_order", "side=")
