"""The screen of portfolios and keys: lists, forms with refusals beside the field, freezing, deleting, the secret once."""

from __future__ import annotations

import pytest

from tests.workstation.driver import Desk, desk
from tui.engine.intents import Outcome, Verdict
from tui.engine.modes import TradingState
from tui.engine.rows import Table
from tui.engine.service_query import ListRead, ReadState, query_endpoint
from tui.interface.families.accounts import AccountRecord
from tui.interface.families.portfolios import ApiKeyRecord, NewApiKey, PortfolioRecord
from tui.workstation.commands.launcher_services import PortfolioChoice
from tui.workstation.input.scopes import Scope

MAIN = PortfolioRecord(
    portfolio_id=7001, name="MainPortfolio", belonging_to=0, create_at=1_690_000_000_000, update_at=0
)
NIGHT = PortfolioRecord(
    portfolio_id=2_171_869_303_221_111, name="NightDesk", belonging_to=2, create_at=1_699_000_000_000,
    update_at=1_699_100_000_000,
)  # fmt: skip
ACCESS = "feedc0de" * 6
KEY = ApiKeyRecord(
    portfolio_id=NIGHT.portfolio_id, api_name="maker", access_key=ACCESS, status=1, ip="203.0.113.7",
    permission="READ,TRADE", created_at=1_699_000_000_000, updated_at=1_699_000_000_000,
)  # fmt: skip
MADE = NewApiKey(
    portfolio_id=NIGHT.portfolio_id, api_name="fresh", access_key="abcd" * 12, secret_key="5ec2e7" * 8, status=1
)


async def answer(at: Desk, *rows: object, state: ReadState = ReadState.WHOLE, **more: object) -> None:
    query = at.queries()[-1]
    found = ListRead(query=query, state=state, rows=rows, total=len(rows), **more)  # type: ignore[arg-type]
    at.port.put(Table.ANSWERS, query.key, found)
    await at.settle()


async def enter(at: Desk, *, keys: bool = False, armed: bool = True) -> None:
    """The screen with two portfolios; on its keys where wanted, with one key."""
    at.port.set_desk(trading_state=TradingState.ARMED if armed else TradingState.VIEW)
    await at.press("P")
    await answer(at, MAIN, NIGHT)
    if keys:
        await at.press(")")
        await answer(at, KEY)


def sent(at: Desk) -> list[tuple[str, dict[str, str]]]:
    return [(one.endpoint, dict(one.args)) for one in at.sent_commands()]


def select(at: Desk, key: str) -> None:
    at.app.context.list_screen.tables["portfolios"].select(key)


async def test_portfolio_list_marks_the_portfolio_in_use() -> None:
    async with desk(160, 45) as at:
        await enter(at)
        assert at.queries() == [query_endpoint("portfolios/portfolios", "portfolios", to_end=True)]
        line = next(line for line in at.text().splitlines() if "NightDesk" in line)
        assert "sub" in line and "2171869303221111" in line and "this desk" not in line
        line = next(line for line in at.text().splitlines() if "MainPortfolio" in line and "main" in line)
        assert "this desk" in line
        assert "this desk trades MainPortfolio" in at.text()


async def test_portfolio_list_shows_a_sub_key_error_and_blocks_nothing() -> None:
    async with desk(120, 36) as at:
        await at.press("P")
        await answer(at, state=ReadState.FAILED, code=100003, text="100003 Needs the main key: invalid user type")
        assert "not read: 100003 Needs the main key" in at.text()
        await at.press("P", "b")
        assert at.scope() is Scope.PREVIEW


async def test_portfolio_form_rejects_a_bad_name_and_keeps_it() -> None:
    async with desk(120, 36) as at:
        await enter(at)
        await at.press("+")
        assert at.scope() is Scope.FORM and "6 to 20 letters or digits" in at.text()
        for name, said in (
            ("Nig", "it takes 6 to 20"),
            ("htDesk", "another portfolio has this name"),
            ("!", "it takes"),
        ):
            await at.press(*name, "enter")
            assert said in at.text() and sent(at) == [], name
        await at.press("backspace", "2", "enter", "y")
        assert sent(at) == [("create_portfolio", {"name": "NightDesk2"})]


async def test_a_sub_portfolio_can_be_renamed_and_the_main_one_cannot() -> None:
    async with desk(120, 36) as at:
        await enter(at)
        select(at, str(NIGHT.portfolio_id))
        await at.press("f2", *"DayDesk", "enter", "y")
        assert sent(at) == [("rename_portfolio", {"portfolioId": str(NIGHT.portfolio_id), "name": "DayDesk"})]
        select(at, str(MAIN.portfolio_id))
        await at.press("f2")
        assert at.scope() is Scope.SCREEN and any(
            "the main portfolio cannot be renamed" in line for line in at.events()
        )


