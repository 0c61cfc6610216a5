"""Canonical text of a parsed line: whole symbols, every unit, one spelling; parsing it again gives the same line."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from decimal import Decimal
from typing import Any

from tui.interface.decimals import plain
from tui.workstation.command_line.grammar.desk_commands import is_of_all
from tui.workstation.command_line.grammar.syntax import (
    WHOLE_SCOPES,
    Alert,
    AlertChange,
    Answer,
    BreakEven,
    Cancel,
    Change,
    Close,
    Command,
    Cost,
    Export,
    Flags,
    Keep,
    Leg,
    Level,
    Line,
    MoveTrigger,
    Nudge,
    Offset,
    OneOrder,
    Order,
    Orphans,
    Price,
    PriceWord,
    Protect,
    Quantity,
    Quit,
    Reverse,
    Scale,
    SetAlias,
    SetLimit,
    SetState,
    Show,
    Step,
    Test,
    Trigger,
    Unit,
    Use,
    Why,
    Working,
)

_LISTS = frozenset(["o", "p", "a", "adl", "fills", "pnl"])
_PERCENT = {Unit.POSITION: "pos", Unit.AVAILABLE: "avail", Unit.EQUITY: "eq"}


def write_line(line: Line) -> str:
    """Write a parsed command line as text, in its canonical form."""
    text = ""
    for step in line.steps:
        text += ("" if not text else " & " if step.beside else " ; ") + _write_step(step)
    return f"pf {line.portfolio} {text}" if line.portfolio else text


def _write_step(step: Step) -> str:
    return ("dry " if step.dry else "") + write_command(step.command)


def write_command(command: Command) -> str:
    """Write a parsed command as text, in its canonical form."""
    return _WRITERS[type(command)](command)


def _join(*parts: str) -> str:
    return " ".join(part for part in parts if part)


def _seconds(seconds: Decimal | None) -> str:
    if seconds is None:
        return ""
    if seconds != seconds.to_integral_value():
        return f"{plain(seconds * 1000)}ms"
    return f"{plain(seconds)}s"


def write_quantity(quantity: Quantity) -> str:
    """Write a parsed quantity with its unit as text."""
    number = plain(quantity.number) if quantity.number is not None else ""
    if quantity.unit is Unit.CONTRACTS:
        return f"{number}ct"
    if quantity.unit is Unit.COIN:
        return f"{number} {quantity.name}"
    if quantity.unit is Unit.QUOTE:
        return f"${number}"
    if quantity.unit in _PERCENT:
        return f"{number}% {_PERCENT[quantity.unit]}"
    if quantity.unit is Unit.RISK_PERCENT:
        return f"risk {number}%"
    if quantity.unit is Unit.RISK_QUOTE:
        return f"risk ${number}"
    return quantity.name or quantity.unit.value


def write_offset(offset: Offset | None, *, signed: bool = True) -> str:
    """Write an offset from a price as text, with plus or minus if `signed`; empty if there is none."""
    if offset is None:
        return ""
    sign = ("-" if offset.number < 0 else "+") if signed else ""
    return f"{sign}{plain(abs(offset.number))}{offset.unit}"


def write_level(level: Level | None) -> str:
    """Write a price level as text: a number, or a reference price with its offset."""
    if level is None:
        return ""
    if level.number is not None:
        return plain(level.number)
    return level.reference + write_offset(level.offset)


def write_price(price: Price | None) -> str:
    """Write the part of an order that says its price, as text."""
    if price is None:
        return ""
    if price.word is PriceWord.AT:
        return f"at {write_level(price.level)}"
    if price.word is PriceWord.JOIN:
        return "join" + write_offset(price.offset)
    if price.word in (PriceWord.IMPROVE, PriceWord.TAKE):
        return f"{price.word} {price.ticks}"
    return price.word.value


def _trigger(name: str, trigger: Trigger | None) -> str:
    if trigger is None:
        return ""
    by = f"by {trigger.source}" if trigger.source else ""
    limit = f"lim {plain(trigger.limit)}" if trigger.limit is not None else ""
    return _join(name, write_level(trigger.level), by, limit)


def _flags(flags: Flags) -> str:
    return _join(
        flags.tif,
        "ro" if flags.reduce_only else "",
        _trigger("tp", flags.target),
        _trigger("sl", flags.stop),
        f"id {flags.client_id}" if flags.client_id else "",
        f"max {plain(flags.most)}" if flags.most is not None else "",
    )


def _order(order: Order) -> str:
    return _join(order.verb, write_quantity(order.quantity), order.sym, write_price(order.price), _flags(order.flags))


def _scale(scale: Scale) -> str:
    weights = f"{scale.weights} {plain(scale.ratio)}" if scale.ratio is not None else scale.weights
    levels = f"from {write_level(scale.first)} to {write_level(scale.last)}"
    space = f"space {scale.spacing}" if scale.spacing != "even" else ""
    head = _join("scale", scale.verb, write_quantity(scale.quantity), scale.sym, str(scale.rungs), levels)
    return _join(head, weights if weights != "even" else "", space, _flags(scale.flags))


def _one(order: OneOrder | None) -> str:
    return "" if order is None else order.word or f"#{order.part}"


def _cancel(cancel: Cancel) -> str:
    scope = cancel.scope
    if scope is None:
        return f"c {_one(cancel.order)}"
    whole = "all " if scope.word in WHOLE_SCOPES else ""
    return _join(f"c {whole}{scope.word}", scope.name)


def _change(change: Change) -> str:
    price = f"px {write_level(change.level)}" if change.level is not None else ""
    quantity = f"{'tot' if change.total else 'rest'} {write_quantity(change.quantity)}" if change.quantity else ""
    return _join("re", _one(change.order), price, quantity)


def _leg(leg: Leg) -> str:
    return leg.word or _join(leg.sym, leg.side)


def _close(close: Close) -> str:
    if close.percent == 100 and close.price is None:
        return f"flat {_leg(close.leg)}"
    return _join(f"close {plain(close.percent)}%", _leg(close.leg), write_price(close.price))


def _move(move: MoveTrigger) -> str:
    by = write_offset(move.offset) or write_offset(move.distance, signed=False)
    return _join(move.which, "move", _leg(move.leg), by or f"to {write_level(move.level)}")


def _test(test: Test) -> str:
    if not test.sign:
        return _join(test.field, test.sym)
    number = plain(test.number) if test.number is not None else ""
    return _join("all" if is_of_all(test) else test.sym, test.field, test.sign, number + test.unit)


def _alert(alert: Alert) -> str:
    return _join("alert when", join_conditions([_test(test) for test in alert.tests], alert.joints))


def join_conditions(conditions: Sequence[str], joints: Sequence[str]) -> str:
    """Join conditions from left to right, with brackets where the joint changes: `(A and B) or C`."""
    text, before = conditions[0], ""
    for joint, condition in zip(joints, conditions[1:], strict=True):
        text = f"({text}) {joint} {condition}" if before not in ("", joint) else f"{text} {joint} {condition}"
        before = joint
    return text


def _alert_change(change: AlertChange) -> str:
    return _join("alert", change.word, str(change.number) if change.number else "", _seconds(change.seconds))


def _working(working: Working) -> str:
    return _join(working.verb, working.text)


_WRITERS: dict[type, Callable[[Any], str]] = {
    Order: _order,
    Cost: lambda cost: f"cost {_order(cost.order)}",
    Scale: _scale,
    Cancel: _cancel,
    Change: _change,
    Nudge: lambda nudge: f"nudge {_one(nudge.order)} {write_offset(nudge.offset)}",
    Close: _close,
    Reverse: lambda reverse: f"rev {_leg(reverse.leg)}",
    BreakEven: lambda command: f"be {_leg(command.leg)}",
    MoveTrigger: _move,
    Protect: lambda protect: _join("protect", _leg(protect.leg), write_offset(protect.distance, signed=False)),
    Orphans: lambda _: "orphans",
    Working: _working,
    SetState: lambda state: _join(state.word, _seconds(state.seconds)),
    SetLimit: lambda limit: _join(
        "budget" if limit.name == "budget" else f"limit {limit.name}", limit.value, limit.sym
    ),
    Keep: lambda keep: f"{'keep' if keep.kept else 'unkeep'} {keep.sym}",
    Show: lambda show: _join(show.view, show.argument) if show.view in _LISTS else f"show {show.view}",
    Why: lambda why: f"why {_one(why.order)}",
    Answer: lambda answer: f"{answer.word.value} {answer.key}".rstrip(),
    Alert: _alert,
    AlertChange: _alert_change,
    SetAlias: lambda alias: f'alias {alias.name} "{alias.line}"',
    Export: lambda export: _join("export", export.what, _seconds(export.seconds), export.form),
    Use: lambda use: f"use {use.portfolio}",
    Quit: lambda _: "q",
}
