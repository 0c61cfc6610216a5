"""`python -m benchmarks.desk.stamped FILE ARGUMENTS`: the workstation; FILE gets the stamps of each intent, a line each."""

from __future__ import annotations

import functools
import json
import os
import sys
from pathlib import Path
from typing import Any

from textual import events
from textual.driver import Driver

from benchmarks.rig.order_stages import STAGES, Stamps, stamped
from tui.cli.main import main
from tui.workstation.app.dispatch import Dispatch

KEY_STAGES = (
    ("terminal to the thread that reads it", "pressed", "read"),
    ("to the screen's loop, guards, keymap", "read", "acting"),
    ("checks of the ticket, preview as text", "acting", "submitted"),
    *(one for one in STAGES if one[0] not in ("call of the socket", "intent to socket")),
    ("call of the socket, to the service", "at socket", "at service"),
    ("key to wire", "pressed", "at service"),
)
"""As `STAGES`, from the key to the service; the first and the last stamp are those of the benchmark."""


class LoggedStamps(Stamps):
    """Stamps that begin with a key and are written once the intent is on the wire."""

    def __init__(self, path: Path) -> None:
        super().__init__("read")
        self._file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)

    def put(self, place: str) -> None:
        written = "written" in self.at
        super().put(place)
        if place == "written" and not written:
            os.write(self._file, json.dumps(self.at).encode() + b"\n")


def _stamp_keys(stamps: Stamps) -> None:
    """Stamp each key where it is read and where it is acted on."""
    process, act = Driver.process_message, Dispatch.act

    @functools.wraps(process)
    def processed(driver: Driver, message: Any) -> None:
        if isinstance(message, events.Key):
            stamps.put("read")
        process(driver, message)

    @functools.wraps(act)
    def acted(dispatch: Dispatch, action_id: str, key: str) -> None:
        stamps.put("acting")
        act(dispatch, action_id, key)

    setattr(Driver, "process_message", processed)  # noqa: B010 - a method is replaced
    setattr(Dispatch, "act", acted)  # noqa: B010


if __name__ == "__main__":
    logged = LoggedStamps(Path(sys.argv.pop(1)))
    _stamp_keys(logged)
    with stamped(logged):
        main(prog_name="crossdesk")
