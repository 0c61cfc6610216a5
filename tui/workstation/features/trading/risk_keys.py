"""Handlers of keys that arm, change the risk mode or flatten; serious actions ask first, with counts."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING

import msgspec

from tui.engine.event_line import Level
from tui.engine.intents import AccountCommand, Outcome, Verdict
from tui.engine.modes import BY_YOU, Environment, RiskMode, TradingState
from tui.engine.rows import Fact
from tui.interface.decimals import ZERO
from tui.interface.families.positions import PositionRecord
from tui.interface.figures import size_of
from tui.interface.text import how_many
from tui.workstation.command_line.order_descriptions import describe_algo_row
from tui.workstation.commands.desk_context import DeskContext
from tui.workstation.features.trading import service_close
from tui.workstation.features.trading.kill_plan import (
    describe_count,
    name_closing_orders,
    read_plan,
)
from tui.workstation.model.algo_figures import describe_opening, find_orphaned_orders
from tui.workstation.model.instruments import full_name
from tui.workstation.model.position_metrics import name_leg
from tui.workstation.tickets.order import ticket_factory
from tui.workstation.tickets.order.algo_subject import explain_changed_leg, is_hedged, subject_of_leg
from tui.workstation.widgets.question import Beside, Option, Question

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tui.engine.status_rows import EngineStatusRow
    from tui.workstation.commands.availability import Blocks
    from tui.workstation.input.handlers import Handlers
    from tui.workstation.table.live_table import LiveTable

_MODE_TEXTS = {
    RiskMode.REDUCING: "only closes, cancels and smaller replaces are sent; nothing that raises exposure",
    RiskMode.HALT: "only cancels, size reductions and closing orders are sent",
}
RESUME = "resume"
"""Word that returns to the mode NORMAL."""
_TAKEN = (Verdict.ACCEPTED, Verdict.UNKNOWN)
CONFIRMED = frozenset(["DUPLICATE", "FIRST_OF_DAY", "SELF_CROSS", "STALE", "MARGIN"])
"""Guards whose questions the typed word confirms for every leg of a list."""


def _list_restrictions(status: EngineStatusRow) -> Iterator[str]:
    """List the risk mode with its reason, and which breached limits prevent NORMAL."""
    if status.risk_mode is not RiskMode.NORMAL:
        yield f"{status.risk_mode.value}: {status.risk_mode_reason}"
        if status.breach_end:
            way = f"the word sets {RiskMode.REDUCING.value} now, and {RiskMode.NORMAL.value} {status.breach_end}"
            yield f"a limit is still breached: {way}"


class RiskKeys:
    """Key handlers for arming, the risk mode and closing all positions."""

    def __init__(self, context: DeskContext) -> None:
        self._context = context

    def handlers(self) -> Handlers:
        """Return the key handlers by action id."""
        return {
            "state.arm": self.state_arm,
            "mode.choose": self.mode_choose,
            "position.flatten_all": self.position_flatten_all,
        }

    def blocks(self) -> Blocks:
        """Return the block reasons by action id."""
        return {
            "state.arm": self._arm_block,
            "mode.choose": self._mode_block,
            "position.flatten_all": lambda _: self.flatten_block(list(self._context.mirror.positions)),
        }

    def _arm_block(self, table: LiveTable | None) -> str:
        del table
        mirror = self._context.mirror
        reads_only = mirror.engine_status is None or mirror.engine_status.read_only or mirror.unreadable
        return self._context.not_armed_reason() if reads_only else ""

    def _mode_block(self, table: LiveTable | None) -> str:
        del table
        return (
            ""
            if self._context.mirror.engine_status is not None
            else "the desk is still starting: there is no risk mode yet"
        )

    def flatten_block(self, keys: list[str]) -> str:
        """Return a reason if none of these positions is still open, or an empty text."""
        return "" if self._legs(keys) else "no position is open: nothing to close"

    def _legs(self, keys: list[str]) -> list[Fact[PositionRecord]]:
        positions = self._context.mirror.positions
        return [positions[key] for key in keys if key in positions and size_of(positions[key].record)]

    # Arming

    def state_arm(self) -> None:
        """Switch between VIEW and ARMED, and from HOT to ARMED; on a live account, arming needs a confirmation."""
        context = self._context
        engine_status = context.mirror.engine_status
        if engine_status is None:
            return
        if engine_status.trading_state is TradingState.HOT:
            context.end_hot(BY_YOU)
        elif engine_status.trading_state is TradingState.ARMED:
            context.port.set_trading_state(TradingState.VIEW)
        elif engine_status.environment is Environment.LIVE:
            question = Question(
                kind="arm",
                beside=Beside.DESK,
                title=f"Arm {context.portfolio_text}",
                choices=(Option("arm", f"orders of {context.portfolio_text} are sent after preview and Enter"),),
                notes=("LIVE: real money",),
            )
            context.prompt(
                question, lambda answer: context.port.set_trading_state(TradingState.ARMED) if answer else None
            )
        else:
            context.port.set_trading_state(TradingState.ARMED)

    # Risk modes

    def mode_choose(self) -> None:
        """Ask for a risk mode; a stricter one is entered at once, NORMAL only after a typed word."""
        status = self._context.mirror.engine_status
        if status is None:
            return
        if status.risk_mode is RiskMode.HALT:
            # No mode is stricter, so there is nothing to choose from.
            self.ask_resume()
            return
        before = status.risk_mode
        self._context.prompt(self._ask_mode(before), self._set_mode, lambda: self._ask_mode(before))

    def _ask_mode(self, before: RiskMode) -> Question:
        """Build the question for a risk mode; it closes when the mode has changed since it was asked."""
        status = self._context.mirror.engine_status
        mode = status.risk_mode if status is not None else before
        why = tuple(_list_restrictions(status)) if status is not None else ()
        stricter = [other for other in RiskMode if other.is_stricter_than(before)]
        choices = [Option(other.value, f"{other.value}: {_MODE_TEXTS[other]}") for other in stricter]
        if before is not RiskMode.NORMAL:
            choices.append(Option(RiskMode.NORMAL.value, f"NORMAL: leave {before.value}", word=RESUME))
        return Question(
            kind="mode",
            beside=Beside.DESK,
            title=f"Risk mode of {self._context.portfolio_text}: {before.value}",
            choices=tuple(choices),
            notes=tuple(filter(None, (*why, self._describe_entries()))),
            ended="" if mode is before else f"the risk mode is {mode.value} now",
        )

    def _describe_entries(self) -> str:
        """Say that a risk mode cancels nothing, with the number of orders that can still open a position; empty if none."""
        plan = read_plan(self._context.mirror)
        if not plan.opening and not plan.entry_algos:
            return ""
        count = describe_count(plan.opening, plan.entry_algos)
        return f"a risk mode cancels no orders: {count} can still open a position; X cancels them"

    def _set_mode(self, answer: str | None) -> None:
        if answer is not None:
            self._context.port.set_risk_mode(RiskMode(answer))

    def ask_resume(self) -> None:
        """Ask for the word that returns to NORMAL."""
        status = self._context.mirror.engine_status
        question = Question(
            kind="resume",
            beside=Beside.DESK,
            title=f"Resume trading of {self._context.portfolio_text}",
            choices=(Option(RESUME, "positions can be opened again, within your limits"),),
            notes=tuple(_list_restrictions(status)) if status is not None else (),
            word=RESUME,
        )
        self._context.prompt(
            question, lambda answer: self._context.port.set_risk_mode(RiskMode.NORMAL) if answer else None
        )

    # Flatten

    def position_flatten_all(self) -> None:
        """Ask for the typed word `flat`, then close all positions at market, except those of pairs marked `keep`."""
        self.flatten_all(list(self._context.mirror.positions), self._context.source)

    def flatten_all(self, keys: list[str], source: str) -> None:
        """Ask for the typed word, then close positions at market, except those of pairs marked `keep`, which it names.

        Args:
            keys: Row keys of positions.
            source: Key or line that asked for it, for the journal.
        """
        legs, kept = self._legs(keys), self._context.view.kept
        left = sorted({fact.record.sym for fact in legs} & kept)
        positions = self._context.mirror.positions
        chosen = [key for key in keys if key in positions and positions[key].record.sym not in kept]
        if not self._legs(chosen):
            names = ", ".join(full_name(sym) for sym in left)
            self._context.refuse(f"every position is kept: `unkeep` ends that, ⟦position.flatten⟧ closes one ({names})")
            return
        self._flatten(chosen, "every leg", source, left)

    def flatten_marked(self, keys: list[str], source: str) -> None:
        """Ask for the typed word `flat`, then close the given positions at market; `source` is the key that asked."""
        self._flatten(keys, how_many(len(keys), "marked leg"), source)

    def _flatten(self, keys: list[str], which: str, source: str, kept: Sequence[str] = ()) -> None:
        context = self._context
        records = [fact.record for fact in self._legs(keys)]
        legs = [name_leg(record, context.view) for record in records]
        question = Question(
            kind="flatten",
            beside=Beside.DESK,
            title=f"Flatten {which} of {context.portfolio_text}",
            choices=(Option("flat", f"close {how_many(len(legs), 'leg')} at market: {', '.join(legs)}"),),
            notes=(*self._list_notes(kept), *self._list_ends(records)),
            word="flat",
        )
        context.prompt(question, lambda answer: self._flatten_legs(keys, source) if answer else None)

    def _list_notes(self, kept: Sequence[str]) -> list[str]:
        """List what closing positions leaves: what a cut link does not reach, entry orders, and pairs marked `keep`."""
        context = self._context
        by_service = context.settings.close == "service"
        notes = []
        if context.mirror.engine_status is not None and not context.mirror.link_up("private"):
            notes.append("the private stream is down: closes are tried, but positions may stay open")
        orders_stay = context.view.name_keys(
            f"orders that can open a position stay; cancel them with {context.how_to_cancel}"
        )
        notes.append(service_close.NOTE if by_service else orders_stay)
        if kept:
            notes.append(f"kept open: {', '.join(full_name(sym) for sym in kept)}")
        return notes

    def _list_ends(self, records: Sequence[PositionRecord]) -> tuple[str, ...]:
        """List which orders expire or are cancelled when these positions close, which stay, and which would open others."""
        left = find_orphaned_orders(records, self._context.mirror)
        view = self._context.view
        ends, stays = (", ".join(describe_algo_row(row, view) for row in rows) for rows in (left.expire, left.stay))
        cancelled = name_closing_orders(left.cancelled, view)
        texts = [
            f"these expire when the position is closed: {ends}" if ends else "",
            f"these are cancelled when the position is closed: {cancelled}" if cancelled else "",
            f"not cancelled, but can only close: {stays}" if stays else "",
        ]
        for record in records:
            opening = describe_opening(record, ZERO, self._context.view)
            texts.append(f"! {full_name(record.sym)}: {opening}" if opening else "")
        return tuple(filter(None, texts))

    def _flatten_legs(self, keys: list[str], source: str) -> None:
        context = self._context
        context.unmark("positions")
        if context.settings.close != "service":
            self.close_legs(keys, source)
            return
        records = [fact.record for fact in self._legs(keys)]
        for command in service_close.close_several(records, context.build_decision(source)):
            self._submit_close(command)

    def close_by_service(self, record: PositionRecord) -> None:
        """Ask for confirmation, then let the service close one position."""
        context = self._context
        command = service_close.close_one(record, context.build_decision())
        subject = subject_of_leg(record, context.mirror, hedged=is_hedged(record.sym, context.mirror))

        def build() -> Question:
            return Question(
                kind="close",
                title=f"Close one position of {context.portfolio_text}",
                choices=(Option("close", f"{command.title} {record.position_qty.lstrip('-')} at market"),),
                notes=(service_close.NOTE, *self._list_ends([record])),
                ended=explain_changed_leg(subject, context.mirror),
            )

        context.prompt(build(), lambda answer: self._submit_close(command) if answer else None, build)

    def _submit_close(self, command: AccountCommand) -> None:
        self._context.submit(command, partial(self._report_leg, command.title))

    def close_legs(self, keys: list[str], source: str, *, kill: bool = False) -> None:
        """Close positions at market, one order each; a failure is reported and does not stop the others.

        Args:
            keys: Row keys of positions.
            source: Key, line or choice that asked for it, for the journal.
            kill: Whether it comes from the kill prompt; then it is accepted in VIEW.
        """
        context = self._context
        line = repr(context.view.now) if len(keys) > 1 else ""
        for key in keys:
            fact = context.mirror.positions.get(key)
            if fact is None:
                continue
            ticket = ticket_factory.flatten(fact.record, context.view)
            if isinstance(ticket, str):
                context.say(f"{full_name(fact.record.sym)}: {ticket}", Level.WARN)
                continue
            quote = context.mirror.quotes.get(fact.record.sym)
            decision = context.build_decision(f"{source}, {key}")
            # The named list and the typed word confirm every guard that asks.
            intent = ticket.place(decision, quote, CONFIRMED, f"flatten {key}")
            context.submit(
                msgspec.structs.replace(intent, kill=kill, flattens=not kill, line=line),
                partial(self._report_leg, full_name(fact.record.sym)),
            )

    def _report_leg(self, name: str, outcome: Outcome) -> None:
        """Report why the close of a position was not accepted."""
        if outcome.verdict not in _TAKEN:
            self._context.say(f"flatten {name}: {outcome.text}", Level.ALERT, "", outcome.text)
