"""Leverage and position mode by key: form, figures, refusals beside the field, questions, and what stands against it."""

from __future__ import annotations

import msgspec
import pytest

from tests.workstation.driver import Desk, desk
from tests.workstation.tickets.test_transfer_form import words
from tui.engine.intents import Outcome, SetLeverage, SetMarginLeverage, SetPositionMode, Verdict
from tui.engine.rows import CommandState, LoanTerms, SettingChange, Table
from tui.interface.families.loans import LoanTierRow
from tui.interface.families.positions import LeverageRow
from tui.workstation.input.scopes import Scope

BTC = "BINANCE_PERP_BTC_USDT"
TIER = LoanTierRow(tier="1", min_size="0", max_size="100", mm_rate="0.02", max_leverage="5.00")


async def test_lowering_leverage_shows_its_effect_without_a_prompt() -> None:
    async with desk(160, 45) as at:
        await at.select_leg()
        await at.press("l")
        assert at.scope() is Scope.FORM
        assert "leverage of BINANCE BTC perp" in at.text() and "now 20; 1 to 100" in at.text()
        await at.press("1", "0")
        text = at.text()
        assert "10_" in text and "free margin" in text and "uniMMR" in text and "liq price" in text
        margin = next(line for line in text.split("\n") if "│ margin" in line or " margin   " in line)
        assert len({word for word in margin.split() if "," in word}) >= 2
        await at.press("enter")
        assert at.port.intents == [] and "y sends it" in at.text()
        await at.press("y")
        assert at.port.intents == [
            SetLeverage(decision=at.port.intents[0].decision, sym=BTC, leverage="10", before="20")
        ]
        assert at.port.intents[0].decision.source == "key y"
        await at.settle()
        assert at.scope() is Scope.POSITIONS


async def test_raising_leverage_asks_for_confirmation() -> None:
    async with desk(160, 45) as at:
        await at.select_leg()
        await at.press("l", "5", "0", "enter", "enter")
        assert at.scope() is Scope.PROMPT and at.port.intents == []
        assert "Raise the leverage of BINANCE BTC perp" in at.text() and "20 → 50: margin" in at.text()
        at.clock.pass_by(0.5)
        await at.press("escape")
        assert at.scope() is Scope.FORM_END and at.port.intents == []
        await at.press("enter")
        await at.confirm()
        assert [type(one) for one in at.port.intents] == [SetLeverage]


@pytest.mark.parametrize(
    ("typed", "words"),
    [
        ("0", "0 is not accepted; type 1 to 100"),
        ("101", "101 is not accepted; type 1 to 100"),
        ("20", "it is 20 already"),
        ("2", "of margin;"),
        ("", "now 20; 1 to 100"),
    ],
)
async def test_invalid_leverage_is_rejected_beside_its_field(typed: str, words: str) -> None:
    async with desk(160, 45) as at:
        await at.select_leg()
        await at.press("l", *typed, "enter")
        await at.press("down", "y")
        assert words in at.text() and at.port.intents == []


async def test_leverage_field_takes_digits_and_arrow_key_steps() -> None:
    async with desk(160, 45) as at:
        await at.select_leg()
        await at.press("l", "1", "e", "5")
        assert "'e' isn't valid here: leverage is a whole number" in at.text()
        assert "1_" in at.text() and "15_" not in at.text()
        await at.press("backspace")
        assert "▸ leverage 1_" in at.text(), "the key that continues takes back only the refused one"
        await at.press("backspace", "right")
        assert "▸ leverage 21_" in at.text(), "the first step goes from the present value"
        await at.press("left", "left", "X")
        assert "▸ leverage 19_" in at.text() and at.scope() is Scope.KILL


