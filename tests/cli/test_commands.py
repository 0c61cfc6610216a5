"""Commands that need no terminal."""

from __future__ import annotations

import ast
import csv
import importlib
import json
import os
import shutil
import stat
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner
from pytest import MonkeyPatch

from tui.cli.desks import folded_lines
from tui.cli.main import COMMANDS, main
from tui.engine.commands.all_kinds import KINDS
from tui.engine.journal import journal_file
from tui.engine.journal.journal_file import JournalFile
from tui.engine.journal.journal_rows import Entry
from tui.engine.journal.session_replay import JournalReplay
from tui.interface.catalogue import ROWS
from tui.interface.endpoint import Endpoint
from tui.venue.shell.rest.handlers import SERVED
from tui.workstation.features.explorer.endpoint_use import BY_EXPLORER, CALLED, keys_of
from tui.workstation.input.actions import BY_ID

TOP = Path(__file__).parents[2]
NO_KEY_YET: set[str] = set()
"""Served rows that no key reaches and no reason excuses. This set may only shrink."""


def run(*arguments: str) -> tuple[int, str]:
    result = CliRunner().invoke(main, list(arguments))
    return result.exit_code, result.output


def test_every_command_is_listed_and_has_help() -> None:
    code, text = run("--help")
    assert code == 0
    for name, (_, line) in COMMANDS.items():
        assert (f"  {name} " in text) == bool(line)
        assert (f"`crossdesk {name}" in (TOP / "README.md").read_text("utf-8")) == bool(line)
        assert run(name, "--help")[0] == 0


def test_endpoints_command_lists_the_catalogue() -> None:
    code, text = run("endpoints")
    assert code == 0
    *lines, sums = text.splitlines()
    assert [line.split()[0] for line in lines] == [row.name for row in ROWS]
    removed = sum(bool(row.removed) for row in ROWS)
    served = sum(row.name in SERVED and not row.removed for row in ROWS)
    waiting = len(ROWS) - served - removed
    assert (
        sums
        == f"{len(ROWS)} endpoints: {served} served, {waiting} not served yet, {removed} removed; {len(CALLED)} called"
    )
    rows = json.loads(run("endpoints", "--json")[1])
    assert {row["status"] for row in rows} == {"served", "removed"}
    assert next(row for row in rows if row["name"] == "place_order")["limit"] == "1200/60 s"
    found = {row["name"]: (row["called"], row["keys"]) for row in rows}
    assert found["set_perp_leverage"] == found["set_margin_leverage"] == (True, ["l"])
    assert found["set_position_mode"] == (True, ["L"]) and found["transfer"] == (True, ["t"])
    line = next(line for line in lines if line.startswith("set_position_mode "))
    assert line.split()[-3:] == ["served", "called", "L"]


def test_endpoints_page_matches_the_calls_in_the_code() -> None:
    taken: set[str] = set()
    for path in (*(TOP / "tui/client").rglob("*.py"), *(TOP / "tui/engine").rglob("*.py")):
        text = path.read_text("utf-8")
        if "tui.interface.families." not in text:
            continue
        for node in ast.walk(ast.parse(text)):
            if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("tui.interface.families."):
                family = importlib.import_module(str(node.module))
                named = [getattr(family, one.name) for one in node.names]
                taken |= {one.name for one in named if isinstance(one, Endpoint)}
    taken |= {*KINDS, *(kind.proof.read for kind in KINDS.values() if kind.proof is not None)}
    taken |= _named_by_screens()
    assert sorted(taken) == list(CALLED)
    assert {action for actions in CALLED.values() for action in actions} <= set(BY_ID)


def test_endpoints_page_is_generated_and_each_row_has_a_key() -> None:
    assert run("endpoints", "--markdown")[1] == (TOP / "docs/endpoints.md").read_text("utf-8")
    offered = {row.name for row in ROWS if row.name in SERVED and not row.removed}
    without = {name for name in offered if not keys_of(name)}
    assert without - BY_EXPLORER.keys() == NO_KEY_YET
    assert not BY_EXPLORER.keys() - without - {row.name for row in ROWS if row.name not in offered}


