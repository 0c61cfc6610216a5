"""Handlers of the kill prompt: cancel entry orders, cancel all orders, or also close positions."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from tui.engine.event_line import Level
from tui.engine.intents import CancelAll, Outcome
from tui.workstation.command_line.order_descriptions import describe_row
from tui.workstation.commands.desk_context import DeskContext
from tui.workstation.features.trading.cancel_orders import OrderCancels
from tui.workstation.features.trading.kill_plan import (
    FEW_NAMED,
    MOST_NAMED,
    LivePlan,
    count_cancelled_and_kept,
    count_closing,
    describe_bare,
    describe_closing,
    describe_debts,
    describe_effect,
    describe_entries,
    describe_larger,
    describe_legs,
    describe_protection,
    describe_unprotected,
    read_plan,
)
from tui.workstation.features.trading.risk_keys import RiskKeys
from tui.workstation.widgets.question import Beside, Option, Question

if TYPE_CHECKING:
    from tui.workstation.commands.availability import Blocks
    from tui.workstation.input.handlers import Handlers

ENTRIES, ALL, FLAT = "entries", "all", "flat"
NOTHING_OPENS = "every choice sets VIEW and HALT: nothing opens until you arm and resume"
SETS_MODES = "every choice sets VIEW and HALT: nothing opens"
"""The same where the whole box has no room."""
FEW_LEGS = 2
"""Most positions that its last choice names there."""


class KillKeys:
    """Key handlers that open the kill prompt over any dialog or field, and execute the chosen row."""

    def __init__(self, context: DeskContext, cancels: OrderCancels, risk: RiskKeys) -> None:
        self._context = context
        self._cancels = cancels
        self._risk = risk

    def handlers(self) -> Handlers:
        """Return the key handlers by action id."""
        return {"kill.open": self.open, "kill.open_text": self.open}

    def blocks(self) -> Blocks:
        """Return no block reasons, because the kill prompt can always be opened."""
        return {}

    def open(self) -> None:
        """End HOT and open the kill prompt with the orders that are live now; they are not updated while it is open.

        Orders that arrive before the answer are cancelled if they can open a position.
        """
        self._context.end_hot("kill prompt")
        plan = read_plan(self._context.mirror)
        self._context.prompt(self._question(plan), partial(self._kill, plan))

    def _question(self, plan: LivePlan) -> Question:
        return Question(
            kind="kill",
            beside=Beside.DESK,
            only_cancels=True,
            title="Kill",
            kill=True,
            choices=(self._entries_row(plan), self._all_row(plan), self._flat_row(plan)),
            notes=tuple(self._notes(plan)),
            brief_notes=tuple(self._brief_notes(plan)),
        )

    def _entries_row(self, plan: LivePlan) -> Option:
        view = self._context.view
        cancelled = f"{describe_entries(plan, view)}{describe_effect(plan, view)}"
        text, brief = (
            f"cancel entries of {self._context.portfolio_text}: {what}"
            for what in (cancelled, count_cancelled_and_kept(plan))
        )
        return Option(ENTRIES, text, brief=brief)

    def _all_row(self, plan: LivePlan) -> Option:
        closing = describe_closing(plan, self._context.view)
        if not closing:
            other = "other " if describe_larger(plan, self._context.view) else ""
            text = f"cancel everything: the same as entries, for no {other}closing order is working"
            return Option(ALL, text, word=ALL)
        bare = [leg for leg in plan.legs if leg not in plan.naked]
        without = f"; no stop then: {describe_legs(bare, self._context.view, FEW_NAMED)}" if bare else ""
        text, brief = (
            f"cancel everything: also {what}"
            for what in (f"{closing}{describe_bare(bare, self._context.view)}", f"{count_closing(plan)}{without}")
        )
        return Option(ALL, text, word=ALL, brief=brief)

    def _flat_row(self, plan: LivePlan) -> Option:
        legs = describe_legs(plan.legs, self._context.view)
        if not legs:
            return Option(FLAT, "cancel everything and close positions: no open position", word=FLAT)
        brief = f"all, and close at market: {describe_legs(plan.legs, self._context.view, FEW_LEGS)}"
        return Option(FLAT, f"cancel everything and close at market: {legs}", word=FLAT, brief=brief)

    def _notes(self, plan: LivePlan) -> list[str]:
        context = self._context
        # What may stay live in spite of every choice is read first, where the window has no room for all.
        mode = context.view.name_keys(f"{NOTHING_OPENS} ({context.how_to_resume})")
        return [*self._cancels.list_reach_notes(), mode, *self._list_facts(plan, MOST_NAMED)]

    def _brief_notes(self, plan: LivePlan) -> list[str]:
        """List the same with few names, what can not be undone first."""
        return [*self._cancels.list_reach_notes(brief=True), SETS_MODES, *self._list_facts(plan, FEW_NAMED)]

    def _list_facts(self, plan: LivePlan, most: int) -> list[str]:
        """List what else ends and what stays, with at most so many names in a line."""
        context, notes = self._context, list[str]()
        if held := [row.peer for row in context.mirror.mandates.values() if row.granted]:
            notes.append(f"ends the mandate{'s' if len(held) > 1 else ''} of {' and '.join(held)}")
        if plan.naked:
            notes.append(describe_unprotected(plan.naked, context.view, most))
        if plan.half_naked:
            protected = describe_protection(plan.half_naked, context.mirror, context.view, most)
            notes.append(f"a stop for only a part of: {protected}")
        if debts := describe_debts(plan.owed, context.view, most):
            notes.append(f"stays borrowed: {debts}")
        return notes

    def _kill(self, plan: LivePlan, answer: str | None) -> None:
        if answer is None:
            return
        context = self._context
        # What waits would take the keys of the panes, which the trader needs now.
        context.drop_for_kill()
        self._report_ended(plan)
        intent = CancelAll(
            decision=context.build_decision(f"kill prompt, {answer}"), kill=True, spare_closing=answer == ENTRIES
        )
        context.submit(intent, self._flatten if answer == FLAT else self._cancels.report_cancel_all)

    def _report_ended(self, plan: LivePlan) -> None:
        """Report orders that ended while the kill prompt was open; the cancel does not count them."""
        orders = self._context.mirror.orders
        ended = [order for row in plan.orders if (order := orders.get(row.key)) is not None and order.final]
        for order in ended[:MOST_NAMED]:
            self._context.say(
                f"{describe_row(order, self._context.view)}: {order.state_word} meanwhile", Level.WARN, order.key
            )

    def _flatten(self, outcome: Outcome) -> None:
        """Report the outcome of the cancel, then close all positions even if the cancel was not confirmed."""
        self._cancels.report_cancel_all(outcome)
        self._risk.close_legs(list(self._context.mirror.positions), "kill prompt, flat", kill=True)
