"""The HTTP service: what a trained model says about subgraphs, one or many at a time."""
