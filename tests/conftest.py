"""Which tests answer within two minutes whether a fresh clone is sound, and what each folder of tests proves."""

from __future__ import annotations

import ast
import asyncio
import gc
import importlib
import os
import random
import sys
import zlib
from collections import Counter
from collections.abc import Callable, Generator
from contextlib import suppress
from pathlib import Path

import pytest

from tests import edition
from tui.interface import decimals

TESTS = Path(__file__).parent
SMOKE = (
    "rules",
    "interface",
    "client",
    "engine",
    "simulation/test_scenarios",
    "simulation/test_checker",
    "venue/core/trading/test_orders",
    "venue/core/trading/test_reduce_only",
    "terminal/test_process.py::test_five_panes",
    "terminal/test_process.py::test_quit_by_key",
)
"""Beginnings of the ids, below `tests/`."""
LONG = (
    "accidents/",
    "agents/",
    "benchmarks/",
    "chaos/",
    "cli/test_attach",
    "cli/test_do",
    "cli/test_gateway",
    "cli/test_watch",
    "crash/",
    "desk_protocol/",
    "engine/connections/test_day_on_sockets",
    "engine/reading/test_history_on_sockets",
    "fuzz/",
    "journeys/",
    "lint/",
    "packaging/",
    "page/",
    "pictures/",
    "programs/",
    "simulation/",
    "terminal/",
    "venue/core/state/test_determinism",
    "venue/stateful/",
    "workstation/first_steps/test_tour",
    "workstation/layouts/test_storm",
    "workstation/test_every_size",
    "workstation/test_same_picture",
)
"""Beginnings of the ids of tests that take seconds each, most of them waiting for other processes or real time."""
BUSY_WORKERS = 2
"""Workers that begin with other tests meanwhile."""
WITHIN_A_TEST = (20_000, 10, 50)
"""Thresholds of garbage within a test, which seldom makes so much."""
TESTS_UNTIL_FROZEN = 50
REVERSED = "reversed"
"""Word of `--shuffle` for the last test first."""
TOGETHER = "lint/"
"""Folder whose modules are run by one worker: each of them looks through the same trees of the sources."""


@pytest.fixture
def exact() -> None:
    """Decimals of the test's thread are those of the program."""
    decimals.setup()


def pytest_addoption(parser: pytest.Parser) -> None:
    words = (
        "add what was measured to the artifact of its gate under tests/figures: nightly with `-m nightly`, else commit"
    )
    parser.addoption("--publish", action="store_true", help=words)
    parser.addoption(
        "--edition",
        default="",
        choices=("", *edition.EDITIONS),
        help="the edition of every venue that a test starts; tests of another edition alone are left out",
    )
    parser.addoption(
        "--shuffle",
        default="",
        metavar="SEED",
        help=f"run the tests of each module in another order: {REVERSED}, or that of any other word",
    )


def pytest_sessionfinish(session: pytest.Session) -> None:
    """What the workers measured is collected once, by the process that started them."""
    if session.config.getoption("--publish") and not os.environ.get("PYTEST_XDIST_WORKER"):
        from tests.figures.__main__ import main

        marks = session.config.getoption("-m") or ""
        gate = "nightly" if "nightly" in marks and "not nightly" not in marks else "commit"
        session.exitstatus = max(int(session.exitstatus), main(["--collect", gate]))


def pytest_configure(config: pytest.Config) -> None:
    """What the hundreds of processes that tests start have in common."""
    if os.environ.pop("PYTHONDONTWRITEBYTECODE", ""):
        # No bytecode beside the sources is wanted: it is shared in the cache.
        os.environ.setdefault("PYTHONPYCACHEPREFIX", str(TESTS.parent / ".pytest_cache" / "bytecode"))
    edition.choose(config.getoption("--edition"))
    # No test trusts an authority of this machine, and reading all of them costs each process 20 ms.
    os.environ["SSL_CERT_FILE"] = os.devnull
    if os.environ.get("PYTEST_XDIST_WORKER") or not config.getoption("numprocesses", default=None):
        _take_any_time()


def _take_any_time() -> None:
    """A property is about values: how long an example takes on a busy machine is no part of it."""
    import hypothesis  # what only hands tests out to workers does without

    slow = [hypothesis.HealthCheck.too_slow]
    hypothesis.settings.register_profile("any_machine", deadline=None, suppress_health_check=slow)
    hypothesis.settings.load_profile("any_machine")


@pytest.hookimpl(wrapper=True)
def pytest_collection(session: pytest.Session) -> Generator[None, object, object]:
    """Nothing that is collected is garbage: none is looked for until the last test is found."""
    gc.disable()
    try:
        _read_a_share(session)
        return (yield)
    finally:
        gc.enable()


def _read_a_share(session: pytest.Session) -> None:
    """Each worker of a whole run reads its share of the modules first: what it compiles, the others take from the cache."""
    worker, workers = os.environ.get("PYTEST_XDIST_WORKER", ""), os.environ.get("PYTEST_XDIST_WORKER_COUNT", "1")
    if not worker or [Path(arg).resolve() for arg in session.config.args] != [TESTS]:
        return
    for path in sorted(TESTS.rglob("test_*.py"))[int(worker.removeprefix("gw")) :: int(workers)]:
        with suppress(pytest.skip.Exception):  # it is said again where its tests are collected
            importlib.import_module(".".join(path.relative_to(TESTS.parent).with_suffix("").parts))
    _read_constants(int(worker.removeprefix("gw")), int(workers))


