"""Outlook of a parsed line: the ticket or the sentence that says what it would do now, and how it is carried out."""

from __future__ import annotations

import msgspec

from tui.engine import intents
from tui.engine.modes import MOST_HOT_S, RiskMode, TradingState
from tui.engine.rows import OrderRow
from tui.interface.decimals import format_grouped, optional
from tui.interface.families.positions import PositionRecord
from tui.interface.text import how_many
from tui.workstation.command_line import order_plan
from tui.workstation.command_line.canonical import write_command, write_line
from tui.workstation.command_line.levels import list_positions
from tui.workstation.command_line.limit_change import change_limit
from tui.workstation.command_line.parser import parse
from tui.workstation.command_line.program_answers import describe_answer
from tui.workstation.command_line.protection_plan import (
    AlgoCommand,
    PlannedAlgo,
    plan_break_even,
    plan_move,
    plan_stops,
)
from tui.workstation.command_line.refusals import Code, LineRefused
from tui.workstation.command_line.scene import Scene
from tui.workstation.command_line.syntax import (
    Alert,
    AlertChange,
    Answer,
    AnswerWord,
    BreakEven,
    Cancel,
    Change,
    Close,
    Command,
    Cost,
    Export,
    Keep,
    Leg,
    Line,
    MoveTrigger,
    Nudge,
    OneOrder,
    Order,
    Orphans,
    Protect,
    Quit,
    Reverse,
    Scale,
    Scope,
    SetAlias,
    SetLimit,
    SetState,
    Show,
    Use,
    Why,
)
from tui.workstation.model.algo_figures import why_unknown
from tui.workstation.model.display_context import DisplayContext
from tui.workstation.model.instruments import full_name
from tui.workstation.model.position_metrics import leg_of, name_leg, size_of
from tui.workstation.render.pieces import join_pieces
from tui.workstation.tickets.order.position import name_position
from tui.workstation.tickets.order.proposal import ShownProposal, write_proposal
from tui.workstation.tickets.order.ticket import Ticket
from tui.workstation.tickets.preview.position import describe_left

MODES = {"halt": RiskMode.HALT, "reduce": RiskMode.REDUCING}
SEVERAL_LEGS = ("all", "longs", "shorts")
"""Words for positions of several pairs."""
HOT_S = 60.0
"""Time of HOT where a line names none, s."""
ELSEWHERE = {
    "journal": "the shell command crossdesk journal export writes the journal",
    "pnl": "the history (H) has the closed positions, and d there exports them",
}
"""Where an export is made that the line does not make."""
NO_ROW = "no order is under the cursor"
NO_LAST = (
    "none of your orders is working: last is the newest that works while the line is typed, none that the line itself "
    "would place"
)
WORKS_ON = "this program does not yet work orders over time by itself; nothing is sent"
NOT_HERE = {
    "trail": "the service has no trailing stop; sl move changes the stop",
    "set": "settings are read at the start, from config.toml; the command limit changes a limit",
}
"""Why a word that is known is not carried out, where it is not that its orders work on by themselves."""


class Cursor(msgspec.Struct, frozen=True):
    """Rows that a command line can mean without naming them, such as the order under the cursor."""

    sym: str = ""
    order: str = ""
    """Row key of the order under the cursor."""
    position: str = ""
    """Row key of the position under the cursor."""
    last: str = ""
    """Row key of the newest own working order."""
    newest: str = ""
    """Row key of the newest own order, one that has ended included."""
    marked: tuple[str, ...] = ()
    """Row keys of the marked orders that work."""


class Outlook(msgspec.Struct, frozen=True, kw_only=True):
    """Effect that a command would have if it were sent now."""

    command: Command
    tickets: tuple[Ticket, ...] = ()
    """Orders it would send; one is shown as the ticket of the desk."""
    effects: tuple[str, ...] = ()
    """What each of the orders does to a position, where its side and size do not say it."""
    algos: tuple[PlannedAlgo, ...] = ()
    """Stops and targets it would set or move."""
    text: str = ""
    """Description of what the command would do."""
    note: str = ""
    """What else happens, such as a stop that expires with its position."""
    left: str = ""
    """Positions that stay without protection although the line is about them; the last message names them too."""
    dry: bool = False
    keys: tuple[str, ...] = ()
    """Row keys of the orders or positions that it is about."""
    named: tuple[str, ...] = ()
    """What happens to each of several orders that are cancelled."""
    executed: tuple[str, ...] = ()
    """What was filled of each order that is cancelled."""
    beside: bool = False
    """Whether it begins without the evidence of the command before (`&`)."""


