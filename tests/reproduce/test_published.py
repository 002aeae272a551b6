"""Published numbers are those of the paper, and agree with each other."""

from __future__ import annotations

import pytest

from sub2node.base.errors import ConfigError
from sub2node.reproduce import published, published_tables
from sub2node.reproduce.paper_data import REAL_DATA


@pytest.mark.parametrize(
    ("table", "row", "numbers"),
    [
        ("results_real", "sub2vec", ("30.9 2.3", "22.3 6.5", "13.2 4.7", "85.9 1.4")),
        ("results_real", "gbdt", ("44.6 0.0", "51.3 0.0", "40.4 0.0", "69.4 0.0")),
        ("results_real", "subgnn", ("59.9 2.4", "63.2 1.0", "53.7 2.3", "81.4 4.6")),
        ("results_real", "glass", ("61.9 0.7", "68.5 0.5", "61.4 0.5", "88.8 0.6")),
        ("results_real", "separated gcn", ("61.4 2.0", "67.6 1.0", "60.1 2.8", "84.5 4.1")),
        ("results_real", "separated gcn2", ("61.3 1.2", "67.7 0.6", "59.4 2.7", "84.7 4.1")),
        ("results_real", "connected gcn", ("62.6 1.7", "65.7 0.8", "60.6 2.0", "85.9 2.8")),
        ("results_real", "connected gcn2", ("63.5 2.0", "66.7 0.8", "61.7 2.7", "85.5 4.8")),
        ("results_real", "s2n+a gcn2", ("63.7 2.3", "68.4 1.0", "63.2 2.7", "89.0 1.6")),
        ("results_real", "s2n+a gcn2 rwpe", ("64.3 1.8", "68.6 0.8", "63.9 1.7", "89.0 3.1")),
        ("ablation_pe", "s2n+a lappe", ("64.2 1.9", "68.8 0.9", "63.7 1.4", "89.0 3.2")),
        ("results_syn", "sub2vec", ("45.9 1.2", "35.4 1.4", "36.0 1.9", "65.7 1.7")),
        ("results_syn", "subgnn", ("91.9 1.6", "62.9 3.9", "65.9 9.2", "95.8 9.8")),
        ("results_syn", "glass", ("93.0 0.9", "93.5 0.6", "84.0 0.9", "100.0 0.0")),
        ("results_syn", "s2n+0 gcn2", ("67.2 2.4", "56.0 0.0", "57.0 4.9", "100.0 0.0")),
        ("results_syn", "s2n+0 gcn2 rwpe", ("74.8 3.6", "85.2 5.1", "56.1 3.0", "100.0 0.0")),
        ("results_syn", "s2n+a gcn2", ("93.2 2.6", "56.0 0.0", "85.7 5.8", "100.0 0.0")),
        ("results_syn", "s2n+a gcn2 rwpe", ("93.6 2.0", "89.2 2.6", "72.6 6.2", "100.0 0.0")),
    ],
)
def test_published_numbers_are_those_of_the_overview(table, row, numbers) -> None:
    columns = published_tables()[table][1]
    for column, text in zip(columns, numbers, strict=True):
        result = published(table, row, column)
        assert result is not None
        assert (result.value, result.spread) == tuple(map(float, text.split()))
        assert result.kind == ("se" if row == "glass" else "sd")
        assert result.source == f"tab:{table}"


def test_published_marks_words_and_counts() -> None:
    assert published("results_real", "s2n+a gcn2 rwpe", "ppi_bp").mark == "∗"
    assert published("results_real", "s2n+a gcn2 rwpe", "hpo_neuro").mark == "∼"
    assert published("results_real", "s2n+0 gcn", "hpo_neuro").mark == ""
    assert published("results_real", "glass", "ppi_bp").reprinted == "GLASS"
    none = published("results_diff_gnn", "connected gatv2", "em_user")
    assert (none.text, none.value) == ("OOM", None)
    assert published("dataset_original", "edges", "em_user").value == 4_573_417
    assert published("s2n_statistics", "edges s2n", "hpo_neuro").value == 6.3e5
    assert published("efficiency", "train_throughput", "high").value == 711
    assert published("results_real", "glass", "density") is None
    with pytest.raises(ConfigError, match="no table 'results_rael'"):
        published("results_rael", "glass", "ppi_bp")


def test_published_files_agree_with_each_other() -> None:
    """The same result stands in several tables of the paper."""
    for column in REAL_DATA:
        for structure in ("s2n+0", "s2n+a"):
            plain = published("results_real", f"{structure} gcn2", column)
            assert published("ablation_pe", f"{structure} none", column).text == plain.text
            layers = [published("ablation_num_layers", f"{structure} {n}", column).text
                      for n in (0, 1, 2, 4)]  # fmt: skip
            assert plain.text in layers
    for name, (rows, columns) in published_tables().items():
        for row in rows:
            assert all(published(name, row, column) is not None for column in columns)
