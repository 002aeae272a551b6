"""Coarsening: the global graph → sets of nodes → virtual subgraphs, the bridges of CoS2N."""

from .coarsen import METHODS as METHODS
from .coarsen import SMALL as SMALL
from .coarsen import coarsen as coarsen
from .coarsen import parse_coarsen as parse_coarsen
from .coarsening import Coarsening as Coarsening
from .coarsening import SpectralErrors as SpectralErrors
from .virtual import with_virtual as with_virtual
from .virtual import without_virtual as without_virtual
