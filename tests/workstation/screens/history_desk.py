"""Past of a venue as the history reads it, and what a desk has asked about it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tests.venue.core.seeded import Seeded
from tests.workstation.driver import Desk
from tui.engine.rows import Table
from tui.engine.service_query import ListRead, ReadState, ServiceQuery, ServiceRequest
from tui.interface import decimals
from tui.interface.families.algo import AlgoRecord
from tui.venue.core.exchange import Exchange
from tui.venue.core.switches import Switches
from tui.workstation.features.history.booked_tabs import BILLED, LENT, USER_VOLUME
from tui.workstation.features.history.screen import HistoryScreen

TABLES = {"orders": "order", "fills": "fill", "closed": "closed"}
TABLES["statement"] = "statement"
ENDED = tuple(
    AlgoRecord(
        algo_order_id=f"200000000000000{number}", sym="BINANCE_PERP_BTC_USDT", side="SELL", algo_order_type="TPSL",
        condition_type="OCO", order_qty="0.01", sl_trigger_price="54000", tp_trigger_price="69000", order_state=state,
        executed_qty=executed, reason=reason, create_at="1700000000000",
    )
    for number, (state, executed, reason) in enumerate(
        [("COMPLETED", "0.01", ""), ("FAILED", "0", "401014 too small"), ("EXPIRED", "0", "the position is gone")]
    )
)  # fmt: skip
BESIDE = (USER_VOLUME, BILLED, LENT)
"""Keys of what is read beside a list."""


class Past:
    """The past of a venue as records, by list, newest first."""

    def __init__(self) -> None:
        decimals.setup()
        exchange = Exchange(random_source=Seeded("1"), start_ms=1_700_000_000_000, switches=Switches())
        past = exchange.build_past()
        assert past is not None
        main = next(one.id for one in exchange.queries.portfolios.values() if one.level == "main")
        mine = [row for row in past.rows() if row.portfolio == main]
        self.lists: dict[str, tuple[Any, ...]] = {
            kind: tuple(
                exchange.queries.decode_row(row.table, row.value)
                for row in sorted(mine, key=lambda row: (-row.at, -int(row.key)))
                if row.table == table
            )
            for kind, table in TABLES.items()
        }
        self.lists["algos"] = ENDED


def screen(at: Desk) -> HistoryScreen:
    assert isinstance(at.app.screen, HistoryScreen)
    return at.app.screen


async def answer(
    at: Desk, kind: str, rows: Sequence[Any] = (), state: ReadState = ReadState.WHOLE, **more: Any
) -> None:
    """The engine has read a list for the newest question about it."""
    query = [one for one in queries(at) if name_of(one) == kind][-1]
    read = ListRead(query=query, state=state, rows=tuple(rows), **{"total": len(rows), **more})
    at.port.put(Table.ANSWERS, query.key, read)
    await at.settle()


def last_line(at: Desk) -> str:
    return at.text().rstrip("\n").split("\n")[-1]


def queries(at: Desk) -> list[ServiceQuery]:
    return [one for one in at.port.read_requests if isinstance(one, ServiceQuery) and one.key not in BESIDE]


def name_of(query: ServiceQuery) -> str:
    """The list that is read."""
    return query.key.partition("/")[2]


def asked(at: Desk) -> list[str]:
    """The lists that were read so far."""
    return [name_of(one) for one in queries(at)]


def params(at: Desk) -> dict[str, str]:
    """Parameters of the newest query."""
    return dict(queries(at)[-1].sources[0].params)


def newest(at: Desk) -> ServiceRequest:
    return at.port.read_requests[-1]
