"""A flood of gzip frames: quotes that newer ones follow are not even unpacked, and nothing else is left out."""

from __future__ import annotations

import asyncio
import gzip
import json
import random
import string
import zlib
from collections.abc import Callable, Iterator, Sequence

import pytest
from aiohttp import WSMessage, WSMsgType
from hypothesis import given
from hypothesis import strategies as st

from tests.client.flood.test_newest_quotes import BASE, PAIRS, Desk, bbo, pack, push
from tui.client.aiohttp_adapter import Message
from tui.client.decode import inflate
from tui.client.flood import burst_reader, packed_quotes
from tui.client.flood.burst_reader import BEHIND
from tui.client.flood.newest_quotes import NewestQuotes
from tui.client.flood.packed_quotes import KEPT, MOST_LENGTHS, PackedQuotes
from tui.engine.rows import QuoteRow


def packer(level: int, strategy: int) -> Callable[[bytes], bytes]:
    def packed(text: bytes) -> bytes:
        gz = zlib.compressobj(level, zlib.DEFLATED, 31, 9, strategy)
        return gz.compress(text) + gz.flush()

    return packed


def named(text: bytes) -> bytes:
    """With a file's name in the header, so that the first block stands further behind."""
    whole = gzip.compress(text, 1, mtime=0)
    return whole[:3] + b"\x08" + whole[4:10] + b"quote\x00" + whole[10:]


PACKERS: dict[str, Callable[[bytes], bytes]] = {
    "quick": packer(1, zlib.Z_DEFAULT_STRATEGY),
    "usual": packer(6, zlib.Z_DEFAULT_STRATEGY),
    "best": packer(9, zlib.Z_DEFAULT_STRATEGY),
    "shared table": packer(6, zlib.Z_FIXED),
    "no repeats": packer(6, zlib.Z_HUFFMAN_ONLY),
    "stored": packer(0, zlib.Z_DEFAULT_STRATEGY),
    "with the time": lambda text: gzip.compress(text, 6, mtime=len(text)),
    "named": named,
}


def quote(sym: str, number: int, ts: int) -> bytes:
    data = {"bid": f"{100 + number / 7:.2f}", "bidqty": "0.117", "ask": "70283.70", "askqty": "8.575", "ts": str(ts)}
    return push("BBO", sym, data)


@pytest.fixture
def unpacked(monkeypatch: pytest.MonkeyPatch) -> list[bytes]:
    """The frames that were unpacked to be taken."""
    seen: list[bytes] = []

    def noted(frame: bytes) -> bytes:
        seen.append(frame)
        return inflate(frame)

    monkeypatch.setattr(burst_reader, "inflate", noted)
    return seen


def flood(count: int, pack_one: Callable[[bytes], bytes], pairs: Sequence[str] = PAIRS) -> list[bytes]:
    return [pack_one(quote(pairs[at % len(pairs)], at, BASE + at)) for at in range(count)]


@pytest.mark.parametrize("how", ["quick", "usual", "best", "shared table", "no repeats"])
async def test_few_compressed_quotes_of_a_flood_are_unpacked(how: str, unpacked: list[bytes]) -> None:
    desk = Desk()
    learning, frames = flood(40 * BEHIND, PACKERS[how]), flood(10_000, PACKERS["shared table"])
    if how != "shared table":
        frames = flood(10_000, PACKERS[how])
    await desk.read([*learning, *frames])
    shared = sum(frame[10] & 0b111 == 0b011 for frame in frames)
    assert len(unpacked) < len(learning) + (len(frames) - shared) + len(frames) // 8
    assert desk.connection.reader.packed.skipped == len(learning) + len(frames) - len(unpacked)
    assert {sym: row.bid for sym, row in desk.quotes.rows.items()} == {
        sym: f"{100 + (9_995 + at) / 7:.2f}" for at, sym in enumerate(PAIRS)
    }
    assert desk.connection.status.bad_frames == 0


SCRIPT = st.lists(
    st.tuples(
        st.sampled_from(PAIRS[:3]),
        st.sampled_from(["quote", "quote", "quote", "mark", "ticker", "event", "trade"]),
        st.sampled_from(sorted(PACKERS)),
    ),
    max_size=80,
)


