"""Commands that let the service close positions; the outcome is read from the list of positions.

A close only reduces positions, so no risk mode refuses it. One with a lost answer and positions still open after its
call
expired was not carried out.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from tui.engine.commands.proofs import AccountCommandKind, Finding, Proof, never
from tui.engine.rows import AccountCommandRow, CommandState
from tui.interface.decimals import ZERO, optional
from tui.interface.families.orders import Name
from tui.interface.families.positions import CloseOutcome, PositionRecord
from tui.interface.symbols import try_parse


def _is_meant(record: PositionRecord, args: Mapping[str, str]) -> bool:
    """Return whether a close command with these arguments covers this position."""
    side = args.get(Name.POSITION_SIDE, "")
    # In one-way mode the service ignores the side, and its records have none.
    if side in ("LONG", "SHORT") and record.position_side in ("LONG", "SHORT") and record.position_side != side:
        return False
    if args.get(Name.CLOSE_ALL_POS) == "true":
        parts = try_parse(record.sym)
        venue = args.get(Name.EXCHANGE_TYPE, "")
        return not venue or (parts is not None and parts.exchange == venue)
    return record.sym in _pairs(args)


def _pairs(args: Mapping[str, str]) -> list[str]:
    named = args.get(Name.SYM) or args.get(Name.SYM_LIST, "")
    return [name.strip() for name in named.split(",") if name.strip()]


def _judge(row: AccountCommandRow, data: object) -> Finding | None:
    """Judge a close command as done when none of its positions is open any more."""
    records: Sequence[PositionRecord] = data if isinstance(data, list) else ()
    args = dict(row.args)
    left = [record for record in records if optional(record.position_qty) != ZERO and _is_meant(record, args)]
    return None if left else Finding(CommandState.DONE, "flat")


def _judge_answer(data: object) -> Finding | None:
    """Report the positions that the service did not close, by the reply; None when all were accepted."""
    outcomes = [outcome for outcome in data if isinstance(outcome, CloseOutcome)] if isinstance(data, list) else []
    refused = [outcome for outcome in outcomes if outcome.success.lower() != "true"]
    if not refused:
        return None
    text = "; ".join(f"{outcome.sym} {outcome.position_side}: {outcome.error_msg}" for outcome in refused)
    return Finding(CommandState.FAILED, f"{len(refused)} of {len(outcomes)} not closed: {text}")


def _all_arguments(args: Mapping[str, str]) -> tuple[tuple[str, str], ...]:
    return tuple(sorted(args.items()))


_CLOSE = AccountCommandKind(
    moves_money=False,
    raises_risk=never,
    proof=Proof("positions", lambda _: {}, _judge),
    subject=_all_arguments,
    judge_answer=_judge_answer,
)

POSITION_KINDS: Mapping[str, AccountCommandKind] = {"close_position": _CLOSE, "close_positions": _CLOSE}
"""Kinds by endpoint name."""
