"""Forms for portfolios and API keys: name, permissions and allowed addresses."""

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
    ChangeApiKey,
    CreateApiKey,
    CreatePortfolio,
    NewApiKey,
    PortfolioRecord,
    RenamePortfolio,
    is_portfolio_name,
    parse_addresses,
)
from tui.interface.text import clean
from tui.workstation.commands.context import Context
from tui.workstation.features.portfolios.tabs import PANE, PORTFOLIO_TAB, portfolio_name, portfolios_of
from tui.workstation.widgets.forms.view import Choice, FieldSpec, FormSubject, FormView, choose_value
from tui.workstation.widgets.question import Option, Question

_READ, *_GRANTED = PERMISSIONS
_NO, _YES = Choice("no"), Choice("yes")
_MEANINGS = {
    "TRADE": "orders, leverage, borrowing, portfolios and keys",
    "TRANSFER": "transfers and custody",
    "WITHDRAW": "this key can withdraw the user's money",
}


class PortfolioForm(FormSubject):
    """Form for the name of a new or existing portfolio."""

    def __init__(self, context: Context, renamed: PortfolioRecord | None) -> None:
        self._context = context
        self._renamed = renamed

    def start(self) -> dict[str, str]:
        return {"name": self._renamed.name} if self._renamed is not None else {}

    def view(self, values: Mapping[str, str]) -> FormView:
        name, before = values.get("name", ""), self._renamed
        refused = self._name_refusal(name)
        field = FieldSpec(name="name", label="name", note=refused or NAME_FORM, refused=bool(refused))
        return FormView(
            title="new portfolio" if before is None else f"rename portfolio {before.name}",
            fields=(field,),
            notes=("a new portfolio has an account on every venue, and no money",) if before is None else (),
            command=self._create(name) if before is None else self._rename(before, name),
        )

    def _create(self, name: str) -> AccountCommand:
        title = f"create portfolio {name}"
        return self._context.command(CreatePortfolio(name=name), title, title)

    def _rename(self, before: PortfolioRecord, name: str) -> AccountCommand:
        request = RenamePortfolio(portfolio_id=str(before.portfolio_id), name=name)
        title = f"rename portfolio {before.name} to {name}"
        return self._context.command(request, title, title)

    def _name_refusal(self, name: str) -> str:
        if not is_portfolio_name(name):
            return f"it takes {NAME_FORM}"
        if self._renamed is not None and name == self._renamed.name:
            return "this is already its name"
        taken = any(row.name == name for row in portfolios_of(self._context.view))
        return "another portfolio has this name" if taken else ""


