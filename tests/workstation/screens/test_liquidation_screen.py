"""The screen of a liquidation: its steps in their order, the snapshots of a node, and the accounts still at risk."""

from __future__ import annotations

import msgspec
import pytest

from tests.workstation.driver import Desk, desk
from tui.engine.rows import Fact, LiquidationStep, Table
from tui.interface.families.liquidation import LiquidationNode, LiquidationPositionRecord
from tui.interface.families.positions import AccountRecord, PositionRecord
from tui.workstation.input.scopes import Scope
from tui.workstation.widgets.full_screen import FullScreen

OLD, NEW = "2176000000000001", "2176000000000002"
PERP = "BINANCE_PERP_BTC_USDT"
SIZES = ((80, 24), (120, 36), (160, 45), (200, 60), (60, 20), (40, 10))


def node(word: str, at_ms: int, event: str = NEW) -> LiquidationStep:
    account = AccountRecord(exchange_type="BINANCE", account_status="LIQUIDATING", uni_mmr="0.98765", equity="8892.5")
    position = PositionRecord(
        sym=PERP, position_qty="15", avg_price="60000", mark_price="59289.5", liq_price="59289.56"
    )
    shown = LiquidationNode(node_type=word, create_at=str(at_ms), accounts=[account], positions=[position])
    return LiquidationStep(
        event_id=event,
        portfolio_id="1",
        venue="BINANCE",
        event_type="REDUCE",
        at_ms=at_ms,
        text=f"about {word}",
        node=shown,
    )


def order(at_ms: int) -> LiquidationStep:
    record = LiquidationPositionRecord(
        order_id="7" * 16, sym=PERP, reduce_qty="6.567", closed_pnl="-4695.4", liq_fee="1946.6"
    )
    return LiquidationStep(
        event_id=NEW, portfolio_id="1", venue="BINANCE", at_ms=at_ms, text="6.567 closed", order=record
    )


def tell(at: Desk, *steps: LiquidationStep) -> None:
    for step in steps:
        what = step.node.node_type if step.node is not None else "order"
        at.port.put(Table.LIQUIDATIONS, f"{step.event_id}/{what}", step)


def rows(at: Desk) -> list[str]:
    """What stands under "what happened"."""
    assert isinstance(at.app.screen, FullScreen)
    table = at.app.screen.live_table
    found = [table.pane.row(key) for key in table._keys]
    return [row.text for row in found if isinstance(row, LiquidationStep)]


async def test_newest_liquidation_comes_first_with_its_steps_in_order() -> None:
    async with desk(120, 36) as at:
        await at.press("R")
        assert "no liquidation event" in at.text()
        tell(at, node("TRIGGERED", 1_000, OLD), node("TRIGGERED", 5_000), node("REDUCE_END", 5_003), order(5_002))
        tell(at, node("REDUCE_START", 5_001))
        await at.settle()
        words = ["about TRIGGERED", "about REDUCE_START", "6.567 closed", "about REDUCE_END", "about TRIGGERED"]
        assert rows(at) == words
        line = next(line for line in at.text().split("\n") if "REDUCE_START" in line)
        assert "0.988" in line and "8,892.50" in line and "about REDUCE_START" in line
        await at.press("R")
        assert at.scope() is not Scope.SCREEN and at.port.intents == []


async def test_liquidation_step_card_shows_account_snapshots() -> None:
    async with desk(120, 36) as at:
        tell(at, node("REDUCE_START", 5_001), order(5_002))
        await at.press("R", "g", "g", "enter")
        await at.settle()
        shown = at.text()
        for text in (
            NEW,
            "LIQUIDATING, uniMMR 0.98765 (larger is safer)",
            "15 @ 60000, mark 59289.5, liquidation 59289.56",
        ):
            assert text in shown, text
        await at.press("escape", "j", "enter")
        await at.settle()
        assert "6.567" in at.text() and "1946.6" in at.text()


async def test_liquidation_title_lists_accounts_still_at_risk() -> None:
    async with desk(120, 36) as at:
        tell(at, node("TRIGGERED", 5_000))
        fact = at.app.mirror.accounts["BINANCE"]
        at.port.put(
            Table.ACCOUNTS,
            "BINANCE",
            Fact(msgspec.structs.replace(fact.record, account_status="CANCEL_ALL"), fact.stamp),
        )
        await at.press("R")
        await at.settle()
        assert "1 · running: BINANCE CANCEL_ALL" in at.text()
        at.port.put(Table.ACCOUNTS, "BINANCE", fact)
        await at.press("R", "R")
        await at.settle()
        assert "1 · ended" in at.text()


@pytest.mark.parametrize(("width", "height"), SIZES)
async def test_liquidation_screen_fits_every_screen_size(width: int, height: int) -> None:
    async with desk(width, height) as at:
        tell(at, node("REDUCE_START", 5_001), order(5_002))
        await at.press("R")
        await at.settle()
        assert "REDUCE_START" in at.text()
        assert all(len(line) == width for line in at.text().split("\n"))


