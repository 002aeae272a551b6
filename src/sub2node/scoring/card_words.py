"""What a model's page and case reports call things: kept in the model's card."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields, replace
from typing import TYPE_CHECKING

from ..base.errors import ConfigError, suggest
from ..base.notes import NoteKind, has_kind
from ..base.plural import plural_of
from ..base.records import JsonObject

if TYPE_CHECKING:
    from ..task import SubgraphTask

_LONGEST = 300
_CLINICAL = (
    "This is no medical device. It compares with published cases, knows only what it was trained"
    " on, and may be wrong: a diagnosis is made by physicians."
)
_NO_EVIDENCE = (
    "A model's answer is a hint and no evidence against anybody: check it before you act on it."
)
_HINT = "A model's answer is a hint and may be wrong: check it before you act on it."
_ONTOLOGY = "HP:"  # how ids of phenotypes begin
_SAMPLE = 100  # ids of nodes that are looked at


@dataclass(frozen=True)
class CardWords:
    """Words for one kind of data; nouns are singular.

    Args:
        title: What to call the data, as ``Disease families``; empty: by its own name.
        question: What the model answers; empty: made from the nouns.
        subgraph: A known subgraph, as ``disease``.
        member: A node of the graph, as ``phenotype``.
        label: A class, as ``family``.
        caution: What to say under every answer.
    """

    title: str = ""
    question: str = ""
    subgraph: str = "subgraph"
    member: str = "node"
    label: str = "class"
    caution: str = _HINT

    def __post_init__(self) -> None:
        for name, text in asdict(self).items():
            if not isinstance(text, str) or len(text) > _LONGEST:
                raise ConfigError(
                    f"the word for {name!r} must be text of at most {_LONGEST} characters."
                )
        for name in ("subgraph", "member", "label"):
            if not getattr(self, name).strip():
                raise ConfigError(f"the word for {name!r} is empty.")

    @property
    def full_question(self) -> str:
        """The question, made from the nouns where none was given."""
        return self.question or f"Which {self.label} do these {plural_of(self.member)} belong to?"

    def with_changes(self, changes: Mapping[str, str] | None) -> CardWords:
        """The same with other words for some things.

        Args:
            changes: A word by the name of its argument.
        """
        changes = changes or {}
        names = [field.name for field in fields(self)]
        for name in changes:
            if name not in names:
                raise ConfigError(f"there is no word {name!r}.{suggest(name, names)}")
        asked_anew = {"member", "label"} & changes.keys() and "question" not in changes
        return replace(self, **({"question": ""} if asked_anew else {}) | dict(changes))

    def nouns(self) -> dict[str, list[str]]:
        """Singular and plural of each noun."""
        return {
            name: [getattr(self, name), plural_of(getattr(self, name))]
            for name in ("subgraph", "member", "label")
        }


_PATIENTS = CardWords(
    "", "Which diagnosis fits these phenotypes?", "patient", "phenotype", "diagnosis", _CLINICAL
)
_GENE_SETS = CardWords(
    "", "Which process does this gene set belong to?", "gene set", "gene", "process"
)
_ACCOUNTS = CardWords(
    "",
    "Which verdict fits this cluster of accounts?",
    "cluster",
    "account",
    "verdict",
    _NO_EVIDENCE,
)
_LAUNDERING = CardWords(
    "", "Which pattern of laundering is this?", "attempt", "account", "pattern", _NO_EVIDENCE
)
_BY_KIND = {
    NoteKind.GENES: _GENE_SETS,
    NoteKind.ACCOUNTS: _ACCOUNTS,
    NoteKind.LAUNDERING: _LAUNDERING,
}
_DISEASE_GROUPS = CardWords(
    "", "Which group of diseases has these phenotypes?", "disease", "phenotype", "group", _CLINICAL
)
_BY_NAME = {
    "disease_families": CardWords(
        "Disease families",
        "Which disease family has these phenotypes?",
        "disease",
        "phenotype",
        "family",
        _CLINICAL,
    ),
    "patients": replace(_PATIENTS, title="Published patients"),
    "hpo_neuro": replace(_DISEASE_GROUPS, title="Rare neurological diseases"),
    "hpo_metab": replace(_DISEASE_GROUPS, title="Rare metabolic diseases"),
    "hpo_orpha_neuro": replace(_DISEASE_GROUPS, title="Rare neurological diseases"),
    "hpo_orpha_metab": replace(_DISEASE_GROUPS, title="Rare metabolic diseases"),
    "ppi_bp": replace(_GENE_SETS, title="Processes of proteins"),
}


def default_words(task: SubgraphTask) -> CardWords:
    """The words for data whose name, ids or format say what they are; else neutral ones.

    Args:
        task: The data.
    """
    if task.name in _BY_NAME:
        return _BY_NAME[task.name]
    names = task.graph.names
    sample = [names[i] for i in range(min(task.graph.num_nodes, _SAMPLE))] if names else []
    if sample and all(name.startswith(_ONTOLOGY) for name in sample):
        return _PATIENTS
    told = (
        words for note in task.notes for kind, words in _BY_KIND.items() if has_kind(note, kind)
    )
    return next(told, CardWords())


def card_words(card: JsonObject, task: SubgraphTask) -> CardWords:
    """The words of a model, also of one that was saved before there were any.

    Args:
        card: The model's card, of unknown origin.
        task: Its known subgraphs.
    """
    words = card.get("words")
    default = default_words(task)
    if not isinstance(words, dict):
        return default
    names = {field.name for field in fields(CardWords)}
    try:
        return replace(default, **{name: words[name] for name in names & words.keys()})
    except ConfigError:
        return default
