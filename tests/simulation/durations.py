"""How long what a trader waits for took in virtual time, read from the history of a run."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

from tests.figures.percentiles import step
from tests.simulation.history import Line
from tui.engine.rows import LocalOrderState

_UNANSWERED = frozenset([LocalOrderState.SENDING.value, LocalOrderState.SENT.value])


def spent(lines: Sequence[Line], synced: Sequence[tuple[float, bool]]) -> dict[str, dict[int, int]]:
    """Times in ms (two digits) with their counts.

    Args:
        lines: The history of the run.
        synced: When (s) the screen was told whether the desk is in step, and what.
    """
    found = {
        "lost_answer_to_unknown": lost_answers_to_unknown(lines),
        "reconnect_to_synced": reconnects_to_synced(lines, synced),
        "cancel_to_wire": cancels_to_wire(lines),
    }
    return {name: dict(sorted(Counter(step(s * 1000) for s in times).items())) for name, times in found.items()}


def lost_answers_to_unknown(lines: Iterable[Line]) -> Iterator[float]:
    """From an order on the wire to its row saying UNKNOWN, by a deadline or by the end of its connection, s.

    An order that was shown with a state of the service was answered; it may be UNKNOWN much later, when its end is lost.
    """
    sent: dict[tuple[int, str], float] = {}
    for line in lines:
        key = (line.life, line.cid)
        if line.who == "wire" and line.kind == "place_order":
            sent[key] = line.t
        elif line.who == "display" and line.kind == "shown" and key in sent and line.state not in _UNANSWERED:
            began = sent.pop(key)
            if line.state == LocalOrderState.UNKNOWN:
                yield line.t - began


def cancels_to_wire(lines: Iterable[Line]) -> Iterator[float]:
    """From a cancel that was asked for to its frame, s; cancels that never left are left out."""
    asked: dict[tuple[int, str], float] = {}
    names: dict[str, str] = {}
    for line in lines:
        if line.who == "display" and line.kind == "shown" and line.cid:
            names[line.oid] = line.cid
        elif line.who == "trader" and line.kind == "cancel":
            asked.setdefault((line.life, line.cid), line.t)
        elif line.who == "trader" and line.kind == "outcome":
            asked.pop((line.life, line.cid), None)
        elif line.who == "wire" and line.kind == "cancel_order":
            for name in (line.cid, names.get(line.oid, line.oid)):
                if (line.life, name) in asked:
                    yield line.t - asked.pop((line.life, name))


def reconnects_to_synced(lines: Iterable[Line], synced: Sequence[tuple[float, bool]]) -> Iterator[float]:
    """From a new connection of the private stream to a desk in step, s; of several only the one that came so far."""
    opened = [line.t for line in lines if line.who == "wire" and line.kind == "connect"]
    at, before = 0, False
    for moment, in_step in synced:
        newest = None
        while in_step and not before and at < len(opened) and opened[at] <= moment:
            newest = opened[at]
            at += 1
        before = in_step
        if newest is not None:
            yield moment - newest