def _named_by_screens() -> set[str]:
    """Rows that screens and forms read or send by name."""
    calls = [
        node
        for path in (TOP / "tui/workstation").rglob("*.py")
        if any(word in (text := path.read_text("utf-8")) for word in ("endpoint", "QuerySource"))
        for node in ast.walk(ast.parse(text))
        if isinstance(node, ast.Call)
    ]
    named = [word.value for call in calls for word in call.keywords if word.arg == "endpoint"]
    named += [
        argument
        for call in calls
        if isinstance(call.func, ast.Name) and call.func.id in ("query_endpoint", "QuerySource")
        for argument in call.args
    ]
    rows = {row.name for row in ROWS}
    return {node.value for node in named if isinstance(node, ast.Constant) and node.value in rows}


def test_command_venue_help_lists_the_venue_switches() -> None:
    text = run("venue", "--help")[1]
    for word in ("latency=normal|bad|test", "duplicate_client_id=reject", "network=up|cut", "agents=on|still|off"):
        assert word in text


def test_venue_help_shows_every_option() -> None:
    _, text = run("venue", "--help")
    options = [
        name for option in importlib.import_module("tui.cli.commands.venue").command.params for name in option.opts
    ]
    assert [name for name in options if name not in text] == []


def test_config_check_names_what_is_wrong_in_own_keymaps(own_home: Path) -> None:
    folder = own_home / "config" / "keymaps"
    folder.mkdir(parents=True)
    (folder / "mine.toml").write_text('name = "mine"\n[keys]\n"order.edit" = "c"\n"stage.bui" = "n"')
    code, said = run("config", "check")
    assert code == 1 and "mine.toml: keys: c means both order.edit and order.cancel in orders" in said
    assert "mine.toml, line 4: keys: unknown action 'stage.bui'; did you mean stage.buy" in said
    (own_home / "config" / "config.toml").write_text('[workstation]\nkeymap = "mine"\n')
    assert "mine.toml: keys: c means both" in run("config", "check")[1]
    (folder / "mine.toml").write_text('name = "mine"\n[keys]\n"row.copy" = "K"')
    assert "all well" in run("config", "check")[1]


def test_config_init_writes_a_private_file_that_passes_check(own_home: Path) -> None:
    assert run("config", "init")[0] == 0
    file = own_home / "config" / "config.toml"
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert "all well" in run("config", "check")[1]
    code, text = run("config", "init")
    assert code == 1
    assert "not touched" in text
    assert str(file) in run("config", "path")[1]


