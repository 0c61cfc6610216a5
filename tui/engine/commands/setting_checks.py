"""Validation of setting changes: leverage, margin leverage, position mode."""

from __future__ import annotations

from tui.engine.intents import SetLeverage, SetMarginLeverage, SetPositionMode, SettingIntent
from tui.engine.orders.pre_trade_checks import Refusal
from tui.engine.state.command_table import setting_name
from tui.engine.state.engine_state import EngineState
from tui.interface import decimals
from tui.interface.families.positions import PositionMode
from tui.interface.symbols import try_parse

MAX_DIGITS = 9
"""Most digits of a leverage."""
_LEGS = ("NONE", "LONG", "SHORT")


def present_setting(state: EngineState, intent: SettingIntent) -> str:
    """Return the current value of the setting, or an empty text when it is unknown."""
    if isinstance(intent, SetPositionMode):
        account = state.facts.accounts.rows.get(intent.exchange)
        return account.record.position_mode if account is not None else ""
    if isinstance(intent, SetMarginLeverage):
        return state.margin_leverages.get(f"{intent.exchange}/{intent.coin}", "")
    for leg in _LEGS:
        fact = state.facts.positions.rows.get(f"{intent.sym}/{leg}")
        if fact is not None and decimals.optional(fact.record.position_qty) and decimals.optional(fact.record.leverage):
            return fact.record.leverage
    return state.leverages.get(intent.sym, "")


def same_setting(first: str, second: str) -> bool:
    """Return whether two texts are the same setting, numbers compared by value."""
    number, other_number = decimals.optional(first), decimals.optional(second)
    return first == second if number is None or other_number is None else number == other_number


def lowers_risk(intent: SettingIntent) -> bool:
    """Return whether a change can only lower the risk: a lower leverage."""
    before, wanted = decimals.optional(intent.before), decimals.optional(intent.wanted)
    if isinstance(intent, SetPositionMode) or before is None or wanted is None:
        return False
    return wanted < before


def check_wanted(intent: SettingIntent) -> Refusal | None:
    """Check that the value has a valid form; the allowed range is left to the venue."""
    name, wanted = setting_name(intent), intent.wanted
    if isinstance(intent, SetPositionMode):
        if wanted in tuple(PositionMode):
            return None
        return Refusal("SETTING", f"{name} cannot be {wanted[:20]!r}; it takes {', '.join(PositionMode)}")
    if not (wanted.isascii() and wanted.isdigit() and len(wanted) <= MAX_DIGITS and int(wanted) >= 1):
        return Refusal("SETTING", f"{name} cannot be {wanted[:20]!r}; it takes a whole number from 1")
    pair = try_parse(intent.sym) if isinstance(intent, SetLeverage) else None
    if isinstance(intent, SetLeverage) and (pair is None or not pair.is_perp):
        return Refusal("SETTING", f"{intent.sym[:40]} is no perpetual; only perpetuals have a leverage of their own")
    return None


def check_present(intent: SettingIntent, present: str) -> Refusal | None:
    """Check that the setting still has the value the trader saw, and that the wanted value differs from it."""
    name = setting_name(intent)
    if not present:
        return Refusal("SETTING", f"the {name} is not read yet")
    if not same_setting(present, intent.before):
        return Refusal("SETTING", f"the {name} is {present} now, it was {intent.before or 'unknown'}; look again")
    if same_setting(present, intent.wanted):
        return Refusal("SETTING", f"the {name} is {present} already")
    return None
