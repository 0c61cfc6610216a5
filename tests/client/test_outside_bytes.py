"""Every inbound byte is bounded, parsed once and cleaned where needed; nothing crashes the reader."""

from __future__ import annotations

import contextlib
import gzip
import json
import tracemalloc
import zlib
from decimal import Decimal
from typing import Literal

import pytest

from tui.client.decode import LONG_FRAME, BadFrame, Reader, check_bounds, inflate, refuse_repeats, wants_cleaning
from tui.interface.envelope import MAX_FRAME, Answer, StreamReply
from tui.interface.families.market import Bbo
from tui.interface.families.orders import OrderRecord
from tui.interface.streams import PushFrame

REPLY: Reader[StreamReply] = Reader(StreamReply)
ANSWER: Reader[Answer] = Reader(Answer)
ORDER: Reader[OrderRecord] = Reader(OrderRecord)


@pytest.mark.parametrize(
    ("frame", "said"),
    [
        (b"", "gzip frame is cut off"),
        (b"not gzip at all", "not a gzip frame"),
        (b'{"plain": "json"}', "not a gzip frame"),
        (zlib.compress(b"zlib without gzip's head"), "not a gzip frame"),
        (gzip.compress(b"x" * 1000)[:-9], "gzip frame is cut off"),
        (gzip.compress(b"0" * (MAX_FRAME + 1)), "larger than 8 MiB after decompression"),
        (gzip.compress(b"0" * (5 * MAX_FRAME)), "larger than 8 MiB after decompression"),
    ],
    ids=["empty", "garbage", "plain", "zlib", "cut off", "one too many", "bomb"],
)
def test_f50_f51_bad_gzip_is_one_bad_frame(frame: bytes, said: str) -> None:
    with pytest.raises(BadFrame) as caught:
        inflate(frame)
    assert str(caught.value) == said


def test_f51_the_limit_itself_is_unpacked() -> None:
    assert len(inflate(gzip.compress(b"0" * MAX_FRAME))) == MAX_FRAME
    assert inflate(gzip.compress(b"")) == b""


def test_f51_a_bomb_is_never_unpacked_whole() -> None:
    bomb = gzip.compress(b"0" * (200 * 1024 * 1024), 9)
    tracemalloc.start()
    with pytest.raises(BadFrame):
        inflate(bomb)
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert most < 3 * MAX_FRAME


def test_gzip_frame_is_unpacked() -> None:
    assert inflate(gzip.compress(b'{"pong":1}')) == b'{"pong":1}'


@pytest.mark.parametrize(
    "frame",
    [
        b"",
        b"\x00",
        b"\xff\xfe{}",
        b"\xef\xbb\xbf{}",
        b"[1,2",
        b'"text"',
        b'{"id":1.5,"event":"x"}',
        b'{"code":NaN}',
        b'{"code":1e400}',
        b'{"code":Infinity}',
        b'{"data":' + b"[" * 200_000 + b"]" * 200_000 + b"}",
        b'{"event":"\xed\xa0\x80"}',
    ],
)
def test_f52_f53_unreadable_frames_are_refused(frame: bytes) -> None:
    with pytest.raises(BadFrame):
        REPLY.read(frame)


@pytest.mark.parametrize("digits", [19, 400, 5_000])
def test_f53_endless_integers_never_crash(digits: int) -> None:
    with contextlib.suppress(BadFrame):
        REPLY.read(b'{"event":"x","code":' + b"9" * digits + b"}")


def test_f53_nesting_of_the_limit_is_read_and_one_more_is_not() -> None:
    def nested(depth: int) -> bytes:
        return b'{"data":' + b"[" * (depth - 1) + b" " * 512 + b"]" * (depth - 1) + b"}"

    check_bounds(nested(32))
    with pytest.raises(BadFrame) as caught:
        check_bounds(nested(33))
    assert str(caught.value) == "nested deeper than 32"


def test_nesting_is_counted_from_512_bytes_on() -> None:
    deep = b"[" * 33 + b"]" * 33
    check_bounds(deep.ljust(511))
    with pytest.raises(BadFrame):
        check_bounds(deep.ljust(512))


def test_depth_is_kept_over_brackets_that_close_in_between() -> None:
    check_bounds(b"[1" + b"[[]," * 30 + b"]" * 31 + b" " * 512)
    check_bounds(b"[[],[],[]," + b"[" * 31 + b"]" * 32 + b" " * 512)
    with pytest.raises(BadFrame):
        check_bounds(b"[1" + b"[[]," * 31 + b"]" * 32 + b" " * 512)
    with pytest.raises(BadFrame):
        check_bounds(b'{"a":[],"b":' + b"[" * 32 + b"]" * 32 + b"}" + b" " * 512)


def test_many_brackets_side_by_side_are_not_deep() -> None:
    check_bounds(b"[" + b"[]," * 500 + b"[]]")
    check_bounds(b"[" + b'{"a":1},' * 500 + b"[]]")
    with pytest.raises(BadFrame):
        check_bounds(b"[]" * 300 + b'{"a":[' * 17)


def test_the_deepest_short_frame_is_no_harm() -> None:
    with pytest.raises(BadFrame):
        ORDER.read(b"[" * 511)
    assert REPLY.read(b'{"event":"x","more":' + b"[" * 240 + b"]" * 240 + b"}").event == "x"


def test_nesting_counts_brackets_outside_texts_only() -> None:
    check_bounds(json.dumps({"rows": [{"a": "[[[{{{" * 20, "b": '\\"[['} for _ in range(50)]}).encode())


def test_s21_size_limit_comes_before_parsing() -> None:
    check_bounds(b" " * MAX_FRAME)
    with pytest.raises(BadFrame) as caught:
        check_bounds(b" " * (MAX_FRAME + 1))
    assert str(caught.value) == "larger than 8 MiB"


