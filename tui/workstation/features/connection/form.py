"""Form that connects a service: addresses, key and its place, tested step by step before the profile is written."""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable, Mapping
from functools import partial
from typing import ClassVar, NamedTuple
from urllib.parse import urlsplit

from tui.crossdesk_error import CrossdeskError
from tui.workstation.commands.connection import CheckLine, ConnectionDraft, ConnectionService, KeyPlace
from tui.workstation.render.pieces import Piece
from tui.workstation.widgets.forms.view import Choice, FieldKind, FieldSpec, FormSubject, FormView

LABELS = {
    "name": "profile name",
    "rest_url": "REST address",
    "private_ws_url": "private WebSocket",
    "public_ws_url": "public WebSocket",
    "algo_ws_url": "algo WebSocket",
    "portfolio": "portfolio id",
    "portfolio_name": "portfolio name",
    "place": "key and secret",
    "key": "API key",
    "secret": "secret",
    "secret_cmd": "command",
    "key_env": "key variable",
    "secret_env": "secret variable",
}
"""Labels of the fields, by the name of the field of a draft."""
PLACES = (
    Choice(KeyPlace.FILE.value, "typed here, kept in a file of this program"),
    Choice(KeyPlace.COMMAND.value, "printed by a command"),
    Choice(KeyPlace.VARIABLES.value, "in environment variables"),
)
BY_PLACE = {
    KeyPlace.FILE: ("key", "secret"),
    KeyPlace.COMMAND: ("secret_cmd",),
    KeyPlace.VARIABLES: ("key_env", "secret_env"),
}
"""Fields that a place of the key needs."""
OPTIONAL = frozenset(["algo_ws_url", "portfolio", "portfolio_name"])
SECRETS = ("key", "secret")
LOOPBACK = ("127.0.0.1", "localhost", "::1")
_NAME = re.compile(r"[A-Za-z0-9_-]{1,40}")
_VARIABLE = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_BLANK = {
    "rest_url": "https://…",
    "private_ws_url": "wss://…",
    "public_ws_url": "wss://…",
    "algo_ws_url": "wss://…; empty: algo orders come from a list",
    "portfolio": "16 digits; empty: taken from the key",
    "portfolio_name": "typed to go live; empty: the profile name",
    "secret_cmd": "prints key and secret on two lines: pass show desk",
    "key_env": "such as LIVE1_KEY",
    "secret_env": "such as DESK_SECRET",
}
"""Text of a field that is empty."""


class _WrongField(NamedTuple):
    """Field that a step of the connection test found wrong."""

    name: str
    text: str
    """Its text then."""
    why: str


NOTHING_WRONG = _WrongField("", "", "")


