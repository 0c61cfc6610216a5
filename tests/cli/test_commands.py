"""Commands that need no terminal."""

from __future__ import annotations

import json
import stat
from pathlib import Path

import pytest
from click.testing import CliRunner

from tui.cli.main import COMMANDS, main


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("CROSSDESK_HOME", str(tmp_path))
    return tmp_path


def run(*arguments: str) -> tuple[int, str]:
    result = CliRunner().invoke(main, list(arguments))
    return result.exit_code, result.output


def test_every_command_is_listed_and_has_help() -> None:
    code, text = run("--help")
    assert code == 0
    for name, (_, line) in COMMANDS.items():
        assert (f"  {name} " in text) == bool(line)
        assert run(name, "--help")[0] == 0


def test_endpoints_lists_the_catalogue_with_what_is_served() -> None:
    code, text = run("endpoints")
    assert code == 0
    assert len(text.splitlines()) == 101
    assert "100 endpoints: 46 served, 49 not served yet, 5 removed" in text
    rows = json.loads(run("endpoints", "--json")[1])
    assert {row["status"] for row in rows} == {"served", "not served yet", "removed"}
    assert next(row for row in rows if row["name"] == "place_order")["limit"] == "1200/60 s"


def test_the_switches_of_the_venue_are_in_its_help() -> None:
    text = run("venue", "--help")[1]
    for word in ("latency=normal|bad|test", "duplicate_client_id=reject", "network=up|cut", "agents=on|still|off"):
        assert word in text


def test_config_init_writes_a_private_file_once_and_check_reads_it(home: Path) -> None:
    assert run("config", "init")[0] == 0
    file = home / "config" / "config.toml"
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert "all well" in run("config", "check")[1]
    code, text = run("config", "init")
    assert code == 1
    assert "not touched" in text
    assert str(file) in run("config", "path")[1]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ('[workstation]\nthem = "x"', ["line 2", "'them'", "did you mean 'theme'"]),
        ("[workstation]\nfps = 100", ["line 2", "60"]),
        ("[engine.limits]\nsoft_notional = '1e5'", ["soft_notional", "1e5", "accepted"]),
        ("[workstation\nfps = 1", ["line 1"]),
    ],
)
def test_a_wrong_config_stops_with_file_line_key_and_remedy(home: Path, text: str, words: list[str]) -> None:
    (home / "config").mkdir()
    (home / "config" / "config.toml").write_text(text)
    code, said = run("config", "check")
    assert code == 1
    assert "config.toml" in said
    for word in words:
        assert word in said


def test_the_schema_describes_every_table() -> None:
    schema = json.loads(run("config", "schema")[1])
    assert {"Config", "WorkstationSettings", "EngineSettings", "Profile"} <= set(schema["$defs"])


def test_a_journal_that_is_not_there_is_said(home: Path) -> None:
    code, text = run("journal", "show")
    assert code == 1
    assert "no journal at" in text


def test_the_starter_file_is_a_valid_one_with_every_line_switched_on(home: Path) -> None:
    from tui.cli.config import STARTER
    from tui.settings import parse

    lines = [
        line[2:].split("  #")[0] if line.startswith("# ") and ("=" in line or "[" in line) else line
        for line in STARTER.splitlines()
    ]
    config = parse("\n".join(lines[1:]), Path("starter"))
    assert config.profile["desk"].key_env == "DESK_KEY"
