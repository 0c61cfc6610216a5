"""An order table alone, whose words and questions are heard."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import msgspec

from tests.client.fakes import PORTFOLIO, order
from tui.engine.conflating_queue import ConflatingQueue
from tui.engine.event_line import Level
from tui.engine.rows import OrderRow, Source, Stamp, Table
from tui.engine.state.order_table import OrderTable
from tui.interface import decimals
from tui.interface.families.orders import OrderRecord

CID, ID, OTHER, SYM = "cd1", "2000000000000001", "2000000000000002", "BINANCE_PERP_BTC_USDT"
WORDS = "BUY 0.01 BINANCE BTC perp @ 60,000"
BEGAN = 100.0

NEXT: dict[str, Any] = {"orderId": OTHER, "orderType": "REPLACE", "limitPrice": "60001", "createAt": "10"}
"""Changes of the record of an amended order: it continues as an order with an id of its own."""
NEXT_WORDS = "BUY 0.01 BINANCE BTC perp @ 60,001"
Line = tuple[Level, str, str]


class Told:
    """An order table, and what it said and asked for."""

    def __init__(self) -> None:
        decimals.setup()
        self.updates = ConflatingQueue()
        self.said: list[Line] = []
        self.asked: list[str] = []
        self.now = BEGAN
        self.ticks = dict[str, Decimal]()
        self.orders = OrderTable(
            self.updates,
            is_ours=lambda cid: cid.startswith("cd"),
            tick_of=self.ticks.get,
            notify=lambda level, text, key, **_: self.said.append((level, text, key)),
            query=self.asked.append,
            tell_fired=lambda _: (Level.WARN, "TP/SL fired:", ""),
            find_result=lambda _: None,
        )

    def sent(self, state: str = "SENDING", key: str = CID, **changes: Any) -> OrderRow:
        """An order of ours that set out at `BEGAN`."""
        values: dict[str, Any] = {
            "key": key,
            "client_order_id": key,
            "sym": SYM,
            "side": "BUY",
            "price": "60000",
            "qty": "0.01",
            "state": state,
            "since": BEGAN,
            "stamp": Stamp(PORTFOLIO, 1, 0, Source.LOCAL, BEGAN),
        }
        self.orders.add(OrderRow(**{**values, **changes}))
        return self.orders.rows[key]

    def stamp(self, at: int = 0, source: Source = Source.REPLY) -> Stamp:
        self.now += 0.25
        return Stamp(PORTFOLIO, 1, at, source, self.now)

    def fold(
        self, state: str, executed: str = "0", at: int = 20, source: Source = Source.PUSH, **changes: Any
    ) -> OrderRow:
        raw = {"orderState": state, "executedQty": executed, "updateAt": str(at), "clientOrderId": CID, "createAt": "9"}
        record = msgspec.convert(order(**{**raw, **changes}), OrderRecord)
        return self.orders.rows[self.orders.fold(record, self.stamp(at, source))]

    def reply(self, order_id: str = ID, state: str = "NEW", reason: str = "") -> OrderRow:
        self.orders.apply_reply(CID, order_id=order_id, state=state, reason=reason, stamp=self.stamp())
        return self.orders.rows[CID]

    def heard(self) -> list[Line]:
        lines, self.said = self.said, []
        return lines

    def screen(self) -> dict[str, object]:
        """Rows that changed on the screen since the last look; None: taken off."""
        return dict(self.updates.take().changed.get(Table.ORDERS, {}))

    def visible(self) -> list[str]:
        return [row.key for row in self.orders.visible_rows()]


def changed(row: OrderRow, **changes: Any) -> OrderRow:
    return msgspec.structs.replace(row, **changes)
