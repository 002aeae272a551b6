"""Settings of a run: one typed, frozen tree, changed by name."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from .settings import NAMED_SECTION, Settings, within
from .structure import Structure

ReadoutName = Literal[
    "sum", "mean", "max", "node-degree", "volume", "degree", "degree-code", "learned"
]
CoarseningMethod = Literal[
    "variation_edges",
    "heavy_edge",
    "algebraic_jc",
    "affinity_gs",
    "variation_neighborhoods",
    "variation_cliques",
    "louvain",
    "ego_nets",
    "random_walks",
]


@dataclass(frozen=True)
class ConvolutionSettings:
    """Settings that only some convolutions read.

    Args:
        alpha: GCNII: share of the encoder's input in every layer.
        theta: GCNII: strength of the weights; layer l has β = ln(θ/l + 1).
        shared_weights: GCNII: one weight matrix per layer instead of two.
        heads: GATv2: attention heads; they divide the width.
        train_eps: GIN: whether ε, the extra weight of a node's own vector, is learned.
        eps: FAGCN: weight of the encoder's input in every layer.
    """

    alpha: float = within(0.5, 0, 1)
    theta: float = within(1.0, 0)
    shared_weights: bool = True
    heads: int = within(8, 1)
    train_eps: bool = False
    eps: float = within(0.3, 0, 1)


@dataclass(frozen=True)
class NetworkSettings:
    """Settings of the network.

    Args:
        hidden: Width of all node and subgraph vectors.
        layers: Layers of the encoder; of an S2N structure, of the outer one.
        inner_layers: Layers inside each subgraph (s2n+a only).
        readout: How node vectors become one subgraph vector.
        batch_norm: Batch normalisation after each convolution.
        skip: A linear map of a layer's input is added to its output.
        dropout: Share of channels dropped after each layer, and before the head of S2N.
        edge_dropout: Share of edges dropped, anew in each layer.
        outer: Convolution settings of the encoder (S2N: the outer one).
        inner: Convolution settings of the encoder inside each subgraph.
    """

    hidden: int = within(64, 1)
    layers: int = within(2, 0, 1000)
    inner_layers: int = within(1, 0, 1000)
    readout: ReadoutName = "sum"
    batch_norm: bool = False
    skip: bool = False
    dropout: float = within(0.2, 0, 0.99)
    edge_dropout: float = within(0.2, 0, 0.99)
    outer: ConvolutionSettings = field(default_factory=ConvolutionSettings)
    inner: ConvolutionSettings = field(default_factory=ConvolutionSettings)


@dataclass(frozen=True)
class LinkSettings(Settings):
    """How embeddings are pre-trained to predict links.

    Args:
        layers: Rounds of message passing.
        aggregation: How neighbours are summed: ``mean``, ``sum`` or ``gcn`` (D^-½ A D^-½).
        dropout: Share of channels dropped between layers.
        lr: Learning rate of Adam.
        batch: Edges per step, and as many pairs without an edge.
        steps: The most steps per epoch.
        epochs: The most epochs.
        every: Epochs from one validation to the next.
        patience: Validations without a gain after which training stops.
        held_out: Share of the edges that is kept for validation; no message passes over them.
        messages: Edges that messages pass over, drawn anew each epoch; 0: all.
        seed: Seed of everything that is drawn.
    """

    layers: int = within(2, 0)
    aggregation: Literal["mean", "sum", "gcn"] = "mean"
    dropout: float = within(0.0, 0, 0.99)
    lr: float = within(1e-3, 1e-9, 1e30)
    batch: int = within(65_536, 1)
    steps: int = within(10, 1)
    epochs: int = within(100, 1)
    every: int = within(5, 1)
    patience: int = within(3, 1)
    held_out: float = within(0.05, 1e-6, 0.99)
    messages: int = within(0, 0)
    seed: int = within(0, 0)


@dataclass(frozen=True)
class NodeFeatureSettings:
    """The vector that a node enters the network with.

    Args:
        kind: ``given``: the graph's features; ``constant``: the same for all; ``random``: drawn
            from a normal distribution; ``link``: pre-trained to predict the graph's edges;
            ``svd``: singular vectors of its adjacency.
        width: Columns, unless the features are ``given``.
        value: The number that ``constant`` gives to all nodes.
        pretraining: How ``link`` is trained; ``svd`` reads its seed.
        scale: Standard deviation of ``random``, and what ``link`` and ``svd`` are brought to.
        trainable: Whether training changes them.
        encoding: Further columns that are never trained: ``rwpe``, ``lappe``, ``structure``, or
            ``given``: the graph's features beside vectors of another kind.
        encoding_width: Columns of ``rwpe`` and ``lappe``; 0: as many as the features have, or half
            of the width they share.
        join: How encodings join the features: ``add``, ``concat``, or ``share`` the width.
        scaling: How encodings and ``given`` features are scaled: ``none``; ``standard``: mean 0 and
            standard deviation 1 by column, over the nodes of training subgraphs; ``log``: the same
            after a logarithm, for ``rwpe``, whose values span powers of ten.
        sign_flips: Each column of the encodings is multiplied by -1 at random, anew in each epoch;
            for ``lappe``, whose signs mean nothing.
    """

    kind: Literal["given", "constant", "random", "link", "svd"] = "random"
    width: int = within(64, 1)
    value: float = 1.0
    pretraining: LinkSettings = field(default_factory=LinkSettings, metadata=NAMED_SECTION)
    scale: float = within(1.0, 0)
    trainable: bool = True
    encoding: Literal["none", "rwpe", "lappe", "structure", "given"] = "none"
    encoding_width: int = within(0, 0)
    join: Literal["add", "concat", "share"] = "add"
    scaling: Literal["none", "standard", "log"] = "none"
    sign_flips: bool = False


@dataclass(frozen=True)
class FeatureSettings(NodeFeatureSettings):
    """The vectors that nodes and subgraphs enter the network with.

    Args:
        subgraphs: What a network reads of a subgraph besides its nodes: ``structure`` (statistics),
            ``wl`` (Weisfeiler-Leman histograms), ``border`` (what its neighbours and edges are
            like) or ``border2`` (what lies behind the neighbours, too).
    """

    subgraphs: Literal["none", "structure", "wl", "border", "border2"] = "none"


@dataclass(frozen=True)
class TranslationSettings:
    """Settings of the S2N graph.

    Args:
        a: Standard score of a weight that becomes 0; weaker links are gone.
        delta: Width of the range of scores up to weight 1.
        self_loops: Shared nodes count as links too (A + I for A); of ``edges`` alone.
        te: The edge weights T_e: ``edges``, ``shared_nodes``, ``shortest_path``, or
            ``module:function`` of your own, which gives a sparse operator (N, N) for the graph.
        max_distance: The most hops that count, for ``shortest_path``.
        weighted: Whether links keep their weights; without, each link that is left weighs 1, as
            GIN, GraphSAGE and FAGCN of the published runs read it.
        direction: Of directed ``edges``, which count for a link: those that leave the subgraph that
            reads it (``out``), those that enter it (``in``), or both.
    """

    a: float = 2.0
    delta: float = within(1.0, 1e-9)
    self_loops: bool = True
    te: str = "edges"
    max_distance: int = within(2, 0)
    weighted: bool = True
    direction: Literal["both", "out", "in"] = "both"

    @property
    def raw(self) -> TranslationSettings:
        """What decides the raw weights, before any normalisation: equal for all cuts."""
        return TranslationSettings(
            te=self.te,
            self_loops=self.self_loops,
            max_distance=self.max_distance,
            direction=self.direction,
        )


@dataclass(frozen=True)
class CoarseningSettings:
    """Virtual subgraphs (CoS2N only), where the data brings none of its own.

    Args:
        method: How the global graph is coarsened; see :func:`sub2node.coarsen.coarsen`.
        ratio: Fraction of its nodes to remove.
        eigenvectors: How many eigenvectors local variation preserves; components of at most that
            many nodes are small.
        small: Whether such components are omitted, or kept as one virtual subgraph each.
        averaging: How local variation passes eigenvectors to the next level: the ``mean`` over a
            set, or the sum over the ``root`` of its size, as the published code has it.
    """

    method: CoarseningMethod = "variation_edges"
    ratio: float = within(0.5, 1e-9, 1 - 1e-9)
    eigenvectors: int = within(4, 2)
    small: Literal["leave-out", "keep"] = "leave-out"
    averaging: Literal["mean", "root"] = "mean"


@dataclass(frozen=True)
class TrainingSettings:
    """Settings of the training loop.

    Args:
        lr: Learning rate of Adam.
        weight_decay: Weight of the L2 penalty.
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
    epochs: int = within(300, 1, 10**7)
    patience: int = within(0, 0)
    ties: Literal["first", "loss"] = "first"
    plateau_factor: float = within(0.7, 0, 1)
    plateau_patience: int = within(10, 0)
    min_lr: float = within(5e-5, 0)


@dataclass(frozen=True)
class BatchTrainingSettings(TrainingSettings):
    """Settings of the training loop of networks that see a batch of subgraphs at a time.

    The learning rate follows the training loss, not the validation loss.

    Args:
        batch: Subgraphs per step; what is left over at the end of an epoch is not seen in it.
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
        conv: Name of the convolution.
        model: The network.
        features: What nodes and subgraphs enter it with.
        translation: The S2N graph.
        coarsening: Virtual subgraphs.
        training: The training loop.
    """

    structure: Structure = Structure.S2N_A
    conv: str = "gcn2"
    model: NetworkSettings = field(default_factory=NetworkSettings)
    features: FeatureSettings = field(default_factory=FeatureSettings)
    translation: TranslationSettings = field(default_factory=TranslationSettings)
    coarsening: CoarseningSettings = field(default_factory=CoarseningSettings)
    training: TrainingSettings = field(default_factory=TrainingSettings)
