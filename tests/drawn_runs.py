"""``s2n run`` in this process, on data that is drawn."""

from __future__ import annotations

from commands import Done, call_command

DATA = "generate:density,subgraphs=30,seed=3"
TINY = ("--set", "epochs=2", "--set", "start=0")
NODES = 600


def run(*words: object, data: object = DATA) -> Done:
    """``s2n run DATA WORDS`` on a wide terminal; white space of the output is folded."""
    done = call_command("run", data, *words, env={"COLUMNS": "200"})
    assert "Traceback" not in done.stderr
    return Done(done.returncode, " ".join(done.stdout.split()), done.stderr)
