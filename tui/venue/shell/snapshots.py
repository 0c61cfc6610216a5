"""Snapshots of a liquidation event as they are printed: the shapes of the REST rows."""

from __future__ import annotations

from typing import Any

import msgspec

from tui.interface.envelope import without_fields
from tui.interface.families.liquidation import LiquidationEventRecord, Snapshots


def print_snapshots(record: Snapshots) -> dict[str, Any]:
    """A node; account rows and positions lack what only their own pushes carry."""
    shown: dict[str, Any] = msgspec.to_builtins(record)
    shown["accounts"] = [without_fields(row, "perp_available_margin", "update_at") for row in record.accounts]
    shown["positions"] = [without_fields(row, "exchange_type") for row in record.positions]
    return shown


def print_event(record: LiquidationEventRecord) -> dict[str, Any]:
    """A whole event."""
    return {**without_fields(record, "nodes"), "nodes": [print_snapshots(node) for node in record.nodes]}
