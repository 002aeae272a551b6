"""``s2n doctor``: what is installed, on what machine, with which data."""

from __future__ import annotations

import os
import platform
import sys
from pathlib import Path
from typing import Any

from rich.text import Text

from ..versions import installed
from .output import AsJson, console, print_json, say, table

_CORE = ("sub2node", "numpy", "scipy", "pyarrow", "torch", "torch-geometric", "scikit-learn",
         "safetensors", "pydantic", "typer", "rich")  # fmt: skip
_EXTRAS = {
    "scale": ("ibis-framework", "duckdb"),
    "spark": ("pyspark",),
    "tune": ("optuna",),
    "report": ("plotly", "kaleido", "jinja2"),
    "serve": ("fastapi", "uvicorn"),
    "baselines": ("gensim", "networkit"),
}


def doctor(as_json: AsJson = False) -> None:
    """Show versions, device, data folders and free memory; say what is missing.

    Example: s2n doctor --json
    """
    facts = _facts()
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
        found = ", ".join(f"{name} {value}" for name, value in packages.items() if value)
        hint = f"pip install 'sub2node\\[{extra}]'"
        view.add_row(f"extra {extra}", found if not missing else f"[dim]{hint}[/]")
    view.add_section()
    view.add_row("Device", facts["device"])
    view.add_row("Processors", str(facts["processors"]))
    view.add_row("Free memory", _gigabytes(facts["free_memory"]))
    for folder in facts["data_folders"]:
        state = f"{folder['benchmarks']} benchmarks" if folder["exists"] else "does not exist"
        view.add_row(Text(f"Data in {folder['path']}"), state)
    console.print(view)
    for problem in facts["problems"]:
        say("Beware", problem, style="yellow")
    if not facts["problems"]:
        console.print("[green]Ready.[/]")


def _facts() -> dict[str, Any]:
    from ..datasets import BENCHMARKS, data_folders

    versions = {"python": platform.python_version(), **{name: installed(name) for name in _CORE}}
    folders = [
        {
            "path": str(folder),
            "exists": folder.is_dir(),
            "benchmarks": sum((folder / name).is_dir() for name in BENCHMARKS),
        }
        for folder in data_folders()
    ]
    device, problem = _device()
    problems = [f"{name} is not installed." for name, value in versions.items() if value is None]
    return {
        "versions": versions,
        "extras": {e: {name: installed(name) for name in names} for e, names in _EXTRAS.items()},
        "platform": f"{platform.system()} {platform.machine()}",
        "device": device,
        "processors": os.cpu_count() or 1,
        "free_memory": _free_memory(),
        "data_folders": folders,
        "problems": problems + ([problem] if problem else []),
    }


def _device() -> tuple[str, str | None]:
    try:
        import torch
    except Exception as error:
        return "unknown", f"torch cannot be imported ({error})."
    if torch.cuda.is_available():
        return f"cuda: {torch.cuda.get_device_name()}", None
    return f"cpu ({torch.get_num_threads()} threads)", None


def _free_memory() -> int | None:
    """Bytes that can be had without swapping; None where the system does not tell."""
    info = Path("/proc/meminfo")
    if info.exists():
        rows = dict(line.split(":", 1) for line in info.read_text().splitlines())
        return int(rows["MemAvailable"].split()[0]) * 1024
    if sys.platform != "win32" and "SC_AVPHYS_PAGES" in os.sysconf_names:
        return os.sysconf("SC_AVPHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    return None


def _gigabytes(value: int | None) -> str:
    return "unknown" if value is None else f"{value / 1e9:.1f} GB"
