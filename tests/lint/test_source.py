"""Rules of the house that no general checker knows."""

from __future__ import annotations

import ast
import importlib
import re
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

from tests.lint import graph
from tui.crossdesk_error import CrossdeskError

TOP = Path(__file__).parent.parent.parent
PRODUCT = sorted((TOP / "tui").rglob("*.py"))
SCREEN = [path for path in PRODUCT if "workstation" in path.parts]
EVERYTHING = sorted(path for folder in ("tui", "tests", "benchmarks") for path in (TOP / folder).rglob("*.py"))

MAX_LINES = 599

RAW = {
    "time.time", "time.monotonic", "time.perf_counter", "time.time_ns", "time.monotonic_ns", "time.clock_gettime",
    "datetime.now", "datetime.utcnow", "datetime.today", "uuid.uuid1", "uuid.uuid4", "os.urandom", "time.sleep",
}  # fmt: skip
RAW_MODULES = {"random", "secrets", "uuid"}
PROTOCOL_MAKERS = {"tui/host.py"}
"""The only file of the product that may read a raw clock or draw raw random numbers."""

FORBIDDEN_CALLS = {"eval", "exec", "compile", "__import__"}
LOOSE = {("shell", True), ("verify", False), ("ssl", False)}
"""Arguments that run a shell or leave TLS unchecked."""
FORBIDDEN_MODULES = {"pickle", "marshal", "shelve", "yaml"}
SINKS = {"notify", "Static", "Label", "Button", "Text", "Markdown", "RichLog", "from_markup", "Tooltip"}
"""What reads markup of the text that it is given."""


def _name(path: Path) -> str:
    return path.relative_to(TOP).as_posix()