async def test_api_key_list_shows_rights_and_a_shortened_access_key() -> None:
    async with desk(160, 45) as at:
        await enter(at, keys=True)
        line = next(line for line in at.text().splitlines() if "maker" in line)
        assert all(word in line for word in ("NightDesk", "feed…c0de", "read trade", "203.0.113.7", "normal"))
        assert ACCESS not in at.text()
        select(at, ACCESS)
        await at.press("m")
        assert "feed…c0de" in at.text() and ACCESS not in at.text()


async def test_the_portfolios_screen_lists_accounts_of_other_types() -> None:
    async with desk(120, 36) as at:
        await enter(at, keys=True)
        await at.press(")")
        assert at.queries()[-1].sources[0].endpoint == "accounts"
        await answer(
            at, AccountRecord(account_id=2_400_000_000_000_001, venues="OKX", label="DMA", account_note="OKX sub")
        )
        assert next(line for line in at.text().splitlines() if "DMA" in line and "OKX sub" in line)


async def test_a_new_api_key_shows_its_secret_once() -> None:
    async with desk(160, 45) as at:
        await enter(at, keys=True)
        await at.press("+")
        assert "‹ NightDesk ›" in at.text(), "the portfolio of the row is proposed"
        await at.press("down", *"fresh", "down", "right", "down", "down", "down", *"10.0.0.", "enter")
        assert "is not accepted" in at.text()
        at.port.outcomes.append(Outcome(verdict=Verdict.ACCEPTED, key="c1", answer=MADE))
        await at.press(*"1, ::1", "enter", "y")
        assert sent(at) == [
            (
                "create_api_key",
                {
                    "portfolioId": str(NIGHT.portfolio_id), "apiName": "fresh", "ip": "10.0.0.1,::1",
                    "permission": "READ,TRANSFER",
                },
            )
        ]  # fmt: skip
        await at.settle()
        assert at.scope() is Scope.SECRET
        assert MADE.secret_key in at.text() and MADE.access_key in at.text() and "fresh of NightDesk" in at.text()
        await at.press("enter", "q", "n")
        assert at.scope() is Scope.SECRET, "only Esc closes it"
        await at.press("y")
        assert at.app.clipboard == MADE.secret_key and "was sent to the clipboard" in at.text()
        await at.press("escape")
        assert at.scope() is Scope.SCREEN and MADE.secret_key not in at.text()
        assert not any(MADE.secret_key in line for line in at.events())
        assert MADE.secret_key not in str(at.port.intents)


async def test_the_kill_key_works_while_an_api_secret_is_shown() -> None:
    async with desk(120, 36) as at:
        at.app.controllers.portfolios.show_secret(MADE)
        await at.settle()
        await at.press("X")
        assert at.scope() is Scope.KILL


async def test_an_api_key_with_withdraw_right_needs_a_prompt() -> None:
    async with desk(160, 45) as at:
        await enter(at, keys=True)
        await at.press("+", "down", *"cash", "down", "down", "right")
        assert "this key can withdraw the user's money" in at.text()
        await at.press("down", "down", "down", "enter")
        assert "allow withdrawals with API key cash, used from any IP address" in at.text() and sent(at) == []
        at.clock.pass_by(0.5)
        await at.press("y")
        assert sent(at)[0][1]["permission"] == "READ,WITHDRAW"


async def test_api_key_form_starts_with_the_current_rights() -> None:
    async with desk(160, 45) as at:
        await enter(at, keys=True)
        select(at, ACCESS)
        await at.press("f2")
        assert "change API key maker of NightDesk" in at.text() and "203.0.113.7" in at.text()
        await at.press("down", "right", *["down"] * 4, "y")
        assert sent(at) == [
            (
                "change_api_key",
                {
                    "portfolioId": str(NIGHT.portfolio_id), "apiName": "maker", "ip": "203.0.113.7",
                    "permission": "READ,TRANSFER,TRADE", "accessKey": ACCESS,
                },
            )
        ]  # fmt: skip


@pytest.mark.parametrize(("status", "verb", "wanted"), [(1, "freeze", "2"), (2, "unfreeze", "1")])
async def test_an_api_key_is_frozen_and_unfrozen_after_a_prompt(status: int, verb: str, wanted: str) -> None:
    async with desk(160, 45) as at:
        await enter(at, keys=True)
        at.port.put(
            Table.ANSWERS, "portfolios/keys",
            ListRead(query=at.queries()[-1], state=ReadState.WHOLE, rows=(
                ApiKeyRecord(portfolio_id=NIGHT.portfolio_id, api_name="maker", access_key=ACCESS, status=status),
            )),
        )  # fmt: skip
        await at.settle()
        select(at, ACCESS)
        await at.press("f")
        assert f"{verb} API key maker of NightDesk" in at.text()
        await at.press("enter")
        assert sent(at) == []
        await at.press("f")
        at.clock.pass_by(0.5)
        await at.press("y")
        named = {"portfolioId": str(NIGHT.portfolio_id), "accessKey": ACCESS}
        assert sent(at) == [("change_api_key", {**named, "status": wanted})]


