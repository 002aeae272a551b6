"""Gene sets on a protein network: which biological process does a new set belong to?

The question
    You have gene sets whose process is known, a protein-protein network, and new sets from an
    experiment. Which process does each of them belong to, how sure is that, and because of which
    genes?

The data
    PPI-BP, the benchmark of the SubGNN paper: 21,521 proteins, 338,625 links between them, and
    1,591 sets of six classes of biological process. It has numbers where you have gene symbols, so
    number 17 is written protein_17 here; no biology is to be read into these names. The script
    first writes the three files that you would bring, and from then on reads nothing else:

        edges.tsv    source, target: the network
        sets.gmt     name, description, genes, separated by tabs, as from MSigDB
        labels.csv   subgraph_id, label, split (without split, one is drawn)

What comes out
    Scores on held-out sets beside simple models, answers for new sets in new_sets.gmt (one of them
    has a protein that the network does not have, another one is drawn at random and belongs
    nowhere), an explanation of one answer, and a model to go on with.

Your own
    Put your files in place of these three, or in one line each:

        task = s2n.load_task("my.gmt", graph="my_edges.tsv", labels="my_labels.csv")
        s2n fit my.gmt --graph my_edges.tsv --labels my_labels.csv -o my-model

Run it: S2N_DATA=DATA python examples/gene_sets.py
"""

from __future__ import annotations

import csv
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.csv as pacsv
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

NEW = 3  # sets that no file for training has


def write_files(folder: Path) -> dict[str, str]:
    """Write edges.tsv, sets.gmt, labels.csv and new_sets.gmt; the true classes of the new sets."""
    task = s2n.load_task("ppi_bp")
    low, high, _ = task.graph.edges()
    named = np.array([f"protein_{i}" for i in range(task.graph.num_nodes)])
    edges = pa.table({"source": named[low], "target": named[high]})
    options = pacsv.WriteOptions(delimiter="\t", quoting_style="none")
    pacsv.write_csv(edges, folder / "edges.tsv", options)

    flat, ends = named[task.subgraphs.nodes], task.subgraphs.ptr[1:-1]
    sets = [genes.tolist() for genes in np.split(flat, ends)]
    labels = [task.class_names[c] for c in task.labels]
    test = np.flatnonzero(task.split.mask("test"))
    rng = np.random.default_rng(0)
    new = set(rng.choice(test, NEW, replace=False).tolist())
    with (
        (folder / "sets.gmt").open("w", encoding="utf-8") as gmt,
        (folder / "labels.csv").open("w", encoding="utf-8", newline="") as rows,
    ):
        out = csv.writer(rows)
        out.writerow(["subgraph_id", "label", "split"])
        for i, word in enumerate(task.split.words()):
            if i not in new:
                gmt.write("\t".join([f"set_{i}", f"PPI-BP set {i}", *sets[i]]) + "\n")
                out.writerow([f"set_{i}", labels[i], word])

    asked = {f"new_{n}": sets[i] for n, i in enumerate(sorted(new), start=1)}
    asked["new_1"] = [*asked["new_1"], "protein_not_in_the_network"]
    asked["random_10"] = rng.choice(named, 10, replace=False).tolist()
    with (folder / "new_sets.gmt").open("w", encoding="utf-8") as gmt:
        for name, genes in asked.items():
            gmt.write("\t".join([name, "new", *genes]) + "\n")
    return dict(zip(asked, [*(labels[i] for i in sorted(new)), "none"], strict=True))


def read_gmt(path: Path) -> dict[str, list[str]]:
    """Sets by name."""
    lines = path.read_text(encoding="utf-8").splitlines()
    return {line.split("\t")[0]: line.split("\t")[2:] for line in lines}


def share_right(truth: np.ndarray, said: np.ndarray) -> float:
    """Accuracy, which is also micro-F1 where each set has one class."""
    return float((truth == said).mean())


