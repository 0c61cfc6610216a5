"""`crossdesk mcp` as a process of its own, started as the guide says; the lines of the guide."""

from __future__ import annotations

import asyncio
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from tests.agents.agent import INSTALL, Agent, caller, make_toolbox
from tests.agents.hostile import WANTED
from tests.busy import limit
from tests.cli.test_gateway import open_gateway, read_until
from tui.agents.answers import DATA_NOTE
from tui.agents.toolbox import INSTRUCTIONS
from tui.cli.commands import mcp
from tui.cli.main import main
from tui.cli.service_target import UnknownProfile
from tui.crossdesk_error import WrongArgument
from tui.interface.text import name_extra

TOP = Path(__file__).parent.parent.parent
GUIDE = (TOP / "docs" / "guide" / "agents.md").read_text("utf-8")
COMMANDS = re.findall(r"^ *((?:crossdesk|npx) .+)$", GUIDE, re.MULTILINE)
[_CONFIG] = re.findall(r"^ *(\{\"mcpServers\".+)$", GUIDE, re.MULTILINE)
HERE = [sys.executable, "-m", "tui.cli.main"]
"""The program of this checkout in place of an installed `crossdesk`."""


@pytest.fixture
def gateway(tmp_path: Path) -> Iterator[Path]:
    """The home of a gateway that runs."""
    assert COMMANDS[0] == "crossdesk gateway"
    with open_gateway(tmp_path) as process:
        read_until(process, "In sync")
        yield tmp_path


async def test_agent_tools_work_over_stdio_as_the_guide_starts_them(gateway: Path) -> None:
    pytest.importorskip("mcp", reason=INSTALL)
    from mcp.client.client import Client
    from mcp.client.stdio import StdioServerParameters

    server = json.loads(_CONFIG)["mcpServers"]["crossdesk"]
    assert server["command"] == "crossdesk"
    environment = {**os.environ, "CROSSDESK_HOME": str(gateway)}
    program = StdioServerParameters(command=HERE[0], args=[*HERE[1:], *server["args"]], env=environment)
    async with Client(program) as client:
        listed = await client.list_tools()
        assert client.instructions == INSTRUCTIONS
        agent = Agent(caller(client))
        assert (await agent("status")).data["you_are"] == "research-bot"
        proposed = (await agent("propose_order", WANTED)).data
        assert (await agent("proposals")).data["rows"][0]["number"] == proposed["number"]
        async with asyncio.timeout(limit(10)):  # the journal writes it a moment later
            while proposed["number"] not in json.dumps((await agent("journal_search", kind="proposal")).data):
                pass
        assert (await agent("orders")).data["rows"] == []
    named = set(re.findall(r"`([a-z_]+)`", GUIDE))
    assert [tool.name for tool in listed.tools if tool.name not in named] == []
    state = json.dumps(agent.told)
    assert [secret for secret in _secrets(gateway) if secret in state] == []


def _secrets(home: Path) -> list[str]:
    """Every key and secret that lies in a home."""
    texts = [
        path.read_text(errors="ignore")
        for path in home.rglob("*")
        if path.is_file() and path.suffix in (".json", ".toml")
    ]
    return re.findall(r"\b[0-9A-Za-z]{32,}\b", "\n".join(texts))


def test_schemas_of_tools_are_closed_and_described(tmp_path: Path) -> None:
    for tool in make_toolbox(tmp_path).tools.values():
        assert tool.schema["type"] == "object" and tool.schema["additionalProperties"] is False, tool.name
        assert "$ref" not in json.dumps(tool.schema) and tool.purpose.endswith(".")
        for name, field in tool.schema["properties"].items():
            assert field.get("description") or field.get("enum") or name in ("timeInForce",), (tool.name, name)


def test_command_mcp_without_its_library_says_how_to_install_it(monkeypatch: pytest.MonkeyPatch) -> None:
    for module in ("tui.agents.mcp_server", "mcp", "mcp_types"):
        monkeypatch.delitem(sys.modules, module, raising=False)
    monkeypatch.setitem(sys.modules, "mcp_types", None)
    done = CliRunner().invoke(main, ["mcp"])
    assert (done.exit_code, done.output.count("\n")) == (2, 1) and name_extra("agents") in done.output
    assert "pip install -r requirements-agents.lock" in name_extra("agents") and "requirements-agents.lock" in GUIDE


