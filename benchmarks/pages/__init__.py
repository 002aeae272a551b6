"""Where the numbers on the pages come from: rows of ``benchmarks/results``, and nothing else."""
