"""Three data sets as people have them, made by a script, with everything that is wrong in them."""

from __future__ import annotations

from pathlib import Path
from random import Random


def write(folder: Path, files: dict[str, list[str]]) -> Path:
    """Files of lines in a new folder."""
    folder.mkdir()
    for name, lines in files.items():
        (folder / name).write_text("\n".join(lines) + "\n")
    return folder


def _communities(random: Random, prefix: str, size: int = 30) -> list[tuple[str, str]]:
    """Edges of two rings with chords; nodes of the first half are one community."""
    half, edges = size // 2, []
    for start in (0, half):
        for i in range(half):
            edges.append((f"{prefix}{start + i}", f"{prefix}{start + (i + 1) % half}"))
            edges.append((f"{prefix}{start + i}", f"{prefix}{start + random.randrange(half)}"))
    edges.append((f"{prefix}0", f"{prefix}{half}"))
    return [pair for pair in edges if pair[0] != pair[1]]


def _sets(random: Random, prefix: str, count: int, size: int = 30) -> list[list[str]]:
    """Node sets, every second one of the other community."""
    half = size // 2
    return [[f"{prefix}{half * (i % 2) + n}" for n in random.sample(range(half), 3)]
            for i in range(count)]  # fmt: skip


def bioinformatician(folder: Path) -> Path:
    """Gene sets: unknown genes, an empty and a repeated set, a second label; STRING's header."""
    random = Random(1)
    edges = ["protein1\tprotein2\tcombined_score"]
    edges += [f"{a}\t{b}\t{random.randrange(150, 999)}" for a, b in _communities(random, "GENE")]
    sets, labels = [], ["set_name\tgroup\tsource_db"]
    for i, genes in enumerate(_sets(random, "GENE", 24)):
        extra = ["LOC999", "MIR1"] if i % 6 == 0 else []
        sets.append("\t".join([f"SET_{i}", "na", *genes, *extra]))
        labels.append(f"SET_{i}\t{'immune' if i % 2 else 'growth'}\tGO")
    sets += ["SET_EMPTY\tna", sets[3]]
    labels += ["SET_GONE\tgrowth\tGO", "SET_3\tgrowth\tGO"]
    return write(folder, {"sets.gmt": sets, "edges.tsv": edges, "labels.tsv": labels})


def clinician(folder: Path) -> Path:
    """Semicolons and decimal commas, several diagnoses in one cell, NA twice, partly labelled."""
    random = Random(2)
    edges = [f"{a};{b};{random.randrange(1, 9)},5" for a, b in _communities(random, "HP")]
    members, labels = ["subgraph_id;node_id"], ["subgraph_id;diagnosis;hospital"]
    for i, terms in enumerate(_sets(random, "HP", 40)):
        members += [f"p{i};{term}" for term in terms]
        diagnosis = ["Ataxia", "Dementia"][i % 2]
        diagnosis = (
            "Ataxia|Dementia" if i % 7 == 0 else "Dementia|Epilepsy" if i % 9 == 1 else diagnosis
        )
        if i < 36:
            hospital = "NA" if i % 10 == 3 else "ABC"[i % 3]
            labels.append(f"p{i};{'NA' if i in (5, 8) else diagnosis};{hospital}")
    edges = ["source;target;weight", *edges]
    return write(folder, {"edges.csv": edges, "members.csv": members, "labels.csv": labels})


def fraud_analyst(folder: Path) -> Path:
    """Accounts with missing numbers and words for them, weights of 0 and given twice."""
    random = Random(3)
    edges = ["payer,payee,weight"]
    edges += [f"{a},{b},{0 if i % 9 == 4 else 1 + i % 5}"
              for i, (a, b) in enumerate(_communities(random, "acc"))]  # fmt: skip
    nodes = ["node_id,age_days,balance,risk"]
    for i in range(30):
        age = "NaN" if i % 10 == 3 else str(random.randrange(2000))
        balance = "" if i == 7 else round(random.gauss(0, 1e4), 2)
        nodes.append(f"acc{i},{age},{balance},{'-' if i in (2, 20) else 'NA' if i == 9 else i % 5}")
    members, labels = ["subgraph_id,node_id,weight"], ["subgraph_id,label,split"]
    words = ["Train", "training", "TRAIN", "valid", "Holdout"]
    for i, accounts in enumerate(_sets(random, "acc", 30)):
        members += [f"alert{i},{account},1" for account in accounts]
        labels.append(f"alert{i},{'true' if i % 2 else 'false'},{words[i // 2 % 5]}")
    members += ["alert30,acc_unknown,1", f"{members[1][:-2]},3"]
    labels.append("alert30,true,Train")
    files = {"edges.csv": edges, "nodes.csv": nodes, "members.csv": members, "labels.csv": labels}
    return write(folder, files)