@pytest.mark.parametrize("size", [(80, 24), (120, 36), (160, 45)])
async def test_wide_numbers_hide_no_step_text_of_a_liquidation(size: tuple[int, int]) -> None:
    async with desk(*size) as at:
        step = node("CANCEL_ALL", 1_000)
        assert step.node is not None
        wide = AccountRecord(
            exchange_type="BINANCE", account_status="CANCEL_ALL", uni_mmr="192994.1234", equity="12345678188704.11"
        )
        shown = msgspec.structs.replace(step.node, accounts=[wide])
        text = "all orders are cancelled (there was none); only reducing ones are taken"
        tell(at, msgspec.structs.replace(step, node=shown, text=text))
        await at.press("R")
        assert "what happened" in at.text() and "all orders are" in at.text()
        assert "192,994.12" in at.text() or "192994.12" in at.text() or "192.99" in at.text()


def course_node(word: str, at_ms: int, equity: str, maintenance: str, qty: str) -> LiquidationStep:
    account = AccountRecord(exchange_type="BINANCE", equity=equity, maintain_margin=maintenance)
    position = PositionRecord(sym=PERP, position_qty=qty)
    shown = LiquidationNode(
        node_type=word, create_at=str(at_ms), accounts=[account], positions=[position] if qty else []
    )
    return LiquidationStep(event_id=NEW, portfolio_id="1", venue="BINANCE", at_ms=at_ms, text=word, node=shown)


COURSE = (
    course_node("MARGIN_CALL", 5_000, "10000", "5000", "15"),
    course_node("REDUCE_START", 5_001, "5000", "5000", "15"),
    course_node("REDUCE_END", 5_002, "4500", "2500", "7.5"),
    course_node("LIQUIDATE_END", 5_003, "100", "0", ""),
)


async def test_unimmr_bars_of_a_liquidation_share_one_scale() -> None:
    async with desk(200, 60) as at:
        tell(at, *COURSE)
        await at.press("R")
        lines = [line for line in at.text().split("\n") if "█" in line or "·····" in line]
        bars = [next(word for word in line.split() if set(word) <= set("█┃·")) for line in lines]
        assert bars == ["█████████┃" + "█" * 10, "█" * 9 + "┃" + "·" * 10, "████┃████" + "·" * 11, "·" * 20]


async def test_liquidation_step_card_shows_changes_since_the_start() -> None:
    async with desk(120, 36) as at:
        tell(at, *COURSE)
        await at.press("R")
        at.app.context.list_screen.tables["liquidation"].select(f"{NEW}/REDUCE_END")
        await at.press("enter")
        assert "10,000.00 → 4,500.00" in at.text() and "15.000 → 7.500" in at.text()
        assert "net BTC now" in at.text() and "sum of the positions on all venues" in at.text()
        await at.press("escape")
        at.app.context.list_screen.tables["liquidation"].select(f"{NEW}/LIQUIDATE_END")
        await at.press("enter")
        assert "15.000 → 0.000 (gone)" in at.text()
        await at.press("escape")
        at.app.context.list_screen.tables["liquidation"].select(f"{NEW}/MARGIN_CALL")
        await at.press("enter")
        assert "→" not in at.text().split("position")[0].split("what happened")[-1]


def fresh(at: Desk, word: str = "TRIGGERED", *, of_sub: bool = False) -> LiquidationStep:
    made = node(word, int(at.clock.wall() * 1000) - 500)
    return msgspec.structs.replace(made, of_sub=of_sub)


def set_account(at: Desk, status: str) -> None:
    fact = at.app.mirror.accounts["BINANCE"]
    record = msgspec.structs.replace(fact.record, account_status=status)
    at.port.put(Table.ACCOUNTS, "BINANCE", Fact(record, at.port.stamp()))


async def test_a_liquidation_that_is_over_is_told_and_opens_no_screen() -> None:
    """A second window reads the steps of the last minute, and may read those of an event that is over."""
    async with desk(120, 36) as at:
        set_account(at, "NORMAL")
        tell(at, fresh(at), fresh(at, "MARGIN_CALL"))
        await at.settle()
        assert at.scope() is not Scope.SCREEN
        assert sum("a liquidation event of BINANCE has ended: R shows it" in line for line in at.events()) == 1
        assert not any("has begun" in line for line in at.events())
        set_account(at, "CANCEL_OPEN")
        tell(at, fresh(at, "CANCEL_OPEN"))
        await at.settle()
        assert at.scope() is Scope.SCREEN and "about CANCEL_OPEN" in at.text(), "it goes on"


async def test_liquidation_screen_opens_by_itself_once_at_the_start() -> None:
    async with desk(120, 36) as at:
        set_account(at, "MARGIN_CALL")
        await at.press("3")
        tell(at, fresh(at))
        await at.settle()
        assert at.scope() is Scope.SCREEN and "about TRIGGERED" in at.text()
        assert any("a liquidation has begun" in line for line in at.events())
        await at.press("R")
        assert at.scope() is Scope.SCREEN, "pressed for the screen that opened by itself a moment before"
        await at.press("R")
        tell(at, fresh(at, "MARGIN_CALL"))
        await at.settle()
        assert at.scope() is Scope.POSITIONS


async def test_liquidation_screen_never_opens_over_a_ticket() -> None:
    async with desk(120, 36) as at:
        tell(at, node("TRIGGERED", 1_000, OLD))
        await at.settle()
        assert at.scope() is not Scope.SCREEN
        await at.press("1", "j", "b")
        before = at.scope()
        tell(at, fresh(at))
        await at.settle()
        assert at.scope() is before and before is not Scope.SCREEN
    async with desk(120, 36) as at:
        tell(at, fresh(at, of_sub=True))
        await at.settle()
        assert at.scope() is not Scope.SCREEN
