"""`crossdesk bench decode`: a quote from its bytes to its record, beside other decoders of the same frame."""

from __future__ import annotations

import json
import time
import zlib
from collections.abc import Callable, Mapping, Sequence
from decimal import Decimal
from pathlib import Path
from statistics import median
from typing import Any

import click
import msgspec
from pydantic import BaseModel

from benchmarks.desk.frames import pack_text
from benchmarks.result import json_option, rounded, write
from benchmarks.rig.quote_feed import messages
from tui.client.decode import Reader, inflate
from tui.interface.families.market import Bbo
from tui.interface.streams import PushFrame

OURS, BARE = "crossdesk: bounds, cleaning", "msgspec struct, bare"
FRAMES = 200
PASSES = 3
"""How often a round decodes all frames with one decoder."""

Decode = Callable[[bytes], object]


class _Arg(BaseModel):
    channel: str
    sym: str


class _TextQuote(BaseModel):
    bid: str
    bidqty: str
    ask: str
    askqty: str
    ts: str


class _TextPush(BaseModel):
    arg: _Arg
    data: _TextQuote


class _DecimalQuote(BaseModel):
    bid: Decimal
    bidqty: Decimal
    ask: Decimal
    askqty: Decimal
    ts: int


class _DecimalPush(BaseModel):
    arg: _Arg
    data: _DecimalQuote


def decoders() -> dict[str, Decode]:
    """What is compared, from the text of a message on."""
    reader: Reader[PushFrame[Bbo]] = Reader(PushFrame[Bbo])
    return {
        BARE: msgspec.json.Decoder(PushFrame[Bbo]).decode,
        OURS: reader.read,
        "msgspec, untyped": msgspec.json.Decoder().decode,
        "json": json.loads,
        "pydantic, texts": _TextPush.model_validate_json,
        "pydantic, decimals": _DecimalPush.model_validate_json,
    }


def from_gzip() -> dict[str, Decode]:
    """The same from the gzip frame on."""

    def unzipped(decode: Decode) -> Decode:
        return lambda frame: decode(zlib.decompress(frame, 31))

    found = {name: unzipped(decode) for name, decode in decoders().items()}
    read = decoders()[OURS]
    found[OURS] = lambda frame: read(inflate(frame))
    return found


def measure(pairs: int, rounds: int) -> dict[str, Any]:
    """Medians of all decoders, which alternate from round to round."""
    texts = messages(pairs)[:FRAMES]
    packed = [pack_text(one) for one in texts]
    from_text, from_packed = _compare(decoders(), texts, rounds), _compare(from_gzip(), packed, rounds)
    return {
        "of_bare": from_packed[OURS]["of_bare"],
        "text": from_text,
        "gzip": from_packed,
        "bytes": {"text": rounded(median(map(len, texts))), "gzip": rounded(median(map(len, packed)))},
    }


def _compare(compared: Mapping[str, Decode], frames: Sequence[bytes], rounds: int) -> dict[str, dict[str, float]]:
    seen: dict[str, list[float]] = {name: [] for name in compared}
    for _ in range(rounds):
        for name, decode in compared.items():
            seen[name].append(_time(decode, frames))
    return {
        name: {
            "ns": rounded(median(times)),
            "of_bare": rounded(median(time / bare for time, bare in zip(times, seen[BARE], strict=True))),
        }
        for name, times in seen.items()
    }


def _time(decode: Decode, frames: Sequence[bytes]) -> float:
    """Time of the processor for one frame, ns: what else runs on the machine does not count."""
    began = time.thread_time_ns()
    for _ in range(PASSES):
        for frame in frames:
            decode(frame)
    return (time.thread_time_ns() - began) / PASSES / len(frames)


@click.command()
@click.option("--pairs", default=20, show_default=True, type=click.IntRange(1, 500))
@click.option("--rounds", default=41, show_default=True, type=click.IntRange(1, 1000))
@json_option
def command(pairs: int, rounds: int, target: Path | None) -> None:
    """A push of best bid and offer: from its text, and from its gzip frame."""
    results = measure(pairs, rounds)
    for form in ("text", "gzip"):
        click.echo(f"{form}, {results['bytes'][form]:g} bytes:")
        for name, figures in results[form].items():
            click.echo(f"  {name:28} {figures['ns']:8g} ns  {figures['of_bare']:6g} x")
    if target is not None:
        write(target, {"pairs": pairs, "rounds": rounds, "results": results})
