"""`crossdesk config`: show file paths, write a starter configuration, validate it, print its JSON Schema."""

from __future__ import annotations

import json
import os

import click

from tui import paths
from tui.crossdesk_error import CrossdeskError
from tui.private_files import open_private


class ConfigExists(CrossdeskError):
    """Refusal to overwrite an existing configuration file with the starter file."""

    title = "Starter file not written"


class NotUsable(CrossdeskError):
    """Own themes or keymaps that cannot be used; the message lists all errors, one per line."""

    title = "Own files not usable"


STARTER = """\
# crossdesk configuration. Every line is optional; a mistake stops the start and says where.

[workstation]
# keymap = "standard"       # or "vim", "left_hand", "command_line", or one of your own; F9 lists them with their keys
# theme = "dark"            # a theme of the list that F8 shows, or a file of your own in the themes folder
# fps = 60                  # most frames of market data per second, 1 to 60
# time = "utc"              # utc or local
# close = "orders"          # f and F close with orders of the desk, or by the call of the "service"

[engine.limits]
# soft_notional = "25000"   # an order above this value (quote currency) asks
# hard_notional = "100000"  # an order above this value is refused
# max_position = "250000"   # what a pair may come to with everything that waits; beyond it: REDUCING
# max_loss = "2000"         # loss of a day's fills; beyond it: REDUCING
# budget = "500000"         # value of all opening orders since the start of the program; beyond it: REDUCING
# first_of_day = true       # the first order of the day on a pair asks
# block = ["BINANCE_PERP_DOGE_USDT"]

[engine.watchdog]
# on = true                 # a second process cancels this installation's orders when the workstation dies
# silence = 10              # seconds without a sign of life
# grace = 5                 # seconds it then still has to come back; it cannot help when machine or network die

# [engine.limits.sym.BINANCE_PERP_BTC_USDT]
# max_qty = "0.5"           # what differs for one pair

# The live service, with a name of your choice; start it with: crossdesk --profile live1
# [profile.live1]
# rest_url = "https://rest.example"
# private_ws_url = "wss://stream.example/v1/private"
# public_ws_url = "wss://market.example/marketdata/v2/public"
# algo_ws_url = "wss://stream.example/v1/private-algo"  # left out: algo orders are read as a list
# auth = "v1"                # keys made before 2023-10-19: how they sign account calls
# only_trade = true         # log in for order actions alone: nothing is pushed, lists are read instead
# user = "me"                # a new key with the same word goes on with the journal of the old one
# portfolio = "1234567890123456"
# portfolio_name = "MainPortfolio"
# secret_cmd = ["pass", "show", "live1"]  # prints key and secret on two lines
# secret_file = "~/live1.key"             # or a file with the two lines, mode 600
# key_env = "LIVE1_KEY"                   # or two environment variables
# secret_env = "LIVE1_SECRET"

# [profile.live1.limits]
# hard_notional = "20000"   # what differs for this portfolio; the rest is as in [engine.limits]
"""


@click.group()
def command() -> None:
    """Show and validate the configuration."""


@command.command()
def path() -> None:
    """Print the configuration file, and the folders of themes, keymaps, state, data and running processes."""
    click.echo(f"config   {paths.config_file()}")
    for kind in ("themes", "keymaps"):
        click.echo(f"{kind:<8} {paths.own_dir(kind)}")
        click.echo(f"shipped  {paths.find_shipped_dir(kind)}")
    click.echo(f"state    {paths.state_dir()}")
    click.echo(f"data     {paths.data_dir()}")
    click.echo(f"running  {paths.runtime_dir()}")


@command.command()
def init() -> None:
    """Write a commented starter configuration file; an existing file is never overwritten."""
    file = paths.config_file()
    paths.make_private(file.parent)
    try:
        descriptor = open_private(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL)
    except FileExistsError:
        raise ConfigExists(f"{file} exists already; it was not touched") from None
    with os.fdopen(descriptor, "w") as opened:
        opened.write(STARTER)
    click.echo(f"wrote {file}")


@command.command()
def check() -> None:
    """Validate the configuration file as at startup, and all themes and keymaps of your own."""
    from tui.cli.named_files import keymap_files, theme_files
    from tui.settings import read
    from tui.workstation.commands.keymap_switch import KeymapSwitch

    file = paths.config_file()
    own, keymaps = read(file).workstation, keymap_files()
    KeymapSwitch(own.keymap, own.keys, keymaps.read)
    errors = [error for files in (theme_files(), keymaps) for error in files.read()[1]]
    if errors:
        raise NotUsable("\n".join(errors))
    click.echo(f"{file}: {'all well' if file.exists() else 'not there; defaults are used'}")


@command.command()
def schema() -> None:
    """Print the JSON Schema of the configuration file."""
    from tui.settings import schema as made

    click.echo(json.dumps(made(), indent=1))
