"""Key handlers for algo orders: open the form for a new or changed order, and cancel."""

from __future__ import annotations

from collections.abc import Mapping

from tui.engine.intents import CancelAlgo, Outcome, Verdict
from tui.engine.orders.algo_checks import VENUES
from tui.engine.rows import AlgoRow, LocalOrderState
from tui.engine.state.algo_table import algo_text, record_triggers
from tui.interface.families.algo import STOP_LOSS, TAKE_PROFIT
from tui.interface.families.orders import PositionSide, Side
from tui.interface.families.positions import PositionMode, PositionRecord
from tui.interface.symbols import try_parse
from tui.workstation.commands.availability import Blocks
from tui.workstation.commands.context import NO_ANSWER, NO_ROW, no_single_row
from tui.workstation.commands.form_openers import BuildForm, FormOpeners
from tui.workstation.commands.order_outcome import report_outcome
from tui.workstation.features.algo_orders.draft import AlgoSubject
from tui.workstation.features.algo_orders.form import AlgoForm
from tui.workstation.input.handlers import Handlers
from tui.workstation.model import number_format
from tui.workstation.model.algo_figures import describe_triggers, protecting, stops_of
from tui.workstation.model.instruments import full_name, venue_of
from tui.workstation.table.live_table import LiveTable
from tui.workstation.widgets.prompts import Option, Question

_CLOSERS = {STOP_LOSS: "stop", TAKE_PROFIT: "target"}
"""Triggers that a leg should have once, and their names."""
OTHER_SCREEN = "only on the algo orders (A)"