def test_what_could_not_be_read_is_said_shortly() -> None:
    with pytest.raises(BadFrame, match="Expected `str`"):
        ORDER.read(b'{"orderId":1}')
    with pytest.raises(BadFrame) as caught:
        Reader[object](Literal["a", *map(str, range(100))]).read(b'"b"')
    assert len(str(caught.value)) <= 120
    with pytest.raises(BadFrame) as caught:
        Reader[object](object).read(b'"' + b"\xff" + b'"')
    assert "utf-8" in str(caught.value).lower() or str(caught.value) == "not readable"
    with pytest.raises(BadFrame) as caught:
        Reader[object](object).read(b"[" * 511)
    assert str(caught.value) in ("not readable", "Input data was truncated")


def test_long_frames_are_cleaned_whatever_they_hold() -> None:
    assert not wants_cleaning(b"a" * LONG_FRAME)
    assert wants_cleaning(b"a" * (LONG_FRAME + 1))


def test_what_is_asked_to_be_left_as_it_is_is() -> None:
    assert REPLY.parse(b'{"event":"x","msg":"a\xc2\xa0b"}', clean=False).msg == "a\xa0b"
    assert REPLY.parse(b'{"event":"x","msg":"a\xc2\xa0b"}', clean=True).msg == "a b"


@pytest.mark.parametrize("token", ["0." + "1" * 38, "1e40", "1e-40", "-1.5E+3"])
def test_f53_figures_within_bounds_are_exact(token: str) -> None:
    assert Reader[object](object).read(token.encode()) == Decimal(token)


@pytest.mark.parametrize("token", ["0." + "1" * 39, "1e41", "1e-41", "1e999999999"])
def test_s15_f53_figures_out_of_bounds_are_refused(token: str) -> None:
    with pytest.raises(BadFrame) as caught:
        Reader[object](object).read(token.encode())
    assert str(caught.value) in ("not readable", "number too long", "number out of range", "Number out of range")


@pytest.mark.parametrize("wrong", ["null", "1", "[]", "{}", "true"])
def test_f54_f55_wrong_types_are_bad_frames_not_guesses(wrong: str) -> None:
    with pytest.raises(BadFrame):
        ORDER.read(f'{{"orderId":"1","orderState":"NEW","sym":"A","side":"BUY","orderQty":{wrong}}}'.encode())


def test_f55_unknown_fields_are_ignored() -> None:
    record = ORDER.read(b'{"orderId":"1","orderState":"ODD","sym":"A","side":"BUY","new":{"deep":[1]}}')
    assert record.order_state == "ODD"


def test_texts_are_cleaned_only_where_the_frame_needs_it() -> None:
    plain = b'{"event":"x","msg":"fine"}'
    evil = json.dumps({"event": "x", "msg": "a\x1b[2Jb\u202ec"}).encode()
    assert not wants_cleaning(plain)
    assert wants_cleaning(evil)
    assert REPLY.read(evil).msg == "a[2Jbc"


def test_endless_plain_text_is_cut() -> None:
    frame = json.dumps({"event": "x", "msg": "a" * 100_000}).encode()
    assert len(REPLY.read(frame).msg or "") == 512


def test_numbers_in_free_values_are_decimals() -> None:
    reader: Reader[object] = Reader(object)
    assert str(reader.read(b'{"a":0.1}')) == "{'a': Decimal('0.1')}"


def test_quote_with_number_or_text_time_is_read() -> None:
    reader: Reader[PushFrame[Bbo]] = Reader(PushFrame[Bbo])
    for ts in ('"1774331552771"', "1774331552771"):
        frame = reader.read(
            b'{"arg":{"channel":"BBO","sym":"S"},"data":{"bid":"1","bidqty":"2","ask":"3","askqty":"4","ts":%s}}'
            % ts.encode()
        )
        assert isinstance(frame.data, Bbo)
        assert frame.data.ask == "3"


@pytest.mark.parametrize(
    ("frame", "said"),
    [
        (b'{"channel":"Orders","data":{"orderState":"OPEN","orderState":"FILLED"}}', "'orderState' occurs twice"),
        (b'{"data":[{"a":1},{"a":1,"b":{"c":2,"c":3}}]}', "'c' occurs twice"),
        (b'{"code":500,"code":200000}', "'code' occurs twice"),
        (b'{"msg":"\xff"}', "^not UTF-8$"),
        (b'{"a":NaN,"b":1,"b":2}', "'b' occurs twice"),
        (b'{"a":-Infinity,"b":1,"b":2}', "'b' occurs twice"),
        (b'{"a":1.5e9,"b":1,"b":2}', "'b' occurs twice"),
        (b'{"a":"line\nbreak","b":1,"b":2}', "'b' occurs twice"),
        (b'{"a":' + b"9" * 5000 + b',"b":1,"b":2}', "'b' occurs twice"),
        (b'{"' + b"k" * 50 + b'":1,"' + b"k" * 50 + b'":2}', f"the key '{'k' * 40}' occurs twice in one JSON object"),
    ],
)
def test_f53_a_frame_that_says_a_thing_twice_is_refused(frame: bytes, said: str) -> None:
    with pytest.raises(BadFrame, match=said):
        refuse_repeats(frame)


@pytest.mark.parametrize(
    "frame", [b'{"a":{"x":1},"b":{"x":1}}', b'[{"a":1},{"a":2}]', b'{"a":' + b"9" * 5000 + b"}", b"x"]
)
def test_f53_equal_keys_of_different_objects_are_fine(frame: bytes) -> None:
    refuse_repeats(frame)
