"""``s2n doctor``: what is wrong with data, or what is installed, on what machine."""

from __future__ import annotations

import os
import platform

import typer
from rich.text import Text

from ..base.environment import free_memory, installed_version, required_packages
from ..base.errors import ConfigError, DataError
from ..base.plural import plural
from ..base.records import JsonObject
from .data_arguments import DataArguments, reads_data
from .options import AsJson
from .output import console, print_json, say, show_notes, table, warn
from .problem_listing import show_problems

_FOR_DEVELOPERS = ("dev", "docs")


def _doctor(source: DataArguments, *, as_json: AsJson = False) -> None:
    """List all that is wrong with your data, or what is installed.

    Examples:
        s2n doctor
        s2n doctor my-folder --problems rows.csv
        s2n doctor sets.gmt --graph edges.tsv --labels labels.csv --bad-rows drop

    Problems are grouped, with examples and the option that goes on; the exit code is 1 where there
    are some that no option settles. Of the installation, what is missing is listed with the command
    that installs it.
    """
    if source.data:
        _check_data(source, as_json=as_json)
        return
    if source != DataArguments(""):
        raise ConfigError("the options for reading go with DATA: s2n doctor my-folder …")
    _check_installation(as_json=as_json)


doctor = reads_data(_doctor, optional_data="")


def _check_data(source: DataArguments, *, as_json: bool) -> None:
    """All problems of data, and what reading it does."""
    from ..io.problem_files import problem_table
    from ..task.problems import DataProblemsError, Problems

    problems, task, failure = Problems(), None, None
    try:
        task = source.load(quiet=True, problems=problems)
    except DataProblemsError:
        pass
    except DataError as error:
        failure = str(error)
    unsettled, options = problems.open, dict.fromkeys(p.option for p in problems.open if p.option)
    notes = problems.notes if task is None else task.notes
    if as_json:
        rows = problem_table(problems.all).to_pylist()
        print_json({"ready": task is not None, "problems": rows, "error": failure, "notes": notes})
    else:
        show_problems(problems.all, console)
        show_notes(notes)
        if failure is not None:
            say("Error", failure, style="bold red", to=console)
        elif task is not None:
            console.print("[green]Ready.[/]")
        elif all(problem.option for problem in unsettled):
            words = f"s2n describe {source.command_line()} {' '.join(options)}"
            say("Next", words, style="dim")
        else:
            count = sum(not problem.option for problem in unsettled)
            say("Next", f"correct {plural(count, 'kind')} of problems in the files.", style="dim")
    if task is None:
        raise typer.Exit(1)


def _check_installation(*, as_json: bool) -> None:
    """Versions, device, data and memory."""
    facts = _collect_facts()
    if as_json:
        print_json(facts)
        return
    view = table("sub2node doctor", "", "")
    view.show_header = False
    for name, value in facts["versions"].items():
        view.add_row(name, value or "[red]missing[/]")
    view.add_section()
    for extra, packages in facts["extras"].items():
        missing = [name for name, value in packages.items() if value is None]
        installed = ", ".join(f"{name} {value}" for name, value in packages.items() if value)
        hint = f"pip install 'sub2node\\[{extra}]'"
        view.add_row(f"extra {extra}", installed if not missing else f"[dim]{hint}[/]")
    view.add_section()
    view.add_row("Device", facts["device"])
    view.add_row("Processors", str(facts["processors"]))
    view.add_row("Free memory", _gigabytes(facts["free_memory"]))
    for folder in facts["data_folders"]:
        state = plural(folder["benchmarks"], "benchmark") if folder["exists"] else "does not exist"
        view.add_row(Text(f"Data in {folder['path']}"), state)
    console.print(view)
    for problem in facts["problems"]:
        warn(problem, to=console)
    if not facts["problems"]:
        console.print("[green]Ready.[/]")


def _collect_facts() -> JsonObject:
    from ..datasets import BENCHMARKS, data_folders

    core, extras = required_packages()
    versions = {
        "python": platform.python_version(),
        **{name: installed_version(name) for name in ("sub2node", *core)},
    }
    folders = [
        {
            "path": str(folder),
            "exists": folder.is_dir(),
            "benchmarks": sum((folder / name).is_dir() for name in BENCHMARKS),
        }
        for folder in data_folders()
    ]
    device, problem = _find_device()
    problems = [f"{name} is not installed." for name, value in versions.items() if value is None]
    return {
        "versions": versions,
        "extras": {
            extra: {name: installed_version(name) for name in names}
            for extra, names in extras.items()
            if extra not in _FOR_DEVELOPERS
        },
        "platform": f"{platform.system()} {platform.machine()}",
        "device": device,
        "processors": os.cpu_count() or 1,
        "free_memory": free_memory(),
        "data_folders": folders,
        "problems": problems + ([problem] if problem else []),
    }


def _find_device() -> tuple[str, str | None]:
    try:
        import torch
    except Exception as error:
        return "unknown", f"torch cannot be imported ({error})."
    if torch.cuda.is_available():
        return f"cuda: {torch.cuda.get_device_name()}", None
    return f"cpu ({plural(torch.get_num_threads(), 'thread')})", None


def _gigabytes(value: int | None) -> str:
    return "unknown" if value is None else f"{value / 1e9:.1f} GB"
