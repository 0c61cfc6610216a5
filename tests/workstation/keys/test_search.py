"""What a few typed letters find, and which hit is the better one."""

from __future__ import annotations

import pytest

from tui.workstation.input.search import find, index_title


def best(query: str, *titles: str) -> list[str]:
    """Titles that are found, the best first."""
    hits = [(found, title) for title in titles if (found := find(query, index_title(title))) is not None]
    return [title for _, title in sorted(hits)]


@pytest.mark.parametrize(
    ("query", "titles"),
    [
        ("or", ("orders", "a form or", "the order", "go far")),
        ("canc", ("cancel now", "say cancel", "c a n c")),
        ("okx btc", ("OKX BTC perp", "OKX BTC/USDC perp")),
        ("cs", ("cancel in a scope", "say choices")),
    ],
)
def test_palette_search_ranks_word_starts_first(query: str, titles: tuple[str, ...]) -> None:
    assert best(query, *reversed(titles)) == list(titles)


@pytest.mark.parametrize(
    ("query", "title", "found"),
    [
        ("", "orders", True),
        ("P&L", "p&l", True),
        ("btcokx", "OKX BTC perp", False),
        ("okxbtc", "OKX BTC perp", True),
        ("perp okx", "OKX BTC perp", True),
        ("okx eth", "OKX BTC perp", False),
        ("[", "orders", False),
        ("oo", "orders", False),
    ],
)
def test_palette_search_requires_every_typed_word_to_match(query: str, title: str, found: bool) -> None:
    assert (find(query, index_title(title)) is not None) is found


def test_palette_search_ranks_title_matches_above_synonyms() -> None:
    plain, named = index_title("orders"), index_title("pane number two", "orders.show")
    hits = [find("ord", plain), find("ord", named)]
    assert hits[0] is not None and hits[1] is not None and hits[0] < hits[1]
