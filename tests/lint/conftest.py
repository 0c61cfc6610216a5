"""Trees of the sources are read once for all tests of this folder, and given back behind the last of them."""

from __future__ import annotations

import gc
from collections.abc import Iterator

import pytest

from tests.lint import graph


@pytest.fixture(autouse=True, scope="package")
def _trees_are_no_garbage() -> Iterator[None]:
    """Look for no garbage while the trees grow: there is none among them, and looking takes longer than reading."""
    gc.disable()
    yield
    graph.forget()
    gc.enable()
