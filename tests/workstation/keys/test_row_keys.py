"""Keys on one row: all its fields, its id, its life, and what changed while the connection was lost."""

from __future__ import annotations

import msgspec
import pytest

from tests.workstation.driver import desk
from tui.engine.event_line import EventLine, Level
from tui.engine.intents import Cancel
from tui.engine.rows import Table
from tui.engine.service_query import ListRead, ReadState, ServiceQuery
from tui.interface.families.market import MarkPriceRow, SymbolRow
from tui.workstation.input.scopes import Scope
from tui.workstation.layouts.plan import PANES

BTC = "BINANCE_PERP_BTC_USDT"


@pytest.mark.parametrize(("width", "height"), [(60, 20), (120, 36), (160, 45)])
async def test_a_detail_card_shows_all_fields_of_a_row(width: int, height: int) -> None:
    async with desk(width, height) as at:
        for pane in PANES:
            at.app.main_screen.show_pane(pane)
            await at.settle()
            await at.press("G", "m")
            assert at.scope() is Scope.HELP
            facts = at.app.main_screen.tables[pane].pane.details(at.app.main_screen.tables[pane].selected or "")
            assert len(facts) >= 3 and facts[0][0] in at.text()
            await at.press("escape")
            assert at.scope() is Scope(pane) and at.port.intents == []


async def test_a_detail_card_shows_values_as_the_service_sent_them() -> None:
    async with desk(120, 36) as at:
        await at.press("3", "g", "g", "m")
        text = " ".join(at.text().split())
        assert "position value 160002.5" in text and "leverage 20" in text and "update at" in text


@pytest.mark.parametrize(
    ("pane", "copied"),
    [
        ("orders", "o1"),
        ("positions", BTC),
        ("assets", "BINANCE/USDT"),
        ("fills", "93"),
        ("risk", "BINANCE"),
        ("pnl", BTC),
    ],
)
async def test_key_y_copies_the_id_of_a_row_to_the_clipboard(pane: str, copied: str) -> None:
    async with desk(120, 36) as at:
        at.app.main_screen.show_pane(pane)
        await at.settle()
        await at.press("g", "g", "y")
        assert at.app.clipboard == copied
        assert any("copied to the clipboard of the terminal" in text for text in at.events())


async def test_an_order_card_lists_all_events_of_the_order() -> None:
    async with desk(120, 36) as at:
        wall_ms = int(at.clock.wall() * 1000)
        for text, key in (("sent o3", "o3"), ("another order", "o4"), ("amended o3", "93")):
            at.port.updates.put_event(EventLine(wall_ms=wall_ms, level=Level.INFO, text=text, key=key))
        await at.settle()
        await at.press("2")
        at.app.main_screen.tables["orders"].select("o3")
        at.port.order("o3", BTC, "BUY", "63998.0", "0.250", order_id="93")
        await at.settle()
        await at.press("#")
        card = at.text()[at.text().index("Timeline of") :]
        assert "sent o3" in card and "amended o3" in card
        card_lines = [line for line in card.split("\n") if "another order" in line and line.startswith("│ 22")]
        assert card_lines == []


async def test_order_changes_while_disconnected_are_counted_until_read() -> None:
    async with desk(160, 45) as at:
        wall_ms = int(at.clock.wall() * 1000)

        def tell(text: str, level: Level, key: str = "o3", away: bool = False) -> None:
            at.port.updates.put_event(EventLine(wall_ms=wall_ms, level=level, text=text, key=key, away=away))

        tell("filled before", Level.GOOD)
        await at.settle()
        assert "away" not in at.text().split("\n")[0]
        at.port.set_desk(synced=False)
        await at.settle()
        tell("filled 0.1 while away", Level.GOOD, away=True)
        tell("DENIED (LINK): not connected", Level.WARN)
        tell("In sync with the venue", Level.INFO, "")
        await at.settle()
        at.port.set_desk(synced=True)
        tell("cancelled while away", Level.WARN, away=True)
        await at.settle()
        tell("filled after", Level.GOOD)
        await at.settle()
        assert "away 2 !" in at.text().split("\n")[0]
        await at.press("!")
        assert "While away: 2 changes" in at.text() and "filled 0.1 while away" in at.text()
        await at.press("escape")
        assert "away" not in at.text().split("\n")[0]
        await at.press("!")
        assert "nothing to clear" in at.events()[-1]


async def test_a_pair_card_shows_its_mark_price_and_symbol_data() -> None:
    async with desk(160, 45) as at:
        await at.press("1", "g", "g")
        while BTC not in (at.app.main_screen.tables["quotes"].selected or ""):
            await at.press("j")
        await at.press("m")
        asked = {one.sources[0].endpoint: one for one in at.port.read_requests if isinstance(one, ServiceQuery)}
        assert dict(asked["mark_price"].sources[0].params) == {"sym": BTC}
        assert dict(asked["symbols"].sources[0].params) == {"exchange": "BINANCE"}
        rows: dict[str, object] = {
            "mark_price": MarkPriceRow(sym=BTC, mark_price="64001.7", time=1700000000000),
            "symbols": SymbolRow(sym=BTC, exchange_type="BINANCE", base="BTC", quote="USDT", state="suspended"),
        }
        for name, row in rows.items():
            answer = ListRead(query=asked[name], state=ReadState.WHOLE, rows=(row,), total=1)
            at.port.put(Table.ANSWERS, asked[name].key, answer)
        await at.settle()
        facts = at.app.main_screen.tables["quotes"].pane.details(BTC)
        assert {("mark price", "64001.7"), ("public channel type enum", "MARK_PRICE"), ("state", "suspended")} <= set(
            facts
        )


async def test_an_order_whose_fills_are_complete_is_not_cancelled() -> None:
    """It sent a cancel for an order whose fills had all come; `u` took it for the newest that works."""
    async with desk() as at:
        lost = msgspec.structs.replace(
            at.app.mirror.orders["o1"], known_fills="1.0", create_at=at.port.stamp().update_at
        )
        at.port.put(Table.ORDERS, "o1", lost)
        await at.settle()
        await at.press("2", "g", "c")
        assert at.port.intents == [] and "the order is filled in full" in at.text()
        await at.press("escape", "enter")
        assert (
            "UNKNOWN" in at.text()
            and "filled in full; the service is asked to confirm that it has ended; asked 4x" in at.text()
        )
        await at.press("escape", "u")
        [intent] = at.port.intents
        assert isinstance(intent, Cancel) and intent.key == "o3"
