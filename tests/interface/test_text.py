"""Scrubbing: nothing that a terminal or a markup parser could take as an order survives."""

from __future__ import annotations

import unicodedata
from pathlib import Path

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tui.interface import text
from tui.interface.families.orders import OrderRecord

HOSTILE = [
    line.encode().decode("unicode_escape").encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    for line in (Path(__file__).parent.parent / "data" / "hostile.txt").read_text().splitlines()
    if line and not line.startswith("#")
]


def _is_quiet(shown: str) -> bool:
    return all(unicodedata.category(char) not in ("Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp") for char in shown)


@pytest.mark.parametrize("raw", HOSTILE)
def test_no_control_or_invisible_character_is_left(raw: str) -> None:
    shown = text.clean(raw)
    assert _is_quiet(shown)
    assert len(shown) <= text.MAX_FIELD


@given(st.text(max_size=300))
def test_cleaning_is_total_and_stable(raw: str) -> None:
    once = text.clean(raw)
    assert _is_quiet(once)
    assert text.clean(once) == once


def test_lone_surrogates_are_dropped() -> None:
    assert _is_quiet(text.clean("a\ud800b"))


def test_ordinary_text_is_untouched() -> None:
    assert text.clean("Order not found: BINANCE_PERP_BTC_USDT [x]") == "Order not found: BINANCE_PERP_BTC_USDT [x]"
    assert text.clean("größer – 価格") == "größer – 価格"


def test_marks_pile_up_to_a_limit() -> None:
    assert len(text.clean("e" + "\u0301" * 200)) <= 1 + text.MAX_MARKS


def test_a_record_is_scrubbed_in_every_field() -> None:
    evil = "\x1b]52;c;aGk=\x07\u202ex"
    record = OrderRecord(order_id="1", order_state=evil, sym=evil, side=evil, reason=evil, client_order_id=evil)
    shown = text.scrub(record)
    assert all(_is_quiet(value) for value in msgspec.structs.astuple(shown) if isinstance(value, str))
    nested = text.scrub({evil: [evil, (evil,), {"k": evil}]})
    assert _is_quiet(str(list(nested)))


def test_frames_that_need_care_are_found_by_one_look() -> None:
    assert not text.needs_care(b'{"a":"b","c":[1,2]}')
    for frame in (b'{"a":"\x1b"}', b'{"a":"\\u001b"}', '{"a":"é"}'.encode(), b"\x00"):
        assert text.needs_care(frame)


def test_identifiers_are_strict() -> None:
    assert text.is_sym("OKX_PERP_BTC_USDT")
    assert not any(text.is_sym(bad) for bad in ("", "okx", "A B", "A\n", "А_B", "x" * 65))
    assert text.is_id("cd0000001-x_Y")
    assert not any(text.is_id(bad) for bad in ("", "a b", "a\n", "é"))
