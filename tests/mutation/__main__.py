"""Whether the tests notice changes of the code that money depends on: `python -m tests.mutation [SUBJECT…] [--publish]`.

mutmut changes a copy of the sources, one small change at a time, and runs the tests that reach the changed function. What
no test notices is listed; `survivors.toml` holds the verdict on each. Needs `pip install mutmut==3.8.1`.
"""

from __future__ import annotations

import argparse
import difflib
import json
import shutil
import subprocess
import sys
import tempfile
import time
import tomllib
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import msgspec

TOP = Path(__file__).parent.parent.parent
PUBLISHED = TOP / "tests" / "figures" / "mutation.json"
VERDICTS = Path(__file__).parent / "survivors.toml"
KILLED_SHARE = 0.85
COPIED = ("tui", "tests", "themes", "keymaps", "docs", "README.md", "pyproject.toml")
JOBS = 2
PATIENCE = 40
"""How long one test may take with a change that makes it wait for ever, s; on a busy machine one takes more than 10."""
LENIENT = ("--no-warn-unused-ignores", "--no-warn-unreachable", "--no-warn-redundant-casts")
"""What the type checker must not say of the copy, where every change of a function stands beside it."""
SURVIVED, NO_TEST, WRONG_TYPE = 0, (5, 33), 37
"""Exit codes that mutmut keeps: the tests passed; no test reaches the function; the type checker refuses the change."""


class Subject(msgspec.Struct, frozen=True):
    """Modules of one idea, and the tests that must notice changes of them."""

    modules: tuple[str, ...]
    tests: tuple[str, ...]


ORDER_TESTS = (
    *("order_fold", "order_messages", "order_rows", "order_table", "replaced_orders"),
    *("outcome_table", "outcomes", "fact_table", "facts"),
)
MATCHING_TESTS = ("matching", "orders", "reduce_only", "hedge", "lending", "delisting", "closing", "liquidation")
JOURNAL_MODULES = ("memory_journal", "session_replay", "command_replay", "order_replay", "journal_file", "high_water")
JOURNAL_TESTS = (
    "restore",
    "command_restart",
    "high_water",
    "journal_writer",
    "journal",
    "journal_file",
    "journal_archive",
    "facts",
)


def _tests(room: str, names: Sequence[str]) -> tuple[str, ...]:
    """Files of tests of these names, wherever in the room's folder they are."""
    found = {path.stem.removeprefix("test_"): path for path in (TOP / "tests" / room).rglob("test_*.py")}
    return tuple(found[name].relative_to(TOP).as_posix() for name in names)


SUBJECTS: dict[str, Subject] = {
    "orders": Subject(
        (
            "tui/engine/state/order_fold.py",
            "tui/engine/state/order_table.py",
            "tui/engine/state/order_texts.py",
            "tui/engine/orders/reply_class.py",
            "tui/engine/state/facts.py",
        ),
        _tests("engine", ORDER_TESTS),
    ),
    "journal": Subject(
        tuple(f"tui/engine/journal/{name}.py" for name in JOURNAL_MODULES),
        _tests("engine", JOURNAL_TESTS),
    ),
    "decoder": Subject(
        ("tui/client/decode.py", "tui/interface/text.py", "tui/interface/decimals.py"),
        ("tests/client/test_outside_bytes.py", "tests/client/test_frame_looks.py", "tests/interface"),
    ),
    "matching": Subject(
        (
            "tui/venue/core/trading/matching.py",
            "tui/venue/core/trading/fill_or_kill.py",
            "tui/venue/core/market/book.py",
        ),
        _tests("venue/core", MATCHING_TESTS),
    ),
    "margin": Subject(("tui/rules/margin.py", "tui/rules/account.py", "tui/rules/liquidation.py"), ("tests/rules",)),
}


class Survivor(msgspec.Struct, frozen=True):
    """A change that no test noticed."""

    name: str
    change: str
    """The lines that differ, as `- before` and `+ after`."""


class Outcome(msgspec.Struct):
    """What the changes of one subject came to."""

    mutants: int
    killed: int
    """By tests or by the type checker, which is one of the tests."""
    by_types: int
    survivors: list[Survivor]
    untested: list[str]
    """Changes in functions that no test reaches: they count as survivors too."""

    @property
    def share(self) -> float:
        return self.killed / self.mutants if self.mutants else 0.0

    @property
    def share_of_the_rest(self) -> float:
        """Killed by a test that ran, of the changes that the type checker lets pass."""
        rest = self.mutants - self.by_types
        return (self.killed - self.by_types) / rest if rest else 0.0


def run(subject: Subject, jobs: int = JOBS) -> Outcome:
    """Change the modules one by one in a copy of the tree, so many at the same time."""
    with tempfile.TemporaryDirectory(prefix="mutation-") as place:
        top = Path(place)
        _copy(top)
        with (top / "pyproject.toml").open("a") as file:
            file.write(_settings(subject))
        log = top / "mutmut.log"
        with log.open("w") as out:
            subprocess.run(
                [sys.executable, "-m", "mutmut", "run", "--max-children", str(jobs)],
                cwd=top,
                stdout=out,
                stderr=subprocess.STDOUT,
                check=False,
            )
        outcome = _outcome(top, subject)
        if outcome is None:
            raise SystemExit(f"mutmut did not come to its end:\n{log.read_text()[-3000:]}")
        return outcome


def _copy(top: Path) -> None:
    for name in COPIED:
        source = TOP / name
        if source.is_dir():
            shutil.copytree(source, top / name, ignore=shutil.ignore_patterns("__pycache__", "figures"))
        else:
            shutil.copy(source, top / name)


