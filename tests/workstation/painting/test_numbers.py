"""Figures in cells."""

from __future__ import annotations

from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tui.engine.modes import Environment
from tui.interface import decimals
from tui.workstation.model import adl_ranks, number_format
from tui.workstation.model.instruments import intent_word, short_name
from tui.workstation.render.palette import PLAIN, Palette
from tui.workstation.render.strips import line, whole_pieces
from tui.workstation.render.text import _fit, fit, width


@pytest.mark.parametrize(
    ("text", "places", "shown"),
    [
        ("64001", 1, "64,001.0"), ("64001.10", 1, "64,001.1"), ("", 1, "–"), (None, 2, "–"), ("x", 2, "–"), ("0", 2, "0.00"),
        ("-1234567.891", 2, "-1,234,567.89"), ("1e3", 0, "1,000"),
        ("0.000000001", None, "0.000000001"), ("1.005", 2, "1.01"),
    ],
)  # fmt: skip
def test_numbers_are_formatted_with_separators_and_decimals(text: str | None, places: int | None, shown: str) -> None:
    assert number_format.figure(text, places) == shown


FIGURES = st.one_of(
    st.from_regex(r"\A[0-9]{0,22}(\.[0-9]{0,6})?\Z"),
    st.from_regex(r"\A-?[0-9]{1,12}(\.[0-9]{1,8})?(e-?[0-9])?\Z"),
    st.sampled_from(
        ["", "0", "00", "0.0", "007.10", "-0.00", "+1.5", " 1.5", "1.5 ", "1_000.5", "٣.٤", "²", "1.²", ".5", "5."]
    ),
)


@given(FIGURES, st.integers(0, 6), st.booleans(), st.booleans())
def test_a_number_as_text_is_formatted_as_the_same_decimal(text: str, places: int, groups: bool, exact: bool) -> None:
    computed = number_format.decimal_figure(decimals.optional(text), places, separators=groups, exact=exact)
    assert number_format.figure(text, places, separators=groups, exact=exact) == computed


@given(st.one_of(st.text(max_size=12), st.text("0123456789.,-%+ ", max_size=12)), st.integers(0, 12), st.booleans())
def test_the_quick_fit_of_ascii_text_equals_the_general_fit(text: str, cells: int, right: bool) -> None:
    assert fit(text, cells, right=right) == _fit(text, cells, right=right)


def test_exact_format_keeps_all_decimals_of_a_price() -> None:
    assert number_format.figure("64001.05", 1, separators=True, exact=True) == "64,001.05"
    assert number_format.figure("64001.1000", 1, separators=True, exact=True) == "64,001.1"


def test_signed_numbers_and_ages_are_formatted() -> None:
    assert number_format.format_signed("5", 2) == "+5.00"
    assert number_format.format_signed("-5", 2) == "-5.00"
    assert number_format.format_signed("0.001", 2) == "0.00"
    assert number_format.format_signed("-0.001", 2) == "0.00", "what rounds to nothing has no sign"
    assert number_format.format_signed("", 2) == "–"
    assert [number_format.age(s) for s in (0.05, 9.94, 41, 700, 9000, 400000)] == [
        "0.1s",
        "9.9s",
        "41s",
        "11m",
        "2h",
        "4d",
    ]
    assert number_format.ticks_between(Decimal("1.0"), Decimal("1.5"), Decimal("0.1")) == 5
    assert number_format.moment(0) == "–"
    assert f"{number_format.basis_points(Decimal('61777.1'), Decimal('61776.9')):+}" == "+0.0"
    assert f"{number_format.points_from(Decimal('61777.1'), Decimal('61776.9')):+}" == "+0.0"
    for percent in (1, -1, 2, -50):  # those of the middle between both told 100.5 for 1 % below
        price = Decimal(60000) * (100 + percent) / 100
        assert number_format.points_from(Decimal(60000), price) == 100 * percent


def test_fitted_text_is_exactly_as_wide_as_requested() -> None:
    for text in ("abc", "日本語日本語", "x" * 50, "", "é́"):
        for cells in range(1, 12):
            for right in (True, False):
                assert width(fit(text, cells, right=right)) == cells


def test_adl_rank_is_shown_in_lights_by_the_scale_of_its_venue() -> None:
    assert adl_ranks.lights("4", "BINANCE", Environment.PAPER) == (4, True)
    assert adl_ranks.lights("0", "BINANCE", Environment.LIVE) == (1, True)
    assert adl_ranks.lights("4", "BINANCE", Environment.LIVE) == (5, True)
    assert adl_ranks.lights("3", "OKX", Environment.LIVE) == (3, True)
    assert adl_ranks.lights("9", "EDX", Environment.LIVE) == (5, False)
    assert adl_ranks.lights("HEDGE", "BINANCE", Environment.LIVE) is None


def test_pairs_and_order_effects_have_short_names() -> None:
    assert short_name("BINANCE_PERP_BTC_USDT") == "BINANCE BTC"
    assert short_name("odd") == "odd"
    assert intent_word("BINANCE_PERP_BTC_USDT", "SELL", "LONG") == "close long"
    assert intent_word("BINANCE_SPOT_BTC_USDT", "SELL", "NONE") == "sell spot"


def test_a_line_that_does_not_fit_is_cut_with_one_ellipsis() -> None:
    strip = line([("abcdef", "text"), ("ghij", "dim"), ("klm", "text")], 8, Palette(PLAIN))
    assert strip.text == "abcdefg…" and strip.cell_length == 8
    strip = line([("abc", "text"), ("x" * 9, "dim"), ("klm", "text")], 8, Palette(PLAIN))
    assert strip.text == "abcxxxx…"


def test_a_position_side_is_read_by_sign_or_kept_if_unknown() -> None:
    from tui.interface.families.positions import PositionRecord
    from tui.interface.figures import leg_of

    for side, quantity, leg in (
        ("NONE", "1", "LONG"),
        ("NET", "-1", "SHORT"),
        ("", "1", "LONG"),
        ("SHORT", "1", "SHORT"),
        ("BOTH", "1", "BOTH"),
    ):
        assert leg_of(PositionRecord(sym="OKX_PERP_BTC_USDT", position_side=side, position_qty=quantity)) == leg


def test_a_pane_title_drops_whole_pieces_that_do_not_fit() -> None:
    pieces = [(" 2 Orders", "title"), (" · STALE", "bad"), (" · [0] back", "dim")]
    shown = {cells: "".join(text for text, _ in whole_pieces(pieces, cells)) for cells in (40, 24, 16)}
    assert shown == {40: " 2 Orders · STALE · [0] back", 24: " 2 Orders · STALE · …", 16: " 2 Orders · …"}
