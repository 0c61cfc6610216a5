"""Asset and account rows as REST prints them, and the snapshots of a liquidation event, which have the same shapes."""

from __future__ import annotations

from typing import Any

import msgspec
from msgspec import UNSET

from tui.interface.envelope import drop_fields
from tui.interface.families.assets import LOAN_FIELDS as ASSET_LOAN_FIELDS
from tui.interface.families.assets import AssetRecord
from tui.interface.families.liquidation import LiquidationEventRecord, Snapshots
from tui.interface.families.positions import LOAN_FIELDS as ACCOUNT_LOAN_FIELDS

ACCOUNT_PUSH_FIELDS = ("perp_available_margin", "update_at", *ACCOUNT_LOAN_FIELDS)
"""Fields of an account row that only its push has."""


def print_asset(row: AssetRecord) -> Any:
    """An asset row without what only its push has."""
    return row if row.loan is UNSET else drop_fields(row, *ASSET_LOAN_FIELDS)


def print_snapshots(record: Snapshots) -> dict[str, Any]:
    """A node; account rows and positions lack what only their own pushes carry."""
    shown: dict[str, Any] = msgspec.to_builtins(record)
    shown["accounts"] = [drop_fields(row, *ACCOUNT_PUSH_FIELDS) for row in record.accounts]
    shown["assets"] = [print_asset(row) for row in record.assets]
    shown["positions"] = [drop_fields(row, "exchange_type") for row in record.positions]
    return shown


def print_event(record: LiquidationEventRecord) -> dict[str, Any]:
    """A whole event."""
    return {**drop_fields(record, "nodes"), "nodes": [print_snapshots(node) for node in record.nodes]}