def _settings(subject: Subject) -> str:
    lines = {
        "source_paths": ["tui"],
        "only_mutate": list(subject.modules),
        "also_copy": [name for name in COPIED if name != "tui"],
        "pytest_add_cli_args": ["-q", "-p", "no:cacheprovider", f"--timeout={PATIENCE}"],
        "pytest_add_cli_args_test_selection": list(subject.tests),
        "type_check_command": [sys.executable, "-m", "mypy", "tui", "--output", "json", *LENIENT],
    }
    return "\n[tool.mutmut]\n" + "".join(f"{name} = {json.dumps(value)}\n" for name, value in lines.items())


def _outcome(top: Path, subject: Subject) -> Outcome | None:
    """What mutmut kept; None when it did not try everything."""
    outcome = Outcome(mutants=0, killed=0, by_types=0, survivors=[], untested=[])
    for module in subject.modules:
        kept = top / "mutants" / f"{module}.meta"
        codes: dict[str, int | None] = json.loads(kept.read_text())["exit_code_by_key"] if kept.exists() else {"": None}
        if None in codes.values():
            return None
        changed = (top / "mutants" / module).read_text()
        for name, code in codes.items():
            outcome.mutants += 1
            if code in NO_TEST:
                outcome.untested.append(name)
            elif code == SURVIVED:
                outcome.survivors.append(Survivor(name, _change(changed, name)))
            else:
                outcome.killed += 1
                outcome.by_types += code == WRONG_TYPE
    return outcome


def _change(changed: str, name: str) -> str:
    """The lines by which a mutant differs from the original, which stands beside it in mutmut's copy."""
    short = name.rpartition(".")[2]
    original, _, _ = short.rpartition("__mutmut_")
    before, after = (_body(changed, wanted) for wanted in (f"{original}__mutmut_orig", short))
    lines = difflib.unified_diff(before, after, n=0, lineterm="")
    return "\n".join(line for line in lines if line[:1] in "+-" and line[:3] not in ("+++", "---") and line[1:].strip())


def _body(source: str, name: str) -> list[str]:
    return list(_lines_of(source.splitlines(), f"def {name}("))


def _lines_of(lines: Sequence[str], head: str) -> Iterator[str]:
    """The lines of a function without the one that names it."""
    start = next((number for number, line in enumerate(lines) if head in line), None)
    if start is None:
        return
    indent = len(lines[start]) - len(lines[start].lstrip())
    yield lines[start].partition("(")[2]
    for line in lines[start + 1 :]:
        if line.strip() and len(line) - len(line.lstrip()) <= indent and not line.lstrip().startswith(")"):
            return
        yield line


def judged(outcome: Outcome, seconds: float) -> dict[str, Any]:
    """What the artifact says of one subject: its share, and each survivor with its verdict."""
    verdicts: dict[str, str] = tomllib.loads(VERDICTS.read_text()) if VERDICTS.exists() else {}
    return {
        "commit": _git("rev-parse", "HEAD"),
        "when": datetime.now(UTC).strftime("%Y-%m-%d"),
        "duration_s": round(seconds),
        "mutants": outcome.mutants,
        "killed": outcome.killed,
        "by_types": outcome.by_types,
        "share": round(outcome.share, 3),
        "share_of_the_rest": round(outcome.share_of_the_rest, 3),
        "passed": outcome.share >= KILLED_SHARE,
        "untested": outcome.untested,
        "survivors": {
            each.name: {
                "change": each.change.splitlines(),
                "verdict": verdicts.get(each.change.strip(), "to do"),
            }
            for each in outcome.survivors
        },
    }


def add_to(path: Path, name: str, found: dict[str, Any]) -> None:
    """Write the figures of one subject into an artifact; those of the others stay, each with its commit."""
    before: dict[str, Any] = json.loads(path.read_text())["subjects"] if path.exists() else {}
    artifact = {
        "gate": "mutation",
        "command": "python -m tests.mutation --publish",
        "threshold": KILLED_SHARE,
        "subjects": {**before, name: found},
    }
    path.write_text(json.dumps(artifact, indent=1, sort_keys=True) + "\n")


def _git(*words: str) -> str:
    return subprocess.run(["git", *words], cwd=TOP, capture_output=True, text=True, check=False).stdout.strip()


def main(words: Sequence[str] | None = None) -> int:
    """Run the subjects named, or all; the exit code is 1 when one is below the threshold."""
    reader = argparse.ArgumentParser(prog="python -m tests.mutation")
    reader.add_argument("subjects", nargs="*", choices=[[], *SUBJECTS], default=[])
    reader.add_argument("--publish", action="store_true")
    reader.add_argument("--json", type=Path)
    reader.add_argument("--jobs", type=int, default=JOBS, help="changes tried at the same time")
    asked = reader.parse_args(words)
    if asked.publish and _git("status", "--porcelain", "tui", "tests"):
        reader.error("--publish takes a working tree without changes; name a file with --json instead")
    target, below = PUBLISHED if asked.publish else asked.json, 0
    for name in asked.subjects or SUBJECTS:
        started = time.monotonic()
        one = run(SUBJECTS[name], asked.jobs)
        print(
            f"{name}: {one.killed} of {one.mutants} killed, {one.share:.1%}; {len(one.untested)} untested", flush=True
        )
        if target is not None:
            add_to(target, name, judged(one, time.monotonic() - started))
        below += one.share < KILLED_SHARE
    return 1 if below else 0


if __name__ == "__main__":
    sys.exit(main())