LIVE = (
    "[profile.live1]\nrest_url = 'https://rest.example'\nprivate_ws_url = 'wss://a.example'\n"
    "public_ws_url = 'wss://b.example'\nportfolio = '1234567890123456'\nportfolio_name = 'Main'\n"
)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ('[workstation]\nthem = "x"', ["line 2", "'them'", "did you mean theme?"]),
        ("[workstation]\nfps = 100", ["line 2: workstation.fps = 100: accepted is a whole number from 1 up to 60"]),
        (
            "[engine.limits]\nmax_position = 10000",
            ['line 2: engine.limits.max_position = 10000: accepted is a text in quotes, here "10000"'],
        ),
        ("[engine.limits]\nallow = [1]", ["line 2: engine.limits.allow = 1: accepted is a text in quotes, here"]),
        ("workstation = 3", ["line 1: workstation = 3: accepted is a table"]),
        (LIVE.partition("public")[0], ["line 1: profile.live1: public_ws_url is missing"]),
        (f"{LIVE}user = 'a b'", ['line 7: profile.live1.user = "a b": accepted is a text that matches']),
        (f"{LIVE}tier_order = 'HA'", ['profile.live1.tier_order = "HA": accepted is one of "AZ4,HA", "HA,AZ4"']),
        (
            f"{LIVE}[profile.live1.limits]\nmax_qty = 5",
            ["line 8: profile.live1.limits.max_qty = 5: accepted is a text"],
        ),
        ("[engine.limits]\nsoft_notional = '1e5'", ["line 2: engine.limits: soft_notional is '1e5'", "accepted"]),
        ("[workstation\nfps = 1", ["line 1: [workstation: accepted is the name of a table in both brackets"]),
        ("[workstation]\ntheme dark\n", ["line 2: theme dark: accepted is a name, = and its value, such as theme ="]),
        (
            "[workstation]\ntheme = dark",
            ["line 2: theme = dark: accepted is a value: a number, true or false, a text in"],
        ),
        ("[workstation]\nfps = 1,5\n", ["line 2: fps = 1,5: accepted is one name = value in a line"]),
        (
            "[workstation]\ntheme = 'dark\nfps = 5\n",
            ["line 2: theme = 'dark: accepted is a text that ends in its line"],
        ),
        ("[workstation]\nfps = 5\nfps = 6", ["line 3: fps = 6: accepted is each name, and each table in [ ], once"]),
        (
            "[engine.limits]\nallow = ['a'\n\n",
            ["line 2: allow = ['a': accepted is a comma, or the ] that ends the list"],
        ),
        (
            "[engine.limits]\nallow = ['a', # b\nfirst_of_day = true\n",
            ["line 2: allow = ['a', # b: accepted is a comma, or the ] that ends the list"],
        ),
        ("[engine.limits]\nallow = ['a',\n\n[workstation]\nfps = 1", ["line 2: allow = ['a',: accepted is a comma"]),
        ("[engine.limits]\nallow = [\n", ["line 2: allow = [: accepted is a comma, or the ] that ends"]),
        ("[engine.limits]\nallow = [\n  foo,\n]", ["line 3: foo,: accepted is a value"]),
        ("[workstation]\ntheme = 'd\udcfcster'", ["line 2: byte 0xfc: accepted is text in UTF-8"]),
        (
            f"{LIVE}[profile.live1.limits]\nmax_los = '5'",
            ["line 8", "unknown key 'max_los' in profile.live1.limits", "max_loss?"],
        ),
        (
            "[engine.limits.trader.anna]\nmax_loss = '5'",
            ["unknown key 'max_loss'", "known are soft_notional, hard_notional, max_qty, max_position"],
        ),
        (
            f"{LIVE}limits = {{ max_loss = '1e5' }}",
            ["profile.live1.limits: ", "max_loss is '1e5'; accepted are digits"],
        ),
    ],
)
def test_s38_an_invalid_config_is_rejected_with_file_and_line(own_home: Path, text: str, words: list[str]) -> None:
    (own_home / "config").mkdir()
    (own_home / "config" / "config.toml").write_text(text, errors="surrogateescape")
    code, said = run("config", "check")
    assert code == 1
    assert "config.toml" in said
    for word in words:
        assert word in said


def test_a_config_with_a_byte_order_mark_is_read(own_home: Path) -> None:
    """Its first line was refused, and what was said to be accepted there stood there."""
    (own_home / "config").mkdir()
    (own_home / "config" / "config.toml").write_text("[engine.limits]\nallow = ['A']\n", "utf-8-sig")
    code, said = run("config", "check")
    assert code == 0, said


def test_limits_of_a_profile_override_the_common_limits() -> None:
    from tui.settings import parse

    common = (
        "[engine.limits]\nsoft_notional = '500'\nmax_loss = '900'\n[engine.limits.trader.anna]\nmax_qty = '1'\n"
        "[engine.limits.sym.BINANCE_PERP_BTC_USDT]\nmax_qty = '2'\n"
    )
    own = "[profile.live1.limits]\nmax_loss = '100'\nsym = { BINANCE_PERP_ETH_USDT = { max_qty = '3' } }\n"
    config = parse(common + LIVE + own, Path("config.toml"))
    limits = config.for_profile("live1").engine.limits
    assert (limits.soft_notional, limits.max_loss, config.engine.limits.max_loss) == ("500", "100", "900")
    assert {name: of.max_qty for name, of in limits.sym.items()} == {
        "BINANCE_PERP_BTC_USDT": "2", "BINANCE_PERP_ETH_USDT": "3",
    }  # fmt: skip
    assert limits.trader["anna"].max_qty == "1"


def test_config_schema_describes_every_table() -> None:
    schema = json.loads(run("config", "schema")[1])
    assert {"Config", "WorkstationSettings", "EngineSettings", "Profile"} <= set(schema["$defs"])


def test_journal_show_without_a_journal_says_so(own_home: Path) -> None:
    code, text = run("journal", "show")
    assert code == 1
    assert "no journal at" in text


