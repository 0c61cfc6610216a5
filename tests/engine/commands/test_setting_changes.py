"""Changes of settings on a scripted service: journaled before they leave, sent once, and a lost answer is read back."""

from __future__ import annotations

import json
from typing import Any

import msgspec
import pytest
from aiohttp import web

from tests.client.fakes import PORTFOLIO, refusal, success, until
from tests.engine.command_rig import ask_every, let_calls_expire
from tests.engine.conftest import DECISION, SYM, Rig
from tui.client.call_expiry import EXPIRED_S
from tui.engine.event_line import Level
from tui.engine.intents import SetLeverage, SetMarginLeverage, SetPositionMode, Verdict
from tui.engine.modes import RiskMode, TradingState
from tui.engine.rows import CommandState, SettingChange, Table
from tui.engine.state.engine_state import SenderState
from tui.interface.families.positions import LeverageRow
from tui.interface.symbols import pair_name

pytestmark = pytest.mark.hurried

SET = "/api/v1/trading/position/leverage"
READ = "/api/v1/trading/perp/leverage"
SET_DEBT, READ_DEBT = "/api/v1/trading/margin/leverage", "/api/v1/trading/margin/leverage"
ACCOUNT = "/api/v1/trading/account"


class Settings:
    """The settings of a service, and what it answers to a change."""

    def __init__(self, rig: Rig) -> None:
        self.rig = rig
        self.leverage, self.debt, self.mode = "20", "3", "NET"
        self.answer: web.Response | None = None
        """To a change; None: success."""
        self.carries_out = True
        rig.fake.refuse_rest = self._handle

    @property
    def changes(self) -> list[tuple[str, dict[str, str]]]:
        """The changes that arrived."""
        return [(path, params) for method, path, params in self.rig.fake.calls if method == "POST"]

    def _handle(self, path: str) -> web.Response | None:
        method, _, params = self.rig.fake.calls[-1]
        if method == "POST" and path in (SET, SET_DEBT, ACCOUNT):
            return self._change(path, params)
        if path == READ:
            return success([{"sym": SYM, "leverage": self.leverage}])
        if path == READ_DEBT:
            row = {"coin": "SOL", "exchangeType": "BINANCE", "leverage": self.debt}
            return success({"list": [row], "page": 1, "pageSize": 100, "totalSize": "1"})
        if path == "/api/v1/trading/loan/info_detail":
            return success({})
        if path == ACCOUNT:
            row = {"exchangeType": "BINANCE", "portfolioId": PORTFOLIO, "positionMode": self.mode}
            return success([row])
        return None

    def _change(self, path: str, params: dict[str, str]) -> web.Response:
        if self.carries_out:
            if path == SET:
                self.leverage = params["leverage"]
            elif path == SET_DEBT:
                self.debt = params["leverage"]
            else:
                self.mode = params["positionMode"]
        return self.answer or success({})


async def serving_settings(rig: Rig) -> Settings:
    """A service with settings, and a desk that has read them."""
    made = Settings(rig)
    await rig.ready()
    await until(lambda: rig.engine.state.leverages and rig.engine.state.margin_leverages)
    await until(lambda: rig.engine.state.facts.accounts.rows["BINANCE"].record.position_mode)
    return made


@pytest.fixture
async def service(rig: Rig) -> Settings:
    return await serving_settings(rig)


def lever(leverage: str = "10", before: str = "20") -> SetLeverage:
    return SetLeverage(decision=DECISION, sym=SYM, leverage=leverage, before=before)


def pending(rig: Rig) -> dict[str, Any]:
    return dict(rig.screen.look().tables.get(Table.SETTINGS, {}))


def journal(rig: Rig) -> list[str]:
    """Kinds of entries about one change, in their order."""
    entries = rig.journal.lines
    ids = [one.intent_id for one in entries if one.kind == "intent"]
    return [one.kind for one in entries if ids and one.intent_id == ids[-1] and one.kind != "note"]


async def test_a_setting_change_is_journaled_sent_once_and_verified(rig: Rig, service: Settings) -> None:
    outcome = await rig.engine.submit(lever())
    assert outcome.verdict is Verdict.ACCEPTED
    assert service.changes == [(SET, {"sym": SYM, "leverage": "10"})]
    await until(lambda: rig.engine.state.leverages[SYM] == "10")
    await until(lambda: not pending(rig))
    assert journal(rig)[:3] == ["intent", "sent", "reply"]
    meant = next(one for one in rig.journal.lines if one.kind == "intent")
    assert json.loads(meant.payload)["kind"] == "SetLeverage" and meant.client_order_id == ""
    assert rig.screen.said(f"leverage of {pair_name(SYM)}: 20 → 10 accepted")


