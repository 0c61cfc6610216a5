"""Key handlers for algo orders: open the form for a new or changed order, and cancel."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial

from tui.engine.intents import CancelAlgo
from tui.engine.orders.algo_checks import why_no_algos
from tui.engine.rows import AlgoRow, LocalOrderState
from tui.engine.state.algo_table import algo_text, record_triggers
from tui.interface.families.orders import PositionSide
from tui.interface.symbols import try_parse
from tui.workstation.commands.availability import Blocks, no_room
from tui.workstation.commands.context import NO_ROW, no_single_row, why_no_pair
from tui.workstation.commands.form_openers import BuildForm, FormOpeners
from tui.workstation.commands.order_outcome import report_outcome
from tui.workstation.features.algo_orders.form import AlgoForm
from tui.workstation.input.handlers import Handlers
from tui.workstation.model import number_format
from tui.workstation.model.algo_figures import describe_triggers
from tui.workstation.model.instruments import full_name
from tui.workstation.table.live_table import LiveTable
from tui.workstation.tickets.order.algo_draft import AlgoSubject
from tui.workstation.tickets.order.algo_subject import (
    CLOSERS,
    is_hedged,
    list_movable,
    subject_of_change,
    subject_of_leg,
    why_unchangeable,
)
from tui.workstation.widgets.question import Option, Question

OTHER_SCREEN = "only on the algo orders (⟦screen.algos⟧)"


class AlgoKeys(FormOpeners):
    """Key handlers that open the form for a new or changed algo order, and cancel orders in the pane."""

    def openers(self) -> Mapping[str, BuildForm]:
        return {"algo.new": self._build_new, "algo.edit": self._build_change}

    def handlers(self) -> Handlers:
        return {
            **super().handlers(),
            "algo.new": self.open_new,
            "algo.move": self.open_change,
            "algo.cancel": self.cancel_selected,
        }

    def blocks(self) -> Blocks:
        # The line of keys asks for this one with each drawing, for which no form is built.
        blocks: Blocks = {**super().blocks(), "algo.new": self._new_block}
        return {**blocks, "algo.move": self._move_block, "algo.cancel": self._cancel_block}

    # Selected row

    def _build_new(self, table: LiveTable | None) -> AlgoForm | str:
        subject = self._subject_of_new(table)
        return subject if isinstance(subject, str) else AlgoForm(subject, self._context)

    def _new_block(self, table: LiveTable | None) -> str:
        subject = self._subject_of_new(table)
        return subject if isinstance(subject, str) else no_room(self._context)

    def _subject_of_new(self, table: LiveTable | None) -> AlgoSubject | str:
        """Return what a new algo order would be for, or why there can be none."""
        subject = self._subject(table)
        refused = "" if isinstance(subject, str) or self._list_movable(subject) else _why_no_new(subject)
        return refused or subject

    def _build_change(self, table: LiveTable | None) -> AlgoForm | str:
        row = self._row(table, "a change")
        if isinstance(row, str):
            return row
        return why_unchangeable(row) or AlgoForm(subject_of_change(row, self._context.mirror), self._context)

    def _subject(self, table: LiveTable | None) -> AlgoSubject | str:
        """Return the position or pair that a new algo order would be for, or the reason why there is none."""
        reason = no_single_row(table, "an algo order")
        if reason or table is None:
            return reason or NO_ROW
        key = table.targets[0]
        sym = table.pane.sym(key)
        parts = try_parse(sym) if sym else None
        if parts is None:
            return why_no_pair(table)
        mirror = self._context.mirror
        hedged = is_hedged(sym, mirror)
        keys = [key] if table.pane.id == "positions" else [f"{sym}/{leg}" for leg in PositionSide]
        legs = [fact.record for position_key in keys if (fact := mirror.positions.get(position_key)) is not None]
        legs = [leg for leg in legs if number_format.value(leg.position_qty)]
        if len(legs) > 1:
            return f"{full_name(sym)} is long and short: choose a leg in the positions (⟦pane.3⟧)"
        return subject_of_leg(legs[0], mirror, hedged=hedged) if legs else AlgoSubject(sym=sym, hedged=hedged)

    def _row(self, table: LiveTable | None, verb: str) -> AlgoRow | str:
        """Return the selected algo order, or why there is none."""
        if table is None or table.pane.id != "algos":
            return OTHER_SCREEN
        reason = no_single_row(table, verb)
        row = self._context.mirror.algos.get(table.targets[0]) if not reason else None
        return row or reason or NO_ROW

    def _cancel_block(self, table: LiveTable | None) -> str:
        row = self._row(table, "a cancel")
        if isinstance(row, str):
            return row
        if row.state == LocalOrderState.SENDING:
            waited = number_format.age(self._context.view.now - row.since)
            return f"the algo order has no reply yet, {waited} after its sending; press it again once it has"
        return "a cancel of this algo order is already pending" if row.overlay.value.startswith("cancel") else ""

    # Form

    def open_new(self) -> None:
        """Open the form for a new algo order; if the position already has stops or targets, first ask to move one."""
        self._open_new_or_ask(moves=False)

    def _open_new_or_ask(self, *, moves: bool) -> None:
        """Open the form for a new algo order, or ask which stop or target to move; with `moves`, moving is offered first."""
        subject = self._subject(self._context.table)
        if isinstance(subject, str):
            self._context.refuse(subject)
            return
        movable, refused = self._list_movable(subject), _why_no_new(subject)
        if movable:
            self._ask_to_move(subject, movable, adds=not refused, moves=moves)
        elif refused:
            self._context.refuse(refused)
        else:
            self._open_form(subject)

    def _list_movable(self, subject: AlgoSubject) -> list[AlgoRow]:
        """List the stops and targets of the position that can be moved now."""
        fact = self._context.mirror.positions.get(f"{subject.sym}/{subject.leg}")
        return [] if fact is None else list_movable(fact.record, self._context.mirror)

    def _move_block(self, table: LiveTable | None) -> str:
        subject = self._subject(table)
        if isinstance(subject, str):
            return subject
        if self._list_movable(subject):
            return ""
        sets = "" if _why_no_new(subject) else "⟦algo.new⟧ sets one; "
        return f"{full_name(subject.sym)} has no stop or target: {sets}⟦pane.2⟧ shows the orders"

    def open_change(self) -> None:
        """Open the form for the position's stop or target; if it has several, ask which one."""
        subject = self._subject(self._context.table)
        rows = [] if isinstance(subject, str) else self._list_movable(subject)
        if len(rows) == 1:
            self._open_form(subject_of_change(rows[0], self._context.mirror))
        else:
            self._open_new_or_ask(moves=True)

    def _ask_to_move(self, subject: AlgoSubject, rows: list[AlgoRow], *, adds: bool, moves: bool) -> None:
        """Ask which stop or target to move; with `adds`, adding another order is a choice too.

        It is the first where a kind is missing: a new order for a position with a stop alone is its target.
        """
        view = self._context.view
        by_choice = {f"move {row.key}": row for row in rows}
        number = {name: sum(name in record_triggers(row.record) for row in rows) for name in CLOSERS}
        has = " and ".join(
            f"a {word}" if number[name] == 1 else f"{number[name]} {word}s"
            for name, word in CLOSERS.items()
            if number[name]
        )
        missing = [f"a {word}" for name, word in CLOSERS.items() if not number[name]]
        others = " or ".join([*missing, *(f"another {word}" for name, word in CLOSERS.items() if number[name])])
        adding = [Option("add", f"add {others} beside {'it' if len(rows) == 1 else 'them'} (form)")] if adds else []
        moving = [Option(name, f"move {describe_triggers(row, view)} (form)") for name, row in by_choice.items()]
        question = Question(
            kind="stop",
            opens="form",
            title=f"{full_name(subject.sym)} has {has}",
            choices=tuple([*adding, *moving] if missing and not moves else [*moving, *adding]),
        )

        def open_chosen(choice: str | None) -> None:
            if choice == "add":
                self._open_form(subject)
            elif choice is not None:
                self._open_form(subject_of_change(by_choice[choice], self._context.mirror))

        self._context.prompt(question, open_chosen)

    def _open_form(self, subject: AlgoSubject) -> None:
        self._forms.open(AlgoForm(subject, self._context))

    # Cancel

    def cancel_selected(self) -> None:
        """Cancel the selected algo order at once."""
        context = self._context
        row = self._row(context.table, "a cancel")
        if isinstance(row, str):
            context.refuse(row)
        elif not context.refuse_after_cursor_move(algo_text(row.record, context.mirror.tick_of(row.record.sym))):
            cancel = CancelAlgo(decision=context.build_decision(), key=row.key)
            context.submit(cancel, partial(report_outcome, context))


def _why_no_new(subject: AlgoSubject) -> str:
    """Return why the venue takes no new algo order; empty if it does."""
    reason = why_no_algos(parts.exchange) if (parts := try_parse(subject.sym)) is not None else ""
    other = "; ⟦alert.new⟧ alert, ⟦position.exit⟧ exit" if subject.held else "; ⟦alert.new⟧ sets an alert"
    return reason + other if reason else ""
