"""What requests and answers hold: their fields, types and examples."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Discriminator, FailFast, Field, Tag, TypeAdapter

NodeId = Annotated[
    str | Annotated[int, Field(ge=-(2**63), lt=2**63)],
    Field(description="A node of the graph by its id, text or an integer."),
]
Nodes = Annotated[
    list[NodeId],
    FailFast(),
    Field(min_length=1, description="The members; one that is given twice counts once."),
]
SubgraphId = Annotated[
    str | None,
    Field(max_length=200, description="Your name for the subgraph; the answer carries it."),
]
UnknownNodes = Annotated[
    Literal["error", "drop"],
    Field(description="Nodes that the graph does not have: refuse the request, or go on without."),
]


class Body(BaseModel):
    """What is common to the bodies of requests: exact types, and no field that is not known."""

    model_config = ConfigDict(strict=True, extra="forbid")


class Subgraph(Body):
    """A set of nodes."""

    nodes: Nodes
    id: SubgraphId = None


class PredictOne(Subgraph):
    """One subgraph to label."""

    unknown_nodes: UnknownNodes = "error"


class PredictMany(Body):
    """Several subgraphs to label; each gets the answer that it would get alone."""

    subgraphs: Annotated[list[Subgraph], FailFast(), Field(min_length=1)]
    unknown_nodes: UnknownNodes = "error"


class ExplainBody(PredictOne):
    """One subgraph, and the label whose probability is to be explained."""

    label: Annotated[
        str | None, Field(description="One of the model's classes; by default the likeliest.")
    ] = None


class NeighborsBody(PredictOne):
    """One subgraph, and how many known subgraphs like it are wanted."""

    count: Annotated[int, Field(ge=1, le=1000, description="How many, most alike first.")] = 10


def _one_or_many(body: Any) -> str:
    return "many" if isinstance(body, dict) and "subgraphs" in body else "one"


PredictBody = Annotated[
    Annotated[PredictOne, Tag("one")] | Annotated[PredictMany, Tag("many")],
    Discriminator(_one_or_many),
]
PREDICT: TypeAdapter[PredictOne | PredictMany] = TypeAdapter(PredictBody)
EXPLAIN: TypeAdapter[ExplainBody] = TypeAdapter(ExplainBody)
NEIGHBORS: TypeAdapter[NeighborsBody] = TypeAdapter(NeighborsBody)


class Error(BaseModel):
    """Why there is no answer."""

    error: Annotated[str, Field(description="One sentence.")]
    field: Annotated[str | None, Field(description="The field at fault, if it is one.")] = None


class Status(BaseModel):
    """Whether the service takes requests."""

    status: Literal["ok", "stopping"]


class Prediction(BaseModel):
    """What the model says of one subgraph."""

    id: Annotated[str, Field(description="Yours, or the subgraph's position in the request.")]
    labels: Annotated[list[str], Field(description="One, unless the model is multi-label.")]
    probabilities: dict[str, float]
    spread: Annotated[
        dict[str, float], Field(description="Standard deviation over the model's seeds.")
    ]
    known: Annotated[float, Field(description="Share of the members that the graph has.")]
    unknown: Annotated[list[str], Field(description="Members that were dropped.")]


class Predictions(BaseModel):
    """What the model says, in the order of the request."""

    predictions: list[Prediction]


class Member(BaseModel):
    """What a member adds to the probability."""

    id: str
    title: str
    contribution: float


class LikeOne(BaseModel):
    """What a known subgraph that is joined to the asked one adds to the probability."""

    id: str
    title: str
    labels: list[str]
    weight: float | None
    contribution: float


class AroundNode(BaseModel):
    """A known subgraph near the asked one; hop 1 is joined to it, hop 2 to one of those."""

    id: str
    title: str
    labels: list[str]
    weight: float | None
    hop: int


class AroundGraph(BaseModel):
    """The surroundings of the asked subgraph in the S2N graph."""

    nodes: list[AroundNode]
    links: Annotated[
        list[tuple[int, int, float]],
        Field(description="Two positions in 'nodes' (-1: the asked one) and a weight."),
    ]


class Explanation(BaseModel):
    """Where a probability comes from: baseline + all contributions = probability - gap."""

    id: str
    label: str
    probability: float
    baseline: float
    gap: Annotated[float, Field(description="What the parts miss of the whole.")]
    statistics: Annotated[
        float | None, Field(description="What the shape adds, where the model sees it.")
    ]
    members: list[Member]
    neighbors: list[LikeOne]
    graph: AroundGraph


class Alike(BaseModel):
    """A known subgraph."""

    id: str
    title: str
    labels: list[str]
    similarity: Annotated[float, Field(description="Cosine, from -1 to 1.")]


class NeighborsAnswer(BaseModel):
    """The known subgraphs that the model sees as most alike, nearest first."""

    neighbors: list[Alike]


class FoundNode(BaseModel):
    """A node of the graph."""

    id: str
    title: str
    degree: int


class Found(BaseModel):
    """Nodes whose id or title holds the text; those that begin with it come first."""

    nodes: list[FoundNode]


class Example(BaseModel):
    """A subgraph to try."""

    id: str
    title: str
    nodes: list[str]


class LimitsAnswer(BaseModel):
    """What one request may hold."""

    subgraphs: int
    nodes: int
    body_bytes: int


class ModelAnswer(BaseModel):
    """What the model is and what it accepts."""

    name: str
    structure: str
    conv: str | None
    classes: list[str]
    multilabel: bool
    seeds: int
    nodes: int
    edges: int
    known_subgraphs: int
    validation: dict[str, float]
    examples: list[Example]
    limits: LimitsAnswer
    token: Annotated[bool, Field(description="Whether requests need a bearer token.")]
