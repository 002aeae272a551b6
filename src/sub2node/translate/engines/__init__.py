"""Translation of tables that are never loaded: one Ibis expression for DuckDB and Spark."""

from .run import translate_tables as translate_tables
from .run import translate_to as translate_to
