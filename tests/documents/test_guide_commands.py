"""Commands of the guides run as they stand there, beside a gateway of the paper venue, or a test of their own runs them."""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from tests.busy import limit
from tests.cli.test_gateway import open_gateway, read_until
from tests.documents.pages import DOCS, shell_lines
from tests.forking import run_command
from tests.lint.rooms import TOP
from tests.venue.shell.conftest import STILL, Venue, start

__all__ = ["start"]

RUN = {
    "config check": (0, "not there; defaults are used"),
    "config init": (0, "wrote "),
    "config path": (0, "running "),
    "endpoints": (0, "100 endpoints"),
    "call positions exchange=BINANCE": (0, "nothing"),
    "call order_detail orderId=2083898613895876 --json": (1, "401018 Order not found"),
    "call order_history exchange=BINANCE --json": (0, '"clientOrderId"'),
    "do 'buy 0.02 BTC BINANCE_PERP join'": (0, "would ask: BUY 0.02 BTC BINANCE BTC perp join"),
    "do 'buy 0.01 BTC BINANCE_PERP_BTC_USDT at bid-500t' --arm": (2, "add --yes to confirm it"),
    "journal show --last 20": (0, "In sync with the venue"),
    "export fills": (0, "rows written to"),
    "export orders --begin 2026-10-01 --end 2026-10-31 exchange=OKX": (0, "rows written to"),
    "export statement --format jsonl --out - statementType=FUNDING_FEE": (0, '"FUNDING_FEE"'),
    "--plain": (0, "plain mode"),
    "--plain --attach paper": (0, "nothing is sent until you type arm"),
    "venue --describe openapi": (0, '"openapi"'),
    "venue --describe asyncapi": (0, '"asyncapi"'),
}
"""Commands that are run beside a gateway of the paper venue, with exit code and a part of what they print."""
CHECK = {"check --profile live1": (0, "limits        ok")}
"""The same before a gateway: the service refuses two logins within a second."""
RUN_ON_A_SERVICE = {
    "--plain --profile live1": (1, "LIVE. Type the portfolio name 'MainPortfolio' to go on"),
    "--plain --profile live1 --read-only": (0, "plain mode"),
}
"""The same beside `gateway --profile live1`, with the profile of the guide."""
ELSEWHERE = {
    "tests/agents/test_command.py": ["gateway"],
    "tests/cli/test_attach.py": ["--attach live1"],
    "tests/cli/test_bus.py": [
        "gateway --bus local --trader anna --trader bert",
        "--attach nats://anna@127.0.0.1:4222",
        "--attach nats://bert@127.0.0.1:4222",
        "gateway nats-key anna.seed",
        "gateway nats-config --trader anna=UKEY --trader bert=UKEY --listen 0.0.0.0:4222"
        " --tls-cert server.pem --tls-key server.key",
        "gateway --profile live1 --bus tls://bus.example:4222",
        "--attach tls://anna@bus.example:4222 --bus-seed anna.seed",
    ],
    "tests/cli/test_export.py": [
        "export fills --format parquet --out fills.parquet --profile live1",
        "export journal --format parquet kind=intent",
    ],
    "tests/terminal/scenes/test_layouts.py": ["--seed 7", "--set latency=bad --set gtx_outcome=cancel"],
    "tests/terminal/scenes/test_portfolios.py": ["--portfolio SubPortfolio"],
    "tests/terminal/test_accounts.py": ["--market recording.csv", "--profile live1", "--profile live1 --read-only"],
    "tests/cli/test_venue_keys.py": ["venue --port 8080 --keys keys.json --set rate_profile=off"],
}
"""Commands that need a terminal, a service or a package, by the file that runs them, or their like."""


def commands() -> set[str]:
    """Return the commands that have a line of their own on the guides, without `crossdesk`."""
    lines = [line for page in (DOCS / "guide").glob("*.md") for line in shell_lines(page)]
    return {line.removeprefix("crossdesk").strip() for line in lines if line.startswith("crossdesk")}


def test_each_command_of_a_guide_is_run_by_a_test() -> None:
    elsewhere = [line for lines in ELSEWHERE.values() for line in lines]
    here = {*RUN, *CHECK, *RUN_ON_A_SERVICE, "gateway --profile live1"}
    assert commands() - here == set(elsewhere) and all((TOP / file).is_file() for file in ELSEWHERE)


def run_all(expected: Mapping[str, tuple[int, str]], home: Path) -> None:
    for line, (code, part) in expected.items():
        done = run_command(*shlex.split(line), timeout=limit(60), CROSSDESK_HOME=str(home))
        said = done.stdout + done.stderr
        assert done.returncode == code and part in said, f"{line}: {done.returncode} {said[-500:]}"


def test_commands_of_the_guides_print_what_the_guides_say(tmp_path: Path) -> None:
    with open_gateway(tmp_path) as gateway:
        read_until(gateway, "In sync")
        run_all(RUN, tmp_path)


def write_profile_of_the_guide(home: Path, ready: Mapping[str, Any]) -> None:
    """Write the profile that the guide fills in, with the addresses and the key of a venue of this machine."""
    [text] = re.findall(
        r"^ *```toml\n(.*?)^ *```$", (DOCS / "guide" / "connecting-a-service.md").read_text(), re.M | re.S
    )
    key = ready["keys"][0]
    given = {
        **{name: ready[name] for name in ("rest_url", "private_ws_url", "public_ws_url", "algo_ws_url")},
        "portfolio": key["portfolioId"], "portfolio_name": key["portfolioName"],
        "secret_cmd": ["printf", f"{key['api_key']}\\n{key['api_secret']}"],
    }  # fmt: skip
    lines = [line.strip().partition(" = ") for line in text.splitlines()]
    assert {name for name, _, value in lines if value} == set(given)
    file = home / "config" / "config.toml"
    file.parent.mkdir()
    file.write_text("\n".join(f"{name} = {json.dumps(given[name])}" if value else name for name, _, value in lines))


def test_the_profile_of_the_guide_reaches_a_service(tmp_path: Path, start: Callable[..., Venue]) -> None:
    write_profile_of_the_guide(tmp_path, start(*STILL).ready)
    run_all(CHECK, tmp_path)
    with open_gateway(tmp_path, "--profile", "live1") as gateway:
        assert "serves the account of profile live1" in read_until(gateway, "crossdesk gateway")
        read_until(gateway, "In sync")
        run_all(RUN_ON_A_SERVICE, tmp_path)
