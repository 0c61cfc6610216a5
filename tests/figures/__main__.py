"""`python -m tests.figures --readme` writes the README's table; `--check` says what is short of a gate or out of date."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence

from tests.figures import table
from tests.figures.artifact import judged, missed, outdated


def main(words: Sequence[str] | None = None) -> int:
    """The exit code of `--check` is 1 when a gate is missed, figures are older than the code, or the README differs."""
    reader = argparse.ArgumentParser(prog="python -m tests.figures")
    what = reader.add_mutually_exclusive_group(required=True)
    what.add_argument("--readme", action="store_true", help="write the table into the README")
    what.add_argument("--check", action="store_true", help="compare artifacts with gates, and the README with them")
    if reader.parse_args(words).readme:
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


if __name__ == "__main__":
    sys.exit(main())
