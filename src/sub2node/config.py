"""Settings of a run: one typed, frozen tree, changed by name."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal, get_args

from .settings import Settings, within

Structure = Literal["separated", "connected", "s2n+0", "s2n+a", "cos2n+0", "cos2n+a"]
STRUCTURES: tuple[Structure, ...] = get_args(Structure)


@dataclass(frozen=True)
class Convolution:
    """Settings that only some convolutions read.

    Args:
        alpha: GCNII: share of the encoder's input in every layer.
        theta: GCNII: strength of the weights; layer l has β = ln(θ/l + 1).
        shared_weights: GCNII: one weight matrix a layer instead of two.
        heads: GATv2: attention heads; they divide the width.
        train_eps: GIN: whether ε, the extra weight of a node's own vector, is learned.
    """

    alpha: float = within(0.5, 0, 1)
    theta: float = within(1.0, 0)
    shared_weights: bool = True
    heads: int = within(8, 1)
    train_eps: bool = False


@dataclass(frozen=True)
class Model:
    """The network.

    Args:
        hidden: Width of all node and subgraph vectors.
        layers: Layers of the encoder; of an S2N structure, of the outer one.
        inner_layers: Layers inside each subgraph (s2n+a only).
        readout: How node vectors become one subgraph vector.
        batch_norm: Batch normalisation after each convolution.
        skip: A linear map of a layer's input is added to its output.
        dropout: Share of channels dropped after each layer, and before the head of S2N.
        edge_dropout: Share of edges dropped, anew in each layer.
        outer: Of the encoder (S2N: the outer one).
        inner: Of the encoder inside each subgraph.
    """

    hidden: int = within(64, 1)
    layers: int = within(2, 0)
    inner_layers: int = within(1, 0)
    readout: Literal[
        "sum", "mean", "max", "node-degree", "volume", "degree", "degree-code", "learned"
    ] = "sum"  # fmt: skip
    batch_norm: bool = False
    skip: bool = False
    dropout: float = within(0.2, 0, 0.99)
    edge_dropout: float = within(0.2, 0, 0.99)
    outer: Convolution = field(default_factory=Convolution)
    inner: Convolution = field(default_factory=Convolution)


@dataclass(frozen=True)
class NodeFeatures:
    """What a node enters with.

    Args:
        kind: ``given``: the graph's features; ``constant``: the same for all; ``random``: drawn
            from a normal distribution; ``link``: pre-trained to predict the graph's edges;
            ``svd``: singular vectors of its adjacency.
        width: Columns, unless given.
        value: Of ``constant``.
        pretraining: Settings of ``link``, as in ``layers=3,lr=0.003``.
        scale: Standard deviation of ``random``, and what ``link`` and ``svd`` are brought to.
        trainable: Whether training changes them.
        encoding: Further columns that are never trained: ``rwpe``, ``lappe`` or ``structure``.
        encoding_width: Columns of ``rwpe`` and ``lappe``; 0: as many as the features have, or half
            of the width they share.
        join: How encodings join the features: ``add``, ``concat``, or ``share`` the width.
        scaling: Of encodings: ``none``; ``standard``: mean 0 and standard deviation 1 by column;
            ``log``: the same after a logarithm, for ``rwpe``, whose values span powers of ten.
        sign_flips: Each column of the encodings is multiplied by -1 at random, anew in each epoch;
            for ``lappe``, whose signs mean nothing.
    """

    kind: Literal["given", "constant", "random", "link", "svd"] = "random"
    width: int = within(64, 1)
    value: float = 1.0
    pretraining: str = ""
    scale: float = within(1.0, 0)
    trainable: bool = True
    encoding: Literal["none", "rwpe", "lappe", "structure"] = "none"
    encoding_width: int = within(0, 0)
    join: Literal["add", "concat", "share"] = "add"
    scaling: Literal["none", "standard", "log"] = "none"
    sign_flips: bool = False


@dataclass(frozen=True)
class Features(NodeFeatures):
    """What a node enters with, and a subgraph.

    Args:
        subgraphs: What a network reads of a subgraph besides its nodes: ``structure`` (statistics)
            or ``wl`` (Weisfeiler-Leman histograms).
    """

    subgraphs: Literal["none", "structure", "wl"] = "none"


@dataclass(frozen=True)
class Translation:
    """The S2N graph.

    Args:
        a: Standard score of a weight that becomes 0; weaker links are gone.
        delta: Width of the range of scores up to weight 1.
        self_loops: Shared nodes count as links too (A + I for A).
    """

    a: float = 2.0
    delta: float = within(1.0, 1e-9)
    self_loops: bool = True


@dataclass(frozen=True)
class Coarsening:
    """Virtual subgraphs (CoS2N only), where the data brings none of its own.

    Args:
        method: How the global graph is coarsened; see :func:`sub2node.coarsen.coarsen`.
        ratio: Fraction of its nodes to remove.
        eigenvectors: How many local variation preserves; components of at most that many nodes
            are small.
        small: Such components are left out, or kept as one virtual subgraph each.
    """

    method: Literal[
        "variation_edges", "heavy_edge", "algebraic_jc", "affinity_gs", "variation_neighborhoods",
        "variation_cliques", "louvain", "ego_nets", "random_walks",
    ] = "variation_edges"  # fmt: skip
    ratio: float = within(0.5, 1e-9, 1 - 1e-9)
    eigenvectors: int = within(4, 2)
    small: Literal["leave-out", "keep"] = "leave-out"


@dataclass(frozen=True)
class Training:
    """The loop.

    Args:
        lr: Learning rate of Adam.
        weight_decay: L2.
        clip: Largest norm of a replica's gradient; 0: not clipped.
        epochs: Passes over the training subgraphs.
        patience: Epochs without a better validation score after which a replica stops; 0: never.
        ties: Of epochs with the same validation score the ``first`` counts, or that of the lowest
            validation ``loss``: where validation is small, the first may be long before the end of
            learning.
        plateau_factor: The learning rate is multiplied by this …
        plateau_patience: … when the validation loss did not fall for more epochs than this …
        min_lr: … down to this.
    """

    lr: float = within(0.005, 0)
    weight_decay: float = within(1e-8, 0)
    clip: float = within(0.5, 0)
    epochs: int = within(300, 1)
    patience: int = within(0, 0)
    ties: Literal["first", "loss"] = "first"
    plateau_factor: float = within(0.7, 0, 1)
    plateau_patience: int = within(10, 0)
    min_lr: float = within(5e-5, 0)


@dataclass(frozen=True)
class BatchTraining(Training):
    """The loop of networks that see some subgraphs at a time.

    The learning rate follows the training loss, not the validation loss.

    Args:
        batch: Subgraphs a step; what is left over at the end of an epoch is not seen in it.
        start: Epochs before validation scores count, and before patience begins.
        published_ties: Besides the honest score, also give the one of the published rule: the best
            *test* score among the epochs that tie on validation.
    """

    batch: int = within(32, 1)
    start: int = within(0, 0)
    published_ties: bool = False


@dataclass(frozen=True)
class Config(Settings):
    """All settings of a run.

    Args:
        structure: How subgraphs are presented to the model.
        conv: The convolution by name.
    """

    structure: Structure = "s2n+a"
    conv: str = "gcn2"
    model: Model = field(default_factory=Model)
    features: Features = field(default_factory=Features)
    translation: Translation = field(default_factory=Translation)
    coarsening: Coarsening = field(default_factory=Coarsening)
    training: Training = field(default_factory=Training)

    @property
    def translated(self) -> bool:
        """Whether the network works on the S2N graph: S2N and CoS2N."""
        return "s2n" in self.structure

    @property
    def coarsened(self) -> bool:
        """Whether virtual subgraphs take part: CoS2N."""
        return self.structure.startswith("cos2n")

    @property
    def with_inner(self) -> bool:
        """Whether a network inside each subgraph comes before the S2N graph: +A."""
        return self.structure.endswith("+a")
