"""The gate on changes of settings: what is denied, in which state and mode, and the sentence it says."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from tests.client.fakes import PORTFOLIO
from tests.engine.command_rig import command_gate, open_command
from tests.engine.conftest import DECISION, SYM
from tests.engine.orders.gated import Gated
from tui.engine.intents import SetLeverage, SetMarginLeverage, SetPositionMode, SettingIntent
from tui.engine.modes import Environment, RiskMode, TradingState
from tui.engine.rows import CommandState, Fact, Source
from tui.interface.families.positions import AccountRecord, PositionRecord


@pytest.fixture
def gated() -> Gated:
    made = Gated()
    state = made.state
    state.leverages = {SYM: "20"}
    state.margin_leverages = {"BINANCE/SOL": "3"}
    account = AccountRecord(exchange_type="BINANCE", portfolio_id=PORTFOLIO, position_mode="NET")
    state.facts.accounts.rows["BINANCE"] = Fact(account, state.stamp(Source.SNAPSHOT))
    return made


def lever(leverage: str = "10", before: str = "20", **changes: Any) -> SetLeverage:
    return SetLeverage(**{"decision": DECISION, "sym": SYM, "leverage": leverage, "before": before, **changes})


def debt(leverage: str, before: str = "3") -> SetMarginLeverage:
    return SetMarginLeverage(decision=DECISION, exchange="BINANCE", coin="SOL", leverage=leverage, before=before)


def mode(word: str, before: str = "NET") -> SetPositionMode:
    return SetPositionMode(decision=DECISION, exchange="BINANCE", mode=word, before=before)


def denied(gated: Gated, intent: SettingIntent, *, in_flight: bool = False) -> str:
    commands = command_gate(gated.state, gated.gate)
    if in_flight:
        gated.state.commands.add(open_command(intent, intent.setting, CommandState.SENDING))
    refusal = commands.check(intent)
    return "" if refusal is None else f"{refusal.guard}: {refusal.text}"


@pytest.mark.parametrize("intent", [lever("10"), lever("50"), debt("1"), debt("5"), mode("BOTH")])
def test_setting_changes_are_accepted_when_armed_and_in_sync(gated: Gated, intent: SettingIntent) -> None:
    assert denied(gated, intent) == ""


def test_a_position_record_without_leverage_has_that_of_its_pair(gated: Gated) -> None:
    """The service leaves it out of some records: nothing was known of the leverage while the position was open."""
    record = PositionRecord(sym=SYM, position_side="LONG", position_qty="1", leverage="")
    gated.state.facts.positions.rows[f"{SYM}/LONG"] = Fact(record, gated.state.stamp(Source.PUSH))
    assert "the leverage of BINANCE BTC perp is 20 already" in denied(gated, lever("20"))


@pytest.mark.parametrize(
    ("intent", "words"),
    [
        (lever("0"), "SETTING: leverage of BINANCE BTC perp cannot be '0'; it takes a whole number from 1"),
        (lever("2.5"), "SETTING: leverage of BINANCE BTC perp cannot be '2.5'; it takes a whole number from 1"),
        (lever("٥"), "it takes a whole number from 1"),
        (lever("1" * 10), "it takes a whole number from 1"),
        (lever("20"), "SETTING: the leverage of BINANCE BTC perp is 20 already"),
        (lever("10", before="5"), "SETTING: the leverage of BINANCE BTC perp is 20 now, it was 5; look again"),
        (lever("10", sym="BINANCE_SPOT_BTC_USDT"), "BINANCE_SPOT_BTC_USDT is no perpetual"),
        (lever("10", sym="OKX_PERP_BTC_USDT"), "SETTING: the leverage of OKX BTC perp is not read yet"),
        (debt("3"), "SETTING: the leverage of the SOL debt on BINANCE is 3 already"),
        (mode("HEDGE"), "SETTING: position mode of BINANCE cannot be 'HEDGE'; it takes NET, BOTH"),
        (mode("NET"), "SETTING: the position mode of BINANCE is NET already"),
        (mode("NET", before="BOTH"), "SETTING: the position mode of BINANCE is NET now, it was BOTH; look again"),
    ],
)
def test_invalid_setting_values_are_denied(gated: Gated, intent: SettingIntent, words: str) -> None:
    assert words in denied(gated, intent)


@pytest.mark.parametrize("strict", [RiskMode.REDUCING, RiskMode.HALT])
def test_a_strict_risk_mode_allows_only_lower_leverage(gated: Gated, strict: RiskMode) -> None:
    gated.state.trading.risk_mode, gated.state.trading.risk_mode_reason = strict, "asked by the trader"
    assert denied(gated, lever("10")) == denied(gated, debt("1")) == ""
    words = f"MODE: risk mode is {strict.value} (asked by the trader); of settings only a smaller leverage is taken"
    assert {denied(gated, one) for one in (lever("50"), debt("5"), mode("BOTH"))} == {words}
    assert command_gate(gated.state, gated.gate).recheck(lever("10"), gated.state.epoch) is None
    again = command_gate(gated.state, gated.gate).recheck(lever("50"), gated.state.epoch)
    assert again is not None and again.guard == "MODE"


def test_setting_changes_are_denied_unless_armed_and_connected(gated: Gated) -> None:
    other = msgspec.structs.replace(DECISION, portfolio="9")
    live = msgspec.structs.replace(DECISION, environment=Environment.LIVE)
    assert denied(gated, lever(decision=other)).startswith("PORTFOLIO")
    assert denied(gated, lever(decision=live)).startswith("ENVIRONMENT")
    gated.proven = False
    assert denied(gated, lever()) == "LINK: not connected; nothing is queued for later"
    gated.proven, gated.state.synced = True, False
    assert denied(gated, lever()).startswith("LINK")
    gated.state.synced, gated.state.trading.own.state = True, TradingState.VIEW
    assert denied(gated, lever()) == "STATE: trading state is VIEW; arm first"


def test_a_second_change_of_one_setting_is_denied_while_open(gated: Gated) -> None:
    words = "IN_FLIGHT: a change of the leverage of BINANCE BTC perp is not settled"
    assert denied(gated, lever(), in_flight=True).startswith(words)


def test_current_leverage_is_read_from_the_open_position(gated: Gated) -> None:
    record = PositionRecord(sym=SYM, position_side="NONE", position_qty="1", leverage="7", portfolio_id=PORTFOLIO)
    gated.state.facts.positions.rows[f"{SYM}/NONE"] = Fact(record, gated.state.stamp(Source.PUSH))
    assert "is 7 now, it was 20" in denied(gated, lever("10"))
    assert denied(gated, lever("10", before="7")) == ""


def test_a_blocked_pair_gets_no_higher_leverage(gated: Gated) -> None:
    limits = msgspec.structs.replace(gated.state.settings.limits, block=(SYM,))
    gated.state.settings = msgspec.structs.replace(gated.state.settings, limits=limits)
    assert denied(gated, lever("10")) == ""
    assert denied(gated, lever("50")).startswith("SYMBOL")


def test_setting_changes_are_denied_after_too_many_commands(gated: Gated) -> None:
    for _ in range(gated.gate._limits.runaway_count):
        gated.gate.record_command("")
    assert denied(gated, lever()).startswith("RUNAWAY")
    assert gated.disarmed
