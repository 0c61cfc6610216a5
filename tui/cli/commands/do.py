"""`crossdesk do`: one line of the command line from the shell, through the same gate; shown unless it is armed."""

from __future__ import annotations

import json
import re
import traceback
from collections.abc import Sequence
from contextlib import suppress
from typing import TYPE_CHECKING

import click
import msgspec

from tui import paths
from tui.cli.credentials import protect_memory
from tui.cli.desks.folded_lines import echo_folded
from tui.crossdesk_error import CrossdeskError
from tui.settings import read

if TYPE_CHECKING:
    from tui.cli.desks.line_sender import LineSender, Sent
    from tui.cli.desks.shell_desk import ShellDesk
    from tui.engine.rows import OrderRow
    from tui.workstation.command_line.grammar.refusals import LineRefused
    from tui.workstation.command_line.grammar.syntax import Command
    from tui.workstation.command_line.outlook import LineOutlook
    from tui.workstation.model.display_context import DisplayContext
    from tui.workstation.tickets.order.ticket import Ticket

EXIT_REJECTED = 1
EXIT_REFUSED = 2
EXIT_UNKNOWN = 3
NAME = "do"
"""Name by which a desk knows this command."""
ALGOS_S, ALGOS_OF_CANCEL_S = 10.0, 2.0
"""Longest wait for the list of stops and targets, s; for a line that only cancels it is not held up longer."""
TERMS_S = 5.0
"""Longest wait for fees and margin tiers of the pairs, s; without them a question tells neither cost nor margin."""
OTHER_QUOTES_S = 10.0
"""Longest wait for quotes of pairs that are held or worked, and not named by the line, s."""
ARMED_S = 10.0
"""Longest wait for the state ARMED, s."""
EXAMPLE = "crossdesk do 'buy 0.02 BTC BINANCE_PERP_BTC join'"
_LEFT_OF_AMOUNT = re.compile("0[0-9]")
"""What a shell leaves of an amount such as $500."""
_LOST_AMOUNT = "; if it was $500: in double quotes the shell takes $5 away, so write the line in single quotes"
NOT_SENT, CANCELLED = "not sent", "CANCELLED"
NEEDS_A_DESK = "it needs the screen, or `crossdesk --plain`; the shell sends orders, cancels, closes, stops and targets"


class LineNotSent(CrossdeskError):
    """Error for an order line that is refused before anything is sent."""

    title = "Refused here"
    exit_code = EXIT_REFUSED

    def __init__(self, text: str, code: str = "NOT_SENT") -> None:
        super().__init__(f"{code}: {text}")
        self.code, self.text = code, text


