"""Handlers of keys that quit: what stays live at the venue is named first, and can be cancelled before."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from tui.engine.event_line import Level
from tui.engine.intents import CancelAll, Outcome, Verdict
from tui.workstation.commands.desk_context import DeskContext
from tui.workstation.features.trading.cancel_orders import OrderCancels
from tui.workstation.features.trading.kill_plan import (
    MOST_NAMED,
    LivePlan,
    count_cancelled_and_kept,
    describe_count,
    describe_debts,
    describe_effect,
    describe_entries,
    describe_protection,
    read_plan,
)
from tui.workstation.widgets.question import Beside, Option, Question, order_count_text

if TYPE_CHECKING:
    from tui.workstation.commands.availability import Blocks
    from tui.workstation.input.handlers import Handlers

NOT_QUIT = "not quit: the cancel was not confirmed"
DESK_ROLE = "desk"
"""Role of another window on the same engine."""
FEW_LEGS = 2
"""Most positions that the question names where it has no room for all its lines."""
TOLD_S = 1.0
"""Longest time for which a question waits until the kill before it is known here, s."""


class QuitKeys:
    """Key handlers for quitting."""

    def __init__(self, context: DeskContext, cancels: OrderCancels) -> None:
        self._context = context
        self._cancels = cancels

    def handlers(self) -> Handlers:
        """Return the key handlers by action id."""
        return {"quit.ask": self.quit_ask, "quit.how": self.explain_quit, "quit.suspend": self.explain_suspend}

    def blocks(self) -> Blocks:
        """Return no block reasons: quitting is always possible."""
        return {}

    def quit_ask(self) -> None:
        """Ask before quitting if orders, positions or loans stay, naming them; else quit at once."""
        plan = read_plan(self._context.mirror, quits=True)
        if plan.is_empty:
            self._context.leave()
        else:
            self._context.prompt(self._quit_question(), self._handle_quit_answer, self._quit_question)

    def _quit_question(self, failed: str = "") -> Question:
        """Build the question about quitting; `failed` says why a cancel was not confirmed: then quitting comes first."""
        context = self._context
        plan = read_plan(context.mirror, quits=True)
        count, live = plan.live_count, describe_count(plan.orders, plan.algos)
        stays = f"; {live} {'stays' if count == 1 else 'stay'} live at the venue" if count else ""
        choices = [Option("keep", f"quit{' all the same' if failed else ''}{stays}")]
        if plan.entries or plan.entry_algos:
            cancelled = f"{describe_entries(plan, context.view)}{describe_effect(plan, context.view)}"
            text, brief = (
                f"cancel entries of {context.portfolio_text}: {what}; then {self._name_halt()}, and quit"
                for what in (cancelled, count_cancelled_and_kept(plan))
            )
            choices.append(Option("cancel", text, brief=brief))
        policy = context.settings.cancel_all_on_quit
        if policy == "always" and not (failed or context.view.why_read_only):
            choices.reverse()
        why_not = context.view.why_read_only
        offered = choices[:1] if policy == "never" or why_not else choices
        return Question(
            kind="quit",
            beside=Beside.DESK,
            only_cancels=True,
            yes="quits",
            title=NOT_QUIT if failed else "Quit",
            choices=tuple(offered),
            notes=(
                *([failed] if failed else []),
                *([f"nothing is cancelled: {why_not}"] if why_not and len(choices) > 1 else []),
                *(self._cancels.list_reach_notes() if len(offered) > 1 else ()),
                *self._list_facts(plan, MOST_NAMED),
                *(["orders that are not cancelled stay live at the venue, after a crash as well"] if count else []),
            ),
            # What stays open goes before why: the event has that too.
            brief_notes=(
                *self._list_facts(plan, FEW_LEGS),
                *([failed] if failed else []),
                *(self._cancels.list_reach_notes(brief=True) if len(offered) > 1 else ()),
            ),
        )

    def _name_halt(self) -> str:
        """Name the risk mode that a cancel leads to, for all windows where others are attached to the engine."""
        status = self._context.mirror.engine_status
        is_shared = status is not None and any(peer.role == DESK_ROLE for peer in status.peers)
        return "HALT for all windows" if is_shared else "HALT"

    def _list_facts(self, plan: LivePlan, most: int) -> list[str]:
        """Name the positions that stay open with their stops and targets, the borrowed coins, and mandates that end."""
        notes = []
        if plan.legs:
            legs = describe_protection(plan.legs, self._context.mirror, self._context.view, most)
            notes.append(f"stays open: {legs}")
        if debts := describe_debts(plan.owed, self._context.view, most):
            notes.append(f"stays borrowed: {debts}")
        if taken := plan.taken_back:
            peers = ", ".join(dict.fromkeys(order.peer for order in taken))
            notes.append(f"ends the mandate of {peers} and cancels {order_count_text(taken)}")
        return notes

    def _handle_quit_answer(self, answer: str | None) -> None:
        if answer is None:
            return
        if answer == "keep":
            self._context.leave()
            return
        context = self._context
        cancel = CancelAll(
            decision=context.build_decision("quit"), kill=True, spare_closing=True, reason="quit with cancel"
        )
        context.submit(cancel, partial(self._leave_if_confirmed, context.kills))

    def _leave_if_confirmed(self, kills: int, outcome: Outcome) -> None:
        """Quit if the cancel was confirmed; else report it and ask again.

        Args:
            kills: Kills that were known when the cancel was sent.
            outcome: What became of it.
        """
        context = self._context
        if outcome.verdict is Verdict.ACCEPTED:
            context.leave()
            return
        self._cancels.report_cancel_all(outcome)
        context.say(NOT_QUIT, Level.ALERT)
        until = context.clock.mono() + TOLD_S

        def follow() -> None:
            if context.kills > kills or context.clock.mono() >= until:
                context.followers.remove(follow)
                self._ask_again(outcome.text)

        context.followers.append(follow)
        follow()

    def _ask_again(self, failed: str) -> None:
        question = partial(self._quit_question, failed)
        self._context.prompt(question(), self._handle_quit_answer, question, by_key=False)

    def explain_quit(self) -> None:
        self._context.say("Ctrl+Q quits")

    def explain_suspend(self) -> None:
        self._context.say("⟦quit.suspend⟧ does not suspend: orders would be unwatched; Ctrl+Q quits", Level.WARN)
