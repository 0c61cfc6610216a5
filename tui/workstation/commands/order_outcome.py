"""Event lines about the outcome of orders that were sent by key."""

from __future__ import annotations

from tui.engine.event_line import Level
from tui.engine.intents import Outcome, Verdict
from tui.engine.state.algo_table import algo_text
from tui.engine.state.order_texts import order_text
from tui.engine.symbol_rules import CHANGED_RULES, RULES_WORD
from tui.workstation.commands.desk_context import DeskContext
from tui.workstation.model.mirror import Mirror


def refusal_text(outcome: Outcome) -> str:
    """Describe why an order was denied by the engine or rejected by the venue, with the check or error code."""
    is_named = not outcome.code or outcome.text.startswith(str(outcome.code))
    code = "" if is_named else f" ({outcome.code})"
    word = "denied" if outcome.verdict is Verdict.DENIED else "rejected"
    guard = f" {outcome.guard}" if outcome.guard else ""
    return f"{word}{guard}{code}: {outcome.text}"


def report_outcome(context: DeskContext, outcome: Outcome) -> None:
    """Add an event line for a refused, unknown or not confirmed outcome; an acceptance adds none."""
    if outcome.verdict is Verdict.ASK:
        context.say(f"not sent, confirmation needed: {outcome.text}", Level.WARN)
    elif outcome.verdict in (Verdict.DENIED, Verdict.REJECTED):
        context.say(refusal_text(outcome), Level.WARN, outcome.key, outcome.text)
        if outcome.guard == CHANGED_RULES:
            _ask_for_rules(context)
    elif outcome.verdict is Verdict.UNKNOWN:
        why = outcome.text or "being queried"
        row = context.mirror.orders.get(outcome.key)
        if row is not None and row.final:
            # The order has ended meanwhile and its row shows how: the outcome is no longer unknown.
            return
        which = _name_subject(context.mirror, outcome.key)
        text = f"{which}: outcome unknown: {why}" if which else f"outcome unknown: {why}"
        # Without a row nothing would ever settle the line.
        context.say(text, Level.ALERT, outcome.key, why, unsure=bool(which))


def _name_subject(mirror: Mirror, key: str) -> str:
    """Name the order, algo order or account command with a row key; empty if there is no such row."""
    if (order := mirror.orders.get(key)) is not None:
        return order_text(order)
    if (algo := mirror.algos.get(key)) is not None:
        return algo_text(algo.record, mirror.tick_of(algo.record.sym))
    command = mirror.commands.get(key)
    return command.title if command is not None else ""


def _ask_for_rules(context: DeskContext) -> None:
    """Ask the trader to accept changed symbol rules; the answer does not resend the refused order."""
    from tui.workstation.widgets.question import Option, Question

    status = context.mirror.engine_status
    changes = dict(status.changed_rules) if status is not None else {}
    if not changes:
        return
    question = Question(
        kind="rules",
        title="The service changed the rules of a pair",
        choices=(Option("rules", f"accept the new rules and trade by them: {'; '.join(changes.values())}"),),
        notes=(
            "sizes, limits and margin were computed with the old rules; no order was cancelled: check your orders there",
            "cancels and closes work without an answer, too; the answer sends nothing, the journal records it",
        ),
        word=RULES_WORD,
    )
    context.prompt(question, lambda answer: context.port.acknowledge_rules(changes) if answer else None, by_key=False)
