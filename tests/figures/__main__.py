"""`python -m tests.figures --readme` writes the README's table, `--check` says what is short of a gate or out of date.

`--collect nightly` adds what tests measured last on these sources to the artifact of that gate, as
`pytest -m nightly --publish` does at its end.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence

from tests.figures import table
from tests.figures.artifact import GATES, DirtyTree, collect, judged, missed, outdated


def main(words: Sequence[str] | None = None) -> int:
    """The exit code of `--check` is 1 when a gate is missed, figures are older than the code, or the README differs."""
    reader = argparse.ArgumentParser(prog="python -m tests.figures")
    what = reader.add_mutually_exclusive_group(required=True)
    what.add_argument("--readme", action="store_true", help="write the table into the README")
    what.add_argument("--check", action="store_true", help="compare artifacts with gates, and the README with them")
    what.add_argument("--collect", choices=GATES, help="add what tests measured last to the artifact of a gate")
    asked = reader.parse_args(words)
    if asked.collect:
        return _collect(asked.collect)
    if asked.readme:
        table.write()
        return 0
    found = table.artifacts()
    wrong = [f"{one['gate']}: {text}" for one in found for text in missed(one)]
    wrong += [f"{one['gate']}: the gates changed since it was published" for one in found if judged(one) != one]
    if table.shown() != table.rendered(found):
        wrong.append("the README's table is not the artifacts': python -m tests.figures --readme")
    wrong += outdated()
    print("\n".join(wrong or ["every gate is reached and the README says so" if found else "nothing is published"]))
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
