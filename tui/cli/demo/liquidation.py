"""A liquidation for the pictures: an account goes down the ladder to a reduction, and recovers."""

from __future__ import annotations

from decimal import Decimal

from tui.engine.conflating_queue import ConflatingQueue
from tui.engine.rows import LiquidationStep
from tui.engine.state.liquidation_log import LiquidationLog
from tui.interface.decimals import plain
from tui.interface.families.liquidation import (
    EventType,
    LiquidationEventRecord,
    LiquidationNode,
    LiquidationPositionRecord,
    NodeType,
)
from tui.interface.families.positions import AccountRecord

EVENT_ID = "2170000000004107"
_EQUITY_AND_RATIO = (
    (NodeType.TRIGGERED, "19462.10", "1.98"),
    (NodeType.MARGIN_CALL, "19462.10", "1.98"),
    (NodeType.CANCEL_OPEN, "14520.35", "1.49"),
    (NodeType.CANCEL_ALL, "11610.80", "1.19"),
    (NodeType.REDUCE_START, "9655.40", "0.99"),
    (NodeType.REDUCE_END, "9381.22", "2.31"),
)
_BETWEEN_MS = 1_800


def liquidation_steps(portfolio: str, ended_ms: int) -> dict[str, LiquidationStep]:
    """The steps by key; the last one at a time, ms."""
    began = ended_ms - _BETWEEN_MS * len(_EQUITY_AND_RATIO)
    nodes = [
        LiquidationNode(
            node_type=word,
            create_at=str(began + _BETWEEN_MS * (place + 1)),
            accounts=[_account(portfolio, Decimal(equity), Decimal(ratio))],
        )
        for place, (word, equity, ratio) in enumerate(_EQUITY_AND_RATIO)
    ]
    log = LiquidationLog(ConflatingQueue())
    log.add_event(
        LiquidationEventRecord(
            liquidation_event_id=EVENT_ID, portfolio_id=portfolio, exchange_type="EDX", event_type=EventType.REDUCE,
            create_at=nodes[0].create_at, update_at=str(ended_ms), nodes=nodes,
        )
    )  # fmt: skip
    log.add_order(
        LiquidationPositionRecord(
            portfolio_id=portfolio, exchange_type="EDX", order_id="2000000000093311", liquidation_event_id=EVENT_ID,
            sym="EDX_PERP_BTC_USDT", position_side="LONG", reduce_qty="3.25", closed_pnl="-231.18", liq_fee="43.00",
            total_trading_fee="10.75", create_at=ended_ms - 900, update_at=ended_ms - 890,
        ),
        of_sub=False,
    )  # fmt: skip
    return log.steps


def _account(portfolio: str, equity: Decimal, ratio: Decimal) -> AccountRecord:
    return AccountRecord(
        portfolio_id=portfolio, exchange_type="EDX", equity=plain(equity), valid_margin=plain(equity),
        maintain_margin=plain((equity / ratio).quantize(Decimal("0.01"))), uni_mmr=plain(ratio),
    )  # fmt: skip
