"""Forms about portfolios and keys: a name, and what a key may do from where."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from tui.engine.intents import AccountCommand, Outcome
from tui.interface.families.portfolios import (
    MAX_ADDRESSES,
    MAX_KEY_NAME,
    NAME_FORM,
    PERMISSIONS,
    ApiKeyRecord,
    BadAddress,
    NewApiKey,
    PortfolioRecord,
    Sent,
    build_args,
    is_portfolio_name,
    parse_addresses,
)
from tui.interface.text import clean
from tui.workstation.commands.context import Context
from tui.workstation.features.portfolios.tabs import PANE, PORTFOLIO_TAB, portfolio_name, portfolios_of
from tui.workstation.widgets.forms.view import Choice, FieldSpec, FormSubject, FormView, chosen
from tui.workstation.widgets.prompts import Option, Question

_READ, *_GRANTED = PERMISSIONS
_NO, _YES = Choice("no"), Choice("yes")
_MEANINGS = {
    "TRADE": "orders, leverage, borrowing, portfolios and keys",
    "TRANSFER": "transfers and custody",
    "WITHDRAW": "money can leave the user with this key",
}


def build_command(context: Context, endpoint: str, values: Mapping[Sent, str], title: str) -> AccountCommand:
    """Build a command of this family."""
    return context.command(endpoint, build_args(values), title, title)


class PortfolioForm(FormSubject):
    """The name of a new portfolio, or another name of one."""

    def __init__(self, context: Context, renamed: PortfolioRecord | None) -> None:
        self._context = context
        self._renamed = renamed

    def start(self) -> dict[str, str]:
        return {Sent.NAME: self._renamed.name} if self._renamed is not None else {}

    def view(self, values: Mapping[str, str]) -> FormView:
        name, before = values.get(Sent.NAME, ""), self._renamed
        refused = self._name_refusal(name)
        field = FieldSpec(name=Sent.NAME, label="name", note=refused or NAME_FORM, wrong=bool(refused))
        return FormView(
            title="new portfolio" if before is None else f"rename portfolio {before.name}",
            fields=(field,),
            notes=("it has an account on every venue and no money",) if before is None else (),
            command=self._create(name) if before is None else self._rename(before, name),
        )

    def _create(self, name: str) -> AccountCommand:
        return build_command(self._context, "create_portfolio", {Sent.NAME: name}, f"create portfolio {name}")

    def _rename(self, before: PortfolioRecord, name: str) -> AccountCommand:
        values = {Sent.PORTFOLIO_ID: str(before.portfolio_id), Sent.NAME: name}
        return build_command(self._context, "rename_portfolio", values, f"rename portfolio {before.name} to {name}")

    def _name_refusal(self, name: str) -> str:
        if not is_portfolio_name(name):
            return f"it takes {NAME_FORM}"
        if self._renamed is not None and name == self._renamed.name:
            return "that is its name now"
        taken = any(one.name == name for one in portfolios_of(self._context.view))
        return "another portfolio has this name" if taken else ""


class KeyForm(FormSubject):
    """A new key of a portfolio, or other rights and addresses of one."""

    def __init__(
        self, context: Context, show_secret: Callable[[NewApiKey], None],
        portfolio_id: int, changed: ApiKeyRecord | None,
    ) -> None:  # fmt: skip
        """
        Args:
            context: What is known of the portfolios.
            show_secret: Shows the secret of a key that was made.
            portfolio_id: Of the portfolio that is proposed for a new key; 0: none.
            changed: The key that is changed; None: a new one.
        """
        self._context = context
        self._show_secret = show_secret
        self._portfolio_id = portfolio_id
        self._changed = changed

    def start(self) -> dict[str, str]:
        key = self._changed
        if key is None:
            return {Sent.PORTFOLIO_ID: str(self._portfolio_id)}
        held = key.permission.split(",")
        rights = {one.value: _YES.value if one.value in held else _NO.value for one in _GRANTED}
        return {Sent.API_NAME: key.api_name, Sent.IP: key.ip, **rights}

    def accepted(self, outcome: Outcome) -> None:
        if isinstance(outcome.answer, NewApiKey):
            self._show_secret(outcome.answer)

    def view(self, values: Mapping[str, str]) -> FormView:
        fields = (
            *self._portfolio_fields(),
            self._name_field(values),
            *self._right_fields(),
            self._address_field(values),
        )
        wrong = any(field.wrong for field in fields)
        key = self._changed
        where = "" if key is None else f" of {portfolio_name(self._context.view, key.portfolio_id)}"
        return FormView(
            title="new API key" if key is None else f"change API key {key.api_name}{where}",
            fields=fields,
            notes=("its secret is shown once, when it has been made",) if key is None else (),
            needs=() if portfolios_of(self._context.view) else (PORTFOLIO_TAB.query(PANE, self._context.view),),
            command=None if wrong else self._command(values),
            question=None if wrong else self._question(values),
        )

    # Fields

    def _portfolio_choices(self) -> tuple[Choice, ...]:
        return tuple(Choice(str(one.portfolio_id), one.name) for one in portfolios_of(self._context.view))

    def _portfolio_fields(self) -> tuple[FieldSpec, ...]:
        if self._changed is not None:
            return ()
        choices = self._portfolio_choices()
        note = "" if choices else "the portfolios are not read yet"
        return (FieldSpec(name=Sent.PORTFOLIO_ID, label="portfolio", choices=choices or (Choice("", "–"),), note=note,
                          wrong=not choices),)  # fmt: skip

    @staticmethod
    def _name_field(values: Mapping[str, str]) -> FieldSpec:
        name = values.get(Sent.API_NAME, "")
        fits = bool(name.strip()) and len(name) <= MAX_KEY_NAME and clean(name) == name
        accepted = f"1 to {MAX_KEY_NAME} characters; what it is for"
        return FieldSpec(
            name=Sent.API_NAME, label="name", note=accepted if fits else f"it takes {accepted}", wrong=not fits
        )

    @staticmethod
    def _right_fields() -> tuple[FieldSpec, ...]:
        return tuple(
            FieldSpec(name=one.value, label=one.value.lower(), choices=(_NO, _YES), note=_MEANINGS[one.value])
            for one in _GRANTED
        )

    def _address_field(self, values: Mapping[str, str]) -> FieldSpec:
        text = values.get(Sent.IP, "")
        kept = self._changed is not None and self._changed.ip
        note = "empty: the list stays as it is; it cannot be emptied" if kept else "empty: any address"
        wrong = False
        if text:
            try:
                count = len(parse_addresses(text))
                note = f"{count} of {MAX_ADDRESSES} addresses, separated by commas"
            except BadAddress as bad:
                note, wrong = str(bad), True
        return FieldSpec(name=Sent.IP, label="addresses", note=note, wrong=wrong)

    # The command

    @staticmethod
    def _rights(values: Mapping[str, str]) -> list[str]:
        return [one.value for one in _GRANTED if chosen(values, one.value, (_NO, _YES)) == _YES.value]

    def _command(self, values: Mapping[str, str]) -> AccountCommand:
        name, key = values.get(Sent.API_NAME, ""), self._changed
        portfolio_id = (
            chosen(values, Sent.PORTFOLIO_ID, self._portfolio_choices()) if key is None else str(key.portfolio_id)
        )
        where = portfolio_name(self._context.view, int(portfolio_id))
        sent = {
            Sent.PORTFOLIO_ID: portfolio_id,
            Sent.API_NAME: name,
            Sent.IP: ",".join(parse_addresses(values.get(Sent.IP, ""))),
            Sent.PERMISSION: ",".join([_READ.value, *self._rights(values)]),
        }
        if key is None:
            return build_command(self._context, "create_api_key", sent, f"create API key {name} of {where}")
        sent[Sent.ACCESS_KEY] = key.access_key
        return build_command(self._context, "change_api_key", sent, f"change API key {key.api_name} of {where}")

    def _question(self, values: Mapping[str, str]) -> Question | None:
        """A key with which money can leave is asked about."""
        held = self._changed.permission if self._changed is not None else ""
        if "WITHDRAW" not in self._rights(values) or "WITHDRAW" in held.split(","):
            return None
        from_where = values.get(Sent.IP, "") or "any address"
        return Question(
            kind="withdraw",
            title="A key with which money can leave",
            choices=(Option("send", f"let key {values.get(Sent.API_NAME, '')} withdraw from {from_where}"),),
            notes=("whoever has the secret can withdraw to the address book of the user",),
        )
