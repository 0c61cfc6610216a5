"""The default run under load: the load is there for as long as the run, and its figures are those of pytest."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.figures import artifact, loaded

ONE_OF_TWO = "def test_good(): pass\ndef test_bad(): assert False\n"


def is_computing(pid: int) -> bool:
    """Whether a process has used the processor: its time in user mode, in ticks."""
    return int(Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[11]) > 0


def test_the_load_generator_keeps_cores_busy_until_the_run_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    started: list[subprocess.Popen[bytes]] = []
    popen = subprocess.Popen

    def start(words: tuple[str, ...]) -> subprocess.Popen[bytes]:
        started.append(popen(words))
        return started[-1]

    monkeypatch.setattr(subprocess, "Popen", start)
    with loaded.keep_cores_busy(2):
        assert len(started) == 2
        while not all(is_computing(process.pid) for process in started):
            assert all(process.poll() is None for process in started)
    assert all(process.poll() is not None for process in started)


def test_a_loaded_run_publishes_the_count_of_failed_tests(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "test_two.py").write_text(ONE_OF_TWO)
    monkeypatch.setattr(loaded, "TOP", tmp_path)
    monkeypatch.setattr(loaded, "RUN", (sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider"))
    monkeypatch.setattr(loaded, "PUBLISHED", tmp_path / "loaded.json")
    monkeypatch.setattr(artifact, "changed", lambda: False)
    assert loaded.main(["--times", "1", "--publish"]) == 1
    [run] = json.loads((tmp_path / "loaded.json").read_text())["runs"]
    assert (run["tests"], run["failed"], run["exit"]) == (2, 1, 1)
