"""The catalogue has every endpoint of the interface, each once, as published."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest

from tui.interface import catalogue, errors

PUBLISHED = list(csv.DictReader((Path(__file__).parent / "endpoints.csv").open()))


def test_catalogue_has_exactly_the_published_endpoints() -> None:
    assert sorted(catalogue.BY_KEY) == sorted(f"{row['method']} {row['path']}" for row in PUBLISHED)
    assert len(catalogue.BY_NAME) == len(catalogue.ROWS) == len(PUBLISHED)


@pytest.mark.parametrize("published", PUBLISHED, ids=lambda row: f"{row['method']} {row['path']}")
def test_catalogue_endpoint_matches_the_published_one(published: dict[str, str]) -> None:
    row = catalogue.BY_KEY[f"{published['method']} {published['path']}"]
    assert row.family == published["family"]
    assert row.permission.value == published["permission"]
    assert "+".join(scope.value for scope in row.scopes) == published["key_scope"]
    assert str(row.success).lower() == published["success_code"]
    assert f"{row.limit.count}/{row.limit.seconds}" == published["rate_limit"]
    assert row.paged == (published["paginated"] == "yes")
    assert row.asynchronous == (published["mode"] == "async")
    assert bool(row.removed) == bool(published["deprecated_or_removed"])
    assert row.replacement == published["replacement"]


def test_parameter_names_of_an_endpoint_are_unique() -> None:
    for row in catalogue.ROWS:
        names = [name for param in row.params for name in (param.name, *param.aliases)]
        assert len(names) == len(set(names)), row.name


SPELLINGS = (
    ("exchange", "exchangeType"),
    ("begin", "startTime"),
    ("end", "endTime"),
    ("page", "pageNum"),
    ("limit", "pageSize"),
)
"""Names of one thing: whichever a row is documented with, the other is read as well."""


@pytest.mark.parametrize("pair", SPELLINGS, ids="-".join)
def test_an_endpoint_parameter_accepts_both_of_its_names(pair: tuple[str, str]) -> None:
    for row in catalogue.ROWS:
        for param in row.params:
            names = {param.name, *param.aliases}
            if param.name in pair:
                assert names >= set(pair), f"{row.name}: {param.name}"


def test_error_codes_are_unique_and_unknown_ones_have_a_family() -> None:
    assert len(errors.BY_CODE) == len(errors.KNOWN) == 134
    assert errors.lookup(401099).shows == "Trading rule broken, see message"
    assert errors.lookup(401250).shows == "Algo order rule broken, see message"
    assert errors.lookup(400099).shows == "Request rejected, see message"
    assert errors.lookup(400099).for_write is errors.ErrorClass.UNSURE
    assert errors.lookup(100099).shows == "Key or portfolio rule broken, see message"
    assert errors.lookup(401921).for_write is errors.ErrorClass.STATE
    assert errors.lookup(77).for_write is errors.ErrorClass.UNSURE
    assert errors.lookup(601004).for_write is errors.ErrorClass.UNSURE
    families = (100099, 400099, 401059, 401128, 401250, 404099, 405099, 406099, 601099)
    assert all(errors.lookup(code).then for code in families), "each says what to do next"
    assert errors.describe_code(401099, "why") == (
        "401099 Trading rule broken, see message; nothing was done; change the order, "
        "or look at position, margin and mode first: why"
    )
    assert errors.describe_code(401017, "too small") == "401017 Order value too small: too small"
