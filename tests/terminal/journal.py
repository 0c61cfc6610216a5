"""The journal of a home, as the product exports it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from click.testing import CliRunner

from tests.terminal.terminal import TOP
from tui.cli.main import main


def exported_journal(home: Path, *options: str) -> list[dict[str, Any]]:
    """Every entry that `crossdesk journal export` prints; a relative home is one of the checkout."""
    done = CliRunner().invoke(main, ["journal", "export", *options], env={"CROSSDESK_HOME": str(TOP / home)})
    assert done.exit_code == 0, done.output
    return [json.loads(line) for line in done.stdout.splitlines()]