@pytest.mark.drawn
async def test_a_leverage_change_of_unknown_outcome_blocks_another() -> None:
    async with desk(160, 45) as at:
        at.port.outcomes.append(Outcome(verdict=Verdict.UNKNOWN, text="HTTP 502; being read back"))
        await at.select_leg()
        await at.press("l", "1", "0", "enter", "y")
        row = SettingChange(before="20", wanted="10", state=CommandState.UNKNOWN, proven_from=at.clock.mono() + 61.5)
        at.port.put(Table.SETTINGS, f"leverage/{BTC}", row)
        await at.settle()
        assert "20 → 10: UNKNOWN whether it was carried out" in at.text()
        assert "UNK 1 setting" in at.text().split("\n")[0], "in the status line wherever the keyboard is"
        await at.press("up", "backspace", "2", "enter", "y")
        assert "20 → 10: UNKNOWN whether it was carried out" in words(at)
        assert "the request can arrive for another 62 s" in words(at)
        assert len(at.port.intents) == 1
        at.port.put(Table.SETTINGS, f"leverage/{BTC}", None)
        await at.settle()
        assert "UNKNOWN whether" not in at.text() and "UNK 1 setting" not in at.text()


async def test_leverage_form_updates_when_the_leverage_changes() -> None:
    async with desk(160, 45) as at:
        await at.press("1", "g", "g")
        at.port.put(Table.LEVERAGES, "EDX_PERP_BTC_USDT", LeverageRow(sym="EDX_PERP_BTC_USDT", leverage="7"))
        await at.settle()
        while at.app.main_screen.tables["quotes"].selected != "EDX_PERP_BTC_USDT":
            await at.press("j")
        await at.press("l")
        assert "now 7; 1 to" in at.text()
        at.port.put(Table.LEVERAGES, "EDX_PERP_BTC_USDT", LeverageRow(sym="EDX_PERP_BTC_USDT", leverage="8"))
        await at.settle()
        assert "now 8; 1 to" in at.text()


async def test_margin_leverage_is_set_from_an_asset_row() -> None:
    async with desk(160, 45) as at:
        at.port.put(Table.LOANS, "BINANCE/USDT", LoanTerms("3", (TIER,)))
        await at.settle()
        await at.press("4", "g", "g")
        while at.app.main_screen.tables["assets"].selected != "BINANCE/USDT":
            await at.press("j")
        await at.press("l", "2", "enter", "y")
        (intent,) = at.port.intents
        assert isinstance(intent, SetMarginLeverage)
        assert (intent.exchange, intent.coin, intent.leverage, intent.before) == ("BINANCE", "USDT", "2", "3")
        await at.settle()
        while at.app.main_screen.tables["assets"].selected != "OKX/USDT":
            await at.press("j")
        await at.press("l")
        assert at.scope() is Scope.ASSETS and "USDT cannot be borrowed on OKX" in at.events()[-1]


async def test_the_position_mode_dialog_lists_what_blocks_a_change() -> None:
    async with desk(160, 45) as at:
        await at.select_leg("OKX_PERP_BTC_USDT/SHORT")
        await at.press("L")
        assert at.scope() is Scope.MODES
        text = at.text()
        assert "Position mode of OKX" in text and "BOTH (hedge) → NET (one-way)" in text
        assert "2 rows block the change: Enter" in text and "position SHORT 200" in text
        await at.press("j", "k")
        lines = text.splitlines()
        y = next(y for y, line in enumerate(lines) if "position SHORT 200" in line)
        await at.click(lines[y].index("position SHORT 200"), y + 1)
        await at.press("enter")
        assert at.scope() is Scope.ORDERS and at.app.main_screen.tables["orders"].selected == "o4"
        assert at.port.intents == []


async def test_position_mode_of_a_flat_venue_is_set_after_a_prompt() -> None:
    async with desk(160, 45) as at:
        for key, order in list(at.app.mirror.orders.items()):
            if order.sym.startswith("EDX_"):
                at.port.put(Table.ORDERS, key, None)
        await at.settle()
        await at.press("1", "g", "g")
        while at.app.main_screen.tables["quotes"].selected != "EDX_PERP_BTC_USDT":
            await at.press("j")
        await at.press("L")
        assert "nothing blocks the change" in at.text()
        await at.press("enter")
        assert at.scope() is Scope.PROMPT and "BOTH (hedge) → NET (one-way) for every perpetual there" in at.text()
        at.port.outcomes.append(
            Outcome(verdict=Verdict.REJECTED, code=406012, text="406012 Close positions and orders first")
        )
        await at.confirm()
        await at.settle()
        (intent,) = at.port.intents
        assert isinstance(intent, SetPositionMode)
        assert (intent.exchange, intent.mode, intent.before) == ("EDX", "NET", "BOTH")
        assert "rejected: 406012" in at.text() and at.scope() is Scope.MODES
        at.clock.pass_by(1.0)
        await at.press("enter")
        await at.confirm()
        await at.settle()
        assert len(at.port.intents) == 2 and at.scope() is Scope.QUOTES


