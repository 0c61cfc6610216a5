"""What a restart remembers of the risk ladder, and a state from before there were insurance funds."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import msgspec
import pytest

from tests.venue.core.liquidation.test_liquidation import account, long_at_risk
from tests.venue.core.seeded import Seeded
from tui.venue.core.commands import MoveMarket
from tui.venue.core.events import Durable
from tui.venue.core.exchange import Exchange
from tui.venue.core.state.ledger import INSURANCE_ACCOUNT, ISSUE_ACCOUNT
from tui.venue.core.switches import Switches

D = Decimal


@pytest.mark.parametrize("price", ["59500", "59289", "58600"])
def test_a_restart_during_liquidation_keeps_its_event_and_status(price: str) -> None:
    desk = long_at_risk()
    desk.sub_place("BUY", "0.01", "55000", sl_trigger_price="52000")
    desk.steer("BTC", price)
    desk.wait(6000)
    again = desk.restarted()
    assert again.state_hash() == desk.exchange.state_hash()
    assert again.queries.liquidation_event(desk.sub) == desk.exchange.queries.liquidation_event(desk.sub)
    row = next(one for one in again.queries.accounts(desk.sub) if one.exchange_type == "BINANCE")
    assert row.account_status == account(desk).account_status


def test_a_state_saved_before_insurance_funds_opens_with_them() -> None:
    desk = long_at_risk()
    fund = {key for key in desk.durable if key[0] == "balance" and key[1].startswith(INSURANCE_ACCOUNT)}
    new = {"order": ("without_fee",), "position": ("liq_fee",), "counters": ("liquidation",)}
    rows = []
    for key, row in desk.durable.items():
        value: Any = msgspec.json.decode(row.value or b"null")
        for name in new.get(row.table, ()):
            del value[name]
        is_issue = row.table == "posting" and any(leg["owner"] == INSURANCE_ACCOUNT for leg in value["legs"])
        of_fund = ("balance", row.key.replace(ISSUE_ACCOUNT, INSURANCE_ACCOUNT, 1)) in fund
        if row.table == "balance" and row.key.startswith(f"{ISSUE_ACCOUNT}|") and of_fund:
            value = str(D(value) + 1_000_000)
        if key not in fund and not is_issue:
            rows.append(Durable(row.table, row.key, msgspec.json.encode(value)))
    old = Exchange.restore(
        rows, random_source=Seeded("after"), now_ms=desk.now + 1000, switches=Switches({"agents": "off"})
    )
    old.apply(MoveMarket(coin="BTC", price="60000"), desk.now + 2000)
    assert old.queries.balance(INSURANCE_ACCOUNT, "BINANCE", "USDT") == 1_000_000
    old.check()
    old.apply(MoveMarket(coin="BTC", price="58600"), desk.now + 3000)
    old.check()
    event = old.queries.liquidation_event(desk.sub)
    assert event is not None and event.liquidation_event_id == "2176000000000001"
    assert old.queries.balance(INSURANCE_ACCOUNT, "BINANCE", "USDT") < 1_000_000


def test_a_restart_keeps_the_liquidating_status() -> None:
    """Between the third and the last threshold a row that was LIQUIDATING still is."""
    desk = long_at_risk()
    desk.steer("BTC", "59289")
    desk.steer("BTC", "59350")
    desk.wait(6000)
    assert 1 < D(account(desk).uni_mmr) < D("1.2")
    row = next(one for one in desk.restarted().queries.accounts(desk.sub) if one.exchange_type == "BINANCE")
    assert row.account_status == account(desk).account_status == "LIQUIDATING"
