"""Attacks on the whole program: kills, damaged files, crafted models, hostile requests."""
