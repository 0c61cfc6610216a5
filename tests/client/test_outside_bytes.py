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
        (gzip.compress(b"0" * (MAX_FRAME + 1), 1), "larger than 8 MiB after decompression"),
        (gzip.compress(b"0" * (5 * MAX_FRAME), 1), "larger than 8 MiB after decompression"),
    ],
    ids=["empty", "garbage", "plain", "zlib", "cut off", "one too many", "bomb"],
)
def test_f50_f51_an_invalid_gzip_frame_is_rejected_with_a_cause(frame: bytes, said: str) -> None:
    with pytest.raises(BadFrame) as caught:
        inflate(frame)
    assert str(caught.value) == said


def test_f51_gzip_data_at_the_size_limit_is_unpacked() -> None:
    assert len(inflate(gzip.compress(b"0" * MAX_FRAME))) == MAX_FRAME
    assert inflate(gzip.compress(b"")) == b""


def test_f51_a_gzip_bomb_is_never_fully_unpacked() -> None:
    bomb = gzip.compress(b"0" * (200 * 1024 * 1024), 9)
    tracemalloc.start()
    with pytest.raises(BadFrame):
        inflate(bomb)
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert most < 3 * MAX_FRAME


def test_a_gzip_frame_is_unpacked() -> None:
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
def test_f52_f53_unreadable_frames_are_rejected(frame: bytes) -> None:
    with pytest.raises(BadFrame):
        REPLY.read(frame)


@pytest.mark.parametrize("digits", [19, 400, 5_000])
def test_f53_huge_integers_never_crash_the_decoder(digits: int) -> None:
    with contextlib.suppress(BadFrame):
        REPLY.read(b'{"event":"x","code":' + b"9" * digits + b"}")


def test_f53_json_nested_deeper_than_the_limit_is_rejected() -> None:
    def nested(depth: int) -> bytes:
        return b'{"data":' + b"[" * (depth - 1) + b" " * 512 + b"]" * (depth - 1) + b"}"

    check_bounds(nested(32))
    with pytest.raises(BadFrame) as caught:
        check_bounds(nested(33))
    assert str(caught.value) == "nested deeper than 32"


def test_json_nesting_is_checked_from_512_bytes_on() -> None:
    deep = b"[" * 33 + b"]" * 33
    check_bounds(deep.ljust(511))
    with pytest.raises(BadFrame):
        check_bounds(deep.ljust(512))


def test_json_depth_check_counts_closed_brackets() -> None:
    check_bounds(b"[1" + b"[[]," * 30 + b"]" * 31 + b" " * 512)
    check_bounds(b"[[],[],[]," + b"[" * 31 + b"]" * 32 + b" " * 512)
    with pytest.raises(BadFrame):
        check_bounds(b"[1" + b"[[]," * 31 + b"]" * 32 + b" " * 512)
    with pytest.raises(BadFrame):
        check_bounds(b'{"a":[],"b":' + b"[" * 32 + b"]" * 32 + b"}" + b" " * 512)


def test_json_brackets_side_by_side_do_not_count_as_depth() -> None:
    check_bounds(b"[" + b"[]," * 500 + b"[]]")
    check_bounds(b"[" + b'{"a":1},' * 500 + b"[]]")
    with pytest.raises(BadFrame):
        check_bounds(b"[]" * 300 + b'{"a":[' * 17)


def test_a_short_frame_may_be_deeply_nested() -> None:
    with pytest.raises(BadFrame):
        ORDER.read(b"[" * 511)
    assert REPLY.read(b'{"event":"x","more":' + b"[" * 240 + b"]" * 240 + b"}").event == "x"


def test_json_depth_check_ignores_brackets_in_strings() -> None:
    check_bounds(json.dumps({"rows": [{"a": "[[[{{{" * 20, "b": '\\"[['} for _ in range(50)]}).encode())


def test_s21_frame_size_is_checked_before_parsing() -> None:
    check_bounds(b" " * MAX_FRAME)
    with pytest.raises(BadFrame) as caught:
        check_bounds(b" " * (MAX_FRAME + 1))
    assert str(caught.value) == "larger than 8 MiB"


def test_decode_errors_have_a_short_text() -> None:
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


def test_long_frames_are_always_cleaned() -> None:
    assert not wants_cleaning(b"a" * LONG_FRAME)
    assert wants_cleaning(b"a" * (LONG_FRAME + 1))


def test_a_parser_cleans_texts_only_when_its_caller_asks() -> None:
    assert REPLY.parse(b'{"event":"x","msg":"a\xc2\xa0b"}', clean=False).msg == "a\xa0b"
    assert REPLY.parse(b'{"event":"x","msg":"a\xc2\xa0b"}', clean=True).msg == "a b"


@pytest.mark.parametrize("token", ["0." + "1" * 38, "1e40", "1e-40", "-1.5E+3"])
def test_f53_numbers_within_bounds_are_exact(token: str) -> None:
    assert Reader[object](object).read(token.encode()) == Decimal(token)


@pytest.mark.parametrize("token", ["0." + "1" * 39, "1e41", "1e-41", "1e999999999"])
def test_s15_f53_numbers_out_of_bounds_are_rejected(token: str) -> None:
    with pytest.raises(BadFrame) as caught:
        Reader[object](object).read(token.encode())
    assert str(caught.value) in ("not readable", "number too long", "number out of range", "Number out of range")


@pytest.mark.parametrize("wrong", ["null", "1", "[]", "{}", "true"])
def test_f54_f55_a_field_of_wrong_type_makes_the_frame_invalid(wrong: str) -> None:
    with pytest.raises(BadFrame):
        ORDER.read(f'{{"orderId":"1","orderState":"NEW","sym":"A","side":"BUY","orderQty":{wrong}}}'.encode())


def test_f55_unknown_fields_are_ignored() -> None:
    record = ORDER.read(b'{"orderId":"1","orderState":"ODD","sym":"A","side":"BUY","new":{"deep":[1]}}')
    assert record.order_state == "ODD"


def test_texts_are_cleaned_only_if_the_frame_needs_it() -> None:
    plain = b'{"event":"x","msg":"fine"}'
    evil = json.dumps({"event": "x", "msg": "a\x1b[2Jb\u202ec"}).encode()
    assert not wants_cleaning(plain)
    assert wants_cleaning(evil)
    assert REPLY.read(evil).msg == "a[2Jbc"


def test_overlong_plain_text_is_cut() -> None:
    frame = json.dumps({"event": "x", "msg": "a" * 100_000}).encode()
    assert len(REPLY.read(frame).msg or "") == 512


def test_numbers_in_untyped_values_are_decimals() -> None:
    reader: Reader[object] = Reader(object)
    assert str(reader.read(b'{"a":0.1}')) == "{'a': Decimal('0.1')}"


def test_a_quote_is_read_with_its_time_as_number_or_text() -> None:
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
def test_f53_a_frame_with_duplicate_keys_is_rejected(frame: bytes, said: str) -> None:
    with pytest.raises(BadFrame, match=said):
        refuse_repeats(frame)


@pytest.mark.parametrize(
    "frame", [b'{"a":{"x":1},"b":{"x":1}}', b'[{"a":1},{"a":2}]', b'{"a":' + b"9" * 5000 + b"}", b"x"]
)
def test_f53_equal_keys_in_different_objects_are_accepted(frame: bytes) -> None:
    refuse_repeats(frame)