async def ask_mode_of_edx(at: Desk) -> None:
    """Open the question that changes the position mode of a venue without orders."""
    for key, order in list(at.app.mirror.orders.items()):
        if order.sym.startswith("EDX_"):
            at.port.put(Table.ORDERS, key, None)
    await at.settle()
    await at.press("1", "g", "g")
    while at.app.main_screen.tables["quotes"].selected != "EDX_PERP_BTC_USDT":
        await at.press("j")
    await at.press("L", "enter")
    assert at.scope() is Scope.PROMPT and "BOTH (hedge) → NET (one-way)" in at.text()


@pytest.mark.parametrize("size", [(80, 24), (160, 45)])
@pytest.mark.parametrize(
    ("what", "why"),
    [
        ("mode", "EDX is NET (one-way) now, it was BOTH (hedge)"),
        ("change", "the position mode of EDX: BOTH → NET"),
        ("order", "blocks the change"),
    ],
)
@pytest.mark.parametrize("late", [False, True])
async def test_a_mode_question_closes_when_another_window_acts(
    what: str, why: str, size: tuple[int, int], *, late: bool
) -> None:
    """It stayed open, and its `y` was denied by the engine; `late`: `y` comes before the question is updated."""
    async with desk(*size) as at:
        await ask_mode_of_edx(at)
        at.clock.pass_by(1.0)
        if what == "mode":
            fact = at.app.mirror.accounts["EDX"]
            record = msgspec.structs.replace(fact.record, position_mode="NET")
            at.port.put(Table.ACCOUNTS, "EDX", msgspec.structs.replace(fact, record=record))
        elif what == "change":
            row = SettingChange(before="BOTH", wanted="NET", state=CommandState.SENDING, proven_from=0.0)
            at.port.put(Table.SETTINGS, "mode/EDX", row)
        else:
            at.port.order("x9", "EDX_PERP_BTC_USDT", "BUY", "60000", "0.1")
        await at.settle()
        if not late:
            await at.pause(0.3)
            assert at.scope() is Scope.MODES
        await at.press("y")
        assert at.scope() is Scope.MODES and at.port.intents == []
        assert any(text.startswith("question closed: ") and why in text for text in at.events()), at.events()[-2:]


async def test_a_mode_change_of_unknown_outcome_blocks_another() -> None:
    async with desk(160, 45) as at:
        for key, order in list(at.app.mirror.orders.items()):
            if order.sym.startswith("EDX_"):
                at.port.put(Table.ORDERS, key, None)
        row = SettingChange(before="BOTH", wanted="NET", state=CommandState.UNKNOWN, proven_from=at.clock.mono() + 30.0)
        at.port.put(Table.SETTINGS, "mode/EDX", row)
        await at.press("1", "g", "g")
        while at.app.main_screen.tables["quotes"].selected != "EDX_PERP_BTC_USDT":
            await at.press("j")
        await at.press("L", "enter")
        assert at.scope() is Scope.MODES and at.port.intents == []
        assert at.text().count("BOTH → NET: UNKNOWN whether it was carried out") == 1
        assert "can arrive for another 30 s" in at.text()
        at.clock.pass_by(21.0)
        at.app._tick()
        assert "can arrive for another 9 s" in at.text(), "counted down while no row changes"


async def test_palette_opens_the_leverage_form() -> None:
    async with desk(160, 45) as at:
        await at.select_leg()
        await at.press("ctrl+p", *"leverage of the pair", "enter")
        await at.settle()
        assert at.scope() is Scope.FORM


async def test_a_venue_in_liquidation_refuses_leverage_changes() -> None:
    async with desk(160, 45) as at:
        fact = at.app.mirror.accounts["BINANCE"]
        record = msgspec.structs.replace(fact.record, account_status="LIQUIDATING")
        at.port.put(Table.ACCOUNTS, "BINANCE", msgspec.structs.replace(fact, record=record))
        await at.select_leg()
        await at.press("l", "1", "0", "enter", "y")
        assert "the BINANCE account is in LIQUIDATING; settings cannot" in words(at)
        assert at.port.intents == []
