"""Change of a limit by a command line: which field of the limits a name means, and the value in its unit."""

from __future__ import annotations

import re
from decimal import Decimal

import msgspec

from tui.engine.limits import Limits, SymLimits
from tui.interface.decimals import plain
from tui.workstation.command_line.grammar.refusals import Code, LineRefused
from tui.workstation.command_line.grammar.syntax import SetLimit

_FACTORS = {"": Decimal(1), "k": Decimal(1000), "m": Decimal(1_000_000)}
_VALUE = re.compile(r"([0-9_.]+)([km]?)(q|ct|%|bp|t|s)?")

_FIELDS = {
    "soft_notional": {"": "soft_notional", "q": "soft_notional"},
    "hard_notional": {"": "hard_notional", "q": "hard_notional"},
    "max_notional": {"": "hard_notional", "q": "hard_notional"},
    "max_qty": {"": "max_qty", "ct": "max_qty"},
    "max_position": {"": "max_position", "q": "max_position"},
    "max_open": {"": "max_open"},
    "max_open_sym": {"": "max_open_sym"},
    "max_loss": {"": "max_loss", "q": "max_loss"},
    "budget": {"": "budget", "q": "budget"},
    "far": {"bp": "far_bp", "t": "far_ticks"},
    "near": {"bp": "near_bp", "t": "near_ticks"},
    "wide": {"bp": "wide_bp"},
    "stale": {"s": "stale"},
    "duplicate": {"s": "duplicate"},
}
"""Field of the limits, by the name and the unit on the line."""
_CAN_BE_OFF = frozenset(["max_qty", "max_position", "max_loss", "budget"])
NAMES = tuple(_FIELDS)


def change_limit(command: SetLimit, limits: Limits) -> tuple[Limits, str]:
    """Return the trading limits with one changed, and a sentence that describes the change.

    Raises:
        LineRefused: There is no such limit, or the value does not fit it.
    """
    if command.name not in _FIELDS:
        raise LineRefused(Code.UNKNOWN_WORD, f"there is no limit {command.name}; there are {', '.join(NAMES)}")
    field, text = _read_value(command)
    before = getattr(limits.of(command.sym), field)
    if command.sym and field not in SymLimits.__struct_fields__:
        raise LineRefused(Code.UNKNOWN_WORD, f"{command.name} holds for all pairs: leave out the symbol")
    value: object = text if isinstance(before, str) else float(text) if isinstance(before, float) else int(text)
    where = f" of {command.sym}" if command.sym else ""
    said = f"limit {command.name}{where}: {before or 'off'} → {value or 'off'}, until the program ends"
    if not command.sym:
        return msgspec.structs.replace(limits, **{field: value}), said
    own = msgspec.structs.replace(limits.sym.get(command.sym, SymLimits()), **{field: value})
    return msgspec.structs.replace(limits, sym={**limits.sym, command.sym: own}), said


def _read_value(command: SetLimit) -> tuple[str, str]:
    """Return the setting that a limit's value changes, and the value as a plain number; empty for `off`."""
    units = _FIELDS[command.name]
    if command.value == "off":
        if command.name not in _CAN_BE_OFF:
            raise LineRefused(Code.BAD_NUMBER, f"{command.name} cannot be off; give a value")
        return units[""], ""
    match = _VALUE.fullmatch(command.value)
    unit = (match[3] or "") if match is not None else "?"
    if match is None or unit not in units:
        wanted = " or ".join(f"a number with {name}" if name else "a number" for name in units)
        raise LineRefused(Code.BAD_NUMBER, f"{command.name} {command.value}: accepted is {wanted}")
    number = Decimal(match[1].replace("_", "")) * _FACTORS[match[2]]
    field = units[unit]
    whole = isinstance(getattr(Limits(), field), int) and number != number.to_integral_value()
    if number <= 0 or whole:
        kind = "a whole number above 0" if whole else "a number above 0"
        raise LineRefused(Code.BAD_NUMBER, f"{command.name} {command.value}: accepted is {kind}")
    return field, plain(number)
