"""Sparse operations with gradients; the same in Triton for a GPU in :mod:`.triton`."""
