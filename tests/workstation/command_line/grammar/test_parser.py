"""Every line of the corpus has one meaning, and any text is parsed or refused, never more than that."""

from __future__ import annotations

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.workstation.command_line.grammar.lines import (
    ACCEPTED,
    ETH,
    NOWHERE,
    OTHER_BTC,
    REFUSED,
    REFUSED_NOWHERE,
    SCENE,
)
from tui.workstation.command_line.grammar.canonical import write_line
from tui.workstation.command_line.grammar.parser import VERBS, expand, parse
from tui.workstation.command_line.grammar.reader import RESERVED
from tui.workstation.command_line.grammar.refusals import Code, LineRefused

WORDS = [
    *sorted(RESERVED),
    "BTC", "ETH", "OKX", "main", "25ct", "0.5", "16_000q", "5kkas", "1k", "50%", "%", "$", "$size", "@e", "#7f3a", "#",
    ";", "&", "..", "+", "-", "2t", "-2t", "+1%", "60s", "(", ")", "*", "<", ">=", '"c last"', '"', "é", "1,5", "64000",
]  # fmt: skip


@pytest.mark.parametrize("line", ACCEPTED)
def test_accepted_command_lines_are_written_in_a_standard_form(line: str) -> None:
    """And that text parses to the same line."""
    parsed = parse(line, SCENE)
    assert write_line(parsed) == ACCEPTED[line]
    again = parse(write_line(parsed), SCENE)
    assert again == parsed and write_line(again) == write_line(parsed)


@pytest.mark.parametrize("line", REFUSED)
def test_a_refused_command_line_gives_a_code_and_the_error_place(line: str) -> None:
    with pytest.raises(LineRefused) as refused:
        parse(line, SCENE)
    assert refused.value.code is REFUSED[line], str(refused.value)
    assert 0 <= refused.value.start <= refused.value.end <= len(line) and str(refused.value)


@pytest.mark.parametrize(
    ("line", "words"),
    [
        (f"buy 100 {ETH} join", "100 what? write 100 ETH, or $100"),
        ("buy 100 ETH_USDT take", "100 what? write 100 ETH, or $100"),
        ("buy 100 join", "100 what? write 100ct, 100 BTC, or $100"),
        (f"buy 100 {OTHER_BTC}", "100 what? write 100 BTC, or $100"),
        ("buy 2 BTC BINANCE_PERP_ETH join", f"BTC is not the coin of {ETH}; write 2 ETH, or $2"),
    ],
)
def test_a_refused_size_names_the_units_that_its_pair_accepts(line: str, words: str) -> None:
    """Contracts were offered for pairs that have none, and refused when they were typed."""
    with pytest.raises(LineRefused) as refused:
        parse(line, SCENE)
    assert str(refused.value) == words
    with pytest.raises(LineRefused, match=r"100 what\? write 100ct, \$100, or the coin behind it"):
        parse("buy 100 take", NOWHERE)


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("kill", "kill is no command of the line; it is the key X at the desk, and a word of plain mode"),
        ("say all", "say is no command of the line; it is a word of plain mode"),
        ("hello", "hello is not known here; accepted: buy, b, "),
        ("here", "here begins no command; accepted: buy, b, "),
        ("purchase 25ct BTC join", "purchase is not known here; accepted: "),
        ("z", "z is not known here; accepted: "),
        ("sel 25ct BTC join", "sel is not known here; did you mean sell?"),
        ("lmit far 5bp", "lmit is not known here; did you mean limit?"),
        ("cancle last", "cancle is not known here; did you mean cancel?"),
        ("buy 25ct BTC tkae", "tkae is not known here; did you mean take?"),
        ("quit", "quit is not known here; did you mean q?"),
    ],
)
def test_an_unknown_word_in_a_command_suggests_only_a_near_one(line: str, words: str) -> None:
    with pytest.raises(LineRefused) as refused:
        parse(line, SCENE)
    assert str(refused.value).startswith(words) and " chase," not in str(refused.value)


def test_a_size_with_a_thousands_comma_is_refused_by_the_parser() -> None:
    with pytest.raises(LineRefused) as refused:
        parse("buy 1,000ct BTC join", SCENE)
    assert str(refused.value) == "1,000 has a comma; write 1000 (a dot begins decimals), or groups as 16_000"


@pytest.mark.parametrize("line", REFUSED_NOWHERE)
def test_a_command_without_a_pair_is_refused_if_none_is_in_view(line: str) -> None:
    with pytest.raises(LineRefused) as refused:
        parse(line, NOWHERE)
    assert refused.value.code is REFUSED_NOWHERE[line], str(refused.value)


def test_every_command_word_is_in_the_parser_examples() -> None:
    steps = [step.split() for line in ACCEPTED for step in line.lower().replace("&", ";").split(";")]
    used = {word for words in steps for word in words[:3]}
    assert sorted(set(VERBS) - used) == []


def test_an_alias_is_expanded_once_and_cannot_replace_a_command() -> None:
    aliases = {"out": "flat here", "loop": "loop ; c last"}
    assert expand("out ; c last", aliases) == "flat here ; c last"
    assert expand("loop", aliases) == "loop ; c last"
    assert expand("show out", aliases) == "show out"


def check_text(line: str) -> None:
    """Parse a text; what is accepted has a canonical text that means the same."""
    try:
        parsed = parse(line, SCENE)
    except LineRefused as refused:
        assert refused.code in Code and 0 <= refused.start <= refused.end <= len(line)
        return
    text = write_line(parsed)
    assert parse(text, SCENE) == parsed and write_line(parse(text, SCENE)) == text


@given(st.text(max_size=60))
def test_random_text_is_parsed_or_refused_without_a_crash(line: str) -> None:
    check_text(line)


def soup(rng: random.Random) -> str:
    """Words of the language in any order, or an accepted line with a word changed."""
    if rng.random() < 0.5:
        words = rng.choice(list(ACCEPTED)).split()
        for _ in range(rng.randint(1, 3)):
            at = rng.randrange(len(words))
            if rng.random() < 0.6:
                words[at] = rng.choice(WORDS)
            elif rng.random() < 0.5:
                words.insert(at, rng.choice(WORDS))
            elif len(words) > 1:
                del words[at]
        return " ".join(words)
    return " ".join(rng.choice(WORDS) for _ in range(rng.randint(1, 12)))


@pytest.mark.parametrize("seed", range(3))
def test_random_command_words_are_parsed_or_refused(seed: int) -> None:
    rng = random.Random(seed)
    for _ in range(1000):
        check_text(soup(rng))


@pytest.mark.nightly
def test_hundred_thousand_random_lines_are_parsed_or_refused() -> None:
    rng = random.Random(1)
    for _ in range(100_000):
        check_text(soup(rng))
