"""Random docstrings, test names and screen texts, to be explained by somebody who has not seen the project.

`python -m tests.lint.reading_sample --seed TEXT [--count 20]` prints them; the seed is the hash of a commit.
"""

from __future__ import annotations

import argparse
import ast
import random
import re
from collections.abc import Iterator
from pathlib import Path

from tests.lint import graph, keys
from tests.lint.words import ROOT

WORDS = re.compile(r"[A-Za-z][a-z]+")
NEVER_SHOWN = re.compile(r"\{ \w+: |\(\?[:P=!<]|\\|</?[A-Za-z]\w*[ >]|^\S+$")
"""Styles, regular expressions, markup and names of fields, which are constants of several words and no texts."""
UNSEEN_FILES = ("synonyms.py", "svg.py")
"""Files of words that are searched for, and of the markup of a picture; neither is read on the screen."""
ACTION_TABLES = ("actions.py", "view_actions.py")
"""Files of the keys; they are drawn as the page of keys shows them, with place, title and reason in one row."""
LEAST_WORDS = 4
"""Words of a text that is worth explaining."""

LONGEST_PLACEHOLDER = 40
"""Characters of a placeholder; a longer one is an ellipsis."""


def list_docstrings(folder: Path) -> Iterator[str]:
    """Yield the first lines of the docstrings below a folder, with what they describe; a method with its class."""
    kinds = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
    for path in sorted(folder.rglob("*.py")):
        tree = graph.tree(path)
        of_classes = [node for node in ast.walk(tree) if isinstance(node, ast.ClassDef)]
        owners = {id(part): f"{node.name}." for node in of_classes for part in node.body}
        for node in ast.walk(tree):
            if isinstance(node, kinds) and (text := ast.get_docstring(node)):
                yield f"{path.relative_to(ROOT)} {owners.get(id(node), '')}{node.name}: {text.splitlines()[0]}"


def list_test_names(folder: Path) -> Iterator[str]:
    """Yield the names of the tests below a folder, as pytest prints them."""
    for path in sorted(folder.rglob("test_*.py")):
        for node in ast.walk(graph.tree(path)):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node.name.startswith("test_"):
                yield f"{path.relative_to(ROOT)}::{node.name}"


def _part_of(part: ast.expr) -> str:
    """Return a part of a text; a placeholder as the code names what stands there."""
    if isinstance(part, ast.Constant):
        return str(part.value)
    name = ast.unparse(part.value) if isinstance(part, ast.FormattedValue) else ""
    return f"{{{name}}}" if 0 < len(name) <= LONGEST_PLACEHOLDER else "…"


def list_texts(folder: Path) -> Iterator[str]:
    """Yield the texts of the screen below a folder: constants of several words, with the file they stand in."""
    for path in sorted(folder.rglob("*.py")):
        if path.name in (*UNSEEN_FILES, *ACTION_TABLES):
            continue
        tree = graph.tree(path)
        documents = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
        parts = {id(part) for node in ast.walk(tree) if isinstance(node, ast.JoinedStr) for part in node.values}
        for node in ast.walk(tree):
            if id(node) in parts:
                continue  # a fragment of a longer text
            if isinstance(node, ast.JoinedStr):
                values = node.values
            elif isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in documents:
                values = [node]
            else:
                continue
            fixed = " ".join(str(part.value) for part in values if isinstance(part, ast.Constant))
            if len(WORDS.findall(fixed)) >= LEAST_WORDS and not NEVER_SHOWN.search(fixed):
                yield f"{path.relative_to(ROOT)}: {''.join(map(_part_of, values))}"


def list_keys() -> Iterator[str]:
    """Yield the rows of the page of keys: key, place, what it does, why it is this key or what to know."""
    rows = (line.strip("| ") for line in keys.all_keys().splitlines() if line.startswith("| `"))
    yield from (f"page of keys: {row}" for row in rows)


def main() -> None:
    """Run the command."""
    parser = argparse.ArgumentParser(prog="python -m tests.lint.reading_sample")
    parser.add_argument("--seed", required=True)
    parser.add_argument("--count", type=int, default=20)
    chosen = parser.parse_args()
    draw = random.Random(chosen.seed)
    for title, texts in (
        ("Docstrings", list_docstrings(ROOT / "tui")),
        ("Names of tests", list_test_names(ROOT / "tests")),
        ("Texts of the screen", [*list_texts(ROOT / "tui/workstation"), *list_keys()]),
    ):
        print(f"## {title}")
        for number, text in enumerate(draw.sample(sorted(set(texts)), chosen.count), 1):
            print(f"{number}. {text}")


if __name__ == "__main__":
    main()
