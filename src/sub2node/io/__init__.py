"""Foreign formats in and out."""

from .graphs import as_graph as as_graph
from .graphs import task_from_graph as task_from_graph
from .graphs import to_igraph as to_igraph
from .graphs import to_networkx as to_networkx
from .phenopackets import Phenopackets as Phenopackets
from .phenopackets import read_phenopackets as read_phenopackets
from .pyg_dataset import to_pyg_dataset as to_pyg_dataset
from .read import read_task as read_task
from .read import recognised as recognised
from .save import FORMATS as FORMATS
from .save import Format as Format
from .save import check_target as check_target
from .save import save_task as save_task
