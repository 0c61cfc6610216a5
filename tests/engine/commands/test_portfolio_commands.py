"""What became of a lost command about portfolios and keys, by what the lists show; and one life against the paper venue."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest

from tests.client.fakes import until
from tests.engine.command_rig import account_kind, ask_every, let_calls_expire, open_command
from tests.engine.conftest import DECISION, Screen, StateRig
from tests.engine.on_sockets import Life
from tests.venue.shell.conftest import STILL, Venue, start  # noqa: F401
from tui.engine.commands.portfolio_kinds import PORTFOLIO_KINDS
from tui.engine.commands.proofs import Finding, Proof
from tui.engine.intents import AccountCommand, Decision, Outcome, Verdict
from tui.engine.modes import Environment, TradingState
from tui.engine.rows import AccountCommandRow, CommandState, Table
from tui.interface.families.portfolios import ApiKeyRecord, NewApiKey, PortfolioName, PortfolioRecord

SENT = 1_760_000_000_000
OWN = "2171869303221111"


def row(endpoint: str, **args: str) -> AccountCommandRow:
    return AccountCommandRow(
        id="cd1", endpoint=endpoint, title=endpoint, args=tuple(args.items()), state=CommandState.UNKNOWN,
        sent_ms=SENT, changed_ms=SENT,
    )  # fmt: skip


def judged(command: AccountCommandRow, rows: list[object]) -> Finding | None:
    proof = PORTFOLIO_KINDS[command.endpoint].proof
    assert isinstance(proof, Proof)
    return proof.judge(command, rows)


def portfolio(name: str, *, made: int = SENT + 5) -> PortfolioRecord:
    return PortfolioRecord(portfolio_id=int(OWN), name=name, belonging_to=2, create_at=made, update_at=made)


def key(**changes: object) -> ApiKeyRecord:
    values: dict[str, object] = {
        "portfolio_id": int(OWN), "api_name": "night", "access_key": "a" * 48, "status": 1, "ip": "10.0.0.1",
        "permission": "READ,TRADE", "created_at": SENT + 5, "updated_at": SENT + 5, **changes,
    }  # fmt: skip
    return ApiKeyRecord(**values)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("command", "rows", "shown"),
    [
        (row("create_portfolio", name="Night7"), [portfolio("Night7")], True),
        (row("create_portfolio", name="Night7"), [portfolio("Night7", made=SENT - 60_000)], False),
        (row("create_portfolio", name="Night7"), [portfolio("night7")], False),
        (row("create_portfolio", name="Night7"), [], False),
        (row("rename_portfolio", portfolioId=OWN, name="Night7"), [portfolio("Night7", made=1)], True),
        (row("rename_portfolio", portfolioId=OWN, name="Night7"), [portfolio("Before7")], False),
        (row("rename_portfolio", portfolioId="1", name="Night7"), [portfolio("Night7")], False),
        (row("create_api_key", portfolioId=OWN, apiName="night", permission="TRADE"), [key()], True),
        (row("create_api_key", portfolioId=OWN, apiName="night", permission="TRADE, READ"), [key()], True),
        (row("create_api_key", portfolioId=OWN, apiName="night"), [key()], False),
        (row("create_api_key", portfolioId=OWN, apiName="night", permission="TRADE"), [key(created_at=1)], False),
        (row("create_api_key", portfolioId=OWN, apiName="day", permission="TRADE"), [key()], False),
        (row("change_api_key", portfolioId=OWN, accessKey="a" * 48, status="2"), [key(status=2)], True),
        (row("change_api_key", portfolioId=OWN, accessKey="a" * 48, status="2"), [key()], False),
        (row("change_api_key", portfolioId=OWN, accessKey="a" * 48, ip="::2, ::1"), [key(ip="::1,::2")], True),
        (row("change_api_key", portfolioId=OWN, accessKey="a" * 48, ip="10.0.0.2"), [key()], False),
        (row("change_api_key", portfolioId=OWN, accessKey="a" * 48, permission="READ"), [key()], False),
        (row("change_api_key", portfolioId=OWN, accessKey="a" * 48, apiName="day"), [key()], False),
        (row("change_api_key", portfolioId=OWN, accessKey="a" * 48, status="2"), [], False),
        (row("delete_api_key", portfolioId=OWN, accessKey="a" * 48), [], True),
        (row("delete_api_key", portfolioId=OWN, accessKey="a" * 48), [key(access_key="b" * 48)], True),
        (row("delete_api_key", portfolioId=OWN, accessKey="a" * 48), [key()], False),
    ],
)  # fmt: skip
def test_portfolio_command_outcomes_are_verified_by_a_list(
    command: AccountCommandRow, rows: list[object], shown: bool
) -> None:
    found = judged(command, rows)
    assert (found is not None and found.state is CommandState.DONE) == shown


def test_an_api_key_with_lost_reply_is_reported_as_useless() -> None:
    found = judged(row("create_api_key", portfolioId=OWN, apiName="night", permission="TRADE"), [key()])
    assert found is not None and "its secret was lost" in found.text


def test_the_secret_of_a_new_api_key_is_not_in_its_repr() -> None:
    made = NewApiKey(portfolio_id=1, api_name="x", access_key="shown", status=1, secret_key="hidden")
    assert "hidden" not in f"{made!r} {made}" and "shown" in repr(made)


def sender(life: Life) -> Callable[..., Awaitable[Outcome]]:
    """Sends a command of the catalogue through the gate of an engine."""
    decision = Decision(
        environment=Environment.PAPER, portfolio=life.engine.state.portfolio, state=TradingState.ARMED, source="test"
    )

    async def send(endpoint: str, **args: str) -> Outcome:
        command = AccountCommand(decision=decision, endpoint=endpoint, args=tuple(args.items()), title=endpoint)
        return await life.engine.submit(command)

    return send


async def test_lost_portfolio_commands_are_found_and_not_resent(
    start: Callable[..., Venue],  # noqa: F811
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    ask_every(monkeypatch, 0.5)
    lost = "502:create_portfolio:1x:after,502:create_api_key:1x:after,502:delete_api_key:1x:before"
    venue = start(*STILL, "--set", "rate_profile=off", "--set", f"rest_fault={lost}")
    life = Life(venue, tmp_path)
    await life.in_step()
    life.engine.set_trading_state(TradingState.ARMED)
    send, screen = sender(life), Screen(life.engine.updates)

    def shown(key: str) -> AccountCommandRow | None:
        row = screen.look().tables.get(Table.COMMANDS, {}).get(key)
        return row if isinstance(row, AccountCommandRow) else None

    async def ends(key: str, state: CommandState) -> str:
        await until(lambda: (row := shown(key)) is not None and row.state is state, 20)
        row = shown(key)
        return row.text if row is not None else ""

    outcome = await send("create_portfolio", name="Night7")
    assert outcome.verdict is Verdict.UNKNOWN
    await ends(outcome.key, CommandState.DONE)
    [row] = venue.data("GET", "/api/v1/trading/portfolio", {"name": "Night7"})["list"]
    target = str(row["portfolioId"])
    made = await send("create_api_key", portfolioId=target, apiName="night", permission="TRADE")
    assert made.verdict is Verdict.UNKNOWN and made.answer is None
    assert "its secret was lost" in await ends(made.key, CommandState.DONE)
    [key] = venue.data("GET", "/api/v1/apiKey/portfolio", {"portfolioId": target})["list"]
    ended = await send("delete_api_key", portfolioId=target, accessKey=key["accessKey"])
    assert ended.verdict is Verdict.UNKNOWN
    let_calls_expire(life.engine)
    await ends(ended.key, CommandState.NOT_DONE)
    assert venue.data("GET", "/api/v1/apiKey/portfolio", {"portfolioId": target})["list"] == [key]
    await life.end()


async def test_a_new_api_secret_is_written_to_no_file(
    start: Callable[..., Venue],  # noqa: F811
    tmp_path: Path,
) -> None:
    venue = start(*STILL, "--set", "rate_profile=off")
    life = Life(venue, tmp_path)
    await life.in_step()
    life.engine.set_trading_state(TradingState.ARMED)
    send = sender(life)
    made = (await send("create_portfolio", name="Night7")).answer
    assert isinstance(made, PortfolioName) and made.name == "Night7"
    target = str(made.portfolio_id)
    outcome = await send("create_api_key", portfolioId=target, apiName="night", permission="TRADE", ip="127.0.0.1")
    key = outcome.answer
    assert isinstance(key, NewApiKey)
    signed = (key.access_key, key.secret_key)
    assert len(venue.data("GET", "/api/v1/trading/account", key=signed)) == 3
    assert (
        await send("change_api_key", portfolioId=target, accessKey=key.access_key, status="2")
    ).verdict is Verdict.ACCEPTED
    assert venue.call("GET", "/api/v1/trading/account", key=signed)[1]["code"] == 100041
    refused = await send("create_portfolio", name="Night7")
    assert (refused.verdict, refused.code) == (Verdict.REJECTED, 404911)
    assert (await send("delete_api_key", portfolioId=target, accessKey=key.access_key)).verdict is Verdict.ACCEPTED
    assert venue.data("GET", "/api/v1/apiKey/portfolio")["list"] == []
    await until(lambda: not life.engine.state.commands.open)
    await life.end()
    for path in tmp_path.rglob("*"):
        assert path.is_dir() or key.secret_key.encode() not in path.read_bytes(), path


def test_a_second_rename_waits_until_the_first_is_settled(bare: StateRig) -> None:
    """Of two names in a row the list shows the last one, so the first could not be judged any more."""
    kind = account_kind(bare.state)

    def intent(endpoint: str, **args: str) -> AccountCommand:
        return AccountCommand(decision=DECISION, endpoint=endpoint, args=tuple(args.items()), title=endpoint)

    def refusals(portfolio_id: str) -> list[str]:
        found = kind.checks(intent("rename_portfolio", portfolioId=portfolio_id, name="Night8"))
        return [one.text for one in found if one is not None]

    first = intent("rename_portfolio", portfolioId=OWN, name="Night7")
    bare.state.commands.add(open_command(first, "cd1", CommandState.UNKNOWN))

    assert refusals(OWN) == ["rename_portfolio is UNKNOWN; wait until it is settled"]
    assert refusals("1") == []
    created = intent("create_portfolio", name="Night8")
    bare.state.commands.add(open_command(created, "cd2", CommandState.UNKNOWN))
    assert refusals("1") == ["create_portfolio is UNKNOWN; wait until it is settled"], "the name that proves it"
    assert PORTFOLIO_KINDS["rename_portfolio"].subject_text({"portfolioId": OWN}) == OWN, "as the journal writes it"
    assert PORTFOLIO_KINDS["create_portfolio"].subject_text({"name": "Night7"}) == ""
