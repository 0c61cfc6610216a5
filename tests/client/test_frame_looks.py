"""What is looked at in a frame before it is parsed, against the slow and plain way to say the same."""

from __future__ import annotations

import zlib
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tui.client import decode
from tui.client.decode import LONG_FRAME, BadFrame, Reader, check_bounds, inflate, refuse_repeats, wants_cleaning
from tui.interface.envelope import MAX_FRAME
from tui.interface.text import MAX_FIELD

TEXTS = st.sampled_from(["", "x", "[[{", 'a"]', "\\", '\\"[', "}:{"])
TREES = st.recursive(
    st.one_of(st.none(), st.integers(0, 9), TEXTS),
    lambda inner: st.one_of(st.lists(inner, max_size=4), st.dictionaries(TEXTS, inner, max_size=3)),
    max_leaves=40,
)


def depth(value: Any) -> int:
    if isinstance(value, dict):
        return 1 + max(map(depth, value.values()), default=0)
    if isinstance(value, list):
        return 1 + max(map(depth, value), default=0)
    return 0


@given(TREES, st.integers(0, 33))
def test_json_depth_check_finds_the_real_nesting_depth(tree: Any, around: int) -> None:
    for _ in range(around):
        tree = [tree]
    frame = msgspec.json.encode([tree, [[]] * 40, "-" * 512])
    if depth(tree) + 1 > 32:
        with pytest.raises(BadFrame, match="nested deeper than 32"):
            check_bounds(frame)
    else:
        check_bounds(frame)


@given(TREES)
def test_a_frame_without_duplicate_keys_is_accepted(tree: Any) -> None:
    refuse_repeats(msgspec.json.encode(tree))


@pytest.mark.parametrize(
    "frame",
    [
        b'{"a":1,"a":2}',
        b'{"a":1,"b":{"c":[{"d":1,"d":1}]}}',
        b'{"a":1,"\\u0061":2}',
        b'{"a":"\\u003a","a":"\\u003a"}',
        b'{"a":":","a":":"}',
        b'{"a":1,"a":1,"b" :2}',
    ],
)
def test_a_duplicate_json_key_is_found_and_named(frame: bytes) -> None:
    with pytest.raises(BadFrame, match="occurs twice in one JSON object"):
        refuse_repeats(frame)


@pytest.mark.parametrize("frame", [b"[1,2]", b'{"a":1,"b":[{"a":"x","b":{}}]}', b'{"a":1.5,"b":"y:z"}'])
def test_duplicate_key_check_parses_a_normal_frame_once(frame: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    """The second, slow look is for frames in which the parser lost a colon; without it none is taken."""
    monkeypatch.setattr(decode, "_KEYS", None)
    refuse_repeats(frame)


def test_a_huge_number_does_not_break_the_duplicate_key_check() -> None:
    refuse_repeats(b'{"a":"\\n","b":' + b"1" * 10_000 + b"}")


@pytest.mark.parametrize("length", [0, 20, 253])
def test_a_long_frame_of_short_plain_texts_needs_no_cleaning(length: int) -> None:
    frame = msgspec.json.encode(["x" * length] * (2 * LONG_FRAME // (length + 3)))
    assert len(frame) > LONG_FRAME and not wants_cleaning(frame)


@pytest.mark.parametrize("at", [0, 1, 255, 256, 300])
def test_an_overlong_text_in_a_frame_is_cut(at: int) -> None:
    texts = ["x" * 20] * (LONG_FRAME // 20)
    endless = "y" * (MAX_FIELD + 1)
    frame = msgspec.json.encode(["z" * at, *texts[:100], endless, *texts])
    found: list[str] = Reader(list[str]).read(frame)
    assert found[101] == endless[:MAX_FIELD]


def test_only_a_frame_with_odd_characters_is_parsed_again(monkeypatch: pytest.MonkeyPatch) -> None:
    """One look over the frame decides; the careful path is for frames that fail it."""
    careful: list[bytes] = []
    parse = Reader.parse

    def counted(reader: Reader[Any], frame: bytes, *, clean: bool) -> Any:
        careful.append(frame)
        return parse(reader, frame, clean=clean)

    monkeypatch.setattr(Reader, "parse", counted)
    reader: Reader[dict[str, str]] = Reader(dict[str, str])
    assert reader.read(b'{"bid":"61750.0"}') == {"bid": "61750.0"}
    assert careful == []
    odd = [b'{"bid":"\\u202e1"}', b'{"bid":"\x7f"}', '{"bid":"\u202e1"}'.encode()]
    assert [reader.read(frame)["bid"] for frame in odd] == ["1", "", "1"]
    assert careful == odd


@given(st.binary(max_size=300), st.integers(0, 400), st.integers(0, 255))
def test_fast_and_bounded_gzip_unpacking_give_the_same_result(data: bytes, at: int, flip: int) -> None:
    packer = zlib.compressobj(6, zlib.DEFLATED, 31)
    frame = bytearray(packer.compress(data) + packer.flush())
    if at < len(frame):
        frame[at] ^= flip
    for whole in (bytes(frame), bytes(frame[:at]), bytes(frame) + b"more"):
        assert _attempt(whole) == _attempt(whole, quick=0)


def _attempt(frame: bytes, quick: int = decode.NATURALLY_BOUNDED) -> object:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(decode, "NATURALLY_BOUNDED", quick)
        try:
            return inflate(frame)
        except BadFrame as bad:
            return str(bad)


def test_fast_gzip_unpacking_stays_within_the_size_limit() -> None:
    packer = zlib.compressobj(9, zlib.DEFLATED, 31)
    bomb = packer.compress(bytes(MAX_FRAME)) + packer.flush()
    assert len(bomb) > decode.NATURALLY_BOUNDED
    assert len(inflate(bomb)) == MAX_FRAME