def test_journal_show_and_export_read_archives_and_tell_damage(own_home: Path) -> None:
    path = own_home / "state" / "paper" / "journal.db"
    path.parent.mkdir(parents=True)
    file = JournalFile(path, lambda: 7.0)
    file.append([
        Entry(seq=0, wall_ms=1_700_000_000_000 + n, mono=0.5, epoch=1, kind="intent", intent_id=f"i{n}",
              client_order_id=f"c{n}", order_id="", payload="{}")
        for n in range(3)
    ])  # fmt: skip
    code, text = run("journal", "show", "--last", "2")
    assert (code, len(text.splitlines())) == (0, 2)
    assert "2023-11-14 22:13:20.001Z intent    c1" in text
    code, text = run("journal", "export")
    assert [json.loads(line)["client_order_id"] for line in text.splitlines()] == ["c0", "c1", "c2"]
    out = own_home / "blotter.csv"
    assert run("journal", "export", "--format", "csv", "--out", str(out)) == (0, f"3 entries written to {out}\n")
    rows = list(csv.DictReader(out.open(newline="")))
    assert [(row["seq"], row["kind"], row["client_order_id"]) for row in rows] == [
        ("1", "intent", "c0"), ("2", "intent", "c1"), ("3", "intent", "c2"),
    ]  # fmt: skip
    code, text = run("journal", "export", "--out", str(out))
    assert (code, "add --overwrite" in text) == (1, True)
    file.close()
    with MonkeyPatch.context() as few:
        few.setattr(journal_file, "SEGMENT", 3)
        JournalFile(path, lambda: 7.0, JournalReplay()).close()
    code, text = run("journal", "show", "--last", "1")
    assert [line.split()[0] for line in text.splitlines()] == ["4"]
    for command in (("show",), ("show", "--all"), ("export", "--format", "csv")):
        code, text = run("journal", *command)
        assert (code, len(text.splitlines())) == (0, 4 + (command[0] == "export")), "those of the archive too"
    archive = path.with_name("journal-1-3.sqlite")
    archive.write_bytes(archive.read_bytes().replace(b"c1{}", b"c9{}"))
    code, text = run("journal", "show")
    assert "is damaged: entry 2 does not fit the one before" in text
    path.write_bytes(b"garbage" * 100)
    code, text = run("journal", "show")
    assert (code, "cannot be read" in text) == (1, True)


def test_journal_show_can_select_a_profile(own_home: Path) -> None:
    for portfolio in ("71", "72"):
        path = own_home / "state" / f"desk-{portfolio}" / "journal.db"
        path.parent.mkdir(parents=True)
        JournalFile(path, lambda: 7.0).close()
        if portfolio == "71":
            assert run("journal", "show", "--profile", "desk") == (0, "")
    code, text = run("journal", "show", "--profile", "desk")
    assert (code, "name one of desk-71, desk-72" in text) == (2, True)
    assert run("journal", "show", "--profile", "desk-72") == (0, "")


def test_the_starter_config_is_valid_with_every_line_enabled(own_home: Path) -> None:
    from tui.cli.commands.config import STARTER
    from tui.settings import parse

    lines = [
        line[2:].split("  #")[0] if line.startswith("# ") and ("=" in line or "[" in line) else line
        for line in STARTER.splitlines()
    ]
    config = parse("\n".join(lines[1:]), Path("starter"))
    assert config.profile["live1"].key_env == "LIVE1_KEY"


def test_an_old_config_file_with_retired_keys_is_read() -> None:
    from tui.settings import parse

    assert parse("[engine]\nlag_probe = 0.2\npulse = 0.5\n", Path("old")).engine.pulse == 0.5


