"""Parsing of commands about the desk itself: states, limits, views, alerts, names, exports."""

from __future__ import annotations

from decimal import Decimal

from tui.workstation.command_line.grammar.reader import Reader
from tui.workstation.command_line.grammar.refusals import Code, LineRefused
from tui.workstation.command_line.grammar.syntax import (
    Alert,
    AlertChange,
    Answer,
    AnswerWord,
    Export,
    Keep,
    SetAlias,
    SetLimit,
    SetState,
    Show,
    Test,
    Use,
    Why,
)
from tui.workstation.command_line.grammar.tokens import Kind

FIELDS = (
    "bid", "ask", "mid", "last", "mark", "index", "spread", "basis", "funding", "pnl", "upnl", "unimmr", "liqdist",
    "adl", "age", "orderage", "silence", "skew", "rate",
)  # fmt: skip
"""Figures that an alert compares."""
HAPPENINGS = ("fill", "reject", "unknown", "margin", "adlrise", "disconnect", "mismatch")
"""Events that an alert waits for."""
COMPARISONS = ("<", "<=", ">", ">=", "=")
TIMES = frozenset(["age", "orderage", "silence", "skew"])
"""Fields whose `m` is minutes."""
OF_DESK = frozenset(["silence", "skew", "rate"])
"""Fields that belong to no pair."""
OF_SEVERAL = frozenset(["pnl", "upnl", "unimmr", "liqdist", "adl", "orderage"])
"""Fields that `all` compares over every pair: the sum of the results, else the worst of them."""
SIGNED = frozenset(["pnl", "upnl", "basis", "funding", "skew"])
"""Fields that may be negative."""
TEST_UNITS = ("t", "%", "bp", "ms", "s", "m", "h", "q")
EXPORTS = ("fills", "orders", "pnl", "positions", "assets", "journal")
FORMS = ("csv", "json", "parquet")
MOST_ALERT = 9999
MOST_REQUEST = 999_999
STATES = {"arm": "arm", "view": "view", "halt": "halt", "reduce": "reduce", "resume": "resume"}


def parse_hot(reader: Reader) -> SetState:
    """Parse `hot` and its optional duration."""
    return SetState(word="hot", seconds=None if reader.done else reader.duration("the time"))


def parse_limit(reader: Reader) -> SetLimit:
    """Parse `limit`: a name, a value with its unit, and a symbol.

    Raises:
        LineRefused: The name or the value is missing.
    """
    token = reader.next
    if token is None or token.kind is not Kind.WORD:
        raise reader.refuse(Code.UNKNOWN_WORD, "which limit? such as max_notional")
    reader.take()
    return SetLimit(name=token.word, value=_limit_value(reader), sym=reader.accept_symbol())


def parse_budget(reader: Reader) -> SetLimit:
    """Parse `budget` and its value."""
    return SetLimit(name="budget", value=_limit_value(reader))


def _limit_value(reader: Reader) -> str:
    if reader.accept("off"):
        return "off"
    token = reader.next
    number = reader.number_with_letters("the value")
    unit = reader.accept("q", "ct", "%", "bp", "t", "s")
    if token is None:
        raise reader.refuse(Code.BAD_NUMBER, "the value is missing")
    return f"{number[0]}{number[1]}{unit}"


def parse_keep(reader: Reader, *, kept: bool) -> Keep:
    """Parse `keep` or `unkeep` and its symbol."""
    return Keep(sym=reader.symbol(), kept=kept)


def parse_list(reader: Reader, view: str) -> Show:
    """Parse a word that opens a pane, with the days of `fills` or the grouping of `pnl`."""
    if view == "fills" and not reader.done:
        token = reader.next
        reader.duration("the time")
        return Show(view=view, argument=token.text if token is not None else "")
    return Show(view=view, argument=reader.accept("sym", "venue", "pf", "day") if view == "pnl" else "")


def parse_show(reader: Reader) -> Show:
    """Parse `show` and the name of a view.

    Raises:
        LineRefused: The name is missing.
    """
    token = reader.next
    if token is None or token.kind is not Kind.WORD:
        raise reader.refuse(Code.UNKNOWN_WORD, "show what? such as show risk")
    reader.take()
    return Show(view=token.word)


def parse_why(reader: Reader) -> Why:
    """Parse `why` and the order whose timeline it opens."""
    return Why(order=reader.one_order())


def parse_answer(reader: Reader, *, word: AnswerWord) -> Answer:
    """Parse the answer to a request of a program, and its number; `revoke` alone means all mandates."""
    if word is AnswerWord.REVOKE and reader.done:
        return Answer(word=word, key="")
    what = "the number of the proposal" if word is AnswerWord.ACCEPT else "the number of the request"
    return Answer(word=word, key=str(reader.whole_number(what, MOST_REQUEST)))


