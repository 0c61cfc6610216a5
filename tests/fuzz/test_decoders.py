"""A million damaged inputs to everything that reads outside bytes: each is understood or refused, and nothing else.

Whatever once did otherwise stays in `corpus.txt` for ever.
"""

from __future__ import annotations

import gzip
import random
import unicodedata
from collections.abc import Callable, Iterator
from contextlib import suppress
from decimal import Decimal
from pathlib import Path
from typing import Any

import msgspec
import pytest

from tests.figures import measured
from tui.client.decode import BadFrame, Reader, inflate, refuse_repeats
from tui.interface import decimals, text
from tui.interface.envelope import Answer, StreamReply
from tui.interface.families.market import Bbo
from tui.interface.families.orders import OrderRecord
from tui.interface.families.positions import PositionRecord
from tui.interface.streams import PushFrame

CORPUS = [
    line.encode("latin-1").decode("unicode_escape").encode("latin-1")
    for line in (Path(__file__).parent / "corpus.txt").read_text("latin-1").splitlines()
    if line and not line.startswith("#")
]
TOKENS = (
    *(
        b"NaN",
        b"-Infinity",
        b"1e400",
        b"-0",
        b"1_000",
        b"9" * 400,
        b"0." + b"1" * 60,
        b"1e-999999999",
        b"null",
        b"true",
    ),
    *(b"[" * 40, b"{" * 40, b'{"a":' * 40, b"]}" * 20, b'""', b'"', b"\\", b"\\u0000", b"\\ud800", b"\\u202e"),
    *(b"\x00", b"\xff", b"\xed\xa0\x80", b"\xf0\x9f\x92\xa9", b"\x1b[2J", "٣".encode(), b"\xef\xbb\xbf", b",", b":"),
    *(b'"orderId":', b'"code":200000', b'"data":', b'"updateAt":"1e9"', b'"executedQty":"-1"', b"A" * 700),
)

ANSWER: Reader[Answer] = Reader(Answer)
REPLY: Reader[StreamReply] = Reader(StreamReply)
ORDER: Reader[OrderRecord] = Reader(OrderRecord)
POSITIONS: Reader[list[PositionRecord]] = Reader(list[PositionRecord])
QUOTE: Reader[PushFrame[Bbo]] = Reader(PushFrame[Bbo])


def _careful(reader: Reader[Any]) -> Callable[[bytes], object]:
    """Where money hangs on it: a frame that says a thing twice is refused too."""

    def read(frame: bytes) -> object:
        value = reader.read(frame)
        refuse_repeats(frame)
        return value

    return read


def _number(frame: bytes) -> object:
    value = frame.decode("utf-8", "replace")
    found = decimals.optional(value)
    assert found is None or (found.is_finite() and len(decimals.plain(found)) < 200)
    for parse in (decimals.parse_request, decimals.parse_typed):
        with suppress(decimals.BadDecimal):
            number = parse(value)
            assert isinstance(number, Decimal)
            assert number.is_finite()
            assert len(decimals.plain(number)) < 200
    return found


TARGETS: dict[str, Callable[[bytes], object]] = {
    "answer": _careful(ANSWER),
    "reply": _careful(REPLY),
    "order": _careful(ORDER),
    "positions": _careful(POSITIONS),
    "quote": QUOTE.read,
    "gzip": lambda frame: QUOTE.read(inflate(frame)),
    "decimal": _number,
}


def damaged(seed: int, corpus: list[bytes]) -> Iterator[bytes]:
    """Endless inputs: one of the corpus, hurt once to four times."""
    source = random.Random(seed)
    draw = source.random
    while True:
        frame = corpus[int(draw() * len(corpus))]
        for _ in range(1 + int(draw() * 4)):
            at, kind = int(draw() * (len(frame) + 1)), draw()
            if kind < 0.3:
                frame = frame[:at] + TOKENS[int(draw() * len(TOKENS))] + frame[at:]
            elif kind < 0.5:
                frame = frame[:at] + bytes((int(draw() * 256),)) + frame[at + 1 :]
            elif kind < 0.65:
                frame = frame[:at] + frame[at + 1 + int(draw() * 12) :]
            elif kind < 0.8:
                frame = frame[:at] + frame[at : at + 1 + int(draw() * 60)] * 2 + frame[at:]
            elif kind < 0.9:
                other = corpus[int(draw() * len(corpus))]
                frame = frame[:at] + other[int(draw() * (len(other) + 1)) :]
            else:
                frame = frame[:at]
        yield frame


def corpus_of(target: str) -> list[bytes]:
    if target == "gzip":
        return [gzip.compress(frame, 1, mtime=0) for frame in CORPUS]
    if target == "decimal":
        return [b"1.5", b"-0.00000001", b"64000.1", b"1e-8", b"-250", b"0", b"1234567890123456789012345678.9"]
    return CORPUS


def quiet(value: object) -> bool:
    """No text of a decoded value holds what a terminal could take for an order."""
    if isinstance(value, str):
        return not any(unicodedata.category(char) in ("Cc", "Cf", "Cs", "Co", "Cn") for char in value)
    if isinstance(value, msgspec.Raw):
        return True
    if isinstance(value, msgspec.Struct):
        return all(quiet(one) for one in msgspec.structs.astuple(value))
    if isinstance(value, list | tuple):
        return all(quiet(one) for one in value)
    if isinstance(value, dict):
        return all(quiet(one) for pair in value.items() for one in pair)
    return True


@pytest.mark.parametrize(
    ("size", "count"),
    [("commit", 150_000), pytest.param("nightly", 3_000_000, marks=[pytest.mark.nightly, pytest.mark.timeout(3600)])],
)
@pytest.mark.parametrize("target", TARGETS)
def test_i13_fuzzed_input_is_either_decoded_or_rejected(target: str, size: str, count: int) -> None:
    read, inputs = TARGETS[target], damaged(len(target), corpus_of(target))
    understood = 0
    for number in range(count):
        frame = next(inputs)
        try:
            value = read(frame)
        except BadFrame:
            continue
        except BaseException as error:
            raise AssertionError(f"input {number} {frame!r}") from error
        understood += 1
        if understood % 16 == 0:
            assert quiet(value), frame
    assert understood > count // 1000, "nothing is read any more: the damage is too great to prove anything"
    measured.keep("fuzz", size, **{target: count})


@pytest.mark.parametrize("frame", CORPUS, ids=range(len(CORPUS)))
def test_fuzz_corpus_is_decoded_or_rejected(frame: bytes) -> None:
    for target, read in TARGETS.items():
        with suppress(BadFrame):
            read(gzip.compress(frame) if target == "gzip" else frame)


def test_fuzz_check_finds_unsafe_text() -> None:
    """The measure itself notices."""
    assert not quiet(["a\x1bb"])
    assert not quiet({"\u202e": 1})
    assert quiet(text.scrub({"a\x1b": ["\u202e"]}))
