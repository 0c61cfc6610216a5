"""The entry of `crossdesk`. Without arguments the workstation starts, and nothing is imported that only reads arguments."""

from __future__ import annotations

import gc
import sys

EXIT_NOT_STARTED = 2
EXIT_INTERRUPTED = 1


def main() -> None:
    """Run `crossdesk`; ends the process."""
    if len(sys.argv) > 1:
        from tui.cli.main import main as commands

        commands(prog_name="crossdesk")
        return
    # What is imported stays: looking for garbage in it only delays the first frame, which switches it on again.
    gc.disable()
    from tui.cli.launcher import LaunchOptions, run
    from tui.crossdesk_error import CrossdeskError, NotPossible, os_error_text

    try:
        code = run(LaunchOptions())
    except (CrossdeskError, OSError) as error:
        told = error if isinstance(error, CrossdeskError) else NotPossible(os_error_text(error))
        print(f"crossdesk: {told.title}: {told}", file=sys.stderr)
        code = EXIT_NOT_STARTED
    except KeyboardInterrupt:
        code = EXIT_INTERRUPTED
    raise SystemExit(code)


if __name__ == "__main__":
    main()
