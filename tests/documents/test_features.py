"""The table of features: each line has a proof that exists. And the twenty tasks have their places in the guide."""

from __future__ import annotations

import re
from typing import NamedTuple

import pytest

from tests.documents.pages import DOCS
from tests.journeys.tasks import TASKS
from tests.lint.rooms import TOP

PAGE = DOCS / "features.md"
_PROOF = re.compile(r"`(tests/[\w/]+\.py)::(test_\w+)`|`(screenshots/[\w-]+\.svg)`")


class Row(NamedTuple):
    """Line of the table."""

    section: str
    feature: str
    text: str
    proofs: list[str]


def rows() -> list[Row]:
    """Read the lines of the tables, their heads left out."""
    found: list[Row] = []
    section = ""
    for line in PAGE.read_text().splitlines():
        if line.startswith("## "):
            section = line.removeprefix("## ")
        elif line.startswith("| ") and not line.startswith("| Feature"):
            feature, text, proofs = (cell.strip() for cell in line.strip("|").split("|"))
            found.append(Row(section, feature, text, proofs.split(", ")))
    return found


def problem(proof: str) -> str:
    """Say what is wrong with one of the proofs of a line; nothing if it exists."""
    found = _PROOF.fullmatch(proof)
    if found is None:
        return f"{proof} is no test and no picture"
    test, name, picture = found.groups()
    file = TOP / (test or picture)
    if not file.is_file():
        return f"no file {test or picture}"
    return "" if picture or re.search(rf"^(async )?def {name}\(", file.read_text(), re.MULTILINE) else f"no {name}"


@pytest.mark.parametrize("row", rows(), ids=lambda row: f"{row.section}: {row.feature}")
def test_each_feature_on_the_page_has_a_text_and_existing_proofs(row: Row) -> None:
    assert row.feature and row.text.endswith(".")
    assert [text for proof in row.proofs if (text := problem(proof))] == []


def test_the_table_of_features_has_every_section() -> None:
    sections = [row.section for row in rows()]
    assert {name: sections.count(name) for name in dict.fromkeys(sections)} == {
        "The whole": 24,
        "Panes, movement, keys": 14,
        "Live data": 11,
        "Configuration, themes, surroundings": 15,
        "Order entry": 14,
    }


@pytest.mark.parametrize(
    ("proof", "text"),
    [
        ("tests/lint/test_words.py::test_nothing", "no test_nothing"),
        ("tests/lint/test_gone.py::test_nothing", "no file tests/lint/test_gone.py"),
        ("screenshots/none-1x1-dark.svg", "no file screenshots/none-1x1-dark.svg"),
    ],
)
def test_a_proof_that_does_not_exist_is_noticed(proof: str, text: str) -> None:
    assert problem(f"`{proof}`") == text
    assert problem("by hand") == "by hand is no test and no picture"


def test_the_contents_page_links_each_task_to_its_section() -> None:
    lines = (DOCS / "index.md").read_text().splitlines()
    linked = {found[1]: found[2] for line in lines if (found := re.match(r"\| \[([^]]+)\]\((\S+\.md#\S+)\) \|", line))}
    assert list(linked) == [task.title for task in TASKS]
