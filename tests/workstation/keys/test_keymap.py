"""Own keys: checked as a whole, with sentences."""

from __future__ import annotations

import re

import pytest
from textual.keys import _character_to_key, key_to_character

from tui.workstation.input.actions import ACTIONS, BY_ID, RENAMED
from tui.workstation.input.handlers import HandlerError, Handlers, merge_handlers
from tui.workstation.input.key_table import key_table_markdown
from tui.workstation.input.keymap import KeymapError, build_keymap, map_meanings, normalize_key
from tui.workstation.input.scopes import TYPED, Scope


def refusal(**own: str) -> str:
    with pytest.raises(KeymapError) as found:
        build_keymap({name.replace("__", "."): keys for name, keys in own.items()})
    return str(found.value)


def test_default_key_bindings_have_no_conflicts() -> None:
    keymap = build_keymap({})
    assert all(keymap.of(action.id) == action.keys for action in ACTIONS)


def test_default_keys_are_spelled_in_the_normalized_form() -> None:
    for action in ACTIONS:
        for key in action.keys:
            assert normalize_key(key) == key, (action.id, key)


def test_default_keys_match_the_key_names_textual_reports() -> None:
    keymap = build_keymap({"quit.ask": "ctrl+q,f10"})
    found = map_meanings(keymap)
    wanted = [
        (scope, _character_to_key(key) if len(key) == 1 else key, action.id, key)
        for action in ACTIONS
        for key in keymap.of(action.id)
        for scope in action.scopes
    ]
    assert [(*place, *meant) for place, meant in found.items()] == wanted
    assert found[Scope.POSITIONS, "comma"] == ("sort.next", ",") and found[Scope.QUOTES, "f10"][0] == "quit.ask"


def test_no_letter_key_has_an_action_where_text_is_typed() -> None:
    """A key that means something never reaches a field, so no letter may mean anything there."""
    found = {key: key_to_character(key) for scope, key in map_meanings(build_keymap({})) if scope in TYPED}
    assert "enter" in found
    assert not [key for key, character in found.items() if character is not None and character.isprintable()]


@pytest.mark.parametrize(
    ("text", "key"),
    [("esc", "escape"), ("return", "enter"), ("F1", "f1"), ("shift+s", "S"), ("shift+ctrl+A", "ctrl+shift+a"),
     ("comma", ","), ("x", "x"), (" n ", "n"), ("pgup", "pageup"), ("nokey", None), ("foo+a", None), ("", None)],
)  # fmt: skip
def test_key_spellings_are_normalized(text: str, key: str | None) -> None:
    assert normalize_key(text) == key


def test_unknown_action_or_key_in_a_keymap_gets_a_suggestion() -> None:
    assert "did you mean stage.buy" in refusal(stage__bui="n")
    assert "did you mean escape" in refusal(pane__close="escpe")


def test_a_keymap_with_two_actions_on_one_key_is_rejected() -> None:
    assert "n means both stage.buy and stage.sell in " in refusal(stage__buy="n", stage__sell="n")


def test_a_user_key_replaces_the_default_key_of_another_action() -> None:
    keymap = build_keymap({"stage.buy": "n"})
    assert keymap.of("stage.buy") == ("n",) and keymap.of("position.break_even") == ()
    assert keymap.warnings == ["keys: n now does stage.buy; position.break_even has lost it, give it another key"]


def test_a_keymap_may_not_take_the_cancel_or_kill_key_for_others() -> None:
    assert "c means both" in refusal(stage__buy="c", order__edit="c")
    assert "in orders" in refusal(order__edit="c")
    assert "kill.open" in refusal(stage__buy="X")


def test_escape_and_tab_cannot_be_bound_to_trading_actions() -> None:
    assert "cannot trade" in refusal(stage__buy="escape")
    assert "cannot trade" in refusal(order__cancel="tab")


def test_binding_a_letter_to_a_text_field_action_is_rejected() -> None:
    assert "is text in a field" in refusal(field__next="n")
    assert "is text in a field" in refusal(kill__open_text="k")


def test_kill_help_and_quit_keep_their_default_keys() -> None:
    keymap = build_keymap({"kill.open": "K", "kill.open_text": "f9", "help.open": "f1", "quit.ask": "f10"})
    assert set(keymap.of("kill.open")) == {"X", "K"}
    assert "ctrl+g" in keymap.of("kill.open_text")
    assert "?" in keymap.of("help.open") and "ctrl+q" in keymap.of("quit.ask")


def test_a_warning_names_bound_keys_the_terminal_may_intercept() -> None:
    assert any("ctrl+s" in text for text in build_keymap({"stage.buy": "ctrl+s"}).warnings)


def test_a_bad_keymap_lists_all_its_problems_at_once() -> None:
    text = refusal(stage__bui="n", stage__sell="nokey", order__cancel="escape")
    assert len(text.splitlines()) >= 3


def test_the_generated_key_table_lists_every_action() -> None:
    table = key_table_markdown()
    assert all(action.title in table for action in ACTIONS)
    assert len(table.splitlines()) == len(ACTIONS) + 2
    assert len(BY_ID) == len(ACTIONS)


def test_renamed_action_ids_in_a_keymap_work_with_a_warning() -> None:
    keymap = build_keymap({"history.erase": "f7", "setting.up": "f8,k,tab", "setting.close": "escape,q"})
    assert keymap.of("edit.erase") == ("backspace", "f7") and keymap.of("form.turn") == ("right", "f8")
    assert keymap.of("form.close") == ("escape",)
    assert sorted(keymap.warnings) == [
        "keys: history.erase is called edit.erase now",
        "keys: setting.close is called form.close now",
        "keys: setting.close: q cannot be a key of form.close: left out",
        "keys: setting.up is called form.turn now",
        "keys: setting.up: k, tab cannot be a key of form.turn: left out",
    ]
    assert set(RENAMED.values()) <= set(BY_ID) and not set(RENAMED) & set(BY_ID)


def test_every_key_action_has_a_handler() -> None:
    from tests.workstation.driver import shipped_themes
    from tests.workstation.scripted import ScriptedClock, ScriptedPort
    from tui.workstation.app.app import CrossdeskApp
    from tui.workstation.settings import WorkstationSettings

    clock = ScriptedClock()
    app = CrossdeskApp(ScriptedPort(clock), clock, WorkstationSettings(), shipped_themes, lambda: None)
    assert set(app._handlers) == set(BY_ID)


def nothing() -> None:
    """A handler."""


@pytest.mark.parametrize(
    ("tables", "said"),
    [
        ([{"a": nothing}], "no handler for the action 'b'"),
        ([{"a": nothing, "b": nothing}, {"b": nothing}], "the action 'b' has two handlers"),
        ([{"a": nothing, "b": nothing, "c": nothing}], "there is a handler for 'c', but no action of that name"),
    ],
)
def test_handler_tables_that_do_not_match_actions_fail_at_start(tables: list[Handlers], said: str) -> None:
    with pytest.raises(HandlerError, match=re.escape(said)):
        merge_handlers(["a", "b"], tables)


def test_key_handlers_of_all_controllers_merge_into_one_table() -> None:
    assert merge_handlers(["a", "b"], [{"a": nothing}, {"b": nothing}]) == {"a": nothing, "b": nothing}
