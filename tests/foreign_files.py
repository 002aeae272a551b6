"""Small files in published layouts: Elliptic2, IBM AML."""

from __future__ import annotations

from pathlib import Path

import numpy as np

TRANSACTIONS_HEADER = (
    "Timestamp,From Bank,Account,To Bank,Account,Amount Received,Receiving Currency,"
    "Amount Paid,Payment Currency,Payment Format,Is Laundering\n"
)


def write_elliptic2(
    folder: Path, *, nodes: int = 300, subgraphs: int = 40, features: int = 43, seed: int = 0
) -> Path:
    """Clusters of Bitcoin addresses in chains of five; every fourth chain is suspicious."""
    rng = np.random.default_rng(seed)
    folder.mkdir(parents=True, exist_ok=True)
    ids = 10**7 + rng.permutation(10 * nodes)[:nodes]  # any integers
    vectors = rng.integers(0, 100, (nodes, features))
    chains = np.arange(5 * subgraphs).reshape(subgraphs, 5)
    vectors[chains[::4]] += 40
    write_rows(
        folder / "background_nodes.csv",
        ["clId", *(f"feat#{i + 1}" for i in range(features))],
        np.column_stack([ids, vectors]),
    )
    low = np.arange(nodes - 1)
    pairs = np.concatenate([np.stack([low, low + 1], 1), rng.integers(0, nodes, (nodes, 2))])
    transactions = 10**6 + np.arange(len(pairs))
    write_rows(
        folder / "background_edges.csv",
        ["clId1", "clId2", "txId", *(f"feat#{i + 1}" for i in range(95))],
        np.column_stack([ids[pairs], transactions, rng.integers(0, 9, (len(pairs), 95))]),
    )
    labels = np.where(np.arange(subgraphs) % 4 == 0, "suspicious", "licit")
    components = 500 + np.arange(subgraphs)
    write_rows(
        folder / "connected_components.csv",
        ["ccId", "ccLabel"],
        np.column_stack([components.astype(str), labels]),
    )
    write_rows(
        folder / "nodes.csv",
        ["clId", "ccId"],
        np.column_stack([ids[chains.ravel()], np.repeat(components, 5)]),
    )
    ends = np.stack([chains[:, :-1].ravel(), chains[:, 1:].ravel()], 1)
    write_rows(
        folder / "edges.csv",
        ["clId1", "clId2", "txId"],
        np.column_stack([ids[ends], transactions[: len(ends)]]),
    )
    return folder


def write_rows(path: Path, columns: list[str], rows: np.ndarray) -> None:
    """A CSV file."""
    lines = [",".join(columns), *(",".join(map(str, row)) for row in rows.tolist())]
    path.write_text("\n".join(lines) + "\n")


def write_ibm_aml(folder: Path, name: str = "HI-Small", attempts: int = 12) -> Path:
    """Fan-outs and cycles of accounts at two banks, among other transactions."""
    folder.mkdir(parents=True, exist_ok=True)
    patterns, rows = [], []
    for number in range(attempts):
        accounts = [("010", f"8{number:02}{i:X}E") for i in range(4)]
        if number % 2:
            kind, about = "CYCLE", ":  Max 4 hops"
            pairs = [(accounts[i], accounts[(i + 1) % 4]) for i in range(4)]
        else:
            kind, about = "FAN-OUT", ""
            pairs = [(accounts[0], other) for other in accounts[1:]]
        block = [transaction(*pair, day=1 + number, laundering=1) for pair in pairs]
        patterns += [f"BEGIN LAUNDERING ATTEMPT - {kind}{about}", *block]
        patterns += [f"END LAUNDERING ATTEMPT - {kind}", ""]
        rows += block
    accounts = [("0", f"80{i:03}") for i in range(30)] + [("010", "800E")]
    ring = zip(accounts, accounts[1:] + accounts[:1], strict=True)
    rows += [transaction(*pair, day=1, laundering=0) for pair in ring]
    rows.append(transaction(accounts[0], accounts[0], day=2, laundering=0))
    (folder / f"{name}_Trans.csv").write_text(TRANSACTIONS_HEADER + "\n".join(rows) + "\n")
    (folder / f"{name}_Patterns.txt").write_text("\n".join(patterns))
    return folder


def transaction(
    source: tuple[str, str], target: tuple[str, str], *, day: int, laundering: int
) -> str:
    """A line of a file of transactions, or of attempts."""
    ends = ",".join((*source, *target))
    return f"2022/09/{day:02} 00:06,{ends},28.96,Euro,28.96,Euro,ACH,{laundering}"