@pytest.mark.parametrize(
    ("arguments", "line"),
    [
        (
            ("config", "check"),
            "crossdesk: Configuration not usable: {home}/config/config.toml, line 1: unknown key",
        ),
        (("config", "init"), "crossdesk: Starter file not written: {home}/config/config.toml exists already"),
        (("journal", "show"), "crossdesk: Journal not readable: no journal at {home}/state/paper/journal.db"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, tuple) else "",
)
def test_a_program_error_is_printed_as_one_line_with_a_title(
    own_home: Path, arguments: tuple[str, ...], line: str
) -> None:
    (own_home / "config").mkdir(mode=0o700)
    (own_home / "config" / "config.toml").write_text("nonsense = 1\n")
    ended, text = run(*arguments)
    assert ended == 1
    assert text.startswith(line.format(home=own_home)) and len(text.splitlines()) == 1


def test_a_failed_start_is_printed_as_one_line_with_a_title(own_home: Path) -> None:
    script = "import sys; sys.stdin.isatty = sys.stdout.isatty = lambda: True\nfrom tui.cli.start import main; main()"
    (own_home / "config").mkdir(mode=0o700)
    for content, arguments, words in (
        (
            "",
            ("--profile", "desk"),
            f"Not started: --profile desk: not in {own_home}/config/config.toml; known are none",
        ),
        ("", ("venue", "--set", "ha=perhaps"), "Switch not accepted: "),
        (
            "",
            ("venue", "--keys", f"{own_home}/nowhere/keys"),
            f"Key and secret not readable: --keys {own_home}/nowhere/keys",
        ),
        ("nonsense = 1\n", (), f"Configuration not usable: {own_home}/config/config.toml, line 1: unknown key"),
    ):
        (own_home / "config" / "config.toml").write_text(content)
        done = subprocess.run(
            [sys.executable, "-c", script, *arguments], capture_output=True, text=True, check=False, cwd=TOP
        )
        assert (done.returncode, done.stdout) == (2, "")
        assert done.stderr.startswith(f"crossdesk: {words}") and len(done.stderr.splitlines()) == 1


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("call", "nosuch"), "no endpoint is called 'nosuch'"),
        (("call", "order_detail", "foo=12"), "foo is no parameter of order_detail; it has orderId"),
        (("call", "open_orders", "--profile", "nosuch"), "--profile nosuch: not in"),
        (("export", "fills", "foo=1"), "foo is no filter of fills"),
        (("export", "fills", "--begin", "yesterday"), "--begin 'yesterday' is not accepted"),
        (("check", "--profile", "nosuch"), "--profile nosuch: not in"),
        (("do", "c last", "--profile", "nosuch"), "--profile nosuch: not in"),
        (("gateway", "--profile", "nosuch"), "--profile nosuch: not in"),
        (("page", "--profile", "nosuch"), "--profile nosuch: not in"),
        (("page", "--listen", "foo"), "--listen foo: accepted is ADDRESS:PORT"),
        (("journal", "show", "--profile", "nosuch"), "--profile nosuch: no journal at"),
        (("config", "nosuch"), "No such command 'nosuch'"),
    ],
)
def test_a_command_with_a_wrong_argument_exits_with_code_2(
    arguments: tuple[str, ...], words: str, own_home: Path
) -> None:
    ended = CliRunner().invoke(main, arguments)
    assert (ended.exit_code, ended.stdout) == (2, "") and words in ended.stderr


@pytest.mark.parametrize("arguments", [("endpoints",), ("export", "journal", "--out", "-")])
def test_a_closed_pipe_ends_a_command_quietly(arguments: tuple[str, ...], own_home: Path) -> None:
    shutil.copytree(TOP / "tests" / "data" / "home_761425f" / "state", own_home / "state")
    reading, writing = os.pipe()
    os.close(reading)
    command = [sys.executable, "-m", "tui.cli.start", *arguments]
    ended = subprocess.run(command, stdout=writing, stderr=subprocess.PIPE, text=True, check=False, cwd=TOP)
    os.close(writing)
    assert (ended.returncode, ended.stderr) == (141, "")


def test_endpoints_command_prints_one_json_array_as_help_says() -> None:
    code, text = run("endpoints", "--json")
    assert (code, len(json.loads(text))) == (0, len(ROWS))
    assert "One JSON array" in run("endpoints", "--help")[1]


def test_command_output_breaks_at_words_at_the_terminal_width(
    monkeypatch: MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The terminal broke a price of `crossdesk do`, and the size of a position left after quit, in the middle."""
    text = (
        "would ask:\n  1. BUY 0.033 BTC BINANCE BTC perp @ 61,000.0 · would rest\n  BINANCE DOGE perp LONG 60 (no stop)"
    )
    for columns in (30, 44, 0):
        monkeypatch.setattr(folded_lines, "read_columns", lambda _, columns=columns: columns)
        folded_lines.echo_folded(text)
        lines = capsys.readouterr().out.splitlines()
        assert not columns or max(map(len, lines)) <= columns
        assert set(text.split()) == set(" ".join(lines).split()) and len(lines) == {30: 6, 44: 4, 0: 3}[columns]
        assert all(line.startswith("    ") for line in lines if line.lstrip().startswith(("would rest", "61,")))
