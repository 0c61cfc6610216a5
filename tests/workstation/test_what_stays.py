"""Warnings stay until they are acknowledged, cards follow their row, protections stand with prices on the leg."""

from __future__ import annotations

import msgspec

from tests.workstation.driver import desk
from tui.engine.rows import EventLine, Fact, Level, Table

LEG = "BINANCE_PERP_BTC_USDT/LONG"
ASIDE = "set aside as journal.db.bad"


async def test_a_warning_stays_until_a_key_acknowledges_it() -> None:
    async with desk(160, 45) as at:
        at.port.handover.event(EventLine(wall_ms=1, level=Level.ALERT, text=ASIDE, sticky=True))
        for count in range(5):
            at.port.event(f"in step {count}")
        await at.settle()
        bar = at.text().split("\n")[-2]
        assert ASIDE in bar and "[!] seen" in bar and "in step 4" in bar
        await at.press("!")
        assert "Warnings, acknowledged" in at.text()
        await at.press("escape")
        assert ASIDE not in at.text().split("\n")[-2]


async def test_the_card_of_an_order_follows_its_order() -> None:
    async with desk(120, 36) as at:
        await at.press("2", "j", "j", "enter")
        assert "PARTIALLY_FILLED" in at.text()
        order = at.app.mirror.orders["o3"]
        at.port.put(Table.ORDERS, "o3", msgspec.structs.replace(order, state="CANCELLED", final=True))
        await at.settle()
        assert "CANCELLED" in at.text() and "PARTIALLY_FILLED" not in at.text()


async def test_triggers_stand_with_their_prices_on_the_leg_and_no_card_shows_a_raw_record() -> None:
    async with desk(120, 36) as at:
        fact = at.app.mirror.positions[LEG]
        algo = {"portfolioId": "7001", "slTriggerPrice": "63000", "tpTriggerPrice": "66000", "sym": fact.record.sym}
        at.port.put(Table.POSITIONS, LEG, Fact(msgspec.structs.replace(fact.record, tpsl_order=[algo]), fact.stamp))
        await at.settle()
        line = at.line_of("positions", "BINANCE BTC")
        assert "SL 63,000.0 TP 66,000.0" in line, line
        await at.press("3", "g", "g", "m")
        assert "{'" not in at.text() and "slTriggerPrice 63000" in at.text()
