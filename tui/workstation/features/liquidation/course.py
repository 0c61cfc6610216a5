"""Course of a liquidation: equity against maintenance margin as bars, and changes since the first stage."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from decimal import Decimal

from tui.engine.rows import LiquidationStep
from tui.interface.decimals import ZERO
from tui.interface.families.liquidation import CARRIES, LiquidationNode
from tui.interface.families.positions import PositionRecord
from tui.interface.figures import ONE_WAY, net_size_of
from tui.interface.symbols import try_parse
from tui.workstation.model import number_format
from tui.workstation.model.display_context import DisplayContext
from tui.workstation.model.instruments import base_units, full_name
from tui.workstation.model.mirror import Mirror

_EQUITY, _MAINTENANCE, _EMPTY = "█", "┃", "·"


def bar(steps: Iterable[LiquidationStep], row: LiquidationStep, cells: int) -> str:
    """Draw equity as a bar with a mark at the maintenance margin, scaled to the liquidation event; empty without values."""
    equity, maintenance = _figure(row.node, "equity"), _figure(row.node, "maintain_margin")
    nodes = [step.node for step in steps if step.event_id == row.event_id]
    most = max((_figure(node, name) or ZERO for node in nodes for name in ("equity", "maintain_margin")), default=ZERO)
    if equity is None or most <= ZERO:
        return ""
    filled = _cells(equity, most, cells)
    text = list(_EQUITY * filled + _EMPTY * (cells - filled))
    if maintenance is not None and maintenance > ZERO:
        text[max(0, _cells(maintenance, most, cells) - 1)] = _MAINTENANCE
    return "".join(text)


def _cells(value: Decimal, most: Decimal, cells: int) -> int:
    return max(0, min(cells, int(value / most * cells)))


def _figure(node: LiquidationNode | None, name: str) -> Decimal | None:
    rows = node.accounts if node is not None else []
    return number_format.value(str(getattr(rows[0], name))) if rows else None


def list_changes(view: DisplayContext, row: LiquidationStep) -> Iterator[tuple[str, str]]:
    """Yield what changed in account and positions since the event's first stage, and each coin's net position now."""
    steps = [step for step in view.mirror.liquidations.values() if step.event_id == row.event_id]
    nodes = [step.node for step in sorted(steps, key=lambda step: step.at_ms) if step.node and step.at_ms <= row.at_ms]
    first_account = next((node for node in nodes if node.accounts), None)
    if row.node is None or first_account is None or first_account is row.node:
        return
    for name, label in (("equity", "equity since"), ("maintain_margin", "maintenance since")):
        before, after = _figure(first_account, name), _figure(row.node, name)
        if before is not None and after is not None:
            yield label, f"{view.amount(before)} → {view.amount(after)}"
    first = next((node for node in nodes if node.positions), None)
    if first is None or first is row.node or not _has_positions(row.node):
        return
    yield from _leg_changes(view, _by_leg(first.positions), _by_leg(row.node.positions))
    coins = {parts.base for record in first.positions if (parts := try_parse(record.sym)) is not None}
    for coin in sorted(coins):
        yield (
            f"net {coin} now",
            f"{number_format.format_signed_decimal(net_of(view.mirror, coin))}, sum of the positions on all venues",
        )


def _has_positions(node: LiquidationNode) -> bool:
    """Return whether a liquidation stage reports positions at all, so that an empty list means none are open."""
    carried = next((fields for word, fields in CARRIES.items() if word == node.node_type), frozenset())
    return bool(node.positions) or "positions" in carried


def _by_leg(records: Iterable[PositionRecord]) -> Mapping[tuple[str, str], Decimal]:
    return {(record.sym, record.position_side): number_format.value(record.position_qty) or ZERO for record in records}


def _leg_changes(
    view: DisplayContext, before: Mapping[tuple[str, str], Decimal], after: Mapping[tuple[str, str], Decimal]
) -> Iterator[tuple[str, str]]:
    for (sym, side), qty in before.items():
        now = after.get((sym, side), ZERO)
        leg = "" if side in ONE_WAY else f" {side}"
        if now != qty:
            gone = " (gone)" if not now else ""
            yield f"{full_name(sym)}{leg}", f"{view.quantity(sym, str(qty))} → {view.quantity(sym, str(now))}{gone}"


def net_of(mirror: Mirror, coin: str) -> Decimal:
    """Compute the signed size of all perpetual positions in a coin over all venues, in base units."""
    net = ZERO
    for fact in mirror.positions.values():
        record = fact.record
        parts = try_parse(record.sym)
        if parts is None or parts.base != coin:
            continue
        net += base_units(record.sym, net_size_of(record) or ZERO, mirror.symbols.get(record.sym)) or ZERO
    return net
