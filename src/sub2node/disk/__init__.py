"""Data whose graph stays on disk: the part that a task needs, and the rest in sorted tables."""

from .growth import grow as grow
from .growth import surroundings as surroundings
from .part_folder import EngineOptions as EngineOptions
from .part_folder import make_part_folder as make_part_folder
from .remote_source import RemoteSource as RemoteSource
from .source_tables import SourceRequest as SourceRequest
from .unfinished import remove_unfinished as remove_unfinished
