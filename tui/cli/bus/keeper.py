"""Process that runs the NATS server of a gateway: it starts it again when it dies, and ends it with the gateway.

`python -m tui.cli.bus.keeper PROGRAM CONFIG`; it ends when its standard input does, however the gateway ended.
"""

from __future__ import annotations

import select
import subprocess
import sys

PAUSE_S = 0.2
"""Interval of looks at the server, and pause before it is started again, s."""


def main(program: str, config: str) -> None:
    """Run the NATS server until standard input ends, and start it again whenever it exits."""
    server = _start(program, config)
    try:
        while not select.select([sys.stdin], [], [], PAUSE_S)[0]:
            if server.poll() is not None:
                server = _start(program, config)
    finally:
        server.terminate()
        server.wait()


def _start(program: str, config: str) -> subprocess.Popen[bytes]:
    return subprocess.Popen([program, "-c", config], stdin=subprocess.DEVNULL)


if __name__ == "__main__":
    main(*sys.argv[1:])
