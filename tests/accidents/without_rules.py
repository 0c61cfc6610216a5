"""What each rule of the fresh press is for: attempts without it, until the first that then fails."""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

from tests.accidents import in_process
from tui.workstation.input.fresh_press import Rule

KINDS: dict[Rule, tuple[str, ...]] = {
    Rule.REPEAT: ("hold Enter on a staged line", "press twice", "close twice", "price runs under a question"),
    Rule.OPENER: ("hold in a form", "mash Enter", "price behind the size", "take back, then Enter"),
    Rule.STOOD: ("answer unread",),
    Rule.MOVED: ("step onto a paused line", "leave a staged line"),
    Rule.BLOCKED: (
        "letter before the size",
        "other key behind a taker",
        "refused, then Enter",
        "price behind a refused Tab",
    ),
    Rule.STRAY: ("side behind an amount", "type into nothing"),
    Rule.BURST: ("paste",),
    Rule.JOINED: ("paste",),
    Rule.FROZEN: ("send from a frozen screen",),
    Rule.PASSED: ("hold on a list", "mash Enter", "paste"),
    Rule.SIDE: ("hold in a form", "mash Enter", "type into nothing"),
    Rule.PAUSE: ("leave a staged line", "stage elsewhere"),
    Rule.PRICE: ("price runs under a question",),
    Rule.PANIC: ("panic",),
    Rule.NAMED: ("cancel on arrival", "row moves under c"),
}
"""The accidents that a rule is there for, by their kind."""


BEFORE: dict[Rule, Rule] = {
    Rule.BURST: Rule.JOINED,
    Rule.SIDE: Rule.OPENER,
}
"""Rules that no attempt fails without, and the rule before each that refuses the same keys; both are then left out."""


class RuleLeftOut(msgspec.Struct, frozen=True, kw_only=True):
    """What came of the attempts while a rule was left out."""

    rules: tuple[str, ...]
    """The rule, and the one before it where that was left out too."""
    kinds: tuple[str, ...]
    attempts: int
    """Attempts of these kinds until the first that failed, it included."""
    number: int | None = None
    """Number of the first that failed; None: none did."""
    kind: str = ""
    story: str = ""
    unmeant: tuple[str, ...] = ()


def leave_out_each(seed: int, first: int, count: int) -> Iterator[RuleLeftOut]:
    """Leave each rule out in turn and look for an attempt that then fails.

    Args:
        seed: Of the attempts.
        first: Number of the first attempt.
        count: How many are drawn for each rule; those of its kinds are carried out.
    """
    for rule in Rule:
        row = _leave_out((rule,), KINDS[rule], seed, first, count)
        if row.number is None and rule in BEFORE:
            row = _leave_out((rule, BEFORE[rule]), KINDS[rule], seed, first, count)
        yield row


def _leave_out(rules: tuple[Rule, ...], kinds: tuple[str, ...], seed: int, first: int, count: int) -> RuleLeftOut:
    names = tuple(rule.value for rule in rules)
    tally = in_process.run(seed, first, count, without=frozenset(names), kinds=frozenset(kinds), stop=True)
    if not tally.bad:
        return RuleLeftOut(rules=names, kinds=kinds, attempts=tally.attempts)
    row = tally.bad[0]
    return RuleLeftOut(
        rules=names, kinds=kinds, attempts=tally.attempts, number=row.number, kind=row.kind, story=row.story,
        unmeant=row.unmeant or row.lost,
    )  # fmt: skip


def describe(row: RuleLeftOut) -> str:
    """One line of the table."""
    if row.number is None:
        return f"{'+'.join(row.rules):<12} none of {row.attempts} attempts fails without it ({', '.join(row.kinds)})"
    return f"{'+'.join(row.rules):<12} attempt {row.number}: {row.kind}: {row.story}: {'; '.join(row.unmeant)}"
