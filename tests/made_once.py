"""What one app of a test has made of unchanged input is not made again by the next: a start takes a quarter less time."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import wraps
from types import CodeType
from typing import Any

from textual import _callback
from textual.css.model import RuleSet
from textual.css.stylesheet import Stylesheet
from textual.design import ColorSystem
from textual.message import Message
from textual.message_pump import MessagePump

from tui.workstation.commands import keymap_switch
from tui.workstation.input import keymap as keymaps
from tui.workstation.input.keymap import Keymap, Meanings, build_keymap, map_meanings

_Key = tuple[object, ...]
_Handlers = Iterable[tuple[type, Callable[[Message], Any]]]


def make_once() -> None:
    """Let all apps of this process share style rules, colours, keymaps, and where handlers of messages are."""
    if hasattr(Stylesheet._parse_rules, "__wrapped__"):
        return
    _read_styles_once()
    _mix_colours_once()
    _build_keymaps_once()
    _look_for_handlers_once()
    _count_parameters_once()


def _read_styles_once() -> None:
    read = Stylesheet._parse_rules
    known: dict[_Key, list[RuleSet]] = {}
    last: list[tuple[dict[str, str], frozenset[tuple[str, str]]]] = [({}, frozenset())]
    """The variables of the sheet that was read last: textual replaces them, and reads forty sheets with the same."""

    @wraps(read)
    def once(sheet: Stylesheet, css: str, *places: Any, **named: Any) -> list[RuleSet]:
        if last[0][0] is not sheet._variables:
            last[0] = (sheet._variables, frozenset(sheet._variables.items()))
        key = (css, places, *named.items(), last[0][1])
        if key not in known:
            known[key] = read(sheet, css, *places, **named)
        return known[key]

    Stylesheet._parse_rules = once  # type: ignore[assignment, method-assign]


def _mix_colours_once() -> None:
    mix = ColorSystem.generate
    known: dict[_Key, dict[str, str]] = {}

    @wraps(mix)
    def once(colours: ColorSystem) -> dict[str, str]:
        given = {**vars(colours), "variables": frozenset(colours.variables.items())}
        key = tuple(given.items())
        if key not in known:
            known[key] = mix(colours)
        return dict(known[key])

    ColorSystem.generate = once  # type: ignore[assignment, method-assign]


def _build_keymaps_once() -> None:
    maps: dict[_Key, Keymap] = {}
    found: dict[_Key, Meanings] = {}

    @wraps(build_keymap)
    def build(own: Mapping[str, str]) -> Keymap:
        key = tuple(own.items())
        if key not in maps:
            maps[key] = build_keymap(own)
        return maps[key]

    @wraps(map_meanings)
    def find(keymap: Keymap) -> Meanings:
        key = tuple(keymap.keys.items())
        if key not in found:
            found[key] = map_meanings(keymap)
        return found[key]

    vars(keymap_switch)["build_keymap"] = build
    vars(keymaps)["map_meanings"] = find


def _look_for_handlers_once() -> None:
    """Remember which classes have a handler of a message; the handler itself is read from the class each time."""
    look = MessagePump._get_dispatch_methods
    known: dict[tuple[type, type, str], list[type] | None] = {}

    @wraps(look)
    def once(pump: MessagePump, name: str, message: Message) -> _Handlers:
        key = (type(pump), type(message), name)
        if key not in known:
            mro = type(pump).__mro__
            decorated = any(vars(owner).get("_decorated_handlers") for owner in mro)
            known[key] = None if decorated else [one for one in mro if {f"_{name}", name} & vars(one).keys()]
        owners = known[key]
        return look(pump, name, message) if owners is None else _handlers(owners, pump, name, message)

    MessagePump._get_dispatch_methods = once  # type: ignore[method-assign, assignment]


def _handlers(owners: list[type], pump: MessagePump, name: str, message: Message) -> _Handlers:
    """Yield them as textual does, until one of them asks for no others."""
    for owner in owners:
        if message._no_default_action:
            return
        method = vars(owner).get(f"_{name}") or vars(owner).get(name)
        if method is not None and not getattr(method, "_textual_on", None):
            yield owner, method.__get__(pump, owner)


def _count_parameters_once() -> None:
    count = _callback._count_parameters
    known: dict[tuple[CodeType, bool], int] = {}

    @wraps(count)
    def once(function: Callable[..., Any]) -> int:
        code = getattr(function, "__code__", None)
        if code is None or hasattr(function, "__wrapped__"):
            return count(function)
        key = (code, hasattr(function, "__self__"))
        if key not in known:
            known[key] = count(function)
        return known[key]

    _callback._count_parameters = once  # type: ignore[assignment]
