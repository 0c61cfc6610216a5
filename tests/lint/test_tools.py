"""The checkers every engineer runs are part of the test run: style, types, import directions."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

TOP = Path(__file__).parent.parent.parent

COMMANDS = {
    "ruff check": [sys.executable, "-m", "ruff", "check", "--no-cache", "."],
    "ruff format": [sys.executable, "-m", "ruff", "format", "--no-cache", "--check", "."],
    # A cache that nobody reads again costs a tenth of the time.
    "mypy": [sys.executable, "-m", "mypy", *([] if (TOP / ".mypy_cache").exists() else ["--cache-dir=/dev/null"])],
    "import-linter": [
        sys.executable,
        "-c",
        "from importlinter.cli import lint_imports_command as go; go()",
        "--no-cache",
    ],
}


@pytest.mark.timeout(300)
@pytest.mark.parametrize("name", COMMANDS)
def test_style_type_and_import_checkers_pass(name: str) -> None:
    result = subprocess.run(COMMANDS[name], cwd=TOP, capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stdout[-6000:] + result.stderr[-2000:]
