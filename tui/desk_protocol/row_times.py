"""Monotonic times in rows and intents, shifted from the clock of one machine to that of another."""

from __future__ import annotations

from collections.abc import Mapping

import msgspec

from tui.engine.intents import Intent, Place, Replace
from tui.engine.rows import AccountCommandRow, AlgoRow, Fact, OrderRow, QuoteRow, Row, SettingChange, Stamp
from tui.engine.status_rows import EngineStatusRow, LinkRow, MandateRow, PeerRow, ProposalRow

_STATE = ("since", "not_found_first", "not_found_last")
TIMES: Mapping[type, tuple[str, ...]] = {
    QuoteRow: ("received",),
    Stamp: ("received",),
    OrderRow: _STATE,
    AlgoRow: _STATE,
    SettingChange: ("proven_from",),
    AccountCommandRow: ("proven_from",),
    LinkRow: ("since", "last_frame"),
    PeerRow: ("hot_until",),
    ProposalRow: ("since", "expires"),
    MandateRow: ("since", "expires"),
    EngineStatusRow: ("hot_until",),
}
"""Fields of rows and of their parts that hold a monotonic time, s; 0 is none."""


def shift_rows(rows: Mapping[str, Row | None], seconds: float) -> dict[str, Row | None]:
    """Return the rows with all monotonic times in them shifted by `seconds`, to convert them to another clock."""
    return {key: None if row is None else _shift(row, seconds) for key, row in rows.items()}


def shift_intent(intent: Intent, seconds: float) -> Intent:
    """Return the intent with its times of key press and of the shown proposal shifted by `seconds`."""
    decision, shown = intent.decision, intent.shown if isinstance(intent, Place | Replace) else None
    if decision.press is not None:
        press = msgspec.structs.replace(decision.press, at=decision.press.at + seconds)
        intent = msgspec.structs.replace(intent, decision=msgspec.structs.replace(decision, press=press))
    if shown is not None:
        intent = msgspec.structs.replace(intent, shown=msgspec.structs.replace(shown, at=shown.at + seconds))
    return intent


def _shift(row: Row, seconds: float) -> Row:
    changed = _shift_times(row, seconds)
    if isinstance(row, Fact | OrderRow | AlgoRow):
        stamp = row.stamp
        changed["stamp"] = msgspec.structs.replace(stamp, **_shift_times(stamp, seconds))
    elif isinstance(row, EngineStatusRow):
        changed["peers"] = tuple(msgspec.structs.replace(peer, **_shift_times(peer, seconds)) for peer in row.peers)
    return msgspec.structs.replace(row, **changed) if changed else row


def _shift_times(struct: msgspec.Struct, seconds: float) -> dict[str, object]:
    names = TIMES.get(type(struct), ())
    return {name: time + seconds for name in names if (time := getattr(struct, name))}
