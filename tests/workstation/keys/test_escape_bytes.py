"""Esc and a key that follows at once are two keys, not Alt and the key: else Esc is lost and the key acts."""

from __future__ import annotations

from random import Random

import pytest
from textual import events
from textual.message import Message

from tui.workstation.terminal.direct_output import SILENT_TICKS, ReadParser

ODD_CHARACTERS = "\x1b[]OP_?<>;:0123456789ABCDEFHMRSuty~m$cI\\ a\x07\x9bé\U0010ffff"
"""Characters that sequences of terminals consist of, and others."""


def read(parser: ReadParser, *reads: str) -> list[str]:
    """Keys of what a terminal sends, read by read, before any time has passed."""
    messages = [message for data in reads for message in parser.feed(data)]
    return [message.key for message in messages if isinstance(message, events.Key)]


@pytest.mark.parametrize(
    ("reads", "keys"),
    [
        (["\x1b", "\r"], ["escape", "enter"]),
        (["\x1b\r"], ["escape", "enter"]),
        (["\x1b", "\x1b", "B"], ["escape", "escape", "B"]),
        (["\x1bB"], ["escape", "B"]),
        (["\x1b", "b"], ["escape", "b"]),
        (["\x1b", "\t"], ["escape", "tab"]),
        (["\x1b5"], ["escape", "5"]),
        (["a\x1b:"], ["a", "escape", "colon"]),
        (["\x1b\x1b[A"], ["escape", "up"]),
    ],
)
def test_an_esc_byte_before_a_key_is_read_as_the_key_escape(reads: list[str], keys: list[str]) -> None:
    assert read(ReadParser(), *reads) == keys


@pytest.mark.parametrize(
    ("reads", "keys"),
    [
        (["\x1b[A"], ["up"]),
        (["\x1b", "[A"], ["up"]),
        (["\x1b[", "1;3A"], ["alt+up"]),
        (["\x1bOP"], ["f1"]),
        (["\x1b[Z"], ["shift+tab"]),
        (["\x1b[15~"], ["f5"]),
        (["\x1bb"], ["ctrl+left"]),
        (["\x1b\x7f"], ["ctrl+w"]),
        (["\x1b[200~buy 1", "\x1b[201~", "x"], ["x"]),
        (["\x1b[200~a\x1b[201~", "\x1b", "b"], ["escape", "b"]),
    ],
)
def test_escape_sequences_are_one_key_even_if_split_over_reads(reads: list[str], keys: list[str]) -> None:
    assert read(ReadParser(), *reads) == keys


@pytest.mark.parametrize(
    ("sequence", "keys"),
    [
        ("\x1b[98;1u", ["b"]),
        ("\x1b[98;1:1u", ["b"]),
        ("\x1b[98;1:2u", ["b"]),
        ("\x1b[98;1:3u", []),
        ("\x1b[98;5:1u", ["ctrl+b"]),
        ("\x1b[1;1:3A", []),
        ("\x1b[:u", []),
        ("\x1b[:R", []),
        ("\x1b[1114112u", []),
        ("\x1b[55296;1u", []),
        ("\x1b[9999999999;1u", []),
    ],
)
def test_a_key_code_sent_by_number_is_read_or_ignored(sequence: str, keys: list[str]) -> None:
    """Terminals may send it; an error here ended the desk."""
    assert read(ReadParser(), sequence, "a") == [*keys, "a"]


@pytest.mark.parametrize("seed", range(4))
def test_random_bytes_of_a_keyboard_never_make_the_reader_fail(seed: int) -> None:
    random = Random(seed)
    for _ in range(3_000):
        parser = ReadParser()
        typed = "".join(random.choice(ODD_CHARACTERS) for _ in range(random.randint(1, 12)))
        messages = [
            *parser.feed(random.choice(["", "\x1b["]) + typed),
            *parser.tick(),
            *parser.feed("a"),
            *parser.tick(),
        ]
        for message in messages:
            if isinstance(message, events.Key):
                f"{message.key}{message.character}".encode()


@pytest.mark.parametrize(
    ("text", "pasted"),
    [
        ("buy 1\x1b", "buy 1"),
        ("a\x1bB", "aB"),
        ("a\x1b\x1b[A\r", "a[A\r"),
        ("\x1b[31mred\x1b[0m", "[31mred[0m"),
        ("\x1b[200~twice", "[200~twice"),
        ("\x1b[20\x1b[201", "[20[201"),
        ("", ""),
    ],
)
def test_a_paste_with_esc_inside_is_one_paste_without_keys(text: str, pasted: str) -> None:
    """What followed the Esc were keys: a caret, and letters that act."""
    sent = f"x\x1b[200~{text}\x1b[201~\x1by"
    whole = [sent], list(sent), *([sent[:at], sent[at:]] for at in range(1, len(sent)))
    for reads in whole:
        parser = ReadParser()
        messages: list[Message] = []
        for data in reads:
            messages += parser.feed(data)
            assert not parser._pastes or parser._timeout_time is None, "a pause inside makes no keys"
        assert [message.text for message in messages if isinstance(message, events.Paste)] == [pasted], reads
        keys = [message.key for message in messages if isinstance(message, events.Key)]
        assert keys == ["x", "escape", "y"], (reads, keys)


@pytest.mark.parametrize("typed", ["O", "["])
def test_an_esc_before_a_lone_bracket_or_o_becomes_escape_later(typed: str) -> None:
    parser = ReadParser()
    assert read(parser, "\x1b", typed) == []
    parser._timeout_time = 0.0
    keys = [message.key for message in parser.tick() if isinstance(message, events.Key)]
    assert keys == ["escape", {"O": "O", "[": "left_square_bracket"}[typed]]


def test_of_escape_and_a_key_read_at_once_the_key_is_the_newest() -> None:
    parser = ReadParser()
    [_, enter] = list(parser.feed("\x1b\r"))
    assert ReadParser.newest_key is enter


def test_a_paste_whose_end_is_lost_ends_after_some_seconds() -> None:
    parser = ReadParser()
    assert read(parser, "\x1b[200~buy", "X") == []
    for _ in range(SILENT_TICKS - 1):
        assert list(parser.tick()) == []
    assert read(parser, " 1") == [], "a slow link brings the next part late"
    messages = [message for _ in range(SILENT_TICKS) for message in parser.tick()]
    assert [message.text for message in messages if isinstance(message, events.Paste)] == ["buyX 1"]
    assert read(parser, "X") == ["X"]
