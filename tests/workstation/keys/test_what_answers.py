"""One rule says which key answers a question and sends a form; each says it itself, and a refused letter stops it."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from pathlib import Path

import pytest

from tests.workstation.driver import Desk, desk
from tests.workstation.tickets.ticket_desk import read_panel
from tui.engine.intents import AccountCommand, Decision, Outcome, Place, Verdict
from tui.engine.modes import Environment, TradingState
from tui.workstation.input.action import Risk
from tui.workstation.input.actions import ACTIONS
from tui.workstation.input.scopes import QUESTIONS, Scope
from tui.workstation.widgets.forms.view import FieldSpec, FormSubject, FormView
from tui.workstation.widgets.prompts import PromptScreen
from tui.workstation.widgets.question import Option, Question

TUI = Path(__file__).parents[3] / "tui"
DECISION = Decision(environment=Environment.PAPER, portfolio="7001", state=TradingState.ARMED, source="test")
ANSWERS = {Scope.PROMPT: "y", Scope.ASK: "y", Scope.WORD: "enter", Scope.KILL: "enter", Scope.FORM_END: "y"}
SAYS = {
    "plain": "[ Back: change nothing ] Enter or Esc y confirms the selected line",
    "several": "[ Back: change nothing ] Enter or Esc y confirms the selected line",
    "cancels": "[ Back: change nothing ] Enter or Esc y confirms the selected line",
    "word": "type go: _ Esc back",
    "kill": "Enter does it Esc back or type all",
}
"""What a question says of its keys, by kind."""


def build_question(kind: str) -> Question:
    choices = [Option("one", "the first effect")]
    if kind in ("several", "kill"):
        choices.append(Option("two", "the second effect", word="all" if kind == "kill" else ""))
    return Question(
        kind=kind, title="A title", choices=tuple(choices), only_cancels=kind == "cancels", kill=kind == "kill",
        word="go" if kind == "word" else "",
    )  # fmt: skip


def find_calls(name: str) -> list[tuple[Path, set[str]]]:
    """List the calls of a name in the product, with their keywords."""
    return [
        (path, {word.arg or "" for word in node.keywords})
        for path in TUI.rglob("*.py")
        if f"{name}(" in (text := path.read_text())
        for node in ast.walk(ast.parse(text))
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == name
    ]


class Move(FormSubject):
    """A form with one field, with or without a question."""

    def __init__(self, question: Question | None) -> None:
        self.question = question

    def view(self, values: Mapping[str, str]) -> FormView:
        args = (("amount", values.get("amount", "")),)
        command = AccountCommand(decision=DECISION, endpoint="transfer", args=args, title="move")
        field = FieldSpec(name="amount", label="amount")
        return FormView(title="move", fields=(field,), command=command, question=self.question)


def said(at: Desk) -> str:
    """What stands in the question, on one line."""
    prompt = at.app.context.modal(PromptScreen)
    assert prompt is not None
    rows = ("".join(text for text, _ in line) for line in prompt.body.build_lines())
    return " ".join(" ".join(rows).split())


def test_each_kind_of_question_has_one_confirming_key() -> None:
    assert set(ANSWERS) == QUESTIONS | {Scope.FORM_END}
    for scope, key in ANSWERS.items():
        sends = [
            action for action in ACTIONS
            if scope in action.scopes and action.risk in (Risk.SEND, Risk.KILL) and not action.id.startswith("kill.open")
        ]  # fmt: skip
        answers = {action.id: action.keys for action in sends if action.id != "form.take"}
        assert set(answers.values()) == {(key,)}, (scope, answers)


def test_only_listed_modules_build_kill_and_typed_word_questions() -> None:
    questions = find_calls("Question")
    assert len(questions) > 20
    for path, words in questions:
        assert not {"kill", "word"} <= words, path
        assert "kill" not in words or path.name == "kill_keys.py", path
    worded = [path for path, words in find_calls("Option") if "word" in words]
    assert {path.name for path in worded} <= {"kill_keys.py", "kill_plan.py", "risk_keys.py"}, (
        "a word of a choice is for the kill prompt and the way out of a risk mode"
    )


@pytest.mark.parametrize("kind", SAYS)
async def test_each_kind_of_question_names_the_keys_that_answer_it(kind: str) -> None:
    async with desk(160, 45) as at:
        answers: list[str | None] = []
        for keys in (("enter",), ("y",), (*"go", "enter")):
            at.app.context.prompt(build_question(kind), answers.append)
            await at.settle()
            assert SAYS[kind] in said(at)
            at.clock.pass_by(1.0)
            await at.pause(0.2)
            await at.press(*keys)
            await at.settle()
            if at.scope() in QUESTIONS:
                answers.append("open")
                await at.press("escape")
                answers.pop()
        plain, word = [None, "one", None], ["open", "open", "one"]
        assert answers == {"word": word, "kill": ["one", "open", "open"]}.get(kind, plain)


@pytest.mark.parametrize("way", ["tab", "enter"])
async def test_enter_at_the_end_of_a_form_sends_nothing_and_names_y(way: str) -> None:
    async with desk(160, 45) as at:
        at.app.controllers.forms.open(Move(None))
        await at.press("5", way)
        assert at.scope() is Scope.FORM_END and "y sends it" in at.text() and "y send" in at.text().splitlines()[-1]
        at.clock.pass_by(1.0)
        await at.pause(0.5)
        await at.press("enter")
        assert at.port.intents == [] and at.events()[-1].endswith("Enter sends no form: y sends it")
        await at.pause(0.5)
        await at.press("y")
        [intent] = at.port.intents
        assert isinstance(intent, AccountCommand) and dict(intent.args) == {"amount": "5"}


@pytest.mark.parametrize("key", ["y", "enter"])
async def test_a_form_with_a_question_asks_and_the_next_y_sends(key: str) -> None:
    async with desk(160, 45) as at:
        at.app.controllers.forms.open(Move(build_question("plain")))
        await at.press("5", "tab")
        assert at.port.intents == [] and at.scope() is Scope.FORM_END and "y asks first, then y sends it" in at.text()
        await at.press(key)
        assert at.scope() is Scope.PROMPT and SAYS["plain"] in said(at)
        at.clock.pass_by(1.0)
        await at.pause(0.5)
        await at.press("y")
        assert len(at.port.intents) == 1


# Letters that are no answer


def key_line(at: Desk) -> str:
    return at.text().split("\n")[-1].strip()


async def test_a_blocked_ticket_or_form_names_backspace_as_its_key() -> None:
    async with desk(120, 36) as at:
        await at.press("1", "b", "0", "5", "enter")
        assert "Backspace continues" in read_panel(at)
        assert key_line(at).startswith("Ticket  Backspace continue") and "Tab" not in key_line(at)
        await at.press("escape", "escape", "3", "p", "up", "w")
        assert at.scope() in (Scope.FORM, Scope.FORM_END)
        assert key_line(at).startswith("Form  Backspace continue  Esc back") and "Right" not in key_line(at)
        await at.press("backspace")
        assert "continue" not in key_line(at)


async def test_the_key_line_of_the_pnl_pane_names_the_grouping_key() -> None:
    async with desk(160, 45) as at:
        at.app.main_screen.show_pane("pnl")
        await at.settle()
        assert at.scope() is Scope.PNL and "w grouping" in key_line(at)


@pytest.mark.parametrize("kind", ["plain", "several"])
async def test_letters_typed_on_a_question_block_its_y_until_backspace(kind: str) -> None:
    async with desk(160, 45) as at:
        answers: list[str | None] = []
        at.app.context.prompt(build_question(kind), answers.append)
        at.clock.pass_by(1.0)
        await at.press("w", "5")
        assert "w5 is no answer: y does nothing" in at.text() and "Backspace continues" in at.text()
        assert "Backspace continue" in key_line(at) and " y " not in key_line(at)
        at.clock.pass_by(2.0)
        await at.pause(1.2)
        await at.press("y")
        assert answers == [] and at.events()[-1].endswith(
            "y does nothing behind letters that are no answer: Backspace continues, Esc closes"
        )
        await at.press("backspace")
        assert SAYS[kind] in said(at)
        await at.pause(1.2)
        await at.press("y")
        assert answers == ["one"]


async def test_enter_or_esc_declines_a_question_blocked_by_letters() -> None:
    async with desk(160, 45) as at:
        answers: list[str | None] = []
        for key in ("enter", "escape"):
            at.app.context.prompt(build_question("plain"), answers.append)
            at.clock.pass_by(1.0)
            await at.press("w", key)
            await at.settle()
        assert answers == [None, None]


async def test_the_key_that_opened_a_question_does_not_block_its_y() -> None:
    """Pressed again it is no typing: the question is open already."""
    async with desk(160, 45) as at:
        await at.press("3", "g", "r")
        assert at.scope() is Scope.PROMPT
        at.clock.pass_by(1.0)
        await at.pause(0.8)
        await at.press("r")
        assert "is no answer" not in at.text()
        await at.pause(1.2)
        await at.press("y")
        assert [type(intent) for intent in at.port.intents] == [Place]


async def test_letters_typed_on_a_cancel_question_do_not_block_its_y() -> None:
    async with desk(160, 45) as at:
        answers: list[str | None] = []
        at.app.context.prompt(build_question("cancels"), answers.append)
        at.clock.pass_by(1.0)
        await at.press("w")
        await at.pause(1.2)
        await at.press("y")
        assert answers == ["one"]


@pytest.mark.parametrize("size", [(80, 24), (160, 45)])
async def test_letters_typed_on_a_ticket_question_block_its_y(size: tuple[int, int]) -> None:
    async with desk(*size) as at:
        ask = Outcome(verdict=Verdict.ASK, guard="FIRST_OF_DAY", text="first order of the day")
        at.port.outcomes = [ask, Outcome(verdict=Verdict.ACCEPTED, key="new")]
        await at.press("b", "enter")
        await at.settle()
        assert at.scope() is Scope.ASK and "? first order of the day" in at.text() and "y sends" in read_panel(at)
        sent = len(at.port.intents)
        await at.press("w")
        assert "w is not an answer here: y does nothing" in read_panel(at) and "y sends" not in read_panel(at)
        assert key_line(at).startswith("Ticket  Backspace continue  Esc back")
        at.clock.pass_by(2.0)
        await at.pause(1.2)
        await at.press("y")
        assert len(at.port.intents) == sent and at.scope() is Scope.ASK
        assert at.events()[-1].endswith("y does nothing. Backspace continues")
        await at.press("backspace")
        assert "? first order of the day" in at.text() and "y sends" in read_panel(at)
        await at.pause(1.2)
        await at.press("y")
        assert len(at.port.intents) == sent + 1 and isinstance(at.port.intents[-1], Place)


async def test_esc_returns_to_the_ticket_from_its_blocked_question() -> None:
    async with desk(160, 45) as at:
        at.port.outcomes = [Outcome(verdict=Verdict.ASK, guard="FIRST_OF_DAY", text="first order of the day")]
        await at.press("b", "enter")
        await at.settle()
        await at.press("w", "escape")
        assert at.scope() is Scope.PREVIEW and "is not an answer" not in read_panel(at)
        assert at.app.context.modal(PromptScreen) is None and "sends" in read_panel(at)


# The line of keys


@pytest.mark.parametrize("size", [(80, 24), (160, 45)])
async def test_the_line_of_keys_follows_the_answer_to_a_form_at_once(size: tuple[int, int]) -> None:
    """It kept the keys of the form until the next status of the engine, as no key had closed it."""
    async with desk(*size) as at:
        at.port.hold = True
        at.app.controllers.forms.open(Move(None))
        await at.press("5", "tab")
        await at.pause(0.5)
        await at.press("y")
        assert "y send" in at.text().splitlines()[-1]
        at.port.answer(Outcome(verdict=Verdict.ASK, guard="DUPLICATE", text="the same left 1 s ago"))
        await at.settle()
        assert at.scope() is Scope.PROMPT and "y confirm" in at.text().splitlines()[-1]
        at.clock.pass_by(1.0)
        await at.pause(0.5)
        await at.press("y")
        assert at.scope() is Scope.FORM_END and "y send" in at.text().splitlines()[-1]
        at.port.answer(Outcome(verdict=Verdict.ACCEPTED))
        await at.settle()
        keys = at.text().splitlines()[-1]
        assert at.scope() is Scope.QUOTES and "b buy" in keys and "send" not in keys
