"""Config file: one TOML table per room, read once at start; an error stops the start with file, line and remedy."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path
from typing import Annotated, Any, Literal

import msgspec
from msgspec import inspect

from tui.crossdesk_error import CrossdeskError
from tui.engine.limits import Limits
from tui.engine.settings import EngineSettings
from tui.interface.text import did_you_mean
from tui.workstation.settings import WorkstationSettings


class BadConfig(CrossdeskError):
    """Unusable config file; the text names file, line, key and what is accepted."""

    title = "Configuration not usable"


class Profile(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Configuration of a service."""

    rest_url: str
    """Base address of REST."""
    private_ws_url: str
    """Address of the private stream."""
    public_ws_url: str
    """Address of the public stream."""
    algo_ws_url: str = ""
    """Address of the algo stream; without it algo orders are read as a list."""
    portfolio: str
    """Portfolio id the key belongs to, 16 digits."""
    portfolio_name: str
    """Display name of the portfolio, typed once per session before anything can be sent."""
    key_env: str = ""
    """Environment variable that holds the API key."""
    secret_env: str = ""
    """Environment variable that holds the secret."""
    secret_cmd: list[str] = []
    """Command that prints key and secret on two lines within 5 s, such as a password manager."""
    secret_file: str = ""
    """File with key and secret on two lines; refused when others can read it."""
    ha_rest_url: str = ""
    """Base address of REST of the failover tier, where the service has one."""
    ha_private_ws_url: str = ""
    """Address of the private stream of the failover tier."""
    tier_order: Literal["AZ4,HA", "HA,AZ4"] = "AZ4,HA"
    """Preferred tier first."""
    path_words: dict[str, str] = {}
    """Words of this deployment for path segments: `portfolioLoan = "pmLoan"`."""
    value_words: dict[str, str] = {}
    """Words of this deployment for values: `FUNDING = "Wallet"`."""
    delete_params: Literal["auto", "body", "query"] = "auto"
    """Place where the service reads the parameters of a DELETE; `auto` detects it."""
    auth: Literal["v2", "v1"] = "v2"
    """Version of call signatures. `v1`: account calls are signed as keys made before 2023-10-19 sign them."""
    user: Annotated[str, msgspec.Meta(pattern="^[A-Za-z0-9._@-]{0,40}$")] = ""
    """Word that identifies the owner of the key: another key with the same word continues the same journal; empty: the
    key."""
    only_trade: bool = False
    """Log in for order actions only: nothing is pushed, and lists are read instead."""
    limits: dict[str, Any] = {}
    """Limits of this portfolio alone, with the names of `[engine.limits]`, which holds for what is not named here."""


