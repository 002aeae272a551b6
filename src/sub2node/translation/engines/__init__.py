"""Translation of tables that are never loaded: one Ibis expression for DuckDB and Spark."""

from .engine_translation import translate_tables as translate_tables
from .engine_translation import translate_to as translate_to