class LineOutlook(msgspec.Struct, frozen=True, kw_only=True):
    """Effect that a whole command line would have if it were sent now."""

    canonical: str
    steps: tuple[Outlook, ...]

    @property
    def ticket(self) -> Ticket | None:
        """Order to show in the order ticket: that of a line with exactly one order; None for `rev`, which is asked about."""
        tickets = self.steps[0].tickets
        asks = isinstance(self.steps[0].command, Reverse) and not self.dry
        if not len(self.steps) == len(tickets) == 1 or asks:
            return None
        return msgspec.structs.replace(tickets[0], dry=self.dry)

    @property
    def text(self) -> str:
        """Description of what the line would do, joined as it was typed."""
        first, *others = self.steps
        return first.text + "".join(f"{' & ' if step.beside else ' ; '}{step.text}" for step in others)

    @property
    def dry(self) -> bool:
        """Whether the line only shows its effect, so that none of its commands is sent."""
        return all(step.dry for step in self.steps)


def look_ahead(line: Line, view: DisplayContext, cursor: Cursor) -> LineOutlook:
    """Work out what a parsed command line would do if it were sent now, without sending anything.

    Raises:
        LineRefused: It cannot be carried out.
    """
    status = view.mirror.engine_status
    names = (status.portfolio_name, status.portfolio) if status is not None else ()
    if line.portfolio and line.portfolio not in names:
        text = f"this desk trades portfolio {' / '.join(name for name in names if name)}, not {line.portfolio}"
        raise LineRefused(Code.OTHER_PORTFOLIO, text)
    steps = []
    for number, step in enumerate(line.steps, 1):
        try:
            outlook = _look(step.command, view, cursor)
        except LineRefused as refused:
            raise refused.in_step(number, len(line.steps)) from None
        steps.append(msgspec.structs.replace(outlook, dry=outlook.dry or step.dry, beside=step.beside))
    if len(steps) > 1:
        _check_sequence(steps)
    return LineOutlook(canonical=write_line(line), steps=tuple(steps))


def _check_sequence(steps: list[Outlook]) -> None:
    """Refuse a line of several commands unless each sends orders or cancels one order, and none is only shown."""
    for step in steps:
        whole = isinstance(step.command, Cancel) and step.command.scope is None
        if not (step.tickets or whole) or step.dry:
            raise LineRefused(
                Code.NOT_YET,
                f"{write_command(step.command)}: ; and & join only orders and cancels of one order",
            )


class Request(msgspec.Struct, frozen=True, kw_only=True):
    """Order to send, or order to cancel."""

    text: str
    effect: str = ""
    """What the order does to a position, where the text does not say it."""
    ticket: Ticket | None = None
    algo: AlgoCommand | None = None
    """Stop or target to set or move."""
    cancels: str = ""
    """Row key of the order to cancel."""
    executed: str = ""
    """What was filled of it: if more is at its end, the cancel came too late."""
    fills: bool = False
    """Whether its evidence is the whole fill: a close before an opening."""
    beside: bool = False
    """Whether it begins without the evidence of the request before (`&`)."""
    whole: bool = False
    """Whether the line is refused if this request would be: half of a reverse is none."""


def build_command(
    request: Request,
    decision: intents.Decision,
    view: DisplayContext,
    canonical: str,
    confirmed: frozenset[str] = frozenset(),
) -> intents.Intent:
    """Build the command of a request, with the prices of now.

    Args:
        request: Order, stop or target, or cancel.
        decision: State in which it is sent.
        view: Rows.
        canonical: Text of the line, for the journal.
        confirmed: Names of the checks that the trader confirmed.
    """
    if request.algo is not None:
        return msgspec.structs.replace(request.algo, decision=decision, confirmed=confirmed)
    ticket = request.ticket
    if ticket is None:
        return intents.Cancel(decision=decision, key=request.cancels)
    quote = view.mirror.quotes.get(ticket.sym)
    if ticket.order is not None:
        return ticket.replacement(decision, quote, confirmed)
    return ticket.place(decision, quote, confirmed, canonical)


