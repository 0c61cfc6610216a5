"""Parser of a command line: steps, their joints, and the verb of each."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial

from tui.workstation.command_line.grammar import desk_commands, manage_commands, order_commands
from tui.workstation.command_line.grammar.reader import RESERVED, Reader
from tui.workstation.command_line.grammar.refusals import Code, LineRefused
from tui.workstation.command_line.grammar.scene import Scene
from tui.workstation.command_line.grammar.syntax import AnswerWord, Command, Line, Quit, SetAlias, SetState, Step
from tui.workstation.command_line.grammar.tokens import Kind, Token, split

MOST_STEPS = 20
Parse = Callable[[Reader], Command | tuple[Command, bool]]
"""Parser of what stands behind a verb; where `dry` may stand behind it, with whether it does."""


def _order(verb: str) -> Parse:
    return lambda reader: order_commands.parse_order(reader, verb)


def _state(word: str) -> Parse:
    return lambda _: SetState(word=word)


NOT_CARRIED_OUT = ("chase", "ice", "twap", "algo", "wait", "trail", "set")
"""Verbs that are known, and refused whatever stands behind them."""
VERBS: dict[str, Parse] = {
    **{word: _order(verb) for word, verb in order_commands.SIDES.items()},
    "scale": order_commands.parse_scale,
    "cost": order_commands.parse_cost,
    **dict.fromkeys(("c", "cancel"), manage_commands.parse_cancel),
    "re": manage_commands.parse_replace,
    "nudge": manage_commands.parse_nudge,
    "flat": manage_commands.parse_flat,
    "close": manage_commands.parse_close,
    "rev": manage_commands.parse_reverse,
    "be": manage_commands.parse_break_even,
    "sl": partial(manage_commands.parse_move, which="sl"),
    "tp": partial(manage_commands.parse_move, which="tp"),
    "protect": manage_commands.parse_protect,
    "orphans": manage_commands.parse_orphans,
    **{verb: partial(manage_commands.parse_working, verb=verb) for verb in NOT_CARRIED_OUT},
    **{word: _state(word) for word in desk_commands.STATES},
    "hot": desk_commands.parse_hot,
    "limit": desk_commands.parse_limit,
    "budget": desk_commands.parse_budget,
    "keep": partial(desk_commands.parse_keep, kept=True),
    "unkeep": partial(desk_commands.parse_keep, kept=False),
    **{word: partial(desk_commands.parse_list, view=word) for word in ("o", "p", "a", "adl", "fills", "pnl")},
    "show": desk_commands.parse_show,
    "why": desk_commands.parse_why,
    **{word.value: partial(desk_commands.parse_answer, word=word) for word in AnswerWord},
    "alert": desk_commands.parse_alert,
    "alias": desk_commands.parse_alias,
    "export": desk_commands.parse_export,
    "use": desk_commands.parse_use,
    "q": lambda _: Quit(),
}
"""Parsers by verb."""
OFFERED = tuple(verb for verb in VERBS if verb not in NOT_CARRIED_OUT)
"""Verbs named where a word is missing or completed."""
_MEANT = {
    "market": "buy 0.02 BTC mkt", "bid": "buy", "offer": "sell", "flatten": "flat", "liquidate": "flat",
    "exit": "flat or q", "quit": "q", "closeall": "flat all", "reverse": "rev", "flip": "rev", "breakeven": "be",
    "replace": "re", "amend": "re", "modify": "re", "edit": "re", "move": "re", "delete": "c", "del": "c", "pull": "c",
    "cxl": "c", "cancelall": "c all everything", "disarm": "view", "stop": "sl 60000 or halt", "pause": "halt",
    "quote": "show quotes", "quotes": "show quotes", "orders": "o", "position": "p", "positions": "p", "pos": "p",
    "assets": "a", "balance": "a", "balances": "a", "wallet": "a", "trades": "fills", "executions": "fills",
    "events": "show events", "pl": "pnl",
}  # fmt: skip
"""Begins of commands of other programs, with those of the line."""
ELSEWHERE = {
    "kill": "the key X at the desk, and a word of plain mode",
    "help": "the key ? at the desk, and a word of plain mode",
    **dict.fromkeys(("say", "practice", "pairs", "order", "status"), "a word of plain mode"),
}
"""Words that do something elsewhere, and where."""


def parse(text: str, scene: Scene, aliases: Mapping[str, str] | None = None) -> Line:
    """Parse a typed command line into its portfolio and commands, after replacing aliases.

    Args:
        text: Line as typed.
        scene: Symbols, and the one in view.
        aliases: Lines of the user by their names; each is expanded once.

    Raises:
        LineRefused: The line is refused; nothing of it is carried out.
    """
    tokens = split(expand(text, aliases or {}))
    portfolio, tokens = _take_portfolio(tokens, scene)
    parts = _split_steps(tokens)
    if len(parts) > MOST_STEPS:
        start = parts[MOST_STEPS][1][0].start
        raise LineRefused(Code.TOO_MUCH, f"a line has at most {MOST_STEPS} commands", start, tokens[-1].end)
    steps = []
    for number, (beside, part) in enumerate(parts, 1):
        try:
            steps.append(_parse_step(Reader(part, scene, part[-1].end), beside=beside))
        except LineRefused as refused:
            raise refused.in_step(number, len(parts)) from None
    return Line(steps=tuple(steps), portfolio=portfolio)


def expand(text: str, aliases: Mapping[str, str]) -> str:
    """Replace each alias at the beginning of a command by its text; aliases inside that text are not replaced."""
    if not aliases:
        return text
    tokens, parts, at, first = split(text), [], 0, True
    for token in tokens:
        if first and token.kind is Kind.WORD and token.word in aliases:
            parts += [text[at : token.start], aliases[token.word]]
            at = token.end
        first = token.kind is Kind.STEP
    return "".join([*parts, text[at:]])


def check_alias(alias: SetAlias) -> None:
    """Check that an alias hides no word of the language.

    Raises:
        LineRefused: It does.
    """
    if alias.name in RESERVED or alias.name in VERBS:
        raise LineRefused(Code.UNKNOWN_WORD, f"{alias.name} is a word of the command line; choose another name")


def _take_portfolio(tokens: list[Token], scene: Scene) -> tuple[str, list[Token]]:
    if tokens[0].word != "pf":
        return "", tokens
    if len(tokens) < 2 or tokens[1].kind not in (Kind.WORD, Kind.NUMBER):
        raise LineRefused(Code.OTHER_PORTFOLIO, "pf needs the name of a portfolio", tokens[0].start, tokens[0].end)
    name = tokens[1].text
    if name != "all" and scene.portfolios and name not in scene.portfolios:
        text = f"no portfolio is named {name}; there are {', '.join(scene.portfolios)}"
        raise LineRefused(Code.OTHER_PORTFOLIO, text, tokens[1].start, tokens[1].end)
    if len(tokens) == 2:
        raise LineRefused(Code.EMPTY, "a command is missing behind the portfolio", tokens[1].end, tokens[1].end)
    return name, tokens[2:]


def _split_steps(tokens: list[Token]) -> list[tuple[bool, list[Token]]]:
    """Split tokens at `;` and `&`; return each step with whether it stands behind a `&`."""
    parts: list[tuple[bool, list[Token]]] = [(False, [])]
    for token in tokens:
        if token.kind is not Kind.STEP:
            parts[-1][1].append(token)
            continue
        if not parts[-1][1]:
            hint = "; and only joins the conditions of an alert" if token.text == "&" and len(parts) > 1 else ""
            raise LineRefused(Code.EMPTY, f"a command is missing before {token.text}{hint}", token.start, token.end)
        parts.append((token.text == "&", []))
    if not parts[-1][1]:
        last = tokens[-1]
        raise LineRefused(Code.EMPTY, f"a command is missing behind {last.text}", last.start, last.end)
    return parts


def _refuse_verb(reader: Reader) -> LineRefused:
    """Build the refusal of a word that begins no command, with a hint: where the word is used, or which are accepted."""
    word, accepted = reader.word, list(OFFERED)
    if word in ELSEWHERE:
        return reader.refuse(Code.UNKNOWN_WORD, f"{word} is no command of the line; it is {ELSEWHERE[word]}")
    if meant := _MEANT.get(word, ""):
        return reader.refuse_word(accepted, meant)
    if word in RESERVED:
        return reader.refuse(Code.UNKNOWN_WORD, f"{word} begins no command; accepted: {', '.join(accepted)}")
    return reader.refuse_word(accepted)


def _parse_step(reader: Reader, *, beside: bool) -> Step:
    dry = bool(reader.accept("dry"))
    token = reader.next
    if token is None or token.kind is not Kind.WORD or token.word not in VERBS:
        raise _refuse_verb(reader)
    reader.take()
    parsed = VERBS[token.word](reader)
    command, dry_behind = parsed if isinstance(parsed, tuple) else (parsed, False)
    reader.expect_end()
    if isinstance(command, SetAlias):
        check_alias(command)
    return Step(command=command, dry=dry or dry_behind, beside=beside)
