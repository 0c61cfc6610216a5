"""`python -m tests.lint.graph`: the imports of the product file by file; circles, arrows that run up, what is too large.

The exit code is 1 when there is anything to print. An arrow runs up when a room or folder imports one that stands above
it in `LAYERS`; imports inside functions and for types only count like all others.
"""

from __future__ import annotations

import ast
import sys
from collections import defaultdict
from collections.abc import Iterator
from functools import cache
from pathlib import Path

TOP = Path(__file__).parent.parent.parent
PRODUCT = "tui"
MOST_FILES = 16
"""Files side by side in a folder, `__init__` not counted."""
NEEDS_EXTRA = frozenset(["tui.agents.mcp_server"])
"""Modules that cannot be imported without an extra of the package."""
MOST_LINES = 40
"""Of a function."""
WIDE_FOLDERS = frozenset(["tui/interface/families"])
"""Folders that may hold more files: one for each family of endpoints."""

LAYERS: dict[str, tuple[str, ...]] = {
    "tui": (
        "crossdesk_error", "private_files", "protocols", "interface", "rules", "client", "engine", "desk_protocol",
        "programs", "agents", "page", "workstation", "settings", "host", "cli",
    ),
    "tui.venue": ("core", "shell"),
    "tui.engine": (
        "intents", "limits", "rows", "settings", "conflating_queue", "state", "orders", "journal", "sync",
        "trading_session", "engine",
    ),
    "tui.workstation": ("model", "render", "table", "tickets", "widgets", "commands", "features", "app", "plain"),
    "tui.venue.core": ("market", "state", "accounts", "trading", "liquidation", "participants", "queries", "exchange"),
    "tui.venue.shell": ("storage", "streams", "server"),
}  # fmt: skip
"""Parent -> its rooms from the lowest to the highest; those that are not named stand beside all."""

Graph = dict[str, set[str]]


@cache
def tree(path: Path) -> ast.Module:
    """What a file says; each is read once."""
    return ast.parse(path.read_text("utf-8"))


@cache
def nodes(path: Path) -> tuple[ast.AST, ...]:
    """Everything that a file says at any depth; the way through its tree takes as long as reading it."""
    return tuple(ast.walk(tree(path)))


def forget() -> None:
    """Give back what was read: millions of small objects among which garbage would be looked for."""
    tree.cache_clear()
    nodes.cache_clear()


def modules() -> dict[str, Path]:
    """Every module of the product by its dotted name."""
    found = {}
    for path in sorted((TOP / PRODUCT).rglob("*.py")):
        parts = path.relative_to(TOP).with_suffix("").parts
        found[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
    return found


def imports(known: dict[str, Path]) -> Graph:
    """Module -> the modules of the product that it imports, at any depth of its code."""
    graph: Graph = {}
    for name, path in known.items():
        wanted: set[str] = set()
        for node in nodes(path):
            if isinstance(node, ast.Import):
                wanted.update(alias.name for alias in node.names)
            elif isinstance(node, ast.ImportFrom) and node.module:
                inside = {f"{node.module}.{alias.name}" for alias in node.names}
                wanted.update(inside & known.keys() or {node.module})
        graph[name] = {one for one in wanted if one in known and one != name}
    return graph


def circles(graph: Graph) -> list[list[str]]:
    """Groups of modules that import each other, by Tarjan's algorithm."""
    index: dict[str, int] = {}
    low: dict[str, int] = {}
    stack: list[str] = []
    found: list[list[str]] = []

    def visit(name: str) -> None:
        index[name] = low[name] = len(index)
        stack.append(name)
        for other in sorted(graph[name]):
            if other not in index:
                visit(other)
                low[name] = min(low[name], low[other])
            elif other in stack:
                low[name] = min(low[name], index[other])
        if low[name] == index[name]:
            group = stack[stack.index(name) :]
            del stack[stack.index(name) :]
            if len(group) > 1:
                found.append(sorted(group))

    for name in graph:
        if name not in index:
            visit(name)
    return found


def upward(graph: Graph) -> Iterator[tuple[str, str]]:
    """Arrows from a lower room to a higher one."""
    for name, wanted in graph.items():
        for other in sorted(wanted):
            for parent, order in LAYERS.items():
                here, there = (_room(parent, one) for one in (name, other))
                if here in order and there in order and order.index(here) < order.index(there):
                    yield name, other


def _room(parent: str, name: str) -> str:
    """The part of a dotted name right below its parent, or empty."""
    return name[len(parent) + 1 :].split(".")[0] if name.startswith(parent + ".") else ""


def crowded(known: dict[str, Path]) -> Iterator[tuple[str, int]]:
    """Folders with too many files side by side."""
    folders: dict[str, int] = defaultdict(int)
    for path in known.values():
        folders[path.parent.relative_to(TOP).as_posix()] += path.name != "__init__.py"
    for folder, count in sorted(folders.items()):
        if count > MOST_FILES and folder not in WIDE_FOLDERS:
            yield folder, count


def long_functions(known: dict[str, Path]) -> Iterator[tuple[str, str, int]]:
    """Functions that cannot be seen at once."""
    for name, path in known.items():
        for node in nodes(path):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                lines = (node.end_lineno or node.lineno) - node.lineno + 1
                if lines > MOST_LINES:
                    yield name, node.name, lines


def main() -> int:
    """Print what is wrong; see above for the exit code."""
    known = modules()
    graph = imports(known)
    said = [f"circle: {' '.join(group)}" for group in circles(graph)]
    said += [f"arrow up: {name} -> {other}" for name, other in upward(graph)]
    said += [f"{folder}: {count} files side by side, at most {MOST_FILES}" for folder, count in crowded(known)]
    said += [
        f"{name}.{function}: {lines} lines, at most {MOST_LINES}" for name, function, lines in long_functions(known)
    ]
    for line in said:
        print(line)
    print(f"{len(graph)} files, {sum(map(len, graph.values()))} arrows, {len(said)} findings")
    return 1 if said else 0


if __name__ == "__main__":
    sys.exit(main())
