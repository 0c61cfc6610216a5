"""Handlers of keys on algo orders: the form of a new one or of a change, and cancels."""

from __future__ import annotations

from functools import partial

import msgspec

from tui.engine.intents import GUARD_JOINT, CancelAlgo, Outcome, PlaceAlgo, ReplaceAlgo, Verdict
from tui.engine.orders.algo_checks import VENUES
from tui.engine.rows import AlgoRow
from tui.engine.state.algo_table import algo_text
from tui.interface.families.orders import PositionSide, Side
from tui.interface.families.positions import PositionMode
from tui.interface.symbols import try_parse
from tui.workstation.availability import TOO_SMALL, Blocks
from tui.workstation.context import NO_ANSWER, NO_ROW, Context, no_single_row
from tui.workstation.input.handlers import Handlers
from tui.workstation.model import number_format
from tui.workstation.model.instruments import full_name, venue_of
from tui.workstation.order_outcome import refusal_text, report_outcome
from tui.workstation.screens.algo_form import AlgoForm, AlgoScreen
from tui.workstation.screens.prompts import Option, Question
from tui.workstation.table.live_table import LiveTable
from tui.workstation.tickets.algo_draft import AlgoSubject, Part, form_view, new_draft

OTHER_SCREEN = "only on the algo orders (A)"


