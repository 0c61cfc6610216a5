"""A user's own keys: checked as a whole before the start; what each key means where is built from the result."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from textual.binding import Binding
from textual.keys import Keys

from tui.crossdesk_error import CrossdeskError
from tui.workstation.input.actions import ACTIONS, BY_ID, RENAMED, Action, Risk
from tui.workstation.input.scopes import TYPED, Scope

_ALIASES = {"esc": "escape", "return": "enter", "pgup": "pageup", "pgdn": "pagedown", "del": "delete", "ins": "insert"}
_MODIFIERS = ("ctrl", "alt", "shift", "super", "hyper", "meta")
_NAMED = frozenset(key.value for key in Keys if key.value.isalnum()) | frozenset(
    ["escape", "enter", "tab", "space", "up", "down", "left", "right", "pageup", "pagedown", "home", "end", "delete",
     "insert", "backspace"]
)  # fmt: skip
_NEVER_TRADING = frozenset(["escape", "tab", "shift+tab", "enter", "up", "down", "left", "right"])
_INPUT_KEYS = frozenset(["backspace", "delete", "home", "end", "left", "right", *(f"ctrl+{c}" for c in "aeukwdxcvf")])
_EATEN = frozenset(["ctrl+i", "ctrl+m", "ctrl+j", "ctrl+h", "ctrl+s", "ctrl+z", "ctrl+tab"])


class KeymapError(CrossdeskError, ValueError):
    """Own keys that cannot be used; the text lists every problem, one a line."""

    title = "Keys not usable"


class Keymap:
    """Keys of every action after the user's own, and what a terminal may not deliver."""

    def __init__(self, keys: dict[str, tuple[str, ...]], warnings: list[str]) -> None:
        self.keys = keys
        self.warnings = warnings

    def of(self, action_id: str) -> tuple[str, ...]:
        return self.keys[action_id]


def _near(word: str, words: Iterable[str]) -> str:
    import difflib

    close = difflib.get_close_matches(word, list(words), 1)
    return f"; did you mean {close[0]}?" if close else ""


def normalize_key(text: str) -> str | None:
    """The key as it is written here (`escape`, `S`, `ctrl+shift+a`), or None when there is no such key."""
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


def printable(key: str) -> bool:
    """Whether the key would be text in a field."""
    return len(key) == 1 or key == "space"


def resolve(own: Mapping[str, str]) -> Keymap:
    """Defaults with the user's keys on top.

    Args:
        own: Keys by action id, several separated by commas.

    Raises:
        KeymapError: with every problem found.
    """
    problems: list[str] = []
    warnings: list[str] = []
    keys = {action.id: action.keys for action in ACTIONS}
    for name, text in own.items():
        action = BY_ID.get(name)
        if action is None:
            if name not in RENAMED:
                problems.append(f"keys: unknown action {name!r}{_near(name, BY_ID)}")
            continue
        mine, unknown = _read_keys(text)
        problems += [f"keys: {name}: no such key {word!r}{_near(word.lower(), _NAMED)}" for word in unknown]
        eaten = [key for key in mine if key in _EATEN or key.startswith("alt+") or "ctrl+shift" in key]
        warnings += [f"keys: {name}: many terminals do not send {key}" for key in eaten]
        if action.fixed:
            mine = [*action.keys, *mine]
        problems += _misuse(action, mine)
        keys[name] = tuple(dict.fromkeys(mine))
    problems += _clashes(keys)
    for name in own.keys() & RENAMED.keys():
        warnings += _add_renamed(name, own[name], keys)
    if problems:
        raise KeymapError("\n".join(problems))
    return Keymap(keys, warnings)


def _read_keys(text: str) -> tuple[list[str], list[str]]:
    """Keys separated by commas, and the words that are none."""
    keys, unknown = [], []
    for word in text.split(","):
        key = normalize_key(word)
        if key is None:
            unknown.append(word.strip())
        else:
            keys.append(key)
    return keys, unknown


def _add_renamed(name: str, text: str, keys: dict[str, tuple[str, ...]]) -> list[str]:
    """Add keys of an action under its former id to those of now, without what would clash; return the warnings."""
    action = BY_ID[RENAMED[name]]
    warnings = [f"keys: {name} is called {action.id} now"]
    mine, left_out = _read_keys(text)
    for key in mine:
        trial = keys | {action.id: tuple(dict.fromkeys((*keys[action.id], key)))}
        if _misuse(action, [key]) or len(_clashes(trial)) > len(_clashes(keys)):
            left_out.append(key)
        else:
            keys |= trial
    if left_out:
        warnings.append(f"keys: {name}: {', '.join(left_out)} cannot be a key of {action.id}: left out")
    return warnings


def _misuse(action: Action, keys: list[str]) -> list[str]:
    problems = []
    for key in keys:
        if key in action.keys:
            continue
        if action.risk >= Risk.STAGE and key in _NEVER_TRADING:
            problems.append(f"keys: {action.id}: {key} moves and goes back; it cannot trade")
        if action.scopes & TYPED and (printable(key) or key in _INPUT_KEYS):
            problems.append(f"keys: {action.id}: {key} is text in a field, and {action.id} works in fields")
    return problems


def _clashes(keys: Mapping[str, tuple[str, ...]]) -> list[str]:
    problems = []
    owners: dict[tuple[Scope, str], str] = {}
    seen: set[tuple[str, str, str]] = set()
    for action in ACTIONS:
        for key in keys[action.id]:
            for scope in sorted(action.scopes):
                other = owners.setdefault((scope, key), action.id)
                if other != action.id and (other, action.id, key) not in seen:
                    seen.add((other, action.id, key))
                    problems.append(f"keys: {key} means both {other} and {action.id} in {scope.value}")
    return problems


Meanings = Mapping[tuple[Scope, str], tuple[str, str]]
"""What a key means where: by scope and the framework's name of the key, the action and the key as it is written here."""


def meanings(keymap: Keymap) -> Meanings:
    """What every key means in every scope; `resolve` has made sure that it is one thing."""
    found: dict[tuple[Scope, str], tuple[str, str]] = {}
    for action in ACTIONS:
        for key in keymap.of(action.id):
            for named in Binding.make_bindings([("comma" if key == "," else key, action.id)]):
                found |= {(scope, named.key): (action.id, key) for scope in action.scopes}
    return found
