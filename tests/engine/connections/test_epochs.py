"""What a connection says after the next one has begun is not taken in, nor is a list that was asked for on it."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import msgspec
import pytest

from tests.client.fakes import PORTFOLIO, order
from tests.engine.conftest import SYM, StateRig
from tui.engine.event_line import Level
from tui.engine.sync.push_handler import PushHandler
from tui.engine.sync.reconciliation import Reconciler
from tui.interface.families.orders import OrderRecord
from tui.interface.families.positions import AccountRecord, PositionRecord
from tui.interface.streams import PrivateChannel


def nothing(*_: object) -> None: ...


def position(qty: str) -> PositionRecord:
    """As a service writes it that says no time: only the connection tells which word is the later one."""
    return PositionRecord(portfolio_id=PORTFOLIO, sym=SYM, position_qty=qty)


@pytest.mark.parametrize("kept", [False, True])
def test_a_push_of_an_older_connection_is_ignored(bare: StateRig, kept: bool) -> None:
    inbound = PushHandler(bare.state, query_now=nothing, look_up=nothing, position_changed=nothing)
    bare.state.epoch = 2
    inbound.push(2, PrivateChannel.POSITIONS, [position("2")], 1.0)
    if kept:
        inbound.hold()
    inbound.push(1, PrivateChannel.POSITIONS, [position("1")], 2.0)
    inbound.release()
    assert bare.held() == ["2"]


class SlowRest:
    """Answers lists; the connection is another one by the time the answer is there."""

    def __init__(self, bare: StateRig, answer: list[Any]) -> None:
        self.bare = bare
        self.answer = answer

    async def call(self, *_: object, **__: object) -> object:
        self.bare.state.epoch += 1
        return SimpleNamespace(data=self.answer)

    async def read_all_pages(self, *_: object, **__: object) -> tuple[list[Any], bool]:
        self.bare.state.epoch += 1
        return self.answer, True


async def test_a_list_requested_on_an_older_connection_is_ignored(bare: StateRig) -> None:
    await Reconciler(bare.state, SlowRest(bare, [position("1")]), nothing).read_positions()  # type: ignore[arg-type]
    assert bare.held() == []
    record = msgspec.convert(order(), OrderRecord)
    await Reconciler(bare.state, SlowRest(bare, [record]), nothing).read_orders()  # type: ignore[arg-type]
    assert list(bare.state.orders.visible_rows()) == []


class Rest(SlowRest):
    async def read_all_pages(self, *_: object, **__: object) -> tuple[list[Any], bool]:
        return self.answer, True


@pytest.mark.parametrize(("age_ms", "said"), [(70, 0), (2_900, 0), (3_100, 1)])
async def test_an_audit_reports_a_difference_only_after_3_seconds(bare: StateRig, age_ms: int, said: int) -> None:
    now = bare.state.server_ms()
    record = msgspec.convert(order(updateAt=str(now - age_ms)), OrderRecord)
    await Reconciler(bare.state, Rest(bare, [record]), nothing).read_orders(audit=True)  # type: ignore[arg-type]
    assert len(list(bare.state.orders.visible_rows())) == 1, "it is folded all the same"
    assert sum("was not as shown" in line.text for line in bare.screen.look().events) == said


def test_a_position_push_sets_the_time_of_the_last_update(bare: StateRig) -> None:
    inbound = PushHandler(bare.state, query_now=nothing, look_up=nothing, position_changed=nothing)
    inbound.push(0, PrivateChannel.POSITIONS, [position("0")], 1.0)
    assert bare.state.positions_updated_ms == int(bare.clock.wall() * 1000)


def test_a_worse_account_status_raises_an_alert(bare: StateRig) -> None:
    inbound = PushHandler(bare.state, query_now=nothing, look_up=nothing, position_changed=nothing)
    for at, status, ratio in ((1, "NORMAL", "3"), (2, "CANCEL_OPEN", "1.23987"), (3, "NORMAL", ""), (4, "NORMAL", "9")):
        record = AccountRecord(
            portfolio_id=PORTFOLIO, exchange_type="OKX", account_status=status, uni_mmr=ratio, update_at=str(at)
        )
        inbound.push(0, PrivateChannel.ACCOUNTS, [record], float(at))
    lines = bare.screen.look().events
    assert [(line.sticky, line.cause) for line in lines] == [(True, "risk of OKX"), (False, "risk of OKX")]
    assert [(line.level, line.text) for line in lines] == [
        (
            Level.ALERT,
            "account OKX: CANCEL_OPEN, it was NORMAL; uniMMR 1.23 (larger is safer); only reducing orders are taken; "
            "next, all orders are cancelled",
        ),
        (Level.INFO, "account OKX: NORMAL, it was CANCEL_OPEN"),
    ]
