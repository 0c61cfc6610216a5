"""Meaning of a typed reply to the request of a program, or why there is nothing to reply to."""

from __future__ import annotations

from tui.engine.peers.mandate_text import describe
from tui.workstation.command_line.grammar.refusals import Code, LineRefused
from tui.workstation.command_line.grammar.syntax import Answer, AnswerWord
from tui.workstation.model.mirror import Mirror
from tui.workstation.tickets.order.proposal import write_proposal


def describe_answer(command: Answer, mirror: Mirror) -> str:
    """Describe the effect of declining a program's request, or of granting or revoking a mandate.

    Raises:
        LineRefused: There is nothing under that number to answer so.
    """
    key, mandate = command.key, mirror.mandates.get(command.key)
    if command.word is AnswerWord.REVOKE:
        return _describe_revocation(key, mirror)
    if command.word is AnswerWord.DECLINE and (row := mirror.proposals.get(key)) is not None:
        return f"Enter declines what {row.peer} proposes: {write_proposal(row)}"
    waits = mandate is not None and not mandate.granted
    if command.word is AnswerWord.DECLINE and mandate is not None and waits:
        return f"Enter declines the mandate that {mandate.peer} asks for: {describe(mandate)}"
    if command.word is AnswerWord.GRANT and mandate is not None and waits:
        return f"Enter lets {mandate.peer} send without asking: {describe(mandate)}"
    what = {AnswerWord.GRANT: "request for a mandate", AnswerWord.ACCEPT: "proposal"}.get(command.word, "request")
    raise LineRefused(Code.NO_ORDER, f"no {what} {key} waits")


def _describe_revocation(key: str, mirror: Mirror) -> str:
    held = [row for row in mirror.mandates.values() if row.granted and row.key in (key or row.key,)]
    if not held:
        raise LineRefused(Code.NO_ORDER, f"no mandate {key} holds" if key else "no mandate holds")
    names = ", ".join(f"{row.key} of {row.peer}" for row in held)
    return f"Enter ends mandate {names} and cancels what it placed, but not what only reduces a position"
