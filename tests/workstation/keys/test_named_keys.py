"""A text names a key of the keymap in use: block reasons, empty lists, forms, and all sentences of the source."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable
from functools import cache
from itertools import product
from pathlib import Path

import pytest

import tui.workstation
from tests.workstation.driver import Desk, desk
from tests.workstation.lists.test_empty_panes import panes_of
from tui.engine.intents import Outcome, Verdict
from tui.workstation.app.screen_registry import FULL_SCREENS
from tui.workstation.input.actions import ACTIONS, BY_ID, format_key
from tui.workstation.input.keymap import ANSWERS, build_keymap
from tui.workstation.input.scopes import Scope
from tui.workstation.model.display_context import NO_KEY, name_keys
from tui.workstation.plain.context import HOW_TO_ARM, HOW_TO_LEAVE_MODE, PlainContext
from tui.workstation.settings import WorkstationSettings

HELD = ("ctrl+alt", "alt+super", "super", "hyper", "meta", "ctrl+super", "ctrl+hyper", "ctrl+meta", "alt+hyper",
        "alt+meta", "super+hyper", "super+meta", "hyper+meta", "ctrl+alt+super", "ctrl+alt+hyper")  # fmt: skip
MOVED = [action for action in ACTIONS if not action.fixed and action.id not in ANSWERS]
"""Actions whose keys a keymap can replace."""
OTHER = {
    action.id: f"{held}+f{number}" for action, (held, number) in zip(MOVED, product(HELD, range(1, 25)), strict=False)
}
"""Keymap in which none of them has a key of the standard one."""
WITHOUT = {"state.arm": "none", "screen.history": "none", "screen.funds": "none", "pane.next": "none", "list.down": "none",
           "list.stop": "none", "pair.open": "none", "stage.buy": "none", "order.edit": "none"}  # fmt: skip
KEPT = {format_key(key) for action in ACTIONS if action.fixed or action.id in ANSWERS for key in action.keys} | {"Esc"}
"""Keys that mean the same in every keymap, and Esc, which closes."""
STANDARD = {format_key(key) for action in MOVED for key in action.keys} - KEPT
_NAMES = "|".join(re.escape(key) for key in sorted(STANDARD, key=len, reverse=True))
_ONE = rf"(?:{_NAMES})"
BY_HAND = re.compile(
    rf"\((?:key )?{_ONE}\)"  # the history (H)
    rf"|\({_ONE} (?:stops|continues|tries)\b"  # stopped (n continues)
    rf"|\b(?:press|key) {_ONE}(?= |$|;|,)"  # press a to arm
    rf"|(?:^|[:;.,] ){_ONE}(?: (?:or|and) {_ONE})?"  # no row selected: j selects one
    r" (?:on|there|to|(?!press|its)[a-z]{2,}s)(?= |$|;|:)"
)
"""Key of the standard keymap as a sentence names it."""
NOT_KEYS = re.compile(r"\br needs |% pos|\d+ (?:to|days|characters)\b|! inverts|key [C.][ ,]|(?:Up|Down) scrolls")
"""Words and figures that look like keys, and the few keys that are fixed where they are named."""
UNFILLED = re.compile(r"⟦[a-z]+\.[a-z0-9_]+⟧")
SHIPPED = {"vim": WorkstationSettings(bell=False, keymap="vim")}
FORMS = ("algo.new", "leverage.open", "transfer.open", "deposit.open", "withdraw.open", "loan.borrow")


def find_faults(text: str) -> list[str]:
    """What is wrong with the keys in a text of a keymap without standard keys."""
    return [*BY_HAND.findall(NOT_KEYS.sub("", text)), *UNFILLED.findall(text), *([NO_KEY] if NO_KEY in text else [])]


def reasons(at: Desk, scopes: Iterable[Scope] = Scope) -> list[str]:
    """Why each action cannot run: on each pane, and from scopes."""
    availability = at.app.controllers.palette._availability
    assert availability is not None
    tables = [None, *at.app.main_screen.tables.values()]
    texts = [availability.reason(action, table) for action in ACTIONS for table in tables]
    return [*texts, *(availability.reason_from(action, scope) for action in ACTIONS for scope in scopes)]


async def walk(settings: WorkstationSettings, *, filled: bool) -> dict[str, str]:
    """Texts of a desk by where they stand: block and palette reasons, empty lists, progress, forms."""
    texts: dict[str, str] = {}
    for armed in (False, True):
        async with desk(filled=filled, armed=armed, settings=settings) as at:
            texts |= dict.fromkeys(reasons(at), "reason")
            texts |= {pane.empty(): f"empty {name}" for name, pane in panes_of(at).items()}
            for screen in FULL_SCREENS:
                at.app.controllers.screens.enter_or_leave(screen)
                await at.settle()
                # From a scope of elsewhere they are those of the desk.
                texts |= dict.fromkeys(reasons(at, {Scope.SCREEN, at.scope()}), f"reason on {screen}")
            at.app.context.show_desk()
            for form in FORMS:
                at.app._handlers[form]()
                await at.settle()
                texts |= dict.fromkeys([*at.events(), *at.text().split("\n")[:-1]], form)
                at.app.context.close_pages()
    return texts


@pytest.mark.parametrize("filled", [False, True])
async def test_every_key_named_on_the_screen_follows_the_keymap(filled: bool) -> None:
    assert build_keymap(OTHER).keys.keys() == BY_ID.keys() and len(OTHER) == len(MOVED)
    texts = await walk(WorkstationSettings(bell=False, keys=OTHER), filled=filled)
    assert {text: where for text, where in texts.items() if find_faults(text)} == {}
    assert all(any(format_key(OTHER[name]) in text for text in texts) for name in ("screen.history", "pane.next"))


async def test_with_the_vim_keymap_texts_name_the_keys_of_that_keymap() -> None:
    """Of the keys that vim moves, none is named in its standard place, and its own are."""
    async with desk(settings=SHIPPED["vim"]) as at:
        named = at.app.view.name_keys("⟦list.page_down⟧ pages; ⟦list.down⟧ goes down")
        assert named == "Ctrl+F pages; j goes down"
        assert [text for text in reasons(at) if UNFILLED.search(text) or NO_KEY in text] == []
        assert "only on the history (H)" in reasons(at)


async def test_texts_leave_out_actions_that_have_no_key() -> None:
    async with desk(armed=False, settings=WorkstationSettings(bell=False, keys=WITHOUT)) as at:
        texts = reasons(at)
        assert "only on the history" in texts and "nothing is sent in state VIEW" in texts
        assert "only on a list of rows" in texts or "no other view shares this pane" in texts
        assert [
            text for text in texts if UNFILLED.search(text) or NO_KEY in text or text.endswith((":", ";", ","))
        ] == []


@pytest.mark.parametrize(
    ("text", "keys", "named"),
    [
        ("only on the history (⟦screen.history⟧)", {"screen.history": "é"}, "only on the history (é)"),
        ("only on the history (⟦screen.history⟧)", {}, "only on the history"),
        ("loading; ⟦list.stop⟧ stops it", {}, "loading"),
        ("loading (⟦list.stop⟧ stops it), 3 rows", {}, "loading, 3 rows"),
        ("⟦list.more⟧: more", {"list.more": ":"}, ":: more"),
        ("⟦list.more⟧: more", {}, "more"),
        ("none: ⟦stage.buy⟧ or ⟦stage.sell⟧ opens a ticket; read on", {"stage.buy": "b"}, "none; read on"),
        ("⟦list.more⟧ goes on", {}, f"{NO_KEY} goes on"),
        ("a set {1, 2} and {x}", {}, "a set {1, 2} and {x}"),
        ("refused: {x.y} of {side.buy}; ⟦list.more⟧ goes on", {"list.more": "n"}, "refused: {x.y} of {side.buy}; n goes on"),
        ("refused: {x.y} of {side.buy}; ⟦list.more⟧ goes on", {}, "refused: {x.y} of {side.buy}"),
    ],
)  # fmt: skip
def test_action_names_in_a_text_are_replaced_by_their_keys(text: str, keys: dict[str, str], named: str) -> None:
    assert name_keys(text, lambda action: keys.get(action, "")) == named


async def test_braces_in_a_message_of_the_service_are_shown_unchanged() -> None:
    """What looks like an action in it names no key, and no part of it is left out."""
    message = "order refused: {side.buy} of {x.y}; see {x.y}"
    async with desk(160, 45, settings=WorkstationSettings(bell=False, keys={"side.buy": "f6"})) as at:
        at.port.outcomes = [Outcome(verdict=Verdict.REJECTED, text=message)]
        await at.press("1", "g", "j", "b", "enter")
        await at.settle()
        assert message in at.events()[-1]
        at.app.context.say(f"{message}; ⟦state.arm⟧ arms")
        assert at.events()[-1] == f"{message}; a arms"
        await at.settle()
        assert at.text().count(message) >= 2, "in the events and in the ticket"


async def test_a_form_names_the_keys_that_the_trader_has_set() -> None:
    """A letter on a choice is refused with the keys that change it."""
    async with desk(settings=WorkstationSettings(bell=False, keys={"form.turn": "f6", "form.next": "f5"})) as at:
        await at.press("1", "G", "p", "w")
        assert "is a choice: Left and F6 change it, F5 goes on" in at.events()[-1] and "F5 goes on" in at.text()


def test_texts_of_plain_mode_name_no_keys() -> None:
    for text in (HOW_TO_ARM, PlainContext.how_to_resume, HOW_TO_LEAVE_MODE):
        assert not UNFILLED.search(text)
    assert name_keys("no row selected: ⟦list.down⟧ selects one", lambda _: "") == "no row selected"


@cache
def sentences() -> list[tuple[str, str]]:
    """Texts of the workstation's source, with the file in which they stand; what is computed is an ellipsis."""
    texts: list[tuple[str, str]] = []
    for path in sorted(Path(tui.workstation.__file__).parent.rglob("*.py")):
        if path.name in ("actions.py", "view_actions.py"):
            continue
        passed: set[int] = set()
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Expr):
                passed.add(id(node.value))
            elif isinstance(node, ast.JoinedStr):
                passed |= set(map(id, node.values))
                parts = (part.value if isinstance(part, ast.Constant) else "…" for part in node.values)
                texts.append(("".join(map(str, parts)), path.name))
            elif isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in passed:
                texts.append((node.value, path.name))
    return texts


