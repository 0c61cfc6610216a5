"""Commands that make the service itself close positions, fully and at market."""

from __future__ import annotations

from collections.abc import Sequence

from tui.engine.intents import AccountCommand, Decision, build_account_command
from tui.interface.families.positions import ClosePosition, ClosePositions, PositionRecord
from tui.interface.figures import leg_of
from tui.workstation.model.instruments import full_name

MOST_PAIRS = 20
"""Most pairs in one call."""
NOTE = "the service closes it: it first cancels the pair's reduce-only orders; there is no preview and no limit check"
_SIDES = ("LONG", "SHORT")


def close_one(record: PositionRecord, decision: Decision) -> AccountCommand:
    """Build the command by which the service closes a single position."""
    request = ClosePosition(sym=record.sym, position_side=_side(record))
    title = f"close {full_name(record.sym)} {leg_of(record)}"
    return build_account_command(request, decision, title)


def close_several(records: Sequence[PositionRecord], decision: Decision) -> list[AccountCommand]:
    """Build the commands by which the service closes positions, each for up to 20 pairs of one position side."""
    commands = []
    for side in ("", *_SIDES):
        pairs = [record.sym for record in records if _side(record) == side]
        for first in range(0, len(pairs), MOST_PAIRS):
            batch = pairs[first : first + MOST_PAIRS]
            request = ClosePositions(sym_list=",".join(batch), position_side=side)
            title = " ".join(["close", ", ".join(full_name(sym) for sym in batch), *([side] if side else [])])
            commands.append(build_account_command(request, decision, title))
    return commands


def _side(record: PositionRecord) -> str:
    """Return the position side in hedge mode; empty in one-way mode, where requests have none."""
    return record.position_side if record.position_side in _SIDES else ""
