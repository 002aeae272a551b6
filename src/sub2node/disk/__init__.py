"""Data whose graph stays on disk: the part that a task needs, and the rest in sorted tables."""

from .compact import EngineOptions as EngineOptions
from .compact import compact as compact
from .growth import grow as grow
from .growth import surroundings as surroundings
from .source_tables import SourceRequest as SourceRequest