def list_requests(outlook: LineOutlook) -> list[Request]:
    """List the requests of a line in their order; a close before an opening waits for its fill."""
    requests: list[Request] = []
    for at, step in enumerate(outlook.steps):
        opens_next = any(not ticket.closes for later in outlook.steps[at + 1 :] for ticket in later.tickets)
        for number, ticket in enumerate(step.tickets):
            opens = opens_next or any(not later.closes for later in step.tickets[number + 1 :])
            requests.append(Request(
                text=describe_ticket(ticket), effect=step.effects[number] if step.effects else "",
                ticket=ticket, fills=ticket.closes and opens,
                beside=_closes_several(step.command) if number else step.beside,
                whole=isinstance(step.command, Reverse),
            ))  # fmt: skip
        requests += [
            Request(text=algo.text, algo=algo.command, beside=step.beside or bool(number))
            for number, algo in enumerate(step.algos)
        ]
        if isinstance(step.command, Cancel):  # the keys of others are positions, or orders that are only shown
            texts = step.named or (step.text,)
            requests += [
                Request(text=text, cancels=key, executed=executed, beside=step.beside or bool(number))
                for number, (text, key, executed) in enumerate(zip(texts, step.keys, step.executed, strict=True))
            ]
    return requests


def asks_once(outlook: LineOutlook) -> bool:
    """Tell whether a line is asked about once where no ticket shows it.

    It is for several orders, a stop or target, all orders or positions of a scope, an order that turns a position round,
    and one with which stops or targets end.
    """
    commands = [step.command for step in outlook.steps]
    return (
        len(list_requests(outlook)) > 1
        or any(step.algos or step.note or any(step.effects) for step in outlook.steps)
        or any(isinstance(command, Cancel) and command.scope is not None for command in commands)
        or any(_closes_several(command) for command in commands)
    )


def expand_closes(outlook: LineOutlook, view: DisplayContext) -> LineOutlook:
    """Put the orders that close the legs in the place of each step that is about several; kept pairs are left out of `all`.

    Raises:
        LineRefused: Every one of them is kept, or one cannot be closed.
    """
    steps = [_expand_close(step, view) if _closes_several(step.command) else step for step in outlook.steps]
    return msgspec.structs.replace(outlook, steps=tuple(steps))


def _expand_close(step: Outlook, view: DisplayContext) -> Outlook:
    command = step.command
    assert isinstance(command, Close)
    records = [view.mirror.positions[key].record for key in step.keys]
    kept = sorted({record.sym for record in records} & view.kept) if command.leg.word == "all" else []
    tickets = [order_plan.build_close(command, record, view) for record in records if record.sym not in kept]
    names = ", ".join(full_name(sym) for sym in kept)
    if not tickets:
        raise LineRefused(Code.LEG_EMPTY, f"every position is kept: {names}")
    orders = _orders(command, tickets, view)
    return msgspec.structs.replace(
        orders, dry=step.dry, beside=step.beside, left=f"kept open: {names}" if names else ""
    )


def _closes_several(command: Command) -> bool:
    return isinstance(command, Close) and command.leg.word in SEVERAL_LEGS


def describe_ticket(ticket: Ticket) -> str:
    """Describe an order by side, size, pair and price."""
    verb = f"{ticket.side.value} {ticket.qty} {ticket.unit}" if ticket.order is None else f"replace to {ticket.qty}"
    return f"{verb} {full_name(ticket.sym)} {_price_text(ticket)}"


def _price_text(ticket: Ticket) -> str:
    price = optional(ticket.price)
    if price is not None:
        return f"@ {format_grouped(price, ticket.tick)}"
    return "at market" if ticket.at_market else ticket.price_mode.value


