"""Portfolios and keys inside the exchange: old states, pushes of a rename, the past, one log twice."""

from __future__ import annotations

import msgspec
import pytest

from tests.venue.core.drive import START, Desk, code
from tests.venue.core.seeded import Seeded
from tui.interface.envelope import PlaceReply
from tui.interface.families.portfolios import (
    MAX_SUB_PORTFOLIOS,
    ApiKeyRecord,
    ChangeApiKey,
    CreateApiKey,
    CreatePortfolio,
    DeleteApiKey,
    KeyStatus,
    PortfolioName,
    RenamePortfolio,
)
from tui.interface.families.positions import SetLeverage
from tui.venue.core.commands import Command, Rejected, Reply
from tui.venue.core.events import Durable, KeyRefused, OrderChanged
from tui.venue.core.exchange import Exchange
from tui.venue.core.switches import Switches


def accepted(desk: Desk, command: Command) -> Reply:
    reply = desk.do(command, 10)
    assert reply is not None and not isinstance(reply, Rejected), reply
    return reply


def portfolio(desk: Desk, name: str = "Desk01") -> str:
    made = accepted(desk, CreatePortfolio(portfolio=desk.main, name=name))
    assert isinstance(made, PortfolioName)
    return str(made.portfolio_id)


def key(desk: Desk, own: str) -> ApiKeyRecord:
    made = accepted(desk, CreateApiKey(portfolio=desk.main, portfolio_id=own, api_name="mine"))
    assert isinstance(made, ApiKeyRecord)
    return made


@pytest.fixture
def own(desk: Desk) -> str:
    """A portfolio that was made."""
    return portfolio(desk)


def restored(rows: list[Durable], now: int) -> Exchange:
    return Exchange.restore(rows, random_source=Seeded("later"), now_ms=now, switches=Switches({"agents": "off"}))


def test_an_old_state_without_portfolio_timestamps_opens() -> None:
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
    assert isinstance(reply, PortfolioName)
    again.check()


def test_new_portfolio_keys_and_settings_survive_a_restart() -> None:
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


def test_api_keys_are_reproducible_from_the_venue_seed() -> None:
    made = []
    for seed in ("1", "1", "2"):
        desk = Desk(seed=seed)
        made.append((own := portfolio(desk), key(desk, own).access_key))
    assert made[0] == made[1] != made[2] and made[0][1] != made[2][1]


def test_portfolio_rename_pushes_only_its_open_orders() -> None:
    desk = Desk()
    desk.place("BUY", "0.01", "61000")
    reply = desk.try_place("BUY", "0.01", "61000", portfolio=desk.sub)
    assert isinstance(reply, PlaceReply)
    accepted(desk, RenamePortfolio(portfolio=desk.main, portfolio_id=desk.sub, name="Renamed7"))
    pushed = [event.record for event in desk.events if isinstance(event, OrderChanged)]
    assert [(row.order_id, row.portfolio_name) for row in pushed] == [(reply.order_id, "Renamed7")]
    assert accepted(desk, RenamePortfolio(portfolio=desk.main, portfolio_id=desk.sub, name="Renamed7"))
    assert desk.events == []


@pytest.mark.parametrize("how", ["frozen", "deleted"])
def test_a_deleted_or_frozen_api_key_raises_one_event(how: str) -> None:
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


def changed(desk: Desk, own: str, access: str, **fields: str) -> ApiKeyRecord:
    reply = accepted(desk, ChangeApiKey(portfolio=desk.main, portfolio_id=own, access_key=access, **fields))
    assert isinstance(reply, ApiKeyRecord)
    return reply


def test_api_key_change_keeps_omitted_fields(desk: Desk, own: str) -> None:
    made = key(desk, own)
    assert (made.api_name, made.ip, made.permission, made.status) == ("mine", "", "READ", KeyStatus.NORMAL)
    access = made.access_key
    renamed = changed(desk, own, access, api_name="other", ip="10.0.0.1, 10.0.0.2", permission="TRADE,TRANSFER")
    assert (renamed.api_name, renamed.ip) == ("other", "10.0.0.1,10.0.0.2")
    assert renamed.permission == "READ,TRANSFER,TRADE", "in their order, and a key always reads"
    frozen = changed(desk, own, access, status="2")
    assert (frozen.api_name, frozen.ip, frozen.status) == ("other", "10.0.0.1,10.0.0.2", KeyStatus.FROZEN)
    assert frozen.updated_at > renamed.updated_at > made.updated_at
    again = changed(desk, own, access, status="2")
    assert (again, desk.events) == (frozen, []), "a change that changes nothing is told nobody"
    assert changed(desk, own, access, status="1").status is KeyStatus.NORMAL


