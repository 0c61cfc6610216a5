"""The explorer: every endpoint is found, its parameters are a form, its answer is a table or JSON, and risk asks."""

from __future__ import annotations

from collections.abc import Mapping

import msgspec
import pytest

from tests.workstation.driver import Desk, desk
from tui.engine.commands import proofs
from tui.engine.commands.proofs import AccountCommandKind
from tui.engine.intents import Outcome, Verdict
from tui.engine.modes import TradingState
from tui.engine.rows import Table
from tui.engine.service_query import ListRead, ReadState, query_endpoint
from tui.interface import catalogue
from tui.interface.families.orders import OrderRecord
from tui.interface.request import Amount, Flag, Request
from tui.workstation.features.explorer import form, pane
from tui.workstation.input.scopes import Scope


class Moved(Request, frozen=True, kw_only=True, rename="camel"):
    """A call with a parameter of each kind."""

    currency: str
    amount: Amount
    rapid_transfer: Flag = ""
    client_order_id: str = ""


KIND = AccountCommandKind(moves_money=True, raises_risk=proofs.always, proof=None)


async def choose(at: Desk, name: str) -> None:
    """Open the explorer and the form of an endpoint."""
    await at.press("f4", "/", *name, "enter")
    at.app.context.list_screen.tables["explorer"].select(name)
    await at.press("enter")


async def answer(at: Desk, **fields: object) -> None:
    query = at.queries()[-1]
    found = ListRead(query=query, state=ReadState.WHOLE, **fields)  # type: ignore[arg-type]
    at.port.put(Table.ANSWERS, query.key, found)
    await at.settle()


async def test_explorer_lists_every_endpoint() -> None:
    async with desk(160, 45) as at:
        await at.press("f4")
        listed = at.app.context.list_screen.tables["explorer"].pane.keys()
        assert listed == [row.name for row in catalogue.ROWS]
        await at.press("/", *"removed")
        assert "transfer_info_old" in at.text() and "statement" not in at.text().split("filter")[0]


async def test_explorer_sends_a_query_and_shows_a_table_and_json() -> None:
    async with desk(160, 45) as at:
        await choose(at, "order_history")
        assert at.scope() is Scope.FORM and "GET /api/v1/trading/history/orders" in at.text()
        assert "page" not in [field.name for field in at.app.screen.body.current_view.fields]  # type: ignore[attr-defined]
        while "▸ send" not in at.text():
            await at.press("down")
        await at.press("enter")
        assert at.queries() == [query_endpoint("explorer/answer", "order_history")]
        order = OrderRecord(order_id="2000000000000001", sym="BINANCE_PERP_BTC_USDT", order_state="FILLED", side="BUY")
        await answer(at, rows=(order,), total=1)
        assert "2000000000000001" in at.text() and "orderState" in at.text() and "filtered out" not in at.text()
        await at.press(")")
        assert '"orderId": "2000000000000001",' in at.text()
        await at.press("(", "(")
        assert "order_history" in at.text() and "1 hidden" not in at.text()


def line(at: Desk, word: str) -> str:
    return next(one for one in at.text().splitlines() if word in one)


async def test_the_explorer_shows_an_answer_by_fields_or_its_error() -> None:
    async with desk(120, 36) as at:
        await choose(at, "account")
        await at.press("enter")
        await answer(at, data={"level": 3, "parts": [1, 2]})
        assert "level" in at.text() and "[1,2]" in at.text()
        rates = {"BTC": {"coin": "BTC", "rate": "0.01"}, "ETH": {"coin": "ETH", "rate": "0.02", "pool": "9"}}
        await answer(at, data=rates)
        assert line(at, "0.01").split()[:2] == ["▸BTC", "0.01"], "a field of each record says its name"
        await answer(at, data={"one": {"rate": "0.01"}, "other": {"rate": "0.02", "pool": "9"}})
        assert line(at, "one").split()[:2] == ["▸one", "0.01"]
        assert line(at, "other").split()[1:3] == ["0.02", "9"]
        await at.press("r")
        assert len(at.queries()) == 2
        query = at.queries()[-1]
        at.port.put(Table.ANSWERS, query.key, ListRead(query=query, state=ReadState.FAILED, text="2002 no READ"))
        await at.settle()
        assert "not read: 2002 no READ" in at.text()


