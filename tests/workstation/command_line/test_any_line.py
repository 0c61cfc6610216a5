"""Any line over any account, from each place that takes lines: it is carried out, asked about or refused."""

from __future__ import annotations

from contextlib import suppress
from itertools import product

import pytest

from tests.cli.test_shell_desk import open_desk
from tests.journeys.plain.test_scripted import Scripted
from tests.workstation.command_line.grammar.lines import ACCEPTED, REFUSED
from tests.workstation.driver import desk
from tests.workstation.scripted import ScriptedPort
from tui.cli.commands.do import Consent, LineNotSent, Output, _ask_or_send, _look_ahead, _show
from tui.cli.desks.line_sender import LineSender
from tui.cli.desks.shell_desk import NotDone
from tui.engine.modes import RiskMode, TradingState
from tui.engine.rows import AlgoRow, Table
from tui.interface.families.algo import AlgoRecord
from tui.workstation.model.mirror import Mirror

BTC = "BINANCE_PERP_BTC_USDT"
PARTS = {Table.ORDERS: "orders", Table.POSITIONS: "positions"}
STATES = ("", "orders", "positions", "algos", "orders positions algos")
"""What an account has."""
SCOPES = (
    "all", "all pf", "all pf main", "all everything", "all venue BINANCE", "all venue EDX", f"all sym {BTC}", "all marks",
    "marks", "bids", "asks", f"bids {BTC}", f"asks {BTC}", "here", "last", "#o3", "#gone", BTC, f"{BTC} long",
    f"{BTC} short", "longs", "shorts", "long",
)  # fmt: skip
VERBS = (
    "c", "cancel", "flat", "close 50%", "close 50% mkt", "rev", "be", "sl move", "tp", "protect", "why", "nudge", "re",
    "keep", "export", "show", "dry c", "dry flat",
)  # fmt: skip
"""Words before a scope."""
ENDS = ("", " 1%", " px 64000", " +1t")


def list_lines() -> list[str]:
    """List the lines of the grammar, and every verb with every scope."""
    walked = [f"{verb} {scope}{end}" for verb, scope, end in product(VERBS, SCOPES, ENDS)]
    return [*ACCEPTED, *REFUSED, *walked]


LINES = list_lines()


def leave(port: ScriptedPort, state: str, known: dict[Table, list[str]]) -> None:
    """Leave only what a state names on the desk of the drawings."""
    for table, part in PARTS.items():
        for key in known[table] if part not in state else ():
            port.put(table, key, None)
    for key, sym, condition in (
        (("a1", BTC, "PARTIAL_CLOSE_POSITION"), ("a2", "EDX_PERP_BTC_USDT", "CONDITIONAL")) if "algos" in state else ()
    ):
        record = AlgoRecord(
            algo_order_id=key, client_order_id=key, sym=sym, side="SELL", position_side="LONG", order_state="NEW",
            condition_type=condition, order_qty="0.5", sl_trigger_price="63000", sl_trigger_type="MARK_PRICE",
        )  # fmt: skip
        port.put(Table.ALGOS, key, AlgoRow(key=key, record=record, stamp=port.stamp()))


def known_rows(mirror: Mirror) -> dict[Table, list[str]]:
    return {Table.ORDERS: list(mirror.orders), Table.POSITIONS: list(mirror.positions)}


@pytest.mark.parametrize("state", STATES)
def test_plain_mode_survives_every_command_line(state: str) -> None:
    at = Scripted()
    leave(at.port, state, known_rows(at.desk.context.mirror))
    for line in LINES:
        at.port.set_desk(trading_state=TradingState.ARMED, risk_mode=RiskMode.NORMAL)
        at.enter(line)
    assert at.desk.context.failures == 0


@pytest.mark.parametrize("state", STATES)
def test_the_shell_shows_sends_or_refuses_every_command_line(monkeypatch: pytest.MonkeyPatch, state: str) -> None:
    shell, engine = open_desk(monkeypatch)
    leave(engine, state, known_rows(shell.view.mirror))
    shell.view.mirror.apply(engine.updates.take())
    shown = 0
    for line in LINES:
        with suppress(LineNotSent, NotDone):
            outlook = _look_ahead(line, None, shell)
            sender = LineSender(shell, outlook)
            assert _show(sender, outlook, shell, Output(as_json=False)) in (0, 2)
            assert outlook.dry or _ask_or_send(
                sender, outlook, shell, Output(as_json=True), Consent(yes=False, naked=False)
            ) in (0, 1, 2, 3)
            shown += 1
    assert shown > 5


@pytest.mark.parametrize("state", STATES)
async def test_the_screen_survives_every_command_line(state: str) -> None:
    """What plain mode reads, too, is typed only in the lines of the grammar."""
    async with desk(120, 36) as at:
        leave(at.port, state, known_rows(at.app.mirror))
        await at.settle()
        line = at.app.controllers.line
        for text in ACCEPTED:
            line.line_open(text)
        for verb, scope in product(("c", "flat", "close 50%", "rev", "protect"), SCOPES):
            line.line_open(f"{verb} {scope}")
            line.line_take()
            at.app.context.close_unsent()
            await at.settle()