def parse_alert(reader: Reader) -> Alert | AlertChange:
    """Parse `alert`: the conditions of a new alert, or the list, deletion or silencing of existing ones.

    Raises:
        LineRefused: A test is not whole.
    """
    if reader.accept("list"):
        return AlertChange(word="list")
    if reader.accept("del"):
        return AlertChange(word="del", number=reader.whole_number("the number of the alert", MOST_ALERT))
    if reader.accept("snooze"):
        number = reader.whole_number("the number of the alert", MOST_ALERT)
        return AlertChange(word="snooze", number=number, seconds=reader.duration("the time"))
    reader.accept("when")
    opened = 0
    while reader.accept("("):
        opened += 1
    tests, joints = [_parse_test(reader)], list[str]()
    while True:
        while opened and reader.accept(")"):
            opened -= 1
        if not (joint := reader.accept("and", "or")):
            break
        if reader.word == "(":
            text = "conditions join from left to right, and a bracket begins at the first: write (A or B) and C"
            raise reader.refuse(Code.UNKNOWN_WORD, text, reader.next)
        joints.append(joint)
        tests.append(_parse_test(reader, tests[-1]))
    if opened:
        raise reader.refuse_word([")", "and", "or"])
    return Alert(tests=tuple(tests), joints=tuple(joints))


def is_of_all(test: Test) -> bool:
    """Return whether an alert's condition names no pair but compares a figure that is computed over all pairs."""
    return not test.sym and test.field in OF_SEVERAL


def _parse_test(reader: Reader, before: Test | None = None) -> Test:
    """Parse a condition of an alert; without a symbol it is about that of the condition before, else the one in view."""
    if happening := reader.accept(*HAPPENINGS):
        return Test(field=happening, sym=reader.accept_symbol())
    of_all = bool(reader.accept("all"))
    sym = "" if of_all or reader.word in FIELDS else _accept_symbol_of(reader)
    field = reader.accept(*(sorted(OF_SEVERAL) if of_all else FIELDS))
    if not field:
        raise reader.refuse_word(sorted(OF_SEVERAL) if of_all else ["all", *FIELDS, *HAPPENINGS])
    sign = reader.accept(*COMPARISONS)
    if not sign:
        raise reader.refuse_word(COMPARISONS)
    of_all = of_all or (not sym and field in OF_SEVERAL and before is not None and is_of_all(before))
    if field in OF_DESK or of_all:
        sym = ""
    else:
        sym = sym or (before.sym if before is not None else "") or reader.symbol_in_view()
    number, unit = _test_value(reader, field)
    if field == "basis" and unit in ("", "%"):
        number, unit = number * 100, "bp"  # as the quotes have it
    return Test(field=field, sym=sym, sign=sign, number=number, unit=unit)


def _accept_symbol_of(reader: Reader) -> str:
    """Read the symbol before an alert's figure; if it is ambiguous and an unknown word follows, refuse that word instead."""
    name = reader.next
    try:
        return reader.accept_symbol()
    except LineRefused as refusal:
        behind = reader.next
        if refusal.code is Code.AMBIGUOUS_SYMBOL and behind not in (name, None) and reader.word not in FIELDS:
            raise reader.refuse_word(FIELDS) from None
        raise


def _test_value(reader: Reader, field: str) -> tuple[Decimal, str]:
    negative = field in SIGNED and reader.accept("+", "-") == "-"
    token = reader.next
    digits, letters = reader.number_with_letters("the value")
    if letters in ("k", "m") and not (letters == "m" and field in TIMES):
        digits, letters = digits + letters, ""
    if letters and letters not in TEST_UNITS:
        raise reader.refuse(Code.BAD_NUMBER, f"{letters} is no unit here; accepted: {', '.join(TEST_UNITS)}", token)
    number = reader.parse_number(digits, token) if token is not None else Decimal(0)
    return -number if negative else number, letters or reader.accept(*TEST_UNITS)


def parse_alias(reader: Reader) -> SetAlias:
    """Parse `alias`, its name and its line between quotes.

    Raises:
        LineRefused: One of them is missing.
    """
    token = reader.next
    if token is None or token.kind is not Kind.WORD or "." in token.text:
        where = "here" if reader.scene.has_cursor else reader.scene.example
        raise reader.refuse(Code.UNKNOWN_WORD, f'alias needs a name and a line, such as alias trim "close 50% {where}"')
    reader.take()
    line = reader.next
    if line is None or line.kind is not Kind.TEXT or not line.text.strip('" '):
        raise reader.refuse(Code.UNKNOWN_WORD, "the line of an alias stands between double quotes")
    reader.take()
    return SetAlias(name=token.word, line=line.text.strip('"').strip())


def parse_export(reader: Reader) -> Export:
    """Parse `export`: what, over which time, in which form.

    Raises:
        LineRefused: It is not known what to export.
    """
    what = reader.accept(*EXPORTS)
    if not what and not reader.done and reader.word not in FORMS:
        raise reader.refuse_word(EXPORTS)
    seconds = None
    if reader.next is not None and reader.next.kind is Kind.NUMBER:
        seconds = reader.duration("the time")
    return Export(what=what, seconds=seconds, form=reader.accept(*FORMS) or "csv")


def parse_use(reader: Reader) -> Use:
    """Parse `use` and the name of a portfolio.

    Raises:
        LineRefused: The name is missing.
    """
    token = reader.next
    if token is None or token.kind not in (Kind.WORD, Kind.NUMBER):
        raise reader.refuse(Code.OTHER_PORTFOLIO, "use which portfolio?")
    reader.take()
    return Use(portfolio=token.text)
