"""Completion of the last word of a command line."""

from __future__ import annotations

from collections.abc import Iterable

from tui.workstation.command_line.grammar.desk_commands import EXPORTS, FORMS
from tui.workstation.command_line.grammar.order_commands import FLAGS
from tui.workstation.command_line.grammar.parser import OFFERED
from tui.workstation.command_line.grammar.reader import PRICE_WORDS
from tui.workstation.command_line.grammar.scene import Scene
from tui.workstation.command_line.limit_change import NAMES

MOST_LISTED = 8
ARGUMENTS = {"limit": NAMES, "export": (*EXPORTS, *FORMS)}
"""Words that stand behind a verb."""


def split_last_word(text: str) -> tuple[str, str]:
    """Split a line into the text before its last word, and that word."""
    start = max(text.rfind(" "), text.rfind(";"), text.rfind("&")) + 1
    return text[:start], text[start:]


def list_candidates(text: str, scene: Scene) -> list[str]:
    """List completions of the last word: verbs at the beginning of a command, then arguments, keywords and symbols."""
    before, word = split_last_word(text)
    step = before.replace("&", ";").rsplit(";", 1)[-1].split()
    if not step or step == ["dry"]:
        return _begin_with(word.lower(), OFFERED)
    if len(step) == 1 and (names := ARGUMENTS.get(step[0].lower())):
        return _begin_with(word.lower(), names)
    keywords = _begin_with(word.lower(), [*sorted(PRICE_WORDS), *FLAGS]) if word else []
    symbols = [sym for sym in scene.symbols if word and _names(sym, word.upper())]
    return [*keywords, *symbols]


def complete(text: str, scene: Scene) -> tuple[str, list[str]]:
    """Complete the last word as far as all candidates agree; return the line, and the candidates if there are several."""
    before, word = split_last_word(text)
    candidates = list_candidates(text, scene)
    if not candidates:
        return text, []
    if len(candidates) == 1:
        return f"{before}{candidates[0]} ", []
    common = _common_start(candidates)
    longer = common if len(common) > len(word) and common.lower().startswith(word.lower()) else word
    return before + longer, candidates


def _common_start(names: list[str]) -> str:
    """Return the longest text that all names begin with."""
    first, last = min(names), max(names)
    same = next((at for at, letter in enumerate(first) if last[at : at + 1] != letter), len(first))
    return first[:same]


def _begin_with(word: str, names: Iterable[str]) -> list[str]:
    return [name for name in names if name.startswith(word)]


def _names(sym: str, word: str) -> bool:
    """Return whether a symbol, or any part of it between underscores, begins with the typed word."""
    return sym.startswith(word) or any(part.startswith(word) for part in sym.split("_"))
