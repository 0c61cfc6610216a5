"""Keymap in use: chosen at the start or from the list, and read again when its file changes."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from tui.interface.text import did_you_mean
from tui.workstation.input.action import Action
from tui.workstation.input.actions import ACTIONS
from tui.workstation.input.keymap import STANDARD, Keymap, KeymapError, KeymapFile, ReadKeymaps, build_keymap

Difference = tuple[Action, tuple[str, ...]]
"""Action, and its keys in a keymap."""


class KeymapSwitch:
    """Keymaps that can be chosen, and the keymap in use; keys in the settings override those of every keymap."""

    def __init__(self, name: str, own: Mapping[str, str], read: Callable[[], ReadKeymaps], *, stored: str = "") -> None:
        """Choose the initial keymap: the one chosen in an earlier run if it can be used, else that of the settings.

        Args:
            name: Name of the keymap in the settings.
            own: Keys of the settings by action id; they override those of every keymap.
            read: Reads the keymap files; not called where the standard keys are wanted.
            stored: Name chosen from the list in an earlier run; empty: none. If it cannot be used, `name` counts.

        Raises:
            KeymapError: Keys or keymap of the settings are not usable.
        """
        self._own, self._read = own, read
        self.files: tuple[KeymapFile, ...] = (STANDARD,)
        self.in_use = STANDARD
        self.keymap = Keymap({}, [])
        self.keymap.become(build_keymap(own))
        self.problem = ""
        """What is wrong with the keymap chosen in an earlier run."""
        if stored and stored != name:
            try:
                self._start_with(stored)
                return
            except KeymapError as error:
                self.problem = f"{error}; the keys are those of {name}"
        self._start_with(name)

    def _start_with(self, name: str) -> None:
        if name == STANDARD.name:
            return
        errors = self.read_files()
        chosen = self.find(name)
        if chosen is None:
            mine = [error for error in errors if error.startswith(f"{name}.toml")]
            names = [file.name for file in self.files]
            there = f"there is no keymap {name!r}; choose {', '.join(names)}{did_you_mean(name, names)}"
            raise KeymapError("\n".join(mine) or there)
        self.use(chosen)

    @property
    def warnings(self) -> list[str]:
        """Warnings about the keys in use, and what is wrong with the keymap chosen in an earlier run."""
        return [*([self.problem] if self.problem else []), *self.keymap.warnings]

    def read_files(self) -> list[str]:
        """Read the keymap files; return what is wrong with those that cannot be used."""
        files, errors = self._read()
        self._take_up(files)
        return errors

    def _take_up(self, files: Sequence[KeymapFile]) -> None:
        """Set the keymaps on offer; the one in use stays among them even if its file is gone."""
        offered = (STANDARD, *files)
        lost = all(file.name != self.in_use.name for file in offered)
        self.files = (*offered, self.in_use) if lost else offered

    def find(self, name: str) -> KeymapFile | None:
        """Return the keymap of a name, or None."""
        return next((file for file in self.files if file.name == name), None)

    def use(self, file: KeymapFile) -> None:
        """Use the keys of a keymap from now on.

        Raises:
            KeymapError: The keys of the settings do not go with it; nothing has changed.
        """
        self.keymap.become(build_keymap({**file.keys, **self._own}))
        self.in_use = file

    def follow(self, files: Sequence[KeymapFile]) -> bool:
        """Update the keymaps after their files were read again; return whether the keys in use have changed.

        The keys in use stay while their file is wrong or gone.

        Raises:
            KeymapError: The keys of the settings do not go with the changed keymap; the keys in use stay.
        """
        self._take_up(files)
        now = self.find(self.in_use.name)
        if now is None or now == self.in_use:
            return False
        self.use(now)
        return True


def list_differences(file: KeymapFile) -> list[Difference]:
    """List the actions with other keys in a keymap than in the standard one, including those that lose a key to it."""
    keymap: Keymap = build_keymap(file.keys)
    return [(action, keymap.of(action.id)) for action in ACTIONS if keymap.of(action.id) != action.keys]
