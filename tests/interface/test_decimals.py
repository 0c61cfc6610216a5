"""The grammar of numbers, and how figures are printed."""

from __future__ import annotations

from decimal import Decimal, DivisionByZero, getcontext, localcontext

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tui.interface import decimals

NEVER = ["", " 1", "1 ", "1_000", "١٢", "NaN", "Infinity", "-Infinity", "1e999", ".5", "5.", "+1", "0x1", "1,5"]
NEVER += ["--1", "1\n", "1" * 31]


@pytest.mark.parametrize("text", NEVER)
def test_reply_numbers_must_be_plain_numbers(text: str) -> None:
    assert decimals.optional(text) is None


def test_parsed_numbers_are_cached_and_overlong_texts_are_not() -> None:
    longest = f"-{'1' * 30}.{'2' * 30}e+10"
    assert len(longest) <= decimals.LONGEST and decimals.optional(longest) == Decimal(longest)
    assert decimals.optional("64000.5") is decimals.optional("64000.5")
    before = decimals._figure.cache_info().currsize
    assert decimals.optional("7" * (decimals.LONGEST + 1)) is None
    assert decimals._figure.cache_info().currsize == before


@pytest.mark.parametrize("text", [*NEVER, "-1", "1e5"])
def test_request_numbers_allow_no_sign_or_exponent(text: str) -> None:
    with pytest.raises(decimals.BadDecimal):
        decimals.parse_request(text)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "3,5",
        "1e5",
        "nan",
        "1_00",
        "1000_000",
        "01_000",
        "-1",
        ".",
        ".k",
        "1.",
        "05",
        "00",
        "k",
        "1kk",
        "٣",
        "1" * 41,
    ],
)
def test_an_invalid_typed_number_is_rejected_and_never_corrected(text: str) -> None:
    with pytest.raises(decimals.BadDecimal) as caught:
        decimals.parse_typed(text)
    assert len(str(caught.value)) > 10


@pytest.mark.parametrize(
    ("typed", "said"),
    [
        ("", "empty; type digits with at most one dot, for example 1.5"),
        ("1" * 41, "longer than 40 characters"),
        ("nan", "'nan' is not accepted; write digits with at most one dot, for example 1.5"),
        ("1,5,5", "'1,5,5' is not accepted; write digits with at most one dot, for example 1.5"),
        ("10,25", "'10,25' is not accepted; write digits with at most one dot, for example 10.25"),
        (
            "1,000",
            "'1,000' is not accepted; write digits with at most one dot, for example 1000 (a dot begins decimals)",
        ),
        ("61,000.5", "'61,000.5' is not accepted; write digits with at most one dot, for example 61000.5"),
        ("1,234,500", "'1,234,500' is not accepted; write digits with at most one dot, for example 1234500"),
    ],
)
def test_an_invalid_typed_number_has_the_right_message(typed: str, said: str) -> None:
    with pytest.raises(decimals.BadDecimal) as caught:
        decimals.parse_typed(typed)
    assert str(caught.value) == said


@pytest.mark.parametrize(
    ("typed", "value", "sent"),
    [
        (".5", "0.5", "0.5"),
        ("0.5", "0.5", "0.5"),
        ("0", "0", "0"),
        ("0.250", "0.250", "0.250"),
        ("16_000", "16000", "16000"),
        ("1_234_567.5", "1234567.5", "1234567.5"),
        ("16k", "16000", "16000"),
        (".5k", "500", "500"),
        ("2.5M", "2500000", "2500000"),
    ],
)
def test_typed_numbers_are_parsed_by_the_grammar(typed: str, value: str, sent: str) -> None:
    assert decimals.parse_typed(typed) == Decimal(value)
    assert decimals.normalize_typed(typed) == sent


@pytest.mark.parametrize(
    ("typed", "hint"),
    [
        ("05", "0.5 or 5"),
        ("00", "may be the rest of another number: write it whole, for example 100"),
        ("5.", "ends with a dot; write digits behind it, or 5"),
        ("3,5", "for example 3.5"),
    ],
)
def test_an_invalid_typed_number_suggests_a_valid_form(typed: str, hint: str) -> None:
    with pytest.raises(decimals.BadDecimal, match=hint):
        decimals.parse_typed(typed)


def test_parsed_numbers_are_exact() -> None:
    assert decimals.parse_typed("1" * 40) == Decimal("1" * 40)
    assert decimals.parse_typed("0.10") == Decimal("0.10")
    assert decimals.parse_request("30.5") == Decimal("30.5")
    assert decimals.optional("-1.5E+12") == Decimal("-1.5E+12")
    assert decimals.optional("") is None
    assert decimals.optional("-2.5") == Decimal("-2.5")


def test_number_errors_quote_at_most_40_characters() -> None:
    with pytest.raises(decimals.BadDecimal) as caught:
        decimals.parse_request("x" * 99)
    assert str(caught.value) == f"not a plain decimal: {'x' * 40!r}"


