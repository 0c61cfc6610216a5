"""Replay of journaled algo commands: those that nothing settled are open again."""

from __future__ import annotations

import msgspec

from tui.engine.intents import AlgoIntent, CancelAlgo, PlaceAlgo, ReplaceAlgo, Verdict
from tui.engine.rows import LocalOrderState
from tui.engine.state.algo_table import AlgoChange, settles
from tui.engine.state.call_expiry import EXPIRED_S, LATE_S
from tui.interface.families.algo import AlgoRecord
from tui.protocols import JournalEntry

ALGO_KINDS: dict[str, type[AlgoIntent]] = {kind.__name__: kind for kind in (PlaceAlgo, ReplaceAlgo, CancelAlgo)}
"""Algo intents by the name they are journaled under."""


class _AlgoArgs(msgspec.Struct, rename="camel"):
    algo_order_id: str = ""


class _AlgoPayload(msgspec.Struct):
    kind: str
    intent: msgspec.Raw
    args: _AlgoArgs = msgspec.field(default_factory=_AlgoArgs)


class _AlgoReply(msgspec.Struct):
    verdict: Verdict


class ReplayedAlgo(msgspec.Struct):
    """An algo command that no entry settles."""

    kind: str
    """Name of its intent."""
    intent: msgspec.Raw
    """As it was journaled."""
    algo_order_id: str = ""
    accepted: bool = False
    """The service took it."""

    @property
    def decoded(self) -> AlgoIntent:
        """Its intent.

        Raises:
            MsgspecError: it cannot be decoded.
        """
        intent: AlgoIntent = msgspec.json.decode(self.intent, type=ALGO_KINDS[self.kind])
        return intent


def begin_algo(algos: dict[str, ReplayedAlgo], entry: JournalEntry) -> None:
    """Take up a journaled intent, if it is one about an algo order."""
    payload = msgspec.json.decode(entry.payload, type=_AlgoPayload)
    if payload.kind in ALGO_KINDS:
        msgspec.json.decode(payload.intent, type=ALGO_KINDS[payload.kind])
        algos[entry.intent_id] = ReplayedAlgo(payload.kind, payload.intent, payload.args.algo_order_id)


def apply_algo_entry(algos: dict[str, ReplayedAlgo], entry: JournalEntry) -> None:
    """Apply an entry about an open command: a record that shows it ends it, or what proves that nothing was done, or the
    trader's dismissal."""
    found = algos[entry.intent_id]
    if entry.kind in ("algo_settled", "not_sent", "dismiss"):
        del algos[entry.intent_id]
    elif entry.kind == "algo":
        if settles(found.decoded, msgspec.json.decode(entry.payload, type=AlgoRecord)):
            del algos[entry.intent_id]
    elif entry.kind == "reply":
        verdict = msgspec.json.decode(entry.payload, type=_AlgoReply).verdict
        if verdict is Verdict.ACCEPTED:
            found.accepted = True
        elif verdict is Verdict.REJECTED:
            del algos[entry.intent_id]


def open_algo(key: str, found: ReplayedAlgo, now: float) -> AlgoChange:
    """A command as it stands at the start; its call counts as sent now, because the wall clock may have been set."""
    state = LocalOrderState.SENT if found.accepted else LocalOrderState.UNKNOWN
    proven_from = now + (LATE_S if found.accepted else EXPIRED_S)
    return AlgoChange(found.decoded, key, state, now, proven_from, algo_order_id=found.algo_order_id)
