"""Keymaps: shipped ones are usable, own ones are read again, and no key changes under the finger."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest

from tests.workstation.driver import KEYMAPS, desk
from tests.workstation.keys.test_command_line import placed
from tui.cli.named_files import NamedFiles, read_folder
from tui.workstation.commands.keymap_switch import KeymapSwitch, list_differences
from tui.workstation.features.keymaps.keymap_list import KeymapList
from tui.workstation.input.actions import ACTIONS, BY_ID
from tui.workstation.input.keymap import ANSWERS, KeymapError, KeymapFile, build_keymap, is_in_palette
from tui.workstation.input.keymap_files import parse_keymap
from tui.workstation.input.scopes import Scope
from tui.workstation.model.screen_preferences import ScreenPreferences, StoredPreferences
from tui.workstation.settings import WorkstationSettings


def shipped() -> list[KeymapFile]:
    files, errors = read_folder(KEYMAPS, parse_keymap)
    assert not errors
    return files


def files(own: Path = KEYMAPS / "nowhere") -> NamedFiles[KeymapFile]:
    return NamedFiles(KEYMAPS, own, parse_keymap)


@pytest.mark.parametrize("file", shipped(), ids=lambda file: file.name)
def test_a_shipped_keymap_needs_no_warning(file: KeymapFile) -> None:
    assert file.about and file.name in {path.stem for path in KEYMAPS.glob("*.toml")}
    assert build_keymap(file.keys).warnings == []
    assert all(keys != BY_ID[action.id].keys for action, keys in list_differences(file))


def test_no_shipped_keymap_rebinds_enter_escape_or_tab() -> None:
    for file in shipped():
        for action, keys in list_differences(file):
            assert not {"enter", "escape", "tab"} & set(keys) - set(action.keys), (file.name, action.id)


def test_no_letter_stages_an_order_in_the_command_line_keymap() -> None:
    keymap = build_keymap(next(file for file in shipped() if file.name == "command_line").keys)
    staging = ("stage.", "position.", "chart.buy", "chart.sell", "ladder.buy", "ladder.sell", "algo.new")
    assert [action.id for action in ACTIONS if action.id.startswith(staging) and keymap.of(action.id)] == []
    assert keymap.of("order.cancel") == ("c",) and "X" in keymap.of("kill.open")


@pytest.mark.parametrize("name", ["order.cancel", "form.close", "palette.open", "prompt.no"])
def test_a_keymap_may_not_unbind_actions_the_palette_cannot_do(name: str) -> None:
    assert not is_in_palette(BY_ID[name])
    with pytest.raises(KeymapError, match=f"{name} must keep a key, because nothing else can do it"):
        build_keymap({name: "none"})


@pytest.mark.parametrize("name", sorted(ANSWERS))
def test_the_key_that_answers_a_question_cannot_be_changed(name: str) -> None:
    """`C` opens the cancel of all orders; as a key of `prompt.yes` it would also confirm it."""
    own = BY_ID[name].keys
    assert build_keymap({name: "none"}).of(name) == own
    for key in ("C", "b", "f5"):
        with pytest.raises(KeymapError, match=f"{name}: {key} cannot answer; the key that sends is always {own[0]}"):
            build_keymap({name: key})


def test_key_y_cannot_be_bound_to_any_other_action() -> None:
    others = [action.id for action in ACTIONS if "y" not in action.keys]
    assert len(others) > 100
    for name in others:
        with pytest.raises(
            KeymapError, match=r"y answers questions; it cannot open|y cannot answer|y is text in a field"
        ):
            build_keymap({name: "y"})


def test_the_help_key_stays_if_a_keymap_sets_it_to_none() -> None:
    assert build_keymap({"help.open": "none"}).of("help.open") == BY_ID["help.open"].keys


@pytest.mark.parametrize(
    ("text", "wrong"),
    [
        (
            'name = "mine"\n[keys]\n"stage.bui" = "n"',
            "mine.toml, line 3: keys: unknown action 'stage.bui'; did you mean",
        ),
        ('name = "mine"\n[keys]\n"order.edit" = "c"', "mine.toml: keys: c means both order.edit and order.cancel"),
        ('name = "mine"\nkey = "x"', "mine.toml, line 2: unknown key 'key'; known are name, about, keys"),
        ('name = "mine"\n[keys]\n"order.edit" = 3', "mine.toml, line 3: keys.order.edit = 3: accepted is a text in"),
        ('name = "mine"\n[keys]\norder.edit = "x"', 'mine.toml, line 3: write "order.edit" in quotes'),
        (
            'name = "mine"\n[keys]\n"order.edit" = "qqq"',
            "line 3: keys: order.edit: no such key 'qqq'; accepted are a letter",
        ),
        ('name = "mine"\nkeys = 3', "mine.toml, line 2: keys = 3: accepted is a table"),
        ("[keys]", "mine.toml: name is missing"),
        ("name = ", "mine.toml, line 1: name =: accepted is a value: a number"),
    ],
)
def test_an_error_in_a_keymap_file_names_file_and_place(text: str, wrong: str) -> None:
    with pytest.raises(KeymapError) as found:
        parse_keymap(text, "mine.toml")
    assert wrong in str(found.value)


def test_an_unknown_keymap_name_in_the_settings_is_an_error() -> None:
    with pytest.raises(KeymapError, match=r"'vin'; choose standard, .*, vim; did you mean vim"):
        KeymapSwitch("vin", {}, files().read)


def test_an_invalid_own_keymap_named_in_settings_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "mine.toml").write_text('name = "mine"\n[keys]\n"order.edit" = "c"')
    with pytest.raises(KeymapError, match=r"mine\.toml: keys: c means both"):
        KeymapSwitch("mine", {}, files(tmp_path).read)


def test_a_saved_keymap_that_is_missing_yields_to_the_settings() -> None:
    switch = KeymapSwitch("vim", {}, files().read, stored="mine")
    assert switch.in_use.name == "vim" and "there is no keymap 'mine'; choose" in switch.warnings[0]
    assert "the keys are those of vim" in switch.warnings[0]


def test_single_keys_set_in_the_settings_override_the_keymap() -> None:
    switch = KeymapSwitch("vim", {"order.cancel": "c,delete"}, files().read)
    assert switch.keymap.of("order.cancel") == ("c", "delete")


async def test_the_keymap_list_shows_keys_and_enter_applies_a_keymap(tmp_path: Path) -> None:
    kept: list[bytes] = []
    async with desk(keymaps=files(tmp_path), save_preferences=kept.append) as at:
        await at.press("f9", "down", "down")
        assert at.scope() is Scope.KEYMAPS
        text = at.text()
        assert "left_hand" in text and "buy at best bid" in text and "no key" in text and "in use" in text
        await at.press("enter")
        assert "keymap left_hand, also at the next start" in at.events()[-1]
        assert ScreenPreferences({}, [], kept[0]).keymap == "left_hand"
        assert msgspec.json.decode(kept[0], type=StoredPreferences).keymap == "left_hand"
        await at.press("w")
        assert at.scope() is Scope.PREVIEW and at.app.main_screen.panel.ticket is not None
        assert at.app.keymaps.keymap.of("stage.buy") == ("w",) and not placed(at)


async def test_the_keymap_list_names_invalid_files_and_keeps_the_keys(tmp_path: Path) -> None:
    (tmp_path / "mine.toml").write_text('name = "mine"\n[keys]\n"ladder.page_down" = "ctrl+f,ctrl+d,pagedown"\n')
    (tmp_path / "other.toml").write_text('name = "other"\n[keys]\n"stage.bui" = "n"\n')
    settings = WorkstationSettings(bell=False, keymap="mine")
    async with desk(settings=settings, keymaps=files(tmp_path)) as at:
        await at.press("f9")
        assert any("keymap not usable: other.toml, line 3: keys: unknown action" in text for text in at.events())
        assert "PgDn page of prices down" in at.text()
        await at.press("escape")
        (tmp_path / "mine.toml").write_text('name = "mine"\n[keys]\n"order.edit" = "c"\n')
        await at.press("f9")
        assert any("keymap not usable: mine.toml: keys: c means both" in text for text in at.events())
        body = at.app.screen.focused
        assert isinstance(body, KeymapList) and body.chosen.name == "mine"
        assert any("▸ mine" in line and "in use" in line for line in at.text().splitlines())
        await at.press("escape")
        at.app.controllers.keymaps.follow_files()
        assert at.app.keymaps.files.count(at.app.keymaps.in_use) == 1


async def test_keys_do_not_change_while_a_ticket_is_open(tmp_path: Path) -> None:
    path = tmp_path / "mine.toml"
    path.write_text('name = "mine"\n[keys]\n"stage.buy" = "w"\n"result.view" = "none"\n')
    settings = WorkstationSettings(bell=False, keymap="mine")
    async with desk(settings=settings, keymaps=files(tmp_path)) as at:
        follow = at.app.controllers.keymaps.follow_files
        await at.press("w")
        path.write_text('name = "mine"\n[keys]\n"stage.buy" = "D,w"\n"result.view" = "none"\n"screen.loans" = "none"\n')
        follow()
        assert at.app.keymaps.keymap.of("stage.buy") == ("w",)
        await at.press("f9")
        assert "keys do not change while a ticket is open" in at.text()
        await at.press("escape")
        follow()
        assert at.app.keymaps.keymap.of("stage.buy") == ("D", "w") and "keymap mine read again" in at.events()[-1]
        path.write_text('name = "mine"\n[keys]\n"stage.buy" = "c"\n"order.edit" = "c"\n')
        follow()
        assert at.app.keymaps.keymap.of("stage.buy") == ("D", "w")
        assert any("keymap not usable: mine.toml: keys: c means both" in text for text in at.events())


async def test_the_footer_and_the_help_show_the_keys_of_the_keymap() -> None:
    settings = WorkstationSettings(bell=False, keymap="left_hand")
    async with desk(160, 45, settings=settings) as at:
        assert "w buy" in at.text()
        await at.press("?")
        assert "buy at best bid" in at.text()


async def test_vim_keys_move_in_lists_and_are_letters_in_fields(tmp_path: Path) -> None:
    settings = WorkstationSettings(bell=False, keymap="vim")
    async with desk(80, 24, settings=settings, keymaps=files(tmp_path)) as at:
        quotes = at.app.main_screen.tables["quotes"]
        rows = []
        for key in ("g", "j", "k", "G", "g", "ctrl+d", "ctrl+u"):
            await at.press(key)
            rows.append(quotes.cursor.index)
        last = len(quotes.pane.arrange_keys()) - 1
        assert rows[:5] == [0, 1, 0, last, 0] and 1 < rows[5] < last and rows[6] == 0
        await at.press("/", *"jkgGx")
        assert at.app.main_screen.filter_field.value == "jkgGx"
