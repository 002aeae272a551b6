"""``s2n doctor``: what is installed, on what machine, with which data."""

from __future__ import annotations

import os
import platform

from rich.text import Text

from ..base.environment import free_memory, installed_version, required_packages
from ..base.plural import plural
from ..base.records import JsonObject
from .options import AsJson
from .output import console, print_json, table, warn

_FOR_DEVELOPERS = ("dev", "docs")


def doctor(as_json: AsJson = False) -> None:
    """Check the installation: versions, device, data and memory.

    Examples:
        s2n doctor

    What is missing is listed with the command that installs it.
    """
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
