"""Translation of tables that are never loaded: one Ibis expression for DuckDB and Spark."""
