"""Lists of programs as tables: every figure exact, every time in UTC."""

from __future__ import annotations

from datetime import UTC, datetime
from decimal import Decimal

import pytest

from tui.interface.families.history import TradeRecord
from tui.programs.records import Fill
from tui.programs.records_list import Records

AT = datetime(2026, 11, 28, 2, 30, 0, 123_000, UTC)
FILL = Fill(
    id="1", order_id="2", sym="BINANCE_PERP_BTC_USDT", side="BUY", size=Decimal("0.010"), price=Decimal("61777.123456789"),
    fee=None, fee_coin="USDT", rebate=Decimal("0.000000000000000001"), rebate_coin="USDT", at=AT,
)  # fmt: skip


@pytest.fixture(autouse=True)
def tables_are_installed() -> None:
    """Skip without them; they are imported where a test needs them, not by each worker that collects."""
    for package in ("pyarrow", "polars"):
        pytest.importorskip(package, reason="pip install -r requirements-data.lock")


def test_records_of_programs_become_a_table_of_the_same_values() -> None:
    table = Records([FILL, FILL]).to_arrow()
    assert table.num_rows == 2 and table.column_names[:5] == ["id", "order_id", "sym", "side", "size"]
    assert table["price"].to_pylist()[0] == Decimal("61777.123456789")
    assert table["rebate"].to_pylist()[0] == Decimal("0.000000000000000001")
    assert table["fee"].to_pylist() == [None, None] and table["at"].to_pylist()[0] == AT
    frame = Records([FILL]).to_polars()
    assert frame["size"].to_list() == [Decimal("0.01")] and frame["at"].to_list() == [AT]


def test_records_of_the_service_become_a_table_by_their_fields() -> None:
    record = TradeRecord(
        transaction_id="1", order_id="2", sym="S", side="BUY", quantity="0.1", price="2.5", create_at="1700000000123"
    )
    table = Records([record]).to_arrow()
    assert table["price"].to_pylist() == [Decimal("2.5")]
    assert table["createAt"].to_pylist() == [datetime(2023, 11, 14, 22, 13, 20, 123_000, UTC)]


def test_an_empty_list_is_an_empty_table() -> None:
    assert Records[Fill]().to_arrow().num_columns == 0