class Row(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Output row of one request: its text, its actual or expected verdict, and what was filled."""

    request: str
    verdict: str
    text: str
    state: str = ""
    """State of the order, where it is known."""
    filled: str = ""
    """Quantity that was filled, in the units of the pair."""
    average: str = ""
    """Average price of it."""
    fee: str = ""
    fee_coin: str = ""
    rebate: str = ""
    rebate_coin: str = ""

    @property
    def line(self) -> str:
        """Text line of the row: verdict, request, order state and explanation."""
        behind = " · ".join(part for part in (self.state, self.text) if part)
        return f"{self.verdict:<8} {self.request}{': ' + behind if behind else ''}"


class Consent(msgspec.Struct, frozen=True, kw_only=True):
    """Confirmations given beforehand as options: `--yes`, and `--naked` for a position that loses its stop."""

    yes: bool
    naked: bool
    """Whether also that a position is left without the stop that it has, which `yes` alone does not answer."""

    def find_missing(self, *, bares: bool) -> str:
        """Return the options missing to confirm the question of a line, separated by spaces; empty when none is missing.

        Args:
            bares: Whether the line leaves a position without the stop that it has.
        """
        options = [*([] if self.yes else ["--yes"]), *(["--naked"] if bares and not self.naked else [])]
        return " ".join(options)


class Output(msgspec.Struct, frozen=True):
    """Output of the command: text lines for people, or JSON for programs; errors go to standard error."""

    as_json: bool

    def print(self, lines: Sequence[str], data: object) -> None:
        """Print the lines, or in JSON mode the data instead."""
        if self.as_json:
            click.echo(json.dumps(data, indent=1))
        else:
            self.add(lines)

    def add(self, lines: Sequence[str]) -> None:
        """Print further lines; nothing in JSON mode, where the data already contains them."""
        for line in () if self.as_json else lines:
            echo_folded(line)


@click.command()
@click.argument("words", nargs=-1, metavar="LINE")
@click.option("--dry", is_flag=True, help="Show what the line would do and send nothing, also with --arm.")
@click.option(
    "--arm", is_flag=False, flag_value="", metavar="[PORTFOLIO]", help="Send it; on a service with its portfolio."
)
@click.option("--profile", metavar="NAME", help="A configured service instead of the paper venue of this home.")
@click.option(
    "--yes",
    is_flag=True,
    help="Answer yes where the desk would ask: several orders, the end of a stop, the first order of the day.",
)
@click.option(
    "--naked", is_flag=True, help="With --yes: also cancel what leaves an open position without the stop that it has."
)
@click.option("--json", "as_json", is_flag=True, help="Print canonical line, requests and outcomes as JSON.")
@click.pass_context
def command(
    ctx: click.Context,
    words: tuple[str, ...],
    arm: str | None,
    profile: str | None,
    *,
    dry: bool,
    yes: bool,
    naked: bool,
    as_json: bool,
) -> None:
    """Show one order line, such as 'buy 0.02 BTC BINANCE_PERP_BTC join', or send it with --arm (behind the line).

    The line stands in single quotes: in double quotes a shell takes $5 away, and what is left of $500 is 00.

    Exit code: 0 done or shown, 1 rejected by the service, ended without a fill, or done in part, 2 refused or asked
    about here and nothing was sent, 3 outcome unknown.
    """
    line = _take_line(words, arm)
    try:
        code = _carry_out(line, profile, None if dry else arm, Output(as_json), Consent(yes=yes, naked=naked))
    except CrossdeskError:
        raise
    except Exception:
        # The code of a rejection would let a script send it again.
        traceback.print_exc()
        click.echo("crossdesk: Internal error: whether something was sent is not known; look at the orders", err=True)
        code = EXIT_UNKNOWN
    ctx.exit(code)


def _carry_out(line: str, profile: str | None, arm: str | None, output: Output, consent: Consent) -> int:
    """Show what an order line would do, or with `--arm` send it unless it is a dry run; return the exit code.

    Raises:
        CrossdeskError: It is refused here, or nothing can be sent; nothing was.
    """
    from tui.cli.desks.line_sender import LineSender
    from tui.cli.desks.shell_desk import NotDone, open_desk
    from tui.interface import decimals

    protect_memory()
    decimals.setup()
    try:
        with open_desk(profile, read(paths.config_file()), name=NAME, looks_only=arm is None) as desk:
            outlook = _look_ahead(line, profile, desk)
            sender = LineSender(desk, outlook)
            if arm is None or outlook.dry:
                return _show(sender, outlook, desk, output)
            _check_arming(arm, profile, desk)
            return _ask_or_send(sender, outlook, desk, output, consent)
    except LineNotSent as refused:
        output.print((), {"refused": refused.code, "text": refused.text})
        raise
    except NotDone as refused:
        output.print((), {"refused": "NOT_DONE", "text": str(refused)})
        raise


def _take_line(words: Sequence[str], arm: str | None) -> str:
    """Return the single order line from the arguments; several words need quotes.

    Raises:
        click.UsageError: It is missing, or its words are arguments of their own.
    """
    if not words and arm:
        raise click.UsageError(
            f"the line is missing: --arm took {arm!r} as the name of a portfolio; put --arm behind the line"
        )
    if not words:
        raise click.UsageError(f"the line is missing: {EXAMPLE}")
    if len(words) > 1:
        raise click.UsageError(f"put the line in quotes: {EXAMPLE}")
    return words[0]


def _look_ahead(line: str, profile: str | None, desk: ShellDesk) -> LineOutlook:
    """Parse an order line and compute what it would do, after waiting for the quotes of its pairs.

    Raises:
        LineNotSent: It cannot be carried out from the shell.
        NotDone: No quotes come.
    """
    from tui.cli.launcher import open_preferences
    from tui.workstation.command_line.grammar.parser import parse
    from tui.workstation.command_line.grammar.refusals import LineRefused
    from tui.workstation.command_line.grammar.syntax import Answer, Close
    from tui.workstation.command_line.levels import build_scene
    from tui.workstation.command_line.named_rows import Cursor
    from tui.workstation.command_line.outlook import expand_closes, look_ahead
    from tui.workstation.command_line.requests import list_requests
    from tui.workstation.model.screen_preferences import ScreenPreferences

    view = desk.view
    try:
        parsed = parse(line, build_scene(view))
        commands = [step.command for step in parsed.steps]
        if any(isinstance(command, Answer) for command in commands):
            raise LineNotSent(f"{line}: what programs ask for is read and answered at a desk", "NEEDS_DESK")
        if any(isinstance(command, Close) and command.leg.word == "all" for command in commands):
            stored = ScreenPreferences({}, [], open_preferences(profile, read(paths.config_file())).read())
            if stored.unreadable:
                raise LineNotSent("the list of kept pairs cannot be read; name the pairs to close", "KEPT")
            view.kept = stored.kept
        _await_quotes(commands, desk)
        # Orders of other desks and of programs are theirs: the newest of this trader is meant.
        own = [order for order in view.mirror.working() if not order.external and order.peer in ("", NAME)]
        last = max(own, key=lambda order: order.create_at, default=None)
        outlook = expand_closes(look_ahead(parsed, view, Cursor(last=last.key if last is not None else "")), view)
    except LineRefused as refused:
        raise _name_refusal(line, refused) from None
    if not list_requests(outlook):
        raise LineNotSent(f"{outlook.canonical}: {NEEDS_A_DESK}", "NEEDS_DESK")
    return outlook


def _name_refusal(line: str, refused: LineRefused) -> LineNotSent:
    """Convert the parser's refusal of a line; one that begins with a list or quit command says that it needs a desk."""
    from tui.workstation.command_line.grammar.refusals import Code
    from tui.workstation.plain.help_words import READ

    word = line[refused.start : refused.end].lower()
    is_first = refused.code is Code.UNKNOWN_WORD and not line[: refused.start].strip()
    if is_first and word in (*READ, "quit", "exit"):
        return LineNotSent(f"{word}: {NEEDS_A_DESK}", "NEEDS_DESK")
    number = line[refused.start : refused.end]
    behind = _LOST_AMOUNT if refused.code is Code.BAD_NUMBER and _LEFT_OF_AMOUNT.match(number) else ""
    return LineNotSent(f"{refused}{behind}", refused.code.value)


def _await_quotes(commands: Sequence[Command], desk: ShellDesk) -> None:
    """Wait for the quotes of the pairs in a line, and shortly for those of positions and orders; not for cancels alone.

    The rest is the quotes of pairs that are held and worked, and the list of stops and targets.

    Raises:
        NotDone: No quotes come.
    """
    from tui.cli.desks.shell_desk import READY_S
    from tui.workstation.command_line.grammar.syntax import Cancel
    from tui.workstation.model.algo_figures import why_unknown

    view = desk.view
    orders = [getattr(command, "order", command) for command in commands]
    named = {sym for sym in (getattr(order, "sym", "") for order in orders) if sym}
    others = {fact.record.sym for fact in view.mirror.positions.values()} | {row.sym for row in view.mirror.working()}
    desk.engine.watch(tuple(sorted(named | others)))
    cancels = [command for command in commands if isinstance(command, Cancel)]
    only_cancels = len(cancels) == len(commands)
    if not only_cancels:
        desk.wait(lambda: _has_quotes(named, view), "a quote of " + ", ".join(sorted(named)), READY_S)
        desk.poll(lambda: _has_quotes(others, view), OTHER_QUOTES_S, "quotes of what is held and worked")
    if not only_cancels or any(command.scope is not None for command in cancels):
        # Their list is read once the account is known. If it cannot be, the outlook says so.
        longest = ALGOS_OF_CANCEL_S if only_cancels else ALGOS_S
        desk.poll(lambda: not why_unknown(view.mirror), longest, "the list of stops and targets")
    if only_cancels:
        return
    terms = "fees, margin tiers and the account, without which no cost is told"
    desk.poll(lambda: all(_has_terms(sym, view) for sym in named | others), TERMS_S, terms)


def _has_terms(sym: str, view: DisplayContext) -> bool:
    """Return whether a pair's fees, account and (of a perpetual) margin tiers are known, or are known to be unreadable."""
    from tui.engine.rows import Table
    from tui.interface.symbols import try_parse
    from tui.workstation.model.account_snapshot import Missing, account_of, rates_of, tiers_of

    pair = try_parse(sym)
    needs_tiers = pair is not None and pair.is_perp
    if any(view.mirror.row(Table.UNREAD, table.value) is not None for table in (Table.FEES, Table.BRACKETS)):
        return True
    if pair is not None and isinstance(account_of(view.mirror, pair.exchange), Missing):
        return False
    return not isinstance(rates_of(view.mirror, sym), Missing) and not (
        needs_tiers and tiers_of(view.mirror, sym) is None
    )


def _has_quotes(syms: set[str], view: DisplayContext) -> bool:
    rows = [view.mirror.quotes.get(sym) for sym in syms]
    return all(row is not None and row.bid and row.ask for row in rows)


def _show(sender: LineSender, outlook: LineOutlook, desk: ShellDesk, output: Output) -> int:
    """Print what a line would do and what the risk gate would answer, without sending; return the exit code."""
    from tui.engine.intents import Verdict
    from tui.workstation.command_line.requests import asks_once

    shown, outcomes = _describe(outlook, desk.view), sender.foresee()
    texts = [request.text for request in sender.requests]
    rows = [
        Row(request=text, verdict=outcome.verdict.value, text=outcome.text)
        for text, outcome in zip(texts, outcomes, strict=bool(outcomes))
    ]
    asks = asks_once(outlook) and not outlook.dry
    question = sender.ask(sender.describe(outcomes)) if asks else []
    bared = sender.list_bared()
    answer = Consent(yes=False, naked=False).find_missing(bares=bool(bared))
    told = {
        "canonical": outlook.canonical,
        "asks": asks,
        "answer": answer if asks else "",
        "question": question,
        "requests": shown,
        "foreseen": [msgspec.to_builtins(row) for row in rows],
    }
    if question and not any(step.named for step in outlook.steps):
        behind = [f"would ask before it is sent, and {answer} answers it:", *(f"  {line}" for line in question)]
    else:  # orders to cancel are named one by one
        behind, question = [*sender.list_spared(), *([f"would need {answer}"] if bared else [])], []
    asked = [] if question else [row for row in rows if row.verdict == Verdict.ASK]
    asking = [f"would ask: {row.request}: {row.text}" for row in asked]
    output.print([*shown, *behind, f"= {outlook.canonical}", *asking], told)
    if not outcomes:
        echo_folded("crossdesk: what the limits would answer is not known now", err=True)
    denied = [row for row in rows if row.verdict == Verdict.DENIED]
    for row in denied:
        echo_folded(f"crossdesk: would be refused now: {row.request}: {row.text}", err=True)
    for why in () if denied or asks else sender.describe(outcomes).refusals:
        echo_folded(f"crossdesk: {why}", err=True)
    return EXIT_REFUSED if denied else 0


def _describe(outlook: LineOutlook, view: DisplayContext) -> list[str]:
    from tui.workstation.command_line.grammar.syntax import Cancel
    from tui.workstation.command_line.requests import foresee_requests, list_requests
    from tui.workstation.tickets.preview.figures import figures_of, journal_text
    from tui.workstation.tickets.preview.size import list_rounding

    shown: list[str] = []
    before: list[Ticket] = []
    foreseen = iter(foresee_requests(dict(enumerate(list_requests(outlook))), view))
    for step in outlook.steps:
        if isinstance(step.command, Cancel):
            shown += [step.text] if step.named else []
            shown += [f"would {text}" for text in step.named or (step.text,)]
        elif not step.tickets:
            shown.append(step.text)
        for ticket, order in zip(step.tickets, foreseen, strict=False):
            figures = figures_of(ticket, view.mirror.quotes.get(ticket.sym), view, before)
            shown.append("; ".join([journal_text(figures), *list_rounding(ticket)]))
            before.append(order.ticket)
        shown += [step.left] if step.left and step.tickets else []
    return shown


def _check_arming(arm: str, profile: str | None, desk: ShellDesk) -> None:
    """Check that `--arm` names the traded portfolio where it must, and that the engine is not read-only.

    Raises:
        LineNotSent: The portfolio named is not the one traded, or the engine sends nothing.
    """
    status = desk.view.mirror.engine_status
    name = status.account_name if status is not None else ""
    if (profile is not None or arm) and arm != name:
        raise LineNotSent(f"--arm {arm or '(no name)'}: this profile trades portfolio {name}; name it to send")
    if status is not None and status.read_only:
        raise LineNotSent(status.read_only)


def _ask_or_send(sender: LineSender, outlook: LineOutlook, desk: ShellDesk, output: Output, consent: Consent) -> int:
    """Print the confirmation still needed, or arm the engine, send the line and print the outcomes; return the exit code."""
    from tui.engine.intents import Verdict
    from tui.engine.modes import TradingState

    foreseen = sender.describe(sender.foresee())
    question = sender.ask(foreseen)
    refused = foreseen.why_refused(sender.requests) if question else ""
    missing = consent.find_missing(bares=bool(sender.list_bared()))
    if question and (refused or missing):
        verdict = Verdict.DENIED if refused else Verdict.ASK
        text = refused or "\n  ".join([*question, f"add {missing} to confirm it"])
        _print(outlook, [Row(request=outlook.canonical, verdict=verdict, text=text)], output)
        return EXIT_REFUSED
    desk.engine.set_trading_state(TradingState.ARMED)

    def is_armed() -> bool:
        status = desk.view.mirror.engine_status
        return status is not None and status.trading_state is TradingState.ARMED

    desk.wait(is_armed, "the state ARMED", ARMED_S)
    sent = sender.send(yes=consent.yes, foreseen=foreseen)
    unsent = sender.requests[len(sent) :]
    rows = [
        *(_list_outcome(request, desk.view, yes=consent.yes) for request in sent),
        *(Row(request=request.text, verdict=NOT_SENT, text=sender.stopped) for request in unsent),
    ]
    # A full disk or a closed pipe must not hide what became of orders that have left.
    with suppress(OSError):
        _print(outlook, rows, output)
        output.add(sender.list_spared())
    return find_exit_code(sent, len(rows))


def _list_outcome(sent: Sent, view: DisplayContext, *, yes: bool) -> Row:
    from tui.engine.intents import Verdict
    from tui.workstation.tickets.preview.size import list_rounding

    outcome, order, ticket = sent.outcome, sent.order, sent.request.ticket
    hint = "; add --yes to confirm it" if outcome.verdict is Verdict.ASK and not yes else ""
    rounded = list_rounding(ticket) if ticket is not None and outcome.verdict is Verdict.ACCEPTED else []
    text = " · ".join(filter(None, (outcome.text + hint, *rounded)))
    row = Row(request=sent.request.text, verdict=outcome.verdict.value, text=text, state=sent.state)
    return row if order is None else _add_fill(row, order, view)


def _add_fill(row: Row, order: OrderRow, view: DisplayContext) -> Row:
    """Return an output row with filled size, average price and fee added: as exact figures and in the screen's words.

    Price and fee are those of the order's record; while fills are ahead of it, they are of another quantity and left out.
    """
    from tui.interface.decimals import optional, plain
    from tui.interface.symbols import unit_of
    from tui.workstation.features.orders.cells import list_charges

    figures = {"filled": order.filled}
    if not order.is_behind_fills:
        figures |= {"average": order.average, "fee": order.fee, "rebate": order.rebate}
    exact = {name: plain(number) for name, text in figures.items() if (number := optional(text))}
    coins = {f"{name}_coin": getattr(order, f"{name}_coin") for name in ("fee", "rebate") if name in exact}
    size = f"{view.quantity(order.sym, order.filled, unit=False)} {unit_of(order.sym)}".rstrip()
    price = f" at {view.price(order.sym, order.average)}" if "average" in exact else ""
    charges = [] if order.is_behind_fills else list_charges(order)
    said = ", ".join([f"{'' if row.state == 'FILLED' else 'filled '}{size}{price}", *charges])
    return msgspec.structs.replace(row, text=" · ".join(filter(None, (said, row.text))), **exact, **coins)


def _print(outlook: LineOutlook, rows: Sequence[Row], output: Output) -> None:
    """Print the outcomes; the lines of requests that were not accepted go to standard error, in JSON mode too."""
    from tui.engine.intents import Verdict
    from tui.interface.text import how_many

    accepted = [row for row in rows if row.verdict == Verdict.ACCEPTED]
    cancelled = [row for row in accepted if row.state == CANCELLED] if outlook.steps[0].named else []
    if cancelled:
        together = Row(request=f"cancel {how_many(len(cancelled), 'order')}", verdict=Verdict.ACCEPTED, text="")
        accepted = [together, *(row for row in accepted if row.state != CANCELLED)]
    told = {"canonical": outlook.canonical, "outcomes": [msgspec.to_builtins(row) for row in rows]}
    output.print([f"= {outlook.canonical}", *(row.line for row in accepted)], told)
    for row in rows:
        if row.verdict != Verdict.ACCEPTED:
            echo_folded(row.line, err=True)
    for step in outlook.steps:
        if step.left and accepted:
            echo_folded(step.left, err=True)


def find_exit_code(sent: Sequence[Sent], count: int) -> int:
    """Return the exit code of a line of `count` requests by its worst verdict; an unknown outcome ranks worst."""
    from tui.engine.intents import Verdict

    verdicts = {request.outcome.verdict for request in sent}
    if Verdict.UNKNOWN in verdicts:
        return EXIT_UNKNOWN
    is_whole = verdicts == {Verdict.ACCEPTED} and len(sent) == count
    if Verdict.REJECTED in verdicts or any(request.is_void for request in sent):
        return EXIT_REJECTED
    if Verdict.ACCEPTED in verdicts:
        return 0 if is_whole else EXIT_REJECTED
    return EXIT_REFUSED
