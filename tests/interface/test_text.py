"""Scrubbing: nothing that a terminal or a markup parser could take as an order survives."""

from __future__ import annotations

import unicodedata
from pathlib import Path

import msgspec
import pytest
from hypothesis import example, given
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
def test_cleaned_text_has_no_control_or_invisible_characters(raw: str) -> None:
    shown = text.clean(raw)
    assert _is_quiet(shown)
    assert len(shown) <= text.MAX_FIELD


@given(st.text(max_size=300))
def test_cleaning_text_twice_changes_nothing_more(raw: str) -> None:
    once = text.clean(raw)
    assert _is_quiet(once)
    assert text.clean(once) == once


def test_cleaned_text_has_no_lone_surrogates() -> None:
    assert _is_quiet(text.clean("a\ud800b"))


def test_cleaning_leaves_ordinary_text_unchanged() -> None:
    assert text.clean("Order not found: BINANCE_PERP_BTC_USDT [x]") == "Order not found: BINANCE_PERP_BTC_USDT [x]"
    assert text.clean("größer – 価格") == "größer – 価格"


def test_cleaned_text_loses_the_brackets_of_action_names() -> None:
    assert text.clean("balance ⟦side.buy⟧; {side.buy} of {x.y}") == "balance side.buy; {side.buy} of {x.y}"


def test_combining_marks_are_limited_per_character() -> None:
    base, mark = "x", "\u0323"  # no letter of its own is made of these two
    for mark in ("\u0323", "\u20dd", "\u0903"):  # non-spacing, enclosing, spacing
        assert text.clean(base + mark * 200) == base + mark * text.MAX_MARKS
        assert text.clean(base + mark * text.MAX_MARKS) == base + mark * text.MAX_MARKS
    # The count begins anew with each base character, and what comes after a flood is kept.
    flood = base + "\u20dd" * 20
    kept = base + "\u20dd" * text.MAX_MARKS
    assert text.clean(flood + flood + "end") == kept + kept + "end"
    assert text.clean("\u20dd" * 20) == "\u20dd" * text.MAX_MARKS


@pytest.mark.parametrize(
    "char", ["\ufe00", "\ufe0f", "\U000e0100", "\U000e01ef", "\u200d", "\u00ad", "\ue000", "\u2028"]
)
def test_invisible_characters_are_removed(char: str) -> None:
    assert text.clean(f"a{char}b") == "ab"


@pytest.mark.parametrize("char", ["\ufdff", "\ufe10", "價", "ß", "–", "\u0301"])
def test_characters_next_to_invisible_blocks_are_kept(char: str) -> None:
    assert text.clean(f"1{char}2") == f"1{char}2"


def test_every_space_character_becomes_a_plain_space() -> None:
    assert text.clean("a\u00a0b\u2003c\u3000d") == "a b c d"


def test_cleaned_text_is_cut_only_at_its_length_limit() -> None:
    assert text.clean("abcdef", 5) == "abcde"
    assert text.clean("abcde", 5) == "abcde"
    assert text.clean("abcd\u00e9", 5) == "abcd\u00e9"
    assert len(text.clean("x" * 1000)) == text.MAX_FIELD == 512


def test_cleaned_text_is_unicode_normalized() -> None:
    assert text.clean("e\u0301") == "\u00e9"


def test_a_value_without_unsafe_text_is_returned_itself() -> None:
    record = OrderRecord(order_id="1", order_state="NEW", sym="A", side="BUY")
    assert text.scrub(record) is record
    assert text.scrub(7) == 7
    assert text.scrub(None) is None


def test_cleaning_keeps_non_text_values() -> None:
    assert text.scrub({"a\x07": [1, "b\x07", (2, "c\x07")]}) == {"a": [1, "b", (2, "c")]}


def test_cleaning_a_record_cleans_every_field() -> None:
    evil = "\x1b]52;c;aGk=\x07\u202ex"
    record = OrderRecord(order_id="1", order_state=evil, sym=evil, side=evil, reason=evil, client_order_id=evil)
    shown = text.scrub(record)
    assert all(_is_quiet(value) for value in msgspec.structs.astuple(shown) if isinstance(value, str))
    nested = text.scrub({evil: [evil, (evil,), {"k": evil}]})
    assert _is_quiet(str(list(nested)))