@pytest.mark.parametrize(
    ("fields", "word"),
    [
        ({"status": "3"}, "status"),
        ({"ip": "10.0.0"}, "ip"),
        ({"permission": "TRADE,ROOT"}, "ROOT"),
        ({"api_name": "x" * 33}, "apiName"),
        ({"api_name": "  "}, "apiName"),
        ({"api_name": "a\x1b[2Jb"}, "apiName"),
    ],
)
def test_an_invalid_api_key_field_is_rejected_by_name(desk: Desk, own: str, fields: dict[str, str], word: str) -> None:
    access = key(desk, own).access_key
    before = desk.exchange.state_hash()
    wrong: list[Command] = [ChangeApiKey(portfolio=desk.main, portfolio_id=own, access_key=access, **fields)]
    if "status" not in fields:
        named = {"api_name": "mine", **fields}
        wrong.append(CreateApiKey(portfolio=desk.main, portfolio_id=own, **named))
    for command in wrong:
        reply = desk.do(command)
        assert isinstance(reply, Rejected) and reply.code == 400000 and word in reply.message
    assert desk.exchange.state_hash() == before


def test_a_portfolio_has_at_most_ten_api_keys(desk: Desk, own: str) -> None:
    made = [key(desk, own).access_key for _ in range(10)]
    one_more = CreateApiKey(portfolio=desk.main, portfolio_id=own, api_name="mine")
    assert code(desk.do(one_more)) == 405901
    assert key(desk, desk.sub).portfolio_id == int(desk.sub), "each portfolio counts its own"
    accepted(desk, DeleteApiKey(portfolio=desk.main, portfolio_id=own, access_key=made[0]))
    assert key(desk, own).access_key not in made


@pytest.mark.parametrize("whose", ["of another portfolio", "of nobody"])
def test_api_key_change_with_a_foreign_portfolio_is_rejected(desk: Desk, own: str, whose: str) -> None:
    access = key(desk, desk.sub).access_key if whose == "of another portfolio" else "0" * 48
    named = {"portfolio": desk.main, "portfolio_id": own, "access_key": access}
    for command in (ChangeApiKey(**named, status="2"), DeleteApiKey(**named)):
        assert code(desk.do(command)) == 100018
    unknown = ChangeApiKey(portfolio=desk.main, portfolio_id="1", access_key=access, status="2")
    assert code(desk.do(unknown)) == 100001


@pytest.mark.parametrize(
    ("who", "name", "expected"),
    [
        ("sub", "Short", 400000),
        ("sub", "1234567", 400000),
        ("sub", "MainPortfolio", 404911),
        ("main", "Another7", 400000),
        ("nobody", "Another7", 100001),
    ],
)
def test_an_invalid_rename_of_a_portfolio_is_rejected(desk: Desk, who: str, name: str, expected: int) -> None:
    named = {"main": desk.main, "sub": desk.sub}.get(who, "1")
    assert code(desk.do(RenamePortfolio(portfolio=desk.main, portfolio_id=named, name=name))) == expected
    assert desk.exchange.queries.portfolios[desk.sub].name == "SubPortfolio"


def test_number_of_sub_portfolios_is_limited(desk: Desk) -> None:
    made = 1
    while code(reply := desk.do(CreatePortfolio(portfolio=desk.main, name=f"Desk{made:03}"))) == 0:
        made += 1
    assert (code(reply), made) == (404901, MAX_SUB_PORTFOLIOS)


def test_generated_history_has_no_rows_of_later_portfolios() -> None:
    desk = Desk(past="on")
    own = portfolio(desk)
    rows = desk.exchange.build_past()
    assert rows is not None
    owners = {
        str(value.get("portfolioId", value.get("portfolio", "")))
        for row in rows.rows()
        if isinstance(value := msgspec.json.decode(row.value), dict)
    }
    assert owners == {desk.main, desk.sub} and own not in owners
