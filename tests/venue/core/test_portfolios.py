"""Portfolios and keys inside the exchange: old states, pushes of a rename, the past, one log twice."""

from __future__ import annotations

import msgspec
import pytest

from tests.venue.core.drive import START, Desk
from tests.venue.core.seeded import Seeded
from tui.interface.families.portfolios import ApiKeyRecord
from tui.venue.core.commands import (
    Accepted,
    ChangeApiKey,
    Command,
    CreateApiKey,
    CreatePortfolio,
    DeleteApiKey,
    RenamePortfolio,
    SetLeverage,
)
from tui.venue.core.events import Durable, KeyRefused, OrderChanged
from tui.venue.core.exchange import Exchange
from tui.venue.core.switches import Switches


def accepted(desk: Desk, command: Command) -> Accepted:
    reply = desk.do(command, 10)
    assert isinstance(reply, Accepted), reply
    return reply


def portfolio(desk: Desk, name: str = "Desk01") -> str:
    made = accepted(desk, CreatePortfolio(portfolio=desk.main, name=name)).portfolio
    assert made is not None
    return str(made.portfolio_id)


def key(desk: Desk, own: str) -> ApiKeyRecord:
    made = accepted(desk, CreateApiKey(portfolio=desk.main, portfolio_id=own, api_name="mine")).api_key
    assert made is not None
    return made


def restored(rows: list[Durable], now: int) -> Exchange:
    return Exchange.restore(rows, random_source=Seeded("later"), now_ms=now, switches=Switches({"agents": "off"}))


def test_a_state_of_a_version_without_portfolio_times_and_keys_opens_and_takes_a_new_portfolio() -> None:
    desk = Desk()
    old = []
    for row in desk.exchange.drain_durable():
        value = msgspec.json.decode(row.value or b"")
        if row.table == "portfolio":
            value = {name: value[name] for name in ("id", "name", "level")}
        elif row.table == "counters":
            del value["api_key"]
        old.append(Durable(row.table, row.key, msgspec.json.encode(value)))
    again = restored(old, START + 1000)
    again.check()
    assert [(one.name, one.created, one.venues) for one in again.queries.portfolios.values()] == [
        ("MainPortfolio", 0, ()),
        ("SubPortfolio", 0, ()),
    ]
    assert [row.exchange_type for row in again.queries.accounts(desk.sub)] == ["BINANCE", "OKX"]
    assert again.queries.opened_ms == START
    reply, _ = again.apply(CreatePortfolio(portfolio=desk.main, name="Desk01"), START + 2000)
    assert isinstance(reply, Accepted)
    again.check()


def test_portfolios_keys_and_settings_of_a_new_portfolio_come_back_as_they_were() -> None:
    desk = Desk()
    own = portfolio(desk)
    kept, frozen, gone = (key(desk, own) for _ in range(3))
    accepted(desk, ChangeApiKey(portfolio=desk.main, portfolio_id=own, access_key=frozen.access_key, status="2"))
    accepted(desk, DeleteApiKey(portfolio=desk.main, portfolio_id=own, access_key=gone.access_key))
    accepted(desk, SetLeverage(portfolio=own, sym="OKX_PERP_BTC_USDT", leverage="7"))
    again = restored(list(desk.durable.values()), desk.now)
    again.check()
    assert again.state_hash() == desk.exchange.state_hash()
    assert list(again.queries.portfolios) == list(desk.exchange.queries.portfolios)
    assert list(again.queries.api_keys) == [kept.access_key, frozen.access_key]
    assert {row.sym: row.leverage for row in again.queries.leverages(own)}["OKX_PERP_BTC_USDT"] == "7"


def test_the_same_commands_make_the_same_keys_and_another_venue_others() -> None:
    made = []
    for seed in ("1", "1", "2"):
        desk = Desk(seed=seed)
        made.append((own := portfolio(desk), key(desk, own).access_key))
    assert made[0] == made[1] != made[2] and made[0][1] != made[2][1]


def test_a_rename_pushes_the_open_orders_of_the_portfolio_and_no_others() -> None:
    desk = Desk()
    desk.place("BUY", "0.01", "61000")
    reply = desk.try_place("BUY", "0.01", "61000", portfolio=desk.sub)
    assert isinstance(reply, Accepted)
    accepted(desk, RenamePortfolio(portfolio=desk.main, portfolio_id=desk.sub, name="Renamed7"))
    pushed = [event.record for event in desk.events if isinstance(event, OrderChanged)]
    assert [(row.order_id, row.portfolio_name) for row in pushed] == [(reply.order_id, "Renamed7")]
    assert accepted(desk, RenamePortfolio(portfolio=desk.main, portfolio_id=desk.sub, name="Renamed7")).portfolio
    assert desk.events == []


@pytest.mark.parametrize("how", ["frozen", "deleted"])
def test_a_key_that_is_no_longer_accepted_is_told_once(how: str) -> None:
    desk = Desk()
    own = portfolio(desk)
    access = key(desk, own).access_key
    if how == "deleted":
        accepted(desk, DeleteApiKey(portfolio=desk.main, portfolio_id=own, access_key=access))
    else:
        accepted(desk, ChangeApiKey(portfolio=desk.main, portfolio_id=own, access_key=access, status="2"))
    assert [(one.access_key, how in one.reason) for one in desk.events if isinstance(one, KeyRefused)] == [
        (access, True)
    ]


def test_the_past_before_the_first_start_knows_no_portfolio_that_was_made_since() -> None:
    desk = Desk(past="on")
    own = portfolio(desk)
    rows = desk.exchange.past_before_start()
    assert rows is not None
    owners = {
        str(value.get("portfolioId", value.get("portfolio", "")))
        for row in rows.rows()
        if isinstance(value := msgspec.json.decode(row.value), dict)
    }
    assert owners == {desk.main, desk.sub} and own not in owners