def _look(command: Command, view: DisplayContext, cursor: Cursor) -> Outlook:
    if isinstance(command, Order):
        return _orders(command, [order_plan.build_order(command, view)], view)
    if isinstance(command, Cost):
        shown = _orders(command, [order_plan.build_order(command.order, view)], view)
        return msgspec.structs.replace(shown, dry=True)
    if isinstance(command, Scale):
        return _orders(command, order_plan.build_scale(command, view), view)
    if isinstance(command, Change | Nudge):
        order = find_order(command.order, view, cursor)
        build = order_plan.build_replace if isinstance(command, Change) else order_plan.build_nudge
        return _orders(command, [build(command, order, view)], view)  # type: ignore[arg-type]
    if isinstance(command, Close):
        return _look_at_close(command, view, cursor)
    if isinstance(command, Reverse):
        [record] = find_legs(command.leg, view, cursor)
        shown = _orders(command, order_plan.build_reverse(record, view), view)
        does = f"{', '.join(shown.effects)}: {shown.text}"
        return msgspec.structs.replace(shown, text="; ".join(filter(None, (f"would ask, then {does}", shown.note))))
    if isinstance(command, Cancel):
        return _look_at_cancel(command, view, cursor)
    if isinstance(command, BreakEven | MoveTrigger | Protect):
        return _look_at_protection(command, view, cursor)
    if isinstance(command, Alert | AlertChange | SetAlias | Orphans):
        return Outlook(command=command, text=write_command(command))
    if isinstance(command, Answer):
        return _look_at_answer(command, view, cursor)
    if isinstance(command, Why):
        return _look_at_card(command, view, cursor)
    if isinstance(command, SetState | Show | Quit | Keep | Export | Use | SetLimit):
        return Outlook(command=command, text=_describe(command, view))
    raise LineRefused(Code.NOT_YET, f"{command.verb} is not carried out here: {NOT_HERE.get(command.verb, WORKS_ON)}")


def _orders(command: Command, tickets: list[Ticket], view: DisplayContext) -> Outlook:
    for ticket in tickets:
        order_plan.refuse_problems(ticket, view)
    several = isinstance(command, Reverse) and len(tickets) > 1
    effects = tuple(order_plan.describe_turn(ticket, view, in_two=several) for ticket in tickets)
    ends = {name_position(ticket): text for ticket in tickets if (text := join_pieces(describe_left(ticket, view)))}
    note = "; ".join(f"{leg} {text}" if _closes_several(command) else text for leg, text in ends.items())
    return Outlook(command=command, tickets=tuple(tickets), effects=effects, text=_sum_up(tickets), note=note)


def _sum_up(tickets: list[Ticket]) -> str:
    if len(tickets) == 1:
        return describe_ticket(tickets[0])
    return f"{len(tickets)} orders: " + ", ".join(describe_ticket(ticket) for ticket in tickets)


def _describe(command: SetState | Show | Quit | Keep | Export | Use | SetLimit, view: DisplayContext) -> str:
    if isinstance(command, Keep | Export | Use | SetLimit):
        return _describe_desk_word(command, view)
    if isinstance(command, Show):
        return f"show {command.view}"
    if isinstance(command, Quit):
        return "quit; asks first while orders or positions are open"
    texts = {
        "arm": "ARMED: orders are sent after a preview and a fresh Enter",
        "view": "VIEW: nothing is sent, except by the kill prompt",
        "halt": "HALT: only cancels, size cuts and orders that can only close are sent",
        "reduce": "REDUCING: nothing that raises exposure is sent",
        "resume": "sets risk mode NORMAL, after the typed word",
    }
    return texts[command.word] if command.word in texts else _describe_hot(command, view)


def _describe_desk_word(command: Keep | Export | Use | SetLimit, view: DisplayContext) -> str:
    """Describe what `keep`, `export`, `use` or `limit` would do.

    Raises:
        LineRefused: It cannot be done, or not in the present state.
    """
    if isinstance(command, Use):
        return f"would ask, then trade portfolio {command.portfolio}: the state becomes VIEW"
    if isinstance(command, Keep):
        return f"flat all and F {'leave out' if command.kept else 'close'} {full_name(command.sym)}"
    if isinstance(command, Export):
        return _describe_export(command)
    status = view.mirror.engine_status
    if status is None or status.trading_state is not TradingState.VIEW:
        raise LineRefused(Code.STATE, "limits change only in the state VIEW: the key a disarms")
    return change_limit(command, status.limits)[1]


