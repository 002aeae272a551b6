"""Measures of data and of results."""

from .homophily import Homophily as Homophily
from .homophily import homophily as homophily
