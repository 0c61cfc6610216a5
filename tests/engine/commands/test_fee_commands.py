"""What became of a lost change of the fees of sub portfolios: read back once it is in force, and not before."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest
from aiohttp import web

from tests.client.fakes import until
from tests.engine.command_rig import ask_every, let_calls_expire
from tests.engine.commands.test_account_commands import rows, state
from tests.engine.conftest import DECISION, Rig
from tests.venue.core.drive import Desk
from tui.client.call_expiry import EXPIRED_S
from tui.engine.commands.account_kind import ACCOUNT_PACE
from tui.engine.commands.fee_kinds import CLOCKS_MS, FEE_KINDS, HOUR_MS
from tui.engine.commands.proofs import Finding, TwoStepProof
from tui.engine.intents import AccountCommand, Verdict
from tui.engine.rows import AccountCommandRow, CommandState
from tui.interface.families.fees import SetSubFee, SubFeeSet
from tui.interface.families.portfolios import PortfolioRecord
from tui.interface.request import arguments_of

MAIN, SUB, OTHER = "2171869303221111", "2171869303221112", "2171869303221113"
SENT = 1_760_000_400_000
WANTED = arguments_of(
    SetSubFee(
        portfolio_id=SUB, exchange="BINANCE", inst_type="PERP", chg_type="ABSOLUTE", chg_taker="0.5",
        markup_rebate_ratio="0.2",
    )
)  # fmt: skip


def proof() -> TwoStepProof:
    found = FEE_KINDS["set_sub_fee_rate"].proof
    assert isinstance(found, TwoStepProof)
    return found


def row(sent_ms: int = SENT, **args: str) -> AccountCommandRow:
    return AccountCommandRow(
        id="cf1", endpoint="set_sub_fee_rate", title="fees", args=tuple((WANTED | args).items()),
        state=CommandState.UNKNOWN, sent_ms=sent_ms, changed_ms=sent_ms,
    )  # fmt: skip


@pytest.mark.parametrize(
    ("sent_ms", "day", "shown"),
    [
        (10 * HOUR_MS, "", 11 * HOUR_MS),
        (11 * HOUR_MS - 1, "", 12 * HOUR_MS),
        (11 * HOUR_MS - int(EXPIRED_S * 1000) - 1, "", 11 * HOUR_MS),
        (10 * HOUR_MS, "19700103", 48 * HOUR_MS),
        (30 * HOUR_MS, "19700102", 31 * HOUR_MS),
    ],
    ids=["the next full hour", "it may arrive behind the hour", "it cannot", "a day named", "today"],
)
def test_a_fee_change_is_verified_from_its_effective_date_on(sent_ms: int, day: str, shown: int) -> None:
    assert proof().shown_from(row(sent_ms, effDate=day)) == shown + CLOCKS_MS


def venue_schedules(desk: Desk) -> tuple[list[PortfolioRecord], list[object]]:
    """The portfolios of a venue and what it prints of their fees."""
    queries = desk.exchange.queries
    listed = [
        PortfolioRecord(portfolio_id=int(one.id), name=one.id, belonging_to=0 if one.is_main else 2)
        for one in queries.portfolios.values()
    ]
    return listed, [schedule for one in listed for schedule in queries.broker_schedules(str(one.portfolio_id))]


@pytest.mark.parametrize(("way", "taker", "maker"), [("ABSOLUTE", "0.55", "0.1"), ("PERCENTAGE", "7", "33")])
@pytest.mark.parametrize("several", [False, True], ids=["one", "all"])
def test_fee_changes_are_verified_by_the_fee_schedule(way: str, taker: str, maker: str, several: bool) -> None:
    desk = Desk(agents="still")
    sub = "" if several else desk.sub
    wanted = SetSubFee(
        portfolio=desk.main, portfolio_id=sub, exchange="BINANCE", inst_type="PERP", chg_type=way, chg_taker=taker,
        chg_maker=maker, markup_rebate_ratio="0.25",
    )  # fmt: skip
    asked = msgspec.structs.replace(row(), args=tuple(arguments_of(wanted).items()))
    before = proof().judge(asked, venue_schedules(desk))
    assert before is not None and before.state is CommandState.NOT_DONE and "in force is taker" in before.text
    reply = desk.do(wanted)
    assert isinstance(reply, SubFeeSet)
    desk.wait(HOUR_MS)
    after = proof().judge(asked, venue_schedules(desk))
    assert after is not None and after.state is CommandState.DONE and after.text.startswith("in force: taker")
    assert dict(proof().params(asked, venue_schedules(desk)[0]))["portfolios"].split(",")[0] == desk.main


def test_a_lost_fee_change_stays_unknown_if_no_fees_are_listed() -> None:
    listed = [PortfolioRecord(portfolio_id=int(MAIN), name="main", belonging_to=0)]
    assert proof().judge(row(), (listed, [])) == Finding(
        CommandState.UNKNOWN, "the service lists no fees of sub portfolios on BINANCE PERP"
    )


class Fees:
    """A service with one sub portfolio, whose fees it lists."""

    def __init__(self, rig: Rig) -> None:
        self.rig = rig
        self.taker = "0.0004"
        rig.fake.refuse_rest = self._handle

    def calls(self, part: str) -> list[dict[str, str]]:
        return [params for _, path, params in self.rig.fake.calls if part in path]

    def _handle(self, path: str) -> web.Response | None:
        if path.endswith("/subFeeRate"):
            return web.Response(status=502)
        if path.endswith("/broker/feeRate"):
            return _ok(200000, [_schedule(MAIN, "0.0004"), _schedule(SUB, self.taker, "0.2000")])
        if path.endswith("/trading/portfolio"):
            found = [{"portfolioId": int(MAIN), "name": "m", "belongingTo": 0}]
            found.append({"portfolioId": int(SUB), "name": "s", "belongingTo": 2})
            return _ok(200, {"list": found, "page": 1, "pageSize": 100, "totalSize": "2"})
        return None


def _ok(code: int, data: object) -> web.Response:
    return web.json_response({"code": code, "message": "Success", "data": data})


def _schedule(portfolio: str, taker: str, ratio: str = "0.0000") -> dict[str, Any]:
    return {
        "portfolioId": portfolio, "exchange": "BINANCE", "instType": "PERP", "effDate": "20250101", "level": "VIP0",
        "maker": "0.0001", "taker": taker, "groupList": [], "markupRebateRatio": ratio,
    }  # fmt: skip


@pytest.mark.parametrize("carried_out", [True, False])
@pytest.mark.hurried
async def test_a_lost_fee_change_is_queried_once_it_is_in_force(
    rig: Rig, monkeypatch: pytest.MonkeyPatch, carried_out: bool
) -> None:
    ask_every(monkeypatch, 0.05)
    fees = Fees(rig)
    await rig.ready()
    intent = AccountCommand(
        decision=DECISION, endpoint="set_sub_fee_rate", args=tuple(WANTED.items()), title="fees of s on BINANCE"
    )
    outcome = await rig.engine.submit(intent)
    assert outcome.verdict is Verdict.UNKNOWN and "never sent again" in outcome.text
    assert "UTC on, when it is in force" in outcome.text and "UTC on, when it is in force" in rows(rig)[-1].text
    let_calls_expire(rig.engine)
    rig.session.commands.waits(ACCOUNT_PACE, 1e9)
    await rig.session.commands.settle(ACCOUNT_PACE)
    assert fees.calls("/broker/feeRate") == [] and state(rig) is CommandState.UNKNOWN, "not before its hour"
    fees.taker = "0.00045" if carried_out else "0.0004"
    for one in rig.engine.state.commands.open.values():
        one.sent_ms -= 2 * HOUR_MS
    await until(lambda: state(rig) is (CommandState.DONE if carried_out else CommandState.NOT_DONE))
    assert fees.calls("/broker/feeRate")[0] == {"portfolios": f"{MAIN},{SUB}"}
    assert rig.screen.said("it was carried out: in force: taker 4.5bp" if carried_out else "was not carried out")
    assert len(fees.calls("/subFeeRate")) == 1
