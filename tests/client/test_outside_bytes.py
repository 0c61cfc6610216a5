"""Every inbound byte is bounded, parsed once and cleaned where needed; nothing crashes the reader."""

from __future__ import annotations

import contextlib
import gzip
import json

import pytest

from tui.client.decode import BadFrame, Reader, check_bounds, inflate, refuse_repeats, wants_cleaning
from tui.interface.envelope import Answer, StreamReply
from tui.interface.families.orders import OrderRecord
from tui.interface.streams import BboFrame

REPLY: Reader[StreamReply] = Reader(StreamReply)
ANSWER: Reader[Answer] = Reader(Answer)
ORDER: Reader[OrderRecord] = Reader(OrderRecord)


@pytest.mark.parametrize(
    "frame",
    [
        b"",
        b"not gzip at all",
        b'{"plain": "json"}',
        gzip.compress(b"x" * 1000)[:-9],
        gzip.compress(b"0" * (8 * 1024 * 1024 + 1)),
    ],
    ids=["empty", "garbage", "plain", "cut off", "bomb"],
)
def test_f50_f51_bad_gzip_is_one_bad_frame(frame: bytes) -> None:
    with pytest.raises(BadFrame):
        inflate(frame)


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
    with pytest.raises(BadFrame):
        check_bounds(nested(33))


def test_the_deepest_short_frame_is_no_harm() -> None:
    with pytest.raises(BadFrame):
        ORDER.read(b"[" * 511)
    assert REPLY.read(b'{"event":"x","more":' + b"[" * 240 + b"]" * 240 + b"}").event == "x"


def test_nesting_counts_brackets_outside_texts_only() -> None:
    check_bounds(json.dumps({"rows": [{"a": "[[[{{{" * 20, "b": '\\"[['} for _ in range(50)]}).encode())


def test_size_limit_comes_before_parsing() -> None:
    with pytest.raises(BadFrame):
        check_bounds(b" " * (8 * 1024 * 1024 + 1))


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
    reader: Reader[BboFrame] = Reader(BboFrame)
    for ts in ('"1774331552771"', "1774331552771"):
        frame = reader.read(
            b'{"arg":{"channel":"BBO","sym":"S"},"data":{"bid":"1","bidqty":"2","ask":"3","askqty":"4","ts":%s}}'
            % ts.encode()
        )
        assert frame.data.ask == "3"


@pytest.mark.parametrize(
    ("frame", "said"),
    [
        (b'{"channel":"Orders","data":{"orderState":"OPEN","orderState":"FILLED"}}', "'orderState' stands twice"),
        (b'{"data":[{"a":1},{"a":1,"b":{"c":2,"c":3}}]}', "'c' stands twice"),
        (b'{"code":500,"code":200000}', "'code' stands twice"),
        (b'{"msg":"\xff"}', "not UTF-8"),
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
