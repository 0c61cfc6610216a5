"""Asset and account records as REST returns them, and the snapshots in a liquidation event, which have the same format."""

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
    """Return an asset record without the fields that only pushes have."""
    return row if row.loan is UNSET else drop_fields(row, *ASSET_LOAN_FIELDS)


def print_snapshots(record: Snapshots) -> dict[str, Any]:
    """Return a liquidation stage with its account and position records, without the fields that only pushes have."""
    shown: dict[str, Any] = msgspec.to_builtins(record)
    shown["accounts"] = [drop_fields(row, *ACCOUNT_PUSH_FIELDS) for row in record.accounts]
    shown["assets"] = [print_asset(row) for row in record.assets]
    shown["positions"] = [drop_fields(row, "exchange_type") for row in record.positions]
    return shown


def print_event(record: LiquidationEventRecord) -> dict[str, Any]:
    """Return a whole liquidation event in the REST format."""
    return {**drop_fields(record, "nodes"), "nodes": [print_snapshots(node) for node in record.nodes]}
