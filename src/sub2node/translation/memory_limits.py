"""How much memory a translation may use."""

from __future__ import annotations

from dataclasses import dataclass

from ..base.errors import Sub2NodeError

SCRATCH = 128 << 20  # bytes to work in where the user sets no limit
_COPIES = 4  # temporary arrays of a block's size that are alive at a time


@dataclass(frozen=True)
class Limit:
    """Memory that may be used: to work in, and for what is kept.

    Args:
        memory: Bytes; None: a working space of 128 MB, and no limit on what is kept.
    """

    memory: int | None = None

    @property
    def scratch(self) -> int:
        """Bytes for a block."""
        return (SCRATCH if self.memory is None else max(self.memory // 2, 1)) // _COPIES

    def check(self, entries: int, bytes_each: int) -> None:
        """Raise if the kept entries do not fit."""
        if self.memory is not None and entries * bytes_each > self.memory:
            raise MemoryLimitError(
                f"the kept entries need more than the memory limit of {self.memory / 1e9:.2g} GB;"
                " keep fewer (cut, min_weight, top_k), raise the limit, or use engine='duckdb'."
            )


class MemoryLimitError(Sub2NodeError):
    """What is to be kept does not fit into the memory that was granted."""
