"""Reference figures: each table is read for itself, and one that cannot be read says why."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from aiohttp import web

from tests.client.fakes import PORTFOLIO, SYMBOL, until
from tests.engine.conftest import SYM, Rig, buy
from tui.engine.intents import Verdict
from tui.engine.rows import BracketTable, Fact, ReadFailure, Table

FEES = "/api/v1/trading/userFeeRate"
PLAIN = "/api/v1/trading/positionBracket"
BROKER = "/api/v1/trading/broker/positionBracket"
TIER = {
    "sym": SYM, "minNotionalValue": "0", "maxNotionalValue": "15000000", "maxLeverage": "20", "mmRate": "0.02",
    "riskLevel": "1",
}  # fmt: skip
SCHEDULE = {
    "portfolioId": PORTFOLIO, "exchangeType": "BINANCE", "businessType": "PERP", "takerFeeRate": "0.0005",
    "makerFeeRate": "0.0002", "level": "1",
    "groupList": [{"makerFee": "0.0001", "takerFee": "0.0003", "symList": [SYM]}],
}  # fmt: skip


def answers(**data: Any) -> Callable[[str], web.Response | None]:
    """A service that answers some paths, each with its data or with an error code."""

    def refuse(path: str) -> web.Response | None:
        for found, told in ((FEES, "fees"), (PLAIN, "plain"), (BROKER, "broker")):
            if path == found and told in data:
                value = data[told]
                code = value if isinstance(value, int) else 200000
                return web.json_response({"code": code, "message": "", "data": {} if code != 200000 else value})
        return None

    return refuse


async def test_fee_groups_without_a_name_are_read(rig: Rig) -> None:
    rig.fake.refuse_rest = answers(fees=[SCHEDULE], plain={SYM: [TIER]})
    await rig.ready()
    await until(lambda: rig.screen.look().tables.get(Table.FEES))
    fact: Any = rig.screen.tables[Table.FEES]["BINANCE/PERP"]
    assert isinstance(fact, Fact)
    assert [group.sym_list for group in fact.record.group_list] == [[SYM]]


async def test_unreadable_fees_say_why_and_block_no_other_data(rig: Rig) -> None:
    rig.fake.refuse_rest = answers(fees=2003, plain={SYM: [TIER]})
    await rig.ready()
    await until(lambda: rig.screen.look().tables.get(Table.UNREAD, {}).get("fees"))
    unread = rig.screen.tables[Table.UNREAD]["fees"]
    assert isinstance(unread, ReadFailure)
    assert unread.why.startswith("2003")
    await until(lambda: rig.screen.look().tables.get(Table.BRACKETS, {}).get(SYM))
    assert "brackets" not in rig.screen.tables[Table.UNREAD]


async def test_risk_tiers_are_read_from_the_available_endpoint(rig: Rig) -> None:
    rig.fake.refuse_rest = answers(fees=[SCHEDULE], plain=404, broker={SYM: [TIER]})
    await rig.ready()
    await until(lambda: rig.screen.look().tables.get(Table.BRACKETS, {}).get(SYM))
    assert isinstance(rig.screen.tables[Table.BRACKETS][SYM], BracketTable)
    terms = rig.session.audits.reference_data
    await terms._read_brackets()
    assert [path for _, path, _ in rig.fake.calls if path in (PLAIN, BROKER)] == [PLAIN, BROKER, BROKER]


async def test_fees_that_can_be_read_again_are_not_marked_unread(rig: Rig) -> None:
    rig.fake.refuse_rest = answers(fees=2003, plain={SYM: [TIER]})
    await rig.ready()
    await until(lambda: rig.screen.look().tables.get(Table.UNREAD, {}).get("fees"))
    rig.fake.refuse_rest = answers(fees=[SCHEDULE], plain={SYM: [TIER]})
    terms = rig.session.audits.reference_data
    await terms._read_table(Table.FEES, terms._read_fees)
    assert "fees" not in rig.screen.look().tables[Table.UNREAD]
    assert rig.screen.tables[Table.FEES]


async def test_a_delisted_pair_and_its_leverage_are_removed(rig: Rig) -> None:
    other = SYM.replace("BTC", "ETH")
    leverages = [{"sym": SYM, "leverage": "20"}, {"sym": other, "leverage": "5"}]
    listed = {SYM: SYMBOL, other: {**SYMBOL, "sym": other}}

    def answer(path: str) -> web.Response | None:
        data = {"/api/v1/trading/sym/info": listed, "/api/v1/trading/perp/leverage": leverages}.get(path)
        return None if data is None else web.json_response({"code": 200000, "message": "", "data": data})

    rig.fake.refuse_rest = answer
    await rig.ready()
    await until(lambda: set(rig.screen.look().tables.get(Table.LEVERAGES, {})) == {SYM, other})
    assert set(rig.screen.tables[Table.SYMBOLS]) == {SYM, other}
    del listed[other], leverages[1]
    await rig.session.audits._read_symbols()
    await rig.session.audits.reference_data.read_leverages()
    assert set(rig.screen.look().tables[Table.LEVERAGES]) == set(rig.screen.tables[Table.SYMBOLS]) == {SYM}


async def test_an_order_rejected_by_old_symbol_rules_rereads_the_rules(rig: Rig) -> None:
    await rig.ready()
    audits = rig.session.audits

    def readings() -> int:
        return sum(1 for _, path, _ in rig.fake.calls if path == "/api/v1/trading/sym/info")

    rig.fake.on_action = lambda frame: {"code": 401013, "msg": "bad step", "data": None}
    before = readings()
    assert (await rig.engine.submit(buy())).verdict is Verdict.REJECTED
    assert audits.jobs()[0].due > 0, "they were read a moment ago"
    audits._state.rules_read_at = audits._state.logged_in_at = float("-inf")
    assert (await rig.engine.submit(buy(price="59999"))).verdict is Verdict.REJECTED
    await until(lambda: readings() == before + 1)
