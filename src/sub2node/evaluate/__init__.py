"""Measures of data and of results: the protocol, its statistics, homophily, compression."""

from .compare import Comparison as Comparison
from .compare import compare as compare
from .compare import over_splits as over_splits
from .compression import Compression as Compression
from .compression import compression as compression
from .homophily import Homophily as Homophily
from .homophily import homophily as homophily
from .protocol import assess as assess
from .protocol import random_splits as random_splits
from .protocol import run as run
from .result import Result as Result
from .significance import Summary as Summary
from .significance import corrected_resampled as corrected_resampled
from .significance import mark as mark
from .significance import welch as welch
from .store import load_scores as load_scores
from .store import save_run as save_run
