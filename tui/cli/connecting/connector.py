"""Connector of the form that adds a service: it reads the key, tests the service on a thread, and saves the profile."""

from __future__ import annotations

import asyncio
import logging
import shlex
import threading
from collections.abc import Callable

from tui.cli.connecting.profile_file import list_profiles, save_profile
from tui.cli.credentials import CredentialsError, protect_memory, read_credentials
from tui.crossdesk_error import CrossdeskError
from tui.settings import Profile
from tui.workstation.commands.connection import CheckLine, ConnectionDraft, ConnectionService, KeyPlace, Report

log = logging.getLogger("tui.cli")

_FIELDS = {KeyPlace.FILE: "key", KeyPlace.COMMAND: "secret_cmd", KeyPlace.VARIABLES: "key_env"}
"""Field to change where key and secret cannot be read."""


class ServiceConnector:
    """Test and storage of a new service profile; keeps keys from environment variables, which are removed when read."""

    def __init__(self, hide: Callable[..., None]) -> None:
        """Initialize the connector; `hide` redacts the given texts (key and secret) in the log."""
        self._hide = hide
        self._from_variables: dict[tuple[str, str], tuple[str, str]] = {}

    def service(self) -> ConnectionService:
        """Return the functions that the connection form calls: list profiles, test a draft, save a profile."""
        return ConnectionService(list_profiles, self.test, save_profile)

    def test(self, draft: ConnectionDraft, report: Report, end: Callable[[ConnectionDraft | None], None]) -> None:
        """Test a profile draft on a new thread, as `ConnectionService.test` describes."""
        threading.Thread(target=self._run, args=(draft, report, end), name="connect", daemon=True).start()

    def _run(self, draft: ConnectionDraft, report: Report, end: Callable[[ConnectionDraft | None], None]) -> None:
        whole: ConnectionDraft | None = None
        try:
            whole = self._test(draft, report)
        except CredentialsError as error:
            report(CheckLine("key", ok=False, text=str(error), field=_FIELDS[draft.place]))
        except (CrossdeskError, OSError) as error:
            report(CheckLine("connection", ok=False, text=str(error), field="rest_url"))
        except Exception:
            log.exception("the test of a service failed")
            report(CheckLine("test", ok=False, text="it ended with an error of this program; the log says which"))
        finally:
            end(whole)

    def _test(self, draft: ConnectionDraft, report: Report) -> ConnectionDraft | None:
        """Run the service checks up to the first failure; return the draft with its portfolio if all succeed, else None."""
        from msgspec.structs import replace

        from tui.cli.connecting.service_check import ServiceCheck
        from tui.cli.service_target import ChosenService
        from tui.cli.windows import ServiceTarget
        from tui.client.settings import Service
        from tui.interface import decimals

        protect_memory()
        decimals.setup()
        key, secret = self._read_key(draft)
        self._hide(key, secret)
        service = Service(
            rest_url=draft.rest_url,
            private_ws_url=draft.private_ws_url,
            public_ws_url=draft.public_ws_url,
            algo_ws_url=draft.algo_ws_url,
        )
        target = ServiceTarget(service, draft.portfolio, draft.portfolio_name, key, secret)
        check = ServiceCheck(ChosenService(target, live=True, read_only=""), report, stops=True)
        return None if asyncio.run(check.run()) else replace(draft, portfolio=check.portfolio)

    def _read_key(self, draft: ConnectionDraft) -> tuple[str, str]:
        """Return key and secret of a draft: typed, from environment variables, or from a command's output.

        Raises:
            CredentialsError: They cannot be read; the text contains neither.
        """
        if draft.place is KeyPlace.FILE:
            return draft.key, draft.secret
        names = draft.key_env, draft.secret_env
        if draft.place is KeyPlace.VARIABLES and names in self._from_variables:
            return self._from_variables[names]
        source = (
            {"secret_cmd": shlex.split(draft.secret_cmd)}
            if draft.place is KeyPlace.COMMAND
            else {"key_env": draft.key_env, "secret_env": draft.secret_env}
        )
        where = Profile(rest_url="", private_ws_url="", public_ws_url="", portfolio="", portfolio_name="", **source)
        read = read_credentials(draft.name, where)
        if draft.place is KeyPlace.VARIABLES:
            self._from_variables[names] = read
        return read
