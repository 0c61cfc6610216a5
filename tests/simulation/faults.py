"""The catalogue of faults and where each is exercised: `python -m tests.simulation.faults --write` writes the document.

Scenarios are found by their names (`test_f05_...`), faults of the campaign by their ids in its sources.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Mapping
from pathlib import Path

TOP = Path(__file__).parent.parent.parent
DOCUMENT = TOP / "docs" / "faults.md"
CAMPAIGN = (
    *("floor.py", "answers.py", "disk.py", "weather.py", "feeds.py", "failover.py", "trader.py", "points.py"),
    *("harness/proxy.py", "desks/link_weather.py"),
)
MOST = 4
"""Scenarios shown for one fault; more are counted."""

FAULTS: dict[str, str] = {
    "F01": "link down before the confirm",
    "F02": "cut after the journal, before the write",
    "F03": "cut in the middle of the frame",
    "F04": "cut after the write; the order arrives 1 s, 60 s or 5 min later",
    "F05": "cut after acceptance, reply lost",
    "F06": "cut after acceptance, filled while away",
    "F07": "cut after the reply, before the first push",
    "F08": "cut between partial fills",
    "F09": "cut after a replace, reply lost",
    "F10": "cut after a cancel, reply lost",
    "F11": "cut after an accepted cancel, before the order ends",
    "F12": "cut in the middle of a cancel-all",
    "F13": "cut between the close of a position and its fill",
    "F14": "cut after the login, before its reply",
    "F15": "cut after the login, before the snapshot is complete",
    "F16": "cut again and again",
    "F17": "cut after acceptance of an order with protection",
    "F18": "reply lost on a good connection",
    "F19": "reply 30 s late",
    "F20": "reply with an unknown or missing id",
    "F21": "reply of another session, or repeated",
    "F22": "push repeated, 2 to 100 times",
    "F23": "pushes in the wrong order",
    "F24": "fill before the answer",
    "F25": "fill without an order push",
    "F26": "order of another client",
    "F27": "replace racing a fill",
    "F28": "two replaces on one order",
    "F29": "cancel racing a fill",
    "F30": "cancel-all racing fills",
    "F31": "one client order id, two orders",
    "F32": "order state with an unknown word",
    "F33": "executed quantity that cannot be",
    "F34": "order vanishes from the list of open orders",
    "F35": "snapshot older than a push",
    "F36": "pages move while they are read",
    "F37": "snapshot fails",
    "F38": "success without data",
    "F39": "contradictory envelope",
    "F40": "market feed silent",
    "F41": "one symbol silent",
    "F42": "crossed or impossible quote",
    "F43": "quote from the past or the future",
    "F44": "burst of quotes",
    "F45": "subscription refused or dropped",
    "F46": "symbol delisted or unknown",
    "F47": "half-open connection",
    "F48": "slow server",
    "F49": "frames in slices",
    "F50": "bad gzip",
    "F51": "gzip bomb, endless answer",
    "F52": "not JSON, empty, binary",
    "F53": "JSON that breaks parsers",
    "F54": "text that is no decimal",
    "F55": "unknown fields, wrong shapes",
    "F56": "endless message",
    "F57": "close codes",
    "F58": "redirect, login page, proxy error on REST",
    "F59": "TLS that proves nothing",
    "F60": "DNS failure",
    "F61": "rate refusal",
    "F62": "rate refusals while an order is UNKNOWN",
    "F63": "ban of the address",
    "F64": "request timeout inside the venue",
    "F65": "5xx",
    "F66": "key not found, key revoked",
    "F67": "key of the wrong scope",
    "F68": "read-only key",
    "F69": "code nobody wrote down",
    "F70": "mismatched input",
    "F71": "maintenance",
    "F72": "server restarts",
    "F73": "data of another portfolio",
    "F74": "forced disconnect",
    "F75": "failover with a command in flight",
    "F76": "lagging answer",
    "F77": "flapping between tiers",
    "F78": "old tier comes alive again",
    "F79": "REST down, stream up",
    "F80": "terminal sizes",
    "F81": "terminal stops reading",
    "F82": "terminal gone",
    "F83": "SIGTERM, SIGINT",
    "F84": "suspended and resumed",
    "F85": "process killed",
    "F86": "exception in a widget",
    "F87": "exception in the engine",
    "F88": "paste and key repeat",
    "F89": "rows move between look and key",
    "F90": "wrong terminal",
    "F91": "event loop blocked for 2 s",
    "F92": "no file descriptors",
    "F93": "disk full before the record of an intent",
    "F94": "disk full while an answer is recorded",
    "F95": "slow disk",
    "F96": "journal damaged",
    "F97": "config damaged",
    "F98": "journal of a newer version",
    "F99": "home cannot be written",
    "F100": "two instances",
    "F101": "clock off",
    "F102": "clock jumps",
    "F103": "machine sleeps",
    "F104": "machine paused",
    "F105": "network changes",
}

LINK_FAULTS: dict[str, str] = {
    "B01": "command beyond its 2 s",
    "B02": "message twice",
    "B03": "message overtaken by others",
    "B04": "cut after a command was written, before it is read",
    "B05": "cut after a command was taken, before its answer",
    "B06": "cut after the answer",
    "B07": "half-open link: silence, and nobody is told",
    "B08": "window that does not read",
    "B09": "process that holds the account killed and started again",
    "B10": "NATS server killed and started again",
    "B11": "second link of one window or one name, the first is not known to be dead",
    "B12": "difference of the clocks known to more than 0.5 s only",
    "B13": "line that is no JSON, or ends in the middle",
    "B14": "line that is too long",
    "B15": "answer lost on a good link",
    "B16": "event lines missed while away",
    "B17": "flood of commands",
    "B18": "window stopped and continued",
    "B19": "rows that went while the window was away",
    "B20": "kill by another window while a command is on its way",
    "B21": "mandate ends while an order of its program is on its way",
    "B22": "program leaves in the middle of a command",
    "B23": "window that names a session or a command of somebody else",
    "B24": "messages lost on the bus",
    "B25": "window killed and started again",
}
"""Faults of the links of windows and programs, over the socket or a bus."""

DEFECTS: dict[str, str] = {
    "N1": "a place whose reply timed out is sent again after its push",
    "N2": "one reference, two live orders; the cancel of one hides the other",
    "N3": "no snapshot after a reconnect: accept, cancel or fill is lost",
    "N4": "a change is replayed before the new login is answered",
    "N5": "a silent pending cancel is called CANCELED",
    "N6": "a silent submitted order is called REJECTED",
    "N7": "an exception while placing is called FAILED",
    "N8": "an order missing at start-up is called cancelled",
    "N9": "a healthy stream that delivers only some of the fills",
    "N10": "a terminal that stands still freezes the orders",
}
"""Defects of other clients."""

WHY_NOT: dict[str, str] = {
    "F80": "tests of the terminal and of the frame",
    "F82": "tests of the terminal",
    "F83": "tests of the terminal",
    "F84": "tests of the terminal",
    "F86": "tests of the workstation",
    "F88": "tests of the workstation",
    "F89": "tests of the workstation",
    "F90": "tests of the terminal",
    "F97": "tests of the settings",
}


def scenarios() -> dict[str, list[str]]:
    """Fault or defect -> tests that carry its number in their names, with their files."""
    found: dict[str, list[str]] = {name: [] for name in (*FAULTS, *LINK_FAULTS, *DEFECTS)}
    for path in sorted((TOP / "tests").rglob("test_*.py")):
        for test in re.findall(r"def (test_\w+)", path.read_text()):
            for letter, number in dict.fromkeys(re.findall(r"_([fnb])(\d{1,3})(?=_)", test)):
                if (name := letter.upper() + number) in found:
                    found[name].append(f"`{path.parent.relative_to(TOP / 'tests').as_posix()}` {test}")
    return found


def in_campaign() -> set[str]:
    """Faults that the campaign injects."""
    here = Path(__file__).parent
    return {name for part in CAMPAIGN for name in re.findall(r'"([FB]\d{2,3})"', (here / part).read_text())}


def _rows(faults: Mapping[str, str]) -> list[str]:
    tests, thrown = scenarios(), in_campaign()
    lines = ["| Fault | What | Campaign | Scenarios, or why none |", "|---|---|---|---|"]
    for name, what in faults.items():
        shown = tests[name][:MOST]
        more = f" and {len(tests[name]) - MOST} more" if len(tests[name]) > MOST else ""
        text = ", ".join(shown) + more or ("by chance only" if name in thrown else WHY_NOT.get(name, ""))
        lines.append(f"| {name} | {what} | {'yes' if name in thrown else '–'} | {text} |")
    return lines


def table() -> str:
    """The document's tables."""
    lines = [*_rows(FAULTS), "", "## Links of windows and programs", ""]
    lines += [
        "In a quarter of the seeds from 39,500 on, in an eighth from 53,000 on, windows are attached, over a bus and over "
        "the socket, and a program.",
        "",
    ]
    lines += [*_rows(LINK_FAULTS), "", "## Defects of other clients", "", "The days that must end well here:", ""]
    lines += ["| Defect | What | Scenarios |", "|---|---|---|"]
    lines += [f"| {name} | {what} | {', '.join(scenarios()[name])} |" for name, what in DEFECTS.items()]
    return "\n".join(lines)


def document() -> str:
    """The whole document."""
    tests, thrown = scenarios(), in_campaign()
    known = (*FAULTS, *LINK_FAULTS)
    scripted = sum(bool(tests[name]) for name in known)
    return (
        "# Faults\n\n"
        "Every fault the client is made for, and where it is exercised: thrown at random by the campaign "
        "(`python -m tests.simulation.campaign --seeds 1-20`), scripted as a scenario, or the reason why neither.\n"
        "Made by `python -m tests.simulation.faults --write`.\n\n"
        f"Of {len(known)} faults {len(thrown)} are thrown by the campaign and {scripted} have scenarios.\n\n"
        f"{table()}\n"
    )


def main() -> None:
    if "--write" in sys.argv:
        DOCUMENT.parent.mkdir(exist_ok=True)
        DOCUMENT.write_text(document())
    else:
        print(document())


if __name__ == "__main__":
    main()
