"""Form that borrows or repays a coin; validated while typing, with account values before and after."""

from __future__ import annotations

from collections.abc import Mapping
from decimal import ROUND_DOWN, Decimal

from tui.engine.intents import AccountCommand
from tui.engine.service_query import ListRead, ReadState, ServiceQuery, query_endpoint
from tui.interface.decimals import ZERO, BadDecimal, half_up, parse_typed, plain
from tui.interface.families.portfolio_loans import Borrow, LoanAccount, LoanInfo, LoanType, MaxLoan, Repay
from tui.rules import account
from tui.rules.borrowing import portfolio_loans as rules
from tui.workstation.commands.context import Context
from tui.workstation.features.loans.rows import describe_limit
from tui.workstation.model import account_snapshot, number_format
from tui.workstation.model.account_snapshot import Missing
from tui.workstation.model.borrow_rates import HOURS_OF_A_DAY, describe_rate, loan_rate, loan_terms
from tui.workstation.widgets.forms.account_figures import compare_accounts
from tui.workstation.widgets.forms.view import FieldSpec, Figure, FormSubject, FormView
from tui.workstation.widgets.question import Option, Question

_AMOUNT = "amount"
_ALL = "all"
"""Word that repays as much as is owed and available."""


class LoanForm(FormSubject):
    """Form that borrows or repays one coin on one venue."""

    def __init__(self, kind: LoanType, exchange: str, coin: str, context: Context) -> None:
        self.kind = kind
        self.exchange = exchange
        self.coin = coin
        self._context = context
        self._view = context.view
        self._most = query_endpoint(f"loan form/most {exchange}", "portfolio_loan_max", (("exchange", exchange),))
        self._info = query_endpoint("loan form/info", "portfolio_loan_info")

    # Facts

    def _answer(self, query: ServiceQuery) -> ListRead | None:
        answer = self._view.mirror.answers.get(query.key)
        return answer if answer is not None and answer.state is ReadState.WHOLE else None

    @property
    def _loan_info(self) -> LoanInfo | None:
        answer = self._answer(self._info)
        return answer.data if answer is not None and isinstance(answer.data, LoanInfo) else None

    @property
    def _account(self) -> LoanAccount | None:
        info = self._loan_info
        return next((account for account in info.accounts if account.exchange == self.exchange), None) if info else None

    @property
    def most(self) -> Decimal | None:
        """Largest amount that can be borrowed; None if not read yet."""
        answer = self._answer(self._most)
        rows = [row for row in answer.rows if isinstance(row, MaxLoan)] if answer is not None else []
        wanted = (self.exchange, self.coin)
        return next((number_format.value(row.portfolio_max_loan_coin) for row in rows
                     if (row.exchange, row.coin) == wanted), None)  # fmt: skip

    @property
    def owed(self) -> Decimal:
        """Portfolio loan of the coin at the venue; 0 if there is none."""
        fact = self._view.mirror.assets.get(f"{self.exchange}/{self.coin}")
        loan = fact.record.loan if fact is not None else None
        return (number_format.value(loan) if isinstance(loan, str) else None) or ZERO

    @property
    def _margin_debt(self) -> Decimal:
        """Debt of the coin from margin orders at the venue; 0 if there is none."""
        fact = self._view.mirror.assets.get(f"{self.exchange}/{self.coin}")
        return (number_format.value(fact.record.debt) if fact is not None else None) or ZERO

    @property
    def _available(self) -> Decimal | None:
        fact = self._view.mirror.assets.get(f"{self.exchange}/{self.coin}")
        free = number_format.value(fact.record.available) if fact is not None else None
        # Averages of the service have more places than an amount may have, and `all` would be refused with them.
        return None if free is None else free.quantize(Decimal(1).scaleb(-rules.AMOUNT_PLACES), rounding=ROUND_DOWN)

    # View

    def view(self, values: Mapping[str, str]) -> FormView:
        """Build the form view for the typed amount."""
        text = values.get(_AMOUNT, "")
        amount, note = self._judge(text)
        refusal = self._refusal()
        # A refusal that holds for every amount hides the field error.
        field = FieldSpec(
            name=_AMOUNT, label=f"{_AMOUNT} {self.coin}", note=note, refused=amount is None and not refusal
        )
        figures = self._figures(amount) if amount is not None else ()
        title = f"{self.kind.value} {self.coin} on {self.exchange}"
        command = self._command(amount, figures) if amount is not None else None
        return FormView(
            title=title, fields=(field,), figures=figures, notes=self._notes(), refusal=refusal, command=command,
            needs=(self._most, self._info),
            question=self._question(amount, figures) if amount is not None and self._borrows else None,
        )  # fmt: skip

    @property
    def _borrows(self) -> bool:
        return self.kind is LoanType.BORROW

    def _refusal(self) -> str:
        """Return why nothing can be borrowed or repaid now, whatever the amount, or an empty text."""
        loan_account = self._account
        if not self._borrows:
            return self.why_no_repayment
        if loan_terms(self._view.mirror, self.coin) is None:
            return f"{self.coin} cannot be borrowed, or the terms are not read yet"
        if loan_account is not None and loan_account.account_status in ("LIQUIDATING", "TAKEOVER"):
            return f"the {self.exchange} account is in {loan_account.account_status}"
        if loan_account is not None and (number_format.value(loan_account.ltv) or ZERO) >= rules.NO_BORROWING_LTV:
            return f"LTV is {loan_account.ltv}; borrowing is refused at {rules.NO_BORROWING_LTV} and above"
        return ""

    @property
    def why_no_repayment(self) -> str:
        """Reason why nothing can be repaid, or empty; a margin debt is owed too, but cannot be repaid as a loan."""
        none, debt = f"no loan of {self.coin} on {self.exchange}", self._margin_debt
        if self.owed or not debt:
            return "" if self.owed else none
        debt_text = f"the {self._amount(debt)} {self.coin} owed on {self.exchange} are a margin debt"
        return f"{debt_text}: buying {self.coin}, or a transfer of it, repays it; there is no loan to repay"

    def _judge(self, text: str) -> tuple[Decimal | None, str]:
        """Return the typed amount and a note on limits; if it is invalid, None and the reason."""
        limit = self._describe_limit()
        if not text:
            return None, limit
        try:
            amount = self._all_owed() if text.strip().casefold() == _ALL and not self._borrows else parse_typed(text)
        except BadDecimal as problem:
            return None, str(problem)
        if amount <= 0 or amount != round(amount, rules.AMOUNT_PLACES):
            return None, f"accepted: above 0 with at most {rules.AMOUNT_PLACES} decimals"
        if self._borrows:
            most = self.most
            too_much = most is not None and amount > most
            return (None, f"more than can be borrowed: {limit}") if too_much else (amount, limit)
        free = self._available
        if amount > self.owed or (free is not None and amount > free):
            return None, f"more than {limit}"
        return amount, limit

    def _all_owed(self) -> Decimal:
        """Return the amount for `all`: the loan, or the available balance if that is less."""
        return self.owed if self._available is None else min(self.owed, self._available)

    def _describe_limit(self) -> str:
        if not self._borrows:
            free = "–" if self._available is None else self._amount(self._available)
            owed = self._amount(self.owed)
            return f"owed {owed}, available {free}; type all to repay the loan, or what is available if that is less"
        most, info, loan_account = self.most, self._loan_info, self._account
        if most is None:
            answer = self._view.mirror.answers.get(self._most.key)
            failed = answer is not None and answer.state is ReadState.FAILED
            return f"the maximum cannot be read: {answer.text}" if failed and answer else "the maximum is being read"
        reason = (
            describe_limit(info, loan_account, self.coin, plain(most), self._view.mirror)
            if info and loan_account
            else ""
        )
        return f"up to {self._amount(most)}{f' ({reason})' if reason else ''}"

    def _notes(self) -> tuple[str, ...]:
        rate = loan_rate(self._view.mirror, self.coin)
        if self._borrows:
            return (f"interest {describe_rate(rate)}; repay at any time",)
        return ("repays principal only: interest is taken from the balance at each full hour",)

    def _figures(self, amount: Decimal) -> tuple[Figure, ...]:
        """Compute account values before and after the loan changes; none while an input is unknown."""
        row = account_snapshot.account_of(self._view.mirror, self.exchange)
        if isinstance(row, Missing) or row.coin(self.coin) is None:
            return ()
        then = rules.change_loan(row, self.coin, amount if self._borrows else -amount)
        before, after = account.compute_figures(row), account.compute_figures(then)
        loans, loans_then = rules.compute_figures(row, before), rules.compute_figures(then, after)
        rate = loan_rate(self._view.mirror, self.coin) or ZERO
        step = amount if self._borrows else -amount
        return (
            Figure(name=f"loan {self.coin}", before=self._amount(self.owed), after=self._amount(self.owed + step)),
            Figure(
                name="LTV", before=plain(loans.ltv_shown), after=plain(loans_then.ltv_shown),
                low=loans_then.ltv >= rules.WARNING_LTV,
            ),
            *compare_accounts(before, after, self._view),
            Figure(name="interest a day", before=self._daily(self.owed, rate),
                   after=self._daily(self.owed + step, rate)),
        )  # fmt: skip

    def _daily(self, loan: Decimal, rate: Decimal) -> str:
        return number_format.decimal_figure(half_up(loan * rate * HOURS_OF_A_DAY, 8), 2, exact=True)

    def _amount(self, value: Decimal) -> str:
        return number_format.decimal_figure(value, 2, separators=self._view.settings.separators, exact=True)

    # Command

    def _command(self, amount: Decimal, figures: tuple[Figure, ...]) -> AccountCommand:
        shown = "; ".join(f"{figure.name} {figure.before} → {figure.after}" for figure in figures)
        kind = Borrow if self._borrows else Repay
        request = kind(exchange=self.exchange, coin=self.coin, amount=plain(amount))
        title = f"{self.kind.value} {self._amount(amount)} {self.coin} on {self.exchange}"
        return self._context.command(request, title, shown)

    def _question(self, amount: Decimal, figures: tuple[Figure, ...]) -> Question:
        changes = "; ".join(
            f"{figure.name} {figure.before} → {figure.after}" for figure in figures if figure.name in ("LTV", "uniMMR")
        )
        loan = f"{self._amount(amount)} {self.coin} on {self.exchange}"
        rate = describe_rate(loan_rate(self._view.mirror, self.coin))
        return Question(
            kind="loan",
            title=f"Borrow for {self._context.portfolio_text}",
            choices=(Option("borrow", f"{loan}{': ' if changes else ''}{changes}"),),
            notes=(f"interest {rate}",),
        )