class AlgoKeys:
    """Open, type, send; change and cancel on the list."""

    def __init__(self, context: Context) -> None:
        self._context = context

    def handlers(self) -> Handlers:
        """Handlers by action id."""
        return {
            "algo.new": self.algo_new,
            "algo.edit": self.algo_edit,
            "algo.cancel": self.algo_cancel,
            "algo.take": self.algo_take,
            "algo.next": partial(self._move, 1),
            "algo.back": partial(self._move, -1),
            "algo.turn": partial(self._turn, 1),
            "algo.turn_back": partial(self._turn, -1),
            "algo.erase": self.algo_erase,
            "algo.clear": self.algo_clear,
            "algo.close": self.algo_close,
        }

    def blocks(self) -> Blocks:
        """Why an action cannot be done, by action id."""
        return {"algo.new": self._new_block, "algo.edit": self._edit_block, "algo.cancel": self._cancel_block}

    # The row under the cursor

    def _new_block(self, table: LiveTable | None) -> str:
        subject = self._subject(table)
        if isinstance(subject, str):
            return subject
        return TOO_SMALL if self._context.list_screen.plan.tiny else ""

    def _subject(self, table: LiveTable | None) -> AlgoSubject | str:
        """What a new order would be about, or why there is none."""
        reason = no_single_row(table, "an algo order")
        if reason or table is None:
            return reason or NO_ROW
        key = table.targets[0]
        sym = table.pane.sym(key)
        parts = try_parse(sym) if sym else None
        if parts is None:
            return NO_ROW
        if parts.exchange not in VENUES:
            return f"{parts.exchange} takes no algo orders; {' and '.join(VENUES)} do"
        mirror = self._context.mirror
        account = mirror.accounts.get(venue_of(sym))
        hedged = parts.is_perp and account is not None and account.record.position_mode == PositionMode.BOTH
        keys = [key] if table.pane.id == "positions" else [f"{sym}/{leg}" for leg in PositionSide]
        legs = [fact.record for one in keys if (fact := mirror.positions.get(one)) is not None]
        legs = [leg for leg in legs if number_format.value(leg.position_qty)]
        if len(legs) > 1:
            return f"{full_name(sym)} has two legs: choose one in the positions (3)"
        if not legs:
            return AlgoSubject(sym=sym, hedged=hedged)
        [record] = legs
        leg = PositionSide(record.position_side) if record.position_side in tuple(PositionSide) else PositionSide.NONE
        held = number_format.value(record.position_qty)
        short = leg is PositionSide.SHORT and held is not None and held > 0
        return AlgoSubject(
            sym=sym, leg=leg, held=-held if short and held is not None else held,
            entry=number_format.value(record.avg_price), hedged=hedged,
        )  # fmt: skip

    def _row(self, table: LiveTable | None, verb: str) -> AlgoRow | str:
        """The algo order that is meant, or why there is none."""
        if table is None or table.pane.id != "algos":
            return OTHER_SCREEN
        reason = no_single_row(table, verb)
        row = self._context.mirror.algos.get(table.targets[0]) if not reason else None
        return row or reason or NO_ROW

    def _edit_block(self, table: LiveTable | None) -> str:
        row = self._row(table, "a change")
        if isinstance(row, str):
            return row
        if row.record.side not in tuple(Side):
            return f"side {row.record.side[:20]!r} of the algo order is not known here; it can be cancelled"
        if row.state not in ("NEW", "PENDING_NEW"):
            return f"the algo order is {row.state}; only one that waits can be changed"
        return f"a command about it is under way: {row.overlay.value}" if row.overlay.value else ""

    def _cancel_block(self, table: LiveTable | None) -> str:
        row = self._row(table, "a cancel")
        if isinstance(row, str):
            return row
        if not row.seen:
            return f"it is {row.state}: it is being asked about; C cancels what arrives"
        return "a cancel of it is under way already" if row.overlay.value.startswith("cancel") else ""

    # The form

    @property
    def _form(self) -> AlgoScreen | None:
        return self._context.modal(AlgoScreen)

    def algo_new(self) -> None:
        """The form for the pair or the leg of the row; it sends nothing by itself."""
        subject = self._subject(self._context.table)
        if isinstance(subject, str):
            self._context.refuse(subject)
        else:
            self._open(subject)

    def algo_edit(self) -> None:
        """The form of the order under the cursor."""
        row = self._row(self._context.table, "a change")
        if isinstance(row, str):
            self._context.refuse(row)
            return
        self._open(AlgoSubject(sym=row.record.sym, edited=row))

    def _open(self, subject: AlgoSubject) -> None:
        context, screen = self._context, self._context.list_screen
        source = f"key {context.key}"
        body = AlgoForm(
            subject,
            new_draft(subject),
            lambda draft: form_view(subject, draft, context.view, context.decision(source), context.not_armed_reason()),
            screen.palette,
        )
        context.open_modal(AlgoScreen(body, screen.plan.status.height))

    def _move(self, by: int) -> None:
        if (screen := self._form) is not None:
            screen.body.move(by)

    def _turn(self, by: int) -> None:
        if (screen := self._form) is not None:
            screen.body.turn(by)

    def algo_erase(self) -> None:
        if (screen := self._form) is not None:
            screen.body.put(screen.body.typed[:-1])

    def algo_clear(self) -> None:
        if (screen := self._form) is not None:
            screen.body.put("")

    def algo_close(self) -> None:
        if (screen := self._form) is not None:
            screen.dismiss(None)

    def algo_take(self) -> None:
        """In a field: check it and go on. On the last line: send."""
        screen = self._form
        if screen is None:
            return
        body = screen.body
        if body.sending:
            body.say("it has been sent; wait for the answer, or look at the algo orders (A)")
            return
        found = body.look()
        if body.part is not Part.SEND:
            if found.wrong is body.part:
                body.say(found.notes[body.part])
            else:
                body.move(1)
        elif found.intent is None:
            body.say(found.refusal)
            if found.wrong is not None:
                body.go_to(found.wrong)
        else:
            self._send(screen, found.intent)

    def _send(self, screen: AlgoScreen, intent: PlaceAlgo | ReplaceAlgo) -> None:
        screen.body.sending = True
        screen.body.say("sending…")
        self._context.submit(intent, partial(self._answered, screen, intent))

    def _answered(self, screen: AlgoScreen, intent: PlaceAlgo | ReplaceAlgo, outcome: Outcome | None) -> None:
        """The answer stands below the fields; the form closes once it was accepted."""
        found = outcome or Outcome(verdict=Verdict.UNKNOWN, text=NO_ANSWER)
        screen.body.sending = False
        if not screen.is_attached:
            report_outcome(self._context, found)
        elif found.verdict is Verdict.ASK:
            screen.body.say(f"asks: {found.text}")
            self._ask(screen, intent, found)
        elif found.verdict is Verdict.UNKNOWN:
            screen.body.say(f"UNKNOWN: {found.text or 'being asked about'}; it stands in the algo orders (A)")
        elif found.verdict is not Verdict.ACCEPTED:
            screen.body.say(refusal_text(found))
        elif self._form is screen:
            screen.dismiss(None)
        else:
            screen.body.say("accepted")

    def _ask(self, screen: AlgoScreen, intent: PlaceAlgo | ReplaceAlgo, outcome: Outcome) -> None:
        question = Question(
            kind="algo",
            title=f"Send it all the same, {self._context.portfolio_words}",
            choices=(Option("send", outcome.text),),
        )
        confirmed = intent.confirmed | frozenset(outcome.guard.split(GUARD_JOINT))
        again = msgspec.structs.replace(intent, confirmed=confirmed)
        self._context.prompt(question, lambda answer: self._send(screen, again) if answer else None)

    # Cancel

    def algo_cancel(self) -> None:
        """One order, at once: the next look at the list shows it."""
        context = self._context
        row = self._row(context.table, "a cancel")
        if isinstance(row, str):
            context.refuse(row)
        elif not context.cursor_moved(algo_text(row.record, context.mirror.tick_of(row.record.sym))):
            cancel = CancelAlgo(decision=context.decision(f"key {context.key}"), key=row.key)
            context.submit(cancel, self._cancelled)

    def _cancelled(self, outcome: Outcome | None) -> None:
        report_outcome(self._context, outcome or Outcome(verdict=Verdict.UNKNOWN, text=NO_ANSWER))
