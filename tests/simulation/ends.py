"""The end of a run: what the screen, each attached window and the venue hold, compared and written down for the judge."""

from __future__ import annotations

from collections.abc import Iterable
from decimal import Decimal
from typing import Any

from tests.simulation import books
from tests.simulation.floor import Floor, cid_of
from tui.interface.families.history import TradeRecord
from tui.venue.core.check_failed import CheckFailed
from tui.workstation.model.mirror import Mirror


def differences(floor: Floor) -> list[str]:
    """What the screen says otherwise than the venue, orders that never arrived aside."""
    found: list[str] = []
    for row in floor.mirror.orders.values():
        try:
            record = floor.exchange.queries.order(
                floor.portfolio, order_id=row.order_id, client_order_id=row.client_order_id
            )
        except CheckFailed:
            found += [] if row.state in ("UNKNOWN", "NOT SENT", "REJECT") else [f"{row.key} {row.state}"]
            continue
        if (record.order_state, Decimal(record.executed_qty)) != (row.state, Decimal(row.executed)):
            found.append(f"{row.key}: {row.state} {row.executed} / {record.order_state} {record.executed_qty}")
    shown = {row.order_id for row in floor.mirror.orders.values()}
    found += [one.order_id for one in floor.exchange.queries.open_orders(floor.portfolio) if one.order_id not in shown]
    if _texts(client_positions(floor.mirror)) != _texts(venue_positions(floor)):
        found.append("positions")
    if _texts(client_assets(floor.mirror)) != _texts(venue_assets(floor)):
        found.append("assets")
    if client_fills(floor.mirror) != venue_fills(floor):
        found.append("fills")
    return [*found, *books.differences(floor), *(floor.desks.differences() if floor.desks is not None else ())]


def client_fills(mirror: Mirror) -> dict[str, Decimal]:
    """Order id -> sum of its fills on the screen."""
    return _sums(fact.record for fact in mirror.fills.values())


def venue_fills(floor: Floor) -> dict[str, Decimal]:
    return _sums(floor.exchange.queries.executions(floor.portfolio))


def client_positions(mirror: Mirror) -> dict[str, Any]:
    return {key: fact.record for key, fact in mirror.positions.items()}


def venue_positions(floor: Floor) -> dict[str, Any]:
    rows = floor.exchange.queries.positions(floor.portfolio)
    return {f"{one.sym}/{one.position_side}": one for one in rows if Decimal(one.position_qty)}


def client_assets(mirror: Mirror) -> dict[str, Any]:
    return {key: fact.record for key, fact in mirror.assets.items()}


def venue_assets(floor: Floor) -> dict[str, Any]:
    return {f"{one.exchange_type}/{one.coin}": one for one in floor.exchange.queries.assets(floor.portfolio)}


def write_end(floor: Floor) -> None:
    """The full states side by side, for the checker: of the screen, the venue, and each attached window."""
    theirs = {one.order_id: one for one in reversed(floor.exchange.queries.orders(floor.portfolio))}
    owner: dict[str, str] = {}
    for oid, one in theirs.items():
        owner.setdefault(one.client_order_id, oid)
    owner.update({cid_of(row): row.order_id for row in floor.mirror.orders.values() if row.order_id})
    _write_orders(floor, "client", "", floor.mirror, set(theirs), set(owner))
    for oid, one in theirs.items():
        cid = one.client_order_id if owner.get(one.client_order_id) == oid else ""
        _end_line(floor, "venue", "end order", cid=cid, oid=oid, state=one.order_state, executed=one.executed_qty)
    _write_facts(floor, "client", "", client_positions(floor.mirror), client_assets(floor.mirror))
    _write_facts(floor, "venue", "", venue_positions(floor), venue_assets(floor))
    _write_fills(floor, "client", "", client_fills(floor.mirror))
    _write_fills(floor, "venue", "", venue_fills(floor))
    for window in floor.desks.windows if floor.desks is not None else ():
        mirror = window.mirror
        _end_line(floor, "window", "end", source=window.name)
        _write_orders(floor, "window", window.name, mirror, set(theirs), set(owner))
        _write_facts(floor, "window", window.name, client_positions(mirror), client_assets(mirror))
        _write_fills(floor, "window", window.name, client_fills(mirror))
    books.write(floor)


def _write_orders(floor: Floor, who: str, source: str, mirror: Mirror, oids: set[str], cids: set[str]) -> None:
    for row in mirror.orders.values():
        is_known = row.order_id in oids or row.client_order_id in cids
        if row.state == "NOT SENT" or (not is_known and row.state in ("REJECT", "REJECTED")):
            continue
        _end_line(
            floor, who, "end order", source=source, cid=cid_of(row), oid=row.order_id, state=row.state,
            executed=row.executed,
        )  # fmt: skip


def _write_facts(floor: Floor, who: str, source: str, positions: dict[str, Any], assets: dict[str, Any]) -> None:
    for kind, rows in (("end position", positions), ("end asset", assets)):
        for key, value in _texts(rows).items():
            _end_line(floor, who, kind, source=source, oid=key, state=value)


def _write_fills(floor: Floor, who: str, source: str, sums: dict[str, Decimal]) -> None:
    for oid, total in sums.items():
        _end_line(floor, who, "end fill", source=source, oid=oid, executed=str(total))


def _end_line(floor: Floor, who: str, kind: str, **fields: str) -> None:
    floor.history.add(who, kind, life=-1 if who == "venue" else floor.life, **fields)


def _sums(records: Iterable[TradeRecord]) -> dict[str, Decimal]:
    found: dict[str, Decimal] = {}
    for record in records:
        found[record.order_id] = found.get(record.order_id, Decimal(0)) + Decimal(record.quantity)
    return found


_POSITION = ("position_qty", "avg_price")
_ASSET = ("balance", "frozen")


def _texts(rows: dict[str, Any]) -> dict[str, str]:
    """What must be equal to the last digit."""
    found = {}
    for key, row in rows.items():
        names = _POSITION if hasattr(row, "position_qty") else _ASSET
        found[key] = " ".join(str(Decimal(getattr(row, name) or "0").normalize()) for name in names)
    return found
