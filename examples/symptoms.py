"""Symptoms in a phenotype graph: which group of rare neurological diseases fits a patient?

The question
    A patient has a list of symptoms, written as terms of the Human Phenotype Ontology (HPO). Which
    groups of disease fit, how sure is that, because of which symptoms, and which known diseases are
    similar? It is a way to explore, not a medical device: nothing here was tested on patients.

The data
    hpo_orpha_neuro: 15,150 HPO terms, joined where the ontology does or where they share a gene;
    1,559 diseases of Orphanet, each the set of its symptoms, in ten groups, of which a disease may
    have several. Terms and diseases have their names. Sources: HPO release 2020-10-12; Orphanet
    classifications of 2020-10-01, CC BY 4.0. A disease and its subtypes are in the same part of the
    split, so that the test part holds families that were never seen.

What comes out
    Scores on held-out diseases beside simple models, answers for three made-up patients (one has a
    term that the graph does not have), an explanation in the words of the ontology, the nearest
    known diseases, and a model to go on with. The model refers to the graph by its name and does
    not copy it, because HPO asks not to pass changed copies on.

Your own
    A folder with edges.tsv (source, target), nodes.tsv (node_id, title), members.tsv (subgraph_id,
    node_id) and labels.tsv (subgraph_id, label, title; several rows for several groups):

        task = s2n.load_task("my-folder")          # and on the command line:
        s2n fit my-folder --threshold val -o my-model

Run it: S2N_DATA=DATA python examples/symptoms.py
"""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
from story import (
    Story,
    benchmark_folder,
    compare,
    console,
    go_on,
    kept,
    say,
    table,
    verdict,
    why,
)

import sub2node as s2n

PATIENTS = {
    "unsteady": ["Progressive cerebellar ataxia", "Dysarthria", "Nystagmus", "Areflexia",
                 "Cerebellar atrophy", "Pes cavus", "Dysphagia", "Hyperreflexia", "Tremor",
                 "Gait ataxia", "Limb ataxia", "Dysmetria", "Spasticity", "Muscle weakness",
                 "Peripheral neuropathy", "Cognitive impairment", "Diplopia", "Dystonia"],
    "weak": ["Proximal muscle weakness", "Elevated serum creatine kinase", "Scoliosis",
             "Calf muscle hypertrophy", "Waddling gait"],
    "infant": ["Epileptic spasm", "Global developmental delay", "Hypsarrhythmia",
               "Generalized hypotonia"],
}  # fmt: skip
NEWER = "HP:9999999"  # stands for a term of a newer release


def find_terms(model: s2n.SubgraphClassifier, words: list[str]) -> list[str]:
    """Ids of the terms that people call so."""
    terms = []
    for word in words:
        nodes = model.scorer_.find_nodes(word, count=1)
        if not nodes or nodes[0].title.lower() != word.lower():
            nearest = f", the nearest is {nodes[0].title!r}" if nodes else ""
            say(f"No term is called {word!r}{nearest}; it is left out.")
            continue
        terms.append(nodes[0].id)
    return terms


def micro_f1(truth: np.ndarray, said: np.ndarray) -> float:
    """Of all pairs of disease and group: 2 · right / (true + claimed)."""
    return float(2 * (truth & said).sum() / max(truth.sum() + said.sum(), 1))


def evaluate(story: Story, task: s2n.SubgraphTask, model: s2n.SubgraphClassifier) -> None:
    """Compare with simple models on the test part; thresholds are chosen on validation."""
    test = task.split.mask("test")
    truth = task.labels[test]
    said = {}
    for word, name in (("the commonest groups", "majority"), ("bag of symptoms", "bag")):
        result = s2n.run(task, model=name, seeds=1, threshold="val")
        said[word] = result.outputs["test"].logits[0] > result.thresholds[0]
    said["sub2node"] = model.predict(task.subset(test)).astype(bool)
    found, difference = compare(micro_f1, truth, said)
    view = table("model", "micro-F1", "95 % interval", "claims that are true",
                 "true groups found")  # fmt: skip
    for name, (value, low, high) in found.items():
        right = (truth & said[name]).sum()
        view.add_row(
            name, f"{100 * value:.1f}", f"{100 * low:.1f} to {100 * high:.1f}",
            f"{right / max(said[name].sum(), 1):.0%}", f"{right / truth.sum():.0%}",
        )  # fmt: skip
    console.print(view)
    say(verdict(*difference, "the bag of symptoms", len(truth)))
    story.facts["test"] = {name: values[0] for name, values in found.items()}