def _describe_export(command: Export) -> str:
    """Describe which list is written.

    Raises:
        LineRefused: It is no list of the desk, or not as CSV.
    """
    if command.what in ELSEWHERE:
        raise LineRefused(Code.NOT_YET, f"export {command.what}: {ELSEWHERE[command.what]}")
    if command.seconds is not None:
        raise LineRefused(
            Code.NOT_YET, "export writes only the rows shown; the history (H) has the past, and d there exports it"
        )
    if command.form != "csv":
        raise LineRefused(Code.NOT_YET, f"{command.form} is not a format that export writes; csv is")
    return f"write {command.what or 'the list in view'} to a CSV file, with all fields"


def _describe_hot(command: SetState, view: DisplayContext) -> str:
    """Describe for how long HOT would last, and what its keys would send.

    Raises:
        LineRefused: The state is not ARMED, or the time is too long.
    """
    status, seconds = view.mirror.engine_status, hot_seconds(command)
    if status is None or status.trading_state is not TradingState.ARMED:
        state = "not known yet" if status is None else status.trading_state.value
        raise LineRefused(Code.STATE, f"hot begins from ARMED; the state is {state}")
    if not 0 < seconds <= MOST_HOT_S:
        raise LineRefused(Code.TOO_MUCH, f"hot lasts up to {MOST_HOT_S / 60:g}m, such as hot 60s")
    price = view.settings.hot_send
    return f"HOT for {seconds:g} s: B and S on a quote send the smallest size at {price} at once, without a preview"


def hot_seconds(command: SetState) -> float:
    """Return how long HOT is asked for, s."""
    return HOT_S if command.seconds is None else float(command.seconds)


# Orders and positions that a line names


def find_order(named: OneOrder, view: DisplayContext, cursor: Cursor) -> OrderRow:
    """Return the order that a line means.

    Raises:
        LineRefused: It names none, or several.
    """
    orders = view.mirror.orders
    if named.word:
        key = cursor.order if named.word == "here" else cursor.last
        if key not in orders:
            raise LineRefused(Code.NO_ORDER, NO_ROW if named.word == "here" else NO_LAST)
        return orders[key]
    matching = [
        order
        for order in orders.values()
        if any(
            part.startswith(named.part) or part.endswith(named.part) for part in (order.client_order_id, order.order_id)
        )
    ]
    if not matching:
        raise LineRefused(Code.NO_ORDER, f"no order has an id that begins or ends with {named.part}")
    if len(matching) > 1:
        raise LineRefused(
            Code.SEVERAL_ORDERS, f"{len(matching)} orders have {named.part} in their id; write more of it"
        )
    return matching[0]


def find_legs(leg: Leg, view: DisplayContext, cursor: Cursor) -> list[PositionRecord]:
    """Return the open positions that a line means; one, unless it names a side or all.

    Raises:
        LineRefused: There is none, or a symbol has two legs and the line names neither.
    """
    if leg.word in SEVERAL_LEGS:
        wanted = {"longs": "LONG", "shorts": "SHORT"}.get(leg.word, "")
        records = [fact.record for fact in view.mirror.positions.values() if size_of(fact.record)]
        legs = [record for record in records if wanted in ("", leg_of(record))]
        if not legs:
            raise LineRefused(Code.LEG_EMPTY, "there is no such position")
        return legs
    if leg.word == "here":
        fact = view.mirror.positions.get(cursor.position)
        if fact is not None and size_of(fact.record):
            return [fact.record]
        if not cursor.sym:
            raise LineRefused(Code.LEG_EMPTY, "no position is under the cursor")
    sym = leg.sym or cursor.sym
    legs = [record for record in list_positions(sym, view) if leg.side.upper() in ("", leg_of(record))]
    if not legs:
        raise LineRefused(
            Code.LEG_EMPTY, f"there is no {leg.side + ' ' if leg.side else ''}position in {full_name(sym)}"
        )
    if len(legs) > 1:
        raise LineRefused(Code.TWO_READINGS, f"{full_name(sym)} has a long and a short leg: add long or short")
    return legs


def _look_at_close(command: Close, view: DisplayContext, cursor: Cursor) -> Outlook:
    records = find_legs(command.leg, view, cursor)
    if _closes_several(command):
        names = ", ".join(name_leg(record, view) for record in records)
        keys = {id(fact.record): key for key, fact in view.mirror.positions.items()}
        return Outlook(
            command=command, text=f"close {how_many(len(records), 'position')} at market, after the typed word: {names}",
            keys=tuple(keys[id(record)] for record in records),
        )  # fmt: skip
    return _orders(command, [order_plan.build_close(command, records[0], view)], view)


