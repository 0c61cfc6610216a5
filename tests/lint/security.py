"""The security checklist and the tests that hold each row: `python -m tests.lint.security --write` writes the document.

A test is found by its name (`test_s17_...`, `test_s26_s27_...`).
"""

from __future__ import annotations

import re
import sys
from collections import defaultdict

from tests.lint.rooms import TOP

DOCUMENT = TOP / "docs" / "security-checks.md"
MOST = 3
"""Tests shown for one row; more are counted."""

CHECKS: dict[str, str] = {
    "S1": "a key comes from the one place its profile names (command, private file, environment); nothing falls back",
    "S2": "the secret is in no command line; the environment's copy is removed and not inherited",
    "S3": "the secret is a type that does not print, copy or serialise",
    "S4": "a whole session leaves the key nowhere, in no encoding: terminal, logs, journal, crash report, children",
    "S5": "signatures and logins are in no log",
    "S6": "a key is shown by its first and last four characters",
    "S7": "a secret file that others could read, a link, or somebody else's is refused",
    "S8": "withdrawing asks twice and is off until switched on",
    "S9": "no core dumps; crash reports hold no values of variables",
    "S10": "nothing is put on the clipboard by data",
    "S11": "every text is cleaned once, at decode",
    "S12": "no text is read as markup",
    "S13": "data changes no title, mode or character set of the terminal and opens no links",
    "S14": "symbols and ids are strict ASCII before anything acts on them",
    "S15": "figures are bounded before they are printed",
    "S16": "log files hold no control characters",
    "S17": "TLS 1.2 or newer, verified, with no key log and nothing that loosens it",
    "S18": "plain addresses on this machine only",
    "S19": "no redirect is followed, no proxy of the environment used",
    "S20": "only hosts of the profile; in paper mode only this machine",
    "S21": "frames are bounded in size, unpacked size, nesting and digits",
    "S22": "signatures are those of the known vectors",
    "S23": "the same signed command is not sent twice",
    "S24": "data of another portfolio is dropped loudly",
    "S25": "the paper venue listens on this machine only",
    "S26": "the paper venue answers to its own name only",
    "S27": "pages of other origins open no stream and read no answer",
    "S28": "keys are made anew at each launch, shown once, and needed for everything",
    "S29": "bodies must be JSON; forms of a page place nothing",
    "S30": "bodies, heads, frames, connections and slow hands are bounded",
    "S31": "no path or parameter leads to files, processes or code",
    "S32": "errors carry no traceback and no path",
    "S33": "files are private to their owner",
    "S34": "there is no access log",
    "S35": "a private venue ends with its starter",
    "S36": "cells of an export are no formulas",
    "S37": "an export overwrites nothing, follows no link and is private",
    "S38": "the configuration is data, strictly checked",
    "S39": "the journal's statements are parameterised; damage is found at the start",
    "S40": "a picture can be saved with blank figures and ids of the account",
    "S41": "everything is written with a private mask",
    "S42": "live trading needs a flag and the typed name of the portfolio",
    "S43": "LIVE and PAPER differ by word, not by colour alone",
    "S44": "limits of size and pace, and the kill switch, always run",
    "S45": "what a ticket says is what stands in the frame",
    "S46": "pasted text presses no key",
    "S47": "text of the service cannot pose as a question of ours",
    "S48": "the lock pins every package with hashes",
    "S49": "new releases wait before they are taken into the lock",
    "S50": "a bill of materials and an audit of the lock",
    "S51": "direct dependencies are those of the map",
    "S54": "wheel and source archive are the same bytes twice",
    "S55": "the repository holds no secret and no invisible character",
    "S56": "the security policy is there",
    "S57": "no eval, pickle, shell or loosened TLS; clocks and random numbers through protocols",
    "S58": "a trader on a bus sends and reads as nobody else; the gateway believes the server, not what a window says",
    "S59": "off this machine a bus has verified TLS before anything is sent",
    "S60": "the seed of a bus is in no command line, and refused where others can read it",
    "S61": "what a window on a bus may send before it is read is bounded in size and rate",
    "S62": "the socket is for its owner alone: user, modes, links, what was left behind, a living one",
    "S63": "a program sends nothing without the trader's key or a mandate that covers it",
    "S64": "a peer that floods, sends without an end or does not read harms nobody but itself",
    "S65": "a tool of an agent sends nothing and confirms nothing, tells no key, and marks texts of others as data",
}

UNTESTED: dict[str, str] = {
    "S50": "by hand, with a network: the two commands in CONTRIBUTING.md",
}


def tests() -> dict[str, list[str]]:
    """Check -> its tests, as `folder/file::test`."""
    found: defaultdict[str, list[str]] = defaultdict(list)
    for path in sorted((TOP / "tests").rglob("test_*.py")):
        for name in re.findall(r"def (test_(?:[a-z]\d+_)+\w+)\(", path.read_text()):
            for number in re.findall(r"(?<=_)s(\d+)(?=_)", re.match(r"test_(?:[a-z]\d+_)+", name)[0]):  # type: ignore[index]
                found[f"S{number}"].append(f"`{path.parent.relative_to(TOP / 'tests').as_posix()}` {name}")
    return dict(found)


def document() -> str:
    """The checklist with its tests, as Markdown."""
    held = tests()
    lines = [
        "# Security checks",
        "",
        "What is checked, and by which tests. What it is for stands in [SECURITY.md](../SECURITY.md).",
        "Made by `python -m tests.lint.security --write`.",
        "",
        "| Check | What | Tests, or why none |",
        "|---|---|---|",
    ]
    for check, what in CHECKS.items():
        names = held.get(check, [])
        shown = ", ".join(names[:MOST]) + (f" and {len(names) - MOST} more" if len(names) > MOST else "")
        lines.append(f"| {check} | {what} | {shown or UNTESTED.get(check, '')} |")
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    if "--write" in sys.argv:
        DOCUMENT.write_text(document())
    else:
        print(document())