class KeyForm(FormSubject):
    """Form for a new API key of a portfolio, or for the permissions and addresses of an existing one."""

    def __init__(
        self, context: Context, show_secret: Callable[[NewApiKey], None],
        portfolio_id: int, changed: ApiKeyRecord | None,
    ) -> None:  # fmt: skip
        """Initialize the form.

        Args:
            context: Context with the portfolios.
            show_secret: Show the secret of a created key.
            portfolio_id: Id of the portfolio proposed for a new key; 0: none.
            changed: Key to change; None: a new one.
        """
        self._context = context
        self._show_secret = show_secret
        self._portfolio_id = portfolio_id
        self._changed = changed

    def start(self) -> dict[str, str]:
        key = self._changed
        if key is None:
            return {"portfolio_id": str(self._portfolio_id)}
        held = key.permission.split(",")
        rights = {right.value: _YES.value if right.value in held else _NO.value for right in _GRANTED}
        return {"api_name": key.api_name, "ip": key.ip, **rights}

    def on_accepted(self, outcome: Outcome) -> None:
        if isinstance(outcome.answer, NewApiKey):
            self._show_secret(outcome.answer)

    def view(self, values: Mapping[str, str]) -> FormView:
        fields = (
            *self._portfolio_fields(),
            self._name_field(values),
            *self._right_fields(),
            self._address_field(values),
        )
        refused = any(field.refused for field in fields)
        key = self._changed
        where = "" if key is None else f" of {portfolio_name(self._context.view, key.portfolio_id)}"
        return FormView(
            title="new API key" if key is None else f"change API key {key.api_name}{where}",
            fields=fields,
            notes=("its secret is shown once, right after creation",) if key is None else (),
            needs=() if portfolios_of(self._context.view) else (PORTFOLIO_TAB.query(PANE, self._context.view),),
            command=None if refused else self._command(values),
            question=None if refused else self._question(values),
        )

    # Fields

    def _portfolio_choices(self) -> tuple[Choice, ...]:
        return tuple(Choice(str(row.portfolio_id), row.name) for row in portfolios_of(self._context.view))

    def _portfolio_fields(self) -> tuple[FieldSpec, ...]:
        if self._changed is not None:
            return ()
        choices = self._portfolio_choices()
        note = "" if choices else "the portfolios are not read yet"
        return (FieldSpec(name="portfolio_id", label="portfolio", choices=choices or (Choice("", "–"),), note=note,
                          refused=not choices),)  # fmt: skip

    @staticmethod
    def _name_field(values: Mapping[str, str]) -> FieldSpec:
        name = values.get("api_name", "")
        fits = bool(name.strip()) and len(name) <= MAX_KEY_NAME and clean(name) == name
        accepted = f"1 to {MAX_KEY_NAME} characters; what the key is for"
        return FieldSpec(
            name="api_name", label="name", note=accepted if fits else f"it takes {accepted}", refused=not fits
        )

    @staticmethod
    def _right_fields() -> tuple[FieldSpec, ...]:
        return tuple(
            FieldSpec(name=right.value, label=right.value.lower(), choices=(_NO, _YES), note=_MEANINGS[right.value])
            for right in _GRANTED
        )

    def _address_field(self, values: Mapping[str, str]) -> FieldSpec:
        text = values.get("ip", "")
        kept = self._changed is not None and self._changed.ip
        note = "empty: the address list stays unchanged; it cannot be cleared" if kept else "empty: any address"
        refused = False
        if text:
            try:
                count = len(parse_addresses(text))
                note = f"{count} of {MAX_ADDRESSES} addresses, separated by commas"
            except BadAddress as bad:
                note, refused = str(bad), True
        return FieldSpec(name="ip", label="addresses", note=note, refused=refused)

    # Command

    @staticmethod
    def _rights(values: Mapping[str, str]) -> list[str]:
        return [right.value for right in _GRANTED if choose_value(values, right.value, (_NO, _YES)) == _YES.value]

    def _command(self, values: Mapping[str, str]) -> AccountCommand:
        name, key = values.get("api_name", ""), self._changed
        portfolio_id = (
            choose_value(values, "portfolio_id", self._portfolio_choices()) if key is None else str(key.portfolio_id)
        )
        where = portfolio_name(self._context.view, int(portfolio_id))
        addresses = ",".join(parse_addresses(values.get("ip", "")))
        rights = ",".join([_READ.value, *self._rights(values)])
        if key is None:
            request = CreateApiKey(portfolio_id=portfolio_id, api_name=name, ip=addresses, permission=rights)
            title = f"create API key {name} of {where}"
            return self._context.command(request, title, title)
        change = ChangeApiKey(
            portfolio_id=portfolio_id, access_key=key.access_key, api_name=name, ip=addresses, permission=rights
        )
        title = f"change API key {key.api_name} of {where}"
        return self._context.command(change, title, title)

    def _question(self, values: Mapping[str, str]) -> Question | None:
        """Return a confirmation question for a key that can withdraw money, else None."""
        held = self._changed.permission if self._changed is not None else ""
        if "WITHDRAW" not in self._rights(values) or "WITHDRAW" in held.split(","):
            return None
        from_where = values.get("ip", "") or "any IP address"
        return Question(
            kind="withdraw",
            title="A key that can withdraw money",
            choices=(
                Option("send", f"allow withdrawals with API key {values.get('api_name', '')}, used from {from_where}"),
            ),
            notes=("whoever has the secret can withdraw to the address book of the user",),
        )