def scripted(script: Sequence[tuple[str, str, str]]) -> Iterator[bytes]:
    for number, (sym, what, how) in enumerate(script):
        match what:
            case "mark":
                text = push("MARK_PRICE", sym, {"markpx": str(number), "ts": BASE + number})
            case "ticker":
                text = push("TICKER", sym, {"last": str(number), "high24h": "1", "low24h": "1", "vol24h": "1", "ts": 1})
            case "event":
                said = {"event": "subscribe", "code": 0, "arg": [{"channel": "BBO", "sym": sym}]}
                text = json.dumps(said).encode()
            case "trade":
                text = push("TRADE", sym, {"price": "1", "qty": "1", "side": "buy", "ts": BASE})
            case _:
                text = quote(sym, number, BASE + number // 4)
        yield PACKERS[how](text)


@given(SCRIPT, st.integers(1, 30))
async def test_skipping_compressed_quotes_gives_the_result_of_all(
    script: list[tuple[str, str, str]], together: int
) -> None:
    frames = list(scripted(script))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(burst_reader, "BEHIND", 1)
        patch.setattr(burst_reader, "TURN_PACKED", together)
        behind, one_by_one = Desk(), Desk()
        for desk in (behind, one_by_one):
            for sym in PAIRS:
                desk.quotes.rows[sym] = QuoteRow(sym=sym)
        await behind.read(frames)
        for one in frames:
            await one_by_one.read([one])
    behind.must_equal(one_by_one)
    assert behind.connection.status.bad_frames == one_by_one.connection.status.bad_frames


def messages(frames: Sequence[bytes]) -> list[Message]:
    return [WSMessage(WSMsgType.BINARY, frame, None) for frame in frames]


def taught(frames: Sequence[bytes]) -> PackedQuotes:
    """What has looked at each of these frames."""
    newest = NewestQuotes(lambda sym: 0)
    for frame in frames:
        text = inflate(frame)
        newest.learn(text, json.loads(text)["arg"]["sym"])
    packed = PackedQuotes(newest)
    for frame in frames:
        packed.last_of_each(messages([frame]))
    return packed


NAMES = st.text("ABT1", min_size=1, max_size=6).map(lambda coin: f"BINANCE_PERP_{coin}_USDT")


@given(st.lists(NAMES, min_size=2, max_size=6, unique=True), st.sampled_from(sorted(PACKERS)), st.data())
def test_a_compressed_quote_is_dropped_only_for_a_newer_one(names: list[str], how: str, data: st.DataObject) -> None:
    packed = taught([PACKERS[how](quote(sym, number, BASE)) for sym in names for number in (1, 50)])
    order = data.draw(st.lists(st.sampled_from(names), max_size=40))
    sent = messages([PACKERS[how](quote(sym, number, BASE + number)) for number, sym in enumerate(order)])
    kept = list(packed.last_of_each(sent))
    for sym in names:
        of_pair = [message for message, one in zip(sent, order, strict=True) if one == sym]
        left = [message for message in kept if message in of_pair]
        assert left[-KEPT:] == of_pair[-KEPT:]
    assert kept == [message for message in sent if message in kept], "in the order in which they came"
    assert packed.skipped == len(sent) - len(kept)


def test_compressed_quotes_of_pairs_are_told_apart() -> None:
    names = [f"OKX_SPOT_{'ABCDEFGH'[:size]}_USDT" for size in range(1, 9)]
    pack_one = PACKERS["shared table"]
    packed = taught([pack_one(quote(sym, 1, BASE)) for sym in names])
    sent = messages([pack_one(quote(names[at % 8], 1, BASE + at)) for at in range(80)])
    kept = packed.last_of_each(sent)
    assert list(kept) == sent[-8 * KEPT :]
    assert len(packed._lengths) <= MOST_LENGTHS


async def test_a_damaged_newest_quote_does_not_lose_an_older_one(unpacked: list[bytes]) -> None:
    desk, sym = Desk(), PAIRS[0]
    pack_one = PACKERS["shared table"]
    frames = flood(40 * BEHIND, pack_one)
    last = pack_one(quote(sym, 1, BASE + 90_000))
    damaged = bytearray(pack_one(quote(sym, 2, BASE + 90_001)))
    damaged[-6] ^= 1
    await desk.read([*frames, last, bytes(damaged)])
    assert desk.quotes.rows[sym].ts == BASE + 90_000
    assert desk.connection.status.bad_frames == 1
    assert len(unpacked) < len(frames) // 2


async def test_of_two_quotes_out_of_order_the_newer_is_shown() -> None:
    desk, sym = Desk(), PAIRS[0]
    pack_one = PACKERS["shared table"]
    newer, older = (pack_one(quote(sym, ts, BASE + ts)) for ts in (90_001, 90_000))
    await desk.read([*flood(40 * BEHIND, pack_one), newer, older])
    assert desk.connection.reader.packed.skipped
    assert desk.quotes.rows[sym].ts == BASE + 90_001


async def test_a_new_connection_learns_its_frame_prefixes_again() -> None:
    desk = Desk()
    await desk.read(flood(40 * BEHIND, PACKERS["shared table"]))
    skipped = desk.connection.reader.packed.skipped
    assert skipped
    reading = asyncio.ensure_future(desk.read([]))
    await reading
    sent = messages(flood(BEHIND, PACKERS["shared table"]))
    assert desk.connection.reader.packed.last_of_each(sent) == sent


def test_a_changing_frame_prefix_is_learned_only_a_few_times() -> None:
    frames = [PACKERS["shared table"](quote(PAIRS[0], 1, BASE)) for _ in range(20)]
    changing = [frame[:9] + bytes([at]) + frame[10:] for at, frame in enumerate(frames)]
    packed = taught(changing)
    assert len(packed._pairs) == packed_quotes.MOST_HEADS
    sent = messages(changing)
    assert len(packed.last_of_each(sent)) == len(sent) - packed_quotes.MOST_HEADS + KEPT


def test_prefix_of_a_frame_too_long_for_a_quote_is_not_learned() -> None:
    text = quote(PAIRS[0], 1, BASE)
    letters = "".join(random.Random(1).choices(string.ascii_letters, k=1_500)).encode()
    long, longest = (
        PACKERS["shared table"](text.replace(b'"bid"', b'"%s":"","bid"' % letters[:count])) for count in (500, 1_500)
    )
    assert len(long) < packed_quotes.LONGEST_FRAME < len(longest)
    assert taught([long])._pairs
    assert not taught([longest])._pairs


@pytest.mark.parametrize(
    "frame", [b"", b"\x1f\x8b\x08\x00", b"\x1f\x8b\x08\x00" + bytes(6) + b"\x03", b"{}", bytes(200)]
)
def test_frames_that_are_not_gzip_are_never_skipped(frame: bytes) -> None:
    packed = taught([pack(bbo(PAIRS[0], 1, str(BASE)))])
    sent = messages([frame] * 5)
    assert list(packed.last_of_each(sent)) == sent
    cold = PackedQuotes(NewestQuotes(lambda sym: 0))
    assert list(cold.last_of_each(sent)) == sent