async def test_a_lagging_list_does_not_restore_the_old_leverage(rig: Rig, service: Settings) -> None:
    assert (await rig.engine.submit(lever())).verdict is Verdict.ACCEPTED
    await until(lambda: not pending(rig))
    service.leverage = "20"
    await rig.session.audits.reference_data.read_leverages()
    assert rig.engine.state.leverages[SYM] == "10"


async def test_a_leverage_changed_elsewhere_is_shown_and_reported(rig: Rig, service: Settings) -> None:
    await until(lambda: rig.engine.state.leverages.get(SYM) == "20")
    assert not rig.screen.said("changed elsewhere")
    service.leverage = "50"
    await rig.session.audits.reference_data.read_leverages()
    row = rig.screen.look().tables[Table.LEVERAGES][SYM]
    assert isinstance(row, LeverageRow) and row.leverage == "50"
    assert rig.screen.said(f"leverage of {pair_name(SYM)} was changed elsewhere: it was 20x, it is 50x now")
    assert (await rig.engine.submit(lever())).verdict is Verdict.DENIED, "a form that was opened on the old one"
    assert (await rig.engine.submit(lever(before="50"))).verdict is Verdict.ACCEPTED
    await until(lambda: not pending(rig))
    await rig.session.audits.reference_data.read_leverages()
    assert len([line for line in rig.screen.look().events if "changed elsewhere" in line.text]) == 1, "our own is none"


async def test_each_setting_change_uses_its_own_endpoint(rig: Rig, service: Settings) -> None:
    debt = SetMarginLeverage(decision=DECISION, exchange="BINANCE", coin="SOL", leverage="5", before="3")
    mode = SetPositionMode(decision=DECISION, exchange="BINANCE", mode="BOTH", before="NET")
    assert (await rig.engine.submit(debt)).verdict is Verdict.ACCEPTED
    assert (await rig.engine.submit(mode)).verdict is Verdict.ACCEPTED
    assert service.changes == [
        (SET_DEBT, {"exchangeType": "BINANCE", "coin": "SOL", "leverage": "5"}),
        (ACCOUNT, {"exchangeType": "BINANCE", "positionMode": "BOTH"}),
    ]
    assert rig.screen.said("position mode of BINANCE: NET (one-way) → BOTH (hedge) accepted")
    await until(lambda: rig.engine.state.margin_leverages["BINANCE/SOL"] == "5")
    await until(lambda: rig.engine.state.facts.accounts.rows["BINANCE"].record.position_mode == "BOTH")
    await until(lambda: not pending(rig))


async def test_a_position_mode_change_warns_unless_sent_by_this_desk(rig: Rig, service: Settings) -> None:
    intent = SetPositionMode(decision=DECISION, exchange="BINANCE", mode="BOTH", before="NET")
    assert (await rig.engine.submit(intent)).verdict is Verdict.ACCEPTED
    row = {"portfolioId": PORTFOLIO, "exchangeType": "BINANCE", "accountStatus": "NORMAL"}
    for at, mode in enumerate(["NET", "BOTH", "NET", "BOTH"]):
        rig.engine.state.facts.accounts.rows.pop("BINANCE", None) if not at else None
        await rig.fake.push("Accounts", [{**row, "positionMode": mode, "updateAt": str(at + 1)}])
    await until(lambda: rig.screen.said("account BINANCE: one-way mode now, it was hedge mode"))
    lines = [line.level for line in rig.screen.look().events if line.text.startswith("account BINANCE: ")]
    assert lines == [Level.INFO, Level.WARN, Level.WARN]
    assert rig.screen.said("hedge mode now, it was one-way mode (by you)")
    assert rig.screen.said("one-way mode now, it was hedge mode (changed elsewhere)")


async def test_a_position_mode_of_another_desk_is_told_with_its_name(rig: Rig, service: Settings) -> None:
    rig.engine.state.trading.senders["desk 2"] = SenderState(state=TradingState.ARMED, role="desk")
    asked = msgspec.structs.replace(DECISION, peer="desk 2")
    intent = SetPositionMode(decision=asked, exchange="BINANCE", mode="BOTH", before="NET")
    assert (await rig.engine.submit(intent)).verdict is Verdict.ACCEPTED
    row = {"portfolioId": PORTFOLIO, "exchangeType": "BINANCE", "accountStatus": "NORMAL"}
    rig.engine.state.facts.accounts.rows.pop("BINANCE", None)
    for at, mode in enumerate(["NET", "BOTH"]):
        await rig.fake.push("Accounts", [{**row, "positionMode": mode, "updateAt": str(at + 1)}])
    await until(lambda: rig.screen.said("hedge mode now, it was one-way mode (by desk 2)"))


async def test_a_rejected_position_mode_change_shows_error_406012(rig: Rig, service: Settings) -> None:
    service.answer, service.carries_out = refusal(406012, "1 open positions"), False
    intent = SetPositionMode(decision=DECISION, exchange="BINANCE", mode="BOTH", before="NET")
    outcome = await rig.engine.submit(intent)
    assert (outcome.verdict, outcome.code) == (Verdict.REJECTED, 406012)
    assert "Close positions and orders first" in outcome.text


