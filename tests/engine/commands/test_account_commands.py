"""Account commands on a scripted service: journaled before they leave, sent once, and a lost answer is asked about."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any

import msgspec
import pytest
from aiohttp import web

from tests.client.fakes import refusal, success, until
from tests.engine.command_rig import ask_every, let_calls_expire
from tests.engine.conftest import DECISION, Rig
from tui.engine.commands import account_kind, all_kinds, proofs
from tui.engine.commands.account_kind import ACCOUNT_PACE
from tui.engine.commands.proofs import AccountCommandKind, Finding, Proof
from tui.engine.intents import AccountCommand, Outcome, Verdict
from tui.engine.modes import RiskMode, TradingState
from tui.engine.rows import AccountCommandRow, CommandState, Table
from tui.engine.state import command_table
from tui.interface import catalogue
from tui.interface.endpoint import RateLimit, Shape
from tui.interface.families.portfolios import CreatePortfolio
from tui.interface.request import Request

pytestmark = pytest.mark.hurried

MOVE, FIND = "/api/v1/transfer/apply", "/api/v1/transfer/get"
NAME = "/api/v1/trading/portfolio"
NO_LIMIT = RateLimit(10_000, 1)
MOVE_ARGS = (("amount", "500"), ("currency", "USDT"))


class Known(Request, frozen=True, kw_only=True, rename="camel"):
    """A request by the id of its sender."""

    client_order_id: str = ""


class Named(msgspec.Struct):
    """A row of a list."""

    name: str


def judge(_row: AccountCommandRow, data: object) -> Finding | None:
    """By the status of one record: 0 runs, 1 done, 2 failed."""
    assert isinstance(data, dict)
    states = {0: CommandState.RUNNING, 1: CommandState.DONE, 2: CommandState.FAILED}
    return Finding(states[data["status"]], str(data.get("reason", "")))


def judge_named(row: AccountCommandRow, data: object) -> Finding | None:
    assert isinstance(data, list)
    return Finding(CommandState.DONE) if dict(row.args)["name"] in [one.name for one in data] else None


KINDS: Mapping[str, AccountCommandKind] = {
    "transfer": AccountCommandKind(
        moves_money=True, raises_risk=proofs.always, goes_on=True,
        proof=Proof("transfer_detail", lambda row: {"clientOrderId": row.id}, judge, frozenset([404910])),
    ),
    "create_portfolio": AccountCommandKind(
        moves_money=False, raises_risk=proofs.never, proof=Proof("portfolios", lambda row: {}, judge_named)
    ),
    "rename_portfolio": AccountCommandKind(moves_money=False, raises_risk=proofs.never, proof=None),
}  # fmt: skip


class Money:
    """A service that moves money, and what it answers."""

    def __init__(self, rig: Rig) -> None:
        self.rig = rig
        self.answer: web.Response | None = None
        """To a command; None: success."""
        self.found: dict[str, Any] | None = {"status": 1}
        """What it tells of the transfer; None: it does not know it."""
        self.names: list[str] = []
        rig.fake.refuse_rest = self._handle

    @property
    def sent(self) -> list[tuple[str, dict[str, str]]]:
        return [(path, params) for method, path, params in self.rig.fake.calls if method in ("POST", "PUT")]

    @property
    def asked(self) -> list[dict[str, str]]:
        return [params for method, path, params in self.rig.fake.calls if path == FIND]

    def _handle(self, path: str) -> web.Response | None:
        method, _, _ = self.rig.fake.calls[-1]
        if path in (MOVE, NAME) and method in ("POST", "PUT"):
            return self.answer or success({"transferId": 2_176_000_000_000_001, "secretKey": "only-now"})
        if path == FIND:
            return refusal(404910, "no such transfer") if self.found is None else success(self.found)
        if path == NAME:
            rows = [{"name": name} for name in self.names]
            return success({"list": rows, "page": 1, "pageSize": 1000, "totalSize": str(len(rows))})
        return None


def _plain(name: str, request: type[Request] = Request) -> None:
    """Make a row one of these parameters whose answer is of no known form."""
    row = catalogue.BY_NAME[name]
    catalogue.BY_NAME[name] = msgspec.structs.replace(
        row, request=request, record=None, shape=Shape.UNSPECIFIED, limit=NO_LIMIT
    )


async def serving_money(rig: Rig, monkeypatch: pytest.MonkeyPatch) -> Money:
    """A service with transfers and portfolios, and a desk in step with it."""
    ask_every(monkeypatch, 0.05)
    monkeypatch.setattr("tui.engine.trading_session.KINDS", KINDS)
    monkeypatch.setattr(catalogue, "BY_NAME", dict(catalogue.BY_NAME))
    _plain("transfer", Known)
    _plain("transfer_detail", Known)
    _plain("create_portfolio")
    _plain("rename_portfolio")
    listed = msgspec.structs.replace(catalogue.BY_NAME["portfolios"], record=Named, shape=Shape.PAGE, limit=NO_LIMIT)
    catalogue.BY_NAME["portfolios"] = listed
    made = Money(rig)
    await rig.ready()
    return made


@pytest.fixture
async def money(rig: Rig, monkeypatch: pytest.MonkeyPatch) -> Money:
    return await serving_money(rig, monkeypatch)


def command(endpoint: str = "transfer", **changes: object) -> AccountCommand:
    values: dict[str, object] = {
        "decision": DECISION, "endpoint": endpoint, "args": MOVE_ARGS, "title": "transfer 500 USDT", **changes,
    }  # fmt: skip
    return AccountCommand(**values)  # type: ignore[arg-type]


NEW = command("create_portfolio", args=(("name", "second"),), title="create portfolio second")


def rows(rig: Rig) -> list[AccountCommandRow]:
    found = rig.screen.look().tables.get(Table.COMMANDS, {}).values()
    return [row for row in found if isinstance(row, AccountCommandRow)]


def state(rig: Rig) -> CommandState:
    return rows(rig)[-1].state


def journal(rig: Rig) -> list[str]:
    """Kinds of entries about the newest command."""
    ids = [one.intent_id for one in rig.journal.lines if one.kind == "intent"]
    return [one.kind for one in rig.journal.lines if ids and one.intent_id == ids[-1] and one.kind != "note"]


async def submit(rig: Rig, intent: AccountCommand) -> Outcome:
    return await rig.engine.submit(intent)


async def test_an_account_command_is_journaled_and_sent_once(rig: Rig, money: Money) -> None:
    money.found = {"status": 0}
    outcome = await submit(rig, command())
    assert outcome.verdict is Verdict.ACCEPTED and outcome.key
    assert money.sent == [(MOVE, {**dict(MOVE_ARGS), "clientOrderId": outcome.key})]
    await until(lambda: len(money.asked) > 2)
    assert state(rig) is CommandState.RUNNING
    money.found = {"status": 1, "reason": "499.2 USDT arrived"}
    await until(lambda: state(rig) is CommandState.DONE)
    assert rig.screen.said("done: 499.2 USDT arrived: transfer 500 USDT")
    assert journal(rig) == ["intent", "sent", "reply", "command_settled"]
    assert money.asked[0] == {"clientOrderId": outcome.key} and len(money.sent) == 1


async def test_the_outcome_of_an_account_command_is_shown_as_an_answer(rig: Rig, money: Money) -> None:
    """An answer goes before older outcomes in the line of events: that a portfolio was made stood behind them for 10 s."""
    await submit(rig, command())
    await until(lambda: state(rig) is CommandState.DONE)
    await submit(rig, NEW)
    money.answer = refusal(100018, "no such key")
    await submit(rig, NEW)
    told = [event.text for event in rig.screen.look().events if event.answers][1:]  # behind that it is armed
    ends = ("accepted; it runs: transfer", "done: transfer 500", "done: create portfolio", "REJECTED 100018")
    assert len(told) == len(ends) and all(text.startswith(end) for end, text in zip(ends, told, strict=True)), told


async def test_a_transfer_that_fails_later_is_reported_with_its_reason(rig: Rig, money: Money) -> None:
    money.found = {"status": 2, "reason": "maxTransferable fell"}
    await submit(rig, command())
    await until(lambda: state(rig) is CommandState.FAILED)
    assert rig.screen.said("FAILED: maxTransferable fell: transfer 500 USDT")


async def test_a_create_portfolio_command_is_done_with_its_reply(rig: Rig, money: Money) -> None:
    outcome = await submit(rig, NEW)
    assert outcome.verdict is Verdict.ACCEPTED
    assert outcome.answer == {"transferId": 2_176_000_000_000_001, "secretKey": "only-now"}
    assert state(rig) is CommandState.DONE
    assert journal(rig) == ["intent", "sent", "reply"]
    assert not any("only-now" in one.payload for one in rig.journal.lines)


@pytest.mark.parametrize("status", [0, 1])
async def test_a_command_with_lost_reply_is_found_by_id_and_not_resent(rig: Rig, money: Money, status: int) -> None:
    money.answer, money.found = web.Response(status=502), None
    outcome = await submit(rig, command())
    assert outcome.verdict is Verdict.UNKNOWN
    assert state(rig) is CommandState.UNKNOWN
    again = await submit(rig, command(confirmed=frozenset(["DUPLICATE"])))
    assert (again.verdict, again.guard) == (Verdict.DENIED, "IN_FLIGHT")
    money.found = {"status": status}
    wanted = CommandState.DONE if status else CommandState.RUNNING
    await until(lambda: state(rig) is wanted)
    assert rig.screen.said("it was carried out" if status else "it was accepted and runs")
    assert len(money.sent) == 1 and {one["clientOrderId"] for one in money.asked} == {outcome.key}


async def test_a_lost_transfer_stays_unknown_until_it_is_dismissed(rig: Rig, money: Money) -> None:
    money.answer, money.found = web.Response(status=502), None
    outcome = await submit(rig, command())
    await until(lambda: len(money.asked) > 2)
    assert rig.engine.state.commands.open[outcome.key].not_found == 0
    rig.engine.dismiss(outcome.key)
    assert state(rig) is CommandState.UNKNOWN and rig.screen.said(
        "not dismissed: transfer 500 USDT: it was not found 0 times"
    )
    let_calls_expire(rig.engine)
    await until(lambda: rig.engine.state.commands.open[outcome.key].not_found >= account_kind.DISMISS_AFTER)
    assert state(rig) is CommandState.UNKNOWN
    rig.engine.dismiss(outcome.key)
    assert state(rig) is CommandState.DISMISSED and journal(rig)[-1] == "dismiss"


async def test_a_lost_create_portfolio_fails_once_its_call_expired(rig: Rig, money: Money) -> None:
    money.answer = web.Response(status=502)
    assert (await submit(rig, NEW)).verdict is Verdict.UNKNOWN
    reads = len(rig.fake.calls)
    await until(lambda: len(rig.fake.calls) > reads + 2)
    assert state(rig) is CommandState.UNKNOWN
    let_calls_expire(rig.engine)
    await until(lambda: state(rig) is CommandState.NOT_DONE)
    assert rig.screen.said("was not carried out: create portfolio second")


async def test_one_list_query_settles_all_unknown_commands_in_it(
    rig: Rig, money: Money, monkeypatch: pytest.MonkeyPatch
) -> None:
    ask_every(monkeypatch, 3600.0)
    money.answer = web.Response(status=502)
    for name in ("second", "third", "fourth"):
        assert (await submit(rig, command("create_portfolio", args=(("name", name),)))).verdict is Verdict.UNKNOWN
    money.names = ["third", "second"]
    reads = len(rig.fake.calls)
    await rig.session.commands.settle(ACCOUNT_PACE)
    # Whatever else is read in regular intervals meanwhile does not count.
    assert [path for _, path, _ in rig.fake.calls[reads:]].count(catalogue.BY_NAME["portfolios"].path) == 1
    assert [row.state for row in rows(rig)] == [CommandState.DONE, CommandState.DONE, CommandState.UNKNOWN]


async def test_an_unknown_account_command_can_be_dismissed(rig: Rig, money: Money) -> None:
    money.answer = web.Response(status=502)
    renamed = command("rename_portfolio", args=(("name", "other"),), title="rename portfolio")
    outcome = await submit(rig, renamed)
    rig.engine.dismiss(outcome.key)
    assert state(rig) is CommandState.DISMISSED


Prepare = Callable[[Rig], None]


@pytest.mark.parametrize(
    ("prepare", "intent", "guard"),
    [
        (lambda rig: rig.engine.set_trading_state(TradingState.VIEW), command(), "STATE"),
        (lambda rig: rig.engine.set_risk_mode(RiskMode.HALT), command(), "MODE"),
        (lambda rig: None, command("place_order"), "COMMAND"),
        (lambda rig: None, command("no_such_row"), "COMMAND"),
        (
            lambda rig: None,
            command(decision=msgspec.structs.replace(DECISION, portfolio="2171869303229999")),
            "PORTFOLIO",
        ),
    ],
)
async def test_an_account_command_not_allowed_now_is_denied(
    rig: Rig, money: Money, prepare: Prepare, intent: AccountCommand, guard: str
) -> None:
    prepare(rig)
    outcome = await submit(rig, intent)
    assert (outcome.verdict, outcome.guard) == (Verdict.DENIED, guard)
    assert money.sent == [] and rows(rig) == []


async def test_halt_mode_allows_creating_a_portfolio(rig: Rig, money: Money) -> None:
    rig.engine.set_risk_mode(RiskMode.HALT)
    assert (await submit(rig, NEW)).verdict is Verdict.ACCEPTED


async def test_a_missing_command_parameter_is_denied_by_name(
    rig: Rig, money: Money, monkeypatch: pytest.MonkeyPatch
) -> None:
    row = catalogue.BY_NAME["create_portfolio"]
    named = msgspec.structs.replace(row, request=CreatePortfolio)
    monkeypatch.setitem(catalogue.BY_NAME, "create_portfolio", named)
    outcome = await submit(rig, command("create_portfolio", args=()))
    assert (outcome.guard, outcome.text) == ("COMMAND", "create_portfolio needs name")
    assert money.sent == []


async def test_a_repeated_transfer_asks_for_confirmation(rig: Rig, money: Money) -> None:
    assert (await submit(rig, command())).verdict is Verdict.ACCEPTED
    again = await submit(rig, command())
    assert (again.verdict, again.guard) == (Verdict.ASK, "DUPLICATE")
    assert (await submit(rig, command(confirmed=frozenset(["DUPLICATE"])))).verdict is Verdict.ACCEPTED
    assert len(money.sent) == 2 and len({params["clientOrderId"] for _, params in money.sent}) == 2


async def test_only_the_newest_ended_account_commands_stay_listed(
    rig: Rig, money: Money, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(command_table, "MOST_ENDED", 2)
    for number in range(4):
        name = f"number{number}"
        assert (await submit(rig, msgspec.structs.replace(NEW, args=(("name", name),), title=name))).key
    assert [row.title for row in rows(rig)] == ["number2", "number3"]


async def test_journal_intent_of_an_account_command_has_its_arguments(rig: Rig, money: Money) -> None:
    outcome = await submit(rig, command(preview="uniMMR 12 → 11"))
    meant = next(one for one in rig.journal.lines if one.kind == "intent")
    payload = json.loads(meant.payload)
    assert payload["kind"] == "AccountCommand" and payload["args"]["clientOrderId"] == outcome.key
    assert payload["intent"]["preview"] == "uniMMR 12 → 11" and meant.client_order_id == ""


def test_every_account_command_kind_names_known_endpoints() -> None:
    for name, kind in all_kinds.KINDS.items():
        assert catalogue.BY_NAME[name].is_command
        if kind.proof is not None:
            assert not catalogue.BY_NAME[kind.proof.read].is_command
