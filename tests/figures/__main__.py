"""`python -m tests.figures --write` writes the figures into the documents, `--check` says what is out of date.

`--collect nightly` adds what tests measured last on these sources to the artifact of that gate, as
`pytest -m nightly --publish` does at its end.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence

from tests.figures import accidents, desks, packages, table
from tests.figures.artifact import GATES, DirtyTree, collect, judged, missed, outdated


def main(words: Sequence[str] | None = None) -> int:
    """The exit code of `--check` is 1 when a gate is missed, figures are older than the code, or a document differs."""
    reader = argparse.ArgumentParser(prog="python -m tests.figures")
    what = reader.add_mutually_exclusive_group(required=True)
    what.add_argument("--write", action="store_true", help="write the figures into docs/verification.md and README.md")
    what.add_argument("--check", action="store_true", help="compare artifacts with gates, and the documents with them")
    what.add_argument("--collect", choices=GATES, help="add what tests measured last to the artifact of a gate")
    asked = reader.parse_args(words)
    if asked.collect:
        return _collect(asked.collect)
    if asked.write:
        table.write()
        desks.write()
        accidents.write()
        packages.write()
        return 0
    found = table.artifacts()
    wrong = [f"{one['gate']}: {text}" for one in found for text in missed(one)]
    wrong += [f"{one['gate']}: the gates changed since it was published" for one in found if judged(one) != one]
    wrong += [
        f"the figures of {page} are not the artifacts': python -m tests.figures --write"
        for page in table.outdated_blocks()
    ]
    wrong += outdated()
    print("\n".join(wrong or ["every gate is reached and the documents say so" if found else "nothing is published"]))
    return 1 if wrong else 0


def _collect(gate: str) -> int:
    """The exit code is 1 while a gate is missed, 2 when nothing could be written."""
    try:
        short = missed(collect(gate))
    except DirtyTree as error:
        print(error)
        return 2
    print("\n".join([f"{gate} gate not reached: {text}" for text in short] or [f"every {gate} gate is reached"]))
    return 1 if short else 0


if __name__ == "__main__":
    sys.exit(main())