def _imports(path: Path) -> Iterator[tuple[int, str]]:
    """Line and name of every module that is imported."""
    for node in graph.nodes(path):
        if isinstance(node, ast.Import):
            yield from ((node.lineno, alias.name) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield node.lineno, node.module or ""


def _offenders(paths: Iterable[Path], rule: Callable[[Path], Iterable[str]]) -> list[str]:
    """What a rule finds in some files, each with the file's name."""
    return [f"{_name(path)}: {found}" for path in paths for found in rule(path)]


def _calls(path: Path) -> Iterator[tuple[int, str]]:
    """Line and dotted name of every call; of one on a value that has no name, the names behind it."""
    for node in graph.nodes(path):
        if isinstance(node, ast.Call):
            yield node.lineno, _dotted(node.func)


def _dotted(node: ast.AST) -> str:
    if isinstance(node, ast.Attribute):
        return f"{_dotted(node.value)}.{node.attr}"
    return node.id if isinstance(node, ast.Name) else ""


def test_no_source_file_is_too_long() -> None:
    def too_long(path: Path) -> Iterator[str]:
        lines = len(path.read_text().splitlines())
        if lines > MAX_LINES:
            yield f"{lines} lines, at most {MAX_LINES}"

    assert _offenders(EVERYTHING, too_long) == []


def test_s57_clocks_and_random_numbers_come_through_protocols() -> None:
    def raw(path: Path) -> Iterator[str]:
        yield from (f"{line}: {call}" for line, call in _calls(path) if ".".join(call.split(".")[-2:]) in RAW)
        for node in graph.nodes(path):
            if isinstance(node, ast.Import):
                yield from (f"{node.lineno}: import {one.name}" for one in node.names if one.name in RAW_MODULES)
            if isinstance(node, ast.ImportFrom) and node.module in RAW_MODULES | {"time"}:
                yield f"{node.lineno}: from {node.module} import ..."

    assert _offenders([path for path in PRODUCT if _name(path) not in PROTOCOL_MAKERS], raw) == []


def test_s57_no_eval_and_no_disabled_tls_in_the_sources() -> None:
    def dangerous(path: Path) -> Iterator[str]:
        yield from (f"{line}: {call}" for line, call in _calls(path) if call in FORBIDDEN_CALLS)
        yield from (f"{line}: {name}" for line, name in _imports(path) if name.split(".")[0] in FORBIDDEN_MODULES)
        for node in graph.nodes(path):
            given = (node.arg, node.value) if isinstance(node, ast.keyword) else (None, None)
            if isinstance(given[1], ast.Constant) and (given[0], given[1].value) in LOOSE:
                yield f"{given[1].lineno}: {given[0]}={given[1].value!r}"
            if isinstance(node, ast.Attribute) and node.attr in ("CERT_NONE", "mktemp"):
                yield f"{node.lineno}: {node.attr}"

    assert _offenders(PRODUCT, dangerous) == []


def test_s12_no_text_reaches_a_markup_parser() -> None:
    def read_markup(path: Path) -> Iterator[str]:
        for node in graph.nodes(path):
            if isinstance(node, ast.Call):
                name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
                if name in SINKS and not all(isinstance(arg, ast.Constant) for arg in node.args):
                    yield f"{node.lineno}: {name}"

    assert SCREEN
    assert _offenders(SCREEN, read_markup) == []


def test_code_reads_time_only_from_the_injected_clock() -> None:
    def import_clocks(path: Path) -> Iterator[str]:
        for node in graph.nodes(path):
            if isinstance(node, ast.Import):
                yield from sorted({alias.name for alias in node.names} & {"time", "random"})

    assert _offenders(SCREEN, import_clocks) == []


OUT_OF_THE_HOUSE = {"os", "io", "pathlib", "shutil", "subprocess", "sqlite3", "tempfile", "ctypes", "importlib", "glob"}
KEEPS_FILES = {
    "tui/venue/shell/storage/store.py", "tui/venue/shell/storage/state_mark.py",
    "tui/venue/shell/storage/archive.py", "tui/venue/shell/factory.py",
}  # fmt: skip
"""Of the venue: the state file, its mark, its archive and the recording, whose places come from the command line."""
KEPT_BESIDE = {"tui/venue/shell/storage/hourly_counts.py", "tui/venue/shell/storage/turnover.py"}
"""Tables of the archive: they are handed its connection, and open none."""


def test_s31_request_handling_code_opens_no_files() -> None:
    def opens(path: Path) -> Iterator[str]:
        forbidden = OUT_OF_THE_HOUSE - ({"sqlite3"} if _name(path) in KEPT_BESIDE else set())
        yield from (f"{line}: {name}" for line, name in _imports(path) if name.split(".")[0] in forbidden)
        yield from (f"{line}: {call}" for line, call in _calls(path) if call in {"open", "sqlite3.connect"})

    venue = [path for path in PRODUCT if "venue" in path.parts and _name(path) not in KEEPS_FILES]
    assert venue
    assert _offenders(venue, opens) == []


OPENS_FILES = {
    "tui/private_files.py", "tui/engine/journal/high_water.py", "tui/workstation/terminal/terminal_writer.py",
}  # fmt: skip
"""Where a descriptor is opened by hand: private files, a folder whose names are to be durable, the terminal."""


def test_os_open_is_called_in_one_place_only() -> None:
    def opens(path: Path) -> Iterator[str]:
        yield from (f"{line}: {call}" for line, call in _calls(path) if call == "os.open")

    assert _offenders([path for path in PRODUCT if _name(path) not in OPENS_FILES], opens) == []


def test_file_names_are_not_vague() -> None:
    vague = {"utils", "util", "helpers", "helper", "manager", "misc", "common", "base"}
    assert [_name(path) for path in PRODUCT if path.stem in vague] == []


WIRE = re.compile(
    r"""["'](orderId|clientOrderId|orderQty|limitPrice|positionSide|exchangeType|markPrice|positionQty|adlRank)["']"""
)


def test_wire_field_names_stay_in_the_interface_package() -> None:
    outside = [path for path in PRODUCT if not _name(path).startswith("tui/interface/")]
    assert _offenders(outside, lambda path: WIRE.findall(path.read_text())) == []


def test_every_module_has_a_docstring() -> None:
    assert [name for name, path in graph.modules().items() if not ast.get_docstring(graph.tree(path))] == []


def test_exceptions_have_one_base_class_and_a_title() -> None:
    def descendants(kind: type[BaseException]) -> Iterator[type[BaseException]]:
        for one in kind.__subclasses__():
            yield one
            yield from descendants(one)

    for name in graph.modules().keys() - graph.NEEDS_EXTRA:
        importlib.import_module(name)
    ours = {one for one in descendants(BaseException) if one.__module__.split(".")[0] == "tui"} - {CrossdeskError}
    assert ours
    assert [one.__name__ for one in ours if not issubclass(one, CrossdeskError)] == []
    assert [one.__name__ for one in ours if not vars(one).get("title")] == []
