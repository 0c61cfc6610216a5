"""Programs pane: the desks and programs that are attached, and what programs ask for and hold."""

from __future__ import annotations

from collections.abc import Iterable
from decimal import Decimal
from typing import ClassVar

import msgspec

from tui.engine.modes import TradingState
from tui.engine.peers.mandate_text import describe
from tui.engine.rows import Table
from tui.engine.status_rows import MandateRow, PeerRow, ProposalRow, Proposed
from tui.workstation.model import number_format
from tui.workstation.model.display_context import DisplayContext
from tui.workstation.table.columns import Cell, Field, Fields, of_row
from tui.workstation.table.pane import ChangedRows, Pane
from tui.workstation.table.row_filter import FilterFacts
from tui.workstation.tickets.order.proposal import write_proposal
from tui.workstation.tickets.program_requests import describe_use

_DUTIES = {"watch": "reads", "propose": "reads, proposes", "trade": "trades", "desk": "desk"}


class ProgramRow(msgspec.Struct, frozen=True, kw_only=True):
    """Attached desk or program, or a request or mandate of a program."""

    name: str
    what: str
    """What it is: `desk`, `trades`, `asks: mandate 312`."""
    role: str = "text"
    """Colour role of `what`."""
    text: str = ""
    """Terms of the mandate, order of the proposal."""
    used: str = ""
    """What it holds and has traded, of what the mandate allows."""
    result: str = ""
    left_s: float | None = None
    """Time until it ends, s."""
    since_ms: int = 0
    number: str = ""
    """Number of the request or mandate."""
    sym: str = ""


_ASKS = {Proposed.PLACE: "order"}
"""Words for what a proposal asks for, where the kind is none."""


def _read_peer(peer: PeerRow) -> ProgramRow:
    armed = peer.trading_state is not TradingState.VIEW
    what = f"{_DUTIES.get(peer.role, peer.role)}{f', {peer.trading_state.value}' if peer.role == 'desk' else ''}"
    return ProgramRow(name=peer.name, what=what, role="warn" if armed else "text", since_ms=peer.since_ms)


def _read_proposal(row: ProposalRow, now: float) -> ProgramRow:
    what, text = f"asks: {_ASKS.get(row.kind, row.kind)} {row.key}", f"{write_proposal(row)} · {row.reason}"
    return ProgramRow(
        name=row.peer, what=what, role="warn", text=text, left_s=row.expires - now, number=row.key,
        sym=row.sym,
    )  # fmt: skip


def _read_mandate(row: MandateRow, now: float) -> ProgramRow:
    granted = row.granted
    return ProgramRow(
        name=row.peer, what=f"{'holds' if granted else 'asks'}: mandate {row.key}", role="accent" if granted else "warn",
        text=f"{describe(row)} · {row.reason}", used=describe_use(row) if granted else "",
        result=row.result if granted else "", left_s=row.expires - now, number=row.key, sym=row.pairs[0],
    )  # fmt: skip


def _countdown(row: ProgramRow) -> Cell:
    return ("" if row.left_s is None else number_format.countdown(row.left_s)), "dim"


def _result(row: ProgramRow) -> Cell:
    return row.result, number_format.change_role(number_format.value(row.result))


def _since(row: ProgramRow, view: DisplayContext) -> Cell:
    return (view.moment(row.since_ms) if row.since_ms else ""), "dim"


_FIELDS: Fields[ProgramRow] = {
    "name": Field(20, of_row(lambda row: (row.name, "strong")), left=True, prose=True, least=14),
    "what": Field(
        20, of_row(lambda row: (row.what, row.role)), left=True, prose=True, title="is, asks, holds", least=18
    ),
    "left": Field(8, of_row(_countdown), of_row(lambda row: row.left_s), hide=1),
    "used": Field(36, of_row(lambda row: (row.used, "text")), left=True, title=" used", hide=2),
    "result": Field(10, of_row(_result), of_row(lambda row: number_format.value(row.result)), hide=3),
    "since": Field(10, _since, of_row(lambda row: Decimal(row.since_ms)), left=True, title=" since", hide=5),
    "text": Field(
        80, of_row(lambda row: (row.text, "text")), left=True, prose=True, title=" terms", least=30, fills=True
    ),
}