class AlgoKeys(FormOpeners):
    """Key handlers that open the form for a new or changed algo order, and cancel orders in the pane."""

    def openers(self) -> Mapping[str, BuildForm]:
        return {"algo.new": self._build_new, "algo.edit": self._build_change}

    def handlers(self) -> Handlers:
        return {
            **super().handlers(),
            "algo.new": self.algo_new,
            "algo.move": self.algo_move,
            "algo.cancel": self.algo_cancel,
        }

    def blocks(self) -> Blocks:
        return {**super().blocks(), "algo.move": self._move_block, "algo.cancel": self._cancel_block}

    # Selected row

    def _build_new(self, table: LiveTable | None) -> AlgoForm | str:
        subject = self._subject(table)
        return subject if isinstance(subject, str) else AlgoForm(subject, self._context)

    def _build_change(self, table: LiveTable | None) -> AlgoForm | str:
        row = self._row(table, "a change")
        if isinstance(row, str):
            return row
        return _change_block(row) or AlgoForm(self._subject_of_change(row), self._context)

    def _subject(self, table: LiveTable | None) -> AlgoSubject | str:
        """Return what a new algo order would be for, or why it is impossible."""
        reason = no_single_row(table, "an algo order")
        if reason or table is None:
            return reason or NO_ROW
        key = table.targets[0]
        sym = table.pane.sym(key)
        parts = try_parse(sym) if sym else None
        if parts is None:
            return NO_ROW
        if parts.exchange not in VENUES:
            return f"{parts.exchange} supports no algo orders; {' and '.join(VENUES)} do"
        mirror = self._context.mirror
        account = mirror.accounts.get(venue_of(sym))
        hedged = parts.is_perp and account is not None and account.record.position_mode == PositionMode.BOTH
        keys = [key] if table.pane.id == "positions" else [f"{sym}/{leg}" for leg in PositionSide]
        legs = [fact.record for position_key in keys if (fact := mirror.positions.get(position_key)) is not None]
        legs = [leg for leg in legs if number_format.value(leg.position_qty)]
        if len(legs) > 1:
            return f"{full_name(sym)} has a long and a short position: choose one in the positions (3)"
        return self._subject_of_leg(legs[0], hedged=hedged) if legs else AlgoSubject(sym=sym, hedged=hedged)

    def _subject_of_leg(self, record: PositionRecord, *, hedged: bool, edited: AlgoRow | None = None) -> AlgoSubject:
        """Return the form's subject: a new algo order for a position, or the change of one that protects it."""
        leg = PositionSide(record.position_side) if record.position_side in tuple(PositionSide) else PositionSide.NONE
        held = number_format.value(record.position_qty)
        short = leg is PositionSide.SHORT and held is not None and held > 0
        others = [row for row in stops_of(record, self._context.mirror) if edited is None or row.key != edited.key]
        triggers = (number_format.value(record_triggers(row.record)[STOP_LOSS].trigger) for row in others)
        return AlgoSubject(
            sym=record.sym,
            leg=leg,
            stops=tuple(sorted({trigger for trigger in triggers if trigger is not None})),
            held=-held if short and held is not None else held,
            entry=number_format.value(record.avg_price),
            hedged=hedged,
            edited=edited,
        )

    def _subject_of_change(self, row: AlgoRow) -> AlgoSubject:
        """Return the form's subject for a change, with the position that the order protects now."""
        record = row.record
        fact = self._context.mirror.positions.get(f"{record.sym}/{record.position_side or PositionSide.NONE}")
        if fact is None or row not in protecting(fact.record, self._context.mirror):
            return AlgoSubject(sym=record.sym, edited=row)
        return self._subject_of_leg(fact.record, hedged=False, edited=row)

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
            return "the algo order has no reply yet; try again in a moment"
        return "its cancel is already pending" if row.overlay.value.startswith("cancel") else ""

    # Form

    def algo_new(self) -> None:
        """Open the form for the pair or position of the selected row; nothing is sent yet."""
        subject = self._subject(self._context.table)
        if isinstance(subject, str):
            self._context.refuse(subject)
            return
        movable = self._list_movable(subject)
        if movable:
            self._ask_to_move(subject, movable)
        else:
            self._open_form(subject)

    def _list_movable(self, subject: AlgoSubject) -> list[AlgoRow]:
        """List the stops and targets of the position that can be changed now."""
        fact = self._context.mirror.positions.get(f"{subject.sym}/{subject.leg}")
        if fact is None:
            return []
        rows = protecting(fact.record, self._context.mirror)
        return [row for row in rows if record_triggers(row.record).keys() & _CLOSERS and not _change_block(row)]

    def _move_block(self, table: LiveTable | None) -> str:
        subject = self._subject(table)
        if not isinstance(subject, str) and not self._list_movable(subject):
            return (
                f"{full_name(subject.sym)} has no stop or target to move: p sets one, orders are changed in Orders (2)"
            )
        return self._why_not(self._build_new, table)

    def algo_move(self) -> None:
        """Open the form for the position's stop or target; if it has several, ask which one."""
        subject = self._subject(self._context.table)
        rows = [] if isinstance(subject, str) else self._list_movable(subject)
        if len(rows) == 1:
            self._open_form(self._subject_of_change(rows[0]))
        else:
            self.algo_new()

    def _ask_to_move(self, subject: AlgoSubject, rows: list[AlgoRow]) -> None:
        """Ask which stop or target to move; the last choice adds another order."""
        view = self._context.view
        moves = {f"move {row.key}": row for row in rows}
        number = {name: sum(name in record_triggers(row.record) for row in rows) for name in _CLOSERS}
        has = " and ".join(
            f"a {word}" if number[name] == 1 else f"{number[name]} {word}s"
            for name, word in _CLOSERS.items()
            if number[name]
        )
        adds = " or ".join(f"{'another' if number[name] else 'a'} {word}" for name, word in _CLOSERS.items())
        question = Question(
            kind="stop",
            title=f"{full_name(subject.sym)} has {has}",
            choices=(
                *(Option(name, f"move {describe_triggers(row, view)} (form)") for name, row in moves.items()),
                Option("add", f"add {adds} beside {'it' if len(rows) == 1 else 'them'} (form)"),
            ),
        )

        def open_chosen(choice: str | None) -> None:
            if choice == "add":
                self._open_form(subject)
            elif choice is not None:
                self._open_form(self._subject_of_change(moves[choice]))

        self._context.prompt(question, open_chosen)

    def _open_form(self, subject: AlgoSubject) -> None:
        self._forms.open(AlgoForm(subject, self._context))

    # Cancel

    def algo_cancel(self) -> None:
        """Cancel the selected algo order at once."""
        context = self._context
        row = self._row(context.table, "a cancel")
        if isinstance(row, str):
            context.refuse(row)
        elif not context.refuse_after_cursor_move(algo_text(row.record, context.mirror.tick_of(row.record.sym))):
            cancel = CancelAlgo(decision=context.build_decision(), key=row.key)
            context.submit(cancel, self._report_cancel)

    def _report_cancel(self, outcome: Outcome | None) -> None:
        report_outcome(self._context, outcome or Outcome(verdict=Verdict.UNKNOWN, text=NO_ANSWER))


def _change_block(row: AlgoRow) -> str:
    """Return why an algo order cannot be changed, or an empty text."""
    if row.record.side not in tuple(Side):
        return f"side {row.record.side[:20]!r} of the algo order is unknown to this program; it can only be cancelled"
    if row.state not in ("NEW", "PENDING_NEW"):
        return f"the algo order is {row.state}; only a waiting one can be changed"
    return f"a command for it is pending: {row.overlay.value}" if row.overlay.value else ""