async def test_explorer_accepts_dates_and_shows_errors_at_the_field() -> None:
    async with desk(160, 45) as at:
        await choose(at, "statement")
        fields = [field.name for field in at.app.screen.body.current_view.fields]  # type: ignore[attr-defined]
        await at.press(*["down"] * fields.index("startTime"), *"2026-11-20")
        assert "it must be a time in ms" not in at.text()
        await at.press("down", *"soon", "enter")
        assert "it must be a time in ms, 13 digits" in at.text() and at.queries() == []
        await at.press("ctrl+u")
        while "▸ send" not in at.text():
            await at.press("down")
        await at.press("enter")
        assert dict(at.queries()[0].sources[0].params) == {"startTime": "1795132800000"}


@pytest.fixture
def transfer(monkeypatch: pytest.MonkeyPatch) -> None:
    """A row that moves money and has no screen of its own here."""
    row = msgspec.structs.replace(catalogue.BY_NAME["transfer"], request=Moved)
    monkeypatch.setitem(catalogue.BY_NAME, "transfer", row)
    sends: Mapping[str, AccountCommandKind] = {"transfer": KIND, "create_portfolio": KIND}
    for module in (form, pane):
        monkeypatch.setattr(module, "KINDS", sends)


@pytest.mark.usefixtures("transfer")
async def test_explorer_transfer_needs_a_typed_word() -> None:
    async with desk(160, 45) as at:
        await choose(at, "transfer")
        assert "not yet: currency is missing" in at.text() and "clientOrderId" not in at.text()
        await at.press(*"USDT", "enter", *"500", "enter", "right", "enter")
        assert "y asks first, then the typed word sends it" in at.text()
        at.port.outcomes.append(Outcome(verdict=Verdict.ACCEPTED, answer={"transferId": 7}))
        await at.press("enter")
        assert at.scope() is Scope.WORD and at.port.intents == []
        at.clock.pass_by(0.5)
        await at.press(*"send", "enter")
        await at.settle()
        [sent] = at.sent_commands()
        assert dict(sent.args) == {"currency": "USDT", "amount": "500", "rapidTransfer": "true"}
        assert sent.title == "transfer currency=USDT amount=500 rapidTransfer=true"
        assert sent.decision.portfolio == "7001"
        assert "transfer: accepted" in at.text() and "transferId" in at.text()


async def test_the_explorer_can_set_parameters_that_no_form_has() -> None:
    values = {"fromTradeAccountId": "7001", "toTradeAccountId": "3001", "currency": "USDT", "amount": "5"}
    async with desk(160, 45) as at:
        at.port.set_desk(trading_state=TradingState.ARMED)
        await choose(at, "transfer")
        fields = [field.name for field in at.app.screen.body.current_view.fields]  # type: ignore[attr-defined]
        for name in fields:
            keys = ["right"] if name == "loanTrans" else [*values.get(name, "")]
            await at.press(*keys, "down")
        at.port.outcomes.append(Outcome(verdict=Verdict.ACCEPTED, answer={"transferId": 7}))
        await at.press("enter")
        at.clock.pass_by(0.5)
        await at.press(*"send", "enter")
        await at.settle()
        [sent] = at.sent_commands()
        assert dict(sent.args) == {**values, "loanTrans": "true"}


@pytest.mark.usefixtures("transfer")
async def test_the_explorer_sends_no_order_and_names_its_own_screen() -> None:
    async with desk(160, 45) as at:
        await choose(at, "place_order")
        while "▸ send" not in at.text():
            await at.press("down")
        await at.press("enter")
        assert at.port.intents == [] and "this endpoint has its own screen and key: Enter" in at.text()


async def test_explorer_refuses_to_create_api_keys() -> None:
    async with desk(160, 45) as at:
        await choose(at, "create_api_key")
        while "▸ send" not in at.text():
            await at.press("down")
        await at.press("enter")
        assert at.port.intents == [] and "its reply contains a secret, shown only once: use +" in at.text()


@pytest.mark.parametrize(("columns", "lines"), [(80, 24), (120, 36), (200, 60)])
async def test_explorer_fits_every_screen_size(columns: int, lines: int) -> None:
    async with desk(columns, lines) as at:
        await choose(at, "account")
        await at.press("enter")
        await answer(at, rows=tuple({f"name{n}": "x" * (n * 7), "long": "y" * 300} for n in range(12)))
        assert all(len(line) == columns for line in at.text().splitlines())
        await at.press(")")
        assert all(len(line) == columns for line in at.text().splitlines())
