"""Citations: exactly the methods that a folder tells of, as BibTeX that can be read."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from bibtex import read_bibtex
from report_runs import made_result, small_task
from small_models import save_model
from sub2node.base.errors import DataError
from sub2node.baselines import MODELS
from sub2node.coarsen import METHODS
from sub2node.config import Config
from sub2node.nn import CONVOLUTIONS
from sub2node.report import citations
from sub2node.report.citations import bibliography, cite

ALWAYS = {"sub2node"}
TRAINED = {"kingma2015adam", "paszke2019pytorch"}
NEEDED = {
    "article": {"author", "title", "journal", "year", "volume"},
    "inproceedings": {"author", "title", "booktitle", "year"},
    "misc": {"author", "title", "year"},
}
DATA = {"name": "mine", "hash": "0", "nodes": 80, "edges": 9, "subgraphs": 60, "classes": 3,
        "multilabel": False, "split": {"train": 30, "val": 15, "test": 15}}  # fmt: skip
PLAIN = {"model.dropout": 0.0, "model.edge_dropout": 0.0, "training.clip": 0.0}


def of(config: dict[str, Any], folder: Path, **more: Any) -> citations.Citations:
    """What is cited for a run with these settings."""
    data = {**DATA, **more.pop("data", {})}
    facts = {**made_result(small_task(), 1).to_dict(), "config": config, "data": data, **more}
    (folder / "result.json").write_text(json.dumps(facts))
    return cite(folder)


def keys(found: citations.Citations) -> set[str]:
    return {entry.key for entry in found.entries} - ALWAYS


def structure(name: str, **settings: Any) -> dict[str, Any]:
    dotted = {key.replace("__", "."): value for key, value in settings.items()}
    return Config().with_settings({**PLAIN, "structure": name, **dotted}).to_dict()


def test_every_entry_is_whole_and_used() -> None:
    text = (Path(citations.__file__).parent / "references.bib").read_text(encoding="utf-8")
    entries = read_bibtex(text)
    assert list(bibliography()) == list(entries)
    for key, fields in entries.items():
        assert set(fields) - {"type"} >= NEEDED[fields["type"]], key
        assert re.fullmatch(r"\d{4}", fields["year"]), key
        assert all(value.strip() for value in fields.values()), key
        assert all(len(author.split(", ")) == 2 or author[0] == "{" or author == "others"
                   for author in fields["author"].split(" and ")), key  # fmt: skip
    source = Path(citations.__file__).read_text(encoding="utf-8")
    assert set(re.findall(r'"([a-z]+[12]\d{3}[a-z0-9]+|orphanet)"', source)) == set(entries)


def test_every_model_convolution_and_coarsening_is_known() -> None:
    assert set(citations._BASELINES) == {*MODELS, "best"}
    assert set(citations._CONVOLUTIONS) == set(CONVOLUTIONS)
    assert set(citations._COARSENING) == set(METHODS)


def test_a_structure_is_cited_with_exactly_what_is_on(tmp_path: Path) -> None:
    assert keys(of(structure("s2n+0"), tmp_path)) == TRAINED | {
        "kim2024translating", "chen2020simple"
    }  # fmt: skip
    more = structure(
        "s2n+a", conv="gatv2", model__batch_norm=True, model__skip=True, model__dropout=0.1,
        model__edge_dropout=0.1, training__clip=0.1, features__kind="link",
        features__encoding="lappe", features__subgraphs="wl",
    )  # fmt: skip
    assert keys(of(more, tmp_path)) == TRAINED | {
        "kim2024translating", "brody2022attentive", "ioffe2015batch", "he2016deep",
        "srivastava2014dropout", "rong2020dropedge", "pascanu2013difficulty", "wang2022glass",
        "belkin2003laplacian", "dwivedi2023benchmarking", "shervashidze2011weisfeiler",
    }  # fmt: skip


@pytest.mark.parametrize(
    ("conv", "key"),
    [("gcn", "kipf2017semi"), ("gin", "xu2018how"), ("sage", "hamilton2017inductive")],
)
def test_convolutions(conv: str, key: str, tmp_path: Path) -> None:
    assert key in keys(of(structure("separated", conv=conv), tmp_path))


def test_coarsening_is_cited_where_it_was_used(tmp_path: Path) -> None:
    loukas = {"loukas2019graph", "loukas2018spectrally"}
    assert loukas <= keys(of(structure("cos2n+a"), tmp_path))
    assert not loukas & keys(of(structure("s2n+a"), tmp_path))
    other = of(structure("cos2n+0", coarsening__method="affinity_gs"), tmp_path)
    assert "livne2012lean" in keys(other)
    random = of(structure("cos2n+0", coarsening__method="ego_nets"), tmp_path)
    assert any("random sets" in sentence for sentence in random.missing)
    brought = of(structure("cos2n+a"), tmp_path, data={"name": "", "split": {"virtual": 9}})
    assert not loukas & keys(brought)
    assert any("came with the data" in sentence for sentence in brought.missing)


def test_a_convolution_of_your_own_cannot_be_cited(tmp_path: Path) -> None:
    own = of({**structure("s2n+a"), "conv": "mine:Conv"}, tmp_path)
    assert "The convolution is your own, and this package cannot cite it." in own.missing
    pyg = of({**structure("s2n+a"), "conv": "torch_geometric.nn:TAGConv"}, tmp_path)
    assert "fey2019fast" in keys(pyg)
    assert any("TAGConv has a paper of its own" in sentence for sentence in pyg.missing)


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("ppi_bp", {"alsentzer2020subgraph", "zitnik2018biosnap"}),
        ("hpo_orpha_metab", {"kohler2019expansion", "orphanet"}),
        ("em_user", {"ni2019endomondo"}),
        ("disease_families", {"gargano2024human", "amberger2019omim", "marcello2025pyhpo"}),
        ("patients", {"danis2025corpus", "gargano2024human"}),
    ],
)
def test_data_is_cited_by_its_name(name: str, expected: set[str], tmp_path: Path) -> None:
    found = of({"baseline": "majority"}, tmp_path, data={"name": name})
    assert expected <= keys(found)
    assert not found.missing
    assert of({"baseline": "majority"}, tmp_path).missing == (
        "The data 'mine' is none of the published sets: cite its source yourself.",
    )


def test_data_is_cited_without_a_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    found = cite("patients")
    assert keys(found) == {"danis2025corpus", "gargano2024human", "marcello2025pyhpo"}
    assert not found.missing
    assert all(entry.why == ("the data patients",) for entry in found.entries[:-1])
    with pytest.raises(DataError, match=r"set 'patient'\. Did you mean 'patients'"):
        cite("patient")
    (tmp_path / "patients").mkdir()  # with data: the name counts; with a run: the folder
    assert cite("patients") == found
    assert "danis2025corpus" not in keys(of({"baseline": "bag"}, tmp_path / "patients"))
    assert cite("patients") != found


def test_the_instances_of_glass_are_told_from_drawn_ones(tmp_path: Path) -> None:
    glass = {"name": "density", "nodes": 4998, "edges": 29962}
    assert "wang2022glass" in keys(of({"baseline": "bag"}, tmp_path, data=glass))
    drawn = {"name": "density", "nodes": 5000, "edges": 32126}
    assert "wang2022glass" not in keys(of({"baseline": "bag"}, tmp_path, data=drawn))


@pytest.mark.parametrize(
    ("splits", "key"), [(0, "welch1947generalization"), (5, "nadeau2003inference")]
)
def test_the_test_is_cited_by_how_models_were_assessed(
    splits: int, key: str, tmp_path: Path
) -> None:
    """The splits say it, not the words in the file."""
    model = {**made_result(small_task(), 5).to_dict(), "data": {**DATA, "splits": splits}}
    facts = {"test": "in other words", "models": [model, model]}
    (tmp_path / "comparison.json").write_text(json.dumps(facts))
    tests = {"welch1947generalization", "nadeau2003inference"}
    assert keys(cite(tmp_path)) & tests == {key}


def test_a_model_and_a_study(tmp_path: Path) -> None:
    card = {"data": {**DATA, "name": "ppi_bp"}}
    facts = {"config": structure("s2n+a"), "seeds": [1, 2], "card": card}
    (tmp_path / "model.json").write_text(json.dumps(facts))
    assert {"guo2017calibration", "lakshminarayanan2017simple"} <= keys(cite(tmp_path))
    (tmp_path / "model.json").unlink()
    spec = {"name": "ppi_bp", "seeds": [1, 2]}
    (tmp_path / "study.json").write_text(json.dumps({"config": structure("s2n+a"), "spec": spec}))
    found = keys(cite(tmp_path))
    assert {"akiba2019optuna", "bergstra2011algorithms", "zitnik2018biosnap"} <= found
    assert "guo2017calibration" not in found


@pytest.mark.slow
def test_a_model_folder_as_it_is_written(tmp_path: Path) -> None:
    assert {"kim2024translating", "guo2017calibration"} <= keys(cite(save_model(tmp_path / "m")))


@pytest.mark.parametrize("content", ["", "[1]", "{}", '{"config": 3, "data": {}, "seeds": []}'])
def test_other_folders_are_refused(content: str, tmp_path: Path) -> None:
    with pytest.raises(DataError, match="there is no such folder"):
        cite(tmp_path / "nowhere")
    with pytest.raises(DataError, match="this is no run, comparison, model or study"):
        cite(tmp_path)
    for name in ("result", "study", "model", "comparison"):
        (tmp_path / f"{name}.json").write_text(content)
        with pytest.raises(DataError, match=rf"{name}\.json: this is not the (result|card) of a"):
            cite(tmp_path)


@pytest.mark.parametrize("odd", [None, 3, "x", [1], {"name": [1], "split": 4}])
def test_odd_settings_never_raise_anything_else(odd: Any, tmp_path: Path) -> None:
    for name in ("model", "features", "training", "coarsening", "conv", "structure", "baseline"):
        cited = keys(of({**structure("cos2n+a"), name: odd}, tmp_path))
        assert cited >= TRAINED
        assert ("kim2024translating" in cited) == (name != "baseline")  # a baseline is not S2N
    for name, usual in DATA.items():
        if type(odd) is type(usual) and name != "split":  # a count may be 3, and a name x
            assert keys(of(structure("cos2n+a"), tmp_path, data={name: odd})) >= TRAINED
        else:
            with pytest.raises(DataError, match=rf"result of a run \(data\.{name}"):
                of(structure("cos2n+a"), tmp_path, data={name: odd})
