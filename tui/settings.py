"""Config file: one TOML table per room, read once at start; an error stops the start with file, line and remedy."""

from __future__ import annotations

import tomllib
from codecs import BOM_UTF8
from pathlib import Path
from typing import Annotated, Any, Literal

import msgspec

from tui.crossdesk_error import CrossdeskError
from tui.engine.limits import Limits
from tui.engine.settings import EngineSettings
from tui.toml_errors import NO_PLACE, Place, explain_syntax, explain_wrong, find_line
from tui.workstation.settings import WorkstationSettings


class BadConfig(CrossdeskError):
    """Unusable config file; the text names file, line, key and what is accepted."""

    title = "Configuration not usable"


class Profile(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Configuration of a trading service: addresses, portfolio, source of the API key, own limits."""

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
        """Return the configuration with the limits of a profile merged in; None (paper venue) changes nothing."""
        if name is None:
            return self
        limits = _merge_limits(self.engine.limits, self.profile[name].limits)
        return msgspec.structs.replace(self, engine=msgspec.structs.replace(self.engine, limits=limits))


def _merge_limits(common: Limits, own: dict[str, Any]) -> Limits:
    """Return the common limits with a profile's own ones in their place; limits by pair or trader are merged by name.

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
        content = path.read_bytes().removeprefix(BOM_UTF8)  # editors of Windows write one
    except FileNotFoundError:
        return Config()
    except OSError as error:
        raise BadConfig(f"{path}: {error}") from error
    try:
        text = content.decode()
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        wrong = f"byte 0x{content[error.start]:02x}: accepted is text in UTF-8"
        raise BadConfig(f"{path}, line {line}: {wrong}") from error
    return parse(text, path)


def parse(text: str, path: Path) -> Config:
    """Parse the configuration; `path` is only used in errors.

    Raises:
        BadConfig: Not TOML, an unknown key, or a value that is not accepted.
    """
    try:
        table = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise BadConfig(f"{path}{explain_syntax(text, str(error))}") from error
    for section, keys in OUT_OF_USE.items():
        if isinstance(table.get(section), dict):
            table[section] = {key: value for key, value in table[section].items() if key not in keys}
    place = NO_PLACE
    try:
        config = msgspec.convert(table, Config)
        for name in config.profile:
            place = Place(("profile", name, "limits"), Limits)
            config.for_profile(name)
    except msgspec.ValidationError as error:
        wrong, explained = explain_wrong(str(error), table, Config, place)
        raise BadConfig(f"{path}{find_line(text, wrong)}: {explained}") from error
    return config


def schema() -> dict[str, Any]:
    """Return the JSON Schema of the config file."""
    return msgspec.json.schema(Config)
