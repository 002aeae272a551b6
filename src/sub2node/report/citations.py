"""What a run rests on, as BibTeX: exactly the methods, data and software that it used."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files
from pathlib import Path

from .. import __version__
from ..base.errors import DataError, suggest
from ..config import is_coarsened
from ..runs import WORK_FILES, Work, read_works

Reason = tuple[str, str]  # a key of references.bib, what it was used for

_CONVOLUTIONS = {
    "gcn": ("kipf2017semi", "GCN"),
    "gcn2": ("chen2020simple", "GCNII"),
    "gin": ("xu2018how", "GIN"),
    "gatv2": ("brody2022attentive", "GATv2"),
    "sage": ("hamilton2017inductive", "GraphSAGE"),
    "fagcn": ("bo2021beyond", "FAGCN"),
}
_BASELINES: dict[str, tuple[Reason, ...]] = {
    "majority": (),
    "bag": (("pedregosa2011scikit", "its logistic regression"),),
    "diffused-bag": (("pedregosa2011scikit", "its logistic regression"),),
    "hops": (
        ("pedregosa2011scikit", "its logistic regression"),
        ("fan2008liblinear", "the solver of the regression"),
    ),
    "best": (("caruana2004ensemble", "the selection and the weights of its members"),),
    "statistics": (
        ("breiman2001random", "its random forest"),
        ("pedregosa2011scikit", "the implementation of the random forest"),
    ),
    "sub2vec": (
        ("adhikari2018sub2vec", "Sub2Vec"),
        ("le2014distributed", "its paragraph vectors"),
        ("pedregosa2011scikit", "its classifier"),
    ),
    "gbdt": (
        ("friedman2001greedy", "its gradient boosting"),
        ("pedregosa2011scikit", "the implementation of the boosting"),
    ),
    "wl": (
        ("shervashidze2011weisfeiler", "the Weisfeiler-Leman subtree kernel"),
        ("kim2025generalizing", "the kernel of subgraphs in the global graph"),
        ("pedregosa2011scikit", "its logistic regression"),
    ),
    "s2n-kernel": (
        ("kim2024translating", "the weights that its kernel is made of"),
        ("cortes1995support", "its support vectors"),
        ("pedregosa2011scikit", "the implementation of support vectors"),
    ),
    "gnn-seg": (
        ("wang2022glass", "GNN-Seg, a control of the GLASS paper"),
        ("cai2021graphnorm", "its GraphNorm"),
    ),
    "gnn-plain": (
        ("wang2022glass", "GNN-plain, a control of the GLASS paper"),
        ("cai2021graphnorm", "its GraphNorm"),
    ),
    "subgnn": (("alsentzer2020subgraph", "SubGNN"),),
    "glass": (("wang2022glass", "GLASS"), ("cai2021graphnorm", "its GraphNorm")),
}
_COARSENING: dict[str, tuple[str, ...]] = {
    "variation_edges": ("loukas2019graph", "loukas2018spectrally"),
    "variation_neighborhoods": ("loukas2019graph", "loukas2018spectrally"),
    "variation_cliques": ("loukas2019graph", "loukas2018spectrally"),
    "heavy_edge": ("karypis1998fast",),
    "algebraic_jc": ("ron2011relaxation",),
    "affinity_gs": ("livne2012lean",),
    "louvain": ("blondel2008fast", "staudt2016networkit"),
    "ego_nets": (),
    "random_walks": (),
}
_FEATURES: dict[str, tuple[Reason, ...]] = {
    "link": (("wang2022glass", "node vectors pre-trained to predict edges"),),
    "svd": (("halko2011finding", "node vectors by a randomised SVD"),),
}
_ENCODINGS: dict[str, tuple[Reason, ...]] = {
    "rwpe": (("dwivedi2022graph", "the encoding RWPE"),),
    "lappe": (
        ("belkin2003laplacian", "the encoding LapPE"),
        ("dwivedi2023benchmarking", "the encoding LapPE"),
    ),
}
_HPO = ("kohler2019expansion", "hartley2020new", "mordaunt2020metabolomics")
_DATA: dict[str, tuple[str, ...]] = {
    "ppi_bp": (
        "alsentzer2020subgraph", "zitnik2018biosnap", "subramanian2005gene", "gene2019gene",
        "ashburner2000gene",
    ),
    "hpo_neuro": ("alsentzer2020subgraph", *_HPO),
    "hpo_metab": ("alsentzer2020subgraph", *_HPO),
    "em_user": ("alsentzer2020subgraph", "ni2019endomondo"),
    "hpo_orpha_neuro": ("kohler2019expansion", "orphanet"),
    "hpo_orpha_metab": ("kohler2019expansion", "orphanet"),
    "disease_families": ("gargano2024human", "amberger2019omim", "marcello2025pyhpo"),
    "patients": ("danis2025corpus", "gargano2024human", "marcello2025pyhpo"),
    **dict.fromkeys(("density", "cut_ratio", "coreness", "component"), ("alsentzer2020subgraph",)),
}  # fmt: skip
_GLASS_INSTANCES = {  # nodes and edges of the synthetic instances that GLASS published
    "density": (4_998, 29_962),
    "cut_ratio": (5_000, 84_295),
    "coreness": (5_000, 119_205),
    "component": (17_260, 91_619),
}


@dataclass(frozen=True)
class Citation:
    """One entry of a bibliography.

    Args:
        key: Its BibTeX key.
        why: What the run used it for, one phrase per purpose.
        bibtex: The entry.
    """

    key: str
    why: tuple[str, ...]
    bibtex: str


@dataclass(frozen=True)
class Citations:
    """What to cite for a run.

    Args:
        entries: In the order in which a reader meets them: method, model, data, software.
        missing: What was used and cannot be cited from here, one sentence per item.
    """

    entries: tuple[Citation, ...]
    missing: tuple[str, ...]

    def bibtex(self) -> str:
        """The file to keep: each entry below a comment that says what it was used for."""
        return "\n\n".join(
            f"% {entry.key}: {'; '.join(entry.why)}\n{entry.bibtex}" for entry in self.entries
        )

    def to_dict(self) -> dict[str, object]:
        """The entries and what is missing, as values that JSON can hold."""
        return {
            "citations": [
                {"key": entry.key, "why": list(entry.why), "bibtex": entry.bibtex}
                for entry in self.entries
            ],
            "missing": list(self.missing),
        }


def cite(path: str | Path) -> Citations:
    """What to cite for a folder of ``s2n run``, ``s2n fit`` or ``s2n tune``, or for named data.

    Args:
        path: A run, a comparison, a model or a study; or the name of a published data set, where no
            such folder has it.

    Raises:
        DataError: It is none of these.
    """
    works = _read_data(str(path)) or read_works(Path(path))
    reasons_by_key: dict[str, dict[str, None]] = {}  # each once, in the order met
    for list_reasons in (_cite_model, _cite_test, _cite_data):
        for key, why in (reason for work in works for reason in list_reasons(work)):
            reasons_by_key.setdefault(key, {})[why] = None
    texts = bibliography()
    entries = [Citation(key, tuple(why), texts[key]) for key, why in reasons_by_key.items()]
    software = Citation("sub2node", ("the software",), _software_entry())
    missing = {sentence: None for work in works for sentence in _explain_missing(work)}
    return Citations((*entries, software), tuple(missing))


def _read_data(name: str) -> list[Work]:
    """Named data as a work without a model; nothing where this names something else."""
    folder = Path(name)
    if name in _DATA and not any((folder / file).is_file() for file in WORK_FILES):
        return [Work("data", {}, name)]
    if name == folder.name and not folder.exists():
        meant = suggest(name, _DATA)
        raise DataError(f"there is no such folder, and no published data set {name!r}.{meant}")
    return []


@lru_cache(maxsize=1)
def bibliography() -> Mapping[str, str]:
    """Every entry of ``references.bib`` by its key."""
    text = (files("sub2node") / "report" / "references.bib").read_text(encoding="utf-8")
    entries = re.finditer(r"^@\w+\{([^,\s]+),\n.*?^\}$", text, re.MULTILINE | re.DOTALL)
    return {entry[1]: entry[0] for entry in entries}


def _software_entry() -> str:
    return (
        "@misc{sub2node,\n"
        "  author = {{The sub2node authors}},\n"
        "  title = {sub2node: {Subgraph-To-Node} Translation as Software},\n"
        f"  note = {{Version {__version__}}},\n"
        "  year = {2026}\n"
        "}"
    )


def _cite_model(work: Work) -> Iterator[Reason]:
    """What one model rests on."""
    config = work.config
    if "baseline" in config:
        name = str(config["baseline"])
        yield from ((key, f"{name}: {why}") for key, why in _BASELINES.get(name, ()))
    elif "structure" in config:
        yield from _cite_structure(work)
    yield from _cite_features(_read_section(config, "features"), str(config.get("baseline", "")))
    if "training" in config:
        yield from _cite_training(config)
    if work.kind == "model":
        yield "guo2017calibration", "the temperature of the probabilities"
        if work.seeds > 1:
            yield "lakshminarayanan2017simple", f"the mean over {work.seeds} networks"
    if work.kind == "study":
        yield "akiba2019optuna", "the search of settings"
        yield "bergstra2011algorithms", "its sampler, TPE"


def _cite_structure(work: Work) -> Iterator[Reason]:
    config = work.config
    structure, conv = str(config["structure"]), str(config.get("conv", ""))
    purpose = {
        "separated": "the structure separated, as the paper compares with it",
        "connected": "the structure connected, as the paper compares with it",
    }.get(structure, f"the structure {structure}")
    yield "kim2024translating", purpose
    if conv in _CONVOLUTIONS:
        key, title = _CONVOLUTIONS[conv]
        yield key, f"the convolution {conv} ({title})"
    elif conv.startswith("torch_geometric."):
        yield "fey2019fast", f"the convolution {conv}, as PyG implements it"
    if is_coarsened(structure) and not work.own_bridges:
        method = str(_read_section(config, "coarsening").get("method", ""))
        for key in _COARSENING.get(method, ()):
            yield key, f"the coarsening {method}"


def _cite_features(features: Mapping[str, object], baseline: str) -> Iterator[Reason]:
    prefix = f"{baseline}: " if baseline else ""
    reasons = (
        *_FEATURES.get(str(features.get("kind")), ()),
        *_ENCODINGS.get(str(features.get("encoding")), ()),
    )
    yield from ((key, prefix + why) for key, why in reasons)
    if features.get("subgraphs") == "wl":
        yield "shervashidze2011weisfeiler", "Weisfeiler-Leman histograms as inputs"


def _cite_training(config: Mapping[str, object]) -> Iterator[Reason]:
    model, training = _read_section(config, "model"), _read_section(config, "training")
    if model.get("batch_norm"):
        yield "ioffe2015batch", "batch normalisation"
    if model.get("skip"):
        yield "he2016deep", "skip connections"
    if _is_positive(model.get("dropout")):
        yield "srivastava2014dropout", "dropout of channels"
    if _is_positive(model.get("edge_dropout")):
        yield "rong2020dropedge", "dropout of edges"
    if _is_positive(training.get("clip")):
        yield "pascanu2013difficulty", "clipping of gradients"
    yield "kingma2015adam", "the optimiser, Adam"
    yield "paszke2019pytorch", "PyTorch, in which the networks are written"


def _read_section(config: Mapping[str, object], name: str) -> Mapping[str, object]:
    section = config.get(name)
    return section if isinstance(section, Mapping) else {}


def _is_positive(value: object) -> bool:
    return isinstance(value, int | float) and value > 0


def _cite_test(work: Work) -> Iterator[Reason]:
    if work.significance_test == "welch":
        yield "welch1947generalization", "the test between models"
    if work.significance_test == "corrected_resampled":
        yield "nadeau2003inference", "the test between models over random splits"


def _cite_data(work: Work) -> Iterator[Reason]:
    data, name = work.data, work.name
    for key in _DATA.get(name, ()):
        yield key, f"the data {name}"
    if data is not None and _GLASS_INSTANCES.get(name) == (data.nodes, data.edges):
        yield "wang2022glass", f"the instance of {name} that was published with GLASS"


def _explain_missing(work: Work) -> Iterator[str]:
    """What cannot be cited from here."""
    config = work.config
    conv = str(config.get("conv", ""))
    if "structure" in config and conv not in _CONVOLUTIONS:
        if conv.startswith("torch_geometric."):
            yield f"The convolution {conv} has a paper of its own, named in PyG's documentation."
        else:
            yield "The convolution is your own, and this package cannot cite it."
    if is_coarsened(str(config.get("structure", ""))):
        method = str(_read_section(config, "coarsening").get("method", ""))
        if work.own_bridges:
            yield "The virtual subgraphs came with the data: cite what made them."
        elif not _COARSENING.get(method):
            yield f"Virtual subgraphs by {method} are random sets: there is nothing to cite."
    if work.name not in _DATA:
        subject = f"The data {work.name!r}" if work.name else "The data"
        yield f"{subject} is none of the published sets: cite its source yourself."
