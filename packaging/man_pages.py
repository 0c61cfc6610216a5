"""Write the man pages: `python packaging/man_pages.py dist/man`, with click-man, in the environment that build.sh makes."""

from __future__ import annotations

import copy
import importlib
import re
import sys
from pathlib import Path

import click

from tui import __version__
from tui.cli.main import COMMANDS, main

WHOLE_WORDS = ".nh\n.ad l\n"
"""Neither breaks a symbol or an option, which people copy, nor spreads its line."""
PLACES = r""".SH FILES
.TP
\fI~/.config/crossdesk/config.toml\fP
Configuration; themes and keymaps of your own lie beside it. \fBcrossdesk config init\fP writes a starter file.
.TP
\fI~/.local/state/crossdesk\fP
Journal, log and watchdog of each desk.
.TP
\fI~/.local/share/crossdesk\fP
Account of the paper venue.
.TP
\fI~/.cache/crossdesk\fP
The unpacked program, where it was installed as one file.
.PP
These are the folders on Linux; \fBcrossdesk config path\fP prints those of this machine.
.SH ENVIRONMENT
.TP
\fBCROSSDESK_HOME\fP
Folder below which configuration, state, data and files of running processes lie instead.
.TP
\fBTERM\fP
\fIdumb\fP and the like: without colours.
"""


def prepare(group: click.Group) -> click.Command:
    """Copy the commands that are for people, each with the first sentence of its help as its line, uncut."""
    context, shown = click.Context(group), copy.copy(group)
    # Commands are imported when they run; the pages need them all.
    named = {name: group.get_command(context, name) for name in group.list_commands(context) if COMMANDS[name][1]}
    shown.commands = {name: command for name, command in named.items() if command is not None}
    return give_line(shown)


def give_line(command: click.Command) -> click.Command:
    """Copy a command and those below it, each with its line."""
    lined = copy.copy(command)
    lined.short_help = re.split(r"\.(?:\s|$)", " ".join((command.help or "").split()), maxsplit=1)[0]
    if isinstance(lined, click.Group):
        lined.commands = {name: give_line(below) for name, below in lined.commands.items()}
    return lined


def finish(page: str, name: str) -> str:
    """Correct the names of pages of commands in groups, and add the places of files to the page of the program."""
    page = page.replace(".SH NAME\n", f"{WHOLE_WORDS}.SH NAME\n", 1)
    if name == "crossdesk":
        return page + PLACES
    group = name.replace("-", " ", 1)
    return page.replace(f"See \\fB{group}-", f"See \\fB{name}-") + ".SH SEE ALSO\n\\fBcrossdesk\\fP(1)\n"


def write(folder: Path) -> None:
    """Write the pages."""
    # click-man is there while packages are built, and not where they are tested.
    importlib.import_module("click_man.core").write_man_pages(
        "crossdesk", prepare(main), version=__version__, target_dir=str(folder)
    )
    for path in folder.glob("*.1"):
        path.write_text(finish(path.read_text("utf-8"), path.stem), "utf-8")


if __name__ == "__main__":
    write(Path(sys.argv[1]))