@given(
    st.dictionaries(
        st.text(max_size=5), st.text(st.sampled_from("aé·→\\\u200b\x7f⟦ "), max_size=20) | st.just("x" * 513)
    )
)
@example({"preview": "BUY 0.001 BTC · position 0 → 0.001 …", "sym": "x" * 512})
def test_json_is_clean_only_if_scrubbing_changes_nothing(record: dict[str, str]) -> None:
    is_clean = text.is_clean_json(msgspec.json.encode(record).decode())
    assert not is_clean or text.scrub(record) == record
    within_marks = all(
        set(part) <= set("aBUY0123. CTpositnewvrxsym" + text.OWN_MARKS) for part in (*record, *record.values())
    )
    assert is_clean or not within_marks or any(len(part) > text.MAX_FIELD for part in record.values())


def test_frames_that_need_cleaning_are_found() -> None:
    assert not text.needs_care(b'{"a":"b","c":[1,2]}')
    for frame in (b'{"a":"\\u001b"}', b'{"a":"\x7f"}', '{"a":"é"}'.encode(), b"\xff"):
        assert text.needs_care(frame)


@pytest.mark.parametrize("code", range(0x20))
def test_json_with_raw_control_characters_is_rejected(code: int) -> None:
    with pytest.raises(msgspec.DecodeError):
        msgspec.json.decode(b'{"a":"x' + bytes([code]) + b'"}')


# -- requests: what can be written, and how deep it is ------------------------------------------------------------------

HALF = "\ud83d"
"""Half of a character, as a JSON escape may leave it."""


def nested(levels: int, kind: type, inner: object = "end") -> object:
    """A value inside so many lists or objects."""
    for _ in range(levels):
        inner = [inner] if kind is list else {"k": inner}
    return inner


@pytest.mark.parametrize(
    ("raw", "writable"), [("", True), ("BTC", True), ("é ₿", True), (HALF, False), (f"a{HALF}", False)]
)
def test_text_with_lone_surrogates_is_not_writable(raw: str, writable: bool) -> None:
    assert text.is_writable(raw) is writable
    assert text.is_plain(raw) is writable


@pytest.mark.parametrize("kind", [list, dict])
@pytest.mark.parametrize(
    ("depth", "levels", "plain"), [(0, 0, True), (1, 0, False), (1, 1, True), (3, 3, True), (4, 3, False)]
)
def test_nesting_depth_of_a_value_is_checked(kind: type, depth: int, levels: int, plain: bool) -> None:
    assert text.is_plain(nested(depth, kind), levels) is plain


@pytest.mark.parametrize("kind", [list, dict])
def test_default_nesting_limit_is_32_levels(kind: type) -> None:
    assert text.is_plain(nested(text.MAX_NESTING, kind)) and not text.is_plain(nested(text.MAX_NESTING + 1, kind))


@pytest.mark.parametrize(
    ("value", "plain"),
    [
        ([], True),
        ({}, True),
        (["a", HALF], False),
        ([HALF, "a"], False),
        ({"k": HALF}, False),
        ({HALF: "a"}, False),
        ({"k": ["a", {"k": HALF}]}, False),
        ({"k": ["a", {"k": "b"}], "n": 1}, True),
        ([1, 1.5, None, True], True),
    ],
)
def test_every_text_in_a_value_must_be_writable(value: object, plain: bool) -> None:
    assert text.is_plain(value) is plain


def test_a_traceback_is_cleaned_for_the_log() -> None:
    formatted = "Traceback:\n  File 'a\x1b[31m.py'\n    f(x)\n    ^^^^\nValueError: " + "y" * 600
    lines = text.traceback_lines(formatted)
    assert lines == ["Traceback:", "  File 'a[31m.py'", "    f(x)", "ValueError: " + "y" * 500]
    assert text.traceback_lines("abcdef\n^^^\nab", 3) == ["abc", "ab"]


@pytest.mark.parametrize(
    ("word", "near"),
    [
        ("sel", "sell"), ("selll", "sell"), ("sall", "sell"), ("slel", "sell"), ("lesl", ""), ("hello", ""), ("sell", ""),
        ("se", ""), ("positoins", "positions"), ("opinions", ""),
    ],
)  # fmt: skip
def test_a_short_word_suggests_only_words_one_edit_apart(word: str, near: str) -> None:
    assert text.find_near(word, ["sell", "positions"], least=0.8) == ([near] if near else [])