async def test_deleting_an_api_key_needs_a_typed_word() -> None:
    async with desk(160, 45) as at:
        await enter(at, keys=True)
        select(at, ACCESS)
        await at.press("-")
        at.clock.pass_by(0.5)
        await at.press(*"delet", "enter")
        assert sent(at) == []
        at.port.outcomes.append(Outcome(verdict=Verdict.REJECTED, code=100018, text="100018 Unknown key"))
        await at.press("e", "enter")
        await at.settle()
        assert sent(at) == [("delete_api_key", {"portfolioId": str(NIGHT.portfolio_id), "accessKey": ACCESS})]
        assert any("100018 Unknown key" in line for line in at.events())


async def test_switching_portfolio_asks_and_lists_live_orders() -> None:
    chosen: list[str] = []
    async with desk(160, 45, choice=PortfolioChoice(chosen.append, lambda: "")) as at:
        await enter(at)
        select(at, str(MAIN.portfolio_id))
        await at.press("T")
        assert any("this portfolio is already traded" in line for line in at.events())
        select(at, str(NIGHT.portfolio_id))
        await at.press("T")
        assert "trade portfolio NightDesk from now on" in at.text()
        assert "of portfolio main (PAPER) stay live at the venue" in at.text()
        await at.press("enter")
        assert chosen == []
        await at.press("T")
        at.clock.pass_by(0.5)
        await at.press("y")
        assert chosen == ["NightDesk"]


async def test_after_a_portfolio_switch_command_use_main_is_offered() -> None:
    chosen: list[str] = []
    async with desk(80, 24, choice=PortfolioChoice(chosen.append, lambda: "")) as at:
        await enter(at)
        select(at, str(NIGHT.portfolio_id))
        await at.press("T")
        assert "to go back, type : and then use main" in at.text()
        at.clock.pass_by(0.5)
        await at.press("y", "escape")
        # The key of a sub portfolio is refused the list of portfolios.
        at.port.set_desk(portfolio=str(NIGHT.portfolio_id), portfolio_name=NIGHT.name)
        at.port.put(
            Table.ANSWERS, "portfolios/portfolios",
            ListRead(query=at.queries()[-1], state=ReadState.FAILED, code=100003, text="100003 Needs the main key"),
        )  # fmt: skip
        await at.settle()
        await at.press("P")
        await at.settle()
        assert "use main goes back" in at.text()
        portfolios = at.app.controllers.portfolios
        assert portfolios.why_not_traded("main") == "" and portfolios.why_not_traded("MainPortfolio") == ""
        assert "trades NightDesk already" in portfolios.why_not_traded("NightDesk")
        assert "there are main, MainPortfolio, NightDesk" in portfolios.why_not_traded("Nobody")


async def test_command_use_main_works_without_the_list_of_portfolios() -> None:
    chosen: list[str] = []
    async with desk(120, 36, choice=PortfolioChoice(chosen.append, lambda: "")) as at:
        at.port.set_desk(portfolio=str(NIGHT.portfolio_id), portfolio_name=NIGHT.name)
        await at.press(":", *"use main", "enter")
        await at.settle()
        assert "trade portfolio main from now on" in at.text()
        assert "to go back, type : and then use NightDesk" in at.text()
        at.clock.pass_by(0.5)
        await at.press("y")
        assert chosen == ["main"]
        at.port.set_desk(portfolio="7001", portfolio_name="main")
        await at.settle()
        assert at.app.controllers.portfolios.why_not_traded("NightDesk") == ""


async def test_switching_a_portfolio_fixed_by_the_profile_is_refused() -> None:
    async with desk(160, 45) as at:
        await enter(at)
        select(at, str(NIGHT.portfolio_id))
        await at.press("T")
        assert (
            any("the portfolio is fixed by the profile" in line for line in at.events()) and at.scope() is Scope.SCREEN
        )


async def test_keys_of_the_portfolios_screen_say_where_they_work() -> None:
    async with desk(120, 36) as at:
        await enter(at)
        await at.press("f")
        assert any("only on a row of the API keys" in line for line in at.events())
        await at.press("P", "A", "+")
        assert any("only on the screen of the portfolios" in line for line in at.events())


@pytest.mark.parametrize(("columns", "lines"), [(60, 20), (80, 24), (200, 60)])
async def test_portfolios_screen_and_forms_fit_every_screen_size(columns: int, lines: int) -> None:
    async with desk(columns, lines) as at:
        await enter(at, keys=True)
        assert all(len(line) == columns for line in at.text().splitlines()) and "maker" in at.text()
        await at.press("+")
        assert all(len(line) == columns for line in at.text().splitlines()) and "new API key" in at.text()
        await at.press("escape")
        at.app.controllers.portfolios.show_secret(MADE)
        await at.settle()
        assert MADE.secret_key in at.text() and "Esc closes" in at.text()
