"""A service that spells its records in every documented way is read like one that does not."""

from __future__ import annotations

import json
import random
from collections import Counter
from collections.abc import Callable
from decimal import Decimal

import pytest

from tests.simulation.harness import variation
from tests.simulation.harness.frames import HttpReader
from tests.simulation.harness.variation import Record
from tests.simulation.rates import Rates
from tests.simulation.seed import run
from tui.client import private_stream
from tui.interface import decimals

pytestmark = pytest.mark.simulation

ONLY_SPELLINGS = Rates(control=True, vary=1.0, market_gap=3, abroad=0.2)
RARE = {"price of a market order 0"}
"""Spellings that a short run may not meet."""


def test_every_documented_field_spelling_is_read() -> None:
    one, floor = run(2, 3.0, ONLY_SPELLINGS)
    assert not one.violations, one.violations[0]
    names = {*variation.RECORD, *variation.PUSH, *variation.REPLY, *variation.ANSWER}
    assert names - set(one.varied) <= RARE
    assert not floor.said("dropped")


def test_with_variation_off_fields_keep_their_spelling() -> None:
    assert run(2, 0.5, Rates(control=True))[0].varied == {}


def _exact_names(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(private_stream, "_CHANNELS", _Exact(private_stream._CHANNELS))


class _Exact(dict[str, object]):
    def get(self, name: str, default: object = None) -> object:
        return None


def _no_trailing_zeros(patch: pytest.MonkeyPatch) -> None:
    once = decimals.optional
    patch.setattr(decimals, "optional", lambda text: None if text and text.endswith("0") else once(text))


@pytest.mark.parametrize("mutant", [_exact_names, _no_trailing_zeros])
def test_a_reader_of_only_one_field_spelling_is_caught(
    mutant: Callable[[pytest.MonkeyPatch], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    mutant(monkeypatch)
    assert any(run(seed, 1.5, ONLY_SPELLINGS)[0].violations for seed in (2, 3))


def test_spelling_variations_keep_the_values(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(variation, "SHARE", 1.0)
    thrown: Counter[str] = Counter()
    row = {"transactionId": "1", "price": "60000", "quantity": "0.010", "rpnl": "-1.5", "tradeSource": ""}
    said = {"channel": "Trades", "instId": "BINANCE_PERP_BTC_USDT", "data": row}
    before = json.dumps(said)
    found = variation.varied(said, random.Random(1), lambda name: thrown.update([name]), stream=True)
    assert json.dumps(said) == before and thrown["trailing zeros"]
    data = found["data"]
    assert all(Decimal(data[name]) == Decimal(row[name]) for name in ("price", "quantity", "rpnl"))
    assert data["transactionId"] == "1"


def test_spelling_variations_keep_the_stop_of_an_order() -> None:
    row = {"orderId": "1", "orderState": "OPEN", "tpTriggerPrice": "70000", "slTriggerPrice": "", "reduceOnly": True}
    for seed in range(50):
        said = {"channel": "Orders", "data": row}
        data = variation.varied(said, random.Random(seed), lambda _: None, stream=True)["data"]
        assert (data["tpTriggerPrice"], data["reduceOnly"]) == ("70000", True)


def test_spelling_variations_keep_the_success_code_of_commands() -> None:
    for seed in range(50):
        said: Record = {"code": 200000, "message": "Success", "data": {"orderId": "1"}}
        assert int(variation.varied(said, random.Random(seed), lambda _: None, stream=False)["code"]) == 200000


def test_a_varied_rest_reply_has_the_right_content_length() -> None:
    for body in (b'{"code":200000,"message":"","data":{"orderId":"1"}}', b'{"code":200,"data":{"amount":0.10}}'):
        raw = b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n" % len(body) + body
        message = next(HttpReader().feed(raw))
        for seed in range(20):
            other = variation.answer(message, random.Random(seed), lambda _: None)
            again = next(HttpReader().feed(other))
            assert json.loads(again.body)["data"]
            assert other == raw or b"0.10" not in raw