def test_starting_crossdesk_does_not_import_the_mcp_library() -> None:
    modules = "tui.agents.toolbox, tui.cli.commands.mcp, crossdesk"
    code = f"import sys, {modules}; print([name for name in sys.modules if name.startswith('mcp')])"
    assert subprocess.check_output([sys.executable, "-c", code], text=True, cwd=TOP) == "[]\n"


@pytest.mark.real
@pytest.mark.parametrize("line", [line for line in COMMANDS if line.startswith("npx")])
def test_the_mcp_inspector_of_npx_lists_and_calls_the_tools(gateway: Path, line: str) -> None:
    pytest.importorskip("mcp", reason=INSTALL)
    if shutil.which("npx") is None:
        pytest.skip("npx is not installed")
    config = json.loads(_CONFIG)
    server = config["mcpServers"]["crossdesk"]
    environment = {"CROSSDESK_HOME": str(gateway), "PYTHONPATH": str(TOP)}
    server.update(command=HERE[0], args=[*HERE[1:], *server["args"]], env=environment)
    (gateway / "agents.json").write_text(json.dumps(config))
    words = shlex.split(line)
    words.insert(1, "--yes")
    done = subprocess.run(words, capture_output=True, text=True, timeout=limit(180), cwd=gateway)
    assert done.returncode == 0, done.stderr
    answer: dict[str, Any] = json.loads(done.stdout)
    if "tools/list" in line:
        assert "propose_order" in {tool["name"] for tool in answer["tools"]}
    else:
        assert answer["structuredContent"]["about_data"] == DATA_NOTE


def test_mcp_server_survives_nonsense_on_its_standard_input(tmp_path: Path) -> None:
    pytest.importorskip("mcp", reason=INSTALL)
    hello = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "x", "version": "1"}}

    def call(number: int, method: str, params: object) -> bytes:
        return json.dumps({"jsonrpc": "2.0", "id": number, "method": method, "params": params}).encode()

    lines = [
        b"nonsense", b"\xff\xfe", b"[]", b'{"jsonrpc": "2.0"}', b"[" * 100_000, call(1, "initialize", hello),
        call(2, "tools/call", {"name": "status", "arguments": []}), call(3, "tools/call", {"name": 5}),
        call(4, "tools/call", {"name": "status", "arguments": {"x": "y" * 1_000_000}}), call(5, "accept", {}),
        call(6, "tools/call", {"name": "explain_error", "arguments": {"code": 429}}),
    ]  # fmt: skip
    environment = {**os.environ, "CROSSDESK_HOME": str(tmp_path)}
    process = subprocess.Popen([*HERE, "mcp"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environment, cwd=TOP)
    assert process.stdin is not None and process.stdout is not None
    process.stdin.write(b"\n".join([*lines, b""]))
    process.stdin.flush()
    answers = {answer["id"]: answer for answer in (json.loads(process.stdout.readline()) for _ in range(6))}
    assert {number for number, answer in answers.items() if "error" in answer} == {2, 3, 5}
    assert answers[4]["result"]["isError"] and not answers[6]["result"]["isError"]
    process.stdin.close()
    assert process.wait(limit(10)) == 0
    process.stdout.close()


def test_command_mcp_refuses_an_unknown_profile_at_its_start(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CROSSDESK_HOME", str(tmp_path))
    with pytest.raises(UnknownProfile, match="--profile nosuch: not in"):
        mcp.build_toolbox("nosuch", "agent")


@pytest.mark.parametrize("name", ["", "desk", "desk 2", "n" * 41])
def test_command_mcp_refuses_an_empty_long_or_window_like_name(name: str) -> None:
    with pytest.raises(WrongArgument, match=r"^--name .* is not accepted; it is a text of 1 to 40 characters"):
        mcp.build_toolbox(None, name)
