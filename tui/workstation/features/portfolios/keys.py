"""Key handlers of the portfolios screen: forms, freezing, deleting, and showing the secret of a new API key."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial

from tui.engine.event_line import Level
from tui.interface.families.portfolios import (
    ApiKeyRecord,
    ChangeApiKey,
    DeleteApiKey,
    KeyStatus,
    NewApiKey,
    PortfolioRecord,
)
from tui.interface.request import CommandRequest
from tui.workstation.commands.availability import Blocks
from tui.workstation.commands.context import NO_ROW, Context, no_single_row
from tui.workstation.commands.form_keys import FormKeys
from tui.workstation.commands.form_openers import BuildForm, FormOpeners
from tui.workstation.commands.launcher_services import PortfolioChoice
from tui.workstation.commands.order_outcome import report_outcome
from tui.workstation.features.portfolios.forms import KeyForm, PortfolioForm
from tui.workstation.features.portfolios.pane import PortfoliosPane
from tui.workstation.features.portfolios.secret import SecretBody, SecretScreen
from tui.workstation.features.portfolios.tabs import KEY_TAB, PORTFOLIO_TAB, is_traded, portfolio_name, portfolios_of
from tui.workstation.input.handlers import Handlers
from tui.workstation.table.live_table import LiveTable
from tui.workstation.widgets.forms.view import FormSubject
from tui.workstation.widgets.question import Beside, Option, Question, order_count_text

OTHER_SCREEN = "only on the screen of the portfolios (⟦screen.portfolios⟧)"
ON_KEYS = "only on a row of the API keys: ⟦view.next⟧ on the portfolios screen (⟦screen.portfolios⟧) shows them"


class PortfolioKeys(FormOpeners):
    """Key handlers of the portfolios screen; one instance per app."""

    def __init__(self, context: Context, forms: FormKeys, choice: PortfolioChoice) -> None:
        super().__init__(context, forms)
        self._choice = choice
        self._read: dict[str, str] = {}
        """Names of portfolios by id, as far as read: the key of a sub portfolio cannot read the list again."""

    def openers(self) -> Mapping[str, BuildForm]:
        return {"portfolio.new": self._build_new, "portfolio.edit": self._build_change}

    def handlers(self) -> Handlers:
        return {
            **super().handlers(),
            "portfolio.trade": self.trade,
            "key.freeze": self.freeze,
            "key.delete": self.delete,
            "secret.copy": self.copy_secret,
            "secret.copy_key": self.copy_key,
        }

    def blocks(self) -> Blocks:
        return {
            **super().blocks(),
            "portfolio.trade": self._trade_block,
            "key.freeze": self._key_block,
            "key.delete": self._key_block,
        }

    # Selected row

    @staticmethod
    def _pane(table: LiveTable | None) -> PortfoliosPane | None:
        return table.pane if table is not None and isinstance(table.pane, PortfoliosPane) else None

    def _row(self) -> PortfolioRecord | ApiKeyRecord | None:
        """Return the selected portfolio or API key."""
        pane, key = self._pane(self._context.table), self._context.target()
        row = pane.row(key) if pane is not None and key is not None else None
        return row if isinstance(row, PortfolioRecord | ApiKeyRecord) else None

    def _key_block(self, table: LiveTable | None) -> str:
        pane = self._pane(table)
        if pane is None or pane.tab is not KEY_TAB:
            return ON_KEYS
        return no_single_row(table, "a change") or self._context.not_armed_reason()

    def _trade_block(self, table: LiveTable | None) -> str:
        pane = self._pane(table)
        if pane is None or pane.tab is not PORTFOLIO_TAB:
            return "only on a row of the portfolios screen (⟦screen.portfolios⟧)"
        row = self._row()
        if not isinstance(row, PortfolioRecord):
            return no_single_row(table, "a change of portfolio") or NO_ROW
        return "this portfolio is already traded" if is_traded(row, self._context.view) else self._choice.why_fixed()

    def trade(self) -> None:
        """Ask for confirmation, then switch trading to the selected portfolio."""
        row = self._row()
        if isinstance(row, PortfolioRecord):
            self.ask_trade(row.name)

    def why_not_traded(self, name: str) -> str:
        """Return why a portfolio cannot be traded from now on, or an empty text."""
        status, known = self._context.mirror.engine_status, self._list_names()
        if status is not None and name in self._names_traded():
            return f"this desk trades {name} already"
        if reason := self._choice.why_fixed():
            return reason
        if name in known:
            return ""
        if known == [self._choice.main]:
            reads = "⟦screen.portfolios⟧ reads them with the key of main; then type use and the name"
            return self._context.view.name_keys(f"the portfolios are not read yet: {reads}")
        return f"no portfolio is named {name}; there are {', '.join(known)}"

    def _list_names(self) -> list[str]:
        """Return the names of the portfolios that can be traded: the main portfolio's, and those read so far."""
        self._read |= {str(row.portfolio_id): row.name for row in portfolios_of(self._context.view)}
        return [*filter(None, [self._choice.main]), *self._read.values()]

    def _names_traded(self) -> set[str]:
        """Return the names and the id of the portfolio that is traded now."""
        status = self._context.mirror.engine_status
        if status is None:
            return set()
        return {status.portfolio, status.portfolio_name, self._read.get(status.portfolio, status.portfolio_name)}

    def _keep_name(self) -> str:
        """Remember the traded portfolio's name as the way back after a change, and return it."""
        names, status = self._list_names(), self._context.mirror.engine_status
        if status is None:
            return self._choice.main
        if status.portfolio_name not in names:
            self._read[status.portfolio] = status.portfolio_name
        return status.account_name

    def ask_trade(self, name: str) -> None:
        """Ask for confirmation, then switch trading to a portfolio."""
        context = self._context
        left, back = order_count_text(context.mirror.working()), self._keep_name()
        question = Question(
            kind="portfolio", beside=Beside.DESK, title="Trade another portfolio",
            choices=(Option("trade", f"trade portfolio {name} from now on"),),
            notes=(
                f"{left} of {context.portfolio_text} stay live at the venue",
                "trading state becomes VIEW; the paper venue restarts with its saved state",
                f"to go back, type : and then use {back}",
            ),
        )  # fmt: skip
        context.prompt(question, lambda answer: self._choice.trade(name) if answer else None)

    # Forms

    def _build_new(self, table: LiveTable | None) -> FormSubject | str:
        """Build the form for a new portfolio; while the list of keys is shown, the form for a new API key."""
        pane, row = self._pane(table), self._row()
        if pane is None:
            return OTHER_SCREEN
        if pane.tab is not KEY_TAB:
            return PortfolioForm(self._context, None)
        return self._build_key_form(row.portfolio_id if row is not None else 0, None)

    def _build_change(self, table: LiveTable | None) -> FormSubject | str:
        """Build the form that changes the selected portfolio or API key, or return why there is none."""
        pane = self._pane(table)
        if pane is None:
            return OTHER_SCREEN
        if pane.tab not in (PORTFOLIO_TAB, KEY_TAB):
            return "only on a row of the portfolios or of the keys"
        reason = no_single_row(table, "a change")
        row = self._row() if not reason else None
        if row is None:
            return reason or NO_ROW
        if isinstance(row, ApiKeyRecord):
            return self._build_key_form(row.portfolio_id, row)
        return PortfolioForm(self._context, row) if row.belonging_to else "the main portfolio cannot be renamed"

    def _build_key_form(self, portfolio_id: int, changed: ApiKeyRecord | None) -> KeyForm:
        return KeyForm(self._context, self.show_secret, portfolio_id, changed)

    # Freezing and deleting

    def _describe_keys(self, key: ApiKeyRecord) -> str:
        return f"API key {key.api_name} of {portfolio_name(self._context.view, key.portfolio_id)}"

    def freeze(self) -> None:
        """Ask for confirmation, then freeze the selected API key, or unfreeze it if it is frozen."""
        key = self._row()
        if not isinstance(key, ApiKeyRecord):
            return
        frozen = key.status == KeyStatus.FROZEN
        verb = "unfreeze" if frozen else "freeze"
        effect = (
            "the service will then accept the key again"
            if frozen
            else "the service will then refuse the key and close its streams"
        )
        question = Question(
            kind="freeze", title=f"{verb.capitalize()} a key", choices=(Option(verb, f"{verb} {self._describe_keys(key)}"),),
            notes=(effect,),
        )  # fmt: skip
        status = KeyStatus.NORMAL if frozen else KeyStatus.FROZEN
        self._ask(
            question,
            ChangeApiKey(portfolio_id=str(key.portfolio_id), access_key=key.access_key, status=str(int(status))),
            f"{verb} {self._describe_keys(key)}",
        )

    def delete(self) -> None:
        """Delete the API key after a typed confirmation."""
        key = self._row()
        if not isinstance(key, ApiKeyRecord):
            return
        question = Question(
            kind="delete key", title="Delete a key", choices=(Option("delete", f"delete {self._describe_keys(key)}"),),
            notes=("the key stops working for good, and so does every program that uses it",), word="delete",
        )  # fmt: skip
        request = DeleteApiKey(portfolio_id=str(key.portfolio_id), access_key=key.access_key)
        self._ask(question, request, f"delete {self._describe_keys(key)}")

    def _ask(self, question: Question, request: CommandRequest, title: str) -> None:
        context = self._context

        def send(answer: str | None) -> None:
            if answer is not None:
                context.submit(context.command(request, title, title), partial(report_outcome, context))

        context.prompt(question, send)

    # Secret

    def show_secret(self, key: NewApiKey) -> None:
        """Show the secret of a new API key; it is forgotten when the dialog closes."""
        context, screen = self._context, self._context.list_screen
        keys = context.view.name_keys("⟦secret.copy⟧ copies the secret, ⟦secret.copy_key⟧ the access key; Esc closes")
        body = SecretBody(key, portfolio_name(context.view, key.portfolio_id), screen.palette, keys)
        context.open_modal(SecretScreen(body))

    @property
    def _secret(self) -> SecretScreen | None:
        return self._context.modal(SecretScreen)

    def copy_secret(self) -> None:
        self._copy(lambda key: key.secret_key, "the secret")

    def copy_key(self) -> None:
        self._copy(lambda key: key.access_key, "the access key")

    def _copy(self, part: Callable[[NewApiKey], str], name: str) -> None:
        """Copy a part of the API key to the terminal's clipboard; messages name the part, never its text."""
        screen = self._secret
        if screen is not None:
            self._context.app.copy_to_clipboard(part(screen.body.key))
            screen.body.say(f"{name} was sent to the clipboard of the terminal; Esc closes")
            self._context.say(f"{name} of API key {screen.body.key.api_name} was sent to the clipboard", Level.INFO)
