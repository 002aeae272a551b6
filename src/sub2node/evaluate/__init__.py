"""Measures of data and of results."""

from .compression import Compression as Compression
from .compression import compression as compression
from .homophily import Homophily as Homophily
from .homophily import homophily as homophily
