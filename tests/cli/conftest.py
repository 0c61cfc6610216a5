"""The commands as a shell starts them, in a home of their own, against a paper venue or a scripted service."""

from __future__ import annotations

import asyncio
import subprocess
from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from pytest import MonkeyPatch

from tests.client.fakes import FakeService, serving
from tests.forking import run_command
from tests.venue.shell.conftest import start
from tui.cli import service_target
from tui.cli.main import main
from tui.cli.service_target import ChosenService
from tui.cli.windows import ServiceTarget

__all__ = ["start"]


def run(*arguments: str) -> Result:
    return CliRunner().invoke(main, list(arguments))


async def invoke(*arguments: str) -> Result:
    """In a thread of its own: the scripted service answers from this loop."""
    return await asyncio.to_thread(run, *arguments)


def aim(monkeypatch: MonkeyPatch, found: ChosenService) -> None:
    """Let commands connect to a service instead of the paper venue of the home."""

    @contextmanager
    def target(*_: object) -> Iterator[ChosenService]:
        yield found

    monkeypatch.setattr(service_target, "open_target", target)


@pytest.fixture
async def fake(monkeypatch: MonkeyPatch) -> AsyncIterator[FakeService]:
    """A scripted service in the place of the paper venue."""
    async with serving() as (service, address):
        aim(monkeypatch, ChosenService(ServiceTarget(address, "2171869303228000", "main", "key", "secret"), False, ""))
        yield service


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("home")
    folder.chmod(0o700)
    return folder


@pytest.fixture
def own_home(tmp_path: Path, monkeypatch: MonkeyPatch) -> Path:
    """The home of one test, for commands in its own process."""
    monkeypatch.setenv("CROSSDESK_HOME", str(tmp_path))
    return tmp_path


def crossdesk(home: Path, *arguments: str, **more: str) -> subprocess.CompletedProcess[str]:
    """The program in a process of its own."""
    return run_command(*arguments, timeout=60, CROSSDESK_HOME=str(home), **more)
