"""Requests and mandates of programs as the panel shows them while no ticket is open."""

from __future__ import annotations

from decimal import Decimal

from tui.engine.peers.mandate_text import describe
from tui.engine.status_rows import MandateRow, ProposalRow
from tui.workstation.model import number_format
from tui.workstation.model.display_context import DisplayContext
from tui.workstation.model.mirror import Mirror
from tui.workstation.render.pieces import Piece
from tui.workstation.tickets.order.proposal import write_proposal


def describe_use(mandate: MandateRow) -> str:
    """Describe how much of a mandate is used, working orders included: `holds 300/900, uses 618/1,500`."""
    held, traded = (f"{round(Decimal(value)):,}" for value in (mandate.held, mandate.traded))
    most_held, most_traded = (f"{round(Decimal(value)):,}" for value in (mandate.position_value, mandate.traded_value))
    return f"holds {held}/{most_held}, uses {traded}/{most_traded}"


def first_request(mirror: Mirror) -> ProposalRow | MandateRow | None:
    """Return the request of a program that has waited longest, or None."""
    waiting: list[ProposalRow | MandateRow] = [*mirror.proposals.values()]
    waiting += [row for row in mirror.mandates.values() if not row.granted]
    return min(waiting, key=lambda row: int(row.key), default=None)


def program_pieces(view: DisplayContext) -> list[Piece]:
    """Build the text of the longest waiting request and the first-ending mandate of programs; empty without any."""
    request, held = first_request(view.mirror), [row for row in view.mirror.mandates.values() if row.granted]
    mandate = min(held, key=lambda row: row.expires, default=None)
    if request is not None:
        return _request_pieces(view, request) + ([] if mandate is None else [(" ·", "dim"), *_use_pieces(mandate)])
    if mandate is None:
        return []
    more = f" +{len(held) - 1} more" if len(held) > 1 else ""
    left = number_format.countdown(mandate.expires - view.now)
    ends, shows = view.key_of("mandate.revoke_all"), view.key_of("screen.programs")
    return [
        (f" {mandate.peer}", "warn"), (f"{more} {left} ", "text"), (ends, "key"), (" ends · " if ends else "· ", "dim"),
        (shows, "key"), (f" mandate {mandate.key} · " if shows else f"mandate {mandate.key} · ", "dim"),
        (f"{describe_use(mandate)}, result {mandate.result}", "text"),
    ]  # fmt: skip


def _request_pieces(view: DisplayContext, row: ProposalRow | MandateRow) -> list[Piece]:
    granting = isinstance(row, MandateRow)
    age = f" · asked {number_format.whole_age(view.now - row.since)} ago" if row.since else ""
    shows = view.key_of("screen.programs")
    what = f"a mandate: {describe(row)}" if isinstance(row, MandateRow) else write_proposal(row)
    return [
        (f" {row.peer} asks", "warn"), (f" {number_format.countdown(row.expires - view.now)} ", "dim"),
        (f":{'grant' if granting else 'accept'} {row.key}", "key"), (" or ", "dim"), (f":decline {row.key}", "key"),
        *([(" (", "dim"), (shows, "key"), (")", "dim")] if shows else []),
        (f" {what}", "text"), (f" · {row.reason}{age}", "dim"),
    ]  # fmt: skip


def _use_pieces(mandate: MandateRow) -> list[Piece]:
    return [(f" {mandate.peer}", "warn"), (f" {describe_use(mandate)}", "text")]
