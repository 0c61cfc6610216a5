"""Rules of the house that no general checker knows."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

TOP = Path(__file__).parent.parent.parent
PRODUCT = sorted((TOP / "tui").rglob("*.py"))
EVERYTHING = sorted(path for folder in ("tui", "tests", "benchmarks") for path in (TOP / folder).rglob("*.py"))

MAX_LINES = 600

RAW = {
    "time.time", "time.monotonic", "time.perf_counter", "time.time_ns", "time.monotonic_ns", "time.clock_gettime",
    "datetime.now", "datetime.utcnow", "datetime.today", "uuid.uuid1", "uuid.uuid4", "os.urandom", "time.sleep",
}  # fmt: skip
RAW_MODULES = {"random", "secrets", "uuid"}
PROTOCOL_MAKERS = {"tui/host.py"}
"""The only file of the product that may read a raw clock or draw raw random numbers."""

FORBIDDEN_CALLS = {"eval", "exec", "compile", "__import__"}
FORBIDDEN_MODULES = {"pickle", "marshal", "shelve", "yaml"}


def _name(path: Path) -> str:
    return path.relative_to(TOP).as_posix()


def _calls(tree: ast.AST) -> Iterator[tuple[int, str]]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Call):
            yield node.lineno, ast.unparse(node.func)


@pytest.mark.parametrize("path", EVERYTHING, ids=_name)
def test_no_file_is_longer_than_one_can_read(path: Path) -> None:
    assert len(path.read_text().splitlines()) <= MAX_LINES


@pytest.mark.parametrize("path", PRODUCT, ids=_name)
def test_s57_clocks_and_random_numbers_come_through_protocols(path: Path) -> None:
    if _name(path) in PROTOCOL_MAKERS:
        return
    tree = ast.parse(path.read_text())
    found = [f"{line}: {call}" for line, call in _calls(tree) if ".".join(call.split(".")[-2:]) in RAW]
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            found += [f"{node.lineno}: import {alias.name}" for alias in node.names if alias.name in RAW_MODULES]
        if isinstance(node, ast.ImportFrom) and node.module in RAW_MODULES | {"time"}:
            found.append(f"{node.lineno}: from {node.module} import ...")
    assert found == []


@pytest.mark.parametrize("path", PRODUCT, ids=_name)
def test_s57_nothing_evaluates_text_or_leaves_tls_open(path: Path) -> None:
    tree = ast.parse(path.read_text())
    found = [f"{line}: {call}" for line, call in _calls(tree) if call in FORBIDDEN_CALLS]
    for node in ast.walk(tree):
        names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
        names += [node.module or ""] if isinstance(node, ast.ImportFrom) else []
        found += [f"{node.lineno}: {name}" for name in names if name.split(".")[0] in FORBIDDEN_MODULES]  # type: ignore[attr-defined]
        if isinstance(node, ast.keyword) and isinstance(node.value, ast.Constant):
            loose = (node.arg, node.value.value) in {("shell", True), ("verify", False), ("ssl", False)}
            found += [f"{node.value.lineno}: {node.arg}={node.value.value!r}"] if loose else []
        if isinstance(node, ast.Attribute) and node.attr in ("CERT_NONE", "mktemp"):
            found.append(f"{node.lineno}: {node.attr}")
    assert found == []


OUT_OF_THE_HOUSE = {"os", "io", "pathlib", "shutil", "subprocess", "sqlite3", "tempfile", "ctypes", "importlib", "glob"}
KEEPS_FILES = {"tui/venue/shell/storage/store.py", "tui/venue/shell/storage/archive.py", "tui/venue/shell/factory.py"}
"""Of the venue: the state file, its archive and the recording, whose places come from the command line."""
KEPT_BESIDE = {"tui/venue/shell/storage/hourly_counts.py", "tui/venue/shell/storage/turnover.py"}
"""Tables of the archive: they are handed its connection, and open none."""


@pytest.mark.parametrize("path", [path for path in PRODUCT if "venue" in path.parts], ids=_name)
def test_s31_what_a_request_reaches_can_open_nothing(path: Path) -> None:
    if _name(path) in KEEPS_FILES:
        return
    tree = ast.parse(path.read_text())
    names = [alias.name for node in ast.walk(tree) if isinstance(node, ast.Import) for alias in node.names]
    names += [node.module or "" for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)]
    allowed = {"sqlite3"} if _name(path) in KEPT_BESIDE else set()
    assert not {name.split(".")[0] for name in names} & (OUT_OF_THE_HOUSE - allowed)
    assert not {"open", "sqlite3.connect"} & {call for _, call in _calls(tree)}


@pytest.mark.parametrize("path", PRODUCT, ids=_name)
def test_file_names_say_what_is_inside(path: Path) -> None:
    assert path.stem not in {"utils", "util", "helpers", "helper", "manager", "misc", "common", "base"}


WIRE = re.compile(
    r"""["'](orderId|clientOrderId|orderQty|limitPrice|positionSide|exchangeType|markPrice|positionQty|adlRank)["']"""
)


@pytest.mark.parametrize("path", PRODUCT, ids=_name)
def test_wire_names_stay_in_the_interface(path: Path) -> None:
    if _name(path).startswith("tui/interface/"):
        return
    assert WIRE.findall(path.read_text()) == []


@pytest.mark.parametrize("path", PRODUCT, ids=_name)
def test_every_module_says_what_it_is_for(path: Path) -> None:
    assert ast.get_docstring(ast.parse(path.read_text()))
