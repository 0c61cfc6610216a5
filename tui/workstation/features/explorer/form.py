"""Form of a REST endpoint, built from its parameters; its permission decides what must be confirmed."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial

from tui.engine.commands.all_kinds import KINDS
from tui.engine.intents import AccountCommand, Outcome
from tui.engine.service_query import ServiceQuery, query_endpoint
from tui.interface.endpoint import Endpoint, Permission
from tui.interface.families.portfolios import NewApiKey
from tui.interface.paging import page_query
from tui.interface.parameters import check_value, convert_typed, describe_accepted
from tui.interface.request import CLIENT_ORDER_ID, Kind, Param
from tui.interface.symbols import Exchange
from tui.workstation.commands.context import Context
from tui.workstation.features.explorer.endpoint_use import keys_of
from tui.workstation.features.explorer.pane import ANSWER
from tui.workstation.widgets.forms.view import Choice, FieldSpec, FormSubject, FormView, choose_value
from tui.workstation.widgets.question import Option, Question

LEFT_OUT = Choice("", "–")
"""Choice of a parameter that is not sent."""
SEND = "send"
"""Word to type before a command that moves money is sent."""


class EndpointForm(FormSubject):
    """Form of one REST endpoint."""

    def __init__(
        self, row: Endpoint, context: Context, read: Callable[[ServiceQuery], None], show: Callable[[Outcome], None]
    ) -> None:
        """Initialize the form.

        Args:
            row: Endpoint.
            context: Context under which a command is sent.
            read: Read the query and show its answer.
            show: Show the answer of a command.
        """
        self._row = row
        self._context = context
        self._read = read
        self._show = show
        self._block_reason = _find_block_reason(row, context.view.key_of)
        """Why the endpoint is not called from the explorer, or empty."""
        self._params = [param for param in row.params if not (self._block_reason or self._is_added(param))]

    def _is_added(self, param: Param) -> bool:
        """Return whether the engine itself sets a parameter: page numbers, and the client order id of a command."""
        pages = page_query(1) if self._row.paged else {}
        return param.name in pages or (param.name == CLIENT_ORDER_ID and self._row.is_command)

    def on_accepted(self, outcome: Outcome) -> None:
        self._show(outcome)

    def view(self, values: Mapping[str, str]) -> FormView:
        row = self._row
        fields = tuple(_field(param, values) for param in self._params)
        typed = {field.name: _value(field, values) for field in fields}
        sent = tuple((param.name, text) for param in self._params if (text := convert_typed(param, typed[param.name])))
        query = query_endpoint(ANSWER, row.name, sent)
        title = " ".join([row.purpose, *(f"{name}={text}" for name, text in sent)])
        return FormView(
            title=row.name, fields=fields, refusal=self._block_reason,
            ask=None if row.is_command else partial(self._read, query),
            command=self._command(sent, title) if row.is_command else None,
            notes=(f"{row.method} {row.path} · {row.permission.value} · {row.limit}",),
            question=self._question(title) if row.is_command else None,
        )  # fmt: skip

    def _command(self, sent: tuple[tuple[str, str], ...], title: str) -> AccountCommand:
        return AccountCommand(decision=self._context.build_decision(), endpoint=self._row.name, args=sent, title=title)

    def _question(self, title: str) -> Question:
        moves = self._row.permission in (Permission.TRANSFER, Permission.WITHDRAW)
        return Question(
            kind="explorer",
            title=f"Send {self._row.name}",
            choices=(Option("send", title),),
            notes=("sent once; if the answer is lost, its outcome is queried and it is never sent again",),
            word=SEND if moves else "",
        )


def _find_block_reason(row: Endpoint, key_of: Callable[[str], str]) -> str:
    """Return why an endpoint cannot be called from the explorer, or an empty text; `key_of` gives the key of an action."""
    keys = " ".join(keys_of(row.name, key_of))
    if row.removed:
        return f"this endpoint was removed {row.removed}; use {row.replacement}"
    if row.record is NewApiKey:
        use = f"use {keys} on" if keys else "make it among"
        return f"its reply contains a secret, shown only once: {use} the API keys (⟦screen.portfolios⟧)"
    if row.is_command and row.name not in KINDS:
        return (
            f"this endpoint has its own screen and key: {keys}"
            if keys
            else "the desk has no form that sends this command"
        )
    return ""


def _field(param: Param, values: Mapping[str, str]) -> FieldSpec:
    """Build the field of a parameter; a parameter with a few fixed values becomes a choice."""
    allowed = _choices_of(param)
    needed = "required; " if param.required else ""
    if allowed:
        choices = tuple(Choice(value) for value in allowed)
        return FieldSpec(
            name=param.name, choices=choices if param.required else (LEFT_OUT, *choices),
            note="required" if param.required else "",
        )  # fmt: skip
    text = values.get(param.name, "")
    reason = check_value(param, convert_typed(param, text)) if text else ""
    return FieldSpec(
        name=param.name, label=param.name, note=reason or f"{needed}{describe_accepted(param)}",
        refused=bool(reason), required=param.required,
    )  # fmt: skip


def _choices_of(param: Param) -> tuple[str, ...]:
    if param.kind is Kind.VENUE:
        return tuple(Exchange)
    return ("true", "false") if param.kind is Kind.FLAG else param.words


def _value(field: FieldSpec, values: Mapping[str, str]) -> str:
    return choose_value(values, field.name, field.choices) if field.choices else values.get(field.name, "")
