"""Prints what the venue answers to every row now, as `documents.json` has it; with `--write` into that file.

Whatever is new in it has to be compared with the documents by hand.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

from tests.venue.walk.calls import VALID
from tests.venue.walk.shape import asked, fields, success
from tests.venue.walk.test_walk import DOCUMENTS, KEY_OF, ROWS
from tests.venue.walk.world import World, start


def main() -> None:
    venue = start()
    found: dict[str, dict[str, Any]] = {}
    try:
        world = World(venue)
        for row in ROWS:
            params = VALID[row.name](world) if row.name in VALID else {}
            _, answer = venue.call(row.method, row.path, params, key=KEY_OF[row.scopes[0]])
            if answer["code"] != success(row):
                print(f"{row.name}: {answer}", file=sys.stderr)
            found[row.name] = {**asked(row), "answer": fields(answer["data"], row.shape)}
            kept = DOCUMENTS.get(row.name, {}).get("ignored")
            if kept:
                found[row.name]["ignored"] = kept
    finally:
        venue.stop()
    text = json.dumps(found, indent=1) + "\n"
    if "--write" in sys.argv:
        (Path(__file__).parent / "documents.json").write_text(text, "utf-8")
    else:
        print(text)


if __name__ == "__main__":
    main()
