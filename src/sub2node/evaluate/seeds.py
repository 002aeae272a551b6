"""Seeds of replicas: the published ones by default."""

from __future__ import annotations

from collections.abc import Sequence

from ..base.errors import ConfigError

FIRST_SEED = 10
_MOST = 10_000


def seed_list(seeds: int | Sequence[int]) -> list[int]:
    """Turn a number of seeds into 10, 11, … (the published ones), or the seeds themselves.

    Args:
        seeds: The number of seeds, or the seeds themselves: different whole numbers from 0.
    """
    if isinstance(seeds, bool) or (isinstance(seeds, int) and seeds < 1):
        raise ConfigError(f"at least one seed is needed, found {seeds!r}.")
    if isinstance(seeds, int) and seeds > _MOST:
        raise ConfigError(f"there are at most {_MOST:,} seeds, found {seeds:,}.")
    chosen = list(range(FIRST_SEED, FIRST_SEED + seeds)) if isinstance(seeds, int) else list(seeds)
    if not chosen or len(set(chosen)) != len(chosen) or min(chosen) < 0:
        raise ConfigError(f"seeds are different whole numbers from 0, found {chosen}.")
    return chosen