async def test_a_setting_change_with_lost_reply_is_verified_not_resent(rig: Rig, service: Settings) -> None:
    service.answer = web.Response(status=502)
    outcome = await rig.engine.submit(lever())
    assert outcome.verdict is Verdict.UNKNOWN
    row = pending(rig)[f"leverage/{SYM}"]
    assert isinstance(row, SettingChange)
    assert (row.before, row.wanted, row.state) == ("20", "10", CommandState.UNKNOWN)
    await until(lambda: not pending(rig))
    assert rig.screen.said("it is 10 at the venue; the change was carried out")
    assert len(service.changes) == 1
    assert journal(rig) == ["intent", "sent", "reply", "setting"]


async def test_a_lost_setting_change_fails_once_its_call_expired(
    rig: Rig, service: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    service.answer, service.carries_out = web.Response(status=502), False
    ask_every(monkeypatch, 0.05)
    assert (await rig.engine.submit(lever())).verdict is Verdict.UNKNOWN
    reads = len(rig.fake.calls)
    await until(lambda: len([1 for _, path, _ in rig.fake.calls[reads:] if path == READ]) > 2)
    assert pending(rig)[f"leverage/{SYM}"].state is CommandState.UNKNOWN
    again = await rig.engine.submit(lever())
    assert (again.verdict, again.guard) == (Verdict.DENIED, "IN_FLIGHT")
    let_calls_expire(rig.engine)
    await until(lambda: not pending(rig))
    assert rig.screen.said("change to 10 not applied; the venue has 20")
    assert len(service.changes) == 1


@pytest.mark.parametrize(("ahead_s", "expected_s"), [(0.0, 70.0), (40.0, 110.0), (-40.0, 30.0), (None, EXPIRED_S)])
async def test_a_call_with_lost_reply_expires_by_the_server_clock(
    rig: Rig, service: Settings, monkeypatch: pytest.MonkeyPatch, ahead_s: float | None, expected_s: float
) -> None:
    """The nonce is taken for 60 s, 10 s more until a change is seen; `ahead_s`: our clock before that of the service."""
    clock = rig.engine.state.clock

    def least_server_ms() -> float | None:
        return None if ahead_s is None else (clock.wall() - ahead_s) * 1000

    monkeypatch.setattr(rig.engine.state.links, "least_server_ms", least_server_ms)
    service.answer, service.carries_out = web.Response(status=502), False
    began = clock.mono()
    assert (await rig.engine.submit(lever())).verdict is Verdict.UNKNOWN
    row = pending(rig)[f"leverage/{SYM}"]
    # The nonce is the whole second, and the call took a moment.
    assert -1.0 <= row.proven_from - began - expected_s <= clock.mono() - began


async def test_halt_mode_allows_only_lower_leverage(rig: Rig, service: Settings) -> None:
    rig.engine.set_risk_mode(RiskMode.HALT)
    assert (await rig.engine.submit(lever("50"))).guard == "MODE"
    assert (await rig.engine.submit(lever("10"))).verdict is Verdict.ACCEPTED
    assert service.changes == [(SET, {"sym": SYM, "leverage": "10"})]


@pytest.mark.parametrize("what", ["leverage", "debt"])
async def test_a_setting_change_that_cannot_be_verified_says_why_once(rig: Rig, service: Settings, what: str) -> None:
    service.answer, service.carries_out = web.Response(status=502), False
    listed, pages = service.leverage, rig.fake.refuse_rest
    debt = SetMarginLeverage(decision=DECISION, exchange="BINANCE", coin="SOL", leverage="5", before="3")
    assert (await rig.engine.submit(lever() if what == "leverage" else debt)).verdict is Verdict.UNKNOWN
    unlisted = {READ: success([]), READ_DEBT: success({"list": [], "page": 1, "pageSize": 100, "totalSize": "0"})}
    asked = READ if what == "leverage" else READ_DEBT
    readings: list[str] = []

    def without(path: str) -> web.Response | None:
        if path != asked or rig.fake.calls[-1][0] == "POST":
            return pages(path)
        readings.append(path)
        return web.Response(body=unlisted[path].body, content_type="application/json")

    rig.fake.refuse_rest = without
    await until(lambda: len(readings) >= 3, 60)
    told = [one.text for one in rig.screen.look().events if "cannot be read back yet" in one.text]
    assert len(told) == 1 and told[0].endswith("the service does not list it")
    let_calls_expire(rig.engine)
    await until(lambda: len(readings) >= 5, 60)
    assert len(pending(rig)) == 1, "no reading has shown what became of it"
    rig.fake.refuse_rest = pages
    await until(lambda: not pending(rig), 60)
    assert rig.screen.said("not applied") and service.leverage == listed