def test_texts_in_the_source_name_keys_only_by_their_action() -> None:
    assert [
        (text, name) for text, name in sentences() if BY_HAND.search(NOT_KEYS.sub("", UNFILLED.sub("…", text)))
    ] == []


def test_every_action_named_in_a_text_exists() -> None:
    named = [(action, name) for text, name in sentences() for action in re.findall(r"⟦([a-z]+\.[a-z0-9_]+)⟧", text)]
    assert len(named) > 60 and [(action, name) for action, name in named if action not in BY_ID] == []
    in_braces = [
        (text, name) for text, name in sentences() if set(re.findall(r"\{([a-z.0-9_]+)\}", text)) & BY_ID.keys()
    ]
    assert in_braces == [], "braces name no key: a text from outside may have them"


async def test_a_digit_without_function_in_a_list_says_where_it_works() -> None:
    """At 80 columns the examples of sizes filled the line, and what to do was cut off."""
    async with desk(80, 24) as at:
        await at.press("3", "7")
        assert "7 (type the size) works in a ticket: press b or s on a quote first" in at.text().splitlines()[-2]


TEXT_FIELDS = (
    ((":",), Scope.LINE), ((":", *"buy 0.02 okx btc perp at bid-30t po tp entry+2% sl entry-1%"), Scope.LINE),
    (("/",), Scope.FILTER), (("ctrl+p",), Scope.PALETTE), (("b", "2"), Scope.FIELD),
    (("p",), Scope.FORM), (("F",), Scope.WORD), (("f3", "n"), Scope.NAME),
)  # fmt: skip
"""Keys that lead into a field, and its scope."""


@pytest.mark.parametrize("size", [(60, 20), (80, 24), (120, 36)])
async def test_every_text_field_names_the_kill_key(size: tuple[int, int]) -> None:
    """In the command line at 80 columns it was the first key without room."""
    async with desk(*size) as at:
        for keys, scope in TEXT_FIELDS:
            await at.press(*keys)
            assert at.scope() is scope
            assert "Ctrl+G kill" in at.text().splitlines()[-1], (keys, at.text().splitlines()[-1])
            while at.scope() is not Scope.QUOTES:
                await at.press("escape")
