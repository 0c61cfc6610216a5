"""What the desk suggests to type: every line and every part of one is accepted by the grammar, as plain mode prints it."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

from tests.journeys.plain.test_scripted import Scripted
from tests.workstation.command_line.test_named_positions import look, refusal
from tests.workstation.command_line.test_order_plan import BTC, ETH, OKX, read_desk
from tests.workstation.driver import desk
from tui.workstation.command_line.grammar.parser import OFFERED, VERBS, parse
from tui.workstation.command_line.grammar.scene import Scene
from tui.workstation.features.command_line.completion import list_candidates
from tui.workstation.features.command_line.keys import HINT
from tui.workstation.plain.help_words import ACT, READ, explain

_SUGGESTION = re.compile(
    r"(?:such as:?|write|did you mean|or groups as)"
    r" (?!such as|one of|digits|a number|a price|px|its pair|its price|its name|more|it,)(.+)"
)
_NOTED = (" for a long", " for a short", " alike", "the coin behind it", "the distance in ")
"""Words of a hint that are no part of what is typed."""
_FORMS = (
    "change what? write px with",
    "conditions join from left to right",
    "relative to what? write bid",
    "write digits with",
)
"""Hints that describe a form, and name no part of a line."""
_SIGNS = ("such as", "did you mean", "write ")

# What is typed, what is in view, and the line in which a suggested part stands.
REFUSED = (
    ("", "", "{}"),
    ("buy BTC", "", "buy {} BINANCE_PERP_BTC_USDT join"),
    ("buy", BTC, "buy {} join sl 50000"),
    ("buy hello", BTC, "buy {} join"),
    *((f"buy {word}", BTC, "buy {}") for word in ("market", "mkt", "at", "best")),
    ("buy 1 BTX", BTC, "buy {} join"),
    ("buy 1", BTC, "buy {} join"),
    ("buy 1 BTC 61000", BTC, "buy 1 BTC {}"),
    ("buy 1 BTC OKX_PERP_BTC_USDT", "", "buy 1 BTC OKX_PERP_BTC_USDT {}"),
    ("buy all join", BTC, "buy {} join"),
    ("buy 5xyz", BTC, "buy {} join"),
    ("buy 16,000.5 BTC", BTC, "buy {} BTC join"),
    ("buy 1,05 BTC", BTC, "buy {} BTC join"),
    ("buy 1 ETH BINANCE_PERP_BTC_USDT join", BTC, "buy {} BINANCE_PERP_BTC_USDT join"),
    ("buy 1 BTC at", BTC, "buy 1 BTC at {}"),
    ("buy 1 BTC at soon", BTC, "buy 1 BTC at {}"),
    ("buy 1 BTC at 5t", BTC, "buy 1 BTC at {}"),
    ("buy 1 BTC join sl", BTC, "buy 1 BTC join sl {}"),
    ("buy 0.02 BTC market", BTC, "buy 0.02 BTC {}"),
    ("buy 0.02 BTC bid", BTC, "buy 0.02 BTC {}"),
    ("buy 0.02 BTC @ 60000", BTC, "buy 0.02 BTC {}"),
    ("buy $1 BNANCE_PERP_BTC_USDT join", "", "buy $1 {} join"),
    ("buy 0.25 BTC BTC join", "", "buy 0.25 BTC {} join"),
    ("buy 0.25 BTC BTC join", ETH, "buy 0.25 BTC {} join"),
    *((word, BTC, "{}") for word in ("quote", "positions", "market", "flatten", "exit", "reverse", "breakeven", "closeall")),
    *((word, BTC, "{}") for word in ("cancelall", "disarm", "stop", "assets", "trades", "events", "pl")),
    ("amend", BTC, "{} last px 60000"),
    ("delete", BTC, "{} last"),
    ("offer", BTC, "{} 0.02 BTC join"),
    ("close 50%", "", "{}"),
    ("close 50", BTC, "close {} BTC"),
    ("close BTC", BTC, "close {} BTC"),
    ("flat", "", "{}"),
    ("be", "", "{}"),
    ("sl move -1%", "", "{}"),
    ("nudge last 2t", BTC, "nudge last {}"),
    ("nudge last +2x", BTC, "nudge last +{}"),
    ("c all venue", BTC, "c all venue {}"),
    ("c all sym", "", "c all sym {}"),
    ("c all coin xyz", "", "c all coin {}"),
    ("c all coin ETHX", "", "c all coin {}"),
    ("limit", BTC, "limit {} 1000"),
    ("show", BTC, "{}"),
    ("alias", BTC, "{}"),
    ("alias", "", "{}"),
)  # fmt: skip


def suggestions(text: str) -> list[str]:
    """The lines or parts of lines that a refusal suggests."""
    match = _SUGGESTION.search(text)
    if match is None:
        return []
    told = (
        re.split(r"; \d+ more", match[1])[0]
        .rstrip("?")
        .split("; for a quantity")[0]
        .split("; flat")[0]
        .split("; mark")[0]
        .lstrip(": ")
    )
    for words in _NOTED:
        told = told.replace(words, "")
    parts = [part.strip() for part in re.split(r", or groups as |, or such as |; or |, or | or |, ", told)]
    head = parts[0].rsplit(" ", 1)[0] if " to entry" in parts[0] else ""
    return [f"{head} {part}" if head and " " not in part else part for part in parts if part]


@pytest.mark.parametrize(("typed", "in_view", "frame"), REFUSED)
def test_every_command_that_a_refusal_suggests_is_accepted(typed: str, in_view: str, frame: str) -> None:
    view = read_desk()
    text = refusal(typed, view, in_view)
    told = suggestions(text)
    assert told, text
    for part in told:
        scene = Scene(
            view.mirror.symbols, in_view, held={BTC: "LONG", OKX: "SHORT", ETH: "LONG"}, has_cursor=bool(in_view)
        )
        line = frame.format(f"{part} 60000" if part == "at" else part)
        assert parse(line, scene).steps, (text, line)


def test_every_suggestion_in_the_grammar_is_shown_by_a_test_line() -> None:
    view = read_desk()
    shown = [refusal(typed, view, in_view) for typed, in_view, _ in REFUSED]
    sources = Path("tui/workstation/command_line/grammar").glob("*.py")
    told = {
        piece
        for source in sources
        for node in ast.walk(ast.parse(source.read_text()))
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and "\n" not in node.value
        for piece in [node.value.strip()]
        if any(sign in piece for sign in _SIGNS) and not piece.endswith(".") and "{}" not in piece
    }
    assert len(told) > 15
    untried = {piece for piece in told if not any(piece in text for text in shown)}
    assert sorted(piece for piece in untried if not piece.startswith(_FORMS)) == []


def test_example_commands_in_the_help_are_accepted() -> None:
    scene = Scene(read_desk().mirror.symbols, held={BTC: "LONG"})
    lines = [line for word in ACT if word in VERBS for line in explain(word)[:1]]
    examples = [part for line in lines for part in re.split(r"[:;] ", line) if re.search(r"[#_%]| all| last", part)]
    assert len(examples) > 10
    for part in examples:
        command = part if part.split()[0] in VERBS else f"re #7f3a1c {part}"
        assert parse(command, scene).steps, part
    assert not READ.keys() & {"sl", "tp"}


def test_every_word_that_tab_completion_offers_is_accepted() -> None:
    scene = Scene(read_desk().mirror.symbols)
    assert set(OFFERED) <= VERBS.keys() and list_candidates("", scene) == list(OFFERED)
    for word in list_candidates("buy 0.02 BTC b", scene) + list_candidates("buy 1 BTC BINANCE_PERP_B", scene):
        line = f"buy 1 BTC {word} join" if "_" in word else f"buy 1 BTC {BTC} {word}"
        assert word in scene.symbols or parse(line, scene).steps, line


def test_a_close_line_that_a_refusal_suggests_is_accepted() -> None:
    view = read_desk()
    [line] = suggestions(refusal("close 50%", view))
    assert look(line, view).canonical.startswith("close 50% ")


@pytest.mark.parametrize("typed", ["close 50%", "buy 0.02", "alias", "nudge last 2t"])
def test_plain_mode_suggests_commands_in_the_form_to_type(typed: str) -> None:
    """`such as close 50 percent BINANCE BTC perpetual` was printed, and refused when it was typed."""
    at = Scripted()
    [line] = at.enter(typed)
    assert suggestions(line.rpartition(" (")[0]) and "percent" not in line and "perpetual" not in line
    if typed.startswith(("close", "sl")):
        [told, *_] = suggestions(line.rpartition(" (")[0])
        assert not at.enter(told)[0].startswith("not done"), told


@pytest.mark.parametrize("in_view", [BTC, ETH, OKX, "BINANCE_SPOT_BTC_USDT"])
def test_example_commands_under_an_empty_line_are_accepted(in_view: str) -> None:
    """`buy 0.02 BTC join` was refused with the cursor on another coin."""
    scene = Scene(read_desk().mirror.symbols, in_view, has_cursor=True)
    for line in HINT.split(" · "):
        assert parse(line, scene).steps, line


async def test_the_example_in_the_empty_alert_list_is_accepted() -> None:
    async with desk(80, 24) as at:
        book = at.app.controllers.alerts.book
        assert book is not None
        for number in list(book.active):
            book.delete(int(number))
        told = at.app.main_screen.tables["alerts"].pane.empty()
        line = told.partition(" or :")[2]
        assert parse(line, Scene(at.app.mirror.symbols)).steps, told
        assert len(told) < 78


def test_a_pair_typed_as_plain_mode_says_it_is_understood() -> None:
    view = read_desk()
    assert look("close 50% BINANCE BTC perpetual", view).canonical == f"close 50% {BTC}"
