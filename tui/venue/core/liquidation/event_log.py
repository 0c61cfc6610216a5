"""Liquidation event of a venue account: opened at the first threshold, one push per stage, closed when risk is over."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from tui.interface.families.liquidation import (
    CARRIES,
    NODES,
    EventType,
    LiquidationEventPush,
    LiquidationNode,
    NodeType,
)
from tui.interface.families.orders import OrderRecord
from tui.interface.families.positions import PositionRecord
from tui.venue.core.events import LiquidationReached
from tui.venue.core.state.exchange_state import State
from tui.venue.core.state.liquidations import LiquidationEvent, RowKey, is_too_old

_ENDS = {NodeType.REDUCE_START: NodeType.REDUCE_END, NodeType.LIQUIDATE_START: NodeType.LIQUIDATE_END}


def open_event(state: State, key: RowKey) -> LiquidationEvent:
    """Return the open liquidation event of a venue account, or create one."""
    event = state.liquidations.open.get(key)
    if event is None:
        _forget_old(state)
        event = LiquidationEvent(
            id=state.next_id("liquidation"), portfolio=key[0], venue=key[1], created=state.now, updated=state.now
        )
        state.liquidations.add(event)
        state.changes.dirty("liquidation", event.id)
    return event


def _forget_old(state: State) -> None:
    for event_id in [event.id for event in state.liquidations.by_id.values() if is_too_old(event, state.now)]:
        del state.liquidations.by_id[event_id]
        state.changes.dirty("liquidation", event_id)


def record_status(state: State, event: LiquidationEvent, status: str) -> None:
    """Record the account status in its liquidation event."""
    if event.status != status:
        event.status = status
        state.changes.dirty("liquidation", event.id)


def start_acting(state: State, event: LiquidationEvent) -> None:
    """Mark a liquidation event as one in which the venue closes or repays, until the account leaves LIQUIDATING."""
    if not event.acting:
        event.acting = True
        state.changes.dirty("liquidation", event.id)


def reach(state: State, event: LiquidationEvent, node: NodeType, cancelled: Sequence[OrderRecord] = ()) -> None:
    """Record and push a stage of a liquidation, unless this stage or a later one was pushed before."""
    if NODES.index(node) <= event.last:
        return
    if NODES.index(node) >= NODES.index(NodeType.LIQUIDATE_START):
        event.event_type = EventType.LIQUIDATE
    event.updated = max(state.now, event.updated)
    record = _snapshot(state, event, node, cancelled)
    event.nodes.append(record)
    state.changes.dirty("liquidation", event.id)
    push = LiquidationEventPush(
        liquidation_event_id=event.id,
        portfolio_id=event.portfolio,
        exchange_type=event.venue,
        event_type=event.event_type,
        node_type=node,
        create_at=record.create_at,
        accounts=record.accounts,
        assets=record.assets,
        positions=record.positions,
        open_orders=record.open_orders,
    )
    state.changes.publish(LiquidationReached(event.portfolio, push))


def _snapshot(
    state: State, event: LiquidationEvent, node: NodeType, cancelled: Sequence[OrderRecord]
) -> LiquidationNode:
    """Build the push of a stage with the last published positions."""
    carries, (portfolio, venue) = CARRIES[node], event.key
    published = state.published
    return LiquidationNode(
        node_type=node,
        create_at=str(event.updated),
        accounts=[published.accounts[event.key]] if "accounts" in carries else [],
        assets=[published.assets[(portfolio, venue, coin)] for coin in state.coins(portfolio, venue)]
        if "assets" in carries
        else [],
        positions=[
            _as_data(row)
            for (owner, sym, _), row in published.positions.items()
            if owner == portfolio and state.pairs[sym].exchange == venue
        ]
        if "positions" in carries
        else [],
        open_orders=list(cancelled) if "open_orders" in carries else [],
    )


def _as_data(row: PositionRecord) -> PositionRecord:
    """Return the position record with its algo orders as plain data, as they are decoded after a restart."""
    return msgspec.structs.replace(row, tpsl_order=msgspec.to_builtins(row.tpsl_order))


def end_phase(state: State, event: LiquidationEvent) -> None:
    """Push the end of the reducing or closing stage, if such a stage has begun."""
    if event.last >= 0 and NODES[event.last] in _ENDS:
        reach(state, event, _ENDS[NODES[event.last]])


def end_reduction(state: State, event: LiquidationEvent) -> None:
    """Push the end of the reducing stage before closing begins."""
    if event.event_type == EventType.REDUCE:
        end_phase(state, event)


def stop_acting(state: State, event: LiquidationEvent) -> None:
    """Clear the mark of `start_acting`, after the account has left LIQUIDATING."""
    end_phase(state, event)
    if event.acting:
        event.acting = False
        state.changes.dirty("liquidation", event.id)


def end_event(state: State, event: LiquidationEvent) -> None:
    """Close the liquidation event of an account that is no longer at risk."""
    stop_acting(state, event)
    event.ended = True
    event.updated = max(state.now, event.updated)
    del state.liquidations.open[event.key]
    state.changes.dirty("liquidation", event.id)
