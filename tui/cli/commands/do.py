"""`crossdesk do`: one line of the command line from the shell, through the same gate; shown unless it is armed."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

import click

from tui import paths
from tui.cli.credentials import protect_memory
from tui.crossdesk_error import CrossdeskError
from tui.settings import read

if TYPE_CHECKING:
    from tui.engine.intents import Outcome
    from tui.engine.life.thread import EngineThread
    from tui.workstation.command_line.outlook import LineOutlook, Request
    from tui.workstation.model.display_context import DisplayContext

EXIT_REFUSED = 2
EXIT_UNKNOWN = 3
READY_S = 30.0
"""Longest wait for the account and the quotes that a line needs, s."""
EVIDENCE_S = 10.0
"""Longest wait for the evidence of a request before the next one, s."""
POLL_S = 0.02


class NotDone(CrossdeskError):
    """Error for a line that was not carried out; its text contains the reason."""

    title = "Not done"


class LineNotSent(NotDone):
    """Error for a line that this desk does not send."""

    title = "Refused here"


@click.command()
@click.argument("line")
@click.option("--dry", is_flag=True, help="Show what the line would do and send nothing, also with --arm.")
@click.option(
    "--arm", is_flag=False, flag_value="", metavar="[PORTFOLIO]", help="Send it; on a service with its portfolio."
)
@click.option("--profile", metavar="NAME", help="A configured service instead of the paper venue of this home.")
@click.option("--yes", is_flag=True, help="Answer yes where the desk would ask, such as at the first order of the day.")
@click.option("--json", "as_json", is_flag=True, help="Print canonical line, requests and outcomes as JSON.")
@click.pass_context
def command(
    ctx: click.Context, line: str, dry: bool, arm: str | None, profile: str | None, yes: bool, as_json: bool
) -> None:
    """Show one order line, such as "buy 0.02 BTC BINANCE_PERP_BTC join", or send it with --arm (behind the line).

    Exit code: 0 done or shown, 1 rejected by the service, 2 refused here, 3 outcome unknown.
    """
    from tui.interface import decimals
    from tui.workstation.command_line.refusals import LineRefused

    protect_memory()
    decimals.setup()
    sends = arm is not None and not dry
    with _open_desk(profile, sends=sends) as (engine, view):
        try:
            outlook = _look_ahead(line, engine, view)
        except LineRefused as refused:
            _print({"refused": refused.code.value, "text": str(refused)}, f"{refused.code.value}: {refused}", as_json)
            ctx.exit(EXIT_REFUSED)
        if not sends or outlook.dry:
            shown = _describe(outlook, view)
            _print(
                {"canonical": outlook.canonical, "requests": shown},
                "\n".join([*shown, f"= {outlook.canonical}"]),
                as_json,
            )
            return
        try:
            _arm(arm or "", profile, engine, view)
            outcomes = _send_all(outlook, engine, view, yes=yes)
        except LineNotSent as refused:
            _print({"refused": "NOT_SENT", "text": str(refused)}, f"NOT_SENT: {refused}", as_json)
            ctx.exit(EXIT_REFUSED)
    rows = [{"request": text, "verdict": outcome.verdict.value, "text": outcome.text} for text, outcome in outcomes]
    lines = [f"{row['verdict']:<8} {row['request']}{': ' + row['text'] if row['text'] else ''}" for row in rows]
    _print({"canonical": outlook.canonical, "outcomes": rows}, "\n".join([f"= {outlook.canonical}", *lines]), as_json)
    ctx.exit(_exit_code(outcomes, outlook))


def _print(data: object, text: str, as_json: bool) -> None:
    click.echo(json.dumps(data, indent=1) if as_json else text)


@contextmanager
def _open_desk(profile: str | None, *, sends: bool) -> Iterator[tuple[EngineThread, DisplayContext]]:
    """Start an engine without a screen, and wait until it has read the account.

    Raises:
        NotDone: The account does not come into step.
    """
    from tui.cli.launcher import open_engine
    from tui.host import HostClock
    from tui.workstation.model.display_context import DisplayContext
    from tui.workstation.model.mirror import Mirror

    config = read(paths.config_file())
    with open_engine(profile, config, name="do", looks_only=not sends) as engine:
        view = DisplayContext(Mirror(HostClock()), HostClock(), config.workstation)
        engine.start()
        _wait(engine, view, lambda: view.mirror.synced_once and bool(view.mirror.symbols), "the account", READY_S)
        yield engine, view


def _wait(engine: EngineThread, view: DisplayContext, reached: Callable[[], bool], what: str, seconds: float) -> None:
    """Take rows from the engine until `reached` is true.

    Raises:
        NotDone: It was not within the time.
    """
    until = view.clock.mono() + seconds
    pause = threading.Event()
    while True:
        view.mirror.apply(engine.updates.take())
        if reached():
            return
        if view.clock.mono() > until:
            raise NotDone(f"{what} did not arrive within {seconds:.0f} s")
        pause.wait(POLL_S)


def _look_ahead(line: str, engine: EngineThread, view: DisplayContext) -> LineOutlook:
    """Parse a line and work out what it would do, once the quotes of its pairs are there.

    Raises:
        LineRefused: It cannot be carried out.
    """
    from tui.workstation.command_line.levels import list_held
    from tui.workstation.command_line.outlook import Cursor, look_ahead
    from tui.workstation.command_line.parser import parse
    from tui.workstation.command_line.scene import Scene

    parsed = parse(line, Scene(view.mirror.symbols, held=list_held(view)))
    syms = {sym for sym in (getattr(step.command, "sym", "") for step in parsed.steps) if sym}
    syms |= {fact.record.sym for fact in view.mirror.positions.values()} | {row.sym for row in view.mirror.working()}
    engine.watch(tuple(sorted(syms)))

    def has_quotes() -> bool:
        rows = [view.mirror.quotes.get(sym) for sym in syms]
        return all(row is not None and row.bid and row.ask for row in rows)

    _wait(engine, view, has_quotes, "a quote of " + ", ".join(sorted(syms)), READY_S)
    own = [order for order in view.mirror.working() if not order.external]
    last = max(own, key=lambda order: order.create_at, default=None)
    return look_ahead(parsed, view, Cursor(last=last.key if last is not None else ""))


def _describe(outlook: LineOutlook, view: DisplayContext) -> list[str]:
    from tui.workstation.tickets import preview

    shown: list[str] = []
    for step in outlook.steps:
        if not step.tickets:
            shown.append(step.text)
        for ticket in step.tickets:
            quote = view.mirror.quotes.get(ticket.sym)
            shown.append(preview.journal_text(preview.figures_of(ticket, quote, view)))
    return shown


def _arm(arm: str, profile: str | None, engine: EngineThread, view: DisplayContext) -> None:
    """Arm the engine for this line.

    Raises:
        LineNotSent: The portfolio named is not the one traded, or the engine sends nothing.
        NotDone: The engine does not arm in time.
    """
    from tui.engine.modes import TradingState

    status = view.mirror.engine_status
    name = (status.portfolio_name or status.portfolio) if status is not None else ""
    if (profile is not None or arm) and arm != name:
        raise LineNotSent(f"--arm {arm or '(no name)'}: this profile trades portfolio {name}; name it to send")
    if status is not None and status.read_only:
        raise LineNotSent(status.read_only)
    engine.set_trading_state(TradingState.ARMED)

    def is_armed() -> bool:
        now = view.mirror.engine_status
        return now is not None and now.trading_state is TradingState.ARMED

    _wait(engine, view, is_armed, "the state ARMED", EVIDENCE_S)


def _send_all(
    outlook: LineOutlook, engine: EngineThread, view: DisplayContext, *, yes: bool
) -> list[tuple[str, Outcome]]:
    """Send the requests of a line one after the other, until one is not accepted.

    Raises:
        LineNotSent: The line is about the desk itself and not about orders.
    """
    from tui.engine.intents import GUARD_JOINT, Outcome, Verdict
    from tui.workstation.command_line.outlook import judge_evidence, list_requests

    requests = list_requests(outlook)
    if not requests:
        raise LineNotSent(f"{outlook.canonical}: from the shell only orders and cancels are sent")
    outcomes: list[tuple[str, Outcome]] = []
    for at, request in enumerate(requests):
        outcome = _send(request, outlook.canonical, engine, view)
        if yes and outcome.verdict is Verdict.ASK:
            confirmed = frozenset(outcome.guard.split(GUARD_JOINT))
            outcome = _send(request, outlook.canonical, engine, view, confirmed)
        outcomes.append((request.text, outcome))
        if outcome.verdict is not Verdict.ACCEPTED:
            break
        key = request.cancels or outcome.key
        verdict: list[str | None] = [None]

        def has_evidence(request: Request = request, key: str = key, verdict: list[str | None] = verdict) -> bool:
            order = view.mirror.orders.get(key)
            verdict[0] = judge_evidence(request, order) if order is not None else None
            return verdict[0] is not None

        needs_evidence = bool(request.cancels or request.fills) and at + 1 < len(requests)
        if needs_evidence:
            _wait(engine, view, has_evidence, f"the evidence of {request.text}", EVIDENCE_S)
            if verdict[0]:
                outcomes[-1] = (request.text, Outcome(verdict=Verdict.REJECTED, text=verdict[0]))
                break
    return outcomes


def _send(
    request: Request,
    canonical: str,
    engine: EngineThread,
    view: DisplayContext,
    confirmed: frozenset[str] = frozenset(),
) -> Outcome:
    from tui.engine.intents import Decision
    from tui.workstation.command_line.outlook import build_command

    status = view.mirror.engine_status
    assert status is not None
    decision = Decision(
        environment=status.environment, portfolio=status.portfolio, state=status.trading_state,
        source=f"crossdesk do {canonical}",
    )  # fmt: skip
    return engine.submit(build_command(request, decision, view, canonical, confirmed)).result()


def _exit_code(outcomes: list[tuple[str, Outcome]], outlook: LineOutlook) -> int:
    from tui.engine.intents import Verdict
    from tui.workstation.command_line.outlook import list_requests

    last = outcomes[-1][1].verdict
    if last is Verdict.ACCEPTED and len(outcomes) == len(list_requests(outlook)):
        return 0
    return {Verdict.REJECTED: 1, Verdict.UNKNOWN: EXIT_UNKNOWN}.get(last, EXIT_REFUSED)
