"""How speed and memory are measured, and the benchmark that compares them."""