class ConnectionForm(FormSubject):
    """Form with the fields of a profile; the last line tests the connection, and writes the profile if all steps pass."""

    cells: ClassVar[int] = 78

    def __init__(
        self, service: ConnectionService, before: Mapping[str, str], run_later: Callable[[Callable[[], None]], None]
    ) -> None:
        """Initialize the form.

        Args:
            service: Tests and saves.
            before: Texts of a form that was closed.
            run_later: Run a function on the loop of the screen; callable from any thread.
        """
        self._service = service
        self._before = before
        self._known = service.known()
        self._run_later = run_later
        self.values: Mapping[str, str] = before
        """Texts as last seen."""
        self.on_change: Callable[[str], None] = lambda _: None
        """Called when a result has come, with the field to go to or an empty text."""
        self.is_open: Callable[[], bool] = lambda: True
        """Return whether the form is on the screen; a test that ends later writes nothing."""
        self._results: list[Piece] = []
        self._testing = False
        self._wrong = NOTHING_WRONG
        self._connected = ""
        """Name of the profile that was written."""

    def start(self) -> dict[str, str]:
        return {"name": "live1", **self._before}

    def first(self) -> str:
        return "rest_url"

    # View

    def view(self, values: Mapping[str, str]) -> FormView:
        if self._connected:
            return FormView(
                title=f"Profile {self._connected} is written",
                fields=(),
                results=tuple(self._results),
                ask=lambda: None,
                last="done",
                ask_text="Enter closes",
                ask_word="close",
            )
        self.values = dict(values)
        return FormView(
            title="Connect a service",
            fields=tuple(self._fields(values)),
            results=tuple(self._results),
            refusal="testing…" if self._testing else "",
            ask=partial(self._begin, dict(values)),
            last="test",
            ask_text="Enter tests each step, then writes the profile",
            ask_word="test",
            stays=True,
        )

    def _fields(self, values: Mapping[str, str]) -> list[FieldSpec]:
        place = _place_of(values)
        names = ("name", "rest_url", "private_ws_url", "public_ws_url", "algo_ws_url", "portfolio", "portfolio_name")
        fields = [self._field(name, values) for name in names]
        fields.append(FieldSpec(name="place", label=LABELS["place"], choices=PLACES))
        return [*fields, *(self._field(name, values) for name in BY_PLACE[place])]

    def _field(self, name: str, values: Mapping[str, str]) -> FieldSpec:
        text = values.get(name, "").strip()
        problem = self._problem(name, text) if text else ""
        wrong = self._wrong.why if (name, text) == (self._wrong.name, self._wrong.text) else ""
        return FieldSpec(
            name=name,
            label=LABELS[name],
            kind=FieldKind.SECRET if name == "secret" else FieldKind.TEXT,
            blank=_BLANK.get(name, "–"),
            note=problem or wrong,
            required=name not in OPTIONAL,
            refused=bool(problem),
            warned=bool(wrong),
        )

    def _problem(self, name: str, text: str) -> str:
        """Return why the text of a field is invalid, or an empty text."""
        match name:
            case "name":
                if text in self._known:
                    return "the config file has a profile of this name"
                return "" if _NAME.fullmatch(text) else "letters, digits, - and _, at most 40"
            case "rest_url":
                return _address_problem(text, "https", "http")
            case "private_ws_url" | "public_ws_url" | "algo_ws_url":
                return _address_problem(text, "wss", "ws")
            case "portfolio":
                return "" if len(text) == 16 and text.isascii() and text.isdigit() else "16 digits, or empty"
            case "key" | "secret":
                return "has no blanks" if len(text.split()) > 1 else ""
            case "secret_cmd":
                return _command_problem(text)
            case "key_env" | "secret_env":
                return "" if _VARIABLE.fullmatch(text) else "the name of a variable, such as LIVE1_KEY"
        return ""

    # Test

    def _begin(self, values: Mapping[str, str]) -> None:
        if self._testing:
            return
        self._testing, self._results, self._wrong = True, [], NOTHING_WRONG
        draft = _draft_of(values)
        self._service.test(
            draft,
            lambda line: self._run_later(partial(self._take, line, draft)),
            lambda whole: self._run_later(partial(self._end, whole)),
        )
        self.on_change("")

    def _take(self, line: CheckLine, draft: ConnectionDraft) -> None:
        """Show the result of a step of the connection test, and mark the field that it found wrong."""
        if line.ok:
            self._results.append((f"✓ {line.name}: {line.text}", "text"))
            self.on_change("")
            return
        self._results.append((f"✗ {line.name}: {line.text}", "warn"))
        if line.field:
            advice = f"{line.name}: {line.text}; correct it, then test again"
            self._wrong = _WrongField(line.field, getattr(draft, line.field), advice)
            self._results.append((f"→ change the field {LABELS[line.field]}", "strong"))
        else:
            self._results.append((f"→ {_ELSEWHERE.get(line.name, 'test again later')}", "strong"))

    def _end(self, whole: ConnectionDraft | None) -> None:
        """Write the profile if every step of the test passed, and say how to start with it."""
        self._testing = False
        if whole is not None and self.is_open():
            try:
                path = self._service.save(whole)
            except CrossdeskError as error:
                self._results.append((f"✗ profile: {error}", "warn"))
            else:
                self._connected, self.values = whole.name, {}
                self._results += [
                    (f"✓ profile: written to {path}", "text"),
                    (f"→ start it from the shell: crossdesk --profile {whole.name}", "strong"),
                    ("→ or look first: add --read-only", "text"),
                ]
        self.on_change(self._wrong.name)


_ELSEWHERE = {
    "clock": "set the clock of this machine: signatures carry a time",
    "level": "ask the service which permissions the key has",
}
"""What to do where no field is wrong, by step."""


def leave_out_secrets(values: Mapping[str, str]) -> dict[str, str]:
    """Return the values of a form without API key and secret."""
    return {name: text for name, text in values.items() if name not in SECRETS}


def _place_of(values: Mapping[str, str]) -> KeyPlace:
    chosen = values.get("place", "")
    return KeyPlace(chosen) if chosen else KeyPlace.FILE


def _draft_of(values: Mapping[str, str]) -> ConnectionDraft:
    texts = {name: values.get(name, "").strip() for name in LABELS if name != "place"}
    return ConnectionDraft(**texts, place=_place_of(values))


def _address_problem(text: str, safe: str, plain: str) -> str:
    """Return why an address cannot be used, or an empty text; an unencrypted address must be on this machine."""
    try:
        parts = urlsplit(text)
        host, _ = parts.hostname, parts.port
    except ValueError:
        return "is no address"
    if parts.scheme not in (safe, plain) or not host:
        return f"begins with {safe}:// and names a host"
    if parts.scheme == plain and host not in LOOPBACK:
        return f"only {safe}:// outside this machine"
    return ""


def _command_problem(text: str) -> str:
    try:
        return "" if shlex.split(text) else "is empty"
    except ValueError:
        return "a quote is not closed"
