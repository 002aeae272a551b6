"""The command ``s2n``: one file a command."""

from .app import main as main
