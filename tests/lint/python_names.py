"""Tables of what programs in Python are given, made from the package itself: `python -m tests.lint.python_names --write`."""

from __future__ import annotations

import inspect
import sys
from collections.abc import Callable, Iterator

import msgspec

import crossdesk
from tests.lint.block import Block
from tests.lint.rooms import TOP
from tests.lint.settings import descriptions
from tui.interface.families.market import SymbolInfo
from tui.programs.records import AdlRank

PAGE = Block(
    TOP / "docs" / "reference" / "python.md",
    "<!-- python: made from the package crossdesk -->",
    "<!-- end of python -->",
)
UNNAMED = frozenset(
    ["on_events", "on_refused", "on_rows", "on_slow_reader", "on_whole", "check_pair", "start_proposal"]
)
"""Members of a desk that are not for programs: they are called by the link, or by other parts of the package."""

UNEXPORTED: tuple[type[msgspec.Struct], ...] = (AdlRank, SymbolInfo)
"""Records that a desk gives and the package does not name."""


def page() -> str:
    """Return the tables: a desk's names, then every record."""
    records = [record for name in crossdesk.__all__ if isinstance(record := getattr(crossdesk, name), type)]
    structs = [*(record for record in records if issubclass(record, msgspec.Struct)), *UNEXPORTED]
    return "\n\n".join(["\n".join(_list_names()), *("\n".join(_describe(struct)) for struct in structs)])


def _list_names() -> Iterator[str]:
    yield "## Names of a desk"
    yield ""
    yield "`await` is for `connect_async`; with `connect` leave it out. A property has no brackets."
    yield ""
    yield "| Name | Gives | |"
    yield "|---|---|---|"
    for name, member in inspect.getmembers(crossdesk.AsyncDesk):
        if name.startswith("_") or name in UNNAMED:
            continue
        if isinstance(member, property) and member.fget is not None:
            yield f"| `{name}` | `{_type(inspect.signature(member.fget).return_annotation)}` | {_first_line(member)} |"
        elif callable(member):
            yield f"| `{_call(name, member)}` | `{_gives(member)}` | {_first_line(member)} |"


def _call(name: str, member: Callable[..., object]) -> str:
    """Write a call with its arguments and their defaults, as they are typed in a program."""
    parts, keyword_only = [], False
    for parameter in list(inspect.signature(member).parameters.values())[1:]:
        if parameter.kind is parameter.VAR_POSITIONAL:
            parts.append(f"*{parameter.name}")
            keyword_only = True
            continue
        if parameter.kind is parameter.VAR_KEYWORD:
            parts.append(f"**{parameter.name}")
            continue
        if parameter.kind is parameter.KEYWORD_ONLY and not keyword_only:
            parts.append("*")
            keyword_only = True
        default = "" if parameter.default is parameter.empty else f"={parameter.default!r}"
        parts.append(f"{parameter.name}{default}")
    waits = "await " if inspect.iscoroutinefunction(member) else ""
    return f"{waits}{name}({', '.join(parts)})".replace("|", "\\|")


def _gives(member: Callable[..., object]) -> str:
    return _type(inspect.signature(member).return_annotation)


def _type(annotation: object) -> str:
    text = annotation if isinstance(annotation, str) else getattr(annotation, "__name__", str(annotation))
    return text.replace("|", "\\|")


def _first_line(member: object) -> str:
    return (inspect.getdoc(member) or "").partition("\n")[0]


def _describe(struct: type[msgspec.Struct]) -> Iterator[str]:
    yield f"## `{struct.__name__}`"
    yield ""
    yield (inspect.getdoc(struct) or "").partition("\n\n")[0].replace("\n", " ")
    yield ""
    yield "| Field | Type | |"
    yield "|---|---|---|"
    texts = descriptions(struct)
    for field in msgspec.structs.fields(struct):
        type_text = struct.__annotations__[field.name]
        yield f"| `{field.name}` | `{_type(type_text)}` | {texts.get(field.name, '')} |"


if __name__ == "__main__":
    if "--write" in sys.argv:
        PAGE.write(page())
    else:
        print(page())