class ProgramsPane(Pane[ProgramRow]):
    """Pane with the attached desks and programs, and below each its requests and mandates."""

    id: ClassVar[str] = "programs"
    title: ClassVar[str] = "Desks and programs"
    feeds: ClassVar[frozenset[Table]] = frozenset([Table.ENGINE_STATUS, Table.PROPOSALS, Table.MANDATES])
    needs_snapshot: ClassVar[bool] = False

    fields = _FIELDS

    def _peers(self) -> tuple[PeerRow, ...]:
        status = self.view.mirror.engine_status
        return status.peers if status is not None else ()

    def keys(self) -> list[str]:
        mirror, keys = self.view.mirror, []
        for peer in self._peers():
            keys.append(f"peer/{peer.name}")
            keys += [f"mandate/{row.key}" for row in mirror.mandates.values() if row.peer == peer.name]
            keys += [f"proposal/{row.key}" for row in mirror.proposals.values() if row.peer == peer.name]
        return keys

    def row(self, key: str) -> ProgramRow | None:
        kind, _, name = key.partition("/")
        mirror, now = self.view.mirror, self.view.now
        if kind == "peer":
            peer = next((peer for peer in self._peers() if peer.name == name), None)
            return None if peer is None else _read_peer(peer)
        if kind == "mandate":
            return None if (mandate := mirror.mandates.get(name)) is None else _read_mandate(mandate, now)
        return None if (proposal := mirror.proposals.get(name)) is None else _read_proposal(proposal, now)

    def find_changed_rows(self, table: Table, keys: Iterable[str]) -> ChangedRows:
        if table is Table.ENGINE_STATUS:
            return ChangedRows([f"peer/{peer.name}" for peer in self._peers()], may_move=True)
        kind = "mandate" if table is Table.MANDATES else "proposal"
        return ChangedRows([f"{kind}/{key}" for key in keys], may_move=True)

    def short(self) -> str:
        mirror = self.view.mirror
        held = sum(row.granted for row in mirror.mandates.values())
        # A narrow list cuts the terms, which are limits of money.
        terms = self.view.name_keys(" · ⟦screen.open⟧: all terms") if mirror.mandates or mirror.proposals else ""
        return f"{len(self._peers())}{f' · mandates {held}' if held else ''}{terms}"

    def empty(self) -> str:
        return "no other desk and no program is attached"

    def details(self, key: str) -> list[tuple[str, str]]:
        row = self.row(key)
        if row is None:
            return []
        left = number_format.countdown(row.left_s) if row.left_s is not None else ""
        facts = [("name", row.name), ("is", row.what), ("terms", row.text), ("used", row.used), ("result", row.result)]
        answers = [self.answer_line(key, yes=yes) for yes in (True, False)]
        lines = ", ".join(f":{line}" for line in answers if line)
        return [(name, text) for name, text in (*facts, ("ends in", left), ("answers", lines)) if text]

    def sym(self, key: str) -> str:
        row = self.row(key)
        return row.sym if row is not None else ""

    def facts(self, key: str) -> FilterFacts | None:
        row = self.row(key)
        return (
            None if row is None else FilterFacts(text=f"{row.name} {row.what} {row.text}", sym=row.sym, state=row.what)
        )

    def answer_line(self, key: str, *, yes: bool) -> str:
        """Return the command line that accepts or declines a program's request, or revokes its mandate; else empty."""
        kind, _, number = key.partition("/")
        mandate = self.view.mirror.mandates.get(number) if kind == "mandate" else None
        if kind == "proposal":
            return f"{'accept' if yes else 'decline'} {number}"
        if mandate is None:
            return ""
        if mandate.granted:
            return "" if yes else f"revoke {number}"
        return f"{'grant' if yes else 'decline'} {number}"