def evaluate(story: Story, task: s2n.SubgraphTask, model: s2n.SubgraphClassifier) -> None:
    """Compare with simple models on the test part."""
    test = task.split.mask("test")
    truth = task.labels[test]
    said = {
        word: s2n.run(task, model=name, seeds=1).outputs["test"].logits[0].argmax(axis=1)
        for word, name in (("always the largest class", "majority"), ("bag of genes", "bag"))
    }
    said["sub2node"] = model.predict_proba(task.subset(test)).argmax(axis=1)
    found, difference = compare(share_right, truth, said)
    view = table("model", "right, of 100", "95 % interval")
    for name, (value, low, high) in found.items():
        view.add_row(name, f"{100 * value:.1f}", f"{100 * low:.1f} to {100 * high:.1f}")
    console.print(view)
    say(verdict(*difference, "the bag of genes", len(truth)))
    story.facts["test"] = {name: values[0] for name, values in found.items()}


def ask(story: Story, model: s2n.SubgraphClassifier, new: Path, truth: dict[str, str]) -> None:
    """Answer for the new sets."""
    sets = read_gmt(new)
    members = {"subgraph_id": [n for n, genes in sets.items() for _ in genes],
               "node_id": [g for genes in sets.values() for g in genes]}  # fmt: skip
    try:
        model.answers(members)
    except s2n.DataError as error:
        say(f"A gene that the network does not have is an error at first: {error}")
    model.set_params(unknown_nodes="drop")
    answers = model.answers(members)
    view = table("new set", "answer", "probability", "spread over seeds", "genes known", "true")
    for name, label, p, sd, known in zip(
        answers.names, answers.labels, answers.probabilities, answers.spread, answers.known,
        strict=True,
    ):  # fmt: skip
        best = p.argmax()
        view.add_row(name, label, f"{p[best]:.2f}", f"{sd[best]:.2f}", f"{known:.0%}", truth[name])
    console.print(view)
    say("There is no class for 'none of these': a low probability or a wide spread is the warning.")
    story.facts["answers"] = kept(answers)


def explain(model: s2n.SubgraphClassifier, genes: list[str]) -> None:
    """Why the first new set got its answer, and what it is like."""
    for line in why(model.explain([genes])[0], "sets"):
        say(line)
    near = model.neighbors([genes], count=3)[0]
    words = [f"{n.name} [{', '.join(n.labels)}], {n.similarity:.2f}" for n in near]
    say(f"Most similar known sets (cosine): {'; '.join(words)}.")


def main() -> None:
    """Tell the story."""
    story = Story("gene_sets", __doc__ or "")
    benchmark_folder("ppi_bp")
    folder = story.out / "data"
    folder.mkdir(parents=True, exist_ok=True)

    story.section("The files that you would bring")
    truth = write_files(folder)
    task = s2n.load_task(
        folder / "sets.gmt", graph=folder / "edges.tsv", labels=folder / "labels.csv"
    )
    parts = {part: task.split.count(part) for part in ("train", "val", "test")}
    say(f"{folder}: {task.graph.num_nodes:,} proteins, {task.graph.num_edges:,} links,"
        f" {len(task):,} sets in {len(task.class_names)} classes")  # fmt: skip
    say(f"Train, validation and test: {' / '.join(map(str, parts.values()))} sets")
    view = table("class", "sets")
    for name, count in zip(task.class_names, task.label_counts().sum(axis=0), strict=True):
        view.add_row(name, str(count))
    console.print(view)

    story.section("Learn")
    settings = {"epochs": 10 if story.quick else 60, "features.kind": "random"}
    model = s2n.SubgraphClassifier(
        seeds=2 if story.quick else 5, preset="fast", settings=settings
    ).fit(task)
    say(f"{len(model.scorer_.seeds)} networks, averaged; validation:"
        f" {100 * model.validation_['micro_f1']:.1f} of 100 sets right")  # fmt: skip

    story.section("Held-out sets, looked at once, beside simple models")
    evaluate(story, task, model)

    story.section("New sets")
    ask(story, model, folder / "new_sets.gmt", truth)

    story.section("Why? new_1 in words")
    explain(model, read_gmt(folder / "new_sets.gmt")["new_1"])

    story.section("Keep it")
    place = model.save(story.out / "model", overwrite=True)
    story.keep()
    go_on(place, folder / "new_sets.gmt", story.out / "answers.csv")


if __name__ == "__main__":
    main()
