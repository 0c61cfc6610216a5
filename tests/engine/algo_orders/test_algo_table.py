"""The table of algo orders: what has ended stays ended, and an order in one phrase."""

from __future__ import annotations

import msgspec
import pytest

from tests.client.fakes import PORTFOLIO
from tests.engine.commands.test_command_restart import record
from tests.engine.conftest import StateRig
from tui.engine.rows import Source
from tui.engine.state import algo_table
from tui.engine.state.facts import Asked


def test_older_lists_do_not_restore_ended_algo_orders(bare: StateRig, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(algo_table, "MOST_ENDED", 2)
    table, asked = bare.state.algos, Asked(bare.clock.mono(), bare.state.epoch)
    bare.clock.advance(1)
    for key in ("1", "2", "3"):
        table.fold(record(key, state="CANCELLED"), bare.state.stamp(Source.PUSH, 9))
    table.fold_list([record(key) for key in ("1", "2", "3")], asked, PORTFOLIO, bare.clock.mono())
    assert list(table.rows) == ["1"], "of the third last nothing is known any more"
    assert not table.can_restore("3") and table.can_restore("4")


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"condition_type": "OCO", "tp_trigger_price": "63000", "order_qty": "0.5"}, "OCO SELL 0.5"),
        ({"condition_type": "ENTIRE_CLOSE_POSITION"}, "stop SELL all BINANCE BTC perp at 59,000 mark"),
        ({"tp_trigger_price": "63000", "sl_trigger_price": ""}, "target SELL all BINANCE BTC perp at 63,000 last"),
        ({"tp_trigger_price": "63000"}, "target and stop SELL all BINANCE BTC perp at 63,000 last / 59,000 mark"),
        ({"sl_trigger_price": ""}, "stop SELL all BINANCE BTC perp at ?"),
        ({"order_qty": "0"}, "stop SELL BINANCE BTC perp at 59,000 mark"),
        ({"order_qty": "0.000"}, "stop SELL BINANCE BTC perp at 59,000 mark"),
    ],
)
def test_an_algo_order_has_a_short_description(fields: dict[str, str], words: str) -> None:
    assert algo_table.algo_text(msgspec.structs.replace(record("1"), **fields)).startswith(words)
