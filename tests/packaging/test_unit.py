"""The unit of the gateway: a service manager reads it whole, and the command that it starts exists."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.documents.test_commands_in_pages import problems
from tests.terminal.terminal import TOP

UNIT = TOP / "packaging" / "crossdesk-gateway@.service"
ANALYZE = shutil.which("systemd-analyze")


def complaints(unit: Path, home: Path) -> list[str]:
    """What `systemd-analyze verify` says about a unit, for a user whose home has the command."""
    command = home / ".local" / "bin" / "crossdesk"
    command.parent.mkdir(parents=True, exist_ok=True)
    command.write_text("#!/bin/sh\n")
    command.chmod(0o755)
    told = subprocess.run(
        [str(ANALYZE), "verify", "--user", str(unit)],
        env={**os.environ, "HOME": str(home), "XDG_RUNTIME_DIR": str(home)},
        capture_output=True,
        text=True,
        check=False,
    )
    lines = [line for line in told.stderr.splitlines() if unit.stem in line]
    return lines or [told.stderr] * (told.returncode != 0)


@pytest.mark.skipif(ANALYZE is None, reason="systemd-analyze is not installed")
def test_systemd_accepts_the_gateway_unit(tmp_path: Path) -> None:
    assert complaints(UNIT, tmp_path) == []


@pytest.mark.skipif(ANALYZE is None, reason="systemd-analyze is not installed")
@pytest.mark.parametrize(
    ("line", "wrong"),
    [
        ("NoNewPrivileges=yes", "NoNewPrivilege=yes"),
        ("ProtectSystem=strict", "ProtectSystem=strictly"),
        (".local/bin/crossdesk gateway", ".local/bin/crossdesks gateway"),
        ("Restart=on-failure", "Restart=on-fail"),
    ],
)
def test_systemd_reports_a_mistake_in_the_gateway_unit(tmp_path: Path, line: str, wrong: str) -> None:
    text = UNIT.read_text()
    assert text.count(line) == 1
    changed = tmp_path / UNIT.name
    changed.write_text(text.replace(line, wrong))
    assert complaints(changed, tmp_path) != []


def test_the_gateway_unit_starts_an_existing_command() -> None:
    [command] = re.findall(r"^ExecStart=%h/\.local/bin/(.+)$", UNIT.read_text(), re.MULTILINE)
    assert command.startswith("crossdesk gateway ") and problems(command.replace("%i", "live1")) == []
