"""The rules of a pair change while a ticket is open: it is told, and nothing leaves before it was looked at again."""

from __future__ import annotations

import msgspec
import pytest

from tests.workstation.driver import Desk, desk
from tui.engine.intents import Outcome, Verdict
from tui.engine.rows import Table
from tui.workstation.input.scopes import Scope

BTC = "BINANCE_PERP_BTC_USDT"


async def change_rules(at: Desk, **rules: str) -> None:
    at.port.put(Table.SYMBOLS, BTC, msgspec.structs.replace(at.app.mirror.symbols[BTC], **rules))
    await at.settle()


@pytest.mark.parametrize(("width", "height"), [(80, 24), (160, 45)])
async def test_changed_pair_rules_are_shown_and_block_a_staged_order(width: int, height: int) -> None:
    async with desk(width, height) as at:
        await at.press("b")
        await change_rules(at, tick_size="0.5", lot_size="0.002")
        said = " ".join(line.strip("│ ") for line in at.text().split("\n"))
        assert (
            "The rules of the pair have changed: tick 0.1 → 0.5, lot 0.001 → 0.002." in said
            and "Backspace continues" in said
        )
        assert "Enter send" not in at.text()
        await at.press("enter", "enter", "y")
        assert at.port.intents == []
        await at.press("escape", "b", *"0.004", "enter")
        assert len(at.port.intents) == 1


async def test_a_typed_size_is_checked_against_a_changed_lot_size() -> None:
    async with desk(160, 45) as at:
        await at.press("b", *"0.003")
        await change_rules(at, lot_size="0.002", min_size="0.002")
        await at.press("5", "enter")
        assert at.app.main_screen.panel.size_field.value == "0.003", "nothing is typed behind it"
        await at.press("backspace", "3", "enter")
        assert at.port.intents == [] and at.scope() is Scope.FIELD
        assert "Size 0.003 must be a multiple of 0.002" in at.text()
        await at.press("backspace", "4", "enter")
        assert len(at.port.intents) == 1


@pytest.mark.parametrize("rules", [{}, {"tick_size": "0.10", "min_notional": "5.0"}])
async def test_unchanged_symbol_rules_do_not_interrupt_a_ticket(rules: dict[str, str]) -> None:
    async with desk(160, 45) as at:
        await at.press("b")
        await change_rules(at, **rules)
        await at.press("enter")
        assert len(at.port.intents) == 1


@pytest.mark.parametrize(("width", "height"), [(80, 24), (160, 45)])
async def test_changed_symbol_rules_void_an_open_confirm_prompt(width: int, height: int) -> None:
    async with desk(width, height) as at:
        at.port.outcomes = [Outcome(verdict=Verdict.ASK, guard="FIRST_OF_DAY", text="first order today")]
        await at.press("b", "enter")
        assert "first order today" in at.text()
        await change_rules(at, contract_size="100")
        assert "contract 1 → 100" in " ".join(at.text().replace("│", " ").split())
        at.clock.pass_by(1.0)
        await at.press("y", "backspace", "y")
        assert len(at.port.intents) == 1 and "first order today" not in at.text()
        await at.press("enter")
        assert len(at.port.intents) == 2


async def test_a_ticket_on_a_suspended_pair_says_so_before_sending() -> None:
    async with desk(160, 45) as at:
        await at.press("b")
        await change_rules(at, state="suspended")
        assert "state live → suspended" in at.text()
        await at.press("backspace")
        assert "is suspended; only live symbols accept orders" in at.text() and "Enter send" not in at.text()
