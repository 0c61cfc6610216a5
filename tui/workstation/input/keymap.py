"""User's keymap merged over the defaults, validated as a whole before startup, and the action of each key."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property

import msgspec
from textual import events
from textual.binding import Binding
from textual.keys import Keys

from tui.crossdesk_error import CrossdeskError
from tui.interface.text import did_you_mean
from tui.workstation.input.action import Action, Risk
from tui.workstation.input.actions import ACTIONS, BY_ID, RENAMED, format_key
from tui.workstation.input.scopes import SCREENS, TYPED, VIEWS, Scope

_ALIASES = {"esc": "escape", "return": "enter", "pgup": "pageup", "pgdn": "pagedown", "del": "delete", "ins": "insert"}
_MODIFIERS = ("ctrl", "alt", "shift", "super", "hyper", "meta")
_NAMED = frozenset(key.value for key in Keys if key.value.isalnum()) | frozenset(
    ["escape", "enter", "tab", "space", "up", "down", "left", "right", "pageup", "pagedown", "home", "end", "delete",
     "insert", "backspace"]
)  # fmt: skip
_NEVER_TRADING = frozenset(["escape", "tab", "shift+tab", "enter", "up", "down", "left", "right"])
ANSWERS = frozenset(
    action.id for action in ACTIONS if action.risk is Risk.SEND and not action.scopes & (VIEWS | SCREENS)
)
"""Actions that send what stands in a ticket, form, line or question; their keys are fixed, so that none opens it, too."""
_YES = "y"
_INPUT_KEYS = frozenset(["backspace", "delete", "home", "end", "left", "right", *(f"ctrl+{c}" for c in "aeukwdxcvf")])
_EATEN = frozenset(["ctrl+i", "ctrl+m", "ctrl+j", "ctrl+h", "ctrl+s", "ctrl+z", "ctrl+tab"])


Meanings = Mapping[tuple[Scope, str], tuple[str, str]]
"""Meaning of keys: (scope, Textual's name of the key) to (action id, canonical key)."""
NO_KEY = "none"
"""Written instead of keys: the action has none, and is run from the palette."""


KEYS = "; accepted are a letter, digit or sign, names such as f5 or pageup, with ctrl+ or shift+ before it, or none"
"""End of an error about a key that does not exist."""


class KeymapError(CrossdeskError, ValueError):
    """Invalid keymap; the message lists all errors, one per line."""

    title = "Keys not usable"


class KeymapFile(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Content of a keymap file."""

    name: str
    about: str = ""
    """Few words for the list of keymaps."""
    keys: dict[str, str] = {}
    """Keys by action id, several separated by commas, or `none`; the other actions keep the standard keys."""


STANDARD = KeymapFile(name="standard", about="the default keys")

ReadKeymaps = tuple[list[KeymapFile], list[str]]
"""Keymaps, and the errors of invalid files."""


class Keymap:
    """Keys of every action after the user's changes, with warnings about keys a terminal may not deliver."""

    def __init__(self, keys: dict[str, tuple[str, ...]], warnings: list[str]) -> None:
        self.keys = keys
        self.warnings = warnings

    def of(self, action_id: str) -> tuple[str, ...]:
        return self.keys[action_id]

    def key_of(self, action_id: str) -> str:
        """Return the first key of an action as shown to people; empty if it has none."""
        keys = self.keys.get(action_id)
        return format_key(keys[0]) if keys else ""

    @cached_property
    def meanings(self) -> Meanings:
        """Action of every key in every scope; `build_keymap` has checked that there is only one."""
        return map_meanings(self)

    def become(self, other: Keymap) -> None:
        """Copy the keys of another keymap into this object, so that all its holders use them."""
        self.keys, self.warnings = other.keys, other.warnings
        self.__dict__.pop("meanings", None)


def write_key(event: events.Key) -> str:
    """Return a key event as the name used in the keymap."""
    typed = event.is_printable and event.key != "space"
    return event.character if typed and event.character else event.key


def normalize_key(text: str) -> str | None:
    """Return a key in its canonical form (`escape`, `S`, `ctrl+shift+a`); None for a key that does not exist."""
    key = text.strip()
    if len(key) == 1:
        return key if key.isprintable() and key != " " else None
    *modifiers, name = key.split("+")
    if any(modifier.lower() not in _MODIFIERS for modifier in modifiers):
        return None
    modifiers = [modifier.lower() for modifier in modifiers]
    plain = _ALIASES.get(name.lower(), name.lower() if len(name) > 1 else name)
    if modifiers == ["shift"] and len(plain) == 1 and plain.isalpha():
        return plain.upper()
    if len(plain) == 1:
        if not modifiers:
            return plain
        plain = plain.lower()
    elif plain == "comma" and not modifiers:
        return ","
    elif plain not in _NAMED:
        return None
    return "+".join([modifier for modifier in _MODIFIERS if modifier in modifiers] + [plain])


def is_printable(key: str) -> bool:
    """Return whether the key types text in a field."""
    return len(key) == 1 or key == "space"


def is_in_palette(action: Action) -> bool:
    """Return whether the command palette can run an action, so that the action needs no key of its own."""
    cancels = action.id.startswith(("order.cancel", "cancel.", "kill."))
    return not action.by_key and not cancels and bool(action.scopes & (VIEWS | SCREENS)) and action.id != "palette.open"


def build_keymap(own: Mapping[str, str]) -> Keymap:
    """Merge the user's keys over the defaults and validate the result.

    Args:
        own: Keys by action id, several separated by commas, or `none`.

    Raises:
        KeymapError: With all errors.
    """
    errors: list[str] = []
    warnings: list[str] = []
    keys = {action.id: action.keys for action in ACTIONS}
    for name, text in own.items():
        action = BY_ID.get(name)
        if action is None:
            if name not in RENAMED:
                errors.append(f"keys: unknown action {name!r}{did_you_mean(name, BY_ID)}")
            continue
        mine, unknown = ([], []) if text.strip().lower() == NO_KEY else _read_keys(text)
        errors += [
            f"keys: {name}: no such key {word!r}{did_you_mean(word.lower(), _NAMED) or KEYS}" for word in unknown
        ]
        eaten = [key for key in mine if key in _EATEN or key.startswith("alt+") or "ctrl+shift" in key]
        warnings += [f"keys: {name}: many terminals do not send {key}" for key in eaten]
        if action.fixed or action.id in ANSWERS:
            mine = [*action.keys, *mine]
        errors += _find_misuse(action, mine)
        keys[name] = tuple(dict.fromkeys(mine))
    warnings += _yield_defaults(keys, own)
    errors += [
        f"keys: {action.id} must keep a key, because nothing else can do it: {action.title}"
        for action in ACTIONS
        if not keys[action.id] and action.keys and not is_in_palette(action)
    ]
    errors += _find_clashes(keys)
    for name in own.keys() & RENAMED.keys():
        warnings += _add_renamed(name, own[name], keys)
    if errors:
        raise KeymapError("\n".join(errors))
    return Keymap(keys, warnings)


def _yield_defaults(keys: dict[str, tuple[str, ...]], own: Mapping[str, str]) -> list[str]:
    """Remove default keys of non-sending actions that the user gave to another action; return the warnings.

    A keymap written before an action existed stays valid this way.
    """
    taken = {(scope, key): name for name in own if name in BY_ID for key in keys[name] for scope in BY_ID[name].scopes}
    warnings = []
    for action in ACTIONS:
        if action.id in own or action.fixed or action.risk >= Risk.SEND:
            continue
        for key in action.keys:
            other = next((taken[scope, key] for scope in sorted(action.scopes) if (scope, key) in taken), None)
            if other is not None:
                keys[action.id] = tuple(mine for mine in keys[action.id] if mine != key)
                warnings.append(f"keys: {key} now does {other}; {action.id} has lost it, give it another key")
    return warnings


def _read_keys(text: str) -> tuple[list[str], list[str]]:
    """Split keys separated by commas into known keys and unknown words."""
    keys, unknown = [], []
    for word in text.split(","):
        key = normalize_key(word)
        if key is None:
            unknown.append(word.strip())
        else:
            keys.append(key)
    return keys, unknown


def _add_renamed(name: str, text: str, keys: dict[str, tuple[str, ...]]) -> list[str]:
    """Add keys configured for a former action id to the renamed action, except clashing ones; return the warnings."""
    action = BY_ID[RENAMED[name]]
    warnings = [f"keys: {name} is called {action.id} now"]
    mine, left_out = _read_keys(text)
    for key in mine:
        trial = keys | {action.id: tuple(dict.fromkeys((*keys[action.id], key)))}
        if _find_misuse(action, [key]) or len(_find_clashes(trial)) > len(_find_clashes(keys)):
            left_out.append(key)
        else:
            keys |= trial
    if left_out:
        warnings.append(f"keys: {name}: {', '.join(left_out)} cannot be a key of {action.id}: left out")
    return warnings


def _find_misuse(action: Action, keys: list[str]) -> list[str]:
    errors = []
    for key in keys:
        if key in action.keys:
            continue
        if action.id in ANSWERS:
            errors.append(
                f"keys: {action.id}: {key} cannot answer; the key that sends is always {', '.join(action.keys)}"
            )
        elif key == _YES:
            errors.append(f"keys: {action.id}: {key} answers questions; it cannot open one")
        elif action.risk >= Risk.STAGE and key in _NEVER_TRADING:
            errors.append(f"keys: {action.id}: {key} is a navigation key; it cannot trade")
        if action.scopes & TYPED and (is_printable(key) or key in _INPUT_KEYS):
            errors.append(f"keys: {action.id}: {key} is text in a field, and {action.id} works in fields")
    return errors


def _find_clashes(keys: Mapping[str, tuple[str, ...]]) -> list[str]:
    errors = []
    owners: dict[tuple[Scope, str], str] = {}
    seen: set[tuple[str, str, str]] = set()
    for action in ACTIONS:
        for key in keys[action.id]:
            for scope in sorted(action.scopes):
                other = owners.setdefault((scope, key), action.id)
                if other != action.id and (other, action.id, key) not in seen:
                    seen.add((other, action.id, key))
                    errors.append(f"keys: {key} means both {other} and {action.id} in {scope.value}")
    return errors


def map_meanings(keymap: Keymap) -> Meanings:
    """Map every key in every scope to its action."""
    meanings_by_key: dict[tuple[Scope, str], tuple[str, str]] = {}
    for action in ACTIONS:
        for key in keymap.of(action.id):
            for named in Binding.make_bindings([("comma" if key == "," else key, action.id)]):
                meanings_by_key |= {(scope, named.key): (action.id, key) for scope in action.scopes}
    return meanings_by_key
