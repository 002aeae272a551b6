"""The page of a case report: it says what was found, escapes it, and needs no network."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import case_scorers
from scoring_tasks import named, small_task
from sub2node import SubgraphClassifier
from sub2node.base.errors import ConfigError
from sub2node.report.html.case_findings import Case, collect_cases
from sub2node.report.html.case_page import render_cases, write_case_report
from sub2node.scoring import AnswerWarning, Scorer, WarningKind
from sub2node.scoring.model_card import render_model_card
from sub2node.scoring.name_mapping import MappedName
from sub2node.task import Names, Subgraphs

ODD = '<img src=x onerror="alert(1)">'
WORDS = {"subgraph": "disease", "member": "symptom", "label": "family", "title": f"Odd {ODD}",
         "question": "Which one?", "caution": "No medical device."}  # fmt: skip


def odd_task():
    """A task with names that would be markup."""
    task = named(small_task())
    titles = Names([f"{ODD} {i}" for i in range(task.graph.num_nodes)])
    graph = task.graph
    odd = type(graph)(graph.indptr, graph.indices, graph.weights, graph.loops, graph.loop_weights,
                      graph.features, graph.names, titles)  # fmt: skip
    return replace(task, graph=odd, class_names=(ODD, "b", "c"))


@pytest.fixture(scope="module")
def scorer() -> Scorer:
    return SubgraphClassifier(model="bag", words=WORDS).fit(odd_task()).scorer_


@pytest.fixture(scope="module")
def cases(scorer: Scorer) -> list[Case]:
    sets = [["g1", "g2", ODD], ["g3"]]
    query = scorer.ask(sets, names=[ODD, "b"], excluded=[["g9"], []], unknown_nodes="drop")
    return collect_cases(scorer, query)


def plain(page: str) -> str:
    text = re.sub(r"<style>.*?</style>", "", page, flags=re.S)
    return " ".join(re.sub(r"<[^>]+>", " ", text).split())


def test_it_says_what_was_found(scorer: Scorer, cases: list[Case]) -> None:
    text = plain(render_cases(scorer, cases[1:]))
    best = cases[1].ranking[0]
    assert "Which one?" in text
    assert f"{100 * best.probability:.1f} %" in text
    assert f"Doubt {cases[1].doubt:.2f}, between 0 (one family is certain) and 1 (all are" in text
    assert "equally likely)." in text
    assert "Percentage points that each symptom adds to the probability" in text
    assert text.count("No medical device.") == 2
    assert "Trained on 40 diseases of 3 families, in a graph of 50 symptoms" in text
    accuracy = 100 * scorer.card["test"]["accuracy"]
    assert f"had not seen, the first answer was right for {accuracy:.1f} %" in text
    assert "Most similar known diseases" in text
    assert "symptom is known" in text


@pytest.mark.slow
def test_classes_of_no_training_subgraph_are_not_counted() -> None:
    task = named(small_task())
    task = replace(task, labels=2 * task.labels, class_names=("a", "none", "b", "nobody", "c"))
    part = task.subset(task.labels != 4)
    scorer = SubgraphClassifier(model="bag").fit(part).scorer_
    (case,) = collect_cases(scorer, scorer.ask([["g1", "g2"]]))
    assert {one.name for one in case.ranking} == {"a", "b"}
    assert (case.others, case.reasons.classes) == (0, (case.ranking[0].name,))
    share = np.array([one.probability for one in case.ranking])
    share /= share.sum()  # of a class that nothing was learned about, a model may say a little
    assert case.doubt == pytest.approx(-(share * np.log2(share)).sum(), abs=1e-3)
    text = plain(render_cases(scorer, [case]))
    count = int(part.split.mask("train").sum())
    assert f"Trained on {count} subgraphs of 2 classes, in a graph" in text
    assert "nobody" not in text
    card = render_model_card(scorer)
    assert "which of 2 classes" in card
    assert (
        "3 more have no training subgraph, so it has learned nothing about them: none, nobody, c."
        in card
    )
    assert "| nobody |" not in card


def test_nothing_is_markup_and_nothing_comes_from_elsewhere(scorer, cases) -> None:
    page = render_cases(scorer, cases, notes=[ODD], name=ODD)
    assert "<img" not in page
    assert "alert(1)" in page
    assert not re.findall(r"(?:src|href)=[\"'](?!#|data:)", page)
    assert "url(" not in page
    assert "default-src 'none'" in page
    ids = re.findall(r'id="([^"]+)"', page)
    assert len(ids) == len(set(ids))
    assert "Excluded" in page
    assert "Unknown" in page


def test_many_cases_are_counted(scorer: Scorer, cases: list[Case]) -> None:
    text = plain(render_cases(scorer, cases, left=3))
    assert "2 of 5 sets that were asked about" in text
    assert "ask about the other 3 apart" in text
    assert "sets that were asked" not in plain(render_cases(scorer, cases[:1]))


def test_of_three_classes_the_sum_is_not_said(scorer: Scorer, cases: list[Case]) -> None:
    few = tuple(replace(one, probability=1 / 3) for one in cases[0].ranking)
    said = "No family is more likely than all others together"
    assert f"{said}. " in plain(render_cases(scorer, [replace(cases[0], ranking=few)]))
    more = tuple(replace(few[0], probability=0.2, name=str(i), predicted=not i) for i in range(5))
    text = plain(render_cases(scorer, [replace(cases[0], ranking=more)]))
    assert f"{said}; the first three have 60.0 % together." in text


def test_what_excluded_members_did_is_said(scorer: Scorer, cases: list[Case]) -> None:
    case = replace(cases[0], unknown=(), mapped=())
    assert not scorer.reads_excluded
    text = plain(render_cases(scorer, [case]))
    assert "What was not used Excluded" in text
    assert "this model does not read such symptoms." in text
    task = odd_task()
    rows = np.arange(len(task))
    some = Subgraphs.from_lists([[int(row) % 50] for row in rows])
    reader = SubgraphClassifier(model="bag", words=WORDS).fit(
        replace(task, subgraphs=replace(task.subgraphs, excluded=some))
    )
    assert reader.scorer_.reads_excluded
    text = plain(render_cases(reader.scorer_, [case]))
    assert "Looked for and absent" in text
    assert "They count in the answer" in text
    assert "What was" not in text
    asked = "What was mapped", "What was not used, or mapped"
    mapped = replace(case, mapped=(MappedName("x", "g1", "One", "symbol"),))
    for one, heading in zip((replace(mapped, excluded=()), mapped), asked, strict=True):
        assert f"{heading} " in plain(render_cases(scorer, [one]))


def test_bars_lie_on_the_side_of_their_sign(scorer: Scorer, cases: list[Case]) -> None:
    page = render_cases(scorer, cases[:1])
    bars = re.findall(r'<rect class="(for|against)" x="([\d.]+)" y="1" width="([\d.]+)"', page)
    assert bars
    for side, x, width in bars:
        low, high = float(x), float(x) + float(width)
        assert (low, high <= 100) == (50, True) if side == "for" else (high <= 50.01, low >= 0)
    assert max(float(width) for _, _, width in bars) == 50


def test_warnings_and_null_and_alert(scorer: Scorer, cases: list[Case]) -> None:
    best = replace(cases[0].ranking[0], null=0.25)
    kinds = (WarningKind.SIZE, WarningKind.UNKNOWN_NODES)
    warned = tuple(AnswerWarning(kind, f"about {kind}") for kind in kinds)
    case = replace(
        cases[0], ranking=(best, *cases[0].ranking[1:]), warnings=warned, alert=True,
        unknown=tuple(f"u{i}" for i in range(40)),
    )  # fmt: skip
    text = plain(render_cases(scorer, [case]))
    assert "Warning about size." in text
    assert "about unknown-nodes" not in text  # they are listed
    assert "Alert yes" in text
    assert "25.0 % of random sets" in text
    assert "u29 and 10 more." in text


@pytest.mark.slow
def test_a_gene_set_is_called_so(tmp_path: Path) -> None:
    scorer = case_scorers.gene_sets(tmp_path)
    (case,) = collect_cases(scorer, scorer.ask([["n1", "n2", "n4"]], names=["mine"]))
    text = plain(render_cases(scorer, [case]))
    assert "Which process does this gene set belong to?" in text
    assert "Genes used 3" in text
    assert "Percentage points that each gene adds to the probability" in text
    assert "Most similar known gene sets Gene set Process Shared genes" in text
    assert "Trained on 36 gene sets of 2 processes, in a graph of 60 genes" in text
    assert "Kind diffused-bag How good" in text  # one model, of which nothing is averaged
    assert not re.search(r"\b(nodes?|subgraphs?)\b", re.sub("nodes, where.*have", "", text))


@pytest.mark.slow
def test_a_cluster_of_accounts_is_called_so(tmp_path: Path) -> None:
    scorer = case_scorers.accounts(tmp_path)
    query = scorer.ask([["n31", "n40", "n50"], ["n3", "n5"]], names=["late", "early"])
    cases = collect_cases(scorer, query)
    assert [case.alert for case in cases] == [True, False]
    assert {case.reasons.classes for case in cases} == {("laundering",)}
    text = plain(render_cases(scorer, cases))
    assert "Which verdict fits this cluster of accounts?" in text
    assert text.count("no evidence against anybody") == 2
    assert "Accounts used 3 Alert yes" in text
    assert "Most similar known clusters Cluster Verdict Shared accounts" in text
    assert "36 clusters of 2 verdicts, in a graph of 60 accounts" in text


def test_what_nothing_shares_or_tells_apart_is_said(scorer: Scorer, cases: list[Case]) -> None:
    reasons = replace(cases[1].reasons, members=())
    text = plain(render_cases(scorer, [replace(cases[1], similar=(), reasons=reasons)]))
    assert "None: no known disease has one of these symptoms." in text
    assert "This model does not tell one symptom from another." in text
    assert "each symptom adds" not in text


@pytest.mark.slow
def test_an_ensemble(tmp_path: Path) -> None:
    scorer = case_scorers.ensemble(tmp_path)
    (case,) = collect_cases(scorer, scorer.ask([["g1", "g2"]], names=["mine"]))
    answers = scorer.predict(scorer.ask([["g1", "g2"]]))
    shares = {one.name: one.probability for one in case.ranking}
    assert shares == pytest.approx(
        dict(zip(answers.classes, answers.probabilities[0], strict=True))
    )
    rows = (*case.reasons.members, *case.reasons.others)
    sums = np.sum([row.values for row in rows], axis=0) + case.reasons.baseline
    np.testing.assert_allclose(sums, case.reasons.total, atol=1e-3)
    text = plain(render_cases(scorer, [case]))
    assert "Kind best" in text
    # Of a class that many out-of-fold answers name, the share of these that are right.
    (best, *_) = case.ranking
    facts = scorer.card["validation_by_class"][best.name]
    told = f"{100 * facts['precision']:.0f} % of the known subgraphs that the model called so"
    sure = replace(case, ranking=(replace(best, probability=0.9), *case.ranking[1:]))
    assert told in plain(render_cases(scorer, [sure]))


@pytest.mark.slow
def test_several_labels_and_none(tmp_path: Path) -> None:
    scorer = case_scorers.several_labels(tmp_path)
    (case,) = collect_cases(scorer, scorer.ask([["g1"]]))
    assert case.reasons.classes == tuple(one.name for one in case.ranking)
    both = replace(case, ranking=tuple(replace(one, predicted=True) for one in case.ranking))
    text = plain(render_cases(scorer, [both]))
    assert "Next is" not in text  # they do not exclude each other
    assert "between 0 (every class is decided) and 1 (an even chance for each)." in text
    assert "only these classes, of which a set may have several, or none." in text
    assert render_cases(scorer, [both]).count('class="chosen"') == 3
    nothing = replace(case, ranking=tuple(replace(one, predicted=False) for one in case.ranking))
    assert "No class is probable enough to be claimed." in plain(render_cases(scorer, [nothing]))
    assert "micro-F1 was" in plain(render_cases(scorer, [case]))


def test_only_reports_of_ours_are_replaced(scorer, cases, tmp_path: Path) -> None:
    path = tmp_path / "case.html"
    write_case_report(scorer, cases, path)
    first = path.read_bytes()
    with pytest.raises(ConfigError, match="exists already"):
        write_case_report(scorer, cases, path)
    write_case_report(scorer, cases, path, overwrite=True)
    assert path.read_bytes() == first
    path.write_text("mine")
    with pytest.raises(ConfigError, match="not a report of ours"):
        write_case_report(scorer, cases, path, overwrite=True)
    assert path.read_text() == "mine"


def test_a_model_saved_before_there_were_words(cases: list[Case], scorer: Scorer) -> None:
    old = scorer.with_card({})
    text = plain(render_cases(old, cases[1:]))
    assert "Which class do these nodes belong to?" in text
    assert "How good" not in text
    assert np.isfinite(cases[1].doubt)
