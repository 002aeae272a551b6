"""Schemas of requests and answers: their fields and types."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Discriminator, FailFast, Field, Tag, TypeAdapter

from ..scoring import WarningKind

NodeId = Annotated[
    str | Annotated[int, Field(ge=-(2**63), lt=2**63)],
    Field(description="A node of the graph by its id (text or an integer), or another name."),
]
Nodes = Annotated[
    list[NodeId],
    FailFast(),
    Field(min_length=1, description="The members; one that is repeated counts once."),
]
Excluded = Annotated[
    list[NodeId],
    FailFast(),
    Field(description="Nodes that were looked for and are absent; they are no members."),
]
SubgraphId = Annotated[
    str | None,
    Field(max_length=200, description="Your name for the subgraph; the answer carries it."),
]
UnknownNodes = Annotated[
    Literal["error", "drop"],
    Field(description="Nodes that the graph does not have: refuse the request, or drop them."),
]


class RequestBody(BaseModel):
    """Base of the bodies of requests: exact types, and no unknown fields."""

    model_config = ConfigDict(strict=True, extra="forbid")


class Subgraph(RequestBody):
    """A set of nodes, and those that were looked for and are absent."""

    nodes: Nodes
    id: SubgraphId = None
    excluded: Excluded = []


class PredictOne(Subgraph):
    """One subgraph to label."""

    unknown_nodes: UnknownNodes = "error"


class PredictMany(RequestBody):
    """Several subgraphs to label; each gets the answer that it would get alone."""

    subgraphs: Annotated[list[Subgraph], FailFast(), Field(min_length=1)]
    unknown_nodes: UnknownNodes = "error"


class ExplainBody(PredictOne):
    """One subgraph, and the label whose probability is to be explained."""

    label: Annotated[
        str | None, Field(description="One of the model's classes; by default the likeliest.")
    ] = None


class NeighborsBody(PredictOne):
    """One subgraph, and how many similar known subgraphs are wanted."""

    count: Annotated[int, Field(ge=1, le=1000, description="How many, most similar first.")] = 10


def _one_or_many(body: object) -> str:
    return "many" if isinstance(body, dict) and "subgraphs" in body else "one"


PredictBody = Annotated[
    Annotated[PredictOne, Tag("one")] | Annotated[PredictMany, Tag("many")],
    Discriminator(_one_or_many),
]
PREDICT: TypeAdapter[PredictOne | PredictMany] = TypeAdapter(PredictBody)
EXPLAIN: TypeAdapter[ExplainBody] = TypeAdapter(ExplainBody)
NEIGHBORS: TypeAdapter[NeighborsBody] = TypeAdapter(NeighborsBody)
REPORT: TypeAdapter[PredictOne] = TypeAdapter(PredictOne)


class NodeChoice(BaseModel):
    """A node that an ambiguous name may mean."""

    id: str
    title: str


class Error(BaseModel):
    """Why there is no answer."""

    error: Annotated[str, Field(description="One sentence.")]
    field: Annotated[str | None, Field(description="The field at fault, if it is one.")] = None
    candidates: Annotated[
        dict[str, list[NodeChoice]] | None,
        Field(description="By name, the nodes that it may mean, where there are several."),
    ] = None
    columns: Annotated[
        list[str] | None,
        Field(description="The columns of a table where those of subgraph and node are unclear."),
    ] = None


class Status(BaseModel):
    """Whether the service takes requests."""

    status: Literal["ok", "stopping"]


class WarningItem(BaseModel):
    """In what a subgraph is unlike those that the model was trained on."""

    kind: WarningKind
    text: Annotated[str, Field(description="The same in words.")]


class MappingItem(BaseModel):
    """What was meant by a member that was not given by its id."""

    given: str
    node_id: Annotated[str, Field(description="The node that is meant; empty for none.")]
    title: str
    how: Annotated[
        str,
        Field(
            description="case (the id in another case), form (the id in another form), former id,"
            " symbol, title, synonym, alias or a kind of the data; unknown; ambiguous."
        ),
    ]
    candidates: Annotated[list[str], Field(description="Nodes that an ambiguous name may mean.")]
    candidate_titles: Annotated[list[str], Field(description="Their titles, in the same order.")]


class Prediction(BaseModel):
    """The answer of the model for one subgraph."""

    id: Annotated[str, Field(description="Yours, or the subgraph's position in the request.")]
    labels: Annotated[
        list[str], Field(description="One, unless the model is multi-label; likeliest first.")
    ]
    prediction: Annotated[
        str | list[str], Field(description="The label; of a multi-label model the list of them.")
    ]
    probability: Annotated[
        float, Field(description="Probability of the prediction; of several labels, the first's.")
    ]
    probabilities: dict[str, float]
    spread: Annotated[
        dict[str, float | None],
        Field(description="Standard deviation over the model's seeds; null with one seed."),
    ]
    known: Annotated[float, Field(description="Share of the members that the graph has.")]
    unknown: Annotated[list[str], Field(description="Members that were dropped.")]
    doubt: Annotated[
        float, Field(description="Entropy of the probabilities: 0 is sure, 1 is all alike.")
    ]
    mapping: Annotated[
        list[MappingItem], Field(description="Members that were not given by their id.")
    ]
    warnings: Annotated[list[WarningItem], Field(description="Reasons to doubt the answer.")]


class Predictions(BaseModel):
    """The answers of the model, in the order of the request."""

    predictions: list[Prediction]


class ContributionItem(BaseModel):
    """What a member, or a known subgraph that is joined to the queried one, contributes."""

    id: str
    title: str
    labels: Annotated[list[str], Field(description="Labels of a known subgraph.")]
    weight: Annotated[float | None, Field(description="Weight of the link to a known subgraph.")]
    contribution: float
    value: Annotated[float, Field(description="The same as 'contribution'.")]


class MemberItem(ContributionItem):
    """What a member, or a node that is excluded from the subgraph, contributes."""

    excluded: Annotated[bool, Field(description="Whether it was looked for and is absent.")]


class SurroundingNode(BaseModel):
    """A known subgraph near the queried one; hop 1 is joined to it, hop 2 to one of those."""

    id: str
    title: str
    labels: list[str]
    weight: float | None
    hop: int


class SurroundingGraph(BaseModel):
    """The surroundings of the queried subgraph in the S2N graph."""

    nodes: list[SurroundingNode]
    links: Annotated[
        list[tuple[int, int, float]],
        Field(description="Two positions in 'nodes' (-1: the queried subgraph) and a weight."),
    ]


class ExplanationBody(BaseModel):
    """The parts of a probability: baseline + all contributions = probability - gap."""

    id: str
    name: Annotated[str, Field(description="The same as 'id'.")]
    label: str
    probability: float
    baseline: float
    gap: Annotated[float, Field(description="What the sum of the parts misses.")]
    statistics: Annotated[
        float | None,
        Field(description="What its statistics contribute, where the model reads them."),
    ]
    border: Annotated[
        float | None,
        Field(description="What its neighbours and edges contribute, where the model reads them."),
    ] = None
    joins: Annotated[bool, Field(description="Whether the model joins subgraphs at all.")]
    members: list[MemberItem]
    neighbors: list[ContributionItem]
    graph: SurroundingGraph


class SimilarSubgraph(BaseModel):
    """A known subgraph, and how similar it is to the queried one."""

    id: str
    title: str
    labels: list[str]
    similarity: Annotated[float, Field(description="Cosine, from -1 to 1.")]
    shared: Annotated[list[str], Field(description="Members that both have, by title or id.")]
    size: Annotated[int, Field(description="Number of its members.")]


class NeighborsAnswer(BaseModel):
    """The known subgraphs whose vectors are most similar, nearest first."""

    neighbors: list[SimilarSubgraph]


class NodeItem(BaseModel):
    """A node of the graph."""

    id: str
    title: str
    degree: int
    alias: Annotated[str, Field(description="The other name that has the text, if it is one.")]


class NodesAnswer(BaseModel):
    """Nodes that have the text in a name; those with a name that begins with it come first."""

    nodes: list[NodeItem]


class ExampleSubgraph(BaseModel):
    """A subgraph to try."""

    id: str
    title: str
    nodes: list[str]


class LimitsAnswer(BaseModel):
    """Limits on one request."""

    subgraphs: int
    nodes: int
    body_bytes: int


class ModelAnswer(BaseModel):
    """What the model is and what it accepts."""

    name: str
    question: Annotated[str, Field(description="What the model answers.")]
    words: Annotated[
        dict[str, str],
        Field(description="What to call a subgraph, a member and a label, one and several."),
    ]
    caution: Annotated[str, Field(description="What to say with every answer.")]
    reads_excluded: Annotated[
        bool, Field(description="Whether the model reads members that are absent.")
    ]
    structure: str
    conv: str | None
    classes: list[str]
    multilabel: bool
    seeds: int
    nodes: int
    edges: int
    known_subgraphs: int
    validation: dict[str, float]
    examples: list[ExampleSubgraph]
    limits: LimitsAnswer
    token: Annotated[bool, Field(description="Whether requests need a bearer token.")]


class ReadSubgraph(BaseModel):
    """A subgraph of a file, as a request takes it."""

    id: str
    nodes: list[str]
    excluded: list[str]
    error: Annotated[str | None, Field(description="What is wrong with it, if something is.")]


class ReadSets(BaseModel):
    """The subgraphs of a file."""

    sets: list[ReadSubgraph]
    notes: Annotated[list[str], Field(description="What is to be said about the file.")]