def _read_constants(share: int, shares: int) -> None:
    """Each worker reads a share of the sources for hypothesis, which tries their constants and keeps them by file."""
    from hypothesis.internal import constants_ast

    for name, module in sorted(sys.modules.items()):
        path = getattr(module, "__file__", None)
        if zlib.crc32(name.encode()) % shares == share and path and constants_ast.is_local_module_file(path):
            constants_ast.constants_from_module(module)


@pytest.hookimpl(wrapper=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> Generator[None]:
    """Name the smoke tests; of those that are left after the choice by marks, give each worker its part."""
    _leave_out_other_editions(config, items)
    for item in items:
        if _place(item).startswith(SMOKE) and not any(map(item.get_closest_marker, ("real", "nightly"))):
            item.add_marker(pytest.mark.smoke)
    yield
    if seed := config.getoption("--shuffle"):
        items[:] = [item for module in _modules(items) for item in shuffle(module, seed)]
    _share(items, int(os.environ.get("PYTEST_XDIST_WORKER_COUNT", "1")))


def _leave_out_other_editions(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Run what is true of one edition alone on no other."""
    others = [item for item in items if any(edition.name() not in mark.args for mark in item.iter_markers("edition"))]
    if others:
        items[:] = [item for item in items if item not in others]
        config.hook.pytest_deselected(items=others)


def _place(item: pytest.Item) -> str:
    return item.nodeid.removeprefix("tests/")


def _modules(items: list[pytest.Item]) -> list[list[pytest.Item]]:
    """The tests by module; those of modules that one worker runs together are as of one."""
    modules: dict[Path, list[pytest.Item]] = {}
    for item in items:
        modules.setdefault(item.path.parent if _place(item).startswith(TOGETHER) else item.path, []).append(item)
    return list(modules.values())


def shuffle(module: list[pytest.Item], seed: str) -> list[pytest.Item]:
    """Each worker has to come to the same order."""
    if seed == REVERSED:
        return module[::-1]
    return random.Random(f"{seed} {_place(module[0])}").sample(module, len(module))


def _share(items: list[pytest.Item], workers: int) -> None:
    """As many parts as workers; most begin with long modules, which wait much, the others with short ones, which compute.

    Side by side they keep the cores busy; at the end short tests are left to be shared.
    """
    if workers == 1:
        return
    parts: list[list[pytest.Item]] = [[] for _ in range(workers)]
    waiting = parts[: max(1, workers - BUSY_WORKERS)]
    modules = _modules(items)
    for module in modules:
        if _place(module[0]).startswith(LONG):
            min(waiting, key=len).extend(module)
    for module in modules:
        if not _place(module[0]).startswith(LONG):
            min(parts, key=len).extend(module)
    items[:] = [item for part in parts for item in part]


def pytest_asyncio_loop_factories(
    config: pytest.Config, item: pytest.Item
) -> dict[str, Callable[[], asyncio.AbstractEventLoop]]:
    """The loop of a test: one on which idle time is short where the test is marked so."""
    if item.get_closest_marker("hurried"):
        from tests.hurried import HurriedLoop

        return {"hurried": HurriedLoop}
    return {"asyncio": asyncio.new_event_loop}


def pytest_collection_finish(session: pytest.Session) -> None:
    """Garbage is looked for among what tests make, not among the thousands of tests that stay until the end."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(*WITHIN_A_TEST)


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_runtest_protocol(item: pytest.Item) -> Generator[None, object, object]:
    """Look for garbage where a test ends, and all it made is garbage: in its midst the same is looked through again."""
    try:
        return (yield)
    finally:
        if gc.isenabled() and gc.get_count()[2] < TESTS_UNTIL_FROZEN:
            gc.collect(1)
        elif gc.isenabled():
            # What outlives tests, like modules and what textual keeps, is looked through once.
            gc.collect()
            gc.freeze()


def pytest_runtest_teardown() -> None:
    """Textual keeps a thousand widgets that drew, and all their lines: garbage would be looked for among them."""
    for module, owner, kept in (
        ("textual._styles_cache", "StylesCache", "get_inner_outer"),
        ("textual.filter", "ANSIToTruecolor", "truecolor_style"),
    ):
        if module in sys.modules:
            vars(vars(sys.modules[module])[owner])[kept].cache_clear()


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Per folder, how many tests passed and failed, and what that proves: the first line of the folder's docstring."""
    counts: dict[str, Counter[str]] = {}
    for outcome in ("passed", "failed", "error", "skipped"):
        for report in terminalreporter.stats.get(outcome, []):
            folder = report.nodeid.partition("::")[0].removeprefix("tests/").rpartition("/")[0]
            counts.setdefault(folder, Counter())[outcome] += 1
    if len(counts) < 2:
        return
    terminalreporter.section("what was proved")
    cells = max(map(len, counts))
    for folder in sorted(counts):
        found = counts[folder]
        bad = "".join(f", {found[word]} {word}" for word in ("failed", "error", "skipped") if found[word])
        terminalreporter.line(f"{folder:<{cells}} {found['passed']:>5} passed{bad}  {_docstring(TESTS / folder)}")


def _docstring(folder: Path) -> str:
    """What the tests of a folder prove."""
    package = folder / "__init__.py"
    found = ast.get_docstring(ast.parse(package.read_text())) if package.exists() else None
    return (found or "").partition("\n")[0]


@pytest.fixture
def writes_no_bytecode(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let neither this process nor those it starts write byte code: a limit of file sizes would cut what others share."""
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    monkeypatch.setenv("PYTHONDONTWRITEBYTECODE", "1")
