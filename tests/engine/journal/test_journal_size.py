"""What one order costs on disk: a goal, so that a long life stays small."""

from __future__ import annotations

from pathlib import Path

import msgspec

from tests.client.fakes import order
from tests.engine.conftest import StateRig
from tui.engine.journal.journal_file import JournalFile
from tui.engine.journal.journal_rows import Entry
from tui.engine.state.engine_state import EngineState
from tui.interface.families.history import TradeRecord
from tui.interface.families.orders import OrderRecord

BYTES_PER_ORDER = 3_600
"""Of an order that is placed, rests, and fills: intent, two times `sent` and reply, two pushes, a fill and three lines."""


def test_journal_size_per_order_is_below_its_limit(bare: StateRig, tmp_path: Path) -> None:
    whole = msgspec.convert(order(), OrderRecord)
    fill = TradeRecord(
        transaction_id="30690673988545142", portfolio_id="2143087096304944", order_id="2053770922004661",
        client_order_id="cdsimulagqll7vb7mm0000", exchange_type="BINANCE", business_type="PERP",
        sym="BINANCE_PERP_BTC_USDT", side="SELL", quantity="0.001", price="61777.1", fee="0.03088855", fee_coin="USDT",
        rpnl="0", exec_type="TAKER", create_at="1700000000019",
    )  # fmt: skip
    one_order(bare.state, whole, fill)
    kept = {one.kind: one for one in bare.journal.lines}
    assert msgspec.json.decode(kept["push"].payload, type=OrderRecord) == whole
    assert msgspec.json.decode(kept["fill"].payload, type=TradeRecord) == fill
    assert len(kept["push"].payload) < len(msgspec.json.encode(whole)) * 0.6
    path, lines = tmp_path / "journal.db", list(bare.journal.lines)
    file = JournalFile(path, lambda: 7.0)
    for _ in range(500):
        file.append([_entry(one) for one in lines])
    file.close()
    assert path.stat().st_size / 500 < BYTES_PER_ORDER


def one_order(state: EngineState, record: OrderRecord, fill: TradeRecord) -> None:
    """Everything that is journaled of one order."""
    cid = "cdsimulagqll7vb7mm0000"
    state.write_journal("intent", "x" * 380, intent_id=cid, client_order_id=cid)
    state.write_journal("sent", "place_order", intent_id=cid, client_order_id=cid)
    state.write_journal("reply", "x" * 160, intent_id=cid, client_order_id=cid)
    for _ in range(2):
        state.write_journal("push", record, client_order_id=cid, order_id=record.order_id)
    state.write_journal("fill", fill, client_order_id=cid, order_id=record.order_id)
    for _ in range(3):
        state.write_journal("note", "SELL 0.001 BINANCE_PERP_BTC_USDT @ 61777.1: NEW", intent_id=cid)


def _entry(one: Entry) -> Entry:
    return msgspec.structs.replace(one, seq=0)