def test_rounding_does_not_depend_on_the_decimal_context() -> None:
    long = Decimal("123456789012345678901234567890.123456789")
    with localcontext() as few:
        few.prec = 5
        assert str(decimals.half_up(long, 2)) == "123456789012345678901234567890.12"
        assert decimals.truncate(long, 3) == "123456789012345678901234567890.123"
    assert decimals.truncate(Decimal("1.55"), 2) == "1.55"
    assert decimals.truncate(Decimal("1.559"), 2) == "1.55"
    assert decimals.truncate(Decimal("-1.559"), 2) == "-1.55"
    assert str(decimals.half_up(Decimal("2.345"), 2)) == "2.35"
    assert str(decimals.half_up(Decimal("-2.345"), 2)) == "-2.35"
    assert str(decimals.half_up(Decimal(3), 2)) == "3.00"


@pytest.mark.parametrize(
    ("tick", "shown"), [("0.1", "61662.95"), ("0.10", "61662.95"), ("0.5", "61662.95"), ("5", "61662.9")]
)
def test_an_average_is_rounded_to_a_tenth_of_the_tick(tick: str, shown: str) -> None:
    assert decimals.round_to_tenth(Decimal("61662.9454"), Decimal(tick)) == Decimal(shown)


def test_decimal_context_has_fifty_digits_and_raises_errors() -> None:
    with localcontext():
        decimals.setup()
        assert getcontext().prec == decimals.PRECISION
        assert getcontext() is not decimals.CONTEXT
        with pytest.raises(DivisionByZero):
            Decimal(1) / 0


def test_a_number_with_a_comma_suggests_the_dot_form() -> None:
    with pytest.raises(decimals.BadDecimal, match=r"3\.5"):
        decimals.parse_typed("3,5")


def test_a_missing_number_is_none_and_zero_is_zero() -> None:
    assert decimals.optional(None) is None
    assert decimals.optional("0") == 0


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        ("1E+3", "1000"),
        ("0.00", "0"),
        ("-0", "0"),
        ("1.500", "1.5"),
        ("100", "100"),
        ("100.0", "100"),
        ("-1.50", "-1.5"),
        ("0.00000001", "0.00000001"),
        ("1.0000000000000000000000001", "1.0000000000000000000000001"),
    ],
)
def test_plain_number_text_has_no_exponent_or_trailing_zeros(value: str, shown: str) -> None:
    assert decimals.plain(Decimal(value)) == shown


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        *(("0", "0"), ("0.00", "0"), ("-0", "0"), ("-0.00", "0"), ("0E+3", "0")),
        *(("-0.0000000000000000009", "0"), ("100", "100"), ("1E+3", "1000"), ("-250", "-250"), ("2.000", "2")),
        *(("1.50", "1.5"), ("10.10", "10.1"), ("0.10", "0.1"), ("-2.50", "-2.5"), ("1E-18", "0.000000000000000001")),
    ],
)
def test_truncated_numbers_are_plain_text(value: str, shown: str) -> None:
    assert decimals.truncate(Decimal(value)) == shown


@pytest.mark.parametrize(
    ("value", "step", "shown"),
    [
        ("61882", None, "61,882"),
        ("61882.50", None, "61,882.50"),
        ("6E+4", None, "60,000"),
        ("61882", "0.1", "61,882.0"),
        ("61882", "0.10", "61,882.0"),
        ("61882.25", "0.1", "61,882.25"),
        ("61880", "1E+1", "61,880"),
        ("-1234567.8", "0.001", "-1,234,567.800"),
        ("0", "0.01", "0.00"),
    ],
)
def test_grouped_number_has_at_least_the_decimals_of_its_tick(value: str, step: str | None, shown: str) -> None:
    assert decimals.format_grouped(Decimal(value), None if step is None else Decimal(step)) == shown


def test_long_numbers_are_truncated_and_not_rounded() -> None:
    assert decimals.truncate(Decimal("0.0002673733102054279999")) == "0.000267373310205427"
    assert decimals.truncate(Decimal("28.41392812399"), 10) == "28.4139281239"
    assert decimals.half_up(Decimal("0.03525"), 4) == Decimal("0.0353")


@given(st.decimals(allow_nan=False, allow_infinity=False, places=12, min_value=-(10**15), max_value=10**15))
def test_a_printed_number_is_parsed_back_exactly(value: Decimal) -> None:
    assert decimals.optional(decimals.plain(value)) == value


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("0.1", Decimal("0.1")),
        ("1", Decimal(1)),
        ("0", None),
        ("0.0", None),
        ("-1", None),
        ("", None),
        ("x", None),
        (None, None),
    ],
)
def test_a_number_not_above_zero_counts_as_missing(text: str | None, value: Decimal | None) -> None:
    assert decimals.positive(text) == value


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [("0.1", "0.10", True), ("0.1", "0.2", False), ("", "", True), ("", "0", False), ("live", "live", True)],
)
def test_numbers_in_another_notation_compare_equal(one: str, other: str, same: bool) -> None:
    assert decimals.is_same_figure(one, other) is same