class Config(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Content of the config file."""

    workstation: WorkstationSettings = WorkstationSettings()
    engine: EngineSettings = EngineSettings()
    profile: dict[str, Profile] = {}

    def for_profile(self, name: str | None) -> Config:
        """Return the configuration with the limits of a profile; None: the paper venue, which has none of its own."""
        if name is None:
            return self
        limits = _merge_limits(self.engine.limits, self.profile[name].limits)
        return msgspec.structs.replace(self, engine=msgspec.structs.replace(self.engine, limits=limits))


def _merge_limits(common: Limits, own: dict[str, Any]) -> Limits:
    """Return limits of which some are replaced; those by pair and by trader are merged by name.

    Raises:
        msgspec.ValidationError: A name is unknown, or a value is not accepted.
    """
    merged: dict[str, object] = msgspec.to_builtins(common)
    for name, value in own.items():
        before = merged.get(name)
        merged[name] = {**before, **value} if isinstance(before, dict) and isinstance(value, dict) else value
    return msgspec.convert(merged, Limits)


OUT_OF_USE = {"engine": ("lag_probe",)}
"""Former keys by section; they are ignored."""


def read(path: Path) -> Config:
    """Read the configuration; defaults when there is no file.

    Raises:
        BadConfig: The file has an error.
    """
    try:
        text = path.read_text()
    except FileNotFoundError:
        return Config()
    except (OSError, UnicodeDecodeError) as error:
        raise BadConfig(f"{path}: {error}") from error
    return parse(text, path)


def parse(text: str, path: Path) -> Config:
    """Parse the configuration; `path` is only used in errors.

    Raises:
        BadConfig: Not TOML, an unknown key, or a value that is not accepted.
    """
    try:
        table = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise BadConfig(f"{path}: {error}") from error
    for section, keys in OUT_OF_USE.items():
        if isinstance(table.get(section), dict):
            table[section] = {key: value for key, value in table[section].items() if key not in keys}
    place: tuple[str, ...] = ()
    try:
        config = msgspec.convert(table, Config)
        for name in config.profile:
            place = "profile", name, "limits"
            config.for_profile(name)
    except msgspec.ValidationError as error:
        wrong, explained = _explain(str(error), table, place)
        raise BadConfig(f"{path}{_line_of(text, wrong)}: {explained}") from error
    return config


def _line_of(text: str, keys: tuple[str, ...]) -> str:
    """Return the place of a key in the file, or of the nearest table around it; empty where none of them has a line."""
    lines, header = dict[tuple[str, ...], int](), tuple[str, ...]()
    for number, line in enumerate(text.splitlines(), 1):
        if (table := re.match(r"\s*\[+([^\]]+)\]", line)) is not None:
            header = _split_key(table[1])
            lines.setdefault(header, number)
        elif (key := re.match(r"\s*([^=#\[]+?)\s*=", line)) is not None:
            lines.setdefault((*header, *_split_key(key[1])), number)
    near = next((lines[keys[:end]] for end in range(len(keys), 0, -1) if keys[:end] in lines), None)
    return "" if near is None else f", line {near}"


def _split_key(text: str) -> tuple[str, ...]:
    return tuple(part.strip().strip("\"'") for part in text.split("."))


_AT = re.compile(r"(.*?)(?: - at `\$\.?([^`]*)`)?", re.DOTALL)
_STEP = re.compile(r"\[\.\.\.\]|\[\d+\]|[^.\[]+")
_UNKNOWN = re.compile(r"Object contains unknown field `([^`]+)`")
_MISSING = re.compile(r"Object missing required field `([^`]+)`")


def _explain(message: str, table: dict[str, Any], place: tuple[str, ...]) -> tuple[tuple[str, ...], str]:
    """Return the keys on the way to what is wrong, and in plain words what it is and what is accepted.

    Args:
        message: Text of the error.
        table: Whole file.
        place: Keys of the table that was checked; empty: the whole file.
    """
    whole = _AT.fullmatch(message)
    said, way = (whole[1], whole[2] or "") if whole is not None else (message, "")
    unknown, missing = _UNKNOWN.fullmatch(said), _MISSING.fullmatch(said)
    kind: inspect.Type = inspect.type_info(Config)
    keys: list[str] = []
    value: object = table
    for at, step in enumerate((*place, *_STEP.findall(way))):
        kind = inspect.type_info(Limits) if at + 1 == len(place) else _kind_below(kind, step)
        key = _find_wrong(value, kind) if step == "[...]" else step
        if isinstance(value, dict):
            keys.append(key)
            value = value.get(key)
        elif isinstance(value, list) and step[1:-1].isdigit():
            value = value[int(step[1:-1])]
    name = ".".join(keys)
    if unknown is not None:
        known = [field.encode_name for field in kind.fields] if isinstance(kind, inspect.StructType) else []
        hint = did_you_mean(unknown[1], known) or f"; known are {', '.join(known)}"
        return (*keys, unknown[1]), f"unknown key {unknown[1]!r}{f' in {name}' if name else ''}{hint}"
    if missing is not None:
        return tuple(keys), f"{name}: {missing[1]} is missing"
    if not said.startswith(("Expected", "Invalid")):
        return tuple(keys), f"{name}: {said}" if name else said
    shown = "a table" if isinstance(value, dict) else msgspec.json.encode(value).decode()
    quoted = f', here "{shown}"' if isinstance(kind, inspect.StrType) and type(value) in (int, float) else ""
    return tuple(keys), f"{name} = {shown}: accepted is {_describe_kind(kind)}{quoted}"


def _kind_below(kind: inspect.Type, step: str) -> inspect.Type:
    """Return what is accepted one step below a table or a list; without None, which no file can say."""
    below: inspect.Type = inspect.AnyType()
    if isinstance(kind, inspect.StructType):
        below = next((field.type for field in kind.fields if field.encode_name == step), below)
    elif isinstance(kind, inspect.DictType):
        below = kind.value_type
    elif isinstance(kind, inspect.ListType | inspect.VarTupleType):
        below = kind.item_type
    if isinstance(below, inspect.UnionType):
        below = next(each for each in below.types if not isinstance(each, inspect.NoneType))
    return below


def _find_wrong(entries: object, kind: inspect.Type) -> str:
    """Return the key of the first entry that is not accepted: the text of an error does not name it."""
    for key, entry in entries.items() if isinstance(entries, dict) else ():
        try:
            msgspec.convert(entry, kind.cls if isinstance(kind, inspect.StructType) else str)
        except msgspec.ValidationError:
            return str(key)
    return "..."


def _describe_kind(kind: inspect.Type) -> str:
    """Describe which values a key takes."""
    if isinstance(kind, inspect.LiteralType):
        return f"one of {', '.join(msgspec.json.encode(value).decode() for value in kind.values)}"
    if isinstance(kind, inspect.StrType):
        return f"a text that matches {kind.pattern}" if kind.pattern else "a text in quotes"
    if isinstance(kind, inspect.IntType | inspect.FloatType):
        number = "a whole number" if isinstance(kind, inspect.IntType) else "a number"
        bounds = (("from", kind.ge), ("above", kind.gt), ("up to", kind.le), ("below", kind.lt))
        return " ".join([number, *(f"{word} {bound:g}" for word, bound in bounds if bound is not None)])
    if isinstance(kind, inspect.ListType | inspect.VarTupleType):
        return f"a list in [ ], each entry {_describe_kind(kind.item_type)}"
    return "true or false" if isinstance(kind, inspect.BoolType) else "a table"


def schema() -> dict[str, Any]:
    """Return the JSON Schema of the config file."""
    return msgspec.json.schema(Config)
