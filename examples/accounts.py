"""Accounts in a payment graph: which alerts are money laundering?

The question
    A rule raises alerts, each a handful of accounts that moved money among themselves. One in ten
    is laundering. Which should an investigator open first, and why?

The data
    Drawn by payment_graph.py, so that everybody may have it: no conclusion about real banks
    follows. People pay shops, get wages, and pay others of their neighbourhood. Gangs use accounts
    of people who live all over (mules). A laundering alert is a ring (money comes back to where it
    began) or smurfing (one payer, many go-betweens, one receiver), most members being mules of one
    gang. But savings clubs are rings too, staff who eat in one canteen are joined as smurfs are,
    one in four innocent alerts is of people from all over, three in ten have a mule in them, one in
    four members of a laundering alert is none, both kinds are of the same sizes, and mules have
    few payments besides. What tells is mostly which other alerts an alert has to do with.

        payments.parquet   payer, payee, amount
        alerts.parquet     alert, account
        verdicts.parquet   alert, verdict

What comes out
    How many of the alerts at the top of the list are laundering, beside simple models; precision
    and recall at a probability of one half; one alert explained; a new alert with an unknown
    account; and a model to go on with. Payments have no direction in the model. Amounts are not
    read here: both kinds have the same. Yours are read by columns={"weight": "amount", ...} and
    repeated="sum".

Your own
    Name your files and columns as this script does, or on the command line:

        s2n fit alerts.parquet --graph payments.parquet --labels verdicts.parquet --balanced \\
            --structure s2n+0 --set features.subgraphs=structure --set features.kind=constant \\
            --set translation.a=0 --column source=payer --column target=payee \\
            --column subgraph_id=alert --column node_id=account --column label=verdict -o my-model

Run it: python examples/accounts.py
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from payment_graph import BAD, write_bank
from sklearn.metrics import average_precision_score, precision_score, recall_score
from story import Story, compare, console, go_on, kept, say, table, verdict, why

import sub2node as s2n

COLUMNS = {"source": "payer", "target": "payee", "subgraph_id": "alert", "node_id": "account",
           "label": "verdict"}  # fmt: skip
SIMPLE = {"size and mean degree": "", "statistics of shape": "statistics",
          "bag of accounts": "bag", "bag, with who they pay": "diffused-bag"}  # fmt: skip
# Weak links count (a), and nodes enter alike: found on validation, in another draw of the data.
SETTINGS = {"features.subgraphs": "structure", "features.kind": "constant", "translation.a": 0.0,
            "layers": 2, "epochs": 120}  # fmt: skip


def read_tables(folder: Path) -> s2n.SubgraphTask:
    """The three tables as a task, six, two and two tenths of it for train, validation and test."""
    tables = [
        pq.read_table(folder / f"{name}.parquet") for name in ("payments", "alerts", "verdicts")
    ]
    task = s2n.SubgraphTask.from_tables(*tables, columns=COLUMNS, name="alerts")
    return task.with_split(s2n.Split.random(task.labels, fractions=(0.6, 0.2, 0.2), seed=0))


def size_and_degree(task: s2n.SubgraphTask) -> np.ndarray:
    """What a forest makes of two numbers of an alert: its size, and its mean degree."""
    from sklearn.ensemble import RandomForestClassifier

    member = task.subgraphs.membership(task.graph.num_nodes)
    sizes = task.subgraphs.sizes
    x = np.column_stack([sizes, (member @ task.graph.degrees) / sizes])
    seen, test = ~task.split.mask("test"), task.split.mask("test")
    forest = RandomForestClassifier(300, class_weight="balanced", random_state=0)
    return forest.fit(x[seen], task.labels[seen]).predict_proba(x[test])


def evaluate(story: Story, task: s2n.SubgraphTask, model: s2n.SubgraphClassifier) -> None:
    """Rank the test alerts, beside simple models."""
    test, bad = task.split.mask("test"), task.class_names.index(BAD)
    truth = task.labels[test] == bad
    ranked = {}
    for word, name in SIMPLE.items():
        found = (s2n.run(task, model=name, seeds=1).outputs["test"].logits[0] if name
                 else size_and_degree(task))  # fmt: skip
        ranked[word] = found[:, bad] - found[:, 1 - bad]
    ranked["sub2node"] = model.predict_proba(task.subset(test))[:, bad]
    scores, difference = compare(average_precision_score, truth, ranked, draws=500)
    count = int(truth.sum())
    view = table("model", "average precision", "95 % interval", f"true among the first {count}")
    for name, (value, low, high) in scores.items():
        first = truth[np.argsort(-ranked[name], kind="stable")[:count]].sum()
        view.add_row(name, f"{value:.2f}", f"{low:.2f} to {high:.2f}", str(first))
    console.print(view)
    say(f"{len(truth)} test alerts, {count} of them {BAD}: a list in random order would have an"
        f" average precision of about {truth.mean():.2f}.")  # fmt: skip
    say(verdict(*difference, "the bag with who they pay", len(truth)))
    claimed = ranked["sub2node"] > 0.5
    precision, recall = precision_score(truth, claimed), recall_score(truth, claimed)
    say(f"Claimed at one half: {claimed.sum()} alerts, precision {precision:.2f},"
        f" recall {recall:.2f}.")  # fmt: skip
    story.facts["test"] = {name: values[0] for name, values in scores.items()}
    story.facts |= {"share": float(truth.mean()), "precision": precision, "recall": recall}


def worst(task: s2n.SubgraphTask, model: s2n.SubgraphClassifier) -> dict[str, list[str]]:
    """The test alert that is likeliest laundering, as name and accounts."""
    test = task.subset(task.split.mask("test"))
    top = int(model.predict_proba(test)[:, task.class_names.index(BAD)].argmax())
    subgraphs, names = test.subgraphs, task.graph.names
    nodes = subgraphs.nodes[subgraphs.ptr[top] : subgraphs.ptr[top + 1]]
    return {subgraphs.name_of(top): names.take(nodes).arrow.to_pylist()}


def ask(
    story: Story, model: s2n.SubgraphClassifier, cases: dict[str, list[str]], file: Path
) -> None:
    """Answer for new alerts, and write them as a file for ``s2n predict``."""
    members = pa.table({"subgraph_id": [n for n, who in cases.items() for _ in who],
                        "node_id": [a for who in cases.values() for a in who]})  # fmt: skip
    pq.write_table(members, file)
    try:
        model.answers(members)
    except s2n.DataError as error:
        say(f"An account that the graph does not have is an error at first: {error}")
    model.set_params(unknown_nodes="drop")
    answers = model.answers(members)
    bad = answers.classes.index(BAD)
    view = table("new alert", f"probability of {BAD}", "spread over seeds", "accounts known")
    for name, p, sd, known in zip(
        answers.names, answers.probabilities, answers.spread, answers.known, strict=True
    ):
        view.add_row(name, f"{p[bad]:.2f}", f"{sd[bad]:.2f}", f"{known:.0%}")
    console.print(view)
    say("With balanced classes these are not shares of real alerts: use them to rank.")
    story.facts["answers"] = kept(answers)


def explain(model: s2n.SubgraphClassifier, name: str, accounts: list[str]) -> None:
    """Why an alert is at the top."""
    say(f"{name}, {len(accounts)} accounts:")
    for line in why(model.explain([accounts], label=BAD)[0], "alerts"):
        say(line)
    near = model.neighbors([accounts], count=3)[0]
    words = [f"{n.name} [{', '.join(n.labels)}], {n.similarity:.2f}" for n in near]
    say(f"Most similar known alerts (cosine): {'; '.join(words)}.")


def main() -> None:
    """Tell the story."""
    story = Story("accounts", __doc__ or "")
    folder = story.out / "data"
    folder.mkdir(parents=True, exist_ok=True)

    story.section("Draw a payment graph, write it as Parquet, read it back")
    sizes = {"people": 4500, "alerts": 600} if story.quick else {"people": 15000, "alerts": 2000}
    write_bank(folder, **sizes, seed=0)
    task = read_tables(folder)
    counts = zip(task.class_names, task.label_counts().sum(axis=0), strict=True)
    kinds = ", ".join(f"{count} {name}" for name, count in counts)
    say(f"{folder}: {task.graph.num_nodes:,} accounts, {task.graph.num_edges:,} pairs that pay,"
        f" {len(task):,} alerts ({kinds})")  # fmt: skip

    story.section("Learn from the members, their links, and the shape of each alert")
    settings = SETTINGS | ({"epochs": 60} if story.quick else {})
    model = s2n.SubgraphClassifier(
        "s2n+0", seeds=2 if story.quick else 5, preset="fast", settings=settings,
        class_weight="balanced",
    ).fit(task)  # fmt: skip
    say(f"{len(model.scorer_.seeds)} networks, averaged; the rare class counts as much as the"
        f" other; validation macro-F1: {100 * model.validation_['macro_f1']:.1f}")  # fmt: skip

    story.section("Held-out alerts, looked at once, beside simple models")
    evaluate(story, task, model)

    story.section("Why? The alert at the top of the list, in words")
    name, accounts = next(iter(worst(task, model).items()))
    explain(model, name, accounts)

    story.section("New alerts")
    some = task.graph.names.take(np.random.default_rng(1).integers(task.graph.num_nodes, size=8))
    cases = {"top-and-a-stranger": [*accounts, "AC999999"], "eight-at-random": list(some)}
    ask(story, model, cases, story.out / "new_alerts.parquet")

    story.section("Keep it")
    place = model.save(story.out / "model", overwrite=True)
    story.keep()
    go_on(place, story.out / "new_alerts.parquet", story.out / "answers.csv")


if __name__ == "__main__":
    main()