def ask(
    story: Story, model: s2n.SubgraphClassifier, patients: dict[str, list[str]], file: Path
) -> None:
    """Answer for the patients, and write them as a file for ``s2n predict``."""
    lines = [json.dumps({"id": name, "nodes": terms}) for name, terms in patients.items()]
    file.write_text("\n".join(lines) + "\n", encoding="utf-8")
    members = {"subgraph_id": [n for n, terms in patients.items() for _ in terms],
               "node_id": [t for terms in patients.values() for t in terms]}  # fmt: skip
    try:
        model.answers(members)
    except s2n.DataError as error:
        say(f"A term that the graph does not have is an error at first: {error}")
    model.set_params(unknown_nodes="drop")
    answers = model.answers(members)
    view = table("patient", "terms known", "likeliest groups: probability ± spread over seeds")
    view.columns[2].justify = "left"
    for name, p, sd, known in zip(
        answers.names, answers.probabilities, answers.spread, answers.known, strict=True
    ):
        best = np.argsort(-p)[:3]
        words = ", ".join(f"{answers.classes[c]} {p[c]:.2f} ± {sd[c]:.2f}" for c in best)
        view.add_row(name, f"{known:.0%}", words)
    console.print(view)
    story.facts["answers"] = kept(answers)


def explain(model: s2n.SubgraphClassifier, terms: list[str]) -> None:
    """Why this patient got the answer, and which diseases are similar."""
    for line in why(model.explain([terms])[0], "diseases"):
        say(line)
    say("Most similar known diseases:")
    for near in model.neighbors([terms], count=3)[0]:
        say(f"  {near.similarity:.2f}  {near.title} [{', '.join(near.labels) or 'no group'}]")


def main() -> None:
    """Tell the story."""
    story = Story("symptoms", __doc__ or "")
    benchmark_folder("hpo_orpha_neuro")
    story.out.mkdir(parents=True, exist_ok=True)

    story.section("Diseases as sets of symptoms")
    task = s2n.load_task("hpo_orpha_neuro")
    counts = [task.split.count(part) for part in ("train", "val", "test")]
    say(f"{task.graph.num_nodes:,} symptoms, {task.graph.num_edges:,} links, {len(task):,} diseases"
        f" of {task.subgraphs.sizes.mean():.0f} symptoms on average;"
        f" train, validation, test: {' / '.join(map(str, counts))}")  # fmt: skip
    groups = zip(task.class_names, task.label_counts().sum(axis=0), strict=True)
    say("Groups: " + ", ".join(f"{name} {count}" for name, count in groups))

    story.section("Learn")
    settings = {"epochs": 10 if story.quick else 60, "features.kind": "random"}
    model = s2n.SubgraphClassifier(
        "s2n+0", seeds=2 if story.quick else 5, preset="fast", settings=settings, threshold="val"
    ).fit(task)
    say(f"{len(model.scorer_.seeds)} networks, averaged; a group is claimed above"
        f" {model.scorer_.threshold:.2f}, which is best on validation"
        f" (micro-F1 {100 * model.validation_['micro_f1']:.1f})")  # fmt: skip

    story.section("Held-out diseases, looked at once, beside simple models")
    evaluate(story, task, model)

    story.section("Three made-up patients, their symptoms given by name")
    patients = {name: find_terms(model, words) for name, words in PATIENTS.items()}
    patients["infant"].append(NEWER)
    file = story.out / "patients.jsonl"
    ask(story, model, patients, file)

    story.section("Why? The patient 'unsteady' in words")
    explain(model, patients["unsteady"])

    story.section("Keep it")
    place = model.save(story.out / "model", graph="hpo_orpha_neuro", overwrite=True)
    story.keep()
    go_on(place, file, story.out / "answers.csv")


if __name__ == "__main__":
    main()
