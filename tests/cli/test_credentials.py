"""Where a live key comes from: each place alone, every way it can be wrong, and nothing said that holds a secret."""

from __future__ import annotations

import os
import resource
import subprocess
import sys
from pathlib import Path

import pytest

from tui.cli import credentials as place
from tui.cli.credentials import CredentialsError, read_credentials
from tui.host import tls_context
from tui.settings import Profile

KEY, SECRET = "k" * 32, "canary" * 6


def profile(**where: object) -> Profile:
    addresses = {"rest_url": "https://r", "private_ws_url": "wss://p", "public_ws_url": "wss://m"}
    return Profile(**addresses, portfolio="1" * 16, portfolio_name="main", **where)  # type: ignore[arg-type]


def python(text: str) -> list[str]:
    return [sys.executable, "-c", text]


def refused(one: Profile) -> str:
    with pytest.raises(CredentialsError) as failure:
        read_credentials("desk", one)
    assert SECRET not in str(failure.value)
    return str(failure.value)


def test_s1_api_key_and_secret_are_read_from_a_command() -> None:
    assert read_credentials("desk", profile(secret_cmd=python(f"print('{KEY}'); print('{SECRET}')"))) == (KEY, SECRET)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("print()", "expected the key"),
        (f"print('{SECRET}')", "expected the key"),
        (f"print('{KEY} {SECRET} more')", "expected the key"),
        (f"print('{KEY} {SECRET}'); raise SystemExit(3)", "ended with code 3"),
    ],
)
def test_s1_a_failing_secret_command_has_no_fallback(text: str, words: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DESK_KEY", KEY)
    monkeypatch.setenv("DESK_SECRET", SECRET)
    both = profile(secret_cmd=python(text), key_env="DESK_KEY", secret_env="DESK_SECRET")
    assert words in refused(both)
    assert os.environ["DESK_SECRET"] == SECRET, "the other place was not touched"


def test_s1_a_hanging_or_missing_secret_command_is_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(place, "COMMAND_S", 0.2)
    assert "no answer within 0.2 s" in refused(profile(secret_cmd=python("import signal; signal.pause()")))
    assert "no such command" in refused(profile(secret_cmd=["/nowhere/at-all"]))


def test_s2_secrets_are_removed_from_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DESK_KEY", KEY)
    monkeypatch.setenv("DESK_SECRET", SECRET)
    one = profile(key_env="DESK_KEY", secret_env="DESK_SECRET")
    assert read_credentials("desk", one) == (KEY, SECRET)
    assert "DESK_KEY" not in os.environ and "DESK_SECRET" not in os.environ
    assert "must be set" in refused(one)


def test_s7_a_secret_file_that_others_can_read_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "key"
    path.write_text(f"{KEY}\n{SECRET}\n")
    for mode in range(0o1000):
        path.chmod(mode)
        if mode & 0o077:
            assert "chmod 600" in refused(profile(secret_file=str(path))) or not mode & 0o400
        elif mode & 0o400:
            assert read_credentials("desk", profile(secret_file=str(path))) == (KEY, SECRET)


def test_s7_symbolic_links_and_pipes_as_secret_file_are_refused(tmp_path: Path) -> None:
    path, link, pipe = tmp_path / "key", tmp_path / "link", tmp_path / "pipe"
    path.write_text(f"{KEY}\n{SECRET}\n")
    path.chmod(0o600)
    link.symlink_to(path)
    os.mkfifo(pipe, 0o600)
    assert "symbolic link" in refused(profile(secret_file=str(link)))
    assert "expected the key" in refused(profile(secret_file=str(pipe))), "and it does not wait for a writer"
    assert "No such file" in refused(profile(secret_file=str(tmp_path / "none")))


def test_s7_a_secret_file_of_another_user_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "key"
    path.write_text(f"{KEY}\n{SECRET}\n")
    path.chmod(0o600)
    mine = os.getuid()
    monkeypatch.setattr(os, "getuid", lambda: mine + 1)
    assert "file of yours" in refused(profile(secret_file=str(path)))


def test_s9_core_dumps_are_disabled() -> None:
    text = "from tui.cli.credentials import protect_memory; protect_memory()\n"
    text += "import resource; print(resource.getrlimit(resource.RLIMIT_CORE))"
    raised = resource.getrlimit(resource.RLIMIT_CORE)[1]
    before = lambda: resource.setrlimit(resource.RLIMIT_CORE, (raised, raised))  # noqa: E731
    done = subprocess.run(python(text), capture_output=True, text=True, check=True, preexec_fn=before)
    assert done.stdout.strip() == "(0, 0)"


@pytest.mark.skipif(sys.platform != "linux", reason="Linux alone has the flag")
def test_other_processes_cannot_read_the_program_memory() -> None:
    text = "from tui.cli.credentials import protect_memory; protect_memory()\n"
    text += "import ctypes; print(ctypes.CDLL(None).prctl(3, 0, 0, 0, 0))"
    done = subprocess.run(python(text), capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "0"


def test_s17_tls_is_verified_and_its_keys_are_not_logged(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import ssl

    monkeypatch.setenv("SSLKEYLOGFILE", str(tmp_path / "keys.log"))
    context = tls_context()
    assert getattr(context, "keylog_filename", None) is None
    assert not (tmp_path / "keys.log").exists()
    assert context.verify_mode is ssl.CERT_REQUIRED
    assert context.check_hostname
    assert context.minimum_version >= ssl.TLSVersion.TLSv1_2