def _look_at_protection(command: BreakEven | MoveTrigger | Protect, view: DisplayContext, cursor: Cursor) -> Outlook:
    if why := why_unknown(view.mirror):
        raise LineRefused(Code.NOT_KNOWN, f"stops and targets are not known now: {why}")
    left = ""
    if isinstance(command, Protect):
        algos, left = plan_stops(command.distance, find_legs(command.leg, view, cursor), view)
    else:
        [record] = find_legs(command.leg, view, cursor)
        algos = [
            plan_move(command, record, view) if isinstance(command, MoveTrigger) else plan_break_even(record, view)
        ]
    text = "; ".join(part for part in (", ".join(algo.text for algo in algos), left) if part)
    return Outlook(command=command, algos=tuple(algos), text=text, left=left)


def _look_at_card(command: Why, view: DisplayContext, cursor: Cursor) -> Outlook:
    # A card is shown of an ended order too.
    if command.order.word == "last" and not cursor.newest:
        raise LineRefused(Code.NO_ORDER, "none of your orders is listed now: the history has those that ended")
    order = find_order(command.order, view, msgspec.structs.replace(cursor, last=cursor.newest))
    return Outlook(command=command, text=f"everything known about {describe_row(order)}", keys=(order.key,))


def _look_at_answer(command: Answer, view: DisplayContext, cursor: Cursor) -> Outlook:
    row = view.mirror.proposals.get(command.key)
    if row is None or command.word is not AnswerWord.ACCEPT:
        return Outlook(command=command, text=describe_answer(command, view.mirror))
    [step] = parse(write_proposal(row, "here"), Scene(view.mirror.symbols)).steps
    outlook = _look(step.command, view, msgspec.structs.replace(cursor, order=row.order))
    if not outlook.tickets:
        return msgspec.structs.replace(outlook, command=command, text=f"{outlook.text} · {row.peer}: {row.reason}")
    [ticket] = outlook.tickets
    shown = ShownProposal(row.key, view.now, ticket.touch(view.mirror.quotes.get(ticket.sym), False))
    tickets = (msgspec.structs.replace(ticket, proposal=shown),)
    return msgspec.structs.replace(outlook, command=command, tickets=tickets)


def _look_at_cancel(command: Cancel, view: DisplayContext, cursor: Cursor) -> Outlook:
    scope = command.scope
    if scope is None and command.order is not None:
        order = find_order(command.order, view, cursor)
        if order.final:
            raise LineRefused(Code.NO_ORDER, f"this order has ended: {order.state_word}")
        text = f"cancel {describe_row(order)}"
        return Outlook(command=command, text=text, keys=(order.key,), executed=(order.filled,))
    assert scope is not None
    orders = _in_scope(scope, view, cursor)
    if not orders:
        raise LineRefused(Code.NO_ORDER, "no order is working in that scope")
    return Outlook(
        command=command, text=f"would ask, then cancel {how_many(len(orders), 'order')}",
        keys=tuple(order.key for order in orders), executed=tuple(order.filled for order in orders),
        named=tuple(f"cancel {describe_row(order)}" for order in orders),
    )  # fmt: skip


def _in_scope(scope: Scope, view: DisplayContext, cursor: Cursor) -> list[OrderRow]:
    orders = view.mirror.working()
    if scope.word == "marks":
        return [order for order in orders if order.key in cursor.marked]
    if scope.word in ("bids", "asks"):
        side = "BUY" if scope.word == "bids" else "SELL"
        return [order for order in orders if order.sym == scope.name and order.side == side]
    if scope.word == "sym":
        return [order for order in orders if order.sym == scope.name]
    if scope.word == "venue":
        return [order for order in orders if order.sym.startswith(f"{scope.name}_")]
    return list(orders)


def describe_row(order: OrderRow) -> str:
    """Describe an order by side, size, pair and price."""
    price = optional(order.price)
    shown = f"@ {format_grouped(price)}" if price is not None else "at market"
    return f"{order.side} {order.qty} {full_name(order.sym)} {shown}"
