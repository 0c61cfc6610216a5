"""Forms: fields are judged beside them, choices turn, figures follow, questions are asked, answers stay in sight."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from tests.workstation.driver import Desk, desk
from tui.engine.intents import AccountCommand, Decision, Outcome, Verdict
from tui.engine.modes import Environment, RiskMode, TradingState
from tui.engine.rows import Table
from tui.engine.service_query import ListRead, ReadState, query_endpoint
from tui.workstation.input.scopes import PANES, Scope
from tui.workstation.model.mirror import Mirror
from tui.workstation.widgets.forms.body import FormScreen
from tui.workstation.widgets.forms.view import Choice, FieldSpec, Figure, FormSubject, FormView, choose_value
from tui.workstation.widgets.question import Option, Question

DECISION = Decision(environment=Environment.PAPER, portfolio="7001", state=TradingState.ARMED, source="test")
VENUES = (Choice("BINANCE", "Binance"), Choice("OKX", "OKX"), Choice("FUNDING", "Funding Account"))
QUOTA = query_endpoint("quota", "rapid_pool", (("pool", "OKX"),))


class Move(FormSubject):
    """500 of a coin at most, to one of three places; one of them wants a network."""

    def __init__(self, mirror: Mirror) -> None:
        self.mirror = mirror
        self.done: list[Outcome] = []
        self.asks = False

    def start(self) -> dict[str, str]:
        return {"amount": "500"}

    def on_accepted(self, outcome: Outcome) -> None:
        self.done.append(outcome)

    def view(self, values: Mapping[str, str]) -> FormView:
        amount, to = values.get("amount", ""), choose_value(values, "to", VENUES)
        network = values.get("network", "")
        known = amount.isdecimal() and 0 < int(amount) <= 500
        fields = [
            FieldSpec(name="to", label="to", choices=VENUES),
            FieldSpec(
                name="amount",
                label="amount",
                note="500 can be moved" if known else "it takes 1 to 500",
                refused=not known,
            ),
        ]
        if to == "FUNDING":
            fields.append(FieldSpec(name="network", label="network", note="for example TRC20", refused=not network))
        whole = all(not field.refused for field in fields)
        quota = self.mirror.answers.get("quota")
        said = f"the pool has {quota.data}" if quota is not None else ""
        args = (("amount", amount), ("to", to), ("network", network))
        return FormView(
            title="move USDT", fields=tuple(fields), needs=(QUOTA,) if to == "OKX" else (), notes=(said,) if said else (),
            figures=(Figure(name="uniMMR", before="12.10", after="11.40"),) if known else (),
            refusal="" if whole else "not yet",
            command=AccountCommand(decision=DECISION, endpoint="transfer", args=args, title="move") if whole else None,
            question=Question(kind="move", title="Move", choices=(Option("move", f"{amount} to {to}"),), word="move")
            if self.asks
            else None,
        )  # fmt: skip


def opened(at: Desk) -> Move:
    subject = Move(at.app.mirror)
    at.app.controllers.forms.open(subject)
    return subject


async def test_an_account_form_is_filled_and_sent_by_keyboard() -> None:
    async with desk(160, 45) as at:
        subject = opened(at)
        await at.settle()
        assert at.scope() is Scope.FORM
        assert "move USDT" in at.text() and "‹ Binance ›" in at.text() and "uniMMR" in at.text()
        await at.press("right", "down")
        assert "‹ OKX ›" in at.text() and "500_" in at.text()
        await at.press("2", "5", "0", "backspace", "enter", "y")
        assert at.sent_arguments() == [{"amount": "25", "to": "OKX", "network": ""}]
        await at.settle()
        assert at.scope() is not Scope.FORM and [one.verdict for one in subject.done] == [Verdict.ACCEPTED]


async def test_an_invalid_form_field_keeps_focus_and_sends_nothing() -> None:
    async with desk(160, 45) as at:
        opened(at)
        await at.press("down", "9", "9", "9", "enter")
        assert at.text().count("it takes 1 to 500") == 1 and "999_" in at.text()
        await at.press("down", "enter")
        assert at.sent_arguments() == [] and "999_" in at.text()
        assert "not yet: amount is refused" in at.text()
        await at.press("ctrl+u")
        assert "not yet: amount is missing" in at.text()


async def test_a_form_field_appears_when_a_choice_needs_it() -> None:
    async with desk(120, 36) as at:
        opened(at)
        await at.press(" ", " ")
        assert "‹ Funding Account ›" in at.text() and "network" in at.text()
        await at.press("left", "left", "left")
        assert "‹ OKX ›" not in at.text() and "‹ Funding Account ›" in at.text()
        await at.press("down", "down", *"TRC20", "enter", "y")
        assert at.sent_arguments() == [{"amount": "500", "to": "FUNDING", "network": "TRC20"}]


async def test_form_data_is_queried_once_and_shown_on_arrival() -> None:
    async with desk(120, 36) as at:
        opened(at)
        await at.press("right", "left", "right")
        assert at.port.read_requests == [QUOTA]
        at.port.put(Table.ANSWERS, "quota", ListRead(query=QUOTA, state=ReadState.WHOLE, data="800,000"))
        await at.settle()
        assert "the pool has 800,000" in at.text()


@pytest.mark.parametrize(
    ("outcome", "words"),
    [
        (
            Outcome(verdict=Verdict.REJECTED, code=404904, text="404904 Not enough"),
            "rejected: 404904 Not enough",
        ),
        (Outcome(verdict=Verdict.DENIED, guard="MODE", text="risk mode is HALT"), "denied MODE: risk mode is HALT"),
        (Outcome(verdict=Verdict.UNKNOWN, text="HTTP 502; being asked about"), "UNKNOWN: HTTP 502; being asked about"),
    ],
)
async def test_a_form_reply_stays_visible_until_typing(outcome: Outcome, words: str) -> None:
    async with desk(160, 45) as at:
        subject = opened(at)
        at.port.outcomes.append(outcome)
        await at.press("down", "down", "y")
        await at.settle()
        assert words in at.text() and at.scope() is Scope.FORM_END and subject.done == []
        await at.press("up", "1")
        assert words not in at.text()


@pytest.mark.parametrize("asks", [False, True])
async def test_a_form_in_view_mode_sends_nothing_and_says_why(asks: bool) -> None:
    async with desk(160, 45, armed=False) as at:
        opened(at).asks = asks
        await at.press("down", "down", "enter", "y")
        assert at.scope() is Scope.FORM_END and at.port.intents == []
        assert "nothing is sent in state VIEW; press a to arm" in at.text()


async def test_a_form_awaiting_its_reply_does_not_send_again() -> None:
    async with desk(160, 45) as at:
        opened(at)
        at.port.hold = True
        await at.press("down", "down", "y")
        at.clock.pass_by(5.0)
        await at.press("y")
        assert len(at.sent_arguments()) == 1 and "the form was already sent; wait for the reply" in at.text()
        at.port.answer(Outcome(verdict=Verdict.REJECTED, code=401917, text="401917 too far"))
        await at.settle()
        at.clock.pass_by(1.0)
        await at.press("y")
        assert len(at.sent_arguments()) == 2


async def test_left_right_home_and_end_move_in_a_text_field_of_a_form() -> None:
    async with desk(160, 45) as at:
        opened(at)
        await at.press("down", "left", "2")
        assert "502_0" in at.text()
        await at.press("home", "delete", "end", "backspace")
        assert "02_" in at.text()


async def test_a_form_over_a_soft_limit_asks_and_y_confirms() -> None:
    async with desk(160, 45) as at:
        opened(at)
        at.port.outcomes.append(Outcome(verdict=Verdict.ASK, guard="DUPLICATE", text="the same left 1 s ago"))
        await at.press("down", "down", "y")
        await at.settle()
        assert at.scope() is Scope.PROMPT and "the same left 1 s ago" in at.text()
        at.clock.pass_by(0.5)
        await at.press("y")
        commands = at.sent_commands()
        assert [one.confirmed for one in commands] == [frozenset(), frozenset(["DUPLICATE"])]


async def test_a_form_whose_question_is_declined_says_nothing_was_sent() -> None:
    async with desk(160, 45) as at:
        opened(at)
        at.port.outcomes.append(Outcome(verdict=Verdict.ASK, guard="DUPLICATE", text="the same left 1 s ago"))
        await at.press("down", "down", "y")
        await at.settle()
        assert "asks: the same left 1 s ago" in at.text()
        await at.press("escape")
        assert at.scope() is Scope.FORM_END and "not confirmed: nothing was sent" in at.text()
        assert "the same left 1 s ago" not in at.text()


@pytest.mark.parametrize(
    ("answer", "told"),
    [
        (Outcome(verdict=Verdict.ASK, guard="DUPLICATE", text="the same left 1 s ago"), "came after the kill"),
        (Outcome(verdict=Verdict.REJECTED, code=401917, text="401917 too far"), "rejected: 401917 too far"),
    ],
)
async def test_a_sent_form_that_a_kill_closes_is_called_sent(answer: Outcome, told: str) -> None:
    async with desk(160, 45) as at:
        opened(at)
        at.port.hold = True
        await at.press("down", "down", "y")
        at.port.set_desk(kills=1, trading_state=TradingState.VIEW, risk_mode=RiskMode.HALT)
        await at.settle()
        assert (
            at.scope() in PANES and "the form closed by itself; it was sent, the reply will be shown here" in at.text()
        )
        assert not any("nothing was sent" in line for line in at.events())
        at.port.answer(answer)
        await at.settle()
        assert at.scope() in PANES and any(told in line for line in at.events())


async def test_a_form_that_needs_a_typed_word_asks_before_sending() -> None:
    async with desk(160, 45) as at:
        opened(at).asks = True
        await at.press("down", "down", "enter")
        assert at.scope() is Scope.WORD and at.sent_arguments() == []
        at.clock.pass_by(0.5)
        await at.press(*"move", "enter")
        assert len(at.sent_arguments()) == 1


async def test_reply_to_a_closed_form_is_shown_as_an_event() -> None:
    async with desk(160, 45) as at:
        opened(at)
        at.port.hold = True
        await at.press("down", "down", "y", "enter")
        assert len(at.sent_arguments()) == 1 and "the form was already sent; wait for the reply" in at.text()
        await at.press("escape")
        at.port.answer(Outcome(verdict=Verdict.UNKNOWN, text="HTTP 502"))
        await at.settle()
        assert any("outcome unknown: HTTP 502" in line for line in at.events())


async def test_at_60x10_the_cursor_line_of_a_form_stays_visible() -> None:
    async with desk(60, 10) as at:
        opened(at)
        await at.press("right", "right", "down", "down")
        form = at.app.screen
        assert isinstance(form, FormScreen)
        assert form.body.size.height < form.body.lines_needed(form.body.size.width)
        assert "▸ network" in at.text()
        await at.press("down")
        assert "▸ send" in at.text() and all(len(line) == 60 for line in at.text().splitlines())


async def test_pasted_text_in_a_form_loses_control_characters() -> None:
    async with desk(120, 36) as at:
        opened(at)
        await at.press("down", "ctrl+u")
        at.paste("4\x1b[31m2\n")
        await at.settle()
        assert "\x1b" not in at.text() and "[31m" in at.text() and at.sent_arguments() == []


async def test_ctrl_g_opens_the_kill_prompt_from_a_form() -> None:
    async with desk(120, 36) as at:
        opened(at)
        await at.press("down", "X")
        assert at.scope() is Scope.FORM
        await at.press("ctrl+g")
        assert at.scope() is Scope.KILL
