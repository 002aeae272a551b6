"""The command ``s2n``: one file a command."""

from __future__ import annotations

import sys

from .ctrl_c import interruptible


def main() -> None:
    """Run the command; also Ctrl-C while it is still being imported ends it without a traceback."""
    with interruptible() as interruption:
        try:
            from .app import main as run_command

            run_command(interruption)
        except (Exception, KeyboardInterrupt):
            if not interruption.requested:
                raise
            print("Aborted.", file=sys.stderr)
            sys.exit(interruption.exit_code)
