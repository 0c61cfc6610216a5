"""Entry point of `crossdesk`; without arguments the workstation starts without importing the argument parser."""

from __future__ import annotations

import gc
import os
import sys

EXIT_NOT_STARTED = 2
EXIT_INTERRUPTED = 1
COMPLETING = "_CROSSDESK_COMPLETE"
"""Variable with which a shell asks for completions; it gives no arguments then."""


def main() -> None:
    """Run `crossdesk` and exit the process."""
    if len(sys.argv) > 1 or COMPLETING in os.environ:
        from tui.cli.main import main as commands

        commands(prog_name="crossdesk")
        return
    # Imported modules stay: garbage collection only delays the first frame, which switches it on again.
    gc.disable()
    from tui.cli.launcher import LaunchOptions, run
    from tui.crossdesk_error import CrossdeskError, NotPossible, os_error_text

    try:
        code = run(LaunchOptions())
    except (CrossdeskError, OSError) as error:
        shown = error if isinstance(error, CrossdeskError) else NotPossible(os_error_text(error))
        from tui.cli.desks.folded_lines import echo_folded

        echo_folded(f"crossdesk: {shown.title}: {shown}", err=True)
        code = EXIT_NOT_STARTED
    except KeyboardInterrupt:
        code = EXIT_INTERRUPTED
    raise SystemExit(code)


if __name__ == "__main__":
    main()
