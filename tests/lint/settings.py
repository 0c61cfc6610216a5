"""The page of settings, made from the structs of the config file: `python -m tests.lint.settings --write`."""

from __future__ import annotations

import ast
import inspect
import sys
from itertools import pairwise
from pathlib import Path
from typing import Any

import msgspec

from tests.lint.block import Block
from tests.lint.rooms import TOP
from tui.client.settings import Timings
from tui.engine.limits import Limits, SymLimits, TraderLimits
from tui.engine.settings import AuditIntervals, EngineSettings, WatchdogSettings
from tui.settings import Profile, schema
from tui.workstation.settings import WorkstationSettings

Struct = type[msgspec.Struct]

PAGE = Block(
    TOP / "docs" / "reference" / "settings.md",
    "<!-- settings: made from the structs of the config file -->",
    "<!-- end of settings -->",
)
SECTIONS: tuple[tuple[str, Struct], ...] = (
    ("[workstation]", WorkstationSettings),
    ("[engine]", EngineSettings),
    ("[engine.limits]", Limits),
    ("[engine.limits.sym.SYMBOL]", SymLimits),
    ("[engine.limits.trader.NAME]", TraderLimits),
    ("[engine.watchdog]", WatchdogSettings),
    ("[engine.audits]", AuditIntervals),
    ("[engine.timings]", Timings),
    ("[profile.NAME]", Profile),
)
"""Tables of the file, as they are written, with the struct that reads each."""
TABLES = {"timings", "limits", "audits", "watchdog"}
"""Fields of the engine that are tables of their own."""


def page() -> str:
    """Return the tables of all sections."""
    return "\n\n".join(_section(title, struct) for title, struct in SECTIONS)


def _section(title: str, struct: Struct) -> str:
    lines = [f"## `{title}`", "", _sentence(inspect.getdoc(struct) or ""), "", "| Setting | Default | Accepts | For |"]
    lines.append("|---|---|---|---|")
    texts = descriptions(Limits if struct is SymLimits else struct)
    for name, described in _described(struct):
        if name not in TABLES or struct is Profile:
            default = json_text(described["default"]) if "default" in described else "required"
            lines.append(f"| `{name}` | {default} | {accepts(described)} | {texts[name]} |")
    return "\n".join(lines)


def _described(struct: Struct) -> list[tuple[str, dict[str, Any]]]:
    """Return the fields of a struct with their JSON Schema, in the order of the struct."""
    found: dict[str, Any] = schema()["$defs"][struct.__name__]["properties"]
    return list(found.items())


def json_text(value: object) -> str:
    """Return a default as it is written in the file; a dash where there is none."""
    if value is None or value in ("", [], {}):
        return "–"
    return f"`{msgspec.json.encode(value).decode()}`"


def accepts(described: dict[str, Any]) -> str:
    """Return what a field takes, from its JSON Schema."""
    if "enum" in described:
        return ", ".join(f"`{value}`" for value in described["enum"])
    if "anyOf" in described:
        return accepts(next(part for part in described["anyOf"] if part.get("type") != "null"))
    words = {"integer": "whole number", "number": "number", "boolean": "`true`, `false`", "string": "text"}
    word = words.get(described["type"], "table" if described["type"] == "object" else "list of texts")
    if "minimum" in described:
        word += f" {described['minimum']} to {described['maximum']}"
    return word


def descriptions(struct: Struct) -> dict[str, str]:
    """Return the sentence below each field of a struct."""
    source = Path(inspect.getsourcefile(struct) or "")
    body = next(
        node.body
        for node in ast.parse(source.read_text()).body
        if isinstance(node, ast.ClassDef) and node.name == struct.__name__
    )
    return {
        field.target.id: _sentence(str(below.value.value))
        for field, below in pairwise(body)
        if isinstance(field, ast.AnnAssign) and isinstance(field.target, ast.Name)
        if isinstance(below, ast.Expr) and isinstance(below.value, ast.Constant)
    }


def _sentence(text: str) -> str:
    return " ".join(text.split()).replace("|", "\\|")


if __name__ == "__main__":
    if "--write" in sys.argv:
        PAGE.write(page())
    else:
        print(page())
