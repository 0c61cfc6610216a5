"""The import graph between rooms, drawn from the code: `python -m tests.lint.rooms --write` puts it into the map."""

from __future__ import annotations

import sys
from pathlib import Path

from tests.lint import graph

TOP = Path(__file__).parent.parent.parent
MAP = TOP / "tui" / "README.md"
DESIGN = TOP / "docs" / "design"
BEGIN, END = "<!-- rooms: drawn from the code -->", "<!-- end of rooms -->"


def room_of(module: str) -> str | None:
    """The room a module stands in: a folder of `tui`, one of the two halves of the venue, or a single file."""
    parts = module.split(".")
    if parts[0] != "tui" or len(parts) < 2:
        return None
    if parts[1] == "venue":
        return ".".join(parts[1:3]) if len(parts) > 2 else None
    return parts[1]


def _is_room(name: str) -> bool:
    place = TOP / "tui" / name.replace(".", "/")
    return place.is_dir() or place.with_suffix(".py").is_file()


def arrows() -> dict[str, set[str]]:
    """Room -> rooms it imports, also inside functions."""
    found: dict[str, set[str]] = {}
    for name, wanted in graph.imports(graph.modules()).items():
        here = room_of(name)
        if here is not None:
            rooms = {there for other in wanted if (there := room_of(other)) is not None and _is_room(there)}
            found.setdefault(here, set()).update(rooms - {here})
    return found


def drawing() -> str:
    """Draw the graph, one line for each room."""
    graph = arrows()
    width = max(len(room) for room in graph)
    lines = [f"{room:<{width}}  ->  {' '.join(sorted(graph[room])) or '-'}" for room in sorted(graph)]
    return "\n".join(["```text", *lines, "```"])


def main() -> None:
    text = MAP.read_text()
    head, rest = text.split(BEGIN)
    _, tail = rest.split(END)
    fresh = f"{head}{BEGIN}\n{drawing()}\n{END}{tail}"
    if "--write" in sys.argv:
        MAP.write_text(fresh)
    else:
        print(drawing())


if __name__ == "__main__":
    main()
